"""The same takes on other rigs: clips as their files have them, made from clips of the sample performer."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from freshtake.motion import Clip, EndSite, Skeleton
from freshtake.motion.edit import resample, scaled, tilt, with_up
from freshtake.motion.skeleton import JOINT_CHANNELS, ROOT_CHANNELS
from freshtake.numeric.rotations import about_axis, inverse, multiply, rotate, shortest_arc

Rig = Callable[[Clip], Clip]


def renamed(clip: Clip, names: Callable[[str], str]) -> Clip:
    """The same joints under other names."""
    return clip.changed(skeleton=replace(clip.skeleton, names=tuple(names(name) for name in clip.skeleton.names)))


def on_base(
    clip: Clip,
    *,
    name: str = "joint_Root",
    place: tuple[float, float, float] = (0.0, 0.0, 0.0),
    turn: float = 0.0,
    hips: tuple[float, float, float] = (0.0, 93.0, 0.0),
    six: bool = False,
) -> Clip:
    """A joint that stands still above the old root, which holds the travel."""
    old, frames = clip.skeleton, len(clip)
    still = about_axis(np.eye(3)[clip.up_index], turn)
    offsets = np.concatenate([[place], old.offsets])
    offsets[1] = hips
    skeleton = Skeleton(
        (name, *old.names),
        np.concatenate([[-1], old.parents + 1]),
        offsets,
        tuple(EndSite(site.joint + 1, site.offset, site.name) for site in old.end_sites),
        (ROOT_CHANNELS, *[ROOT_CHANNELS if six or k == 0 else c for k, c in enumerate(old.channels)]),
    )
    local = np.broadcast_to(offsets, (frames, len(skeleton), 3)).copy()
    local[:, 0], local[:, 1] = place, rotate(inverse(still), clip.root - np.array(place))
    rotations = np.concatenate([np.broadcast_to(still, (frames, 1, 4)), clip.rotations], axis=1)
    rotations[:, 1] = multiply(inverse(still), clip.rotations[:, 0])
    return replace(
        clip, skeleton=skeleton, root=local[:, 0], rotations=rotations, joint_translations=local, channels=None
    )


def root_motion(clip: Clip, turn: float = 0.0, *, six: bool = False) -> Clip:
    """A joint on the floor that travels below the hips at an even pace, and does not rotate with them."""
    rig = on_base(clip, name="root", turn=turn, six=six)
    pace = np.linspace(clip.root[0], clip.root[-1], len(clip))
    pace[:, clip.up_index] = 0.0
    local = rig.local_translations().copy()
    local[:, 0] = pace
    local[:, 1] = rotate(inverse(rig.rotations[:, 0]), clip.root - pace)
    return replace(rig, root=pace, joint_translations=local)


def bones_along_x(clip: Clip) -> Clip:
    """Every joint's frame rotated so x is along its bone, as in many exporters: the rest pose shows no body."""
    old = clip.skeleton
    frames = np.tile([1.0, 0.0, 0.0, 0.0], (len(old), 1))
    for joint in range(len(old)):
        ends = [old.offsets[child] for child in old.children(joint)]
        ends += [np.array(site.offset) for site in old.end_sites if site.joint == joint]
        bone = next((end for end in ends if np.linalg.norm(end) > 0), None)
        if bone is not None:
            frames[joint] = shortest_arc(np.array([1.0, 0.0, 0.0]), bone / np.linalg.norm(bone))
    above = np.concatenate([[[1.0, 0.0, 0.0, 0.0]], frames[old.parents[1:]]])
    sites = [(site, rotate(inverse(frames[site.joint]), np.array(site.offset)).tolist()) for site in old.end_sites]
    skeleton = Skeleton(
        old.names, old.parents, rotate(inverse(above), old.offsets),
        tuple(EndSite(site.joint, (x, y, z), site.name) for site, (x, y, z) in sites), old.channels,
    )  # fmt: skip
    rotations = multiply(multiply(inverse(above), clip.rotations), frames)
    return clip.changed(skeleton=skeleton, rotations=rotations)


def blender(clip: Clip) -> Clip:
    """As Blender exports: z up at rest too, every joint's frame tilted with it."""
    old, turn = clip.skeleton, tilt("y", "z")
    sites = [(site, rotate(turn, np.array(site.offset)).tolist()) for site in old.end_sites]
    skeleton = Skeleton(
        old.names, old.parents, rotate(turn, old.offsets),
        tuple(EndSite(site.joint, (x, y, z), site.name) for site, (x, y, z) in sites), old.channels,
    )  # fmt: skip
    rotations = multiply(multiply(turn, clip.rotations), inverse(turn))
    return clip.changed(skeleton=skeleton, root=rotate(turn, clip.root), rotations=rotations, up="z")


def with_joints(clip: Clip, added: list[tuple[str, str, tuple[float, float, float]]]) -> Clip:
    """Additional joints at the end, fixed on their parents: name, parent, offset."""
    old, count = clip.skeleton, len(added)
    names = (*old.names, *[name for name, _, _ in added])
    parents = [*old.parents.tolist(), *[names.index(parent) for _, parent, _ in added]]
    offsets = np.concatenate([old.offsets, [offset for _, _, offset in added]])
    skeleton = Skeleton(names, np.array(parents), offsets, old.end_sites, (*old.channels, *[JOINT_CHANNELS] * count))
    rotations = np.concatenate([clip.rotations, np.tile([1.0, 0.0, 0.0, 0.0], (len(clip), count, 1))], axis=1)
    local = clip.local_translations()
    extra = np.broadcast_to(offsets[len(old) :], (len(clip), count, 3))
    moved = None if clip.joint_translations is None else np.concatenate([local, extra], axis=1)
    return replace(clip, skeleton=skeleton, rotations=rotations, joint_translations=moved, channels=None)


def without(clip: Clip, word: str) -> Clip:
    """Without the leaf joints whose names contain a word."""
    old = clip.skeleton
    keep = [joint for joint, name in enumerate(old.names) if word not in name]
    new = {joint: number for number, joint in enumerate(keep)}
    skeleton = Skeleton(
        tuple(old.names[joint] for joint in keep),
        np.array([-1, *[new[int(old.parents[joint])] for joint in keep[1:]]]),
        old.offsets[keep],
        tuple(EndSite(new[site.joint], site.offset, site.name) for site in old.end_sites if site.joint in new),
        tuple(old.channels[joint] for joint in keep),
    )
    return replace(clip, skeleton=skeleton, rotations=clip.rotations[:, keep], channels=None)


UNREAL = {
    "Hips": "pelvis", "LowerBack": "spine_01", "Spine": "spine_02", "Spine1": "spine_03", "Neck": "neck_01",
    "Neck1": "neck_02", "Head": "head",
}  # fmt: skip
UNREAL_SIDE = {
    "HipJoint": "hip", "UpLeg": "thigh", "Leg": "calf", "Foot": "foot", "ToeBase": "ball", "Shoulder": "clavicle",
    "Arm": "upperarm", "ForeArm": "lowerarm", "Hand": "hand", "FingerBase": "finger", "HandIndex1": "index_01",
    "Thumb": "thumb_01",
}  # fmt: skip


def unreal_name(name: str) -> str:
    """thigh_l for LeftUpLeg."""
    if name in UNREAL:
        return UNREAL[name]
    side = "l" if name.startswith("L") else "r"
    return f"{UNREAL_SIDE[re.sub('^(Left|Right|L|R)', '', name)]}_{side}"


def unreal(clip: Clip) -> Clip:
    """z up, in centimetres, a root on the floor that stands still, and targets of inverse kinematics on it."""
    rig = on_base(renamed(with_up(clip, "z"), unreal_name), name="root", hips=(0.0, 0.0, 97.0))
    targets = [("ik_foot_root", "root"), ("ik_foot_l", "ik_foot_root"), ("ik_foot_r", "ik_foot_root")]
    return with_joints(rig, [(name, parent, (0.0, 0.0, 0.0)) for name, parent in targets])


def with_targets(clip: Clip) -> Clip:
    """The targets of the Unreal-like rig follow its feet, as exporters bake them."""
    rig = unreal(clip)
    world, local, rotations = rig.world(), rig.local_translations().copy(), rig.rotations.copy()
    for side in "lr":
        foot, target = rig.skeleton.index(f"foot_{side}"), rig.skeleton.index(f"ik_foot_{side}")
        local[:, target], rotations[:, target] = world.positions[:, foot], world.rotations[:, foot]
    return replace(rig, rotations=rotations, joint_translations=local)


def fingers(clip: Clip) -> Clip:
    """Three joints for each of five fingers on each hand, which nobody recorded."""
    added = []
    for side, across in (("Left", 1.0), ("Right", -1.0)):
        for number, finger in enumerate(("Index", "Middle", "Ring", "Pinky", "ThumbExtra")):
            parent = f"{side}Hand"
            for bone in range(3):
                added.append((f"{side}Hand{finger}_{bone}", parent, (across * (number - 2.0), -3.0, 0.5)))
                parent = added[-1][0]
    return with_joints(clip, added)


def quadruped(clip: Clip) -> Clip:
    """On all fours: hands are front feet, and the spine lies level (a pose that is held against the recorded one)."""
    names = {"LeftHand": "LeftFrontFoot", "RightHand": "RightFrontFoot"}
    rig = renamed(clip, lambda name: names.get(name, name))
    rotations = rig.rotations.copy()
    bend, back = about_axis([1.0, 0.0, 0.0], np.pi / 2), about_axis([1.0, 0.0, 0.0], -np.pi / 2)
    spine = rig.skeleton.index("LowerBack")
    rotations[:, spine] = multiply(rotations[:, spine], bend)
    for side in ("Left", "Right"):
        arm = rig.skeleton.index(f"{side}Arm")
        rotations[:, arm] = multiply(back, rotations[:, arm])
    return rig.changed(rotations=rotations)


# Name, parent and offset in centimetres: a rig whose first joints stand still, with limbs on the third.
ELEPHANT = (
    ("Root", "", (0, 0, 0)), ("Reference", "Root", (0, 0, 0)), ("Hips", "Reference", (0, 100, -60)),
    ("Tail1", "Hips", (0, 0, -20)), ("Tail2", "Tail1", (0, -20, -5)),
    *[row for side, x in (("L", 25), ("R", -25)) for row in (
        (f"{side}HindLeg1", "Hips", (x, -10, 0)), (f"{side}HindLeg2", f"{side}HindLeg1", (0, -45, 0)),
        (f"{side}HindPaw", f"{side}HindLeg2", (0, -40, 0)))],
    ("Spine", "Hips", (0, 10, 40)), ("Chest", "Spine", (0, 5, 60)),
    *[row for side, x in (("L", 25), ("R", -25)) for row in (
        (f"{side}FrontLeg1", "Chest", (x, -15, 0)), (f"{side}FrontLeg2", f"{side}FrontLeg1", (0, -45, 0)),
        (f"{side}FrontFoot", f"{side}FrontLeg2", (0, -50, 0)))],
    ("Neck", "Chest", (0, 15, 30)), ("Head", "Neck", (0, 10, 30)), ("Trunk1", "Head", (0, -20, 20)),
    ("Trunk2", "Trunk1", (0, -30, 5)),
)  # fmt: skip


def elephant(seed: int, mover: str, still: tuple[str, ...], travel: float = 0.0, frames: int = 40) -> Clip:
    """An animal with rotations on all but some joints, one of which also moves relative to its parent."""
    names = tuple(name for name, _, _ in ELEPHANT)
    offsets = np.array([offset for _, _, offset in ELEPHANT], dtype=float)
    parents = np.array([names.index(parent) if parent else -1 for _, parent, _ in ELEPHANT])
    skeleton = Skeleton(names, parents, offsets, (), (ROOT_CHANNELS,) * len(names))
    shared, own = np.random.default_rng(99), np.random.default_rng(seed)
    phase = np.linspace(0.0, 2.0 * np.pi, frames)
    rotations = np.tile([1.0, 0.0, 0.0, 0.0], (frames, len(names), 1))
    for joint, name in enumerate(names):
        size, shift, axis = shared.uniform(0.05, 0.4), shared.uniform(0.0, 6.0), shared.normal(size=3)
        if name not in still:
            angles = size * (1.0 + 0.1 * own.normal()) * np.sin(phase + shift + 0.1 * own.normal())
            rotations[:, joint] = about_axis(axis / np.linalg.norm(axis), angles)
    local = np.broadcast_to(offsets, (frames, len(names), 3)).copy()
    local[:, names.index(mover)] += 3.0 * np.sin(phase + 0.1 * own.normal())[:, None] * [0.2, 1.0, 0.5]
    local[:, names.index(mover), 2] += np.linspace(0.0, travel, frames)
    return Clip(skeleton, 1.0 / 30.0, local[:, 0], rotations, local, name=f"elephant {seed}", unit_m=0.01)


RIGS: dict[str, Rig] = {
    "static root": lambda clip: on_base(clip, place=(40.0, 0.0, -25.0), turn=0.7),
    "mixamo": lambda clip: renamed(clip, lambda name: f"mixamorig:{name}"),
    "unreal": unreal,
    "unreal with targets": with_targets,
    "rokoko": lambda clip: on_base(clip, name="Reference", hips=(0.0, 0.0, 0.0), six=True),
    "no toes": lambda clip: without(clip, "ToeBase"),
    "fingers": fingers,
    "blender": blender,
    "root motion": root_motion,
    "root motion, z up": lambda clip: root_motion(with_up(clip, "z"), 0.4),
    "bandai": lambda clip: root_motion(bones_along_x(clip), six=True),
    "z up": lambda clip: with_up(clip, "z"),
    "inches": lambda clip: scaled(clip, 1.0 / 2.54),
    "24 fps": lambda clip: resample(clip, 24.0),
    "quadruped": quadruped,
}
