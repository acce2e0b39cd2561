"""What synthesis reads: closed cycles, and smooth part + detail = rows."""

from __future__ import annotations

import numpy as np
import pytest
from freshtake.variation.tables import closed, deviations, spread_between, synthesis_tables

from freshtake.variation.alignment import align
from freshtake.variation.material import Material
from freshtake.variation.network import TransitionNetwork, own_parents
from tests.variation.twins import takes


def ring(x: np.ndarray, order: int) -> np.ndarray:
    """Differences of a cycle, going round."""
    for _ in range(order):
        x = np.roll(x, -1, axis=0) - x
    return x


def test_a_cycle_that_closes_is_left_alone() -> None:
    u = np.linspace(0.0, 1.0, 121)[:, None]
    x = np.concatenate([np.sin(2 * np.pi * u), np.cos(4 * np.pi * u + 1.0)], axis=1)
    out = closed(x)
    assert out.shape == (120, 2)
    np.testing.assert_allclose(out, x[:-1], atol=0.035)  # the seam is smoothed a little


@pytest.mark.parametrize("seed", range(4))
def test_a_cycle_that_does_not_close_is_brought_together(seed: int) -> None:
    """At the seam there is no step, and the change of slope is spread over several frames."""
    rng = np.random.default_rng(seed)
    u = np.linspace(0.0, 1.0, 101)[:, None]
    x = np.sin(2 * np.pi * u + rng.uniform(0, 6, 3)) + rng.uniform(0.3, 0.8, 3) * u + rng.uniform(-0.3, 0.3, 3) * u**2
    out, raw = closed(x), x[:-1]
    steps = np.abs(ring(out, 1))
    assert (steps[-1] <= 1.3 * steps[2:-3].max(axis=0)).all()
    assert np.abs(ring(raw, 1))[-1].max() > 2 * steps.max()  # what there was to mend
    assert (np.abs(ring(out, 2)).max(axis=0) < 0.2 * np.abs(ring(raw, 2)).max(axis=0)).all()
    middle = slice(20, 80)
    np.testing.assert_array_equal(out[middle], raw[middle])


def test_a_kink_at_the_seam_is_spread_out() -> None:
    """|sin| meets its beginning in value, but with the opposite slope."""
    x = np.abs(np.sin(np.pi * np.linspace(0.0, 1.0, 101)))[:, None]
    bent, raw = np.abs(ring(closed(x), 2)), np.abs(ring(x[:-1], 2))
    assert raw.max() == raw[-1, 0] > 0.05
    assert bent.max() < 0.4 * raw.max()


def test_single_examples_stray_as_far_as_those_that_were_learned_from_lay_apart() -> None:
    examples = takes(0, cyclic=False)
    material = of(examples)
    network = TransitionNetwork(tuple("abcd"), 2, own_parents(4, 2))
    many = synthesis_tables(
        material, align(examples, np.ones(4), 1.0), np.zeros((17, 4)), network, detail_frames=2.0, cyclic=False
    )
    spread = spread_between(many)
    one = synthesis_tables(
        of(examples[:1]), align(examples[:1], np.ones(4), 1.0), spread, network, detail_frames=2.0, cyclic=False
    )
    held = np.array([True, False, False, False])
    assert not many.profile[:, held].any()
    assert not one.profile[:, held].any()
    assert (many.profile[:, ~held] > 0).all()
    np.testing.assert_allclose(one.profile.mean(axis=0), many.profile.mean(axis=0), rtol=0.2)


def of(examples: list[np.ndarray]) -> Material:
    rates = np.array([True, False, False, False])
    return Material(tuple(examples), tuple("abcd"), np.ones(4), rates, 1.0)


@pytest.mark.parametrize("detail_frames", [0.0, 2.0])
@pytest.mark.parametrize("cyclic", [True, False])
def test_smooth_part_and_detail_add_up(cyclic: bool, detail_frames: float) -> None:
    examples = takes(0, cyclic=cyclic)
    network = TransitionNetwork(tuple("abcd"), 2, own_parents(4, 2))
    places = align(examples, np.ones(4), 1.0)
    tables = synthesis_tables(
        of(examples), places, np.ones((17, 4)), network, detail_frames=detail_frames, cyclic=cyclic
    )
    rows = np.concatenate([closed(x) if cyclic else x for x in examples])
    np.testing.assert_allclose(tables.low + tables.detail, rows, atol=1e-14)
    assert tables.counts.tolist() == [len(x) - cyclic for x in examples]
    if detail_frames == 0.0:
        assert not tables.detail.any()
    for first, count in zip(tables.firsts, tables.counts, strict=True):
        low, slope = tables.low[first : first + count], tables.slope[first : first + count]
        np.testing.assert_allclose(slope[5], (low[6] - low[4]) / 2, atol=1e-14)
        if cyclic:
            np.testing.assert_allclose(slope.sum(axis=0), 0.0, atol=1e-12)
    apart = deviations(tables)
    assert apart.shape == (4, len(places), 4)
    np.testing.assert_allclose(apart.sum(axis=0), 0.0, atol=1e-12)
