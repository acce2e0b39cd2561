"""USD: clips survive, Pixar's own library finds joints and skin where they are, and its validators find no error."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freshtake as ft
from freshtake.formats import files, usd
from freshtake.formats.read_options import ReadOptions
from freshtake.formats.usd import writing
from freshtake.motion import Clip
from freshtake.motion.cycles.looping import with_root_motion
from freshtake.motion.edit import resample, with_up
from tests.formats.characters import skinned
from tests.formats.made_clips import fixed_layout, made_clip, moving_layout, odd_layout, usual_layout

pxr = pytest.importorskip("pxr")

LAYOUTS = {"usual": usual_layout(), "odd": odd_layout(), "six": moving_layout(), "fixed": fixed_layout()}


def troubles(path: Path) -> list[str]:
    """What the validators that come with USD say."""
    from pxr import Usd, UsdValidation

    every = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    assert len(every) > 20
    found = UsdValidation.ValidationContext(every).Validate(Usd.Stage.Open(str(path)))
    return [f"{error.GetName()}: {error.GetMessage()}" for error in found]


def stage_joints(path: Path, codes: np.ndarray) -> tuple[list[str], np.ndarray]:
    """Joint names and positions (codes, joints, 3) by UsdSkel's own queries."""
    from pxr import Usd, UsdGeom, UsdSkel

    stage = Usd.Stage.Open(str(path))
    skeleton = UsdSkel.Skeleton(stage.GetPrimAtPath("/Character/Skeleton"))
    cache = UsdSkel.Cache()
    root = UsdSkel.Root(stage.GetPrimAtPath("/Character"))
    cache.Populate(root, Usd.TraverseInstanceProxies())
    query = cache.GetSkelQuery(skeleton)
    out = []
    for code in codes:
        matrices = np.array(query.ComputeJointWorldTransforms(UsdGeom.XformCache(float(code))))
        out.append(matrices[:, 3, :3])
    return list(skeleton.GetJointNamesAttr().Get()), np.array(out)


def stage_vertices(path: Path, codes: np.ndarray) -> np.ndarray:
    """All points (codes, vertices, 3), baked by UsdSkel's own skinning, in the world."""
    from pxr import Gf, Usd, UsdGeom, UsdSkel

    stage = Usd.Stage.Open(str(path))
    assert UsdSkel.BakeSkinning(stage.Traverse(), Gf.Interval(float(codes[0]), float(codes[-1])))
    out = []
    for code in codes:
        cache, points = UsdGeom.XformCache(float(code)), []
        for prim in stage.Traverse():
            if prim.IsA(UsdGeom.Mesh):
                matrix = np.array(cache.GetLocalToWorldTransform(prim))
                own = np.array(UsdGeom.Mesh(prim).GetPointsAttr().Get(float(code)), dtype=float)
                points.append(own @ matrix[:3, :3] + matrix[3, :3])
        out.append(np.concatenate(points))
    return np.array(out)


@pytest.mark.parametrize(("name", "ending"), [*[(name, ".usda") for name in LAYOUTS], ("six", ".usd")])
def test_a_clip_survives(tmp_path: Path, name: str, ending: str) -> None:
    clip = made_clip(LAYOUTS[name]).changed(unit_m=0.0254, up="z", frame_time=1 / 29.97)
    ft.write(tmp_path / f"x{ending}", clip)
    found = ft.read(tmp_path / f"x{ending}")
    assert isinstance(found, Clip)
    assert found.skeleton == clip.skeleton
    assert (found.name, found.up, found.unit_m, found.frame_time) == (clip.name, "z", 0.0254, clip.frame_time)
    np.testing.assert_allclose(found.root, clip.root, rtol=1e-6)
    assert (found.joint_translations is None) == (clip.joint_translations is None)
    np.testing.assert_allclose(found.positions(), clip.positions(), rtol=0, atol=1e-6 * np.ptp(clip.positions()))
    assert troubles(tmp_path / f"x{ending}") == []


def test_pixars_own_library_finds_the_joints(tmp_path: Path) -> None:
    clip = made_clip(usual_layout())
    ft.write(tmp_path / "x.usda", clip, unit_m=0.05)
    names, places = stage_joints(tmp_path / "x.usda", np.arange(len(clip)))
    assert tuple(names) == clip.skeleton.names
    np.testing.assert_allclose(places, clip.positions(), rtol=0, atol=1e-5)


def test_an_animation_is_complete_by_itself(tmp_path: Path) -> None:
    """Travel is on the root joint: programs that move an animation to another character keep it."""
    from pxr import Usd, UsdGeom, UsdSkel

    clip = made_clip(usual_layout())
    ft.write(tmp_path / "x.usda", clip, unit_m=0.05)
    stage = Usd.Stage.Open(str(tmp_path / "x.usda"))
    animation = UsdSkel.Animation(stage.GetPrimAtPath("/Character/Animations/made"))
    places = np.array([animation.GetTranslationsAttr().Get(float(k)) for k in range(len(clip))])
    np.testing.assert_allclose(places[:, 0], clip.root, rtol=1e-6)
    np.testing.assert_array_equal(places[:, 1:], np.repeat(places[:1, 1:], len(clip), axis=0))
    assert UsdGeom.Xformable(stage.GetPrimAtPath("/Character")).GetTimeSamples() == []
    assert stage.GetEndTimeCode() == len(clip) - 1


@pytest.mark.parametrize(
    ("frame_time", "rate"), [(0.0166666667, 60.0), (1 / 59.99999988, 60.0), (0.033333, 30.0), (1 / 49, 49.0)]
)
def test_time_codes_are_frames_of_the_rate_that_was_meant(tmp_path: Path, frame_time: float, rate: float) -> None:
    from pxr import Usd

    clips = [made_clip(usual_layout(), seed=k).changed(name=f"t{k}", frame_time=frame_time) for k in (1, 2)]
    ft.write(tmp_path / "x.usda", clips, unit_m=0.05)
    stage = Usd.Stage.Open(str(tmp_path / "x.usda"))
    assert stage.GetTimeCodesPerSecond() == stage.GetFramesPerSecond() == rate
    for name in ("t1", "t2"):
        codes = stage.GetPrimAtPath(f"/Character/Animations/{name}").GetAttribute("rotations").GetTimeSamples()
        assert codes == list(range(len(clips[0])))


def test_joint_names_that_usd_cannot_hold_are_kept_beside_the_paths(tmp_path: Path) -> None:
    from dataclasses import replace

    from pxr import Usd, UsdSkel

    clip = made_clip(usual_layout())
    names = tuple(f"rig:{'ä ' * (k % 2)}joint.{k // 2}" for k in range(len(clip.skeleton)))
    ft.write(tmp_path / "x.usda", clip.changed(skeleton=replace(clip.skeleton, names=names)), unit_m=0.05)
    found = ft.read(tmp_path / "x.usda")
    assert isinstance(found, Clip) and found.skeleton.names == names
    stage = Usd.Stage.Open(str(tmp_path / "x.usda"))
    skeleton = UsdSkel.Skeleton(stage.GetPrimAtPath("/Character/Skeleton"))
    paths = [str(path).rpartition("/")[2] for path in skeleton.GetJointsAttr().Get()]
    assert len(set(paths)) == len(paths) == len(skeleton.GetJointNamesAttr().Get())


def test_every_take_moves_a_skeleton(tmp_path: Path) -> None:
    """Programs that ignore variants (Blender) find every other take below /Takes, with the same joints."""
    from pxr import Usd, UsdSkel

    clips = [made_clip(usual_layout(), seed=k).changed(name=f"t{k}", unit_m=0.05) for k in (1, 2, 3)]
    ft.write(tmp_path / "x.usda", clips)
    stage = Usd.Stage.Open(str(tmp_path / "x.usda"))
    skeletons = [prim for prim in stage.Traverse() if prim.IsA(UsdSkel.Skeleton)]
    sources = [UsdSkel.BindingAPI(prim).GetInheritedAnimationSource().GetName() for prim in skeletons]
    assert sources == ["t1", "t2", "t3"]
    assert len({str(UsdSkel.Skeleton(prim).GetJointsAttr().Get()) for prim in skeletons}) == 1


def test_several_clips_are_animations_that_a_variant_chooses(tmp_path: Path) -> None:
    seeds = {"walk": 3, "a run!": 4, "idle": 5}
    clips = [made_clip(usual_layout(), frames=6 + s, seed=s).changed(name=n, unit_m=0.05) for n, s in seeds.items()]
    clips[1] = resample(clips[1], 24.0)
    ft.write(tmp_path / "x.usda", clips)
    assert troubles(tmp_path / "x.usda") == []
    found = usd.read_animations(tmp_path / "x.usda")
    assert [clip.name for clip in found] == list(seeds)
    for clip, other in zip(clips, found, strict=True):
        assert other.frame_time == clip.frame_time
        np.testing.assert_allclose(other.positions(), clip.positions(), rtol=0, atol=1e-5)
    one = ft.read(tmp_path / "x.usda", animation="a run!")
    assert len(one) == len(clips[1])
    with pytest.warns(UserWarning, match="only the first animation is read"):
        assert ft.read(tmp_path / "x.usda").name == "walk"
    with pytest.raises(ft.FormatError, match="no animation 'sit'; the animations are 0 'walk'"):
        ft.read(tmp_path / "x.usda", animation="sit")


def test_clips_of_other_units_and_axes_follow_the_first(tmp_path: Path) -> None:
    first = made_clip(usual_layout()).changed(unit_m=0.01, name="a")
    other = with_up(first.changed(name="b"), "z")
    ft.write(tmp_path / "x.usda", [first, other])
    for clip in usd.read_animations(tmp_path / "x.usda"):
        assert (clip.up, clip.unit_m) == ("y", 0.01)
        np.testing.assert_allclose(clip.positions(), first.positions(), rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    "shape",
    [
        {},
        {"bent": True, "prop": True, "armature": {"scale": [0.1] * 3, "rotation": [0.5, 0.5, 0.5, 0.5]}},
    ],
    ids=["plain", "scaled"],
)
def test_the_skin_of_a_character_moves_as_in_its_own_file(tmp_path: Path, shape: dict[str, Any]) -> None:
    source = skinned(**shape).save(tmp_path / "hero.glb")
    clip, mesh = ft.read(source), ft.read(source, mesh=True)
    assert isinstance(clip, Clip) and isinstance(mesh, ft.MeshSequence)
    ft.write(tmp_path / "x.usda", [clip, clip], character=source)
    assert troubles(tmp_path / "x.usda") == []
    found = stage_vertices(tmp_path / "x.usda", np.arange(len(clip)))
    np.testing.assert_allclose(found, mesh.vertices, rtol=0, atol=1e-5 * np.ptp(mesh.vertices))
    again = ft.read(tmp_path / "x.usda", animation=0)
    assert isinstance(again, Clip)
    np.testing.assert_allclose(again.positions(), clip.positions(), rtol=0, atol=1e-5)


def test_loops_and_clips_in_place_say_how_they_are_played(tmp_path: Path) -> None:
    clip = with_root_motion(made_clip(usual_layout()).changed(unit_m=1.0), "none")
    ft.write(tmp_path / "x.usda", clip)
    assert ft.read(tmp_path / "x.usda").playback == clip.playback  # type: ignore[union-attr]


FOREIGN = """#usda 1.0
(
    metersPerUnit = 0.01
    upAxis = "Z"
    timeCodesPerSecond = 24
)
def Xform "Set" {
    double3 xformOp:scale = (2, 2, 2)
    double3 xformOp:translate = (1, 2, 3)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]
    def SkelRoot "Body" (prepend apiSchemas = ["SkelBindingAPI"]) {
        rel skel:animationSource = </Set/Body/Move>
        def Skeleton "Bones" (prepend apiSchemas = ["SkelBindingAPI"]) {
            uniform token[] joints = ["hip", "hip/knee", "hip/knee/foot"]
            uniform matrix4d[] bindTransforms = [
                ((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,5,1)), ((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,3,1)),
                ((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,1,0,1))]
        }
        def SkelAnimation "Move" {
            uniform token[] joints = ["hip/knee", "hip"]
            float3[] translations.timeSamples = { 2: [(0,0,-2),(0,0,5)], 4: [(0,0,-2),(2,0,5)] }
            quatf[] rotations.timeSamples = { 2: [(1,0,0,0),(1,0,0,0)], 4: [(0.70710678,0,0,0.70710678),(1,0,0,0)] }
            half3[] scales = [(1,1,1),(1,1,1)]
        }
    }
}
"""


def test_files_of_others_are_read_through_everything_above_the_skeleton(tmp_path: Path) -> None:
    (tmp_path / "x.usda").write_text(FOREIGN)
    clip = usd.read(tmp_path / "x.usda", ReadOptions())
    assert (clip.skeleton.names, clip.up, clip.unit_m) == (("hip", "knee", "foot"), "z", 0.01)
    assert len(clip) == 2 and clip.frame_time == pytest.approx(2 / 24)
    np.testing.assert_allclose(clip.positions()[0], [[1, 2, 13], [1, 2, 9], [1, 4, 3]], atol=1e-6)
    np.testing.assert_allclose(clip.positions()[1], [[5, 2, 13], [5, 2, 9], [3, 2, 3]], atol=1e-6)
    finer = usd.read(tmp_path / "x.usda", ReadOptions(fps=24))
    assert len(finer) == 3
    np.testing.assert_allclose(finer.positions()[1, 0], [3, 2, 13], atol=1e-6)


def test_bind_transforms_that_are_not_finite_are_refused(tmp_path: Path) -> None:
    """The inversion of an infinite one once never ended; NaN ends either way."""
    from pxr import Gf, Usd, UsdSkel

    stage = Usd.Stage.CreateNew(str(tmp_path / "bad.usda"))
    UsdSkel.Root.Define(stage, "/R")
    skeleton = UsdSkel.Skeleton.Define(stage, "/R/S")
    skeleton.CreateJointsAttr(["a", "a/b"])
    skeleton.CreateBindTransformsAttr([Gf.Matrix4d(np.nan), Gf.Matrix4d(1.0)])
    stage.Save()
    with pytest.raises(ft.FormatError, match="/R/S: a bind transform is not finite: export the character again"):
        ft.read(tmp_path / "bad.usda")


def test_references_lead_nowhere_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(files.APART, "1")  # saves a process for each file
    (tmp_path / "out.usda").write_text(FOREIGN)
    inside = tmp_path / "in"
    inside.mkdir()
    text = '#usda 1.0\ndef "A" (references = @{}@</Set>) {{}}\n'
    for where, says in (
        ("../out.usda", "leads out of the file's folder"),
        (str(tmp_path / "out.usda"), "leads out of the file's folder"),
        ("http://example.org/x.usda", "leads out|no such file"),
        ("gone.usda", "no such file"),
    ):
        (inside / "x.usda").write_text(text.format(where))
        with pytest.raises(ft.FormatError, match=says):
            ft.read(inside / "x.usda")
    (inside / "near.usda").write_text(FOREIGN)
    (inside / "y.usda").write_text(text.format("near.usda"))
    assert len(ft.read(inside / "y.usda")) == 2


def test_without_the_extra_one_sentence_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writing.pxr.cache_clear()
    for name in ("pxr", *[f"pxr.{module}" for module in writing._MODULES]):
        monkeypatch.setitem(sys.modules, name, None)
    (tmp_path / "x.usda").write_text(FOREIGN)
    for act in (
        lambda: ft.read(tmp_path / "x.usda"),
        lambda: ft.write(tmp_path / "y.usda", made_clip(usual_layout()), unit_m=1.0),
    ):
        with pytest.raises(ft.FreshtakeError, match=r"pip install 'freshtake\[usd\]'"):
            act()
    writing.pxr.cache_clear()


def test_a_binary_file_that_ends_the_library_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ft.write(tmp_path / "x.usdc", made_clip(usual_layout()), unit_m=1.0)
    ft.write(tmp_path / "x.usda", made_clip(usual_layout()), unit_m=1.0)
    monkeypatch.setattr(files, "_TRIAL", "import os; os.abort()")
    with pytest.raises(ft.FormatError, match="the file is damaged"):
        ft.read(tmp_path / "x.usdc")
    assert len(ft.read(tmp_path / "x.usda")) == 12  # text is read by itself
    monkeypatch.setattr(files, "_TRIAL", "import time; time.sleep(9)")
    monkeypatch.setattr(files, "_LONGEST", 0.1)
    with pytest.raises(ft.FormatError, match="cannot be read within"):
        ft.read(tmp_path / "x.usdc")


def test_nothing_is_left_where_writing_fails(tmp_path: Path) -> None:
    huge = made_clip(usual_layout()).changed(root=np.full((12, 3), 1e35), unit_m=1.0)
    with pytest.raises(ft.FormatError, match="single precision"):
        ft.write(tmp_path / "x.usda", huge)
    with pytest.raises(ft.FormatError, match="USD is written for clips with a skeleton"):
        ft.write(tmp_path / "x.usda", ft.Stroke(np.zeros((2, 2)), np.arange(2.0)))
    (tmp_path / "x.usda").mkdir()
    with pytest.raises(ft.FormatError, match="folder of this name"):
        ft.write(tmp_path / "x.usda", made_clip(usual_layout()), unit_m=1.0)
    assert [path.name for path in tmp_path.iterdir()] == ["x.usda"]
