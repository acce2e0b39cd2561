"""Describe a clip as the humanoid of VRM, send its poses by VMC, and receive poses from other programs.

Bones have their standard names and no rotation in a T-pose; VMC messages go over OSC between programs.
"""

import struct
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip, Skeleton
from freshtake.motion.retarget.mapping import FINGERS, SIDES, BodyMap, find_body
from freshtake.motion.retarget.rest import Rest, bone, find_rest
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import IDENTITY, inverse, local_rotations, multiply, rotate, shortest_arc

_ARM = {"shoulder": "Shoulder", "upper_arm": "UpperArm", "lower_arm": "LowerArm", "hand": "Hand"}
_LEG = {"upper_leg": "UpperLeg", "lower_leg": "LowerLeg", "foot": "Foot", "toes": "Toes"}


class VrmBone(NamedTuple):
    """A bone's parent in VRM, the part of our body maps that it belongs to, and its position in that part."""

    above: str
    part: str
    place: int = 0


def _vrm_bones() -> dict[str, VrmBone]:
    """Return all bones of VRM 1.0 by name, parents first."""
    out = {"hips": VrmBone("", "hips")}

    def add(above: str, part: str, *names: str) -> None:
        for place, name in enumerate(names):
            out[name] = VrmBone(above, part, place)
            above = name

    add("hips", "spine", "spine", "chest", "upperChest")
    add("upperChest", "neck", "neck")
    add("neck", "head", "head")
    for side in SIDES:
        for above, limb in (("upperChest", _ARM), ("hips", _LEG)):
            for part, word in limb.items():
                add(above, f"{side}_{part}", f"{side}{word}")
                above = f"{side}{word}"
            for finger in FINGERS if limb is _ARM else ():
                words = ("Metacarpal", "Proximal") if finger == "thumb" else ("Proximal", "Intermediate")
                add(above, f"{side}_{finger}", *[f"{side}{finger.capitalize()}{word}" for word in (*words, "Distal")])
    return out


BONES = _vrm_bones()
NEEDED = {"hips", "head", "leftUpperLeg", "rightUpperLeg", "leftFoot", "rightFoot", "leftHand", "rightHand"}


def bone_above(name: str, present: Container[str]) -> str:
    """Return the nearest ancestor of a bone that is present, or an empty string."""
    above = BONES[name].above
    while above and above not in present:
        above = BONES[above].above
    return above


class _Bone(NamedTuple):
    """A bone of the humanoid: its name, joint, parent bone and part of the body."""

    name: str
    joint: int
    above: int
    role: str


@dataclass(frozen=True, eq=False)
class Humanoid:
    """Converts clips of one skeleton to a humanoid: its bones, the joint of each, and their rotations at rest."""

    skeleton: Skeleton
    joints: list[int]
    at_rest: Floats  # (bones, 4)

    def put(self, clip: Clip) -> Clip:
        """Retarget a clip, in metres and y up, to the bones: world rotations are relative to the T-pose."""
        pose = clip.world()
        world = multiply(pose.rotations[:, self.joints], inverse(self.at_rest))
        rotations = local_rotations(self.skeleton.parents, world)
        return Clip(
            self.skeleton, clip.frame_time, pose.positions[:, self.joints[0]], rotations,
            name=clip.name, provenance=clip.provenance, unit_m=clip.unit_m, playback=clip.playback,
        )  # fmt: skip


def as_humanoid(clip: Clip) -> Clip:
    """Return the clip, in metres and y up, on a humanoid's bones; joints that match no bone are left out."""
    return humanoid_of(clip).put(clip)


def humanoid_of(clip: Clip) -> Humanoid:
    """Return the humanoid in the skeleton of a clip, which is in metres and y up."""
    body = find_body(clip.skeleton, [clip.positions()[0]], clip.name or "the clip")
    rest = find_rest(clip, body)
    bones = _bones(body)
    joints = [entry.joint for entry in bones]
    parents = np.array([entry.above for entry in bones])
    turns = _turns_to_t_pose(rest, body, bones)
    offsets = np.zeros((len(bones), 3))
    for k, entry in enumerate(bones[1:], start=1):
        from_parent = rest.places[entry.joint] - rest.places[joints[entry.above]]
        offsets[k] = rotate(turns[entry.above], from_parent)
    places = np.zeros_like(offsets)
    for k, entry in enumerate(bones[1:], start=1):
        places[k] = places[entry.above] + offsets[k]
    offsets[0, 1] = max(-places[:, 1].min(), 1e-2)  # so that the lowest of ankles and toes is on the ground
    skeleton = Skeleton(tuple(entry.name for entry in bones), parents, offsets)
    return Humanoid(skeleton, joints, multiply(turns, rest.turns[joints]))


def _bones(body: BodyMap) -> list[_Bone]:
    """Return the bones that a body has, parents first."""
    out: list[_Bone] = []
    numbers: dict[str, int] = {}
    for name, (_, part, place) in BONES.items():
        joints = body.joints.get(part, ())
        if part == "spine" and len(joints) > 3:  # the first joint, a middle joint and the last joint
            joints = (joints[0], joints[len(joints) // 2], joints[-1])
        if place < len(joints):
            above = numbers.get(bone_above(name, numbers), -1)
            numbers[name] = len(out)
            out.append(_Bone(name, joints[place], above, part))
    return out


def _turns_to_t_pose(rest: Rest, body: BodyMap, bones: list[_Bone]) -> Floats:
    """Return the rotation (4,) of each bone from rest to a T-pose: arms out to the sides, legs down."""
    out = np.tile(IDENTITY, (len(bones), 1))
    for k, entry in enumerate(bones):
        side, _, part = entry.role.partition("_")
        aim = np.array([1.0 if side == "left" else -1.0, 0.0, 0.0])
        if part in ("upper_leg", "lower_leg"):
            aim = np.array([0.0, -1.0, 0.0])
        elif part not in ("upper_arm", "lower_arm", "hand"):
            if part in FINGERS:
                out[k] = out[entry.above]
            continue
        direction = bone(rest, body, entry.role)
        out[k] = out[entry.above]
        if direction is not None:
            out[k] = multiply(shortest_arc(rotate(out[k], direction), aim), out[k])
    return out


Value = int | float | str
BUNDLE = b"#bundle\0"
NOW = struct.pack(">Q", 1)  # the time tag for "immediately"
LARGEST = 1400  # bytes of a packet, which with IP and UDP headers fits into one Ethernet frame
DEEPEST = 4  # bundles within bundles
_NUMBERS = {"i": ">i", "f": ">f", "h": ">q", "d": ">d"}
_CONSTANTS: dict[str, Value] = {"T": 1, "F": 0}


class Message(NamedTuple):
    """An address and its arguments."""

    address: str
    values: tuple[Value, ...]


def padded(text: str) -> bytes:
    """Return a string that ends with a zero byte, padded to a multiple of four bytes."""
    data = text.encode("utf-8") + b"\0"
    return data + bytes(-len(data) % 4)


def message(address: str, *values: Value) -> bytes:
    """Return one message; integers and floats have 32 bits."""
    tags = "".join("s" if isinstance(x, str) else "i" if isinstance(x, int) else "f" for x in values)
    body = b"".join(
        padded(x) if isinstance(x, str) else struct.pack(_NUMBERS[tag], x) for tag, x in zip(tags, values, strict=True)
    )
    return padded(address) + padded("," + tags) + body


def bundles(messages: Iterable[bytes], largest: int = LARGEST) -> Iterator[bytes]:
    """Yield the messages in order, in as few packets of at most `largest` bytes as possible."""
    parts, size = [BUNDLE + NOW], 16
    for one in messages:
        if size + 4 + len(one) > largest and len(parts) > 1:
            yield b"".join(parts)
            parts, size = [BUNDLE + NOW], 16
        parts.append(struct.pack(">i", len(one)) + one)
        size += 4 + len(one)
    if len(parts) > 1:
        yield b"".join(parts)


def decode_packet(packet: bytes) -> list[Message]:
    """Return all messages of a packet; raise an error for a malformed packet."""
    try:
        return list(_messages(packet, DEEPEST))
    except (struct.error, UnicodeDecodeError, ValueError, IndexError):
        raise UsageError(f"a packet of {len(packet)} bytes is not an OSC message or bundle") from None


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
    """Return Unity's name of a VRM 1.0 bone: capitalized, thumb joints counted as on other fingers."""
    if "Thumb" in bone:
        side, joint = bone.split("Thumb")
        bone = f"{side}Thumb{_THUMB[joint]}"
    return bone[0].upper() + bone[1:]


def mirrored_places(places: Floats) -> Floats:
    """Return positions (..., 3) in Unity's axes."""
    return np.asarray(places * [-1.0, 1.0, 1.0])


def mirrored_turns(turns: Floats) -> Floats:
    """Return rotations (..., 4), w first, in Unity's axes, and in its order: x, y, z, w."""
    return np.asarray((turns * [1.0, 1.0, -1.0, -1.0])[..., [1, 2, 3, 0]])


class PosePackets:
    """Encodes poses of one humanoid as packets; the constant parts are encoded once."""

    def __init__(self, skeleton: Skeleton) -> None:
        names = [unity_name(name) for name in skeleton.names]
        self._heads = [_head("/VMC/Ext/Bone/Pos", name) for name in names]
        self._root = _head("/VMC/Ext/Root/Pos", "root")
        self._offsets = mirrored_places(skeleton.offsets)

    def of(self, place: Floats, hips: Floats, turns: Floats, seconds: float) -> list[bytes]:
        """Return the packets of a pose: root and relative hips positions (3,), local rotations (bones, 4)."""
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
        """Apply a packet; messages other than poses are ignored."""
        for one in decode_packet(packet):
            if one.address not in ("/VMC/Ext/Bone/Pos", "/VMC/Ext/Root/Pos") or len(one.values) < 8:
                continue
            name, numbers = str(one.values[0]), np.array([float(value) for value in one.values[1:8]])
            size = float(np.linalg.norm(numbers[3:]))
            if not np.isfinite(numbers).all() or size < 1e-6:
                continue
            place = mirrored_places(numbers[:3])
            if one.address.startswith("/VMC/Ext/Root"):
                self._place = place
            elif (bone := vrm_name(name)) in BONES:
                x, y, z, w = numbers[3:] / size
                self._bones[bone] = (place, np.array([w, x, -y, -z]))

    @property
    def complete(self) -> bool:
        """Whether the bones received so far make up a body: hips, both legs and arms."""
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
        """Return the skeleton of the bones received so far; a bone's parent is its nearest ancestor among them."""
        names = [name for name in BONES if name in self._bones]
        above = [bone_above(name, self._bones) for name in names]
        offsets = np.array([self._bones[name][0] for name in names])
        return Skeleton(tuple(names), np.array([names.index(name) if name else -1 for name in above]), offsets)


def vrm_name(unity: str) -> str:
    """Return the VRM 1.0 name of a bone from Unity's name, which VMC uses."""
    name = unity[:1].lower() + unity[1:]
    if "Thumb" in name:
        side, _, joint = name.partition("Thumb")
        name = f"{side}Thumb{ {after: before for before, after in _THUMB.items()}.get(joint, joint) }"
    return name
