"""Foot contacts: when each foot joint is planted, from its height and speed, with hysteresis.

The thresholds are defined only in `ContactSettings`; how feet are then kept in place, only in `PlantSettings`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import UsageError
from freshtake.motion.body.roles import Foot, feet, leg_length, pelvis
from freshtake.motion.clip import Clip
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.curves import runs


@dataclass(frozen=True)
class ContactSettings:
    """Thresholds of contacts: heights in leg lengths above the floor, speeds in leg lengths per second.

    A contact begins when height and speed are both below their `on` values and lasts until one of them exceeds its
    `off` value. Times are in seconds: contacts shorter than `shortest` are dropped, and pauses between two contacts
    shorter than `bridged` are closed. Speed is measured over `window` seconds, whatever the frame rate. Feet that swing
    fast also land fast: each speed limit is raised, if necessary, to its fraction of the foot's speed in swing. A foot
    is planted only while the body's weight can be over it: the pelvis is at least `pelvis_above` higher than the ankle,
    and its sideways distance does not exceed its height above the ankle by more than `beside`. So a body that lies,
    crawls or swims has no contacts; a negative `pelvis_above` disables that rule.
    """

    height_on: float = 0.06
    height_off: float = 0.10
    speed_on: float = 0.45
    speed_off: float = 0.75
    swing_on: float = 0.07
    swing_off: float = 0.12
    pelvis_above: float = 0.22
    beside: float = 0.1
    shortest: float = 0.06
    bridged: float = 0.05
    window: float = 1.0 / 15.0

    def __post_init__(self) -> None:
        if not (0 < self.height_on <= self.height_off and 0 < self.speed_on <= self.speed_off):
            raise UsageError("contact thresholds must be above 0, and `off` values must not be below `on` values")
        if not (self.shortest >= 0 and self.bridged >= 0 and self.window > 0):
            raise UsageError("contact times must not be negative, and the window for speed must be above 0")


# For recorded motion: a foot that shuffles along the floor is not planted.
RECORDED = ContactSettings(speed_on=0.2, speed_off=0.35)
# Synthesized feet may slide during contacts: looser limits than for recorded motion.
SYNTHESIZED = ContactSettings(height_on=0.07, height_off=0.11, speed_on=0.5, speed_off=0.85, bridged=0.08)
# For pictures, limits are even looser, so sliding feet are found too.
SHOWN = ContactSettings(speed_on=0.8, speed_off=1.1)

FLOOR_PERCENTILE = 2.0  # percentile of a foot joint's heights that is its height when planted; lower heights are noise
LIFTED = 0.05  # leg lengths: a foot this far above its floor is in the air, even if it rolls
NEAR_FLOOR = 0.03  # leg lengths above its floor within which a foot should be still: sliding is measured there
LOCKS = ("soft", "hard")


@dataclass(frozen=True)
class PlantSettings:
    """Settings for planting feet: times in seconds, lengths in leg lengths, defaults measured on recorded takes.

    With the `lock` soft, planted feet keep the small movements of real feet; hard keeps them still.

    Every foot gets a smooth offset that looks `lookahead` seconds ahead: during a contact, it follows within about
    `hold` (hard: `hard_hold`) the offset that keeps the foot in place; in the air it returns to zero within about
    `swing`. Contacts begin and end gradually over `ramp`. The position of a contact follows the foot's slow drift over
    `drift` and, beyond `drift_radius`, faster. Planted soles are between their lowest height and `band` above it; a
    foot planted more than `step` above the floor is on something else and keeps its height. If a leg would stretch
    farther than in the examples, the hips sink, by `sink` at most. A foot that moves faster than `steps` leg lengths
    per second takes a step and is left alone, unless contacts must be obeyed. With `rests` above 0, a foot that is low
    and slow enough for a contact in recorded motion (see ContactSettings; `rests` times as slow) is planted even
    without a contact.
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


class Contact(NamedTuple):
    """Frames start to stop (exclusive) in which a joint of a foot is planted."""

    foot: str
    joint: int
    start: int
    stop: int


def foot_contacts(clip: Clip) -> list[Contact]:
    """Return the intervals in which the ankle or toe of each foot is planted; `joint` is the ankle."""
    mask = contact_mask(clip)
    return [
        Contact(foot.name, foot.ankle, start, stop)
        for column, foot in enumerate(feet(clip.skeleton))
        for start, stop in runs(mask[:, column])
    ]


def contact_mask(
    clip: Clip,
    *,
    floor: npt.ArrayLike | None = None,
    settings: ContactSettings | None = None,
    standing: Sequence[Foot] | None = None,
) -> Bools:
    """Return (frames, feet): whether a foot's ankle, toe or both are planted; arguments as in `joint_contacts`."""
    by_joint = joint_contacts(clip, floor=floor, settings=settings, standing=standing)
    counts = [len(foot.joints) for foot in (feet(clip.skeleton) if standing is None else standing)]
    if not counts:
        return by_joint
    return np.stack([part.any(axis=1) for part in np.split(by_joint, np.cumsum(counts)[:-1], axis=1)], axis=1)


def joint_contacts(
    clip: Clip,
    *,
    floor: npt.ArrayLike | None = None,
    settings: ContactSettings | None = None,
    standing: Sequence[Foot] | None = None,
) -> Bools:
    """Return the contacts (frames, foot joints) of ankle and toe of the first foot, then of the next feet.

    `floor` gives the heights of planted foot joints, as `floor_heights` returns them for other clips, or one height for
    all; by default they come from the clip itself. `standing` are the feet, if the guesses of `body.feet` are wrong.
    """
    settings = settings or ContactSettings()
    standing_feet = feet(clip.skeleton) if standing is None else tuple(standing)
    joints = [joint for foot in standing_feet for joint in foot.joints]
    if not joints:
        return np.zeros((len(clip), 0), dtype=bool)
    leg, positions = leg_length(clip.skeleton), clip.positions()
    ankles = [foot.ankle for foot in standing_feet for _ in foot.joints]
    from_foot = (positions[:, [pelvis(clip.skeleton)]] - positions[:, ankles]) / leg
    above = from_foot[..., clip.up_index]
    beside = np.linalg.norm(np.delete(from_foot, clip.up_index, axis=-1), axis=-1)
    # A foot carries the body only while the pelvis is over it.
    carried = (above >= settings.pelvis_above) & ((beside <= above + settings.beside) | (settings.pelvis_above < 0))
    height = (positions[:, joints, clip.up_index] - floor_heights([clip], standing_feet, floor)) / leg
    speed = smooth_speed(positions[:, joints], clip.frame_time, settings.window) / leg
    swing = np.percentile(speed, 95.0, axis=0)
    begin = (height < settings.height_on) & (speed < np.maximum(settings.speed_on, settings.swing_on * swing))
    last = (height < settings.height_off) & (speed < np.maximum(settings.speed_off, settings.swing_off * swing))
    in_contact = hysteresis(begin & carried, last & carried)
    for column in in_contact.T:
        # Close short pauses, then drop short contacts, except those cut off by the clip's ends: they may be longer.
        for value, shortest in ((False, settings.bridged), (True, settings.shortest)):
            for start, stop in runs(column == value):
                if start > 0 and stop < len(column) and stop - start < shortest * clip.fps:
                    column[start:stop] = not value
    return in_contact


def floor_heights(
    clips: Sequence[Clip], standing: Sequence[Foot] | None = None, floor: npt.ArrayLike | None = None
) -> Floats:
    """Return the heights (foot joints,) of planted feet: a low percentile over all clips of a skeleton together.

    `standing` are the feet, if the guesses of `body.feet` are wrong. Known heights are passed as `floor`, one for all
    or one for each foot joint, and are checked.
    """
    joints = [joint for foot in (feet(clips[0].skeleton) if standing is None else standing) for joint in foot.joints]
    if floor is None:
        heights = np.concatenate([clip.positions()[:, joints, clip.up_index] for clip in clips])
        return np.asarray(np.percentile(heights, FLOOR_PERCENTILE, axis=0))
    try:
        given = np.asarray(floor, dtype=np.float64)
    except (TypeError, ValueError):
        given = np.empty(0)
    if given.shape not in ((), (1,), (len(joints),)) or not np.isfinite(given).all():
        raise UsageError(f"the floor must be one height or one for each of the {len(joints)} foot joints")
    return np.array(np.broadcast_to(given, (len(joints),)))


def smooth_speed(positions: Floats, frame_time: float, window: float) -> Floats:
    """Return the speed (frames, ...) over a centered window of about `window` seconds, shorter at the ends."""
    frames = len(positions)
    if frames < 2:
        return np.zeros(positions.shape[:-1])
    reach = max(1, round(window / frame_time / 2.0))
    here = np.arange(frames)
    before, after = np.maximum(here - reach, 0), np.minimum(here + reach, frames - 1)
    travel: Floats = np.linalg.norm(positions[after] - positions[before], axis=-1)
    span = (after - before) * frame_time
    return travel / span.reshape(-1, *[1] * (travel.ndim - 1))


def hysteresis(begin: Bools, last: Bools) -> Bools:
    """Return (frames, columns): the runs of `last` that contain at least one frame of `begin`."""
    out = np.zeros_like(last)
    for column in range(last.shape[1]):
        for start, stop in runs(last[:, column]):
            out[start:stop, column] = begin[start:stop, column].any()
    return out
