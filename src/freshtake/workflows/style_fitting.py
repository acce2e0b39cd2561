"""A clip of another frame rate or skeleton for a style model, and its translation back as the clip was."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from freshtake.methods.gathering import fitted
from freshtake.motion import Clip
from freshtake.motion.edit import resample
from freshtake.motion.features import decode
from freshtake.motion.retarget import Retargeter, make_rig
from freshtake.motion.skeleton import compatible
from freshtake.motion.validation import same_rate
from freshtake.style.model import StyleModel
from freshtake.workflows.characters import retargeting_sentence

Say = Callable[[str], None]


class FittedClip(NamedTuple):
    """A clip as the model takes it, and what brings a clip of the model back to the rate and skeleton of the taken."""

    clip: Clip
    back: Callable[[Clip], Clip]


def fitted_clip(taken: Clip, model: StyleModel, say: Say) -> FittedClip:
    """The clip at the model's rate and on its skeleton; what was done is said."""
    fps, name = 1.0 / model.frame_time, taken.name or "the clip"
    at_rate = taken
    if not same_rate(taken.frame_time, model.frame_time):
        at_rate = resample(taken, fps)
        say(f"{name} has {taken.fps:g} fps and the model {fps:g}: resampled, and the result resampled back")
    clip = fitted(at_rate, model.recipe)
    assert isinstance(clip, Clip)
    ours = model.recipe.skeleton
    if ours is None or compatible(ours, clip.skeleton) or len(model.poses) == 0:
        return FittedClip(clip, lambda out: _at_rate(out, taken))
    body = decode(model.recipe, model.poses, name="the model's skeleton")
    assert isinstance(body, Clip)
    rigs = make_rig(at_rate, who=name), make_rig(body, who="the model's skeleton")
    there, back = Retargeter(*rigs), Retargeter(*rigs[::-1])
    say(f"{retargeting_sentence(there, 'the skeleton of the model')}; the result is put back onto its own")
    return FittedClip(there.retarget(at_rate), lambda out: _at_rate(back.retarget(out), taken))


def _at_rate(clip: Clip, taken: Clip) -> Clip:
    return clip if same_rate(clip.frame_time, taken.frame_time) else resample(clip, taken.fps)
