"""Acclaim skeletons (ASF). A joint sits where its bone begins, which is where its parent's bone ends.

At rest, all angles zero, the bones lie as the file's directions say, in world coordinates. A bone's axis C is a
fixed rotation: with a motion M of its dofs (turns about x, y and z in the axis order, about fixed axes) the local
rotation is C M C^-1, and position dofs move the joint by C t from its rest. The root's position and orientation
are the place that all motion is relative to, so they move and turn the whole rest skeleton. Lengths stay as they
stand in the file; its length unit is not applied.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from freshtake.errors import FormatError, InvalidMotion
from freshtake.formats.asf_text import AsfText, Bone, Vector, Word, parse_text
from freshtake.formats.files import read_text
from freshtake.formats.read_options import ReadOptions
from freshtake.motion import Clip, EndSite, Skeleton
from freshtake.motion.channels import clip_from_channels
from freshtake.motion.skeleton import Limits
from freshtake.numeric.arrays import Floats
from freshtake.numeric.euler import from_euler
from freshtake.numeric.rotations import multiply, rotate

DEFAULT_FPS = 120.0
_DEEPEST = 500


def read(path: Path, options: ReadOptions) -> Clip:
    """One frame: the skeleton at rest, every dof zero. The motion itself is in AMC files."""
    skeleton = parse_asf(path)
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


def parse_asf(path: Path) -> Skeleton:
    """The skeleton of an ASF file; its offset of the root is the file's root position."""
    return asf_skeleton(path, read_text(path))[0]


def asf_skeleton(path: Path, text: str) -> tuple[Skeleton, bool]:
    """The skeleton, and whether its file (and so its AMC files, unless they say otherwise) measures in degrees."""
    asf = parse_text(path, text)
    bones, parents = _ordered(path, asf)
    turn = from_euler(_radians(asf.root.orientation, asf.degrees)[_sequence(asf.root.axis)], asf.root.axis[::-1])
    with np.errstate(over="ignore", invalid="ignore"):
        ends = [np.zeros(3), *[rotate(turn, np.array(bone.direction) * bone.length) for bone in bones]]
    if not np.isfinite(ends).all():
        raise FormatError(path, "a bone is too long to be represented", "section :bonedata")
    leaves = sorted(set(range(1, len(parents))) - set(parents))
    try:
        skeleton = Skeleton(
            ("root", *[bone.name for bone in bones]),
            np.array(parents),
            np.array([asf.root.position, *[ends[parent] for parent in parents[1:]]]),
            tuple(EndSite(joint, _vector(ends[joint])) for joint in leaves),
            (asf.root.order, *[bone.dofs for bone in bones]),
            (_turns(asf.root.order, _order_of(asf.root.order)), *[_turns(bone.dofs, bone.order) for bone in bones]),
            np.array([turn, *[multiply(turn, _axis(bone, asf.degrees)) for bone in bones]]),
            ((), *[_limits(bone, asf.degrees) for bone in bones]),
        )
    except InvalidMotion as error:
        raise FormatError(path, str(error), "section :bonedata") from None
    return skeleton, asf.degrees


def _ordered(path: Path, asf: AsfText) -> tuple[list[Bone], list[int]]:
    """Bones depth first, children in the order the hierarchy lists them, and the parents of all joints."""
    children = _children(path, asf)
    bones: list[Bone] = []
    parents = [-1]
    stack = [(name, 0, 1) for name in reversed(children.pop("root", []))]
    while stack:
        name, parent, depth = stack.pop()
        if depth > _DEEPEST:
            raise FormatError(path, f"bones are nested deeper than {_DEEPEST}", f"line {asf.bones[name].line}")
        bones.append(asf.bones[name])
        parents.append(parent)
        stack += [(child, len(bones), depth + 1) for child in reversed(children.pop(name, []))]
    reached = {bone.name for bone in bones}
    for name, bone in asf.bones.items():
        if name not in reached:
            raise FormatError(
                path, f"bone {name!r} does not hang on the root: add it to :hierarchy", f"line {bone.line}"
            )
    return bones, parents


def _children(path: Path, asf: AsfText) -> dict[str, list[str]]:
    above: dict[str, Word] = {}
    children: dict[str, list[str]] = {}
    for parent, row in asf.children:
        for word in (parent, *row):
            if word.text not in asf.bones and word.text != "root":
                raise FormatError(
                    path,
                    f"there is no bone {word.text[:40]!r} in :bonedata, but :hierarchy names it",
                    f"line {word.line}",
                )
        for child in row:
            if child.text in above or child.text == "root":
                first = f" (in line {above[child.text].line})" if child.text in above else ""
                raise FormatError(path, f"{child.text!r} has a parent already{first}", f"line {child.line}")
            above[child.text] = child
        children.setdefault(parent.text, []).extend(child.text for child in row)
    return children


def _order_of(dofs: tuple[str, ...]) -> str:
    return "".join(dof[1].upper() for dof in dofs if dof[0] == "r")


def _turns(dofs: tuple[str, ...], order: str) -> str:
    """The intrinsic Euler order: turns about fixed axes in this order are the reverse about turning ones."""
    held = _order_of(dofs)
    return "".join(axis for axis in reversed(order) if axis in held)


def _sequence(order: str) -> list[int]:
    return ["XYZ".index(axis) for axis in reversed(order)]


def _radians(angles: Vector, degrees: bool) -> Floats:
    return np.array(angles) * (np.pi / 180.0 if degrees else 1.0)


def _axis(bone: Bone, degrees: bool) -> Floats:
    """The rotation C; its three angles are about x, y and z whatever the order in which they are applied."""
    return from_euler(_radians(bone.axis, degrees)[_sequence(bone.order)], bone.order[::-1])


def _limits(bone: Bone, degrees: bool) -> Limits:
    scale = [np.pi / 180.0 if degrees and dof[0] == "r" else 1.0 for dof in bone.dofs]
    pairs = zip(bone.limits[::2], bone.limits[1::2], scale, strict=False)
    return tuple((low * factor, high * factor) for low, high, factor in pairs)


def _vector(values: Floats) -> Vector:
    x, y, z = values.tolist()
    return x, y, z
