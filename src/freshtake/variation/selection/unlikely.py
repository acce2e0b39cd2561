"""Where a clip is least likely: which joints, and in which stretch of the movement, in one short phrase."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats

PHASES = 20  # parts of equal duration in which clips are compared
REACH = 8.0  # nats per DOF beyond which less likely is not worse
MOST_NAMED = 3
SHARE = 0.5  # of all that is missing, which the named joints or phases hold
ROOT_WORDS = {
    "forward": "forward speed",
    "sideways": "sideways speed",
    "turn": "turning",
    "height": "height of the root",
    "swing_x": "lean of the root",
    "swing_y": "lean of the root",
    "swing_z": "lean of the root",
}


class Spot(NamedTuple):
    """What is least likely, worst first, and in which part of the movement (shares of its duration)."""

    what: tuple[str, ...]
    first: float
    last: float

    def __str__(self) -> str:
        named = " and ".join([", ".join(self.what[:-1]), self.what[-1]] if len(self.what) > 1 else self.what)
        return f"least likely: {named}, {'throughout' if self.throughout else f'at {self.where}'}"

    @property
    def throughout(self) -> bool:
        """Whether it is no stretch but most of the movement."""
        return self.last - self.first >= 0.8

    @property
    def where(self) -> str:
        """The stretch in words."""
        return f"{100 * self.first:.0f}-{100 * self.last:.0f} % of the movement"


def by_phase(frames: Floats) -> Floats:
    """Log densities (frames, DOFs) as means over parts of equal duration, (20, DOFs)."""
    edges = np.linspace(0.0, len(frames), PHASES + 1)
    total = np.concatenate([np.zeros((1, frames.shape[1])), np.cumsum(frames, axis=0)])
    low = np.minimum(edges.astype(np.intp), len(frames) - 1)
    at = total[low] + (edges - low)[:, None] * frames[low]
    return np.asarray(np.diff(at, axis=0) / np.diff(edges)[:, None])


def owners(dofs: Sequence[str]) -> tuple[str, ...]:
    """What each DOF is called in a reason: its joint, or in words where it moves the whole body."""
    return tuple(ROOT_WORDS.get(dof.rpartition(".")[2], dof.rpartition(".")[0] or dof) for dof in dofs)


def missing(parts: Floats, usual: Floats) -> Floats:
    """How far log densities (20, DOFs) fall below the usual ones; 0 where they do not, 8 nats at most."""
    return np.clip(usual - parts, 0.0, REACH)


def joined(missed: Floats, dofs: Sequence[str]) -> tuple[tuple[str, ...], Floats]:
    """The same by joint, (20, joints): sums over a joint's DOFs."""
    called = owners(dofs)
    names = tuple(dict.fromkeys(called))
    belongs = np.array([[owner == name for name in names] for owner in called], dtype=np.float64)
    return names, missed @ belongs


def least_likely(missed: Floats, dofs: Sequence[str]) -> Spot | None:
    """The joints that miss most, up to three that hold half of it, and the shortest stretch that holds half of theirs.

    Give what is missing times how far the DOFs are off, so that a thumb's twitch does not outweigh a leg.
    """
    names, table = joined(missed, dofs)
    sums = table.sum(axis=0)
    if sums.sum() <= 0.0:
        return None
    order = np.argsort(-sums, kind="stable")
    held = np.cumsum(sums[order]) / sums.sum()
    count = min(int(np.searchsorted(held, SHARE)) + 1, MOST_NAMED)
    while count > 1 and sums[order[count - 1]] < 0.25 * sums[order[0]]:
        count -= 1
    chosen = order[:count]
    first, last = _stretch(table[:, chosen].sum(axis=1))
    return Spot(tuple(names[k] for k in chosen), first / PHASES, last / PHASES)


def _stretch(values: Floats) -> tuple[int, int]:
    """The shortest run of parts that holds half of the sum, from its first part to the one after its last."""
    total = np.concatenate([[0.0], np.cumsum(values)])
    wanted = SHARE * total[-1]
    for length in range(1, len(values) + 1):
        sums = total[length:] - total[:-length]
        if sums.max() >= wanted:
            first = int(sums.argmax())
            return first, first + length
    return 0, len(values)
