"""VariationModel: both networks, the examples and what synthesis needs; frozen, and all that is saved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from freshtake.errors import UsageError
from freshtake.methods.live import checked_rows
from freshtake.motion import Clip
from freshtake.motion.body.roles import feet
from freshtake.motion.features import Start, decode, encode
from freshtake.motion.guards import BodyLimits, learn_limits
from freshtake.motion.planting import PlantingModel, learn_planting
from freshtake.motion.planting import plant as plant_feet
from freshtake.numeric.arrays import Floats
from freshtake.numeric.blas_threads import on_one_blas_thread, one_blas_thread
from freshtake.variation.examples import Material, rounded
from freshtake.variation.goals.goals import Goals
from freshtake.variation.goals.guidance import Guided, guided
from freshtake.variation.goals.steering import Steering, Travel, travel_of, turn_column
from freshtake.variation.goals.variation_loops import looped
from freshtake.variation.live import (
    Block,
    LiveControl,
    controlled_blocks,
    decoded_stream,
    steered_blocks,
    whole_variant,
)
from freshtake.variation.network.instances import PriorInstances, prior_instances
from freshtake.variation.network.likelihood import Likelihood, LikelihoodScorer
from freshtake.variation.network.networks import PriorNetwork, TransitionNetwork
from freshtake.variation.network.regression import Regression
from freshtake.variation.network.take_likelihood import take_likelihood
from freshtake.variation.planting import (
    StandingTable,
    nobody_followed,
    standing_at,
    standing_table,
    variant_settings,
)
from freshtake.variation.settings import Settings
from freshtake.variation.synthesis.amount import Amount, amount_of
from freshtake.variation.synthesis.courses import Courses, common_phase_frames, example_courses
from freshtake.variation.synthesis.dynamics import Dynamics, deviating_together
from freshtake.variation.synthesis.frame_kernels import Amounts, Tables
from freshtake.variation.synthesis.hinges import Hinge, hinges_of, on_hinges
from freshtake.variation.synthesis.kernel_method import KernelParts
from freshtake.variation.synthesis.swing_following import SwingTables, swings_along
from freshtake.variation.synthesis.traits import sizes_at, trait_basis
from freshtake.variation.synthesize import Sampler, SynthesisState, begin, sampler_of, synthesis_tables


@dataclass(frozen=True, eq=False, repr=False)
class VariationModel:
    """What was learned. Use sample, stream and score."""

    material: Material
    settings: Settings
    cyclic: bool
    transition: TransitionNetwork
    dynamics: Dynamics | None = None  # of the default method
    kernel: KernelParts | None = None  # of the kernel methods

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

    @property
    def _kernel(self) -> KernelParts:
        if self.kernel is None:
            raise UsageError("the default method has no such network: learn with method='kernel' or 'paper'")
        return self.kernel

    @property
    def prior(self) -> PriorNetwork:
        """The prior network of the kernel methods."""
        return self._kernel.prior

    @property
    def rule(self) -> Regression:
        """The numbers of their regression."""
        return self._kernel.rule

    @property
    def prior_rule(self) -> Regression:
        """Those of the prior network's."""
        return self._kernel.prior_rule

    @cached_property
    def phase_frames(self) -> Floats:
        """The common phase of the examples (see common_phase)."""
        return common_phase_frames(self.material, self.cyclic)

    @cached_property
    def courses(self) -> Courses:
        """The examples on their common phase."""
        return example_courses(self.material, self.phase_frames, self.settings, self.cyclic)

    @cached_property
    def tables(self) -> Tables:
        """What the default synthesis reads."""
        return synthesis_tables(self._dynamics, self.courses, self.material)

    @cached_property
    def _swings(self) -> SwingTables:
        return swings_along(self._dynamics, self.courses, self.material, self.tables)

    @property
    def _dynamics(self) -> Dynamics:
        if self.dynamics is None:
            raise UsageError("this needs a model of the default method")
        return self.dynamics

    @cached_property
    def sizes(self) -> Floats:
        """How far a further take is expected to deviate, (phases, DOFs): one standard deviation; 0 for speeds."""
        dynamics = self._dynamics
        rest = sizes_at(dynamics.sizes, len(self.phase_frames)) ** 2
        traits = (self.tables.basis**2).sum(axis=0)
        return np.where(self.material.held, 0.0, np.sqrt(rest + traits)[:, : len(self.dofs)])

    @cached_property
    def deviating_together(self) -> Floats:
        """How DOFs deviate together within a frame (DOFs, DOFs), unit diagonal: as the learned edges tie them."""
        dynamics = self._dynamics
        basis = trait_basis(self.courses.mean, self.cyclic)
        correlations = deviating_together(dynamics, basis, sizes_at(dynamics.sizes, len(self.phase_frames)))
        return correlations[: len(self.dofs), : len(self.dofs)]

    @cached_property
    def planting_model(self) -> PlantingModel | None:
        """What planting needs to know of the examples; None where nothing has feet."""
        recipe = self.material.recipe
        if recipe is None or recipe.skeleton is None or not feet(recipe.skeleton):
            return None
        return learn_planting(self._clips())

    @cached_property
    def body_limits(self) -> BodyLimits | None:
        """How far a body may go beyond what it does in the examples; None where they are no clips of a body."""
        recipe = self.material.recipe
        return learn_limits(self._clips()) if recipe is not None and recipe.skeleton is not None else None

    @cached_property
    def standing_table(self) -> StandingTable:
        """When the feet of every example stand, and where they are."""
        assert self.planting_model is not None
        return standing_table(self._clips(), self.phase_frames, self.planting_model)

    def standing(self, clip: Clip, phases: Floats) -> Floats:
        """Which feet of a clip stand at these phases (frames,), as the nearest example has it: (frames, joints)."""
        assert self.planting_model is not None
        table = self.standing_table
        return standing_at(table, nobody_followed(table), clip, phases, self.cyclic, self.planting_model)[1]

    def _clips(self) -> list[Clip]:
        return [clip for clip in map(self.decode, self.material.values) if isinstance(clip, Clip)]

    @cached_property
    def travel(self) -> Travel:
        """How the examples travel over the ground."""
        turn_column(self.material.recipe)
        assert self.material.recipe is not None
        return travel_of(self.material.recipe, self.material.values)

    def sampler(self, amount: float | Amount = 1.0, *, rate: float = 1.0) -> Sampler:
        """What the default synthesis works with for an amount of variation, at a `rate` of the mean pace."""
        if not 0.1 <= rate <= 10.0:
            raise UsageError(f"the rate must lie between 0.1 and 10, but is {rate}")
        chosen = amount_of(amount)
        key = (chosen.space, chosen.time, *chosen.parts.items(), rate)
        sampler = self._samplers.get(key)
        if sampler is None:
            sampler = self._sampler(chosen, rate)
            self._samplers.clear()
            self._samplers[key] = sampler
        return sampler

    @cached_property
    def _samplers(self) -> dict[tuple[Any, ...], Sampler]:
        """A cache of the last sampler, since many variants are drawn with the same amount."""
        return {}

    def _sampler(self, amount: Amount, rate: float) -> Sampler:
        settings, recipe = self.settings, self.material.recipe
        space = amount.per_dof(self.dofs, None if recipe is None else recipe.skeleton)
        time = amount.tempo
        space = np.where(self.material.timing, time, space)
        pace = [time * settings.tempo]
        body = self.courses.body
        feet = [np.full(3, space[leg].mean()) for leg in body.feet.legs]
        swings = np.zeros(len(body.swings.joints))  # which act by way of other nodes
        space = np.concatenate([space, pace, space[self.material.rates], *feet, swings, pace])
        timing = np.where(space > 0.0, time, 0.0)
        tables = self.tables
        if not settings.traits:
            tables = tables._replace(basis=np.zeros_like(tables.basis))
        detail = min(amount.space, 1.0)
        return sampler_of(self._dynamics, tables, Amounts(space, timing, detail, rate), self._swings)

    def start(self, rng: np.random.Generator, amount: float | Amount = 1.0, *, rate: float = 1.0) -> SynthesisState:
        """The state before the first frame."""
        return begin(self.sampler(amount, rate=rate), rng)

    @cached_property
    def pairs(self) -> PriorInstances:
        """The prior network's instances."""
        return prior_instances(
            self.material.values, self.settings.prior_pairs, delta=self.settings.chosen("prior_deltas")
        )

    def blocks(
        self,
        rng: np.random.Generator,
        *,
        amount: float | Amount = 1.0,
        rate: float = 1.0,
        steer: Steering | None = None,
    ) -> Iterator[Block]:
        """Rows (frames, DOFs) and their phases, block after block; endless for a cyclic model."""
        return steered_blocks(self, rng, amount, rate, steer)

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
        """A whole variant as rows and phases: `frames` or `cycles` of a cyclic model, else to its end."""
        return whole_variant(self, self.blocks(rng, amount=amount, rate=rate, steer=steer), frames, cycles)

    @one_blas_thread()
    def rows(self, rng: np.random.Generator, *, amount: float | Amount = 1.0, frames: int | None = None) -> Floats:
        """A whole variant as rows; a cyclic model needs `frames`."""
        return self.made(rng, amount=amount, frames=frames).rows

    @one_blas_thread()
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
        loop: bool = False,
        name: str = "",
    ) -> Any:
        """A new variant: a clip (stroke, ...) like the examples, or plain rows where the examples were arrays.

        An acyclic motion ends by itself; of a cyclic one `cycles` whole cycles are made, first and last frame included
        (default: one, or as many as a duration among the goals asks for), or a `loop` whose last frame leads into its
        first. `plant` holds standing feet, "hard" without their small movement; see Goals for the rest.
        """
        return self.guided(
            rng, goals or Goals(), amount=amount, cycles=cycles, plant=plant, loop=loop, name=name
        ).motion

    @one_blas_thread()
    def guided(
        self,
        rng: np.random.Generator,
        goals: Goals,
        *,
        amount: float | Amount = 1.0,
        cycles: int | None = None,
        plant: bool | str = False,
        loop: bool = False,
        name: str = "",
    ) -> Guided:
        """Like `sample`, with a report of how well goals were met."""
        if loop:
            return looped(self, rng, goals, amount=amount, cycles=cycles, plant=plant, name=name)
        variant = guided(self, rng, goals, amount=amount, cycles=cycles, name=name)
        if (plant or goals.targets) and self.planting_model is not None:
            stand = None if variant.phases is None else self.standing(variant.motion, variant.phases)
            settings = variant_settings(plant)
            variant = variant.planted(
                plant_feet(
                    variant.motion,
                    stand,
                    pins=goals.targets,
                    examples=self.planting_model,
                    settings=settings,
                    careful=False,
                )
            )
        return variant

    def stream(
        self,
        rng: np.random.Generator,
        *,
        amount: float | Amount = 1.0,
        steer: Steering | None = None,
        control: Callable[[], LiveControl] | None = None,
        decode: bool = False,
        plant: bool | str = False,
    ) -> Iterator[Any]:
        """One row of DOFs per frame without end (acyclic: to its end); with `decode` one-frame motions, placed on.

        With `decode` and `plant`, standing feet are held still; frames then come a constant number of frames late.
        `control`, instead of `amount` and `steer`, is called for every block of frames.
        """
        source = (
            self.blocks(rng, amount=amount, steer=steer) if control is None else controlled_blocks(self, rng, control)
        )
        blocks = on_one_blas_thread(source)
        if decode:
            return decoded_stream(self, blocks, plant)
        return (row for block in blocks for row in block.rows)

    @cached_property
    def _hinges(self) -> tuple[Hinge, ...]:
        return hinges_of(self.material)

    def decode(self, rows: Floats, *, start: Start | None = None, resume: bool = False, name: str = "") -> Any:
        """Rows to a motion of the examples' kind."""
        recipe = self.material.recipe
        if recipe is None:
            return rows
        motion = decode(recipe, on_hinges(self._hinges, rows), start=start, resume=resume, name=name)
        return motion.changed(provenance="made by freshtake: variation") if isinstance(motion, Clip) else motion

    def encode(self, example: Any) -> Floats:
        """A motion as rows of this model's DOFs."""
        recipe = self.material.recipe
        if recipe is None:
            return rounded(example)
        return rounded(encode(recipe, example, strict=False).values)

    @cached_property
    def scorer(self) -> LikelihoodScorer:
        """What scores clips under both networks of the kernel methods."""
        return LikelihoodScorer(self)

    def score(self, example: Any) -> Likelihood:
        """How likely a motion is under the model; `.normalized` compares different lengths."""
        return self.score_rows(self.encode(example))

    @one_blas_thread()
    def score_rows(self, rows: Floats) -> Likelihood:
        """How likely a motion is, given as rows of this model's DOFs."""
        rows = checked_rows(rows, self.dofs)
        if self.kernel is not None:
            return self.scorer.score(rows)
        return take_likelihood(self._dynamics, self.courses, self.material, self.settings, rows)

    @one_blas_thread()
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
