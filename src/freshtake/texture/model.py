"""TextureModel: the compressed takes, their jumps and rules of playback; frozen, and saved in full."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.features import Recipe, Start
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.texture import jump_map
from freshtake.texture.cells import steered
from freshtake.texture.frame_distance import Segments, Weights, mean_step
from freshtake.texture.guiding import Bearings, Guide, GuidedState, bearings_of, begin_guided, read_on
from freshtake.texture.jump_map import Jumps, Reach, Sigmas, hold_of
from freshtake.texture.live import more_often, play_stream, where_rows_end
from freshtake.texture.loop_making import NO_TRAVEL, STRETCH, loop_motion, loop_rows
from freshtake.texture.planting import Standing, planted, shown_contacts, standing_of
from freshtake.texture.play_kernels import CONSTANT, NO_BLEND, VARIABLE, Chances, PlayMaterial, Rules
from freshtake.texture.settings import Settings
from freshtake.texture.shape import Shape, decoded
from freshtake.texture.synthesize import Blending, PlayState, advance, begin, shown
from freshtake.texture.transitions import Fades, Played, longest_fade, turning_of, usual_bend


@dataclass(frozen=True, eq=False, repr=False)
class TextureModel:
    """The learned model. Use `sample`, `stream`, `loop` and `steer`.

    `rows` (frames, columns) decode to the takes: columns of the recipe or, for a mesh, the root's rates and the weights
    of the modes in `shape`. `jumps` are all jumps within each cell, `entries` all jumps into each cell.
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
        """The names of the cells (Sattler 2004, §2.5)."""
        return self.segments.names

    @property
    def fade(self) -> int:
        """The number of frames in which the offset of a jump dies away; 0 with other blends."""
        given = self.settings.blend_frames
        if self.settings.blend != "inertial":
            return 0
        return min(hold_of(self.frame_time) if given is None else given, len(self.rows))

    @cached_property
    def rules(self) -> Rules:
        """The rules of playback, from the settings."""
        s = self.settings
        kind = {"constant": CONSTANT, "printed": CONSTANT, "variable": VARIABLE}.get(s.blend, NO_BLEND)
        length = 3 if s.blend_frames is None else min(s.blend_frames, len(self.rows))
        hold = 0 if s.method == "paper" else min(hold_of(self.frame_time), len(self.rows))
        return Rules(hold, kind, length, mean_step(self.weights.poses, self.segments.successors()))

    @cached_property
    def live(self) -> tuple[Ints, Jumps]:
        """Successors (frames,) and jumps among the frames from which playback can continue forever."""
        return jump_map.within(self.jumps, self.reach, self.segments)

    @cached_property
    def chances(self) -> Chances:
        """The jump map that is played."""
        if self.settings.method == "paper":
            return jump_map.paper_chances(self.weights, self.segments, self.sigmas, self.settings)
        successor, jumps = self.live
        costs = jump_map.totals(successor, jumps, self.settings.anticipation)
        return jump_map.chances_at(successor, jumps, costs, self.sigmas.sigma, self.sigmas.reluctance)

    @cached_property
    def blending(self) -> Blending:
        """The smoothing of jumps."""
        printed, turning = self.settings.blend == "printed", turning_of(self.recipe)
        most = usual_bend(self.points(self.rows), self.segments)
        fades = Fades(self.rows, self.segments, turning, self.fade, self.points, most)
        return Blending(self.rows, self.segments, turning, self.fade, printed, self.rates, fades)

    def points(self, rows: Floats) -> Floats:
        """Return the visible positions of rows, without travel and turning.

        Args:
            rows: (frames, columns) as in `rows` of the model.

        Returns:
            (frames, values): for a clip, joint positions in its unit of length; for a mesh, values with the same
            distances as its vertices; for other motions, the rows.
        """
        if self.shape is not None:
            return np.asarray(rows[:, self.rates :] @ self.shape.measure)
        flat = rows.copy()
        flat[:, : self.rates] = 0.0
        return self.decode(flat).positions().reshape(len(rows), -1) if self._bodily else flat

    @property
    def rates(self) -> int:
        """The number of columns that are speeds: forward, sideways and turning; 0 with root absolute."""
        return 3 if self.recipe is not None and self.recipe.layout.root == "heading" else 0

    @cached_property
    def standing(self) -> Standing | None:
        """The contacts of the takes' feet; None for bodies without feet."""
        takes = [self.decode(rows) for rows in self.segments.split(self.rows)] if self._bodily else []
        return standing_of(takes) if takes else None

    @property
    def _bodily(self) -> bool:
        return self.recipe is not None and self.recipe.layout.kind == "clip"

    @property
    def up(self) -> str:
        """The vertical axis, y or z."""
        return str(getattr(None if self.recipe is None else self.recipe.layout, "up", "y"))

    @cached_property
    def bearings(self) -> Bearings:
        """The turning and travel of the takes, used for guiding."""
        if self.rates == 0:
            raise UsageError(f"{NO_TRAVEL}, so playback cannot be guided")
        return bearings_of(self.rows, self.segments, self.frame_time, self.up)

    def visits(self) -> Floats:
        """Compute the fraction of time for which each frame is shown in the long run, not counting blends.

        Returns:
            (frames,): fractions, which sum to one.
        """
        return jump_map.jump_rate(self.chances, self.reach.alive / self.reach.alive.sum())[1]

    def cell(self, name: str) -> int:
        """Find the number of a cell.

        Args:
            name: one of `cells`.

        Returns:
            Its position in `cells`.
        """
        if name not in self.cells:
            raise UsageError(f"there is no cell {name!r}; the cells are {', '.join(self.cells)}")
        return self.cells.index(name)

    def start(self, rng: np.random.Generator, *, cell: str | None = None, frame: int | None = None) -> PlayState:
        """Choose the first frame to show.

        Args:
            rng: the random generator.
            cell: name of the cell to begin in; by default the first.
            frame: number of the frame of the takes to begin with, instead of a random one.

        Returns:
            The state before the first frame.
        """
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
        """Choose the next frames, without making rows.

        Args:
            state: the state of playback.
            rng: the random generator.
            frames: the number of frames to show.

        Returns:
            The state after them, and the frames of the takes that they show, (frames,) in each field.
        """
        return self._play(state, rng, frames, self.chances)

    def _play(
        self, state: PlayState, rng: np.random.Generator, frames: int, chances: Chances
    ) -> tuple[PlayState, Played]:
        return advance(state, frames, chances, self.play_material, longest_fade(self.fade), rng)

    @cached_property
    def play_material(self) -> PlayMaterial:
        """The takes in the form that playback uses."""
        return PlayMaterial(self.segments.successors(), self.weights.poses, self.rules)

    def advance(self, state: PlayState, rng: np.random.Generator, frames: int = 1) -> tuple[PlayState, Floats]:
        """Make the next frames as rows.

        Args:
            state: the state of playback.
            rng: the random generator.
            frames: the number of frames to make.

        Returns:
            The state after them, and their rows (frames, columns).
        """
        after, played = self.play(state, rng, frames)
        return after, shown(state, played, self.blending)

    def steer(self, state: PlayState, cell: str) -> PlayState:
        """Steer to a cell by the best path within the look-ahead; playback continues in it (Sattler 2004, §2.5).

        Args:
            state: the state of playback.
            cell: name of the cell to go to.

        Returns:
            The same state with a plan of frames leading there.
        """
        return steered(self, state, cell)

    def cell_of(self, state: PlayState) -> str:
        """Find the cell of the frame shown last.

        Args:
            state: the state of playback.

        Returns:
            The name of the cell.
        """
        return self.cells[int(self.segments.cells()[state.frame])]

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
        """Make a new motion: the takes in a new order, with feet planted for bodies.

        Args:
            rng: the random generator.
            frames: the number of frames to make, 1 or more.
            cell: name of the cell to begin in; by default the first.
            plant: True, soft or hard keeps feet in place while the takes' feet are planted; False leaves them free.
            name: the name of the motion.

        Returns:
            A motion of the takes' kind, with their frame time and unit of length; rows for plain arrays.
        """
        if frames < 1:
            raise UsageError(f"the number of frames must be 1 or more, not {frames}")
        state = self.start(rng, cell=cell)
        _, played = self.play(state, rng, frames)
        motion = self.decode(shown(state, played, self.blending), name=name)
        return self.planted(motion, played, plant)

    def planted(self, motion: Any, played: Played, lock: bool | str = True) -> Any:
        """Keep the feet of a decoded motion in place while the takes' feet are planted.

        Args:
            motion: decoded from rows that were played.
            played: the frames of the takes that it shows, (frames,) in each field.
            lock: True, soft or hard; False leaves the motion unchanged.

        Returns:
            The motion with its feet planted; motions without feet are unchanged.
        """
        if not lock or not isinstance(motion, Clip) or self.standing is None:
            return motion
        return planted(motion, shown_contacts(self.standing, played), self.standing, lock)

    def start_guided(self, rng: np.random.Generator, guide: Guide, *, cell: str | None = None) -> GuidedState:
        """Choose the first frame of guided playback.

        Args:
            rng: the random generator.
            guide: direction and speed.
            cell: name of the cell to begin in; by default the first.

        Returns:
            The state before the first frame; the body faces along the path if there is one.
        """
        return begin_guided(self.start(rng, cell=cell), guide, self.bearings.up)

    def advance_guided(
        self, state: GuidedState, rng: np.random.Generator, guide: Guide, frames: int = 1, jump_rate: float = 1.0
    ) -> tuple[GuidedState, Floats, Played]:
        """Make the next frames of guided playback; the guide and the rate of jumps may change with each call.

        Args:
            state: the state of playback and of the body.
            rng: the random generator.
            guide: direction and speed.
            frames: the number of frames to make.
            jump_rate: rate of jumps relative to the learned one.

        Returns:
            The state after them, their rows (frames, columns), and the frames of the takes that they show.
        """
        chances = more_often(self.chances, jump_rate)

        def more(play: PlayState, count: int) -> tuple[PlayState, Floats, Floats, Played]:
            after, played = self._play(play, rng, count, chances)
            trend = shown(play, played, self.blending, self.bearings.trend)[:, 0]
            return after, shown(play, played, self.blending), trend, played

        return read_on(state, frames, guide, self.bearings, more, self.blending.turning)

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
        """Make a motion whose end meets its start.

        Args:
            rng: the random generator.
            frames: length of the loop, 2 or more.
            variety: weight of showing frames twice relative to the cost of jumps; 0 allows one short loop to repeat.
            stretch: fraction, 0 to 0.5, by which the tempo may differ from the takes'.
            times: the number of repetitions of the loop.
            course: straight, closed (it returns), free (as the frames turn) or a rotation in degrees;
                by default straight, or in place if the loop hardly travels.
            plant: True, soft or hard keeps feet in place while the takes' feet are planted; False leaves them free.
            name: the name of the motion.

        Returns:
            A motion of the takes' kind with `times` * `frames` frames.
        """
        rows, played = loop_rows(self, rng, frames, variety=variety, stretch=stretch, course=course)
        return loop_motion(self, rows, played, times=times, course=course, plant=plant, name=name)

    def stream(
        self, rng: np.random.Generator, *, cell: str | None = None, decode: bool = False, plant: bool | str = False
    ) -> Iterator[Any]:
        """Play endlessly, one frame at a time.

        Args:
            rng: the random generator.
            cell: name of the cell to begin in; by default the first.
            decode: yield one-frame motions, each placed at the end of the previous one, instead of rows.
            plant: with `decode`, keep feet in place while the takes' feet are planted; this delays frames by a constant
                time.

        Returns:
            An iterator over rows (columns,), or over motions of one frame; motions without feet are unchanged.
        """
        return play_stream(self, rng, cell, decode, plant)

    def after(self, rows: Floats, start: Start, resume: bool = True) -> Start:
        """Find the placement at the end of rows, to resume a stream.

        Args:
            rows: (frames, columns).
            start: the placement at their beginning.
            resume: whether the first row continues an earlier one, rather than being placed at `start`.

        Returns:
            Position, heading in radians and time in seconds.
        """
        return where_rows_end(self, rows, start, resume)

    @one_blas_thread()
    def decode(self, rows: Floats, *, start: Start | None = None, resume: bool = False, name: str = "") -> Any:
        """Decode rows to a motion of the takes' kind.

        Args:
            rows: (frames, columns).
            start: the placement of the first frame; by default at the origin.
            resume: whether the first row continues an earlier one, rather than being placed at `start`.
            name: the name of the motion.

        Returns:
            A motion with the takes' frame time and unit of length; plain rows unchanged.
        """
        return decoded(self.recipe, self.shape, rows, start, resume, name)
