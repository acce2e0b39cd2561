"""Read Acclaim skeletons (.asf): the sections of the text, then the rest skeleton that they describe.

All motion is relative to the root's position and orientation, so they transform the rest skeleton. Lengths stay
in the unit of the file.
"""

from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import NamedTuple, NoReturn

import numpy as np

from freshtake.errors import FormatError, InvalidMotion
from freshtake.formats.files import DEEPEST, read_text
from freshtake.formats.numbers import finite_number
from freshtake.formats.read_options import ReadOptions
from freshtake.motion import Clip, EndSite, Skeleton
from freshtake.motion.channels import clip_from_channels
from freshtake.motion.skeleton import Limits
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import from_euler, multiply, rotate

DOFS = ("tx", "ty", "tz", "rx", "ry", "rz")
_BLANKS = str.maketrans("(),", "   ")  # the format treats commas and parentheses as white space
_INFINITE = {"inf": inf, "+inf": inf, "-inf": -inf}

Vector = tuple[float, float, float]


class Word(NamedTuple):
    """A word and its line."""

    text: str
    line: int


@dataclass
class Root:
    """The section :root. `order`: columns and order of rotations about fixed axes; `axis`: order for `orientation`."""

    line: int
    order: tuple[str, ...] = ()
    axis: str = "XYZ"
    position: Vector = (0.0, 0.0, 0.0)
    orientation: Vector = (0.0, 0.0, 0.0)


@dataclass
class Bone:
    """One begin ... end block of :bonedata; angles are in the file's unit."""

    line: int
    name: str = ""
    direction: Vector | None = None
    length: float | None = None
    axis: Vector = (0.0, 0.0, 0.0)
    order: str = "XYZ"
    dofs: tuple[str, ...] = ()
    limits: list[float] = field(default_factory=list)


class _Words:
    """An iterator over the words of one section; every error names the line."""

    def __init__(self, path: Path, words: list[Word], line: int) -> None:
        self.path, self.words, self.at = path, words, 0
        self.last = Word("", line)

    def peek(self) -> str:
        return self.words[self.at].text.lower() if self.at < len(self.words) else ""

    def next(self) -> str:
        self.last = self.words[self.at] if self.at < len(self.words) else Word("", self.last.line)
        self.at += 1
        return self.last.text

    def fail(self, expected: str) -> NoReturn:
        actual = f"not {self.last.text[:40]!r}" if self.last.text else "but the section ends there"
        raise FormatError(self.path, f"{expected} was expected, {actual}", f"line {self.last.line}")

    def number(self, what: str, infinite: bool = False) -> float:
        text = self.next()
        value = _INFINITE.get(text.lower()) if infinite else None
        value = finite_number(text) if value is None else value
        if value is None:
            self.fail(f"a number for {what}")
        return value

    def vector(self, what: str) -> Vector:
        return self.number(what), self.number(what), self.number(what)

    def axis_order(self, what: str) -> str:
        text = self.next().upper()
        if sorted(text) != ["X", "Y", "Z"]:
            self.fail(f"an order of three axes such as XYZ for {what}")
        return text

    def dofs(self, what: str) -> tuple[str, ...]:
        dofs: list[str] = []
        while self.peek() in (*DOFS, "l"):
            dof = self.next().lower()
            if dof == "l":
                remedy = "remove that dof from ASF and AMC"
                problem = f"{what} may change its length (dof l), which is not supported: {remedy}"
                raise FormatError(self.path, problem, f"line {self.last.line}")
            if dof in dofs:
                self.fail(f"each dof of {what} only once")
            dofs.append(dof)
        if not dofs:
            self.next()
            self.fail(f"one of {' '.join(DOFS)} for {what}")
        return tuple(dofs)


def _sections(path: Path, text: str) -> dict[str, _Words]:
    """Return the words of all sections, which may be in any order."""
    sections: dict[str, _Words] = {}
    here: list[Word] | None = None
    for number, row in enumerate(text.splitlines(), start=1):
        words = row.split("#", 1)[0].translate(_BLANKS).split()
        if words and words[0].startswith(":"):
            name = words.pop(0).lower()
            if name in sections and name in (":units", ":root", ":bonedata", ":hierarchy"):
                raise FormatError(path, f"the section {name} appears twice: keep one", f"line {number}")
            here = []
            sections[name] = _Words(path, here, number)
        if words and here is None:
            raise FormatError(path, f"a keyword such as :version was expected, not {words[0][:40]!r}", f"line {number}")
        if here is not None:
            here += [Word(word, number) for word in words]
    for needed in (":root", ":bonedata", ":hierarchy"):
        if needed not in sections:
            raise FormatError(path, f"the section {needed} was expected, but there is none", "end of file")
    return sections


def _degrees(words: _Words) -> bool:
    """Return whether the section :units states degrees, which are the default."""
    degrees = True
    while word := words.next().lower():
        if word == "angle":
            unit = words.next().lower()
            if unit not in ("deg", "rad", "degrees", "radians"):
                words.fail("deg or rad")
            degrees = unit.startswith("deg")
        elif word in ("mass", "length"):
            words.number(word)
        else:
            words.fail("mass, length or angle")
    return degrees


def _root(words: _Words) -> Root:
    root = Root(words.last.line)
    while word := words.next().lower():
        if word == "order":
            root.order = words.dofs("the root")
        elif word == "axis":
            root.axis = words.axis_order("the root")
        elif word == "position":
            root.position = words.vector("the root's position")
        elif word == "orientation":
            root.orientation = words.vector("the root's orientation")
        else:
            words.fail("order, axis, position or orientation")
    if not root.order:
        raise FormatError(words.path, "the root has no 'order', such as TX TY TZ RX RY RZ", f"line {root.line}")
    return root


def _bones(words: _Words) -> dict[str, Bone]:
    bones: dict[str, Bone] = {}
    while word := words.next().lower():
        if word != "begin":
            words.fail("'begin' of a bone")
        bone = _bone(words)
        if bone.name in bones:
            first = bones[bone.name].line
            problem = f"two bones are named {bone.name!r} (the first in line {first})"
            raise FormatError(words.path, problem, f"line {bone.line}")
        bones[bone.name] = bone
    return bones


_FIELDS = ("id", "name", "direction", "length", "axis", "dof", "limits", "bodymass", "cofmass")


def _read_field(words: _Words, bone: Bone, word: str) -> None:
    what = f"bone {bone.name!r}"
    match word:
        case "id":
            words.next()
        case "name":
            bone.name = words.next()
            if not bone.name:
                words.fail("the name of a bone")
        case "direction":
            bone.direction = words.vector(f"the direction of {what}")
        case "length":
            bone.length = words.number(f"the length of {what}")
            if bone.length < 0.0:
                words.fail(f"a length of 0 or more for {what}")
        case "axis":
            bone.axis = words.vector(f"the axis of {what}")
            if sorted(words.peek()) == ["x", "y", "z"]:
                bone.order = words.axis_order(what)
        case "dof":
            bone.dofs = words.dofs(what)
        case "limits":
            _read_limits(words, bone)
        case "bodymass" | "cofmass":
            words.number(what)
        case _:
            words.fail(f"one of {', '.join(_FIELDS)} or end for {what}")


def _read_limits(words: _Words, bone: Bone) -> None:
    while words.peek() and words.peek() != "end" and words.peek() not in _FIELDS:
        bone.limits.append(words.number(f"the limits of bone {bone.name!r}", infinite=True))
    for low, high in zip(bone.limits[::2], bone.limits[1::2], strict=False):
        if not low <= high or low == inf or high == -inf:
            problem = f"bone {bone.name!r} has the lower limit {low:g} above its upper limit {high:g}"
            raise FormatError(words.path, problem, f"line {words.last.line}")


def _bone(words: _Words) -> Bone:
    bone = Bone(words.last.line)
    while (word := words.next().lower()) != "end":
        _read_field(words, bone, word)
    place = f"line {bone.line}"
    if not bone.name:
        raise FormatError(words.path, "a bone has no name", place)
    if bone.name.lower() == "root":
        raise FormatError(words.path, "a bone is named 'root', which is reserved for the root: rename it", place)
    if bone.direction is None or bone.length is None:
        missing = "direction" if bone.direction is None else "length"
        raise FormatError(words.path, f"bone {bone.name!r} has no {missing}", place)
    if bone.limits and len(bone.limits) != 2 * len(bone.dofs):
        counts = f"{len(bone.dofs)} dofs, but its limits are {len(bone.limits)} numbers"
        raise FormatError(words.path, f"bone {bone.name!r} has {counts}, not two for each dof", place)
    return bone


DEFAULT_FPS = 120.0


def read(path: Path, options: ReadOptions) -> Clip:
    """Return one frame: the skeleton at rest, every dof zero. The motion itself is in AMC files."""
    skeleton, _ = asf_skeleton(path, read_text(path))
    clip = clip_from_channels(
        skeleton,
        np.zeros((1, skeleton.channel_count)),
        1.0 / (options.fps or DEFAULT_FPS),
        name=path.stem,
        provenance=f"{path.name}; rest pose, a skeleton file has no motion",
        unit_m=options.unit_m,
        up=options.up or "y",
    )
    return clip.changed(root=skeleton.offsets[:1], joint_translations=None, channels=clip.channels)


def asf_skeleton(path: Path, text: str) -> tuple[Skeleton, bool]:
    """Return the skeleton, and whether its file (and its AMC files, unless they state otherwise) is in degrees."""
    sections = _sections(path, text)
    root, by_name = _root(sections[":root"]), _bones(sections[":bonedata"])
    degrees = _degrees(sections[":units"]) if ":units" in sections else True
    bones, parents = _ordered(path, by_name, _children(path, by_name, sections[":hierarchy"]))
    unit = np.pi / 180.0 if degrees else 1.0  # radians per unit of the angles
    turn = _rotation(root.orientation, root.axis, unit)
    with np.errstate(over="ignore", invalid="ignore"):
        ends = [np.zeros(3), *[rotate(turn, np.array(bone.direction) * bone.length) for bone in bones]]
    if not np.isfinite(ends).all():
        raise FormatError(path, "a bone is too long to be represented", "section :bonedata")
    leaves = sorted(set(range(1, len(parents))) - set(parents))
    try:
        skeleton = Skeleton(
            ("root", *[bone.name for bone in bones]),
            np.array(parents),
            np.array([root.position, *[ends[parent] for parent in parents[1:]]]),
            tuple(EndSite(joint, tuple(ends[joint].tolist())) for joint in leaves),
            (root.order, *[bone.dofs for bone in bones]),
            (_turns(root.order, _order_of(root.order)), *[_turns(bone.dofs, bone.order) for bone in bones]),
            np.array([turn, *[multiply(turn, _rotation(bone.axis, bone.order, unit)) for bone in bones]]),
            ((), *[_limits(bone, unit) for bone in bones]),
        )
    except InvalidMotion as error:
        raise FormatError(path, str(error), "section :bonedata") from None
    return skeleton, degrees


def _ordered(path: Path, by_name: dict[str, Bone], children: dict[str, list[str]]) -> tuple[list[Bone], list[int]]:
    """Return bones depth first, children in the order the hierarchy lists them, and the parents of all joints."""
    bones: list[Bone] = []
    parents = [-1]
    stack = [(name, 0, 1) for name in reversed(children.pop("root", []))]
    while stack:
        name, parent, depth = stack.pop()
        if depth > DEEPEST:
            raise FormatError(path, f"bones are nested deeper than {DEEPEST}", f"line {by_name[name].line}")
        bones.append(by_name[name])
        parents.append(parent)
        stack += [(child, len(bones), depth + 1) for child in reversed(children.pop(name, []))]
    reached = {bone.name for bone in bones}
    for name, bone in by_name.items():
        if name not in reached:
            problem = f"bone {name!r} is not connected to the root: add it to :hierarchy"
            raise FormatError(path, problem, f"line {bone.line}")
    return bones, parents


def _children(path: Path, bones: dict[str, Bone], hierarchy: _Words) -> dict[str, list[str]]:
    """Return the children of each bone; a line of the hierarchy has a parent and its children."""
    lines: dict[int, list[str]] = {}
    above: dict[str, int] = {}  # the line that names the parent of a bone
    children: dict[str, list[str]] = {}
    for name, line in hierarchy.words:
        if name.lower() in ("begin", "end"):
            continue
        if name not in bones and name != "root":
            problem = f"there is no bone {name[:40]!r} in :bonedata, but :hierarchy names it"
            raise FormatError(path, problem, f"line {line}")
        row = lines.setdefault(line, [])
        row.append(name)
        if len(row) == 1:  # the first name of a line is the parent
            continue
        if name in above or name == "root":
            first = f" (in line {above[name]})" if name in above else ""
            raise FormatError(path, f"{name!r} already has a parent{first}", f"line {line}")
        above[name] = line
        children.setdefault(row[0], []).append(name)
    return children


def _order_of(dofs: tuple[str, ...]) -> str:
    return "".join(dof[1].upper() for dof in dofs if dof[0] == "r")


def _turns(dofs: tuple[str, ...], order: str) -> str:
    """Return the intrinsic Euler order, the reverse of the order about fixed axes."""
    free = _order_of(dofs)
    return "".join(axis for axis in reversed(order) if axis in free)


def _rotation(angles: Vector, order: str, unit: float) -> Floats:
    """Return a rotation; its angles are listed for x, y and z, whatever the order of application."""
    back = order[::-1]
    return from_euler(np.array(angles)[["XYZ".index(axis) for axis in back]] * unit, back)


def _limits(bone: Bone, unit: float) -> Limits:
    scale = [unit if dof[0] == "r" else 1.0 for dof in bone.dofs]
    pairs = zip(bone.limits[::2], bone.limits[1::2], scale, strict=False)
    return tuple((low * factor, high * factor) for low, high, factor in pairs)
