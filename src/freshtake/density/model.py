"""DensityModel: learned kernels, what synthesis needs of them, and the motions that it gives; frozen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from freshtake.density.bodies import on_skeleton, usual_rotations
from freshtake.density.class_cycles import Cycles, cycles_of
from freshtake.density.class_weights import schedule
from freshtake.density.control import Controls, Gaits, gaits_of
from freshtake.density.cycle_blending import MixState, advance_mix, begin_mix
from freshtake.density.decoding import decoded, dofs_of, mode_dofs, rows_end
from freshtake.density.examples import rate_columns
from freshtake.density.joint_rotations import Turning, turning_of
from freshtake.density.jumps import Rates, Track, track_of
from freshtake.density.learned_kernels import LearnedKernels
from freshtake.density.live import BLOCK, Wish, steered, stream_of, weights_asked
from freshtake.density.paper_method import PaperState, advance_paper, begin_paper
from freshtake.density.planting import planting_model_of
from freshtake.density.pose_density import log_density, velocities
from freshtake.density.space import weights_of
from freshtake.density.synthesize import BlendState, advance, begin, controls
from freshtake.density.time_alignment import AlignedState, Curves, advance_aligned, begin_aligned, curves_of
from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.features import Start, encode
from freshtake.motion.planting import PlantingModel, settings_for
from freshtake.motion.planting import plant as plant_feet
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.blas_threads import one_blas_thread

State = BlendState | MixState | PaperState | AlignedState


@dataclass(frozen=True, eq=False, repr=False)
class DensityModel(LearnedKernels):
    """What was learned, and motion from it. Use `sample`, `stream`, `advance` and `score`."""

    @cached_property
    def turning(self) -> Turning | None:
        """The kernels' poses as rotations, which synthesis carries instead of residuals where it can."""
        return turning_of(self)

    @cached_property
    def planting_model(self) -> PlantingModel | None:
        """What planting needs to know of the kernels; None where nothing has feet."""
        return planting_model_of(self)

    @cached_property
    def track(self) -> Track:
        """What the default synthesis reads, residuals or rotations included."""
        return track_of(self)

    @cached_property
    def cycles(self) -> Cycles:
        """Where in its cycle every kernel stands."""
        return cycles_of(self)

    @cached_property
    def gaits(self) -> Gaits:
        """How far and how often every class steps."""
        return gaits_of(self)

    @property
    def mixes(self) -> bool:
        """Whether weights of all classes mix poses."""
        return self.mixes_among(np.ones(len(self.classes), dtype=np.bool_))

    def mixes_among(self, used: Bools) -> bool:
        """Whether weights of the classes used (classes,) mix poses: with the default method, where all are cyclic."""
        several = len(self.classes) > 1 or self.settings.novelty > 0.0
        return self.settings.method == "default" and several and bool(self.cycles.periodic[used].all())

    @property
    def warning(self) -> str:
        """A sentence where classes are changed over to instead of blended though the method is the default, or ""."""
        if self.mixes or self.settings.method != "default" or len(self.classes) < 2:
            return ""
        odd = [name for name, goes in zip(self.classes, self.cycles.periodic, strict=True) if not goes]
        others = "; the others blend with each other" if len(self.classes) - len(odd) > 1 else ""
        return (
            f"{', '.join(odd)} {'does' if len(odd) == 1 else 'do'} not repeat in cycles, so weights that name "
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
        """The state before the first frame; `used` (classes,) are those that will ever have a weight, by default all.

        Classes that are cyclic are blended where no other is used.
        """
        mix = self.mixture(weights)
        among = np.ones(len(self.classes), dtype=np.bool_) if used is None else used | (mix > 0.0)
        if self.settings.method == "paper":
            return begin_paper(self, mix)
        if self.settings.method == "aligned":
            return begin_aligned(self.curves, rng)
        if self.mixes_among(among):
            return begin_mix(self.track, self.cycles, mix, rng)
        return begin(self.track, mix, rng)

    def advance(
        self, state: State, weights: Any, rng: np.random.Generator, *, endless: bool = True
    ) -> tuple[State, Floats]:
        """One frame with the weights of the moment: the state after it and a row (1, width); see `decode`.

        An array of weights (frames, classes) gives as many frames. The state that is passed in does not change; wrong
        weights are refused before any random number is drawn.
        """
        whole = isinstance(weights, np.ndarray) and weights.ndim == 2
        values = schedule(self.classes, weights, len(weights)) if whole else self.mixture(weights)[None]
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
        """Rows (frames, width): mode weights, then root rates, then residuals or rotations; see `decode`."""
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
        """New motion of the examples' kind. `weights` as `weights.schedule` takes them; default: the first class.

        Without `residuals` poses are those of the eigenspace alone, as in the paper. An acyclic class starts over when
        it has ended, unless `endless` is off. `plant` holds standing feet still. `control` says how fast and where to
        go, for all frames or as a function of the frame.
        """
        plan = schedule(self.classes, self.weights_asked(weights, control), frames)
        rows = self.rows(rng, frames=frames, weights=plan, endless=endless)
        made = self.decode(rows if control is None else self.steered(rows, control), residuals, name=name)
        return self.planted(made, plant) if plant else made

    def weights_asked(self, weights: Any, control: Controls | None) -> Any:
        """The weights that a speed asks for, or those that are given."""
        return weights_asked(self, weights, control)

    def steered(self, rows: Floats, control: Controls) -> Floats:
        """Rows from the start of a synthesis with the turn rates that a control asks for."""
        return steered(self, rows, control)

    @one_blas_thread()
    def planted(self, motion: Any, plant: bool | str = True) -> Any:
        """A motion of this model with its standing feet held still; markers and bodies without feet stay as they are.

        When feet stand is told by the kernels nearest to each pose.
        """
        if not isinstance(motion, Clip) or self.planting_model is None:
            return motion
        return plant_feet(motion, examples=self.planting_model, settings=settings_for(plant)).clip

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
        """One row per frame without end; with `decode` one-frame motions, each placed where the one before left off.

        `weights` may be a function of the frame number, which is asked anew for every frame. With `decode` and
        `plant`, standing feet are held still; frames then come a constant number of frames late. `control` says how
        fast and where to go; a function is asked anew for every frame.
        """
        return stream_of(self, rng, weights, Wish(residuals, decode, plant, control))

    def where_it_ends(self, rows: Floats, start: Start, before: Floats | None = None) -> Start:
        """Where the last of some rows stands, given where they start: the `start` from which to go on."""
        return rows_end(self, rows, start, before)

    def dofs(self, rows: Floats, residuals: bool = True, before: Floats | None = None) -> Floats:
        """Rows of synthesis to rows (frames, DOFs) of the recipe: x = mean + V y, and what was left out.

        `before` is the row that came before the first one, where there was one.
        """
        return dofs_of(self, rows, residuals, before)

    def mode_dofs(self, rows: Floats) -> Floats:
        """The same from mode weights, and positions that were left out, without rotations."""
        return mode_dofs(self, rows, True, None)

    def decode(
        self,
        rows: Floats,
        residuals: bool = True,
        *,
        start: Start | None = None,
        before: Floats | None = None,
        name: str = "",
    ) -> Any:
        """Rows to a motion of the examples' kind; a skeleton keeps its lengths.

        To go on where another piece ended, give its last row as `before` and where that stood as `start`
        (see `where_it_ends`).
        """
        return decoded(self, rows, residuals, start, before, name)

    @cached_property
    def usual(self) -> Floats:
        """The mean rotation of every joint in the first class, (joints, 4)."""
        return usual_rotations([self.decode(self.track.rows[self.owners == 0])])

    def encode(self, example: Any) -> Floats:
        """A motion as mode weights (frames, modes)."""
        if self.recipe is None:
            values = np.asarray(example, dtype=np.float64)
        else:
            if isinstance(example, Clip) and self.recipe.skeleton is not None:
                example = on_skeleton(example, self.recipe.skeleton, self.usual)
            values = encode(self.recipe, example, strict=False).values[:, ~rate_columns(self.recipe)]
        found: Floats = weights_of(self.pca, self.scale, values)
        return found

    @one_blas_thread()
    def score(self, example: Any, weights: Any = None) -> float:
        """The mean log motion density per frame, log P(y, dy/dt) of the mixture; higher is more alike."""
        y = self.encode(example)
        if len(y) < 2:
            raise UsageError("a motion of one frame has no velocity: give at least two")
        both = np.concatenate([y, velocities(y)], axis=1)
        mix = self.mixture(weights) if weights is not None else np.full(len(self.classes), 1.0 / len(self.classes))
        logs = [np.log(w) + log_density(p, both) for w, p in zip(mix, self.motion_densities, strict=True) if w > 0.0]
        return float(np.logaddexp.reduce(logs, axis=0).mean())
