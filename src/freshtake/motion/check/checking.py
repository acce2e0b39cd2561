"""Find faults in a motion and report them in sentences: in its frame rate, angles, points and faces."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import UsageError
from freshtake.motion.body.roles import feet, leg_length, pelvis
from freshtake.motion.body.rooting import as_filed
from freshtake.motion.channels import rotation_columns
from freshtake.motion.check.checks import (
    NOTE,
    WARNING,
    Finding,
    called,
    check_frozen,
    check_shaking,
    check_spikes,
    check_tpose,
    frame_list,
    joined,
    repeated_findings,
)
from freshtake.motion.clip import Clip
from freshtake.motion.kinds import MeshSequence, PointClip, Stroke, kind_word
from freshtake.motion.planting.contacts import LIFTED, ContactSettings, floor_heights
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.curves import runs
from freshtake.numeric.rotations import angle_between, continuous_euler, equivalent, from_euler, gimbal_closeness

GRAVITY = 9.81
LOCKED = float(np.sin(np.radians(5.0)))  # `gimbal_closeness` below which the root's outer angles diverge
COMMON_RATES = (24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 90.0, 100.0, 120.0, 150.0, 200.0, 240.0, 250.0)


class Flight(NamedTuple):
    """Frames start to stop (exclusive) off the ground, and how the pelvis falls there, in units per second squared."""

    start: int
    stop: int
    fall: float


def flights(clip: Clip) -> list[Flight]:
    """Return spans with all feet off the floor in which the pelvis height is a parabola that peaks in the span."""
    all_feet = feet(clip.skeleton)
    if not all_feet or len(clip) < 8:
        return []
    joints = [joint for foot in all_feet for joint in foot.joints]
    leg = leg_length(clip.skeleton)
    levels = clip.positions()[..., clip.up_index]
    heights, center = levels[:, joints], levels[:, pelvis(clip.skeleton)]
    # In flight, both feet are off the floor and the legs hang below the pelvis.
    hanging = center - heights.max(axis=1) > ContactSettings.pelvis_above * leg
    lifted = (heights - floor_heights([clip]) > LIFTED * leg).all(axis=1) & hanging
    out = []
    for start, stop in runs(lifted):
        if stop - start >= 8:
            fall = _parabola(center[start + 1 : stop - 1] / leg, clip.frame_time)
            if fall is not None:
                out.append(Flight(start, stop, fall * leg))
    return out


def _parabola(height: Floats, frame_time: float) -> float | None:
    """Return the constant fall of a flight in legs/s²; None unless its height is a parabola that peaks in it."""
    frames = np.arange(len(height)) - (len(height) - 1) / 2.0
    curve = np.polynomial.polynomial.Polynomial.fit(frames, height, 2).convert().coef
    # A pelvis that hardly rises or falls does not reveal gravity.
    if len(curve) < 3 or curve[2] >= 0 or np.ptp(height) < 0.05:
        return None
    residual = height - (curve[0] + curve[1] * frames + curve[2] * frames**2)
    top = -curve[1] / (2.0 * curve[2])
    if residual.var() > 0.015 * height.var() or abs(top) > frames[-1]:
        return None
    return float(-2.0 * curve[2] / frame_time**2)


def measured_gravity(clip: Clip) -> float | None:
    """Return the median free fall of the clip in m/s²; None if nothing flies or the unit is unknown."""
    if clip.unit_m is None:
        return None
    falls = [flight.fall for flight in flights(clip)]
    return float(np.median(falls)) * clip.unit_m if falls else None


def check_rate(clip: Clip) -> list[Finding]:
    """Find free fall that differs from gravity, which shows a wrong frame rate or unit in the file."""
    gravity = measured_gravity(clip)
    # Gravity is measured at the hips, not the center of mass, so it may be off by 40 % even at the right rate.
    if gravity is None or 0.7 <= gravity / GRAVITY <= 1.4:
        return []
    fitting = clip.fps * float(np.sqrt(GRAVITY / gravity))
    nearest = min(COMMON_RATES, key=lambda rate: abs(np.log(rate / fitting)))
    rate = nearest if abs(np.log(nearest / fitting)) < 0.12 else round(fitting, 1)
    frames = tuple(frame for flight in flights(clip) for frame in range(flight.start, flight.stop))
    sentence = (
        f"{called(clip)}: the body falls at {gravity:.1f} m/s² instead of 9.8, so {clip.fps:.4g} fps cannot be right"
        f" (or the unit of {clip.unit_m:.4g} m is not); {rate:g} fps would fit: repair with relabel-fps={rate:g}"
    )
    return [Finding("fps", sentence, frames, repair=f"relabel-fps={rate:g}")]


class JointAngles(NamedTuple):
    """Rotation columns of one joint, in the order of its Euler angles, and their values in radians."""

    joint: int
    order: str
    columns: list[int]
    angles: Floats  # (frames, len(order))


def radians_per_unit(clip: Clip) -> float | None:
    """Return radians per unit of a clip's angle channels: pi/180 (degrees) or 1; None if neither fits."""
    if clip.channels is None:
        return None
    rows = np.unique(np.linspace(0, len(clip) - 1, min(len(clip), 8)).astype(np.intp))
    for scale in (np.pi / 180.0, 1.0):
        worst = 0.0
        for joint, columns in enumerate(rotation_columns(clip.skeleton)):
            angles = clip.channels[rows][:, columns] * scale
            q = clip.skeleton.from_axes(from_euler(angles, clip.skeleton.orders[joint]), joint)
            worst = max(worst, float(angle_between(q, clip.rotations[rows, joint]).max()))
        if worst < 1e-5:
            return float(scale)
    return None


def joint_angles(clip: Clip) -> list[JointAngles]:
    """Return the file's angles for all joints that have any; empty if the clip does not keep its channels."""
    scale = radians_per_unit(clip)
    if clip.channels is None or scale is None:
        return []
    return [
        JointAngles(joint, clip.skeleton.orders[joint], columns, clip.channels[:, columns] * scale)
        for joint, columns in enumerate(rotation_columns(clip.skeleton))
        if columns
    ]


def check_jumps(clip: Clip) -> list[Finding]:
    """Find wraps by full turns, and flips to the equivalent triple of angles."""
    wraps: dict[str, list[int]] = {}
    flips: dict[str, list[int]] = {}
    for joint, order, _, angles in joint_angles(clip):
        name = clip.skeleton.names[joint]
        change = np.diff(angles, axis=0)
        flipped = flip_frames(angles, order) if len(order) == 3 else np.zeros(len(change), dtype=bool)
        wrapped = (np.abs(change) > np.pi).any(axis=1) & ~flipped
        if flipped.any():
            flips[name] = (np.flatnonzero(flipped) + 1).tolist()
        if wrapped.any():
            wraps[name] = (np.flatnonzero(wrapped) + 1).tolist()
    findings = []
    for code, what, where in (
        ("wrap", "angles jump by more than half a turn (they wrap around)", wraps),
        ("flip", "angles flip to the equivalent triple", flips),
    ):
        frames = sorted({frame for listed in where.values() for frame in listed})
        if frames:
            sentence = f"{called(clip)}: {what} at {joined(list(where))} in {frame_list(frames)}; repair with unwrap"
            findings.append(Finding(code, sentence, tuple(frames), tuple(where), repair="unwrap"))
    return findings


def flip_frames(angles: Floats, order: str) -> Bools:
    """Return (frames - 1,): whether the equivalent triple of the next frame continues the frame far better."""
    steps = np.stack([angles[1:], equivalent(angles[1:], order)]) - angles[:-1]
    # Angles that differ by full turns are the same.
    as_written, flipped = np.abs(steps - 2.0 * np.pi * np.round(steps / (2.0 * np.pi))).sum(axis=-1)
    return np.asarray(as_written > flipped + np.pi / 3.0)


def check_gimbal(clip: Clip) -> list[Finding]:
    """Find a root whose middle angle is near a right angle, so its outer two angles describe the same rotation."""
    order = clip.skeleton.orders[0]
    if len(order) != 3:
        return []
    angles = next((angles for joint, _, _, angles in joint_angles(clip) if joint == 0), None)
    if angles is None:  # use the angles that would be written
        angles = continuous_euler(clip.skeleton.about_axes(clip.rotations[:, 0], 0), order)
    near = np.flatnonzero(gimbal_closeness(angles, order) < LOCKED)
    if len(near) == 0:
        return []
    name = clip.skeleton.names[0]
    frames = tuple(near.tolist())
    where = "all frames" if len(frames) == len(clip) else frame_list(frames)
    verb, severity = ("is", WARNING) if clip.channels is not None else ("would be written", NOTE)
    sentence = f"{called(clip)}: the root {name} {verb} in gimbal lock in its Euler order {order} in {where}"
    text = f"{sentence}; repair with reorder-root"
    return [Finding("gimbal", text, frames, (name,), severity, "reorder-root")]


def check_constant(clip: Clip) -> list[Finding]:
    """Find degrees of freedom that never move: models leave them out, so this is only a note."""
    if len(clip) < 2:
        return []
    names = clip.skeleton.names
    if clip.channels is not None:
        owners = [j for j, channels in enumerate(clip.skeleton.channels) for _ in channels]
        still = np.ptp(clip.channels, axis=0) <= 1e-9
        dead = [names[j] for j in range(len(names)) if all(still[k] for k, o in enumerate(owners) if o == j)]
        count, total, what = int(still.sum()), len(owners), "channels"
    else:
        moving = np.abs(clip.rotations - clip.rotations[:1]).max(axis=(0, 2)) > 1e-9
        dead = [name for name, moves in zip(names, moving, strict=True) if not moves]
        count, total, what = len(dead), len(names), "joints"
    if count == 0:
        return []
    which = f" ({joined(dead)} not at all)" if dead and what == "channels" else f" ({joined(dead)})" if dead else ""
    sentence = f"{called(clip)}: {count} of {total} {what} never move{which}; models leave them out"
    return [Finding("constant", sentence, (), tuple(dead), NOTE)]


def check_points(clip: PointClip) -> list[Finding]:
    """Find gaps, points that are never seen, frozen frames."""
    findings = []
    gaps = clip.gaps()
    unseen = tuple(clip.names[k] for k in np.flatnonzero(gaps.all(axis=0)))
    torn = tuple(clip.names[k] for k in np.flatnonzero(gaps.any(axis=0) & ~gaps.all(axis=0)))
    if unseen:
        verb = "is" if len(unseen) == 1 else "are"
        sentence = f"{called(clip)}: {joined(unseen)} {verb} never seen; repair with drop-unseen"
        findings.append(Finding("unseen", sentence, (), unseen, repair="drop-unseen"))
    if torn:
        seen = [k for k, name in enumerate(clip.names) if name not in unseen]
        share = 100.0 * float(gaps[:, seen].mean())
        frames = tuple(np.flatnonzero(gaps[:, seen].any(axis=1)).tolist())
        sentence = f"{called(clip)}: {len(torn)} of {len(clip.names)} points have gaps ({joined(torn)})"
        text = f"{sentence}, {share:.2g} % of all values; repair with fill-gaps"
        findings.append(Finding("gaps", text, frames, torn, repair="fill-gaps"))
    if len(clip) > 1 and not gaps.all():
        same = np.abs(np.diff(np.nan_to_num(clip.positions), axis=0)).max(axis=(1, 2)) == 0
        same &= (gaps[1:] == gaps[:-1]).all(axis=1) & ~gaps[1:].all(axis=1)
        findings += repeated_findings(called(clip), np.concatenate([[False], same]), repairs=False)
    return findings


def check_stroke(stroke: Stroke) -> list[Finding]:
    """Find points that coincide with the point before, and uneven times."""
    findings = []
    if len(stroke) > 1:
        resting = np.flatnonzero((np.diff(stroke.points, axis=0) == 0).all(axis=1)) + 1
        if len(resting):
            frames = tuple(resting.tolist())
            text = f"{called(stroke)}: the pen rests at {frame_list(frames)}".replace("frame", "point")
            findings.append(Finding("resting", text, frames, severity=NOTE))
    if not stroke.uniform:
        steps = np.diff(stroke.times)
        text = f"{called(stroke)}: points lie {1e3 * steps.min():.3g} to {1e3 * steps.max():.3g} ms apart in time"
        findings.append(Finding("uneven", f"{text}; repair with even-times", severity=NOTE, repair="even-times"))
    return findings


def check_mesh(mesh: MeshSequence) -> list[Finding]:
    """Find frozen frames, and vertices that no face uses."""
    findings = []
    if len(mesh) > 1:
        same = [bool(np.array_equal(a, b)) for a, b in zip(mesh.vertices[1:], mesh.vertices[:-1], strict=True)]
        findings += repeated_findings(called(mesh), np.array([False, *same]), repairs=False)
    loose = mesh.vertices.shape[1] - len(np.unique(mesh.faces))
    if loose and len(mesh.faces):
        text = f"{called(mesh)}: {loose} of {mesh.vertices.shape[1]} vertices belong to no face"
        findings.append(Finding("loose", text, severity=NOTE))
    return findings


def check_array(values: npt.ArrayLike) -> list[Finding]:
    """Find values that are not finite in an array whose first axis is frames, before computing anything from it."""
    places = np.argwhere(~np.isfinite(np.asarray(values, dtype=np.float64))).tolist()
    if not places:
        return []
    text = f"the array holds {len(places)} values that are not finite, the first at index {tuple(places[0])}"
    return [Finding("nonfinite", f"{text}: it cannot become a clip", tuple(sorted({place[0] for place in places})))]


CLIP_CHECKS = (
    check_tpose, check_jumps, check_gimbal, check_frozen, check_spikes, check_shaking, check_rate, check_constant,
)  # fmt: skip
CHANNEL_CHECKS = (check_jumps, check_gimbal, check_constant)


def check(motion: Any) -> list[Finding]:
    """Return the faults of a clip, point clip, stroke, mesh sequence or plain array."""
    for kind, check_kind in CHECKS.items():
        if isinstance(motion, kind):
            return check_kind(motion)
    raise UsageError(f"a {kind_word(motion)} cannot be checked: give a clip, point clip, stroke, mesh or array")


def check_clip(clip: Clip) -> list[Finding]:
    """Run all checks for a skeleton in motion, in the order in which their repairs should be made."""
    filed = as_filed(clip)
    return [finding for find in CLIP_CHECKS for finding in find(filed if find in CHANNEL_CHECKS else clip)]


CHECKS: dict[type, Callable[[Any], list[Finding]]] = {
    Clip: check_clip, PointClip: check_points, Stroke: check_stroke, MeshSequence: check_mesh, np.ndarray: check_array,
}  # fmt: skip
