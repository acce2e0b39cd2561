"""Bilinear analysis of aligned gait cycles: style and speed as two independent sliders (Hsu 2005, §5.1).

gaits = bilinear.fit({("normal", 1.0): walk_1, ("normal", 1.6): walk_2, ("crouch", 1.0): ..., ("crouch", 1.6): ...})
gaits.synthesize({"normal": 0.5, "crouch": 0.5}, 1.3, cycles=4)     # between; weights may go beyond 0 and 1
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from freshtake.errors import UsageError
from freshtake.motion.clip import Clip
from freshtake.motion.progress import Progress, Report, silent
from freshtake.numeric.arrays import Floats
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.style.bilinear_factors import Factors, factorize, mix
from freshtake.style.bilinear_gaits import GaitCode, gait_code, looped
from freshtake.style.warp_settings import WarpSettings

Level = str | float
Weights = Level | Mapping[Level, float]

__all__ = ["GaitModel", "fit"]


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
    from freshtake.style.bilinear_factors import spread_weights

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
