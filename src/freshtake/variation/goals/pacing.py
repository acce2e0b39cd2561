"""Where a variant with goals begins and ends, and its pace: phases for poses, tempo for duration and speed."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.features import where_it_ends
from freshtake.motion.features.angles import AT_ORIGIN, ground_of
from freshtake.numeric.arrays import Bools
from freshtake.variation.amount import Amount
from freshtake.variation.goals.goals import Goals, PosePin, ground_speed
from freshtake.variation.goals.steering import Steering
from freshtake.variation.phase import read_at
from freshtake.variation.sampling import Variant

if TYPE_CHECKING:
    from freshtake.variation.model import VariationModel

SLOWEST_GOAL, FASTEST_GOAL = 0.7, 1.4  # of the mean pace; beyond it a goal is met as nearly as this allows


class Stretch(NamedTuple):
    """The part of an endless motion that becomes a variant: its first phase, and its length in phases or frames."""

    first: float
    phases: float
    frames: int | None
    cycles: int


def paced(
    model: VariationModel, rng: np.random.Generator, goals: Goals, amount: float | Amount, cycles: int | None
) -> tuple[float, Variant]:
    """The drawn variant at the pace that gives the wanted duration or speed, and that pace."""
    frames = None if goals.duration is None else 1 + round(goals.duration / model.frame_time)
    if frames is not None and frames < 2:
        raise UsageError(f"a duration of {goals.duration:g} s is less than two frames")
    stretch = stretch_of(model, goals, cycles, frames) if model.cyclic else None
    rate = 1.0
    if goals.speed is None and frames is None:  # nothing to aim at
        return rate, _drawn(model, rng, stretch, amount, rate, goals.steer)
    # the duration depends on the draw: correct the tempo up to eight times
    for _ in range(8):
        trial_rng = deepcopy(rng)
        block = _drawn(model, trial_rng, stretch, amount, rate, goals.steer)
        better = rate * _missing(model, goals, block, frames)
        better = float(np.clip(better, SLOWEST_GOAL, FASTEST_GOAL))
        if abs(better / rate - 1.0) < 1e-3 * (goals.speed is not None) + 1e-9:
            break
        rate = better
    if frames is not None and stretch is not None and stretch.cycles > 1 and SLOWEST_GOAL < rate < FASTEST_GOAL:
        # cycles end between frames: the last ones are met to the frame
        trial_rng = deepcopy(rng)
        block = _drawn(model, trial_rng, stretch._replace(frames=frames), amount, rate, goals.steer)
    rng.bit_generator.state = trial_rng.bit_generator.state
    return rate, block


def _missing(model: VariationModel, goals: Goals, block: Variant, frames: int | None) -> float:
    """By what the pace must change."""
    if goals.speed is not None:
        speed = ground_speed(model.decode(block.rows))
        if not speed:
            raise UsageError("this motion does not travel: leave the speed out")
        return goals.speed / speed
    return 1.0 if frames is None else (len(block.rows) - 1) / (frames - 1)


def stretch_of(model: VariationModel, goals: Goals, cycles: int | None, frames: int | None) -> Stretch:
    """A cyclic variant begins at the phase of its first pose and ends at that of its last, if they are given.

    It is as near to so many cycles as that allows; without a number, to as many as the duration asks for, or to one.
    """
    if cycles is not None and cycles < 1:
        raise UsageError(f"the number of cycles must be 1 or more, not {cycles}")
    whole = len(model.phase_frames) - 1.0
    usual = sum(len(x) - 1 for x in model.material.values) / len(model.material.values)
    count = cycles or _cycles_between(model, goals) or 1
    if cycles is None and frames is not None:
        count = max(1, round((frames - 1) / usual))
    by_frames = frames if goals.speed is not None else None
    first = 0.0 if goals.start is None else phase_of(model, goals.start)
    if goals.end is None:
        return Stretch(first, count * whole, by_frames, count)
    more = (phase_of(model, goals.end) - first) % whole
    return Stretch(first, more + whole * (count - 1 if more > 0.5 * whole else count), by_frames, count)


def _cycles_between(model: VariationModel, goals: Goals) -> int | None:
    """Return how many cycles lead from the place of the first pose to that of the last; None where these are open."""
    start, end = goals.start, goals.end
    if start is None or end is None or not (start.placed and end.placed) or model.takes.course is None:
        return None
    up = start.motion.up
    far = ground_of(end.motion.root[end.frame], up) - ground_of(start.motion.root[start.frame], up)
    mean = model.takes.course_mean.ground
    return max(1, round(float(abs(far)) / max(float(abs(mean[-1] - mean[0])), 1e-12)))


def phase_of(model: VariationModel, pin: PosePin) -> float:
    """The phase at which the examples are nearest to a pose, by the joints that it pins."""
    chosen = pinned_dofs(model, pin)
    row = model.encode(pin.motion)[pin.frame, chosen]
    weights = model.material.weights[chosen]
    squared = np.zeros(len(model.phase_frames))
    for example, phase_frames in zip(model.material.values, model.phase_frames.T, strict=True):
        squared += (((read_at(example[:, chosen], phase_frames) - row) * weights) ** 2).sum(axis=1)
    return float(squared[:-1].argmin())


def pinned_dofs(model: VariationModel, pin: PosePin) -> Bools:
    """(DOFs,): which of them a pose pins; speeds never."""
    if not pin.joints:
        return ~model.material.held
    owners = [dof.rpartition(".")[0] for dof in model.dofs]
    unknown = [joint for joint in pin.joints if joint not in owners]
    if unknown:
        raise UsageError(f"there is no joint {unknown[0]!r} that moves; those are {', '.join(dict.fromkeys(owners))}")
    return np.asarray(~model.material.held & np.array([name in pin.joints for name in owners]))


def _drawn(
    model: VariationModel, rng: np.random.Generator, stretch: Stretch | None, amount: float | Amount, rate: float,
    steer: Steering | None,
) -> Variant:  # fmt: skip
    if stretch is None:
        return model.made(rng, amount=amount, rate=rate, steer=steer)
    if stretch.first == 0.0 and stretch.phases == stretch.cycles * (len(model.phase_frames) - 1.0):
        cycles = stretch.cycles if stretch.frames is None else None
        return model.made(rng, amount=amount, rate=rate, steer=steer, cycles=cycles, frames=stretch.frames)
    from freshtake.variation.live import steered_rows  # live imports goals

    block = _cut(model, rng, stretch, amount, rate)
    return block if steer is None else block._replace(rows=steered_rows(model, steer, block.rows))


def _cut(
    model: VariationModel, rng: np.random.Generator, stretch: Stretch, amount: float | Amount, rate: float
) -> Variant:
    """Return a stretch of an endless motion; what comes before it is dropped."""
    rows, phases, count, last = [], [], 0, stretch.first + stretch.phases
    start, resume = None, False
    for block in model.blocks(rng, amount=amount, rate=rate):
        begun = block.phases >= stretch.first
        start = block.start if start is None else start
        if not begun.all() and model.material.recipe is not None:
            start = where_it_ends(model.material.recipe, block.rows[~begun], start=start, resume=resume)
            resume = True
        rows.append(block.rows[begun])
        phases.append(block.phases[begun])
        count += int(begun.sum())
        if count >= stretch.frames if stretch.frames is not None else block.phases[-1] >= last:
            break
    passed = np.concatenate(phases)
    frames = stretch.frames if stretch.frames is not None else 1 + int(np.argmax(passed >= last))
    return Variant(np.concatenate(rows)[:frames], passed[:frames], start or AT_ORIGIN)
