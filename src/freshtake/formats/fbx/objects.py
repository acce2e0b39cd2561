"""Interpret the contents of an FBX file: objects and their links, layers of curves, and transforms of nodes."""

import math
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import FormatError
from freshtake.formats.fbx.records import Entry
from freshtake.formats.fbx.writing import SECOND
from freshtake.formats.rig import affine
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.rotations import from_euler, inverse, multiply, to_matrix


class Link(NamedTuple):
    """An object that is connected to another, or to one of its properties (`role`)."""

    number: int
    role: str


class Scene:
    """Objects by number, with their links in both directions."""

    def __init__(self, path: Path, top: Entry) -> None:
        self.path, self.top = path, top
        self.objects: dict[int, Entry] = {}
        for entry in self._inside("Objects"):
            number = entry.value(0, int)
            if number is not None:
                self.objects.setdefault(number, entry)
        self.below: dict[int, list[Link]] = defaultdict(list)
        self.above: dict[int, list[Link]] = defaultdict(list)
        for entry in self._inside("Connections"):
            child, parent = entry.value(1, int), entry.value(2, int)
            if child is not None and parent is not None and child in self.objects:
                role = entry.value(3, str) or ""
                self.below[parent].append(Link(child, role))
                self.above[child].append(Link(parent, role))

    def _inside(self, name: str) -> list[Entry]:
        entry = self.top.one(name)
        return entry.inside if entry is not None else []

    def fail(self, problem: str, place: str) -> FormatError:
        """Return an error about this file, to be raised."""
        return FormatError(self.path, problem, place)

    def of_kind(self, kind: str) -> list[int]:
        """Return the numbers of all objects of a kind, in the file's order."""
        return [number for number, entry in self.objects.items() if entry.name == kind]

    def name(self, number: int) -> str:
        """Return an object's name, without its class."""
        full_name = self.objects[number].value(1, str) or ""
        return "".join(letter for letter in full_name.split("\x00\x01")[0] if letter.isprintable()).strip()

    def form(self, number: int) -> str:
        """Return the class of a model, such as LimbNode."""
        return self.objects[number].value(2, str) or ""

    def below_of_kind(self, number: int, kind: str) -> list[Link]:
        """Return an object's children of one kind."""
        return [link for link in self.below[number] if self.objects[link.number].name == kind]


class Properties:
    """The named values of an object, with a default for a value that is missing or of another type."""

    def __init__(self, entry: Entry | None) -> None:
        listed = entry.one("Properties70") if entry is not None else None
        self._values: dict[str, list[Any]] = {}
        for row in listed.inside if listed is not None else []:
            name = row.value(0, str)
            if name is not None:
                self._values[name] = row.values[4:]

    def number(self, name: str, usual: float) -> float:
        """Return one number."""
        values = self._values.get(name, [])
        value = values[0] if values and isinstance(values[0], int | float) else usual
        return float(value) if math.isfinite(value) else usual

    def vector(self, name: str, usual: float = 0.0) -> Floats:
        """Return three numbers."""
        values = self._values.get(name, [])[:3]
        good = len(values) == 3 and all(isinstance(value, int | float) and math.isfinite(value) for value in values)
        return np.array(values, dtype=np.float64) if good else np.full(3, usual)

    def text(self, name: str) -> str:
        """Return a text, empty if there is none."""
        values = self._values.get(name, [])
        return values[0] if values and isinstance(values[0], str) else ""


_CONSTANT, _CUBIC = 2, 8
_AXES = ("d|X", "d|Y", "d|Z")


class Curve(NamedTuple):
    """Times in seconds, values, interpolation flags and slopes (right of a key, left of the next) of all keys."""

    times: Floats
    values: Floats
    laws: Ints
    slopes: Floats

    def at(self, times: Floats) -> Floats:
        """Return the values at the given times; constant before the first key and after the last."""
        if len(self.times) == 1:
            return np.full(len(times), self.values[0])
        k = np.clip(np.searchsorted(self.times, times, side="right") - 1, 0, len(self.times) - 2)
        span = self.times[k + 1] - self.times[k]
        share = np.clip((times - self.times[k]) / span, 0.0, 1.0)
        first, last = self.values[k], self.values[k + 1]
        out = first + share * (last - first)
        smooth = (self.laws[k] & _CUBIC) > 0
        if smooth.any():
            a, b = self.slopes[k, 0] * span, self.slopes[k, 1] * span
            t, u = share, 1.0 - share
            curve = first * (1 + 2 * t) * u * u + a * t * u * u + last * t * t * (3 - 2 * t) - b * t * t * u
            out = np.where(smooth, curve, out)
        stepped = ((self.laws[k] & _CONSTANT) > 0) & (share < 1.0)
        return np.where(stepped, first, out)


def read_curve(scene: Scene, number: int) -> Curve | None:
    """Return a curve, or None if it has no keys; times must increase, with one value for each.

    Keys are linear if the file states no usable flags and slopes.
    """
    entry = scene.objects[number]
    times, values = entry.numbers("KeyTime"), entry.numbers("KeyValueFloat")
    count = len(times)
    if not count or not len(values):
        return None
    if count != len(values) or not np.isfinite(values).all() or (np.diff(times) <= 0).any():
        raise scene.fail(f"a curve has {count} times and {len(values)} values that do not match", f"curve {number}")
    flags = entry.numbers("KeyAttrFlags").astype(np.int64)
    data = entry.numbers("KeyAttrDataFloat")
    repeats = entry.numbers("KeyAttrRefCount").astype(np.int64)
    fits = len(flags) and len(repeats) == len(flags) and len(data) == 4 * len(flags)
    if not fits or repeats.min() < 0 or repeats.max() > count or repeats.sum() != count:
        return Curve(times / SECOND, values, np.full(count, 4, dtype=np.intp), np.zeros((count, 2)))
    slopes = np.nan_to_num(data.reshape(-1, 4)[:, :2], posinf=0.0, neginf=0.0)
    laws = np.repeat(flags, repeats).astype(np.intp)
    return Curve(times / SECOND, values, laws, np.repeat(slopes, repeats, axis=0))


def take_curves(scene: Scene, stack: int) -> dict[tuple[int, str, int], Curve]:
    """Return the curves of a take by model, property and axis, from the first layer that moves something."""
    out: dict[tuple[int, str, int], Curve] = {}
    for layer in scene.below_of_kind(stack, "AnimationLayer"):
        for holder in scene.below_of_kind(layer.number, "AnimationCurveNode"):
            for model, role in scene.above[holder.number]:
                if not role or model not in scene.objects:
                    continue
                for curve, axis in scene.below_of_kind(holder.number, "AnimationCurve"):
                    if axis in _AXES and (model, role, _AXES.index(axis)) not in out:
                        values = read_curve(scene, curve)
                        if values is not None:
                            out[model, role, _AXES.index(axis)] = values
    return out


_LIMBS = ("LimbNode", "Limb", "Root")
_ORDERS = ("XYZ", "XZY", "YZX", "YXZ", "ZXY", "ZYX")  # by number in FBX; the first axis is applied first
_MOST_JOINTS = 20_000

Curves = dict[tuple[int, str, int], Curve]


class Joints(NamedTuple):
    """Models (by number, parents first), the index of the parent of each, and the models above the root (top first)."""

    models: list[int]
    parents: list[int]
    above: list[int]


def find_joints(scene: Scene, animated: set[int]) -> Joints:
    """Return the largest tree of limbs (if there are none, of animated models) with the models between them."""
    models = scene.of_kind("Model")
    if len(models) > _MOST_JOINTS:
        raise scene.fail(f"{len(models)} models are more than the limit of {_MOST_JOINTS}", "Objects")
    parent = {number: parent_of(scene, number) for number in models}
    limbs = [number for number in models if scene.form(number) in _LIMBS] or [n for n in models if n in animated]
    if not limbs:
        raise scene.fail("there is no skeleton (LimbNode) and no animated model in the file", "Objects")
    chains = {number: _chain(scene, parent, number) for number in limbs}
    limb_numbers = set(limbs)
    tops: dict[int, list[int]] = {}
    for number in limbs:
        tops.setdefault(next(n for n in chains[number] if n in limb_numbers), []).append(number)
    top = max(tops, key=lambda number: len(tops[number]))
    tree = {n for limb in tops[top] for n in chains[limb][chains[limb].index(top) :]}
    order = [number for number in models if number in tree]
    place = {number: k for k, number in enumerate(order)}
    if any(place.get(parent[number] or 0, -1) > k for k, number in enumerate(order)):
        order = sorted(tree, key=lambda number: (len(_chain(scene, parent, number)), place[number]))
        place = {number: k for k, number in enumerate(order)}
    parents = [place.get(parent[number] or 0, -1) if number != top else -1 for number in order]
    return Joints(order, parents, chains[top][: chains[top].index(top)])


def parent_of(scene: Scene, number: int) -> int | None:
    """Return the parent of a model, or None."""
    for above, role in scene.above[number]:
        if not role and above in scene.objects and scene.objects[above].name == "Model":
            return above
    return None


def _chain(scene: Scene, parent: dict[int, int | None], number: int) -> list[int]:
    """Return the models from the top down to the given model; cycles are refused."""
    out, above = [number], parent[number]
    while above is not None:
        if above in out or len(out) > 1000:
            raise scene.fail(f"model {scene.name(number)[:40]!r} is below itself, or nested too deeply", "Connections")
        out.append(above)
        above = parent[above]
    return out[::-1]


def local_matrices(scene: Scene, model: int, curves: Curves, times: Floats) -> Floats:
    """Return the local matrices of one model (frames, 4, 4)."""
    settings = Properties(scene.objects[model])
    turns_on = settings.number("RotationActive", 0.0) != 0.0
    moved = _animated(settings, model, "Lcl Translation", 0.0, curves, times)
    angles = np.radians(_animated(settings, model, "Lcl Rotation", 0.0, curves, times))
    scales = _animated(settings, model, "Lcl Scaling", 1.0, curves, times)
    order = _ORDERS[int(settings.number("RotationOrder", 0.0)) % 7 % 6] if turns_on else "XYZ"
    turned = _turn(angles, order)
    if turns_on:
        before, after = (_turn(np.radians(settings.vector(f"{name}Rotation")), "XYZ") for name in ("Pre", "Post"))
        turned = multiply(multiply(before, turned), inverse(after))
    rotation = to_matrix(turned)
    pivot, scale_pivot = settings.vector("RotationPivot"), settings.vector("ScalingPivot")
    inner = settings.vector("ScalingOffset") - pivot + scale_pivot - scales * scale_pivot
    place = moved + settings.vector("RotationOffset") + pivot + np.einsum("fij,fj->fi", rotation, inner)
    return affine(rotation * scales[:, None, :], place)


def _turn(angles: Floats, order: str) -> Floats:
    """Return the rotation of angles about x, y and z (..., 3; radians), applied in this order."""
    return from_euler(angles[..., ["XYZ".index(axis) for axis in order[::-1]]], order[::-1])


def _animated(settings: Properties, model: int, role: str, usual: float, curves: Curves, times: Floats) -> Floats:
    out = np.tile(settings.vector(role, usual), (len(times), 1))
    for axis in range(3):
        curve = curves.get((model, role, axis))
        if curve is not None:
            out[:, axis] = curve.at(times)
    return out
