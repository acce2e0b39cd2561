"""Loops from a model: one or more cycles whose deviations are periodic, so that the last frame leads into the first.

The mean course of a cycle is closed. Deviations are the solution of the network's equation that repeats itself,
z[t + M] = z[t], brought to the size that they have far from any start: the examples' own deviations, which are cycles
too, were learned in the same way. Traits hold for a loop of a few cycles. Its duration is a whole number of frames.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.cycles.looping import closed, planted_loop, played, with_closing_frame
from freshtake.motion.cycles.seams import steps_of
from freshtake.motion.features import Start
from freshtake.motion.playback import Playback
from freshtake.numeric.arrays import Floats, Ints
from freshtake.variation.goals.goals import GoalReport, Goals, ground_speed
from freshtake.variation.goals.guidance import Guided
from freshtake.variation.goals.pacing import FASTEST as QUICKEST
from freshtake.variation.goals.pacing import SLOWEST as SLOWEST_RATE
from freshtake.variation.goals.steering import turn_column
from freshtake.variation.planting import variant_settings
from freshtake.variation.synthesis.amount import Amount
from freshtake.variation.synthesis.dynamics import Dynamics
from freshtake.variation.synthesis.frame_kernels import FASTEST, SLOWEST, Knots, draw_slices, make_loop, nodes_along
from freshtake.variation.synthesize import (
    MEMORY,
    MOST_EXAMPLES,
    SHARE_KNOTS,
    TRAIT_KNOTS,
    Sampler,
    choose_detail,
    draw_traits,
)

if TYPE_CHECKING:
    from freshtake.variation.model import VariationModel

ROOM = (0.85, 0.5)  # of the examples' largest steps and bends, where loops begin: single ones differ by as much
FEWEST_KNOTS = MEMORY  # of traits that change along a loop; shorter loops keep theirs


class Closing(NamedTuple):
    """What makes a draw of M frames of the network periodic, and the factors (nodes,) that restore its usual size."""

    start: Floats  # (2 nodes, 2 nodes): from the end of a draw that begins at 0 to the first state of a periodic one
    scale: Floats


@lru_cache(maxsize=16)
def closing(dynamics: Dynamics, frames: int) -> Closing:
    """x = (I - F^M)^-1 x_M, where x_M is what M frames lead to from 0."""
    step, noise = dynamics.step_and_noise
    nodes = len(noise)
    power, spread = np.eye(2 * nodes), np.zeros((2 * nodes, 2 * nodes))
    for _ in range(frames):
        pushed = power[:, :nodes] @ noise
        spread += pushed @ pushed.T
        power = step @ power
    start = np.asarray(np.linalg.inv(np.eye(2 * nodes) - power), dtype=np.float64)
    periodic = np.diag(start @ spread @ start.T)[:nodes]
    usual = np.diag(dynamics.covariance)[:nodes]
    return Closing(start, np.sqrt(usual / np.maximum(periodic, 1e-12)))


def periodic_slices(dynamics: Dynamics, frames: int, rng: np.random.Generator) -> Floats:
    """(frames, nodes): frames of the network whose last ones lead into the first."""
    nodes = len(dynamics.noise)
    noise, slices = rng.standard_normal((frames, nodes)), np.zeros((2 + frames, nodes))
    draw_slices(dynamics.packed, noise, slices)
    close = closing(dynamics, frames)
    first = close.start @ np.concatenate([slices[-1], slices[-2]])
    slices[0], slices[1] = first[nodes:], first[:nodes]
    draw_slices(dynamics.packed, noise, slices)
    return np.asarray(slices[:frames] * close.scale)


class LoopRows(NamedTuple):
    """Rows (frames, DOFs) of a loop and their phases (frames,); speeds of the first row lead to it from the last."""

    rows: Floats
    phases: Floats


def loop_rows(
    sampler: Sampler, cycles: int, frames: int | None, rng: np.random.Generator, first: float = 0.0
) -> LoopRows:
    """Draw a loop of `cycles` cycles, starting at a whole phase; `frames` sets its length."""
    return _rows(sampler, *_knots(sampler, cycles, rng), cycles, frames, first)


def _rows(sampler: Sampler, knots: Knots, chosen: Ints, cycles: int, frames: int | None, first: float) -> LoopRows:
    length = cycles * (len(sampler.tables.mean) - 1.0)
    phases = _phases(sampler, knots, length, frames, first)
    rows = np.empty((len(phases), sampler.tables.detail.shape[2]))
    make_loop(rows, phases + length, length, sampler.tables, knots, sampler.amounts, chosen)
    return LoopRows(rows, phases)


def _knots(sampler: Sampler, cycles: int, rng: np.random.Generator) -> tuple[Knots, Ints]:
    """Knots of processes that repeat themselves after the loop."""
    dynamics, length = sampler.dynamics, len(sampler.tables.mean) - 1.0
    chosen = choose_detail(len(sampler.tables.detail), rng)
    rest = periodic_slices(dynamics, cycles * dynamics.slices, rng)
    count = max(FEWEST_KNOTS, round(cycles / TRAIT_KNOTS))
    traits = draw_traits(sampler, count, rng)
    spacing = cycles * length / count if cycles >= FEWEST_KNOTS else np.inf
    shares = rng.standard_normal((round(cycles / SHARE_KNOTS), len(chosen)))
    return Knots(
        _again(rest), _again(traits), _again(shares), 0, 0, 0, spacing, SHARE_KNOTS * length
    ), chosen  # fmt: skip


def _again(knots: Floats) -> Floats:
    """Knots of three loops: the middle one is read, and feet that stand look before and after it."""
    return np.ascontiguousarray(knots[np.arange(3 * len(knots) + MEMORY) % len(knots)])


def _phases(sampler: Sampler, knots: Knots, length: float, frames: int | None, first: float) -> Floats:
    """(frames,): phases at which the frames of a loop lie; their number makes its duration, rounded, unless told."""
    from scipy.interpolate import CubicSpline  # loads slowly, and only loops need it

    tables, amounts = sampler.tables, sampler.amounts
    at = np.arange(round(length) + 1, dtype=np.float64)
    values = np.empty((len(at), tables.mean.shape[1]))
    nodes_along(np.mod(at, length) + length, tables, knots, amounts, values)
    time, tempo = values[:-1, tables.detail.shape[2]], values[:-1, -1]
    usual = tables.pace[np.arange(len(time)) % (len(tables.pace) - 1)]
    pace = tempo + 0.5 * (np.roll(time, -1) - np.roll(time, 1))
    pace = np.clip(pace, SLOWEST * usual, FASTEST * usual)
    steps = 0.5 * (pace + np.roll(pace, -1))
    passed = np.concatenate([[0.0], np.cumsum(steps)])
    if frames is None:
        frames = max(2, round(passed[-1] / amounts.rate))
    passed *= frames / passed[-1]
    ahead = at - passed * length / frames  # of a steady pace, and periodic
    ahead[-1] = ahead[0]
    numbers = np.interp(first, at, passed) + np.arange(frames, dtype=np.float64)
    phases = numbers * length / frames + CubicSpline(passed, ahead, bc_type="periodic")(numbers)
    return np.asarray(np.where(phases < length, phases, phases - length))


@lru_cache(maxsize=8)
def first_phase(model: VariationModel) -> float:
    """Where loops begin: at the phase at which the examples, closed to loops, are calmest on average.

    A seam in an impact is as smooth as the impact, which is less than one may want to see.
    """
    examples = [clip for clip in map(model.decode, model.material.values) if isinstance(clip, Clip) and len(clip) > 3]
    if not examples:
        return 0.0
    seams = []
    for clip, places in zip(examples[:MOST_EXAMPLES], model.phase_frames.T, strict=False):
        loop_steps = steps_of(played(closed(clip, 0, len(clip) - 1), len(clip) + 1, -1))
        both = np.stack([loop_steps.step[:-1], np.maximum(loop_steps.bend, np.roll(loop_steps.bend, 1))])
        seams.append([np.interp(places[:-1], np.arange(len(clip)), np.append(x, x[0])) for x in both])
    example_steps = [np.concatenate(part) for part in zip(*map(steps_of, examples), strict=True)]
    quick = [
        x / (room * np.percentile(y, 99.0)) for x, y, room in zip(np.mean(seams, 0), example_steps, ROOM, strict=True)
    ]
    return float(np.maximum(*quick).argmin())


def looped(
    model: VariationModel,
    rng: np.random.Generator,
    goals: Goals,
    *,
    amount: float | Amount,
    cycles: int | None,
    plant: bool | str,
    name: str,
) -> Guided:
    """A loop that meets a duration or a speed, its feet planted through the seam."""
    check_loop(model, goals)
    count, frames, rate = cycles or 1, None, 1.0
    usual = float(np.mean([len(x) - 1 for x in model.material.values]))
    if goals.duration is not None:
        wanted = round(goals.duration / model.frame_time)
        count = cycles or max(1, round(wanted / usual))
        frames = round(float(np.clip(wanted, count * usual / QUICKEST, count * usual / SLOWEST_RATE)))
    seed = rng.bit_generator.state
    loop = loop_rows(model.sampler(amount), count, frames, rng, first_phase(model))
    clip = decoded_loop(model, loop, count, name)
    if goals.speed is not None:
        speed = ground_speed(with_closing_frame(clip)) if isinstance(clip, Clip) else None
        if not speed:
            raise UsageError("this motion does not travel: leave the speed out")
        rate = float(np.clip(goals.speed / speed, SLOWEST_RATE, QUICKEST))
        rng.bit_generator.state = seed
        loop = loop_rows(model.sampler(amount, rate=rate), count, None, rng, first_phase(model))
        clip = decoded_loop(model, loop, count, name)
    if plant and isinstance(clip, Clip) and model.planting_model is not None:
        clip = _planted(model, clip, loop, plant)
    speed = ground_speed(with_closing_frame(clip)) if isinstance(clip, Clip) else None
    report = GoalReport(rate, len(loop.rows) * model.frame_time, speed, 0.0, 0.0, ())
    return Guided(clip, report, loop.phases)


def check_loop(model: VariationModel, goals: Goals) -> None:
    """Refuse what has no loops, and goals that a loop cannot meet."""
    if not model.cyclic:
        raise UsageError("the model is of a motion that ends by itself, so it has no loops: leave --loop out")
    if model.kernel is not None:
        raise UsageError("loops need a model of the default method: the paper's sampler knows no phase to close")
    if goals.start or goals.end or goals.poses or goals.targets or goals.steer:
        raise UsageError("a loop goes straight on forever: leave out poses, pins, headings and paths")


def decoded_loop(model: VariationModel, loop: LoopRows, cycles: int, name: str) -> Any:
    """Rows of a loop as a motion that faces forward on average; a net turn is spread over the loop and so taken out."""
    recipe, rows = model.material.recipe, loop.rows
    if recipe is None or recipe.motion_type is not Clip:
        return model.decode(rows, name=name)
    turn, start = 0.0, Start()
    try:
        column = turn_column(recipe)
    except UsageError:  # a root that is coded by its place: nothing adds up
        column = None
    if column is not None:
        rows = rows.copy()
        rate = float(rows[:, column].mean())
        turn = rate * len(rows) * model.frame_time
        rows[:, column] -= rate
        heading = np.cumsum(rows[:, column]) * model.frame_time
        start = Start(heading=-float((heading - heading[0]).mean()))
    whole = model.decode(np.concatenate([rows, rows[:1]]), start=start, name=name)
    travel = whole.root[-1] - whole.root[0]
    travel[whole.up_index] = 0.0
    info = Playback(travel, len(rows) * model.frame_time, loop=True, cycles=cycles, turn=turn)
    moving = whole.joint_translations
    return whole.changed(
        root=whole.root[:-1],
        rotations=whole.rotations[:-1],
        joint_translations=None if moving is None else moving[:-1],
        playback=info,
    )


def _planted(model: VariationModel, loop: Clip, loop_rows: LoopRows, plant: bool | str) -> Clip:
    assert model.planting_model is not None
    phases = loop_rows.phases

    def contacts(clip: Clip, frames: Ints) -> Floats:
        return model.standing(clip, phases[frames])

    return planted_loop(loop, model.planting_model, contacts, settings=variant_settings(plant), careful=False)
