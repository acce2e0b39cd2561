"""Crowds on skinned characters: the same motions on another body, in files for film and for engines."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.cli.entry import run
from freshtake.crowd import Avoidance, Group, Plan, crowd_make, read_shard
from freshtake.crowd.bone_textures import crowd_textures
from freshtake.crowd.folder import ROUTES
from freshtake.crowd.routes import STEP
from freshtake.crowd.shards import clips_of
from freshtake.motion.body.roles import leg_length, pelvis
from freshtake.motion.body.rooting import as_filed
from freshtake.motion.edit import scaled
from freshtake.motion.verdict import RED, assess, standard_of
from freshtake.requests import CrowdTextures
from freshtake.samples.rigs import rig
from tests.motion.rigs import RIGS

SECONDS = 0.6


@pytest.fixture(scope="module")
def hero(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A skinned body whose hips travel below a joint that stays still, with shorter legs than the walk's."""
    path = tmp_path_factory.mktemp("hero") / "hero.glb"
    ft.write(path, rig("vrm"))
    return path


def plan_of(walk: Path, hero: Path) -> Plan:
    groups = (
        Group(walk, "big", 0.5, size=(1.2, 1.2), character=hero),
        Group(walk, "small", 0.5, size=(0.8, 0.8), character=hero),
    )
    return Plan(groups, 4, SECONDS, avoidance=Avoidance(0.25), fps=30.0)


@pytest.fixture(scope="module")
def made(walk: Path, hero: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("characters") / "npz"
    crowd_make(plan_of(walk, hero), folder, workers=1)
    return folder


def test_characters_walk_their_ways_as_their_legs_allow(made: Path, walk: Path) -> None:
    places = np.load(made / ROUTES)["places"]
    clips = [clip for path in sorted(made.glob("shard_*.npz")) for clip in clips_of(read_shard(path))]
    assert "J_Bip_C_Hips" in clips[0].skeleton.names and len(clips) == 4
    for clip, place in zip(clips, places, strict=True):
        hips = clip.positions()[:, pelvis(clip.skeleton)][:, [0, 2]]
        times = np.arange(len(clip)) / 30.0
        wanted = np.stack([np.interp(times, STEP * np.arange(len(place)), place[:, k]) for k in range(2)], axis=1)
        assert np.linalg.norm(hips - wanted, axis=1).max() < 0.1
    big, small = (np.linalg.norm(places[k, 1] - places[k, 0]) for k in (0, 3))
    assert 1.3 < big / small < 1.6  # those behind are slowed down a little
    assert leg_length(clips[0].skeleton) / leg_length(clips[3].skeleton) == pytest.approx(1.5)
    feet = clips[0].positions()[:, [clips[0].skeleton.index(f"J_Bip_{side}_ToeBase") for side in "LR"], 1]
    assert abs(feet.min()) < 0.06


def test_a_stage_has_one_prototype_for_all_who_share_a_character(
    made: Path, walk: Path, hero: Path, tmp_path: Path
) -> None:
    pytest.importorskip("pxr")
    from pxr import Usd, UsdGeom, UsdSkel, UsdValidation

    crowd_make(plan_of(walk, hero), tmp_path / "usd", format="usd", workers=1)
    stage = Usd.Stage.Open(str(tmp_path / "usd" / "crowd.usda"))
    assert len(stage.GetPrototypes()) == 1
    every = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    assert [error.GetMessage() for error in UsdValidation.ValidationContext(every).Validate(stage)] == []
    roots = [prim for prim in stage.Traverse() if prim.IsA(UsdSkel.Root)]
    clips = [clip for path in sorted(made.glob("shard_*.npz")) for clip in clips_of(read_shard(path))]
    frame = 7
    for root, clip in zip(roots, clips, strict=True):
        below = list(Usd.PrimRange(root, Usd.TraverseInstanceProxies()))
        skeleton = next(prim for prim in below if prim.IsA(UsdSkel.Skeleton))
        assert any(prim.IsA(UsdGeom.Mesh) for prim in below)
        cache = UsdSkel.Cache()
        cache.Populate(UsdSkel.Root(root), Usd.TraverseInstanceProxies())
        query = cache.GetSkelQuery(UsdSkel.Skeleton(skeleton))
        world = np.array(UsdGeom.XformCache(frame).GetLocalToWorldTransform(skeleton))
        found = (np.array(query.ComputeJointSkelTransforms(frame)) @ world)[:, 3, :3]
        names = [path.rpartition("/")[2] for path in query.GetJointOrder()]
        order = [clip.skeleton.names.index(name) for name in names]
        np.testing.assert_allclose(found, clip.positions()[frame, order], atol=1e-4)


def test_textures_are_refused_since_the_skin_has_a_bind_pose(made: Path, tmp_path: Path) -> None:
    with pytest.raises(ft.FormatError, match="make the crowd without a character"):
        crowd_textures(CrowdTextures(folder=made, out=tmp_path / "textures"))
    assert not (tmp_path / "textures").exists()


@pytest.mark.parametrize("ending", ["glb", "fbx"])
def test_a_library_is_one_skinned_file_for_engines(walk: Path, hero: Path, tmp_path: Path, ending: str) -> None:
    words = ["crowd", str(walk), "-n", "5", "--seconds", "1", "--mode", "library", "--variants", "2"]
    words += ["--character", str(hero), "--format", ending, "-o", str(tmp_path / "crowd"), "--workers", "1"]
    assert run(words) == 0
    path = tmp_path / "crowd" / f"shard_000001.{ending}"
    if ending == "glb":
        clips = ft.formats.gltf.read_animations(path)
        assert [clip.name for clip in clips] == ["character_000001", "character_000002"]
        mesh = ft.read(path, mesh=True, warn=lambda message: None)
        assert isinstance(mesh, ft.MeshSequence) and mesh.faces.size > 0
    assert path.stat().st_size > 10_000


def test_what_is_no_character_is_one_sentence(
    walk: Path, hero: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken.glb").write_bytes(hero.read_bytes()[:300])
    words = ["crowd", str(walk), "-n", "2", "-o", str(tmp_path / "crowd")]
    for more, sentence in (
        (["--character", str(tmp_path / "nobody.glb")], "nobody.glb: there is no such file"),
        (["--character", str(tmp_path / "broken.glb")], "broken.glb"),
        (["--format", "fbx"], "fbx files contain a library: add --mode library"),
    ):
        assert run([*words, *more]) == 2
        said = capsys.readouterr().err
        assert sentence in said and len(said.splitlines()) == 1
    assert not (tmp_path / "crowd").exists()
    with pytest.raises(ft.UsageError, match="a library cannot be a USD stage"):
        crowd_make(replace(Plan((Group(walk),)), mode="library"), tmp_path / "crowd", format="usd")


@pytest.mark.parametrize("name", ["root motion", "root motion, z up", "static root"])
def test_what_a_body_hangs_on_is_in_metres_with_it(name: str, tmp_path: Path) -> None:
    takes = []
    for k in range(2):
        take = tmp_path / f"take_{k}.bvh"
        ft.write(
            take, scaled(RIGS[name](ft.samples.walk(np.random.default_rng(k), turn_rate=40.0)), 10.0)
        )  # millimetres
        takes.append(ft.read_clip(take))
    model = tmp_path / "walk.ftm"
    ft.save(model, ft.variation.learn(takes, rng=np.random.default_rng(0), cyclic=True))
    folder = tmp_path / "crowd"
    crowd_make(
        Plan((Group(model, "all", 1.0, size=(0.9, 1.1)),), 2, SECONDS, fps=30.0), folder, workers=1, format="bvh"
    )
    files = sorted(folder.rglob("*.bvh"))
    assert len(files) == 2
    for path in files:
        clip = ft.read_clip(path)
        assert assess(clip, standard_of(takes), name=path.name).color != RED
        filed = as_filed(clip).positions()
        assert np.abs(filed[:, 0, 1]).max() < 1e-3  # metres: it stands on the floor
        stands = filed[:, 0] if name == "static root" else filed[:, 0] - filed[:, 1]
        assert np.linalg.norm(stands[:, [0, 2]], axis=1).max() < 0.6  # from the origin; or travels below the hips
        assert 0.7 < filed[:, 1, 1].min() <= filed[:, 1, 1].max() < 1.2
