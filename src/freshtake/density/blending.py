"""When to change from one class to another, by weights that may change with every frame: compiled."""

from __future__ import annotations

import numpy as np

from freshtake.density.jumps import GOAL, PACE, PLACE, PLAN, RUN, Rates, Track
from freshtake.density.search import nearest_square
from freshtake.density.tracks import read_at
from freshtake.numeric.arrays import Floats
from freshtake.numeric.compiled import kernel

OPEN, CLOSED = 0.4, 0.6  # shares of a class between which a moving weight changes over to it


@kernel
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


@kernel
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
