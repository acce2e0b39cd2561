"""How feet are planted: times in seconds and lengths in leg lengths, with defaults measured on recorded takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from freshtake.errors import UsageError
from freshtake.motion.planting.contacts import ContactSettings

LOCKS = ("soft", "hard")


@dataclass(frozen=True)
class PlantSettings:
    """`lock` soft lets standing feet keep the small movement that real ones have; hard holds them still.

    Every foot gets a smooth offset that looks `lookahead` seconds ahead: while the foot stands it follows what would
    hold it within about `hold` (hard: `hard_hold`), in the air it returns to nothing within about `swing`. Contacts
    take hold and let go over `ramp`. The place of a contact follows the foot's own slow drift over `drift` and, beyond
    `drift_radius`, faster. Soles stand between their least height and `band` above it; what stands more than `step`
    above the floor stands on something else and keeps its height. Where a leg would stretch farther than in the
    examples, the hips sink, by `sink` at most. A foot that moves faster than `steps` leg lengths a second takes a step
    and is left alone, unless contacts are to be obeyed. With `rests` above 0, a foot that is low and slow enough for a
    contact of recorded motion (see ContactSettings; `rests` times as slow) stands although contacts do not say so.
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
    """The settings for a caller's `plant`: True, or the name of a lock."""
    return PlantSettings(lock=plant if isinstance(plant, str) else "soft")


class Pace(NamedTuple):
    """The settings in frames and in the skeleton's unit, as the kernel wants them.

    `stand`, `height` and `free` are weights T⁻⁶ of following within T frames (see numeric.smooth_path): of standing
    feet over the ground, of heights, and in the air. Contacts are decided `wait` frames late: speeds look `reach`
    frames to either side, pauses below `bridged` frames are closed and contacts below `shortest` frames are dropped.
    `careful` is 0 where contacts are to be taken as they are given.
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
    rest_on: float  # per frame, too: of feet that stand although contacts do not say so
    rest_off: float
    drop: float  # weights like `height` and `free`, of hips that sink and come back
    rise: float

    @property
    def latency(self) -> int:
        """Frames between what goes into a planter and what comes out."""
        return self.horizon + self.wait


DROP, RISE = 0.08, 0.16  # seconds in which hips sink and come back: slower than feet, or their shaking shows
NO_DRIFT = 60.0  # seconds: a foot that is locked hard stays where it is
BRIDGED, SHORTEST, WINDOW = 0.05, 0.06, 1.0 / 30.0  # seconds
HEIGHT_ON, HEIGHT_OFF = 0.07, 0.11  # leg lengths
FASTER = 1.5  # times `steps`: what ends a contact that has begun


def pace(settings: PlantSettings, frame_time: float, leg: float, careful: bool) -> Pace:
    """The settings for motion of a frame rate and a body's size."""

    def frames(seconds: float, least: int = 1) -> int:
        return max(least, round(seconds / frame_time))

    hold, drift = (settings.hold, settings.drift) if settings.lock == "soft" else (settings.hard_hold, NO_DRIFT)
    reach, bridged, shortest = frames(WINDOW), frames(BRIDGED), frames(SHORTEST, 2)
    resting = settings.rests * leg * frame_time
    return Pace(
        frames(settings.lookahead, 3), (frame_time / hold) ** 6, (frame_time / settings.hold) ** 6,
        (frame_time / settings.swing) ** 6,
        frames(settings.ramp), frame_time / drift, settings.drift_radius * leg, settings.band * leg,
        settings.step * leg, settings.sink * leg, reach, bridged, shortest, reach + max(bridged, shortest),
        int(careful), HEIGHT_ON * leg, HEIGHT_OFF * leg, settings.steps * leg * frame_time,
        FASTER * settings.steps * leg * frame_time, resting * ContactSettings.speed_on,
        resting * ContactSettings.speed_off, (frame_time / DROP) ** 6, (frame_time / RISE) ** 6,
    )  # fmt: skip
