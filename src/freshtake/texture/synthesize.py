"""Play online, in blocks of frames, from a state that is a value (Sattler 2004, §2.2-2.5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from freshtake.numeric.arrays import Floats, Ints
from freshtake.texture.frame_distance import Segments
from freshtake.texture.play_kernels import FRAME, PLANNED, SINCE, STATE, Chances, Playing, PlayMaterial, play
from freshtake.texture.transitions import MadeJumps, Played, Turning, blended, with_offsets


@dataclass(frozen=True)
class Fading:
    """A jump whose offset is still dying away: its age in frames, its origin and its target."""

    age: int
    origin: int
    entered: int


@dataclass(frozen=True)
class PlayState:
    """State between two frames: everything on which the next frames depend. It can be saved, forked and resumed."""

    numbers: tuple[int, ...]
    recent: tuple[int, ...]
    plan: tuple[int, ...] = ()
    fading: tuple[Fading, ...] = ()

    @property
    def frame(self) -> int:
        """The frame of the takes that was shown last; before the start, the first to be shown."""
        return self.numbers[FRAME]

    def heading_for(self, path: tuple[int, ...]) -> PlayState:
        """Copy the state with frames to show next."""
        numbers = list(self.numbers)
        numbers[PLANNED] = 0
        return replace(self, numbers=tuple(numbers), plan=path)


@dataclass(frozen=True, eq=False)
class Blending:
    """The smoothing of jumps: rows and their rotations, frames in which an offset dies away (0: none).

    The first `rates` columns are speeds along the ground and about the vertical. `fades` returns the duration of each
    jump in frames, given the frames that are left and entered.
    """

    rows: Floats
    segments: Segments
    turning: Turning | None
    fade: int
    printed: bool
    rates: int
    fades: Callable[[Ints, Ints], Ints]


def begin(frame: int, recent: int) -> PlayState:
    """Return the state that shows `frame` first."""
    numbers = [0] * STATE
    numbers[FRAME], numbers[SINCE] = frame, -1
    return PlayState(tuple(numbers), (-1,) * recent)


def advance(
    state: PlayState, frames: int, chances: Chances, material: PlayMaterial, fade: int, rng: np.random.Generator
) -> tuple[PlayState, Played]:
    """Choose the next frames; the result does not depend on the size of blocks."""
    numbers, recent = np.array(state.numbers, dtype=np.intp), np.array(state.recent, dtype=np.intp)
    out = np.empty((frames, 5), dtype=np.int32)
    # One number is drawn per frame, needed or not, so that the result does not depend on the size of blocks.
    play(rng.random(frames), Playing(numbers, recent, np.array(state.plan, dtype=np.intp)), chances, material, out)
    played = Played(*out.T)
    # Offsets outlast the block in which their jump was made; the state carries them over.
    fading = [replace(jump, age=jump.age + frames) for jump in state.fading]
    for t in np.flatnonzero(played.jumped >= 0)[-max(fade, 1) :].tolist():
        fading.append(Fading(frames - t, int(played.jumped[t]), int(played.source[t])))
    plan = state.plan
    if numbers[PLANNED] >= len(plan):
        numbers[PLANNED], plan = 0, ()
    still_fading = tuple(jump for jump in fading if jump.age < fade)
    return PlayState(tuple(numbers.tolist()), tuple(recent.tolist()), plan, still_fading), played


def shown(before: PlayState | None, played: Played, blending: Blending, rate: Floats | None = None) -> Floats:
    """Return the smoothed rows of frames that were played after `before`.

    Without `before` they are a loop, in which offsets at the end continue at the start. A `rate` (frames,) of the
    takes, if given, is smoothed like the rates in rows and returned as one column.
    """
    rows, turning, rates = blending.rows, blending.turning, blending.rates
    if rate is not None:
        rows, turning, rates = rate[:, None], None, 1
    out = blended(rows, played, blending.segments, turning, blending.printed)
    if blending.fade == 0:
        return out
    now = np.flatnonzero(played.jumped >= 0)
    earlier = [(-jump.age, jump.origin, jump.entered) for jump in (before.fading if before else ())]
    new = np.stack([now, played.jumped[now], played.source[now]], axis=1).astype(np.intp)
    at, origin, entered = np.concatenate([np.array(earlier, dtype=np.intp).reshape(-1, 3), new]).T
    jumps = MadeJumps(at, origin, entered, blending.fades(origin, entered))
    return with_offsets(out, jumps, rows, blending.segments, turning, around=before is None, rates=rates)
