"""Which feet stand at which phase, as the examples have it; and a stream of poses with planted feet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from freshtake.motion import Clip
from freshtake.motion.body import Foot
from freshtake.motion.contacts import joint_contacts
from freshtake.motion.planting import Groundwork, Planter, StreamFrame
from freshtake.numeric.arrays import Floats


def standing_phases(examples: Sequence[Clip], places: Floats, feet: Sequence[Foot]) -> Floats:
    """(phases, foot joints), 0 to 1: the share of the examples in which that joint stands at that phase."""
    found = [joint_contacts(clip, standing=feet).astype(np.float64) for clip in examples]
    return np.asarray(np.mean([read_linear(flags, places[:, k]) for k, flags in enumerate(found)], axis=0))


def standing_at(shares: Floats, phases: Floats, cyclic: bool) -> Floats:
    """The same at any phases (frames,): what holds for most examples."""
    last = len(shares) - 1.0
    return read_linear(shares, np.mod(phases, last) if cyclic else np.clip(phases, 0.0, last))


def read_linear(rows: Floats, places: Floats) -> Floats:
    """Rows between frames, on straight lines."""
    low = np.minimum(places.astype(np.intp), max(len(rows) - 2, 0))
    t = (places - low)[:, None]
    return np.asarray((1.0 - t) * rows[low] + t * rows[np.minimum(low + 1, len(rows) - 1)])


class Posed(NamedTuple):
    """A block of frames, and which feet stand in them (frames, foot joints)."""

    clip: Clip
    standing: Floats


def planted_stream(blocks: Iterator[Posed], groundwork: Groundwork) -> Iterator[Clip]:
    """Single frames with planted feet, a constant number of frames late."""
    planter = Planter.learn(groundwork)
    state = planter.start()
    clip = None
    for clip, standing in blocks:
        state, ready = planter.feed(state, clip.root, clip.rotations, standing)
        yield from _frames(clip, ready)
    if clip is not None:
        yield from _frames(clip, planter.finish(state))


def _frames(like: Clip, ready: StreamFrame) -> Iterator[Clip]:
    for root, rotations in zip(ready.root, ready.rotations, strict=True):
        yield like.changed(root=root[None], rotations=rotations[None])
