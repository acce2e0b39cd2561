"""FBX files are read correctly: against a slow oracle for every kind of transform, and back from our own writer."""

from __future__ import annotations

import struct
import zlib
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freshtake as ft
from freshtake.formats import fbx
from freshtake.formats.fbx.records import Node, array, long, node, put_together, real, text, titled, whole
from freshtake.formats.fbx.writing import SECOND, Objects, add_joints, add_take, document, prop, properties
from freshtake.formats.read_options import ReadOptions, WriteOptions
from freshtake.formats.rig import on_rig
from freshtake.motion import Clip
from freshtake.motion.check import check
from freshtake.motion.cycles.looping import with_root_motion
from tests.formats.characters import skinned
from tests.formats.fbx.slow_reader import turn
from tests.formats.made_clips import fixed_layout, made_clip, moving_layout, odd_layout, usual_layout

LAYOUTS = {"usual": usual_layout(), "odd": odd_layout(), "six": moving_layout(), "fixed": fixed_layout()}
ORDERS = ("XYZ", "XZY", "YZX", "YXZ", "ZXY", "ZYX")


@pytest.mark.parametrize("name", LAYOUTS)
def test_what_was_written_is_read(tmp_path: Path, name: str) -> None:
    clip = made_clip(LAYOUTS[name])
    ft.write(tmp_path / "x.fbx", clip, unit_m=0.05)
    found = fbx.read(tmp_path / "x.fbx", ReadOptions())
    assert (found.name, found.unit_m, found.up, found.frame_time) == ("made", 0.01, "y", clip.frame_time)
    assert found.skeleton.names == clip.skeleton.names
    np.testing.assert_array_equal(found.skeleton.parents, clip.skeleton.parents)
    assert [site.name for site in found.skeleton.end_sites] == ["Head_end", "Tip", "RightFoot_end"]
    assert (found.joint_translations is None) == (clip.joint_translations is None)
    size = np.ptp(clip.positions()) * 5.0
    np.testing.assert_allclose(found.positions(), clip.positions() * 5.0, rtol=0, atol=1e-6 * size)
    np.testing.assert_allclose(found.end_positions(), clip.end_positions() * 5.0, rtol=0, atol=1e-6 * size)


def test_takes_are_chosen_by_name_or_number(tmp_path: Path) -> None:
    clips = [made_clip(usual_layout(), frames=5 + k, seed=k).changed(name=n) for k, n in enumerate(["a", "b", "c"])]
    ft.write(tmp_path / "x.fbx", clips, unit_m=0.01)
    found = fbx.read_animations(tmp_path / "x.fbx")
    assert [clip.name for clip in found] == ["a", "b", "c"]
    for clip, other in zip(clips, found, strict=True):
        np.testing.assert_allclose(other.positions(), clip.positions(), rtol=0, atol=1e-4)
    assert len(ft.read(tmp_path / "x.fbx", animation="c")) == len(ft.read(tmp_path / "x.fbx", animation=2)) == 7
    with pytest.warns(UserWarning, match="only the first animation is read"):
        assert ft.read(tmp_path / "x.fbx").name == "a"
    with pytest.raises(ft.FormatError, match="no animation 'd'; the animations are 0 'a', 1 'b', 2 'c'"):
        ft.read(tmp_path / "x.fbx", animation="d")


def with_empty_stack(path: Path, clips: list[Clip], first: str = "Take 001") -> Path:
    """Write clips as in Mixamo's files: a stack without motion precedes the animation."""
    rig, motions = on_rig(clips, WriteOptions())
    objects = Objects()
    joints = add_joints(objects, rig)
    stack = objects.add("AnimationStack", titled(first, "AnimStack"), "", [properties()])
    objects.link(objects.add("AnimationLayer", titled("BaseLayer", "AnimLayer"), "", []), stack)
    takes = [add_take(objects, joints, rig, motion) for motion in motions]
    content = document(objects, 30.0, takes[0][1], [take for take, _ in takes])
    path.write_bytes(put_together(path, content))
    return path


def test_the_stack_that_moves_is_read(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    clip = made_clip(usual_layout()).changed(name="mixamo.com", unit_m=1.0)
    found = ft.read(with_empty_stack(tmp_path / "x.fbx", [clip]))
    assert isinstance(found, Clip) and found.name == "mixamo.com" and len(found) == len(clip)
    np.testing.assert_allclose(found.positions(), clip.positions() * 100.0, rtol=0, atol=1e-2)
    assert not recwarn.list
    assert [take.name for take in fbx.read_animations(tmp_path / "x.fbx")] == ["mixamo.com"]
    still = ft.read(tmp_path / "x.fbx", animation="Take 001")
    assert len(still) == 1
    assert [finding.code for finding in check(still)] == ["still"]


def test_of_several_stacks_that_move_the_first_of_them_is_read(tmp_path: Path) -> None:
    clips = [made_clip(usual_layout(), seed=k).changed(name=n, unit_m=1.0) for k, n in enumerate("ab")]
    with pytest.warns(UserWarning, match="only the animation 'a' is read; choose with --animation from 0 'Take 001'"):
        assert ft.read(with_empty_stack(tmp_path / "x.fbx", clips)).name == "a"


def test_stacks_and_layers_end_their_lists(tmp_path: Path) -> None:
    """Strict readers take no animation from a stack or layer whose node has no list inside."""
    ft.write(tmp_path / "x.fbx", made_clip(usual_layout()), unit_m=0.05)
    data = (tmp_path / "x.fbx").read_bytes()
    for name in (b"AnimationStack", b"AnimationLayer"):
        start = data.index(bytes([len(name)]) + name + b"L") - 12  # the object; the definition's name is a text
        end, _, size = struct.unpack_from("<III", data, start)
        assert end > start + 13 + len(name) + size and data[end - 13 : end] == bytes(13)


def test_a_character_and_a_clip_in_place(tmp_path: Path) -> None:
    source = skinned(bent=True, armature={"scale": [0.5] * 3}).save(tmp_path / "hero.glb")
    whole_clip = ft.read(source)
    assert isinstance(whole_clip, Clip)
    clip = with_root_motion(whole_clip, "none")
    ft.write(tmp_path / "x.fbx", clip, character=source)
    found = fbx.read(tmp_path / "x.fbx", ReadOptions())
    assert found.skeleton.names == clip.skeleton.names
    np.testing.assert_allclose(found.positions() * 0.01, clip.positions(), rtol=0, atol=1e-6)
    assert found.playback is not None and clip.playback is not None and found.playback.root_motion == "none"
    np.testing.assert_allclose(found.playback.travel * 0.01, clip.playback.travel, atol=1e-9)


# ---- files with every kind of transform, and what they mean by 4x4 matrices, one frame at a time ----

VECTORS = ("RotationOffset", "RotationPivot", "PreRotation", "PostRotation", "ScalingOffset", "ScalingPivot")


def rich(rng: np.random.Generator, order: int, active: bool) -> tuple[list[dict[str, Any]], bytes]:
    """A Null, three limbs in a chain with all properties, 4 frames of keys; what they are, and the file."""
    objects = Objects()
    rows: list[dict[str, Any]] = []
    parent = 0
    times = np.arange(4)
    layer_curves = []
    for k, form in enumerate(("Null", "LimbNode", "LimbNode", "LimbNode")):
        own = {name: rng.normal(size=3) * (40 if "Rotation" in name and "R" in name[-8:] else 1) for name in VECTORS}
        moved, turned = rng.normal(size=(4, 3)), rng.normal(size=(4, 3)) * 60
        scale = rng.uniform(0.5, 2.0, 3)
        rows.append({**own, "T": moved, "R": turned, "S": scale, "order": ORDERS[order], "active": active})
        listed = [prop(n, "Vector3D", "Vector", "", *map(real, v)) for n, v in own.items()]
        listed += [
            prop("RotationActive", "bool", "", "", whole(int(active))),
            prop("RotationOrder", "enum", "", "", whole(order)),
            prop("Lcl Translation", "Lcl Translation", "", "A", *map(real, moved[0])),
            prop("Lcl Rotation", "Lcl Rotation", "", "A", *map(real, turned[0])),
            prop("Lcl Scaling", "Lcl Scaling", "", "A", *map(real, scale)),
        ]
        model = objects.add("Model", titled(f"n{k}", "Model"), form, [properties(*listed)])
        objects.link(model, parent)
        parent = model
        layer_curves += [(model, "Lcl Translation", moved), (model, "Lcl Rotation", turned)]
    stack = objects.add("AnimationStack", titled("take", "AnimStack"), "", [properties()])
    layer = objects.add("AnimationLayer", titled("", "AnimLayer"), "", [])
    objects.link(layer, stack)
    for model, role, values in layer_curves:
        holder = objects.add("AnimationCurveNode", titled("", "AnimCurveNode"), "", [])
        objects.link(holder, layer)
        objects.link(holder, model, role)
        for axis, column in zip("XYZ", values.T, strict=True):
            keys = [node("KeyTime", array(times * (SECOND // 25), "i8")), node("KeyValueFloat", array(column, "f4"))]
            objects.link(objects.add("AnimationCurve", titled("", "AnimCurve"), "", keys), holder, f"d|{axis}")
    return rows, put_together(Path(), document(objects, 25.0, 0, []))


def moved_by(vector: np.ndarray) -> np.ndarray:
    out = np.eye(4)
    out[:3, 3] = vector
    return out


def turned_by(angles: np.ndarray, order: str = "XYZ") -> np.ndarray:
    out = np.eye(4)
    for axis in order:  # each additional rotation comes from the left
        single = np.where(np.array(list("XYZ")) == axis, angles, 0.0)
        out[:3, :3] = turn(*single) @ out[:3, :3]
    return out


def oracle(rows: list[dict[str, Any]], frame: int) -> list[np.ndarray]:
    world, out = np.eye(4), []
    for row in rows:
        pivot, scale_pivot = moved_by(row["RotationPivot"]), moved_by(row["ScalingPivot"])
        active = row["active"]
        before = turned_by(row["PreRotation"]) if active else np.eye(4)
        after = turned_by(row["PostRotation"]) if active else np.eye(4)
        chain = [
            moved_by(row["T"][frame]), moved_by(row["RotationOffset"]), pivot, before,
            turned_by(row["R"][frame], row["order"] if active else "XYZ"), np.linalg.inv(after), np.linalg.inv(pivot),
            moved_by(row["ScalingOffset"]), scale_pivot, np.diag([*row["S"], 1.0]), np.linalg.inv(scale_pivot),
        ]  # fmt: skip
        for matrix in chain:
            world = world @ matrix
        out.append(world[:3, 3].copy())
    return out


@pytest.mark.parametrize("order", range(6))
@pytest.mark.parametrize("active", [True, False])
def test_every_kind_of_transform(tmp_path: Path, order: int, active: bool) -> None:
    rows, content = rich(np.random.default_rng(order), order, active)
    (tmp_path / "x.fbx").write_bytes(content)
    clip = fbx.read(tmp_path / "x.fbx", ReadOptions())
    assert clip.skeleton.names == ("n1", "n2", "n3") and clip.frame_time == 1 / 25
    wanted = np.array([oracle(rows, frame)[1:] for frame in range(4)])
    np.testing.assert_allclose(clip.positions(), wanted, rtol=0, atol=1e-5 * np.ptp(wanted))


def test_wide_files_are_read_too(tmp_path: Path) -> None:
    clip = made_clip(usual_layout())
    ft.write(tmp_path / "x.fbx", clip, unit_m=0.01)
    (tmp_path / "y.fbx").write_bytes(widened((tmp_path / "x.fbx").read_bytes()))
    found = fbx.read(tmp_path / "y.fbx", ReadOptions())
    np.testing.assert_allclose(found.positions(), clip.positions(), rtol=0, atol=1e-4)


def widened(data: bytes) -> bytes:
    """Convert a file of version 7.4 to 7.5, whose lengths have 64 bits."""
    out = bytearray(data[:23] + struct.pack("<I", 7500))

    def copy(place: int) -> int:
        end, count, size, letters = struct.unpack_from("<IIIB", data, place)
        if end == 0:
            out.extend(bytes(25))
            return place + 13
        start = len(out)
        out.extend(struct.pack("<QQQB", 0, count, size, letters) + data[place + 13 : place + 13 + letters + size])
        inner = place + 13 + letters + size
        while inner < end:
            inner = copy(inner)
        struct.pack_into("<Q", out, start, len(out))
        return end

    place = 27
    while data[place : place + 13] != bytes(13):
        place = copy(place)
    return bytes(out) + bytes(25)


def curve_file(flags: int, slopes: tuple[float, float], times: list[float], values: list[float]) -> bytes:
    objects = Objects()
    limb = objects.add("Model", titled("hip", "Model"), "LimbNode", [properties()])
    objects.link(limb, 0)
    stack = objects.add("AnimationStack", titled("take", "AnimStack"), "", [])
    layer = objects.add("AnimationLayer", titled("", "AnimLayer"), "", [])
    holder = objects.add("AnimationCurveNode", titled("", "AnimCurveNode"), "", [])
    keys = [
        node("KeyTime", array(np.array(times) * SECOND, "i8")),
        node("KeyValueFloat", array(np.array(values), "f4")),
        node("KeyAttrFlags", array(np.array([flags]), "i4")),
        node("KeyAttrDataFloat", array(np.array([*slopes, 0.0, 0.0]), "f4")),
        node("KeyAttrRefCount", array(np.array([len(times)]), "i4")),
    ]
    curve = objects.add("AnimationCurve", titled("", "AnimCurve"), "", keys)
    for child, parent, role in (
        (layer, stack, None), (holder, layer, None), (holder, limb, "Lcl Translation"), (curve, holder, "d|X"),
    ):  # fmt: skip
        objects.link(child, parent, role)
    return put_together(Path(), document(objects, 20.0, 0, []))


@pytest.mark.parametrize(
    ("flags", "slopes", "halfway"),
    [(2, (0, 0), 1.0), (4, (0, 0), 2.0), (8, (0, 0), 2.0), (8, (4, 4), 2.0), (8, (4, 0), 2.5)],
)
def test_between_keys_a_curve_is_held_straight_or_smooth(
    tmp_path: Path, flags: int, slopes: tuple[float, float], halfway: float
) -> None:
    (tmp_path / "x.fbx").write_bytes(curve_file(flags, slopes, [0.0, 1.0, 2.0], [1.0, 3.0, 1.0]))
    clip = fbx.read(tmp_path / "x.fbx", ReadOptions())  # keys a second apart are not frames: the file's rate counts
    assert len(clip) == 41 and clip.frame_time == 1 / 20
    assert clip.root[0, 0] == 1.0 and clip.root[20, 0] == 3.0 and clip.root[10, 0] == pytest.approx(halfway)
    assert len(fbx.read(tmp_path / "x.fbx", ReadOptions(fps=10))) == 21


# ---- broken files ----


def minimal(*top: Node) -> bytes:
    return put_together(Path(), list(top))


def links(*pairs: tuple[int, int]) -> Node:
    return node("Connections", inside=[node("C", text("OO"), long(a), long(b)) for a, b in pairs])


def limbs(count: int) -> Node:
    made = [node("Model", long(k), titled(f"l{k}", "Model"), text("LimbNode")) for k in range(1, count + 1)]
    return node("Objects", inside=made)


BOMB = zlib.compress(bytes(10_000_000))
BROKEN = {
    "text": (b"; FBX 7.4.0 project file\n", "FBX text file"),
    "old": (minimal()[:23] + struct.pack("<I", 6100) + bytes(13), "FBX 6.1 cannot be read"),
    "cut": (minimal(limbs(3))[:120], "byte"),
    "no end": (minimal(limbs(1))[:27], "cut off"),
    "no skeleton": (minimal(node("Objects")), "no skeleton"),
    "circle": (minimal(limbs(2), links((1, 2), (2, 1))), "is below itself"),
    "node beyond": (minimal(limbs(1))[:27] + b"\xff\xff\xff\x7f" + minimal(limbs(1))[31:], "to end at byte"),
    "bomb": (minimal(node("A", b"d" + struct.pack("<III", 2**31, 1, len(BOMB)) + BOMB)), "does not fit into"),
    "packed wrong": (minimal(node("A", b"d" + struct.pack("<III", 2, 1, 4) + b"abcd")), "damaged"),
    "packed short": (minimal(node("A", b"i" + struct.pack("<III", 99, 1, 9) + zlib.compress(b"a"))), "99 numbers"),
    "unknown type": (minimal(node("A", b"?1234")), "unknown type"),
    "text beyond": (minimal(node("A", b"S" + struct.pack("<I", 99) + b"abc")), "text of 99 bytes"),
    "x up": (
        minimal(limbs(1), node("GlobalSettings", inside=[properties(prop("UpAxis", "int", "", "", whole(0)))])),
        "y or z up",
    ),
    "curve": (curve_file(4, (0, 0), [0.0, 0.0], [1.0, 2.0]), "do not match"),
    "beyond frames": (curve_file(4, (0, 0), [0.0, 0.5, 1e8], [1.0, 2.0, 3.0]), "too many"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_are_refused_in_one_sentence(tmp_path: Path, name: str) -> None:
    content, says = BROKEN[name]
    (tmp_path / "x.fbx").write_bytes(content)
    with pytest.raises(ft.FormatError, match=says) as caught:
        ft.read(tmp_path / "x.fbx")
    assert "\n" not in str(caught.value)


def test_a_node_too_deep_is_refused(tmp_path: Path) -> None:
    deep = node("A", whole(1))
    for _ in range(100):
        deep = node("A", whole(1), inside=[deep])
    (tmp_path / "x.fbx").write_bytes(minimal(deep))
    with pytest.raises(ft.FormatError, match="deeper"):
        ft.read(tmp_path / "x.fbx")


def test_one_frame_without_takes(tmp_path: Path) -> None:
    (tmp_path / "x.fbx").write_bytes(minimal(limbs(3), links(*pairwise((3, 2, 1, 0)))))
    clip = fbx.read(tmp_path / "x.fbx", ReadOptions())
    assert clip.skeleton.names == ("l1", "l2", "l3") and len(clip) == 1
