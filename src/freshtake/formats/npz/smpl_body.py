"""The joints of the SMPL family of body models: names, order and parents are theirs, the places of joints our own.

The models' own shapes are not free, so a body of average size stands in for them: rotations and the way through the
world are exact, lengths of limbs are not the subject's.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from freshtake.motion import Skeleton
from freshtake.motion.retarget.body_map import SIDES

# Name, parent, place in metres in a T-pose: x to the left, y up, z forward, the pelvis at 0. Left stands for both.
_TRUNK = (
    ("pelvis", "", (0.0, 0.0, 0.0)), ("spine1", "pelvis", (0.0, 0.11, -0.01)), ("spine2", "spine1", (0.0, 0.24, -0.01)),
    ("spine3", "spine2", (0.0, 0.3, -0.01)), ("neck", "spine3", (0.0, 0.51, -0.02)), ("head", "neck", (0.0, 0.6, 0.01)),
)  # fmt: skip
_SIDE = (
    ("hip", "pelvis", (0.07, -0.09, 0.0)), ("knee", "hip", (0.1, -0.46, 0.0)), ("ankle", "knee", (0.09, -0.87, -0.03)),
    ("foot", "ankle", (0.12, -0.92, 0.09)), ("collar", "spine3", (0.07, 0.42, -0.01)),
    ("shoulder", "collar", (0.18, 0.46, -0.02)), ("elbow", "shoulder", (0.44, 0.45, -0.03)),
    ("wrist", "elbow", (0.69, 0.45, -0.03)),
)  # fmt: skip
_FINGERS = {"index": (0.78, 0.45, 0.0), "middle": (0.79, 0.45, -0.03), "pinky": (0.77, 0.45, -0.07),
            "ring": (0.78, 0.45, -0.05), "thumb": (0.73, 0.44, 0.0)}  # fmt: skip
_PHALANX = 0.03
_FACE = (("jaw", (0.0, 0.58, 0.03)), ("left_eye", (0.03, 0.66, 0.09)), ("right_eye", (-0.03, 0.66, 0.09)))
_HAND = (0.77, 0.45, -0.03)
BODY = (
    "pelvis", "left_hip", "right_hip", "spine1", "left_knee", "right_knee", "spine2", "left_ankle", "right_ankle",
    "spine3", "left_foot", "right_foot", "neck", "left_collar", "right_collar", "head", "left_shoulder",
    "right_shoulder", "left_elbow", "right_elbow", "left_wrist", "right_wrist",
)  # fmt: skip
_HANDS = tuple(f"{side}_{finger}{k}" for side in SIDES for finger in _FINGERS for k in (1, 2, 3))
# Joints of each model by how many there are.
MODELS = {
    22: BODY,
    24: (*BODY, "left_hand", "right_hand"),  # SMPL
    52: (*BODY, *_HANDS),  # SMPL-H
    55: (*BODY, *[name for name, _ in _FACE], *_HANDS),  # SMPL-X
}
# The bones of a humanoid (VRM) that these joints are.
BONES = {"pelvis": "hips", "spine1": "spine", "spine2": "chest", "spine3": "upperChest", "neck": "neck", "head": "head"}
_LIMBS = {"hip": "UpperLeg", "knee": "LowerLeg", "ankle": "Foot", "foot": "Toes", "collar": "Shoulder",
          "shoulder": "UpperArm", "elbow": "LowerArm", "wrist": "Hand"}  # fmt: skip
for _side in SIDES:
    BONES |= {f"{_side}_{joint}": f"{_side}{bone}" for joint, bone in _LIMBS.items()}
    for _finger in _FINGERS:
        _word = {"pinky": "Little"}.get(_finger, _finger.capitalize())
        _first = ("Metacarpal", "Proximal") if _finger == "thumb" else ("Proximal", "Intermediate")
        BONES |= {f"{_side}_{_finger}{k + 1}": f"{_side}{_word}{part}" for k, part in enumerate((*_first, "Distal"))}


def _places() -> dict[str, tuple[str, tuple[float, float, float]]]:
    """Parent and place of every joint of every model."""
    out = {name: (parent, place) for name, parent, place in _TRUNK}
    out |= {name: ("head", place) for name, place in _FACE}
    for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
        for name, parent, (x, y, z) in _SIDE:
            above = parent if parent in out else f"{side}_{parent}"
            out[f"{side}_{name}"] = (above, (sign * x, y, z))
        out[f"{side}_hand"] = (f"{side}_wrist", (sign * _HAND[0], _HAND[1], _HAND[2]))
        for finger, (x, y, z) in _FINGERS.items():
            for k in range(3):
                above = f"{side}_{finger}{k}" if k else f"{side}_wrist"
                out[f"{side}_{finger}{k + 1}"] = (above, (sign * (x + k * _PHALANX), y, z))
    return out


@lru_cache(maxsize=4)
def body(count: int) -> Skeleton:
    """The skeleton with that many joints."""
    names, places = MODELS[count], _places()
    parents = [names.index(places[name][0]) if places[name][0] else -1 for name in names]
    where = np.array([places[name][1] for name in names])
    offsets = where - where[np.maximum(parents, 0)]
    return Skeleton(names, np.array(parents), offsets)
