"""Motions of other bodies on the first class's skeleton, so that poses of all classes mean the same."""

from __future__ import annotations

import numpy as np

from freshtake.motion import Clip, Skeleton
from freshtake.motion.body.roles import leg_length
from freshtake.motion.skeleton import require_compatible
from freshtake.numeric.arrays import Floats
from freshtake.numeric.kinematics import local_rotations
from freshtake.numeric.rotations import IDENTITY, about_axis, from_matrix, inverse, mean, multiply, shortest_arc

SHORT = 1e-3  # share of the longest offset below which a direction says nothing
LOW = 2.0  # percentile of the heights of the lowest joint: the floor


def usual_rotations(clips: list[Clip]) -> Floats:
    """The mean local rotation of every joint, (joints, 4)."""
    return mean(np.concatenate([clip.rotations for clip in clips]))


def on_skeleton(clip: Clip, skeleton: Skeleton, usual: Floats) -> Clip:
    """The clip on a compatible skeleton with other lengths or other rest directions.

    Every joint is turned so that what hangs on it points where it pointed; twists about single directions, which
    positions do not tell, are taken as `usual` (joints, 4). Travel and height go with the length of the leg, and the
    lowest joint stands as high as before.
    """
    if clip.skeleton == skeleton or clip.joint_translations is not None:
        return clip
    require_compatible(skeleton, clip.skeleton, "the first example", clip.name or "another")
    world = multiply(clip.world().rotations, _turns(skeleton, clip.skeleton))
    rotations = _twisted(skeleton, local_rotations(skeleton.parents, world), usual)
    ratio = leg_length(skeleton) / max(leg_length(clip.skeleton), 1e-12)
    placed = clip.changed(skeleton=skeleton, rotations=rotations, root=clip.root * ratio)
    root = placed.root.copy()
    root[:, clip.up_index] += _floor(clip) - _floor(placed)
    return placed.changed(root=root)


def _floor(clip: Clip) -> float:
    return float(np.percentile(clip.positions()[..., clip.up_index], LOW, axis=0).min())


def _hanging(skeleton: Skeleton) -> list[list[tuple[int, Floats]]]:
    """Per joint the offsets of its children and end sites, each with a number that says which it is."""
    out: list[list[tuple[int, Floats]]] = [[] for _ in skeleton.names]
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0:
            out[parent].append((joint, skeleton.offsets[joint]))
    for number, site in enumerate(skeleton.end_sites):
        out[site.joint].append((len(skeleton) + number, np.array(site.offset)))
    return out


def _turns(new: Skeleton, own: Skeleton) -> Floats:
    """Rotations (joints, 4) that turn what hangs on a joint of the new skeleton to where it hangs on its own."""
    out = np.tile(IDENTITY, (len(new), 1))
    least = SHORT * float(max(new.lengths().max(), own.lengths().max(), 1e-12))
    for joint, (fresh, known) in enumerate(zip(_hanging(new), _hanging(own), strict=True)):
        there = dict(known)
        pairs = [(a, there[k]) for k, a in fresh if k in there]
        pairs = [(a, b) for a, b in pairs if min(np.linalg.norm(a), np.linalg.norm(b)) > least]
        if not pairs:
            continue
        a, b = (np.array(side) / np.linalg.norm(side, axis=1, keepdims=True) for side in zip(*pairs, strict=True))
        if np.allclose(a, b, atol=1e-6):
            continue
        if len(pairs) == 1:
            out[joint] = shortest_arc(a[0], b[0])
            continue
        u, _, vt = np.linalg.svd(b.T @ a)
        u[:, -1] *= np.sign(np.linalg.det(u @ vt))
        out[joint] = from_matrix(u @ vt)
    return out


def _twisted(skeleton: Skeleton, local: Floats, usual: Floats) -> Floats:
    """Local rotations whose twist about a joint's only direction is the usual one, on average; positions stay."""
    out = local.copy()
    for joint, hanging in enumerate(_hanging(skeleton)):
        if len(hanging) != 1 or np.linalg.norm(hanging[0][1]) < 1e-9:
            continue
        child, offset = hanging[0]
        axis = offset / np.linalg.norm(offset)
        away = multiply(inverse(mean(out[:, joint])), usual[joint])
        turn = about_axis(axis, 2.0 * np.arctan2(away[1:] @ axis, away[0]))
        out[:, joint] = multiply(out[:, joint], turn)
        if child < len(skeleton):
            out[:, child] = multiply(inverse(turn), out[:, child])
    return out
