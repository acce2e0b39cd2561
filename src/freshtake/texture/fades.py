"""How long the offset of a jump dies away: as long as it takes for the jump not to be seen as a jolt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from freshtake.numeric.arrays import Floats, Ints
from freshtake.texture.segments import Segments
from freshtake.texture.transitions import MadeJumps, Turning, back, with_offsets

LONGER = (1.0, 1.2, 1.4, 1.7, 2.0, 2.5, 3.0)  # times the usual length, tried one after the other
CALM = 0.99  # share of the takes' second differences that are smaller than a jump's may be


def longest_fade(fade: int) -> int:
    """That of the largest jumps, in frames."""
    return round(LONGER[-1] * fade)


@dataclass(frozen=True, eq=False)
class Fades:
    """Frames of every jump's fade: the fewest with which it is none of the takes' sharpest moments.

    `points` places rows where they are seen, (frames, values), without travel and turning.
    """

    rows: Floats
    segments: Segments
    turning: Turning | None
    fade: int
    points: Callable[[Floats], Floats]
    most: float  # second difference that a jump may have
    known: dict[tuple[int, int], int] = field(default_factory=dict)  # of jumps that were asked for

    def __call__(self, left: Ints, entered: Ints) -> Ints:
        """Frames (jumps,) of the jumps from frames that are left to those that are entered."""
        pairs = list(zip(np.asarray(left).tolist(), np.asarray(entered).tolist(), strict=True))
        for pair in pairs:
            if pair not in self.known:
                self.known[pair] = self._length(*pair)
        return np.array([self.known[pair] for pair in pairs], dtype=np.intp)

    def _length(self, left: int, entered: int) -> int:
        """The first of `LONGER` that is not sharper than `most`, or than what comes after the jump; else the best."""
        lengths = [round(times * self.fade) for times in LONGER]
        bends: list[float] = []
        for frames in lengths:
            shown, plain = jump_rows(self, left, entered, frames)
            limit = max(self.most, largest_bend(self.points(plain)))
            bends.append(largest_bend(self.points(shown)))
            if bends[-1] <= limit:
                return frames
        return lengths[int(np.argmin(bends))]


def jump_rows(fades: Fades, left: int, entered: int, frames: int) -> tuple[Floats, Floats]:
    """Rows from just before a jump until its offset is gone, and those of the take that is entered without it."""
    rows, segments = fades.rows, fades.segments
    i, j = np.array([left]), np.array([entered])
    stop = min(entered + frames, segments.bounds[int(segments.takes()[entered]) + 1])
    plain = rows[entered:stop]
    shown = np.concatenate([back(rows, i, 1, segments), rows[i], plain])
    made = MadeJumps(np.array([2]), i, j, frames)
    return with_offsets(shown, made, rows, segments, fades.turning), plain


def largest_bend(points: Floats) -> float:
    """The largest second difference of points (frames, values); 0 of fewer than three."""
    return float(np.linalg.norm(np.diff(points, 2, axis=0), axis=1).max(initial=0.0))


def usual_bend(points: Floats, segments: Segments) -> float:
    """The second difference that `CALM` of the takes' moments stay below."""
    parts = [np.linalg.norm(np.diff(x, 2, axis=0), axis=1) for x in np.split(points, segments.bounds[1:-1])]
    bends = np.concatenate(parts)
    return float(np.quantile(bends, CALM)) if len(bends) else 0.0
