"""The joints of an FBX file and their matrices over time.

local = T Roff Rp Rpre R Rpost^-1 Rp^-1 Soff Sp S Sp^-1: translation, rotation about a pivot between two fixed ones, and
scale about another pivot.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.formats.fbx.curves import Curve
from freshtake.formats.fbx.objects import Properties, Scene
from freshtake.numeric.arrays import Floats
from freshtake.numeric.euler import from_euler
from freshtake.numeric.rotations import inverse, multiply, to_matrix

_LIMBS = ("LimbNode", "Limb", "Root")
_ORDERS = ("XYZ", "XZY", "YZX", "YXZ", "ZXY", "ZYX")  # which axis turns first
_MOST_JOINTS = 20_000

Curves = dict[tuple[int, str, int], Curve]


class Joints(NamedTuple):
    """Numbers of the models, parents first, parents among themselves, and the models above the root, top first."""

    models: list[int]
    parents: list[int]
    above: list[int]


def find_joints(scene: Scene, animated: set[int]) -> Joints:
    """The largest tree of limbs, with what lies between them; without limbs, that of animated models."""
    models = scene.of_kind("Model")
    if len(models) > _MOST_JOINTS:
        raise scene.fail(f"{len(models)} models are more than the {_MOST_JOINTS} that are read", "Objects")
    parent = {number: parent_of(scene, number) for number in models}
    limbs = [number for number in models if scene.form(number) in _LIMBS] or [n for n in models if n in animated]
    if not limbs:
        raise scene.fail("there is no skeleton (LimbNode) and no animated model in the file", "Objects")
    chains = {number: _chain(scene, parent, number) for number in limbs}
    wanted = set(limbs)
    tops: dict[int, list[int]] = {}
    for number in limbs:
        tops.setdefault(next(n for n in chains[number] if n in wanted), []).append(number)
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
    """The model that a model hangs on."""
    for above, role in scene.above[number]:
        if not role and above in scene.objects and scene.objects[above].name == "Model":
            return above
    return None


def _chain(scene: Scene, parent: dict[int, int | None], number: int) -> list[int]:
    """From the top down to a model; a circle is refused."""
    out, above = [number], parent[number]
    while above is not None:
        if above in out or len(out) > 1000:
            raise scene.fail(f"model {scene.name(number)[:40]!r} hangs on itself, or too deep", "Connections")
        out.append(above)
        above = parent[above]
    return out[::-1]


def local_matrices(scene: Scene, model: int, curves: Curves, times: Floats) -> Floats:
    """Of one model (frames, 4, 4)."""
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
    out = np.tile(np.eye(4), (len(times), 1, 1))
    out[:, :3, :3] = rotation * scales[:, None, :]
    out[:, :3, 3] = moved + settings.vector("RotationOffset") + pivot + np.einsum("fij,fj->fi", rotation, inner)
    return out


def _turn(angles: Floats, order: str) -> Floats:
    """Turns about x, y and z (..., 3; radians), done in this order, as one rotation."""
    return from_euler(angles[..., ["XYZ".index(axis) for axis in order[::-1]]], order[::-1])


def _animated(settings: Properties, model: int, role: str, usual: float, curves: Curves, times: Floats) -> Floats:
    out = np.tile(settings.vector(role, usual), (len(times), 1))
    for axis in range(3):
        curve = curves.get((model, role, axis))
        if curve is not None:
            out[:, axis] = curve.at(times)
    return out
