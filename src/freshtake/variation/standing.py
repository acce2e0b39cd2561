"""Feet of variants: they stand when, and as, the feet of the take that the variant follows most.

A combination of takes whose feet stand has feet that nearly stand. What is left is taken away: while a foot of the
followed take stands, the variant's foot moves, tilts and rests at the height as that one does, at the place where the
variant put it; between two stands the correction changes smoothly from one to the other. Legs follow by the least turn
of hip and knee. A take itself passes through unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from freshtake.motion import Clip
from freshtake.motion.features.ground import ground_of, set_ground
from freshtake.motion.planting import PlantingModel
from freshtake.motion.planting.limb_leading import SOFT, lead_limbs
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.gaussian import gaussian_filter1d
from freshtake.numeric.kinematics import WorldPose, forward
from freshtake.numeric.rotations import about_axis, continuous, from_rotvec, inverse, multiply, to_rotvec
from freshtake.variation.phase import read_sharply

MISSED = 1.01  # of its reach in the takes: a leg that misses by less lifts its foot unseen, and hips that sink are seen
SINKS = 0.1  # seconds before and after, over which hips sink for a leg that does not reach
HALF = 0.5  # of the way that a foot goes between two stands: by so much may its place differ from the take's


class Footing(NamedTuple):
    """How the feet of every take go through the common phase, in the takes' common frame.

    Attributes:
        ankles: (takes, phases, feet, 3).
        turns: (takes, phases, feet, 4): rotations of the feet in the world.
        stands: (takes, phases, feet).
    """

    ankles: Floats
    turns: Floats
    stands: Bools


def footing_of(clips: Sequence[Clip], planting_model: PlantingModel, phase_frames: Floats) -> Footing:
    """Return how the feet of takes go through the common phase.

    Args:
        clips: Every take at the common phases, in the common frame.
        planting_model: What is known of the legs.
        phase_frames: (phases, takes): the frame of each take at each phase; contacts are found in the takes' own time.

    Returns:
        The footing of all takes.
    """
    ends = [leg.end for leg in planting_model.legs]
    ankles, turns, stands = [], [], []
    for k, clip in enumerate(clips):
        world = clip.world()
        ankles.append(world.positions[:, ends])
        turns.append(np.stack([continuous(world.rotations[:, end]) for end in ends], axis=1))
        stands.append(_standing(clip, planting_model, phase_frames[:, k]))
    return Footing(np.stack(ankles), np.stack(turns), np.stack(stands))


def _standing(clip: Clip, planting_model: PlantingModel, frames: Floats) -> Bools:
    """Return which feet (phases, feet) of a take stand, ankle or toe; contacts are found at the take's own frames."""
    own = np.arange(round(float(frames[-1])) + 1.0)
    at = np.interp(own, frames, np.arange(len(frames)))
    columns = np.concatenate([clip.root, clip.rotations.reshape(len(clip), -1)], axis=1)
    read = read_sharply(columns, at)
    rotations = read[:, 3:].reshape(len(at), -1, 4)
    rotations /= np.linalg.norm(rotations, axis=-1, keepdims=True)
    moved = clip.joint_translations
    if moved is not None:
        moved = read_sharply(moved.reshape(len(clip), -1), at).reshape(len(at), -1, 3)
    own_clip = clip.changed(root=read[:, :3], rotations=rotations, joint_translations=moved)
    contacts = planting_model.example_contacts(own_clip)
    widths = [len(foot.joints) for foot in planting_model.feet]
    by_foot = np.stack([part.max(axis=1) for part in np.split(contacts, np.cumsum(widths)[:-1], axis=1)], axis=1)
    return np.stack([np.interp(frames, own, column) > 0.5 for column in by_foot.T], axis=1)


def standing_like(
    clip: Clip, footing: Footing, followed: int, phases: Floats, frame: tuple[complex, float], model: PlantingModel
) -> Clip:
    """Let the feet of a variant stand as those of one take do.

    Args:
        clip: The variant.
        footing: How the feet of the takes go.
        followed: Number of the take.
        phases: (frames,): of the variant's frames.
        frame: Where the takes' common frame lies, and how far it is turned.
        model: What is known of the legs.

    Returns:
        The variant with other rotations of its legs.
    """
    if not footing.stands[followed].any():
        return clip
    rotations, (joints, world) = clip.rotations.copy(), _legs(clip, model)
    ankles, turns = _at_phases(footing, followed, phases, frame, clip.up)
    stands = footing.stands[followed][np.rint(phases).astype(np.intp)]
    moves = np.zeros((len(clip), len(model.legs), 3))
    up = clip.up_index
    for k, leg in enumerate(model.legs):
        ankle, above = joints.index(leg.end), joints.index(int(clip.skeleton.parents[leg.end]))
        now = world.rotations[:, ankle]
        tilt = to_rotvec(multiply(turns[:, k], inverse(now)))  # from the variant's foot to the take's, world axes
        gap = np.concatenate([ankles[:, k] - world.positions[:, ankle], tilt], axis=1)
        kept = [axis for axis in range(3) if axis != up] + [3 + up]  # place and direction are the variant's
        change = corrections(gap, stands[:, k], ankles[:, k], kept)
        heights = world.positions[:, ankle, up] + change[:, up]
        change[:, up] += lifts(heights, ankles[:, k, up])
        moves[:, k] = change[:, :3]
        turned = multiply(from_rotvec(change[:, 3:]), now)
        rotations[:, leg.end] = multiply(inverse(world.rotations[:, above]), turned)
    hips = world.positions[:, [joints.index(leg.upper) for leg in model.legs]]
    goals = world.positions[:, [joints.index(leg.end) for leg in model.legs]] + moves
    before, root = np.ascontiguousarray(clip.root), clip.root.copy()
    root[:, up] -= _lowered(np.linalg.norm(goals - hips, axis=-1) * stands, model, clip)
    offsets = clip.skeleton.offsets[None] if clip.joint_translations is None else clip.joint_translations
    by_toe = np.zeros(len(model.legs), dtype=np.intp)
    lead_limbs(model.bones, before, root, np.ascontiguousarray(offsets), moves, by_toe, rotations, SOFT)
    return clip.changed(root=root, rotations=rotations)


def lifts(heights: Floats, take: Floats) -> Floats:
    """Return by how much a foot is lifted (frames,) so that it clears the floor at least half as high as the take's.

    Args:
        heights: (frames,): of the variant's ankle.
        take: (frames,): of that of the followed take.

    Returns:
        0 where it is high enough, and while the take's foot is lowest.
    """
    clearance = take - take.min()
    missing = np.maximum(HALF * clearance - (heights - take.min()), 0.0)
    soft = np.maximum(0.25 * clearance, 1e-12)  # it begins gradually
    return np.asarray(np.where(missing < soft, missing**2 / (2.0 * soft), missing - 0.5 * soft))


def _lowered(reached: Floats, model: PlantingModel, clip: Clip) -> Floats:
    """Return by how much the root sinks (frames,) so that legs reach the feet that stand.

    Args:
        reached: (frames, legs): from hip to ankle where feet stand, 0 elsewhere.
        model: What is known of the legs.
        clip: The variant.

    Returns:
        What is missing, spread over the frames around.
    """
    lengths, most = clip.skeleton.lengths(), []
    for leg in model.legs:
        chain = clip.skeleton.chain(leg.end)
        most.append(leg.reach[1] * float(lengths[chain[chain.index(leg.upper) + 1 :]].sum()))
    missing = np.maximum(reached - MISSED * np.array(most), 0.0).max(axis=1, initial=0.0)
    if not missing.any():
        return np.asarray(missing)
    wide = max(round(SINKS / clip.frame_time), 1)
    padded = np.pad(missing, wide, mode="edge")
    around = np.max([padded[k : k + len(missing)] for k in range(2 * wide + 1)], axis=0)
    return gaussian_filter1d(around, max(0.5 * wide, 0.5), mode="nearest")


def _legs(clip: Clip, model: PlantingModel) -> tuple[list[int], WorldPose]:
    """Return the joints from the root to the ankles, and where they are: all others would take most of the time."""
    joints = sorted({joint for leg in model.legs for joint in clip.skeleton.chain(leg.end)})
    parents = np.array([joints.index(int(p)) if p >= 0 else -1 for p in clip.skeleton.parents[joints]])
    return joints, forward(parents, clip.local_translations()[:, joints], clip.rotations[:, joints])


def _at_phases(
    footing: Footing, take: int, phases: Floats, frame: tuple[complex, float], up: str
) -> tuple[Floats, Floats]:
    """Return ankles (frames, feet, 3) and rotations (frames, feet, 4) of a take's feet, where the variant is."""
    count = len(phases)
    feet = footing.ankles.shape[2]
    ankles = read_sharply(footing.ankles[take].reshape(-1, feet * 3), phases).reshape(count, feet, 3)
    turns = read_sharply(footing.turns[take].reshape(-1, feet * 4), phases).reshape(count, feet, 4)
    turns /= np.linalg.norm(turns, axis=-1, keepdims=True)
    ground, heading = frame
    set_ground(ankles, ground + np.exp(1j * heading) * ground_of(ankles, up), up)
    axis = np.eye(3)["xyz".index(up)]
    return ankles, multiply(np.broadcast_to(about_axis(axis, heading), turns.shape), turns)


def corrections(gap: Floats, stands: Bools, way: Floats, kept: Sequence[int]) -> Floats:
    """Return what a foot is moved and turned by, (frames, 6).

    Args:
        gap: (frames, 6): from the variant's foot to that of the followed take, place and rotation.
        stands: (frames,): when that one stands.
        way: (frames, 3): where that one is.
        kept: Columns in which the variant's own mean is kept during each stand.

    Returns:
        The gap while the foot stands, less its mean in the kept columns; smooth in between.
    """
    edges = np.flatnonzero(np.diff(np.concatenate([[0], stands.astype(np.intp), [0]])))
    spans = list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))
    out = np.zeros_like(gap)
    if not spans:
        return out
    wanted = np.array([gap[a:b, kept].mean(axis=0) for a, b in spans])
    steps = np.linalg.norm(np.diff(way, axis=0), axis=1)
    ways = [float(steps[b - 1 : a].sum()) for (_, b), (a, _) in pairwise(spans)]
    means = _within_reach(wanted, ways, max(range(len(spans)), key=lambda k: spans[k][1] - spans[k][0]))
    for (a, b), mean in zip(spans, means, strict=True):
        out[a:b] = gap[a:b]
        out[a:b, kept] -= mean
    out[: spans[0][0]], out[spans[-1][1] :] = out[spans[0][0]], out[spans[-1][1] - 1]
    for (first, b), (a, last) in pairwise(spans):
        before = out[b - 1] - out[b - 2] if b - first > 1 else np.zeros(6)
        after = out[a + 1] - out[a] if last - a > 1 else np.zeros(6)
        out[b:a] = _bridge(out[b - 1], out[a], before, after, a - b + 1)
    return out


def _within_reach(wanted: Floats, ways: Sequence[float], longest: int) -> Floats:
    """Return means (stands, columns) that change no more between stands than a foot can while it goes that way.

    The longest stand keeps its own; a foot that is hardly lifted stays where it stood.
    """
    means = wanted.copy()
    for order in (range(longest + 1, len(means)), range(longest - 1, -1, -1)):
        for k in order:
            near = k - 1 if k > longest else k + 1
            change = wanted[k] - means[near]
            size = float(np.linalg.norm(change[:2]))
            most = HALF * ways[min(k, near)]
            means[k] = means[near] + change * min(1.0, most / size if size > 0.0 else 1.0)
    return means


def _bridge(start: Floats, end: Floats, before: Floats, after: Floats, steps: int) -> Floats:
    """Return values between two, (steps - 1, columns): a cubic with these slopes at its ends, but no overshoot."""
    most = 3.0 * np.abs(end - start) / steps
    before, after = np.clip(before, -most, most) * steps, np.clip(after, -most, most) * steps
    t = (np.arange(1, steps) / steps)[:, None]
    up = t * t * (3.0 - 2.0 * t)
    return np.asarray((1.0 - up) * start + up * end + t * (1.0 - t) * ((1.0 - t) * before - t * after))
