"""Find faults of motions, one by one or as a set, and report them in sentences. Nothing is changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import SkeletonMismatch, UsageError
from freshtake.motion.body.orientation import unit_name
from freshtake.motion.body.roles import feet, leg_length, pelvis
from freshtake.motion.body.rooting import as_filed
from freshtake.motion.check.checks import (
    NOTE,
    Finding,
    called,
    check_constant,
    check_frozen,
    check_gimbal,
    check_jumps,
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
from freshtake.motion.skeleton import length_differences, require_compatible
from freshtake.motion.validation import same_rate
from freshtake.numeric.arrays import runs

GRAVITY = 9.81
COMMON_RATES = (24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 90.0, 100.0, 120.0, 150.0, 200.0, 240.0, 250.0)


class Flight(NamedTuple):
    """Frames start to stop (exclusive) off the ground, and the fall of the pelvis there in units per second squared."""

    start: int
    stop: int
    fall: float


def flights(clip: Clip) -> list[Flight]:
    """Return spans with all feet off the floor in which the pelvis height is a parabola with its top inside."""
    all_feet = feet(clip.skeleton)
    if not all_feet or len(clip) < 8:
        return []
    joints = [joint for foot in all_feet for joint in foot.joints]
    leg = leg_length(clip.skeleton)
    levels = clip.positions()[..., clip.up_index]
    heights, center = levels[:, joints], levels[:, pelvis(clip.skeleton)]
    # In flight both feet are off the floor, and the legs hang below the pelvis.
    hanging = center - heights.max(axis=1) > ContactSettings.pelvis_above * leg
    lifted = (heights - floor_heights([clip]) > LIFTED * leg).all(axis=1) & hanging
    out = []
    for start, stop in runs(lifted):
        if stop - start >= 8:
            fall = _parabola(center[start + 1 : stop - 1] / leg, clip.frame_time)
            if fall is not None:
                out.append(Flight(start, stop, fall * leg))
    return out


def _parabola(height: np.ndarray[tuple[int], np.dtype[np.float64]], frame_time: float) -> float | None:
    """Return the constant fall of a flight in legs/s², None where the height is no parabola with its top inside."""
    frames = np.arange(len(height)) - (len(height) - 1) / 2.0
    curve = np.polynomial.polynomial.Polynomial.fit(frames, height, 2).convert().coef
    # A pelvis that hardly rises or falls does not show gravity.
    if len(curve) < 3 or curve[2] >= 0 or np.ptp(height) < 0.05:
        return None
    residual = height - (curve[0] + curve[1] * frames + curve[2] * frames**2)
    top = -curve[1] / (2.0 * curve[2])
    if residual.var() > 0.015 * height.var() or abs(top) > frames[-1]:
        return None
    return float(-2.0 * curve[2] / frame_time**2)


def measured_gravity(clip: Clip) -> float | None:
    """Return the median free fall of the clip in m/s²; None where nothing flies or the unit is not known."""
    if clip.unit_m is None:
        return None
    falls = [flight.fall for flight in flights(clip)]
    return float(np.median(falls)) * clip.unit_m if falls else None


def check_rate(clip: Clip) -> list[Finding]:
    """Find a free fall that differs from gravity: the frame rate (or the unit) is not what the file says."""
    gravity = measured_gravity(clip)
    # Gravity is measured at the hips, not at the center of mass: at the right rate it may be off by this much.
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
    """Find points that coincide with the one before, and uneven times."""
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
    """Find values that are not finite in an array whose first axis is frames, before anything is computed from it."""
    array: npt.NDArray[Any] = np.asarray(values, dtype=np.float64)
    bad = ~np.isfinite(array)
    if not bad.any():
        return []
    place = tuple(int(i) for i in np.argwhere(bad)[0])
    frames = tuple(sorted({int(i) for i in np.argwhere(bad)[:, 0]}))
    text = f"the array holds {int(bad.sum())} values that are not finite, the first at index {place}"
    return [Finding("nonfinite", f"{text}: it cannot become a clip", frames)]


CLIP_CHECKS = (
    check_tpose, check_jumps, check_gimbal, check_frozen, check_spikes, check_shaking, check_rate, check_constant,
)  # fmt: skip
CHANNEL_CHECKS = (check_jumps, check_gimbal, check_constant)


def check(motion: Any) -> list[Finding]:
    """Return what is wrong with a clip, point clip, stroke, mesh sequence or plain array; empty if nothing is."""
    for kind, checked in CHECKED.items():
        if isinstance(motion, kind):
            return checked(motion)
    raise UsageError(f"a {kind_word(motion)} cannot be checked: give a clip, point clip, stroke, mesh or array")


def check_clip(clip: Clip) -> list[Finding]:
    """Run all checks for a skeleton in motion, in the order in which their repairs should be made."""
    filed = as_filed(clip)
    return [finding for one in CLIP_CHECKS for finding in one(filed if one in CHANNEL_CHECKS else clip)]


CHECKED: dict[type, Callable[[Any], list[Finding]]] = {
    Clip: check_clip, PointClip: check_points, Stroke: check_stroke, MeshSequence: check_mesh, np.ndarray: check_array,
}  # fmt: skip


def check_set(motions: Sequence[Any]) -> list[Finding]:
    """Return what keeps clips from being used together: kinds, skeletons, rates, axes, units, and duplicates."""
    if len(motions) < 2:
        return []
    first = motions[0]
    other = next((motion for motion in motions[1:] if type(motion) is not type(first)), None)
    if other is not None:
        kinds = f"{called(first)} is a {kind_word(first)} and {called(other)} a {kind_word(other)}"
        return [Finding("kinds", f"{kinds}: they cannot be used together, leave one kind out")]
    findings = []
    if isinstance(first, Clip):
        findings += _skeletons(motions)
    elif isinstance(first, PointClip):
        findings += _same(motions, "names", "points", lambda motion: motion.names)
    elif isinstance(first, MeshSequence):
        findings += _same(
            motions, "faces", "connectivity", lambda motion: (motion.vertices.shape[1], motion.faces.tobytes())
        )
    else:
        findings += _same(motions, "dimensions", "dimensions", lambda motion: motion.dimensions)
    if not isinstance(first, Stroke):
        findings += _rates(motions)
        findings += _same(motions, "up", "vertical axes", lambda motion: motion.up)
        findings += _units(motions)
    return findings + _duplicates(motions)


def _skeletons(clips: Sequence[Clip]) -> list[Finding]:
    """Find clips whose joints do not match those of the first, or are at other distances."""
    findings, longer, joints = [], [], []
    first = clips[0]
    for clip in clips[1:]:
        try:
            require_compatible(first.skeleton, clip.skeleton, called(first), called(clip))
        except SkeletonMismatch as error:
            findings.append(Finding("skeletons", f"{error}; leave one out, or retarget it onto the other"))
            continue
        differences = length_differences(first.skeleton, clip.skeleton, 1e-4)
        if differences:
            longer.append(called(clip))
            joints += [difference.joint for difference in differences]
    if longer:
        which = tuple(dict.fromkeys(joints))
        text = f"{joined(longer)} and {called(first)} have joints at other distances from their parents"
        findings.append(Finding("lengths", f"{text} ({joined(which)})", (), which, NOTE))
    return findings


def _rates(motions: Sequence[Any]) -> list[Finding]:
    """Find clips with a different frame rate than the first."""
    rates = {called(motion): motion.fps for motion in motions}
    first = motions[0].fps
    odd = [name for name, rate in rates.items() if not same_rate(rate, first)]
    if not odd:
        return []
    text = f"{joined([f'{name} ({rates[name]:.4g} fps)' for name in odd])} and {called(motions[0])} ({first:.4g} fps)"
    return [Finding("rates", f"{text} have different frame rates: resample them to one")]


def _same(motions: Sequence[Any], code: str, what: str, value: Any) -> list[Finding]:
    """Return one finding if a property differs from that of the first."""
    expected = value(motions[0])
    odd = [called(motion) for motion in motions[1:] if value(motion) != expected]
    return [Finding(code, f"{joined(odd)} and {called(motions[0])} have different {what}")] if odd else []


def _units(motions: Sequence[Any]) -> list[Finding]:
    """Find files whose unit differs from the first one's, or is not stated."""
    first = motions[0]
    odd = next((motion for motion in motions[1:] if motion.unit_m != first.unit_m), None)
    if odd is None:
        return []
    statements = [
        f"{called(motion)} is in {unit_name(motion.unit_m)}" if motion.unit_m else f"{called(motion)} states no unit"
        for motion in (odd, first)
    ]
    remedy = "used together, they are scaled to the unit of the first; give a missing unit with --unit"
    text = f"{statements[0]} and {statements[1]}: {remedy}"
    return [Finding("unit", text)]


def _duplicates(motions: Sequence[Any]) -> list[Finding]:
    """Find groups with exactly the same content, whatever their names."""
    groups: dict[tuple[Any, ...], list[int]] = {}
    for number, motion in enumerate(motions):
        groups.setdefault(tuple((a.shape, (a + 0.0).tobytes()) for a in _content(motion)), []).append(number)
    findings = []
    for members in groups.values():
        if len(members) > 1:
            names = joined([called(motions[number]) for number in members], most=6)
            text = f"{names} are the same recording, number for number: use one of them only"
            findings.append(Finding("duplicates", text))
    return findings


def _content(motion: Any) -> tuple[Any, ...]:
    """Return the arrays that make up the motion."""
    names = ("root", "rotations", "positions", "vertices", "points")
    return tuple(getattr(motion, name) for name in names if isinstance(getattr(motion, name, None), np.ndarray))
