"""A live stream: rows of the source in, poses of the target style out, their feet planted where wanted (§4.5).

Clean-up of feet that slide: legs are turned so that feet stand, the body keeps its path (Hsu 2005, §4.5).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from freshtake.errors import UsageError
from freshtake.methods.live import LiveStream
from freshtake.motion.body.limbs import learn_limbs, limb_feet
from freshtake.motion.clip import Clip
from freshtake.motion.features import Recipe, Start, decode, where_it_ends
from freshtake.motion.planting import Planter, PlantingModel, PlantSettings, StreamFrame, settings_for
from freshtake.motion.planting import plant as plant_feet
from freshtake.numeric.arrays import Bools, Floats
from freshtake.style.footplants import Annotation
from freshtake.style.synthesize import Translator
from freshtake.style.translation_kernels import TranslationState

STEPS = 0.8  # leg lengths a second: legs and root are translated apart, so that feet which stand slide a good deal
FEWEST_POSES = 2
Live = Callable[[], Translator]  # the translator of the moment: its strength may change


def planted(clip: Clip, mask: Bools, floor: Floats, plant: bool | str = True) -> Clip:
    """The clip with feet that stand where the mask (frames, feet) says so, at the floor's heights (foot joints,)."""
    if not mask.any():
        return clip
    made = plant_feet(clip, mask.astype(np.float64), floor=floor, settings=settings_for(plant, STEPS), careful=True)
    return made.clip.changed(provenance=clip.provenance)


def stream_planter(recipe: Recipe, poses: Floats, floor: Floats) -> Planter:
    """A planter for streams of the target style, from some of its poses (rows) and the heights at which feet stand."""
    if len(poses) < FEWEST_POSES:
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
    return Planter.learn(base, PlantSettings(steps=STEPS))


def translated_rows(tool: Live, rows: Iterable[Floats]) -> Iterator[Floats]:
    """Rows of the target style, as they come."""
    state = tool().start()

    def made(row: Floats) -> Floats:
        nonlocal state
        state, out = tool().advance(state, row)
        return out.rows

    return LiveStream(rows, made, list)


def decoded_stream(recipe: Recipe, tool: Live, rows: Iterable[Floats]) -> Iterator[Clip]:
    """One-frame clips, placed one after the other; no lag."""
    place, state = _Place(recipe), tool().start()

    def made(row: Floats) -> list[Clip]:
        nonlocal state
        state, out = tool().advance(state, row)
        return [place.next(one) for one in out.rows]

    return LiveStream(rows, made, list)


def planted_stream(
    recipe: Recipe, tool: Live, rows: Iterable[Floats], feet: Sequence[Annotation], planter: Planter
) -> Iterator[Clip]:
    """The same with feet that stand where the classifiers say so; `planter.latency` frames late, none is lost."""
    feeder = _Feeder(recipe, tool, feet, planter)
    return LiveStream(rows, feeder.made, feeder.last)


class _Feeder:
    """Translator, place and planter of one stream, and what each has come to."""

    def __init__(self, recipe: Recipe, tool: Live, feet: Sequence[Annotation], planter: Planter) -> None:
        self.tool, self.feet, self.planter = tool, feet, planter
        self.place, self.state, self.held = _Place(recipe), tool().start(), planter.start()
        self.before: Bools | None = None
        self.pose: Clip | None = None

    def made(self, row: Floats) -> list[Clip]:
        """The planted frames that a row of the source yields."""
        tool = self.tool()
        row = tool.checked(row)[0]
        state = tool.begun(self.state, row)
        now = labels_now(tool, state, row, self.feet)
        self.state, made = tool.advance(state, row)
        out: list[Clip] = []
        for one, origin in zip(made.rows, made.origins, strict=True):
            self.pose = self.place.next(one)
            stands = now if self.before is None or round(float(origin)) >= 0 else self.before
            self.held, ready = self.planter.feed(self.held, self.pose.root, self.pose.rotations, stands)
            out += _clips(self.pose, ready)
        self.before = now
        return out

    def last(self) -> list[Clip]:
        """The frames that the planter still holds."""
        return [] if self.pose is None else list(_clips(self.pose, self.planter.finish(self.held)))


def labels_now(tool: Translator, state: TranslationState, row: Floats, annotations: Sequence[Annotation]) -> Bools:
    """(annotations,): what the classifiers say of a row, told from the state before it and from the row itself."""
    seen = tool.bank.features(state.systems, tool.inputs(state, row[None]))
    return np.array([bool(annotation.label(seen)[0]) for annotation in annotations])


class _Place:
    """Where the stream has come to."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe, self.start, self.resume = recipe, Start(), False

    def next(self, row: Floats) -> Clip:
        """The row as a clip of one frame that goes on from the one before."""
        pose = decode(self.recipe, row[None], start=self.start, resume=self.resume)
        assert isinstance(pose, Clip)
        self.start = where_it_ends(self.recipe, row[None], start=self.start, resume=self.resume)
        self.resume = True
        return pose


def _clips(like: Clip, ready: StreamFrame) -> Iterator[Clip]:
    for root, rotations in zip(ready.root, ready.rotations, strict=True):
        yield like.changed(root=root[None], rotations=rotations[None])
