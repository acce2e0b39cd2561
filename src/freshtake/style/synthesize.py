"""Translate rows with an explicit state: each input frame yields as many output frames as the time warp requires.

Streams are translated in the same way, row by row. Sliding feet are cleaned up: legs are rotated so that feet stay in
place, and the path of the body does not change (Hsu 2005, §4.5).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from freshtake.errors import UsageError
from freshtake.methods.live import LiveStream
from freshtake.motion.body.limbs import learn_limbs, limb_feet
from freshtake.motion.body.roles import leg_length
from freshtake.motion.clip import Clip
from freshtake.motion.features import Recipe, decode
from freshtake.motion.features.clip_features import Pose
from freshtake.motion.features.coding import checked_rows
from freshtake.motion.features.pose_stream import PoseStream
from freshtake.motion.planting import Planter, PlantingModel, PlantSettings, settings_for
from freshtake.motion.planting import plant as plant_feet
from freshtake.numeric.arrays import Bools, Floats
from freshtake.style.body_coding import PLAIN, Coding, coded
from freshtake.style.columns import FORWARD, RATES, Normal
from freshtake.style.footplants import Annotation
from freshtake.style.systems.banks import Bank, settled
from freshtake.style.translation_kernels import (
    PART_STATE,
    STARTED,
    STEEPEST,
    WALK,
    Frames,
    Readings,
    TranslationState,
    Written,
    driving,
    normalized,
    styled,
    translate,
)
from freshtake.style.warping.warps import read_rows

STEPS = 0.8  # leg lengths per second: legs and root are translated separately, so planted feet slide noticeably
HOLD, DRIFT = 0.025, 10.0  # seconds; firmer than for recordings: translated walks slide 0.91 times as much as real ones
UNBOUNDED = np.array([[-np.inf] * 3, [np.inf] * 3])  # limits of the root's rates


class Translated(NamedTuple):
    """The rows of the target style, and readings of the source rows."""

    rows: Floats  # (frames, DOFs)
    origins: Floats  # (frames,): the source frame of each row
    blends: Floats  # (source rows, parts): the weight of the input, by body part
    contacts: Bools  # (source rows, feet)


class Classifiers(NamedTuple):
    """The classifiers of rows: directions (annotations, features) and boundaries (annotations,)."""

    directions: Floats
    boundaries: Floats


NOTHING = Classifiers(np.zeros((0, 0)), np.zeros(0))


def classifiers_of(annotations: Sequence[Annotation]) -> Classifiers:
    """Pack these annotations in order."""
    if not annotations:
        return NOTHING
    directions = np.stack([each.direction for each in annotations])
    return Classifiers(directions, np.array([each.boundary for each in annotations]))


@dataclass(frozen=True, eq=False)
class Translator:
    """A bank of systems with everything that translation needs, packed for the kernels."""

    bank: Bank
    frames: Frames
    names: tuple[str, ...]  # names of the DOFs
    coding: Coding = PLAIN
    classifiers: Classifiers = NOTHING  # classifiers of the feet

    @property
    def width(self) -> int:
        """The number of DOFs of the source."""
        return len(self.names)

    def checked(self, rows: Floats) -> Floats:
        """Return rows as (frames, DOFs); raise if their width differs or they are not finite."""
        return checked_rows(rows, self.names)

    def start(self, past: Floats | None = None) -> TranslationState:
        """Return the state before the first frame, after `past` (frames, DOFs); without it, repeat the first pose."""
        systems, calm = self.bank.start(), np.zeros((2, self.width))
        if past is not None and len(past):
            past = coded(self.checked(past), self.coding)
            calm[:] = past[0]
            systems = self.bank.run(systems, driving(normalized(past, calm, self.frames), self.frames))[0]
        part_state = np.zeros((len(self.frames.strength), PART_STATE))
        return TranslationState(systems, np.zeros(WALK), np.zeros(self.width), part_state, calm, past is not None)

    def with_strength(self, strength: float | Floats) -> Translator:
        """Return a translator with other strengths, one or (parts,); a stream continued with it adapts smoothly."""
        return replace(self, frames=self.frames._replace(strength=np.full(len(self.frames.strength), strength)))

    def coded_outputs(self, state: TranslationState, rows: Floats) -> tuple[TranslationState, Floats, Bools]:
        """Return the style in the source's timing and the contacts (frames, feet), for rows (frames, DOFs).

        The style (frames, DOFs + 1) is coded; it has sway instead of the turn rate, and log w in the last column.
        """
        after, readings = self._prepared(state, rows)
        _, out = styled(after, rows, self.bank.packed, self.frames, self.coding, readings)
        after.walk[STARTED] = 1.0
        return after, out, readings.values > self.classifiers.boundaries

    def inputs(self, state: TranslationState, rows: Floats) -> Floats:
        """Return the inputs of the systems (frames, DOFs) for rows that follow a state."""
        inputs: Floats = driving(normalized(coded(rows, self.coding), state.calm.copy(), self.frames), self.frames)
        return inputs

    def advance(self, state: TranslationState, rows: Floats) -> tuple[TranslationState, Translated]:
        """Translate rows (frames, DOFs), or a single one (DOFs,); refused rows leave the state unchanged."""
        rows = self.checked(rows)
        after, readings = self._prepared(state, rows)
        most = 1 + int(STEEPEST + 1.0) * len(rows)
        out = Written(np.empty((most, self.width)), np.empty(most))
        count = translate(after, rows, self.bank.packed, self.frames, self.coding, readings, out)
        contacts = readings.values > self.classifiers.boundaries
        return after, Translated(out.rows[:count], out.origins[:count], readings.blends, contacts)

    def _prepared(self, state: TranslationState, rows: Floats) -> tuple[TranslationState, Readings]:
        """Return a copy of the state for a kernel to change, and arrays for its readings of the rows."""
        if not state.started and len(rows):
            # A new state settles on the first row.
            row = coded(rows[:1], self.coding)[0]
            normal = (row - self.frames.source_mean) / self.frames.source_deviation
            systems = settled(self.bank, driving(normal[None], self.frames)[0])
            state = state._replace(systems=systems, calm=np.stack([row, row]), started=True)
        systems, walk, pose, part_state, calm, started = state
        after = TranslationState(systems.copy(), walk.copy(), pose.copy(), part_state.copy(), calm.copy(), started)
        feet = len(self.classifiers.boundaries)
        values = np.empty((len(rows) if feet else 0, feet))
        return after, Readings(np.empty((len(rows), len(part_state))), self.classifiers.directions, values)


def with_tempo(translated: Translated, tempo: float) -> Translated:
    """Return a translation that is `tempo` times as fast."""
    if tempo == 1.0 or len(translated.rows) < 2:
        return translated
    places: Floats = np.arange(int((len(translated.rows) - 1) / tempo) + 1, dtype=np.float64) * tempo
    rows = read_rows(translated.rows, places)
    rows[:, :RATES] *= tempo
    origins = np.interp(places, np.arange(len(translated.rows)), translated.origins)
    return translated._replace(rows=rows, origins=origins)


class Source(Protocol):
    """A source of a stream's rows: one style, or a mixture."""

    def start(self) -> Any:
        """Return the state before the first row."""

    def advance(self, state: Any, rows: Floats) -> tuple[Any, Translated]:
        """Translate a row (DOFs,) or a block (rows, DOFs); refused rows leave the state unchanged."""


Result = TypeVar("Result")
Live = Callable[[], Source]  # returns the current source: its strength may change


def latest(given: Any, make: Callable[[Any], Result]) -> Callable[[], Result]:
    """Return a function that applies `make` to a value, or to the current result of a function such as a slider.

    `make` is called again only if that result has changed.
    """
    if not callable(given):
        fixed = make(given)
        return lambda: fixed
    before: Any = None
    result: Result | None = None

    def now() -> Result:
        nonlocal before, result
        answer = given()
        if result is None or type(answer) is not type(before) or not np.array_equal(answer, before):
            # A copy, because a slider may change a dictionary or an array in place.
            result, before = make(answer), deepcopy(answer)
        return result

    return now


def resting(recipe: Recipe, target: Normal) -> float:
    """Return the speed limit below which feet are planted even if classified otherwise, relative to the usual limits.

    The usual limits are for walks at one leg length per second. The feet of a slower style step more slowly; a
    style that does not travel has the usual limits.
    """
    assert recipe.skeleton is not None
    speed = abs(target.mean[FORWARD])
    return min(speed / leg_length(recipe.skeleton), 1.0) if speed > target.deviation[FORWARD] else 1.0


def planted(clip: Clip, mask: Bools, floor: Floats, rests: float, plant: bool | str = True) -> Clip:
    """Plant a clip's feet where the mask (frames, feet) is true, at the heights `floor` (foot joints,)."""
    settings = replace(settings_for(plant), steps=STEPS, hold=HOLD, drift=DRIFT, rests=rests)
    result = plant_feet(clip, mask.astype(np.float64), floor=floor, settings=settings, careful=True)
    return result.clip.changed(provenance=clip.provenance)


def stream_planter(recipe: Recipe, poses: Floats, floor: Floats, rests: float) -> Planter:
    """Make a planter for streams of the target style from some of its poses (rows) and the heights of planted feet."""
    if len(poses) < 2:
        raise UsageError("the model contains no poses of the target style, which planting a stream needs: relearn it")
    clip = decode(recipe, poses)
    assert isinstance(clip, Clip)
    limbs = learn_limbs([clip])
    joints = sum(len(foot.joints) for foot in limb_feet(limbs, clip.skeleton))
    if joints != len(floor):
        raise UsageError(f"legs with {joints} foot joints were found, but the model has {len(floor)}: stream unplanted")
    base = PlantingModel(clip.skeleton, clip.frame_time, clip.up, limbs, floor)
    return Planter.learn(base, PlantSettings(steps=STEPS, hold=HOLD, drift=DRIFT, rests=rests))


def streamed(
    recipe: Recipe, live: Live, rows: Iterable[Floats], *, decode: bool, planter: Callable[[], Planter] | None
) -> Iterator[Any]:
    """Yield rows of the target style while translating, or one-frame clips, each placed after the previous one.

    With a `planter`, clips have planted feet and are `planter.latency` frames late, but no frame is lost.
    """
    if planter is not None:
        feeder = _Feeder(recipe, live, planter())
        return LiveStream(rows, feeder.feed, feeder.last)
    poses, state = PoseStream(recipe), live().start()

    def feed(block: Floats) -> Iterable[Any]:
        nonlocal state
        state, out = live().advance(state, block)
        if not decode:
            return out.rows
        return poses.clips(poses.next(out.rows)) if len(out.rows) else ()

    return LiveStream(rows, feed, list)


class _Feeder:
    """The source, poses and planter of one stream, and their states."""

    def __init__(self, recipe: Recipe, live: Live, planter: Planter) -> None:
        self.live, self.state = live, live().start()
        self.poses, self.planter, self.planted = PoseStream(recipe), planter, planter.start()
        self.before: Bools | None = None
        self.moved: Floats | None = None  # translations of joints, if there are any, of poses not yet planted

    def feed(self, rows: Floats) -> Iterable[Clip]:
        """Return the planted frames for a row, or a block of rows, of the source."""
        self.state, translated = self.live().advance(self.state, rows)
        now = translated.contacts
        if not len(now):
            return ()
        labels = np.concatenate([now[:1] if self.before is None else self.before, now])
        self.before = now[-1:]
        if not len(translated.rows):
            return ()
        contacts = labels[1 + np.rint(translated.origins).astype(np.intp)]  # -1: the last row of the previous block
        pose = self.poses.next(translated.rows)
        if pose.translations is not None:
            waiting = pose.translations[:0] if self.moved is None else self.moved
            self.moved = np.concatenate([waiting, pose.translations])
        self.planted, out = self.planter.feed(self.planted, pose.root, pose.rotations, contacts)
        return self._clips(*out)

    def last(self) -> Iterable[Clip]:
        """Return the frames that the planter has not returned yet."""
        return () if self.before is None else self._clips(*self.planter.finish(self.planted))

    def _clips(self, root: Floats, rotations: Floats) -> Iterable[Clip]:
        moved = self.moved
        if moved is not None:
            moved, self.moved = moved[: len(root)].copy(), moved[len(root) :]
            moved[:, 0] = root
        return self.poses.clips(Pose(root, rotations, moved))
