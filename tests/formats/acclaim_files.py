"""For the Acclaim tests: forward kinematics straight from the format's definition, and random files."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import freshtake as ft
from freshtake.motion.body.rooting import as_filed

# --- the slow twin: 3x3 matrices, one bone and one frame at a time ---------------------------------------------------


def turn(axis: str, angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    rows = {"x": [[1, 0, 0], [0, c, -s], [0, s, c]], "y": [[c, 0, s], [0, 1, 0], [-s, 0, c]],
            "z": [[c, -s, 0], [s, c, 0], [0, 0, 1]]}  # fmt: skip
    return np.array(rows[axis], dtype=float)


def in_turn(order: str, angles: dict[str, float]) -> np.ndarray:
    """Turns about fixed axes, the first letter first."""
    total = np.eye(3)
    for axis in order.lower():
        total = turn(axis, angles.get(axis, 0.0)) @ total
    return total


@dataclass
class Bone:
    name: str
    direction: list[float]
    length: float
    axis: list[float]
    order: str
    dofs: list[str]
    parent: str = "root"


@dataclass
class Rig:
    degrees: bool
    root_order: list[str]
    root_axis: str = "XYZ"
    position: list[float] = field(default_factory=lambda: [0.0] * 3)
    orientation: list[float] = field(default_factory=lambda: [0.0] * 3)
    bones: list[Bone] = field(default_factory=list)


def slow_points(rig: Rig, frame: dict[str, list[float]], degrees: bool) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Where each bone begins and ends in one frame, by definition."""
    unit = math.pi / 180 if degrees else 1.0
    asf_unit = math.pi / 180 if rig.degrees else 1.0

    def motion(dofs: list[str], order: str, values: list[float]) -> tuple[np.ndarray, np.ndarray]:
        given_dofs = dict(zip(dofs, values, strict=True))
        shift = np.array([given_dofs.get(f"t{a}", 0.0) for a in "xyz"])
        return shift, in_turn(order, {a: given_dofs.get(f"r{a}", 0.0) * unit for a in "xyz"})

    root_order = "".join(d[1] for d in rig.root_order if d[0] == "r")
    place, rotation = motion(rig.root_order, root_order, frame["root"])
    ends, turns = {"root": place}, {"root": rotation}
    out = {"root": (place, place)}
    for bone in rig.bones:
        c = in_turn(bone.order, dict(zip("xyz", np.array(bone.axis) * asf_unit, strict=True)))
        shift, m = motion(bone.dofs, bone.order, frame.get(bone.name, []))
        start = ends[bone.parent] + turns[bone.parent] @ c @ shift
        turns[bone.name] = turns[bone.parent] @ c @ m @ np.linalg.inv(c)
        ends[bone.name] = start + turns[bone.name] @ (np.array(bone.direction) * bone.length)
        out[bone.name] = (start, ends[bone.name])
    base = in_turn(rig.root_axis, dict(zip("xyz", np.array(rig.orientation) * asf_unit, strict=True)))
    return {k: (np.array(rig.position) + base @ a, np.array(rig.position) + base @ b) for k, (a, b) in out.items()}


def assert_like_slow(clip: ft.Clip, rig: Rig, frames: list[dict[str, list[float]]], degrees: bool) -> None:
    clip = as_filed(clip)  # in memory the first joint is where the body is
    positions, tips = clip.positions(), clip.end_positions()
    leaves = [clip.skeleton.names[site.joint] for site in clip.skeleton.end_sites]
    for number, frame in enumerate(frames):
        slow = slow_points(rig, frame, degrees)
        for joint, name in enumerate(clip.skeleton.names):
            np.testing.assert_allclose(positions[number, joint], slow[name][0], atol=1e-9, err_msg=name)
        for tip, name in enumerate(leaves):
            np.testing.assert_allclose(tips[number, tip], slow[name][1], atol=1e-9, err_msg=name)


# --- files made up at random -----------------------------------------------------------------------------------------


def made_up(seed: int) -> tuple[Rig, list[dict[str, list[float]]], bool]:
    rng = random.Random(seed)

    def turned(scale: float) -> float:
        return round(rng.uniform(-3.0, 3.0) * scale, 6)

    degrees, amc_degrees = rng.random() < 0.5, rng.random() < 0.5
    scale = 57.0 if degrees else 1.0
    dofs = ["tx", "ty", "tz", "rx", "ry", "rz"]
    rig = Rig(degrees, rng.sample(dofs, rng.randint(1, 6)), "".join(rng.sample("XYZ", 3)))
    if rng.random() < 0.5:
        rig.position = [turned(5) for _ in range(3)]
        rig.orientation = [turned(scale) for _ in range(3)]
    for number in range(rng.randint(1, 7)):
        spatial = rng.random() < 0.2
        has = rng.sample(dofs if spatial else dofs[3:], rng.randint(0, 6 if spatial else 3))
        axis = [turned(scale) if rng.random() < 0.7 else 0.0 for _ in range(3)]
        direction = [turned(0.4) for _ in range(3)]
        bone = Bone(f"b{number}", direction, abs(turned(9)), axis, "".join(rng.sample("XYZ", 3)), has)
        bone.parent = rng.choice(["root", *[b.name for b in rig.bones]])
        rig.bones.append(bone)
    unit = 57.0 if amc_degrees else 1.0

    def frame() -> dict[str, list[float]]:
        parts = {"root": [turned(unit) for _ in rig.root_order]}
        return parts | {b.name: [turned(unit) for _ in b.dofs] for b in rig.bones if b.dofs}

    return rig, [frame() for _ in range(rng.randint(1, 4))], amc_degrees


def asf_text(rig: Rig, seed: int = 0) -> str:
    rng = random.Random(seed)

    def numbers(values: list[float]) -> str:
        return rng.choice([" ", "  ", "\t", ", "]).join(map(repr, values))

    def bone_text(bone: Bone) -> str:
        fields = [f"name {bone.name}", f"direction {numbers(bone.direction)}", f"length {bone.length!r}",
                  f"axis {numbers(bone.axis)} {bone.order}", "id 3"]  # fmt: skip
        if bone.dofs:
            fields.append("dof " + " ".join(bone.dofs))
            if rng.random() < 0.7:
                pairs = [rng.choice(["(-inf inf)", "(-1.5 2e1)", "(-inf, 3)"]) for _ in bone.dofs]
                fields.append("limits " + rng.choice(["\n  ", " "]).join(pairs))
        rng.shuffle(fields)
        return "begin\n  " + rng.choice(["\n  ", " # a comment\n"]).join(fields) + "\nend\n"

    bones = list(rig.bones)
    rng.shuffle(bones)
    links = [f"  {b.parent} {b.name}" for b in rig.bones]
    rng.shuffle(links)
    root = [f"order {' '.join(rig.root_order).upper()}", f"axis {rig.root_axis}",
            f"position {numbers(rig.position)}", f"orientation {numbers(rig.orientation)}"]  # fmt: skip
    rng.shuffle(root)
    sections = [
        f":units\n mass 1\n length 0.45\n angle {'deg' if rig.degrees else 'rad'}\n",
        ":root\n" + "\n".join(root) + "\n",
        ":bonedata\n" + "".join(map(bone_text, bones)),
        ":hierarchy\nbegin\n" + "\n".join(links) + "\nend\n",
        ":documentation\n anything, (even) 12 begin here\n",
    ]
    rng.shuffle(sections)
    text = "# made up\n:version 1.10\n:name X\n" + "".join(sections)
    return text.replace("\n", "\r\n") if rng.random() < 0.3 else text


def amc_text(frames: list[dict[str, list[float]]], degrees: bool | None, seed: int = 0) -> str:
    rng = random.Random(seed)
    order = list(frames[0])
    start, shuffle_always = rng.choice([1, 0, 17]), rng.random() < 0.5
    rng.shuffle(order)
    lines = ["#!OML:ASF X", ":FULLY-SPECIFIED"]
    if degrees is not None:
        lines.append(":DEGREES" if degrees else ":RADIANS")
    for number, frame in enumerate(frames, start):
        if shuffle_always:
            rng.shuffle(order)
        lines.append(f"{number}")
        lines += [f"{name} {' '.join(map(repr, frame[name]))} " for name in order]
    return "\n".join(lines) + "\n"


def store(folder: Path, asf: str, amc: str) -> Path:
    (folder / "rig.asf").write_bytes(asf.encode())
    (folder / "take.amc").write_bytes(amc.encode())
    return folder / "take.amc"
