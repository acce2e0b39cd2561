"""Skipping: step and hop on one foot, step and hop on the other."""

from __future__ import annotations

import numpy as np

from freshtake.motion import Clip
from freshtake.samples.footsteps import LegCycle
from freshtake.samples.gait import Request, gait_take
from freshtake.samples.gait_path import checked_amount, checked_length, checked_travel
from freshtake.samples.gait_plan import GaitPlan
from freshtake.samples.humanoid import DEFAULT, Build
from freshtake.samples.running import bent_arms, pace_of, springy_carriage
from freshtake.samples.smooth_curves import Curve
from freshtake.samples.variation_law import Take
from freshtake.samples.walking import LAW, ROUNDING

SPEEDS = (1.0, 3.0)  # m/s
STEP, HOP = (0.0, 0.15), (0.335, 0.5)  # contacts of a skipping foot
PUSHES = ((0.0, 0.16, 0.22), (0.33, 0.46, 0.28))  # start, end, share of the impulse


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
    clip = gait_take(rng, LAW, lambda told: skip_plan(speed, turn_rate, build, told), want, build)
    told = f"made by freshtake: skip, speed {speed:g} m/s, turn rate {turn_rate:g} deg/s"
    return clip.changed(name="skip", provenance=told)


def skip_plan(speed: float, turn_rate: float, build: Build, take: Take) -> GaitPlan:
    """The gait plan of one take of skipping: each foot lands twice, with the hop between and the other knee high."""
    size = (build.leg / DEFAULT.leg) ** 0.5
    steps = (104.0 + 8.0 * speed) / size
    half = 0.5 + take["balance"]
    legs = (_skip_leg(half, speed / 1.8, build, take, "left"), _skip_leg(0.0, speed / 1.8, build, take, "right"))
    pushes = [(land + start, land + end, share) for land in (0.0, half) for start, end, share in PUSHES]
    return GaitPlan(
        pace_of(speed, steps, turn_rate, take),
        legs,
        springy_carriage(0.8, 5.0, bent_arms(34.0, 45.0, take), build, take),
        max(8.0 * build.scale + take["width"], 2.0),
        (5.0 + take["toe_out_left"], 5.0 + take["toe_out_right"]),
        tuple(pushes),
    )


def _skip_leg(land: float, fast: float, build: Build, take: Take, side: str) -> LegCycle:
    """Step, push off into the hop, land on the same foot, roll off; then the knee is driven up."""
    pitch = [(0.0, 8.0), (0.0375, 8.0), (0.06, 0.0), (0.135, 0.0), (0.165, -44.0), (0.2, -64.0), (0.24, -44.0)]
    pitch += [(0.295, 0.0), (0.42, 0.0), (0.46, -22.0), (0.5, -46.0)]
    pitch += [(0.56, -72.0), (0.64, -60.0), (0.75, -42.0), (0.86, -18.0), (0.94, 8.0), (1.0, 8.0)]
    raised = 1.0 + take[f"lift_{side}"]
    carries = [(0.0, 1.0), (STEP[1], 1.0), (0.16, 0.0), (0.325, 0.0), (HOP[0], 1.0), (HOP[1], 1.0), (0.51, 0.0)]
    bend = 20.0 + take["knee_bend"]
    return LegCycle(
        tuple((land + a, land + b) for a, b in (STEP, HOP)),
        Curve(pitch, 0.025, 1.0, land),
        (7.0 * build.scale * raised, 31.0 * build.scale * fast**0.4 * raised),
        Curve([(0.0, bend), (0.5, bend), (1.0, bend)], ROUNDING, 1.0, land),
        Curve([*carries, (0.99, 0.0), (1.0, 1.0)], 0.006, 1.0, land),
        under=0.4,
        crest=(4, 4),
        settle=0.15,
    )
