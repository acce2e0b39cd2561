# SPDX-License-Identifier: GPL-3.0-or-later
"""Write motions as new Actions of an armature: each bone in its rotation mode, a key per frame, all or nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import bpy
import numpy as np

from .actions import bone_path, new_curves
from .fitting import Fit, fit
from .motion import Motion
from .poses import empty_poses, pose_bone, rotation_of, solve_bone
from .reading import BLOCK, Steps, scene_fps
from .rig import Rig, read_rig
from .rotations import channels_of, rotation_path

ABOUT = "freshtake"  # the custom property that stores how an Action was made, as JSON
LINEAR = 1  # Blender's number for linear interpolation
STILL = 1e-7  # radians, or units of length: a channel that changes less needs only one key


def write_actions(thing: Any, motions: Sequence[Motion], first_frame: float = 1.0, scene: Any = None) -> Steps:
    """Make new Actions of an armature; yields between steps. If one fails, none is left behind."""
    scene = scene or bpy.context.scene
    actions: list[Any] = []
    try:
        rig = read_rig(thing)
        for motion in motions:
            fitted = fit(motion, rig, thing.name)
            action = bpy.data.actions.new(motion.name)
            actions.append(action)
            frames = first_frame + np.arange(len(motion)) * (scene_fps(scene) / motion.fps)
            curves = new_curves(action, thing)
            world = yield from _world(motion, fitted)
            for group, path, values in channels(world, rig, fitted, thing):
                for index, column in enumerate(values.T):
                    _add_keys(curves(path, index, group), frames, column)
                    yield
            _describe(action, motion, frames)
    except BaseException:  # GeneratorExit too: the user cancelled
        for action in actions:
            bpy.data.actions.remove(action)
        actions.clear()
        raise
    return actions


class World(NamedTuple):
    """Position and rotation of the object, and heads (frames, joints, 3) and rotations of joints relative to it."""

    place: np.ndarray
    turn: np.ndarray
    heads: np.ndarray
    turns: np.ndarray


def _world(motion: Motion, fitted: Fit) -> Steps:
    """Return the world of all frames, a few frames at a time."""
    parts = []
    for start in range(0, len(motion), BLOCK):
        parts.append(_seen_by_object(*motion.world(slice(start, start + BLOCK)), fitted))
        yield
    return World(*[np.concatenate(found) for found in zip(*parts, strict=True)])


def _seen_by_object(places: np.ndarray, turns: np.ndarray, fitted: Fit) -> World:
    place, turn = places[:, 0], turns[:, 0]
    if fitted.with_object:
        back = np.swapaxes(turn, -1, -2)
        places = np.einsum("fij,fkj->fki", back, places - places[:, :1])
        turns = back[:, None] @ turns
    return World(place, turn, places @ fitted.upright / fitted.scale, turns)  # upright^T from the left


def channels(world: World, rig: Rig, fitted: Fit, thing: Any) -> Iterator[tuple[str, str, np.ndarray]]:
    """Yield the group, data path and values (frames, width) of each channel."""
    frames = len(world.place)
    if fitted.with_object:
        yield from _object_channels(thing, fitted, world.place, world.turn)
    up = fitted.upright
    rests = rotation_of(rig.rest[:, :3, :3])
    poses = empty_poses(rig, frames)
    for bone, joint in enumerate(fitted.joints):
        scale = np.broadcast_to(rig.scales[bone], (frames, 3))
        if joint < 0:
            turn = np.broadcast_to(rig.rotations[bone], (frames, 3, 3))
            pose_bone(rig, bone, poses, np.broadcast_to(rig.locations[bone], (frames, 3)), turn, scale)
            continue
        wanted = up.T @ world.turns[:, joint] @ up @ rests[bone]
        location, turn = solve_bone(rig, bone, poses, wanted, world.heads[:, joint], scale)
        name, mode = rig.names[bone], rig.modes[bone]
        if not rig.inherits[bone].connected:
            yield name, bone_path(name, "location"), np.where(np.abs(location) < _tiny(rig), 0.0, location)
        yield name, bone_path(name, rotation_path(mode)), channels_of(turn, mode)


def _tiny(rig: Rig) -> float:
    """Return the distance below which positions differ only by rounding."""
    return 1e-6 * rig.size() / rig.scale


def _object_channels(
    thing: Any, fitted: Fit, places: np.ndarray, turns: np.ndarray
) -> Iterator[tuple[str, str, np.ndarray]]:
    mode = thing.rotation_mode
    yield "Object Transforms", "location", places
    yield "Object Transforms", rotation_path(mode), channels_of(turns @ fitted.upright, mode)


def _add_keys(curve: Any, frames: np.ndarray, values: np.ndarray) -> None:
    """Set a key per frame with linear interpolation, or one key if nothing changes."""
    if np.ptp(values) < STILL:
        frames, values = frames[:1], values[:1]
    curve.keyframe_points.add(len(frames))
    curve.keyframe_points.foreach_set("co", np.stack([frames, values], axis=1).astype(np.float32).ravel())
    curve.keyframe_points.foreach_set("interpolation", np.full(len(frames), LINEAR, dtype=np.uint8))
    curve.update()


def _describe(action: Any, motion: Motion, frames: np.ndarray) -> None:
    action.use_fake_user = True  # Blender drops unused data when saving
    action.use_frame_range = True
    action.frame_start, action.frame_end = float(frames[0]), float(frames[-1])
    action.use_cyclic = motion.loop
    if motion.about:
        action[ABOUT] = json.dumps(motion.about, sort_keys=True)


def how_made(action: Any) -> dict[str, Any] | None:
    """Return the facts stored with an Action that we made: the request, its seed and number, and the model."""
    text = action.get(ABOUT)
    if not isinstance(text, str):
        return None
    try:
        found = json.loads(text)
    except json.JSONDecodeError:
        return None
    return found if isinstance(found, dict) else None
