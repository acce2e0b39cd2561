"""Play, online: a state that is a value, blocks of frames, the model's parts passed in (Sattler 2004, §2.2-2.5)."""

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
    """A jump whose offset still dies away: how many frames ago it showed its target, from where to where."""

    age: int
    origin: int
    entered: int


@dataclass(frozen=True)
class PlayState:
    """State between two frames: all that the next ones depend on. It can be saved, forked and resumed."""

    numbers: tuple[int, ...]
    recent: tuple[int, ...]
    plan: tuple[int, ...] = ()
    fading: tuple[Fading, ...] = ()

    @property
    def frame(self) -> int:
        """The frame of the takes that was shown last; before the start, the one that is shown first."""
        return self.numbers[FRAME]

    def heading_for(self, way: tuple[int, ...]) -> PlayState:
        """Copy the state with frames to show next."""
        numbers = list(self.numbers)
        numbers[PLANNED] = 0
        return replace(self, numbers=tuple(numbers), plan=way)


@dataclass(frozen=True, eq=False)
class Blending:
    """How jumps are smoothed: rows and their rotations, frames in which an offset dies away (0: none).

    The first `rates` columns are speeds along the ground and about the vertical. `fades` says how many frames each jump
    takes, given the frames that are left and entered.
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
    """Choose the next frames; the same ones however they are divided into blocks."""
    numbers, recent = np.array(state.numbers, dtype=np.intp), np.array(state.recent, dtype=np.intp)
    out = np.empty((frames, 5), dtype=np.int32)
    # One draw per frame, needed or not, so that the result does not depend on the size of blocks.
    play(rng.random(frames), Playing(numbers, recent, np.array(state.plan, dtype=np.intp)), chances, material, out)
    played = Played(*out.T)
    done = int(numbers[PLANNED]) >= len(state.plan)
    # Offsets outlive the block in which their jump was made; the state carries them on.
    fading = [Fading(old.age + frames, old.origin, old.entered) for old in state.fading]
    for t in np.flatnonzero(played.jumped >= 0)[-max(fade, 1) :] if fade else ():
        fading.append(Fading(frames - int(t), int(played.jumped[t]), int(played.source[t])))
    if done:
        numbers[PLANNED] = 0
    after = PlayState(
        tuple(int(n) for n in numbers),
        tuple(int(n) for n in recent),
        () if done else state.plan,
        tuple(jump for jump in fading if jump.age < fade),
    )
    return after, played


def shown(before: PlayState, played: Played, blending: Blending) -> Floats:
    """Return the smoothed rows of frames that were played after `before`."""
    out = blended(blending.rows, played, blending.segments, blending.turning, blending.printed)
    if blending.fade == 0:
        return out
    jumps = _under_way(before, played, blending)
    return with_offsets(out, jumps, blending.rows, blending.segments, blending.turning, rates=blending.rates)


def shown_rate(before: PlayState, played: Played, blending: Blending, rate: Floats) -> Floats:
    """Smooth one more rate (frames,) of the takes in the same way as the rates in rows."""
    column = rate[:, None]
    out = blended(column, played, blending.segments, None, blending.printed)
    if blending.fade == 0:
        return out[:, 0]
    jumps = _under_way(before, played, blending)
    return with_offsets(out, jumps, column, blending.segments, None, rates=1)[:, 0]


def _under_way(before: PlayState, played: Played, blending: Blending) -> MadeJumps:
    """Join earlier jumps and those that are played."""
    now = np.flatnonzero(played.jumped >= 0)
    at = np.concatenate([[-jump.age for jump in before.fading], now]).astype(np.intp)
    origin = _joined([jump.origin for jump in before.fading], played.jumped[now])
    entered = _joined([jump.entered for jump in before.fading], played.source[now])
    return MadeJumps(at, origin, entered, blending.fades(origin, entered))


def _joined(old: list[int], new: Ints) -> Ints:
    return np.concatenate([np.array(old, dtype=np.intp), np.asarray(new, dtype=np.intp)])


def looped(played: Played, blending: Blending) -> Floats:
    """Return the rows of a loop: offsets that die away at its end continue at its start."""
    out = blended(blending.rows, played, blending.segments, blending.turning, blending.printed)
    now = np.flatnonzero(played.jumped >= 0)
    origin, entered = played.jumped[now].astype(np.intp), played.source[now].astype(np.intp)
    jumps = MadeJumps(now, origin, entered, blending.fades(origin, entered))
    return with_offsets(
        out, jumps, blending.rows, blending.segments, blending.turning, around=True, rates=blending.rates
    )
