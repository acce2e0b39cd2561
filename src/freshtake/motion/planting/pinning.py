"""Move pinned joints to their pins: blend the path of a pinned point to the pins and back, and lead limbs along it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.body.limbs import Limb
from freshtake.motion.clip import Clip
from freshtake.motion.pins import Pin
from freshtake.motion.planting.limb_leading import FULL, PINNED, lead_limbs
from freshtake.motion.planting.planting_model import PlantingModel, make_bones
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.curves import quintic


class Pinned(NamedTuple):
    """A path (frames, 3) with pins, and how firmly each frame is pinned (frames,), from 0 to 1."""

    path: Floats
    contact_strength: Floats


def pinned_path(path: Floats, pins: Sequence[Pin], frame_time: float) -> Pinned:
    """Blend a path to the positions of its pins.

    In a pin's frames, the path is exactly at the pin. Next to these frames it is (1 - e) path + e pin, with e falling
    from 1 to 0. There, a pin of several frames continues its movement, and a pin of one frame moves with the path.
    """
    out, contact_strength = path.copy(), np.zeros(len(path))
    pinned_frames = np.zeros(len(path), dtype=bool)
    for pin in pins:
        pinned_frames[pin.start : pin.stop] = True
    for pin in pins:
        share = _ease(pin, pinned_frames, frame_time)
        place = _place(pin, out)
        out += share[:, None] * (place - out)
        contact_strength = np.maximum(contact_strength, share)
    return Pinned(out, contact_strength)


def _ease(pin: Pin, pinned_frames: Bools, frame_time: float) -> Floats:
    """Return 1 in the pin's frames, with quintic ends over its blend time, or up to the next pin if that is near."""
    frames = np.arange(len(pinned_frames))
    others = pinned_frames.copy()
    others[pin.start : pin.stop] = False
    before, after = np.flatnonzero(others[: pin.start]), pin.stop + np.flatnonzero(others[pin.stop :])
    blend = pin.blend / frame_time + 1.0
    left = min(blend, pin.start - before[-1]) if len(before) else blend
    right = min(blend, after[0] - pin.stop + 1) if len(after) else blend
    outside = np.maximum((pin.start - frames) / left, (frames - pin.stop + 1) / right)
    return quintic(np.clip(1.0 - outside, 0.0, 1.0))


def _place(pin: Pin, path: Floats) -> Floats:
    """Return the positions of the pin, (frames, 3), in its frames and extrapolated around them."""
    pinned = path[pin.start : pin.stop]
    goal = np.broadcast_to(pinned.mean(axis=0) if pin.position is None else np.asarray(pin.position), pinned.shape)
    out = np.empty_like(path)
    out[pin.start : pin.stop] = goal
    if len(pinned) == 1:
        out[:] = goal[0] + path - pinned[0]
        return out
    before, after = np.arange(-pin.start, 0)[:, None], np.arange(1, len(path) - pin.stop + 1)[:, None]
    out[: pin.start] = goal[0] + before * (goal[1] - goal[0])
    out[pin.stop :] = goal[-1] + after * (goal[-1] - goal[-2])
    return out


def pinned_root(clip: Clip, pins: Sequence[Pin]) -> Clip:
    """Return the clip with its root moved to the root's pins."""
    root_pins = _pins_of(clip, 0, pins)
    return clip.changed(root=pinned_path(clip.root, root_pins, clip.frame_time).path) if root_pins else clip


def _pins_of(clip: Clip, joint: int, pins: Sequence[Pin]) -> list[Pin]:
    return [pin for pin in pins if clip.skeleton.index(pin.joint) == joint]


def pinned_clip(clip: Clip, base: PlantingModel, pins: Sequence[Pin]) -> Clip:
    """Return the clip with limbs led to the pins of their ends; feet stay where they are.

    A hard pin that a limb cannot reach moves the root too, unless the root itself is pinned.
    """
    limb_pins = [pin for pin in pins if clip.skeleton.index(pin.joint) != 0]
    if not limb_pins:
        return clip
    positions = clip.positions()
    goals = [_path_to_pins(clip, positions, limb, limb_pins) for limb in base.limbs]
    places = [clip.skeleton.names[joint] for limb in base.limbs for joint in limb.points]
    missing = [pin for pin in limb_pins if pin.joint not in places]
    if missing:
        raise UsageError(
            f"{missing[0].joint!r} cannot be pinned: pins hold the root ({clip.skeleton.names[0]}) and the ends of "
            f"limbs ({', '.join(places) or 'none were recognized'})"
        )
    root_pinned = pinned_path(clip.root, _pins_of(clip, 0, pins), clip.frame_time).contact_strength
    shift = _root_shift(positions, base.limbs, goals) * (1.0 - root_pinned)[:, None]
    bones = make_bones(clip.skeleton, base.limbs)
    bones.reach[:, 1] = 1.0
    root, rotations = clip.root + shift, clip.rotations.copy()
    feet = np.array([limb.is_leg for limb in base.limbs])
    moves = np.stack([goal.path - positions[:, limb.end] for limb, goal in zip(base.limbs, goals, strict=True)], axis=1)
    free = ~feet & ~np.array([goal.contact_strength.any() for goal in goals])
    moves[:, free] = shift[:, None]  # limbs without pins move with the root
    pinned = {clip.skeleton.index(pin.joint) for pin in limb_pins}
    by_toe = np.array([limb.is_leg and limb.end not in pinned for limb in base.limbs], dtype=np.intp)
    lead_limbs(bones, clip.root, root, clip.bone_offsets(), moves, by_toe, rotations, PINNED)
    return clip.changed(root=root, rotations=rotations)


class LimbGoal(NamedTuple):
    """The path of a limb's end (frames, 3), how firmly it is pinned (frames,), and how firmly by hard pins."""

    path: Floats
    contact_strength: Floats
    hard: Floats


def _path_to_pins(clip: Clip, positions: Floats, limb: Limb, pins: Sequence[Pin]) -> LimbGoal:
    path, contact_strength, hard = positions[:, limb.end].copy(), np.zeros(len(clip)), np.zeros(len(clip))
    for joint in limb.points:
        if joint_pins := _pins_of(clip, joint, pins):
            pinned = pinned_path(positions[:, joint], joint_pins, clip.frame_time)
            path += pinned.path - positions[:, joint]
            contact_strength = np.maximum(contact_strength, pinned.contact_strength)
            hard_pins = [pin for pin in joint_pins if pin.hard]
            hard = np.maximum(hard, pinned_path(path, hard_pins, clip.frame_time).contact_strength)
    return LimbGoal(path, contact_strength, hard)


def _root_shift(positions: Floats, limbs: Sequence[Limb], goals: Sequence[LimbGoal]) -> Floats:
    """Return the root's shift (frames, 3) that brings hard pins within reach, scaled by their firmness.

    Each limb restricts its base to a ball around its goal; the shift is projected onto each ball in turn.
    """
    shift = np.zeros((len(positions), 3))
    if not any(goal.hard.any() for goal in goals):
        return shift
    # Projecting onto one ball moves the shift off another, so visit all of them several times.
    for _ in range(8):
        for limb, goal in zip(limbs, goals, strict=True):
            base, middle, end = (positions[:, joint] for joint in (limb.upper, limb.middle, limb.end))
            length = np.linalg.norm(middle - base, axis=1) + np.linalg.norm(end - middle, axis=1)
            usual = np.linalg.norm(end - base, axis=1)
            line = goal.path - base - shift
            distance = np.linalg.norm(line, axis=1)
            # Beyond 98.5 % of a limb's length, the root moves too.
            excess = np.maximum(distance - np.maximum(0.985 * length, np.minimum(usual, FULL * length)), 0.0)
            shift += line * (goal.hard * excess / np.maximum(distance, 1e-12))[:, None]
    return shift
