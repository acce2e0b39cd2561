"""TextureModel: the compressed takes, their jumps and how to play them; frozen, and all that is saved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.features import Recipe, Start
from freshtake.numeric.arrays import Bools, Floats, Ints
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.texture.cells import steered
from freshtake.texture.decoding import decoded
from freshtake.texture.fades import Fades, longest_fade, usual_bend
from freshtake.texture.frame_distance import Weights, mean_step
from freshtake.texture.guiding import Bearings, Guide, GuidedState, bearings_of, begin_guided, read_on
from freshtake.texture.jump_map import Jumps, Reach, chances_at, costs_of, hold_of, jump_rate, totals, within
from freshtake.texture.live import more_often, play_stream, where_rows_end
from freshtake.texture.loop_courses import LoopCourse
from freshtake.texture.loop_making import (
    NO_TRAVEL,
    Loop,
    found_loops,
    loop_lengths,
    loop_motion,
    on_its_course,
    shown_loop,
)
from freshtake.texture.paper_jump_map import Sigmas, paper_chances
from freshtake.texture.planting import Standing, planted, shown_contacts, standing_of
from freshtake.texture.play_kernels import (
    CONSTANT,
    NO_BLEND,
    VARIABLE,
    Chances,
    PlayMaterial,
    Rules,
)
from freshtake.texture.segments import Segments
from freshtake.texture.settings import Settings
from freshtake.texture.shape import Shape
from freshtake.texture.synthesize import Blending, PlayState, advance, begin, shown, shown_rate
from freshtake.texture.transitions import Played, turning_of

STRETCH = 0.12  # share by which a loop's tempo may differ from the takes'


@dataclass(frozen=True, eq=False, repr=False)
class TextureModel:
    """What was learned. Use `sample`, `stream`, `loop` and `steer`.

    `rows` (frames, columns) decode to the takes: columns of the recipe, or, of a mesh, the root's rates and the weights
    of the modes in `shape`. `jumps` are all that were found, within each cell; `entries` those into each cell.
    """

    settings: Settings
    segments: Segments
    frame_time: float
    recipe: Recipe | None
    shape: Shape | None
    rows: Floats
    weights: Weights
    jumps: Jumps
    entries: tuple[Jumps, ...]
    reach: Reach
    sigmas: Sigmas

    def __repr__(self) -> str:
        kind = "rows" if self.recipe is None else self.recipe.layout.kind
        return f"TextureModel({len(self.rows)} frames of {kind}, {len(self.segments.names)} cells)"

    @property
    def cells(self) -> tuple[str, ...]:
        """The cells by name (Sattler 2004, §2.5)."""
        return self.segments.names

    @property
    def fade(self) -> int:
        """Frames in which the offset of a jump dies away; 0 with other blends."""
        given = self.settings.blend_frames
        if self.settings.blend != "inertial":
            return 0
        return min(hold_of(self.frame_time) if given is None else given, len(self.rows))  # a take is no longer

    @property
    def longest_fade(self) -> int:
        """That of the largest jumps."""
        return longest_fade(self.fade)

    @cached_property
    def rules(self) -> Rules:
        """How play goes."""
        s = self.settings
        kind = {"constant": CONSTANT, "printed": CONSTANT, "variable": VARIABLE}.get(s.blend, NO_BLEND)
        length = 3 if s.blend_frames is None else min(s.blend_frames, len(self.rows))
        hold = 0 if s.method == "paper" else min(hold_of(self.frame_time), len(self.rows))
        return Rules(hold, kind, length, mean_step(self.weights.poses, self.segments.successors()))

    @cached_property
    def live(self) -> tuple[Ints, Jumps]:
        """Successors and jumps among the frames that go on for ever."""
        return within(self.jumps, self.reach, self.segments)

    @cached_property
    def chances(self) -> Chances:
        """The jump map that is played."""
        if self.settings.method == "paper":
            return paper_chances(self.weights, self.segments, self.sigmas, self.settings)
        successor, jumps = self.live
        costs = totals(successor, jumps, self.settings.anticipation)
        return chances_at(successor, jumps, costs, self.sigmas.sigma, self.sigmas.reluctance)

    @cached_property
    def blending(self) -> Blending:
        """How jumps are smoothed."""
        printed = self.settings.blend == "printed"
        return Blending(self.rows, self.segments, turning_of(self.recipe), self.fade, printed, self.rates, self._fades)

    @cached_property
    def _fades(self) -> Fades:
        most = usual_bend(self._points(self.rows), self.segments)
        return Fades(self.rows, self.segments, turning_of(self.recipe), self.fade, self._points, most)

    def _points(self, rows: Floats) -> Floats:
        """Where rows are seen (frames, values), without travel and turning."""
        if self.shape is not None:
            return np.asarray(rows[:, self.rates :] @ self.shape.measure)
        flat = rows.copy()
        flat[:, : self.rates] = 0.0
        return self.decode(flat).positions().reshape(len(rows), -1) if self._bodily else flat

    @property
    def rates(self) -> int:
        """How many columns of a row are speeds: along the ground, across, and of turning; none with root absolute."""
        return 3 if self.recipe is not None and self.recipe.layout.root == "heading" else 0

    @cached_property
    def standing(self) -> Standing | None:
        """Where feet stand in the takes; None for what has no feet."""
        takes = [self.decode(rows) for rows in np.split(self.rows, self.segments.bounds[1:-1])] if self._bodily else []
        return standing_of(takes) if takes else None

    @property
    def _bodily(self) -> bool:
        return self.recipe is not None and self.recipe.layout.kind == "clip"

    @property
    def up(self) -> str:
        """The vertical axis."""
        return str(getattr(None if self.recipe is None else self.recipe.layout, "up", "y"))

    @cached_property
    def bearings(self) -> Bearings:
        """How the takes turn and travel, for guiding."""
        if self.rates == 0 or self.recipe is None:
            raise UsageError(f"{NO_TRAVEL}, so that it cannot be sent anywhere")
        return bearings_of(self.rows, self.segments, self.frame_time, self.up)

    def visits(self) -> Floats:
        """How often each frame is shown in the long run (frames,), blends apart."""
        return jump_rate(self.chances, self.reach.alive / self.reach.alive.sum())[1]

    def cell(self, name: str) -> int:
        """The number of a cell."""
        if name not in self.cells:
            raise UsageError(f"there is no cell {name!r}; the cells are {', '.join(self.cells)}")
        return self.cells.index(name)

    def start(self, rng: np.random.Generator, *, cell: str | None = None, frame: int | None = None) -> PlayState:
        """The state before the first frame: a frame at random, of a cell where one is named."""
        alive = self.reach.alive
        if frame is not None:
            if not 0 <= frame < len(alive):
                raise UsageError(f"the takes have frames 0 to {len(alive) - 1}, but no frame {frame}")
            return begin(frame, self.settings.recent)
        if cell is not None:
            alive = alive & (self.segments.cells() == self.cell(cell))
        elif len(self.cells) > 1:
            alive = alive & (self.segments.cells() == 0)
        return begin(int(rng.choice(np.flatnonzero(alive))), self.settings.recent)

    def play(self, state: PlayState, rng: np.random.Generator, frames: int) -> tuple[PlayState, Played]:
        """Which frames come next, not yet as rows."""
        return advance(state, frames, self.chances, self.play_material, self.longest_fade, rng)

    @cached_property
    def play_material(self) -> PlayMaterial:
        """The takes as play sees them."""
        return PlayMaterial(self.segments.successors(), self.weights.poses, self.rules)

    def advance(self, state: PlayState, rng: np.random.Generator, frames: int = 1) -> tuple[PlayState, Floats]:
        """The next frames as rows, and the state after them."""
        after, played = self.play(state, rng, frames)
        return after, shown(state, played, self.blending)

    def steer(self, state: PlayState, cell: str) -> PlayState:
        """Go to a cell, by the best way within the look-ahead; play goes on in it (Sattler 2004, §2.5)."""
        return steered(self, state, cell)

    def cell_of(self, state: PlayState) -> str:
        """The cell of the frame shown last."""
        return self.cells[int(self.segments.cells()[state.frame])]

    def sample_rows(self, rng: np.random.Generator, frames: int, *, cell: str | None = None) -> Floats:
        """Rows of an endless play, cut after `frames`."""
        if frames < 1:
            raise UsageError(f"the number of frames must be 1 or more, not {frames}")
        return self.advance(self.start(rng, cell=cell), rng, frames)[1]

    @one_blas_thread()
    def sample(
        self,
        rng: np.random.Generator,
        *,
        frames: int,
        cell: str | None = None,
        plant: bool | str = True,
        name: str = "",
    ) -> Any:
        """A new motion of so many frames, like the takes but in another order; bodies with their feet planted."""
        if frames < 1:
            raise UsageError(f"the number of frames must be 1 or more, not {frames}")
        state = self.start(rng, cell=cell)
        _, played = self.play(state, rng, frames)
        made = self.decode(shown(state, played, self.blending), name=name)
        return self.planted(made, played, plant)

    def planted(self, motion: Any, played: Played, lock: bool | str = True) -> Any:
        """What was decoded of what was played with its feet held where the takes' stand; what has no feet as it is."""
        if not lock or not isinstance(motion, Clip) or self.standing is None:
            return motion
        return planted(motion, shown_contacts(self.standing, played), self.standing, lock)

    def start_guided(self, rng: np.random.Generator, guide: Guide, *, cell: str | None = None) -> GuidedState:
        """The state before the first frame of play that is sent somewhere."""
        return begin_guided(self.start(rng, cell=cell), guide, self.bearings.up)

    def advance_guided(
        self, state: GuidedState, rng: np.random.Generator, guide: Guide, frames: int = 1, jump_rate: float = 1.0
    ) -> tuple[GuidedState, Floats, Played]:
        """The next frames as rows, and what they show; guide and rate of jumps may be others each time."""
        chances = more_often(self.chances, jump_rate)

        def more(play: PlayState, count: int) -> tuple[PlayState, Floats, Floats, Played]:
            after, played = advance(play, count, chances, self.play_material, self.longest_fade, rng)
            trend = shown_rate(play, played, self.blending, self.bearings.trend)
            return after, shown(play, played, self.blending), trend, played

        return read_on(state, frames, guide, self.bearings, more, self.blending.turning)

    def find_loops(
        self,
        rng: np.random.Generator,
        frames: int,
        *,
        variety: float = 1.0,
        stretch: float = STRETCH,
        course: str | float | None = "free",
        among: Bools | None = None,
    ) -> list[Loop]:
        """Find up to five loops of so many frames, the best first, of the part of the takes that moves.

        `among` (frames,) are the frames of the takes whose action is wanted; by default all are.
        """
        return found_loops(self, rng, frames, variety=variety, stretch=stretch, course=course, among=among)

    def show_loop(self, loop: Loop, rng: np.random.Generator, frames: int) -> tuple[Floats, Played]:
        """Return the rows of a loop, and what they show; the frame after the last is the first."""
        return shown_loop(self, loop, rng, frames)

    def loop_rows(
        self,
        rng: np.random.Generator,
        frames: int,
        *,
        variety: float = 1.0,
        stretch: float = STRETCH,
        course: str | float | None = "free",
    ) -> tuple[Floats, Played]:
        """Rows of a loop of exactly so many frames, and what they show; the frame after the last is the first."""
        best = self.find_loops(rng, frames, variety=variety, stretch=stretch, course=course)[0]
        return self.show_loop(best, rng, frames)

    def jump_costs(self, played: Played) -> Floats:
        """What the jumps that are shown cost, in mean frame steps; infinity for those of the paper's map alone."""
        now = np.flatnonzero(played.jumped >= 0)
        return costs_of(self.jumps, played.jumped[now], played.source[now])

    def loop_lengths(self, rng: np.random.Generator, frames: int) -> list[int]:
        """Up to three lengths near `frames` of loops that need no larger jumps than play does."""
        return loop_lengths(self, rng, frames)

    @one_blas_thread()
    def loop(
        self,
        rng: np.random.Generator,
        *,
        frames: int,
        variety: float = 1.0,
        stretch: float = STRETCH,
        times: int = 1,
        course: str | float | None = None,
        plant: bool | str = True,
        name: str = "",
    ) -> Any:
        """A motion whose end meets its start, `times` over; `variety` 0 lets one short loop be repeated.

        The `course` is straight, closed (it comes back), free (as the frames turn) or a turn in degrees; by default
        straight, and in place where the loop hardly travels.
        """
        rows, played = self.loop_rows(rng, frames, variety=variety, stretch=stretch, course=course)
        return self.loop_motion(rows, played, times=times, course=course, plant=plant, name=name)

    def loop_motion(
        self,
        rows: Floats,
        played: Played,
        *,
        times: int = 1,
        course: str | float | None = None,
        plant: bool | str = True,
        name: str = "",
    ) -> Any:
        """A loop's rows as a motion on its course, feet planted through the seam; a clip says that it is a loop."""
        return loop_motion(self, rows, played, times=times, course=course, plant=plant, name=name)

    def on_course(self, rows: Floats, course: str | float | None = None) -> LoopCourse | None:
        """A loop's rows on its course over the ground; None for motions that have none."""
        return on_its_course(self, rows, course)

    def stream(
        self, rng: np.random.Generator, *, cell: str | None = None, decode: bool = False, plant: bool | str = False
    ) -> Iterator[Any]:
        """One row per frame without end; with `decode` one-frame motions, placed on.

        With `plant` as well, feet are held where the takes' stand, and frames come a constant number of frames late;
        what has no feet comes as it is.
        """
        return play_stream(self, rng, cell, decode, plant)

    def after(self, rows: Floats, start: Start, resume: bool = True) -> Start:
        """Where rows that begin at `start` end; to resume a stream."""
        return where_rows_end(self, rows, start, resume)

    @one_blas_thread()
    def decode(self, rows: Floats, *, start: Start | None = None, resume: bool = False, name: str = "") -> Any:
        """Rows to a motion of the takes' kind."""
        return decoded(self.recipe, self.shape, rows, start, resume, name)
