"""Which joints are arms, legs and head, by the shape of a standing skeleton, whatever its joints are called.

The two lowest tips are toes, the highest is the head; the tips farthest to the sides above the hips are hands. Of each
limb the two longest bones that follow one another are upper and lower arm or leg.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from freshtake.motion.body.roles import HELPER
from freshtake.motion.retarget.body_map import SIDES
from freshtake.motion.skeleton import Skeleton
from freshtake.numeric.arrays import Floats

Joints = dict[str, tuple[int, ...]]


def joints_by_shape(skeleton: Skeleton, rest: Floats) -> Joints | None:
    """Hips, head, arms and legs of a body that stands (joints, 3), y up; None where there is no such body."""
    leaves = [j for j in range(1, len(skeleton)) if not skeleton.children(j) and not HELPER.search(skeleton.names[j])]
    legs = _lowest_pair(skeleton, rest, leaves)
    if legs is None:
        return None
    paths = [skeleton.chain(tip) for tip in legs]
    hips = max(set(paths[0]) & set(paths[1]))
    below = {joint for path in paths for joint in skeleton.descendants(path[path.index(hips) + 1])}
    upper = [tip for tip in leaves if tip not in below and hips in skeleton.chain(tip)]
    if len(upper) < 3:
        return None
    across = _across(rest, legs)
    sideways = (rest[upper] - rest[hips]) @ across
    arms = [upper[int(sideways.argmax())], upper[int(sideways.argmin())]]
    middle = [tip for tip, off in zip(upper, sideways, strict=True) if abs(off) < 0.3 * np.abs(sideways).max()]
    if not middle or arms[0] in middle or arms[1] in middle:
        return None
    chest = max(set(skeleton.chain(arms[0])) & set(skeleton.chain(arms[1])))
    head = max(middle, key=lambda tip: float(rest[tip, 1]))
    body: Joints = {"hips": (hips,), "head": (_head(skeleton, head, chest),)}
    for side, arm, leg in zip(SIDES, arms, legs, strict=True):
        body |= _limb(skeleton, rest, leg, hips, side, "leg") | _limb(skeleton, rest, arm, chest, side, "arm")
    return body


def _lowest_pair(skeleton: Skeleton, rest: Floats, leaves: list[int]) -> list[int] | None:
    """The two lowest tips, left first, of limbs that part at or below the middle of the body; left by the toes."""
    low = sorted(leaves, key=lambda tip: float(rest[tip, 1]))
    first = next(iter(low), None)
    if first is None:
        return None
    shares = {tip: set(skeleton.chain(tip)) & set(skeleton.chain(first)) for tip in low[1:]}
    # Toes of one foot share their leg; the other leg shares only what is above the hips.
    fewest = min((len(shared) for shared in shares.values()), default=0)
    reach = float(np.ptp(rest[:, 1]))
    candidates = [tip for tip in low[1:] if len(shares[tip]) == fewest or _parts_high(rest, shares[tip], tip, reach)]
    second = next(iter(candidates), None)
    if second is None or rest[second, 1] - rest[first, 1] > 0.3 * reach:
        return None
    pair = [first, second]
    names = [skeleton.names[tip].lower() for tip in pair]
    differ = next((a + b for a, b in zip(*names, strict=False) if a != b), "")
    if set(differ) == {"l", "r"}:
        return pair if differ == "lr" else pair[::-1]
    forward = sum((_pointing(skeleton, rest, tip) for tip in pair), np.zeros(3))
    left = np.cross(np.array([0.0, 1.0, 0.0]), forward)
    return sorted(pair, key=lambda tip: -float(rest[tip] @ left))


def _parts_high(rest: Floats, shared: set[int], tip: int, reach: float) -> bool:
    return bool(rest[max(shared), 1] > rest[tip, 1] + 0.3 * reach)


def _pointing(skeleton: Skeleton, rest: Floats, tip: int) -> Floats:
    """Where a foot points along the ground, by its last bone and its end site."""
    ends = [np.asarray(site.offset) for site in skeleton.end_sites if site.joint == tip]
    line = rest[tip] - rest[skeleton.parents[tip]] + (ends[0] if ends else 0.0)
    return np.asarray(line * np.array([1.0, 0.0, 1.0]))


def _across(rest: Floats, legs: list[int]) -> Floats:
    """From the right foot to the left, level."""
    line = (rest[legs[0]] - rest[legs[1]]) * np.array([1.0, 0.0, 1.0])
    return np.asarray(line / max(float(np.linalg.norm(line)), 1e-12))


def _head(skeleton: Skeleton, tip: int, chest: int) -> int:
    """The highest joint, or the one before it where it is called head."""
    path = skeleton.chain(tip)
    named = [joint for joint in path if "head" in skeleton.names[joint].lower() and joint > chest]
    return named[0] if named else tip


def _limb(skeleton: Skeleton, rest: Floats, tip: int, start: int, side: str, kind: str) -> Joints:
    """The two longest bones that follow one another, and what lies before and behind them."""
    path = skeleton.chain(tip)
    path = path[path.index(start) + 1 :]
    bones = [float(np.linalg.norm(rest[b] - rest[a])) for a, b in pairwise(path)]
    if len(bones) < 2:
        return {}
    upper = int(np.argmax([a + b for a, b in pairwise(bones)]))
    parts = path[upper : upper + 3]
    names = [f"upper_{kind}", f"lower_{kind}", "foot" if kind == "leg" else "hand"]
    if kind == "leg" and upper + 3 < len(path):
        parts, names = [*parts, path[upper + 3]], [*names, "toes"]
    if kind == "arm" and upper > 0:
        parts, names = [path[upper - 1], *parts], ["shoulder", *names]
    return {f"{side}_{name}": (joint,) for name, joint in zip(names, parts, strict=True)}
