"""A straight punch with the rear (right) hand out of a guard: weak or aggressive, or anything between."""

from __future__ import annotations

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.numeric.arrays import Floats
from freshtake.samples.acting import Sway, keys, standing_feet, sway, timeline
from freshtake.samples.gait_path import checked_amount
from freshtake.samples.humanoid import DEFAULT, Build
from freshtake.samples.puppet import HandTrack, Posture, perform, turn
from freshtake.samples.variation_law import Law, Take, Wander

STRENGTHS = {"weak": 0.1, "aggressive": 1.0}
START = 0.5  # seconds of guard and wind-up before the fist goes
LOWER, LOW = 0.36, 0.98  # seconds after the hit at which the hands begin to sink and are down
SETTLED = 1.3  # seconds after the hit at which the clip ends, at rest

# What takes of punches and kicks share; a law's parameters are drawn in their order.
AIM = {
    "tempo": 0.06,  # relative
    "strength": 0.07,  # added to the strength
    "aim_side": 2.5,  # cm
    "aim_up": 3.0,  # cm
    "extension": 2.0,  # cm
}
STANCE = {
    "twist": 3.0,  # degrees, of the trunk
    "guard_left": 2.0,  # cm, height of the hand
    "guard_right": 2.0,
    "crouch": 1.0,  # cm
    "lean": 1.5,  # degrees
}
TOGETHER = {("guard_left", "guard_right"): 0.7, ("strength", "tempo"): 0.4, ("strength", "twist"): 0.3}

LAW = Law(
    spread={**AIM, "weight": 0.8, **STANCE, "windup": 0.15},  # cm, of the shift forward; relative
    correlations={**TOGETHER, ("strength", "windup"): 0.3, ("extension", "twist"): 0.4},
)


def punch(
    rng: np.random.Generator,
    *,
    strength: float | str = "aggressive",
    build: Build = DEFAULT,
    fps: float = 60.0,
    amount: float = 1.0,
    take: Take | None = None,
) -> Clip:
    """One punch, from a high guard to hanging hands, at rest at both ends.

    `strength` is 0..1 or "weak" (0.1) or "aggressive" (1); `take` fixes the parameters of `punching.LAW`.
    """
    force = strength_of(strength)
    drawn = LAW.draw(rng, checked_amount(amount))
    parameters = take if take is not None else drawn
    power = float(np.clip(force + parameters["strength"], 0.0, 1.15))
    time = timeline(
        START + strike_time(power) + SETTLED, 1.0 + parameters["tempo"], Wander(rng, 0.03 * amount, 0.4), fps
    )
    posture = _posture(time.action, power, build, parameters, sway(rng, time.clock, amount))
    return perform(posture, build, fps, "punch", f"made by freshtake: punch, strength {force:g}")


def _posture(u: Floats, power: float, build: Build, take: Take, loose: Sway) -> Posture:
    """The whole body at the action's times: the hips lead, the trunk follows, then the fist."""
    go, push = _strike(u, power), _strike(u + 0.04, power)
    wind = (1.0 + take["windup"]) * _windup(u, power)
    rest = _rest(u, power)
    lean = 6.0 + take["lean"] + go * _mix(power, 2.0, 9.0) - 2.0 * wind
    twist = -32.0 + (_mix(power, 24.0, 68.0) + take["twist"]) * go - 9.0 * wind
    flat = np.zeros(len(u))
    heel, spin = -_mix(power, 4.0, 42.0) * push, -42.0 + _mix(power, 3.0, 34.0) * push
    spots = [(12.0 * build.scale, 34.0 * build.scale), (-13.0 * build.scale, -18.0 * build.scale)]
    return Posture(
        _root(push, wind, power, build, take) + np.stack([loose.root[:, 0], flat, loose.root[:, 1]], axis=-1),
        turn(-24.0 + _mix(power, 8.0, 40.0) * push - 4.0 * wind, 4.0 + 0.3 * lean),
        turn(twist + loose.chest[:, 2], lean + loose.chest[:, 0], 3.0 * go + loose.chest[:, 1]),
        turn(-6.0 + 4.0 * go + loose.head[:, 2], 5.0 + loose.head[:, 0], 0.5 * loose.head[:, 1]),
        standing_feet(build, spots, (flat, heel), (flat - 6.0, spin)),
        (_guard_hand(go, rest, take, build), _striking_hand(go, wind, rest, power, take, build)),
        curl=85.0 - 55.0 * rest,
    )


def _root(push: Floats, wind: Floats, power: float, build: Build, take: Take) -> Floats:
    """Knees bent in guard; back with the wind-up, forward and lower with the strike."""
    down = 7.5 + take["crouch"] + 2.5 * power * push + 1.5 * wind
    ahead = -3.0 + push * (_mix(power, 3.0, 12.0) + take["weight"]) - 3.0 * wind
    return np.stack([1.5 * push - 1.0, build.standing - build.scale * down, build.scale * ahead], axis=-1)


def strength_of(strength: float | str) -> float:
    """A strength by number or by name."""
    if isinstance(strength, str):
        if strength not in STRENGTHS:
            raise UsageError(
                f"there is no punch strength {strength!r}; give {' or '.join(STRENGTHS)}, or a number from 0 to 1"
            )
        return STRENGTHS[strength]
    if not 0.0 <= strength <= 1.0:
        raise UsageError(f"a punch's strength must be 0 to 1, but is {strength}")
    return float(strength)


def strike_time(power: float) -> float:
    """Seconds from the start of the strike to its end."""
    return float(_mix(power, 0.42, 0.17))


def _mix(power: float, weak: float, strong: float) -> float:
    return weak + power * (strong - weak)


def _strike(u: Floats, power: float) -> Floats:
    """0 in guard, 1 at full reach."""
    hit = START + strike_time(power)
    rounding = _mix(power, 0.16, 0.07)
    back = _mix(power, 0.4, 0.3)
    return keys(u, (START, 0.0), (hit, 1.0), (hit + 0.08, 1.0), (hit + 0.08 + back, 0.0), width=rounding)


def _windup(u: Floats, power: float) -> Floats:
    """How far the body is drawn back, 0..1, before the strike."""
    top = _mix(power, 0.25, 1.0)
    return top * keys(u, (0.15, 0.0), (START - 0.08, 1.0), (START + 0.05, 0.6), (START + 0.16, 0.0))


def _rest(u: Floats, power: float) -> Floats:
    """0 while the guard is up, 1 when the hands are down again at the end."""
    hit = START + strike_time(power)
    return keys(u, (hit + LOWER, 0.0), (hit + LOW, 1.0), width=0.16)


def _guard_hand(go: Floats, rest: Floats, take: Take, build: Build) -> HandTrack:
    """The left hand stays before the face, and comes back a little as the right one goes."""
    height = 21.0 + take["guard_left"] - 48.0 * rest
    home = np.stack([6.0 + 4.0 * go + 20.0 * rest, height, 35.0 - 12.0 * go - 20.0 * rest], axis=-1)
    return HandTrack(build.scale * home, home, 0.0 * go, _elbow(rest, 0.6))


def _striking_hand(go: Floats, wind: Floats, rest: Floats, power: float, take: Take, build: Build) -> HandTrack:
    """The right hand from beside the chin straight to the mark."""
    height = 19.0 + take["guard_right"] - 2.0 * wind - 46.0 * rest
    home = np.stack([-7.0 - 4.0 * wind - 19.0 * rest, height, 25.0 - 9.0 * wind - 12.0 * rest], axis=-1)
    mark = np.array([1.0 + take["aim_side"], 139.0 + take["aim_up"], _mix(power, 42.0, 76.0) + take["extension"]])
    return HandTrack(build.scale * home, build.scale * mark, go, _elbow(rest, -0.7))


def _elbow(rest: Floats, sideways: float) -> Floats:
    """Where an elbow points, seen from the chest: down in guard, back when the arm hangs."""
    return np.stack([sideways + 0.0 * rest, -1.0 + 0.8 * rest, -0.25 - 0.9 * rest], axis=-1)
