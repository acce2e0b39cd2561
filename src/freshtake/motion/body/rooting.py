"""Make the first joint that moves with the body the root, wherever it is in the rig, and undo this for the file.

Many rigs have motionless joints above the hips (`Reference`, `joint_Root`, an armature), while the hips carry the
travel. In memory, joint 0 is always where the body is: it takes over the position and rotation of the joint that
carries the body, which then coincides with it. `Skeleton.base` keeps the file's form, and `as_filed` restores it.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from freshtake.motion.base import Base
from freshtake.motion.body.roles import feet, pelvis
from freshtake.motion.channels import clip_from_channels
from freshtake.motion.clip import Clip
from freshtake.motion.skeleton import Skeleton
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.rotations import IDENTITY, WorldPose, forward, inverse, multiply, rotate

STILL = 1e-3  # body sizes and radians within which a joint above the body is still
NEAR = 0.3  # body sizes by which the ground paths of the body and of a joint 0 that follows it may differ
STEADY = 1e-5  # body sizes within which a joint is fixed on its parent: files round their numbers


class Movement(NamedTuple):
    """Movement of joints relative to their parents in a clip, or the maximum over several clips: (joints,) each.

    `travel` in body sizes, `turn` in radians.
    """

    travel: Floats
    turn: Floats

    @property
    def travels(self) -> Bools:
        """Flags of the joints that change their position on their parents."""
        return self.travel > STILL

    @property
    def turns(self) -> Bools:
        """Flags of the joints that rotate."""
        return self.turn > STILL


def movement(clips: Sequence[Clip]) -> Movement:
    """Return the largest movement of joints over clips of one skeleton in their files' form."""
    travel = [
        np.ptp(local, axis=0).max(axis=-1) / _size(clip.skeleton, local)
        for clip, local in ((clip, clip.local_translations()) for clip in clips)
    ]
    return Movement(np.max(travel, axis=0), np.max([_turning(clip.rotations) for clip in clips], axis=0))


def rooted(
    clip: Clip, chain: tuple[int, ...] | None = None, *, moving: Movement | None = None, exact: bool = False
) -> Clip:
    """Return the clip with joint 0 where its body is, and without translations of joints fixed on their parents.

    `chain` ends at the new root; by default it is derived from the movement. The file's channels are kept. `moving` is
    the movement in all takes that are used together, by default in this take. With `exact`, a clip whose joint 0
    travels is returned unchanged.
    """
    if clip.skeleton.base is not None:
        same = chain in (None, clip.skeleton.base.chain) and moving is None
        return clip if same else rooted(as_filed(clip), chain, moving=moving)
    local = clip.local_translations()
    size = _size(clip.skeleton, local)
    if len(clip.skeleton) == 1 or (len(clip) == 1 and chain is None) or not np.isfinite(size):
        return clip
    moving = moving or movement([clip])
    path = body_chain(clip.skeleton, moving) if chain is None else chain
    if len(path) == 1 and (exact or clip.joint_translations is None):
        return clip
    base = _base(clip, path, moving)
    translations, rotations = local.copy(), clip.rotations.copy()
    if len(path) > 1:
        world = clip.world()
        translations[:, path], rotations[:, path] = 0.0, IDENTITY
        translations[:, 0], rotations[:, 0] = world.positions[:, path[-1]], world.rotations[:, path[-1]]
        rehang(clip.skeleton, translations, rotations, world, base.carried)
    offsets = _steady_offsets(clip.skeleton, translations, size, base.carried)
    same = len(path) == 1 and np.array_equal(offsets, clip.skeleton.offsets)
    skeleton = replace(clip.skeleton, offsets=offsets, base=None if same else base)
    keeps = not (translations[:, 1:] != offsets[1:]).any()
    return replace(
        clip,
        skeleton=skeleton,
        root=translations[:, 0],
        rotations=rotations,
        joint_translations=None if keeps else translations,
    )


def as_filed(clip: Clip, carrier: Floats | None = None) -> Clip:
    """Return the clip in the form of its file: joints above the body as they were, and the body moving on them.

    `carrier` (frames, 3) is where a joint 0 that follows the body is in the file; default: under the body.
    """
    base, skeleton = clip.skeleton.base, clip.skeleton
    if base is None:
        return clip
    filed_skeleton = replace(skeleton, offsets=base.offsets, base=None)
    if clip.channels is not None and not base.follows and _supports_vary(clip):
        # Joints above the body that count as still may move a little: the file's numbers say how.
        filed = clip_from_channels(filed_skeleton, clip.channels, clip.frame_time)
        moving = filed.joint_translations
        return replace(
            clip, skeleton=filed_skeleton, root=filed.root, rotations=filed.rotations, joint_translations=moving
        )
    world = clip.world()
    local, rotations = clip.local_translations().copy(), clip.rotations.copy()
    if len(base.chain) > 1:
        place, turn = world.positions[:, base.joint], world.rotations[:, base.joint]
        _write_chain(base, local, rotations, place, turn, clip.up_index, carrier)
        goal = _led(base, world)
        rehang(skeleton, local, rotations, goal, base.carried)
        for joint in sorted({joint for joint, _ in base.led} - {*base.carried}):  # these are below carried joints
            rehang(skeleton, local, rotations, goal, (joint,))
    at_offset = np.abs(local - base.offsets)[:, 1:].max(initial=0.0) == 0.0
    return replace(
        clip, skeleton=filed_skeleton, root=local[:, 0], rotations=rotations,
        joint_translations=None if at_offset else local,
    )  # fmt: skip


def _supports_vary(clip: Clip) -> bool:
    """Return whether a BVH file moves joints above the body, apart from the travel and the body's rotation."""
    skeleton, base = clip.skeleton, clip.skeleton.base
    assert base is not None and clip.channels is not None
    if skeleton.axes is not None:  # Acclaim's numbers need more than the layout
        return False
    first = np.cumsum([0, *map(len, skeleton.channels)])
    columns = [
        first[joint] + place
        for joint in base.chain
        for place, channel in enumerate(skeleton.channels[joint])
        if joint != (base.mover if channel[0] == "t" else base.joint)
    ]
    return bool((clip.channels[:, columns] != clip.channels[:1, columns]).any())


def _led(base: Base, world: WorldPose) -> WorldPose:
    """Return the world pose with led joints placed by their leads, since both vary and would otherwise drift apart."""
    if not base.led:
        return world
    joints, leads = (list(column) for column in zip(*base.led, strict=True))
    positions, rotations = world.positions.copy(), world.rotations.copy()
    positions[:, joints] = world.positions[:, leads] + rotate(world.rotations[:, leads], base.led_places)
    rotations[:, joints] = multiply(world.rotations[:, leads], base.led_turns)
    return WorldPose(positions, rotations)


def _write_chain(
    base: Base, local: Floats, rotations: Floats, place: Floats, turn: Floats, up: int, carrier: Floats | None
) -> None:
    """Write the file's transforms of the chain, with the travel in the mover and the rotation in the last joint."""
    above = np.empty((len(base.chain), 4))  # the rotation of each joint's parent in the world
    above[0] = IDENTITY
    for k in range(1, len(base.chain)):
        above[k] = multiply(above[k - 1], base.rotations[k - 1])
    mover = base.chain.index(base.mover)
    local[:, base.chain], rotations[:, base.chain] = base.translations, base.rotations
    if base.follows and carrier is not None:
        local[:, 0] = carrier
    elif base.follows:
        local[:, 0] += place
        local[:, 0, up] = base.translations[0, up]
    steps = rotate(above, local[:, base.chain])
    local[:, base.mover] = rotate(inverse(above[mover]), place - (steps.sum(axis=1) - steps[:, mover]))
    rotations[:, base.joint] = multiply(inverse(above[-1]), turn)


def rehang(skeleton: Skeleton, local: Floats, rotations: Floats, world: WorldPose, joints: tuple[int, ...]) -> None:
    """Keep joints where they are in the world after their parents have moved."""
    if not joints:
        return
    now = forward(skeleton.parents, local, rotations)
    for joint in joints:
        parent = skeleton.parents[joint]
        back = inverse(now.rotations[:, parent])
        local[:, joint] = rotate(back, world.positions[:, joint] - now.positions[:, parent])
        rotations[:, joint] = multiply(back, world.rotations[:, joint])


def following(clip: Clip) -> Clip:
    """Return the clip with its travel on a joint 0 that follows under the body without turning (root motion).

    The vertical axis must be known. A joint 0 that turns with the body stays the root.
    """
    if clip.joint_translations is None or len(feet(clip.skeleton)) < 2 or len(clip) == 1:
        return clip
    if clip.skeleton.base is not None and len(clip.skeleton.base.chain) > 1:
        return clip
    filed = as_filed(clip)
    local = filed.local_translations()
    size, up = _size(clip.skeleton, local), clip.up_index
    if not np.isfinite(size) or _turning(clip.rotations[:, :1])[0] > STILL:
        return clip
    chain = body_chain(clip.skeleton, movement([filed]), follows=True)
    drift = np.ptp(local[:, 0] - filed.positions()[:, chain[-1]], axis=0)
    if len(chain) == 1 or np.ptp(local[:, 0, up]) > STILL * size or np.delete(drift, up).max() > NEAR * size:
        return clip
    return rooted(clip, chain)


def rooted_together(clips: Sequence[Clip]) -> list[Clip]:
    """Return clips of one rig with their root at the same joint and the same joints carried next to it.

    A joint counts as moving if it moves in any clip: a joint that turns in a single take is not just a support.
    """
    bases = [clip.skeleton.base for clip in clips]
    if len({_use(base) for base in bases}) == 1:
        return list(clips)
    filed = [as_filed(clip) for clip in clips]
    skeleton, moving = clips[0].skeleton, movement(filed)
    chain = max(((0,) if base is None else base.chain for base in bases), key=len)
    movers = np.count_nonzero(moving.travels[list(chain)])
    for k, (joint, below) in enumerate(pairwise(chain)):
        loose = moving.turns[list(chain[: k + 1])].any() or (moving.travels[joint] and movers > 1)
        if _has_limb_beside(skeleton, moving, joint, below) or (loose and len(skeleton.children(joint)) > 1):
            chain = chain[: k + 1]
            break
    together = [rooted(clip, chain, moving=moving) for clip in filed]
    led = set.intersection(*[set(() if (base := clip.skeleton.base) is None else base.led) for clip in together])
    return [_leading(clip, led) for clip in together]


def _leading(clip: Clip, pairs: set[tuple[int, int]]) -> Clip:
    """Return the clip with only those pairs of led joints and their leads."""
    base = clip.skeleton.base
    if base is None or set(base.led) <= pairs:
        return clip
    keep = [k for k, pair in enumerate(base.led) if pair in pairs]
    led, places, turns = tuple(base.led[k] for k in keep), base.led_places[keep], base.led_turns[keep]
    return replace(
        clip, skeleton=replace(clip.skeleton, base=replace(base, led=led, led_places=places, led_turns=turns))
    )


def rooted_like(clip: Clip, skeleton: Skeleton) -> Clip:
    """Return a clip with its root, and the joints carried next to it, as in a skeleton of the same rig."""
    base, clip_base = skeleton.base, clip.skeleton.base
    if base is None:
        return rooted(clip, (0,))
    if clip_base is not None and _use(clip_base) == _use(base):
        return clip
    travel = np.zeros(len(skeleton))
    travel[[base.mover, *base.carried, *([0] if base.follows else [])]] = np.inf
    return _leading(rooted(clip, base.chain, moving=Movement(travel, np.zeros(len(skeleton)))), set(base.led))


def _use(base: Base | None) -> tuple[object, ...] | None:
    """Return the parts of a base that must agree for clips to be used together."""
    return None if base is None else (base.chain, base.mover, base.carried, base.follows, base.led)


def body_chain(skeleton: Skeleton, moving: Movement, *, follows: bool = False) -> tuple[int, ...]:
    """Return the path from joint 0, past joints that are still or carry the travel, to the joint that carries the body.

    With `follows`, the travel of joint 0 does not count. A joint that limbs hang on is part of the body, even if still.
    """
    path = skeleton.chain(pelvis(skeleton)) if len(feet(skeleton)) > 1 else [0]
    if len(feet(skeleton)) < 2:
        # Stop above the first branching, or include it if that joint travels.
        while len(children := skeleton.children(path[-1])) == 1:
            path.append(children[0])
        if len(path) > 1 and not (children and moving.travels[path[-1]]):
            path.pop()
    travels, turns = moving.travels[path].tolist(), moving.turns[path].tolist()
    travels[0] = travels[0] and not follows
    end = 0
    while end + 1 < len(path):
        alone = sum(travels[: end + 2]) <= 1
        most = 2 * len(skeleton.descendants(path[end + 1])) > len(skeleton)
        limbs = _has_limb_beside(skeleton, moving, path[end], path[end + 1])
        beside = len(skeleton.children(path[end])) > 1  # everything that hangs here turns with the joints above
        if not (alone and most) or limbs or (turns[end] and not travels[end + 1]) or (beside and any(turns[: end + 1])):
            break
        end += 1
    while end and not (travels[end] or turns[end]):
        end -= 1
    return tuple(path[: end + 1])


def _has_limb_beside(skeleton: Skeleton, moving: Movement, joint: int, below: int) -> bool:
    """Return whether a limb hangs on a joint next to `below`: two or more joints that turn but do not translate.

    If the joint below moves away, the joints next to it are not a limb of its body.
    """
    if moving.travel[below] > NEAR:
        return False
    for child in skeleton.children(joint):
        branch = skeleton.descendants(child)
        if child != below and not moving.travels[branch].any() and np.count_nonzero(moving.turns[branch]) > 1:
            return True
    return False


def _base(clip: Clip, path: tuple[int, ...], moving: Movement) -> Base:
    skeleton, local = clip.skeleton, clip.local_translations()
    able = [joint for joint in path if any(channel[0] == "t" for channel in skeleton.channels[joint])]
    movers = [joint for joint in path if moving.travels[joint]]
    mover = movers[-1] if movers else able[-1] if able else 0
    follows = mover > 0 and bool(moving.travels[0])
    beside, carried = set(path[:-1]), []
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent in beside and joint not in path:
            if moving.travels[joint]:  # joints fixed on their parents stay fixed: bones do not stretch
                carried.append(joint)
            else:
                beside.add(joint)
    places, turns_at = local[0, path, :], clip.rotations[0, path, :]
    # Position of the mover and rotation of the last joint belong to the body, and differ from take to take.
    places[path.index(mover)], turns_at[-1] = 0.0, IDENTITY
    if follows:
        from_body = (local[:, 0] - clip.positions()[:, path[-1]]).mean(axis=0)
        places[0] = np.where(np.arange(3) == clip.up_index, local[0, 0], from_body)
    leads = _leads(clip, path, carried, moving)
    return Base(path, mover, places, turns_at, skeleton.offsets, tuple(carried), follows, *leads)


def _leads(
    clip: Clip, path: tuple[int, ...], carried: list[int], moving: Movement
) -> tuple[tuple[tuple[int, int], ...], Floats, Floats]:
    """Return pairs of a carried joint and the nearest body joint with which it moves, and the carried joint's poses."""
    on_them = [below for joint in carried for below in clip.skeleton.descendants(joint)[1:] if moving.travels[below]]
    world, size = clip.world(), _size(clip.skeleton, clip.local_translations())
    body = clip.skeleton.descendants(path[-1])
    pairs, places, turns = [], [], []
    for joint in sorted({*carried, *on_them}):
        apart = world.positions[:, [joint]] - world.positions[:, body]
        seen = rotate(inverse(world.rotations[:, body]), apart)
        turned = multiply(inverse(world.rotations[:, body]), world.rotations[:, [joint]])
        stays = (np.ptp(seen, axis=0).max(axis=-1) < STILL * size) & (_turning(turned) < STILL)
        if stays.any():
            place = int(np.where(stays, np.linalg.norm(seen[0], axis=-1), np.inf).argmin())
            pairs.append((joint, body[place]))
            places.append(seen[:, place].mean(axis=0))
            turns.append(turned[0, place] * np.copysign(1.0, turned[0, place, 0]))
    digits = 4 - math.floor(math.log10(size))  # rounding in files must not make takes of one rig different
    rounded = np.round(np.array(places).reshape(-1, 3), digits), np.round(np.array(turns).reshape(-1, 4), 5)
    return tuple(pairs), *rounded


def _turning(rotations: Floats) -> Floats:
    """Return the largest rotation of each joint away from its first frame, (joints,) in radians."""
    return np.asarray(2.0 * np.arccos(np.clip(np.abs((rotations * rotations[:1]).sum(-1)), 0.0, 1.0)).max(axis=0))


def _size(skeleton: Skeleton, local: Floats) -> float:
    """Return the length of the longest path from a joint's parent to a tip: about a body's leg plus trunk."""
    lengths = np.linalg.norm(local.mean(axis=0), axis=-1)
    reach = np.zeros(len(skeleton))
    for joint in range(len(skeleton) - 1, 0, -1):
        parent = skeleton.parents[joint]
        reach[parent] = max(reach[parent], reach[joint] + lengths[joint] * (parent > 0))
    return max(float(reach.max()), float(lengths[1:].max(initial=0.0)), 1e-12)


def _steady_offsets(skeleton: Skeleton, local: Floats, size: float, carried: tuple[int, ...]) -> Floats:
    """Return offsets of the joints that keep their position, and put those joints exactly there.

    Joints carried next to the body move in some take, and have no fixed position on the body.
    """
    offsets = skeleton.offsets.copy()
    steady = np.flatnonzero(np.ptp(local, axis=0).max(axis=-1) <= STEADY * size)
    for joint in np.setdiff1d(steady, [0, *carried]):
        middle = local[:, joint].mean(axis=0)
        if np.abs(middle - offsets[joint]).max() > STEADY * size:
            offsets[joint] = middle
        local[:, joint] = offsets[joint]
    return offsets
