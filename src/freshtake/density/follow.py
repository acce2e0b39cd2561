"""The default synthesis, compiled: follow a kernel's successors, jump by the motion density, even out the jumps.

When to change from one class to another, by weights that may change with every frame: compiled.
"""

from __future__ import annotations

import numpy as np

from freshtake.density.jumps import (
    AGE,
    DRIVE,
    ENDED,
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
from freshtake.density.kernel_search import nearest_square
from freshtake.density.runs import fading, read_at
from freshtake.numeric.arrays import Floats
from freshtake.numeric.compiled import compiled

OPEN, CLOSED = 0.4, 0.6  # shares of a class between which a moving weight changes over to it
CHANCES = 10  # random numbers per frame, before those of the noise


@compiled
def best_moment(track: Track, clock: Floats, goal: int, horizon: int) -> int:
    """In how many frames the run that is followed comes nearest to another class."""
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
    """Plan a change of class where the weights say so: while they move, at equal shares; while they rest, in turn.

    `credit` (classes,) is how long each class has been owed its share, `before` (classes,) the last frame's weights.
    """
    own = track.owners[int(clock[RUN])]
    moved, goal, best, wait = False, -1, 0.0, 0.0
    for c in range(len(weights)):
        moved = moved or abs(weights[c] - before[c]) > 1e-12
    for c in range(len(weights)):
        credit[c] = 0.0 if moved else credit[c] + weights[c] - (1.0 if c == own else 0.0)
        if c != own and weights[c] > 0.0:
            share = weights[c] / (weights[c] + weights[own])
            rise = share - before[c] / max(before[c] + before[own], 1e-12)
            owed = credit[c] - credit[own] >= rates.class_stay
            if (weights[own] <= 0.0 or (share >= OPEN and rise > 0.0) or owed) and share + owed > best:
                best, goal = share + owed, c
                wait = track.periods[own]
                if weights[own] <= 0.0:
                    wait = min(0.5 * wait, rates.blend)
                elif not owed:
                    wait = min(wait, max((CLOSED - share) / rise, 1.0))
    before[:] = weights
    if goal >= 0:
        clock[GOAL] = goal
        clock[PLAN] = best_moment(track, clock, goal, int(wait))


@compiled
def bell(a: float, b: float) -> float:
    """A normal number from two uniform ones (Box and Muller)."""
    return np.sqrt(-2.0 * np.log(1.0 - a)) * np.cos(2.0 * np.pi * b)


@compiled
def new_pace(rates: Rates, clock: Floats, chances: Floats) -> None:
    """A smooth random pace about that which is asked for: a process of second order."""
    fast = clock[TEMPO_FAST] * (1.0 - 1.0 / rates.memory)
    clock[TEMPO_FAST] = fast + np.sqrt(2.0 / rates.memory) * bell(chances[0], chances[1])
    clock[TEMPO] += (clock[TEMPO_FAST] - clock[TEMPO]) / rates.memory
    drift = rates.tempo * TEMPO_BOUND * np.tanh(np.sqrt(2.0) * clock[TEMPO] / TEMPO_BOUND)
    clock[PACE] = clock[DRIVE] * (1.0 + drift)


@compiled
def disturb(row: Floats, noise_state: Floats, rates: Rates, scale: Floats, chances: Floats, modes: int) -> None:
    """Smooth noise on the modes, `rates.noise` kernel widths wide; its state is `noise_state` (2, modes)."""
    for k in range(modes):
        fast = noise_state[1, k] * (1.0 - 1.0 / rates.memory)
        noise_state[1, k] = fast + np.sqrt(2.0 / rates.memory) * bell(chances[2 * k], chances[2 * k + 1])
        noise_state[0, k] += (noise_state[1, k] - noise_state[0, k]) / rates.memory
        row[k] += rates.noise * np.sqrt(2.0) * noise_state[0, k] / scale[k]


@compiled
def follow(
    out: Floats, state: Following, track: Track, rates: Rates, weights: Floats, chances: Floats, endless: bool
) -> int:
    """Frames (frames, width) one after the other, with weights (frames, classes) and random numbers; how many.

    Fewer than asked for only where an acyclic motion has ended and is not `endless`.
    """
    held, clock, credit, before, noise_state, visits = state
    d, width = track.modes, held.shape[1]
    for t in range(len(out)):
        luck = chances[t]
        new_pace(rates, clock, luck[:2])
        if len(weights[t]) > 1:
            if clock[PLAN] < 0.0:
                consider(track, rates, clock, credit, before, weights[t])
            else:
                before[:] = weights[t]
        here = int(clock[RUN])
        own, last = track.owners[here], float(track.lasts[here])
        over = clock[PLACE] + clock[PACE] > last
        goal, forced, again = -1, False, False  # jumps are called in one place: each call compiles for seconds
        if clock[PLAN] >= 0.0:
            if clock[PLAN] < 1.0 or over:
                goal, forced = int(clock[GOAL]), True
                credit[:] = 0.0
                clock[PLAN] = -1.0
            else:
                clock[PLAN] -= 1.0
        elif over and not track.cyclic[own]:
            if not endless:
                clock[ENDED] = 1.0
                return t
            again = True
        elif over:
            goal, forced = own, True
        elif clock[AGE] >= clock[SPAN] and track.cyclic[own]:
            now = min(int(np.ceil(clock[PLACE])), int(last))
            if luck[6] < rates.jump * track.haste[now]:
                goal = own
        if goal >= 0:
            made = jump(track, rates, state, goal, forced, luck[2:])
            again = forced and not made
        if again:  # to a start, where there is no kernel to draw
            restart(track, rates, held, clock, goal if forced else own, luck[2])
        here = int(clock[RUN])
        clock[PLACE] += clock[PACE]
        clock[AGE] += 1.0
        visit(track, visits, min(max(int(clock[PLACE]), track.firsts[here]), track.lasts[here]))
        read_at(track.rows, clock[PLACE], track.firsts[here], track.lasts[here], width, out[t])
        keep, push = fading(clock[AGE], clock[SPAN])
        for k in range(width):
            out[t, k] += keep * held[2, k] + push * held[3, k]
            held[1, k], held[0, k] = held[0, k], out[t, k]
        for k in range(d, d + track.rates):
            out[t, k] *= clock[PACE]
        if rates.noise > 0.0:
            disturb(out[t], noise_state, rates, track.scale, luck[CHANCES:], d)
    return len(out)
