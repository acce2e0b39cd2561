"""VariationModel: both networks, the examples and what synthesis needs; frozen, and all that is saved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.features import Start, decode, encode, where_it_ends
from freshtake.numeric.arrays import Floats
from freshtake.variation.alignment import align
from freshtake.variation.instances import prior_instances
from freshtake.variation.kernels import Tables
from freshtake.variation.material import Material, rounded
from freshtake.variation.network import PriorNetwork, TransitionNetwork
from freshtake.variation.paper import paper_blocks
from freshtake.variation.prior import sample_prior
from freshtake.variation.regression import Regression
from freshtake.variation.settings import Settings
from freshtake.variation.synthesize import Controls, Mixing, SynthesisState, advance, begin
from freshtake.variation.tables import synthesis_tables
from freshtake.variation.ties import tied_mixing

ALIGNMENT = 0.05  # seconds by which warps are smoothed
SLOW_SHARE = 0.9
RELAX, GAIN, WIDTH = 0.1, 0.5, 0.5


@dataclass(frozen=True, eq=False, repr=False)
class VariationModel:
    """What was learned; `sample`, `stream` and `score` are its door."""

    material: Material
    settings: Settings
    cyclic: bool
    prior: PriorNetwork
    transition: TransitionNetwork
    rule: Regression
    prior_rule: Regression
    correlations: Floats  # (DOFs, DOFs), see ties; 0 where there is no edge
    spread: Floats  # (DOFs,): how far the examples that it was learned from lie apart

    def __repr__(self) -> str:
        kind = "cyclic" if self.cyclic else "acyclic"
        return f"VariationModel({len(self.material.values)} {kind} examples, {len(self.dofs)} DOFs)"

    @property
    def dofs(self) -> tuple[str, ...]:
        """The DOFs by name."""
        return self.material.names

    @property
    def frame_time(self) -> float:
        """Seconds from frame to frame."""
        return self.material.frame_time

    @cached_property
    def places(self) -> Floats:
        """The common phase of the examples (see alignment)."""
        return align(self.material.values, self.material.weights, ALIGNMENT / self.frame_time)

    @cached_property
    def tables(self) -> Tables:
        """What synthesis reads."""
        return synthesis_tables(
            self.material.values, self.places, self.material.weights, self.material.rates, self.spread, self.transition,
            detail_frames=self.settings.detail / self.frame_time, cyclic=self.cyclic,
        )  # fmt: skip

    @cached_property
    def mixing(self) -> Mixing:
        """How the learned edges tie what the nodes draw on."""
        ties = self.settings.ties
        return Mixing(
            tied_mixing(self.correlations, ties, signed=False), tied_mixing(self.correlations, ties, signed=True)
        )

    def controls(self, amount: float) -> Controls:
        """The numbers of synthesis for an amount of variation."""
        if not (np.isfinite(amount) and 0.0 <= amount <= 10.0):
            raise UsageError(f"amount must lie between 0 and 10, but is {amount}")
        s = self.settings
        alone = len(self.material.values) == 1
        return Controls(
            amount * s.spread, amount * s.leads / self.frame_time, amount * s.tempo, amount * s.spread * alone,
            s.coherence, SLOW_SHARE, s.pull, RELAX, GAIN, WIDTH, self.rule.velocity_weight,
        )  # fmt: skip

    def start(self, rng: np.random.Generator, amount: float = 1.0) -> SynthesisState:
        """The state before the first frame; the prior network draws the pose that it starts from."""
        first = self._first_frames(rng, 1.0)[0] if amount > 0.0 else None
        return begin(self.tables, self.mixing, self.controls(amount), first, rng)

    def blocks(self, rng: np.random.Generator, *, amount: float = 1.0) -> Iterator[Floats]:
        """Rows (frames, DOFs), block after block; endless for a cyclic model."""
        if self.settings.method == "paper":
            yield from self._paper_blocks(rng, amount)
            return
        state, controls = self.start(rng, amount), self.controls(amount)
        while not state.ended:
            state, rows = advance(state, self.tables, self.mixing, controls, rng)
            yield rows

    def _paper_blocks(self, rng: np.random.Generator, amount: float) -> Iterator[Floats]:
        """The text to the letter (Lau 2009, §6)."""
        s = self.settings
        first, second = self._first_frames(rng, self.controls(amount).shares)
        order = self.transition.order
        begin_with = np.stack([first + k * (second - first) for k in range(order)])
        yield from paper_blocks(
            self.material.values, self.material.weights, self.transition, self.rule, begin_with, rng,
            amount=amount, deltas=s.deltas, cyclic=self.cyclic,
        )  # fmt: skip

    def _first_frames(self, rng: np.random.Generator, amount: float) -> tuple[Floats, Floats]:
        """Frames 0 and 1, drawn from the prior network."""
        instances = prior_instances(self.material.values, self.settings.prior_pairs, delta=True)
        return sample_prior(
            self.prior, instances, self.material.weights, self.prior_rule, rng, amount=amount, delta=True
        )

    def rows(self, rng: np.random.Generator, *, amount: float = 1.0, frames: int | None = None) -> Floats:
        """A whole variant as rows; a cyclic model needs `frames`."""
        if frames is None and self.cyclic:
            raise UsageError("a cyclic model goes on for ever: say how many frames")
        parts, count = [], 0
        for block in self.blocks(rng, amount=amount):
            parts.append(block)
            count += len(block)
            if frames is not None and count >= frames:
                break
        return np.concatenate(parts)[:frames]

    def sample(self, rng: np.random.Generator, *, amount: float = 1.0, cycles: int = 1, name: str = "") -> Any:
        """A new variant: a clip (stroke, ...) like the examples, or plain rows where the examples were arrays.

        An acyclic motion ends by itself; of a cyclic one `cycles` whole cycles are made, first and last frame included.
        """
        if not self.cyclic:
            rows = self.rows(rng, amount=amount)
        elif self.settings.method == "paper":
            period = round(float(np.mean([len(x) - 1 for x in self.material.values])))
            rows = self.rows(rng, amount=amount, frames=1 + cycles * period)
        else:
            rows = self._whole_cycles(rng, amount, cycles)
        return self.decode(rows, name=name)

    def _whole_cycles(self, rng: np.random.Generator, amount: float, cycles: int) -> Floats:
        """Rows from phase to equal phase: how many there are is up to the tempo."""
        if cycles < 1:
            raise UsageError(f"the number of cycles must be 1 or more, not {cycles}")
        state, controls = self.start(rng, amount), self.controls(amount)
        goal = cycles * (len(self.places) - 1.0)
        parts: list[Floats] = []
        frames = np.inf
        while sum(len(part) for part in parts) < frames:
            before, count = state.clock[1], sum(len(part) for part in parts)
            state, rows = advance(state, self.tables, self.mixing, controls, rng)
            parts.append(rows)
            if before < goal <= state.clock[1]:
                frames = count + 1 + round((goal - before) / (state.clock[1] - before) * len(rows))
        return np.concatenate(parts)[: int(frames)]

    def stream(self, rng: np.random.Generator, *, amount: float = 1.0, decode: bool = False) -> Iterator[Any]:
        """One row of DOFs per frame without end (acyclic: to its end); with `decode` one-frame motions, placed on."""
        start, first = Start(), True
        for block in self.blocks(rng, amount=amount):
            if not decode:
                yield from block
                continue
            for row in block:
                yield self.decode(row[None], start=start, resume=not first)
                start = self._after(row[None], start, not first)
                first = False

    def _after(self, rows: Floats, start: Start, resume: bool) -> Start:
        recipe = self.material.recipe
        return start if recipe is None else where_it_ends(recipe, rows, start=start, resume=resume)

    def decode(self, rows: Floats, *, start: Start | None = None, resume: bool = False, name: str = "") -> Any:
        """Rows to a motion of the examples' kind."""
        recipe = self.material.recipe
        if recipe is None:
            return rows
        motion = decode(recipe, rows, start=start, resume=resume, name=name)
        return motion.changed(provenance="made by freshtake: variation") if isinstance(motion, Clip) else motion

    def encode(self, example: Any) -> Floats:
        """A motion as rows of this model's DOFs."""
        recipe = self.material.recipe
        if recipe is None:
            return rounded(example)
        return rounded(encode(recipe, example, strict=False).values)

    def with_examples(self, examples: Sequence[Any]) -> VariationModel:
        """The learned structure with other examples, also a single one (Lau 2009, §8)."""
        if not examples:
            raise UsageError("with_examples needs at least one example")
        values = tuple(self.encode(example) for example in examples)
        least = self.settings.order + 2
        short = [k for k, x in enumerate(values) if len(x) < least]
        if short:
            frames = len(values[short[0]])
            raise UsageError(f"example {short[0] + 1} has {frames} frames: at least {least} are needed")
        return replace(self, material=replace(self.material, values=values))
