"""Blends of cyclic classes, online: a state that is a value, frames with the weights of the moment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freshtake.density.class_cycles import Cycles
from freshtake.density.cycle_blend_kernel import ACTIVE, ASKED, BEFORE, SINCE, WAS, Draws, Mixing, enter, mingle
from freshtake.density.follow import CHANCES
from freshtake.density.jumps import DRIVE, FIELDS, PLAN, Rates, Track
from freshtake.errors import UsageError
from freshtake.numeric.arrays import Floats

LONG_AGO = 1e9


@dataclass(frozen=True, eq=False)
class MixState:
    """Between frames, for every class: its last two, the offset that is evened out, its clock; and the common phase."""

    held: Floats  # (2 classes, 4, width): of every class two motions, see mingle
    clock: Floats  # (2 classes, fields)
    shares: Floats  # (6, classes): weights of the last frames, see mingle
    common: Floats  # (2,): phase, and frames since weights were changed at once
    noise_state: Floats  # (2, modes)
    visits: Floats
    wander: Floats  # (2, classes): how far towards the second motion
    first: bool = True  # the first frame is still to be given out


def begin_mix(track: Track, cycles: Cycles, weights: Floats, rng: np.random.Generator) -> MixState:
    """The state before the first frame, at a kernel drawn by the weights (classes,)."""
    count, width = len(weights), track.rows.shape[1]
    held, clock, shares = np.zeros((2 * count, 4, width)), np.zeros((2 * count, FIELDS)), np.zeros((6, count))
    clock[:, PLAN] = -1.0
    clock[:, DRIVE] = 1.0
    chances = rng.random(2 + 2 * count)
    owner = min(int(np.searchsorted(np.cumsum(weights), chances[0], side="right")), count - 1)
    own = np.flatnonzero(cycles.allowed & (track.owners == owner))
    phase = float(cycles.phases[own[int(chances[1] * len(own))]])
    for c in np.flatnonzero(weights > 0.0):
        for k in (c, count + c):
            enter(cycles, track, held[k], clock[k], int(c), phase, float(chances[2 + k]))
    shares[[WAS, BEFORE, ASKED]] = weights
    shares[ACTIVE] = weights > 0.0
    visits = np.zeros(len(track.sizes) + count)
    common = np.array([phase, 0.0])
    common[SINCE] = LONG_AGO
    return MixState(held, clock, shares, common, np.zeros((2, track.modes)), visits, np.zeros((2, count)))


def advance_mix(
    state: MixState, track: Track, cycles: Cycles, rates: Rates, frame_time: float, weights: Floats,
    rng: np.random.Generator,
) -> tuple[MixState, Floats]:  # fmt: skip
    """One frame per row of weights (frames, classes): the state after them, and rows (frames, width).

    One by one and in blocks give the same motion.
    """
    count = len(state.held) // 2
    if weights.ndim != 2 or weights.shape[1] != count:
        raise UsageError(f"weights must be rows of {count} classes, not an array of {weights.shape}")
    out = np.empty((len(weights), track.rows.shape[1]))
    lead = 1 if state.first and len(out) else 0
    out[:lead] = state.shares[WAS] @ state.held[:count, 0]
    chances = rng.random((len(out) - lead, 2 * count * (CHANCES + 1) + (2 * track.modes if rates.noise > 0.0 else 0)))
    after = Mixing(*(getattr(state, name).copy() for name in Mixing._fields))
    draws = Draws(np.ascontiguousarray(weights[lead:]), chances)
    mingle(out[lead:], after, track, cycles, rates, frame_time, draws)
    return MixState(*after, first=state.first and not lead), out
