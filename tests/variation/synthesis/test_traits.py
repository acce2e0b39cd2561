"""What holds over a take, and what does not: taken apart and put together again, in the sizes of a further take."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.numeric.arrays import Floats
from freshtake.variation.synthesis.courses import Courses, smoothed
from freshtake.variation.synthesis.traits import (
    POINTS,
    SMOOTH,
    TRAITS,
    sizes_at,
    split_deviations,
    trait_basis,
    trait_readers,
)

PHASES = 61


def mean_course(cyclic: bool = True, nodes: int = 3) -> Floats:
    u = np.linspace(0.0, 2.0 * np.pi, PHASES)[:, None]
    lags = np.arange(nodes) * 0.7
    out = np.sin(u + lags) + 0.3 * np.cos(2.0 * u + lags)
    return np.asarray(out if cyclic else out + 0.4 * u)


def courses(deviations: Floats, cyclic: bool = True) -> Courses:
    """Deviations (takes, phases, nodes), made to sum to zero, round the mean course."""
    smooth = mean_course(cyclic, deviations.shape[2]) + deviations - deviations.mean(axis=0)
    return Courses(smooth, np.zeros((*smooth.shape[:2], smooth.shape[2] - 1)), cyclic)


def noise(takes: int, seed: int = 0, nodes: int = 3) -> Floats:
    out = np.random.default_rng(seed).normal(size=(takes, PHASES, nodes))
    out[:, -1] = out[:, 0]
    return out


@pytest.mark.parametrize("cyclic", [True, False])
def test_the_basis_is_orthonormal_and_spans_offset_extent_and_timing(cyclic: bool) -> None:
    mean = mean_course(cyclic)
    basis = trait_basis(mean, cyclic)
    own, whole = (basis[:, :-1], mean[:-1]) if cyclic else (basis, mean)
    even = smoothed(whole, SMOOTH * len(whole), cyclic)
    slope = np.gradient(np.concatenate([even, even]), axis=0)[1 : len(whole) + 1] if cyclic else None
    for node in range(3):
        products = own[:, :, node] @ own[:, :, node].T / own.shape[1]
        np.testing.assert_allclose(products, np.eye(len(TRAITS)), atol=1e-12)
        shapes = [np.ones(len(whole)), whole[:, node]]
        shapes += [np.roll(slope[:, node], 1)] if slope is not None else [np.gradient(even[:, node])]
        for k, shape in enumerate(shapes):
            left = shape - own[: k + 1, :, node].T @ (own[: k + 1, :, node] @ shape) / len(whole)
            np.testing.assert_allclose(left, 0.0, atol=1e-12)
    if cyclic:
        np.testing.assert_array_equal(basis[:, 0], basis[:, -1])


def test_a_node_that_stands_still_has_no_extent_and_no_timing() -> None:
    basis = trait_basis(np.ones((PHASES, 1)), False)
    np.testing.assert_array_equal(basis[1:], 0.0)
    np.testing.assert_array_equal(basis[0], 1.0)


@pytest.mark.parametrize("cyclic", [True, False])
def test_parts_sum_to_the_whole(cyclic: bool) -> None:
    own = courses(noise(5), cyclic)
    split = split_deviations(own)
    sizes = sizes_at(split.sizes, PHASES)
    again = np.einsum("eqn,qn,qpn->epn", split.traits, split.trait_sizes, split.basis) + split.rest * sizes
    np.testing.assert_allclose(again, own.smooth - own.mean, atol=1e-10)
    last = -1 if cyclic else None
    left = np.einsum("epn,qpn->eqn", (split.rest * sizes)[:, :last], trait_readers(split.basis[:, :last], cyclic))
    np.testing.assert_allclose(left, 0.0, atol=1e-8)  # no trait is left in the rest


@pytest.mark.parametrize("cyclic", [True, False])
def test_traits_are_read_so_that_the_rest_has_the_least_slopes_and_mean_zero(cyclic: bool) -> None:
    """Against a least-squares fit of slopes, node by node."""
    own = courses(noise(5), cyclic)
    last = -1 if cyclic else None
    basis, deviations = trait_basis(own.mean, cyclic)[:, :last], (own.smooth - own.mean)[:, :last]
    traits = np.einsum("epn,qpn->eqn", deviations, trait_readers(basis, cyclic))
    around = np.concatenate([np.arange(basis.shape[1]), [0]]) if cyclic else np.arange(basis.shape[1])
    for node in range(3):
        slopes = np.diff(basis[1:, around, node], axis=1).T
        for take in range(5):
            fitted = np.linalg.lstsq(slopes, np.diff(deviations[take, around, node]), rcond=None)[0]
            np.testing.assert_allclose(traits[take, 1:, node], fitted, rtol=1e-6, atol=1e-8)
            rest = deviations[take, :, node] - basis[:, :, node].T @ traits[take, :, node]
            assert abs(rest.mean()) < 1e-9


def test_a_slow_drift_is_no_extent_and_no_timing() -> None:
    """What traits and rest add up to when drawn apart moves hardly quicker than the takes do."""
    u = np.linspace(0.0, 1.0, PHASES)
    mean = np.sin(6.0 * np.pi * u)[:, None] + np.zeros((1, 3))
    drifts = np.random.default_rng(6).normal(size=(5, 1, 3)) * (u[:, None] - 0.4) ** 2
    takes = Courses(mean + drifts, np.zeros((5, PHASES, 2)), False)
    split = split_deviations(takes)
    parts = split.basis * split.trait_sizes[:, None]
    apart = (np.diff(parts[1:], 2, axis=1) ** 2).mean(axis=1).sum(axis=0)
    whole = (np.diff(drifts - drifts.mean(axis=0), 2, axis=1) ** 2).mean(axis=(0, 1)) * 6.0 / 4.0
    assert (apart < 2.0 * whole).all()


@pytest.mark.parametrize("trait", range(3))
def test_each_trait_is_what_its_name_says(trait: int) -> None:
    rng = np.random.default_rng(3)
    mean = mean_course()
    even = smoothed(mean[:-1], SMOOTH * (PHASES - 1), True)
    slope = np.gradient(np.concatenate([even, even, even[:1]]), axis=0)[PHASES - 1 :]
    shape = (np.ones_like(mean), mean - mean[:-1].mean(axis=0), slope)[trait]
    split = split_deviations(courses(rng.normal(size=(6, 1, 3)) * shape))
    others = np.delete(split.trait_sizes, trait, axis=0)
    assert (split.trait_sizes[trait] > 10.0 * others.max(axis=0)).all()
    assert split.sizes.max() < 0.1 * split.trait_sizes[trait].min()


def test_sizes_are_those_of_a_further_take() -> None:
    """Over many draws of four takes: traits are as large as a fifth take's from their mean, the rest as their own."""
    rng = np.random.default_rng(4)
    basis = trait_basis(mean_course(), True)
    whole, expected = [], []
    for _ in range(400):
        drawn = noise(5, seed=int(rng.integers(1 << 30))) + rng.normal(size=(5, 1, 3))
        drawn[:, :-1] = smoothed(drawn[:, :-1].transpose(1, 0, 2), 3.0, True).transpose(1, 0, 2)
        drawn[:, -1] = drawn[:, 0]
        split = split_deviations(courses(drawn[:4]))
        apart = drawn[4] - drawn[:4].mean(axis=0)
        traits = np.einsum("pn,qpn->qn", apart[:-1], trait_readers(basis[:, :-1], True))
        rest = apart - np.einsum("qn,qpn->pn", traits, basis)
        whole.append(np.concatenate([split.trait_sizes**2, (sizes_at(split.sizes, PHASES) ** 2).mean(axis=0)[None]]))
        expected.append(np.concatenate([traits**2, (rest**2).mean(axis=0)[None] / 1.25]))
    np.testing.assert_allclose(np.mean(whole, axis=0).mean(axis=1), np.mean(expected, axis=0).mean(axis=1), rtol=0.12)


def test_sizes_follow_the_phase_smoothly_and_never_vanish() -> None:
    rng = np.random.default_rng(5)
    profile = np.where(np.abs(np.linspace(-1.0, 1.0, PHASES)) < 0.4, 1.0, 0.0)[:, None]
    drawn = rng.normal(size=(30, PHASES, 3)) * profile
    split = split_deviations(courses(drawn, cyclic=False))
    sizes = sizes_at(split.sizes, PHASES)
    assert split.sizes.shape == (POINTS, 3)
    assert (sizes[25:36] > 2.0 * sizes[[0, -1]].max()).all()
    assert (sizes > 0.1 * sizes.mean(axis=0)).all()
    rest = (drawn - drawn.mean(axis=0)).std(axis=0)
    np.testing.assert_allclose((sizes**2).mean(axis=0), (rest**2).mean(axis=0), rtol=0.25)


def test_sizes_of_a_few_takes_are_even_unless_takes_prove_otherwise() -> None:
    """Variances of four takes that deviate alike at all phases rise and fall by chance; sizes hardly do."""
    even = np.stack([smoothed(x, 4.0, True) for x in noise(4, nodes=40)])
    deviations = even - even.mean(axis=0)
    by_chance = np.log(np.sqrt((deviations**2).mean(axis=0))).std(axis=0).mean()
    few = np.log(sizes_at(split_deviations(courses(even)).sizes, PHASES)).std(axis=0).mean()
    assert few < 0.3 * by_chance
    profile = 1.0 - np.linspace(-0.9, 0.9, PHASES)[:, None] ** 2
    many = np.random.default_rng(7).normal(size=(30, PHASES, 3)) * profile
    proven = sizes_at(split_deviations(courses(many, cyclic=False)).sizes, PHASES)
    assert (proven[30] > 1.5 * proven[[0, -1]].max(axis=0)).all()
