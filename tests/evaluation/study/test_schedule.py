"""Who watches what: as many trials as in the paper, both conditions balanced, individual orders."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from freshtake.errors import UsageError
from freshtake.evaluation.study import Stimulus, Trial, schedule


def stimuli(experiment: str = "A", motion: str = "walk", counts: tuple[int, int] = (15, 8)) -> list[Stimulus]:
    conditions = ("variants", "captured" if experiment == "A" else "cycle")
    names = [(c, k) for c, n in zip(conditions, counts, strict=True) for k in range(n)]
    return [Stimulus(f"{motion}_{experiment}_{i:03d}", experiment, motion, c) for i, (c, _) in enumerate(names)]


def made(found: list[Stimulus], seed: int = 1, **numbers: int) -> list[Trial]:
    return schedule(found, rng=np.random.default_rng(seed), **numbers)


def test_the_paper_s_set_up_has_225_trials_per_experiment_and_motion() -> None:
    everything = [s for e in "AB" for m in ("walk", "cheering") for s in stimuli(e, m)]
    trials = made(everything)
    assert Counter((t.experiment, t.motion) for t in trials) == {
        (e, m): 225 for e in "AB" for m in ("walk", "cheering")
    }
    assert len({t.participant for t in trials}) == 15
    for participant in {t.participant for t in trials}:
        positions = [t.position for t in trials if t.participant == participant]
        assert positions == list(range(1, 61))


@pytest.mark.parametrize("counts", [(15, 15), (15, 8), (20, 9)])
def test_conditions_and_stimuli_are_balanced(counts: tuple[int, int]) -> None:
    found = stimuli(counts=counts)
    condition = {s.name: s.condition for s in found}
    for seed in range(4):
        trials = made(found, seed)
        for participant in {t.participant for t in trials}:
            own = Counter(condition[t.stimulus] for t in trials if t.participant == participant)
            assert sorted(own.values()) == [7, 8]
        total = Counter(condition[t.stimulus] for t in trials)
        assert abs(total["variants"] - total["captured"]) == 1
        for c in ("variants", "captured"):
            shown = Counter({s.name: 0 for s in found if s.condition == c})
            shown.update(t.stimulus for t in trials if condition[t.stimulus] == c)
            assert max(shown.values()) - min(shown.values()) <= 1


def test_nobody_sees_a_stimulus_twice_while_there_are_enough() -> None:
    trials = made(stimuli(counts=(8, 8)))
    for participant in {t.participant for t in trials}:
        own = [t.stimulus for t in trials if t.participant == participant]
        assert len(set(own)) == len(own)
    few = made(stimuli(counts=(8, 3)), participants=1)
    assert max(Counter(t.stimulus for t in few).values()) == 3


def test_orders_are_random_and_blocks_rotate() -> None:
    everything = [s for e in "AB" for m in ("walk", "jump") for s in stimuli(e, m)]
    trials = made(everything, participants=8)
    orders, firsts = set(), Counter()
    for participant in dict.fromkeys(t.participant for t in trials):
        own = [t for t in trials if t.participant == participant]
        blocks = list(dict.fromkeys((t.experiment, t.motion) for t in own))
        assert len(blocks) == 4 and len([1 for a, b in pairwise(own) if a[2:4] != b[2:4]]) == 3
        firsts[blocks[0]] += 1
        orders.add(tuple(t.stimulus for t in own))
    assert len(orders) == 8
    assert set(firsts.values()) == {2}


def test_positions_do_not_favor_a_condition() -> None:
    """Over many participants, each position has either condition half of the time, within five standard errors."""
    found = stimuli(counts=(8, 8))
    condition = {s.name: s.condition for s in found}
    trials = made(found, participants=600)
    for position in range(1, 16):
        share = np.mean([condition[t.stimulus] == "variants" for t in trials if t.position == position])
        assert abs(share - 0.5) < 5 * 0.5 / np.sqrt(600)


def test_the_seed_decides() -> None:
    assert made(stimuli(), 3) == made(stimuli(), 3) != made(stimuli(), 4)


@pytest.mark.parametrize(
    ("found", "numbers", "says"),
    [
        ([], {}, "needs stimuli"),
        (stimuli(counts=(5, 0)), {}, "only one condition"),
        (stimuli(), {"participants": 0}, "participants"),
        (stimuli(), {"trials": 2000}, "trials"),
        ([Stimulus("x", "E", "walk", "variants")], {}, "the experiments are A, B, C and D"),
        ([Stimulus("x", "A", "walk", "cycle")], {}, "variants and captured"),
    ],
)
def test_bad_designs_are_refused(found: list[Stimulus], numbers: dict[str, int], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        made(found, **numbers)
