"""The path of a gait over the ground, its footholds, and the movement of a foot between them."""

from dataclasses import dataclass

import numpy as np

from freshtake.errors import UsageError
from freshtake.numeric.arrays import Floats, Ints
from freshtake.samples.humanoid import FootTrack
from freshtake.samples.smooth_curves import Curve, Ends, Wander, ease, late_ease, lobe, quintic

# Steps per frame: the trapezoidal rule integrates the path with an error that falls with their square.
SUBSTEPS = 4


@dataclass(frozen=True)
class Pace:
    """The pace of a gait: seconds per cycle, centimetres per cycle, degrees per second to the left."""

    period: float
    stride: float
    turn_rate: float


@dataclass(frozen=True)
class GaitPath:
    """Phase (cycles), heading (degrees) and position on the ground (x, z) on a fine grid of times (seconds).

    `frames` picks the clip's frames from the grid. At time 0 the phase is 0, the position (0, 0) and the heading 0.
    """

    times: Floats
    phase: Floats
    heading: Floats
    ground: Floats
    frames: slice

    def at_phase(self, phase: Floats) -> tuple[Floats, Floats, Floats]:
        """Return times, headings and positions at which the gait has these phases."""
        times = np.interp(phase, self.phase, self.times)
        heading = np.interp(times, self.times, self.heading)
        ground = np.stack([np.interp(times, self.times, self.ground[:, k]) for k in (0, 1)], axis=-1)
        return times, heading, ground


def frame_count(pace: Pace, tempo: Wander, cycles: float, fps: float) -> int:
    """Return the number of frames in a number of cycles, first and last included, to the nearest frame."""
    times = np.arange(0.0, 1.5 * cycles * pace.period + 1.0, 0.01)
    phase = times / pace.period + tempo.integral(times)[:, 0] / pace.period
    return round(float(np.interp(cycles, phase, times)) * fps) + 1


def lay_path(pace: Pace, tempo: Wander, drift: Wander, frames: int, fps: float, pad: int) -> GaitPath:
    """Return the path of a clip; `tempo` speeds up and slows down, `drift` wanders off the heading (degrees).

    The picked frames begin `pad` frames before the clip and end `pad` frames after it.
    """
    # Three cycles before the first frame and after the last, for footholds that begin or end outside the clip.
    margin = int(np.ceil(3.0 * pace.period * fps)) * SUBSTEPS
    times = np.arange(-margin, (frames - 1) * SUBSTEPS + margin + 1) / (fps * SUBSTEPS)
    # The rate is at least a fifth of the usual rate, so that an extreme draw makes nobody walk backwards.
    rate = np.maximum((1.0 + tempo(times)[:, 0]) / pace.period, 0.2 / pace.period)
    phase = (times + tempo.integral(times)[:, 0]) / pace.period
    drifted = drift(times)[:, 0]
    heading = pace.turn_rate * times + drifted - drifted[margin]
    angle = np.radians(heading)
    velocity = (pace.stride * rate)[:, None] * np.stack([np.sin(angle), np.cos(angle)], axis=-1)
    steps = (velocity[1:] + velocity[:-1]) / (2.0 * fps * SUBSTEPS)
    ground = np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
    stop = margin + (frames - 1 + pad) * SUBSTEPS + 1
    picked = slice(margin - pad * SUBSTEPS, stop, SUBSTEPS)
    return GaitPath(times, phase, heading, ground - ground[margin], picked)


def check_length(frames: int | None, cycles: float | None, fps: float) -> None:
    """Refuse impossible lengths and frame rates."""
    if not (np.isfinite(fps) and 1.0 <= fps <= 1000.0):
        raise UsageError(f"fps must be 1 to 1000, but is {fps}")
    if frames is not None and not 1 <= frames <= 10_000_000:
        raise UsageError(f"a clip must have 1 to 10,000,000 frames, not {frames}")
    if cycles is not None and not 0.0 < cycles <= 100_000.0:
        raise UsageError(f"cycles must be above 0 and at most 100,000, but are {cycles}")


@dataclass(frozen=True)
class LegCycle:
    """One leg's part in a cycle; phases in cycles from the start of the cycle (the right heel strike of a walk).

    `contacts`: (landing, leaving) phases. `pitch`: of the sole over the cycle (degrees). `lifts`: height of the toe
    joint in the swing after each contact (cm). `knee`: the flexion at which the leg aims while it carries the body
    (degrees). `carries`: the leg's load, 0..1. `under`: the fraction of each contact after which the body is above
    the ankle; below 0 if the foot lands behind the body.
    """

    contacts: tuple[tuple[float, float], ...]
    pitch: Curve
    lifts: tuple[float, ...]
    knee: Curve
    carries: Curve
    under: tuple[float, ...] = (0.42,)
    crest: tuple[int, int] = (3, 5)  # rise and fall of the lift (see `lobe`)
    late: int = 3  # when the swing is fastest (see `late_ease`)
    settle: float = 0.2  # final fraction of the swing, in which the foot no longer yields to the leg's reach


@dataclass(frozen=True)
class Footholds:
    """All contacts of one foot in order: phases of landing and leaving, toe joint when flat (n, 3), yaw in degrees."""

    land: Floats
    leave: Floats
    ball: Floats
    yaw: Floats
    lift: Floats


def contact_phases(leg: LegCycle, first: float, last: float) -> tuple[Floats, Floats, Floats]:
    """Return landing and leaving phases and lifts of all contacts from before phase `first` to after `last`."""
    cycles = np.arange(np.floor(first) - 2.0, np.ceil(last) + 2.0)
    land = np.add.outer(cycles, [contact[0] for contact in leg.contacts]).ravel()
    leave = np.add.outer(cycles, [contact[1] for contact in leg.contacts]).ravel()
    return land, leave, np.tile(leg.lifts, len(cycles))


def foot_track(phase: Floats, leg: LegCycle, holds: Footholds, toe: Floats, heel: Floats) -> FootTrack:
    """Return a foot over time: it rolls from heel to toe joint over the flat sole, then swings to the next foothold.

    `toe` and `heel` are the contact points relative to the ankle of a flat foot. With toes up the foot turns about the
    heel, with the heel up about the toe joint; the toes stay flat until the foot leaves the floor.
    """
    # The contact that began last; the swing after it ends where the next contact begins.
    step = np.searchsorted(holds.land, phase, side="right") - 1
    swing = (phase - holds.leave[step]) / (holds.land[step + 1] - holds.leave[step])
    flying = np.clip(swing, 0.0, 1.0)
    ball = np.where(
        swing[:, None] > 0.0,
        _swing_path(step, flying, leg, holds, toe - heel),
        holds.ball[step] + _about_heel(leg.pitch(phase), holds.yaw[step], toe - heel),
    )
    pitch = leg.pitch(phase)
    yaw = holds.yaw[step] + ease(flying) * (holds.yaw[step + 1] - holds.yaw[step])
    on_ball = leg.pitch(holds.land[step + 1]) < 0.0  # whether the foot lands on its ball next time
    # Toes relax gradually after the push and, if the ball of the foot lands first, bend again before the landing.
    hanging = ease(flying / 0.6) * np.where(on_ball, ease((1.0 - flying) / 0.3), 1.0)
    toes = np.where(swing > 0.0, pitch * np.where(pitch < 0.0, hanging, 1.0), np.maximum(pitch, 0.0))
    return FootTrack(ball, yaw, pitch, toes, ease(flying / 0.2) * ease((1.0 - flying) / leg.settle))


def _about_heel(pitch: Floats, yaw: Floats, lever: Floats) -> Floats:
    """Return the offset of the toe joint from its position when flat while the toes are up; zero when they are down."""
    angle = np.radians(np.maximum(pitch, 0.0))
    ahead = lever[2] * (np.cos(angle) - 1.0) - lever[1] * np.sin(angle)
    up = lever[2] * np.sin(angle) + lever[1] * (np.cos(angle) - 1.0)
    return _sagittal(ahead, up, yaw)


def _sagittal(ahead: Floats, up: Floats, yaw: Floats) -> Floats:
    """Return vectors in the vertical plane of a heading (degrees)."""
    angle = np.radians(yaw)
    return np.stack([ahead * np.sin(angle), up, ahead * np.cos(angle)], axis=-1)


def _swing_path(step: Ints, share: Floats, leg: LegCycle, holds: Footholds, lever: Floats) -> Floats:
    """Return the toe joint from one foothold to the next, leaving at rest and landing as the heel roll begins."""
    span = (holds.land[step + 1] - holds.leave[step])[:, None]
    landing = _landing(leg, holds, lever)
    # Landings are per unit of phase, quintic pieces per unit of `share`: hence the factors of the span.
    end = Ends(landing.place[step + 1], landing.velocity[step + 1] * span, landing.acceleration[step + 1] * span**2)
    nought = np.zeros(3)
    path = quintic(share[:, None], Ends(nought, nought, nought), Ends(nought, end.velocity, end.acceleration))
    chord, along = end.place - holds.ball[step], late_ease(share, leg.late)
    path += holds.ball[step] + along[:, None] * chord
    path[:, 1] += holds.lift[step] * lobe(share, *leg.crest)
    bulge = 2.0 * along * (1.0 - along) * np.tan(np.radians(holds.yaw[step + 1] - holds.yaw[step]) / 4.0)
    path[:, 0] -= bulge * chord[:, 2]  # an arc instead of the chord where the path turns
    path[:, 2] += bulge * chord[:, 0]
    return path


def _landing(leg: LegCycle, holds: Footholds, lever: Floats) -> Ends:
    """Return position, velocity and acceleration (per unit of phase) of the toe joint at each landing."""
    angle = np.radians(leg.pitch(holds.land))
    up = angle > 0.0
    rate, bend = (np.where(up, np.radians(leg.pitch(holds.land, k)), 0.0) for k in (1, 2))
    angle = np.where(up, angle, 0.0)
    sine, cosine = np.sin(angle), np.cos(angle)
    ahead = -lever[2] * sine - lever[1] * cosine  # d/d angle; the second derivative is minus the position
    raise_ = lever[2] * cosine - lever[1] * sine
    place = holds.ball + _about_heel(np.degrees(angle), holds.yaw, lever)
    velocity = _sagittal(ahead * rate, raise_ * rate, holds.yaw)
    turned_ahead, turned_up = lever[2] * cosine - lever[1] * sine, lever[2] * sine + lever[1] * cosine
    acceleration = _sagittal(ahead * bend - turned_ahead * rate**2, raise_ * bend - turned_up * rate**2, holds.yaw)
    return Ends(place, velocity, acceleration)
