"""Degrees of freedom used to compare clips, and how far each one moves the body (its fk scale).

Also the joints used for figures of the entire body: hips, hands, feet, upper and lower body, and the leg.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.motion import Clip
from freshtake.motion.body.roles import feet, hands, leg_length, pelvis
from freshtake.motion.edit import heading
from freshtake.motion.skeleton import Skeleton
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import about_axis, inverse, mean, multiply, rotate, to_rotvec, twist_angle
from freshtake.variation.examples import HORIZON

ROOT_DOFS = ("root.height", "root.sideways", "root.forward", "root.turning")
STILL = 1e-6  # radians, leg lengths or their rates: smaller changes count as still


class ClipDofs(NamedTuple):
    """Rotation vectors of every joint about its mean over the inputs, and the root's height and velocities.

    A rotation vector about the mean wraps at half a rotation from it, which no joint of a body reaches. Heights and
    speeds are in leg lengths. `scales` says how far, in leg lengths, one unit of a DOF moves the joints (root mean
    square over all joints and tips): scaled by it, differences of DOFs become roughly comparable to distances. `rows`
    contains the DOFs (frames, DOFs) of each clip.
    """

    names: tuple[str, ...]
    scales: Floats
    rows: list[Floats]


def clip_dofs(clips: Sequence[Clip], inputs: int, size: float) -> ClipDofs:
    """Return the DOFs that move in any of the clips, y up, measured from the mean pose of the first `inputs` clips."""
    turns = [without_heading(clip) for clip in clips]
    references = mean(np.concatenate(turns[:inputs]))
    rows = [_all_dofs(c, t, references, size) for c, t in zip(clips, turns, strict=True)]
    moving = np.ptp(np.concatenate(rows), axis=0) > STILL
    names = [f"{joint}.{axis}" for joint in clips[0].skeleton.names for axis in "xyz"] + list(ROOT_DOFS)
    moving_names = tuple(name for name, moves in zip(names, moving, strict=True) if moves)
    return ClipDofs(moving_names, fk_scales(clips[:inputs], size)[moving], [values[:, moving] for values in rows])


def without_heading(clip: Clip) -> Floats:
    """Return local rotations (frames, joints, 4) without the root's twist about the vertical."""
    turns, up = clip.rotations.copy(), clip.up_index
    turns[:, 0] = multiply(about_axis(np.eye(3)[up], -twist_angle(turns[:, 0], up)), turns[:, 0])
    return turns


def pose_angles(a: Floats, b: Floats) -> Floats:
    """Return (poses of a, poses of b): the largest angle between the joints' rotations (poses, joints, 4)."""
    smallest = np.ones((len(a), len(b)))
    for joint in range(a.shape[1]):
        # A quaternion and its negative are the same rotation; the smallest cosine is the largest angle.
        np.minimum(smallest, np.abs(a[:, joint] @ b[:, joint].T), out=smallest)
    return np.asarray(2.0 * np.arccos(np.minimum(smallest, 1.0)))


def _all_dofs(clip: Clip, turns: Floats, references: Floats, size: float) -> Floats:
    vectors = to_rotvec(multiply(inverse(references), turns)).reshape(len(clip), -1)
    facing = heading(clip)
    back = about_axis(np.array([0.0, 1.0, 0.0]), -facing)
    speed = rotate(back, np.gradient(clip.root, clip.frame_time, axis=0)) / size
    turning = np.gradient(facing[:, None], clip.frame_time, axis=0)
    return np.concatenate([vectors, clip.root[:, 1:2] / size, speed[:, [0]], speed[:, [2]], turning], axis=1)


def fk_scales(clips: Sequence[Clip], size: float) -> Floats:
    """Return for each DOF the RMS displacement of all joints and tips, in leg lengths per unit of the DOF."""
    skeleton = clips[0].skeleton
    squares = np.zeros((len(skeleton), 3))
    wide = 0.0
    for clip in clips:
        # Use about sixty frames from all clips to limit the cost.
        step = max(1, len(clip) * len(clips) // 60)
        world = clip.world()
        points = np.concatenate([world.positions, clip.end_positions()], axis=1)[::step]
        owner = np.array([*range(len(skeleton)), *[site.joint for site in skeleton.end_sites]], dtype=np.intp)
        for joint in range(len(skeleton)):
            moved = np.isin(owner, skeleton.descendants(joint))
            arms = points[:, moved] - points[:, joint : joint + 1]
            for axis in range(3):
                spin = rotate(world.rotations[::step, joint], np.eye(3)[axis])
                reach = np.cross(spin[:, None], arms)
                squares[joint, axis] += float((reach**2).sum()) / (len(points) * points.shape[1] * len(clips))
        wide += float(((points - points[:, :1])[..., [0, 2]] ** 2).sum(-1).mean()) / len(clips)
    root = [1.0, HORIZON, HORIZON, HORIZON * np.sqrt(wide) / size]
    return np.concatenate([(np.sqrt(squares) / size).ravel(), root])


class Joints(NamedTuple):
    """Joint numbers, and the length of a leg from the hips to the ankle.

    `body` contains the hips and everything below them in the tree, but not a rig's joints above them or next to them on
    the floor. `toes` contains each foot's toe (its ankle if it has none). `upper` contains the joint where the arms
    branch off, the head, and the hand, elbow and shoulder of each arm; `lower` the knee, ankle and toe of each leg.
    """

    hips: int
    leg: float
    body: tuple[int, ...]
    hands: tuple[int, ...]
    ankles: tuple[int, ...]
    toes: tuple[int, ...]
    upper: tuple[int, ...]
    lower: tuple[int, ...]


def body_joints(skeleton: Skeleton) -> Joints:
    """Find joints by names and by the tree; missing joints are empty."""
    hips, all_feet = pelvis(skeleton), feet(skeleton)
    ankles = tuple(foot.ankle for foot in all_feet)
    toes = tuple(foot.joints[-1] for foot in all_feet)
    knees = [int(skeleton.parents[ankle]) for ankle in ankles]
    lower = tuple(sorted({*knees, *ankles, *toes} - {-1, hips}))
    body = tuple(skeleton.descendants(hips))
    return Joints(hips, leg_length(skeleton), body, hands(skeleton), ankles, toes, _upper(skeleton, hips), lower)


def _upper(skeleton: Skeleton, hips: int) -> tuple[int, ...]:
    chains = [skeleton.chain(hand) for hand in hands(skeleton)]
    arms = {joint for chain in chains for joint in chain[-3:]}
    heads = [j for j, name in enumerate(skeleton.names) if re.search("head", name, re.I)][:1]
    parting = {max(set(chains[0]).intersection(*chains[1:]))} if len(chains) > 1 else set()
    return tuple(sorted((arms | parting | set(heads)) - {hips}))
