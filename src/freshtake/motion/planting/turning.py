"""Limbs turned so that their ends are at their goals, in a clip or in one frame of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.motion.limb_chain import coordinates, followed, turns
from freshtake.motion.limbs import Limb
from freshtake.motion.skeleton import Skeleton
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.kinematics import WorldPose
from freshtake.numeric.limb_solver import LimbMemory, solve_limb
from freshtake.numeric.rotations import inverse, multiply

FULL = 0.9998  # of a limb's length: nearer to straight, no direction to bend is left
UNMOVED = 1e-9  # leg lengths


class Poses(NamedTuple):
    """Frames to work on: local translations (frames, joints, 3), local rotations and what they amount to."""

    translations: Floats
    rotations: Floats
    world: WorldPose


class Turned(NamedTuple):
    """Local rotations (frames, joints, 4), distance to the goals (frames,), the solver's memory."""

    rotations: Floats
    residual: Floats
    memory: LimbMemory


def turn_limb(
    skeleton: Skeleton,
    limb: Limb,
    poses: Poses,
    goals: Floats,
    mean: Floats,
    weights: tuple[float, float],
    reach: float,
    memory: LimbMemory | None = None,
) -> Turned:
    """The limb's joints turned (Lau 2009, eq. 7) so that its points are at `goals` (frames, points, 3).

    Frames whose goals are where the points are already stay untouched. `mean` holds the local rotations that the
    solution should be near to. What hangs on the last point keeps its direction in the world, so that soles stay
    level.
    """
    above = int(skeleton.parents[limb.upper])
    joints = list(limb.turning)
    sample = coordinates(limb.links, poses.rotations[:, joints])
    wanted = sample if mean is poses.rotations else coordinates(limb.links, mean[:, joints])
    here = poses.world.positions[:, list(limb.points)]
    active = np.abs(goals - here).max(axis=(1, 2)) > UNMOVED * limb.chain.length
    reachable = within_reach(limb, poses, goals, reach)
    turned = poses.world.rotations[:, above] if above >= 0 else np.tile([1.0, 0, 0, 0], (len(sample), 1))
    solved = solve_limb(
        limb.chain, poses.world.positions[:, limb.upper], turned, link_offsets(limb, poses.translations), sample,
        wanted, reachable, point_numbers(limb), active, weights=weights, memory=memory,
    )  # fmt: skip
    changed = (solved.y != sample).any(axis=1)
    rotations = poses.rotations.copy()
    rotations[np.ix_(changed, joints)] = turns(limb.links, solved.y[changed])
    _keep_direction(limb, rotations, changed, turned, poses.world.rotations)
    missed = np.linalg.norm(reachable - goals, axis=-1).max(axis=1) + solved.residual
    return Turned(rotations, np.where(active, missed, 0.0), solved.memory)


def within_reach(limb: Limb, poses: Poses, goals: Floats, reach: float) -> Floats:
    """Goals that the limb can reach without snapping straight; all points of a limb are moved alike."""
    base, end = poses.world.positions[:, limb.upper], poses.world.positions[:, limb.end]
    middle = poses.world.positions[:, limb.middle]
    full = FULL * (np.linalg.norm(middle - base, axis=1) + np.linalg.norm(end - middle, axis=1))
    begin = np.clip(np.linalg.norm(end - base, axis=1), reach * full, full)
    line = goals[:, 0] - base
    asked = np.linalg.norm(line, axis=1)
    room = np.maximum(full - begin, 1e-12)
    given = np.where(asked > begin, begin + room * (1.0 - np.exp(-np.maximum(asked - begin, 0.0) / room)), asked)
    back = line * (given / np.maximum(asked, 1e-12) - 1.0)[:, None]
    return np.asarray(goals + back[:, None])


def link_offsets(limb: Limb, translations: Floats) -> Floats:
    """(frames, links, 3): from each link to the next; links of one joint are in one place."""
    owners = limb.links.owners
    inner = np.concatenate([np.diff(owners) == 0, [False]])
    out = translations[:, np.array(limb.below)[owners]]
    out[:, inner] = 0.0
    return np.ascontiguousarray(out)


def point_numbers(limb: Limb) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Which points of the chain the goals are for."""
    ends = np.searchsorted(limb.links.owners, [limb.below.index(joint) for joint in limb.points], side="right")
    return np.asarray(ends, dtype=np.intp)


def _keep_direction(limb: Limb, rotations: Floats, changed: Bools, turned: Floats, wanted: Floats) -> None:
    """Turn the joint that follows the limb so that its world rotation stays, as far as it can."""
    if limb.last is None or limb.links.follower is None:
        return
    world = turned[changed]
    for joint in limb.turning:
        world = multiply(world, rotations[changed, joint])
    local = multiply(inverse(world), wanted[changed, limb.last])
    rotations[changed, limb.last] = followed(limb.links.follower, rotations[changed, limb.last], local)
