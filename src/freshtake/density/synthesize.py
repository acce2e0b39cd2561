"""Synthesize one class at a time, online: follow a kernel's successors, jump by the motion density, ease the jumps.

The state is a value, and the model's parts are arguments. Weights, which may change with each frame, determine when
to change to another class.
"""

from dataclasses import dataclass

import numpy as np

from freshtake.density.jumps import (
    AGE,
    DRIVE,
    ENDED,
    FIELDS,
    GOAL,
    PACE,
    PLACE,
    PLAN,
    RUN,
    SPAN,
    TEMPO,
    TEMPO_BOUND,
    TEMPO_FAST,
    Following,
    Rates,
    Track,
    jump,
    restart,
    visit,
)
from freshtake.density.pose_density import nearest_square
from freshtake.density.runs import fading, read_at
from freshtake.density.settings import Settings
from freshtake.errors import UsageError
from freshtake.numeric.arrays import Floats
from freshtake.numeric.compiled import compiled

OPEN, CLOSED = 0.4, 0.6  # a changing weight switches to a class between these weights
CHANCES = 10  # random numbers per frame


@compiled
def best_moment(track: Track, clock: Floats, goal: int, horizon: int) -> int:
    """Return the number of frames, up to the horizon, after which the current run is nearest to another class."""
    d = track.modes
    here = int(clock[RUN])
    first, last = track.firsts[here], track.lasts[here]
    now, before, point = np.empty(d), np.empty(d), np.empty(2 * d)
    best, when = np.inf, 0
    for t in range(max(horizon, 1)):
        place = clock[PLACE] + t * clock[PACE]
        if place > last and t > 0:
            break
        read_at(track.rows, place, first, last, d, now)
        read_at(track.rows, place - 1.0, first, last, d, before)
        for k in range(d):
            point[k] = now[k] * track.scale[k]
            point[d + k] = (now[k] - before[k]) * track.scale[d + k]
        square = nearest_square(track.lookup, point, goal)
        if square < best:
            best, when = square, t
    return when


@compiled
def consider(track: Track, rates: Rates, clock: Floats, credit: Floats, before: Floats, weights: Floats) -> None:
    """Plan a change of class: at equal shares while the weights change, in turn while they are constant.

    `credit` (classes,) are the frames by which each class was followed too little, `before` (classes,) the last
    weights.
    """
    current = track.owners[int(clock[RUN])]
    moved, goal, best, wait = False, -1, 0.0, 0.0
    for c in range(len(weights)):
        moved = moved or abs(weights[c] - before[c]) > 1e-12
    for c in range(len(weights)):
        credit[c] = 0.0 if moved else credit[c] + weights[c] - (1.0 if c == current else 0.0)
        if c != current and weights[c] > 0.0:
            share = weights[c] / (weights[c] + weights[current])
            rise = share - before[c] / max(before[c] + before[current], 1e-12)
            owed = credit[c] - credit[current] >= rates.class_stay
            if (weights[current] <= 0.0 or (share >= OPEN and rise > 0.0) or owed) and share + owed > best:
                best, goal = share + owed, c
                wait = track.periods[current]
                if weights[current] <= 0.0:
                    wait = min(0.5 * wait, rates.blend)
                elif not owed:
                    wait = min(wait, max((CLOSED - share) / rise, 1.0))
    before[:] = weights
    if goal >= 0:
        clock[GOAL] = goal
        clock[PLAN] = best_moment(track, clock, goal, int(wait))


@compiled
def bell(a: float, b: float) -> float:
    """Draw a normal number from two uniform numbers (Box and Muller)."""
    return np.sqrt(-2.0 * np.log(1.0 - a)) * np.cos(2.0 * np.pi * b)


@compiled
def new_pace(rates: Rates, clock: Floats, chances: Floats) -> None:
    """Draw a smooth random pace about the requested one: a process of second order."""
    fast = clock[TEMPO_FAST] * (1.0 - 1.0 / rates.memory)
    clock[TEMPO_FAST] = fast + np.sqrt(2.0 / rates.memory) * bell(chances[0], chances[1])
    clock[TEMPO] += (clock[TEMPO_FAST] - clock[TEMPO]) / rates.memory
    drift = rates.tempo * TEMPO_BOUND * np.tanh(np.sqrt(2.0) * clock[TEMPO] / TEMPO_BOUND)
    clock[PACE] = clock[DRIVE] * (1.0 + drift)


@compiled
def follow(
    out: Floats, state: Following, track: Track, rates: Rates, weights: Floats, chances: Floats, endless: bool
) -> int:
    """Fill in frames (frames, width) from weights (frames, classes) and random numbers; return their number.

    There are fewer than requested only if an acyclic motion has ended and is not `endless`.
    """
    history, clock, credit, before, visits = state
    d, width = track.modes, history.shape[1]
    for t in range(len(out)):
        uniforms = chances[t]
        new_pace(rates, clock, uniforms[:2])
        if len(weights[t]) > 1:
            if clock[PLAN] < 0.0:
                consider(track, rates, clock, credit, before, weights[t])
            else:
                before[:] = weights[t]
        here = int(clock[RUN])
        current, last = track.owners[here], float(track.lasts[here])
        over = clock[PLACE] + clock[PACE] > last
        # Each call of `jump` takes seconds to compile, so there is only one, below.
        goal, forced, again = -1, False, False
        if clock[PLAN] >= 0.0:
            if clock[PLAN] < 1.0 or over:
                goal, forced = int(clock[GOAL]), True
                credit[:] = 0.0
                clock[PLAN] = -1.0
            else:
                clock[PLAN] -= 1.0
        elif over and not track.cyclic[current]:
            if not endless:
                clock[ENDED] = 1.0
                return t
            again = True
        elif over:
            goal, forced = current, True
        elif clock[AGE] >= clock[SPAN] and track.cyclic[current]:
            now = min(int(np.ceil(clock[PLACE])), int(last))
            if uniforms[6] < rates.jump * track.jump_rates[now]:
                goal = current
        if goal >= 0:
            jumped = jump(track, rates, state, goal, forced, uniforms[2:])
            again = forced and not jumped
        if again:  # There is no kernel to draw, so the class restarts.
            restart(track, rates, history, clock, goal if forced else current, uniforms[2])
        here = int(clock[RUN])
        clock[PLACE] += clock[PACE]
        clock[AGE] += 1.0
        visit(track, visits, min(max(int(clock[PLACE]), track.firsts[here]), track.lasts[here]))
        read_at(track.rows, clock[PLACE], track.firsts[here], track.lasts[here], width, out[t])
        keep, push = fading(clock[AGE], clock[SPAN])
        for k in range(width):
            out[t, k] += keep * history[2, k] + push * history[3, k]
            history[1, k], history[0, k] = history[0, k], out[t, k]
        for k in range(d, d + track.rates):
            out[t, k] *= clock[PACE]
    return len(out)


@dataclass(frozen=True, eq=False)
class BlendState:
    """State between frames. It can be stored, forked and resumed."""

    following: Following
    first: bool = True  # the first frame has not been returned yet

    @property
    def ended(self) -> bool:
        """Whether an acyclic motion has ended."""
        return bool(self.following.clock[ENDED] > 0.0)


def controls(settings: Settings, frame_time: float) -> Rates:
    """Convert settings in seconds to numbers of frames."""
    # Frames within 0.15 s count as the same moment; the pace has a memory of half a second.
    return Rates(
        min(frame_time / settings.stay, 1.0), settings.blend / frame_time, max(0.15 / frame_time, 2.0),
        max(0.5 / frame_time, 2.0), settings.tempo, settings.class_stay / frame_time, settings.novelty,
    )  # fmt: skip


def begin(track: Track, weights: Floats, rng: np.random.Generator) -> BlendState:
    """Return the state before the first frame, at a kernel drawn by the weights (classes,)."""
    chances = rng.random(2)
    owner = min(int(np.searchsorted(np.cumsum(weights), chances[0], side="right")), len(weights) - 1)
    members = track.starts[track.owners[track.starts] == owner]
    if track.cyclic[owner]:
        mine = track.lookup.allowed & (track.owners[track.lookup.order] == owner)
        members = np.sort(track.lookup.order[mine])
    kernel = int(members[int(chances[1] * len(members))])
    history = np.zeros((4, track.rows.shape[1]))
    history[0] = track.rows[kernel]
    before = max(kernel - 1, int(track.firsts[kernel]))
    after = min(kernel + 1, int(track.lasts[kernel]))
    history[1] = track.rows[before] if before < kernel else 2.0 * track.rows[kernel] - track.rows[after]
    clock = np.zeros(FIELDS)
    clock[PLACE] = clock[RUN] = kernel
    clock[PLAN], clock[PACE], clock[DRIVE] = -1.0, 1.0, 1.0
    visits = np.zeros(len(track.sizes) + len(weights))
    return BlendState(Following(history, clock, np.zeros(len(weights)), weights.copy(), visits))


def advance(
    state: BlendState, track: Track, rates: Rates, weights: Floats, rng: np.random.Generator, *, endless: bool = True
) -> tuple[BlendState, Floats]:
    """Synthesize one frame per row of weights, one class at a time.

    Each frame uses the same random numbers regardless of block size, so synthesis frame by frame and in blocks gives
    the same motion.

    Args:
        state: the state before the first frame.
        track: the model's kernels, `DensityModel.track`.
        rates: the settings of synthesis in frames, `DensityModel.controls`.
        weights: (frames, classes), each row summing to 1.
        rng: the random generator.
        endless: restart an acyclic class when it has ended.

    Returns:
        The state after the last frame, and rows (frames, width); fewer if an acyclic motion ends.
    """
    classes = len(state.following.credit)
    if weights.ndim != 2 or weights.shape[1] != classes:
        raise UsageError(f"weights must be rows of {classes} classes, not an array of {weights.shape}")
    out = np.empty((len(weights), track.rows.shape[1]))
    lead = 1 if state.first and len(out) else 0
    out[:lead] = state.following.history[0]
    chances = rng.random((len(weights) - lead, CHANCES))
    after = Following(*(part.copy() for part in state.following))
    count = follow(out[lead:], after, track, rates, np.ascontiguousarray(weights[lead:]), chances, endless)
    return BlendState(after, first=state.first and not lead), out[: lead + count]
