"""Check a clip's frames and angles: a T-pose in front, frozen frames, spikes, wraps, flips, noise; and Finding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from freshtake.motion.body.orientation import body_poses
from freshtake.motion.body.roles import leg_length
from freshtake.motion.channels import rotation_columns
from freshtake.motion.clip import Clip
from freshtake.motion.skeleton import Skeleton
from freshtake.numeric.arrays import Bools, Floats, runs
from freshtake.numeric.rotations import (
    IDENTITY,
    angle_between,
    continuous_euler,
    equivalent,
    from_euler,
    gimbal_closeness,
    inverse,
    multiply,
    to_rotvec,
)

NOTE, WARNING = "note", "warning"
SPIKE_SPEED = 10.0  # leg lengths per second, of the tip of the limb that a joint turns
SPIKE_RATIO = 5.5  # times the usual speed around it
BACKGROUND = 0.25  # seconds to either side that define the usual speed
LOCKED = float(np.sin(np.radians(5.0)))  # `gimbal_closeness` below which the root's outer angles run away
SHAKING = np.radians(0.35)  # per axis: 4 of 679 recorded takes shake more, and all takes with noise of 0.7°


@dataclass(frozen=True)
class Finding:
    """A fault: a short `code`, a `sentence` for people, the frames and joints (or points) concerned.

    `severity` is "warning" where the motion or what is learned from it suffers, "note" where it is good to know.
    `repair` is the name to give to `freshtake.motion.repair.repair`, None where nothing can or need be done.
    """

    code: str
    sentence: str
    frames: tuple[int, ...] = ()
    joints: tuple[str, ...] = ()
    severity: str = WARNING
    repair: str | None = None

    def __str__(self) -> str:
        return self.sentence


def called(motion: Any) -> str:
    """Return how to refer to a clip in a sentence: its name, else its kind."""
    kinds = {"Clip": "the clip", "PointClip": "the point clip", "Stroke": "the stroke", "MeshSequence": "the mesh"}
    return str(getattr(motion, "name", "")) or kinds.get(type(motion).__name__, "it")


def frame_list(frames: Sequence[int]) -> str:
    """Return frame numbers for a sentence: "frame 7", "frames 3-5 and 9", "frames 1, 4, 9, 12 and 30 more"."""
    groups: list[list[int]] = []
    for frame in frames:
        if groups and frame == groups[-1][1] + 1:
            groups[-1][1] = frame
        else:
            groups.append([frame, frame])
    texts = [str(first) if first == last else f"{first}-{last}" for first, last in groups]
    return ("frame " if len(frames) == 1 else "frames ") + joined(texts)


def joined(texts: Sequence[str], most: int = 4) -> str:
    """Return a list in words, cut off after `most` with the number of those left out."""
    if len(texts) > most + 1:
        return f"{', '.join(texts[:most])} and {len(texts) - most} more"
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def is_tpose_first(clip: Clip) -> bool:
    """Return whether frame 0 is far from frame 1 while the rest of the take is smooth."""
    if len(clip) < 6:
        return False
    steps = np.linalg.norm(np.diff(body_poses(clip), axis=0), axis=-1).mean(axis=1)
    usual = float(np.median(steps[1:]))
    # A first frame that is ten usual steps away from a motion that continues calmly is no part of the take.
    return bool(steps[0] > max(10.0 * usual, 0.05) and steps[1] < 0.3 * steps[0])


def check_tpose(clip: Clip) -> list[Finding]:
    """Find a first frame that the take does not start from, such as converters put in front."""
    if not is_tpose_first(clip):
        return []
    bent = angle_between(clip.rotations[0, 1:], IDENTITY)
    kind = "a T-pose" if float(np.median(bent)) < 0.02 else "a pose"
    sentence = f"{called(clip)}: frame 0 is {kind} that the take does not start from; repair with drop-tpose"
    return [Finding("tpose", sentence, (0,), repair="drop-tpose")]


def repeated(clip: Clip) -> Bools:
    """Return (frames,): where a frame equals the one before."""
    leg = leg_length(clip.skeleton)
    turned = np.abs(np.diff(clip.rotations, axis=0)).max(axis=(1, 2))
    moved = np.abs(np.diff(clip.local_translations(), axis=0)).max(axis=(1, 2)) / leg
    # Frames are copies where they differ only by rounding.
    return np.concatenate([[False], (turned <= 1e-9) & (moved <= 1e-9)])


def repeated_findings(name: str, same: Bools, *, repairs: bool = True) -> list[Finding]:
    """Return findings for frames that equal the one before: single ones are duplicated, longer runs are frozen."""
    if len(same) > 1 and same[1:].all():
        return [Finding("frozen", f"{name}: nothing moves in all {len(same)} frames", tuple(range(len(same))))]
    findings = []
    single = [start for start, stop in runs(same) if stop - start == 1]
    frozen = [frame for start, stop in runs(same) if stop - start > 1 for frame in range(start - 1, stop)]
    if frozen:
        remedy = "; repair with drop-frozen" if repairs else ""
        text = f"{name}: {frame_list(frozen)} are frozen (each equals the one before){remedy}"
        findings.append(Finding("frozen", text, tuple(frozen), repair="drop-frozen" if repairs else None))
    if single:
        verb = "repeats" if len(single) == 1 else "repeat"
        remedy = "; repair with fill-frozen or drop-frozen" if repairs else ""
        text = f"{name}: {frame_list(single)} {verb} the frame before{remedy}"
        findings.append(Finding("duplicate-frame", text, tuple(single), repair="fill-frozen" if repairs else None))
    return findings


def check_frozen(clip: Clip) -> list[Finding]:
    """Find frames that equal the one before; a single frame is a take that does not move."""
    if len(clip) > 1:
        return repeated_findings(called(clip), repeated(clip))
    sentence = f"{called(clip)}: there is one frame, so nothing moves: export it with its animation"
    return [Finding("still", sentence, (0,))]


class Burst(NamedTuple):
    """Steps start to stop (exclusive; step t leads from frame t to t + 1) that are far too fast, and the joints."""

    start: int
    stop: int
    joints: tuple[int, ...]


def reaches(skeleton: Skeleton) -> Floats:
    """Return per joint the length of the limb that its rotation moves, in leg lengths."""
    lengths = skeleton.lengths()
    out = np.zeros(len(skeleton))
    for joint, offset, _ in skeleton.end_sites:
        out[joint] = max(out[joint], float(np.linalg.norm(offset)))
    for joint in range(len(skeleton) - 1, 0, -1):
        parent = skeleton.parents[joint]
        out[parent] = max(out[parent], out[joint] + lengths[joint])
    return out / leg_length(skeleton)


def limb_speeds(clip: Clip) -> Floats:
    """Return (frames - 1, joints + 1): leg lengths per second of each joint's limb tip; last, the root's travel."""
    turning = angle_between(clip.rotations[1:], clip.rotations[:-1]) * reaches(clip.skeleton)
    travel = np.linalg.norm(np.diff(clip.root, axis=0), axis=-1) / leg_length(clip.skeleton)
    return np.concatenate([turning, travel[:, None]], axis=1) * clip.fps


def spikes(clip: Clip) -> list[Burst]:
    """Return bursts of implausible speed, as when markers are swapped; an outlying first frame is left out."""
    skip = 1 if is_tpose_first(clip) else 0
    if len(clip) - skip < 8 or leg_length(clip.skeleton) < 1e-9:
        return []
    speeds = limb_speeds(clip)[skip:]
    suspects = np.flatnonzero(speeds.max(axis=0) > SPIKE_SPEED)
    fast = np.zeros(speeds.shape, dtype=bool)
    wide = np.zeros(speeds.shape, dtype=bool)
    if len(suspects):
        # The usual speed is the 75th percentile within a quarter of a second to either side.
        reach = min(max(2, round(BACKGROUND * clip.fps)), (len(speeds) - 1) // 2)
        padded = np.pad(speeds[:, suspects], ((reach, reach), (0, 0)), mode="reflect")
        windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1, axis=0)
        ratio = speeds[:, suspects] / (np.percentile(windows, 75.0, axis=-1) + 1.0)
        fast[:, suspects] = (speeds[:, suspects] > SPIKE_SPEED) & (ratio > SPIKE_RATIO)
        wide[:, suspects] = ratio > 0.4 * SPIKE_RATIO
    bursts = []
    for start, stop in runs(np.asarray((fast | wide).any(axis=1))):
        if fast[start:stop].any():
            joints = np.flatnonzero((fast | wide)[start:stop].any(axis=0))
            bursts.append(Burst(start + skip, stop + skip, tuple(joints.tolist())))
    return _merged(clip, bursts)


def _merged(clip: Clip, bursts: list[Burst]) -> list[Burst]:
    """Return bursts with a burst out and a burst back soon after merged: what lies between them is off as well."""
    out: list[Burst] = []
    for burst in bursts:
        if out and burst.start - out[-1].stop <= BACKGROUND * clip.fps:
            shared = [joint for joint in burst.joints if joint in out[-1].joints]
            displacement = _displaced(clip, out[-1].start, out[-1].stop, shared)
            if shared and _displaced(clip, out[-1].start, burst.stop, shared) < 0.5 * displacement:
                joints = tuple(sorted({*out[-1].joints, *burst.joints}))
                out[-1] = Burst(out[-1].start, burst.stop, joints)
                continue
        out.append(burst)
    return out


def _displaced(clip: Clip, first: int, last: int, joints: list[int]) -> float:
    """Return how far joints are turned (and the root moved, if included) from one frame to another, in legs."""
    turning = [joint for joint in joints if joint < len(clip.skeleton)]
    angles = angle_between(clip.rotations[first, turning], clip.rotations[last, turning])
    total = float((angles * reaches(clip.skeleton)[turning]).sum())
    if len(turning) < len(joints):
        total += float(np.linalg.norm(clip.root[last] - clip.root[first])) / leg_length(clip.skeleton)
    return total


def check_spikes(clip: Clip) -> list[Finding]:
    """Find joints that jump for a moment much faster than around it."""
    bursts = spikes(clip)
    if not bursts:
        return []
    names = [*clip.skeleton.names, clip.skeleton.names[0]]
    joints = tuple(dict.fromkeys(names[j] for burst in bursts for j in burst.joints))
    frames = tuple(frame for burst in bursts for frame in range(burst.start + 1, max(burst.stop, burst.start + 2)))
    verb = "jumps" if len(joints) == 1 else "jump"
    sentence = f"{called(clip)}: {joined(joints)} {verb} at {frame_list(frames)} (markers swapped or lost)"
    return [Finding("spike", f"{sentence}; repair with fix-spikes", frames, joints, repair="fix-spikes")]


class JointAngles(NamedTuple):
    """The rotation columns of one joint, in the order of its Euler angles, and their values in radians."""

    joint: int
    order: str
    columns: list[int]
    angles: Floats  # (frames, len(order))


def radians_per_unit(clip: Clip) -> float | None:
    """Return radians per unit of a clip's angle channels: pi/180 (degrees) or 1; None where neither fits."""
    if clip.channels is None:
        return None
    rows = np.unique(np.linspace(0, len(clip) - 1, min(len(clip), 8)).astype(np.intp))
    for scale in (np.pi / 180.0, 1.0):
        worst = 0.0
        for joint, columns in enumerate(rotation_columns(clip.skeleton)):
            angles = clip.channels[rows][:, columns] * scale
            q = clip.skeleton.from_axes(from_euler(angles, clip.skeleton.orders[joint]), joint)
            worst = max(worst, float(angle_between(q, clip.rotations[rows, joint]).max()))
        if worst < 1e-5:
            return float(scale)
    return None


def joint_angles(clip: Clip) -> list[JointAngles]:
    """Return the file's angles for all joints that have any; empty where the clip does not keep its channels."""
    scale = radians_per_unit(clip)
    if clip.channels is None or scale is None:
        return []
    return [
        JointAngles(joint, clip.skeleton.orders[joint], columns, clip.channels[:, columns] * scale)
        for joint, columns in enumerate(rotation_columns(clip.skeleton))
        if columns
    ]


def check_jumps(clip: Clip) -> list[Finding]:
    """Find wraps by full turns, and flips to the equivalent triple of angles."""
    wraps: dict[str, list[int]] = {}
    flips: dict[str, list[int]] = {}
    for joint, order, _, angles in joint_angles(clip):
        name = clip.skeleton.names[joint]
        change = np.diff(angles, axis=0)
        flipped = flip_frames(angles, order) if len(order) == 3 else np.zeros(len(change), dtype=bool)
        wrapped = (np.abs(change) > np.pi).any(axis=1) & ~flipped
        if flipped.any():
            flips[name] = (np.flatnonzero(flipped) + 1).tolist()
        if wrapped.any():
            wraps[name] = (np.flatnonzero(wrapped) + 1).tolist()
    findings = []
    if wraps:
        what = "angles jump by more than half a turn (they wrap around)"
        findings.append(_jump_finding(clip, "wrap", what, wraps))
    if flips:
        findings.append(_jump_finding(clip, "flip", "angles flip to the equivalent triple", flips))
    return findings


def flip_frames(angles: Floats, order: str) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return (frames - 1,): where the other triple of the next frame continues this one far better."""
    as_written = angles[1:] - angles[:-1]
    flipped = equivalent(angles[1:], order) - angles[:-1]
    turn = 2.0 * np.pi  # angles that differ by full turns are the same
    as_written = np.abs(as_written - turn * np.round(as_written / turn)).sum(axis=-1)
    flipped = np.abs(flipped - turn * np.round(flipped / turn)).sum(axis=-1)
    return np.asarray(as_written > flipped + np.pi / 3.0)


def _jump_finding(clip: Clip, code: str, what: str, where: dict[str, list[int]]) -> Finding:
    frames = sorted({frame for listed in where.values() for frame in listed})
    sentence = f"{called(clip)}: {what} at {joined(list(where))} in {frame_list(frames)}; repair with unwrap"
    return Finding(code, sentence, tuple(frames), tuple(where), repair="unwrap")


def check_gimbal(clip: Clip) -> list[Finding]:
    """Find a root whose middle angle is near a right angle, where its outer two describe the same turn."""
    order = clip.skeleton.orders[0]
    if len(order) != 3:
        return []
    angles = next((angles for joint, _, _, angles in joint_angles(clip) if joint == 0), None)
    if angles is None:  # those to be written
        angles = continuous_euler(clip.skeleton.about_axes(clip.rotations[:, 0], 0), order)
    near = np.flatnonzero(gimbal_closeness(angles, order) < LOCKED)
    if len(near) == 0:
        return []
    name = clip.skeleton.names[0]
    frames = tuple(near.tolist())
    where = "all frames" if len(frames) == len(clip) else frame_list(frames)
    verb, severity = ("is", WARNING) if clip.channels is not None else ("would be written", NOTE)
    sentence = f"{called(clip)}: the root {name} {verb} in gimbal lock in its Euler order {order} in {where}"
    text = f"{sentence}; repair with reorder-root"
    return [Finding("gimbal", text, frames, (name,), severity, "reorder-root")]


def check_constant(clip: Clip) -> list[Finding]:
    """Find degrees of freedom that never move: models leave them out, so this is only a note."""
    if len(clip) < 2:
        return []
    names = clip.skeleton.names
    if clip.channels is not None:
        owners = [j for j, channels in enumerate(clip.skeleton.channels) for _ in channels]
        still = np.ptp(clip.channels, axis=0) <= 1e-9
        dead = [names[j] for j in range(len(names)) if all(still[k] for k, o in enumerate(owners) if o == j)]
        count, total, what = int(still.sum()), len(owners), "channels"
    else:
        moving = np.abs(clip.rotations - clip.rotations[:1]).max(axis=(0, 2)) > 1e-9
        dead = [name for name, moves in zip(names, moving, strict=True) if not moves]
        count, total, what = len(dead), len(names), "joints"
    if count == 0:
        return []
    which = f" ({joined(dead)} not at all)" if dead and what == "channels" else f" ({joined(dead)})" if dead else ""
    sentence = f"{called(clip)}: {count} of {total} {what} never move{which}; models leave them out"
    return [Finding("constant", sentence, (), tuple(dead), NOTE)]


def shaking(clip: Clip) -> float:
    """Return the standard deviation, in radians, of white noise in most joints that move; 0 where there is none.

    Third differences of white noise have 20 times its variance and change their sign in three of four frames; those of
    motion are small and smooth. Medians leave single spikes out.
    """
    if len(clip) < 8:
        return 0.0
    steps = to_rotvec(multiply(inverse(clip.rotations[:-1]), clip.rotations[1:]))
    third = np.diff(steps, n=2, axis=0)
    size = (1.4826 * np.median(np.abs(third), axis=0) / np.sqrt(20.0)).max(axis=1)  # 1.4826: of a normal distribution
    signs = (third[1:] * third[:-1] < 0.0).mean(axis=(0, 2))
    moving = size > 1e-8
    # Third differences of white noise change their sign in 77 % of the frames, of smooth motion in less than 20 %.
    return float(np.median(np.where(signs > 0.7, size, 0.0)[moving])) if moving.any() else 0.0


def check_shaking(clip: Clip) -> list[Finding]:
    """Find joints that shake from frame to frame, as noisy trackers make them."""
    size = shaking(clip)
    if size < SHAKING:
        return []
    sentence = (
        f"{called(clip)}: joints shake by {np.degrees(size):.1f}° from frame to frame, and so would what is learned"
    )
    return [Finding("shaking", f"{sentence}; repair with smooth", repair="smooth")]
