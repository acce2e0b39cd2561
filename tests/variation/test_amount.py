"""The amount of variation: as a number, in space and time, by body part."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from freshtake.errors import UsageError
from freshtake.samples import walk
from freshtake.variation import Amount, VariationModel, learn
from freshtake.variation.amount import amount_of
from tests.variation.small_takes import takes


def model(cyclic: bool = True) -> VariationModel:
    return learn(takes(3, lengths=(41, 38, 43, 40)), cyclic=cyclic)


def test_a_number_is_an_amount_in_space_and_time() -> None:
    much = amount_of(0.5)
    assert (much.space, much.tempo, much.largest) == (0.5, 0.5, 0.5)
    assert Amount(0.0, time=1.0).largest == 1.0
    assert Amount(1.0, parts={"a": 1.5}).largest == 1.5


@pytest.mark.parametrize("bad", [-0.1, 4.1, float("nan"), float("inf"), True])
def test_amounts_outside_0_to_4_are_refused(bad: float) -> None:
    for make in (lambda: Amount(bad), lambda: Amount(1.0, time=bad), lambda: Amount(1.0, parts={"arms": bad})):
        with pytest.raises(UsageError, match="must lie between 0 and 4"):
            make()


def test_parts_joints_and_dofs_by_name_the_last_word_counting() -> None:
    skeleton = walk(np.random.default_rng(0), frames=2).skeleton
    dofs = [f"{name}.{axis}" for name in skeleton.names[1:] for axis in "xyz"]
    arm = next(name for name in skeleton.names if "arm" in name.lower() and "left" in name.lower())
    out = dict(
        zip(dofs, Amount(1.0, parts={"arms": 1.5, arm: 0.5, f"{arm}.y": 0.0}).per_dof(dofs, skeleton), strict=True)
    )
    assert (out[f"{arm}.x"], out[f"{arm}.y"]) == (0.5, 0.0)
    assert sum(value == 1.5 for value in out.values()) > 6
    assert {out[dof] for dof in dofs if "leg" in dof.lower()} == {1.0}
    with pytest.raises(UsageError, match=r"no body part, joint or DOF 'tail'.*arms"):
        Amount(1.0, parts={"tail": 1.0}).per_dof(dofs, skeleton)


def deviation(amount: float | Amount) -> np.ndarray:
    made = model(cyclic=True)
    mean = made.rows(np.random.default_rng(0), amount=0.0, frames=40)
    rows = [made.rows(np.random.default_rng(k), amount=amount, frames=40) for k in range(12)]
    return np.sqrt(np.mean([(x - mean) ** 2 for x in rows], axis=(0, 1)))


def test_deviations_grow_with_the_amount_and_calm_parts_stay_near_the_mean() -> None:
    sizes = np.array([deviation(a) for a in (0.25, 0.5, 1.0, 1.5, 2.0)])
    assert (np.diff(sizes, axis=0) > 0).all()
    first = model().dofs[0]
    calm = deviation(Amount(1.0, time=0.0, parts={first: 0.0}))
    free = deviation(Amount(1.0, time=0.0))
    assert calm[0] < 1e-9
    np.testing.assert_allclose(calm[1:], free[1:])


def test_without_an_amount_in_time_all_variants_are_equally_long() -> None:
    made = model(cyclic=False)
    lengths = {len(made.rows(np.random.default_rng(k), amount=Amount(1.0, time=0.0))) for k in range(6)}
    assert len(lengths) == 1
    varied = {len(made.rows(np.random.default_rng(k), amount=Amount(0.0, time=1.0))) for k in range(12)}
    assert len(varied) > 1


def test_a_sampler_is_returned_even_if_another_thread_replaces_the_cached_one() -> None:
    class Shared(dict[Any, Any]):
        def __setitem__(self, key: Any, value: Any) -> None:
            super().__setitem__(key, value)
            self.clear()  # as another thread does that draws with another amount

    made = model()
    made.__dict__["_samplers"] = Shared()
    assert made.sampler(0.5).amounts.time == 0.5
