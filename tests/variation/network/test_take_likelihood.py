"""Likelihood of takes under the network that is sampled: densities, units, and what it favors."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.stats import t as student_t

from freshtake import samples
from freshtake.errors import UsageError
from freshtake.numeric.arrays import Floats
from freshtake.variation import Settings, VariationModel, learn
from freshtake.variation.network.likelihood import examples_by_others
from freshtake.variation.network.take_likelihood import LEAST, deviations_of, mean_rows, student
from freshtake.variation.synthesis.common_phase import read_at
from freshtake.variation.synthesis.traits import sizes_at, trait_basis
from tests.variation.test_variants import STEP, examples, model
from tests.variation.twins import takes

FURTHER = examples(8, seed=9)


def learned(values: list[Floats], **settings: object) -> VariationModel:
    chosen = Settings(step=STEP).changed(**settings)
    return learn(values, chosen, rng=np.random.default_rng(0), frame_time=1 / 30, cyclic=False)


@cache
def walking() -> VariationModel:
    clips = [samples.walk(np.random.default_rng(seed), cycles=1) for seed in range(4)]
    return learn(clips, Settings(max_parents=6), rng=np.random.default_rng(0), cyclic=True)


def test_densities_are_students() -> None:
    rng = np.random.default_rng(1)
    x, scale = rng.normal(size=(5, 3)), rng.uniform(0.2, 2.0, 3)
    for freedom in (1, 3, 30):
        np.testing.assert_allclose(student(x, scale, freedom), student_t.logpdf(x, freedom, scale=scale))


def test_an_example_is_laid_on_the_mean_as_it_was_when_it_was_learned() -> None:
    for made in (model(), walking()):
        apart = made.courses.smooth - made.courses.mean
        sizes = np.sqrt((apart**2).mean(axis=(0, 1)))
        for k, x in enumerate(made.material.values):
            found, phase_frames = deviations_of(made.courses, made.material, made.settings, x)
            assert np.sqrt(((phase_frames - made.phase_frames[:, k]) ** 2).mean()) < 0.4  # frames
            away = np.sqrt(((found - apart[k]) ** 2).mean(axis=0))
            assert np.median(away / sizes) < 0.25


def test_the_mean_as_rows_is_the_mean_of_the_examples_rows() -> None:
    """Speeds come from places and travel again; they were read at equal phases, each at the example's own pace."""
    made = walking()
    expected = np.mean([read_at(x, made.phase_frames[:, k]) for k, x in enumerate(made.material.values)], axis=0)
    spread = np.concatenate(made.material.values).std(axis=0)
    inner = slice(10, -10)  # a cycle is bent round its seam
    away = np.abs(mean_rows(made.courses, made.material) - expected)[inner] / spread
    assert made.material.rates.sum() >= 3
    assert np.median(away[:, made.material.rates], axis=0).max() < 0.15
    assert away[:, ~made.material.rates].max() < 0.05
    forward = made.dofs.index("Hips.forward")
    mean = mean_rows(made.courses, made.material)[:, forward].mean()
    assert mean == pytest.approx(expected[:, forward].mean(), rel=0.02)


def slow_traits(apart: Floats, basis: Floats) -> Floats:
    """Posture, extent and timing of one node: the latter two by least squares of slopes, posture by what they leave."""
    quick = np.linalg.lstsq(np.diff(basis[1:], axis=1).T, np.diff(apart), rcond=None)[0]
    return np.concatenate([[(apart - quick @ basis[1:]).mean()], quick])


def slow_total(made: VariationModel, rows: Floats) -> float:
    """The sum over frames of the network and traits, term by term: each node given its parents, less the sizes."""
    dynamics, freedom = made.dynamics, len(made.material.values) - 1
    assert dynamics is not None
    apart, phase_frames = deviations_of(made.courses, made.material, made.settings, rows)
    basis, sizes = trait_basis(made.courses.mean, False), sizes_at(dynamics.sizes, len(apart))
    nodes, dofs = apart.shape[1], len(made.dofs)
    traits = np.array([slow_traits(apart[:, i], basis[:, :, i]) for i in range(nodes)]).T
    rest = apart - sum(trait * shape for trait, shape in zip(traits, basis, strict=True))
    rest, raw = rest / np.maximum(sizes, 1e-300), traits / np.maximum(dynamics.trait_sizes, 1e-300)
    at = np.linspace(0.0, len(apart) - 1.0, dynamics.slices + 1)
    spread = np.sqrt(np.diag(dynamics.covariance)[:nodes])
    z, width = read_at(rest, at) * spread, read_at(sizes, at)
    raw = raw * dynamics.trait_scales
    weights = np.concatenate([made.material.weights, np.ones(2)])
    whole = np.sqrt((dynamics.trait_sizes**2).sum(axis=0) + (dynamics.sizes**2).mean(axis=0))
    unit = LEAST * np.sqrt(((weights * whole)[:dofs] ** 2).mean()) / weights
    phases = np.interp(np.arange(len(rows)), phase_frames, np.arange(len(phase_frames)))
    count = np.bincount(np.rint(phases / (len(apart) - 1) * dynamics.slices).astype(int), minlength=len(z))
    total, starts = 0.0, dynamics.packed.starts
    for i in range(dofs):
        parents, own = made.transition.edges[i], slice(starts[i], starts[i + 1])
        for k in range(len(z)):
            mean = sum(
                a * z[k - 2 + p // nodes, p % nodes] for a, p in zip(dynamics.slopes[own], parents, strict=True)
            ) if k >= 2 else 0.0  # fmt: skip
            scale = dynamics.noise[i] if k >= 2 else spread[i]
            density = student_t.logpdf(z[k, i], freedom, loc=mean, scale=scale) + np.log(spread[i])
            total += count[k] * (density - np.log(width[k, i] / unit[i]))
        for q in range(len(basis)):
            mean = sum(a * raw[q, p % nodes] for a, p in zip(dynamics.trait_slopes[q, own], parents, strict=True))
            density = student_t.logpdf(raw[q, i], freedom, loc=mean, scale=dynamics.trait_noise[q, i])
            total += density + np.log(dynamics.trait_scales[q, i] * unit[i] / dynamics.trait_sizes[q, i])
    return float(total)


@pytest.mark.parametrize("kind", ["learned", "own"])
def test_a_take_is_as_likely_as_all_its_nodes_given_their_parents(kind: str) -> None:
    made = model() if kind == "learned" else model(parents="own")
    for take in FURTHER[:2]:
        assert made.score(take).total == pytest.approx(slow_total(made, take), rel=1e-7)  # rows are float32


@pytest.mark.parametrize("method", ["learned", "own"])
def test_units_do_not_matter(method: str) -> None:
    scales = np.array([1e-2, 1.0, 30.0, 5.0])
    plain, scaled = learned(examples(), parents=method), learned([x * scales for x in examples()], parents=method)
    assert scaled.score(FURTHER[0] * scales).total == pytest.approx(plain.score(FURTHER[0]).total, rel=1e-3)


def test_a_like_take_is_likelier_than_an_unlike_one() -> None:
    made = learn(takes(3, dofs=4), rng=np.random.default_rng(0))
    like, unlike = takes(3, dofs=4, lengths=(21, 19, 22, 20, 23))[4], takes(11, dofs=4)[0]
    assert made.score(like).normalized > made.score(unlike).normalized + 1.0


def test_a_take_that_breaks_what_goes_together_is_unlikely_and_only_edges_know() -> None:
    """DOF 1 goes with DOF 0 in all examples. Mirrored about the mean it deviates as far, but the wrong way.

    Without edges it is a little less likely too, because it is laid on the mean less well.
    """
    mean = np.mean(examples(), axis=0)
    lost = {"learned": 0.0, "own": 0.0}
    for parents in lost:
        made = model(parents=parents) if parents == "own" else model()
        for take in FURTHER:
            broken = take.copy()
            broken[:, 1] = 2.0 * mean[:, 1] - take[:, 1]
            lost[parents] += (made.score(take).normalized - made.score(broken).normalized) / len(FURTHER)
    assert lost["learned"] > lost["own"] + 0.1


def test_learned_parents_make_further_takes_likelier() -> None:
    found = {
        kind: np.mean([made.score(take).normalized for take in FURTHER])
        for kind, made in (("learned", model()), ("own", model(parents="own")), ("none", model(parents="none")))
    }
    assert found["learned"] > found["own"] + 0.05
    assert found["own"] > found["none"] + 0.05


def test_examples_are_scored_by_the_others() -> None:
    made = model()
    for k, by_others in enumerate(examples_by_others(made)):
        others = tuple(x for j, x in enumerate(made.material.values) if j != k)
        known = replace(made, material=replace(made.material, values=others))
        assert by_others.total == known.score(made.material.values[k]).total
    mine = [made.score(x).normalized for x in made.material.values]
    assert np.mean(mine) > np.mean([one.normalized for one in examples_by_others(made)])


def test_a_clip_too_short_and_a_single_example() -> None:
    made = model()
    with pytest.raises(UsageError, match="the clip has 3 frames, but scoring needs at least 4"):
        made.score(FURTHER[0][:3])
    assert np.isfinite(made.with_examples([examples()[0]]).score(FURTHER[0]).total)
