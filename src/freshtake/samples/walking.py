"""Walks over a range of speeds, turn rates, builds and styles."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.samples.footsteps import LegCycle, Pace
from freshtake.samples.gait import ArmSwing, Carriage, GaitPlan, Request, gait_take
from freshtake.samples.humanoid import DEFAULT, Build
from freshtake.samples.smooth_curves import Curve, Law, Take, both


@dataclass(frozen=True)
class Style:
    """Factors (1: as in a normal walk) and additions (degrees, centimetres, fractions of the cycle)."""

    cadence: float = 1.0
    stance_left: float = 0.0  # added to the fraction of the cycle in which the foot is planted
    stance_right: float = 0.0
    late_left: float = 0.0  # cycles by which the left foot lands after the middle of the cycle
    stiff_left: float = 0.0  # 0..1: stiffness of the left knee, in stance and in swing
    knee_bend: float = 0.0
    loading: float = 1.0  # factor on the knee's flexion after heel strike
    heel_strike: float = 1.0  # factor on the foot's pitch at landing
    push_off: float = 1.0  # factor on the foot's pitch at push-off
    lift: float = 1.0
    width: float = 1.0
    toe_out: float = 0.0
    lean: float = 0.0
    pelvis_tilt: float = 0.0
    pelvis_yaw: float = 1.0
    sway: float = 1.0
    lurch: float = 0.0
    head_pitch: float = 2.0
    arm_swing: float = 1.0
    arm_flexion: float = -3.0
    arm_abduction: float = 7.0
    elbow: float = 0.0


STYLES = {
    "normal": Style(),
    "limp": Style(
        cadence=1.12, stance_left=-0.14, stance_right=0.03, late_left=0.10, stiff_left=0.9, knee_bend=2.0,
        heel_strike=0.7, push_off=0.9, lurch=20.0, sway=1.4, head_pitch=6.0, lean=4.0, arm_swing=0.6, elbow=8.0,
    ),
    "crouch": Style(
        cadence=1.05, knee_bend=45.0, loading=0.8, heel_strike=0.5, push_off=0.75, width=1.5, lean=30.0,
        pelvis_tilt=14.0, head_pitch=8.0, arm_swing=0.6, arm_flexion=10.0, arm_abduction=13.0, elbow=30.0,
    ),
    "proud": Style(
        cadence=0.96, heel_strike=1.15, lift=1.2, lean=-8.0, pelvis_tilt=1.0, pelvis_yaw=1.25, head_pitch=-7.0,
        arm_swing=1.5, arm_flexion=-6.0, arm_abduction=11.0, toe_out=3.0,
    ),
    "sad": Style(
        cadence=0.92, knee_bend=5.0, heel_strike=0.6, push_off=0.85, lift=0.7, lean=12.0, pelvis_tilt=-2.0,
        head_pitch=30.0, arm_swing=0.4, arm_flexion=4.0, arm_abduction=5.0, elbow=-6.0,
    ),
}  # fmt: skip


SPEEDS = (0.3, 2.3)  # m/s
ROUNDING = 0.05  # width of the bump that smooths the curves over the cycle

LAW = Law(
    spread={
        "tempo": 0.02,  # relative change of the cadence
        "stride": 0.02,  # relative
        "knee_bend": 1.5,  # degrees of the supporting leg, which determine the height of the pelvis
        "lift_left": 0.10,  # relative, for the swinging foot
        "lift_right": 0.10,
        "arm_swing_left": 0.15,  # relative
        "arm_swing_right": 0.15,
        "elbow_left": 4.0,  # degrees
        "elbow_right": 4.0,
        "arm_lag_left": 0.012,  # cycles
        "arm_lag_right": 0.012,
        "toe_out_left": 2.0,  # degrees
        "toe_out_right": 2.0,
        "width": 1.0,  # cm
        "lean": 1.2,  # degrees
        "pelvis_yaw": 0.12,  # relative
        "sway": 0.12,  # relative
        "head_pitch": 2.0,  # degrees
        "balance": 0.006,  # cycles between the left heel strike and the middle of the cycle
    },
    correlations={
        ("tempo", "stride"): 0.3,
        both("lift"): 0.6,
        both("arm_swing"): 0.7,
        both("elbow"): 0.6,
        both("arm_lag"): 0.5,
        both("toe_out"): 0.4,
        ("lean", "head_pitch"): 0.3,
        ("width", "sway"): 0.5,
    },
)


def walk(
    rng: np.random.Generator,
    *,
    frames: int | None = None,
    cycles: float = 1.0,
    speed: float = 1.3,
    turn_rate: float = 0.0,
    build: Build = DEFAULT,
    style: str = "normal",
    fps: float = 60.0,
    amount: float = 1.0,
) -> Clip:
    """Make a walk that starts at a right heel strike and, if `cycles` is an integer, ends at one.

    Args:
        rng: source of the variation.
        frames: length in frames; by default from `cycles`.
        cycles: length in cycles, first and last frame included.
        speed: metres per second.
        turn_rate: degrees per second to the left.
        build: the performer's body.
        style: a name in `STYLES`.
        fps: frames per second.
        amount: factor on all variation; 0 gives the mean motion.

    Returns:
        A clip in centimetres, y up, that starts above the origin and faces +z.
    """
    if style not in STYLES:
        raise UsageError(f"there is no style {style!r}; the styles are {', '.join(STYLES)}")
    request = Request(speed, turn_rate, build, frames, cycles, fps, amount)
    clip = gait_take(rng, f"walk, {style}", LAW, SPEEDS, partial(walk_plan, STYLES[style]), request)
    return clip if style == "normal" else clip.changed(name=f"walk_{style}")


def cadence(speed: float, build: Build) -> float:
    """Return steps per minute at a speed (m/s): the walk ratio is constant and scales with leg length to the 1.5."""
    # Step length over cadence, m per (step/min), is the same at all ordinary speeds (Sekiya 1998).
    ratio = 0.0062 * (build.leg / DEFAULT.leg) ** 1.5
    return float(np.sqrt(60.0 * speed / ratio))


def pace_of(speed: float, steps: float, turn_rate: float, take: Take) -> Pace:
    """Return period and stride at a speed (m/s) and a cadence (steps per minute), varied by the take."""
    stride = 100.0 * speed / steps * 120.0 * (1.0 + take["stride"])
    return Pace(120.0 / steps / (1.0 + take["tempo"]), stride, turn_rate)


def walk_plan(style: Style, speed: float, turn_rate: float, build: Build, take: Take) -> GaitPlan:
    """Return the gait plan of one take."""
    half = 0.5 + style.late_left + take["balance"]
    # A foot is planted for 62 % of the cycle at 1.3 m/s, and for less at higher speeds.
    stance = float(np.clip(0.675 - 0.042 * speed, 0.56, 0.67))
    legs = (
        _leg(half, stance + style.stance_left, "left", speed, build, style, take),
        _leg(0.0, stance + style.stance_right, "right", speed, build, style, take),
    )
    return GaitPlan(
        pace_of(speed, cadence(speed, build) * style.cadence, turn_rate, take),
        legs,
        _carriage(speed, build, style, take),
        max(9.0 * build.scale * build.hip_width * style.width + take["width"], 4.0),
        (7.0 + style.toe_out + take["toe_out_left"], 7.0 + style.toe_out + take["toe_out_right"]),
    )


def _leg(land: float, stance: float, side: str, speed: float, build: Build, style: Style, take: Take) -> LegCycle:
    """Return one leg, which lands at a phase and is planted for a fraction of the cycle."""
    brisk = speed / 1.3
    t = stance / 0.62
    carries = [(0.0, 0.6), (0.07, 1.0), (0.36 * t, 1.0), (0.56 * t, 0.0), (0.9, 0.0), (1.0, 0.6)]
    stiff = style.stiff_left if side == "left" else 0.0
    lift = 9.0 * build.scale * style.lift * brisk**0.3 * (1.0 - 0.15 * stiff) * (1.0 + take[f"lift_{side}"])
    heel, push = 21.0 * brisk**0.5 * style.heel_strike, style.push_off * brisk**0.4 * (1.0 - 0.6 * stiff)
    load, bend = 12.0 * brisk * style.loading * (1.0 - stiff), 3.5 + style.knee_bend + take["knee_bend"]
    return LegCycle(
        # The toe joint leaves the floor 0.09 cycles before the tips of the toes.
        ((land, land + stance - 0.09),),
        Curve(_pitch_knots(stance, heel, push), ROUNDING, 1.0, land),
        (lift,),
        Curve([(x, y + bend) for x, y in _knee_knots(t, load)], ROUNDING, 1.0, land),
        Curve(carries, ROUNDING, 1.0, land),
        under=(0.445,),
    )


def _pitch_knots(stance: float, heel: float, push: float) -> list[tuple[float, float]]:
    """Return the pitch of the sole in level walking: it lands on the heel, is flat, pushes off, and swings."""
    t, swing = stance / 0.62, (1.0 - stance) / 0.38
    knots = [(0.0, heel), (0.025 * t, 0.85 * heel), (0.085 * t, 0.0), (0.34 * t, 0.0), (0.44 * t, -7.0 * push)]
    knots += [(0.5 * t, -14.0 * push), (0.55 * t, -28.0 * push), (0.6 * t, -54.0 * push)]
    late = [(0.03, -75.0), (0.08, -76.0), (0.13, -58.0), (0.19, -34.0), (0.24, -14.0)]
    knots += [(stance + swing * x, y * push) for x, y in late]
    return [*knots, (stance + swing * 0.29, 0.3 * heel), (stance + swing * 0.34, heel), (1.0, heel)]


def _knee_knots(t: float, load: float) -> list[tuple[float, float]]:
    """Return the flexion at which a loaded knee aims: it yields by `load` after landing, straightens, and bends."""
    knots = [(0.0, 11.0), (0.06 * t, 11.0 + 0.8 * load), (0.12 * t, 11.0 + load), (0.2 * t, 11.0 + 0.8 * load)]
    knots += [(0.32 * t, 14.0), (0.42 * t, 14.0), (0.5 * t, 19.0), (0.6 * t, 40.0)]
    return [*knots, (0.9, 24.0), (0.95, 14.0), (1.0, 11.0)]


def varied_arms(usual: ArmSwing, take: Take) -> tuple[ArmSwing, ArmSwing]:
    """Return the swing of the left and of the right arm, varied by the take."""
    left, right = (
        replace(
            usual,
            swing=usual.swing * (1.0 + take[f"arm_swing_{side}"]),
            elbow=usual.elbow + take[f"elbow_{side}"],
            lag=usual.lag + take[f"arm_lag_{side}"],
        )
        for side in ("left", "right")
    )
    return left, right


def _carriage(speed: float, build: Build, style: Style, take: Take) -> Carriage:
    """Return trunk and arms of a walk; amplitudes grow with speed."""
    brisk = speed / 1.3
    swing = brisk * style.arm_swing
    arms = ArmSwing(style.arm_flexion, 12.5 * swing, 24.0 + style.elbow, 8.0 * swing, style.arm_abduction, lag=0.03)
    yaw = 5.0 * brisk**0.5 * (1.0 + take["pelvis_yaw"]) * style.pelvis_yaw
    return Carriage(
        lean=2.0 + style.lean + take["lean"],
        pelvis_tilt=3.0 + style.pelvis_tilt,
        pelvis_yaw=yaw,
        pelvis_roll=3.5 * brisk**0.5,
        chest_yaw=0.9 * yaw,
        chest_roll=1.2,
        sway=1.8 * build.scale * style.sway * (1.0 + take["sway"]),
        surge=0.6 * build.scale,
        nod=1.0,
        head_pitch=style.head_pitch + take["head_pitch"],
        arms=varied_arms(arms, take),
        lurch=style.lurch,
    )
