"""OSC in bytes and poses as VMC packets, read by the tests' own small decoder."""

from __future__ import annotations

import struct
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from freshtake.errors import UsageError
from freshtake.formats.vrm import (
    Message,
    PosePackets,
    bundles,
    decode_packet,
    humanoid_of,
    message,
    mirrored_places,
    mirrored_turns,
    unity_name,
)
from freshtake.motion.edit import scaled, with_up
from freshtake.numeric.rotations import forward
from freshtake.samples.rigs import rig
from tests.formats.osc_reader import read_packet

SIDES = ("Left", "Right")
LIMBS = ("UpperLeg", "LowerLeg", "Foot", "Toes", "Shoulder", "UpperArm", "LowerArm", "Hand")
FINGERS = ("Thumb", "Index", "Middle", "Ring", "Little")
JOINTS = ("Proximal", "Intermediate", "Distal")
UNITY_BONES = {"Hips", "Spine", "Chest", "UpperChest", "Neck", "Head", "LeftEye", "RightEye", "Jaw"}
UNITY_BONES |= {side + limb for side in SIDES for limb in LIMBS}
UNITY_BONES |= {side + finger + joint for side in SIDES for finger in FINGERS for joint in JOINTS}
MIRROR = np.diag([-1.0, 1.0, 1.0])


def test_bytes_of_a_message_are_those_of_the_standard() -> None:
    assert message("/ab", 1, 0.5, "xyz") == b"/ab\0,ifs\0\0\0\0" + struct.pack(">if", 1, 0.5) + b"xyz\0"
    assert message("/abc", "four") == b"/abc\0\0\0\0,s\0\0four\0\0\0\0"


@given(
    st.lists(
        st.tuples(
            st.text("abc/", min_size=0, max_size=9),
            st.lists(
                st.integers(-(2**31), 2**31 - 1) | st.floats(width=32, allow_nan=False) | st.text("äxy", max_size=9)
            ),
        ),
        min_size=1,
    )
)
def test_what_is_written_is_read_again(sent: list[tuple[str, list[int | float | str]]]) -> None:
    encoded = [message("/" + address, *values) for address, values in sent]
    packets = list(bundles(encoded, 200))
    wanted = [Message("/" + address, tuple(values)) for address, values in sent]
    assert [one for packet in packets for one in decode_packet(packet)] == wanted
    assert [one for packet in packets for one in read_packet(packet)] == [tuple(one) for one in wanted]
    assert all(len(packet) <= max(200, 20 + max(map(len, encoded))) for packet in packets)
    assert all(len(packet) % 4 == 0 for packet in packets)


@given(st.binary(max_size=80))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    for packet in (data, b"/x\0\0," + data, b"#bundle\0" + bytes(8) + data):
        with suppress(UsageError):
            decode_packet(packet)


def test_bundles_in_bundles_end_somewhere() -> None:
    packet = message("/x", 1)
    for _ in range(9):
        (packet,) = bundles([packet])
    with pytest.raises(UsageError, match="not an OSC"):
        decode_packet(packet)


@pytest.mark.parametrize("name", ["cmu_bvh", "mixamo", "vrm"])
def test_a_pose_in_unity_is_the_mirror_image_of_ours(name: str) -> None:
    still = rig(name)
    rng = np.random.default_rng(3)
    drawn = rng.normal(size=(1, len(still.skeleton), 4))
    clip = still.changed(rotations=drawn / np.linalg.norm(drawn, axis=-1, keepdims=True), root=still.root[:1] + 1.0)
    human = humanoid_of(scaled(with_up(still, "y"), still.unit_m or 1.0))
    made = human.put(scaled(with_up(clip, "y"), still.unit_m or 1.0))
    hips = made.root[0]
    packets = PosePackets(made.skeleton).of(hips * [1, 0, 1], hips * [0, 1, 0], made.rotations[0], 2.5)
    said = [one for packet in packets for one in read_packet(packet)]
    assert all(len(packet) < 1472 for packet in packets)
    assert [address for address, _ in said[:3]] == ["/VMC/Ext/OK", "/VMC/Ext/T", "/VMC/Ext/Root/Pos"]
    assert said[0][1] == (1,) and said[1][1] == (2.5,)
    assert {address for address, _ in said[3:]} == {"/VMC/Ext/Bone/Pos"}
    assert [values[0] for _, values in said[3:]] == [unity_name(bone) for bone in made.skeleton.names]
    assert {values[0] for _, values in said[3:]} <= UNITY_BONES
    root = np.array(said[2][1][1:])
    table = np.array([values[1:] for _, values in said[3:]])
    turns = table[:, [6, 3, 4, 5]]
    offsets = table[:, :3].copy()
    offsets[0] += root[:3]
    assert root[3:].tolist() == [0, 0, 0, 1]
    # Forward kinematics of the received numbers, in plain matrices, must give the mirror image of our own.
    there = forward(made.skeleton.parents, offsets, turns).positions
    np.testing.assert_allclose(there, made.positions()[0] @ MIRROR, atol=2e-6)


def test_mirroring_is_a_reflection_of_rotations() -> None:
    rng = np.random.default_rng(1)
    q = rng.normal(size=4)
    q /= np.linalg.norm(q)

    def matrix(w: float, x: float, y: float, z: float) -> np.ndarray:
        u = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        return np.eye(3) + 2 * w * u + 2 * u @ u

    x, y, z, w = mirrored_turns(q)
    np.testing.assert_allclose(matrix(w, x, y, z), MIRROR @ matrix(*q) @ MIRROR, atol=1e-12)
    np.testing.assert_array_equal(mirrored_places(np.array([1.0, 2.0, 3.0])), [-1, 2, 3])


def test_thumbs_are_counted_as_unity_does() -> None:
    names = [unity_name(f"leftThumb{joint}") for joint in ("Metacarpal", "Proximal", "Distal")]
    assert names == ["LeftThumbProximal", "LeftThumbIntermediate", "LeftThumbDistal"]
    assert unity_name("upperChest") == "UpperChest"
