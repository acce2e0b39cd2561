"""Synthesis, online: a state that is a value, frames with the weights of the moment, the model's parts passed in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freshtake.density.follow import CHANCES, follow
from freshtake.density.jumps import DRIVE, ENDED, FIELDS, PACE, PLACE, PLAN, RUN, Following, Rates, Track
from freshtake.density.settings import Settings
from freshtake.errors import UsageError
from freshtake.numeric.arrays import Floats

GUARD = 0.15  # seconds to either side that are no other moment
MEMORY = 0.5  # seconds that the pace remembers


@dataclass(frozen=True, eq=False)
class BlendState:
    """Between frames: the last two, the offset that is evened out, the clock. Can be kept, forked and resumed."""

    held: Floats  # (4, width): last frame, the one before, offset, speed of the offset
    clock: Floats
    credit: Floats  # (classes,)
    weights: Floats  # (classes,): those of the last frame
    noise_state: Floats  # (2, modes): the optional noise
    visits: Floats  # (blocks + classes,): how long blocks of kernels were followed
    first: bool = True  # the first frame is still to be given out

    @property
    def ended(self) -> bool:
        """Whether an acyclic motion has come to its end."""
        return bool(self.clock[ENDED] > 0.0)


def controls(settings: Settings, frame_time: float) -> Rates:
    """Settings in seconds as numbers of frames."""
    s = settings
    return Rates(
        min(frame_time / s.stay, 1.0), s.blend / frame_time, max(GUARD / frame_time, 2.0),
        max(MEMORY / frame_time, 2.0), s.tempo, s.noise, s.class_stay / frame_time, s.novelty,
    )  # fmt: skip


def begin(track: Track, weights: Floats, rng: np.random.Generator, kernel: int | None = None) -> BlendState:
    """The state before the first frame, at a kernel or at one drawn by the weights (classes,)."""
    chances = rng.random(2)
    if kernel is None:
        kernel = _drawn_start(track, weights, chances)
    width = track.rows.shape[1]
    held = np.zeros((4, width))
    held[0] = track.rows[kernel]
    before = max(kernel - 1, int(track.firsts[kernel]))
    after = min(kernel + 1, int(track.lasts[kernel]))
    held[1] = track.rows[before] if before < kernel else 2.0 * track.rows[kernel] - track.rows[after]
    clock = np.zeros(FIELDS)
    clock[PLACE] = clock[RUN] = kernel
    clock[PLAN], clock[PACE], clock[DRIVE] = -1.0, 1.0, 1.0
    visits = np.zeros(len(track.sizes) + len(weights))
    return BlendState(held, clock, np.zeros(len(weights)), weights.copy(), np.zeros((2, track.modes)), visits)


def _drawn_start(track: Track, weights: Floats, chances: Floats) -> int:
    owner = min(int(np.searchsorted(np.cumsum(weights), chances[0], side="right")), len(weights) - 1)
    if not track.cyclic[owner]:
        own = track.starts[track.owners[track.starts] == owner]
    else:
        own = np.sort(track.lookup.order[track.lookup.allowed & (track.owners[track.lookup.order] == owner)])
    return int(own[int(chances[1] * len(own))])


def advance(
    state: BlendState, track: Track, rates: Rates, weights: Floats, rng: np.random.Generator, *, endless: bool = True
) -> tuple[BlendState, Floats]:
    """One frame per row of weights (frames, classes): the state after them, and rows (frames, width).

    The same random numbers are used per frame whatever the number of frames, so that one by one and in blocks give
    the same motion.
    """
    if weights.ndim != 2 or weights.shape[1] != len(state.credit):
        raise UsageError(f"weights must be rows of {len(state.credit)} classes, not an array of {weights.shape}")
    out = np.empty((len(weights), track.rows.shape[1]))
    lead = 1 if state.first and len(out) else 0
    out[:lead] = state.held[0]
    chances = rng.random((len(weights) - lead, CHANCES + (2 * track.modes if rates.noise > 0.0 else 0)))
    after = Following(*(getattr(state, name).copy() for name in Following._fields))
    count = follow(out[lead:], after, track, rates, np.ascontiguousarray(weights[lead:]), chances, endless)
    return BlendState(*after, first=state.first and not lead), out[: lead + count]
