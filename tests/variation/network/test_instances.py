"""Training instances: how many, which rows, and who may learn from whom."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.errors import UsageError
from freshtake.variation.network.instances import (
    MOST_SEARCHED,
    pools,
    prior_instances,
    representative,
    transition_instances,
)
from tests.variation.twins import takes


def test_prior_instances_are_the_first_pairs_of_every_example() -> None:
    examples = takes(0, lengths=(12, 4))
    plain = prior_instances(examples, 10, delta=False)
    coded = prior_instances(examples, 10, delta=True)
    assert plain.clips.tolist() == [0] * 10 + [1] * 3
    for row, (clip, frame) in enumerate([(0, t) for t in range(10)] + [(1, t) for t in range(3)]):
        np.testing.assert_array_equal(plain.values[row], np.concatenate(examples[clip][frame : frame + 2]))
    np.testing.assert_array_equal(coded.values[:, :4], plain.values[:, :4])
    np.testing.assert_allclose(coded.values[:, :4] + coded.values[:, 4:], plain.values[:, 4:], atol=1e-15)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_every_frame_with_enough_before_it_is_an_instance(order: int) -> None:
    """n_trans = sum_l (n_l - order) (Lau 2009, §5)."""
    examples = takes(0, lengths=(9, 5, 7))
    found = transition_instances(examples, order)
    assert len(found.queries) == sum(len(x) - order for x in examples)
    k = 0
    for clip, x in enumerate(examples):
        for t in range(order - 1, len(x) - 1):
            np.testing.assert_array_equal(found.rows[found.queries[k]], x[t])
            np.testing.assert_array_equal(found.rows[found.queries[k] + 1], x[t + 1])
            np.testing.assert_array_equal(found.rows[found.queries[k] - order + 1], x[t - order + 1])
            assert found.clips[k] == clip
            assert found.fresh[k] == (t == order - 1)
            k += 1


def test_pools_are_all_instances_of_the_other_examples() -> None:
    found = transition_instances(takes(0, lengths=(9, 5, 7)), 2)
    listed = pools(found)
    for clip in range(3):
        members = listed[clip][listed[clip] >= 0]
        np.testing.assert_array_equal(np.sort(members), np.sort(found.queries[found.clips != clip]))
        assert (listed[clip][len(members) :] == -1).all()


def test_an_example_too_short_is_named() -> None:
    with pytest.raises(UsageError, match="example 2 has 3 frames: order 3 needs at least 4"):
        transition_instances(takes(0, lengths=(9, 3)), 3)


def test_few_examples_all_stand_for_themselves() -> None:
    for count in (1, 8, MOST_SEARCHED):
        assert representative(takes(0, lengths=tuple(range(9, 9 + count)))) == list(range(count))


def test_of_many_examples_a_bounded_number_stands_for_all_lengths() -> None:
    lengths = np.random.default_rng(5).integers(20, 60, 100)
    examples = [np.zeros((n, 1)) for n in lengths]
    chosen = representative(examples)
    assert len(set(chosen)) == MOST_SEARCHED and chosen == sorted(chosen) == representative(examples)
    assert {int(lengths.min()), int(lengths.max())} <= {int(lengths[k]) for k in chosen}
    shares = [(lengths < lengths[k]).mean() for k in chosen]
    assert np.diff(sorted(shares)).max() < 0.2


def test_examples_of_one_length_are_taken_from_first_to_last() -> None:
    chosen = representative([np.zeros((9, 1))] * 45)
    assert chosen[0] == 0 and chosen[-1] == 44 and max(np.diff(chosen)) == 4
