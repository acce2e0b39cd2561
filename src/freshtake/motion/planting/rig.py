"""The body, the settings and the frames of planting as the plain arrays that compiled functions take."""

from typing import NamedTuple

from freshtake.numeric.arrays import Floats, Ints


class Pace(NamedTuple):
    """The settings in frames and in the skeleton's unit, for compiled functions.

    `stand`, `height` and `free` are weights T⁻⁶ of following within T frames (see numeric.smooth_path): for planted
    feet along the ground, for heights, and in the air. Contacts are determined `wait` frames late: speeds are measured
    over `reach` frames to either side, pauses below `bridged` frames are closed and contacts below `shortest` frames
    are dropped. `careful` is 0 if contacts are used as given.
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
    rest_on: float  # per frame, for slow feet without a contact
    rest_off: float
    drop: float  # weights like `height` and `free`, for hips that sink and rise again
    rise: float


class Bones(NamedTuple):
    """Limbs: the joints from the root to the last point of each, and which of them are hip, knee, ankle and toe.

    `path` (limbs, joints) is padded with -1, `at` (limbs, 4) is -1 if there is no toe. `hinge` (limbs, 3) is the knee's
    axis in its local frame, flexion positive, 0 if unknown. `reach` (limbs, 2) is the range of the distance from hip to
    ankle, as fractions of the straight limb. `upright` (limbs,) flags the ends that keep their direction in the world.
    The remaining fields describe how hips and ankles can turn; 0 links: in any way (see `body.limbs`).
    """

    path: Ints
    at: Ints
    hinge: Floats
    reach: Floats
    upright: Ints
    links: Ints  # (limbs, 2): links of hip and of ankle
    reference: Floats  # (limbs, 2, links, 4)
    basis: Floats  # (limbs, 2, links, 3, 3)
    low: Floats  # (limbs, 2, 3 links)
    high: Floats


class Ground(NamedTuple):
    """The vertical axis, the leg's length, the pelvis, and per leg the heights of its planted foot.

    `below` (legs,) is how far the ankle of a flat foot is above its toe, `soles` (legs, 2, 2) are the smallest and
    largest heights of planted heel and toe.
    """

    up: int
    leg: float
    pelvis: int
    below: Floats
    soles: Floats


class Frames(NamedTuple):
    """Arrays with frames first, legs second. `strength` is the probability of a contact of heel and toe, 0 to 1.

    `points` are hip, ankle, heel and toe in the world; `over` is whether the pelvis is over the foot; `raw` is 0 in the
    air, 1 where a contact may continue, 2 where it may begin; `contacts` flags the contacts of heel and toe; `age`
    counts the frames of a contact, -1 in the air; `pivot` is the path in the ground plane of the foot's point of
    contact; `longest` is the longest distance from hip to ankle; `lifts` are the minimum distance that the foot must
    rise, and the distance (0 or less) by which it moves down to the floor of its contact.
    """

    root: Floats
    rotations: Floats
    strength: Floats
    points: Floats
    over: Ints
    raw: Ints
    contacts: Ints
    age: Ints
    pivot: Floats
    longest: Floats
    lifts: Floats


class Memory(NamedTuple):
    """State from frame to frame: the last three offsets of every foot and of the root, centers of contacts.

    `offsets` (legs, 3, 3) and `sinks` (3, 1) have the newest first; `known` (1,) is their number; `centers` (legs, 2).
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


class PlantedFrames(NamedTuple):
    """Planted frames, and for each leg how firmly it is planted and the distance from its goal (frames, legs)."""

    root: Floats
    rotations: Floats
    contact_strengths: Floats
    missed: Floats
