"""Variants that fail their body checks are redrawn, then vary less, and this is reported."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from freshtake import samples
from freshtake.motion import Clip
from freshtake.motion.body_limits import BodyLimits, learn_limits
from freshtake.requests import Variants
from freshtake.variation import Amount, Settings, VariationModel, learn
from freshtake.variation.amount import GuardReport, amount_of, guard_notes, guarded, scaled
from freshtake.variation.goals.goals import GoalReport
from freshtake.variation.goals.guidance import Guided
from freshtake.workflows.inputs import generator
from freshtake.workflows.varying import guided_variants, warn_of_amount

QUIET = GoalReport(1.0, 1.0, None, 0.0, 0.0, ())
SETTINGS = Settings()

TRIES, SHARES = 5, (0.75, 0.5, 0.25, 0.0)  # not imported, so that no change of them goes unnoticed


@pytest.fixture(scope="module")
def takes() -> list[Clip]:
    return [samples.walk(np.random.default_rng(seed), fps=30.0) for seed in range(3)]


@pytest.fixture(scope="module")
def limits(takes: list[Clip]) -> BodyLimits:
    return learn_limits(takes)


@pytest.fixture(scope="module")
def model(takes: list[Clip]) -> VariationModel:
    return learn(takes, SETTINGS, rng=np.random.default_rng(0), cyclic=True)


def sunk(clip: Clip, depth: float) -> Guided:
    root = clip.root.copy()
    root[:, 1] -= depth
    return Guided(clip.changed(root=root), QUIET)


def test_the_first_that_passes_is_kept(takes: list[Clip], limits: BodyLimits) -> None:
    made, report = guarded(lambda attempt, _: sunk(takes[0], 30.0 if attempt < 2 else 0.0), limits, 1.0)
    assert limits.check(made.motion).passed
    assert report.tries == 3 and report.share == 1.0 and report.left == ()
    assert "deeper" in report.refused[0]
    assert guarded(lambda attempt, _: sunk(takes[0], 0.0), limits, 1.0)[1] == GuardReport()


def test_what_keeps_failing_varies_less(takes: list[Clip], limits: BodyLimits) -> None:
    drawn = []

    def draw(attempt: int, amount: float | Amount) -> Guided:
        drawn.append((attempt, amount_of(amount).space))
        return sunk(takes[0], 40.0 * max(amount_of(amount).space - 0.6, 0.0) * (1 + abs(attempt - 1)))

    made, report = guarded(draw, limits, 1.0)
    assert limits.check(made.motion).passed
    assert report.share == SHARES[1] and report.tries == TRIES + 2
    assert drawn[TRIES:] == [(1, share) for share in SHARES[:2]]  # the best draw, not the first
    notes = guard_notes([report, GuardReport()])
    assert notes[0].startswith("1 of 2 variants was redrawn") and "down to 0.5 of it" in notes[1]


def test_the_best_is_kept_where_none_passes(takes: list[Clip], limits: BodyLimits) -> None:
    amounts = []

    def draw(attempt: int, amount: float | Amount) -> Guided:
        amounts.append(amount_of(amount).space)
        return sunk(takes[0], 30.0 + abs(attempt - 3))

    made, report = guarded(draw, limits, 1.0)
    assert amounts == [1.0] * TRIES + list(SHARES)
    assert made.motion.root[0, 1] == pytest.approx(takes[0].root[0, 1] - 30.0)
    assert report.tries == TRIES + len(SHARES) and "deeper" in report.left[0]
    assert "however they are drawn" in guard_notes([report])[-1]


def test_without_limits_nothing_is_checked(takes: list[Clip]) -> None:
    made, report = guarded(lambda attempt, _: sunk(takes[0], 30.0), None, 1.0)
    assert report == GuardReport() and guard_notes([report]) == []


def test_a_share_of_an_amount() -> None:
    less = scaled(Amount(2.0, 1.0, {"arms": 3.0}), 0.5)
    assert (less.space, less.time, dict(less.parts)) == (1.0, 0.5, {"arms": 1.5})
    assert scaled(1.0, 0.25) == Amount(0.25)


def test_variants_come_from_the_next_generator(model: VariationModel) -> None:
    """Same seed, next try; variants that pass are those without guards."""
    plain = [made.motion for made in guided_variants(model, Variants(count=24, guard=False, plant=False, seed=5))]
    own = model.body_limits
    assert own is not None
    depth = [own.check(clip).measured.values[-5] for clip in plain]
    usual = np.quantile(depth, 0.75)
    strict = replace(own, most=np.where(np.arange(len(own.most)) == len(own.most) - 5, usual, 9.0))
    model.__dict__["body_limits"] = replace(strict, gaps=np.full(len(own.gaps), 1e-6))
    try:
        guarded_ones = list(guided_variants(model, Variants(count=24, plant=False, seed=5)))
    finally:
        model.__dict__["body_limits"] = own
    assert {made.guard.tries > 1 for made in guarded_ones} == {True, False}
    redrawn = [
        made for made in guarded_ones if made.guard.tries > 1 and made.guard.share == 1.0 and not made.guard.left
    ]
    assert redrawn
    for number, (made, alone) in enumerate(zip(guarded_ones, plain, strict=True), 1):
        attempt = made.guard.tries - 1
        assert isinstance(made.motion, Clip)
        if attempt == 0:
            assert np.array_equal(made.motion.root, alone.root)
        elif made in redrawn:
            again = model.sample(generator(5, number, attempt))
            assert np.array_equal(made.motion.rotations, again.rotations)


@pytest.mark.parametrize("amount", [1.0, 4.0])
def test_variants_pass(model: VariationModel, amount: float) -> None:
    """However large the amount, bodies stay possible."""
    own = model.body_limits
    assert own is not None
    for made in guided_variants(model, Variants(count=6, amount=amount, seed=1)):
        assert isinstance(made.motion, Clip) and made.guard.left == ()
        assert own.check(made.motion, amount=amount).passed


def test_an_amount_beyond_what_takes_do_is_told() -> None:
    notes: list[str] = []
    for amount in (1.3, 1.31):
        warn_of_amount(amount, notes.append)
    assert notes == ["an amount of 1.31 is beyond the range of recorded takes, which ends at about 1.3"]
