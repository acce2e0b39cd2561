"""TextureModel: the compressed takes, their jumps and how to play them; frozen, and all that is saved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.cycles.looping import facing_forward
from freshtake.motion.features import Recipe, Start, where_it_ends
from freshtake.motion.playback import Playback
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.texture import cells as control
from freshtake.texture.decoding import decoded
from freshtake.texture.frame_distance import Weights, judged, mean_step
from freshtake.texture.guiding import Bearings, Guide, GuidedState, bearings_of, begin_guided, read_on
from freshtake.texture.jump_map import Chances, Jumps, Reach, chances_at, costs_of, jump_rate, totals, within
from freshtake.texture.loop_courses import LoopCourse, check_course, detours, on_course, rate_of, turning_trend
from freshtake.texture.loops import (
    LONGEST,
    anchors_of,
    fades_of,
    find_loop,
    near_lengths,
    nearest_length,
    varied_loop,
    ways_of,
)
from freshtake.texture.paper_jump_map import as_table, combined, probabilities, successor_distances
from freshtake.texture.planting import Standing, around, cut_loop, planted, planted_stream, shown_contacts, standing_of
from freshtake.texture.play_kernels import CONSTANT, LENGTH, NO_BLEND, SINCE, VARIABLE, Frames, Rules, costs_of_jumps
from freshtake.texture.segments import Segments
from freshtake.texture.settings import Settings
from freshtake.texture.shape import Shape
from freshtake.texture.synthesize import Blending, PlayState, advance, begin, looped, shown
from freshtake.texture.transitions import Played, paced, turning_of

FADE = 1.0 / 6.0  # seconds in which an offset dies away
STREAM_BLOCK = 64  # frames
NO_TRAVEL = "travel was not taken out of the takes (root heading does)"
STRETCH = 0.12  # share by which a loop's tempo may differ from the takes'


def hold_of(frame_time: float) -> int:
    """Frames in which an offset dies away, and in which play does not jump again."""
    return max(2, round(FADE / frame_time))


class Sigmas(NamedTuple):
    """What maps costs to chances: sigma and reluctance in mean frame steps; of the paper's method sigma and sigma*."""

    sigma: float
    velocity: float
    reluctance: float = 0.0


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
        return hold_of(self.frame_time) if given is None else given

    @property
    def longest_fade(self) -> int:
        """That of the largest jumps."""
        return round(LONGEST * self.fade)

    @cached_property
    def rules(self) -> Rules:
        """How play goes."""
        s = self.settings
        kind = {"constant": CONSTANT, "printed": CONSTANT, "variable": VARIABLE}.get(s.blend, NO_BLEND)
        length = 3 if s.blend_frames is None else s.blend_frames
        hold = 0 if s.method == "paper" else hold_of(self.frame_time)
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
    def _judged(self) -> Frames:
        return judged(self.weights, self.segments, self.frame_time, self.settings.velocity_weight)

    def _fades(self, left: Ints, entered: Ints) -> Ints:
        """Frames in which the offset of each jump dies away."""
        return fades_of(costs_of_jumps(self._judged, left, entered), self.fade)

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
    def _up(self) -> str:
        return str(getattr(None if self.recipe is None else self.recipe.layout, "up", "y"))

    @cached_property
    def bearings(self) -> Bearings:
        """How the takes turn and travel, for guiding."""
        if self.rates == 0 or self.recipe is None:
            raise UsageError(f"{NO_TRAVEL}, so that it cannot be sent anywhere")
        return bearings_of(self.rows, self.segments, self.frame_time, self._up)

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
        natural = self.segments.successors()
        return advance(state, frames, natural, self.chances, self.weights.poses, self.rules, self.longest_fade, rng)

    def advance(self, state: PlayState, rng: np.random.Generator, frames: int = 1) -> tuple[PlayState, Floats]:
        """The next frames as rows, and the state after them."""
        after, played = self.play(state, rng, frames)
        return after, shown(state, played, self.blending)

    def steer(self, state: PlayState, cell: str) -> PlayState:
        """Go to a cell, by the best way within the look-ahead; play goes on in it (Sattler 2004, §2.5)."""
        goal = self.cell(cell)
        if not self.entries:
            return state.heading_for(())
        successor, jumps = self.live
        ahead = max(1, int(self.settings.lookahead / self.frame_time + 1e-6))
        frame = state.frame if state.numbers[4] == 0 else state.numbers[2]  # a blend under way ends first
        settled = self._until_settled(state)
        frame = settled[-1] if settled else frame
        way = control.way_into(goal, frame, successor, jumps, self.entries[goal], self.segments, self.reach, ahead)
        return state.heading_for((*settled, *way))

    def _until_settled(self, state: PlayState) -> tuple[int, ...]:
        """The frames that come before the last jump has died away, as far as the take goes on."""
        frame, way, natural = state.frame, [], self.segments.successors()
        if state.numbers[LENGTH] > 0 or not 0 <= state.numbers[SINCE] < self.rules.hold:
            return ()
        for _ in range(self.rules.hold - state.numbers[SINCE]):
            frame = int(natural[frame])
            if frame < 0:
                break
            way.append(frame)
        return tuple(way)

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
        self, state: GuidedState, rng: np.random.Generator, guide: Guide, frames: int = 1
    ) -> tuple[GuidedState, Floats, Played]:
        """The next frames as rows, and what they show; the guide may be another one each time."""

        def more(play: PlayState, count: int) -> tuple[PlayState, Floats, Played]:
            after, played = self.play(play, rng, count)
            return after, shown(play, played, self.blending), played

        return read_on(state, frames, guide, self.bearings, more, self.blending.turning)

    def loop_rows(
        self,
        rng: np.random.Generator,
        frames: int,
        *,
        variety: float = 1.0,
        stretch: float = STRETCH,
        course: str | float | None = "free",
    ) -> tuple[Floats, Played]:
        """Rows of a loop of exactly so many frames, and what they show; the frame after the last is the first.

        Where that makes better jumps, a way whose length differs by at most a share `stretch` is played faster or
        slower; what is shown then has that other length. Frames are preferred that turn as the `course` does; the rows
        are not on it yet.
        """
        if frames < 2:
            raise UsageError(f"a loop has at least 2 frames, not {frames}")
        if not (np.isfinite(variety) and variety >= 0.0):
            raise UsageError(f"variety must be 0 or more, not {variety}")
        if not 0.0 <= stretch <= 0.5:
            raise UsageError(f"stretch must lie between 0 and 0.5, not {stretch}")
        check_course(course)
        way = self._closed_way(rng, frames, variety, stretch, self._detours(frames, course))
        played = self._around(way, rng)
        rows = looped(played, self.blending)
        if len(rows) == frames:
            return rows, played
        return paced(rows, frames, self.blending.turning, self.rates), played

    def jump_costs(self, played: Played) -> Floats:
        """What the jumps that are shown cost, in mean frame steps; infinity for those of the paper's map alone."""
        now = np.flatnonzero(played.jumped >= 0)
        return costs_of(self.jumps, played.jumped[now], played.source[now])

    def loop_lengths(self, rng: np.random.Generator, frames: int) -> list[int]:
        """Up to three lengths near `frames` of loops that need no larger jumps than play does."""
        small = ways_of(*self.live, self.weights.poses, self.rules)
        return near_lengths(frames, small, anchors_of(small, rng))

    def _detours(self, frames: int, course: str | float | None) -> Floats:
        """What each frame of the takes costs on a course (frames,)."""
        rate = rate_of(course, frames * self.frame_time)
        if self.rates == 0 or rate is None:
            return np.zeros(len(self.rows))
        trend = turning_trend(self.rows, self.segments, self.frame_time)
        return detours(np.abs(trend) if course == "closed" else trend, rate)

    def on_course(self, rows: Floats, course: str | float | None = None) -> LoopCourse | None:
        """A loop's rows on its course over the ground; None for motions that have none."""
        check_course(course)
        if self.rates == 0 or self.recipe is None:
            if course not in (None, "free"):
                raise UsageError(f"{NO_TRAVEL}, so that a loop has no course")
            return None
        return on_course(rows, self.frame_time, self._up, course, self.rules.step)

    def _closed_way(
        self, rng: np.random.Generator, frames: int, variety: float, stretch: float, detour: Floats
    ) -> tuple[int, ...]:
        """With small jumps, at the takes' tempo or a slightly different one; or else with any jumps."""

        def stroll(start: int, count: int) -> tuple[int, ...]:
            played = self.play(begin(start, self.settings.recent), rng, count)[1]
            return () if played.step[-1] else tuple(played.source[played.step == 0].tolist())

        small = ways_of(*self.live, self.weights.poses, self.rules)
        found = nearest_length(frames, small, anchors_of(small, rng), stretch)
        if found is not None:
            length, anchor = found
            way = find_loop(length, small, stroll, rng, variety, self.frame_time, detour, (anchor,))
            return varied_loop(frames, way, small, rng, variety, stretch, detour)
        wide = within(self.jumps, Reach(tuple(1e9 for _ in self.cells), self.reach.alive), self.segments)
        some = ways_of(*wide, self.weights.poses, self.rules, slots=32)
        return find_loop(frames, some, stroll, rng, variety, self.frame_time, detour)

    def _around(self, way: tuple[int, ...], rng: np.random.Generator) -> Played:
        """A closed way as it is shown: the last frame leads to the first one."""
        state = begin(way[-1], 0).heading_for(way)
        natural = self.segments.successors()
        last, parts = way[-1], []
        while True:
            state, played = advance(state, 1, natural, self.chances, self.weights.poses, self.rules, 0, rng)
            parts.append(played)
            if not state.plan and state.numbers[4] == 0 and state.frame == last and len(parts) > len(way):
                break
        return Played(*[np.concatenate([getattr(p, f) for p in parts[1:]]) for f in Played._fields])

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
        found = self.on_course(rows, course)
        rows = np.tile(rows if found is None else found.rows, (max(1, times), 1))
        made = self.decode(rows, name=name)
        if not isinstance(made, Clip) or found is None:
            return made
        info = None
        if course in (None, "straight", "closed"):
            seconds, cycles = len(rows) * self.frame_time, max(1, times)
            info = Playback(found.travel * cycles, seconds, True, cycles=cycles, turn=found.turned - found.turns)
        if not plant or self.standing is None:
            return made if info is None else facing_forward(made.changed(playback=info))
        before, count = around(len(rows), self.standing, self.frame_time)
        at = np.mod(np.arange(count) - before, len(rows))
        source = played.source[
            (np.mod(at, len(rows) // max(1, times)) * len(played.source)) * max(1, times) // len(rows)
        ]
        endless = self.decode(rows[at], name=name)
        done = planted(endless, self.standing.contacts[source], self.standing, plant)
        return cut_loop(done, before, len(rows), info)

    def stream(
        self, rng: np.random.Generator, *, cell: str | None = None, decode: bool = False, plant: bool | str = False
    ) -> Iterator[Any]:
        """One row per frame without end; with `decode` one-frame motions, placed on.

        With `plant` as well, feet are held where the takes' stand, and frames come a constant number of frames late;
        what has no feet comes as it is.
        """
        if plant and not decode:
            raise UsageError("planting needs poses: stream with decode=True as well, or without plant")
        if not decode:
            return self._row_stream(rng, cell)
        blocks = self._block_stream(rng, cell)
        moving = self.recipe is not None and getattr(self.recipe.layout, "moving", False)
        if plant and self.standing is not None and not moving:
            return planted_stream(blocks, self.standing, plant)
        return self._frame_stream(rng, cell)

    def _row_stream(self, rng: np.random.Generator, cell: str | None) -> Iterator[Any]:
        state = self.start(rng, cell=cell)
        while True:
            state, rows = self.advance(state, rng, STREAM_BLOCK)
            yield from rows

    def _frame_stream(self, rng: np.random.Generator, cell: str | None) -> Iterator[Any]:
        start, first = Start(), True
        for row in self._row_stream(rng, cell):
            yield self.decode(row[None], start=start, resume=not first)
            start = self.after(row[None], start, not first)
            first = False

    def _block_stream(self, rng: np.random.Generator, cell: str | None) -> Iterator[tuple[Any, Played]]:
        """Motions of some frames, and what they show."""
        state, start, first = self.start(rng, cell=cell), Start(), True
        while True:
            after, played = self.play(state, rng, STREAM_BLOCK)
            rows = shown(state, played, self.blending)
            yield self.decode(rows, start=start, resume=not first), played
            state, start, first = after, self.after(rows, start, not first), False

    def after(self, rows: Floats, start: Start, resume: bool = True) -> Start:
        """Where rows that begin at `start` end; to resume a stream."""
        if self.recipe is None:
            return start
        if self.shape is None:
            return where_it_ends(self.recipe, rows, start=start, resume=resume)
        if self.recipe.layout.root != "heading":
            return start
        columns = np.zeros((len(rows), self.recipe.layout.width))
        columns[:, :3] = rows[:, :3]
        return where_it_ends(self.recipe, columns, start=start, resume=resume)

    @one_blas_thread()
    def decode(self, rows: Floats, *, start: Start | None = None, resume: bool = False, name: str = "") -> Any:
        """Rows to a motion of the takes' kind."""
        return decoded(self.recipe, self.shape, rows, start, resume, name)


def paper_chances(weights: Weights, segments: Segments, sigmas: Sigmas, settings: Settings) -> Chances:
    """The jump map of eq. 2-8 as printed."""
    positions, velocities = successor_distances(weights, segments)
    full = combined(
        probabilities(positions, sigmas.sigma), probabilities(velocities, sigmas.velocity), settings.q,
        settings.velocity_q,
    )  # fmt: skip
    cells = segments.cells()
    full = np.where(cells[:, None] == cells[None], full, 0.0)
    full /= full.sum(axis=1, keepdims=True)
    targets, chances, onward = as_table(full, segments.successors())
    return Chances(segments.successors(), onward, targets, chances)
