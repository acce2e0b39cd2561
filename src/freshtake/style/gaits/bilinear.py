"""Bilinear analysis of aligned gait cycles: style and speed as two independent sliders (Hsu 2005, §5.1).

gaits = bilinear.fit({("normal", 1.0): walk_1, ("normal", 1.6): walk_2, ("crouch", 1.0): ..., ("crouch", 1.6): ...})
gaits.synthesize({"normal": 0.5, "crouch": 0.5}, 1.3, cycles=4)     # between; weights may go beyond 0 and 1

Bilinear factors of a table: y(s, c) = sum over i, j of w(i, j) a_i(s) b_j(c) (Tenenbaum and Freeman 2000).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion.clip import Clip
from freshtake.numeric.arrays import Floats
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.style.gaits.gait_cycles import GaitCode, gait_code, looped
from freshtake.style.warping.warp_settings import WarpSettings

Level = str | float
Weights = Level | Mapping[Level, float]

__all__ = ["GaitModel", "fit"]


class Factors(NamedTuple):
    """Style coordinates (styles, I), content coordinates (contents, J) and the core (I, J, numbers)."""

    styles: Floats
    contents: Floats
    core: Floats


def factorize(table: Floats, ranks: tuple[int, int] | None = None, rounds: int = 30) -> Factors:
    """The best factors of given ranks for a table (styles, contents, numbers), by alternating singular vectors.

    The coordinates are orthonormal. With full ranks the table is represented exactly, after one round.
    """
    full = table.shape[0], table.shape[1]
    first, second = full if ranks is None else ranks
    if not (1 <= first <= full[0] and 1 <= second <= full[1]):
        raise UsageError(f"ranks {ranks} do not lie between (1, 1) and {full}")
    contents = _leading(np.swapaxes(table, 0, 1), second)
    styles = _leading(table, first)
    for _ in range(rounds if (first, second) != full else 0):
        styles = _leading(np.einsum("sck,cj->sjk", table, contents), first)
        contents = _leading(np.einsum("sck,si->cik", table, styles), second)
    core = np.einsum("sck,si,cj->ijk", table, styles, contents)
    return Factors(*(np.ascontiguousarray(part) for part in (styles, contents, core)))  # as a file gives them back


def _leading(table: Floats, rank: int) -> Floats:
    """The leading left singular vectors (rows, rank) of the table laid flat along its first axis."""
    flat = table.reshape(len(table), -1)
    values, vectors = np.linalg.eigh(flat @ flat.T)
    return np.asarray(vectors[:, np.argsort(-values)[:rank]])


def mix(factors: Factors, style: Floats, content: Floats) -> Floats:
    """The vector at coordinates (I,) and (J,)."""
    out: Floats = np.einsum("ijk,i,j->k", factors.core, style, content)
    return out


def spread_weights(wanted: Mapping[str | float, float], levels: Sequence[str | float], what: str) -> Floats:
    """Named weights as an array over all levels; they must sum to 1."""
    out = np.zeros(len(levels))
    for level, weight in wanted.items():
        if level not in levels:
            raise UsageError(f"{level!r} is no {what} of this model: it has {', '.join(map(str, levels))}")
        out[list(levels).index(level)] = weight
    if not (np.isfinite(out).all() and abs(out.sum() - 1.0) < 1e-6):
        raise UsageError(f"the weights of a {what} must sum to 1, but they sum to {out.sum():g}")
    return out


@dataclass(frozen=True, eq=False, repr=False)
class GaitModel:
    """Gait cycles of several styles at several speeds, split into style coordinates, speed coordinates and a core."""

    styles: tuple[Level, ...]
    speeds: tuple[Level, ...]
    factors: Factors
    code: GaitCode

    def __repr__(self) -> str:
        return f"GaitModel({len(self.styles)} styles, {len(self.speeds)} speeds, {len(self.code)} frames per cycle)"

    def coordinates(self, style: Weights, speed: Weights) -> tuple[Floats, Floats]:
        """Style and speed coordinates of weighted training points."""
        a = weights_of(style, self.styles, "style") @ self.factors.styles
        return a, weights_of(speed, self.speeds, "speed") @ self.factors.contents

    def vector(self, style: Weights, speed: Weights) -> Floats:
        """One cycle as numbers: rows on the common clock and the logarithm of the time warp."""
        return mix(self.factors, *self.coordinates(style, speed))

    @one_blas_thread()
    def synthesize(self, style: Weights, speed: Weights, *, cycles: int = 1, name: str = "") -> Clip:
        """A walk of some cycles whose end meets its start.

        A style or speed is the name of a trained one, or weights such as {"normal": 1.4, "crouch": -0.4}, which must
        sum to 1; where all trained levels are numbers, any number: between neighbors, or beyond the outer ones.
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
    """Learn from one clip per style and speed; each holds one gait cycle, or more of which the steadiest is taken.

    All are aligned with the `reference` (default: the first) by iterative motion warping. With full `ranks` (styles,
    speeds; the default) every trained cycle is reproduced; lower ones keep what styles and speeds have in common.
    """
    styles, speeds = _levels([key[0] for key in cycles]), _levels([key[1] for key in cycles])
    keys = [(style, speed) for style in styles for speed in speeds]
    missing = [key for key in keys if key not in cycles]
    if missing or len(keys) < 2:
        lacking = f"{missing[0][0]} at {missing[0][1]}" if missing else "a second style or speed"
        raise UsageError(f"a style × speed model needs a clip of every style at every speed, but {lacking} is missing")
    origin = reference or next(iter(cycles))
    if origin not in cycles:
        raise UsageError(f"the reference {origin} is none of the clips")
    tell = report or silent
    code, vectors = gait_code([cycles[key] for key in keys], keys.index(origin), settings or WarpSettings(), tell)
    factors = factorize(vectors.reshape(len(styles), len(speeds), -1), ranks)
    tell(Progress(1.0, "fitted"))
    return GaitModel(styles, speeds, factors, code)


def _levels(found: Sequence[Level]) -> tuple[Level, ...]:
    """The levels of one factor: numbers in order, names as they come."""
    levels = list(dict.fromkeys(found))
    numbers = [level for level in levels if not isinstance(level, str)]
    return tuple(sorted(numbers)) if len(numbers) == len(levels) else tuple(levels)


def weights_of(wanted: Weights, levels: Sequence[Level], what: str) -> Floats:
    """Weights (levels,) that sum to 1."""

    numbers = [float(level) for level in levels if not isinstance(level, str)]
    if isinstance(wanted, Mapping):
        return spread_weights(wanted, levels, what)
    if wanted in levels:
        return spread_weights({wanted: 1.0}, levels, what)
    if isinstance(wanted, str) or len(numbers) < len(levels) or len(numbers) < 2:
        raise UsageError(f"{wanted!r} is no {what} of this model: it has {', '.join(map(str, levels))}")
    place = min(max(sum(number <= wanted for number in numbers) - 1, 0), len(numbers) - 2)
    share = (float(wanted) - numbers[place]) / (numbers[place + 1] - numbers[place])
    return spread_weights({levels[place]: 1.0 - share, levels[place + 1]: share}, levels, what)
