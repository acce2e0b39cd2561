"""Laws of synthesis: seeds, amounts, states that are values, streams that hold."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from itertools import islice

import numpy as np
import pytest

from freshtake.errors import UsageError
from freshtake.variation import Amount, VariationModel, learn
from freshtake.variation.synthesis.dynamics import STABLE
from freshtake.variation.synthesize import BLOCK, MOST_EXAMPLES, advance, begin
from tests.variation.twins import takes


@lru_cache
def model(cyclic: bool = True, scale: float = 1.0) -> VariationModel:
    lengths = (41, 38, 44, 40)
    examples = [scale * x for x in takes(5, dofs=5, lengths=lengths, cyclic=cyclic)]
    return learn(examples, rng=np.random.default_rng(0), frame_time=1 / 30, cyclic=cyclic)


def rows(made: VariationModel, seed: int, amount: float | Amount = 1.0, frames: int = 200) -> np.ndarray:
    return made.rows(np.random.default_rng(seed), amount=amount, frames=frames if made.cyclic else None)


@pytest.mark.parametrize("cyclic", [True, False])
def test_a_seed_makes_the_rows(cyclic: bool) -> None:
    made = model(cyclic)
    np.testing.assert_array_equal(rows(made, 3), rows(made, 3))
    a, b = rows(made, 3), rows(made, 4)
    count = min(len(a), len(b))
    assert np.abs(a[:count] - b[:count]).max() > 0.01


@pytest.mark.parametrize("cyclic", [True, False])
def test_amount_0_is_the_same_mean_motion_for_every_seed(cyclic: bool) -> None:
    made = model(cyclic)
    mean = rows(made, 0, amount=0.0)
    np.testing.assert_array_equal(mean, rows(made, 1, amount=0.0))
    values = made.material.values
    low, high = np.min([x.min(axis=0) for x in values], axis=0), np.max([x.max(axis=0) for x in values], axis=0)
    slack = 0.05 * (high - low)
    assert (mean >= low - slack).all()
    assert (mean <= high + slack).all()


@pytest.mark.parametrize("cyclic", [True, False])
def test_saving_forking_and_resuming_between_blocks_changes_nothing(cyclic: bool) -> None:
    made = model(cyclic)
    rng = np.random.default_rng(9)
    sampler = made.sampler(1.0)
    state = begin(sampler, rng)
    parts, saved = [], []
    for _ in range(9):
        saved.append((state, rng.bit_generator.state))
        state, block = advance(state, sampler, rng)
        parts.append(block)
    whole = np.concatenate(parts)
    expected = rows(made, 9, frames=len(whole))
    np.testing.assert_array_equal(whole, expected)
    for k in (5, 1, 5):  # in any order, and twice: the saved states have not changed
        again, other = saved[k][0], np.random.default_rng()
        other.bit_generator.state = saved[k][1]
        for expected_block in parts[k:]:
            again, block = advance(again, sampler, other)
            np.testing.assert_array_equal(block, expected_block)


@pytest.mark.parametrize("cyclic", [True, False])
def test_stream_and_rows_are_the_same(cyclic: bool) -> None:
    made = model(cyclic)
    streamed = np.array(list(islice(made.stream(np.random.default_rng(2)), 150)))
    np.testing.assert_array_equal(streamed, rows(made, 2, frames=150)[:150])


def test_rows_kept_from_a_stream_stay_as_they_were() -> None:
    made = model()
    kept = []
    copies = []
    for row in islice(made.stream(np.random.default_rng(2)), 100):
        kept.append(row)
        copies.append(row.copy())
    np.testing.assert_array_equal(kept, copies)


@pytest.mark.parametrize("amount", [0.0, 0.5, 1.0, 2.0])
def test_an_acyclic_motion_ends_by_itself_after_about_the_length_of_the_examples(amount: float) -> None:
    made = model(cyclic=False)
    lengths = [len(rows(made, seed, amount)) for seed in range(10)]
    assert np.mean(lengths) == pytest.approx(40.75, rel=0.08)
    assert len(set(lengths)) == 1 if amount == 0.0 else len(set(lengths)) > 1
    state = made.start(np.random.default_rng(0))
    rng, sampler = np.random.default_rng(0), made.sampler(1.0)
    while not state.ended:
        state, _ = advance(state, sampler, rng)
    again, block = advance(state, sampler, rng)
    assert again is state
    assert block.shape == (0, 5)


def test_an_acyclic_motion_runs_from_the_examples_starts_to_their_ends() -> None:
    made = model(cyclic=False)
    for frame in (0, -1):
        ends = np.array([x[frame] for x in made.material.values])
        variants = np.array([rows(made, seed)[frame] for seed in range(100)])
        spread = np.ptp(np.concatenate(made.material.values), axis=0)
        assert (np.abs(variants.mean(axis=0) - ends.mean(axis=0)) < 0.05 * spread).all()


def test_a_cyclic_stream_stays_bounded_and_never_repeats() -> None:
    made = model()
    x = rows(made, 7, frames=20_000)
    values = np.concatenate(made.material.values)
    middle, half = (values.max(axis=0) + values.min(axis=0)) / 2, np.ptp(values, axis=0) / 2
    assert np.isfinite(x).all()
    assert (np.abs(x - middle) < 1.8 * half).all()
    assert (np.ptp(x[-500:], axis=0) > 1.2 * half).all()  # it still moves
    assert len(np.unique(x.round(9), axis=0)) == len(x)
    early, late = (np.abs(part - middle).mean(axis=0) for part in (x[:5000], x[-5000:]))
    np.testing.assert_allclose(early, late, rtol=0.25)


@pytest.mark.parametrize("cyclic", [True, False])
def test_deviations_from_the_mean_are_in_proportion_to_the_amount(cyclic: bool) -> None:
    """At the mean's tempo frames can be compared one by one: half the amount is half as far."""
    made = model(cyclic)
    mean, half, whole = (rows(made, 5, Amount(space, time=0.0)) for space in (0.0, 0.5, 1.0))
    np.testing.assert_allclose(mean, rows(made, 0, amount=0.0), atol=1e-12)
    np.testing.assert_allclose(2.0 * (half - mean), whole - mean, atol=1e-9)
    assert np.sqrt(((whole - mean) ** 2).mean()) > 0.05


@pytest.mark.parametrize("cyclic", [True, False])
def test_scaled_examples_give_scaled_variants(cyclic: bool) -> None:
    small, large = model(cyclic), model(cyclic, 8.0)
    assert small.transition.edges == large.transition.edges
    np.testing.assert_allclose(rows(large, 1), 8.0 * rows(small, 1), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("cyclic", [True, False])
def test_the_order_of_dofs_does_not_matter(cyclic: bool) -> None:
    made, order = model(cyclic), [3, 0, 4, 1, 2]
    names = [made.dofs[k] for k in order]
    values = [x[:, order] for x in made.material.values]
    other = learn(values, rng=np.random.default_rng(0), names=names, frame_time=1 / 30, cyclic=cyclic)
    for name in (*names, "time"):
        assert set(other.transition.parents(name)) == set(made.transition.parents(name))
    np.testing.assert_allclose(rows(other, 0, amount=0.0), rows(made, 0, amount=0.0)[:, order], atol=1e-6)


def test_one_example_with_a_learned_structure_varies() -> None:
    made = model()
    alone = made.with_examples([made.material.values[0]])
    mean = rows(alone, 0, amount=0.0)
    np.testing.assert_array_equal(mean, rows(alone, 1, amount=0.0))
    assert np.abs(rows(alone, 0) - rows(alone, 1)).max() > 0.01


def test_a_deviation_that_was_pushed_away_comes_back() -> None:
    made = model()
    assert made.dynamics is not None and made.dynamics.growth <= STABLE
    frames_a_step = (len(made.phase_frames) - 1) / made.dynamics.slices
    blocks = math.ceil(math.log(1e-4) / math.log(STABLE) * frames_a_step / BLOCK)
    ends: list[list[np.ndarray]] = [[], []]
    for push in (0, 1):
        rng = np.random.default_rng(0)
        sampler = made.sampler(Amount(1.0, time=0.0))
        state = begin(sampler, rng)
        state = replace(state, rest=state.rest + 5.0 * push)
        for _ in range(blocks):
            state, block = advance(state, sampler, rng)
            ends[push].append(block)
    apart = [float(np.abs(a - b).max()) for a, b in zip(*ends, strict=True)]
    assert apart[0] > 0.1
    assert apart[-1] < 1e-3 * apart[0]


def test_bad_amounts_and_endless_rows_are_refused() -> None:
    for amount in (-0.1, 4.1, float("nan")):
        with pytest.raises(UsageError, match="amount must lie between 0 and 4"):
            model().rows(np.random.default_rng(0), amount=amount, frames=10)
    with pytest.raises(UsageError, match="give a number of frames"):
        model().rows(np.random.default_rng(0))


def test_a_batch_is_what_each_would_be_alone() -> None:
    made = model()
    together = made.batch([np.random.default_rng(k) for k in range(6)], frames=90)
    for k, block in enumerate(together):
        np.testing.assert_array_equal(block, rows(made, k, frames=90))


def test_of_many_examples_twelve_give_their_detail_and_all_of_them_are_drawn() -> None:
    few = model()
    many = few.with_examples([x * (1.0 + 0.01 * k) for k in range(5) for x in few.material.values])
    drawn = [many.start(np.random.default_rng(seed)).chosen for seed in range(12)]
    assert all(len(set(chosen.tolist())) == MOST_EXAMPLES for chosen in drawn)
    assert set(np.concatenate(drawn).tolist()) == set(range(20))
    assert few.start(np.random.default_rng(0)).chosen.tolist() == [0, 1, 2, 3]
    assert np.isfinite(rows(many, 0)).all()
