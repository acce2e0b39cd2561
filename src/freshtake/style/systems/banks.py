"""Banks of systems, one per block: state-space systems in modal form, or delay lines; one interface for both.

    x[t+1] = A x[t] + B u[t]        (Hsu 2005, eq. 5)
    y[t]   = C x[t] + D u[t] + c    (eq. 6; the noise terms are not used in translation)

A is block diagonal: single poles a, and pairs a ± ib as [[a, b], [-b, a]]. A delay line is the special case whose state
is the past inputs themselves: y[t] = sum_k H[k] u[t - k stride] + c.

Also the record of how a model's kind of system was chosen.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats, Ints
from freshtake.style.columns import Block
from freshtake.style.systems.delays import Delays, run_delays, see_delays
from freshtake.style.systems.state_kernels import Modal, run_modal

ONE_STYLE = 5.0  # degrees: recorded takes of one style are 3 to 5 apart, of two styles 8 and more


class System(NamedTuple):
    """One block's matrices. `damping` (n,) is a, `turning` (n,) is b of the first of a pair, -b of the second."""

    damping: Floats
    turning: Floats
    B: Floats  # (n, m)
    C: Floats  # (p, n)
    D: Floats  # (p, m)
    offset: Floats  # (p,)

    @property
    def radius(self) -> float:
        """The largest absolute value of a pole."""
        return float(np.hypot(self.damping, self.turning).max(initial=0.0))


@dataclass(frozen=True, eq=False)
class StateSpaceBank:
    """One state-space system per block."""

    blocks: tuple[Block, ...]
    systems: tuple[System, ...]
    kind: ClassVar[str] = "n4sid"

    @cached_property
    def packed(self) -> Modal:
        """The bank as the kernel reads it."""
        s = self.systems
        return Modal(
            *_ports(self.blocks), _starts([len(x.damping) for x in s]),
            _flat([x.damping for x in s]), _flat([x.turning for x in s]),
            _flat([x.B for x in s]), _flat([x.C for x in s]), _flat([x.D for x in s]), _flat([x.offset for x in s]),
        )  # fmt: skip

    @property
    def inputs(self) -> int:
        """The number of input DOFs."""
        return 1 + max(max(block.inputs) for block in self.blocks)

    @property
    def size(self) -> int:
        """Return the length of the state."""
        return int(self.packed.states[-1])

    @property
    def radius(self) -> float:
        """Return the spectral radius of all systems together."""
        return max((system.radius for system in self.systems), default=0.0)

    def memory(self, share: float = 0.01) -> int:
        """Count the frames after which less than `share` of a deviation remains."""
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
        """Return what a classifier sees in every frame (frames, features): the states and the inputs."""
        states = np.zeros((len(rows), self.size))
        run_modal(state.copy(), np.ascontiguousarray(rows), np.zeros((len(rows), self.width)), self.packed, states)
        return np.concatenate([states, rows], axis=1)

    def features_of(self, names: Container[str]) -> Ints:
        """Return which features are states and inputs of the blocks with these names."""
        starts, mine = self.packed.states, [k for k, block in enumerate(self.blocks) if block.name in names]
        states = [np.arange(starts[k], starts[k + 1]) for k in mine]
        return np.concatenate([*states, self.size + _inputs_of(self.blocks, names)])

    @property
    def width(self) -> int:
        """The number of outputs."""
        return 1 + max(max(block.outputs) for block in self.blocks)


@dataclass(frozen=True, eq=False)
class DelayBank:
    """One delay line per block: taps (taps, inputs, outputs) `stride` frames apart, and offsets."""

    blocks: tuple[Block, ...]
    taps: tuple[Floats, ...]
    offsets: tuple[Floats, ...]
    stride: int
    kind: ClassVar[str] = "fir"

    @cached_property
    def packed(self) -> Delays:
        """The bank as the kernel reads it."""
        counts = np.array([len(h) for h in self.taps], dtype=np.intp)
        return Delays(
            *_ports(self.blocks), _flat([h.transpose(2, 0, 1) for h in self.taps]), _flat(self.offsets), counts,
            self.stride, self.inputs, self.memory(), self._seen,
        )  # fmt: skip

    @property
    def inputs(self) -> int:
        """The number of input DOFs."""
        return 1 + max(max(block.inputs) for block in self.blocks)

    @property
    def width(self) -> int:
        """The number of outputs."""
        return 1 + max(max(block.outputs) for block in self.blocks)

    @property
    def size(self) -> int:
        """Return the length of the state: a ring of past inputs, and where it begins."""
        return self.memory() * self.inputs + 1

    @property
    def radius(self) -> float:
        """Return 0: all poles are at zero."""
        return 0.0

    def memory(self, share: float = 0.01) -> int:
        """Count the frames that the delay line holds."""
        return 1 + (max(len(h) for h in self.taps) - 1) * self.stride

    def start(self) -> Floats:
        """Return the state at rest."""
        return np.zeros(self.size)

    def run(self, state: Floats, rows: Floats) -> tuple[Floats, Floats]:
        """Return the state after all rows, and the outputs (frames, outputs)."""
        after, out = state.copy(), np.zeros((len(rows), self.width))
        run_delays(after, np.ascontiguousarray(rows), out, self.packed)
        return after, out

    @cached_property
    def _seen(self) -> Ints:
        """How many frames back a classifier looks."""
        # A classifier sees four places of the delay line.
        return np.unique(np.linspace(0, self.memory() - 1, 4).round().astype(np.intp))

    def features(self, state: Floats, rows: Floats) -> Floats:
        """Return what a classifier sees in every frame: the delay line at a few places, as its state."""
        out = np.empty((len(rows), len(self._seen) * self.inputs))
        see_delays(state, np.ascontiguousarray(rows), self.packed, out)
        return out

    def features_of(self, names: Container[str]) -> Ints:
        """Return which features are inputs of the blocks with these names."""
        places = self.inputs * np.arange(len(self._seen))
        return np.asarray((places[:, None] + _inputs_of(self.blocks, names)).ravel())


Bank = StateSpaceBank | DelayBank
NONE = np.zeros((0, 0))


def settled(bank: Bank, row: Floats, frames: int | None = None) -> Floats:
    """Return the state after the same row for as long as the bank remembers: the steady state (Hsu 2005, §4.4)."""
    count = min(bank.memory(1e-3), 4096) if frames is None else frames
    return bank.run(bank.start(), np.repeat(row[None], count, axis=0))[0]


def _inputs_of(blocks: Sequence[Block], names: Container[str]) -> Ints:
    """Return the DOFs that drive the blocks with these names, each once."""
    return np.unique(np.array([k for block in blocks if block.name in names for k in block.inputs], dtype=np.intp))


def _ports(blocks: Sequence[Block]) -> tuple[Ints, Ints, Ints, Ints]:
    """Return the concatenated inputs of all blocks and where each begins, and the same for outputs."""
    return (
        np.array([k for block in blocks for k in block.inputs], dtype=np.intp),
        _starts([len(block.inputs) for block in blocks]),
        np.array([k for block in blocks for k in block.outputs], dtype=np.intp),
        _starts([len(block.outputs) for block in blocks]),
    )


def _starts(counts: Sequence[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.intp)


def _flat(parts: Sequence[Floats]) -> Floats:
    return np.concatenate([np.ascontiguousarray(part).ravel() for part in parts]) if parts else np.zeros(0)


class Choice(NamedTuple):
    """The chosen system, why, and its error on held-out clips next to that of copying (degrees RMS per joint).

    Where there is nothing to leave out the error is 0.
    """

    kind: str
    why: str
    errors: dict[str, float]

    @property
    def hardly_differs(self) -> bool:
        """Whether source and target are as near to each other as two takes of one style."""
        return self.errors.get("copy", ONE_STYLE) < ONE_STYLE

    def in_words(self, pairs: int) -> str:
        """Describe in a sentence how many pairs were learned from, and how near held-out clips came to the style."""
        learned = f"learned from {pairs} {'pair' if pairs == 1 else 'pairs'}"
        error, before = self.errors.get(self.kind), self.errors.get("copy")
        if not error or not before:
            return learned
        return f"{learned}: joints of clips left out are {error:.1f}° off the style, {before:.1f}° as they were"
