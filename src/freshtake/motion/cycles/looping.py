"""Loops: find the best part of a clip, make its ends meet, and move its travel.

Travel is on the hips, on a joint above them, or nowhere, with its speed stored next to the clip. The body's trajectory
is a path along the ground and a heading. A loop runs straight at a constant speed and heading. The trajectory of any
other motion is that of the hips, smoothed so that the sway of single steps stays in the body, with the same ends. The
world positions of all joints are the same whether the travel is on the hips or on a joint.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.body.orientation import facing, mean_angle, pose_points, principal, usual_facing
from freshtake.motion.body.roles import leg_length
from freshtake.motion.body.rooting import as_filed, rehang
from freshtake.motion.clip import ROOT_MOTIONS, Clip, Playback
from freshtake.motion.cycles.cycles import CYCLIC_STEPS, find_cycles, first_to_last
from freshtake.motion.edit import heading, start_at_origin, turned
from freshtake.motion.features.angles import ground_of, set_ground, split_heading, upright_reference
from freshtake.motion.planting import Planter, PlantingModel, PlantSettings, plant
from freshtake.motion.skeleton import ROOT_CHANNELS, EndSite, Skeleton
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.curves import gaussian_filter1d
from freshtake.numeric.rotations import (
    IDENTITY,
    WorldPose,
    about_axis,
    continuous,
    from_rotvec,
    inverse,
    multiply,
    rotate,
    to_rotvec,
)


class Span(NamedTuple):
    """A loop of frames start to stop - 1; it begins again at about frame `stop`."""

    start: int
    stop: int
    cycles: int


def best_loop(clip: Clip, cycles: int) -> Span:
    """Return the part with the most similar ends in pose, speed and height, and the smallest turn."""
    if cycles < 1:
        raise UsageError(f"a loop has 1 cycle or more, not {cycles}")
    name = clip.name or "the clip"
    try:
        clip_cycles = find_cycles(clip)
    except UsageError:
        if first_to_last(clip) < CYCLIC_STEPS:  # the entire clip is one cycle
            if cycles > 1:
                raise UsageError(f"{name} is one cycle, not {cycles}: request one") from None
            return Span(0, len(clip) - 1, 1)
        raise UsageError(
            f"{name} has no cycle to loop: no pose recurs within its {len(clip)} frames, and it does not end as it "
            "begins; give a clip of a movement that repeats, or use --whole if the clip is exactly one cycle"
        ) from None
    runs = _runs(clip_cycles.spans)
    longest = max(count for _, _, count in runs)
    if longest < cycles:
        raise UsageError(f"{name} has {longest} cycles in a row, not {cycles}: request fewer")
    points = principal(pose_points(clip))
    height = clip.root[:, clip.up_index] / leg_length(clip.skeleton)
    turning = heading(clip, usual_facing(clip))
    # Impacts: frames in which the body changes its speed more than in three quarters of all frames.
    bend = np.linalg.norm(np.diff(clip.positions()[:, clip.skeleton.body()], n=2, axis=0), axis=2).mean(axis=1)
    padded = np.pad(bend, 2, mode="edge")
    impact = np.maximum.reduce([padded[:-2], padded[1:-1], padded[2:]]) > np.percentile(bend, 75.0)
    # A loop may be a tenth of a cycle longer or shorter than usual, and extend as far beyond the cycles.
    reach = round(0.1 * clip_cycles.period)
    best, chosen = np.inf, Span(*runs[0])
    for first, last, count in runs:
        low, high = max(first - reach, 0), min(last + reach, len(clip) - 1)
        usual = cycles * (last - first) / count
        for frames in range(max(2, round(usual - reach)), min(round(usual + reach), high - low) + 1):
            ends = slice(low, high - frames + 1), slice(low + frames, high + 1)
            cost = ((points[ends[1]] - points[ends[0]]) ** 2).sum(axis=1) + (height[ends[1]] - height[ends[0]]) ** 2
            turn = turning[ends[1]] - turning[ends[0]]
            # A turn of one radian within the loop counts as half a leg length, since it must be removed.
            cost += (0.5 * (turn - 2.0 * np.pi * np.round(turn / (2.0 * np.pi)))) ** 2
            # Keep the seam away from impacts if possible: differences show most there.
            cost += impact[ends[0]] | impact[ends[1]]
            if cost.min() < best:
                best, start = float(cost.min()), low + int(cost.argmin())
                chosen = Span(start, start + frames, cycles)
    return chosen


def _runs(spans: tuple[tuple[int, int], ...]) -> list[tuple[int, int, int]]:
    """Return runs of consecutive cycles: first frame, last frame, count."""
    breaks = [0, *(k + 1 for k, (a, b) in enumerate(pairwise(spans)) if a[1] != b[0]), len(spans)]
    return [(spans[a][0], spans[b - 1][1], b - a) for a, b in pairwise(breaks)]


Contacts = Callable[[Clip, Ints], Floats | None]  # contacts of a clip, given its frames' numbers in the loop


def played(loop: Clip, count: int, first: int = 0) -> Clip:
    """Return frames of the endless motion from frame `first`: frame k N + i is frame i moved by k times the travel."""
    info = _playback(loop)
    frames = np.arange(first, first + count)
    around, at = np.divmod(frames, loop_frames(loop))
    shift = np.zeros(3) if info.root_motion == "none" else info.travel
    frames_at = loop.picked(at)
    return frames_at.changed(root=frames_at.root + around[:, None] * shift, rotations=continuous(frames_at.rotations))


def loop_frames(loop: Clip) -> int:
    """Return the number of frames after which a loop begins again."""
    return len(loop) - _playback(loop).closing


def _playback(loop: Clip) -> Playback:
    if loop.playback is None or not loop.playback.loop:
        raise UsageError(f"{loop.name or 'the clip'} is not a loop: make one from it first (freshtake loop)")
    return loop.playback


def with_closing_frame(loop: Clip) -> Clip:
    """Return the loop with its first frame repeated at the end, moved by the travel, for players that need it."""
    info = _playback(loop)
    if info.closing:
        return loop
    return played(loop, len(loop) + 1).changed(playback=info.changed(closing=True))


def closed(clip: Clip, start: int, stop: int, *, cycles: int = 1, speeds: bool = True) -> Clip:
    """Return frames start to stop - 1 as a loop, adjusted so that frame `stop` is frame `start` moved by the travel.

    With `speeds` the motion also passes the seam without a kink. Any net turn, apart from full turns, is removed by
    spreading it over the loop.
    """
    if not 0 <= start < stop < len(clip):
        raise UsageError(f"frames {start} to {stop} do not lie within {clip.name or 'the clip'} of {len(clip)} frames")
    straight, turn = _straight(clip, start, stop)
    loop = _joined(straight, start, stop, cycles, False)
    if speeds:  # the first step turned joints, and so their speeds too
        loop = _joined(_joined(loop, start, stop, cycles, True), start, stop, cycles, False)
    travel = loop.root[stop] - loop.root[start]
    travel[clip.up_index] = 0.0
    info = Playback(travel, (stop - start) * clip.frame_time, loop=True, cycles=cycles, turn=turn)
    return loop.picked(slice(start, stop)).changed(playback=info)


def facing_forward(loop: Clip) -> Clip:
    """Return the loop above the origin, facing forward on average if the body shows where it faces."""
    angles, info = facing(loop), _playback(loop)
    angle = 0.0 if angles is None else -mean_angle(angles[: loop_frames(loop)])[0]
    turned_loop = start_at_origin(turned(loop, angle), face=False)
    travel = rotate(about_axis(np.eye(3)[loop.up_index], angle), info.travel)
    return turned_loop.changed(playback=info.changed(travel=travel), provenance=loop.provenance)


def _straight(clip: Clip, start: int, stop: int) -> tuple[Clip, float]:
    """Return the clip turned evenly over time so that it ends with its first heading, and the turn that was removed."""
    heading, _ = split_heading(
        clip.rotations[:, 0], upright_reference([clip.rotations[:, 0]], clip.up_index), clip.up_index
    )
    turn = float(heading[stop] - heading[start])
    turn -= 2.0 * np.pi * round(turn / (2.0 * np.pi))
    angle = -turn * (np.arange(len(clip)) - start) / (stop - start)
    ground = ground_of(clip.root, clip.up)
    steps = np.diff(ground) * np.exp(1j * angle[:-1])
    path = np.concatenate([[0.0], np.cumsum(steps)])
    root, rotations = clip.root.copy(), clip.rotations.copy()
    set_ground(root, path - path[start] + ground[start], clip.up)
    rotations[:, 0] = multiply(about_axis(np.eye(3)[clip.up_index], angle), rotations[:, 0])
    return clip.changed(root=root, rotations=rotations), turn


def _joined(clip: Clip, start: int, stop: int, cycles: int, speeds: bool) -> Clip:
    """Spread differences between the two ends over the loop; along the ground, only differences in speed."""
    frames = np.arange(len(clip), dtype=np.float64) - start
    ramp, bump = _shapes(frames, stop - start, (stop - start) / (2.0 * cycles))
    at = _speeds_at(len(clip), start, stop)
    turn = to_rotvec(multiply(clip.rotations[stop], inverse(clip.rotations[start])))
    faster = _turning(clip, stop, at[1]) - _turning(clip, start, at[0]) if speeds else np.zeros_like(turn)
    correction = from_rotvec(-ramp[:, None, None] * turn + bump[:, None, None] * faster)
    local = clip.local_translations()
    moved = local[stop] - local[start]
    moved[0] *= np.arange(3) == clip.up_index
    quicker = _moving(local, stop, at[1]) - _moving(local, start, at[0]) if speeds else np.zeros_like(moved)
    local = local - ramp[:, None, None] * moved + bump[:, None, None] * quicker
    return clip.posed(local, multiply(correction, clip.rotations))


def _shapes(frames: Floats, period: int, reach: float) -> tuple[Floats, Floats]:
    """Return two shapes (frames,): a ramp from -1/2 to 1/2 over the loop; a kink from slope -1/2 to 1/2 at the seam."""
    from_seam = np.abs(frames - period * np.round(frames / period))
    return frames / period - 0.5, -0.25 * reach * np.maximum(1.0 - from_seam / reach, 0.0) ** 2


def _speeds_at(frames: int, start: int, stop: int) -> tuple[dict[int, float], dict[int, float]]:
    """Return weights of frames, counted from the start and the stop, that give the speed per frame there."""
    if start >= 1 and stop + 1 < frames:
        return {-1: -0.5, 1: 0.5}, {-1: -0.5, 1: 0.5}
    if stop - start < 2:
        return {0: -1.0, 1: 1.0}, {-1: -1.0, 0: 1.0}
    return {0: -1.5, 1: 2.0, 2: -0.5}, {0: 1.5, -1: -2.0, -2: 0.5}


def _turning(clip: Clip, frame: int, weights: dict[int, float]) -> Floats:
    """Return the angular velocities of joints, (joints, 3), per frame."""
    back = inverse(clip.rotations[frame])
    parts = [w * to_rotvec(multiply(clip.rotations[frame + k], back)) for k, w in weights.items()]
    return np.asarray(np.sum(parts, axis=0))


def _moving(local: Floats, frame: int, weights: dict[int, float]) -> Floats:
    return np.asarray(np.sum([w * local[frame + k] for k, w in weights.items()], axis=0))


def planted_loop(
    loop: Clip, base: PlantingModel, contacts: Contacts, *, settings: PlantSettings, careful: bool | None = None
) -> Clip:
    """Return the loop with planted feet, also across its seam: it is planted as part of the endless motion."""
    info, frames = _playback(loop), loop_frames(loop)
    before, count = Planter(base, settings, loop.frame_time).around(frames)
    around = played(loop, count, -before)
    flags = contacts(around, np.mod(np.arange(count) - before, frames))
    planted = plant(around, flags, examples=base, settings=settings, careful=careful).clip
    planted = closed(planted, before, before + frames, cycles=info.cycles, speeds=False)
    return planted.changed(playback=info.changed(closing=False), name=loop.name)


ROOT_NAMES = ("Root", "RootMotion")


class BodyPath(NamedTuple):
    """Positions on the ground (frames, 3), with height 0, and headings (frames,) in radians."""

    places: Floats
    heading: Floats


def body_path(clip: Clip) -> BodyPath:
    """Return the ground trajectory of a clip's body."""
    up, places = clip.up_index, np.zeros((len(clip), 3))
    heading, _ = split_heading(clip.rotations[:, 0], upright_reference([clip.rotations[:, 0]], up), up)
    ground = ground_of(clip.root, clip.up)
    info = clip.playback
    if info is None or not info.loop:
        # Smooth the trajectory over about a step unless it is a loop, to keep the root from swaying with the hips.
        seconds = 0.4 / clip.frame_time
        path = _smooth(ground.real, seconds) + 1j * _smooth(ground.imag, seconds)
        set_ground(places, path, clip.up)
        return BodyPath(places, _smooth(heading, seconds))
    frames = loop_frames(clip)
    line = ground_of(info.travel, clip.up) * np.arange(len(clip)) / frames
    set_ground(places, line + (ground - line)[:frames].mean(), clip.up)
    return BodyPath(places, np.full(len(clip), heading[:frames].mean()))


def _smooth(values: Floats, frames: float) -> Floats:
    """Smooth (frames,) values, keeping both ends: beyond them the motion continues as its point reflection."""
    last = len(values) - 1
    if last < 1:
        return values
    reach = min(round(4.0 * frames), last)
    before, after = 2.0 * values[0] - values[reach:0:-1], 2.0 * values[-1] - values[-2 : -2 - reach : -1]
    smoothed = gaussian_filter1d(np.concatenate([before, values, after]), min(frames, last / 4.0), mode="nearest")
    return np.asarray(smoothed[reach : reach + last + 1])


def with_root_motion(clip: Clip, where: str) -> Clip:
    """Return the clip with its travel on the `hips`, on a `joint` above them, or nowhere (`none`): in place.

    The playback of the returned clip has the speed and direction of the travel.
    """
    if where not in ROOT_MOTIONS:
        raise UsageError(f"root motion is one of {', '.join(ROOT_MOTIONS)}, not {where!r}")
    if clip.playback is not None and clip.playback.root_motion != "hips":
        if where == clip.playback.root_motion:
            return clip
        raise UsageError(
            f"{clip.name or 'the clip'} no longer has its travel on the hips: start from the clip that has it there"
        )
    if where == "hips":
        return clip
    path = body_path(clip)
    info = clip.playback or Playback(path.places[-1] - path.places[0], clip.duration)
    moved = in_place(clip, path) if where == "none" else on_joint(clip, path)
    return moved.changed(playback=info.changed(root_motion=where))


def in_place(clip: Clip, path: BodyPath) -> Clip:
    """Remove the travel of a trajectory; the heading stays in the body."""
    return clip.changed(root=clip.root - (path.places - path.places[0]))


def on_joint(clip: Clip, path: BodyPath) -> Clip:
    """Move travel and heading to the joint above the body, adding one if necessary; joints stay where they are."""
    filed = as_filed(clip)
    if clip.skeleton.base is None or len(clip.skeleton.base.chain) == 1:
        filed = _below_new_root(filed)
    world = filed.world()
    local, rotations = filed.local_translations().copy(), filed.rotations.copy()
    still = WorldPose(world.positions[0, 0], world.rotations[0, 0])  # the joint's pose in the file
    local[:, 0] = path.places
    local[:, 0, clip.up_index] = still.positions[clip.up_index]
    rotations[:, 0] = multiply(about_axis(np.eye(3)[clip.up_index], path.heading), still.rotations)
    rehang(filed.skeleton, local, rotations, world, tuple(filed.skeleton.children(0)))
    return filed.changed(root=local[:, 0], rotations=rotations, joint_translations=local)


def _below_new_root(clip: Clip) -> Clip:
    """Return the clip on a skeleton with an additional joint above its first, at the origin."""
    old = clip.skeleton
    name = next((name for name in ROOT_NAMES if name not in old.names), None)
    if name is None:
        raise UsageError(f"the rig has joints named {' and '.join(ROOT_NAMES)} below its first: rename one of them")
    sites = tuple(EndSite(site.joint + 1, site.offset, site.name) for site in old.end_sites)
    axes = None if old.axes is None else np.concatenate([IDENTITY[None], old.axes])
    first = tuple(channel for channel in ROOT_CHANNELS if channel[0] == "t" and channel not in old.channels[0])
    skeleton = Skeleton(
        (name, *old.names), np.concatenate([[-1], old.parents + 1]), np.concatenate([np.zeros((1, 3)), old.offsets]),
        sites, (ROOT_CHANNELS, (*first, *old.channels[0]), *old.channels[1:]), ("ZYX", *old.orders),
        axes,
    )  # fmt: skip
    frames = len(clip)
    local = np.concatenate([np.zeros((frames, 1, 3)), clip.local_translations()], axis=1)
    rotations = np.concatenate([np.broadcast_to(IDENTITY, (frames, 1, 4)), clip.rotations], axis=1)
    return replace(
        clip, skeleton=skeleton, root=local[:, 0], rotations=rotations, joint_translations=local, channels=None
    )
