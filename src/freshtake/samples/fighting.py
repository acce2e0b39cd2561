"""Front kicks with the rear (right) leg, and fights: punches and kicks out of a guard, one after the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.numeric.arrays import Floats
from freshtake.samples.acting import Sway, keys, sway, timeline
from freshtake.samples.gait_path import checked_amount
from freshtake.samples.humanoid import DEFAULT, Build
from freshtake.samples.punching import AIM, STANCE, TOGETHER, strength_of, strike_time
from freshtake.samples.puppet import FootTrack, HandTrack, Posture, perform, turn
from freshtake.samples.variation_law import Law, Take, Wander

PUNCH, KICK = "punch", "kick"
FIGHT = (PUNCH, KICK, PUNCH, PUNCH, KICK, KICK, PUNCH, KICK)
START, AFTER = 0.5, 0.35  # seconds of guard before the first strike, and between strikes
LAST = 0.6  # seconds of guard at the end

LAW = Law(
    spread={**AIM, "knee_up": 2.5, **STANCE},  # cm, of the foot before it goes out
    correlations={**TOGETHER, ("aim_up", "knee_up"): 0.5},
)


def kick(
    rng: np.random.Generator,
    *,
    strength: float | str = "aggressive",
    build: Build = DEFAULT,
    fps: float = 60.0,
    amount: float = 1.0,
    take: Take | None = None,
) -> Clip:
    """One front kick, from guard to guard. `strength` as of `punch`; `take` fixes the parameters of `fighting.LAW`."""
    return fight(rng, actions=(KICK,), strength=strength, build=build, fps=fps, amount=amount, take=take)


def fight(
    rng: np.random.Generator,
    *,
    actions: Sequence[str] = FIGHT,
    strength: float | str = "aggressive",
    build: Build = DEFAULT,
    fps: float = 60.0,
    amount: float = 1.0,
    take: Take | None = None,
) -> Clip:
    """Punches and kicks in this order, from guard to guard; the standing foot never leaves its place."""
    if not actions or not set(actions) <= {PUNCH, KICK}:
        raise UsageError(f"a fight is a list of {PUNCH!r} and {KICK!r}, but is {list(actions)!r}")
    force = strength_of(strength)
    drawn = LAW.draw(rng, checked_amount(amount))
    parameters = take if take is not None else drawn
    power = float(np.clip(force + parameters["strength"], 0.0, 1.15))
    starts, length = _plan(actions, power)
    time = timeline(length, 1.0 + parameters["tempo"], Wander(rng, 0.03 * amount, 0.4), fps)
    posture = _posture(time.action, actions, starts, power, build, parameters, sway(rng, time.clock, amount))
    name = KICK if tuple(actions) == (KICK,) else "fight"
    return perform(posture, build, fps, name, f"made by freshtake: {name}, strength {force:g}")


def _plan(actions: Sequence[str], power: float) -> tuple[list[float], float]:
    """When every strike starts, and when all is over."""
    starts, at = [], START
    for action in actions:
        starts.append(at)
        at += _out(action, power) + 0.08 + _back(action, power) + AFTER
    return starts, at - AFTER + LAST


def _mix(power: float, weak: float, strong: float) -> float:
    return weak + power * (strong - weak)


def _out(action: str, power: float) -> float:
    """Seconds until the strike is at its end; a kick lifts the knee first."""
    return strike_time(power) if action == PUNCH else _mix(power, 0.75, 0.42)


def _back(action: str, power: float) -> float:
    return _mix(power, 0.4, 0.3) if action == PUNCH else _mix(power, 0.7, 0.5)


def _course(
    u: Floats, actions: Sequence[str], starts: Sequence[float], which: str, power: float, from_: float
) -> Floats:
    """0 in guard, 1 while strikes of one kind are at their end, which set out at a share `from_` of their time."""
    total = np.zeros(len(u))
    for action, start in zip(actions, starts, strict=True):
        if action == which:
            hit, back = start + _out(action, power), _back(action, power)
            begin, end = start + from_ * (hit - start), hit + 0.08 + back * (1.0 - 0.6 * from_)
            total += keys(u, (begin, 0.0), (hit, 1.0), (hit + 0.08, 1.0), (end, 0.0), width=_mix(power, 0.16, 0.08))
    return total


def _lifted(u: Floats, actions: Sequence[str], starts: Sequence[float], power: float) -> Floats:
    """0 while the kicking foot stands, 1 from the lifted knee until the foot comes down again."""
    total = np.zeros(len(u))
    for action, start in zip(actions, starts, strict=True):
        if action == KICK:
            out, back = _out(action, power), _back(action, power)
            hit = start + out
            total += keys(
                u, (start, 0.0), (start + 0.6 * out, 1.0), (hit + 0.08 + 0.4 * back, 1.0), (hit + 0.08 + back, 0.0),
                width=_mix(power, 0.2, 0.12),
            )  # fmt: skip
    return total


def _posture(
    u: Floats, actions: Sequence[str], starts: Sequence[float], power: float, build: Build, take: Take, loose: Sway
) -> Posture:
    """The whole body: hips lead a punch; a kick goes over the standing foot and leans back."""
    punch = _course(u, actions, starts, PUNCH, power, 0.0)
    out, lifted = _course(u, actions, starts, KICK, power, 0.5), _lifted(u, actions, starts, power)
    flat, size = np.zeros(len(u)), build.scale
    lean = 6.0 + take["lean"] + _mix(power, 2.0, 8.0) * punch - _mix(power, 6.0, 16.0) * out - 4.0 * lifted
    twist = -32.0 + (_mix(power, 24.0, 66.0) + take["twist"]) * punch + 14.0 * lifted
    down = 7.5 + take["crouch"] + 2.0 * power * punch - 3.0 * lifted
    root = np.stack(
        [
            1.5 * punch - 1.0 + 7.0 * lifted + loose.root[:, 0],
            build.standing / size - down,
            -3.0 + _mix(power, 3.0, 11.0) * punch + 19.0 * lifted + loose.root[:, 1],
        ],
        axis=-1,
    )
    return Posture(
        size * root,
        turn(-24.0 + _mix(power, 8.0, 38.0) * punch + 20.0 * lifted, 4.0 + 0.3 * lean),
        turn(twist + loose.chest[:, 2], lean + loose.chest[:, 0], 3.0 * punch + loose.chest[:, 1]),
        turn(-6.0 + 4.0 * punch + loose.head[:, 2], 5.0 + loose.head[:, 0], 0.5 * loose.head[:, 1]),
        (_standing(build, flat), _kicking(out, lifted, punch, power, take, build)),
        (_guard_hand(punch, take, build), _striking_hand(punch, power, take, build)),
        curl=85.0 + flat,
    )


def _standing(build: Build, flat: Floats) -> FootTrack:
    ball = np.broadcast_to([12.0 * build.scale, 2.0 * build.scale, 34.0 * build.scale], (len(flat), 3))
    return FootTrack(ball, flat - 6.0, flat, flat)


def _kicking(out: Floats, lifted: Floats, punch: Floats, power: float, take: Take, build: Build) -> FootTrack:
    """The right foot: on its spot, below the lifted knee, out to the mark, and the same way back."""
    home = np.array([-13.0, 2.0, -18.0])
    knee = np.array([-9.0, _mix(power, 34.0, 48.0) + take["knee_up"], 30.0])
    mark = np.array([
        2.0 + take["aim_side"], _mix(power, 50.0, 88.0) + take["aim_up"], _mix(power, 78.0, 98.0) + take["extension"]
    ])  # fmt: skip
    ball = home + lifted[:, None] * (knee - home) + out[:, None] * (mark - knee)
    heel = -_mix(power, 4.0, 34.0) * punch * (1.0 - np.clip(lifted, 0.0, 1.0))
    pitch = heel - 30.0 * lifted + 75.0 * out
    yaw = -42.0 + _mix(power, 3.0, 30.0) * punch + 34.0 * lifted
    return FootTrack(build.scale * ball, yaw, pitch, (1.0 - lifted) * np.maximum(pitch, 0.0) + lifted * pitch, lifted)


def _guard_hand(punch: Floats, take: Take, build: Build) -> HandTrack:
    home = np.stack([6.0 + 4.0 * punch, 21.0 + take["guard_left"] + 0.0 * punch, 35.0 - 12.0 * punch], axis=-1)
    return HandTrack(build.scale * home, home, 0.0 * punch, np.array([0.6, -1.0, -0.25]))


def _striking_hand(punch: Floats, power: float, take: Take, build: Build) -> HandTrack:
    home = build.scale * np.array([-7.0, 19.0 + take["guard_right"], 25.0])
    mark = np.array([1.0 + take["aim_side"], 139.0 + take["aim_up"], _mix(power, 42.0, 76.0) + take["extension"]])
    return HandTrack(home, build.scale * mark, punch, np.array([-0.7, -1.0, -0.25]))
