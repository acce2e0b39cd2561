"""`plant`: a whole clip with its feet on the floor and its pins met."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import UsageError
from freshtake.motion.clip import Clip
from freshtake.motion.contacts import ContactSettings
from freshtake.motion.limbs import Limb, Mapping
from freshtake.motion.pins import Pin, check_pins
from freshtake.motion.planting.carrying import needed_shift, shift_of
from freshtake.motion.planting.flags import checked_flags
from freshtake.motion.planting.following import root_drift
from freshtake.motion.planting.goals import Paths, foot_goals, fresh_foot, lifts, on_floor, plan, slides
from freshtake.motion.planting.grip import ramped
from freshtake.motion.planting.groundwork import Groundwork, lay_groundwork, own_groundwork
from freshtake.motion.planting.pinning import pinned_path
from freshtake.motion.planting.reporting import make_report
from freshtake.motion.planting.results import Planted
from freshtake.motion.planting.settings import PlantSettings
from freshtake.motion.planting.stages import NO_LEGS, Plan, hip, make_plan, moved, posed
from freshtake.motion.planting.turning import Poses, turn_limb
from freshtake.motion.skeleton import require_compatible
from freshtake.numeric.arrays import Floats

PASSES = 4  # over the root's shift where a hard pin needs it


class Aim(NamedTuple):
    """Where the points of one limb go (frames, points, 3), and how firmly feet and pins hold it (frames,)."""

    limb: Limb
    goals: Floats
    grips: Floats  # (frames, points) of a foot's contacts, empty for an arm
    held: Floats
    carried: Floats  # the part of `held` that may move the root
    pinned: Floats  # the part of `held` that is by pins, which may lie below the floor


def plant(
    clip: Clip,
    contacts: npt.ArrayLike | None = None,
    *,
    mean: Clip | None = None,
    pins: Sequence[Pin] = (),
    examples: Groundwork | Sequence[Clip] = (),
    floor: npt.ArrayLike | None = None,
    mapping: Mapping | None = None,
    finding: ContactSettings | None = None,
    settings: PlantSettings | None = None,
) -> Planted:
    """Hold feet still while they stand and bring pinned joints to their places (Lau 2009, §7, eq. 7).

    `contacts` (frames, feet) or (frames, foot joints), 0 to 1, say when feet stand; by default they are found: in the
    nearest poses of `examples` where these are given, else in the clip itself. `mean` is the motion that solutions are
    to be near to (default: the clip). `floor` gives the standing height of every foot joint, or one for all; default:
    that of the examples or of the clip. Ranges and hinges of the joints are learned from the same clips. For many
    clips, give what `lay_groundwork` learned as `examples`; floor, mapping and finding are then its own.
    """
    check_pins(pins, clip)
    if isinstance(examples, Groundwork):
        base = examples
    elif len(examples):
        base = lay_groundwork(examples, floor=floor, mapping=mapping, finding=finding)
    else:
        base = own_groundwork(clip, floor=floor, mapping=mapping, finding=finding)
    base.check(clip)
    if mean is not None:
        require_compatible(clip.skeleton, mean.skeleton, "the clip", "its mean")
        if len(mean) != len(clip):
            raise UsageError(f"the clip has {len(clip)} frames, but its mean has {len(mean)}")
    if not base.feet and contacts is not None:
        raise UsageError(NO_LEGS)
    flags = checked_flags(base.contacts(clip) if contacts is None else contacts, len(clip), base.feet)
    ready = make_plan(base, clip.frame_time, settings or PlantSettings())
    return _planted(clip, ready, flags, pins, clip if mean is None else mean)


def _planted(clip: Clip, ready: Plan, flags: Floats, pins: Sequence[Pin], mean: Clip) -> Planted:
    """The stages one after the other."""
    poses = posed(clip.skeleton, clip.local_translations(), clip.rotations)
    root = [pin for pin in pins if clip.skeleton.index(pin.joint) == 0]
    led = pinned_path(clip.root, root, clip.frame_time)
    if root:
        poses = moved(poses, led.path - clip.root)
    grips = [ramped(by_point, ready.pace.ramp) for by_point in ready.grips(poses.world.positions, flags)]
    poses = moved(poses, _drift(poses, ready, grips) * (1.0 - led.grip)[:, None])
    aims = _with_pins(_feet(poses, ready, grips), poses, ready, [p for p in pins if p not in root], clip.frame_time)
    shift = _shift(aims, poses, ready) * (1.0 - led.grip)[:, None]
    poses = moved(poses, shift)
    rotations = clip.rotations
    residuals = []
    for aim in aims:
        goals = aim.goals + (1.0 - aim.held)[:, None, None] * shift[:, None]
        if aim.limb.is_leg:
            points = poses.world.positions[:, list(aim.limb.points)]
            lifted = on_floor(goals, points, ready.grounds[ready.legs.index(aim.limb)])
            goals = lifted + aim.pinned[:, None, None] * (goals - lifted)
        turned = turn_limb(
            clip.skeleton, aim.limb, poses._replace(rotations=rotations), goals, mean.rotations,
            ready.settings.weights, ready.settings.reach,
        )  # fmt: skip
        rotations = turned.rotations
        residuals.append(turned.residual)
    made = _changed(clip, poses, rotations)
    return Planted(made, make_report(clip, made, [a.limb for a in aims], [a.grips for a in aims], residuals, pins))


def _drift(poses: Poses, ready: Plan, grips: Sequence[Floats]) -> Floats:
    """The root's shift (frames, 3) by which it follows the feet."""
    out = np.zeros((len(poses.rotations), 3))
    if not ready.legs:
        return out
    taken = []
    for limb, grip, ground in zip(ready.legs, grips, ready.grounds, strict=True):
        points = poses.world.positions[:, list(limb.points)]
        taken.append(slides(Paths(points, grip), points[0], ground))
    out[:, ready.grounds[0].plane] = root_drift(taken, ready.pace)
    return out


def _feet(poses: Poses, ready: Plan, grips: Sequence[Floats]) -> list[Aim]:
    """The aims of all limbs as contacts have them; arms stay where they are."""
    positions = poses.world.positions
    aims, free = [], np.zeros(len(positions))
    for number, limb in enumerate(ready.legs):
        ground = ready.grounds[number]
        paths = Paths(positions[:, list(limb.points)], grips[number])
        taken = slides(paths, paths.points[0], ground)
        _, whole, ankle = plan(fresh_foot(), taken, 0, len(positions), ready.pace, ready.leash)
        up = ramped(lifts(paths, ground, ready.settings), ready.pace.settle)
        goals = foot_goals(paths, whole, ankle, up, ground)
        aims.append(Aim(limb, goals, paths.grips, taken.whole_grip, taken.whole_grip, free))
    for limb in ready.limbs[len(aims) :]:
        aims.append(Aim(limb, positions[:, list(limb.points)], np.zeros((len(positions), 0)), free, free, free))
    return aims


def _with_pins(aims: list[Aim], poses: Poses, ready: Plan, pins: Sequence[Pin], frame_time: float) -> list[Aim]:
    """Aims that lead to the pins of their points; limbs without pins, and arms that nothing asks for, are left."""
    left, out = list(pins), []
    for aim in aims:
        for number, joint in enumerate(aim.limb.points):
            own = [pin for pin in pins if ready.skeleton.index(pin.joint) == joint]
            if not own:
                continue
            left = [pin for pin in left if pin not in own]
            led = pinned_path(aim.goals[:, number], own, frame_time)
            hard = pinned_path(aim.goals[:, number], [pin for pin in own if pin.hard], frame_time).grip
            aim = Aim(
                aim.limb, aim.goals + (led.path - aim.goals[:, number])[:, None], aim.grips,
                np.maximum(aim.held, led.grip), np.maximum(aim.carried, hard), np.maximum(aim.pinned, led.grip),
            )  # fmt: skip
        if aim.limb.is_leg or aim.held.any():
            out.append(aim)
    if left:
        places = [ready.skeleton.names[j] for aim in aims for j in aim.limb.points]
        raise UsageError(
            f"{left[0].joint!r} cannot be pinned: pins hold the root ({ready.skeleton.names[0]}) and the ends of limbs"
            f" ({', '.join(places) or 'none were recognized'})"
        )
    return out


def _shift(aims: Sequence[Aim], poses: Poses, ready: Plan) -> Floats:
    """The root's shift (frames, 3); more passes for hard pins, since smoothing takes from what single frames need."""
    frames = len(poses.rotations)
    shift = np.zeros((frames, 3))
    hips = [hip(aim.limb, poses, aim.goals[:, 0], aim.carried) for aim in aims if aim.carried.any()]
    pinned = [h for h, aim in zip(hips, [a for a in aims if a.carried.any()], strict=True) if aim.pinned.any()]
    for group in [hips] + PASSES * [pinned]:
        if group:
            shift = shift + shift_of(needed_shift(group, ready.settings.reach, shift), 0, frames, ready.pace.carry)
    return shift


def _changed(clip: Clip, poses: Poses, rotations: Floats) -> Clip:
    """The clip with the root and rotations that were found."""
    root = poses.translations[:, 0]
    if clip.joint_translations is not None:
        return clip.changed(root=root, rotations=rotations, joint_translations=poses.translations)
    return clip.changed(root=root, rotations=rotations)
