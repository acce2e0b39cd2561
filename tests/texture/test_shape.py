"""Compression: restored frames, separate scaling and modes of attributes, parts, quantized modes, errors."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from freshtake.errors import UsageError
from freshtake.numeric.arrays import Floats
from freshtake.texture import Settings, learn
from freshtake.texture.examples import material_of
from freshtake.texture.mesh_compression import (
    compress,
    eigenvalues,
    fidelity_table,
    position_error,
    printed_position_error,
    printed_velocity_error,
    velocity_error,
)
from freshtake.texture.shape import like_rows, products
from tests.texture.made import sheet


def _columns(mesh, settings: Settings):
    material = material_of(mesh, settings)
    assert material.recipe is not None
    return material.rows[:, 3:], material.recipe.layout


@pytest.mark.parametrize("frames", [1, 3, 4, 9])
@pytest.mark.parametrize("modes", [4, 8])
def test_products_equal_a_plain_product(frames: int, modes: int) -> None:
    rng = np.random.default_rng(frames)
    w, m = rng.normal(size=(frames // 4 * 4, modes)).astype("f4"), rng.normal(size=(modes, 2500)).astype("f4")
    out = np.full((len(w), 2500), np.nan, dtype=np.float32)
    products(w, m, out)
    np.testing.assert_allclose(out, w @ m, rtol=1e-4, atol=1e-5)


def test_restored_frames_are_mean_plus_weighted_modes() -> None:
    columns, layout = _columns(sheet(), Settings())
    shape, _ = compress(columns, layout, Settings(components=3, bits=0))
    (group,) = shape.groups
    w = np.random.default_rng(0).normal(size=(21, 3))
    expected = w @ group.modes.astype(float) + group.mean
    np.testing.assert_allclose(shape.restore(w), expected, atol=1e-5)
    out = np.empty((32, shape.columns), dtype=np.float32)
    assert shape.restore(w, out).base is out
    np.testing.assert_allclose(out[:21], expected, atol=1e-5)
    np.testing.assert_allclose(group.modes @ group.modes.T, np.eye(3), atol=1e-5)
    np.testing.assert_allclose(shape.weights(shape.restore(w).astype(float)), w, atol=1e-4)


def test_the_components_suffice_where_the_mesh_has_few() -> None:
    columns, layout = _columns(sheet(), Settings())
    full, _ = compress(columns, layout, Settings(energy=1.0, bits=0))
    np.testing.assert_allclose(full.restore(full.weights(columns)), columns, atol=1e-5)
    few, _ = compress(columns, layout, Settings(error=0.005))
    left = few.restore(few.weights(columns)) - columns
    assert np.sqrt(np.mean(left**2)) <= 0.0051 and few.width < full.width


def test_attributes_have_separate_scaling_and_modes() -> None:
    mesh = sheet(normals=True, attribute=True)
    columns, layout = _columns(mesh, Settings())
    joint, _ = compress(columns, layout, Settings(components=8))
    assert [group.name for group in joint.groups] == ["mesh", "glow"]
    own, _ = compress(columns, layout, Settings(components=8, normals="own"))
    assert [group.name for group in own.groups] == ["mesh", "normals", "glow"]
    for shape in (joint, own):
        every = np.sort(np.concatenate([group.columns for group in shape.groups]))
        np.testing.assert_array_equal(every, np.arange(columns.shape[1]))
        assert np.abs(shape.restore(shape.weights(columns)) - columns).max() < 0.05
    scales = joint.groups[0].scales
    moving = columns[:, :60].var(axis=0).sum()
    facing = (columns[:, 60:120] * scales[60:120]).var(axis=0).sum()
    assert np.isclose(facing, 0.25 * moving, rtol=1e-3)  # attribute_weight 0.5
    made = learn(mesh, Settings(components=8)).sample(np.random.default_rng(0), frames=20)
    np.testing.assert_allclose(np.linalg.norm(made.normals, axis=-1), 1.0, atol=1e-5)
    np.testing.assert_array_equal(made.attributes["uv"], mesh.attributes["uv"])
    assert made.attributes["glow"].shape == (20, 20, 1)


def unlike() -> tuple[Floats, Any]:
    """One sheet that waves in one way and then, bent, in another: two movements without a mode in common."""
    first, layout = _columns(sheet(90, seed=5), Settings())
    second, _ = _columns(sheet(90, seed=8), Settings())
    return np.concatenate([first, second + 0.3 * np.sin(np.arange(second.shape[1]))]), layout


def test_weights_have_the_distances_of_the_restored_frames() -> None:
    columns, layout = unlike()
    shape, weights = compress(columns, layout, Settings(components=4))
    made, points = shape.restore(weights).astype(np.float64), weights @ shape.measure
    for i, j in ((3, 40), (10, 150), (90, 91)):
        wanted = np.linalg.norm(made[i] - made[j])
        assert np.linalg.norm(points[i] - points[j]) == pytest.approx(wanted, rel=1e-3)


def test_parts_keep_more_with_as_many_components() -> None:
    columns, layout = _columns(sheet(seed=8), Settings())

    def left(settings: Settings) -> float:
        shape, _ = compress(columns, layout, settings)
        return float(np.square(shape.restore(shape.weights(columns)) - columns).sum())

    assert left(Settings(components=2, parts=4)) < 0.5 * left(Settings(components=2))
    features = np.concatenate([np.zeros((5, 2)), np.ones((3, 2)), 5 * np.ones((4, 2))])
    found = sorted(part.tolist() for part in like_rows(features, 3))
    assert found == [[0, 1, 2, 3, 4], [5, 6, 7], [8, 9, 10, 11]]


@pytest.mark.parametrize(("bits", "most"), [(16, 2e-5), (8, 4e-3)])
def test_quantized_modes_are_integer_multiples_near_the_originals(bits: int, most: float) -> None:
    columns, layout = _columns(sheet(), Settings())
    plain, coarse = (compress(columns, layout, Settings(components=4, bits=b))[0] for b in (0, bits))
    group = coarse.groups[0]
    whole = group.modes / group.steps[1:, None]
    np.testing.assert_allclose(whole, np.round(whole), atol=1e-2)
    assert np.abs(whole).max() <= 2 ** (bits - 1) - 0.5
    away = np.abs(coarse.restore(coarse.weights(columns)) - plain.restore(plain.weights(columns)))
    assert 0.0 < away.max() < most


def test_errors_are_as_written_out() -> None:
    rng = np.random.default_rng(4)
    true, made = rng.normal(size=(6, 5, 3)), rng.normal(size=(6, 5, 3))
    norm = np.linalg.norm
    frames = [
        sum(norm(true[i, n] - made[i, n]) for n in range(5)) / sum(norm(true[i, n]) for n in range(5)) for i in range(6)
    ]
    assert np.isclose(position_error(true, made), np.mean(frames))
    assert np.isclose(printed_position_error(true, made), np.sum(frames[1:-1]))
    ratios = [[norm(true[i, n] - made[i, n]) / norm(true[i, n]) for n in range(5)] for i in range(1, 5)]
    assert np.isclose(printed_velocity_error(true, made), np.sum(np.mean(ratios, axis=1)))
    assert np.isclose(velocity_error(true, made), norm(true - made, axis=-1).sum() / norm(true, axis=-1).sum())
    still = true.copy()
    still[:, 2] = 0.0
    assert np.isfinite(printed_velocity_error(still, made))


def test_errors_fall_to_zero_with_more_components() -> None:
    material = material_of(sheet(), Settings())
    points = material.poses.reshape(len(material.poses), -1, 3)
    table = fidelity_table(points, material.velocities.reshape(points.shape), (0, 1, 2, 4, 20))
    for name in ("position", "velocity", "printed_position"):
        values = [getattr(row, name) for row in table]
        assert all(a >= b for a, b in pairwise(values)), name
    assert table[-1].position < 1e-4
    assert table[0].velocity > 0.1
    values = eigenvalues(material.poses, 5)
    assert (np.diff(values) <= 0).all()


def test_more_components_than_frames_are_refused() -> None:
    with pytest.raises(UsageError, match=r"components were requested, but 30 frames .* at most 30"):
        learn(sheet(30), Settings(components=31))
