"""How many motions a library needs so that a view hardly ever shows the same one twice: the birthday problem, in time.

Each of v visible characters plays one of m loops of T seconds from a random moment on. Two are copies of each other
where they play the same loop less than w seconds apart. Of k characters on one loop no two are copies with probability
(1 - k w / T)^(k - 1), the law of gaps between random points on a circle; characters fall onto loops at random, so that
probabilities of sets of loops are put together with binomial weights. With w = T / 2 it is the plain birthday problem.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from freshtake.crowd.plan import counts
from freshtake.errors import UsageError
from freshtake.numeric.arrays import Floats

MOST_VARIANTS = 1_000_000


class LoopSet(NamedTuple):
    """Loops that share characters: the part of the crowd that plays them, how many there are, and w / T."""

    share: float
    loops: int
    near: float


def repetition_probability(visible: int, sets: Sequence[LoopSet]) -> float:
    """Compute how likely it is that at least two of the visible characters are copies of each other."""
    none, share = _apart(visible, sets[0].loops, sets[0].near), sets[0].share
    for one in sets[1:]:
        none = _together(none, _apart(visible, one.loops, one.near), share / (share + one.share))
        share += one.share
    return float(np.clip(1.0 - none[visible], 0.0, 1.0))


def loops_needed(visible: int, probability: float, shares: Sequence[float], near: float) -> int:
    """Find the least number of loops, over all groups by their shares, that keeps the probability of copies."""

    def risk(loops: int) -> float:
        own = [1 + extra for extra in counts(loops - len(shares), tuple(shares))]
        return repetition_probability(visible, [LoopSet(s, m, near) for s, m in zip(shares, own, strict=True)])

    low, high = len(shares) - 1, max(len(shares), 1)
    while risk(high) > probability:
        low, high = high, 2 * high
        if high > MOST_VARIANTS:
            raise UsageError(
                f"repetition.probability: {probability:g} for {visible} visible characters needs more than "
                f"{MOST_VARIANTS} variants: allow more, or use the mode unique"
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if risk(middle) <= probability else (middle, high)
    return high


def _one_loop(visible: int, near: float) -> Floats:
    """Compute the probability (visible + 1,) that so many characters on one loop are no copies."""
    count = np.arange(visible + 1.0)
    room = np.maximum(1.0 - count * near, 0.0)
    return np.where(count < 2.0, 1.0, room ** np.maximum(count - 1.0, 0.0))


@lru_cache(maxsize=64)
def _apart(visible: int, loops: int, near: float) -> Floats:
    """Compute the same for so many characters on so many loops, by halves."""
    if loops == 1:
        return _one_loop(visible, near)
    half = loops // 2
    return _together(_apart(visible, half, near), _apart(visible, loops - half, near), half / loops)


def _together(first: Floats, second: Floats, share: float) -> Floats:
    """Join two sets of loops, of which the first gets this share of the characters."""
    count = np.arange(len(first))
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1.0, len(first))))])  # of factorials
    out = np.empty(len(first))
    for n in count:
        k = count[: n + 1]
        # Through logarithms, because factorials of some hundred characters exceed all numbers.
        weight = np.exp(logs[n] - logs[k] - logs[n - k] + k * np.log(share) + (n - k) * np.log1p(-share))
        out[n] = (weight * first[k] * second[n - k]).sum()
    return out
