"""Draw variants as blocks of rows, steer them, and stream one-frame motions with planted feet.

Turn rates integrate to a slow drift of the heading, so a long stream can be given a heading or a path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.features import Recipe, Start, where_it_ends
from freshtake.motion.features.angles import AT_ORIGIN
from freshtake.motion.pins import Pin
from freshtake.motion.planting import Planted, Planter, PlantSettings, StreamFrame, settings_for
from freshtake.motion.planting import plant as plant_feet
from freshtake.motion.validation import frozen
from freshtake.numeric.arrays import Floats
from freshtake.numeric.curves import arc_lengths, is_closed, nearest_on, point_on
from freshtake.variation.amount import Amount
from freshtake.variation.sampling import BLOCK, Variant, advance, begin, draw_variant

if TYPE_CHECKING:
    from freshtake.variation.model import VariationModel

MOST_CHANGE = 0.1  # of an amount in that time: a faster change would look like a jerk
LET_GO = 1e-9  # radians per second: below this, an added turn rate has faded out
UPDATE = 0.1  # seconds between corrections
WINDOW = 3.0  # horizons: how far ahead the nearest point of a path is searched


@dataclass(frozen=True, eq=False)
class Steering:
    """Keep a heading (radians, 0 at the start), or follow a path (points, 2) in the ground plane, world x and z or y.

    Corrections are spread over `horizon` seconds and never turn faster than `limit` radians per second. A path is
    followed from its first point on, even where it crosses itself; after its end the motion continues straight, or
    restarts the path if it is closed. A body begins at the origin, facing forward: see `from_the_first_point`.
    """

    heading: float = 0.0
    path: npt.ArrayLike | None = None
    horizon: float = 1.0
    limit: float = 1.0

    def __post_init__(self) -> None:
        if not np.isfinite(self.heading):
            raise UsageError(f"the heading to keep must be a finite number, but is {self.heading}")
        if not (0.0 < self.horizon < np.inf and self.limit > 0.0):
            raise UsageError("horizon and limit of steering must be greater than 0")
        if self.path is not None:
            points = frozen(self.path, "path", (None, 2))
            if len(points) < 2 or not np.diff(points, axis=0).any(axis=1).all():
                raise UsageError("a path needs at least two points, and no point may occur twice in a row")
            object.__setattr__(self, "path", points)


class SteeringState(NamedTuple):
    """The position of the motion, the turn rate being added, and the distance covered along the path; immutable."""

    start: Start
    resume: bool = False
    correction: float = 0.0
    along: float = 0.0


class Travel(NamedTuple):
    """The examples' travel: speed in lengths per second, and its direction relative to the heading."""

    speed: float
    leaning: float


def travel_of(recipe: Recipe, examples: Sequence[Floats]) -> Travel:
    """Return the mean travel of the examples."""
    moved, seconds = 0.0j, 0.0
    for rows in examples:
        end = where_it_ends(recipe, rows)
        middle = float(np.cumsum(rows[:, turn_column(recipe)]).mean()) * recipe.frame_time
        x, other = end.ground
        moved += complex(_forward(recipe, other), x) * np.exp(-1j * middle)
        seconds += (len(rows) - 1) * recipe.frame_time
    return Travel(abs(moved) / max(seconds, 1e-9), float(np.angle(moved)))


def turn_column(recipe: Recipe | None) -> int:
    """Return the DOF that is the turn rate."""
    if recipe is None or "turn" not in recipe.units:
        raise UsageError("only motions that turn about the vertical can be steered, and this model does not turn")
    return recipe.units.index("turn")


def steered(
    steering: Steering, recipe: Recipe, travel: Travel, rows: Floats, course: SteeringState
) -> tuple[Floats, SteeringState]:
    """Return a block with corrected turn rates, and the steering state after it.

    Blocks have a fixed number of frames, so they last longer at a lower frame rate. The heading is corrected every
    `UPDATE` seconds regardless: once a second would be too late for a body that needs a second to turn.
    """
    frames = max(1, round(UPDATE / recipe.frame_time))
    out = rows.copy()
    for first in range(0, len(rows), frames):
        course = _correct(steering, recipe, travel, out, slice(first, min(first + frames, len(rows))), course)
    return out, course


def _correct(
    steering: Steering, recipe: Recipe, travel: Travel, rows: Floats, now: slice, course: SteeringState
) -> SteeringState:
    """Correct the turn rates of the rows `now` in place; the rows after them show where the body is heading."""
    turn = turn_column(recipe)
    ahead = course.start.heading + float(rows[now, turn].sum()) * recipe.frame_time
    heading, along = _wanted(steering, recipe, travel, course)
    off = np.angle(np.exp(1j * (heading - ahead)))
    goal = float(np.clip(off / steering.horizon, -steering.limit, steering.limit))
    rows[now, turn] += np.linspace(course.correction, goal, now.stop - now.start + 1)[1:]
    here = where_it_ends(recipe, rows[now], start=course.start, resume=course.resume)
    return SteeringState(here, True, goal, along)


def _wanted(steering: Steering, recipe: Recipe, travel: Travel, course: SteeringState) -> tuple[float, float]:
    """Return the heading to take now, and the distance along the path."""
    if steering.path is None:
        return steering.heading, 0.0
    path, place, reach = np.asarray(steering.path), np.array(course.start.ground), travel.speed * steering.horizon
    along = nearest_on(path, place, course.along, course.along + WINDOW * reach)
    x, other = point_on(path, along + reach) - place
    return float(np.arctan2(x, _forward(recipe, other)) - travel.leaning), along


def from_the_first_point(steering: Steering, recipe: Recipe, travel: Travel) -> tuple[Steering, Start]:
    """Return the path relative to a body on its first point that faces along it, and where that body is."""
    if steering.path is None:
        return steering, Start()
    path = np.asarray(steering.path)
    seen = _forward(recipe, 1.0) * path[:, 1] + 1j * path[:, 0]
    x, other = point_on(path, travel.speed * steering.horizon) - path[0]
    heading = float(np.arctan2(x, _forward(recipe, other)) - travel.leaning)
    turned = (seen - seen[0]) * np.exp(-1j * heading)
    points = np.stack([turned.imag, _forward(recipe, 1.0) * turned.real], axis=1)
    if is_closed(path):
        points[-1] = points[0]
    return replace(steering, path=points), Start(ground=(float(path[0, 0]), float(path[0, 1])), heading=heading)


class Followed(NamedTuple):
    """How a path was followed, in its unit of length: distance covered, total, mean and largest distance from it."""

    along: float
    length: float
    mean_off: float
    most_off: float


def followed(steering: Steering, travel: Travel, places: Floats, frame_time: float) -> Followed:
    """Measure how positions (frames, 2) in the ground plane follow a path up to its end."""
    path = np.asarray(steering.path)
    length, along, off = float(arc_lengths(path)[-1]), 0.0, []
    stride = max(round(steering.horizon / 4.0 / frame_time), 1)
    ahead = WINDOW * max(travel.speed * steering.horizon, 1e-9)
    for place in places[::stride]:
        along = nearest_on(path, place, along, along + ahead)
        if along > length and not is_closed(path):
            break
        off.append(float(np.linalg.norm(point_on(path, along) - place)))
    return Followed(min(along, length) if not is_closed(path) else along, length, float(np.mean(off)), max(off))


def _forward(recipe: Recipe, other: float) -> float:
    """Return the second ground coordinate of a position as its component along heading 0."""
    return other if recipe.layout.up == "y" else -other  # type: ignore[union-attr]


def steered_blocks(
    model: VariationModel, rng: np.random.Generator, amount: float | Amount, rate: float, steer: Steering | None
) -> Iterator[Variant]:
    """Yield rows (frames, DOFs) and their phases, block by block; endless for a cyclic model."""
    blocks = _blocks(model, rng, amount, rate)
    return blocks if steer is None else _steered(model, steer, blocks)


def steered_rows(model: VariationModel, steer: Steering, variant: Variant) -> Floats:
    """Return rows of a variant whose turn rates keep a heading or follow a path."""
    return np.concatenate([block.rows for block in _steered(model, steer, iter([variant]))])


def _steered(model: VariationModel, steer: Steering, blocks: Iterator[Variant]) -> Iterator[Variant]:
    course, recipe, travel = SteeringState(Start()), model.material.recipe, model.travel
    assert recipe is not None
    for block in blocks:
        for first in range(0, len(block.rows), BLOCK):
            part = slice(first, first + BLOCK)
            rows, course = steered(steer, recipe, travel, block.rows[part], course)
            yield Variant(rows, block.phases[part], followed=block.followed)


def _blocks(model: VariationModel, rng: np.random.Generator, amount: float | Amount, rate: float) -> Iterator[Variant]:
    sampler = model.sampler(amount, rate=rate)
    if not model.cyclic:
        yield draw_variant(sampler, rng)
        return
    state = begin(rng)
    while True:
        state, rows = advance(state, sampler)
        assert state.phases is not None
        yield Variant(rows, state.phases, state.start)


@dataclass(frozen=True)
class LiveControl:
    """What may change while a stream runs: the amount of variation and a heading (radians, initially 0)."""

    amount: float | Amount = 1.0
    heading: float | None = None


def controlled_blocks(
    model: VariationModel, rng: np.random.Generator, control: Callable[[], LiveControl]
) -> Iterator[Variant]:
    """Yield blocks like `steered_blocks`, with `control` called before every block."""
    recipe, course = model.material.recipe, SteeringState(Start())
    turns = recipe is not None and "turn" in recipe.units
    for block in _changing_blocks(model, rng, control):
        heading, rows = control().heading, block.rows
        if not turns or len(rows) == 0:
            yield block
            continue
        assert recipe is not None
        if heading is None and abs(course.correction) <= LET_GO:
            course = course._replace(start=_after(model, rows, course.start, course.resume), resume=True)
        else:
            steer = Steering(limit=LET_GO) if heading is None else Steering(heading)
            rows, course = steered(steer, recipe, model.travel, rows, course)
        yield block._replace(rows=rows)


def _changing_blocks(
    model: VariationModel, rng: np.random.Generator, control: Callable[[], LiveControl]
) -> Iterator[Variant]:
    """Yield short blocks, so controls act soon; a new amount is reached over several blocks."""
    amount = control().amount
    if not model.cyclic:
        yield from _blocks(model, rng, amount, 1.0)
        return
    # controls act between blocks, so blocks are short: 0.05 s
    frames = max(1, round(0.05 / model.frame_time))
    sampler, state = model.sampler(amount), begin(rng)
    while True:
        target = _nearer(amount, control().amount)
        after, rows = advance(state, sampler, frames)
        if target != amount:
            # both amounts from the same state: random numbers depend only on the phase, so everything else is equal
            amount, sampler, before = target, model.sampler(target), rows
            after, rows = advance(state, sampler, frames)
            share = (np.arange(1, frames + 1) / frames)[:, None]
            rows = (1.0 - share) * before + share * rows
        state = after
        assert state.phases is not None
        yield Variant(rows, state.phases, state.start)


def _nearer(now: float | Amount, wanted: float | Amount) -> float | Amount:
    """Return an amount nearer to the requested one: a number changes stepwise, amounts of parts at once."""
    if isinstance(now, Amount) or isinstance(wanted, Amount):
        return wanted
    return wanted if abs(wanted - now) <= MOST_CHANGE else now + float(np.sign(wanted - now)) * MOST_CHANGE


def cut_from(
    model: VariationModel, blocks: Iterator[Variant], frames: int | None, last: float, first: float = 0.0
) -> Variant:
    """Return a stretch of an endless motion from the phase `first` on: `frames` of it, or up to the phase `last`."""
    recipe = model.material.recipe
    rows: list[Floats] = []
    phases: list[Floats] = []
    start, resume, count = None, False, 0
    for block in blocks:
        start = block.start if start is None else start
        begun = block.phases >= first
        if not begun.all() and recipe is not None:  # earlier frames are dropped, but move the body
            start, resume = where_it_ends(recipe, block.rows[~begun], start=start, resume=resume), True
        rows.append(block.rows[begun])
        phases.append(block.phases[begun])
        if frames is None and block.phases[-1] >= last:
            frames = count + 1 + int(np.argmax(phases[-1] >= last))
        count += len(rows[-1])
        if frames is not None and count >= frames:
            break
    return Variant(np.concatenate(rows)[:frames], np.concatenate(phases)[:frames], start or AT_ORIGIN)


def decoded_stream(model: VariationModel, blocks: Iterator[Variant], plant: bool | str) -> Iterator[Any]:
    """Yield one-frame motions, each placed where the previous one ended; with `plant`, standing feet are held still."""
    if plant and model.planting_model is not None:
        planter, clip = Planter.learn(model.planting_model, variant_settings(plant)), None
        state = planter.start()
        for clip, phases in _posed(model, blocks):
            # planting looks ahead, so frames are delayed by a constant number
            state, ready = planter.feed(state, clip.root, clip.rotations, model.standing(phases))
            yield from _frames(clip, ready)
        if clip is not None:
            yield from _frames(clip, planter.finish(state))
        return
    recipe = model.material.recipe
    if recipe is not None and recipe.motion_type is Clip:
        for posed_block in _posed(model, blocks):
            yield from posed_block.clip.single_frames()
        return
    rows = (block._replace(rows=row[None]) for block in blocks for row in block.rows)
    yield from (one.clip for one in _posed(model, rows))


def _frames(like: Clip, ready: StreamFrame) -> Iterator[Clip]:
    for root, rotations in zip(ready.root, ready.rotations, strict=True):
        yield like.changed(root=root[None], rotations=rotations[None])


class Posed(NamedTuple):
    """A block of frames and their phases (frames,)."""

    clip: Clip
    phases: Floats


def _posed(model: VariationModel, blocks: Iterator[Variant]) -> Iterator[Posed]:
    """Yield blocks as clips with their phases."""
    start, first = AT_ORIGIN, True
    for block in blocks:
        if len(block.rows):
            start = block.start if first else start
            yield Posed(model.decode(block.rows, start=start, resume=not first), block.phases)
            start, first = _after(model, block.rows, start, not first), False


def _after(model: VariationModel, rows: Floats, start: Start, resume: bool) -> Start:
    recipe = model.material.recipe
    return start if recipe is None else where_it_ends(recipe, rows, start=start, resume=resume)


def variant_settings(plant: bool | str) -> PlantSettings:
    """Return the planting settings of variants: hips stay at the drawn height.

    Sinking hips keep standing feet 2 % stiller, but shake when legs are straight.
    """
    return replace(settings_for(plant), sink=0.0)


def planted_at(
    model: VariationModel, clip: Clip, phases: Floats, plant: bool | str, pins: Sequence[Pin] = ()
) -> Planted:
    """Plant the feet of a clip where those of the takes stand at its phases (frames,), and reach pinned positions."""
    assert model.planting_model is not None
    stand, settings = model.standing(phases), variant_settings(plant)
    return plant_feet(clip, stand, pins=pins, examples=model.planting_model, settings=settings, careful=False)
