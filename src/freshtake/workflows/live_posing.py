"""The endless motion of any model as poses of a humanoid, at any speed: between two frames a pose is interpolated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from freshtake.errors import FormatError
from freshtake.formats.clip_sets import in_metres
from freshtake.formats.ftm import Stored
from freshtake.formats.humanoid import humanoid_of
from freshtake.formats.read_options import WriteOptions
from freshtake.motion import Clip, Skeleton
from freshtake.motion.body.rooting import as_filed
from freshtake.motion.verdict import judge, require_possible
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import slerp
from freshtake.workflows.live_steering import Steers
from freshtake.workflows.live_streams import OWN_MOTION, STREAMS

LOOKED_AT = 90  # first frames, in which the rest pose of a body is looked for and which are judged before any is sent


class Pose(NamedTuple):
    """Where the hips are (3,), in metres and y up, and how bones are turned (bones, 4) against those above them."""

    hips: Floats
    turns: Floats


class HumanoidPoses:
    """Poses of a model's stream on a humanoid skeleton."""

    def __init__(
        self,
        source: Path,
        stored: Stored,
        steers: Steers,
        *,
        unit_m: float | None,
        plant: bool | str,
        seed: int,
        warn: Callable[[str], None],
        keep_going: bool = False,
    ) -> None:
        first = joined(list(islice(_frames(source, stored, replace(steers), plant, seed), LOOKED_AT)))
        standard = stored.model.standard if stored.method == "variation" else None
        if standard is not None:
            verdict = judge(first, standard, amount=steers.amount, name=source.name)
            require_possible([verdict], keep_going, warn)
        trial = as_filed(first)
        upright = in_metres(source, trial, WriteOptions(unit_m=unit_m, warn=warn), "VMC")
        self._options = WriteOptions(unit_m=_unit(trial, upright), warn=warn)
        self._source, self._humanoid = source, humanoid_of(upright)
        self._frames = _frames(source, stored, steers, plant, seed)
        self.frame_time: float = stored.model.frame_time
        self._at, self._pair = 0.0, (self._pose(), self._pose())

    @property
    def skeleton(self) -> Skeleton:
        """The humanoid's."""
        return self._humanoid.skeleton

    def now(self) -> Pose:
        """Between the two frames at hand."""
        first, second = self._pair
        hips = (1.0 - self._at) * first.hips + self._at * second.hips
        return Pose(hips, slerp(first.turns, second.turns, self._at))

    def advance(self, seconds: float) -> None:
        """Move on."""
        self._at += seconds / self.frame_time
        while self._at >= 1.0:
            self._pair = self._pair[1], self._pose()
            self._at -= 1.0

    def _pose(self) -> Pose:
        clip = self._humanoid.put(in_metres(self._source, as_filed(next(self._frames)), self._options, "VMC"))
        return Pose(clip.root[0], clip.rotations[0])


def _unit(clip: Clip, metres: Clip) -> float:
    """Metres per unit of a clip, given the same clip in metres."""
    lengths = clip.skeleton.lengths().max(), metres.skeleton.lengths().max()
    return float(lengths[1] / lengths[0])


def joined(frames: list[Clip]) -> Clip:
    """Clips of one frame as one clip."""
    return frames[0].changed(
        root=np.concatenate([clip.root for clip in frames]),
        rotations=np.concatenate([clip.rotations for clip in frames]),
    )


def _frames(source: Path, stored: Stored, steers: Steers, plant: bool | str, seed: int) -> Iterator[Clip]:
    """One-frame clips without end, made with the current values of `steers`."""
    if stored.method not in OWN_MOTION:
        known = ", ".join(OWN_MOTION)
        raise FormatError(source, f"a {stored.method} model has no motion of its own to send: give one of {known}")
    for clip in STREAMS[stored.method](stored.model, steers, plant, np.random.default_rng(seed)):
        if not isinstance(clip, Clip):
            raise FormatError(source, "only motion of a body with a skeleton can be sent to avatars")
        yield clip
