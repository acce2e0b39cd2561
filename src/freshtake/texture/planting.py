"""Plant the feet of played motion while they are planted in the takes, across jumps and the seams of loops."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from freshtake.motion import Clip
from freshtake.motion.clip import Playback
from freshtake.motion.cycles.looping import closed, facing_forward
from freshtake.motion.planting import Planter, PlantingModel, learn_planting, plant, settings_for
from freshtake.numeric.arrays import Floats
from freshtake.texture.transitions import Played


class Standing(NamedTuple):
    """The takes' planting model, and the planted foot joints in each of their frames (frames, foot joints), 0 or 1."""

    base: PlantingModel
    contacts: Floats


def standing_of(takes: list[Clip]) -> Standing | None:
    """Learn from takes, given as clips, when feet are planted; None if they never are."""
    base = learn_planting(takes)
    if not base.feet:
        return None
    contacts = np.concatenate([base.example_contacts(take) for take in takes])
    return Standing(base, contacts) if contacts.any() else None


def shown_contacts(standing: Standing, played: Played) -> Floats:
    """Return the contacts (frames, foot joints), 0 to 1, in the frames shown; inserted frames are mixed."""
    share = (played.step / (played.length + 1.0))[:, None]
    before, after = standing.contacts[played.source], standing.contacts[np.maximum(played.target, 0)]
    return np.asarray(np.where(played.step[:, None] > 0, (1.0 - share) * before + share * after, before))


def planted(clip: Clip, contacts: Floats, standing: Standing, lock: bool | str) -> Clip:
    """Keep the clip's feet in place at these contacts; since contacts are given, runs can be planted, too."""
    return plant(clip, contacts, examples=standing.base, settings=settings_for(lock), careful=False).clip


def planted_stream(blocks: Iterator[tuple[Clip, Played]], standing: Standing, lock: bool | str) -> Iterator[Clip]:
    """Yield one-frame clips with planted feet, delayed by a constant number of frames (`Planter.latency`)."""
    planter: Planter | None = None
    for clip, played in blocks:
        if planter is None:
            planter = Planter(standing.base, settings_for(lock), clip.frame_time, careful=False)
            state = planter.start()
        state, ready = planter.feed(state, clip.root, clip.rotations, shown_contacts(standing, played))
        if len(ready.root):
            yield from clip.changed(root=ready.root, rotations=ready.rotations).single_frames()


def cut_loop(clip: Clip, before: int, frames: int, info: Playback | None) -> Clip:
    """Cut a loop out of its endless playback; if it is straight or returns, close it exactly."""
    if info is not None:
        loop = closed(clip, before, before + frames, cycles=info.cycles, speeds=False)
        assert loop.playback is not None  # it contains the travel in this clip's axes
        return facing_forward(loop.changed(playback=loop.playback.changed(turn=info.turn)))
    return clip.picked(slice(before, before + frames)).changed(channels=None)
