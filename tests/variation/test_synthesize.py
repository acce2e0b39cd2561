"""Laws of synthesis: seeds, amounts, states that are values, streams that hold."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import islice

import numpy as np
import pytest
from freshtake.variation.tables import some_examples

from freshtake.errors import UsageError
from freshtake.variation import VariationModel, learn
from freshtake.variation.network import PriorNetwork, TransitionNetwork
from freshtake.variation.synthesize import advance
from tests.variation.twins import takes


@lru_cache
def model(cyclic: bool = True, scale: float = 1.0) -> VariationModel:
    lengths = (41, 38, 44, 40)
    examples = [scale * x for x in takes(5, dofs=5, lengths=lengths, cyclic=cyclic)]
    return learn(examples, rng=np.random.default_rng(0), frame_time=1 / 30, cyclic=cyclic)


def rows(made: VariationModel, seed: int, amount: float = 1.0, frames: int = 200) -> np.ndarray:
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
    state, controls = made.start(rng), made.controls(1.0)
    parts, saved = [], []
    for _ in range(9):
        saved.append((state, rng.bit_generator.state))
        state, block = advance(state, made.tables, made.mixing, controls, rng)
        parts.append(block)
    whole = np.concatenate(parts)
    expected = rows(made, 9, frames=len(whole))
    np.testing.assert_array_equal(whole, expected)
    for k in (5, 1, 5):  # in any order, and twice: the saved states have not changed
        again, other = saved[k][0], np.random.default_rng()
        other.bit_generator.state = saved[k][1]
        for expected_block in parts[k:]:
            again, block = advance(again, made.tables, made.mixing, controls, other)
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
    rng, controls = np.random.default_rng(0), made.controls(1.0)
    while not state.ended:
        state, _ = advance(state, made.tables, made.mixing, controls, rng)
    again, block = advance(state, made.tables, made.mixing, controls, rng)
    assert again is state
    assert block.shape == (0, 5)


def test_an_acyclic_motion_runs_from_the_examples_starts_to_their_ends() -> None:
    made = model(cyclic=False)
    for frame in (0, -1):
        ends = np.array([x[frame] for x in made.material.values])
        variants = np.array([rows(made, seed)[frame] for seed in range(10)])
        spread = np.ptp(np.concatenate(made.material.values), axis=0)
        assert (np.abs(variants.mean(axis=0) - ends.mean(axis=0)) < 0.1 * spread).all()


def test_a_cyclic_stream_stays_bounded_and_never_repeats() -> None:
    made = model()
    x = rows(made, 7, frames=5000)
    values = np.concatenate(made.material.values)
    middle, half = (values.max(axis=0) + values.min(axis=0)) / 2, np.ptp(values, axis=0) / 2
    assert np.isfinite(x).all()
    assert (np.abs(x - middle) < 1.8 * half).all()
    assert (np.ptp(x[-500:], axis=0) > 1.2 * half).all()  # it still moves
    assert len(np.unique(x.round(9), axis=0)) == len(x)
    early, late = (np.abs(part - middle).mean(axis=0) for part in (x[:1000], x[-1000:]))
    np.testing.assert_allclose(early, late, rtol=0.25)


def test_amount_scales_how_far_variants_lie_from_the_mean() -> None:
    made = model()
    mean = rows(made, 0, amount=0.0, frames=40)
    apart = [
        np.sqrt(np.mean([((rows(made, seed, amount, 40) - mean) ** 2).mean() for seed in range(12)]))
        for amount in (0.25, 0.5, 1.0)
    ]
    assert apart[0] < 0.7 * apart[1] < 0.6 * apart[2]


@pytest.mark.parametrize("cyclic", [True, False])
def test_scaled_examples_give_scaled_variants(cyclic: bool) -> None:
    small, large = model(cyclic), model(cyclic, 8.0)
    assert small.transition.edges == large.transition.edges
    assert small.prior.edges == large.prior.edges
    np.testing.assert_allclose(rows(large, 1), 8.0 * rows(small, 1), rtol=1e-6, atol=1e-6)


def permuted(made: VariationModel, order: list[int]) -> VariationModel:
    """The same model with its DOFs in another order."""
    count = len(order)
    place = {old: new for new, old in enumerate(order)}

    def turned(nodes: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(sorted(n // count * count + place[n % count] for n in nodes))

    names = tuple(made.dofs[k] for k in order)
    m = made.material
    material = replace(
        m, values=tuple(np.ascontiguousarray(x[:, order]) for x in m.values), names=names,
        weights=m.weights[order], rates=m.rates[order],
    )  # fmt: skip
    two = [*order, *[count + k for k in order]]
    return replace(
        made,
        material=material,
        prior=PriorNetwork(names, tuple(turned(made.prior.edges[k]) for k in two)),
        transition=TransitionNetwork(names, 2, tuple(turned(made.transition.edges[k]) for k in order)),
        precision=made.precision[np.ix_(order, order)],
        spread=made.spread[:, order],
    )


@pytest.mark.parametrize("cyclic", [True, False])
def test_the_order_of_dofs_does_not_matter_to_the_mean_motion(cyclic: bool) -> None:
    made, order = model(cyclic), [3, 0, 4, 1, 2]
    other = permuted(made, order)
    np.testing.assert_allclose(rows(other, 0, amount=0.0), rows(made, 0, amount=0.0)[:, order], atol=1e-9)


def test_one_example_with_a_learned_structure_varies() -> None:
    made = model()
    alone = made.with_examples([made.material.values[0]])
    mean = rows(alone, 0, amount=0.0)
    np.testing.assert_array_equal(mean, rows(alone, 1, amount=0.0))
    assert np.abs(rows(alone, 0) - rows(alone, 1)).max() > 0.01


def test_a_pose_that_was_pushed_away_comes_back() -> None:
    """Deltas alone have no restoring force: what is pushed would stay away (see Settings.pull)."""
    made = model()
    ends = []
    for push in (0.0, 1.0):
        rng = np.random.default_rng(0)
        state, controls = made.start(rng, 0.0), made.controls(0.0)
        state = replace(state, y=state.y + push)
        for _ in range(4):
            state, block = advance(state, made.tables, made.mixing, controls, rng)
        ends.append(block[-1])
    assert np.abs(ends[1] - ends[0]).max() < 0.05


def test_bad_amounts_and_endless_rows_are_refused() -> None:
    for amount in (-0.1, 2.1, float("nan")):
        with pytest.raises(UsageError, match="amount must lie between 0 and 2"):
            model().rows(np.random.default_rng(0), amount=amount, frames=10)
    with pytest.raises(UsageError, match="say how many frames"):
        model().rows(np.random.default_rng(0))


def test_a_batch_is_what_each_would_be_alone() -> None:
    made = model()
    together = made.batch([np.random.default_rng(k) for k in range(6)], frames=90)
    for k, block in enumerate(together):
        np.testing.assert_array_equal(block, rows(made, k, frames=90))


def test_many_examples_cost_no_more_than_twelve_and_all_of_them_are_drawn_on() -> None:
    few = model()
    many = few.with_examples([x * (1.0 + 0.01 * k) for k in range(5) for x in few.material.values])
    drawn = [some_examples(many.tables, np.random.default_rng(seed)) for seed in range(12)]
    assert all(len(tables.firsts) == 12 for tables in drawn)
    assert some_examples(few.tables, np.random.default_rng(0)) is few.tables
    table, whole = drawn[0], many.tables
    for k in range(12):  # each is one of the examples, whole
        own = table.low[table.firsts[k] : table.firsts[k] + table.counts[k]]
        parts = [whole.low[whole.firsts[j] : whole.firsts[j] + whole.counts[j]] for j in range(20)]
        same = [j for j, part in enumerate(parts) if np.array_equal(part, own)]
        assert len(same) == 1
        np.testing.assert_array_equal(table.places[:, k], whole.places[:, same[0]])
    assert len({tables.low.tobytes() for tables in drawn}) > 6
    assert np.isfinite(rows(many, 0)).all()
