"""Poses for VRM avatars as packets of the VMC protocol: bones by Unity's names, in Unity's left-handed axes, metres.

Our humanoids have x left, y up and z forward, Unity's x right: x is mirrored. A place (x, y, z) becomes (-x, y, z), and
a turn (w, x, y, z), whose axis is mirrored and whose sense is reversed, becomes (w, x, -y, -z).
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np

from freshtake.formats.osc import bundles, message, padded
from freshtake.motion import Skeleton
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import IDENTITY

PORT = 39539  # where receivers listen unless told otherwise
_THUMB = {"Metacarpal": "Proximal", "Proximal": "Intermediate", "Distal": "Distal"}
_SEVEN = struct.Struct(">7f")


def unity_name(bone: str) -> str:
    """Of a bone of VRM 1.0: a capital first, and joints of the thumb counted as those of other fingers."""
    if "Thumb" in bone:
        side, joint = bone.split("Thumb")
        bone = f"{side}Thumb{_THUMB[joint]}"
    return bone[0].upper() + bone[1:]


def mirrored_places(places: Floats) -> Floats:
    """Places (..., 3) in Unity's axes."""
    return np.asarray(places * [-1.0, 1.0, 1.0])


def mirrored_turns(turns: Floats) -> Floats:
    """Rotations (..., 4), w first, in Unity's axes, and in its order: x, y, z, w."""
    return np.asarray((turns * [1.0, 1.0, -1.0, -1.0])[..., [1, 2, 3, 0]])


class PosePackets:
    """Makes the packets of poses of one humanoid; what is the same in all of them is made once."""

    def __init__(self, skeleton: Skeleton) -> None:
        names = [unity_name(name) for name in skeleton.names]
        self._heads = [_head("/VMC/Ext/Bone/Pos", name) for name in names]
        self._root = _head("/VMC/Ext/Root/Pos", "root")
        self._offsets = mirrored_places(skeleton.offsets)

    def of(self, place: Floats, hips: Floats, turns: Floats, seconds: float) -> list[bytes]:
        """Of the root's place (3,), the hips' above it (3,), and the bones' turns (bones, 4) against the bone above."""
        places = self._offsets.copy()
        places[0] = mirrored_places(hips)
        table = np.concatenate([places, mirrored_turns(turns)], axis=1).tolist()
        still = [*mirrored_places(place).tolist(), *mirrored_turns(IDENTITY).tolist()]
        parts: Sequence[bytes] = [
            message("/VMC/Ext/OK", 1),
            message("/VMC/Ext/T", float(seconds)),
            self._root + _SEVEN.pack(*still),
            *(head + _SEVEN.pack(*row) for head, row in zip(self._heads, table, strict=True)),
        ]
        return list(bundles(parts))


def _head(address: str, name: str) -> bytes:
    """A message up to its seven floats."""
    return padded(address) + padded(",sfffffff") + padded(name)
