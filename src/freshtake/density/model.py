"""DensityModel: learned kernels, data derived from them for synthesis, and synthesized motions; frozen."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from freshtake.density.class_cycles import Cycles, cycles_of
from freshtake.density.class_weights import schedule
from freshtake.density.control import BLOCK, Controls, Gaits, requested_weights, stream_of, turned
from freshtake.density.cycle_blending import MixState, advance_mix, begin_mix
from freshtake.density.decoding import Turning, decoded, recorded, turning_of, weights_of
from freshtake.density.examples import on_skeleton, rate_columns, usual_rotations
from freshtake.density.jumps import Rates, Track, track_of
from freshtake.density.paper_method import PaperState, advance_paper, begin_paper
from freshtake.density.planting import foot_columns, row_contacts
from freshtake.density.pose_density import LearnedKernels, log_density, velocities
from freshtake.density.synthesize import BlendState, advance, begin, controls
from freshtake.density.time_alignment import AlignedState, Curves, advance_aligned, curves_of
from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.features import Start, encode
from freshtake.motion.planting import PlantingModel, learn_planting, settings_for
from freshtake.motion.planting import plant as plant_feet
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.blas_threads import one_blas_thread

State = BlendState | MixState | PaperState | AlignedState


@dataclass(frozen=True, eq=False, repr=False)
class DensityModel(LearnedKernels):
    """Learned kernels that synthesize motion; use `sample`, `stream`, `advance` and `score`."""

    @cached_property
    def turning(self) -> Turning | None:
        """The kernels' poses as rotations, which synthesis blends instead of residuals where possible."""
        return turning_of(self)

    @cached_property
    def planting_model(self) -> PlantingModel | None:
        """The planting model of the kernels; None for bodies without feet."""
        if self.recipe is None or self.recipe.skeleton is None:
            return None
        base = learn_planting(recorded(self))
        return base if base.feet else None

    @cached_property
    def foot_columns(self) -> Floats:
        """Contact and height of each foot joint per kernel, (kernels, 2 foot joints): see planting."""
        return foot_columns(self)

    @property
    def knows_contacts(self) -> bool:
        """Whether rows of synthesis contain contacts: the paper's search has modes only."""
        return self.settings.method != "paper" and self.foot_columns.shape[1] > 0

    @cached_property
    def track(self) -> Track:
        """The arrays that the default synthesis reads, residuals or rotations included."""
        return track_of(self)

    @cached_property
    def cycles(self) -> Cycles:
        """The phase of every kernel in its cycle."""
        return cycles_of(self)

    @cached_property
    def gaits(self) -> Gaits:
        """Mean travel and pace of every class."""
        members = [self.owners == k for k in range(len(self.classes))]
        travels = [complex(self.rates[k, 0].mean(), self.rates[k, 1].mean()) for k in members]
        return Gaits(np.array(travels), np.array([self.cycles.paces[k].mean() for k in members]))

    @property
    def mixes(self) -> bool:
        """Whether weights of all classes mix poses."""
        return self.mixes_among(np.ones(len(self.classes), dtype=np.bool_))

    def mixes_among(self, used: Bools) -> bool:
        """Return whether weights of some classes mix poses: with the default method, if all of them are cyclic.

        Args:
            used: (classes,) true for classes with a weight at any time.

        Returns:
            True if poses are mixed, False if one class is followed at a time.
        """
        several = len(self.classes) > 1 or self.settings.novelty > 0.0
        return self.settings.method == "default" and several and bool(self.cycles.periodic[used].all())

    @property
    def warning(self) -> str:
        """A warning if the default method switches between classes instead of blending them, else ""."""
        if self.mixes or self.settings.method != "default" or len(self.classes) < 2:
            return ""
        odd = [name for name, repeats in zip(self.classes, self.cycles.periodic, strict=True) if not repeats]
        others = "; the others blend with each other" if len(self.classes) - len(odd) > 1 else ""
        return (
            f"{', '.join(odd)} {'does' if len(odd) == 1 else 'do'} not repeat in cycles, so weights that include "
            f"{'it' if len(odd) == 1 else 'them'} switch between classes instead of blending them{others}"
        )

    @cached_property
    def curves(self) -> Curves:
        """The time-aligned cycle of every class (eq. 3-5)."""
        return curves_of(self.track, self.settings.harmonics, tracked=self.settings.phase == "tracked")

    @cached_property
    def controls(self) -> Rates:
        """The settings of synthesis in frames."""
        return controls(self.settings, self.frame_time)

    def start(self, rng: np.random.Generator, weights: Any = None, *, used: Bools | None = None) -> State:
        """Return the state before the first frame; cyclic classes are blended if no other is used.

        Args:
            rng: the random generator.
            weights: the weights of the first frame, as for `mixture`; by default the first class.
            used: (classes,) true for classes that will have a weight at any time; by default all.

        Returns:
            A state for `advance`; it never changes.
        """
        mix = self.mixture(weights)
        among = np.ones(len(self.classes), dtype=np.bool_) if used is None else used | (mix > 0.0)
        if self.settings.method == "paper":
            return begin_paper(self, mix)
        if self.settings.method == "aligned":
            return AlignedState(2.0 * np.pi * float(rng.random()))
        if self.mixes_among(among):
            return begin_mix(self.track, self.cycles, mix, rng)
        return begin(self.track, mix, rng)

    def advance(
        self, state: State, weights: Any, rng: np.random.Generator, *, endless: bool = True
    ) -> tuple[State, Floats]:
        """Synthesize one frame, or one per row of weights.

        The given state does not change; invalid weights are refused before any random number is drawn.

        Args:
            state: the state before the frame, from `start` or `advance`.
            weights: the current weights, as for `mixture`, or an array (frames, classes).
            rng: the random generator.
            endless: restart an acyclic motion when it has ended.

        Returns:
            The state after the last frame, and rows (1 or frames, width); see `decode`.
        """
        is_schedule = isinstance(weights, np.ndarray) and weights.ndim == 2
        values = schedule(self.classes, weights, len(weights)) if is_schedule else self.mixture(weights)[None]
        if isinstance(state, PaperState):
            return advance_paper(self, state, values)
        if isinstance(state, AlignedState):
            return advance_aligned(self.curves, state, values)
        if isinstance(state, MixState):
            odd = np.flatnonzero((values > 0.0).any(axis=0) & ~self.cycles.periodic)
            if len(odd):
                raise UsageError(f"{self.classes[odd[0]]} does not repeat in cycles: name it in `used` at the start")
            return advance_mix(state, self.track, self.cycles, self.controls, self.frame_time, values, rng)
        return advance(state, self.track, self.controls, values, rng, endless=endless)

    def rows(self, rng: np.random.Generator, *, frames: int, weights: Any = None, endless: bool = True) -> Floats:
        """Synthesize rows, without decoding them.

        Args:
            rng: the random generator.
            frames: the number of frames, 1 or more.
            weights: weights of classes, as for `schedule`.
            endless: restart an acyclic motion when it has ended; otherwise there may be fewer frames.

        Returns:
            Rows (frames, width): mode weights, then root rates, then residuals or rotations; see `decode`.
        """
        if not frames >= 1:
            raise UsageError(f"the number of frames must be 1 or more, but is {frames}")
        plan = schedule(self.classes, weights, frames)
        state, parts = self.start(rng, plan[0], used=np.asarray((plan > 0.0).any(axis=0))), []
        for first in range(0, frames, BLOCK):
            state, rows = self.advance(state, plan[first : first + BLOCK], rng, endless=endless)
            parts.append(rows)
            if isinstance(state, BlendState) and state.ended:
                break
        return np.concatenate(parts)

    @one_blas_thread()
    def sample(
        self,
        rng: np.random.Generator,
        *,
        frames: int,
        weights: Any = None,
        residuals: bool = True,
        endless: bool = True,
        plant: bool | str = False,
        control: Controls | None = None,
        name: str = "",
    ) -> Any:
        """Synthesize a new motion of the examples' kind.

        Args:
            rng: the random generator.
            frames: the number of frames, 1 or more.
            weights: weights of classes, as for `schedule`; by default all weight is on the first class.
            residuals: add the residuals; otherwise poses are in the eigenspace, as in the paper.
            endless: restart an acyclic class when it has ended.
            plant: keep planted feet still; a string names the lock, such as "soft".
            control: speed and direction, for all frames or as a function of the frame number.
            name: the name of the motion.

        Returns:
            A clip, a point clip or an array (frames, DOFs), as the examples were.
        """
        plan = schedule(self.classes, requested_weights(self, weights, control), frames)
        rows = self.rows(rng, frames=frames, weights=plan, endless=endless)
        steered = rows if control is None else np.stack(list(turned(self, rows, control)))
        motion = self.decode(steered, residuals, name=name)
        return self.planted(motion, plant, rows) if plant else motion

    @one_blas_thread()
    def planted(self, motion: Any, plant: bool | str = True, rows: Floats | None = None) -> Any:
        """Keep the planted feet of a motion of this model still; markers and bodies without feet are unchanged.

        Args:
            motion: a motion that this model synthesized.
            plant: true, or the name of a lock, such as "soft".
            rows: the decoded rows, (frames, width), which contain contacts; by default the nearest kernels' rows.

        Returns:
            A motion of the same kind and length.
        """
        if not isinstance(motion, Clip) or self.planting_model is None:
            return motion
        contacts = None if rows is None or not self.knows_contacts else row_contacts(self, rows)
        return plant_feet(motion, contacts, examples=self.planting_model, settings=settings_for(plant)).clip

    def stream(
        self,
        rng: np.random.Generator,
        *,
        weights: Any = None,
        residuals: bool = True,
        decode: bool = False,
        plant: bool | str = False,
        control: Controls | None = None,
    ) -> Iterator[Any]:
        """Synthesize endlessly, one frame at a time.

        Args:
            rng: the random generator.
            weights: weights of classes; a function of the frame number is called for every frame.
            residuals: add the residuals that the eigenspace leaves out.
            decode: yield motions of one frame, each placed where the previous one ended, instead of rows.
            plant: with `decode`, keep planted feet still; frames are then delayed by a constant number of frames.
            control: speed and direction; a function of the frame number is called for every frame.

        Returns:
            An endless iterator of rows (width,) or of one-frame motions.
        """
        return stream_of(self, rng, weights, residuals, decode, plant, control)

    def decode(
        self,
        rows: Floats,
        residuals: bool = True,
        *,
        start: Start | None = None,
        before: Floats | None = None,
        name: str = "",
    ) -> Any:
        """Return rows as a motion of the examples' kind; a skeleton keeps its bone lengths.

        To continue an earlier piece, give its last row as `before` and the placement of that row as `start`.

        Args:
            rows: rows of synthesis, (frames, width).
            residuals: add the residuals that the eigenspace leaves out.
            start: where the first row is placed; by default at the origin.
            before: the row before the first one, (width,), if there was one.
            name: the name of the motion.

        Returns:
            A clip, a point clip or an array (frames, DOFs), as the examples were.
        """
        return decoded(self, rows, residuals, start, before, name)

    @cached_property
    def usual(self) -> Floats:
        """The mean rotation of every joint in the first class, (joints, 4)."""
        return usual_rotations([self.decode(self.track.rows[self.owners == 0])])

    def encode(self, example: Any) -> Floats:
        """Convert a motion to mode weights.

        Args:
            example: a motion of the examples' kind; a clip may have another skeleton.

        Returns:
            Mode weights (frames, modes).
        """
        if self.recipe is None:
            values = np.asarray(example, dtype=np.float64)
        else:
            if isinstance(example, Clip) and self.recipe.skeleton is not None:
                example = on_skeleton(example, self.recipe.skeleton, self.usual)
            values = encode(self.recipe, example, strict=False).values[:, ~rate_columns(self.recipe)]
        return weights_of(self.pca, self.scale, values)

    @one_blas_thread()
    def score(self, example: Any, weights: Any = None) -> float:
        """Return how similar a motion is to the examples: the mean over frames of the mixture's log P(y, dy/dt).

        Args:
            example: a motion of the examples' kind with at least two frames.
            weights: weights of classes, as for `mixture`; by default all classes weigh the same.

        Returns:
            The mean log motion density per frame; higher is more similar.
        """
        y = self.encode(example)
        if len(y) < 2:
            raise UsageError("a motion of one frame has no velocity: give at least two")
        both = np.concatenate([y, velocities(y)], axis=1)
        mix = np.full(len(self.classes), 1.0 / len(self.classes)) if weights is None else self.mixture(weights)
        logs = [np.log(w) + log_density(p, both) for w, p in zip(mix, self.motion_densities, strict=True) if w > 0.0]
        return float(np.logaddexp.reduce(logs, axis=0).mean())
