"""Each defect is added to a sound puppet and must be found; sound clips, including real ones, must pass."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import freshtake as ft
from freshtake.errors import UsageError
from freshtake.motion import Clip, MeshSequence, PointClip, Skeleton, Stroke
from freshtake.motion.body.roles import leg_length
from freshtake.motion.channels import clip_from_channels
from freshtake.motion.check import Finding, check, check_set
from freshtake.motion.check.checking import flip_frames, measured_gravity, radians_per_unit, rotation_columns
from freshtake.motion.check.checks import frame_list, joined, reaches, spikes
from freshtake.motion.edit import concatenate, mirror, resample, scaled, take_frames, turned, with_up
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import IDENTITY, about_axis, angle_between, equivalent, from_euler, multiply
from tests.conftest import data_files, label
from tests.motion.puppet import SKELETON, standing, steady, walk, with_channels

SOUND = walk(steady(3.0, 181))
UNIT = 0.0254 / 0.45
CLEAN = ["walk", "swim", "cheering", "throw", "jump", "style", "cyclic"]


def codes(thing: object) -> set[str]:
    return {finding.code for finding in check(thing)} - {"constant"}


def with_values(clip: Clip, values: Floats) -> Clip:
    return clip_from_channels(clip.skeleton, values, clip.frame_time, name=clip.name, unit_m=clip.unit_m)


def column(clip: Clip, joint: str, place: int) -> int:
    return rotation_columns(clip.skeleton)[clip.skeleton.index(joint)][place]


def jump(fps: float = 60.0, gravity: float = 9.81) -> Clip:
    """Stand, leave the ground, fly for 0.4 s, land, stand: the puppet as a rigid body."""
    base = walk(np.full(90, 0.3), fps=fps)
    time = np.arange(90) / 60.0 - 0.75
    rise = np.clip(0.5 * gravity * (0.2**2 - time**2), 0.0, None)
    root = np.tile(base.root[0], (90, 1))
    root[:, 1] += rise
    rotations = base.rotations.copy()
    rotations[:] = IDENTITY  # both feet side by side
    sway = 0.02 * np.sin(np.arange(90) / 5.0)
    rotations[:, SKELETON.index("Head")] = about_axis([1.0, 0, 0], sway)
    return Clip(base.skeleton, 1.0 / fps, root, rotations, name="jump", unit_m=1.0)


def test_a_sound_clip_is_clean() -> None:
    assert codes(SOUND) == set()
    assert codes(SOUND.changed(channels=None)) == set()
    for other in (turned(SOUND, 0.4), mirror(SOUND), scaled(SOUND, 9.0), resample(SOUND, 30), resample(SOUND, 120)):
        assert codes(other) == set()
    for short in (2, 5):
        assert codes(take_frames(SOUND, 0, short)) == set()


def test_a_take_of_one_frame_is_a_problem() -> None:
    (finding,) = check(take_frames(SOUND, 0, 1))
    assert finding.code == "still" and "one frame, so nothing moves" in finding.sentence


def test_tpose_in_front() -> None:
    pose = take_frames(SOUND, 0, 1).changed(rotations=np.tile(IDENTITY, (1, len(SKELETON), 1)))
    arms = pose.rotations.copy()
    for name, sign in (("LeftArm", 1.0), ("RightArm", -1.0)):
        arms[0, SKELETON.index(name)] = about_axis([0, 0, 1.0], sign * 1.5)
    for first, word in ((pose, "a T-pose"), (pose.changed(rotations=arms), "T-pose")):
        (finding,) = [f for f in check(concatenate([first, SOUND])) if f.code == "tpose"]
        assert word in finding.sentence and finding.sentence.startswith("walk: frame 0")
        assert finding.frames == (0,) and finding.repair == "drop-tpose"
    assert codes(concatenate([pose, SOUND])) == {"tpose"}  # and not a spike as well


@pytest.mark.parametrize("turns", [1, -1, 2])
def test_wraps(turns: int) -> None:
    values = np.array(SOUND.channels)
    values[50:90, column(SOUND, "LeftArm", 2)] += 360.0 * turns
    wrapped = with_values(SOUND, values)
    (finding,) = [f for f in check(wrapped) if f.code == "wrap"]
    assert finding.frames == (50, 90) and finding.joints == ("LeftArm",) and finding.repair == "unwrap"
    assert "LeftArm" in finding.sentence and "frames 50 and 90" in finding.sentence
    assert codes(wrapped) == {"wrap"}


def test_flips_to_the_equivalent_triple() -> None:
    values = np.array(SOUND.channels)
    columns = rotation_columns(SKELETON)[SKELETON.index("RightForeArm")]
    values[70:100, columns] = np.degrees(equivalent(np.radians(values[70:100, columns]), "ZYX"))
    values[70:100, columns[1]] -= 360.0 * np.round(values[70:100, columns[1]] / 360.0)
    flipped = with_values(SOUND, values)
    assert angle_between(flipped.rotations, SOUND.rotations).max() < 1e-9
    (finding,) = [f for f in check(flipped) if f.code == "flip"]
    assert finding.frames == (70, 100) and finding.joints == ("RightForeArm",)
    assert codes(flipped) <= {"flip", "wrap"}


@given(st.floats(-3, 3), st.floats(-1.2, 1.2), st.floats(-3, 3), st.sampled_from(["ZYX", "YXZ", "XZY"]))
def test_a_flip_is_a_flip_and_small_motion_is_none(a: float, b: float, c: float, order: str) -> None:
    here = np.array([[a, b, c], [a + 0.01, b - 0.01, c]])
    there = np.stack([here[0], equivalent(here[1], order)])
    assert angle_between(from_euler(here[1], order), from_euler(there[1], order)) < 1e-9
    assert not flip_frames(here, order).any()
    assert flip_frames(there, order).all()


def test_channels_in_radians_are_understood() -> None:
    columns = [c for joint in rotation_columns(SKELETON) for c in joint]
    values = np.array(SOUND.channels)
    values[:, columns] = np.radians(values[:, columns])
    clip = SOUND.changed(channels=values)
    assert radians_per_unit(SOUND) == pytest.approx(np.pi / 180) and radians_per_unit(clip) == 1.0
    assert codes(clip) == set()
    values[40:, column(SOUND, "LeftLeg", 2)] += 2 * np.pi
    assert codes(clip.changed(channels=values)) == {"wrap"}
    assert radians_per_unit(clip.changed(channels=np.full_like(values, 7.0))) is None


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_gimbal_lock_at_the_root(sign: float) -> None:
    locked = with_channels(turned(SOUND, sign * np.pi / 2))  # order Z Y X, facing along x
    for clip in (locked, locked.changed(channels=None)):
        (finding,) = [f for f in check(clip) if f.code == "gimbal"]
        assert "Hips" in finding.sentence and "ZYX" in finding.sentence
        assert finding.severity == ("note" if clip.channels is None else "warning")
        assert len(finding.frames) == len(clip) and finding.repair == "reorder-root"
    assert "gimbal" not in codes(with_channels(turned(SOUND, 0.8)))


def test_frozen_and_duplicated_frames() -> None:
    rows = np.concatenate([np.arange(40), np.full(20, 40), np.arange(41, 100), [99], np.arange(100, 181)])
    clip = with_values(SOUND, np.array(SOUND.channels)[rows])
    frozen, duplicate = (f for f in check(clip) if f.code != "constant")
    assert frozen.code == "frozen" and frozen.frames == tuple(range(40, 60)) and "frames 40-59" in frozen.sentence
    assert duplicate.code == "duplicate-frame" and rows[duplicate.frames[0]] == 99 and len(duplicate.frames) == 1
    still = with_values(SOUND, np.tile(np.array(SOUND.channels)[:1], (30, 1)))
    assert "nothing moves" in next(f for f in check(still) if f.code == "frozen").sentence


@pytest.mark.parametrize("joint", ["RightUpLeg", "LeftArm", "Spine", "Hips"])
@pytest.mark.parametrize("length", [1, 3, 6])
def test_spikes(joint: str, length: int) -> None:
    rotations = SOUND.rotations.copy()
    number = SKELETON.index(joint)
    rotations[80 : 80 + length, number] = multiply(rotations[80 : 80 + length, number], about_axis([0, 0, 1.0], 1.2))
    (finding,) = [f for f in check(SOUND.changed(rotations=rotations)) if f.code == "spike"]
    assert joint in finding.joints and joint in finding.sentence
    assert finding.frames == tuple(range(80, 80 + length))


def test_a_spike_of_the_root_s_place() -> None:
    root = SOUND.root.copy()
    root[100] += [0.6, 0.0, 0.0]
    assert [burst.joints for burst in spikes(SOUND.changed(root=root))] == [(len(SKELETON),)]
    assert codes(SOUND.changed(root=root)) == {"spike"}


def test_reach_is_the_longest_way_to_a_tip() -> None:
    reach = reaches(SKELETON) * leg_length(SKELETON)
    assert reach[SKELETON.index("LeftHand")] == pytest.approx(0.1)
    assert reach[SKELETON.index("LeftArm")] == pytest.approx(0.28 + 0.25 + 0.1)
    assert reach[SKELETON.index("Head")] == 0.0


def test_constant_dofs_are_a_note() -> None:
    (finding,) = [f for f in check(SOUND) if f.code == "constant"]
    still = np.ptp(np.array(SOUND.channels), axis=0) == 0
    assert finding.severity == "note" and finding.repair is None
    assert f"{still.sum()} of {still.size} channels" in finding.sentence
    assert "Head" in finding.joints and "LeftLeg" not in finding.joints
    (finding,) = [f for f in check(SOUND.changed(channels=None)) if f.code == "constant"]
    assert "Head" in finding.joints and "LeftLeg" not in finding.joints


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0])
def test_free_fall_tells_the_frame_rate(fps: float) -> None:
    clip = jump(fps)
    gravity = measured_gravity(clip)
    assert gravity == pytest.approx(9.81 * (fps / 60) ** 2, rel=0.02)
    found = [f for f in check(clip) if f.code == "fps"]
    if fps == 60.0:
        assert not found
    else:
        assert found[0].repair == "relabel-fps=60" and "60 fps would fit" in found[0].sentence
    assert measured_gravity(replace(clip, unit_m=None)) is None
    assert measured_gravity(SOUND) is None
    assert measured_gravity(with_up(clip, "z")) == pytest.approx(gravity)


def test_points() -> None:
    positions = np.random.default_rng(0).normal(size=(40, 3, 3))
    sound = PointClip(("a", "b", "c"), positions, 0.01, name="cloud")
    assert check(sound) == []
    torn = positions.copy()
    torn[3:7, 1] = np.nan
    torn[:, 2] = np.nan
    torn[20] = torn[19]
    unseen, gaps, twice = check(PointClip(("a", "b", "c"), torn, 0.01, name="cloud"))
    assert unseen.code == "unseen" and unseen.joints == ("c",)
    assert gaps.code == "gaps" and gaps.joints == ("b",) and gaps.frames == (3, 4, 5, 6) and "5 %" in gaps.sentence
    assert twice.code == "duplicate-frame" and twice.frames == (20,)


def test_strokes_meshes_arrays_and_others() -> None:
    assert check(Stroke(np.array([[0.0, 0], [1, 0], [1, 1]]), np.array([0.0, 1, 2]))) == []
    stroke = Stroke(np.array([[0.0, 0], [0, 0], [1, 1]]), np.array([0.0, 0.1, 0.5]), name="a")
    assert [f.code for f in check(stroke)] == ["resting", "uneven"]
    vertices = np.random.default_rng(0).normal(size=(4, 5, 3))
    vertices[2] = vertices[1]
    mesh = MeshSequence(vertices.astype(np.float32), np.array([[0, 1, 2], [1, 2, 3]], dtype=np.int32), 0.1)
    assert [f.code for f in check(mesh)] == ["duplicate-frame", "loose"]
    array = np.zeros((6, 2))
    assert check(array) == []
    array[4, 1] = np.nan
    (finding,) = check(array)
    assert finding.frames == (4,) and "(4, 1)" in finding.sentence
    with pytest.raises(UsageError, match="str"):
        check("walk.bvh")


def test_sets() -> None:
    other = replace(walk(steady(3.0, 170)), name="second")
    assert check_set([SOUND]) == [] and check_set([SOUND, other]) == []
    assert [f.code for f in check_set([SOUND, replace(other, frame_time=1 / 30)])] == ["rates"]
    copy = replace(SOUND, name="copy")
    (finding,) = check_set([SOUND, other, copy])
    assert finding.code == "duplicates" and "walk and copy" in finding.sentence
    names = tuple(name.replace("Spine", "Back") for name in SKELETON.names)
    strange = replace(other, skeleton=replace(SKELETON, names=names), channels=None)
    (finding,) = check_set([SOUND, strange])
    assert finding.code == "skeletons" and "Spine" in finding.sentence
    longer = Skeleton(SKELETON.names, SKELETON.parents, SKELETON.offsets * 1.1, SKELETON.end_sites)
    (finding,) = check_set([SOUND, replace(other, skeleton=longer, channels=None)])
    assert finding.code == "lengths" and finding.severity == "note"
    assert [f.code for f in check_set([SOUND, replace(other, up="z")])] == ["up"]
    stroke = Stroke(np.zeros((2, 2)), np.arange(2.0), name="a")
    assert [f.code for f in check_set([SOUND, stroke])] == ["kinds"]
    assert [f.code for f in check_set([stroke, replace(stroke, name="b")])] == ["duplicates"]


def test_words() -> None:
    assert frame_list([7]) == "frame 7"
    assert frame_list([3, 4, 5, 9]) == "frames 3-5 and 9"
    assert frame_list(range(0, 40, 2)) == "frames 0, 2, 4, 6 and 16 more"
    assert joined(["a", "b", "c"]) == "a, b and c"
    assert str(Finding("x", "a sentence")) == "a sentence"
    assert standing(np.array([0.0]))[0].all()


# ---------------------------------------------------------------------------------------------------- real motion


@pytest.mark.parametrize("path", [p for kind in CLEAN for p in data_files(f"{kind}/*.bvh")], ids=label)
def test_real_clean_clips_are_clean(path: Path) -> None:
    assert codes(ft.read(path, unit_m=UNIT)) == set()


@pytest.mark.parametrize(
    ("name", "code", "joints", "frames"),
    [
        ("cmu_35_04_original_120hz_tpose", "tpose", (), (0,)),
        ("gimbal_root", "gimbal", ("Hips",), None),
        ("wrap_thumb", "wrap", ("LThumb",), None),
        ("wrap_thumb", "flip", ("LeftFingerBase", "LThumb"), None),
        ("flip_arm", "flip", ("LeftArm",), (73,)),  # source frame 3050 = 2905 + 2 * 72.5
        ("spike", "spike", ("Hips", "LeftUpLeg", "RightUpLeg", "LowerBack"), (35, 36, 37)),
        ("spike", "wrap", ("LeftArm",), (50, 51)),
    ],
)
def test_real_trouble_is_found(data: Path, name: str, code: str, joints: tuple[str, ...], frames: object) -> None:
    (finding,) = [f for f in check(ft.read(data / f"quality/{name}.bvh")) if f.code == code]
    assert finding.joints == joints
    assert frames is None or finding.frames == frames
    assert name in finding.sentence and finding.repair is not None and finding.repair in finding.sentence


@pytest.mark.parametrize("path", data_files("jump/*.bvh"), ids=label)
def test_real_jumps_fall_as_things_do(path: Path) -> None:
    clip = ft.read(path, unit_m=UNIT)
    assert isinstance(clip, Clip)
    gravity = measured_gravity(clip)
    assert gravity is not None and 9.0 < gravity < 10.6
    for wrong in (120.0, 30.0):
        (finding,) = [f for f in check(replace(clip, frame_time=1 / wrong)) if f.code == "fps"]
        assert finding.repair == "relabel-fps=60"


def test_real_duplicates_among_strokes(data: Path) -> None:
    strokes = []
    for path in sorted((data / "quality/duplicate_strokes").glob("*.csv")):
        table = np.loadtxt(path, delimiter=",", skiprows=1)
        strokes.append(Stroke(table[:, 1:], table[:, 0], name=path.stem))
    (finding,) = check_set(strokes)
    assert finding.code == "duplicates" and "2_03 and 2_09" in finding.sentence


def test_real_duplicates_among_clips(data: Path) -> None:
    clips = [ft.read(data / f"{name}.bvh") for name in ("walk/walk_1", "walk_select/train_7", "walk/walk_2")]
    (finding,) = [f for f in check_set(clips) if f.code == "duplicates"]
    assert "walk_1 and train_7" in finding.sentence
