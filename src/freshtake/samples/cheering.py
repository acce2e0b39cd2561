"""Cheering: both arms thrown up above the head and down again; knees and trunk help, the feet stay."""

from __future__ import annotations

import numpy as np

from freshtake.motion import Clip
from freshtake.numeric.arrays import Floats
from freshtake.samples.acting import Sway, keys, standing_feet, sway, timeline
from freshtake.samples.gait_path import checked_amount
from freshtake.samples.humanoid import DEFAULT, Build
from freshtake.samples.puppet import ArmTrack, Posture, perform, turn
from freshtake.samples.variation_law import Law, Take, Wander, both

STILL = 0.15  # seconds at rest before it begins
LENGTH = STILL + 1.75  # seconds at tempo 1

LAW = Law(
    spread={
        "tempo": 0.06,  # relative
        "hold": 0.06,  # seconds longer at the top
        "dip": 0.15,  # relative: how deep the knees bend
        "lean": 1.5,  # degrees
        "heel": 3.0,  # degrees by which the heels rise more
        "reach_left": 7.0,  # degrees of shoulder flexion at the top
        "reach_right": 7.0,
        "spread_left": 4.0,  # degrees outward at the top
        "spread_right": 4.0,
        "elbow_left": 6.0,  # degrees
        "elbow_right": 6.0,
        "delay_left": 0.03,  # seconds
        "delay_right": 0.03,
        "head_pitch": 3.0,  # degrees
    },
    correlations={
        both("reach"): 0.7,
        both("spread"): 0.6,
        both("elbow"): 0.6,
        both("delay"): 0.7,
        ("tempo", "dip"): 0.3,
        ("lean", "head_pitch"): -0.3,
    },
)


def cheer(
    rng: np.random.Generator,
    *,
    build: Build = DEFAULT,
    fps: float = 60.0,
    amount: float = 1.0,
    take: Take | None = None,
) -> Clip:
    """One cheer of about 1.9 s, from loose fists before the chest to hanging arms, at rest at both ends.

    `take` fixes the parameters of `cheering.LAW`.
    """
    drawn = LAW.draw(rng, checked_amount(amount))
    parameters = take if take is not None else drawn
    hold = float(np.clip(parameters["hold"], -0.2, 0.2))
    time = timeline(LENGTH + hold, 1.0 + parameters["tempo"], Wander(rng, 0.03 * amount, 0.4), fps)
    u = time.action - STILL
    u = u - hold * keys(u, (0.7, 0.0), (1.05, 1.0))
    posture = _posture(u, build, parameters, sway(rng, time.clock, amount))
    return perform(posture, build, fps, "cheer", "made by freshtake: cheer")


def _posture(u: Floats, build: Build, take: Take, loose: Sway) -> Posture:
    """The whole body at the action's times."""
    heel = -max(0.0, 13.0 + take["heel"]) * keys(u, (0.45, 0.0), (0.7, 1.0), (0.85, 1.0), (1.15, 0.0))
    lean = take["lean"] + keys(u, (0.1, 2.0), (0.38, 15.0), (0.68, -6.0), (0.95, -5.0), (1.3, 8.0), (1.65, 2.0))
    nod = keys(u, (0.1, 2.0), (0.38, 8.0), (0.7, -14.0), (0.95, -12.0), (1.3, 6.0), (1.65, 2.0))
    flat = np.zeros(len(u))
    spots = [(sign * 11.0 * build.scale, 13.0 * build.scale) for sign in (1.0, -1.0)]
    return Posture(
        _root(u, heel, build, take) + np.stack([loose.root[:, 0], flat, loose.root[:, 1]], axis=-1),
        turn(flat, 0.5 * lean + 2.0, 0.2 * loose.chest[:, 1]),
        turn(loose.chest[:, 2], lean + loose.chest[:, 0], loose.chest[:, 1]),
        turn(loose.head[:, 2], take["head_pitch"] + nod + loose.head[:, 0], 0.5 * loose.head[:, 1]),
        standing_feet(build, spots, (heel, heel), (flat + 9.0, flat - 9.0)),
        (_arm(u, take, "left"), _arm(u, take, "right")),
        curl=keys(u, (0.1, 28.0), (0.6, 38.0), (1.0, 38.0), (1.5, 14.0)),
    )


def _root(u: Floats, heel: Floats, build: Build, take: Take) -> Floats:
    """Down with bent knees, up as the arms go up, and down again a little; the heels' rise lifts the body."""
    down = keys(u, (0.12, 0.0), (0.38, 8.5), (0.62, 0.5), (1.0, 0.5), (1.3, 3.5), (1.6, 0.0))
    dip = (1.0 + take["dip"]) * build.scale * down
    rise = 13.0 * build.scale * np.sin(np.radians(-heel))
    height = build.standing - 0.5 * build.scale - dip + 0.75 * rise
    return np.stack([0.0 * u, height, -0.35 * dip - 0.25 * rise], axis=-1)


def _arm(u: Floats, take: Take, side: str) -> ArmTrack:
    """From bent before the chest, down a little with the dip, up past the front, and down."""
    u = u - take[f"delay_{side}"]
    top = 163.0 + take[f"reach_{side}"]
    open_ = 14.0 + take[f"spread_{side}"]
    bent = take[f"elbow_{side}"]
    return ArmTrack(
        keys(
            u, (0.08, 2.0), (0.32, -22.0), (0.45, 30.0), (0.66, top), (0.98, top), (1.22, 70.0), (1.45, 2.0), (1.7, 2.0)
        ),
        keys(u, (0.1, 14.0), (0.4, 13.0), (0.7, open_), (0.95, open_), (1.25, 13.0), (1.6, 8.0)),
        keys(u, (0.1, 3.0), (0.5, 8.0), (0.8, 0.0), (1.2, 8.0), (1.6, 3.0)),
        bent + keys(u, (0.1, 118.0), (0.34, 100.0), (0.5, 75.0), (0.7, 18.0), (0.95, 20.0), (1.2, 70.0), (1.55, 22.0)),
        keys(u, (0.4, 0.0), (0.7, 18.0), (0.95, 18.0), (1.3, 0.0)),
    )
