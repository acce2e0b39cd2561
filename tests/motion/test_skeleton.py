"""Skeletons: what cannot exist is refused by name; equal, compatible, lengths, relations."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from freshtake.errors import InvalidMotion, SkeletonMismatch
from freshtake.motion import EndSite, Skeleton, compatible
from freshtake.motion.skeleton import length_differences, require_compatible, turned_bones
from tests.motion.random_motion import humanoid, random_skeleton


def small(**changes: Any) -> Skeleton:
    parts: dict[str, Any] = {"names": ("a", "b", "c"), "parents": [-1, 0, 1], "offsets": np.eye(3)}
    return Skeleton(**{**parts, **changes})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"names": ("a", "b", "a")}, "two joints are named 'a'"),
        ({"names": ("a", " ", "c")}, "name ' ', which is empty"),
        ({"names": ("a", "b\n", "c")}, "control characters"),
        ({"names": (), "parents": [], "offsets": np.zeros((0, 3))}, "at least one joint"),
        ({"parents": [0, 0, 1]}, r"'a' comes first and must be the root \(parent -1, not 0\)"),
        ({"parents": [-1, 0, -1]}, "'c' is a second root"),
        ({"parents": [-1, 2, 1]}, "'b' has parent 2, which must be a joint before it"),
        ({"parents": [-1, 1, 1]}, "'b' has parent 1"),
        ({"parents": [-1, -2, 1]}, "'b' has parent -2"),
        ({"parents": [-1, 0]}, r"parents must have shape \(3\)"),
        ({"offsets": np.eye(2)}, r"offsets must have shape \(3, 3\), but has \(2, 2\)"),
        ({"offsets": np.full((3, 3), np.nan)}, "offsets must be finite"),
        ({"offsets": "no"}, "offsets must be an array of numbers"),
        ({"end_sites": (EndSite(3, (0.0, 0.0, 1.0)),)}, "joint 3, which does not exist"),
        ({"end_sites": (EndSite(1, (0.0, np.inf, 1.0)),)}, "end site of joint 'b' must be finite"),
        ({"channels": (("tx",), ())}, "channels are given for 2 joints"),
        ({"channels": (("tx",), ("qx",), ())}, "'b' has the unknown channel 'qx'"),
        ({"channels": (("tx", "tx"), (), ())}, "'a' lists a position channel twice"),
        ({"channels": ((), ("rx", "ry", "rz", "rx"), ())}, "'b' has more than three rotation channels"),
        ({"channels": ((), ("rx", "rx"), ())}, "'b' turns about X twice in a row"),
        ({"channels": ((), ("rx",), ()), "orders": ("", "Y", "")}, "'b' has Euler order 'Y'"),
        ({"orders": ("ZYX",)}, "Euler orders are given for 1 joints"),
        ({"axes": np.ones((3, 4))}, "axes must be unit quaternions"),
        ({"axes": np.ones((2, 4))}, r"axes must have shape \(3, 4\)"),
        ({"limits": ((), ())}, "limits are given for 2 joints"),
        ({"limits": ((), ((0.0, 1.0),), ())}, "'b' has 1 limits for 3 channels"),
        ({"limits": ((), ((1.0, 0.0), None, None), ())}, "'b' has a lower limit above its upper one"),
    ],
)
def test_what_cannot_exist_is_refused_by_name(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidMotion, match=message):
        small(**changes)


def test_defaults_and_freezing() -> None:
    offsets = np.eye(3)
    skeleton = small(offsets=offsets)
    offsets[0, 0] = 7.0
    assert skeleton.offsets[0, 0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        skeleton.offsets[0, 0] = 2.0
    with pytest.raises(FrozenInstanceError):
        skeleton.names = ()  # type: ignore[misc]
    assert skeleton.channels == (("tx", "ty", "tz", "rz", "ry", "rx"), ("rz", "ry", "rx"), ("rz", "ry", "rx"))
    assert skeleton.orders == ("ZYX", "ZYX", "ZYX")
    assert skeleton.channel_count == 12
    assert repr(skeleton) == "Skeleton(3 joints, root 'a')"


def test_equal_means_equal_in_every_part() -> None:
    one = small(end_sites=(EndSite(2, (0.0, 1.0, 0.0), "tip"),), axes=np.eye(4)[[0, 0, 1]])
    assert one == small(end_sites=(EndSite(2, (0.0, 1.0, 0.0), "tip"),), axes=np.eye(4)[[0, 0, 1]])
    assert hash(one) == hash(replace(one))
    others = [
        replace(one, names=("a", "b", "d")),
        replace(one, parents=np.array([-1, 0, 0])),
        replace(one, offsets=np.eye(3) * 2),
        replace(one, end_sites=()),
        replace(one, channels=(("tx",), ("rx",), ()), orders=()),
        replace(one, channels=(("rx", "ry", "rz"),) * 3, orders=("XYZ", "ZYX", "XYZ")),
        replace(one, axes=None),
        replace(one, axes=np.eye(4)[[0, 0, 2]]),
        replace(one, limits=((), ((0.0, 1.0), None, None), ())),
    ]
    for other in others:
        assert one != other
    assert one != "a skeleton"


def test_compatible_means_same_names_and_parents() -> None:
    one = small()
    assert compatible(one, small(offsets=np.ones((3, 3)), channels=(("tx",), (), ("rx",))))
    require_compatible(one, small(offsets=np.ones((3, 3))))
    cases = [
        (small(names=("a", "b", "x")), "only walk has the joint 'c'"),
        (Skeleton(("a", "b", "c", "d"), [-1, 0, 1, 2], np.zeros((4, 3))), "only run has the joint 'd'"),
        (small(names=("a", "c", "b")), "different orders, starting at 'b'"),
        (small(parents=[-1, 0, 0]), "hang the joint 'c' on different parents"),
    ]
    for other, message in cases:
        assert not compatible(one, other)
        with pytest.raises(SkeletonMismatch, match=message):
            require_compatible(one, other, "walk", "run")


def test_length_differences_leave_out_the_root() -> None:
    one = small()
    other = small(offsets=np.array([[5.0, 0, 0], [0, 1.5, 0], [0, 0, 1.0]]))
    assert length_differences(one, other) == ["b"]
    with pytest.raises(SkeletonMismatch):
        length_differences(one, small(names=("a", "b", "x")))


def test_bones_that_point_elsewhere_are_named_unless_they_are_short() -> None:
    one = small()
    assert turned_bones(one, small(offsets=3.0 * np.eye(3))) == []
    other = np.array([[0.0, 1.0, 0.0], [0.0, 0.5, 0.9], [0.0, 0.3, 0.9]])
    assert turned_bones(one, small(offsets=other)) == ["b"]
    other[1] *= 0.3
    assert turned_bones(one, small(offsets=other)) == []


@given(st.integers(0, 2**32 - 1), st.integers(1, 15))
def test_relations_in_the_tree(seed: int, joints: int) -> None:
    skeleton = random_skeleton(np.random.default_rng(seed), joints)
    for joint in range(joints):
        chain = skeleton.chain(joint)
        assert chain[0] == 0
        assert chain[-1] == joint
        assert all(skeleton.parents[b] == a for a, b in pairwise(chain))
        below = skeleton.descendants(joint)
        assert below == [j for j in range(joints) if joint in skeleton.chain(j)]
        assert all(skeleton.parents[child] == joint for child in skeleton.children(joint))
        assert skeleton.index(skeleton.names[joint]) == joint
    assert sum(len(skeleton.children(j)) for j in range(joints)) == joints - 1
    np.testing.assert_allclose(skeleton.lengths()[1:], np.sqrt((skeleton.offsets[1:] ** 2).sum(1)))
    assert skeleton.lengths()[0] == 0.0


def test_an_unknown_joint_lists_the_known_ones() -> None:
    with pytest.raises(InvalidMotion, match="no joint 'Tail'; the joints are Hips, Spine"):
        humanoid().index("Tail")


def test_another_layout_keeps_the_joints() -> None:
    skeleton = small(limits=((), ((0.0, 1.0), None, None), ()))
    other = skeleton.with_layout((("tx", "ty", "tz"), ("rx",), ("ry", "rx")))
    assert other.orders == ("", "X", "YX")
    assert compatible(skeleton, other)
    assert other.with_layout() == small()


def test_parents_are_whole_numbers_and_names_are_listed() -> None:
    with pytest.raises(InvalidMotion, match="whole numbers"):
        Skeleton(("a", "b"), np.array([-1.0, 0.5]), np.zeros((2, 3)))
    with pytest.raises(InvalidMotion, match="one by one"):
        Skeleton("ab", np.array([-1, 0]), np.zeros((2, 3)))  # type: ignore[arg-type]
