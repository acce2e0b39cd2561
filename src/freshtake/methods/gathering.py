"""Unify takes from several files: one vertical axis, unit of length and root."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from freshtake.errors import SkeletonMismatch
from freshtake.motion.body.orientation import facing, mean_angle, unit_name, unit_of
from freshtake.motion.body.roles import leg_length
from freshtake.motion.body.rooting import rooted_like, rooted_together
from freshtake.motion.check.checks import called, joined
from freshtake.motion.clip import Clip
from freshtake.motion.edit import scaled, tilt, with_up
from freshtake.motion.features.clip_features import ClipLayout
from freshtake.motion.features.coding import Recipe
from freshtake.motion.kinds import MeshSequence, PointClip, Stroke
from freshtake.motion.skeleton import Skeleton, compatible, turned_bones
from freshtake.numeric.rotations import rotate

Motion = Clip | Stroke | PointClip | MeshSequence
Say = Callable[[str], None]
APART = 1.02  # stated units that differ by a larger factor are different units


def gathered(motions: Sequence[Motion], say: Say) -> list[Motion]:
    """Return motions with the first motion's vertical axis and unit of length, and clips of one rig with one root.

    `say` receives a sentence for each change of axis or unit.
    """
    unified = _one_axis(list(motions), say)
    first = next((motion for motion in unified if isinstance(motion, Clip)), None)
    if first is not None:
        unified = [_like(motion, first, say) if isinstance(motion, Clip) else motion for motion in unified]
    clips = [motion for motion in unified if isinstance(motion, Clip)]
    if len(clips) > 1 and all(compatible(clips[0].skeleton, clip.skeleton) for clip in clips):
        clips = _one_build(rooted_together(clips))
    for clip in clips[1:]:
        _require_same_rest(clips[0].skeleton, called(clips[0]), clip)
    same_root = iter(clips)
    return [next(same_root) if isinstance(motion, Clip) else motion for motion in unified]


def _require_same_rest(skeleton: Skeleton, owner: str, clip: Clip) -> None:
    """Refuse a different rest pose, in which the same rotations describe other poses."""
    turned = turned_bones(skeleton, clip.skeleton) if compatible(skeleton, clip.skeleton) else []
    if turned:
        raise SkeletonMismatch(
            f"{called(clip)} and {owner} have the same joints but different rest poses "
            f"({turned[0]} points another way): retarget one to the skeleton of the other with freshtake retarget"
        )


def _one_axis(motions: list[Motion], say: Say) -> list[Motion]:
    bodies = [motion for motion in motions if isinstance(motion, Clip | PointClip)]
    if not bodies:
        return motions
    first = bodies[0]
    odd = [called(motion) for motion in bodies if motion.up != first.up]
    if odd:
        other = "z" if first.up == "y" else "y"
        verb = "has" if len(odd) == 1 else "have"
        say(f"{joined(odd)} {verb} {other} up and {called(first)} {first.up}: turned to {first.up} up")
    return [_turned(motion, first.up) for motion in motions]


def _turned(motion: Motion, up: str) -> Motion:
    """Return a clip or point clip with another vertical axis; other motions are unchanged."""
    if not isinstance(motion, Clip | PointClip) or motion.up == up:
        return motion
    if isinstance(motion, Clip):
        return with_up(motion, up)
    return replace(motion, positions=rotate(tilt(motion.up, up), motion.positions), up=up)


def _like(clip: Clip, first: Clip, say: Say) -> Clip:
    """Return a clip in the unit of the first clip."""
    first_unit, unit = unit_of(first), unit_of(clip)
    stated = clip.unit_m is not None and first.unit_m is not None
    # Guessed units differ only if their factor is at least five: people differ in size, and an inch is 2.54 cm.
    if first_unit is None or unit is None or not _differ(unit / first_unit, APART if stated else 5.0):
        return clip
    size = leg_length(clip.skeleton) / leg_length(first.skeleton)
    if not _differ(size, APART):  # the bodies are of one size, so one of the statements is wrong
        return clip
    how = "" if stated else ", by the size of the bodies"
    statement = f"{called(clip)} is in {unit_name(unit)} and {called(first)} in {unit_name(first_unit)}{how}"
    say(f"{statement}: scaled by {unit / first_unit:.4g}")
    return scaled(clip, unit / first_unit).changed(unit_m=first.unit_m)


def _one_build(clips: list[Clip]) -> list[Clip]:
    """Return clips in which joints whose position never changes in any clip have their position in the first clip.

    If another joint moves, all positions are learned: bones that only differ between takes would stretch in variants.
    """
    if all(clip.joint_translations is None for clip in clips):
        return clips
    first = clips[0].skeleton.offsets
    steady = np.all([np.ptp(clip.local_translations(), axis=0).max(axis=-1) == 0.0 for clip in clips], axis=0)
    steady[0] = False
    out = []
    for clip in clips:
        local = clip.local_translations()
        if clip.joint_translations is not None and (local[0, steady] != first[steady]).any():
            local = np.where(steady[:, None], first, local)
            clip = clip.changed(skeleton=replace(clip.skeleton, offsets=first), joint_translations=local)
        out.append(clip)
    return out


def fitted(motion: Motion, recipe: Recipe | None) -> Motion:
    """Return a motion with the vertical axis of a model's takes, and its root at the same joint as theirs."""
    layout = None if recipe is None else recipe.layout
    if not isinstance(layout, ClipLayout):
        return motion
    motion = _turned(motion, layout.up)
    if not isinstance(motion, Clip) or not compatible(motion.skeleton, layout.skeleton):
        return motion
    _require_same_rest(layout.skeleton, "the model", motion)
    return rooted_like(motion, layout.skeleton)


def heading_note(motions: Sequence[Motion]) -> str | None:
    """Return a sentence if takes face different directions: models do not store the direction of a take."""
    facings = []
    for clip in (motion for motion in motions if isinstance(motion, Clip)):
        angles = facing(clip)
        mean, agreement = (0.0, 0.0) if angles is None else mean_angle(angles)
        # A body that faces all directions has no mean heading.
        if agreement < 0.7:
            return None
        facings.append(mean)
    widest = max((abs(float(np.angle(np.exp(1j * (a - b))))) for a in facings for b in facings), default=0.0)
    # Takes in one direction differ in heading by up to 10°.
    if widest < np.radians(10.0):
        return None
    return f"the takes face up to {np.degrees(widest):.0f}° apart: they are turned to a common heading"


def _differ(ratio: float, factor: float) -> bool:
    return not 1.0 / factor < ratio < factor
