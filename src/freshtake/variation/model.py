"""VariationModel: the takes, their common phase and how they differ; frozen, and all that is saved."""

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
from freshtake.motion.cycles.cycles import is_cyclic
from freshtake.motion.features import Start, decode, encode
from freshtake.motion.features.ground import start_of
from freshtake.motion.guards import BodyLimits, learn_limits
from freshtake.motion.planting import PlantingModel, learn_planting
from freshtake.motion.verdict import Standard, standard_of
from freshtake.numeric.arrays import Floats
from freshtake.numeric.blas_threads import on_one_blas_thread, one_blas_thread
from freshtake.variation.amount import Amount, amount_of
from freshtake.variation.deviations import Deviations, prior_sizes, shares
from freshtake.variation.examples import Material, rounded
from freshtake.variation.goals.goals import Goals
from freshtake.variation.goals.guidance import Guided, guided
from freshtake.variation.goals.steering import Steering, Travel, travel_of, turn_column
from freshtake.variation.goals.variation_loops import looped
from freshtake.variation.hinges import Hinge, hinges_of, on_hinges
from freshtake.variation.likelihood import Likelihood, take_likelihood
from freshtake.variation.live import LiveControl, controlled_blocks, decoded_stream, steered_blocks, whole_variant
from freshtake.variation.phase import common_phase
from freshtake.variation.planting import StandingTable, nobody_followed, standing_at, standing_table
from freshtake.variation.population import STEP
from freshtake.variation.sampling import Amounts, Sampler, Variant, sampler_of
from freshtake.variation.settings import Settings
from freshtake.variation.standing import Footing, footing_of, standing_like
from freshtake.variation.takes import Takes, closed_takes, takes_on_phase, with_speeds

FEWEST = 4  # frames of an example


@dataclass(frozen=True, eq=False, repr=False)
class VariationModel:
    """What was learned. Use sample, stream and score.

    Attributes:
        material: The examples as rows of DOFs.
        settings: How it was learned.
        cyclic: Whether the motion repeats, so that it can be streamed and looped.
        phase_frames: (phases, takes): the frame of each take at each moment of the common phase.
        sizes: (phases, DOFs): how far the prior lets every DOF deviate, one standard deviation.
    """

    material: Material
    settings: Settings
    cyclic: bool
    phase_frames: Floats
    sizes: Floats

    def __repr__(self) -> str:
        kind = "cyclic" if self.cyclic else "acyclic"
        return f"VariationModel({len(self.material.values)} {kind} examples, {len(self.dofs)} DOFs)"

    @property
    def dofs(self) -> tuple[str, ...]:
        """Return the DOFs by name."""
        return self.material.names

    @property
    def frame_time(self) -> float:
        """Return the seconds from frame to frame."""
        return self.material.frame_time

    @cached_property
    def takes(self) -> Takes:
        """Return the takes on their common phase."""
        return takes_on_phase(self.material, self.phase_frames)

    @cached_property
    def closed(self) -> Takes | None:
        """Return the takes as cycles whose ends meet; None where the motion ends by itself."""
        return closed_takes(self.takes) if self.cyclic else None

    @cached_property
    def deviations(self) -> Deviations:
        """Return how takes differ."""
        share = shares(self.settings, self.material, self.takes)
        return Deviations(self.takes, self.sizes, share, max(STEP / self.frame_time, 1.0))

    @cached_property
    def planting_model(self) -> PlantingModel | None:
        """Return what planting needs to know of the examples; None where nothing has feet."""
        recipe = self.material.recipe
        if recipe is None or recipe.skeleton is None or not feet(recipe.skeleton):
            return None
        return learn_planting(self.clips)

    @cached_property
    def body_limits(self) -> BodyLimits | None:
        """Return how far a body may go beyond what it does in the examples; None where they are no clips of a body."""
        recipe = self.material.recipe
        return learn_limits(self.clips) if recipe is not None and recipe.skeleton is not None else None

    @cached_property
    def standard(self) -> Standard | None:
        """Return what the examples do, by which motions are judged; None where they are no clips of a body."""
        return None if self.body_limits is None else standard_of(self.clips, self.body_limits)

    @cached_property
    def standing_table(self) -> StandingTable:
        """Return when the feet of every example stand, and where they are."""
        assert self.planting_model is not None
        return standing_table(self.clips, self.phase_frames, self.planting_model)

    @cached_property
    def footing(self) -> Footing:
        """Return how the feet of every take go through the common phase, in the takes' common frame."""
        assert self.planting_model is not None
        takes, clips = self.takes, []
        for rows in takes.rows:
            if takes.course is None:
                clips.append(self.decode(rows))
                continue
            path = takes.course.path(rows)
            start = start_of(path, 0, takes.course.layout.up)
            clips.append(self.decode(with_speeds(takes.course, rows, path, self.frame_time), start=start))
        return footing_of(clips, self.planting_model, self.phase_frames)

    def standing(self, clip: Clip, phases: Floats) -> Floats:
        """Return which feet of a clip stand at these phases, (frames, joints), as the nearest example has it."""
        assert self.planting_model is not None
        table = self.standing_table
        return standing_at(table, nobody_followed(table), clip, phases, self.cyclic, self.planting_model)[1]

    def on_feet(self, clip: Clip, variant: Variant) -> Clip:
        """Return a variant whose feet stand as those of the take that it follows most."""
        if self.planting_model is None or not self.planting_model.legs:
            return clip
        frame = (self.takes.ground, self.takes.heading)
        return standing_like(clip, self.footing, variant.followed, variant.phases, frame, self.planting_model)

    @cached_property
    def clips(self) -> list[Clip]:
        """Return the examples as clips; empty where they are none."""
        placed = zip(self.material.values, self.material.starts, strict=True)
        decoded = (self.decode(rows, start=start) for rows, start in placed)
        return [clip for clip in decoded if isinstance(clip, Clip)]

    @cached_property
    def travel(self) -> Travel:
        """Return how the examples travel over the ground."""
        turn_column(self.material.recipe)
        assert self.material.recipe is not None
        return travel_of(self.material.recipe, self.material.values)

    def sampler(self, amount: float | Amount = 1.0, *, rate: float = 1.0) -> Sampler:
        """Return what drawing works with for an amount of variation, at a `rate` of the mean pace."""
        if not 0.1 <= rate <= 10.0:
            raise UsageError(f"the rate must lie between 0.1 and 10, but is {rate}")
        chosen = amount_of(amount)
        key = (chosen.space, chosen.time, *chosen.parts.items(), rate)
        sampler = self._samplers.get(key)
        if sampler is None:
            recipe = self.material.recipe
            space = chosen.per_dof(self.dofs, None if recipe is None else recipe.skeleton)
            space = np.where(self.material.timing, chosen.tempo, space)
            sampler = sampler_of(self.deviations, self.closed, Amounts(space, chosen.tempo, rate), self.frame_time)
            self._samplers.clear()
            self._samplers[key] = sampler
        return sampler

    @cached_property
    def _samplers(self) -> dict[tuple[Any, ...], Sampler]:
        """Return a cache of the last sampler, since many variants are drawn with the same amount."""
        return {}

    def blocks(
        self,
        rng: np.random.Generator,
        *,
        amount: float | Amount = 1.0,
        rate: float = 1.0,
        steer: Steering | None = None,
    ) -> Iterator[Variant]:
        """Yield rows (frames, DOFs) and their phases, block after block; endless for a cyclic model."""
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
    ) -> Variant:
        """Return a whole variant as rows and phases: `frames` or `cycles` of a cyclic model, else to its end."""
        return whole_variant(self, rng, amount, rate, steer, frames, cycles)

    @one_blas_thread()
    def rows(self, rng: np.random.Generator, *, amount: float | Amount = 1.0, frames: int | None = None) -> Floats:
        """Return a whole variant as rows; a cyclic model needs `frames`."""
        return self.made(rng, amount=amount, frames=frames).rows

    @one_blas_thread()
    def batch(
        self, rngs: Sequence[np.random.Generator], *, amount: float | Amount = 1.0, frames: int | None = None
    ) -> list[Floats]:
        """Return `rows` once for every generator, on all cores; each is, bit for bit, what it would be alone."""
        self.sampler(amount)
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
        """Draw a new variant.

        Args:
            rng: Where random numbers come from.
            amount: How much it varies: 0 is the mean motion, 1 varies like the examples.
            cycles: How many whole cycles of a cyclic model, first and last frame included; default: one, or as many as
                a duration among the goals asks for. A motion that is not cyclic ends by itself.
            goals: What it has to do.
            plant: Let feet stand as those of the takes do; "hard": without their small movement.
            loop: Make a loop whose last frame leads into its first.
            name: Its name.

        Returns:
            A clip (stroke, ...) like the examples, or plain rows where the examples were arrays.
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
        """Draw a variant like `sample`, with a report of how well goals were met."""
        if loop:
            return looped(self, rng, goals, amount=amount, cycles=cycles, plant=plant, name=name)
        return guided(self, rng, goals, amount=amount, cycles=cycles, plant=plant, name=name)

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
        """Yield frames one at a time: rows (DOFs,), or with `decode` one-frame motions; endless for a cyclic model.

        `control` is asked before every block of a twentieth of a second what the amount and the heading are to be.
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
        """Return rows as a motion of the examples' kind."""
        recipe = self.material.recipe
        if recipe is None:
            return rows
        motion = decode(recipe, on_hinges(self._hinges, rows), start=start, resume=resume, name=name)
        return motion.changed(provenance="made by freshtake: variation") if isinstance(motion, Clip) else motion

    def encode(self, example: Any) -> Floats:
        """Return a motion as rows of this model's DOFs."""
        recipe = self.material.recipe
        if recipe is None:
            return rounded(example)
        return rounded(encode(recipe, example, strict=False).values)

    def score(self, example: Any) -> Likelihood:
        """Return how likely a motion is under the model; `.normalized` compares different lengths."""
        return self.score_rows(self.encode(example))

    @one_blas_thread()
    def score_rows(self, rows: Floats) -> Likelihood:
        """Return how likely a motion is, given as rows of this model's DOFs."""
        return take_likelihood(self.material, self.deviations, checked_rows(rows, self.dofs))

    @one_blas_thread()
    def examples_by_others(self) -> list[Likelihood]:
        """Return how likely every example is under a model of the others."""
        if len(self.material.values) < 2:
            raise UsageError("a single example cannot be left out: there is no other one")
        values, starts, out = self.material.values, self.material.starts, []
        for k, rows in enumerate(values):
            others = replace(self.material, values=values[:k] + values[k + 1 :], starts=starts[:k] + starts[k + 1 :])
            out.append(model_of(others, self.settings, self.cyclic).score_rows(rows))
        return out

    @one_blas_thread()
    def with_examples(self, examples: Sequence[Any]) -> VariationModel:
        """Return a model of other examples, also of a single one, that vary as this model's do (Lau 2009, §8)."""
        if not examples:
            raise UsageError("with_examples needs at least one example")
        recipe = self.material.recipe
        values = tuple(self.encode(example) for example in examples)
        short = [k for k, x in enumerate(values) if len(x) < FEWEST]
        if short:
            frames = len(values[short[0]])
            raise UsageError(f"example {short[0] + 1} has {frames} frames: at least {FEWEST} are needed")
        starts = (
            ()
            if recipe is None or recipe.skeleton is None
            else tuple(encode(recipe, one, strict=False).start for one in examples)
        )
        material = replace(self.material, values=values, starts=starts)
        phase_frames = rounded(common_phase(values, material.weights, material.frame_time))
        at = np.linspace(0.0, len(self.sizes) - 1.0, len(phase_frames))
        known = self.deviations.total_sizes / np.sqrt(self.deviations.further)
        sizes = np.stack([np.interp(at, np.arange(len(known)), column) for column in known.T], axis=1)
        clips = [one for one in examples if isinstance(one, Clip)]
        cyclic = is_cyclic(clips) if self.cyclic and clips else self.cyclic
        return replace(self, material=material, cyclic=cyclic, phase_frames=phase_frames, sizes=rounded(sizes))


def model_of(material: Material, settings: Settings, cyclic: bool) -> VariationModel:
    """Return the model of examples that are rows of DOFs already."""
    phase_frames = rounded(common_phase(material.values, material.weights, material.frame_time))
    sizes = prior_sizes(material, takes_on_phase(material, phase_frames))
    return VariationModel(material, settings, cyclic, phase_frames, sizes)
