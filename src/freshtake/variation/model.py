"""VariationModel: both networks, the examples and what synthesis needs; frozen, and all that is saved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.body import feet
from freshtake.motion.features import Start, decode, encode, where_it_ends
from freshtake.motion.planting import Groundwork, lay_groundwork, settings_for
from freshtake.motion.planting import plant as plant_feet
from freshtake.numeric.arrays import Bools, Floats
from freshtake.variation.alignment import align
from freshtake.variation.amount import Amount, amount_of
from freshtake.variation.balance import balanced
from freshtake.variation.goals import Goals
from freshtake.variation.guidance import Guided, guided
from freshtake.variation.instances import PriorInstances, prior_instances
from freshtake.variation.kernels import Tables
from freshtake.variation.likelihood import Judge, Likelihood
from freshtake.variation.material import Material, rounded
from freshtake.variation.network import PriorNetwork, TransitionNetwork
from freshtake.variation.paper import paper_blocks
from freshtake.variation.prior import sample_prior
from freshtake.variation.regression import Regression
from freshtake.variation.settings import Settings
from freshtake.variation.standing import (
    Posed,
    StandingTable,
    nobody_followed,
    planted_stream,
    standing_at,
    standing_table,
)
from freshtake.variation.steering import Course, Steering, Travel, steered, travel_of, turn_column
from freshtake.variation.synthesize import Controls, Mixing, SynthesisState, advance, begin
from freshtake.variation.tables import some_examples, synthesis_tables
from freshtake.variation.ties import correlations_from, tied_deviations, tied_shares

ALIGNMENT = 0.05  # seconds by which warps are smoothed
SLOW_SHARE = 0.9
STEPS_IN_TIME = 0.4  # of the variation of other DOFs: jerk goes with their third power
ALONE = 1.1  # most novelty of a single example, which itself lies off the mean
RELAX, GAIN, WIDTH = 0.1, 0.5, 0.5


class Block(NamedTuple):
    """Rows (frames, DOFs) and their phases (frames,); the paper's method has none."""

    rows: Floats
    phases: Floats | None


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
    precision: Floats  # (DOFs, DOFs) of deviations in units of their spread, 0 where there is no edge; see ties
    spread: Floats  # (17, DOFs): how far the examples that it was learned from lie apart, see tables

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
            self.material, self.places, self.spread, self.transition,
            detail_frames=self.settings.detail / self.frame_time, cyclic=self.cyclic,
        )  # fmt: skip

    @cached_property
    def mixing(self) -> Mixing:
        """How the learned edges tie what the nodes draw on."""
        ties = self.settings.ties
        return Mixing(tied_shares(self.correlations, self.tied, ties), tied_deviations(self.correlations, ties))

    def ties(self, dof: str) -> dict[str, float]:
        """The DOFs that have a learned edge to this one, each with how they deviate together, strongest first."""
        if dof not in self.dofs:
            raise UsageError(f"there is no DOF {dof!r}; those are {', '.join(self.dofs)}")
        number = self.dofs.index(dof)
        row = np.where(self.tied[number], self.correlations[number], 0.0)
        order = np.argsort(-np.abs(row), kind="stable")
        return {self.dofs[k]: float(row[k]) for k in order if self.tied[number, k]}

    @cached_property
    def tied(self) -> Bools:
        """Edges between DOFs that deviate together, (DOFs, DOFs)."""
        return np.asarray((self.precision != 0.0) & ~np.eye(len(self.precision), dtype=np.bool_))

    @cached_property
    def correlations(self) -> Floats:
        """How DOFs deviate together, (DOFs, DOFs) with unit diagonal, as these edges imply."""
        return correlations_from(self.precision)

    @cached_property
    def deviating_together(self) -> Floats:
        """How DOFs deviate together (DOFs, DOFs), unit diagonal: as the learned edges tie them."""
        return np.asarray(self.mixing.strays @ self.mixing.strays.T)

    @cached_property
    def groundwork(self) -> Groundwork | None:
        """What planting needs to know of the examples; None where nothing has feet."""
        recipe = self.material.recipe
        if recipe is None or recipe.skeleton is None or not feet(recipe.skeleton):
            return None
        return lay_groundwork(self._clips())

    @cached_property
    def _standing(self) -> StandingTable:
        assert self.groundwork is not None
        return standing_table(self._clips(), self.places, self.groundwork)

    def standing(self, clip: Clip, phases: Floats) -> Floats:
        """Which feet of a clip stand at these phases (frames,), as the nearest example has it: (frames, joints)."""
        assert self.groundwork is not None
        table = self._standing
        return standing_at(table, nobody_followed(table), clip, phases, self.cyclic, self.groundwork)[1]

    def _clips(self) -> list[Clip]:
        return [clip for clip in map(self.decode, self.material.values) if isinstance(clip, Clip)]

    @cached_property
    def travel(self) -> Travel:
        """How the examples travel over the ground."""
        turn_column(self.material.recipe)
        assert self.material.recipe is not None
        return travel_of(self.material.recipe, self.material.values)

    def controls(self, amount: float | Amount = 1.0, *, rate: float = 1.0) -> Controls:
        """The numbers of synthesis for an amount of variation, at a `rate` of the mean pace."""
        if not 0.1 <= rate <= 10.0:
            raise UsageError(f"the rate must lie between 0.1 and 10, but is {rate}")
        s, much = balanced(self.settings, 1.0), amount_of(amount)
        assert s.spread is not None and s.novelty is not None and s.coherence is not None
        recipe = self.material.recipe
        timing = self.material.timing
        scale = much.per_dof(self.dofs, None if recipe is None else recipe.skeleton)
        scale = np.where(timing, STEPS_IN_TIME * much.tempo, scale)
        coherence = np.where(timing, 1.0, s.coherence)
        tempo = much.tempo
        novelty = s.novelty if len(self.material.values) > 1 else min(float(np.hypot(s.novelty, s.spread)), ALONE)
        return Controls(
            scale, s.spread, tempo * s.leads / self.frame_time, tempo * s.tempo, novelty, min(much.space, 1.0),
            tempo, rate, coherence, SLOW_SHARE, s.pull, RELAX, GAIN, WIDTH, self.rule.velocity_weight,
        )  # fmt: skip

    def start(
        self, rng: np.random.Generator, amount: float | Amount = 1.0, *, rate: float = 1.0, tables: Tables | None = None
    ) -> SynthesisState:
        """The state before the first frame; the prior network draws the pose that it starts from."""
        first = None if amount_of(amount).is_mean else self._first_frames(rng, 1.0)[0]
        return begin(tables or self.tables, self.mixing, self.controls(amount, rate=rate), first, rng)

    def blocks(
        self,
        rng: np.random.Generator,
        *,
        amount: float | Amount = 1.0,
        rate: float = 1.0,
        steer: Steering | None = None,
    ) -> Iterator[Block]:
        """Rows (frames, DOFs) and their phases, block after block; endless for a cyclic model."""
        made = self._blocks(rng, amount, rate)
        if steer is None:
            yield from made
            return
        course, recipe, travel = Course(Start()), self.material.recipe, self.travel
        assert recipe is not None
        for block in made:
            rows, course = (
                steered(steer, recipe, travel, block.rows, course) if len(block.rows) else (block.rows, course)
            )
            yield Block(rows, block.phases)

    def _blocks(self, rng: np.random.Generator, amount: float | Amount, rate: float) -> Iterator[Block]:
        if self.settings.method == "paper":
            for rows in self._paper_blocks(rng, amount_of(amount).space):
                yield Block(rows, None)
            return
        controls = self.controls(amount, rate=rate)
        tables = self.tables if amount_of(amount).is_mean else some_examples(self.tables, rng)
        state = self.start(rng, amount, rate=rate, tables=tables)
        while not state.ended:
            state, rows = advance(state, tables, self.mixing, controls, rng)
            yield Block(rows, state.phases)

    def _paper_blocks(self, rng: np.random.Generator, amount: float) -> Iterator[Floats]:
        """The text to the letter (Lau 2009, §6)."""
        s = self.settings
        first, second = self._first_frames(rng, amount)
        order = self.transition.order
        begin_with = np.stack([first + k * (second - first) for k in range(order)])
        yield from paper_blocks(
            self.material.values, self.material.weights, self.transition, self.rule, begin_with, rng,
            amount=amount, deltas=s.deltas, cyclic=self.cyclic, regression=s.regression,
        )  # fmt: skip

    @cached_property
    def _pairs(self) -> PriorInstances:
        """The prior network's instances; the paper has no time in it, so none of them is coded as a change."""
        return prior_instances(self.material.values, self.settings.prior_pairs, delta=not self.settings.literal)

    def _first_frames(self, rng: np.random.Generator, amount: float) -> tuple[Floats, Floats]:
        """Frames 0 and 1, drawn from the prior network."""
        delta = not self.settings.literal
        return sample_prior(
            self.prior, self._pairs, self.material.weights, self.prior_rule, rng,
            amount=amount, delta=delta, regression=self.settings.regression if not delta else "kernel",
        )  # fmt: skip

    def made(
        self,
        rng: np.random.Generator,
        *,
        amount: float | Amount = 1.0,
        frames: int | None = None,
        cycles: int | None = None,
        rate: float = 1.0,
        steer: Steering | None = None,
    ) -> Block:
        """A whole variant as rows and phases: so many frames or whole cycles of a cyclic model, else to its end."""
        if self.cyclic and frames is None and cycles is None:
            raise UsageError("a cyclic model goes on for ever: say how many frames or cycles")
        if cycles is not None and cycles < 1:
            raise UsageError(f"the number of cycles must be 1 or more, not {cycles}")
        if cycles is not None and self.settings.method == "paper":
            frames = 1 + cycles * round(float(np.mean([len(x) - 1 for x in self.material.values])))
        goal = np.inf if cycles is None or frames is not None else cycles * (len(self.places) - 1.0)
        blocks, count = [], 0
        for block in self.blocks(rng, amount=amount, rate=rate, steer=steer):
            blocks.append(block)
            if frames is None and block.phases is not None and block.phases[-1:].max(initial=0.0) >= goal:
                frames = count + 1 + int(np.argmax(block.phases >= goal))
            count += len(block.rows)
            if frames is not None and count >= frames:
                break
        rows = np.concatenate([block.rows for block in blocks])[:frames]
        if blocks[0].phases is None:
            return Block(rows, None)
        return Block(rows, np.concatenate([block.phases for block in blocks if block.phases is not None])[:frames])

    def rows(self, rng: np.random.Generator, *, amount: float | Amount = 1.0, frames: int | None = None) -> Floats:
        """A whole variant as rows; a cyclic model needs `frames`."""
        return self.made(rng, amount=amount, frames=frames).rows

    def batch(
        self, rngs: Sequence[np.random.Generator], *, amount: float | Amount = 1.0, frames: int | None = None
    ) -> list[Floats]:
        """`rows` once for every generator, on all cores; each is, bit for bit, what it would be alone."""
        with ThreadPoolExecutor() as pool:
            return list(pool.map(lambda rng: self.rows(rng, amount=amount, frames=frames), rngs))

    def sample(
        self,
        rng: np.random.Generator,
        *,
        amount: float | Amount = 1.0,
        cycles: int | None = None,
        goals: Goals | None = None,
        plant: bool | str = False,
        name: str = "",
    ) -> Any:
        """A new variant: a clip (stroke, ...) like the examples, or plain rows where the examples were arrays.

        An acyclic motion ends by itself; of a cyclic one `cycles` whole cycles are made, first and last frame included
        (default: one, or as many as a duration among the goals asks for).
        `plant` holds standing feet, "hard" without their small movement; see Goals for what else may be asked.
        """
        return self.guided(rng, goals or Goals(), amount=amount, cycles=cycles, plant=plant, name=name).motion

    def guided(
        self,
        rng: np.random.Generator,
        goals: Goals,
        *,
        amount: float | Amount = 1.0,
        cycles: int | None = None,
        plant: bool | str = False,
        name: str = "",
    ) -> Guided:
        """Like `sample`, with a report of how well goals were met."""
        made = guided(self, rng, goals, amount=amount, cycles=cycles, name=name)
        if (plant or goals.places) and self.groundwork is not None:
            stand = None if made.phases is None else self.standing(made.motion, made.phases)
            settings = settings_for(plant)
            made = made.planted(
                plant_feet(
                    made.motion, stand, pins=goals.places, examples=self.groundwork, settings=settings, careful=True
                )
            )
        return made

    def stream(
        self,
        rng: np.random.Generator,
        *,
        amount: float | Amount = 1.0,
        steer: Steering | None = None,
        decode: bool = False,
        plant: bool | str = False,
    ) -> Iterator[Any]:
        """One row of DOFs per frame without end (acyclic: to its end); with `decode` one-frame motions, placed on.

        With `decode` and `plant`, standing feet are held still; frames then come a constant number of frames late.
        """
        blocks = self.blocks(rng, amount=amount, steer=steer)
        if not decode:
            for block in blocks:
                yield from block.rows
        elif plant and self.groundwork is not None and self.settings.method != "paper":
            yield from planted_stream(
                self._posed(blocks), self._standing, self.cyclic, self.groundwork, settings_for(plant)
            )
        else:
            start, first = Start(), True
            for block in blocks:
                for row in block.rows:
                    yield self.decode(row[None], start=start, resume=not first)
                    start, first = self._after(row[None], start, not first), False

    def _posed(self, blocks: Iterator[Block]) -> Iterator[Posed]:
        """Blocks as clips that go on where the one before ended."""
        start, first = Start(), True
        for block in blocks:
            if len(block.rows) and block.phases is not None:
                yield Posed(self.decode(block.rows, start=start, resume=not first), block.phases)
                start, first = self._after(block.rows, start, not first), False

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

    @cached_property
    def judge(self) -> Judge:
        """What scores clips under both networks."""
        return Judge(self)

    def score(self, example: Any) -> Likelihood:
        """How likely a motion is under both networks (Lau 2009, eq. 2); `.normalized` compares different lengths."""
        return self.judge.score(self.encode(example))

    def score_frames(self, example: Any) -> Floats:
        """(frames, DOFs): log density of every DOF at every frame."""
        return self.score(example).frames

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
