"""Steered characters: on their routes at every moment, apart from each other, feet on the ground."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from freshtake.crowd import Avoidance, Group, Placement, Plan, crowd_make, read_shard
from freshtake.crowd.folder import ROUTES
from freshtake.crowd.previewing import crowd_scene
from freshtake.crowd.routes import STEP
from freshtake.crowd.shards import clips_of
from freshtake.errors import UsageError
from freshtake.motion.body.orientation import facing
from freshtake.reports.viewport.crowd_picture import pose_of, track_of
from freshtake.reports.viewport.staging import standing


def crossing(walk: Path) -> Plan:
    """Six who would meet in the middle, and two who go around a corner."""
    groups = (
        Group(walk, "east", 0.375, heading=(90.0, 90.0), placement=Placement(spacing=0.9, center=(-3.0, 0.0))),
        Group(walk, "north", 0.375, size=(0.8, 0.8), placement=Placement(spacing=0.9, center=(0.0, -3.0))),
        Group(
            walk, "turning", 0.25, paths=(((6.0, 0.0), (6.0, 2.5), (9.0, 2.5)),),
            placement=Placement(spacing=1.5, center=(6.0, 0.0)),
        ),
    )  # fmt: skip
    return Plan(groups, 8, 4.0, fps=30.0, avoidance=Avoidance(0.25), shard_size=3)


@pytest.fixture(scope="module")
def made(walk: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("steered") / "crowd"
    crowd_make(crossing(walk), folder, workers=1)
    return folder


def test_bodies_are_where_their_routes_have_them_and_never_meet(made: Path) -> None:
    shards = [read_shard(path) for path in sorted(made.glob("shard_*.npz"))]
    roots = np.array([root[:, [0, 2]] for shard in shards for root in shard.roots])
    places = np.load(made / ROUTES)["places"]
    times, steps = np.arange(roots.shape[1]) / 30.0, STEP * np.arange(places.shape[1])
    wanted = np.array([[np.interp(times, steps, one[:, k]) for k in range(2)] for one in places]).transpose(0, 2, 1)
    assert np.linalg.norm(roots - wanted, axis=2).max() < 0.1
    straight = places[:6, :1] + 1.3 * times[:, None] * np.repeat([[[1, 0]], [[0, 0.8]]], 3, axis=0)
    assert min(pdist(at[:3]).min() for at in straight.transpose(1, 0, 2)) > 0.5  # of one group
    assert min(pdist(at).min() for at in straight.transpose(1, 0, 2)) < 0.3  # who would have met
    radii = np.array([0.25] * 3 + [0.2] * 3 + [0.25] * 2)
    least = (radii[:, None] + radii)[np.triu_indices(8, 1)]
    assert min((pdist(at) - least).min() for at in roots.transpose(1, 0, 2)) > -0.01


def test_feet_stand_and_bodies_face_where_they_go(made: Path) -> None:
    clips = [clip for path in sorted(made.glob("shard_*.npz")) for clip in clips_of(read_shard(path))]
    places = np.load(made / ROUTES)["places"]
    for clip, place in zip(clips, places, strict=True):
        stands = standing(clip)
        assert (stands == 2).sum() <= 0.1 * (stands > 0).sum()
        step = np.diff(place, axis=0) @ [1j, 1.0]  # heading 0 is along z
        angles = facing(clip)
        assert angles is not None
        off = np.angle(np.exp(1j * angles[::3]) / step[: len(angles[::3])])
        assert np.abs(off).mean() < 0.2
    assert abs(facing(clips[-1])[-10:].mean() - np.pi / 2) < 0.4  # type: ignore[index]  # round the corner, along x


def test_a_preview_has_everybody_on_their_own_route(made: Path) -> None:
    scene, _ = crowd_scene(made)
    roots = [root for path in sorted(made.glob("shard_*.npz")) for root in read_shard(path).roots]
    assert len(scene.placements) == 8 and set(scene.legend.values()) == {"east", "north", "turning"}
    for placed, root in zip(scene.placements, roots, strict=True):
        for frame in (0, 60, 120):
            np.testing.assert_allclose(pose_of(scene, placed, frame / 30.0)[0][[0, 2]], root[frame, [0, 2]], atol=1e-3)
        np.testing.assert_allclose(track_of(scene, placed)[:, [0, 2]], root[:, [0, 2]], atol=1e-3)


def test_every_part_follows_the_same_routes_whoever_plans_them(walk: Path, made: Path, tmp_path: Path) -> None:
    for part in (2, 3, 1):
        crowd_make(crossing(walk), tmp_path / "parts", part=(part, 3), workers=1)
        if part == 3:
            (tmp_path / "parts" / ROUTES).unlink()  # another machine replans
    for path in sorted(made.glob("*.npz")):
        assert (tmp_path / "parts" / path.name).read_bytes() == path.read_bytes()


def test_what_cannot_be_steered_is_one_sentence(walk: Path, tmp_path: Path) -> None:
    close = Plan((Group(walk),), 4, 1.0, placement=Placement(spacing=0.3), avoidance=Avoidance())
    with pytest.raises(UsageError, match=r"placement: characters 1 and 2 are 0\.3 m apart and could not avoid"):
        crowd_make(close, tmp_path / "crowd", workers=1)
    assert not (tmp_path / "crowd").exists()
    with pytest.raises(UsageError, match="use the mode unique, or leave out avoidance"):
        replace(close, mode="library")
