"""Where and when feet stand, and how a foot moves between: planted exactly in stance, smooth in swing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freshtake.numeric.arrays import Floats, Ints
from freshtake.samples.puppet import FootTrack
from freshtake.samples.smooth_curves import Curve, Ends, ease, late_ease, lobe, quintic


@dataclass(frozen=True)
class LegCycle:
    """One leg's part in a cycle; phases in cycles from the start of the cycle (the right heel strike of a walk).

    `contacts`: (landing, leaving) phases. `pitch`: of the sole, degrees, over the cycle. `lifts`: how far the toe
    joint is raised in the swing after each contact (cm). `knee`: the flexion the leg aims at while it carries the
    body (degrees), and `carries`: how much it does, 0..1. `under`: the share of each contact after which the body is
    above the ankle; below 0 where it lands behind the body.
    """

    contacts: tuple[tuple[float, float], ...]
    pitch: Curve
    lifts: tuple[float, ...]
    knee: Curve
    carries: Curve
    under: tuple[float, ...] = (0.42,)
    crest: tuple[int, int] = (3, 5)  # rise and fall of the lift (see `lobe`)
    late: int = 3  # when the swing is fastest (see `late_ease`)
    settle: float = 0.2  # share of the swing, at its end, in which the foot stops to give way to the leg's reach


@dataclass(frozen=True)
class Footholds:
    """All contacts of one foot in order: phases of landing and leaving, toe joint when flat (n, 3), yaw in degrees."""

    land: Floats
    leave: Floats
    ball: Floats
    yaw: Floats
    lift: Floats


def contact_phases(leg: LegCycle, first: float, last: float) -> tuple[Floats, Floats, Floats]:
    """Landing and leaving phases and lifts of all contacts from before `first` to after `last` (phases)."""
    cycles = np.arange(np.floor(first) - 2.0, np.ceil(last) + 2.0)
    land = np.add.outer(cycles, [contact[0] for contact in leg.contacts]).ravel()
    leave = np.add.outer(cycles, [contact[1] for contact in leg.contacts]).ravel()
    return land, leave, np.tile(leg.lifts, len(cycles))


def foot_track(phase: Floats, leg: LegCycle, holds: Footholds, toe: Floats, heel: Floats) -> FootTrack:
    """A foot over time: rolls from heel over the flat sole to the toe joint, then swings to the next foothold.

    `toe` and `heel` are the contact points as seen from the ankle of a flat foot. While the toes are up the foot
    turns about the heel, while the heel is up about the toe joint; the toes stay flat until the foot leaves.
    """
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
    on_ball = leg.pitch(holds.land[step + 1]) < 0.0  # where it will land: the toes get ready
    hanging = ease(flying / 0.6) * np.where(on_ball, ease((1.0 - flying) / 0.3), 1.0)
    toes = np.where(swing > 0.0, pitch * np.where(pitch < 0.0, hanging, 1.0), np.maximum(pitch, 0.0))
    return FootTrack(ball, yaw, pitch, toes, ease(flying / 0.2) * ease((1.0 - flying) / leg.settle))


def _about_heel(pitch: Floats, yaw: Floats, lever: Floats) -> Floats:
    """How far the toe joint is from its flat place when the toes are up; nothing when they are down."""
    angle = np.radians(np.maximum(pitch, 0.0))
    ahead = lever[2] * (np.cos(angle) - 1.0) - lever[1] * np.sin(angle)
    up = lever[2] * np.sin(angle) + lever[1] * (np.cos(angle) - 1.0)
    return _sagittal(ahead, up, yaw)


def _sagittal(ahead: Floats, up: Floats, yaw: Floats) -> Floats:
    """Vectors in the vertical plane of a heading (degrees)."""
    angle = np.radians(yaw)
    return np.stack([ahead * np.sin(angle), up, ahead * np.cos(angle)], axis=-1)


def _swing_path(step: Ints, share: Floats, leg: LegCycle, holds: Footholds, lever: Floats) -> Floats:
    """The toe joint from one foothold to the next, leaving at rest and landing as the heel roll begins."""
    span = (holds.land[step + 1] - holds.leave[step])[:, None]
    landing = _landing(leg, holds, lever)
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
    """Place, velocity and acceleration (per unit of phase) of the toe joint at each landing."""
    angle = np.radians(leg.pitch(holds.land))
    up = angle > 0.0
    rate, bend = (np.where(up, np.radians(leg.pitch(holds.land, k)), 0.0) for k in (1, 2))
    angle = np.where(up, angle, 0.0)
    sine, cosine = np.sin(angle), np.cos(angle)
    ahead = -lever[2] * sine - lever[1] * cosine  # d/d angle; the second derivative is minus the place
    raise_ = lever[2] * cosine - lever[1] * sine
    place = holds.ball + _about_heel(np.degrees(angle), holds.yaw, lever)
    velocity = _sagittal(ahead * rate, raise_ * rate, holds.yaw)
    turned_ahead, turned_up = lever[2] * cosine - lever[1] * sine, lever[2] * sine + lever[1] * cosine
    acceleration = _sagittal(ahead * bend - turned_ahead * rate**2, raise_ * bend - turned_up * rate**2, holds.yaw)
    return Ends(place, velocity, acceleration)
