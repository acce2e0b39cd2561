"""Find what is wrong with a clip, or with a set of clips, and say it in a sentence. Nothing is changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from freshtake.errors import SkeletonMismatch, UsageError
from freshtake.motion.check.channels import check_constant, check_gimbal, check_jumps
from freshtake.motion.check.fall import check_rate
from freshtake.motion.check.finding import NOTE, WARNING, Finding, called, joined
from freshtake.motion.check.frames import check_frozen, check_spikes, check_tpose
from freshtake.motion.check.kinds import check_array, check_mesh, check_points, check_stroke
from freshtake.motion.clip import Clip
from freshtake.motion.mesh import MeshSequence
from freshtake.motion.points import PointClip
from freshtake.motion.rooting import as_filed
from freshtake.motion.skeleton import length_differences, require_compatible
from freshtake.motion.stroke import Stroke
from freshtake.motion.validation import same_rate

__all__ = ["NOTE", "WARNING", "Finding", "check", "check_clip", "check_set"]

CLIP_CHECKS = (check_tpose, check_jumps, check_gimbal, check_frozen, check_spikes, check_rate, check_constant)

CHANNEL_CHECKS = (check_jumps, check_gimbal, check_constant)


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
    raise UsageError(f"a {type(thing).__name__} cannot be checked: give a clip, point clip, stroke, mesh or array")


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
        kinds = f"{called(first)} is a {type(first).__name__} and {called(other)} a {type(other).__name__}"
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
        found += _same(things, "unit", "units", lambda thing: thing.unit_m)
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
