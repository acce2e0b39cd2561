"""Give a skeleton volume: the bones to draw, with thickness and brightness."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from freshtake.motion.body.roles import HEAD, TRUNK, body_parts, feet, hands, leg_length, pelvis
from freshtake.motion.skeleton import Skeleton
from freshtake.numeric.arrays import Floats
from freshtake.reports.viewport.scene import LEG, Body

# In display units: an adult is about 1.75 tall.
SPINE, NECK, SKULL, HIPS, SHOULDERS = 0.088, 0.046, 0.08, 0.062, 0.054
THINNEST, FOOT, THICKEST = 0.011, 0.03, 0.085
SLIMNESS = 0.115  # radius of a limb relative to the geometric mean of the bone's length and the length below it
SHADES = {"left": 1.06, "right": 0.86}
PLAIN = 0.96


class Bone(NamedTuple):
    """A bone between two points, which are joints, then end sites; `owner` is its joint."""

    start: int
    end: int
    owner: int
    length: float


class Piece(NamedTuple):
    """Two points, the thickness at each, and the brightness."""

    start: int
    end: int
    radii: tuple[float, float]
    shade: float = PLAIN


@lru_cache(maxsize=64)
def body_volume(skeleton: Skeleton, size: float = 1.0) -> Body:
    """Return the body of a skeleton, its radii times `size`; its points are the joints, then the end sites."""
    bones = _bones(skeleton)
    parts = body_parts(skeleton)
    below = _length_below(bones, len(skeleton) + len(skeleton.end_sites))
    all_feet = feet(skeleton)
    # All joints that lead to hands or head may belong to the trunk, however many there are.
    heads = [joint for joint, part in enumerate(parts) if part == HEAD]
    spine = {joint for tip in (*hands(skeleton), *heads) for joint in skeleton.chain(tip)}
    pieces = [_piece(bone, parts[bone.owner], below, spine) for bone in bones]
    _join(pieces, [parts[bone.owner] for bone in bones])
    for k, piece in enumerate(pieces):
        if any(piece.end == foot.joints[-1] or piece.start == foot.ankle for foot in all_feet):
            pieces[k] = piece._replace(radii=(max(piece.radii[0], FOOT), max(piece.radii[1], 0.8 * FOOT)))
    pieces += _across(skeleton, bones, parts)
    return Body(
        np.array([(p.start, p.end) for p in pieces], dtype=np.int32),
        np.array([p.radii for p in pieces], dtype=np.float32) * np.float32(size),
        np.array([p.shade for p in pieces], dtype=np.float32),
        (*hands(skeleton), *[foot.joints[-1] for foot in all_feet]),
        tuple((foot.ankle, foot.joints[-1]) for foot in all_feet),
    )


def _bones(skeleton: Skeleton) -> list[Bone]:
    """Return bones of nonzero length, without those that only lead from the floor to the hips."""
    scale = LEG / leg_length(skeleton)
    # Joints between the origin and the hips only carry travel.
    leading = set(skeleton.chain(pelvis(skeleton))[:-1])
    moving = {*skeleton.body(), pelvis(skeleton)}
    pairs: list[tuple[int, int, int, Floats]] = [
        (int(parent), joint, joint, skeleton.offsets[joint])
        for joint, parent in enumerate(skeleton.parents)
        if parent >= 0 and int(parent) not in leading and {joint, int(parent)} <= moving
    ]
    sites = enumerate(skeleton.end_sites, start=len(skeleton))
    pairs += [(site.joint, point, site.joint, np.array(site.offset)) for point, site in sites if site.joint in moving]
    bones = [Bone(a, b, owner, scale * float(np.linalg.norm(offset))) for a, b, owner, offset in pairs]
    return [bone for bone in bones if bone.length > 1e-4] or [Bone(0, 0, 0, 0.1)]


def _length_below(bones: list[Bone], points: int) -> list[float]:
    """Return the longest chain of bones below each point."""
    below = [0.0] * points
    for bone in sorted(bones, key=lambda b: -b.end):  # end sites, then children before their parents
        below[bone.start] = max(below[bone.start], bone.length + below[bone.end])
    return below


def _piece(bone: Bone, part: str, below: list[float], spine: set[int]) -> Piece:
    shade = SHADES.get(part.split(" ")[0], PLAIN)
    if part == HEAD:
        last = below[bone.end] == 0.0
        return Piece(bone.start, bone.end, (0.85 * SKULL, SKULL) if last else (NECK, NECK), shade)
    if part == TRUNK and bone.end in spine:
        return Piece(bone.start, bone.end, (SPINE, SPINE), shade)
    start = SLIMNESS * (bone.length * (bone.length + below[bone.end])) ** 0.5
    end = SLIMNESS * (bone.length * max(below[bone.end], 0.35 * bone.length)) ** 0.5
    first, last = np.clip([start, end], THINNEST, THICKEST).tolist()
    return Piece(bone.start, bone.end, (first, last), shade)


def _join(pieces: list[Piece], parts: list[str]) -> None:
    """Make each bone of a limb begin about as thick as the previous one ends."""
    ending = {piece.end: k for k, piece in enumerate(pieces)}
    for k, piece in enumerate(pieces):
        before = ending.get(piece.start)
        if before is None or parts[k] != parts[before] or parts[k] in (TRUNK, HEAD):
            continue
        middle = 0.5 * (piece.radii[0] + pieces[before].radii[1])
        pieces[k] = piece._replace(radii=(middle, piece.radii[1]))
        pieces[before] = pieces[before]._replace(radii=(pieces[before].radii[0], middle))


def _across(skeleton: Skeleton, bones: list[Bone], parts: tuple[str, ...]) -> list[Piece]:
    """Return pieces for hips, shoulders and chest: between the starts of two limbs, and from their common parent."""
    pieces = []
    for limb, radius in (("leg", HIPS), ("arm", SHOULDERS)):
        left, right = (_begin(bones, parts, f"{side} {limb}") for side in ("left", "right"))
        if left is None or right is None:
            continue
        pieces.append(Piece(left, right, (radius, radius)))
        # Parents have lower numbers than children: the common ancestor with the highest number is the nearest.
        carrier = max(set(skeleton.chain(left)) & set(skeleton.chain(right)))
        pieces += [Piece(carrier, end, (0.9 * SPINE, radius)) for end in (left, right) if end != carrier]
    return pieces


def _begin(bones: list[Bone], parts: tuple[str, ...], part: str) -> int | None:
    """Return the point at which the first long bone of a limb begins."""
    limb_bones = [bone for bone in bones if parts[bone.owner] == part]
    longest = max((bone.length for bone in limb_bones), default=0.0)
    return next((bone.start for bone in limb_bones if bone.length > 0.6 * longest), None)
