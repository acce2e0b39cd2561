"""Punches, front kicks with the rear (right) leg, and fights, which are sequences of punches and kicks."""

from collections.abc import Sequence

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.numeric.arrays import Floats
from freshtake.samples.actions import Sway, keys, standing_feet, timeline
from freshtake.samples.humanoid import DEFAULT, FootTrack, HandTrack, Posture, perform, turn
from freshtake.samples.smooth_curves import Law, Take, Wander

STRENGTHS = {"weak": 0.1, "aggressive": 1.0}
START = 0.5  # seconds of guard and wind-up before the fist moves

# Punches and kicks share these; a law's parameters are drawn in this order.
AIM = {
    "tempo": 0.06,  # relative
    "strength": 0.07,  # added to the strength
    "aim_side": 2.5,  # cm
    "aim_up": 3.0,  # cm
    "extension": 2.0,  # cm
}
STANCE = {
    "twist": 3.0,  # degrees of the trunk
    "guard_left": 2.0,  # cm, height of the hand
    "guard_right": 2.0,
    "crouch": 1.0,  # cm
    "lean": 1.5,  # degrees
}
TOGETHER = {("guard_left", "guard_right"): 0.7, ("strength", "tempo"): 0.4, ("strength", "twist"): 0.3}

PUNCH_LAW = Law(
    spread={**AIM, "weight": 0.8, **STANCE, "windup": 0.15},  # weight: cm; windup: relative
    correlations={**TOGETHER, ("strength", "windup"): 0.3, ("extension", "twist"): 0.4},
)

PUNCH, KICK = "punch", "kick"
FIGHT = (PUNCH, KICK, PUNCH, PUNCH, KICK, KICK, PUNCH, KICK)
AFTER, LAST = 0.35, 0.6  # seconds of guard between strikes, and at the end

FIGHT_LAW = Law(
    spread={**AIM, "knee_up": 2.5, **STANCE},  # cm by which the foot is lifted before the kick
    correlations={**TOGETHER, ("aim_up", "knee_up"): 0.5},
)


def punch(rng: np.random.Generator, *, strength: str = "aggressive", fps: float = 60.0, amount: float = 1.0) -> Clip:
    """Make a straight punch with the rear (right) hand, from a high guard to hanging hands.

    Args:
        rng: source of the variation.
        strength: "weak" or "aggressive".
        fps: frames per second.
        amount: factor on all variation; 0 gives the mean motion.

    Returns:
        A clip in centimetres, y up, at rest at both ends.
    """
    force = _strength(strength)
    parameters = PUNCH_LAW.draw(rng, amount)
    power = float(np.clip(force + parameters["strength"], 0.0, 1.15))
    # The body is at rest 1.3 s after the hit.
    length = START + strike_time(power) + 1.3
    clock, action = timeline(length, 1.0 + parameters["tempo"], Wander(rng, 0.03 * amount, 0.4), fps)
    posture = _punch_posture(action, power, parameters, Sway(rng, clock, amount))
    return perform(posture, DEFAULT, fps, "punch", f"made by freshtake: punch, strength {force:g}")


def _punch_posture(u: Floats, power: float, take: Take, loose: Sway) -> Posture:
    """Return the full-body posture at the action's times: the hips lead, the trunk follows, then the fist."""
    go, push = _strike(u, power), _strike(u + 0.04, power)
    # The body is drawn back before the strike.
    drawn_back = keys(u, (0.15, 0.0), (START - 0.08, 1.0), (START + 0.05, 0.6), (START + 0.16, 0.0))
    wind = (1.0 + take["windup"]) * (_mix(power, 0.25, 1.0) * drawn_back)
    # The hands sink from the guard at the end.
    hit = START + strike_time(power)
    lowered = keys(u, (hit + 0.36, 0.0), (hit + 0.98, 1.0), width=0.16)
    lean = 6.0 + take["lean"] + go * _mix(power, 2.0, 9.0) - 2.0 * wind
    twist = -32.0 + (_mix(power, 24.0, 68.0) + take["twist"]) * go - 9.0 * wind
    flat = np.zeros(len(u))
    heel, spin = -_mix(power, 4.0, 42.0) * push, -42.0 + _mix(power, 3.0, 34.0) * push
    spots = [(12.0, 34.0), (-13.0, -18.0)]
    # Knees bent in guard; back with the wind-up, forward and lower with the strike.
    down = 7.5 + take["crouch"] + 2.5 * power * push + 1.5 * wind
    ahead = -3.0 + push * (_mix(power, 3.0, 12.0) + take["weight"]) - 3.0 * wind
    root = np.stack([1.5 * push - 1.0, DEFAULT.standing - down, ahead], axis=-1)
    return Posture(
        root + np.stack([loose.root[:, 0], flat, loose.root[:, 1]], axis=-1),
        turn(-24.0 + _mix(power, 8.0, 40.0) * push - 4.0 * wind, 4.0 + 0.3 * lean),
        turn(twist + loose.chest[:, 2], lean + loose.chest[:, 0], 3.0 * go + loose.chest[:, 1]),
        turn(-6.0 + 4.0 * go + loose.head[:, 2], 5.0 + loose.head[:, 0], 0.5 * loose.head[:, 1]),
        standing_feet(spots, (flat, heel), (flat - 6.0, spin)),
        (_guard_hand(go, lowered, take), _striking_hand(go, wind, lowered, power, take)),
        curl=85.0 - 55.0 * lowered,
    )


def _strength(name: str) -> float:
    if name not in STRENGTHS:
        raise UsageError(f"there is no strength {name!r}; give {' or '.join(STRENGTHS)}")
    return STRENGTHS[name]


def strike_time(power: float) -> float:
    """Return seconds from the start of the strike to its end."""
    return float(_mix(power, 0.42, 0.17))


def _mix(power: float, weak: float, strong: float) -> float:
    return weak + power * (strong - weak)


def _strike(u: Floats, power: float) -> Floats:
    """Return 0 in guard and 1 at full reach."""
    hit = START + strike_time(power)
    rounding = _mix(power, 0.16, 0.07)
    back = _mix(power, 0.4, 0.3)
    return keys(u, (START, 0.0), (hit, 1.0), (hit + 0.08, 1.0), (hit + 0.08 + back, 0.0), width=rounding)


def _guard_hand(go: Floats, lowered: Floats, take: Take) -> HandTrack:
    """Return the left hand, which stays in front of the face and moves back slightly as the right hand strikes."""
    height = 21.0 + take["guard_left"] - 48.0 * lowered
    home = np.stack([6.0 + 4.0 * go + 20.0 * lowered, height, 35.0 - 12.0 * go - 20.0 * lowered], axis=-1)
    return HandTrack(home, home, 0.0 * go, _elbow(lowered, 0.6))


def _striking_hand(go: Floats, wind: Floats, lowered: Floats, power: float, take: Take) -> HandTrack:
    """Return the right hand, which moves from the chin straight to the target."""
    height = 19.0 + take["guard_right"] - 2.0 * wind - 46.0 * lowered
    home = np.stack([-7.0 - 4.0 * wind - 19.0 * lowered, height, 25.0 - 9.0 * wind - 12.0 * lowered], axis=-1)
    mark = np.array([1.0 + take["aim_side"], 139.0 + take["aim_up"], _mix(power, 42.0, 76.0) + take["extension"]])
    return HandTrack(home, mark, go, _elbow(lowered, -0.7))


def _elbow(lowered: Floats, sideways: float) -> Floats:
    """Return the direction of an elbow, relative to the chest: down in guard, back when the arm hangs."""
    return np.stack([sideways + 0.0 * lowered, -1.0 + 0.8 * lowered, -0.25 - 0.9 * lowered], axis=-1)


def kick(rng: np.random.Generator, *, strength: str = "aggressive", fps: float = 60.0, amount: float = 1.0) -> Clip:
    """Make one front kick, from guard to guard.

    Args:
        rng: source of the variation.
        strength: as in `punch`.
        fps: frames per second.
        amount: factor on all variation; 0 gives the mean motion.

    Returns:
        A clip in centimetres, y up.
    """
    return fight(rng, actions=(KICK,), strength=strength, fps=fps, amount=amount)


def fight(
    rng: np.random.Generator,
    *,
    actions: Sequence[str] = FIGHT,
    strength: str = "aggressive",
    fps: float = 60.0,
    amount: float = 1.0,
) -> Clip:
    """Make a sequence of punches and kicks, from guard to guard; the left foot stays in place.

    Args:
        rng: source of the variation.
        actions: "punch" or "kick", in order.
        strength: as in `punch`.
        fps: frames per second.
        amount: factor on all variation; 0 gives the mean motion.

    Returns:
        A clip in centimetres, y up.
    """
    if not actions or not set(actions) <= {PUNCH, KICK}:
        raise UsageError(f"a fight is a list of {PUNCH!r} and {KICK!r}, not {list(actions)!r}")
    force = _strength(strength)
    parameters = FIGHT_LAW.draw(rng, amount)
    power = float(np.clip(force + parameters["strength"], 0.0, 1.15))
    starts, length = _plan(actions, power)
    clock, action = timeline(length, 1.0 + parameters["tempo"], Wander(rng, 0.03 * amount, 0.4), fps)
    posture = _fight_posture(action, actions, starts, power, parameters, Sway(rng, clock, amount))
    name = KICK if tuple(actions) == (KICK,) else "fight"
    return perform(posture, DEFAULT, fps, name, f"made by freshtake: {name}, strength {force:g}")


def _plan(actions: Sequence[str], power: float) -> tuple[list[float], float]:
    """Return the start time of each strike, and the end of the last one."""
    starts, at = [], START
    for action in actions:
        starts.append(at)
        at += _out(action, power) + 0.08 + _back(action, power) + AFTER
    return starts, at - AFTER + LAST


def _out(action: str, power: float) -> float:
    """Return seconds from the start of a strike to its end; a kick lifts the knee first."""
    return strike_time(power) if action == PUNCH else _mix(power, 0.75, 0.42)


def _back(action: str, power: float) -> float:
    return _mix(power, 0.4, 0.3) if action == PUNCH else _mix(power, 0.7, 0.5)


def _strikes(
    u: Floats, actions: Sequence[str], starts: Sequence[float], which: str, power: float, from_: float
) -> Floats:
    """Return 0 in guard and 1 at the end of strikes of one kind, which start at a fraction `from_` of their time."""
    total = np.zeros(len(u))
    for action, start in zip(actions, starts, strict=True):
        if action == which:
            hit, back = start + _out(action, power), _back(action, power)
            begin, end = start + from_ * (hit - start), hit + 0.08 + back * (1.0 - 0.6 * from_)
            total += keys(u, (begin, 0.0), (hit, 1.0), (hit + 0.08, 1.0), (end, 0.0), width=_mix(power, 0.16, 0.08))
    return total


def _lifted(u: Floats, actions: Sequence[str], starts: Sequence[float], power: float) -> Floats:
    """Return 0 while the kicking foot is planted, 1 from the lifted knee until the foot comes down again."""
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


def _fight_posture(
    u: Floats, actions: Sequence[str], starts: Sequence[float], power: float, take: Take, loose: Sway
) -> Posture:
    """Return the full-body posture: hips lead a punch; in a kick the body moves over its foot and leans back."""
    punch = _strikes(u, actions, starts, PUNCH, power, 0.0)
    out, lifted = _strikes(u, actions, starts, KICK, power, 0.5), _lifted(u, actions, starts, power)
    flat = np.zeros(len(u))
    lean = 6.0 + take["lean"] + _mix(power, 2.0, 8.0) * punch - _mix(power, 6.0, 16.0) * out - 4.0 * lifted
    twist = -32.0 + (_mix(power, 24.0, 66.0) + take["twist"]) * punch + 14.0 * lifted
    down = 7.5 + take["crouch"] + 2.0 * power * punch - 3.0 * lifted
    root = np.stack(
        [
            1.5 * punch - 1.0 + 7.0 * lifted + loose.root[:, 0],
            DEFAULT.standing - down,
            -3.0 + _mix(power, 3.0, 11.0) * punch + 19.0 * lifted + loose.root[:, 1],
        ],
        axis=-1,
    )
    return Posture(
        root,
        turn(-24.0 + _mix(power, 8.0, 38.0) * punch + 20.0 * lifted, 4.0 + 0.3 * lean),
        turn(twist + loose.chest[:, 2], lean + loose.chest[:, 0], 3.0 * punch + loose.chest[:, 1]),
        turn(-6.0 + 4.0 * punch + loose.head[:, 2], 5.0 + loose.head[:, 0], 0.5 * loose.head[:, 1]),
        (
            FootTrack(np.broadcast_to([12.0, 2.0, 34.0], (len(u), 3)), flat - 6.0, flat, flat),
            _kicking(out, lifted, punch, power, take),
        ),
        (_guard_hand(punch, flat, take), _striking_hand(punch, flat, flat, power, take)),
        curl=85.0 + flat,
    )


def _kicking(out: Floats, lifted: Floats, punch: Floats, power: float, take: Take) -> FootTrack:
    """Return the right foot: on its spot, below the lifted knee, at the target, and back along the same path."""
    home = np.array([-13.0, 2.0, -18.0])
    knee = np.array([-9.0, _mix(power, 34.0, 48.0) + take["knee_up"], 30.0])
    mark = np.array([
        2.0 + take["aim_side"], _mix(power, 50.0, 88.0) + take["aim_up"], _mix(power, 78.0, 98.0) + take["extension"]
    ])  # fmt: skip
    ball = home + lifted[:, None] * (knee - home) + out[:, None] * (mark - knee)
    heel = -_mix(power, 4.0, 34.0) * punch * (1.0 - np.clip(lifted, 0.0, 1.0))
    pitch = heel - 30.0 * lifted + 75.0 * out
    yaw = -42.0 + _mix(power, 3.0, 30.0) * punch + 34.0 * lifted
    return FootTrack(ball, yaw, pitch, (1.0 - lifted) * np.maximum(pitch, 0.0) + lifted * pitch, lifted)
