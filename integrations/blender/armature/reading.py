# SPDX-License-Identifier: GPL-3.0-or-later
"""Read Actions of an armature as motions, from their channels; Blender applies constraints after these."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import bpy
import numpy as np

from .actions import curves_of, frame_span, split_path
from .motion import Motion
from .poses import empty_poses, pose_bone, rotation_of
from .rig import OBJECT, Rig, read_rig
from .rotations import matrices_of, matrix_quaternions, rotation_default, rotation_path
from .trouble import CannotRead

STEADY = 2e-6  # body sizes within which a joint is fixed on its parent: channels are single precision
BLOCK = 128  # frames processed in one step
Steps = Generator[None, None, Any]
Curves = dict[tuple[str | None, str], dict[int, Any]]


class Times(NamedTuple):
    """The scene frames at which an Action is read, and how many there are per second."""

    frames: np.ndarray
    fps: float


def scene_fps(scene: Any) -> float:
    """Return the frames per second of a scene."""
    return float(scene.render.fps / scene.render.fps_base)


def run(steps: Steps) -> Any:
    """Run a generator to its end and return its result."""
    while True:
        try:
            next(steps)
        except StopIteration as done:
            return done.value


def read_actions(thing: Any, actions: Sequence[Any]) -> Steps:
    """Return motions of several Actions on one skeleton; yields between steps of a few milliseconds.

    If one of them moves the object itself, or the armature has several roots, joint 0 represents the object.
    """
    rig = read_rig(thing)
    curves = []
    for action in actions:
        curves.append(_by_channel(curves_of(action, thing)))
        yield
    keyed = {channel for found in curves for channel in found}
    moved = any(bone is None and prop != "scale" and _is_transform(prop) for bone, prop in keyed)
    with_object = moved or rig.several_roots()
    rate = scene_fps(bpy.context.scene)
    out = []
    for action, found in zip(actions, curves, strict=True):
        if not any(bone in rig.names or (bone is None and _is_transform(prop)) for bone, prop in found):
            raise CannotRead(
                f"the Action {action.name!r} moves no bone of {thing.name!r}: choose one of the armature's Actions"
            )
        times = sample_times(action, [curve for parts in found.values() for curve in parts.values()], rate)
        values = yield from _values(found, keyed, times.frames)
        poses = empty_poses(rig, len(times.frames))
        for bone in range(len(rig.names)):
            pose_bone(rig, bone, poses, *values.of_bone(rig, bone))
            yield
        place = values.of_object(thing) if with_object else None
        motion = yield from motion_steps(rig, poses, times.fps, action.name, place)
        out.append(replace(motion, loop=bool(action.use_cyclic)))
        yield
    return out


def read_rest(thing: Any, with_object: bool | None = None) -> Motion:
    """Return the armature at rest, as a motion of one frame."""
    rig = read_rig(thing)
    if with_object is None:
        with_object = rig.several_roots()
    place = (np.zeros((1, 3)), rig.upright[None]) if with_object else None
    return motion_of(rig, rig.rest[None].copy(), 24.0, thing.name, place)


def read_pose(thing: Any, with_object: bool | None = None) -> Motion:
    """Return the current pose, as a motion of one frame; with the object as joint 0 if requested."""
    rig = read_rig(thing)
    poses = empty_poses(rig, 1)
    for bone in range(len(rig.names)):
        pose_bone(rig, bone, poses, rig.locations[None, bone], rig.rotations[None, bone], rig.scales[None, bone])
    if with_object is None:
        with_object = rig.several_roots()
    place = _object_now(thing) if with_object else None
    return motion_of(rig, poses, 24.0, thing.name, place)


def read_pose_at(thing: Any, action: Any, frame: float, with_object: bool | None = None) -> Motion:
    """Return the pose of an Action at a frame, as a motion of one frame."""
    rig = read_rig(thing)
    found = _by_channel(curves_of(action, thing))
    values: _Values = run(_values(found, set(found), np.array([float(frame)])))
    poses = empty_poses(rig, 1)
    for bone in range(len(rig.names)):
        pose_bone(rig, bone, poses, *values.of_bone(rig, bone))
    if with_object is None:
        with_object = rig.several_roots()
    return motion_of(rig, poses, 24.0, action.name, values.of_object(thing) if with_object else None)


def motion_of(rig: Rig, poses: np.ndarray, fps: float, name: str, place: Any = None) -> Motion:
    """Return pose matrices (frames, bones, 4, 4) as a motion, in one go."""
    found: Motion = run(motion_steps(rig, poses, fps, name, place))
    return found


def motion_steps(rig: Rig, poses: np.ndarray, fps: float, name: str, place: Any = None) -> Steps:
    """Return pose matrices (frames, bones, 4, 4) as a motion; yields every few frames.

    `place` (locations, rotation matrices of the object) makes the object joint 0.
    """
    shift = 0 if place is None else 1
    rests = rig.scale * rig.rest[:, :3, 3] @ rig.upright.T
    offsets = np.concatenate([np.zeros((shift, 3)), rests])
    for bone, parent in enumerate(rig.parents):
        if parent >= 0:
            offsets[bone + shift] -= rests[parent]
    local, spins = np.empty((len(poses), len(offsets), 3)), np.empty((len(poses), len(offsets), 4))
    for start in range(0, len(poses), BLOCK):
        block = slice(start, start + BLOCK)
        there = None if place is None else (place[0][block], place[1][block])
        local[block], spins[block] = _against_parents(rig, poses[block], there)
        yield
    steady = np.abs(local - offsets).max(axis=(0, 2)) < STEADY * rig.size()
    steady[0] = False
    local[:, steady] = offsets[steady]
    names = (OBJECT, *rig.names) if shift else rig.names
    parents = (-1, *(parent + 1 for parent in rig.parents)) if shift else rig.parents
    moved = None if steady[1:].all() else local
    tips = tuple((bone + shift, tuple(rig.scale * rig.upright @ tip), "") for bone, tip in rig.tips)
    return Motion(name, fps, names, parents, offsets, local[:, 0].copy(), spins, moved, tips)


def _against_parents(rig: Rig, poses: np.ndarray, place: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return positions (frames, joints, 3) and quaternions (frames, joints, 4) of joints, relative to their parents."""
    up, shift = rig.upright, 0 if place is None else 1
    rests = np.swapaxes(rotation_of(rig.rest[:, :3, :3]), -1, -2)
    turns = up @ rotation_of(poses[..., :3, :3]) @ rests @ up.T
    heads = rig.scale * poses[..., :3, 3] @ up.T
    local = np.empty((len(poses), len(rig.names) + shift, 3))
    spins = np.empty((*local.shape[:2], 3, 3))
    if place is not None:
        local[:, 0], spins[:, 0] = place[0], place[1] @ up.T
    for bone, parent in enumerate(rig.parents):
        local[:, bone + shift], spins[:, bone + shift] = heads[:, bone], turns[:, bone]
        if parent >= 0:
            back = np.swapaxes(turns[:, parent], -1, -2)
            local[:, bone + shift] = np.einsum("fij,fj->fi", back, heads[:, bone] - heads[:, parent])
            spins[:, bone + shift] = back @ turns[:, bone]
    return local, matrix_quaternions(spins)


def sample_times(action: Any, curves: Sequence[Any], fps: float) -> Times:
    """Return every frame of the scene, or every key if keys are evenly spaced and closer (a take of a higher rate)."""
    first, last = frame_span(action)
    step = 1.0
    keys = _key_frames(max(curves, key=lambda curve: len(curve.keyframe_points)))
    if len(keys) > 2:
        gaps = np.diff(keys)
        usual = float(np.mean(gaps))
        if usual < 0.99 and np.abs(gaps - usual).max() < 0.05 * usual:
            step = usual
    count = int(np.floor((last - first) / step + 1e-3)) + 1
    return Times(first + step * np.arange(max(count, 1)), fps / step)


def _key_frames(curve: Any) -> np.ndarray:
    found = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
    curve.keyframe_points.foreach_get("co", found)
    return found.reshape(-1, 2)[:, 0].astype(np.float64)


def _by_channel(curves: Sequence[Any]) -> Curves:
    out: Curves = {}
    for curve in curves:
        bone, prop = split_path(curve.data_path)
        if bone != "" and not curve.mute and (len(curve.keyframe_points) or len(curve.sampled_points)):
            out.setdefault((bone, prop), {})[curve.array_index] = curve
    return out


def _is_transform(prop: str) -> bool:
    return prop in ("location", "scale") or prop.startswith("rotation_")


def _object_now(thing: Any) -> tuple[np.ndarray, np.ndarray]:
    channels = np.array(getattr(thing, rotation_path(thing.rotation_mode)), dtype=np.float64)
    return np.array(thing.location, dtype=np.float64)[None], matrices_of(channels[None], thing.rotation_mode)


class _Values(NamedTuple):
    """Channels over frames. A channel that no Action of the set has keeps its current value, any other its default."""

    sampled: Mapping[tuple[str | None, str], Mapping[int, np.ndarray]]
    keyed: set[tuple[str | None, str]]
    frames: np.ndarray

    def of_bone(self, rig: Rig, bone: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return location, rotation matrices and scale."""
        name, mode = rig.names[bone], rig.modes[bone]
        location = self._of(name, "location", rig.locations[bone], (0.0, 0.0, 0.0))
        scale = self._of(name, "scale", rig.scales[bone], (1.0, 1.0, 1.0))
        if (name, rotation_path(mode)) in self.keyed:
            default = rotation_default(mode)
            return location, matrices_of(self._of(name, rotation_path(mode), default, default), mode), scale
        return location, np.broadcast_to(rig.rotations[bone], (len(self.frames), 3, 3)), scale

    def of_object(self, thing: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return location and rotation matrices of the object."""
        path, mode = rotation_path(thing.rotation_mode), thing.rotation_mode
        turn = np.array(getattr(thing, path), dtype=np.float64)
        location = self._of(None, "location", np.array(thing.location), np.array(thing.location))
        return location, matrices_of(self._of(None, path, turn, turn), mode)

    def _of(self, bone: str | None, prop: str, now: Any, default: Any) -> np.ndarray:
        fill = default if (bone, prop) in self.keyed else now
        out = np.tile(np.asarray(fill, dtype=np.float64), (len(self.frames), 1))
        for index, values in self.sampled.get((bone, prop), {}).items():
            if index < out.shape[1]:
                out[:, index] = values
        return out


def _values(curves: Curves, keyed: set[tuple[str | None, str]], frames: np.ndarray) -> Steps:
    """Return all channels of an Action; yields after each."""
    sampled: dict[tuple[str | None, str], dict[int, np.ndarray]] = {}
    for channel, parts in curves.items():
        for index, curve in parts.items():
            sampled.setdefault(channel, {})[index] = curve_values(curve, frames)
            yield
    return _Values(sampled, keyed, frames)


def curve_values(curve: Any, frames: np.ndarray) -> np.ndarray:
    """Return a curve at frames: its keys if there is one per frame, else Blender's interpolation."""
    found = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
    curve.keyframe_points.foreach_get("co", found)
    keys = found.reshape(-1, 2)
    if len(keys) == 1 and not curve.modifiers and curve.extrapolation == "CONSTANT":
        return np.full(len(frames), keys[0, 1], dtype=np.float64)
    if len(keys) == len(frames) and not curve.modifiers and np.abs(keys[:, 0] - frames).max() < 1e-3:
        return keys[:, 1].astype(np.float64)
    return np.array([curve.evaluate(frame) for frame in frames])
