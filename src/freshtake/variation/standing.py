"""Make a variant's feet stand when, and as, the feet of the take that it follows most.

When the feet of takes stand, the feet of their combination still move a little. The remaining movement is removed:
while a foot of the followed take stands, the variant's foot copies its movement, tilt and height, at the position where
the variant put it. Between two stands the correction changes smoothly from one to the other. Legs follow by the
smallest rotation of hip and knee. A take itself passes through unchanged.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from freshtake.motion import Clip
from freshtake.motion.features.angles import ground_of, set_ground
from freshtake.motion.planting import PlantingModel
from freshtake.motion.planting.limb_leading import SOFT, lead_limbs
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.curves import gaussian_filter1d, quintic, runs
from freshtake.numeric.rotations import (
    WorldPose,
    about_axis,
    continuous,
    forward,
    from_rotvec,
    inverse,
    multiply,
    to_rotvec,
)
from freshtake.variation.phase import bring_together, read_at, read_sharply

SINKS = 0.1  # seconds before and after, over which hips sink for a leg that is too short
HALF = 0.5  # largest shift from the take's position, as a fraction of a foot's path between two stands


class Footing(NamedTuple):
    """The motion of the feet of each take through the common phase, in the takes' common frame."""

    ankles: Floats  # (takes, phases, feet, 3)
    turns: Floats  # (takes, phases, feet, 4): rotations of the feet in the world
    stands: Bools  # (takes, phases, feet)


class Feet(NamedTuple):
    """The movement of the feet along one motion, frame by frame."""

    ankles: Floats  # (frames, feet, 3): positions in the world
    turns: Floats  # (frames, feet, 4): rotations in the world
    stands: Bools  # (frames, feet)


def footing_of(
    clips: Sequence[Clip], contacts: Sequence[Floats], planting_model: PlantingModel, phase_frames: Floats
) -> Footing:
    """Return the motion of the takes' feet through the common phase.

    `clips` are the takes at the common phases, in the common frame; `contacts` (frames, foot joints) are 1 for joints
    that stand, else 0, at each take's frames.
    """
    takes = []
    for clip, labels, frames in zip(clips, contacts, phase_frames.T, strict=True):
        feet, number = _by_foot(labels, planting_model), np.arange(len(labels))
        stands = np.stack([np.interp(frames, number, column) > 0.5 for column in feet.T], axis=1)
        takes.append((*_ankles(clip, planting_model), stands))
    return Footing(*(np.stack(part) for part in zip(*takes, strict=True)))


def _ankles(clip: Clip, model: PlantingModel) -> tuple[Floats, Floats]:
    """Return the positions (frames, feet, 3) and rotations (frames, feet, 4) of the ankles in the world."""
    ends, world = [leg.end for leg in model.legs], clip.world()
    return world.positions[:, ends], np.stack([continuous(world.rotations[:, end]) for end in ends], axis=1)


def _by_foot(contacts: Floats, model: PlantingModel) -> Floats:
    """Return how firmly feet (frames, feet) stand, the firmer of ankle and toe, from contacts (frames, foot joints)."""
    widths = [len(foot.joints) for foot in model.feet]
    return np.stack([part.max(axis=1) for part in np.split(contacts, np.cumsum(widths)[:-1], axis=1)], axis=1)


def feet_of(clip: Clip, model: PlantingModel) -> Feet:
    """Return how the feet of a take, or of a variant with standing feet, move and when they stand."""
    return Feet(*_ankles(clip, model), _by_foot(model.example_contacts(clip), model) > 0.5)


def level_feet(
    clip: Clip, contacts: Floats, phases: Floats, footing: Footing, turned: float, model: PlantingModel
) -> Feet:
    """Return feet that stand as in the takes, cycle by cycle, wherever the clip puts them.

    `contacts` (frames, foot joints) are the firmness, 0 to 1, with which ankles and toes stand; `turned` is the clip's
    heading relative to the common frame of the takes. The feet have the takes' mean height and tilt, and do not travel
    while they stand.
    """
    ends, last = [leg.end for leg in model.legs], footing.ankles.shape[1] - 1
    ankles, at = clip.world().positions[:, ends].copy(), np.mod(phases, last)
    stands = _by_foot(contacts, model) > 0.5
    level = [axis for axis in range(3) if axis != clip.up_index]
    for foot in range(len(ends)):
        for first, stop in runs(stands[:, foot]):
            ankles[first:stop, foot, level] = ankles[first, foot, level]
    # cycles are joined, so the last phase must equal the first
    heights = footing.ankles[..., clip.up_index].mean(axis=0, keepdims=True)
    same = np.sign((footing.turns * footing.turns[:1]).sum(axis=-1, keepdims=True))
    turns = (same * footing.turns).mean(axis=0, keepdims=True).reshape(1, last + 1, -1)
    for values in (heights, turns):
        bring_together(values, values[:, -1] - values[:, 0])
    ankles[..., clip.up_index] = read_at(heights[0], at)
    tilted = read_at(turns[0], at).reshape(len(clip), len(ends), 4)
    tilted /= np.linalg.norm(tilted, axis=-1, keepdims=True)
    spin = about_axis(np.eye(3)[clip.up_index], turned)
    return Feet(ankles, multiply(np.broadcast_to(spin, tilted.shape), tilted), stands)


def standing_like(
    clip: Clip, footing: Footing, followed: int, phases: Floats, frame: tuple[complex, float], model: PlantingModel,
    fixed: Bools | None = None,
) -> Clip:  # fmt: skip
    """Let the feet of a variant stand as one take's feet do, by rotating its legs.

    `frame` is the origin and rotation of the takes' common frame; `fixed` (frames,) must not change.
    """
    if not footing.stands[followed].any():
        return clip
    ankles, turns = _at_phases(footing, followed, phases, frame, clip.up)
    stands = footing.stands[followed][np.rint(phases).astype(np.intp)]
    return with_feet_of(clip, Feet(ankles, turns, stands), model, fixed)


def with_feet_of(clip: Clip, feet: Feet, model: PlantingModel, fixed: Bools | None = None) -> Clip:
    """Plant the feet of a clip when and as the given feet are planted, at the positions where the clip puts them.

    Frames that are `fixed` (frames,) must not change; feet that stand there stay where they are. The root is lowered
    if a leg would not reach.
    """
    kept_frames = np.zeros(len(clip), dtype=np.bool_) if fixed is None else fixed
    rotations, (joints, world) = clip.rotations.copy(), _legs(clip, model)
    moves = np.zeros((len(clip), len(model.legs), 3))
    up = clip.up_index
    for k, leg in enumerate(model.legs):
        ankle, above = joints.index(leg.end), joints.index(int(clip.skeleton.parents[leg.end]))
        now = world.rotations[:, ankle]
        tilt = to_rotvec(multiply(feet.turns[:, k], inverse(now)))  # from the clip's foot to the given foot, world axes
        gap = np.concatenate([feet.ankles[:, k] - world.positions[:, ankle], tilt], axis=1)
        kept = [axis for axis in range(3) if axis != up] + [3 + up]  # position and direction are the clip's
        change = corrections(gap, feet.stands[:, k], feet.ankles[:, k], kept, kept_frames, SINKS / clip.frame_time)
        heights = world.positions[:, ankle, up] + change[:, up]
        change[:, up] += np.where(kept_frames, 0.0, lifts(heights, feet.ankles[:, k, up]))
        moves[:, k] = change[:, :3]
        # The sole tilts like the followed take's: the ankle compensates for the shank.
        turned = multiply(from_rotvec(change[:, 3:]), now)
        rotations[:, leg.end] = multiply(inverse(world.rotations[:, above]), turned)
    hips = world.positions[:, [joints.index(leg.upper) for leg in model.legs]]
    goals = world.positions[:, [joints.index(leg.end) for leg in model.legs]] + moves
    before, root = np.ascontiguousarray(clip.root), clip.root.copy()
    lowered = _lowered(np.linalg.norm(goals - hips, axis=-1) * feet.stands, model, clip)
    root[:, up] -= lowered * _away_from(kept_frames, SINKS / clip.frame_time)
    by_toe = np.zeros(len(model.legs), dtype=np.intp)
    lead_limbs(model.bones, before, root, clip.bone_offsets(), moves, by_toe, rotations, SOFT)
    if fixed is not None:
        root[fixed], rotations[fixed] = clip.root[fixed], clip.rotations[fixed]
    return clip.changed(root=root, rotations=rotations)


def _away_from(fixed: Bools, frames: float) -> Floats:
    """Return weights (frames,): 0 at fixed frames, rising smoothly to 1 within this many frames."""
    at = np.flatnonzero(fixed)
    if len(at) == 0:
        return np.ones(len(fixed))
    number = np.arange(len(fixed))
    after = np.minimum(np.searchsorted(at, number), len(at) - 1)
    distance = np.minimum(np.abs(at[after] - number), np.abs(at[np.maximum(after - 1, 0)] - number))
    return quintic(np.minimum(distance / max(frames, 1.0), 1.0))


def lifts(heights: Floats, take: Floats) -> Floats:
    """Return the lift (frames,) that makes a foot clear the floor at least half as high as the take's.

    Zero if it is high enough, and while the take's foot is lowest.
    """
    clearance = take - take.min()
    missing = np.maximum(HALF * clearance - (heights - take.min()), 0.0)
    soft = np.maximum(0.25 * clearance, 1e-12)  # a gradual onset
    return np.asarray(np.where(missing < soft, missing**2 / (2.0 * soft), missing - 0.5 * soft))


def _lowered(reached: Floats, model: PlantingModel, clip: Clip) -> Floats:
    """Return how far the root sinks (frames,) for legs to reach standing feet, spread over the surrounding frames.

    `reached` (frames, legs) is the distance from hip to ankle if the foot stands, else 0.
    """
    lengths, most = clip.skeleton.lengths(), []
    for leg in model.legs:
        chain = clip.skeleton.chain(leg.end)
        most.append(leg.reach[1] * float(lengths[chain[chain.index(leg.upper) + 1 :]].sum()))
    # a foot lifted by up to 1 % of a leg is hardly visible, while sinking hips are
    missing = np.maximum(reached - 1.01 * np.array(most), 0.0).max(axis=1, initial=0.0)
    if not missing.any():
        return np.asarray(missing)
    wide = max(round(SINKS / clip.frame_time), 1)
    padded = np.pad(missing, wide, mode="edge")
    around = np.max([padded[k : k + len(missing)] for k in range(2 * wide + 1)], axis=0)
    return gaussian_filter1d(around, max(0.5 * wide, 0.5), mode="nearest")


def _legs(clip: Clip, model: PlantingModel) -> tuple[list[int], WorldPose]:
    """Return the joints from the root to the ankles and their pose; computing all would take most of the time."""
    joints = sorted({joint for leg in model.legs for joint in clip.skeleton.chain(leg.end)})
    parents = np.array([joints.index(int(p)) if p >= 0 else -1 for p in clip.skeleton.parents[joints]])
    return joints, forward(parents, clip.local_translations()[:, joints], clip.rotations[:, joints])


def _at_phases(
    footing: Footing, take: int, phases: Floats, frame: tuple[complex, float], up: str
) -> tuple[Floats, Floats]:
    """Return ankles (frames, feet, 3) and rotations (frames, feet, 4) of a take's feet, moved to the variant."""
    count = len(phases)
    feet = footing.ankles.shape[2]
    ankles = read_sharply(footing.ankles[take].reshape(-1, feet * 3), phases).reshape(count, feet, 3)
    turns = read_sharply(footing.turns[take].reshape(-1, feet * 4), phases).reshape(count, feet, 4)
    turns /= np.linalg.norm(turns, axis=-1, keepdims=True)
    ground, heading = frame
    set_ground(ankles, ground + np.exp(1j * heading) * ground_of(ankles, up), up)
    axis = np.eye(3)["xyz".index(up)]
    return ankles, multiply(np.broadcast_to(about_axis(axis, heading), turns.shape), turns)


def corrections(
    gap: Floats, stands: Bools, way: Floats, kept: Sequence[int], fixed: Bools | None = None, settling: float = 1.0
) -> Floats:
    """Return the correction of a foot's position and rotation, (frames, 6).

    While the foot of the followed take `stands` (frames,), it is the `gap` (frames, 6) from the variant's foot to the
    take's, at `way` (frames, 3), minus its mean in the `kept` columns; in between it changes smoothly. A stand with
    `fixed` frames keeps the foot's position there, and changes to the take's height and tilt within `settling` frames.
    """
    fixed = np.zeros(len(gap), dtype=np.bool_) if fixed is None else fixed
    spans = runs(_hardly_lifted(stands, settling) | fixed if fixed.any() else stands)
    out = np.zeros_like(gap)
    if not spans:
        return out
    through = [_through(gap[a:b], fixed[a:b], kept, settling) for a, b in spans]
    mean_gaps = np.array([gap[a:b, kept].mean(axis=0) for a, b in spans])
    steps = np.linalg.norm(np.diff(way, axis=0), axis=1)
    ways = [float(steps[b - 1 : a].sum()) for (_, b), (a, _) in pairwise(spans)]
    pinned = [k for k, base in enumerate(through) if base is not None]
    # Without a fixed position, the longest visible stand stays where the variant puts it.
    longest = max(range(len(spans)), key=lambda k: spans[k][1] - spans[k][0])
    # Positions too far apart for one swing would make the foot fly.
    means = _within_reach(mean_gaps, ways, pinned or [longest])
    for (a, b), mean, base in zip(spans, means, through, strict=True):
        out[a:b] = gap[a:b] if base is None else gap[a:b] - base
        if base is None:
            out[a:b, kept] -= mean
    out[: spans[0][0]], out[spans[-1][1] :] = out[spans[0][0]], out[spans[-1][1] - 1]
    for (first, b), (a, last) in pairwise(spans):
        before = out[b - 1] - out[b - 2] if b - first > 1 else np.zeros(6)
        after = out[a + 1] - out[a] if last - a > 1 else np.zeros(6)
        out[b:a] = _bridge(out[b - 1], out[a], before, after, a - b + 1)
    return out


def _hardly_lifted(stands: Bools, frames: float) -> Bools:
    """Return stands (frames,) without the pauses between them that are too short for a step."""
    out = stands.copy()
    for (_, stop), (first, _) in pairwise(runs(stands)):
        out[stop:first] |= first - stop < frames
    return out


def _through(gap: Floats, fixed: Bools, kept: Sequence[int], settling: float) -> Floats | None:
    """Return the part of a stand's gap (frames, 6) that keeps its fixed frames unchanged; None if it has none."""
    at = np.flatnonzero(fixed)
    if len(at) == 0:
        return None
    frames = np.arange(len(gap))
    out = np.stack([np.interp(frames, at, column[at]) for column in gap.T], axis=1)
    # a standing foot cannot change its position, but a sole lifted or sunk by a pose settles on the floor
    settled = [column for column in range(gap.shape[1]) if column not in kept]
    out[:, settled] *= (1.0 - _away_from(fixed, settling))[:, None]
    return out


def _within_reach(mean_gaps: Floats, ways: Sequence[float], anchors: Sequence[int]) -> Floats:
    """Limit the change of means (stands, columns) between stands to what a foot can cover on its path.

    The stands `anchors` keep their means; a foot that is barely lifted stays where it stood.
    """
    means = mean_gaps.copy()
    for order, near in ((range(anchors[0] + 1, len(means)), -1), (range(anchors[0] - 1, -1, -1), 1)):
        for k in order:
            if k in anchors:
                continue
            goal, most = means[k + near], HALF * ways[min(k, k + near)]
            later = next((anchor for anchor in anchors if anchor > k), None)
            if near < 0 and later is not None:
                # on the path to a fixed position, each step takes its share
                distance = float(sum(ways[k:later]))
                goal = goal + (means[later] - goal) * (ways[k - 1] / max(ways[k - 1] + distance, 1e-12))
                most = min(most, HALF * distance)
            change = means[k] - goal
            size = float(np.linalg.norm(change[:2]))
            means[k] = goal + change * min(1.0, most / size if size > 0.0 else 1.0)
    return means


def _bridge(start: Floats, end: Floats, before: Floats, after: Floats, steps: int) -> Floats:
    """Return the values between two ends, (steps - 1, columns): a cubic with these end slopes, without overshoot."""
    # Slopes steeper than three times the chord make a cubic overshoot (Fritsch and Carlson 1980).
    most = 3.0 * np.abs(end - start) / steps
    before, after = np.clip(before, -most, most) * steps, np.clip(after, -most, most) * steps
    t = (np.arange(1, steps) / steps)[:, None]
    up = t * t * (3.0 - 2.0 * t)
    return np.asarray((1.0 - up) * start + up * end + t * (1.0 - t) * ((1.0 - t) * before - t * after))
