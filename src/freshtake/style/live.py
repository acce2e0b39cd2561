"""A live stream: rows of the source in, poses of the target style out, with feet planted if requested (§4.5).

Sliding feet are cleaned up: legs are turned so that feet stay in place, the body keeps its path (Hsu 2005, §4.5).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

import numpy as np

from freshtake.errors import UsageError
from freshtake.methods.live import LiveStream
from freshtake.motion.body.limbs import learn_limbs, limb_feet
from freshtake.motion.body.roles import leg_length
from freshtake.motion.clip import Clip
from freshtake.motion.features import Recipe, decode
from freshtake.motion.features.clip_features import Pose
from freshtake.motion.features.pose_stream import PoseStream
from freshtake.motion.planting import Planter, PlantingModel, PlantSettings, settings_for
from freshtake.motion.planting import plant as plant_feet
from freshtake.numeric.arrays import Bools, Floats
from freshtake.style.columns import Normal, root_columns
from freshtake.style.synthesize import Stands, Translated, Translator
from freshtake.style.translation_kernels import TranslationState

STEPS = 0.8  # leg lengths a second: legs and root are translated separately, so that standing feet slide noticeably
HOLD, DRIFT = 0.025, 10.0  # seconds; firmer than for recorded feet: translated walks slide 0.91 of real ones


class Source(Protocol):
    """A source of a stream's rows: one style, or several that are mixed."""

    def start(self) -> Any:
        """Return the state before the first row."""

    def advance(self, state: Any, rows: Floats) -> tuple[Any, Translated]:
        """Translate a row (DOFs,) or a block (rows, DOFs); rows that are refused leave the state unchanged."""

    def advance_seen(self, state: Any, rows: Floats) -> tuple[Any, Translated, Bools]:
        """Advance, and also return whether feet stand in the rows (rows, feet)."""


Made = TypeVar("Made")
Live = Callable[[], Source]  # returns the current source: its strength may change


@dataclass(frozen=True, eq=False)
class LiveStyle:
    """A source of one style."""

    tool: Translator
    stands: Stands  # of the feet

    def with_strength(self, strength: float) -> LiveStyle:
        """Return this style with another strength for all parts of the body."""
        return LiveStyle(self.tool.with_strength(np.full(len(self.tool.frames.strength), strength)), self.stands)

    def start(self) -> TranslationState:
        """Return the state before the first row."""
        return self.tool.start()

    def advance(self, state: TranslationState, rows: Floats) -> tuple[TranslationState, Translated]:
        """Advance as `Translator.advance` does."""
        return self.tool.advance(state, rows)

    def advance_seen(self, state: TranslationState, rows: Floats) -> tuple[TranslationState, Translated, Bools]:
        """Advance as `Translator.advance_seen` does, with the classifiers of the feet."""
        return self.tool.advance_seen(state, rows, self.stands)


def latest(ask: Callable[[], Any], make: Callable[[Any], Made]) -> Callable[[], Made]:
    """Return a function of the current answer of `ask`, such as a slider; `make` is called when it has changed."""
    before: Any = None
    made: Made | None = None

    def now() -> Made:
        nonlocal before, made
        answer = ask()
        if made is None or type(answer) is not type(before) or not np.array_equal(answer, before):
            made, before = make(answer), deepcopy(answer)
        return made

    return now


def resting(recipe: Recipe, target: Normal) -> float:
    """Return how slow a foot must be to count as standing against the classifier, as a share of the usual limits.

    The limits are those of walks at one leg length a second. Feet of a slower style step more slowly; where the
    style does not travel the limits are as usual.
    """
    assert recipe.skeleton is not None
    k = root_columns(recipe)[0]
    speed = abs(target.mean[k]) / leg_length(recipe.skeleton)
    return min(speed, 1.0) if abs(target.mean[k]) > target.deviation[k] else 1.0


def planted(clip: Clip, mask: Bools, floor: Floats, rests: float, plant: bool | str = True) -> Clip:
    """Plant a clip's feet where the mask (frames, feet) says so, at the floor's heights (foot joints,)."""
    settings = replace(settings_for(plant), steps=STEPS, hold=HOLD, drift=DRIFT, rests=rests)
    result = plant_feet(clip, mask.astype(np.float64), floor=floor, settings=settings, careful=True)
    return result.clip.changed(provenance=clip.provenance)


def stream_planter(recipe: Recipe, poses: Floats, floor: Floats, rests: float) -> Planter:
    """Make a planter for streams of the target style from some of its poses (rows) and the heights where feet stand."""
    if len(poses) < 2:
        raise UsageError("the model knows no poses of the target style, which planting a stream needs: learn it again")
    clip = decode(recipe, poses)
    assert isinstance(clip, Clip)
    limbs = learn_limbs([clip])
    joints = sum(len(foot.joints) for foot in limb_feet(limbs, clip.skeleton))
    if joints != len(floor):
        raise UsageError(
            f"legs with {joints} foot joints were found, but the model knows {len(floor)}: stream unplanted"
        )
    base = PlantingModel(clip.skeleton, clip.frame_time, clip.up, limbs, floor)
    return Planter.learn(base, PlantSettings(steps=STEPS, hold=HOLD, drift=DRIFT, rests=rests))


def translated_rows(live: Live, rows: Iterable[Floats]) -> Iterator[Floats]:
    """Yield rows of the target style as they are translated."""
    state = live().start()

    def made(block: Floats) -> Floats:
        nonlocal state
        state, out = live().advance(state, block)
        return out.rows

    return LiveStream(rows, made, list)


def decoded_stream(recipe: Recipe, live: Live, rows: Iterable[Floats]) -> Iterator[Clip]:
    """Yield one-frame clips, placed one after the other; no lag."""
    poses, state = PoseStream(recipe), live().start()

    def made(block: Floats) -> Iterable[Clip]:
        nonlocal state
        state, out = live().advance(state, block)
        return poses.clips(poses.next(out.rows)) if len(out.rows) else ()

    return LiveStream(rows, made, list)


def planted_stream(recipe: Recipe, live: Live, rows: Iterable[Floats], planter: Planter) -> Iterator[Clip]:
    """Yield the same clips with planted feet, `planter.latency` frames late; no frame is lost."""
    feeder = _Feeder(recipe, live, planter)
    return LiveStream(rows, feeder.made, feeder.last)


class _Feeder:
    """Source, poses and planter of one stream, with their states."""

    def __init__(self, recipe: Recipe, live: Live, planter: Planter) -> None:
        self.live, self.state = live, live().start()
        self.poses, self.planter, self.planted = PoseStream(recipe), planter, planter.start()
        self.before: Bools | None = None
        self.moved: Floats | None = None  # translations of joints, where there are any, of poses not yet planted

    def made(self, rows: Floats) -> Iterable[Clip]:
        """Return the planted frames that a row of the source, or a block of rows, yields."""
        self.state, made, now = self.live().advance_seen(self.state, rows)
        if not len(now):
            return ()
        labels = np.concatenate([now[:1] if self.before is None else self.before, now])
        self.before = now[-1:]
        if not len(made.rows):
            return ()
        stands = labels[1 + np.rint(made.origins).astype(np.intp)]  # -1: the row before this block
        pose = self.poses.next(made.rows)
        if pose.translations is not None:
            waiting = pose.translations[:0] if self.moved is None else self.moved
            self.moved = np.concatenate([waiting, pose.translations])
        self.planted, out = self.planter.feed(self.planted, pose.root, pose.rotations, stands)
        return self._clips(*out)

    def last(self) -> Iterable[Clip]:
        """Return the frames that the planter still holds."""
        return () if self.before is None else self._clips(*self.planter.finish(self.planted))

    def _clips(self, root: Floats, rotations: Floats) -> Iterable[Clip]:
        moved = self.moved
        if moved is not None:
            moved, self.moved = moved[: len(root)].copy(), moved[len(root) :]
            moved[:, 0] = root
        return self.poses.clips(Pose(root, rotations, moved))
