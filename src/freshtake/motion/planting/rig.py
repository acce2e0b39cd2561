"""Settings of planting, and the body, the settings and the frames as the plain arrays that compiled functions take.

Times are in seconds and lengths in leg lengths, with defaults measured on recorded takes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.body.limbs import Limb
from freshtake.motion.planting.contacts import SYNTHESIZED, ContactSettings
from freshtake.motion.skeleton import Skeleton
from freshtake.numeric.arrays import Floats, Ints

LOCKS = ("soft", "hard")
LINKS = 2  # per joint at most


@dataclass(frozen=True)
class PlantSettings:
    """`lock` soft lets standing feet keep the small movement of real ones; hard holds them still.

    Every foot gets a smooth offset that looks `lookahead` seconds ahead: while the foot stands it follows what would
    hold it within about `hold` (hard: `hard_hold`), in the air it returns to zero within about `swing`. Contacts
    take hold and let go over `ramp`. The place of a contact follows the foot's slow drift over `drift` and, beyond
    `drift_radius`, faster. Soles stand between their least height and `band` above it; what stands more than `step`
    above the floor stands on something else and keeps its height. Where a leg would stretch farther than in the
    examples, the hips sink, by `sink` at most. A foot that moves faster than `steps` leg lengths a second takes a step
    and is left alone, unless contacts are to be obeyed. With `rests` above 0, a foot that is low and slow enough for a
    contact of recorded motion (see ContactSettings; `rests` times as slow) stands even without a contact.
    """

    lock: str = "soft"
    lookahead: float = 0.35
    hold: float = 0.03
    hard_hold: float = 0.006
    swing: float = 0.08
    ramp: float = 0.07
    drift: float = 3.0
    drift_radius: float = 0.25
    band: float = 0.02
    step: float = 0.10
    sink: float = 0.02
    steps: float = 0.4
    rests: float = 0.0

    def __post_init__(self) -> None:
        if self.lock not in LOCKS:
            raise UsageError(f"there is no lock {self.lock!r}: choose soft or hard")
        times = (self.hold, self.hard_hold, self.swing, self.ramp, self.drift, self.steps)
        if min(times) <= 0 or self.lookahead < self.ramp:
            raise UsageError(
                "planting needs times and a speed of steps above 0, and a lookahead that is not shorter than the ramp"
            )
        if self.rests < 0:
            raise UsageError("planting needs rests of 0 or more")
        if not (0 < self.band < self.step and self.drift_radius > 0 and self.sink >= 0):
            raise UsageError("planting needs 0 < band < step, a drift_radius above 0 and a sink of 0 or more")


def settings_for(plant: bool | str) -> PlantSettings:
    """Return the settings for a caller's `plant`: True, or the name of a lock."""
    return PlantSettings(lock=plant if isinstance(plant, str) else "soft")


class Pace(NamedTuple):
    """The settings in frames and in the skeleton's unit, for compiled functions.

    `stand`, `height` and `free` are weights T⁻⁶ of following within T frames (see numeric.smooth_path): of standing
    feet over the ground, of heights, and in the air. Contacts are decided `wait` frames late: speeds look `reach`
    frames to either side, pauses below `bridged` frames are closed and contacts below `shortest` frames are dropped.
    `careful` is 0 where contacts are used as they are given.
    """

    horizon: int
    stand: float
    height: float
    free: float
    ramp: int
    drift: float
    drift_radius: float
    band: float
    step: float
    sink: float
    reach: int
    bridged: int
    shortest: int
    wait: int
    careful: int
    height_on: float
    height_off: float
    speed_on: float  # per frame
    speed_off: float
    rest_on: float  # per frame, of feet that stand without a contact
    rest_off: float
    drop: float  # weights like `height` and `free`, for hips that sink and rise again
    rise: float

    @property
    def latency(self) -> int:
        """Frames between the input of a planter and its output."""
        return self.horizon + self.wait


def pace(settings: PlantSettings, frame_time: float, leg: float, careful: bool) -> Pace:
    """Return the settings for a frame rate and a body's size."""

    def frames(seconds: float, least: int = 1) -> int:
        return max(least, round(seconds / frame_time))

    # A hard-locked foot does not drift: the time constant is a minute.
    hold, drift = (settings.hold, settings.drift) if settings.lock == "soft" else (settings.hard_hold, 60.0)
    reach, bridged, shortest = (
        frames(0.5 * ContactSettings.window),
        frames(ContactSettings.bridged),
        frames(ContactSettings.shortest, 2),
    )
    resting = settings.rests * leg * frame_time
    # Hips sink within 0.08 s and rise again within 0.16 s, slower than feet, or their shaking would show.
    # A contact that has begun ends at 1.5 times the speed that begins one, so that it does not flicker.
    return Pace(
        frames(settings.lookahead, 3), (frame_time / hold) ** 6, (frame_time / settings.hold) ** 6,
        (frame_time / settings.swing) ** 6,
        frames(settings.ramp), frame_time / drift, settings.drift_radius * leg, settings.band * leg,
        settings.step * leg, settings.sink * leg, reach, bridged, shortest, reach + max(bridged, shortest),
        int(careful), SYNTHESIZED.height_on * leg, SYNTHESIZED.height_off * leg, settings.steps * leg * frame_time,
        1.5 * settings.steps * leg * frame_time, resting * ContactSettings.speed_on,
        resting * ContactSettings.speed_off, (frame_time / 0.08) ** 6, (frame_time / 0.16) ** 6,
    )  # fmt: skip


class Bones(NamedTuple):
    """Limbs: the joints from the root to the last point of each, and where hip, knee, ankle and toe are among them.

    `path` (limbs, joints) is filled up with -1, `at` (limbs, 4) has -1 where there is no toe. `hinge` (limbs, 3) is
    the knee's axis in its local frame, flexion positive, 0 where none is known. `reach` (limbs, 2) is the range of the
    distance from hip to ankle, in the length of the straight limb. `upright` (limbs,) says which ends keep their
    direction in the world. The rest is what hips and ankles can do, 0 links: anything (see `body.limbs`).
    """

    path: Ints
    at: Ints
    hinge: Floats
    reach: Floats
    upright: Ints
    links: Ints  # (limbs, 2): of hip and ankle
    reference: Floats  # (limbs, 2, links, 4)
    basis: Floats  # (limbs, 2, links, 3, 3)
    low: Floats  # (limbs, 2, 3 links)
    high: Floats


class Ground(NamedTuple):
    """The vertical axis, the leg's length, the pelvis, and per leg the heights of heel and toe when they stand.

    `below` (legs,) is how far the ankle of a flat foot is above its toe, `soles` (legs, 2, 2) are the least and the
    greatest height of heel and toe.
    """

    up: int
    leg: float
    pelvis: int
    below: Floats
    soles: Floats


class Frames(NamedTuple):
    """Frames first, legs second. `strength` is how surely heel and toe stand, 0 to 1.

    `points` are hip, ankle, heel and toe in the world; `over` says where the pelvis is over the foot; `raw` is 0 in the
    air, 1 where a contact may continue, 2 where it may begin; `stands` are the contacts of heel and toe; `age` counts
    the frames of a contact, -1 in the air; `pivot` is the path in the ground plane of what the foot stands on;
    `longest` is how far the leg may stretch from hip to ankle; `lifts` are how far up the foot must go at least, and
    by how much (0 or less) it moves to the floor that it stands on.
    """

    root: Floats
    rotations: Floats
    strength: Floats
    points: Floats
    over: Ints
    raw: Ints
    stands: Ints
    age: Ints
    pivot: Floats
    longest: Floats
    lifts: Floats


class Memory(NamedTuple):
    """State from frame to frame: the last three offsets of every foot and of the root, centers of contacts.

    `offsets` (legs, 3, 3) and `sinks` (3, 1), newest first; `known` (1,) says how many there are; `centers` (legs, 2).
    """

    offsets: Floats
    sinks: Floats
    known: Ints
    centers: Floats


class Scene(NamedTuple):
    """The inputs of the plans of feet and hips."""

    ground: Ground
    pace: Pace
    frames: Frames
    memory: Memory


class PelvisFrame(NamedTuple):
    """The reference for feet: the pelvis, by its place on the path to a foot, without its heading."""

    pelvis: int
    up: int
    leg: float  # a leg's length
    facing: Floats  # (4,): the rotation from which headings are measured


class PlantedFrames(NamedTuple):
    """Planted frames, how firmly legs are held (frames, legs) and by how much their goals were missed."""

    root: Floats
    rotations: Floats
    contact_strengths: Floats
    missed: Floats


def make_bones(skeleton: Skeleton, limbs: tuple[Limb, ...]) -> Bones:
    """Return the limbs as arrays."""
    paths = [skeleton.chain(limb.points[-1]) for limb in limbs]
    longest = max((len(path) for path in paths), default=1)
    path = np.full((len(limbs), longest), -1, dtype=np.intp)
    at = np.full((len(limbs), 4), -1, dtype=np.intp)
    ends = np.zeros((len(limbs), 2), dtype=np.intp)
    reference, basis = np.zeros((len(limbs), 2, LINKS, 4)), np.zeros((len(limbs), 2, LINKS, 3, 3))
    low, high = np.zeros((len(limbs), 2, 3 * LINKS)), np.zeros((len(limbs), 2, 3 * LINKS))
    for number, limb in enumerate(limbs):
        path[number, : len(paths[number])] = paths[number]
        for k, joint in enumerate((limb.upper, limb.middle, *limb.points)):
            at[number, k] = paths[number].index(joint)
        for k, chain in enumerate((limb.base, limb.ankle)):
            if chain is not None:
                count = len(chain.reference)
                ends[number, k] = count
                reference[number, k, :count], basis[number, k, :count] = chain.reference, chain.basis
                low[number, k, : 3 * count], high[number, k, : 3 * count] = chain.low, chain.high
    hinge = np.array([limb.hinge for limb in limbs]).reshape(-1, 3)
    reach = np.array([limb.reach for limb in limbs]).reshape(-1, 2)
    upright = np.array([limb.is_leg for limb in limbs], dtype=np.intp)
    return Bones(path, at, hinge, reach, upright, ends, reference, basis, low, high)


def empty_frames(count: int, joints: int, legs: int) -> Frames:
    """Return empty frames."""
    return Frames(
        np.empty((count, 3)), np.empty((count, joints, 4)), np.empty((count, legs, 2)), np.empty((count, legs, 4, 3)),
        np.zeros((count, legs), dtype=np.int8), np.zeros((count, legs, 2), dtype=np.int8),
        np.zeros((count, legs, 2), dtype=np.int8),
        np.full((count, legs), -1, dtype=np.int32), np.zeros((count, legs, 2)),
        np.zeros((count, legs)), np.zeros((count, legs, 2)),
    )  # fmt: skip


def fresh_memory(legs: int) -> Memory:
    """Return the state before the first frame."""
    return Memory(np.zeros((legs, 3, 3)), np.zeros((3, 1)), np.zeros(1, dtype=np.intp), np.zeros((legs, 2)))
