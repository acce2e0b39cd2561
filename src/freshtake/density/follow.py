"""The default synthesis, compiled: follow a kernel's successors, jump by the motion density, even out the jumps."""

from __future__ import annotations

import numpy as np

from freshtake.density.blending import consider
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
    TEMPO_FAST,
    Rates,
    Track,
    excess,
    jump,
    restart,
    visit,
)
from freshtake.density.tracks import fading, read_at
from freshtake.numeric.arrays import Floats
from freshtake.numeric.compiled import kernel

CHANCES = 10  # random numbers per frame, before those of the noise
TEMPO_BOUND = 1.7  # standard deviations


@kernel
def bell(a: float, b: float) -> float:
    """A normal number from two uniform ones (Box and Muller)."""
    return np.sqrt(-2.0 * np.log(1.0 - a)) * np.cos(2.0 * np.pi * b)


@kernel
def new_pace(rates: Rates, clock: Floats, chances: Floats) -> None:
    """A smooth random pace about that which is asked for: a process of second order."""
    fast = clock[TEMPO_FAST] * (1.0 - 1.0 / rates.memory)
    clock[TEMPO_FAST] = fast + np.sqrt(2.0 / rates.memory) * bell(chances[0], chances[1])
    clock[TEMPO] += (clock[TEMPO_FAST] - clock[TEMPO]) / rates.memory
    stray = rates.tempo * TEMPO_BOUND * np.tanh(np.sqrt(2.0) * clock[TEMPO] / TEMPO_BOUND)
    clock[PACE] = clock[DRIVE] * (1.0 + stray)


@kernel
def disturb(row: Floats, stray: Floats, rates: Rates, scale: Floats, chances: Floats, modes: int) -> None:
    """Smooth noise on the modes, `rates.noise` kernel widths wide; its state is `stray` (2, modes)."""
    for k in range(modes):
        fast = stray[1, k] * (1.0 - 1.0 / rates.memory)
        stray[1, k] = fast + np.sqrt(2.0 / rates.memory) * bell(chances[2 * k], chances[2 * k + 1])
        stray[0, k] += (stray[1, k] - stray[0, k]) / rates.memory
        row[k] += rates.noise * np.sqrt(2.0) * stray[0, k] / scale[k]


@kernel
def follow(
    out: Floats, held: Floats, clock: Floats, credit: Floats, before: Floats, stray: Floats, visits: Floats,
    track: Track, rates: Rates, weights: Floats, chances: Floats, endless: bool,
) -> int:  # fmt: skip
    """Frames (frames, width) one after the other, with weights (frames, classes) and random numbers; how many.

    Fewer than asked for only where an acyclic motion has ended and is not `endless`.
    """
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
            now = min(int(clock[PLACE]), int(last))
            if luck[6] < rates.jump * max(1.0 + excess(track, visits, now), 0.25):
                goal = own
        if goal >= 0:
            made = jump(track, rates, held, clock, visits, goal, forced, luck[2:])
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
            disturb(out[t], stray, rates, track.scale, luck[CHANCES:], d)
    return len(out)
