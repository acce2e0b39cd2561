"""The sample flag: known rank, right normals, and poses that recur at irregular times."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from freshtake import samples
from freshtake.errors import UsageError
from freshtake.motion.kinds import vertex_normals
from freshtake.samples.shapes import MODES, SLOWLY, UNSTEADY, WAVES, grid_faces, mode_shapes, mode_weights, rest_shape


def rng(seed: int = 3) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_the_flag_has_exactly_the_rank_it_says() -> None:
    mesh = samples.flag(rng(), frames=200, columns=21, rows=13)
    moved = (mesh.vertices - rest_shape(21, 13)).reshape(200, -1).astype(np.float64)
    sizes = np.linalg.svd(moved, compute_uv=False)
    assert sizes[MODES - 1] > 1e3 * sizes[MODES]
    assert sizes[MODES] < 1e-4  # what float32 leaves


def test_normals_against_triangles() -> None:
    mesh = samples.flag(rng(), frames=20)
    assert mesh.normals is not None
    inner = np.zeros((33, 49), dtype=bool)
    inner[1:-1, 1:-1] = True
    cosine = (mesh.normals * vertex_normals(mesh)).sum(axis=-1)
    assert np.degrees(np.arccos(cosine[:, inner.ravel()].clip(-1, 1))).max() < 0.5
    assert np.degrees(np.arccos(cosine.clip(-1, 1))).max() < 6.0  # one-sided at the edges
    assert np.allclose(np.linalg.norm(mesh.normals, axis=-1), 1.0, atol=1e-6)


def test_tangents_against_differences() -> None:
    shapes, by_x, by_y = mode_shapes(401, 301)
    grid = shapes.reshape(MODES, 301, 401, 3)
    for axis, exact in ((2, by_x), (1, by_y)):
        step = 1.5 / 400 if axis == 2 else 1.0 / 300
        slow = np.gradient(grid, step, axis=axis)[:, 1:-1, 5:-1]
        assert np.abs(slow - exact.reshape(grid.shape)[:, 1:-1, 5:-1]).max() < 2e-3


def test_the_pole_holds_the_flag_and_the_faces_cover_it() -> None:
    mesh = samples.flag(rng(), frames=30, columns=7, rows=5)
    pole = np.arange(5) * 7
    assert np.array_equal(mesh.vertices[:, pole], np.broadcast_to(mesh.vertices[0, pole], (30, 5, 3)))
    faces = grid_faces(7, 5)
    edges = {tuple(sorted(e)) for f in faces.tolist() for e in ((f[0], f[1]), (f[1], f[2]), (f[2], f[0]))}
    assert 35 - len(edges) + len(faces) == 1  # Euler's number of a disc
    assert len(set(map(tuple, faces.tolist()))) == 2 * 6 * 4
    rest = rest_shape(7, 5)
    areas = np.cross(rest[faces[:, 1]] - rest[faces[:, 0]], rest[faces[:, 2]] - rest[faces[:, 0]])[:, 2] / 2
    assert (areas > 0).all() and areas.sum() == pytest.approx(1.5)
    assert np.array_equal(mesh.attributes["uv"][[0, -1]], [[0, 0], [1, 1]])


def test_the_weights_follow_their_law() -> None:
    times = np.arange(0.0, 20.0, 0.02)
    source = rng()
    swells, rates = [], []
    for _ in range(200):
        pairs = mode_weights(source, times).reshape(len(times), len(WAVES), 2)
        swells.append(np.log(np.linalg.norm(pairs, axis=-1)))
        phase = np.unwrap(np.arctan2(pairs[..., 1], pairs[..., 0]), axis=0)
        rates.append(np.diff(phase, axis=0) / (2 * np.pi * 0.02 * np.array([wave.rate for wave in WAVES])))
    independent = 200 * 20.0 / (2.5 * SLOWLY)  # correlation times among all takes, roughly
    for values, mean in ((np.array(swells), 0.0), (np.array(rates), 1.0)):
        assert np.abs(values.mean(axis=(0, 1)) - mean).max() < 5 * UNSTEADY / np.sqrt(independent)
        assert np.abs(values.std(axis=(0, 1)) / UNSTEADY - 1).max() < 5 / np.sqrt(2 * independent)
    assert np.ptp(np.linalg.norm(mode_weights(source, times, 0.0).reshape(-1, 2), axis=1)) < 1e-12


def test_poses_recur_at_irregular_times() -> None:
    source = rng()
    times = np.arange(3600) / 60.0
    swings = np.repeat([wave.amplitude for wave in WAVES], 2)
    poses = mode_weights(source, times) * swings
    step = np.linalg.norm(np.diff(poses, axis=0), axis=1).mean()
    apart = cdist(poses, poses) / step
    far = np.abs(np.subtract.outer(np.arange(3600), np.arange(3600))) > 30
    nearest = np.where(far, apart, np.inf).min(axis=1)
    assert np.median(nearest) < 2.0  # as near as two successive frames or little more
    assert np.median(apart) > 10.0
    back = np.flatnonzero(far[1000] & (apart[1000] < 8.0))
    gaps = np.diff(back)[np.diff(back) > 10] / 60.0
    assert len(gaps) >= 3 and gaps.std() > 0.1 * gaps.mean()


def test_another_rate_shows_the_same_flag() -> None:
    fine, coarse = samples.flag(rng(), frames=21, fps=60.0), samples.flag(rng(), frames=11, fps=30.0)
    assert np.allclose(fine.vertices[::2], coarse.vertices, atol=1e-6)
    assert fine.fps == 60.0 and fine.unit_m == 1.0 and fine.vertices.shape == (21, 1617, 3)


@pytest.mark.parametrize("wrong", [{"frames": 0}, {"columns": 1}, {"rows": 1}, {"fps": 0.0}, {"fps": float("nan")}])
def test_impossible_flags_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="a flag needs"):
        samples.flag(rng(), **wrong)
