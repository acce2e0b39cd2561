"""Likelihood of clips: the sum of both networks, recalibrated, and whom it favors."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from freshtake.errors import UsageError
from freshtake.variation import Settings, VariationModel, learn
from freshtake.variation.network.likelihood import LikelihoodScorer, examples_by_others, prior_gaussians
from tests.variation.twins import slow_gaussian, takes

QUICK = Settings(method="kernel", prior_starts=1, neighbors=8, velocity_weight=1.0, kernel_width=0.3)


def model(seed: int = 3, settings: Settings = QUICK, count: int = 4) -> VariationModel:
    return learn(takes(seed, dofs=4)[:count], settings, rng=np.random.default_rng(1))


@pytest.mark.parametrize("order", [1, 2, 3])
def test_the_total_is_the_product_of_both_networks(order: int) -> None:
    """Lau 2009, eq. 2, frame by frame with the slow twin of eq. 5-6, variances times the judge's factors."""
    learned = model(settings=QUICK.changed(order=order))
    clip = takes(7, dofs=4)[0].astype(np.float32).astype(np.float64)
    scorer, weights = learned.scorer, learned.material.weights
    found = learned.score(clip)
    later = 0.0
    for t in range(max(order, 2), len(clip)):
        pool = [(x, s) for x in learned.material.values for s in range(order - 1, len(x) - 1)]
        for i in range(4):
            squared = np.zeros(len(pool))
            for n, (x, s) in enumerate(pool):
                for step, p in (divmod(parent, 4) for parent in learned.transition.edges[i]):
                    squared[n] += (weights[p] * (clip[t - order + step, p] - x[s - order + 1 + step, p])) ** 2
                if order > 1:
                    squared[n] += (weights[i] * (clip[t - 1, i] - clip[t - 2, i] - x[s, i] + x[s - 1, i])) ** 2
            targets = np.array([x[s + 1, i] - x[s, i] for x, s in pool])
            mean, variance = slow_gaussian(squared, targets, 8, 0.3, True, scorer.floors[i])
            spread = np.sqrt(variance * scorer.factors[1][i]) / scorer.unit[i]
            later += float(norm.logpdf((clip[t, i] - clip[t - 1, i]) / scorer.unit[i], mean / scorer.unit[i], spread))
    assert found.frames[max(order, 2) :].sum() == pytest.approx(later, rel=1e-7)
    assert found.total == pytest.approx(found.frames[:2].sum() + later, rel=1e-7)
    assert float(found) == found.total
    assert found.normalized == pytest.approx(found.per_frame.mean())
    assert found.per_frame.shape == (len(clip),)


def test_nodes_of_the_prior_without_parents_have_the_mean_and_variance_of_all() -> None:
    learned = model(settings=QUICK.changed(prior_max_parents=0))
    starts = learned.scorer.starts
    rule, weights = learned.prior_rule, learned.material.weights
    means, variances = prior_gaussians(learned.prior, starts, weights, rule, np.zeros(8), np.full(8, 1e-12))
    np.testing.assert_allclose(means, starts.values.mean(axis=0))
    np.testing.assert_allclose(variances, starts.values.var(axis=0, ddof=1))


def test_first_frames_that_all_agree_do_not_make_another_impossible() -> None:
    """A DOF that begins alike in all examples: another beginning is unlikely, but not without bounds."""
    lifted = [np.concatenate([np.zeros((12, 1)), x[12:, :1] - x[12, 0]]) for x in takes(3, dofs=4)]
    learned = learn(
        [np.concatenate([x[:, :3], y], axis=1) for x, y in zip(takes(3, dofs=4), lifted, strict=True)],
        QUICK, rng=np.random.default_rng(1),
    )  # fmt: skip
    clip = learned.material.values[0].copy()
    size = learned.scorer.instances.rows[:, 3].std()
    clip[0, 3] += size
    lost = learned.score(learned.material.values[0]).frames[0, 3] - learned.score(clip).frames[0, 3]
    assert 3.0 < lost <= 50.0 + 1e-6  # a standard deviation off, where a tenth of one is the least


def test_units_do_not_matter() -> None:
    scales = np.array([1e-2, 1.0, 30.0, 5.0])
    plain = learn(takes(3, dofs=4), QUICK, rng=np.random.default_rng(1))
    scaled = learn([x * scales for x in takes(3, dofs=4)], QUICK, rng=np.random.default_rng(1))
    clip = takes(7, dofs=4)[0]
    assert scaled.score(clip * scales).total == pytest.approx(plain.score(clip).total, rel=1e-3)


def test_errors_are_as_large_as_the_recalibrated_variances_say() -> None:
    """Mean squared error over variance of held-out examples, per node and median over examples, is 1 or less."""
    scorer = model().scorer
    raw = [scorer._ratios(x, k)[1] for k, x in enumerate(scorer.model.material.values)]
    assert (np.median(raw / scorer.factors[1], axis=0) <= 1.0 + 1e-9).all()
    assert (scorer.factors[1] >= 1.0).all()


def test_a_like_take_is_likelier_than_an_unlike_one() -> None:
    learned = model()
    like, unlike = takes(3, dofs=4, lengths=(21, 19, 22, 20, 23))[4], takes(11, dofs=4)[0]
    assert learned.score(like).normalized > learned.score(unlike).normalized + 1.0
    assert learned.score(like).frames.shape == like.shape


def test_an_example_is_likelier_when_it_is_known() -> None:
    learned = model()
    for k, by_others in enumerate(examples_by_others(learned)):
        assert learned.scorer.score(learned.material.values[k]).total > by_others.total


def test_a_single_example_and_clips_too_short() -> None:
    alone = model().with_examples([takes(3, dofs=4)[0]])
    assert np.isfinite(alone.score(takes(3, dofs=4)[1]).total)
    with pytest.raises(UsageError, match="the clip has 2 frames, but scoring needs at least 3"):
        LikelihoodScorer(alone).score(takes(3, dofs=4)[1][:2])
