"""Where a foot's points go: still in the ground plane while they stand, on the floor, and never below it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.motion.planting.channel import fresh_channel, run_channel
from freshtake.motion.planting.grip import smoothstep
from freshtake.motion.planting.settings import Pace, PlantSettings
from freshtake.numeric.arrays import Floats

HEEL = 0.25  # foot lengths by which the heel lies behind the ankle
LANDING = 0.006  # leg lengths above the floor in which a foot that comes down is slowed


class Paths(NamedTuple):
    """A foot over some frames: its points (frames, points, 3; ankle, then toe), grips (frames, points)."""

    points: Floats
    grips: Floats


class FootMemory(NamedTuple):
    """State of a foot's two channels: the offset of the foot, and that of its ankle against its toe."""

    whole: Floats
    ankle: Floats


class Ground(NamedTuple):
    """What a foot stands on: the vertical axis, heights of its points when they stand, the leg's length."""

    up: int
    floor: Floats
    leg: float

    @property
    def plane(self) -> list[int]:
        """The two horizontal axes."""
        return [axis for axis in range(3) if axis != self.up]


class Slides(NamedTuple):
    """What the channels take back (frames, 2) and how firmly (frames,), for the foot and for its ankle."""

    whole: Floats
    whole_grip: Floats
    ankle: Floats
    ankle_grip: Floats


def soles(points: Floats, ground: Ground) -> Floats:
    """(frames, points, 3): where heel and toe touch the floor, from ankle and toe (frames, points, 3).

    The heel lies below the ankle and a little behind it when the foot is flat, and turns with the foot's pitch. A foot
    without a toe touches the floor with its ankle.
    """
    if points.shape[1] == 1:
        return points
    foot = points[:, 1] - points[:, 0]
    flat = foot.copy()
    flat[:, ground.up] = 0.0
    run = np.linalg.norm(flat, axis=1)
    length = np.linalg.norm(foot, axis=1)
    below = max(float(ground.floor[0] - ground.floor[1]), 0.0)
    usual = np.arcsin(np.clip(below / np.maximum(length, 1e-12), -1.0, 1.0))
    turned = usual - np.arctan2(-foot[:, ground.up], run)  # above 0: toes up
    behind = HEEL * length
    cosine, sine = np.cos(turned), np.sin(turned)
    out = points.copy()
    out[:, 0] += flat * ((below * sine - behind * cosine) / np.maximum(run, 1e-12))[:, None]
    out[:, 0, ground.up] -= below * cosine + behind * sine
    return out


def sole_heights(points: Floats, ground: Ground) -> Floats:
    """(frames, points): heights of heel and toe over the floor."""
    level = ground.floor[-1] if points.shape[1] == 2 else ground.floor
    return np.asarray(soles(points, ground)[..., ground.up] - level)


def fresh_foot() -> FootMemory:
    """Before the first frame."""
    return FootMemory(fresh_channel(), fresh_channel())


def slides(paths: Paths, before: Floats, ground: Ground) -> Slides:
    """How far the foot would slide in each frame; `before` (points, 3) is where it was in the frame before these.

    The toe decides while it stands, else the heel; while both stand, the line from ankle to toe is held too.
    """
    points = np.concatenate([before[None], paths.points])
    steps = np.diff(soles(points, ground)[..., ground.plane], axis=0)
    ankle = paths.grips[:, 0]
    if paths.grips.shape[1] == 1:
        none = np.zeros_like(ankle)
        return Slides(ankle[:, None] * steps[:, 0], ankle, np.zeros((len(ankle), 2)), none)
    toe = paths.grips[:, 1]
    both = ankle * toe
    pivot = toe[:, None] * steps[:, 1] + ((1.0 - toe) * ankle)[:, None] * steps[:, 0]
    turned = np.diff((points[:, 0] - points[:, 1])[:, ground.plane], axis=0)
    return Slides(pivot, 1.0 - (1.0 - toe) * (1.0 - ankle), both[:, None] * turned, both)


def plan(
    memory: FootMemory, taken: Slides, begin: int, until: int, pace: Pace, leash: float
) -> tuple[FootMemory, Floats, Floats]:
    """Offsets (frames, 2) of the foot and of its ankle for frames begin ... until - 1, and the memory after them."""
    after = FootMemory(memory.whole.copy(), memory.ankle.copy())
    whole, ankle = np.empty((until - begin, 2)), np.empty((until - begin, 2))
    span = (begin, until, pace.lookahead, pace.approach, pace.release, leash)
    run_channel(after.whole, taken.whole, taken.whole_grip, *span, whole)
    run_channel(after.ankle, taken.ankle, taken.ankle_grip, *span, ankle)
    return after, whole, ankle


def foot_goals(paths: Paths, whole: Floats, ankle: Floats, lifts: Floats, ground: Ground) -> Floats:
    """Goals (frames, points, 3) from offsets and lifts; the distance between ankle and toe is kept."""
    goals = paths.points.copy()
    for point in range(goals.shape[1]):
        goals[:, point, ground.plane] += whole if point == 1 else whole + ankle
    goals[..., ground.up] += lifts
    return on_floor(goals, paths.points, ground)


def on_floor(goals: Floats, points: Floats, ground: Ground) -> Floats:
    """Goals lifted to the floor where they are below it, ankle and toe as far apart as the points are."""
    goals = goals.copy()
    goals[..., ground.up] = _above_floor(goals[..., ground.up], ground)
    if goals.shape[1] == 2:
        size = np.linalg.norm(points[:, 1] - points[:, 0], axis=1, keepdims=True)
        now = goals[:, 1] - goals[:, 0]
        goals[:, 0] = goals[:, 1] - now * size / np.maximum(np.linalg.norm(now, axis=1, keepdims=True), 1e-12)
    return goals


def lifts(paths: Paths, ground: Ground, settings: PlantSettings) -> Floats:
    """(frames, points): up or down to the floor for points that stand; the other point comes along.

    These begin and end with a contact; over which time the foot really changes its height is another question.
    """
    height = sole_heights(paths.points, ground) / ground.leg
    fade = 1.0 - smoothstep((height - 0.5 * settings.step) / (0.5 * settings.step))
    wanted = _soft_clip(height, settings.band) - height
    own = paths.grips * fade * wanted * ground.leg
    if own.shape[1] == 1:
        return own
    other = own[:, ::-1] * (1.0 - paths.grips)
    return np.asarray(own + other)


def _soft_clip(height: Floats, band: float) -> Floats:
    """Heights brought into 0 ... band; inside, hardly changed."""
    middle = 0.5 * band
    return np.asarray(middle + middle * np.tanh((height - middle) / middle))


def _above_floor(height: Floats, ground: Ground) -> Floats:
    """Heights (frames, points), none below the floor, with a level landing: (u + 1)²/4 near it."""
    soft = LANDING * ground.leg
    u = np.maximum((height - ground.floor) / soft, -1.0)
    return np.asarray(np.where(u >= 1.0, height, ground.floor + soft * 0.25 * (u + 1.0) ** 2))
