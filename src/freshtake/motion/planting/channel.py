"""The offset that keeps a point still: it undoes the point's sliding in contact and moves smoothly in between.

One channel is one such offset in the ground plane. Its state is a vector of numbers, so that it can be kept, copied and
resumed; `advance` takes it one frame further and looks no farther than `stop`.
"""

from __future__ import annotations

import math

import numpy as np

from freshtake.numeric.arrays import Floats
from freshtake.numeric.compiled import kernel

SIZE = 13
X, Y, VX, VY, AX, AY, DX, DY, FRAMES, CLOCK, APPROACHING, STARTED, HELD = range(SIZE)
GRIP = 1e-6  # strengths below this are no contact
SHORTEST_BLEND = 3
LONGER = 1.5  # large offsets take up to this much more time
LARGE = 0.7  # of the leash


def fresh_channel() -> Floats:
    """Before the first frame."""
    return np.zeros(SIZE)


@kernel
def run_channel(
    state: Floats, slide: Floats, strength: Floats, begin: int, until: int, ahead: int, approach: int, release: int,
    leash: float, out: Floats,
) -> None:  # fmt: skip
    """Frames begin ... until - 1 into `out` (frames, 2); `ahead` frames of the future are visible, -1: all."""
    frames = len(strength)
    for now in range(begin, until):
        stop = frames if ahead < 0 else min(frames, now + ahead + 1)
        advance(state, slide, strength, now, stop, approach, release, leash)
        out[now - begin, 0] = state[X]
        out[now - begin, 1] = state[Y]


@kernel
def advance(
    state: Floats, slide: Floats, strength: Floats, now: int, stop: int, approach: int, release: int, leash: float
) -> None:
    """One frame further. `slide` (frames, 2) is what the point would slide since the frame before, `strength` the grip.

    In contact the offset takes back the slide. At its end it starts back to zero over `release` frames, and `approach`
    frames before a contact that is in view it starts for the place of that contact.
    """
    standing = strength[now] > GRIP
    if state[STARTED] == 0.0:
        state[STARTED] = 1.0
        if standing:
            _entry(slide, strength, now, stop, state)
            state[X], state[Y] = state[DX], state[DY]
            state[DX], state[DY] = 0.0, 0.0
            state[HELD] = 1.0
        return
    if standing:
        state[X] -= slide[now, 0]
        state[Y] -= slide[now, 1]
        state[APPROACHING], state[HELD] = 0.0, 1.0
        distance = math.hypot(state[X], state[Y])
        if distance > leash:
            pulled = (leash + (distance - leash) * 0.95) / distance
            state[X] *= pulled
            state[Y] *= pulled
    else:
        if state[HELD] == 1.0:
            state[HELD] = 0.0
            _blend(state, -state[X], -state[Y], _duration(state[X], state[Y], release, leash))
        if state[APPROACHING] == 0.0:
            entry = now + 1
            while entry < stop and strength[entry] <= GRIP:
                entry += 1
            if entry < stop and entry - now <= (1.0 + LONGER) * approach:
                _approach(state, slide, strength, now, entry, stop, approach, leash)
    _follow(state)


@kernel
def _approach(
    state: Floats, slide: Floats, strength: Floats, now: int, entry: int, stop: int, approach: int, leash: float
) -> None:
    """Start for the place of a contact that begins at frame `entry`, if it is time for that."""
    if entry - now < SHORTEST_BLEND:
        state[APPROACHING] = 1.0
        _blend(state, 0.0, 0.0, SHORTEST_BLEND)
        return
    held = state.copy()
    _entry(slide, strength, entry, stop, held)
    dx, dy = held[DX] - state[X], held[DY] - state[Y]
    if entry - now <= _duration(dx, dy, approach, leash):
        state[APPROACHING] = 1.0
        _blend(state, dx, dy, entry - now)


@kernel
def _entry(slide: Floats, strength: Floats, entry: int, stop: int, state: Floats) -> None:
    """Into DX, DY: the offset to begin a contact with, so that its median over what is in view of it is zero."""
    last = entry
    while last < stop and strength[last] > GRIP:
        last += 1
    travel = np.empty((last - entry, 2))
    x = y = 0.0
    count = 0
    for frame in range(entry, last):
        x += slide[frame, 0]
        y += slide[frame, 1]
        if strength[frame] >= 0.5:
            travel[count, 0], travel[count, 1] = x, y
            count += 1
    state[DX], state[DY] = 0.0, 0.0
    if count > 0:
        state[DX], state[DY] = np.median(travel[:count, 0]), np.median(travel[:count, 1])


@kernel
def _duration(dx: float, dy: float, frames: int, leash: float) -> int:
    """How long a blend by (dx, dy) takes: `frames`, and more for a large one."""
    return int(frames * (1.0 + min(LONGER, math.hypot(dx, dy) / (LARGE * leash))))


@kernel
def _blend(state: Floats, dx: float, dy: float, frames: int) -> None:
    """Start a blend by (dx, dy) from the speed and acceleration of the one that is under way."""
    speed, bend = np.zeros(2), np.zeros(2)
    if state[CLOCK] < state[FRAMES]:
        for axis in range(2):
            speed[axis] = _quintic(state, axis, state[CLOCK], 1)
            bend[axis] = _quintic(state, axis, state[CLOCK], 2)
    state[VX], state[VY], state[AX], state[AY] = speed[0], speed[1], bend[0], bend[1]
    state[DX], state[DY], state[FRAMES], state[CLOCK] = dx, dy, float(frames), 0.0


@kernel
def _follow(state: Floats) -> None:
    """One frame of the blend that is under way."""
    clock, frames = state[CLOCK], state[FRAMES]
    if clock >= frames:
        return
    state[X] += _quintic(state, 0, clock + 1.0, 0) - _quintic(state, 0, clock, 0)
    state[Y] += _quintic(state, 1, clock + 1.0, 0) - _quintic(state, 1, clock, 0)
    state[CLOCK] = clock + 1.0
    if state[CLOCK] >= frames and state[HELD] == 0.0 and state[APPROACHING] == 0.0:
        state[X], state[Y] = 0.0, 0.0  # given back; rounding is not kept


@kernel
def _quintic(state: Floats, axis: int, clock: float, order: int) -> float:
    """The blend's polynomial from 0 with speed v and acceleration a to d at rest, or a derivative of it per frame."""
    v, a, d, n = state[VX + axis], state[AX + axis], state[DX + axis], state[FRAMES]
    c1, c2 = v * n, 0.5 * a * n * n
    c3 = 10.0 * d - 6.0 * c1 - 3.0 * c2
    c4 = -15.0 * d + 8.0 * c1 + 3.0 * c2
    c5 = 6.0 * d - 3.0 * c1 - c2
    s = clock / n
    if order == 0:
        return s * (c1 + s * (c2 + s * (c3 + s * (c4 + s * c5))))
    if order == 1:
        return (c1 + s * (2.0 * c2 + s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5)))) / n
    return (2.0 * c2 + s * (6.0 * c3 + s * (12.0 * c4 + s * 20.0 * c5))) / (n * n)
