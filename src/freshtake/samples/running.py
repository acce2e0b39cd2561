"""Runs and skips: gaits in which the body falls freely between the pushes of the feet."""

import numpy as np

from freshtake.motion import Clip
from freshtake.samples.footsteps import LegCycle
from freshtake.samples.gait import ArmSwing, Carriage, GaitPlan, Request, gait_take
from freshtake.samples.humanoid import DEFAULT, Build
from freshtake.samples.smooth_curves import Curve, Take
from freshtake.samples.walking import LAW, ROUNDING, pace_of, varied_arms

RUN_SPEEDS = (1.8, 5.0)  # m/s


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
) -> Clip:
    """Make a run from one landing of the right foot to another.

    Args:
        rng: source of the variation.
        frames: length in frames; by default from `cycles`.
        cycles: length in cycles, first and last frame included.
        speed: metres per second.
        turn_rate: degrees per second to the left.
        build: the performer's body.
        fps: frames per second.
        amount: factor on all variation; 0 gives the mean motion.

    Returns:
        A clip in centimetres, y up, that starts above the origin and faces +z.
    """
    request = Request(speed, turn_rate, build, frames, cycles, fps, amount)
    return gait_take(rng, "run", LAW, RUN_SPEEDS, run_plan, request)


def run_plan(speed: float, turn_rate: float, build: Build, take: Take) -> GaitPlan:
    """Return the gait plan of one take of running.

    As in recreational runners, cadence rises by 10 steps/min per m/s from 163 at 3 m/s, and a foot is planted for
    0.24 s at 3 m/s and for less at higher speeds.
    """
    size = (build.leg / DEFAULT.leg) ** 0.5
    steps = (133.0 + 10.0 * speed) / size
    stance = 0.24 * size * (3.0 / speed) ** 0.6 * steps / 120.0
    half = 0.5 + take["balance"]
    fast = speed / 3.0
    legs = (_run_leg(half, stance, fast, build, take, "left"), _run_leg(0.0, stance, fast, build, take, "right"))
    return GaitPlan(
        pace_of(speed, steps, turn_rate, take),
        legs,
        springy_carriage(fast, 7.0, ArmSwing(-8.0, 28.0 * fast, 82.0, 10.0, 12.0, lag=0.06), build, take),
        max(5.0 * build.scale + take["width"], 2.0),
        (4.0 + take["toe_out_left"], 4.0 + take["toe_out_right"]),
        ((0.0, stance, 0.5), (half, half + stance, 0.5)),
    )


def _run_leg(land: float, stance: float, fast: float, build: Build, take: Take, side: str) -> LegCycle:
    """Return a leg that lands heel first, raises the heel after mid-stance, and lifts it high in swing."""
    t, w = stance, 1.0 - stance
    tuck = fast**0.5
    pitch = [(0.0, 9.0), (0.12 * t, 9.0), (0.25 * t, 0.0), (0.48 * t, 0.0), (0.75 * t, -22.0), (t, -62.0)]
    later = [(0.1, -84.0), (0.24, -98.0 * tuck), (0.4, -94.0 * tuck), (0.55, -66.0), (0.7, -34.0), (0.84, -4.0)]
    pitch += [(t + w * x, y) for x, y in later] + [(t + w * 0.93, 9.0), (1.0, 9.0)]
    lift = 18.0 * build.scale * fast**0.5 * (1.0 + take[f"lift_{side}"])
    carries = [(0.0, 1.0), (t - 0.02, 1.0), (t - 0.01, 0.0), (0.99, 0.0), (1.0, 1.0)]
    bend = 27.0 + take["knee_bend"]
    return LegCycle(
        # The toe joint leaves the floor 0.05 cycles before the tips of the toes.
        ((land, land + stance - 0.05),),
        Curve(pitch, 0.075 * t, 1.0, land),
        (lift,),
        Curve([(0.0, bend), (0.5, bend), (1.0, bend)], ROUNDING, 1.0, land),
        Curve(carries, 0.006, 1.0, land),
        under=(0.31,),
        crest=(3, 3),
        settle=0.08,
    )


def springy_carriage(
    vigor: float, lean: float, arms: ArmSwing, build: Build, take: Take, lead: float = 0.0
) -> Carriage:
    """Return the trunk of a run (vigor 1 at 3 m/s) or a skip; `lead` as in `Carriage`."""
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
        arms=varied_arms(arms, take),
        lead=lead,
    )


SKIP_SPEEDS = (1.0, 3.0)  # m/s
STEP, HOP = (0.0, 0.14), (0.415, 0.472)  # contacts of a skipping foot
PUSHES = ((0.0, 0.17, 0.295), (0.395, 0.48, 0.205))  # start, end, fraction of the impulse
LEAD = 0.28  # cycles by which trunk and arms move earlier than in a walk: they follow the rising knee, not the heel


def skip(
    rng: np.random.Generator,
    *,
    frames: int | None = None,
    cycles: float = 1.0,
    speed: float = 1.8,
    turn_rate: float = 0.0,
    build: Build = DEFAULT,
    fps: float = 60.0,
    amount: float = 1.0,
) -> Clip:
    """Make skips; a cycle is a step and a hop on the right foot, then on the left.

    Args:
        rng: source of the variation.
        frames: length in frames; by default from `cycles`.
        cycles: length in cycles, first and last frame included.
        speed: metres per second.
        turn_rate: degrees per second to the left.
        build: the performer's body.
        fps: frames per second.
        amount: factor on all variation; 0 gives the mean motion.

    Returns:
        A clip in centimetres, y up, that starts above the origin and faces +z.
    """
    request = Request(speed, turn_rate, build, frames, cycles, fps, amount)
    return gait_take(rng, "skip", LAW, SKIP_SPEEDS, skip_plan, request)


def skip_plan(speed: float, turn_rate: float, build: Build, take: Take) -> GaitPlan:
    """Return the gait plan of one take of skipping: each foot lands twice, with a hop between.

    A cycle of two hops takes 1.4 s at 1.8 m/s; real takes at about 2 m/s take 1.3 to 1.6 s.
    """
    size = (build.leg / DEFAULT.leg) ** 0.5
    steps = (71.0 + 8.0 * speed) / size
    half = 0.5 + take["balance"]
    legs = (_skip_leg(half, speed / 1.8, build, take, "left"), _skip_leg(0.0, speed / 1.8, build, take, "right"))
    pushes = [(land + start, land + end, share) for land in (0.0, half) for start, end, share in PUSHES]
    return GaitPlan(
        pace_of(speed, steps, turn_rate, take),
        legs,
        # The arms swing high, each forward with the other side's knee.
        springy_carriage(0.8, 9.0, ArmSwing(12.0, 46.0, 42.0, 16.0, 13.0, lag=-LEAD), build, take, LEAD),
        max(8.0 * build.scale + take["width"], 2.0),
        (5.0 + take["toe_out_left"], 5.0 + take["toe_out_right"]),
        tuple(pushes),
    )


def _skip_leg(land: float, fast: float, build: Build, take: Take, side: str) -> LegCycle:
    """Return a leg that steps with a bent knee, hops, lands again and rolls off; then the knee rises."""
    pitch = [(0.0, 8.0), (0.03, 8.0), (0.05, 0.0), (0.125, 0.0), (0.155, -26.0), (0.185, -42.0), (0.235, -40.0)]
    pitch += [(0.33, -34.0), (0.4, -25.0), (0.43, -8.0), (0.45, -14.0), (0.48, -40.0), (0.52, -66.0)]
    pitch += [(0.58, -78.0), (0.66, -66.0), (0.75, -42.0), (0.86, -16.0), (0.94, 8.0), (1.0, 8.0)]
    raised = 1.0 + take[f"lift_{side}"]
    carries = [(0.0, 1.0), (STEP[1], 1.0), (0.15, 0.0), (0.405, 0.0), (HOP[0], 1.0), (HOP[1], 1.0), (0.482, 0.0)]
    bend = 22.0 + take["knee_bend"]
    return LegCycle(
        tuple((land + a, land + b) for a, b in (STEP, HOP)),
        Curve(pitch, 0.025, 1.0, land),
        (18.0 * build.scale * raised, 43.0 * build.scale * fast**0.4 * raised),
        Curve([(0.0, bend), (0.5, bend), (1.0, bend)], ROUNDING, 1.0, land),
        Curve([*carries, (0.99, 0.0), (1.0, 1.0)], 0.006, 1.0, land),
        under=(0.68, -1.4),
        crest=(3, 3),
        late=2,
        settle=0.15,
    )
