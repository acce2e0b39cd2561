"""Find what is wrong with a clip, or with a set of clips, and say it in a sentence. Nothing is changed.

What can be wrong with point clips, strokes, mesh sequences and plain arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from freshtake.errors import SkeletonMismatch, UsageError
from freshtake.motion.body.rooting import as_filed
from freshtake.motion.body.size import unit_name
from freshtake.motion.check.angle_checks import check_constant, check_gimbal, check_jumps
from freshtake.motion.check.fall import check_rate
from freshtake.motion.check.finding import NOTE, WARNING, Finding, called, frame_list, joined
from freshtake.motion.check.frame_checks import check_frozen, check_spikes, check_tpose, repeated_findings
from freshtake.motion.clip import Clip
from freshtake.motion.kind_words import kind_word
from freshtake.motion.mesh import MeshSequence
from freshtake.motion.points import PointClip
from freshtake.motion.skeleton import length_differences, require_compatible
from freshtake.motion.stroke import Stroke
from freshtake.motion.validation import same_rate

__all__ = ["NOTE", "WARNING", "Finding", "check", "check_clip", "check_set"]

CLIP_CHECKS = (check_tpose, check_jumps, check_gimbal, check_frozen, check_spikes, check_rate, check_constant)

CHANNEL_CHECKS = (check_jumps, check_gimbal, check_constant)


def check_points(clip: PointClip) -> list[Finding]:
    """Gaps, points that are never seen, frozen frames."""
    found = []
    gaps = clip.gaps()
    unseen = tuple(clip.names[k] for k in np.flatnonzero(gaps.all(axis=0)))
    torn = tuple(clip.names[k] for k in np.flatnonzero(gaps.any(axis=0) & ~gaps.all(axis=0)))
    if unseen:
        verb = "is" if len(unseen) == 1 else "are"
        sentence = f"{called(clip)}: {joined(unseen)} {verb} never seen; repair with drop-unseen"
        found.append(Finding("unseen", sentence, (), unseen, repair="drop-unseen"))
    if torn:
        seen = [k for k, name in enumerate(clip.names) if name not in unseen]
        share = 100.0 * float(gaps[:, seen].mean())
        frames = tuple(np.flatnonzero(gaps[:, seen].any(axis=1)).tolist())
        sentence = f"{called(clip)}: {len(torn)} of {len(clip.names)} points have gaps ({joined(torn)})"
        text = f"{sentence}, {share:.2g} % of all values; repair with fill-gaps"
        found.append(Finding("gaps", text, frames, torn, repair="fill-gaps"))
    if len(clip) > 1 and not gaps.all():
        same = np.abs(np.diff(np.nan_to_num(clip.positions), axis=0)).max(axis=(1, 2)) == 0
        same &= (gaps[1:] == gaps[:-1]).all(axis=1) & ~gaps[1:].all(axis=1)
        found += repeated_findings(called(clip), np.concatenate([[False], same]), repairs=False)
    return found


def check_stroke(stroke: Stroke) -> list[Finding]:
    """Points that rest on the one before, and uneven times."""
    found = []
    if len(stroke) > 1:
        resting = np.flatnonzero((np.diff(stroke.points, axis=0) == 0).all(axis=1)) + 1
        if len(resting):
            frames = tuple(resting.tolist())
            text = f"{called(stroke)}: the pen rests at {frame_list(frames)}".replace("frame", "point")
            found.append(Finding("resting", text, frames, severity=NOTE))
    if not stroke.uniform:
        steps = np.diff(stroke.times)
        text = f"{called(stroke)}: points lie {1e3 * steps.min():.3g} to {1e3 * steps.max():.3g} ms apart in time"
        found.append(Finding("uneven", f"{text}; repair with even-times", severity=NOTE, repair="even-times"))
    return found


def check_mesh(mesh: MeshSequence) -> list[Finding]:
    """Frozen frames, and vertices that no face uses."""
    found = []
    if len(mesh) > 1:
        same = [bool(np.array_equal(a, b)) for a, b in zip(mesh.vertices[1:], mesh.vertices[:-1], strict=True)]
        found += repeated_findings(called(mesh), np.array([False, *same]), repairs=False)
    loose = mesh.vertices.shape[1] - len(np.unique(mesh.faces))
    if loose and len(mesh.faces):
        text = f"{called(mesh)}: {loose} of {mesh.vertices.shape[1]} vertices belong to no face"
        found.append(Finding("loose", text, severity=NOTE))
    return found


def check_array(values: npt.ArrayLike) -> list[Finding]:
    """Values that are not finite, in an array whose first axis is frames, before anything is made of it."""
    array: npt.NDArray[Any] = np.asarray(values, dtype=np.float64)
    bad = ~np.isfinite(array)
    if not bad.any():
        return []
    place = tuple(int(i) for i in np.argwhere(bad)[0])
    frames = tuple(sorted({int(i) for i in np.argwhere(bad)[:, 0]}))
    text = f"the array holds {int(bad.sum())} values that are not finite, the first at index {place}"
    return [Finding("nonfinite", f"{text}: a clip cannot be made of it", frames)]


def check(thing: Any) -> list[Finding]:
    """What is wrong with a clip, point clip, stroke, mesh sequence or plain array; empty if nothing is."""
    if isinstance(thing, Clip):
        return check_clip(thing)
    if isinstance(thing, PointClip):
        return check_points(thing)
    if isinstance(thing, Stroke):
        return check_stroke(thing)
    if isinstance(thing, MeshSequence):
        return check_mesh(thing)
    if isinstance(thing, np.ndarray):
        return check_array(thing)
    raise UsageError(f"a {kind_word(thing)} cannot be checked: give a clip, point clip, stroke, mesh or array")


def check_clip(clip: Clip) -> list[Finding]:
    """All checks for a skeleton in motion, in the order in which their repairs should be made."""
    filed = as_filed(clip)
    return [finding for one in CLIP_CHECKS for finding in one(filed if one in CHANNEL_CHECKS else clip)]


def check_set(things: Sequence[Any]) -> list[Finding]:
    """What keeps clips from being used together: other kinds, skeletons, rates, axes, units, and duplicates."""
    if len(things) < 2:
        return []
    first = things[0]
    other = next((thing for thing in things[1:] if type(thing) is not type(first)), None)
    if other is not None:
        kinds = f"{called(first)} is a {kind_word(first)} and {called(other)} a {kind_word(other)}"
        return [Finding("kinds", f"{kinds}: they cannot be used together")]
    found = []
    if isinstance(first, Clip):
        found += _skeletons(things)
    elif isinstance(first, PointClip):
        found += _same(things, "names", "points", lambda thing: thing.names)
    elif isinstance(first, MeshSequence):
        found += _same(things, "faces", "connectivity", lambda thing: (thing.vertices.shape[1], thing.faces.tobytes()))
    else:
        found += _same(things, "dimensions", "dimensions", lambda thing: thing.dimensions)
    if not isinstance(first, Stroke):
        found += _rates(things)
        found += _same(things, "up", "vertical axes", lambda thing: thing.up)
        found += _units(things)
    return found + _duplicates(things)


def _skeletons(clips: Sequence[Clip]) -> list[Finding]:
    """Clips whose joints do not match those of the first, or sit at other distances."""
    found, longer, joints = [], [], []
    first = clips[0]
    for clip in clips[1:]:
        try:
            require_compatible(first.skeleton, clip.skeleton, called(first), called(clip))
        except SkeletonMismatch as error:
            found.append(Finding("skeletons", str(error)))
            continue
        differences = length_differences(first.skeleton, clip.skeleton, 1e-4)
        if differences:
            longer.append(called(clip))
            joints += [difference.joint for difference in differences]
    if longer:
        which = tuple(dict.fromkeys(joints))
        text = f"{joined(longer)} and {called(first)} have joints at other distances from their parents"
        found.append(Finding("lengths", f"{text} ({joined(which)})", (), which, NOTE))
    return found


def _rates(things: Sequence[Any]) -> list[Finding]:
    """Clips at another frame rate than the first."""
    rates = {called(thing): thing.fps for thing in things}
    first = things[0].fps
    odd = [name for name, rate in rates.items() if not same_rate(rate, first)]
    if not odd:
        return []
    text = f"{joined([f'{name} ({rates[name]:.4g} fps)' for name in odd])} and {called(things[0])} ({first:.4g} fps)"
    return [Finding("rates", f"{text} have different frame rates: resample them to one")]


def _same(things: Sequence[Any], code: str, what: str, value: Any) -> list[Finding]:
    """One finding if a property differs from that of the first."""
    wanted = value(things[0])
    odd = [called(thing) for thing in things[1:] if value(thing) != wanted]
    return [Finding(code, f"{joined(odd)} and {called(things[0])} have different {what}")] if odd else []


def _units(things: Sequence[Any]) -> list[Finding]:
    """Files that say another unit than the first, or none."""
    first = things[0]
    odd = next((thing for thing in things[1:] if thing.unit_m != first.unit_m), None)
    if odd is None:
        return []
    said = [
        f"{called(thing)} is in {unit_name(thing.unit_m)}" if thing.unit_m else f"{called(thing)} does not say its unit"
        for thing in (odd, first)
    ]
    text = f"{said[0]} and {said[1]}: together they are scaled to the unit of the first; --unit says what files do not"
    return [Finding("unit", text)]


def _duplicates(things: Sequence[Any]) -> list[Finding]:
    """Groups with exactly the same content, whatever their names."""
    groups: dict[tuple[Any, ...], list[int]] = {}
    for number, thing in enumerate(things):
        groups.setdefault(tuple((a.shape, (a + 0.0).tobytes()) for a in _content(thing)), []).append(number)
    found = []
    for members in groups.values():
        if len(members) > 1:
            names = joined([called(things[number]) for number in members], most=6)
            text = f"{names} are the same recording, number for number: use one of them only"
            found.append(Finding("duplicates", text))
    return found


def _content(thing: Any) -> tuple[Any, ...]:
    """The arrays that make up the motion."""
    if isinstance(thing, Clip):
        return thing.root, thing.rotations
    if isinstance(thing, PointClip):
        return (thing.positions,)
    return (thing.vertices,) if isinstance(thing, MeshSequence) else (thing.points,)
