"""Takes that come from several files, brought together: one vertical axis and one unit of length."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from freshtake.motion.body import leg_length
from freshtake.motion.check.finding import called, joined
from freshtake.motion.clip import Clip
from freshtake.motion.edit import scaled, tilt, with_up
from freshtake.motion.mesh import MeshSequence
from freshtake.motion.points import PointClip
from freshtake.motion.size import unit_name, unit_of
from freshtake.motion.stroke import Stroke
from freshtake.numeric.rotations import rotate

Motion = Clip | Stroke | PointClip | MeshSequence
Say = Callable[[str], None]
APART = 1.02  # stated units that differ by more are two units
FAR_APART = 5.0  # the same of guessed ones: centimetres are 2.54 of an inch, and people differ in size


def gathered(motions: Sequence[Motion], say: Say) -> list[Motion]:
    """All with the first one's vertical axis and unit of length; what was turned or scaled is said."""
    return _one_unit(_one_axis(list(motions), say), say)


def _one_axis(motions: list[Motion], say: Say) -> list[Motion]:
    first = next((motion for motion in motions if not isinstance(motion, Stroke)), None)
    if first is None:
        return motions
    odd = [called(motion) for motion in motions if not isinstance(motion, Stroke) and motion.up != first.up]
    if odd:
        other = "z" if first.up == "y" else "y"
        verb = "has" if len(odd) == 1 else "have"
        say(f"{joined(odd)} {verb} {other} up and {called(first)} {first.up}: turned to {first.up} up")
    return [_with_up(motion, first.up) for motion in motions]


def _with_up(motion: Motion, up: str) -> Motion:
    if isinstance(motion, Stroke) or motion.up == up:
        return motion
    if isinstance(motion, Clip):
        return with_up(motion, up)
    turn = tilt(motion.up, up)
    if isinstance(motion, PointClip):
        return replace(motion, positions=rotate(turn, motion.positions), up=up)
    normals = None if motion.normals is None else rotate(turn, motion.normals)
    return replace(motion, vertices=rotate(turn, motion.vertices), normals=normals, up=up)


def _one_unit(motions: list[Motion], say: Say) -> list[Motion]:
    """Clips in the first one's unit."""
    first = next((motion for motion in motions if isinstance(motion, Clip)), None)
    return [
        motion if first is None or not isinstance(motion, Clip) else _like(motion, first, say) for motion in motions
    ]


def _like(clip: Clip, first: Clip, say: Say) -> Clip:
    ours, theirs = unit_of(first), unit_of(clip)
    stated = clip.unit_m is not None and first.unit_m is not None
    if ours is None or theirs is None or not _apart(theirs / ours, APART if stated else FAR_APART):
        return clip
    size = leg_length(clip.skeleton) / leg_length(first.skeleton)
    if not _apart(size, APART):  # the bodies are of one size, so that one of the statements is wrong
        return clip
    how = "" if stated else ", by the size of the bodies"
    told = f"{called(clip)} is in {unit_name(theirs)} and {called(first)} in {unit_name(ours)}{how}"
    say(f"{told}: scaled by {theirs / ours:.4g}")
    return scaled(clip, theirs / ours).changed(unit_m=first.unit_m)


def _apart(ratio: float, factor: float) -> bool:
    return not 1.0 / factor < ratio < factor
