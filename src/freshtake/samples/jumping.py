"""A standing jump forward: crouch, push-off, flight in free fall, landing that gives way, up again, and still."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.numeric.arrays import Floats
from freshtake.samples.acting import Sway, keys, sway, timeline
from freshtake.samples.footsteps import Footholds, LegCycle, foot_track
from freshtake.samples.gait_path import checked_amount
from freshtake.samples.humanoid import DEFAULT, Build
from freshtake.samples.puppet import ArmTrack, FootTrack, Posture, foot_points, perform, turn
from freshtake.samples.smooth_curves import GRAVITY, Curve, Ends, quintic
from freshtake.samples.variation_law import Law, Take, both

LAW = Law(
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

ROLL_OFF = 0.05  # seconds by which the toe joint leaves the floor before the body flies: the toes push last


@dataclass(frozen=True)
class Flight:
    """When the body leaves, lands and stands again (seconds), and its state at leaving (cm, cm/s)."""

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
        """Length of the clip (seconds): until the arms, too, hang still."""
        return self.up + 0.35


def jump(
    rng: np.random.Generator,
    *,
    distance: float = 0.8,
    build: Build = DEFAULT,
    fps: float = 60.0,
    amount: float = 1.0,
    take: Take | None = None,
) -> Clip:
    """A jump over `distance` metres from both feet to both. Between take-off and landing the root falls freely.

    It starts at rest with the arms held forward, and ends at rest with hanging arms. `take` fixes the
    parameters of `jumping.LAW`.
    """
    if not 0.2 <= distance <= 1.4:
        raise UsageError(f"a jump's distance must be 0.2 to 1.4 m, but is {distance}")
    drawn = LAW.draw(rng, checked_amount(amount))
    parameters = take if take is not None else drawn
    far = 100.0 * distance + parameters["distance"]
    flight = plan_flight(far, build, parameters)
    time = timeline(flight.end, 1.0, None, fps).clock
    posture = _posture(time, flight, far, build, parameters, sway(rng, time, 0.7 * amount))
    return perform(posture, build, fps, "jump", f"made by freshtake: jump, {distance:g} m")


def _posture(time: Floats, flight: Flight, far: float, build: Build, take: Take, loose: Sway) -> Posture:
    """The whole body; the sway of standing fades while the body works."""
    busy = keys(time, (flight.crouch, 0.0), (flight.low, 1.0), (flight.sunk, 1.0), (flight.up, 0.0))
    root = root_track(time, flight, far, build, take)
    root[:, 0] += (1.0 - busy) * loose.root[:, 0]
    lean = take["lean"] * busy + _trunk_lean(time, flight)
    left, right = (_foot(time, flight, far, build, take, side) for side in ("left", "right"))
    return Posture(
        root,
        turn(np.zeros(len(time)), 0.55 * lean + 2.0),
        turn(loose.chest[:, 2], lean + loose.chest[:, 0], loose.chest[:, 1]),
        turn(loose.head[:, 2], 0.25 * lean + 2.0 + loose.head[:, 0], 0.5 * loose.head[:, 1]),
        (left, right),
        (_arm(time, flight, take, "left"), _arm(time, flight, take, "right")),
    )


def plan_flight(far: float, build: Build, take: Take) -> Flight:
    """Times and take-off state that carry the root far enough, by the laws of free fall."""
    size = build.scale
    rise = max(175.0 + 0.35 * far + take["speed_up"], 80.0)
    height, landing = build.standing + 0.5 * size, build.standing - 13.0 * size
    air = (rise + np.sqrt(rise**2 + 2.0 * GRAVITY * (height - landing))) / GRAVITY
    ahead, behind = 22.0 * size, -0.14 * far
    forward = (far + behind - ahead) / air
    crouch = 0.22 + take["wait"]
    low = crouch + 0.46 + take["crouch"]
    leave = low + 0.31 + take["push"]
    land = leave + float(air)
    sunk = land + 0.24
    return Flight(crouch, low, leave, land, sunk, sunk + 0.62 + take["settle"], height, rise, ahead, float(forward))


def root_track(time: Floats, flight: Flight, far: float, build: Build, take: Take) -> Floats:
    """The root: quintic pieces that meet free fall at both ends with the same velocity and acceleration."""
    stand = build.standing - 0.5 * build.scale
    low, sunk = stand - 24.0 * build.scale - take["dip"], stand - 27.0 * build.scale - take["sink"]
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
    """Quintic pieces through states (n, 3: place, velocity, acceleration; columns) at times `when`; still outside."""
    piece = np.clip(np.searchsorted(when, time, side="right") - 1, 0, len(when) - 2)
    span = np.diff(when)[piece][:, None]
    share = np.clip((time[:, None] - when[piece][:, None]) / span, 0.0, 1.0)
    start, end = (
        Ends(part[:, 0], part[:, 1] * span, part[:, 2] * span**2) for part in (state[piece], state[piece + 1])
    )
    return quintic(share, start, end)


def _trunk_lean(time: Floats, flight: Flight) -> Floats:
    return keys(
        time,
        (flight.crouch, 3.0),
        (flight.low - 0.05, 42.0),
        (flight.leave, 8.0),
        (flight.leave + 0.2, 14.0),
        (flight.land, 32.0),
        (flight.sunk, 40.0),
        (flight.up - 0.1, 3.0),
        width=0.12,
    )


def _foot(time: Floats, flight: Flight, far: float, build: Build, take: Take, side: str) -> FootTrack:
    """Planted, rolled off over the toe joint, through the air, landed heel first."""
    pitch = Curve(
        (
            (flight.low + 0.1, 0.0),
            (flight.leave - 0.07, -26.0),
            (flight.leave, -56.0),
            (flight.leave + 0.09, -74.0),
            (flight.leave + 0.25, -38.0),
            (flight.land - 0.1, 6.0),
            (flight.land, 12.0),
            (flight.land + 0.02, 11.0),
            (flight.land + 0.1, 0.0),
        ),
        0.06,
    )
    lift = 34.0 * build.scale * (1.0 + take[f"tuck_{side}"])
    leg = LegCycle(((0.0, 1.0),), pitch, (lift,), pitch, pitch, crest=(3, 3))
    sign = 1.0 if side == "left" else -1.0
    yaw = sign * (7.0 + take[f"toe_out_{side}"])
    toe, heel = foot_points(build)
    spot = sign * (10.0 * build.scale + 0.5 * take["width"]) + toe[2] * np.sin(np.radians(yaw))
    ahead = toe[2] * np.cos(np.radians(yaw))
    holds = Footholds(
        np.array([-1e3, flight.land, 1e4]),
        np.array([flight.leave - ROLL_OFF, 1e3, 2e4]),
        np.array([[spot, 2.0 * build.scale, ahead + step] for step in (0.0, far, far)]),
        np.full(3, yaw),
        np.full(3, lift),
    )
    return foot_track(time, leg, holds, toe, heel)


def _arm(time: Floats, flight: Flight, take: Take, side: str) -> ArmTrack:
    """Held forward, back in the crouch, forward and up at take-off, down to balance the landing, hanging."""
    swing, elbow = take[f"arm_swing_{side}"], take[f"elbow_{side}"]
    flexion = keys(
        time,
        (flight.crouch, 78.0),
        (flight.crouch + 0.15, 60.0),
        (flight.low - 0.02, -52.0 - swing),
        (flight.low + 0.08, -40.0),
        (flight.leave, 118.0 + swing),
        (flight.leave + 0.18, 112.0 + swing),
        (flight.land, 55.0),
        (flight.sunk + 0.05, 38.0),
        (flight.up + 0.1, 3.0),
        width=0.12,
    )
    bent = elbow + keys(
        time,
        (flight.crouch, 18.0),
        (flight.low, 22.0),
        (flight.leave - 0.1, 48.0),
        (flight.leave + 0.1, 25.0),
        (flight.land, 35.0),
        (flight.sunk + 0.1, 32.0),
        (flight.up, 18.0),
    )
    return ArmTrack(flexion, keys(time, (flight.crouch, 8.0), (flight.leave, 11.0), (flight.up, 8.0)), 0.0 * time, bent)
