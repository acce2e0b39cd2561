"""Running: a gait with flight, in which the body falls freely between the pushes of the feet."""

from __future__ import annotations

import numpy as np

from freshtake.motion import Clip
from freshtake.samples.footsteps import LegCycle
from freshtake.samples.gait import Request, gait_take
from freshtake.samples.gait_path import Pace, checked_amount, checked_length, checked_travel
from freshtake.samples.gait_plan import ArmSwing, Carriage, GaitPlan
from freshtake.samples.humanoid import DEFAULT, Build
from freshtake.samples.smooth_curves import Curve
from freshtake.samples.variation_law import Take
from freshtake.samples.walking import LAW, ROUNDING

SPEEDS = (1.8, 5.0)  # m/s
ROLL_OFF = 0.05  # cycles by which the toe joint leaves the floor before the tips of the toes


def run(
    rng: np.random.Generator,
    *,
    frames: int | None = None,
    cycles: float = 1.0,
    speed: float = 3.0,
    turn_rate: float = 0.0,
    build: Build = DEFAULT,
    fps: float = 60.0,
    amount: float = 1.0,
    take: Take | None = None,
) -> Clip:
    """A run at `speed` (m/s), from one landing of the right foot to another; the rest as in `walk`."""
    checked_length(frames, cycles, fps)
    checked_amount(amount)
    checked_travel("run", speed, SPEEDS, turn_rate)
    want = Request(frames, cycles, fps, amount, take)
    clip = gait_take(rng, LAW, lambda parameters: run_plan(speed, turn_rate, build, parameters), want, build)
    provenance = f"made by freshtake: run, speed {speed:g} m/s, turn rate {turn_rate:g} deg/s"
    return clip.changed(name="run", provenance=provenance)


def run_plan(speed: float, turn_rate: float, build: Build, take: Take) -> GaitPlan:
    """The gait plan of one take of running.

    Cadence rises by 10 steps/min per m/s from 163 at 3 m/s, and a foot stands 0.24 s at 3 m/s, less when faster:
    the usual figures of recreational runners.
    """
    size = (build.leg / DEFAULT.leg) ** 0.5
    steps = (133.0 + 10.0 * speed) / size
    standing = 0.24 * size * (3.0 / speed) ** 0.6 * steps / 120.0
    half = 0.5 + take["balance"]
    fast = speed / 3.0
    legs = (
        _run_leg(half, standing, fast, build, take, "left"),
        _run_leg(0.0, standing, fast, build, take, "right"),
    )
    return GaitPlan(
        pace_of(speed, steps, turn_rate, take),
        legs,
        springy_carriage(fast, 7.0, bent_arms(28.0 * fast, 82.0, take), build, take),
        max(5.0 * build.scale + take["width"], 2.0),
        (4.0 + take["toe_out_left"], 4.0 + take["toe_out_right"]),
        ((0.0, standing, 0.5), (half, half + standing, 0.5)),
    )


def pace_of(speed: float, steps: float, turn_rate: float, take: Take) -> Pace:
    """Period and stride at a speed (m/s) and a cadence (steps per minute), varied by the take."""
    stride = 100.0 * speed / steps * 120.0 * (1.0 + take["stride"])
    return Pace(120.0 / steps / (1.0 + take["tempo"]), stride, turn_rate)


def _run_leg(land: float, stance: float, fast: float, build: Build, take: Take, side: str) -> LegCycle:
    """Heel first, heel up from the middle of stance, and the heel high behind in swing."""
    t, w = stance, 1.0 - stance
    tuck = fast**0.5
    pitch = [(0.0, 9.0), (0.12 * t, 9.0), (0.25 * t, 0.0), (0.48 * t, 0.0), (0.75 * t, -22.0), (t, -62.0)]
    later = [(0.1, -84.0), (0.24, -98.0 * tuck), (0.4, -94.0 * tuck), (0.55, -66.0), (0.7, -34.0), (0.84, -4.0)]
    pitch += [(t + w * x, y) for x, y in later] + [(t + w * 0.93, 9.0), (1.0, 9.0)]
    lift = 18.0 * build.scale * fast**0.5 * (1.0 + take[f"lift_{side}"])
    carries = [(0.0, 1.0), (t - 0.02, 1.0), (t - 0.01, 0.0), (0.99, 0.0), (1.0, 1.0)]
    bend = 27.0 + take["knee_bend"]
    return LegCycle(
        ((land, land + stance - ROLL_OFF),),
        Curve(pitch, 0.075 * t, 1.0, land),
        (lift,),
        Curve([(0.0, bend), (0.5, bend), (1.0, bend)], ROUNDING, 1.0, land),
        Curve(carries, 0.006, 1.0, land),
        under=(0.31,),
        crest=(3, 3),
        settle=0.08,
    )


def bent_arms(swing: float, elbow: float, take: Take) -> tuple[ArmSwing, ArmSwing]:
    """Arms that swing from bent elbows, in degrees."""
    left, right = (
        ArmSwing(
            -8.0,
            swing * (1.0 + take[f"arm_swing_{side}"]),
            elbow + take[f"elbow_{side}"],
            10.0,
            12.0,
            twist=2.0,
            lag=0.06 + take[f"arm_lag_{side}"],
        )
        for side in ("left", "right")
    )
    return left, right


def springy_carriage(
    vigor: float, lean: float, arms: tuple[ArmSwing, ArmSwing], build: Build, take: Take, lead: float = 0.0
) -> Carriage:
    """Trunk of a run (vigor 1 at 3 m/s) or a skip; `lead` as in `Carriage`."""
    yaw = 7.0 * (1.0 + take["pelvis_yaw"])
    return Carriage(
        lean=lean * vigor + take["lean"],
        pelvis_tilt=7.0 * vigor,
        pelvis_yaw=yaw,
        pelvis_roll=4.0,
        chest_yaw=1.4 * yaw,
        chest_roll=1.0,
        sway=0.8 * build.scale * (1.0 + take["sway"]),
        surge=0.0,
        nod=1.2,
        head_pitch=4.0 + take["head_pitch"],
        arms=arms,
        lead=lead,
    )
