"""Where the travel of a clip is: on the hips, on a joint above them, or nowhere, with its speed kept beside the clip.

The body's course is a path along the ground and a heading. A loop goes straight on at a constant speed and heading;
any other motion follows the hips, smoothed so that the sway of single steps stays in the body, and begins and ends
where they do. World places of all joints are the same with the travel on the hips and on a joint.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.body.rooting import as_filed, rehang
from freshtake.motion.clip import Clip
from freshtake.motion.cycles.looping import loop_frames
from freshtake.motion.features.angles import split_heading, upright_reference
from freshtake.motion.features.ground import ground_of, set_ground
from freshtake.motion.playback import ROOT_MOTIONS, Playback
from freshtake.motion.skeleton import ROOT_CHANNELS, EndSite, Skeleton
from freshtake.numeric.arrays import Floats
from freshtake.numeric.curves import gaussian_filter1d
from freshtake.numeric.kinematics import WorldPose
from freshtake.numeric.rotations import IDENTITY, about_axis, multiply

ROOT_NAMES = ("Root", "RootMotion")


class BodyCourse(NamedTuple):
    """Places on the ground (frames, 3), their height 0, and headings (frames,) in radians."""

    places: Floats
    heading: Floats


def course_of(clip: Clip) -> BodyCourse:
    """The course of a clip's body."""
    up, places = clip.up_index, np.zeros((len(clip), 3))
    heading, _ = split_heading(clip.rotations[:, 0], upright_reference([clip.rotations[:, 0]], up), up)
    ground = ground_of(clip.root, clip.up)
    info = clip.playback
    if info is None or not info.loop:
        # Smooth the trajectory of what is no loop over about a step, so that the root does not sway with the hips.
        seconds = 0.4 / clip.frame_time
        path = _smooth(ground.real, seconds) + 1j * _smooth(ground.imag, seconds)
        set_ground(places, path, clip.up)
        return BodyCourse(places, _smooth(heading, seconds))
    frames = loop_frames(clip)
    line = ground_of(info.travel, clip.up) * np.arange(len(clip)) / frames
    set_ground(places, line + (ground - line)[:frames].mean(), clip.up)
    return BodyCourse(places, np.full(len(clip), heading[:frames].mean()))


def _smooth(values: Floats, frames: float) -> Floats:
    """Smoothed (frames,), both ends kept: beyond them the motion goes on as if turned about its ends."""
    last = len(values) - 1
    if last < 1:
        return values
    reach = min(round(4.0 * frames), last)
    before, after = 2.0 * values[0] - values[reach:0:-1], 2.0 * values[-1] - values[-2 : -2 - reach : -1]
    whole = gaussian_filter1d(np.concatenate([before, values, after]), min(frames, last / 4.0), mode="nearest")
    return np.asarray(whole[reach : reach + last + 1])


def with_root_motion(clip: Clip, where: str) -> Clip:
    """The clip with its travel on the `hips`, on a `joint` above them, or nowhere (`none`): in place.

    The playback of what comes back has speed and direction of the travel.
    """
    if where not in ROOT_MOTIONS:
        raise UsageError(f"root motion is one of {', '.join(ROOT_MOTIONS)}, not {where!r}")
    if clip.playback is not None and clip.playback.root_motion != "hips":
        if where == clip.playback.root_motion:
            return clip
        raise UsageError(
            f"{clip.name or 'the clip'} does not have its travel on the hips any more: start from the clip that has it"
        )
    if where == "hips":
        return clip
    course = course_of(clip)
    info = clip.playback or Playback(course.places[-1] - course.places[0], clip.duration)
    moved = in_place(clip, course) if where == "none" else on_joint(clip, course)
    return moved.changed(playback=info.changed(root_motion=where))


def in_place(clip: Clip, course: BodyCourse) -> Clip:
    """Without the travel of a course; the heading stays in the body."""
    return clip.changed(root=clip.root - (course.places - course.places[0]))


def on_joint(clip: Clip, course: BodyCourse) -> Clip:
    """Travel and heading on the joint above the body, which a rig without one gets; joints stay where they are."""
    filed = as_filed(clip)
    if clip.skeleton.base is None or len(clip.skeleton.base.chain) == 1:
        filed = _below_new_root(filed)
    world = filed.world()
    local, rotations = filed.local_translations().copy(), filed.rotations.copy()
    still = WorldPose(world.positions[0, 0], world.rotations[0, 0])  # how the joint stands in the file
    local[:, 0] = course.places
    local[:, 0, clip.up_index] = still.positions[clip.up_index]
    rotations[:, 0] = multiply(about_axis(np.eye(3)[clip.up_index], course.heading), still.rotations)
    rehang(filed.skeleton, local, rotations, world, tuple(filed.skeleton.children(0)))
    return filed.changed(root=local[:, 0], rotations=rotations, joint_translations=local)


def _below_new_root(clip: Clip) -> Clip:
    """The clip on a skeleton with one more joint, at the origin, above its first."""
    old = clip.skeleton
    name = next((name for name in ROOT_NAMES if name not in old.names), None)
    if name is None:
        raise UsageError(f"the rig has joints named {' and '.join(ROOT_NAMES)} below its first: rename one of them")
    sites = tuple(EndSite(site.joint + 1, site.offset, site.name) for site in old.end_sites)
    axes = None if old.axes is None else np.concatenate([IDENTITY[None], old.axes])
    first = tuple(channel for channel in ROOT_CHANNELS if channel[0] == "t" and channel not in old.channels[0])
    skeleton = Skeleton(
        (name, *old.names), np.concatenate([[-1], old.parents + 1]), np.concatenate([np.zeros((1, 3)), old.offsets]),
        sites, (ROOT_CHANNELS, (*first, *old.channels[0]), *old.channels[1:]), (_order(ROOT_CHANNELS), *old.orders),
        axes,
    )  # fmt: skip
    frames = len(clip)
    local = np.concatenate([np.zeros((frames, 1, 3)), clip.local_translations()], axis=1)
    rotations = np.concatenate([np.broadcast_to(IDENTITY, (frames, 1, 4)), clip.rotations], axis=1)
    return replace(
        clip, skeleton=skeleton, root=local[:, 0], rotations=rotations, joint_translations=local, channels=None
    )


def _order(channels: tuple[str, ...]) -> str:
    return "".join(channel[1].upper() for channel in channels if channel[0] == "r")
