"""What can be wrong with single frames of a clip: a T-pose in front, frozen frames, spikes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.motion.body.pose_space import body_poses
from freshtake.motion.body.roles import leg_length
from freshtake.motion.check.finding import Finding, called, frame_list, joined
from freshtake.motion.clip import Clip
from freshtake.motion.planting.contacts import runs
from freshtake.motion.skeleton import Skeleton
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.rotations import IDENTITY, angle_between

SAME = 1e-9  # leg lengths and quaternion components within which two frames are one
APART = 10.0  # mean steps by which a first frame that does not belong is off
SPIKE_SPEED = 10.0  # leg lengths per second, of the tip of the limb that a joint turns
SPIKE_RATIO = 5.5  # times the usual speed around it
BACKGROUND = 0.25  # seconds to either side that say what is usual


def is_tpose_first(clip: Clip) -> bool:
    """Whether frame 0 is far from frame 1 while the rest of the take is smooth."""
    if len(clip) < 6:
        return False
    steps = np.linalg.norm(np.diff(body_poses(clip), axis=0), axis=-1).mean(axis=1)
    usual = float(np.median(steps[1:]))
    return bool(steps[0] > max(APART * usual, 0.05) and steps[1] < 0.3 * steps[0])


def check_tpose(clip: Clip) -> list[Finding]:
    """A first frame that the take does not start from, as converters put in front."""
    if not is_tpose_first(clip):
        return []
    bent = angle_between(clip.rotations[0, 1:], IDENTITY)
    kind = "a T-pose" if float(np.median(bent)) < 0.02 else "a pose"
    sentence = f"{called(clip)}: frame 0 is {kind} that the take does not start from; repair with drop-tpose"
    return [Finding("tpose", sentence, (0,), repair="drop-tpose")]


def repeated(clip: Clip) -> Bools:
    """(frames,): where a frame equals the one before."""
    leg = leg_length(clip.skeleton)
    turned = np.abs(np.diff(clip.rotations, axis=0)).max(axis=(1, 2))
    moved = np.abs(np.diff(clip.local_translations(), axis=0)).max(axis=(1, 2)) / leg
    return np.concatenate([[False], (turned <= SAME) & (moved <= SAME)])


def repeated_findings(name: str, same: Bools, *, repairs: bool = True) -> list[Finding]:
    """Findings for frames that equal the one before: single ones are duplicated, longer runs are frozen."""
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
    """Return frames that equal the one before; a single frame is a take that does not move."""
    if len(clip) > 1:
        return repeated_findings(called(clip), repeated(clip))
    sentence = f"{called(clip)}: there is one frame, so nothing moves: export it with its animation"
    return [Finding("still", sentence, (0,))]


class Burst(NamedTuple):
    """Steps start to stop (exclusive; step t leads from frame t to t + 1) that are far too fast, and whose."""

    start: int
    stop: int
    joints: tuple[int, ...]


def reaches(skeleton: Skeleton) -> Floats:
    """Per joint, the length of the limb that its rotation moves, in leg lengths."""
    lengths = skeleton.lengths()
    out = np.zeros(len(skeleton))
    for joint, offset, _ in skeleton.end_sites:
        out[joint] = max(out[joint], float(np.linalg.norm(offset)))
    for joint in range(len(skeleton) - 1, 0, -1):
        parent = skeleton.parents[joint]
        out[parent] = max(out[parent], out[joint] + lengths[joint])
    return out / leg_length(skeleton)


def limb_speeds(clip: Clip) -> Floats:
    """(frames - 1, joints + 1): leg lengths per second of each joint's limb tip; last, the root's travel."""
    turning = angle_between(clip.rotations[1:], clip.rotations[:-1]) * reaches(clip.skeleton)
    travel = np.linalg.norm(np.diff(clip.root, axis=0), axis=-1) / leg_length(clip.skeleton)
    return np.concatenate([turning, travel[:, None]], axis=1) * clip.fps


def usual_speeds(speeds: Floats, fps: float) -> Floats:
    """The 75th percentile of each column within a quarter of a second to either side."""
    reach = min(max(2, round(BACKGROUND * fps)), (len(speeds) - 1) // 2)
    padded = np.pad(speeds, ((reach, reach), (0, 0)), mode="reflect")
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1, axis=0)
    out: Floats = np.percentile(windows, 75.0, axis=-1)
    return out


def spikes(clip: Clip) -> list[Burst]:
    """Bursts of implausible speed, as when markers are swapped; a first frame that stands apart is left out."""
    skip = 1 if is_tpose_first(clip) else 0
    if len(clip) - skip < 8 or leg_length(clip.skeleton) < 1e-9:
        return []
    speeds = limb_speeds(clip)[skip:]
    suspects = np.flatnonzero(speeds.max(axis=0) > SPIKE_SPEED)
    fast = np.zeros(speeds.shape, dtype=bool)
    wide = np.zeros(speeds.shape, dtype=bool)
    if len(suspects):
        ratio = speeds[:, suspects] / (usual_speeds(speeds[:, suspects], clip.fps) + 1.0)
        fast[:, suspects] = (speeds[:, suspects] > SPIKE_SPEED) & (ratio > SPIKE_RATIO)
        wide[:, suspects] = ratio > 0.4 * SPIKE_RATIO
    bursts = []
    for start, stop in runs(np.asarray((fast | wide).any(axis=1))):
        if fast[start:stop].any():
            joints = np.flatnonzero((fast | wide)[start:stop].any(axis=0))
            bursts.append(Burst(start + skip, stop + skip, tuple(joints.tolist())))
    return _merged(clip, bursts)


def _merged(clip: Clip, bursts: list[Burst]) -> list[Burst]:
    """A burst out and a burst back soon after make one: what lies between them is off as well."""
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
    """How far joints are turned, and the root moved where it is among them, from one frame to another, in legs."""
    turning = [joint for joint in joints if joint < len(clip.skeleton)]
    angles = angle_between(clip.rotations[first, turning], clip.rotations[last, turning])
    total = float((angles * reaches(clip.skeleton)[turning]).sum())
    if len(turning) < len(joints):
        total += float(np.linalg.norm(clip.root[last] - clip.root[first])) / leg_length(clip.skeleton)
    return total


def check_spikes(clip: Clip) -> list[Finding]:
    """Joints that jump for a moment much faster than around it."""
    bursts = spikes(clip)
    if not bursts:
        return []
    names = [*clip.skeleton.names, clip.skeleton.names[0]]
    joints = tuple(dict.fromkeys(names[j] for burst in bursts for j in burst.joints))
    frames = tuple(frame for burst in bursts for frame in range(burst.start + 1, max(burst.stop, burst.start + 2)))
    verb = "jumps" if len(joints) == 1 else "jump"
    sentence = f"{called(clip)}: {joined(joints)} {verb} at {frame_list(frames)} (markers swapped or lost)"
    return [Finding("spike", f"{sentence}; repair with fix-spikes", frames, joints, repair="fix-spikes")]
