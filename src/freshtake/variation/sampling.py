"""Draw variants (Lau 2009, §6): complete takes, endless motion in blocks, and loops, all from one Gaussian."""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.motion.features import Start
from freshtake.motion.features.angles import AT_ORIGIN, Complexes, Path, start_of
from freshtake.motion.tempo import FASTEST_PACE, SLOWEST_PACE
from freshtake.numeric.arrays import Floats, Ints
from freshtake.variation.deviations import KNOTS, Deviations, spline_basis
from freshtake.variation.phase import LOBES, Takes, read_sharply, turn_per_cycle, with_speeds

Key = npt.NDArray[np.uint64]
BLOCK = 32  # frames of an endless motion computed at a time
MARGIN = LOBES + 1  # phases that interpolation needs before the first phase of a block


class Amounts(NamedTuple):
    """Amounts of variation in space (DOFs,) and in time, and the pace relative to the takes' mean."""

    space: Floats
    time: float
    rate: float = 1.0


class Variant(NamedTuple):
    """Rows (frames, DOFs), their phases (frames,), the start of the first row, and the take that it follows most."""

    rows: Floats
    phases: Floats
    start: Start = AT_ORIGIN
    followed: int = 0


class Sampler(NamedTuple):
    """Everything needed to draw variants."""

    deviations: Deviations
    closed: Takes | None  # the takes as cycles whose ends meet; None for motions that are not cyclic
    amounts: Amounts
    low: Floats  # (DOFs,): the value below which the limit sets in
    high: Floats  # (DOFs,): the value above which the limit sets in
    room: Floats  # (DOFs,): how far values may gradually exceed these
    usual: int  # the take nearest to the mean
    frame_time: float  # seconds per frame


def sampler_of(deviations: Deviations, closed: Takes | None, amounts: Amounts, frame_time: float) -> Sampler:
    """Return a sampler; each DOF is limited to the range of the takes, the ground trajectory is unlimited."""
    rows = deviations.takes.rows
    low, high = rows.min(axis=(0, 1)), rows.max(axis=(0, 1))
    if deviations.takes.trajectory is not None:
        low[deviations.takes.trajectory.columns], high[deviations.takes.trajectory.columns] = -np.inf, np.inf
    space = np.concatenate([amounts.space, np.ones(rows.shape[2] - deviations.dofs)])
    # a DOF may exceed the range of the takes by one size, which it approaches gradually
    room = np.concatenate([deviations.total_sizes.mean(axis=0), np.zeros(rows.shape[2] - deviations.dofs)])
    usual = int((deviations.takes.deltas**2).mean(axis=(1, 2)).argmin())
    amounts = amounts._replace(space=space)
    return Sampler(deviations, closed, amounts, low, high, room * space, usual, frame_time)


def draw_variant(sampler: Sampler, rng: np.random.Generator) -> Variant:
    """Draw a complete motion, from the first phase to the last."""
    deviations = sampler.deviations
    takes, phases = deviations.takes, np.arange(float(len(deviations.takes.mean)))
    count, columns = len(takes.rows), deviations.takes.mean.shape[1] + 1
    slow = rng.standard_normal(count + 1)
    knots = int((len(phases) - 1) / deviations.spacing) + KNOTS
    fast = spline_basis(phases / deviations.spacing, 0, knots) @ rng.standard_normal((knots, columns))
    rows, log_pace = combined(
        sampler, takes, phases.astype(np.intp), np.broadcast_to(slow, (len(phases), count + 1)), fast
    )
    # Paces are frames per phase: their sum is the time at which each phase is reached, which is then inverted.
    passed = np.concatenate([[0.0], np.cumsum(np.exp(log_pace[:-1]))]) / sampler.amounts.rate
    frames = max(round(float(passed[-1])), 1)
    at = np.interp(np.linspace(0.0, passed[-1], frames + 1), passed, phases)
    out = read_sharply(rows, at)
    # without variation, no take is followed more than the others
    followed = int(slow[:count].argmax()) if sampler.amounts.space[: deviations.dofs].any() else sampler.usual
    if takes.trajectory is None:
        return Variant(out, at, followed=followed)
    path = takes.placed(takes.trajectory.path(out))
    start = start_of(path, 0, takes.trajectory.layout.up)
    return Variant(with_speeds(takes.trajectory, out, path, sampler.frame_time), at, start, followed)


def combined(sampler: Sampler, takes: Takes, index: Ints, slow: Floats, fast: Floats) -> tuple[Floats, Floats]:
    """Combine whole takes, or their closed cycles, at integer phases, and add the prior's deviations.

    `slow` (n, takes + 1) are standard normals, the weights of the takes and the tempo; `fast` (n, DOFs + 1) are the
    normals of the prior, with the pace in the last column. Returns rows (n, DOFs) with the trajectory in place of
    speeds, and the logarithm (n,) of frames per phase.
    """
    deviations, amounts = sampler.deviations, sampler.amounts
    count, weights = len(takes.rows), slow[:, : len(takes.rows)]
    # A single weight per take for the entire body keeps the coordination that the takes show.
    whole = deviations.weight_size * np.einsum("pl,lpd->pd", weights, takes.deltas[:, index])
    prior = deviations.prior_size * deviations.all_sizes[index] * fast[:, :-1]
    rows = takes.mean[index] + amounts.space * (whole + prior)
    # Joints have limits, a Gaussian has none: rare draws would bend a knee the wrong way.
    rows = limit_gradually(rows, sampler.low, sampler.high, sampler.room)
    steps = np.minimum(index, takes.log_pace.shape[1] - 1)
    # timing depends on what carries the body: use the largest fraction of all columns
    (tempo, within), largest = deviations.timing, int(deviations.share.argmax())
    changed = deviations.weight_size[largest] * np.einsum("pl,lp->p", weights, takes.pace_deltas[:, steps])
    changed += deviations.prior_size[largest] * (tempo * slow[:, count] + within * fast[:, -1])
    slowest, fastest = -np.log(FASTEST_PACE), -np.log(SLOWEST_PACE)  # the logarithm is of frames per phase
    return rows, np.asarray(takes.mean_log_pace[steps] + np.clip(amounts.time * changed, slowest, fastest))


def limit_gradually(rows: Floats, low: Floats, high: Floats, room: Floats) -> Floats:
    """Return rows (n, DOFs) limited gradually to `room` (DOFs,) beyond `low` and `high`."""
    room = np.maximum(room, 1e-12)
    beyond = np.maximum(rows - high, 0.0) - np.maximum(low - rows, 0.0)
    return np.asarray(rows - beyond + room * np.tanh(beyond / room))


@dataclass(frozen=True, eq=False)
class StreamState:
    """The state of an endless motion between blocks. It can be kept, forked and resumed."""

    key: Key  # (2,): identifies the random numbers; each knot has separate numbers, so blocks may have any length
    phase: float = 0.0  # phase of the next frame
    base: int = -MARGIN  # an integer phase before it, at which the body is at `ground` in the common frame
    ground: complex = 0j
    before: tuple[complex, float] | None = None  # position and heading of the last frame; None before the first
    start: Start = AT_ORIGIN  # where the first frame is
    phases: Floats | None = None  # (frames,): phases of the rows of the last block


def begin(rng: np.random.Generator) -> StreamState:
    """Return the state before the first frame."""
    return StreamState(rng.integers(0, 2**63, 2, dtype=np.uint64))


def advance(state: StreamState, sampler: Sampler, frames: int = BLOCK) -> tuple[StreamState, Floats]:
    """Compute the next frames of an endless motion: the state afterwards, and rows (frames, DOFs)."""
    takes = sampler.closed
    assert takes is not None
    usual = float(np.exp(takes.log_pace.mean()))
    # 1.5 times the phases that the mean pace needs; more are computed if that is not enough
    needed = int(1.5 * frames * sampler.amounts.rate / usual) + 2 * MARGIN
    while True:
        grid = np.arange(state.base, int(state.phase) + needed + MARGIN)
        rows, log_pace, offset = _endless(state, sampler, grid)
        now = int(np.floor(state.phase)) - state.base
        passed = np.concatenate([np.zeros(now + 1), np.cumsum(np.exp(log_pace[now:-1]))]) / sampler.amounts.rate
        first = np.interp(state.phase - state.base, np.arange(len(grid)), passed)
        if passed[-1 - LOBES] > first + frames + 1:
            break
        needed *= 2
    moving = np.arange(now, len(grid))
    at = np.interp(first + np.arange(frames + 1.0), passed[moving], grid[moving].astype(np.float64))
    out = read_sharply(rows, at[:-1] - state.base)
    base = int(np.floor(at[-1])) - MARGIN
    if takes.trajectory is None:
        return replace(state, phase=float(at[-1]), base=base, phases=at[:-1]), out
    ground = state.ground
    path, places = path_along(takes, rows, offset, grid, ground, at - state.base)
    if state.before is None:
        # the motion starts where the takes start
        shift = sampler.deviations.takes.mean_path.ground[0] - places[-state.base]
        path, places = Path(path.ground + shift, path.heading), places + shift
    path = takes.placed(path)
    # a row contains the step that leads to it; the first row repeats the step of the second
    before, start = (
        (None, start_of(path, 0, takes.trajectory.layout.up)) if state.before is None else (state.before, state.start)
    )
    if before is None:
        speeds = with_speeds(takes.trajectory, np.concatenate([out, out[-1:]]), path, sampler.frame_time)[:-1]
    else:
        longer = Path(np.append(before[0], path.ground[:-1]), np.append(before[1], path.heading[:-1]))
        speeds = with_speeds(takes.trajectory, np.concatenate([out[:1], out]), longer, sampler.frame_time)[1:]
    last, ahead = (complex(path.ground[-2]), float(path.heading[-2])), complex(places[base - state.base])
    return StreamState(state.key, float(at[-1]), base, ahead, last, start, at[:-1]), speeds


def _endless(state: StreamState, sampler: Sampler, grid: Ints) -> tuple[Floats, Floats, Floats]:
    """Return the result of `cycles_at` for an endless motion; weights change within about two cycles."""
    takes = sampler.closed
    assert takes is not None
    cycle, columns = takes.rows.shape[1] - 1, takes.rows.shape[2] + 1
    slow = _process(state.key, 0, grid / cycle, len(takes.rows) + 1)
    fast = _process(state.key, 1, grid / sampler.deviations.spacing, columns)
    return cycles_at(sampler, np.mod(grid, cycle), slow, fast)


def cycles_at(sampler: Sampler, index: Ints, slow: Floats, fast: Floats) -> tuple[Floats, Floats, Floats]:
    """Combine closed cycles: like `combined`, but the position columns contain steps.

    Also returns the body's offset from its trajectory (n, 2), forward and sideways.
    """
    takes, offset = sampler.closed, np.zeros((len(index), 2))
    assert takes is not None
    if takes.trajectory is not None:
        # the prior moves the body off its trajectory, which must not accumulate from step to step
        ground, deviations = takes.trajectory.ground, sampler.deviations
        size = (sampler.amounts.space * deviations.prior_size)[ground] * deviations.all_sizes[index][:, ground]
        offset = size * fast[:, ground]
        fast = fast.copy()
        fast[:, ground] = 0.0
    rows, log_pace = combined(sampler, takes, index, slow, fast)
    return rows, log_pace, offset


def _process(key: Key, number: int, at: Floats, columns: int) -> Floats:
    """Return a smooth process of variance 1; knot k has a separate generator, independent of earlier draws."""
    first = int(np.floor(at[0]))
    count = int(np.floor(at[-1])) - first + KNOTS
    names = int(key[0]), int(key[1]), number
    knots = np.stack([_knot(*names, knot, columns) for knot in range(first, first + count)])
    return spline_basis(at, first, count) @ knots


# blocks of a stream overlap by several knots, and creating a generator costs more than drawing from it
@lru_cache(maxsize=256)
def _knot(low: int, high: int, number: int, knot: int, columns: int) -> Floats:
    """Return the standard normals (columns,) of one knot; `low` and `high` are the key of the stream."""
    # Philox is addressed by a counter, so any knot can be drawn without the knots before it.
    counter = np.array([0, number, 0, knot + 2**32], dtype=np.uint64)
    philox = np.random.Philox(key=np.array([low, high], dtype=np.uint64), counter=counter)
    values = np.random.Generator(philox).standard_normal(columns)
    values.setflags(write=False)
    return values


def path_along(
    takes: Takes, rows: Floats, offset: Floats, grid: Ints, ground: complex, at: Floats
) -> tuple[Path, Complexes]:
    """Join cycles end to end: each begins where the previous one ended, rotated by the turn of a cycle.

    `rows` combine closed cycles at the integer phases `grid`, with steps in the position columns; `offset` (n, 2) is
    the body's offset from its trajectory, which begins at `ground`. Returns the path at `at`, counted from the first
    phase, and the trajectory's position at every integer phase, without offset.
    """
    assert takes.trajectory is not None
    track, cycle, turn = takes.trajectory.path(rows), takes.rows.shape[1] - 1, turn_per_cycle(takes)
    turned = turn * (grid // cycle)
    # A cycle that turns makes a stream walk in a circle: later cycles are rotated by the accumulated turn.
    spin = np.exp(1j * turned)
    places = ground + np.concatenate([[0.0], np.cumsum(track.ground[:-1] * spin[:-1])])
    shown = places + (offset[:, 0] + 1j * offset[:, 1]) * spin
    read = read_sharply(np.stack([shown.real, shown.imag, track.heading + turned], axis=1), at)
    return Path(read[:, 0] + 1j * read[:, 1], read[:, 2]), places


def draw_loop(
    sampler: Sampler, cycles: int, frames: int | None, rng: np.random.Generator, first: float = 0.0
) -> Variant:
    """Draw a loop: cycles whose deviations are periodic, so the last frame leads into the first.

    With four or more `cycles`, the weights of the takes change along the loop. Without `frames`, its length follows
    from its pace; it begins at the phase `first`.
    """
    takes = sampler.closed
    assert takes is not None
    cycle, columns = takes.rows.shape[1] - 1, takes.rows.shape[2] + 1
    length = cycles * cycle
    knots = max(round(length / sampler.deviations.spacing), KNOTS)
    drawn = rng.standard_normal((cycles, len(takes.rows) + 1)), rng.standard_normal((knots, columns))
    grid = np.arange(int(first) - MARGIN, int(first) + length + MARGIN + 2)
    slow, fast = (_periodic(values, np.mod(grid, length) * (len(values) / length)) for values in drawn)
    rows, log_pace, offset = cycles_at(sampler, np.mod(grid, cycle), slow, fast)
    begins = first - grid[0]
    passed = np.concatenate([[0.0], np.cumsum(np.exp(log_pace[:-1]))]) / sampler.amounts.rate
    whole = np.arange(len(grid), dtype=np.float64)
    since, until = np.interp([begins, begins + length], whole, passed)
    count = max(round(float(until - since)), 2) if frames is None else frames
    at = np.interp(since + (until - since) / count * np.arange(count + 1.0), passed, whole)
    out = read_sharply(rows, at[:-1])
    if takes.trajectory is not None:
        path = path_along(takes, rows, offset, grid, 0j, at)[0]
        out = with_speeds(takes.trajectory, out, Path(path.ground[:-1], path.heading[:-1]), sampler.frame_time)
        # the step to the first row closes the loop
        closing = Path(path.ground[-2:], path.heading[-2:])
        out[0] = np.where(
            np.isin(np.arange(out.shape[1]), takes.trajectory.columns),
            with_speeds(takes.trajectory, out[:2], closing, sampler.frame_time)[1],
            out[0],
        )
    return Variant(out, np.asarray(np.mod(grid[0] + at[:-1], length)))


def _periodic(knots: Floats, at: Floats) -> Floats:
    """Return a periodic smooth process of variance 1, `at` in units of its knots."""
    count = len(knots)
    if count < KNOTS:  # too few to change smoothly: one value for the entire loop
        return np.repeat(knots[:1], len(at), axis=0)
    basis = spline_basis(at, 0, count + KNOTS)
    return np.asarray(basis @ knots[np.arange(count + KNOTS) % count])
