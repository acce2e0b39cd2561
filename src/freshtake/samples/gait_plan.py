"""What a take of a gait is made of: pace, legs, carriage, and what wavers while it lasts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freshtake.samples.footsteps import LegCycle
from freshtake.samples.gait_path import Pace
from freshtake.samples.variation_law import Wander


@dataclass(frozen=True)
class ArmSwing:
    """One arm's swing, in degrees: mean and amplitude of shoulder flexion and of elbow flexion, and its carriage."""

    flexion: float
    swing: float
    elbow: float
    elbow_swing: float
    abduction: float
    twist: float = 2.0
    lag: float = 0.03  # behind the opposite leg, cycles


@dataclass(frozen=True)
class Carriage:
    """How the body is carried: degrees and centimetres; amplitudes are those of one sine over the cycle or the step."""

    lean: float  # of the chest, forward
    pelvis_tilt: float
    pelvis_yaw: float
    pelvis_roll: float
    chest_yaw: float
    chest_roll: float
    sway: float  # towards the standing foot
    surge: float  # ahead of and behind the even pace, twice a cycle
    nod: float  # of the chest, twice a cycle
    head_pitch: float
    arms: tuple[ArmSwing, ArmSwing]
    lurch: float = 0.0  # of the trunk towards the left in left stance
    lead: float = 0.0  # cycles by which the trunk turns earlier than in a walk


@dataclass(frozen=True)
class GaitPlan:
    """Everything that defines one take of a gait; legs as (left, right).

    `pushes` (start, end, share of the impulse): where given, the body flies between them in free fall and the
    knees yield; where not, the knees decide and the body follows. `width`: between the ankles' tracks (cm).
    """

    pace: Pace
    legs: tuple[LegCycle, LegCycle]
    carriage: Carriage
    width: float
    toe_out: tuple[float, float]
    pushes: tuple[tuple[float, float, float], ...] = ()


@dataclass(frozen=True)
class Unsteadiness:
    """What changes within a take, all of known distribution: tempo, heading, arm swing, lean; noise of footholds."""

    tempo: Wander
    drift: Wander
    arms: Wander
    trunk: Wander
    footholds: float
    rng: np.random.Generator


def unsteadiness(rng: np.random.Generator, amount: float) -> Unsteadiness:
    """Slow processes: tempo 1.2 % over 1 s, heading 1.5 degrees over 2.5 s, arms 6 % over 1.5 s, lean 0.6 degrees."""
    return Unsteadiness(
        Wander(rng, 0.012 * amount, 1.0),
        Wander(rng, 1.5 * amount, 2.5),
        Wander(rng, 0.06 * amount, 1.5, 2),
        Wander(rng, 0.6 * amount, 1.5, 2),
        0.7 * amount,
        rng,
    )
