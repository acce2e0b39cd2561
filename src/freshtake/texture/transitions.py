"""Blending over a jump (Sattler 2004, eq. 9-11), and offsets that die away.

Rotations in the rows of a clip are blended as rotations, not as the numbers that represent them.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from freshtake.motion.features.clip_features import ClipLayout
from freshtake.motion.features.coding import Recipe
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.rotations import from_rotvec, inverse, multiply, slerp, to_rotvec
from freshtake.texture.frame_distance import Segments

LONGER = (1.0, 1.2, 1.4, 1.7, 2.0, 2.5, 3.0)  # factors on the usual length of a fade, tried in turn
CALM = 0.99  # quantile of the takes' second differences that limits those of a jump


@dataclass(frozen=True, eq=False)
class Turning:
    """The columns of rows (frames, columns) that are rotation vectors, and their mean rotations."""

    recipe: Recipe
    columns: Ints  # (joints, 3)
    reference: Floats  # (joints, 4)

    def _split(self, rows: Floats) -> tuple[Floats, Floats]:
        full = self.recipe.fill(rows)
        return full, multiply(self.reference, from_rotvec(full[:, self.columns]))

    def _joined(self, full: Floats, rotations: Floats) -> Floats:
        full[:, self.columns] = to_rotvec(multiply(inverse(self.reference), rotations))
        return full[:, self.recipe.kept]

    def between(self, a: Floats, b: Floats, share: Floats) -> Floats:
        """Interpolate rows from a to b, rotations along the shortest arc."""
        (fa, qa), (fb, qb) = self._split(a), self._split(b)
        full = fa + share[:, None] * (fb - fa)
        return self._joined(full, slerp(qa, qb, share[:, None]))

    def apart(self, a: Floats, b: Floats) -> Floats:
        """Return the offset of a from b in all columns: rotation vectors from b to a, or differences."""
        (fa, qa), (fb, qb) = self._split(a), self._split(b)
        full = fa - fb
        full[:, self.columns] = to_rotvec(multiply(qa, inverse(qb)))
        return full

    def moved(self, rows: Floats, offsets: Floats) -> Floats:
        """Move rows by offsets from `apart`."""
        full, rotations = self._split(rows)
        # The offset is applied on the left, as `apart` measures it, so that it moves b exactly to a.
        return self._joined(full + offsets, multiply(from_rotvec(offsets[:, self.columns]), rotations))


def turning_of(recipe: Recipe | None) -> Turning | None:
    """Find the rotations of a clip's rows; None for motions without rotations."""
    if recipe is None or not isinstance(recipe.layout, ClipLayout):
        return None
    layout = recipe.layout
    first, at = (0, 3) if layout.root == "absolute" else (1, layout.root_width)
    columns = at + np.arange(3 * (len(layout.skeleton) - first)).reshape(-1, 3)
    return Turning(recipe, columns, layout.reference[first:])


class Played(NamedTuple):
    """The frames shown (frames,): `source`, or inserted frame `step` of `length` between `source` and `target`.

    `step` and `length` are 0 if nothing is inserted. `jumped` is the frame that was left where a jump shows its target,
    else -1.
    """

    source: Ints
    target: Ints
    step: Ints
    length: Ints
    jumped: Ints


def linear_share(step: Ints, length: Ints) -> Floats:
    """Compute the weight of inserted frame t of b: t / (b + 1), as the text describes Sattler 2004, eq. 10."""
    return np.asarray(step / (length + 1.0))


def printed_share(step: Ints, length: Ints) -> Floats:
    """Compute 1 / (b (b - t + 1)), Sattler 2004, eq. 10 to the letter: for b = 3 it ends with a jump of two thirds."""
    return np.where(step > 0, 1.0 / np.maximum(length * (length - step + 1.0), 1.0), 0.0)


@lru_cache(maxsize=32)
def decay(frames: int) -> Floats:
    """Compute the fractions (frames, 2) of the offsets at t = 0 and t = -1 that remain 1, 2, ... frames after a jump.

    The offset is (1 - t/n)^3 (a + b t) with n = frames + 1: it continues the value and the velocity at the jump
    (t = 0 and t = -1) and ends with zero value, velocity and acceleration.
    """
    n = frames + 1.0
    t = np.arange(1, frames + 1)
    fade = (1.0 - t / n) ** 3
    out = np.stack([fade * (1.0 + t), -fade * t / (1.0 + 1.0 / n) ** 3], axis=1)
    out.setflags(write=False)
    return out


@lru_cache(maxsize=32)
def settling(frames: int) -> Floats:
    """Compute the fraction (frames,) of the offset of a speed that remains 1, 2, ... frames after a jump.

    It is (1 - u)^2 (1 + 2 u) with u = t/n. Unlike positions, speeds do not continue their slope: this would extend the
    noise of one frame's acceleration, which is the visible part of a jump in the world.
    """
    u = np.arange(1, frames + 1) / (frames + 1.0)
    out = np.asarray((1.0 - u) ** 2 * (1.0 + 2.0 * u))
    out.setflags(write=False)
    return out


def back(rows: Floats, frames: Ints, by: int, segments: Segments) -> Floats:
    """Return the rows `by` frames earlier, linearly extrapolated before a take's first frame."""
    first = np.array(segments.bounds)[segments.takes()[frames]]
    earlier = frames - by
    inside = np.maximum(earlier, first)
    slope = rows[np.minimum(first + 1, len(rows) - 1)] - rows[first]
    return np.asarray(rows[inside] + (earlier - inside)[:, None] * slope)


def between(a: Floats, b: Floats, share: Floats, turning: Turning | None) -> Floats:
    """Interpolate rows from a to b by fractions (frames,), rotations along the shortest arc."""
    return a + share[:, None] * (b - a) if turning is None else turning.between(a, b, share)


def blended(rows: Floats, played: Played, segments: Segments, turning: Turning | None, printed: bool) -> Floats:
    """Blend rows as shown, inserted frames included (Sattler 2004, eq. 9)."""
    out = rows[played.source]
    inserted = np.flatnonzero(played.step > 0)
    if len(inserted):
        share = (printed_share if printed else linear_share)(played.step[inserted], played.length[inserted])
        out[inserted] = between(rows[played.source[inserted]], rows[played.target[inserted]], share, turning)
    return out


class MadeJumps(NamedTuple):
    """Jumps (jumps,) of shown rows: the rows at which they were made, possibly before 0, their origins and targets.

    Their offsets die away in `frames`, a number for all jumps or for each.
    """

    at: Ints
    origin: Ints
    entered: Ints
    frames: int | Ints


def with_offsets(
    out: Floats,
    jumps: MadeJumps,
    rows: Floats,
    segments: Segments,
    turning: Turning | None,
    *,
    around: bool = False,
    rates: int = 0,
) -> Floats:
    """Add the offsets of jumps to shown rows.

    `around`: the rows form a loop, so offsets at the end continue at the start. The first `rates` columns are speeds.
    The newest jump is applied first, then older jumps: rotations in the other order would not meet at the newest jump.
    """
    at, origin, entered, frames = jumps
    if not np.any(frames) or len(at) == 0:
        return out
    lengths = np.broadcast_to(frames, at.shape).tolist()
    near = [(back(rows, origin, k, segments), back(rows, entered, k + 1, segments)) for k in (0, 1)]
    apart = [a - b if turning is None else turning.apart(a, b) for a, b in near]
    rounds = 1 + int((at + np.array(lengths)).max()) // len(out) if around else 1
    for turn in range(rounds):  # in a loop, offsets at the start come from the previous round
        for k in np.argsort(-at, kind="stable").tolist():
            places = at[k] + np.arange(lengths[k]) - turn * len(out)
            shown = (places >= 0) & (places < len(out))
            offsets = decay(lengths[k])[shown] @ np.stack([part[k] for part in apart])
            offsets[:, :rates] = settling(lengths[k])[shown, None] * apart[0][k, :rates]
            some = places[shown]
            out[some] = out[some] + offsets if turning is None else turning.moved(out[some], offsets)
    return out


def paced(rows: Floats, frames: int, turning: Turning | None, rates: int) -> Floats:
    """Play a loop of rows in another number of frames; the first `rates` columns are speeds and follow the tempo."""
    tempo = len(rows) / frames
    places: Floats = np.arange(frames, dtype=np.float64) * tempo
    before = places.astype(np.intp)
    out = between(rows[before], rows[(before + 1) % len(rows)], np.asarray(places - before), turning)
    out[:, :rates] *= tempo
    return out


def longest_fade(fade: int) -> int:
    """Return the number of frames in which the offset of the largest jumps dies away."""
    return round(LONGER[-1] * fade)


@dataclass(frozen=True, eq=False)
class Fades:
    """The length of every jump's fade: the fewest frames that make it no sharper than most moments of the takes.

    `points` returns the visible positions of rows, (frames, values), without travel and turning.
    """

    rows: Floats
    segments: Segments
    turning: Turning | None
    fade: int
    points: Callable[[Floats], Floats]
    most: float  # limit of a jump's second difference
    cache: dict[tuple[int, int], int] = field(default_factory=dict)  # frames per jump, once computed

    def __call__(self, origin: Ints, entered: Ints) -> Ints:
        """Return the fade lengths (jumps,) of jumps from frames that are left to frames that are entered."""
        pairs = list(zip(origin.tolist(), entered.tolist(), strict=True))
        for pair in pairs:
            if pair not in self.cache:
                self.cache[pair] = self._length(*pair)
        return np.array([self.cache[pair] for pair in pairs], dtype=np.intp)

    def _length(self, origin: int, entered: int) -> int:
        """Return the shortest length that makes the jump no sharper than `most`, else the mildest length."""
        lengths = [round(times * self.fade) for times in LONGER]
        bends: list[float] = []
        for frames in lengths:
            shown, plain = jump_rows(self, origin, entered, frames)
            # A jump into a sharp moment of the take cannot be smoother than that moment, even with a long fade.
            limit = max(self.most, largest_bend(self.points(plain)))
            bends.append(largest_bend(self.points(shown)))
            if bends[-1] <= limit:
                return frames
        return lengths[int(np.argmin(bends))]


def jump_rows(fades: Fades, origin: int, entered: int, frames: int) -> tuple[Floats, Floats]:
    """Return rows from just before a jump until its offset has decayed, and the entered take's rows without it."""
    rows, segments = fades.rows, fades.segments
    i, j = np.array([origin]), np.array([entered])
    stop = min(entered + frames, segments.bounds[int(segments.takes()[entered]) + 1])
    plain = rows[entered:stop]
    shown = np.concatenate([back(rows, i, 1, segments), rows[i], plain])
    jump = MadeJumps(np.array([2]), i, j, frames)
    return with_offsets(shown, jump, rows, segments, fades.turning), plain


def largest_bend(points: Floats) -> float:
    """Return the largest second difference of points (frames, values); 0 for fewer than three."""
    return float(np.linalg.norm(np.diff(points, 2, axis=0), axis=1).max(initial=0.0))


def usual_bend(points: Floats, segments: Segments) -> float:
    """Return the `CALM` quantile of the takes' second differences."""
    # Take differences take by take, because second differences across a boundary are not movement.
    parts = [np.linalg.norm(np.diff(x, 2, axis=0), axis=1) for x in segments.split(points)]
    bends = np.concatenate(parts)
    return float(np.quantile(bends, CALM)) if len(bends) else 0.0
