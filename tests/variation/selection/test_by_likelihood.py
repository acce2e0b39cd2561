"""Selection by likelihoods: splits, thresholds, which clips are kept, and why others are not (Lau 2009, §9)."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from freshtake.errors import UsageError
from freshtake.numeric.arrays import Floats
from freshtake.variation import Settings, learn, similar
from freshtake.variation import select as select_by
from freshtake.variation.selection.by_likelihood import group_model, split, threshold
from freshtake.variation.selection.candidates import Selection
from tests.variation.small_takes import takes

QUICK = Settings()
LENGTHS = (21, 19, 22, 20, 21, 23, 20, 22, 21, 20, 22, 19)


def select(*given: Any, **options: Any) -> Selection:
    return select_by(*given, measure="likelihood", **options)


def family() -> list[Floats]:
    return takes(3, dofs=4, lengths=LENGTHS)


def strangers() -> list[Floats]:
    return takes(11, dofs=4, lengths=LENGTHS)[:3]


@pytest.fixture(scope="module")
def found() -> Selection:
    members = family()
    return select([*members[8:], *strangers()], members[:8], QUICK, rng=np.random.default_rng(1))


@pytest.mark.parametrize(("count", "out"), [(3, 1), (4, 1), (6, 2), (8, 2), (20, 5)])
def test_splits_differ_cover_all_and_are_few(count: int, out: int) -> None:
    found = list(split(count, np.random.default_rng(2)))
    assert len({one.left for one in found}) == len(found) <= 15
    assert all(len(one.left) == out and set(one.left) | set(one.known) == set(range(count)) for one in found)
    assert all(not set(one.left) & set(one.known) for one in found)
    often = Counter(k for one in found for k in one.left)
    assert set(often) == set(range(count)) and max(often.values()) - min(often.values()) <= 3


def test_few_clips_are_split_in_every_way() -> None:
    left = {one.left for one in split(6, np.random.default_rng(0))}
    assert left == set(combinations(range(6), 2))


def test_trusted_clips_are_scored_when_left_out(found: Selection) -> None:
    """By hand: the same splits, every left-out clip under the six used ones, and the mean over splits of each."""
    members = family()[:8]
    rng = np.random.default_rng(1)
    likely: list[float] = []
    means: list[list[float]] = [[] for _ in members]
    for one in split(8, rng):
        scorer = learn([members[k] for k in one.known], QUICK)
        for k in one.left:
            likely.append(scorer.score(members[k]).normalized)
            means[k].append(likely[-1])
    np.testing.assert_allclose(found.trusted, likely, rtol=0.05, atol=0.05)
    assert found.threshold == pytest.approx(threshold(np.array([np.mean(own) for own in means]), 0.05), abs=0.1)


def test_the_threshold_of_many_clips_is_their_percentile() -> None:
    likely = np.random.default_rng(0).normal(2.0, 0.4, 4000)
    for share in (0.02, 0.05, 0.3):
        assert threshold(likely, share) == pytest.approx(np.quantile(likely, share), abs=0.03)


@pytest.mark.parametrize("count", [3, 4, 8])
def test_of_few_clips_as_many_further_ones_fall_below_as_asked(count: int) -> None:
    """Drawn from a normal distribution of the usual spread, and from a wider one."""
    rng = np.random.default_rng(count)
    for spread, most in ((0.25, 0.08), (0.75, 0.16)):
        draws = rng.normal(1.0, spread, (4000, count + 1))
        below = np.mean([own[-1] < threshold(own[:-1], 0.05) for own in draws])
        assert 0.01 < below < most
    agreeing = threshold(np.full(count, 1.0), 0.05)
    assert 0.2 < 1.0 - agreeing < 0.6  # clips that agree by chance do not exclude all others


def test_a_lower_percentile_is_a_lower_threshold(found: Selection) -> None:
    members = family()
    loose = select([*members[8:], *strangers()], members[:8], QUICK, rng=np.random.default_rng(1), percentile=1.0)
    assert loose.threshold < found.threshold
    assert set(found.kept) <= set(loose.kept)


def test_similar_ones_stay_and_strangers_go(found: Selection) -> None:
    assert not any(verdict.kept for verdict in found.verdicts[4:])
    assert sum(verdict.kept for verdict in found.verdicts[:4]) >= 3
    for verdict in found.verdicts:
        assert verdict.kept == (verdict.figure >= found.threshold) == (verdict.reason == "")
    assert all("least likely" in verdict.reason for verdict in found.verdicts[4:])
    members = family()
    kept = similar(
        [*members[8:], *strangers()], members[:8], rng=np.random.default_rng(1), settings=QUICK, measure="likelihood"
    )
    assert [id(x) for x in kept] and len(kept) == len(found.kept)


def test_a_spoiled_dof_and_phase_are_named() -> None:
    members = family()
    spoiled = members[8].copy()
    late = slice(len(spoiled) // 2, len(spoiled))
    spoiled[late, 2] += 12.0 * np.hanning(2 * len(spoiled[late]))[: len(spoiled[late])] * spoiled[:, 2].std()
    verdict = select([spoiled], members[:8], QUICK, rng=np.random.default_rng(1)).verdicts[0]
    assert not verdict.kept
    assert "x2" in verdict.reason.split("least likely: ")[1].split(",")[0]
    assert verdict.missed is not None and verdict.missed.shape == (20, 4)
    assert verdict.missed[10:, 2].sum() > 3.0 * verdict.missed[:8, 2].sum()


def test_among_themselves_the_least_likely_goes_first_until_all_reach_the_threshold() -> None:
    members = family()
    candidates = [*members[8:], strangers()[0]]
    found = select(candidates, members[:8], QUICK, rng=np.random.default_rng(1), groups="candidates")
    assert not found.verdicts[-1].kept
    assert all(one.figure >= found.threshold for one in found.verdicts if one.kept) or len(found.kept) < 3
    assert len(found.kept) >= 2


def test_a_group_has_a_model_of_its_own() -> None:
    members = family()[:5]
    model = learn(members, QUICK)
    alone = group_model(model.material, QUICK, list(model.material.values)[:3], np.random.default_rng(4))
    assert len(alone.material.values) == 3 and (alone.deviations.share < model.deviations.share).all()
    assert select(strangers(), members, QUICK, rng=np.random.default_rng(1)).kept == []


def test_too_few_to_group_are_refused() -> None:
    members, rng = family(), np.random.default_rng(0)
    with pytest.raises(UsageError, match="at least 3 comparable ones, not 2"):
        select(members[:2], members[2:6], QUICK, rng=rng, groups="candidates")
