"""VariationModel: the takes, their common phase and how they differ. Frozen; this is everything that is saved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from freshtake.errors import UsageError
from freshtake.lazy import Showable
from freshtake.motion import Clip
from freshtake.motion.body.roles import feet
from freshtake.motion.body_limits import BodyLimits, learn_limits
from freshtake.motion.features import encode
from freshtake.motion.features.angles import start_of
from freshtake.motion.features.coding import checked_rows
from freshtake.motion.planting import PlantingModel, learn_planting
from freshtake.motion.verdict import Standard, standard_of
from freshtake.numeric.arrays import Floats, rounded
from freshtake.numeric.blas_threads import on_one_blas_thread, one_blas_thread
from freshtake.variation.amount import Amount, amount_of
from freshtake.variation.deviations import STEP, Deviations, Settings, shares
from freshtake.variation.examples import FEWEST, ExampleModel, Hinge, Material, hinges_of
from freshtake.variation.goals.goals import Goals
from freshtake.variation.goals.guidance import Guided, guided
from freshtake.variation.live import (
    LiveControl,
    controlled_blocks,
    cut_from,
    decoded_stream,
    steered_blocks,
    steered_rows,
)
from freshtake.variation.network import Likelihood, take_likelihood
from freshtake.variation.phase import Takes, closed_takes, common_phase, read_linear, takes_on_phase, with_speeds
from freshtake.variation.sampling import Amounts, Sampler, Variant, draw_variant, sampler_of
from freshtake.variation.standing import Footing, footing_of
from freshtake.variation.steering import Steering, Travel, travel_of, turn_column


@dataclass(frozen=True, eq=False, repr=False)
class VariationModel(ExampleModel, Showable):
    """A learned model of variation. Use sample, stream and score.

    Attributes:
        material: The examples as rows of DOFs.
        settings: The settings it was learned with.
        cyclic: Whether the motion repeats, so that it can be streamed and looped.
        phase_frames: (phases, takes): the frame of each take at each moment of the common phase.
        sizes: (phases, DOFs): how far the prior lets each DOF deviate, as one standard deviation.
        labels: (frames of all examples, foot joints): whether feet stand, 0 or 1; None if nothing has feet.
    """

    material: Material
    settings: Settings
    cyclic: bool
    phase_frames: Floats
    sizes: Floats
    labels: Floats | None = None

    @cached_property
    def takes(self) -> Takes:
        """The takes on their common phase."""
        return takes_on_phase(self.material, self.phase_frames)

    @cached_property
    def closed(self) -> Takes | None:
        """The takes as cycles whose ends meet; None if the motion is not cyclic."""
        return closed_takes(self.takes) if self.cyclic else None

    @cached_property
    def deviations(self) -> Deviations:
        """The distribution of the differences between takes."""
        share = shares(self.settings, self.material, self.takes)
        return Deviations(self.takes, self.sizes, share, max(STEP / self.frame_time, 1.0))

    @cached_property
    def planting_model(self) -> PlantingModel | None:
        """The planting model of the examples; None if nothing has feet."""
        skeleton = self.material.skeleton
        return learn_planting(self.clips, labels=self.labels) if skeleton is not None and feet(skeleton) else None

    @cached_property
    def body_limits(self) -> BodyLimits | None:
        """How far a body may exceed the examples; None if they are not clips of a body."""
        return None if self.material.skeleton is None else learn_limits(self.clips)

    @cached_property
    def standard(self) -> Standard | None:
        """The examples' behavior that motions are checked against; None if they are not clips of a body."""
        return None if self.body_limits is None else standard_of(self.clips, self.body_limits)

    @cached_property
    def contacts(self) -> list[Floats]:
        """Whether foot joints stand in each example, (frames, foot joints) each, 0 or 1."""
        assert self.planting_model is not None and self.planting_model.gallery is not None
        labels = self.planting_model.gallery.labels
        return np.split(labels, np.cumsum([len(rows) for rows in self.material.values])[:-1])

    @cached_property
    def standing_share(self) -> Floats:
        """The fraction of the takes whose foot joints stand at each phase, (phases, foot joints)."""
        read = [read_linear(rows, at) for rows, at in zip(self.contacts, self.phase_frames.T, strict=True)]
        return np.asarray(np.mean(read, axis=0))

    @cached_property
    def footing(self) -> Footing:
        """The motion of the feet of each take through the common phase, in the takes' common frame."""
        assert self.planting_model is not None
        takes, clips = self.takes, []
        for rows in takes.rows:
            if takes.trajectory is None:
                clips.append(self.decode(rows))
                continue
            path = takes.trajectory.path(rows)
            start = start_of(path, 0, takes.trajectory.layout.up)
            clips.append(self.decode(with_speeds(takes.trajectory, rows, path, self.frame_time), start=start))
        return footing_of(clips, self.contacts, self.planting_model, self.phase_frames)

    def standing(self, phases: Floats) -> Floats:
        """Return how firmly feet stand in an endless motion, several cycles or a loop.

        Args:
            phases: (frames,): its phases.

        Returns:
            (frames, foot joints): the fraction of the takes that stand there.
        """
        last = len(self.phase_frames) - 1.0
        return read_linear(self.standing_share, np.mod(phases, last) if self.cyclic else np.clip(phases, 0.0, last))

    @cached_property
    def clips(self) -> list[Clip]:
        """The examples as clips; empty if they are not clips."""
        placed = zip(self.material.values, self.material.starts, strict=True)
        decoded = (self.decode(rows, start=start) for rows, start in placed)
        return [clip for clip in decoded if isinstance(clip, Clip)]

    @cached_property
    def travel(self) -> Travel:
        """The examples' speed and direction over the ground."""
        turn_column(self.material.recipe)
        assert self.material.recipe is not None
        return travel_of(self.material.recipe, self.material.values)

    def sampler(self, amount: float | Amount = 1.0, *, rate: float = 1.0) -> Sampler:
        """Return the sampler for an amount of variation and a pace.

        Args:
            amount: How much it varies: 0 is the mean motion, 1 varies like the examples.
            rate: The pace relative to the examples' mean, from 0.1 to 10.

        Returns:
            The sampler; the last sampler is cached, since many variants are drawn with the same amount.
        """
        if not 0.1 <= rate <= 10.0:
            raise UsageError(f"the rate must lie between 0.1 and 10, but is {rate}")
        chosen = amount_of(amount)
        key = (chosen.space, chosen.time, *chosen.parts.items(), rate)
        # Other threads may replace the cached sampler at any time, so the dictionary is read only once.
        sampler = self._samplers.get(key)
        if sampler is None:
            space = chosen.per_dof(self.dofs, self.material.skeleton)
            amounts = Amounts(np.where(self.material.timing, chosen.tempo, space), chosen.tempo, rate)
            sampler = sampler_of(self.deviations, self.closed, amounts, self.frame_time)
            self._samplers.clear()
            self._samplers[key] = sampler
        return sampler

    @cached_property
    def _samplers(self) -> dict[tuple[Any, ...], Sampler]:
        """The cache of `sampler`: only the last sampler."""
        return {}

    def draw(
        self,
        rng: np.random.Generator,
        *,
        amount: float | Amount = 1.0,
        frames: int | None = None,
        cycles: int | None = None,
        rate: float = 1.0,
        steer: Steering | None = None,
    ) -> Variant:
        """Draw a complete variant as rows and phases.

        Args:
            rng: Source of random numbers.
            amount: How much it varies: 0 is the mean motion, 1 varies like the examples.
            frames: How many frames; a cyclic model needs this or `cycles`.
            cycles: How many cycles of a cyclic model; other motions do not repeat.
            rate: The pace relative to the examples' mean, from 0.1 to 10.
            steer: A heading to keep or a path to follow.

        Returns:
            Its rows (frames, DOFs) and phases (frames,), its start, and the example it resembles most.
        """
        if self.cyclic and frames is None and cycles is None:
            raise UsageError("a cyclic model never ends: give a number of frames or cycles")
        if cycles is not None and cycles < 1:
            raise UsageError(f"the number of cycles must be 1 or more, not {cycles}")
        if self.cyclic and (frames is not None or cycles != 1):
            last = np.inf if cycles is None else cycles * (len(self.phase_frames) - 1.0)
            return cut_from(self, steered_blocks(self, rng, amount, rate, steer), frames, last)
        # one cycle is drawn like any take, from the takes themselves; several cycles are cut from an endless motion
        variant = draw_variant(self.sampler(amount, rate=rate), rng)
        if steer is not None:
            variant = Variant(steered_rows(self, steer, variant), variant.phases, followed=variant.followed)
        return variant._replace(rows=variant.rows[:frames], phases=variant.phases[:frames])

    @one_blas_thread()
    def rows(self, rng: np.random.Generator, *, amount: float | Amount = 1.0, frames: int | None = None) -> Floats:
        """Draw a complete variant as rows.

        Args:
            rng: Source of random numbers.
            amount: How much it varies: 0 is the mean motion, 1 varies like the examples.
            frames: How many frames; a cyclic model needs this.

        Returns:
            (frames, DOFs), in radians and the examples' unit of length.
        """
        return self.draw(rng, amount=amount, frames=frames).rows

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
            rng: Source of random numbers.
            amount: How much it varies: 0 is the mean motion, 1 varies like the examples.
            cycles: How many cycles of a cyclic model, including the first and last frame; default: one, or as many as
                a duration among the goals requires. Other motions do not repeat.
            goals: What the variant has to meet.
            plant: Let feet stand as in the takes; "hard": without their small movement.
            loop: Make a loop whose last frame leads into its first.
            name: Its name.

        Returns:
            A clip (stroke, ...) like the examples, or plain rows if the examples were arrays.
        """
        goals = goals or Goals()
        return self.guided(rng, goals, amount=amount, cycles=cycles, plant=plant, loop=loop, name=name).motion

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
        """Draw a variant like `sample`, with a report on how well it met the goals.

        Args:
            rng: Source of random numbers.
            goals: What the variant has to meet.
            amount: How much it varies: 0 is the mean motion, 1 varies like the examples.
            cycles: How many cycles of a cyclic model; default: one, or as many as a duration requires.
            plant: Plant feet as in the takes; "hard": without their small movement.
            loop: Make a loop whose last frame leads into its first.
            name: Its name.

        Returns:
            The variant, its phases and the report.
        """
        if loop:
            from freshtake.variation.goals.variation_loops import looped

            return looped(self, rng, goals, amount=amount, cycles=cycles, plant=plant, name=name)
        return guided(self, rng, goals, amount=amount, cycles=cycles, plant=plant, name=name)

    @one_blas_thread()
    def redraw(
        self,
        clip: Clip,
        frames: tuple[int, int],
        rng: np.random.Generator,
        *,
        amount: float | Amount = 1.0,
        parts: Sequence[str] = (),
        plant: bool = True,
    ) -> Clip:
        """Redraw a stretch of a clip of this movement, or a part of its body; everything else is unchanged.

        Args:
            clip: A take or variant, on the rig of the examples and at their rate.
            frames: First frame of the stretch, and the frame after its last; at the clip's ends it is free.
            rng: Source of random numbers.
            amount: How much it varies: 0 leads through the mean motion, 1 varies like the examples.
            parts: Body parts or joints to redraw; default: all. The root can only be redrawn together with all legs.
            plant: Let feet stand when the clip's do; feet that stand at the stretch's ends stay in place.

        Returns:
            A clip with the same number of frames; frames outside the stretch and other joints are unchanged.
        """
        from freshtake.variation.redrawing import redraw

        return redraw(self, clip, frames, rng, amount=amount, parts=parts, plant=plant)

    @one_blas_thread()
    def extend(
        self,
        clip: Clip,
        frames: int,
        rng: np.random.Generator,
        *,
        amount: float | Amount = 1.0,
        plant: bool = True,
    ) -> Clip:
        """Continue a clip of this movement after its last frame.

        Args:
            clip: A take or variant, on the rig of the examples and at their rate.
            frames: How many frames to add; a motion that is not cyclic has an end.
            rng: Source of random numbers.
            amount: How much they vary: 0 leads back to the mean motion, 1 varies like the examples.
            plant: Let feet stand; feet that stand at the clip's end stay in place.

        Returns:
            The clip with frames added; the existing frames are unchanged, bit for bit.
        """
        from freshtake.variation.redrawing import extend

        return extend(self, clip, frames, rng, amount=amount, plant=plant)

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
        """Yield frames one at a time; a cyclic model never ends.

        Args:
            rng: Source of random numbers.
            amount: How much it varies: 0 is the mean motion, 1 varies like the examples.
            steer: A heading to keep or a path to follow.
            control: Called before every block of a twentieth of a second; returns the amount and the heading, which
                replace `amount` and `steer`.
            decode: Yield one-frame motions instead of rows.
            plant: Let feet of decoded frames stand; "hard": without their small movement.

        Yields:
            Rows (DOFs,), or with `decode` one-frame motions, each placed where the previous one ended.
        """
        steered = steered_blocks(self, rng, amount, 1.0, steer)
        blocks = on_one_blas_thread(steered if control is None else controlled_blocks(self, rng, control))
        return decoded_stream(self, blocks, plant) if decode else (row for block in blocks for row in block.rows)

    @cached_property
    def hinges(self) -> tuple[Hinge, ...]:  # type: ignore[override]
        """The joints that rotate about a single axis in all examples."""
        return hinges_of(self.material)

    def score(self, example: Any) -> Likelihood:
        """Return how likely a motion is under the model.

        Args:
            example: A motion of the same kind, rig and frame rate as the examples.

        Returns:
            Log densities (frames, DOFs); `.normalized` compares motions of different lengths.
        """
        return self.score_rows(self.encode(example))

    @one_blas_thread()
    def score_rows(self, rows: Floats) -> Likelihood:
        """Return how likely a motion given as rows is under the model.

        Args:
            rows: (frames, DOFs) of this model, as `encode` returns them.

        Returns:
            Log densities (frames, DOFs).
        """
        return take_likelihood(self.material, self.deviations, checked_rows(rows, self.dofs))

    @one_blas_thread()
    def with_examples(self, examples: Sequence[Any]) -> VariationModel:
        """Return a model of other examples, even a single one, with this model's variation (Lau 2009, §8).

        Args:
            examples: Motions of the same kind, rig and frame rate as this model's examples.

        Returns:
            The new model; this one is unchanged.
        """
        from freshtake.motion.cycles.cycles import is_cyclic

        recipe, clips = self.material.recipe, [one for one in examples if isinstance(one, Clip)]
        values = self._encoded_examples(examples, FEWEST)
        starts = () if recipe is None else tuple(encode(recipe, clip, strict=False).start for clip in clips)
        material = replace(self.material, values=values, starts=starts)
        phase_frames = rounded(common_phase(values, material.weights, material.frame_time))
        at = np.linspace(0.0, len(self.sizes) - 1.0, len(phase_frames))
        usual_sizes = self.deviations.total_sizes / np.sqrt(self.deviations.further)
        sizes = np.stack([np.interp(at, np.arange(len(usual_sizes)), column) for column in usual_sizes.T], axis=1)
        cyclic = is_cyclic(clips) if self.cyclic and clips else self.cyclic
        return labeled(VariationModel(material, self.settings, cyclic, phase_frames, rounded(sizes)))


def labeled(model: VariationModel) -> VariationModel:
    """Return the model with the contacts of its examples stored, so later versions do not detect different contacts."""
    if model.planting_model is None or not model.planting_model.feet:
        return model
    return replace(model, labels=np.concatenate(model.contacts))
