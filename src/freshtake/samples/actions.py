"""Actions that do not repeat: cheers, with planted feet, and jumps, whose flight is free fall."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from freshtake.motion import Clip
from freshtake.numeric.arrays import Floats
from freshtake.samples.footsteps import Footholds, LegCycle, check_length, foot_track
from freshtake.samples.humanoid import DEFAULT, ArmTrack, FootTrack, Posture, foot_points, perform, turn
from freshtake.samples.smooth_curves import GRAVITY, Curve, Ends, Law, Take, Wander, both, quintic


def timeline(length: float, tempo: float, warp: Wander | None, fps: float) -> tuple[Floats, Floats]:
    """Return the times (seconds) of an action's frames, on the clock and in the action, which lasts `length` seconds.

    The action runs `tempo` times as fast as the clock; `warp` makes it faster and slower.
    """
    check_length(None, None, fps)
    rate = max(tempo, 0.3)
    clock = np.arange(int(np.ceil(1.6 * length / rate * fps)) + 2) / fps
    action = rate * clock
    if warp is not None:
        action = action + rate * warp.integral(clock)[:, 0]
    count = int(np.searchsorted(action, length)) + 1
    return clock[:count], action[:count]


def keys(at: Floats, *knots: tuple[float, float], width: float = 0.1) -> Floats:
    """Return a polyline through (time, value) knots at these times, rounded by a bump of `width` seconds."""
    return Curve(knots, width)(at)


def standing_feet(
    spots: Sequence[tuple[float, float]], pitch: Sequence[Floats], yaw: Sequence[Floats]
) -> tuple[FootTrack, FootTrack]:
    """Return feet whose toe joints stay on their spots (x, z in cm); the heel may rise (pitch below 0)."""
    left, right = (
        FootTrack(np.broadcast_to([x, 2.0, z], (len(tilt), 3)), turned, tilt, np.maximum(tilt, 0.0))
        for (x, z), tilt, turned in zip(spots, pitch, yaw, strict=True)
    )
    return left, right


class Sway:
    """The small slow movement of a standing person: root (cm: x, z), chest and head (degrees: pitch, roll, yaw)."""

    def __init__(self, rng: np.random.Generator, clock: Floats, amount: float) -> None:
        self.root = Wander(rng, 0.5 * amount, 1.0, 2)(clock)
        self.chest = Wander(rng, 0.7 * amount, 0.8, 3)(clock)
        self.head = Wander(rng, 1.0 * amount, 0.8, 3)(clock)


STILL = 0.15  # seconds at rest before a cheer begins
LENGTH = STILL + 1.75  # seconds of a cheer at tempo 1

CHEER_LAW = Law(
    spread={
        "tempo": 0.06,  # relative
        "hold": 0.06,  # seconds longer at the top
        "dip": 0.15,  # relative, for the bend of the knees
        "lean": 1.5,  # degrees
        "heel": 3.0,  # degrees by which the heels rise
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


def cheer(rng: np.random.Generator, *, fps: float = 60.0, amount: float = 1.0) -> Clip:
    """Make one cheer of about 1.9 s, from loose fists in front of the chest to hanging arms.

    Args:
        rng: source of the variation.
        fps: frames per second.
        amount: factor on all variation; 0 gives the mean motion.

    Returns:
        A clip in centimetres, y up, at rest at both ends.
    """
    parameters = CHEER_LAW.draw(rng, amount)
    hold = float(np.clip(parameters["hold"], -0.2, 0.2))
    clock, action = timeline(LENGTH + hold, 1.0 + parameters["tempo"], Wander(rng, 0.03 * amount, 0.4), fps)
    u = action - STILL
    u = u - hold * keys(u, (0.7, 0.0), (1.05, 1.0))
    posture = _cheer_posture(u, parameters, Sway(rng, clock, amount))
    return perform(posture, DEFAULT, fps, "cheer", "made by freshtake: cheer")


def _cheer_posture(u: Floats, take: Take, loose: Sway) -> Posture:
    """Return the full-body posture at the action's times."""
    heel = -max(0.0, 13.0 + take["heel"]) * keys(u, (0.45, 0.0), (0.7, 1.0), (0.85, 1.0), (1.15, 0.0))
    lean = take["lean"] + keys(u, (0.1, 2.0), (0.38, 15.0), (0.68, -6.0), (0.95, -5.0), (1.3, 8.0), (1.65, 2.0))
    nod = keys(u, (0.1, 2.0), (0.38, 8.0), (0.7, -14.0), (0.95, -12.0), (1.3, 6.0), (1.65, 2.0))
    flat = np.zeros(len(u))
    spots = [(sign * 11.0, 13.0) for sign in (1.0, -1.0)]
    return Posture(
        _cheer_root(u, heel, take) + np.stack([loose.root[:, 0], flat, loose.root[:, 1]], axis=-1),
        turn(flat, 0.5 * lean + 2.0, 0.2 * loose.chest[:, 1]),
        turn(loose.chest[:, 2], lean + loose.chest[:, 0], loose.chest[:, 1]),
        turn(loose.head[:, 2], take["head_pitch"] + nod + loose.head[:, 0], 0.5 * loose.head[:, 1]),
        standing_feet(spots, (heel, heel), (flat + 9.0, flat - 9.0)),
        (_cheer_arm(u, take, "left"), _cheer_arm(u, take, "right")),
        curl=keys(u, (0.1, 28.0), (0.6, 38.0), (1.0, 38.0), (1.5, 14.0)),
    )


def _cheer_root(u: Floats, heel: Floats, take: Take) -> Floats:
    """Return the root: down with bent knees, up as arms and heels rise, and slightly down again."""
    down = keys(u, (0.12, 0.0), (0.38, 8.5), (0.62, 0.5), (1.0, 0.5), (1.3, 3.5), (1.6, 0.0))
    dip = (1.0 + take["dip"]) * down
    rise = 13.0 * np.sin(np.radians(-heel))
    height = DEFAULT.standing - 0.5 - dip + 0.75 * rise
    return np.stack([0.0 * u, height, -0.35 * dip - 0.25 * rise], axis=-1)


def _cheer_arm(u: Floats, take: Take, side: str) -> ArmTrack:
    """Return an arm that is bent in front of the chest, sinks with the dip, rises in front of the body, and falls."""
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


JUMP_LAW = Law(
    spread={
        "distance": 6.0,  # cm
        "speed_up": 12.0,  # cm/s at take-off
        "dip": 2.5,  # cm
        "sink": 2.5,  # cm, after landing
        "wait": 0.03,  # seconds before the crouch
        "crouch": 0.03,  # seconds
        "push": 0.012,  # seconds
        "settle": 0.05,  # seconds
        "lean": 2.5,  # degrees
        "tuck_left": 0.10,  # relative: lift of the feet in flight
        "tuck_right": 0.10,
        "arm_swing_left": 8.0,  # degrees
        "arm_swing_right": 8.0,
        "elbow_left": 5.0,  # degrees
        "elbow_right": 5.0,
        "toe_out_left": 2.0,  # degrees
        "toe_out_right": 2.0,
        "width": 1.2,  # cm
    },
    correlations={
        both("tuck"): 0.8,
        both("arm_swing"): 0.7,
        both("elbow"): 0.6,
        both("toe_out"): 0.4,
        ("speed_up", "dip"): 0.5,
        ("dip", "crouch"): 0.4,
        ("speed_up", "sink"): 0.4,
    },
)

ROLL_OFF = 0.05  # seconds from when the toe joint leaves the floor to take-off: the toes push last


@dataclass(frozen=True)
class Flight:
    """The times of the phases of a jump (seconds), and the state at take-off (cm, cm/s)."""

    crouch: float
    low: float
    leave: float
    land: float
    sunk: float
    up: float
    height: float
    rise: float
    ahead: float
    forward: float

    @property
    def end(self) -> float:
        """Length of the clip in seconds: at its end the arms hang still, too."""
        return self.up + 0.35


def jump(rng: np.random.Generator, *, fps: float = 60.0, amount: float = 1.0) -> Clip:
    """Make a jump of about 0.8 m from both feet onto both feet; between take-off and landing the root falls freely.

    Args:
        rng: source of the variation.
        fps: frames per second.
        amount: factor on all variation; 0 gives the mean motion.

    Returns:
        A clip in centimetres, y up: at rest with the arms held forward, then at rest with hanging arms.
    """
    parameters = JUMP_LAW.draw(rng, amount)
    far = 80.0 + parameters["distance"]
    flight = plan_flight(far, parameters)
    time, _ = timeline(flight.end, 1.0, None, fps)
    posture = _jump_posture(time, flight, far, parameters, Sway(rng, time, 0.7 * amount))
    return perform(posture, DEFAULT, fps, "jump", "made by freshtake: jump, 0.8 m")


def _jump_posture(time: Floats, flight: Flight, far: float, take: Take, loose: Sway) -> Posture:
    """Return the full-body posture; the sway of standing fades during the jump."""
    busy = keys(time, (flight.crouch, 0.0), (flight.low, 1.0), (flight.sunk, 1.0), (flight.up, 0.0))
    root = root_track(time, flight, far, take)
    root[:, 0] += (1.0 - busy) * loose.root[:, 0]
    bent = keys(
        time, (flight.crouch, 3.0), (flight.low - 0.05, 42.0), (flight.leave, 8.0), (flight.leave + 0.2, 14.0),
        (flight.land, 32.0), (flight.sunk, 40.0), (flight.up - 0.1, 3.0), width=0.12
    )  # fmt: skip
    lean = take["lean"] * busy + bent
    left, right = (_foot(time, flight, far, take, side) for side in ("left", "right"))
    return Posture(
        root,
        turn(np.zeros(len(time)), 0.55 * lean + 2.0),
        turn(loose.chest[:, 2], lean + loose.chest[:, 0], loose.chest[:, 1]),
        turn(loose.head[:, 2], 0.25 * lean + 2.0 + loose.head[:, 0], 0.5 * loose.head[:, 1]),
        (left, right),
        (_jump_arm(time, flight, take, "left"), _jump_arm(time, flight, take, "right")),
    )


def plan_flight(far: float, take: Take) -> Flight:
    """Return the times and the take-off state of a free fall that carries the root far enough."""
    rise = max(175.0 + 0.35 * far + take["speed_up"], 80.0)
    height, landing = DEFAULT.standing + 0.5, DEFAULT.standing - 13.0
    air = (rise + np.sqrt(rise**2 + 2.0 * GRAVITY * (height - landing))) / GRAVITY
    ahead, behind = 22.0, -0.14 * far
    forward = (far + behind - ahead) / air
    crouch = 0.22 + take["wait"]
    low = crouch + 0.46 + take["crouch"]
    leave = low + 0.31 + take["push"]
    land = leave + float(air)
    sunk = land + 0.24
    return Flight(crouch, low, leave, land, sunk, sunk + 0.62 + take["settle"], height, rise, ahead, float(forward))


def root_track(time: Floats, flight: Flight, far: float, take: Take) -> Floats:
    """Return the root: quintic pieces that join free fall at both ends with equal velocity and acceleration."""
    stand = DEFAULT.standing - 0.5
    low, sunk = stand - 24.0 - take["dip"], stand - 27.0 - take["sink"]
    air = flight.land - flight.leave
    fall, drop = flight.rise - GRAVITY * air, flight.height + flight.rise * air - 0.5 * GRAVITY * air**2
    state = np.array(  # (height, ahead), their velocities, their accelerations
        [
            [(stand, 0.0), (0.0, 0.0), (0.0, 0.0)],
            [(low, -2.0), (0.0, 20.0), (700.0, 250.0)],
            [(flight.height, flight.ahead), (flight.rise, flight.forward), (-GRAVITY, 0.0)],
            [(drop, flight.ahead + flight.forward * air), (fall, flight.forward), (-GRAVITY, 0.0)],
            [(sunk, far - 5.0), (0.0, 0.25 * flight.forward), (600.0, -100.0)],
            [(stand, far), (0.0, 0.0), (0.0, 0.0)],
        ]
    )
    when = np.array([flight.crouch, flight.low, flight.leave, flight.land, flight.sunk, flight.up])
    root = np.zeros((len(time), 3))
    root[:, 1:] = pieced(time, when, state)
    return root


def pieced(time: Floats, when: Floats, state: Floats) -> Floats:
    """Return quintic pieces through states (n, 3: position, velocity, acceleration; columns) at times `when`."""
    piece = np.clip(np.searchsorted(when, time, side="right") - 1, 0, len(when) - 2)
    span = np.diff(when)[piece][:, None]
    share = np.clip((time[:, None] - when[piece][:, None]) / span, 0.0, 1.0)
    start, end = (
        Ends(part[:, 0], part[:, 1] * span, part[:, 2] * span**2) for part in (state[piece], state[piece + 1])
    )
    return quintic(share, start, end)


def _foot(time: Floats, flight: Flight, far: float, take: Take, side: str) -> FootTrack:
    """Return a foot that is planted, rolls off over the toe joint, flies, and lands heel first."""
    pitch = Curve(
        (
            (flight.low + 0.1, 0.0), (flight.leave - 0.07, -26.0), (flight.leave, -56.0), (flight.leave + 0.09, -74.0),
            (flight.leave + 0.25, -38.0), (flight.land - 0.1, 6.0), (flight.land, 12.0), (flight.land + 0.02, 11.0),
            (flight.land + 0.1, 0.0),
        ),
        0.06,
    )  # fmt: skip
    lift = 34.0 * (1.0 + take[f"tuck_{side}"])
    leg = LegCycle(((0.0, 1.0),), pitch, (lift,), pitch, pitch, crest=(3, 3))
    sign = 1.0 if side == "left" else -1.0
    yaw = sign * (7.0 + take[f"toe_out_{side}"])
    toe, heel = foot_points(DEFAULT)
    spot = sign * (10.0 + 0.5 * take["width"]) + toe[2] * np.sin(np.radians(yaw))
    ahead = toe[2] * np.cos(np.radians(yaw))
    holds = Footholds(
        np.array([-1e3, flight.land, 1e4]),
        np.array([flight.leave - ROLL_OFF, 1e3, 2e4]),
        np.array([[spot, 2.0, ahead + step] for step in (0.0, far, far)]),
        np.full(3, yaw),
        np.full(3, lift),
    )
    return foot_track(time, leg, holds, toe, heel)


def _jump_arm(time: Floats, flight: Flight, take: Take, side: str) -> ArmTrack:
    """Return an arm: forward, back in the crouch, up at take-off, down to balance the landing, hanging."""
    swing, elbow = take[f"arm_swing_{side}"], take[f"elbow_{side}"]
    flexion = keys(
        time, (flight.crouch, 78.0), (flight.crouch + 0.15, 60.0), (flight.low - 0.02, -52.0 - swing),
        (flight.low + 0.08, -40.0), (flight.leave, 118.0 + swing), (flight.leave + 0.18, 112.0 + swing),
        (flight.land, 55.0), (flight.sunk + 0.05, 38.0), (flight.up + 0.1, 3.0), width=0.12
    )  # fmt: skip
    bent = elbow + keys(
        time, (flight.crouch, 18.0), (flight.low, 22.0), (flight.leave - 0.1, 48.0), (flight.leave + 0.1, 25.0),
        (flight.land, 35.0), (flight.sunk + 0.1, 32.0), (flight.up, 18.0)
    )  # fmt: skip
    return ArmTrack(flexion, keys(time, (flight.crouch, 8.0), (flight.leave, 11.0), (flight.up, 8.0)), 0.0 * time, bent)
