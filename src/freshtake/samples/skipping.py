"""Skipping: step and hop on one foot, step and hop on the other."""

from __future__ import annotations

import numpy as np

from freshtake.motion import Clip
from freshtake.samples.footsteps import LegCycle
from freshtake.samples.gait import Request, gait_take
from freshtake.samples.gait_path import checked_amount, checked_length, checked_travel
from freshtake.samples.gait_plan import ArmSwing, GaitPlan
from freshtake.samples.humanoid import DEFAULT, Build
from freshtake.samples.running import pace_of, springy_carriage
from freshtake.samples.smooth_curves import Curve
from freshtake.samples.variation_law import Take
from freshtake.samples.walking import LAW, ROUNDING

SPEEDS = (1.0, 3.0)  # m/s
STEP, HOP = (0.0, 0.14), (0.415, 0.472)  # contacts of a skipping foot
PUSHES = ((0.0, 0.17, 0.295), (0.395, 0.48, 0.205))  # start, end, share of the impulse
LEAD = 0.28  # cycles by which trunk and arms are earlier than in a walk: the knee that rises leads, not the heel


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
    take: Take | None = None,
) -> Clip:
    """Skipping at `speed` (m/s): step and hop right, step and hop left in one cycle; the rest as in `walk`."""
    checked_length(frames, cycles, fps)
    checked_amount(amount)
    checked_travel("skip", speed, SPEEDS, turn_rate)
    want = Request(frames, cycles, fps, amount, take)
    clip = gait_take(rng, LAW, lambda parameters: skip_plan(speed, turn_rate, build, parameters), want, build)
    provenance = f"made by freshtake: skip, speed {speed:g} m/s, turn rate {turn_rate:g} deg/s"
    return clip.changed(name="skip", provenance=provenance)


def skip_plan(speed: float, turn_rate: float, build: Build, take: Take) -> GaitPlan:
    """The gait plan of one take of skipping: each foot lands twice, with the hop between and the other knee high.

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
        springy_carriage(0.8, 9.0, _arms(take), build, take, LEAD),
        max(8.0 * build.scale + take["width"], 2.0),
        (5.0 + take["toe_out_left"], 5.0 + take["toe_out_right"]),
        tuple(pushes),
    )


def _arms(take: Take) -> tuple[ArmSwing, ArmSwing]:
    """Arms that swing high, each forward with the other side's knee."""
    left, right = (
        ArmSwing(
            12.0,
            46.0 * (1.0 + take[f"arm_swing_{side}"]),
            42.0 + take[f"elbow_{side}"],
            16.0,
            13.0,
            lag=-LEAD + take[f"arm_lag_{side}"],
        )
        for side in ("left", "right")
    )
    return left, right


def _skip_leg(land: float, fast: float, build: Build, take: Take, side: str) -> LegCycle:
    """Step with a bent knee, push off into the hop, land on the same foot, roll off; then the knee is driven up."""
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
