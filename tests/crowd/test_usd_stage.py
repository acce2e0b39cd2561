"""A crowd as a USD stage: characters where the archive has them, one prototype, and no complaints from a validator."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from freshtake.crowd import Group, Plan, crowd_make, read_shard
from freshtake.crowd.shards import clips_of

pytest.importorskip("pxr")


@pytest.fixture(scope="module")
def folder(walk: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("usd")
    plan = Plan((Group(walk, size=(0.8, 1.2), heading=(30.0, 60.0)),), 3, 0.3, shard_size=2)
    for kind in ("usd", "npz"):
        crowd_make(plan, place / kind, format=kind, workers=1)
    return place


def test_characters_are_where_the_archive_has_them(folder: Path) -> None:
    from pxr import Usd, UsdGeom, UsdSkel

    stage = Usd.Stage.Open(str(folder / "usd" / "crowd.usda"))
    assert len(stage.GetPrototypes()) == 1
    roots = [prim for prim in stage.Traverse() if prim.IsA(UsdSkel.Root)]
    assert [prim.GetName() for prim in roots] == ["character_000001", "character_000002", "character_000003"]
    shards = [read_shard(path) for path in sorted((folder / "npz").glob("*.npz"))]
    frame = 5
    clips = [clip for shard in shards for clip in clips_of(shard)]
    for root, clip in zip(roots, clips, strict=True):
        below = Usd.PrimRange(root, Usd.TraverseInstanceProxies())
        skeleton = next(prim for prim in below if prim.IsA(UsdSkel.Skeleton))
        cache = UsdSkel.Cache()
        cache.Populate(UsdSkel.Root(root), Usd.TraverseInstanceProxies())
        query = cache.GetSkelQuery(UsdSkel.Skeleton(skeleton))
        local = np.array(query.ComputeJointSkelTransforms(frame))
        world = np.array(UsdGeom.XformCache(frame).GetLocalToWorldTransform(skeleton))
        np.testing.assert_allclose((local @ world)[:, 3, :3], clip.positions()[frame], atol=1e-4)


def test_the_stage_for_blender_has_no_instances(folder: Path) -> None:
    from pxr import Usd, UsdSkel

    stage = Usd.Stage.Open(str(folder / "usd" / "crowd_blender.usda"))
    assert stage.GetPrototypes() == [] and stage.GetTimeCodesPerSecond() == 60.0
    moved = [prim for prim in stage.Traverse() if prim.IsA(UsdSkel.Skeleton)]
    sources = [str(UsdSkel.BindingAPI(prim).GetInheritedAnimationSource().GetParent().GetName()) for prim in moved]
    assert sources == ["character_000001", "character_000002", "character_000003"]


def test_a_validator_finds_nothing(folder: Path) -> None:
    from pxr import Usd, UsdValidation

    every = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    for name in ("crowd.usda", "crowd_blender.usda"):
        found = UsdValidation.ValidationContext(every).Validate(Usd.Stage.Open(str(folder / "usd" / name)))
        assert [error.GetMessage() for error in found] == []


def test_the_same_crowd_has_the_same_bytes(walk: Path, folder: Path, tmp_path: Path) -> None:
    plan = Plan((Group(walk, size=(0.8, 1.2), heading=(30.0, 60.0)),), 3, 0.3, shard_size=2)
    crowd_make(plan, tmp_path / "again", format="usd", workers=1)
    for path in sorted((folder / "usd").glob("*.usd*")):
        assert (tmp_path / "again" / path.name).read_bytes() == path.read_bytes()
