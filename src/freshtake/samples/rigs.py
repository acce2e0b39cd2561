"""Small rigs with the joints of widespread conventions, to try retargeting: one body, many skeletons.

Names and numbers of joints, rest poses, bone axes, units and vertical axes are those of the programs after which the
rigs are named; sizes and positions are not copied from anyone.
"""

from typing import NamedTuple

import numpy as np

from freshtake.motion import Clip, EndSite, Skeleton
from freshtake.motion.edit import with_up
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.rotations import IDENTITY, about_axis, inverse, multiply, rotate, shortest_arc

SIDES = ("left", "right")
Places = tuple[tuple[float, float, float], ...]
# A standing body with its arms out, in metres: x to its left, y up, z forward.
HIPS, CHEST, NECK = (0.0, 0.95, 0.0), (0.0, 1.3, -0.02), (0.0, 1.48, -0.02)
HEAD, CROWN = (0.0, 1.58, 0.01), (0.0, 1.78, 0.0)
ARM = ((0.03, 1.43, -0.01), (0.18, 1.43, -0.03), (0.46, 1.43, -0.03), (0.71, 1.43, -0.03))
LEG = ((0.09, 0.91, 0.0), (0.09, 0.49, 0.01), (0.09, 0.08, -0.02), (0.09, 0.02, 0.1))
TOE_TIP, HAND_TIP = (0.09, 0.02, 0.17), (0.88, 1.43, -0.03)
FINGERS = {"thumb": (0.74, 1.41, 0.02), "index": (0.8, 1.43, 0.01), "middle": (0.81, 1.43, -0.02),
           "ring": (0.8, 1.43, -0.05), "little": (0.79, 1.43, -0.08)}  # fmt: skip


class RigKind(NamedTuple):
    """One convention: `arm` names shoulder, upper arm, lower arm, hand; `leg` upper leg, lower leg, foot, toes.

    `pose` is T or A, `bones` the axis of bones at rest (none: axes as the world's). `floor` names the parent of the
    hips, at `floor_at`; `hip_joint` the joints between hips and legs; `fingers` a pattern of side, finger and number;
    `twists` are children of upper and lower arm.
    """

    family: str
    hips: str
    spine: str
    neck: str
    head: str
    arm: str
    leg: str
    sides: tuple[str, str] = ("Left", "Right")
    pose: str = "T"
    bones: str = ""
    unit_m: float = 0.01
    up: str = "y"
    floor: str = ""
    floor_at: tuple[float, float, float] = (0.0, 0.0, 0.0)
    hip_joint: str = ""
    fingers: str = ""
    capital_fingers: bool = False
    twists: str = ""
    prefix: str = ""


_SHORT = ("l", "r")
KINDS = {
    "cmu_asf": RigKind("CMU (ASF)", "root", "lowerback,upperback,thorax", "lowerneck,upperneck", "head",
                       "{0}clavicle,{0}humerus,{0}radius,{0}wrist", "{0}femur,{0}tibia,{0}foot,{0}toes", _SHORT,
                       unit_m=0.0564, hip_joint="{0}hipjoint"),
    "cmu_bvh": RigKind("CMU (BVH)", "Hips", "LowerBack,Spine,Spine1", "Neck,Neck1", "Head",
                       "{0}Shoulder,{0}Arm,{0}ForeArm,{0}Hand", "{0}UpLeg,{0}Leg,{0}Foot,{0}ToeBase", unit_m=0.0564,
                       hip_joint="{0[0]}HipJoint"),
    "mixamo": RigKind("Mixamo", "Hips", "Spine,Spine1,Spine2", "Neck", "Head", "{0}Shoulder,{0}Arm,{0}ForeArm,{0}Hand",
                      "{0}UpLeg,{0}Leg,{0}Foot,{0}ToeBase", bones="y", fingers="{0}Hand{1}{2}",
                      capital_fingers=True, prefix="mixamorig:"),
    "unreal": RigKind("Unreal", "pelvis", "spine_01,spine_02,spine_03,spine_04,spine_05", "neck_01,neck_02", "head",
                      "clavicle_{0},upperarm_{0},lowerarm_{0},hand_{0}", "thigh_{0},calf_{0},foot_{0},ball_{0}", _SHORT,
                      "A", "x", up="z", floor="root", fingers="{1}_0{2}_{0}",
                      twists="upperarm_twist_01_{0},lowerarm_twist_01_{0}"),
    "unity": RigKind("Unity humanoid", "Hips", "Spine,Chest,UpperChest", "Neck", "Head",
                     "{0}Shoulder,{0}UpperArm,{0}LowerArm,{0}Hand", "{0}UpperLeg,{0}LowerLeg,{0}Foot,{0}Toes",
                     unit_m=1.0, floor="Armature"),
    "vrm": RigKind("VRM (VRoid)", "J_Bip_C_Hips", "J_Bip_C_Spine,J_Bip_C_Chest,J_Bip_C_UpperChest", "J_Bip_C_Neck",
                   "J_Bip_C_Head", "J_Bip_{0}_Shoulder,J_Bip_{0}_UpperArm,J_Bip_{0}_LowerArm,J_Bip_{0}_Hand",
                   "J_Bip_{0}_UpperLeg,J_Bip_{0}_LowerLeg,J_Bip_{0}_Foot,J_Bip_{0}_ToeBase", ("L", "R"), unit_m=1.0,
                   floor="Root", fingers="J_Bip_{0}_{1}{2}", capital_fingers=True),
    "lafan1": RigKind("LAFAN1", "Hips", "Spine,Spine1,Spine2", "Neck", "Head", "{0}Shoulder,{0}Arm,{0}ForeArm,{0}Hand",
                      "{0}UpLeg,{0}Leg,{0}Foot,{0}Toe", bones="x"),
    "xsens": RigKind("Xsens (BVH)", "Hips", "Chest,Chest2,Chest3,Chest4", "Neck", "Head",
                     "{0}Collar,{0}Shoulder,{0}Elbow,{0}Wrist", "{0}Hip,{0}Knee,{0}Ankle,{0}Toe"),
    "smpl": RigKind("SMPL", "pelvis", "spine1,spine2,spine3", "neck", "head",
                    "{0}_collar,{0}_shoulder,{0}_elbow,{0}_wrist", "{0}_hip,{0}_knee,{0}_ankle,{0}_foot", SIDES,
                    unit_m=1.0),
    "smplx": RigKind("SMPL", "pelvis", "spine1,spine2,spine3", "neck", "head",
                     "{0}_collar,{0}_shoulder,{0}_elbow,{0}_wrist", "{0}_hip,{0}_knee,{0}_ankle,{0}_foot", SIDES,
                     unit_m=1.0, fingers="{0}_{1}{2}"),
    "rokoko": RigKind("Rokoko", "Hips", "Spine,Spine1,Spine2", "Neck", "Head", "{0}Shoulder,{0}Arm,{0}ForeArm,{0}Hand",
                      "{0}Thigh,{0}Shin,{0}Foot,{0}Toe"),
    "bandai": RigKind("Bandai Namco", "Hips", "Spine,Chest", "Neck", "Head",
                      "Shoulder_{0},UpperArm_{0},LowerArm_{0},Hand_{0}",
                      "UpperLeg_{0},LowerLeg_{0},Foot_{0},Toes_{0}", ("L", "R"), floor="joint_Root"),
    "biped": RigKind("3ds Max Biped", "Pelvis", "Spine,Spine1", "Neck", "Head",
                     "{0} Clavicle,{0} UpperArm,{0} Forearm,{0} Hand", "{0} Thigh,{0} Calf,{0} Foot,{0} Toe0",
                     ("L", "R"), bones="x", up="z", floor="Bip01", floor_at=HIPS, prefix="Bip01 "),
}  # fmt: skip


def rig(name: str) -> Clip:
    """Make a rig at rest.

    Args:
        name: a key of `KINDS`.

    Returns:
        A clip of one frame, in the unit and with the vertical axis of that convention.
    """
    kind = KINDS[name]
    rows = _rows(kind)
    names = [row[0] for row in rows]
    places = np.array([row[2] for row in rows])
    if kind.pose == "A":
        places = _arms_down(places)
    parents = np.array([names.index(row[1]) if row[1] else -1 for row in rows])
    turns = _frames(kind, parents, places)
    above = np.concatenate([[IDENTITY], turns[parents[1:]]])
    offsets = np.concatenate([places[:1], places[1:] - places[parents[1:]]])
    tips = [(place, names.index(joint)) for joint, place in _tips(kind)]
    sites = [EndSite(joint, _triple(rotate(inverse(turns[joint]), (np.array(place) - places[joint]) / kind.unit_m)))
             for place, joint in tips]  # fmt: skip
    skeleton = Skeleton(
        tuple(_full(kind, name) for name in names),
        parents,
        rotate(inverse(above), offsets) / kind.unit_m,
        tuple(sorted(sites)),
    )
    local = multiply(inverse(above), turns)
    standing = Clip(skeleton, 1.0 / 60.0, places[:1] / kind.unit_m, local[None], name=name, unit_m=kind.unit_m)
    return with_up(standing, kind.up)


def parts(name: str) -> dict[str, list[str]]:
    """Return the joints of a rig by part of the body, as in a map file.

    Args:
        name: a key of `KINDS`.

    Returns:
        Names of joints by part of the body.
    """
    kind = KINDS[name]
    out = {"hips": [kind.hips], "spine": kind.spine.split(","), "neck": kind.neck.split(","), "head": [kind.head]}
    roles = ("shoulder", "upper_arm", "lower_arm", "hand", "upper_leg", "lower_leg", "foot", "toes")
    for side, called in zip(SIDES, kind.sides, strict=True):
        words = [*kind.arm.split(","), *kind.leg.split(",")]
        out |= {f"{side}_{role}": [word.format(called)] for role, word in zip(roles, words, strict=True)}
        if kind.fingers:
            out |= {f"{side}_{finger}": [_finger(kind, called, finger, k) for k in (1, 2, 3)] for finger in FINGERS}
    return {role: [_full(kind, joint) for joint in joints] for role, joints in out.items()}


def _full(kind: RigKind, name: str) -> str:
    return name if name == kind.floor else kind.prefix + name


def _finger(kind: RigKind, side: str, finger: str, number: int) -> str:
    word = "pinky" if finger == "little" and not kind.fingers.startswith("J_Bip") else finger
    return kind.fingers.format(side, word.title() if kind.capital_fingers else word, number)


def _rows(kind: RigKind) -> list[tuple[str, str, tuple[float, float, float]]]:
    """Return name, parent and position of every joint, parents first."""
    rows = [(kind.floor, "", kind.floor_at)] if kind.floor else []
    rows.append((kind.hips, kind.floor, HIPS))
    spine, neck = kind.spine.split(","), kind.neck.split(",")
    for names, low, high, first in ((spine, HIPS, CHEST, kind.hips), (neck, NECK, HEAD, spine[-1])):
        for k, name in enumerate(names):
            share = (k + 1) / len(names) if names is spine else k / len(names)
            rows.append((name, ([first, *names])[k], _triple(np.array(low) + share * (np.array(high) - np.array(low)))))
    rows.append((kind.head, neck[-1], HEAD))
    for sign, called in zip((1.0, -1.0), kind.sides, strict=True):
        arm, leg = ([word.format(called) for word in words.split(",")] for words in (kind.arm, kind.leg))
        hip = kind.hip_joint.format(called) or kind.hips
        rows += [(hip, kind.hips, HIPS)] if kind.hip_joint else []
        chains: list[tuple[list[str], Places, str]] = [(arm, ARM, spine[-1]), (leg, LEG, hip)]
        if kind.fingers:
            for finger, (x, y, z) in FINGERS.items():
                phalanges = tuple((x + 0.03 * k, y, z) for k in range(3))  # joints 3 cm apart
                chains.append(([_finger(kind, called, finger, k + 1) for k in range(3)], phalanges, arm[-1]))
        for names, at, first in chains:
            rows += [(name, above, (sign * x, y, z))
                     for name, above, (x, y, z) in zip(names, [first, *names], at, strict=False)]  # fmt: skip
        for k, word in enumerate(kind.twists.split(",") if kind.twists else ()):
            middle = _triple((np.array(ARM[k + 1]) + np.array(ARM[k + 2])) / 2.0)
            rows.append((word.format(called), arm[k + 1], (sign * middle[0], middle[1], middle[2])))
    return rows


def _tips(kind: RigKind) -> list[tuple[str, tuple[float, float, float]]]:
    out = [(kind.head, CROWN)]
    limbs = [(kind.leg, TOE_TIP)] + ([] if kind.fingers else [(kind.arm, HAND_TIP)])
    for sign, called in zip((1.0, -1.0), kind.sides, strict=True):
        out += [(words.split(",")[-1].format(called), (sign * x, y, z)) for words, (x, y, z) in limbs]
    return out


def _arms_down(places: Floats) -> Floats:
    """Lower the arms by 45 degrees: joints farther out than the shoulders turn about the shoulders."""
    out = places.copy()
    for sign in (1.0, -1.0):
        pivot = np.array(ARM[1]) * [sign, 1.0, 1.0]
        outer = sign * places[:, 0] > ARM[1][0] + 1e-9
        turn = about_axis(np.array([0.0, 0.0, 1.0]), -sign * np.pi / 4.0)
        out[outer] = pivot + rotate(turn, places[outer] - pivot)
    return out


def _frames(kind: RigKind, parents: Ints, places: Floats) -> Floats:
    """Return rotations at rest, with each joint's axis towards its first child; none if the kind has no axis."""
    turns = np.tile(IDENTITY, (len(parents), 1))
    if not kind.bones:
        return turns
    axis = np.eye(3)["xyz".index(kind.bones)]
    for joint in range(len(parents)):
        children = np.flatnonzero(parents == joint)
        if len(children) and not (kind.floor and joint == 0):
            line = places[children[0]] - places[joint]
            turns[joint] = shortest_arc(axis, line / np.linalg.norm(line))
        elif parents[joint] >= 0:
            turns[joint] = turns[parents[joint]]
    return turns


def _triple(values: Floats) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return x, y, z
