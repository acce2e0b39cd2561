"""A live stream: rows of the source in, poses of the target style out, their feet planted where wanted (§4.5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.clip import Clip
from freshtake.motion.features import Recipe, Start, decode, where_it_ends
from freshtake.motion.limbs import learn_limbs, limb_feet
from freshtake.motion.planting import Groundwork, Planter, PlantSettings, StreamFrame
from freshtake.numeric.arrays import Bools, Floats
from freshtake.style.footplants import Annotation
from freshtake.style.standing import STEPS
from freshtake.style.translator import TranslationState, Translator

FEWEST_POSES = 2


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
    base = Groundwork(clip.skeleton, clip.frame_time, clip.up, limbs, floor)
    return Planter.learn(base, PlantSettings(steps=STEPS))


def translated_rows(tool: Translator, rows: Iterable[Floats]) -> Iterator[Floats]:
    """Rows of the target style, as they come."""
    state = tool.start()
    for row in rows:
        state, made = tool.advance(state, row)
        yield from made.rows


def decoded_stream(recipe: Recipe, tool: Translator, rows: Iterable[Floats]) -> Iterator[Clip]:
    """One-frame clips, placed one after the other; no lag."""
    place = _Place(recipe)
    for out in translated_rows(tool, rows):
        yield place.next(out)


def planted_stream(
    recipe: Recipe, tool: Translator, rows: Iterable[Floats], feet: Sequence[Annotation], planter: Planter
) -> Iterator[Clip]:
    """The same with feet that stand where the classifiers say so; `planter.latency` frames late, none is lost."""
    place, state, held = _Place(recipe), tool.start(), planter.start()
    before: Bools | None = None
    pose = None
    for row in rows:
        state = tool.begun(state, row)
        now = labels_now(tool, state, row, feet)
        state, made = tool.advance(state, row)
        for out, origin in zip(made.rows, made.origins, strict=True):
            pose = place.next(out)
            stands = now if before is None or round(float(origin)) >= 0 else before
            held, ready = planter.feed(held, pose.root, pose.rotations, stands)
            yield from _clips(pose, ready)
        before = now
    if pose is not None:
        yield from _clips(pose, planter.finish(held))


def labels_now(tool: Translator, state: TranslationState, row: Floats, annotations: Sequence[Annotation]) -> Bools:
    """(annotations,): what the classifiers say of a row, told from the state before it and from the row itself."""
    seen = tool.bank.features(state.systems, tool.source.down(row)[None])
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
