"""A bank of state-space systems in modal form, one per block, and a record of their accuracy.

    x[t+1] = A x[t] + B u[t]        (Hsu 2005, eq. 5)
    y[t]   = C x[t] + D u[t] + c    (eq. 6; the noise terms are not used in translation)

A is block diagonal: single poles a, and pairs a ± ib as [[a, b], [-b, a]]. Before the first frame, a bank runs over a
past that leads up to it (§4.4).
"""

from collections.abc import Container, Sequence, Sized
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats, Ints
from freshtake.style.columns import Block
from freshtake.style.systems.state_kernels import Modal, run_modal

LOOK = 0.25  # seconds of the beginning that must recur in a repeating motion
LIKE = 0.35  # largest mean squared difference, in variances, of recurring frames
SHORTEST = 0.4  # seconds: the minimum period
ONE_STYLE = 5.0  # degrees: recorded takes of one style differ by 3 to 5, takes of two styles by 8 or more


class System(NamedTuple):
    """The matrices of one block; for a pair of poles `damping` (n,) contains a, a and `turning` (n,) b, -b."""

    damping: Floats
    turning: Floats
    B: Floats  # (n, m)
    C: Floats  # (p, n)
    D: Floats  # (p, m)
    offset: Floats  # (p,)


@dataclass(frozen=True, eq=False)
class Bank:
    """One state-space system per block."""

    blocks: tuple[Block, ...]
    systems: tuple[System, ...]

    @cached_property
    def packed(self) -> Modal:
        """The bank in the form that the kernel reads."""
        ports: list[Ints] = []
        for listed in ([block.inputs for block in self.blocks], [block.outputs for block in self.blocks]):
            ports += [np.array([k for each in listed for k in each], dtype=np.intp), _starts(listed)]
        matrices = (np.concatenate([part.ravel() for part in parts]) for parts in zip(*self.systems, strict=True))
        return Modal._make([*ports, _starts([system.damping for system in self.systems]), *matrices])

    @property
    def size(self) -> int:
        """The length of the state."""
        return int(self.packed.states[-1])

    @property
    def radius(self) -> float:
        """The spectral radius of all systems together: the largest absolute value of a pole."""
        return float(np.hypot(self.packed.damping, self.packed.turning).max(initial=0.0))

    def memory(self, share: float = 0.01) -> int:
        """Return the number of frames after which less than `share` of a deviation remains."""
        return 0 if self.radius < 1e-9 else int(np.ceil(np.log(share) / np.log(min(self.radius, 1.0 - 1e-9)))) + 1

    def start(self) -> Floats:
        """Return the state at rest."""
        return np.zeros(self.size)

    def run(self, state: Floats, rows: Floats) -> tuple[Floats, Floats]:
        """Return the state after all rows, and the outputs (frames, outputs)."""
        after, out = state.copy(), np.zeros((len(rows), self.width))
        run_modal(after, np.ascontiguousarray(rows), out, self.packed, NONE)
        return after, out

    def features(self, state: Floats, rows: Floats) -> Floats:
        """Return the features of each frame for a classifier (frames, features): the states and the inputs."""
        states = np.zeros((len(rows), self.size))
        run_modal(state.copy(), np.ascontiguousarray(rows), np.zeros((len(rows), self.width)), self.packed, states)
        return np.concatenate([states, rows], axis=1)

    def features_of(self, names: Container[str]) -> Ints:
        """Return the numbers of the features that are states and inputs of the named blocks."""
        starts, mine = self.packed.states, [k for k, block in enumerate(self.blocks) if block.name in names]
        states = [np.arange(starts[k], starts[k + 1]) for k in mine]
        inputs = np.unique(np.array([column for k in mine for column in self.blocks[k].inputs], dtype=np.intp))
        return np.concatenate([*states, self.size + inputs])

    @property
    def width(self) -> int:
        """The number of outputs."""
        return 1 + max(max(block.outputs) for block in self.blocks)


NONE = np.zeros((0, 0))


def settled(bank: Bank, row: Floats) -> Floats:
    """Return the state after repeating a row for as long as the bank remembers: the steady state (Hsu 2005, §4.4)."""
    count = min(bank.memory(1e-3), 4096)
    return bank.run(bank.start(), np.repeat(row[None], count, axis=0))[0]


def past_of(rows: Floats, frames: int, fps: float, weights: Floats | None = None) -> Floats:
    """Return `frames` rows that lead up to the first row.

    If the beginning recurs, these are the rows before its recurrence. A single cycle, which ends as it begins, is
    repeated. Otherwise the first pose is repeated. `weights` (DOFs,) weigh a unit of each DOF in the comparison.
    """
    if frames == 0 or len(rows) == 0:
        return np.zeros((frames, rows.shape[1]))
    weighed = rows if weights is None else rows * weights
    period = recurrence(weighed, fps) or _closing(weighed, fps)
    if period is None:
        return np.repeat(rows[:1], frames, axis=0)
    back = np.arange(-frames, 0)
    return np.asarray(rows[back % period])


def _closing(rows: Floats, fps: float) -> int | None:
    """Find where a motion of one cycle returns to its first row in the same direction; None for other motions."""
    look, least = max(2, round(LOOK * fps)), max(2, round(SHORTEST * fps))
    if len(rows) < least + look:
        return None
    steps = np.diff(rows, axis=0)
    usual = float(np.linalg.norm(steps, axis=1).mean())
    apart = np.linalg.norm(rows[-look:] - rows[0], axis=1)
    end = len(rows) - look + int(apart.argmin())
    # Pose and speed must be closer than one usual frame: a step that ends with the other foot differs in pose, and an
    # arm that was raised and lowered passes the first pose in the other direction.
    turned = float(np.linalg.norm(steps[end - 1] - steps[0]))
    return end if usual > 0.0 and apart.min() <= usual and turned <= usual else None


def recurrence(rows: Floats, fps: float) -> int | None:
    """Find the first lag after which the beginning recurs, or None."""
    look, least = max(2, round(LOOK * fps)), max(2, round(SHORTEST * fps))
    last = len(rows) - look
    if last < least:
        return None
    scale = rows.var(axis=0).sum()
    if scale <= 1e-12:
        return None
    lags = np.arange(least, last + 1)
    away = rows - rows[:look].mean(axis=0)  # Otherwise squares would be much larger than their differences.
    squares = np.sum(away**2, axis=1)
    apart = np.zeros(len(lags))
    for k, products in enumerate(away[:look] @ away.T):  # |a - b|² = |a|² + |b|² - 2 a b
        apart += (squares[k] + squares[lags + k] - 2.0 * products[lags + k]) / (look * scale)
    inner = np.flatnonzero((apart[1:-1] <= apart[:-2]) & (apart[1:-1] <= apart[2:])) + 1
    good = inner[apart[inner] < LIKE]
    if not len(good):
        return None
    return int(lags[good[apart[good] <= 1.5 * apart[good].min() + 0.02][0]])


def _starts(parts: Sequence[Sized]) -> Ints:
    """Return the start of each part when all are concatenated, and the total length."""
    return np.cumsum([0, *map(len, parts)]).astype(np.intp)


class HeldOut(NamedTuple):
    """Errors of the systems and of copying the source, in degrees RMS per joint, on left-out clips.

    Both are 0 if no clip can be left out.
    """

    n4sid: float
    copy: float

    @property
    def hardly_differs(self) -> bool:
        """Whether source and target are as similar as two takes of one style."""
        return 0.0 < self.copy < ONE_STYLE

    def in_words(self, pairs: int) -> str:
        """Describe the number of pairs and the errors on left-out clips in a sentence."""
        learned = f"learned from {pairs} {'pair' if pairs == 1 else 'pairs'}"
        if not self.n4sid or not self.copy:
            return learned
        return f"{learned}: joints of left-out clips are {self.n4sid:.1f}° off the style, {self.copy:.1f}° untranslated"
