"""ASF and AMC against a slow forward kinematics written straight from the format's definition, and against BVH."""

from __future__ import annotations

import math
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import freshtake as ft
from freshtake.formats.asf import asf_skeleton
from freshtake.motion.edit import resample, take_frames
from freshtake.numeric.rotations import angle_between
from tests.conftest import data_files, label
from tests.formats.acclaim_files import Bone, Rig, amc_text, asf_text, assert_like_slow, made_up, store


@given(seed=st.integers(0, 2**32))
def test_made_up_files_move_as_the_definition_says(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    rig, frames, degrees = made_up(seed)
    path = store(tmp_path_factory.mktemp("acclaim"), asf_text(rig, seed), amc_text(frames, degrees, seed))
    clip = ft.read(path, fps=60)
    assert isinstance(clip, ft.Clip) and len(clip) == len(frames)
    assert_like_slow(clip, rig, frames, degrees)
    assert clip.skeleton.channel_count == sum(len(values) for values in frames[0].values())
    for joint, name in enumerate(clip.skeleton.names):
        limits = (clip.skeleton.limits or ())[joint]
        assert len(limits) in (0, len(clip.skeleton.channels[joint])), name


@given(seed=st.integers(0, 2**32))
def test_write_and_read_again_is_equal(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    rig, frames, degrees = made_up(seed)
    folder = tmp_path_factory.mktemp("acclaim")
    clip = ft.read(store(folder, asf_text(rig, seed), amc_text(frames, degrees, seed)), fps=60)
    ft.write(folder / "again.amc", clip)
    again = ft.read(folder / "again.amc", fps=60)
    assert again.skeleton == clip.skeleton
    np.testing.assert_array_equal(again.channels, clip.channels)
    np.testing.assert_array_equal(again.positions(), clip.positions())
    computed = clip.changed(rotations=clip.rotations)  # drops the file's numbers
    assert computed.channels is None
    ft.write(folder / "computed.amc", computed)
    back = ft.read(folder / "computed.amc", fps=60)
    assert angle_between(back.rotations, clip.rotations).max() < 1e-7
    np.testing.assert_allclose(back.positions(), clip.positions(), atol=1e-6)


def test_units_default_to_the_skeletons(tmp_path: Path) -> None:
    for seed in range(8):
        rig, frames, _ = made_up(seed)
        clip = ft.read(store(tmp_path, asf_text(rig, seed), amc_text(frames, None, seed)), fps=60)
        assert_like_slow(clip, rig, frames, rig.degrees)


# --- real files ------------------------------------------------------------------------------------------------------


def parsed_simply(asf: Path, amc: Path) -> tuple[Rig, list[dict[str, list[float]]]]:
    """CMU's own layout, line by line."""
    rig = Rig(True, ["tx", "ty", "tz", "rx", "ry", "rz"])
    bones: dict[str, Bone] = {}
    for line in asf.read_text().splitlines():
        words = line.split()
        match words[:1]:
            case ["name"]:
                bone = bones[words[1]] = Bone(words[1], [], 0.0, [], "", [])
            case ["direction"]:
                bone.direction = [float(w) for w in words[1:4]]
            case ["length"] if bones:
                bone.length = float(words[1])
            case ["axis"] if bones:
                bone.axis, bone.order = [float(w) for w in words[1:4]], words[4]
            case ["dof"]:
                bone.dofs = words[1:]
            case [name] if name in (*bones, "root") and len(words) > 1:
                for child in words[1:]:
                    bones[child].parent = name
                    rig.bones.append(bones[child])
    frames: list[dict[str, list[float]]] = []
    for line in amc.read_text().splitlines():
        words = line.split()
        if words and words[0].isdigit():
            frames.append({})
        elif frames:
            frames[-1][words[0]] = [float(w) for w in words[1:]]
    return rig, frames


def test_cmu_takes_against_the_slow_twin(data: Path) -> None:
    folder = data / "asfamc" / "cmu02"
    clip = ft.read(folder / "02_01.amc", skeleton=folder / "02.asf", fps=120)
    rig, frames = parsed_simply(folder / "02.asf", folder / "02_01.amc")
    assert clip.skeleton.channel_count == 62
    assert len(clip) == len(frames) == 343 and clip.fps == 120
    some = list(range(0, 343, 38))
    assert_like_slow(take_frames(clip, 0, None, 38), rig, [frames[k] for k in some], degrees=True)
    knee = sum(len(d) for d in clip.skeleton.channels[: clip.skeleton.index("ltibia")])
    assert clip.channels is not None
    assert clip.channels[:, knee].tolist() == [frame["ltibia"][0] for frame in frames]


def test_skeleton_of_cmu(data: Path) -> None:
    skeleton = asf_skeleton(asf := data / "asfamc" / "cmu02" / "02.asf", asf.read_text())[0]
    femur = skeleton.index("lfemur")
    assert skeleton.channels[0] == ("tx", "ty", "tz", "rx", "ry", "rz") and skeleton.orders[0] == "ZYX"
    assert (
        skeleton.channels[skeleton.index("lfoot")] == ("rx", "rz") and skeleton.orders[skeleton.index("lfoot")] == "ZX"
    )
    assert skeleton.limits is not None
    np.testing.assert_allclose(np.degrees(np.array(skeleton.limits[femur])), [[-160, 20], [-70, 70], [-60, 70]])
    rest = ft.read(data / "asfamc" / "cmu02" / "02.asf")
    assert isinstance(rest, ft.Clip) and len(rest) == 1 and "rest pose" in rest.provenance
    np.testing.assert_allclose(rest.positions()[0, femur], np.array([0.655637, -0.713449, 0.247245]) * 2.52691)


BVH_NAMES = {
    "root": "Hips", "lowerback": "LowerBack", "upperback": "Spine", "thorax": "Spine1", "lowerneck": "Neck",
    "upperneck": "Neck1", "head": "Head", "lclavicle": "LeftShoulder", "lhumerus": "LeftArm", "lradius": "LeftForeArm",
    "lwrist": "LeftHand", "lhand": "LeftFingerBase", "lfingers": "LeftHandIndex1", "lthumb": "LThumb",
    "rclavicle": "RightShoulder", "rhumerus": "RightArm", "rradius": "RightForeArm", "rwrist": "RightHand",
    "rhand": "RightFingerBase", "rfingers": "RightHandIndex1", "rthumb": "RThumb", "lhipjoint": "LHipJoint",
    "lfemur": "LeftUpLeg", "ltibia": "LeftLeg", "lfoot": "LeftFoot", "ltoes": "LeftToeBase", "rhipjoint": "RHipJoint",
    "rfemur": "RightUpLeg", "rtibia": "RightLeg", "rfoot": "RightFoot", "rtoes": "RightToeBase",
}  # fmt: skip
ABOVE_SPINE1 = ("neck", "head", "clavicle", "humerus", "radius", "wrist", "hand", "finger", "thumb")


@pytest.mark.parametrize("path", data_files("asfamc/[!c]*/*.amc") + data_files("asfamc/cheering/*.amc"), ids=label)
def test_amc_is_the_same_motion_as_its_bvh(path: Path, data: Path) -> None:
    """Angles agree to the four decimals that the files keep; positions up to Spine1, where the BVH lacks a bone."""
    clip = ft.read(path, fps=60)
    bvh = ft.read(data / path.parent.name / f"{path.stem}.bvh")
    assert isinstance(clip, ft.Clip) and isinstance(bvh, ft.Clip) and len(clip) == len(bvh)
    assert clip.skeleton.channel_count == 62
    ours = [clip.skeleton.index(name) for name in BVH_NAMES]
    theirs = [bvh.skeleton.index(name) for name in BVH_NAMES.values()]
    off = np.degrees(angle_between(clip.rotations[:, ours], bvh.rotations[:, theirs])).max(axis=0)
    assert off.max() < 3e-4, sorted(zip(off, BVH_NAMES, strict=True))[-1]
    low = [k for k, name in enumerate(BVH_NAMES) if not any(part in name for part in ABOVE_SPINE1)]
    assert len(low) == 14
    apart = np.abs(clip.positions()[:, ours] - bvh.positions()[:, theirs])[:, low]
    assert apart.max() < 1e-4


def test_edited_clips_can_still_be_written(data: Path, tmp_path: Path) -> None:
    asf = data / "asfamc" / "walk" / "35.asf"
    clip = ft.read(data / "asfamc" / "walk" / "walk_1.amc", fps=60)
    faster = resample(clip, 50)
    ft.write(tmp_path / "faster.amc", faster)
    back = ft.read(tmp_path / "faster.amc", fps=50, skeleton=asf)
    assert np.degrees(angle_between(back.rotations, faster.rotations).max()) < 0.5
    bent = clip.rotations.copy()
    bent[:, clip.skeleton.index("ltibia")] = np.sqrt([0.5, 0.0, 0.5, 0.0])
    with pytest.raises(ft.FormatError, match=r"'ltibia' turns by .* outside its Acclaim dofs"):
        ft.write(tmp_path / "bent.amc", clip.changed(rotations=bent))
    assert not (tmp_path / "bent.amc").exists()


@given(seed=st.integers(0, 2**32))
def test_as_bvh_the_motion_stays_the_same(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    rig, frames, degrees = made_up(seed)
    folder = tmp_path_factory.mktemp("acclaim")
    clip = ft.read(store(folder, asf_text(rig, seed), amc_text(frames, degrees, seed)), fps=60)
    ft.write(folder / "take.bvh", clip)
    bvh = ft.read(folder / "take.bvh")
    np.testing.assert_allclose(bvh.positions(), clip.positions(), atol=1e-6)
    np.testing.assert_allclose(bvh.end_positions(), clip.end_positions(), atol=1e-6)


# --- what is assumed, and what is refused ----------------------------------------------------------------------------

ASF = """:version 1.10
:name test
:units
  angle deg
:root
  order TX TY TZ RX RY RZ
  axis XYZ
  position 0 0 0
  orientation 0 0 0
:bonedata
  begin
    name hip
    direction 0 1 0
    length 2
    axis 0 0 20 XYZ
    dof rx ry
    limits (-10 10)
           (-20 20)
  end
  begin
    name tip
    direction 1 0 0
    length 1
    axis 0 0 0 XYZ
  end
:hierarchy
  begin
    root hip
    hip tip
  end
"""
AMC = ":FULLY-SPECIFIED\n:DEGREES\n1\nroot 0 1 2 3 4 5\nhip 6 7\n2\nroot 0 1 2 3 4 5\nhip 6 -1.6e-014\n"


def test_rate_is_120_with_one_warning_unless_said(tmp_path: Path) -> None:
    path = store(tmp_path, ASF, AMC)
    said: list[str] = []
    assert ft.read(path, warn=said.append).frame_time == 1 / 120
    assert len(said) == 1 and "--fps" in said[0]
    assert ft.read(path, fps=60, warn=pytest.fail).frame_time == 1 / 60
    path = store(tmp_path, ASF, AMC.replace(":DEGREES", ":DEGREES\n:SAMPLES-PER-SECOND 30"))
    assert ft.read(path, warn=pytest.fail).frame_time == 1 / 30


def test_limits_are_radians_for_turns_and_units_for_shifts(tmp_path: Path) -> None:
    path = tmp_path / "rig.asf"
    path.write_text(ASF.replace("dof rx ry", "dof tx ry").replace("(-20 20)", "(-inf 90)"))
    limits = asf_skeleton(path, path.read_text())[0].limits
    assert limits is not None
    assert limits[1] == ((-10.0, 10.0), (-math.inf, math.pi / 2)) and limits[0] == limits[2] == ()


def test_the_skeleton_is_the_only_one_of_the_folder(tmp_path: Path) -> None:
    path = store(tmp_path, ASF, AMC)
    (tmp_path / "rig.asf").rename(tmp_path / "RIG.ASF")
    assert len(ft.read(path, fps=60)) == 2
    (tmp_path / "other.asf").write_text(ASF)
    with pytest.raises(ft.FormatError, match=r"2 ASF files \(RIG.ASF, other.asf\).*--skeleton"):
        ft.read(path, fps=60)
    assert len(ft.read(path, fps=60, skeleton=tmp_path / "other.asf")) == 2
    for asf in tmp_path.glob("*.[aA][sS][fF]"):
        asf.unlink()
    with pytest.raises(ft.FormatError, match=r"no ASF file in its folder.*--skeleton"):
        ft.read(path, fps=60)


def test_only_acclaim_clips_are_written_as_amc(tmp_path: Path) -> None:
    skeleton = ft.Skeleton(("a",), np.array([-1]), np.zeros((1, 3)))
    still = ft.Clip(skeleton, 0.1, np.zeros((2, 3)), np.tile([1.0, 0, 0, 0], (2, 1, 1)))
    for motion in (still, ft.Stroke(np.zeros((2, 2)), np.arange(2.0))):
        with pytest.raises(ft.FormatError, match="needs a skeleton that was read from an ASF file"):
            ft.write(tmp_path / "x.amc", motion)
    assert not list(tmp_path.iterdir())


BROKEN_ASF = [
    (("order TX TY TZ RX RY RZ", "order TX RX RX"), "line 6: each dof of the root only once"),
    (("order TX TY TZ RX RY RZ", "order up"), "line 6: one of tx ty tz rx ry rz for the root was expected, not 'up'"),
    (("order TX TY TZ RX RY RZ\n", "\n"), "line 5: the root has no 'order'"),
    (("  position 0 0 0", "  position 0 0 nan"), "line 8: a number for the root's position was expected, not 'nan'"),
    (("  axis XYZ", "  axis XXZ"), "line 7: an order of three axes such as XYZ"),
    (("angle deg", "angle turns"), "line 4: deg or rad was expected, not 'turns'"),
    ((":hierarchy", ":hierarchie"), "the section :hierarchy was expected"),
    ((":bonedata", ":root\n order tx\n:bonedata"), "line 10: the section :root appears twice"),
    (("    length 2\n", ""), "line 11: bone 'hip' has no length"),
    (("    length 2\n", "    length -2\n"), "line 14: a length of 0 or more for bone 'hip'"),
    (("    length 2\n", "    length 1e999\n"), "line 14: a number for the length of bone 'hip'"),
    (("    direction 0 1 0", "    direction 0 1"), "line 14: a number for the direction of bone 'hip'"),
    (("    name hip\n", ""), "line 11: a bone has no name"),
    (("    name tip\n", "    name hip\n"), "two bones are named 'hip' (the first in line 11)"),
    (("    name tip\n", "    name root\n"), "a bone is named 'root'"),
    (("    dof rx ry", "    dof rx ry l"), "line 16: bone 'hip' may change its length (dof l)"),
    (("    dof rx ry", "    dof rx"), "line 11: bone 'hip' has 1 dofs, but its limits are 4 numbers"),
    (("(-10 10)", "(10 -10)"), "bone 'hip' has the lower limit 10 above its upper limit -10"),
    (("(-10 10)", "(-10 many)"), "line 17: a number for the limits of bone 'hip' was expected, not 'many'"),
    (("    hip tip\n", ""), "line 20: bone 'tip' is not connected to the root"),
    (("    hip tip\n", "    hip tip toe\n"), "line 29: there is no bone 'toe' in :bonedata"),
    (("    hip tip\n", "    tip hip\n"), "line 29: 'hip' already has a parent (in line 28)"),
    (("    root hip\n    hip tip\n", "    hip tip\n    tip hip\n"), "bone 'hip' is not connected to the root"),
    (("    hip tip\n", "    hip root\n"), "line 29: 'root' already has a parent"),
    (("  end\n:hierarchy", ":hierarchy"), "or end for bone 'tip' was expected, but the section ends there"),
    ((":version 1.10", "version 1.10"), "a keyword such as :version was expected, not 'version'"),
    (("    length 2\n", "    length 1e308\n    direction 1e308 1 1\n"), "a bone is too long"),
    (("    length 2\n", "    size 2\n"), "line 14: one of id, name, direction"),
]


@pytest.mark.parametrize(("change", "message"), BROKEN_ASF, ids=[message for _, message in BROKEN_ASF])
def test_broken_skeletons_are_refused_with_their_place(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    assert change[0] in ASF
    path = tmp_path / "broken.asf"
    path.write_text(ASF.replace(change[0], change[1], 1))
    with pytest.raises(ft.FormatError) as caught:
        ft.read(path)
    assert message in str(caught.value) and str(caught.value).startswith(f"{path}: ")


def test_a_chain_of_bones_beyond_all_measure_is_refused(tmp_path: Path) -> None:
    bones = "".join(f"begin name b{k} direction 1 0 0 length 1 end\n" for k in range(3000))
    links = "root b0\n" + "".join(f"b{k} b{k + 1}\n" for k in range(2999))
    path = tmp_path / "deep.asf"
    path.write_text(f":root order rx\n:bonedata\n{bones}:hierarchy\n{links}")
    with pytest.raises(ft.FormatError, match="line 503: bones are nested deeper than 500"):
        ft.read(path)


BROKEN_AMC = [
    (("hip 6 -1.6e-014\n", ""), "line 7: frame 2: joint 'hip' is missing"),
    (("hip 6 7\n", ""), "line 4: frame 1: joint 'hip' is missing"),
    (("hip 6 7\n", "hip 6 7 8\n"), "line 5: frame 1: joint 'hip' has 2 dofs, but 3 numbers in its line"),
    (("hip 6 7\n", "hip 6\n"), "line 5: frame 1: joint 'hip' has 2 dofs, but 1 numbers in its line"),
    (("hip 6 7\n", "hip 6 x\n"), "line 5: frame 1: joint 'hip' needs finite numbers, not 'x'"),
    (("hip 6 7\n", "hip 6 nan\n"), "not 'nan'"),
    (("hip 6 7\n", "hip 6 1_0\n"), "not '1_0'"),
    (("hip 6 7\n", "hip 6 1e999\n"), "not '1e999'"),
    (("hip 6 7\n", "hop 6 7\n"), "line 5: frame 1: 'hop' is not a joint with dofs in this skeleton"),
    (("hip 6 7\n", "tip\n"), "'tip' is not a joint with dofs"),
    (("hip 6 7\n", "root 6 7\n"), "line 5: frame 1: joint 'root' appears twice, while 'hip' is missing"),
    (("\n2\n", "\n3\n"), "line 6: the frame number 2 was expected, not '3': frames must follow"),
    (("\n1\n", "\n1.5\n"), "line 3: a frame number was expected, not '1.5'"),
    (("\n1\n", "\n"), "line 3: a frame number was expected, not 'root'"),
    ((AMC[25:], ""), "a frame number was expected after the header, but the file ends there"),
    (("-1.6e-014\n", ""), "line 8: frame 2: joint 'hip' has 2 dofs, but 1 numbers in its line"),
    ((":DEGREES", ":SAMPLES-PER-SECOND 0"), "line 2: a rate above 0"),
    (("root 0 1 2", "root 1e308 1e308 1e308"), ""),
]


@pytest.mark.parametrize(("change", "message"), BROKEN_AMC, ids=[message for _, message in BROKEN_AMC])
def test_broken_motion_is_refused_with_frame_and_line(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    assert change[0] in AMC
    asf = ASF.replace("orientation 0 0 0", "orientation 45 45 0") if not message else ASF
    path = store(tmp_path, asf, AMC.replace(change[0], change[1], 1))
    with pytest.raises(ft.FormatError) as caught:
        ft.read(path, fps=60)
    assert (message or "must be finite") in str(caught.value) and str(caught.value).startswith(f"{path}: ")


@given(st.data())
def test_no_damage_gets_past_the_readers(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """Any damage is read or refused by us; nothing else comes out."""
    folder = tmp_path_factory.mktemp("damaged")
    asf, amc = bytearray(ASF.encode()), bytearray(AMC.encode())
    for text in (asf, amc):
        for _ in range(data.draw(st.integers(0, 3))):
            place = data.draw(st.integers(0, len(text) - 1))
            text[place : place + data.draw(st.integers(0, 4))] = data.draw(st.binary(max_size=4))
    (folder / "rig.asf").write_bytes(asf)
    (folder / "take.amc").write_bytes(amc)
    for name in ("rig.asf", "take.amc"):
        with suppress(ft.FreshtakeError):
            ft.read(folder / name, fps=60, skeleton=folder / "rig.asf", warn=lambda _: None)
