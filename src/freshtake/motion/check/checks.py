"""Define Finding; check clips against each other, and a clip's frames: leading T-pose, frozen frames, spikes, noise."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import SkeletonMismatch
from freshtake.motion.body.orientation import body_poses, unit_name
from freshtake.motion.body.roles import leg_length
from freshtake.motion.clip import Clip
from freshtake.motion.kinds import MeshSequence, PointClip, Stroke, kind_word
from freshtake.motion.skeleton import Skeleton, length_differences, require_compatible
from freshtake.motion.validation import same_rate
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.curves import runs
from freshtake.numeric.rotations import IDENTITY, angle_between, inverse, multiply, to_rotvec

NOTE, WARNING = "note", "warning"
SPIKE_SPEED = 10.0  # leg lengths per second: the speed of the tip of the limb that a joint turns
SPIKE_RATIO = 5.5  # times the usual speed around the spike
BACKGROUND = 0.25  # seconds to either side that define the usual speed
SHAKING = np.radians(0.35)  # per axis: 4 of 679 recorded takes shake more, and all takes with noise of 0.7°


@dataclass(frozen=True)
class Finding:
    """A fault: a short `code`, a `sentence` for people, the frames and joints (or points) concerned.

    `severity` is "warning" if the fault harms the motion or what is learned from it, otherwise "note". `repair` is the
    name to pass to `freshtake.motion.repair.repair`; None if no repair is possible or necessary.
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
    """Return the words for a motion in a sentence: its name, or else its kind."""
    return str(getattr(motion, "name", "")) or f"the {kind_word(motion)}"


def frame_list(frames: Sequence[int]) -> str:
    """Return frame numbers for a sentence: "frame 7", "frames 3-5 and 9", "frames 1, 4, 9, 12 and 30 more"."""
    listed = np.zeros(max(frames) + 1, dtype=bool)
    listed[list(frames)] = True
    texts = [f"{start}-{stop - 1}" if stop > start + 1 else str(start) for start, stop in runs(listed)]
    return ("frame " if len(frames) == 1 else "frames ") + joined(texts)


def joined(texts: Sequence[str], most: int = 4) -> str:
    """Return a list in words, cut off after `most` items with the number of omitted items."""
    if len(texts) > most + 1:
        return f"{', '.join(texts[:most])} and {len(texts) - most} more"
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def is_tpose_first(clip: Clip) -> bool:
    """Return whether frame 0 is far from frame 1 while the remaining take is smooth."""
    if len(clip) < 6:
        return False
    steps = np.linalg.norm(np.diff(body_poses(clip), axis=0), axis=-1).mean(axis=1)
    usual = float(np.median(steps[1:]))
    # A first frame that is ten usual steps away from a motion that continues calmly is not part of the take.
    return bool(steps[0] > max(10.0 * usual, 0.05) and steps[1] < 0.3 * steps[0])


def check_tpose(clip: Clip) -> list[Finding]:
    """Find a first frame that does not lead into the take, such as a T-pose inserted by a converter."""
    if not is_tpose_first(clip):
        return []
    bent = angle_between(clip.rotations[0, 1:], IDENTITY)
    kind = "a T-pose" if float(np.median(bent)) < 0.02 else "a pose"
    sentence = f"{called(clip)}: frame 0 is {kind} that the take does not start from; repair with drop-tpose"
    return [Finding("tpose", sentence, (0,), repair="drop-tpose")]


def repeated(clip: Clip) -> Bools:
    """Return (frames,): whether each frame equals the frame before."""
    leg = leg_length(clip.skeleton)
    turned = np.abs(np.diff(clip.rotations, axis=0)).max(axis=(1, 2))
    moved = np.abs(np.diff(clip.local_translations(), axis=0)).max(axis=(1, 2)) / leg
    # Frames are copies if they differ only by rounding.
    return np.concatenate([[False], (turned <= 1e-9) & (moved <= 1e-9)])


def repeated_findings(name: str, same: Bools, *, repairs: bool = True) -> list[Finding]:
    """Return findings for frames that equal the frame before: single frames are duplicates, longer runs are frozen."""
    if len(same) > 1 and same[1:].all():
        return [Finding("frozen", f"{name}: nothing moves in all {len(same)} frames", tuple(range(len(same))))]
    findings = []
    single = [start for start, stop in runs(same) if stop - start == 1]
    frozen = [frame for start, stop in runs(same) if stop - start > 1 for frame in range(start - 1, stop)]
    if frozen:
        remedy = "; repair with drop-frozen" if repairs else ""
        text = f"{name}: {frame_list(frozen)} are frozen (each equals the frame before){remedy}"
        findings.append(Finding("frozen", text, tuple(frozen), repair="drop-frozen" if repairs else None))
    if single:
        verb = "repeats" if len(single) == 1 else "repeat"
        remedy = "; repair with fill-frozen or drop-frozen" if repairs else ""
        text = f"{name}: {frame_list(single)} {verb} the frame before{remedy}"
        findings.append(Finding("duplicate-frame", text, tuple(single), repair="fill-frozen" if repairs else None))
    return findings


def check_frozen(clip: Clip) -> list[Finding]:
    """Find frames that equal the frame before, and takes of a single frame."""
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
    """Return for each joint the length of the limb that its rotation moves, in leg lengths."""
    lengths = skeleton.lengths()
    out = np.zeros(len(skeleton))
    for joint, offset, _ in skeleton.end_sites:
        out[joint] = max(out[joint], float(np.linalg.norm(offset)))
    for joint in range(len(skeleton) - 1, 0, -1):
        parent = skeleton.parents[joint]
        out[parent] = max(out[parent], out[joint] + lengths[joint])
    return out / leg_length(skeleton)


def limb_speeds(clip: Clip) -> Floats:
    """Return (frames - 1, joints + 1): leg lengths per second of each joint's limb tip; the root's travel is last."""
    turning = angle_between(clip.rotations[1:], clip.rotations[:-1]) * reaches(clip.skeleton)
    travel = np.linalg.norm(np.diff(clip.root, axis=0), axis=-1) / leg_length(clip.skeleton)
    return np.concatenate([turning, travel[:, None]], axis=1) * clip.fps


def spikes(clip: Clip) -> list[Burst]:
    """Return bursts of implausible speed, as when markers are swapped, without an outlying first frame."""
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
    """Merge each burst with a return burst soon after it, because the frames between them are wrong as well."""
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
    """Return the turns of joints (and the root's travel, if included) between two frames, summed, in leg lengths."""
    turning = [joint for joint in joints if joint < len(clip.skeleton)]
    angles = angle_between(clip.rotations[first, turning], clip.rotations[last, turning])
    total = float((angles * reaches(clip.skeleton)[turning]).sum())
    if len(turning) < len(joints):
        total += float(np.linalg.norm(clip.root[last] - clip.root[first])) / leg_length(clip.skeleton)
    return total


def check_spikes(clip: Clip) -> list[Finding]:
    """Find joints that briefly move much faster than just before and after."""
    bursts = spikes(clip)
    if not bursts:
        return []
    names = [*clip.skeleton.names, clip.skeleton.names[0]]
    joints = tuple(dict.fromkeys(names[j] for burst in bursts for j in burst.joints))
    frames = tuple(frame for burst in bursts for frame in range(burst.start + 1, max(burst.stop, burst.start + 2)))
    verb = "jumps" if len(joints) == 1 else "jump"
    sentence = f"{called(clip)}: {joined(joints)} {verb} at {frame_list(frames)} (markers swapped or lost)"
    return [Finding("spike", f"{sentence}; repair with fix-spikes", frames, joints, repair="fix-spikes")]


def shaking(clip: Clip) -> float:
    """Return the standard deviation, in radians, of white noise in most joints that move; 0 if there is none.

    Third differences of white noise have 20 times its variance and change their sign in three of four frames; third
    differences of motion are small and smooth. Medians ignore single spikes.
    """
    if len(clip) < 8:
        return 0.0
    steps = to_rotvec(multiply(inverse(clip.rotations[:-1]), clip.rotations[1:]))
    third = np.diff(steps, n=2, axis=0)
    size = (1.4826 * np.median(np.abs(third), axis=0) / np.sqrt(20.0)).max(axis=1)  # 1.4826: normal distribution
    signs = (third[1:] * third[:-1] < 0.0).mean(axis=(0, 2))
    moving = size > 1e-8
    # Third differences change their sign in 77 % of the frames with white noise, in under 20 % with smooth motion.
    return float(np.median(np.where(signs > 0.7, size, 0.0)[moving])) if moving.any() else 0.0


def check_shaking(clip: Clip) -> list[Finding]:
    """Find joints that shake from frame to frame, as with noisy trackers."""
    size = shaking(clip)
    if size < SHAKING:
        return []
    shake = f"joints shake by {np.degrees(size):.1f}° from frame to frame, and so would motion learned from it"
    return [Finding("shaking", f"{called(clip)}: {shake}; repair with smooth", repair="smooth")]


def check_set(motions: Sequence[Any]) -> list[Finding]:
    """Return why clips cannot be used together: kinds, skeletons, rates, axes, units, and duplicates."""
    if len(motions) < 2:
        return []
    first = motions[0]
    other = next((motion for motion in motions[1:] if type(motion) is not type(first)), None)
    if other is not None:
        kinds = f"{called(first)} is a {kind_word(first)} and {called(other)} a {kind_word(other)}"
        return [Finding("kinds", f"{kinds}: they cannot be used together: leave one kind out")]
    findings = []
    if isinstance(first, Clip):
        findings += _skeletons(motions)
    elif isinstance(first, PointClip):
        findings += _same(motions, "names", "points", lambda motion: motion.names)
    elif isinstance(first, MeshSequence):
        findings += _same(motions, "faces", "connectivity", lambda mesh: (mesh.vertices.shape[1], mesh.faces.tobytes()))
    else:
        findings += _same(motions, "dimensions", "dimensions", lambda motion: motion.dimensions)
    if not isinstance(first, Stroke):
        findings += _rates(motions)
        findings += _same(motions, "up", "vertical axes", lambda motion: motion.up)
        findings += _units(motions)
    return findings + _duplicates(motions)


def _skeletons(clips: Sequence[Clip]) -> list[Finding]:
    """Find clips whose joints, or distances of joints from their parents, differ from the first clip's."""
    findings, longer, joints = [], [], []
    first = clips[0]
    for clip in clips[1:]:
        try:
            require_compatible(first.skeleton, clip.skeleton, called(first), called(clip))
        except SkeletonMismatch as error:
            findings.append(Finding("skeletons", f"{error}; leave one out, or retarget it onto the other"))
            continue
        if differences := length_differences(first.skeleton, clip.skeleton, 1e-4):
            longer.append(called(clip))
            joints += differences
    if longer:
        which = tuple(dict.fromkeys(joints))
        text = f"{joined(longer)} and {called(first)} have joints at different distances from their parents"
        findings.append(Finding("lengths", f"{text} ({joined(which)})", (), which, NOTE))
    return findings


def _rates(motions: Sequence[Any]) -> list[Finding]:
    """Find clips with a different frame rate than the first."""
    first = motions[0]
    odd = [motion for motion in motions if not same_rate(motion.fps, first.fps)]
    if not odd:
        return []
    text = f"{joined([f'{called(motion)} ({motion.fps:.4g} fps)' for motion in odd])} and {called(first)}"
    return [Finding("rates", f"{text} ({first.fps:.4g} fps) have different frame rates: resample them to one")]


def _same(motions: Sequence[Any], code: str, what: str, value: Any) -> list[Finding]:
    """Return a finding if a property differs from that of the first motion."""
    expected = value(motions[0])
    odd = [called(motion) for motion in motions[1:] if value(motion) != expected]
    return [Finding(code, f"{joined(odd)} and {called(motions[0])} have different {what}")] if odd else []


def _units(motions: Sequence[Any]) -> list[Finding]:
    """Find files whose unit differs from the first file's, or is not stated."""
    first = motions[0]
    odd = next((motion for motion in motions[1:] if motion.unit_m != first.unit_m), None)
    if odd is None:
        return []
    statements = [
        f"{called(motion)} is in {unit_name(motion.unit_m)}" if motion.unit_m else f"{called(motion)} states no unit"
        for motion in (odd, first)
    ]
    remedy = "used together, they are scaled to the unit of the first; give a missing unit with --unit"
    return [Finding("unit", f"{statements[0]} and {statements[1]}: {remedy}")]


def _duplicates(motions: Sequence[Any]) -> list[Finding]:
    """Find groups of clips with exactly the same content, whatever their names."""
    groups: dict[tuple[Any, ...], list[int]] = {}
    for number, motion in enumerate(motions):
        groups.setdefault(tuple((a.shape, (a + 0.0).tobytes()) for a in _content(motion)), []).append(number)
    findings = []
    for members in groups.values():
        if len(members) > 1:
            names = joined([called(motions[number]) for number in members], most=6)
            text = f"{names} are the same recording, number for number: use only one of them"
            findings.append(Finding("duplicates", text))
    return findings


def _content(motion: Any) -> tuple[Any, ...]:
    """Return the arrays that a motion consists of."""
    names = ("root", "rotations", "positions", "vertices", "points")
    return tuple(getattr(motion, name) for name in names if isinstance(getattr(motion, name, None), np.ndarray))
