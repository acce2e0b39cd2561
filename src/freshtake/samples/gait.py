"""A travelling gait: footholds along the path, the pelvis carried over them, trunk and arms against the legs.

The height of the body follows from the knees of the supporting legs, or from free fall between their pushes.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import rotate
from freshtake.samples import footsteps
from freshtake.samples.footsteps import Footholds, GaitPath, LegCycle, Pace
from freshtake.samples.humanoid import ArmTrack, Build, FootTrack, Posture, ankle_of, foot_points, perform, turn
from freshtake.samples.smooth_curves import GRAVITY, Law, Take, Wander, bounce, ease


@dataclass(frozen=True)
class ArmSwing:
    """One arm's swing: mean and amplitude of shoulder and elbow flexion, abduction and twist, in degrees."""

    flexion: float
    swing: float
    elbow: float
    elbow_swing: float
    abduction: float
    twist: float = 2.0
    lag: float = 0.03  # behind the opposite leg, cycles


@dataclass(frozen=True)
class Carriage:
    """Carriage of the body (degrees, centimetres); amplitudes refer to sines over the cycle or the step."""

    lean: float  # of the chest, forward
    pelvis_tilt: float
    pelvis_yaw: float
    pelvis_roll: float
    chest_yaw: float
    chest_roll: float
    sway: float  # towards the supporting foot
    surge: float  # ahead of and behind the even pace, twice a cycle
    nod: float  # of the chest, twice a cycle
    head_pitch: float
    arms: tuple[ArmSwing, ArmSwing]
    lurch: float = 0.0  # of the trunk towards the left in left stance
    lead: float = 0.0  # cycles by which the trunk turns earlier than in a walk


@dataclass(frozen=True)
class GaitPlan:
    """Everything that defines one take of a gait; legs as (left, right).

    With `pushes` (start, end, fraction of the impulse) the body flies between them in free fall and the knees yield;
    without them, the knees determine its height. `width` is the distance between the ankles' tracks (cm).
    """

    pace: Pace
    legs: tuple[LegCycle, LegCycle]
    carriage: Carriage
    width: float
    toe_out: tuple[float, float]
    pushes: tuple[tuple[float, float, float], ...] = ()


class Unsteadiness:
    """The changes within a take: tempo 1.2 % over 1 s, heading 1.5° over 2.5 s, arms 6 % and lean 0.6° over 1.5 s.

    Footholds scatter by 0.7 cm, drawn from the generator.
    """

    def __init__(self, rng: np.random.Generator, amount: float) -> None:
        self.tempo, self.drift = Wander(rng, 0.012 * amount, 1.0), Wander(rng, 1.5 * amount, 2.5)
        self.arms, self.trunk = Wander(rng, 0.06 * amount, 1.5, 2), Wander(rng, 0.6 * amount, 1.5, 2)
        self.footholds, self.rng = 0.7 * amount, rng


PlanOf = Callable[[float, float, Build, Take], GaitPlan]
LEAST_BEND = np.radians(12.5)  # smallest bend of a supporting knee
SIGNS = (1.0, -1.0)  # left is +x


@dataclass(frozen=True)
class Support:
    """For each leg (2, frames): root heights at which its knee is as intended or nearly straight, and its load."""

    intended: Floats
    highest: Floats
    load: Floats


def carried_height(plan: GaitPlan, phase: Floats, legs: Support, settle: float) -> Floats:
    """Return the height of the root (cm).

    A gait with pushes flies in free fall between them, at the maximum height that the supporting legs can reach.
    Otherwise the knees carry the body, weighted by their loads; the height is smoothed over `settle` frames.
    """
    if plan.pushes:
        free = bounce(phase, plan.pushes, plan.pace.period)
        # The body is as high as the most stretched of all supporting legs allows.
        return np.asarray(free + np.min(np.where(legs.load > 0.5, legs.intended, np.inf) - free))
    carried = np.sum(legs.load * legs.intended, axis=0) / np.sum(legs.load, axis=0)
    reach = int(np.ceil(3.0 * settle))
    bell = np.exp(-0.5 * (np.arange(-reach, reach + 1) / settle) ** 2)
    height = np.convolve(np.pad(carried, reach, mode="edge"), bell / bell.sum(), mode="valid")
    # A soft minimum over half a centimetre: a hard one would put a corner into the path of the hips.
    over = np.where(legs.load > 0.0, height - legs.highest, -1e3) / 0.5
    lowered = 0.5 * np.logaddexp(0.0, over) * ease(1.5 * legs.load)
    return np.asarray(height - lowered.sum(axis=0))


def support(
    plan: GaitPlan, phase: Floats, root: Floats, pelvis: Floats, feet: tuple[FootTrack, FootTrack], build: Build
) -> Support:
    """Return each leg's constraints on the root's height, given the root's position on the ground."""
    rows = []
    for leg, foot, sign in zip(plan.legs, feet, SIGNS, strict=True):
        hip = rotate(pelvis, build.hip * [sign, 1.0, 1.0])
        ankle = ankle_of(foot, build)
        # Hip, ankle and the vertical are a right triangle: leg length and distance on the ground give the height.
        across = np.sum((root + hip - ankle)[:, [0, 2]] ** 2, axis=1)
        reach = [build.reach(bend) for bend in (np.radians(leg.knee(phase)), LEAST_BEND)]
        above = [ankle[:, 1] - hip[:, 1] + np.sqrt(np.maximum(length**2 - across, 1.0)) for length in reach]
        rows.append((*above, leg.carries(phase)))
    return Support(*(np.stack(row) for row in zip(*rows, strict=True)))


@dataclass(frozen=True)
class Request:
    """The arguments of any gait: speed (m/s) and turn rate (degrees per second), length in frames or else cycles."""

    speed: float
    turn_rate: float
    build: Build
    frames: int | None
    cycles: float
    fps: float
    amount: float


def gait_take(
    rng: np.random.Generator, name: str, law: Law, speeds: tuple[float, float], plan_of: PlanOf, request: Request
) -> Clip:
    """Draw a take of a gait: first its parameters from the law, then its unsteadiness."""
    footsteps.check_length(request.frames, request.cycles, request.fps)
    low, high = speeds
    kind = name.partition(",")[0]
    if not low <= request.speed <= high:
        raise UsageError(f"the speed of a {kind} must be {low:g} to {high:g} m/s, but is {request.speed}")
    if not abs(request.turn_rate) <= 90.0:
        raise UsageError(f"the turn_rate of a {kind} must be -90 to 90 degrees per second, but is {request.turn_rate}")
    plan = plan_of(request.speed, request.turn_rate, request.build, law.draw(rng, request.amount))
    loose = Unsteadiness(rng, request.amount)
    frames = request.frames
    if frames is None:
        frames = footsteps.frame_count(plan.pace, loose.tempo, request.cycles, request.fps)
    provenance = f"made by freshtake: {name}, speed {request.speed:g} m/s, turn rate {request.turn_rate:g} deg/s"
    return gait_clip(plan, loose, frames, request.fps, request.build).changed(name=kind, provenance=provenance)


def gait_clip(plan: GaitPlan, loose: Unsteadiness, frames: int, fps: float, build: Build) -> Clip:
    """Return the clip of a gait plan, starting at phase 0 above the origin and facing +z."""
    # A body is heavy, so its height is smoothed over 0.06 cycles.
    settle = 0.06 * plan.pace.period * fps
    pad = int(np.ceil(3.0 * settle))
    path = footsteps.lay_path(plan.pace, loose.tempo, loose.drift, frames, fps, pad)
    phase, times = path.phase[path.frames], path.times[path.frames]
    left, right = (
        footsteps.foot_track(phase, plan.legs[side], _footholds(plan, path, loose, side, build), *foot_points(build))
        for side in (0, 1)
    )
    pelvis, chest, head = _trunk(plan, path, loose)
    root = _ground_track(plan, path)
    root[:, 1] = carried_height(plan, phase, support(plan, phase, root, pelvis, (left, right), build), settle)
    slow = loose.arms(times)
    arms = [_arm(plan.carriage.arms[side], side, phase, slow[:, side]) for side in (0, 1)]
    wrists = [3.0 + 0.15 * arm.elbow for arm in arms]
    posture = Posture(root, pelvis, chest, head, (left, right), (arms[0], arms[1]), wrist=(wrists[0], wrists[1]))
    clip = perform(posture, build, fps)
    inner = slice(pad, pad + frames)
    return clip.changed(root=clip.root[inner], rotations=clip.rotations[inner])


def _footholds(plan: GaitPlan, path: GaitPath, loose: Unsteadiness, side: int, build: Build) -> Footholds:
    """Return the footholds: half the track width to the side of the body's path, slightly scattered."""
    leg = plan.legs[side]
    land, leave, lift = footsteps.contact_phases(leg, path.phase[path.frames.start], path.phase[path.frames.stop - 1])
    _, heading, ground = path.at_phase(land + np.resize(leg.under, len(land)) * (leave - land))
    yaw = heading + SIGNS[side] * plan.toe_out[side]
    scatter = loose.footholds * loose.rng.standard_normal((len(land), 2))
    sideways = SIGNS[side] * plan.width / 2.0 + 0.6 * scatter[:, 0]
    angle = np.radians(heading)
    toe = foot_points(build)[0]
    ball = _on_ground(ground, sideways, scatter[:, 1], angle)
    ball[:, 0] += toe[2] * np.sin(np.radians(yaw))
    ball[:, 1] = 2.0 * build.scale
    ball[:, 2] += toe[2] * np.cos(np.radians(yaw))
    return Footholds(land, leave, ball, yaw, lift)


def _on_ground(ground: Floats, sideways: Floats, ahead: Floats, heading: Floats) -> Floats:
    """Return points (n, 3) on the ground, shifted to the left and ahead in a heading (radians)."""
    x = ground[:, 0] + sideways * np.cos(heading) + ahead * np.sin(heading)
    z = ground[:, 1] - sideways * np.sin(heading) + ahead * np.cos(heading)
    return np.stack([x, np.zeros(len(x)), z], axis=-1)


def _wave(phase: Floats, peak: float, times: int = 1) -> Floats:
    """Return a cosine over the cycle (or twice in it) that is highest at phase `peak`."""
    return np.asarray(np.cos(2.0 * np.pi * times * (phase - peak)))


def _ground_track(plan: GaitPlan, path: GaitPath) -> Floats:
    """Return the root on the ground: along the path, swaying to the supporting foot, surging in double support."""
    phase, angle = path.phase[path.frames], np.radians(path.heading[path.frames])
    body = plan.carriage
    left_mid = _stance_middle(plan.legs[0])
    sideways, ahead = body.sway * _wave(phase, left_mid), body.surge * _wave(phase, 0.155, 2)
    return _on_ground(path.ground[path.frames], sideways, ahead, angle)


def _stance_middle(leg: LegCycle) -> float:
    return (leg.contacts[0][0] + leg.contacts[-1][1]) / 2.0


def _trunk(plan: GaitPlan, path: GaitPath, loose: Unsteadiness) -> tuple[Floats, Floats, Floats]:
    """Return world rotations: the pelvis turns with the leading leg, the chest against it; the head is steady."""
    body, phase, heading = plan.carriage, path.phase[path.frames], path.heading[path.frames]
    slow = loose.trunk(path.times[path.frames])
    bank = -np.degrees(np.arctan(np.radians(plan.pace.turn_rate) * plan.pace.stride / plan.pace.period / GRAVITY))
    dip = _wave(phase, 0.10, 2)  # the dip is deepest after each landing
    pelvis = turn(
        heading + body.pelvis_yaw * _wave(phase, -body.lead),
        body.pelvis_tilt + 0.8 * body.nod * dip,
        0.7 * bank - body.pelvis_roll * _wave(phase, 0.18),
    )
    lurch = -body.lurch * np.clip(_wave(phase, _stance_middle(plan.legs[0])), 0.0, None) ** 3
    chest = turn(
        heading - body.chest_yaw * _wave(phase, 0.02 - body.lead),
        body.lean + slow[:, 0] + body.nod * dip,
        bank + body.chest_roll * _wave(phase, 0.28) + 0.5 * slow[:, 1] + lurch,
    )
    head = turn(
        heading - 0.15 * body.chest_yaw * _wave(phase, 0.02 - body.lead),
        body.head_pitch + 0.3 * body.nod * dip,
        0.3 * bank,
    )
    return pelvis, chest, head


def _arm(arm: ArmSwing, side: int, phase: Floats, slow: Floats) -> ArmTrack:
    """Return an arm that is farthest back when its own side's heel strikes."""
    arm_phase = phase - (0.5, 0.0)[side] - arm.lag
    forward = -_wave(arm_phase, 0.0)
    reach = arm.swing * (1.0 + slow)
    return ArmTrack(
        arm.flexion + reach * forward,
        arm.abduction - 0.08 * reach * forward,
        arm.twist + 0.25 * reach * (0.5 + 0.5 * forward),
        arm.elbow + arm.elbow_swing * (1.0 + slow) * -_wave(arm_phase, 0.04),
    )
