"""The statistics against scipy, and against simulated raters whose effect is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from freshtake.errors import UsageError
from freshtake.evaluation.study import Rating, Stimulus, analyze, one_way, schedule
from freshtake.evaluation.study.analysis import difference_interval, mean_interval, share_interval, sign_test
from freshtake.reports.study_figure import WARNING, figure, p_value
from tests.evaluation.study.simulated_raters import simulated_ratings
from tests.evaluation.study.test_schedule import stimuli


@pytest.mark.parametrize("seed", range(6))
def test_one_way_is_scipy_s(seed: int) -> None:
    rng = np.random.default_rng(seed)
    groups = [rng.integers(1, 10, size=rng.integers(2, 120)) + 0.3 * k for k in range(rng.integers(2, 5))]
    expected, found = stats.f_oneway(*groups), one_way(groups)
    assert found.f == pytest.approx(expected.statistic, rel=1e-10)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-9)
    assert (found.df_between, found.df_within) == (len(groups) - 1, sum(map(len, groups)) - len(groups))
    whole = np.concatenate(groups)
    assert found.between + found.within == pytest.approx(((whole - whole.mean()) ** 2).sum())
    assert 0.0 <= found.explained <= 1.0


def test_tiny_p_values_are_exact() -> None:
    """The paper's smallest are 1e-8; cancellation must not turn them into 0."""
    rng = np.random.default_rng(1)
    a, b = rng.normal(5, 1, 112), rng.normal(8, 1, 113)
    assert one_way([a, b]).p == pytest.approx(stats.f_oneway(a, b).pvalue, rel=1e-8)
    assert 0.0 < one_way([a, b]).p < 1e-40


def test_equal_scores_are_survived_and_too_few_refused() -> None:
    assert np.isnan(one_way([[5, 5], [5, 5]]).p)
    assert one_way([[5, 5], [6, 6]]).p == 0.0
    for bad in ([[1, 2]], [[1, 2], []], [[1], [2]]):
        with pytest.raises(UsageError, match="analysis of variance"):
            one_way(bad)


def test_intervals_are_scipy_s() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.integers(1, 10, 40), rng.integers(2, 10, 31)
    low, high = stats.t.interval(0.95, 39, a.mean(), stats.sem(a))
    assert mean_interval(a) == pytest.approx((a.mean(), low, high))
    expected = stats.ttest_ind(a, b).confidence_interval(0.95)
    assert difference_interval(a, b)[1:] == pytest.approx((expected.low, expected.high))
    assert mean_interval([7]) == (7, 7, 7)


STIMULI = stimuli(counts=(15, 15))
KEY = {s.name: s for s in STIMULI}


def rejections(apart: float, runs: int, bias: float = 0.0) -> tuple[float, list[float]]:
    """Share of simulated studies of the paper's size whose p is below 0.05, and all p values."""
    rng = np.random.default_rng(3)
    trials = schedule(STIMULI, rng=rng)
    means = {("A", "variants"): 5.0 - apart / 2, ("A", "captured"): 5.0 + apart / 2}
    found = []
    for child in rng.spawn(runs):
        ratings = simulated_ratings(trials, KEY, means, deviation=1.5, bias=bias, rng=child)
        scores = {c: [r.score for r in ratings if KEY[r.stimulus].condition == c] for c in ("variants", "captured")}
        found.append(one_way(list(scores.values())).p)
    return float(np.mean(np.array(found) < 0.05)), found


@pytest.mark.parametrize("apart", [0.3, 0.5, 0.8])
def test_known_effects_are_found_as_often_as_theory_says(apart: float) -> None:
    runs = 250
    share, _ = rejections(apart, runs)
    variance = 1.5**2 + 1 / 12  # rounding adds a twelfth
    theory = stats.ncf.sf(stats.f.isf(0.05, 1, 223), 1, 223, 112 * 113 / 225 * apart**2 / variance)
    assert abs(share - theory) < 4 * np.sqrt(theory * (1 - theory) / runs) + 0.01


def test_without_an_effect_p_values_are_even() -> None:
    runs = 250
    share, p = rejections(0.0, runs)
    assert abs(share - 0.05) < 4 * np.sqrt(0.05 * 0.95 / runs)
    assert stats.kstest(p, "uniform").pvalue > 0.001


def analyzed(apart: float = 1.5) -> list:
    rng = np.random.default_rng(11)
    everything = [*stimuli("A"), *stimuli("B", counts=(15, 15))]
    key = {s.name: s for s in everything}
    means = {("A", "variants"): 6.0, ("A", "captured"): 6.0, ("B", "variants"): 4.0, ("B", "cycle"): 4.0 + apart}
    ratings = simulated_ratings(schedule(everything, rng=rng), key, means, deviation=1.6, bias=0.5, rng=rng)
    return analyze(ratings, key)


def test_the_paper_s_outcome_from_the_paper_s_effects() -> None:
    natural, repetitive = analyzed()
    assert (natural.experiment, repetitive.experiment) == ("A", "B")
    assert natural.p > 0.05 and natural.apart.low < 0.0 < natural.apart.high
    assert repetitive.p < 1e-6 and repetitive.apart.high < 0.0 and repetitive.by_participant < 1e-4
    assert [g.scores for g in natural.groups] in ([112, 113], [113, 112])
    assert natural.simulated and natural.participants == 15 and natural.unanswered == 0
    assert natural.as_dict()["groups"][0]["condition"] == "variants"


def test_by_participant_is_the_paired_t_test() -> None:
    key = {f"s{k}": Stimulus(f"s{k}", "A", "walk", c) for k, c in enumerate(("variants", "captured"))}
    rng = np.random.default_rng(5)
    scores = rng.integers(1, 10, size=(9, 2))
    ratings = [Rating(f"p{p}", k + 1, "A", "walk", f"s{k}", int(scores[p, k])) for p in range(9) for k in range(2)]
    found = analyze(ratings, key)[0]
    assert found.by_participant == pytest.approx(stats.ttest_rel(scores[:, 0], scores[:, 1]).pvalue)
    assert found.p == pytest.approx(stats.f_oneway(scores[:, 0], scores[:, 1]).pvalue)
    assert not found.simulated
    with_gap = analyze([*ratings, Rating("p9", 1, "A", "walk", "s0", None)], key)[0]
    assert with_gap.unanswered == 1 and with_gap.anova == found.anova


def test_ratings_that_cannot_be_are_refused() -> None:
    key = {"s": Stimulus("s", "A", "walk", "variants")}
    with pytest.raises(UsageError, match="1 to 9"):
        analyze([Rating("p", 1, "A", "walk", "s", 10)], key)
    with pytest.raises(UsageError, match="not in the key"):
        analyze([Rating("p", 1, "A", "walk", "t", 5)], key)
    with pytest.raises(UsageError, match="no score for captured"):
        analyze([Rating("p", 1, "A", "walk", "s", 5)], key)
    with pytest.raises(UsageError, match="no ratings"):
        analyze([], key)


def test_figure_8_has_the_means_and_says_when_raters_are_simulated() -> None:
    outcomes = analyzed()
    drawn = figure(outcomes)
    assert [axis.get_title() for axis in drawn.axes] == ["Experiment A", "Experiment B"]
    for axis, outcome in zip(drawn.axes, outcomes, strict=True):
        tops = [bar.get_y() + bar.get_height() for bar in axis.patches]
        assert tops == pytest.approx([group.mean.mean for group in outcome.groups])
        assert axis.texts[0].get_text() == p_value(outcome.p)
    assert drawn.get_suptitle() == WARNING
    people = figure([outcome._replace(simulated=False) for outcome in outcomes])
    assert people.get_suptitle() == ""
    with pytest.raises(UsageError):
        figure([])


def test_simulated_raters_are_named_so() -> None:
    trials = schedule(STIMULI, rng=np.random.default_rng(6), participants=3)
    means = {("A", "variants"): 9.0, ("A", "captured"): 1.0}
    ratings = simulated_ratings(trials, KEY, means, deviation=3.0, rng=np.random.default_rng(7))
    assert {r.participant for r in ratings} == {"simulated_01", "simulated_02", "simulated_03"}
    assert {r.score for r in ratings} <= set(range(1, 10))
    assert [r[1:5] for r in ratings] == [t[1:] for t in trials]


@pytest.mark.parametrize(("count", "of"), [(0, 1), (3, 10), (50, 100), (61, 100), (9, 9)])
def test_shares_and_the_sign_test_agree_with_scipy(count: int, of: int) -> None:
    expected = stats.binomtest(count, of)
    assert sign_test(count, of) == pytest.approx(expected.pvalue)
    bounds = expected.proportion_ci(method="wilson")
    assert share_interval(count, of) == pytest.approx((count / of, bounds.low, bounds.high))
