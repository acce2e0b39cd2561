"""Bilinear analysis of aligned gait cycles: style and speed as two independent sliders (Hsu 2005, §5.1).

gaits = bilinear.fit({("normal", 1.0): walk_1, ("normal", 1.6): walk_2, ("crouch", 1.0): ..., ("crouch", 1.6): ...})
gaits.synthesize({"normal": 0.5, "crouch": 0.5}, 1.3, cycles=4)     # in between; weights may go beyond 0 and 1

The bilinear factors of a table are y(s, c) = sum over i, j of w(i, j) a_i(s) b_j(c) (Tenenbaum and Freeman 2000).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion.clip import Clip
from freshtake.motion.cycles.cycles import first_to_last
from freshtake.motion.edit import take_frames
from freshtake.motion.features import Recipe, decode, encode, recipe
from freshtake.motion.verdict import require_unflung
from freshtake.numeric.arrays import Floats
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.style.warping.alignment import align
from freshtake.style.warping.motion_warping import WarpSettings
from freshtake.style.warping.warp_inputs import best_shift, clip_rows, gait_of
from freshtake.style.warping.warps import read_rows

FARTHEST = 3.0  # largest logarithm of the pace relative to the reference: twenty times faster or slower is no gait
SLACK = 0.04  # fraction of a cycle that may be missing at a clip's ends


@dataclass(frozen=True, eq=False)
class GaitCode:
    """The coding of a cycle: the recipe of its rows and the frames of the common clock (the first is not repeated)."""

    recipe: Recipe
    frames: int


def gait_code(clips: Sequence[Clip], reference: int, settings: WarpSettings, tell: Report) -> tuple[GaitCode, Floats]:
    """Return the code, and the vectors (clips, numbers) of one cycle per clip, aligned to the reference's cycle."""
    origin = one_cycle(clips[reference])
    cycles = [origin if k == reference else one_cycle(clip, origin) for k, clip in enumerate(clips)]
    coded = recipe(cycles, angles="expmap", root="heading", scale="none", drop_constant=False)
    uncut = replace(settings, cut="never")
    vectors = []
    for number, cycle in enumerate(cycles):
        tell(Progress(0.9 * number / len(cycles), f"aligning {cycle.name or f'cycle {number + 1}'}"))
        alignment = align(origin, cycle, uncut)
        rows = closed(read_rows(encode(coded, cycle).values, alignment.path))
        pace = closed(np.log(alignment.steps)[:, None])[:, 0]
        pace += np.log((len(cycle) - 1) / np.exp(pace).sum())  # the paces add up to the cycle's duration
        vectors.append(np.concatenate([rows.ravel(), pace]))
    return GaitCode(coded, len(origin) - 1), np.stack(vectors)


def one_cycle(clip: Clip, like: Clip | None = None) -> Clip:
    """Find the cycle whose end is most similar to its start; its first frame is repeated at the end.

    With `like`, it begins at the phase of that cycle. A clip that does not repeat is treated as one cycle.
    """
    rows = clip_rows(clip, like or clip)[0]
    gait = gait_of(clip, rows)
    if gait is None:
        return clip
    start = 0.0 if like is None else _phase_of(like, clip, gait.mean)
    first = np.ceil(gait.cycles[0] - start - SLACK)
    count = int(np.floor(gait.cycles[-1] - start - first + SLACK))
    marks = np.interp(start + first + np.arange(count + 1), gait.cycles, np.arange(len(clip)))
    bounds = np.rint(marks).astype(int).tolist()
    pieces = [take_frames(clip, low, high + 1) for low, high in pairwise(bounds) if high > low]
    if not pieces:
        raise UsageError(f"{clip.name or 'a clip'} has no complete cycle at the reference's phase: give a longer take")
    return min(pieces, key=first_to_last)


def _phase_of(like: Clip, clip: Clip, mean: Floats) -> float:
    """Find the phase of the clip at which the other clip, one cycle long, begins."""
    rows = clip_rows(like, clip)[0][:-1]
    at = np.linspace(0.0, len(rows), len(mean), endpoint=False)
    return -best_shift(read_rows(np.concatenate([rows, rows[:1]]), at), mean)


def closed(rows: Floats) -> Floats:
    """Return all rows but the last as a loop: the gap between last and first row is spread evenly."""
    count = len(rows) - 1
    ramp = np.arange(count)[:, None] / count - 0.5
    return np.asarray(rows[:-1] - ramp * (rows[-1] - rows[0]))


def looped(code: GaitCode, vector: Floats, cycles: int, name: str) -> Clip:
    """Make a clip of several cycles, at the recipe's rate; the first frame is repeated at the end."""
    if cycles < 1:
        raise UsageError(f"the number of cycles must be 1 or more, not {cycles}")
    rows, log_pace = vector[: -code.frames].reshape(code.frames, -1), vector[-code.frames :]
    if np.abs(log_pace).max() > FARTHEST:
        raise UsageError("this style and speed are too far beyond the examples: give weights closer to 0 and 1")
    pace = np.exp(log_pace)
    ends = np.concatenate([[0.0], np.cumsum(0.5 * (pace + np.roll(pace, -1)))])  # the time of each phase, in frames
    # An integer number of frames per cycle: otherwise the loop would not meet its start.
    count = max(2, round(ends[-1]))
    time = np.arange(cycles * count + 1) % count * (ends[-1] / count)
    phase = np.interp(time, ends, np.arange(code.frames + 1, dtype=np.float64))
    clip = decode(code.recipe, read_rows(np.concatenate([rows, rows[:1]]), phase), name=name)
    assert isinstance(clip, Clip)
    return require_unflung(clip)


Level = str | float
Weights = Level | Mapping[Level, float]

__all__ = ["GaitModel", "fit"]


class Factors(NamedTuple):
    """Style coordinates (styles, I), content coordinates (contents, J) and the core (I, J, numbers)."""

    styles: Floats
    contents: Floats
    core: Floats


def factorize(table: Floats, ranks: tuple[int, int] | None = None, rounds: int = 30) -> Factors:
    """Find the best factors of given ranks for a table (styles, contents, numbers), by alternating singular vectors.

    The coordinates are orthonormal. With full ranks the table is represented exactly, after one round.
    """
    full = table.shape[0], table.shape[1]
    first, second = full if ranks is None else ranks
    if not (1 <= first <= full[0] and 1 <= second <= full[1]):
        raise UsageError(f"ranks {ranks} are not between (1, 1) and {full}")
    contents = _leading(np.swapaxes(table, 0, 1), second)
    styles = _leading(table, first)
    for _ in range(rounds if (first, second) != full else 0):
        styles = _leading(np.einsum("sck,cj->sjk", table, contents), first)
        contents = _leading(np.einsum("sck,si->cik", table, styles), second)
    core = np.einsum("sck,si,cj->ijk", table, styles, contents)
    return Factors(*(np.ascontiguousarray(part) for part in (styles, contents, core)))  # as when read from a file


def _leading(table: Floats, rank: int) -> Floats:
    """Return the leading left singular vectors (rows, rank) of a table unfolded along its first axis."""
    # A table has few levels and long vectors: the small Gram matrix has the same singular vectors and costs less.
    flat = table.reshape(len(table), -1)
    values, vectors = np.linalg.eigh(flat @ flat.T)
    return np.asarray(vectors[:, np.argsort(-values)[:rank]])


def mix(factors: Factors, style: Floats, content: Floats) -> Floats:
    """Return the vector at style coordinates (I,) and content coordinates (J,)."""
    return np.asarray(np.einsum("ijk,i,j->k", factors.core, style, content))


@dataclass(frozen=True, eq=False, repr=False)
class GaitModel:
    """Gait cycles of several styles at several speeds, split into style coordinates, speed coordinates and a core."""

    styles: tuple[Level, ...]
    speeds: tuple[Level, ...]
    factors: Factors
    code: GaitCode

    def __repr__(self) -> str:
        return f"GaitModel({len(self.styles)} styles, {len(self.speeds)} speeds, {self.code.frames} frames per cycle)"

    def vector(self, style: Weights, speed: Weights) -> Floats:
        """Return one cycle as a vector.

        Args:
            style: A trained style, or weights by style (see `synthesize`).
            speed: A trained speed, or weights by speed.

        Returns:
            Numbers (frames * DOFs + frames,): rows on the common clock, then the logarithm of the time warp.
        """
        a = weights_of(style, self.styles, "style") @ self.factors.styles
        return mix(self.factors, a, weights_of(speed, self.speeds, "speed") @ self.factors.contents)

    @one_blas_thread()
    def synthesize(self, style: Weights, speed: Weights, *, cycles: int = 1, name: str = "") -> Clip:
        """Make a walk of several cycles whose end meets its start.

        A style or speed is a trained name, or weights such as {"normal": 1.4, "crouch": -0.4}, which must sum to 1. If
        all trained levels are numbers, it may be any number: between neighbors, or beyond the outer levels.

        Args:
            style: The style, as above.
            speed: The speed, as above.
            cycles: The number of consecutive cycles.
            name: The name of the clip.

        Returns:
            The walk at the rate of the examples; its first frame is repeated at the end.
        """
        return looped(self.code, self.vector(style, speed), cycles, name)


@one_blas_thread()
def fit(
    cycles: Mapping[tuple[Level, Level], Clip],
    *,
    reference: tuple[Level, Level] | None = None,
    ranks: tuple[int, int] | None = None,
    settings: WarpSettings | None = None,
    report: Report | None = None,
) -> GaitModel:
    """Learn from one clip per style and speed, each with one gait cycle, or several, of which the steadiest is used.

    Args:
        cycles: Clips by (style, speed); every style is needed at every speed.
        reference: The (style, speed) that all others are aligned to by iterative motion warping; None: the first.
        ranks: The number of coordinates of styles and speeds. None: as many as there are, so every trained cycle is
            reproduced; fewer keep what styles and speeds have in common.
        settings: The settings of alignment.
        report: Receives `Progress`.

    Returns:
        The model, which makes walks of any style and speed.
    """
    styles, speeds = _levels([key[0] for key in cycles]), _levels([key[1] for key in cycles])
    keys = [(style, speed) for style in styles for speed in speeds]
    missing = [key for key in keys if key not in cycles]
    if missing or len(keys) < 2:
        lacking = f"{missing[0][0]} at {missing[0][1]}" if missing else "a second style or speed"
        raise UsageError(f"a style × speed model needs a clip of every style at every speed, but {lacking} is missing")
    origin = reference or next(iter(cycles))
    if origin not in cycles:
        raise UsageError(f"the reference {origin} is not one of the clips")
    tell = report or silent
    code, vectors = gait_code([cycles[key] for key in keys], keys.index(origin), settings or WarpSettings(), tell)
    factors = factorize(vectors.reshape(len(styles), len(speeds), -1), ranks)
    tell(Progress(1.0, "fitted"))
    return GaitModel(styles, speeds, factors, code)


def _levels(listed: Sequence[Level]) -> tuple[Level, ...]:
    """List the levels of one factor: numbers in ascending order, names in order of appearance."""
    levels = list(dict.fromkeys(listed))
    numbers = [level for level in levels if not isinstance(level, str)]
    return tuple(sorted(numbers)) if len(numbers) == len(levels) else tuple(levels)


def weights_of(requested: Weights, levels: Sequence[Level], what: str) -> Floats:
    """Return weights (levels,) that sum to 1."""
    numbers = [float(level) for level in levels if not isinstance(level, str)]
    if isinstance(requested, Mapping):
        weights = requested
    elif isinstance(requested, str) or requested in levels or not len(numbers) == len(levels) > 1:
        weights = {requested: 1.0}
    else:
        # A number is weighted between its neighbors among the levels, or beyond the outer two.
        place = min(max(sum(number <= requested for number in numbers) - 1, 0), len(numbers) - 2)
        share = (float(requested) - numbers[place]) / (numbers[place + 1] - numbers[place])
        weights = {levels[place]: 1.0 - share, levels[place + 1]: share}
    out = np.zeros(len(levels))
    for level, weight in weights.items():
        if level not in levels:
            raise UsageError(f"{level!r} is not a {what} of this model, which has {', '.join(map(str, levels))}")
        out[list(levels).index(level)] = weight
    if not (np.isfinite(out).all() and abs(out.sum() - 1.0) < 1e-6):
        raise UsageError(f"the weights of a {what} must sum to 1, but sum to {out.sum():g}")
    return out
