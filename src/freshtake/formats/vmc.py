"""Poses as VMC messages over OSC: sent to avatars in other programs, which follow them live, and received from some."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip, Skeleton
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import IDENTITY

Value = int | float | str
BUNDLE = b"#bundle\0"
NOW = struct.pack(">Q", 1)  # the time tag that means at once
LARGEST = 1400  # bytes of a packet: with the headers of IP and UDP below what one Ethernet frame holds
DEEPEST = 4  # bundles within bundles
_NUMBERS = {"i": ">i", "f": ">f", "h": ">q", "d": ">d"}
_CONSTANTS: dict[str, Value] = {"T": 1, "F": 0}


class Message(NamedTuple):
    """An address and its arguments."""

    address: str
    values: tuple[Value, ...]


def padded(text: str) -> bytes:
    """Return a string, closed by a zero byte and filled up to a multiple of four."""
    data = text.encode("utf-8") + b"\0"
    return data + bytes(-len(data) % 4)


def message(address: str, *values: Value) -> bytes:
    """Return one message; whole numbers have 32 bits, floats too."""
    tags = "".join("s" if isinstance(x, str) else "i" if isinstance(x, int) else "f" for x in values)
    body = b"".join(
        padded(x) if isinstance(x, str) else struct.pack(_NUMBERS[tag], x) for tag, x in zip(tags, values, strict=True)
    )
    return padded(address) + padded("," + tags) + body


def bundles(messages: Iterable[bytes], largest: int = LARGEST) -> Iterator[bytes]:
    """Yield the messages in their order, in as few packets of at most `largest` bytes as hold them."""
    parts, size = [BUNDLE + NOW], 16
    for one in messages:
        if size + 4 + len(one) > largest and len(parts) > 1:
            yield b"".join(parts)
            parts, size = [BUNDLE + NOW], 16
        parts.append(struct.pack(">i", len(one)) + one)
        size += 4 + len(one)
    if len(parts) > 1:
        yield b"".join(parts)


def decoded(packet: bytes, deepest: int = DEEPEST) -> list[Message]:
    """Return all messages of a packet; one that is broken is refused with a sentence."""
    try:
        return list(_messages(packet, deepest))
    except (struct.error, UnicodeDecodeError, ValueError, IndexError):
        raise UsageError(f"a packet of {len(packet)} bytes is no OSC message or bundle") from None


def _messages(packet: bytes, deepest: int) -> Iterator[Message]:
    if not packet.startswith(BUNDLE):
        yield _message(packet)
        return
    if deepest == 0:
        raise ValueError
    at = 16
    while at < len(packet):
        (size,) = struct.unpack_from(">i", packet, at)
        if size <= 0 or at + 4 + size > len(packet):
            raise ValueError
        yield from _messages(packet[at + 4 : at + 4 + size], deepest - 1)
        at += 4 + size


def _message(data: bytes) -> Message:
    address, at = _string(data, 0)
    tags, at = _string(data, at)
    if not address.startswith("/") or not tags.startswith(","):
        raise ValueError
    values: list[Value] = []
    for tag in tags[1:]:
        if tag == "s":
            text, at = _string(data, at)
            values.append(text)
        elif tag in _NUMBERS:
            values.extend(struct.unpack_from(_NUMBERS[tag], data, at))
            at += struct.calcsize(_NUMBERS[tag])
        elif tag in _CONSTANTS:
            values.append(_CONSTANTS[tag])
        else:
            raise ValueError
    return Message(address, tuple(values))


def _string(data: bytes, at: int) -> tuple[str, int]:
    end = data.index(b"\0", at)
    return data[at:end].decode("utf-8"), at + (end - at) // 4 * 4 + 4


PORT = 39539  # where receivers listen by default
_THUMB = {"Metacarpal": "Proximal", "Proximal": "Intermediate", "Distal": "Distal"}
_SEVEN = struct.Struct(">7f")


def unity_name(bone: str) -> str:
    """Of a bone of VRM 1.0: a capital first, and joints of the thumb counted as those of other fingers."""
    if "Thumb" in bone:
        side, joint = bone.split("Thumb")
        bone = f"{side}Thumb{_THUMB[joint]}"
    return bone[0].upper() + bone[1:]


def mirrored_places(places: Floats) -> Floats:
    """Return places (..., 3) in Unity's axes."""
    return np.asarray(places * [-1.0, 1.0, 1.0])


def mirrored_turns(turns: Floats) -> Floats:
    """Return rotations (..., 4), w first, in Unity's axes, and in its order: x, y, z, w."""
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
    """Return a message up to its seven floats."""
    return padded(address) + padded(",sfffffff") + padded(name)


class PoseReader:
    """Collects the bones that VMC messages name into poses of one humanoid; missing bones stay as they were."""

    def __init__(self) -> None:
        self._bones: dict[str, tuple[Floats, Floats]] = {}
        self._place = np.zeros(3)
        self._skeleton: Skeleton | None = None

    def take(self, packet: bytes) -> None:
        """Apply a packet; anything that is no pose is left alone."""
        for one in decoded(packet):
            if one.address not in ("/VMC/Ext/Bone/Pos", "/VMC/Ext/Root/Pos") or len(one.values) < 8:
                continue
            name, numbers = str(one.values[0]), np.array([float(value) for value in one.values[1:8]])
            size = float(np.linalg.norm(numbers[3:]))
            if not np.isfinite(numbers).all() or size < 1e-6:
                continue
            place = mirrored_places(numbers[:3])
            if one.address.startswith("/VMC/Ext/Root"):
                self._place = place
            elif (bone := vrm_name(name)) in PARENTS:
                x, y, z, w = numbers[3:] / size
                self._bones[bone] = (place, np.array([w, x, -y, -z]))

    @property
    def complete(self) -> bool:
        """Whether a body can be made of what has arrived: hips, both legs and arms."""
        return self._bones.keys() >= NEEDED

    def clip(self, frame_time: float) -> Clip:
        """Return the newest pose as a clip of one frame, in metres and y up."""
        if self._skeleton is None:
            self._skeleton = self._found_skeleton()
        names = self._skeleton.names
        root = self._place + self._bones["hips"][0]
        rotations = np.stack([self._bones[name][1] for name in names])
        return Clip(self._skeleton, frame_time, root[None], rotations[None], name="received", unit_m=1.0)

    def _found_skeleton(self) -> Skeleton:
        """Return the skeleton of the bones so far; each hangs on the nearest of those above it that was sent."""
        names = [name for name in PARENTS if name in self._bones]
        parents, offsets = [], []
        for name in names:
            offset, above = self._bones[name][0].copy(), PARENTS[name]
            while above and above not in self._bones:
                above = PARENTS[above]
            parents.append(names.index(above) if above else -1)
            offsets.append(offset)
        return Skeleton(tuple(names), np.array(parents), np.array(offsets))


def vrm_name(unity: str) -> str:
    """Return the name of a bone in VRM 1.0 that VMC calls as Unity does."""
    bone = unity[:1].lower() + unity[1:]
    if "Thumb" in bone:
        side, joint = bone.split("Thumb")
        bone = f"{side}Thumb{ {after: before for before, after in _THUMB.items()}.get(joint, joint) }"
    return bone


def _parents() -> dict[str, str]:
    """Return the bone above each bone of VRM, every bone after the one that it hangs on."""
    out = {"hips": "", "spine": "hips", "chest": "spine", "upperChest": "chest", "neck": "upperChest", "head": "neck"}
    for side in ("left", "right"):
        hand = f"{side}Hand"
        chains: list[tuple[str, list[str]]] = [
            ("upperChest", ["Shoulder", "UpperArm", "LowerArm", "Hand"]),
            ("hips", ["UpperLeg", "LowerLeg", "Foot", "Toes"]),
            (hand, ["ThumbMetacarpal", "ThumbProximal", "ThumbDistal"]),
        ]
        for finger in ("Index", "Middle", "Ring", "Little"):
            chains.append((hand, [f"{finger}{joint}" for joint in ("Proximal", "Intermediate", "Distal")]))
        for start, bones in chains:
            above = start
            for bone in bones:
                out[f"{side}{bone}"] = above
                above = f"{side}{bone}"
    return out


PARENTS = _parents()
NEEDED = {"hips", "head", "leftUpperLeg", "rightUpperLeg", "leftFoot", "rightFoot", "leftHand", "rightHand"}
