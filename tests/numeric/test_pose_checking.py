"""Poses checked in one pass: the same bits as the careful way, and nothing passes that it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.errors import InvalidMotion
from freshtake.motion.validation import frozen_quaternions
from freshtake.numeric.pose_checking import sound_poses
from freshtake.samples import walk


@pytest.mark.parametrize("error", [0.0, 1e-16, 1e-12, 5e-4])
def test_rotations_are_brought_to_unit_length_bit_by_bit(error: float) -> None:
    rng = np.random.default_rng(3)
    turns = rng.normal(size=(6, 4, 4))
    turns /= np.linalg.norm(turns, axis=2, keepdims=True)
    turns *= 1.0 + error * rng.uniform(-1, 1, (6, 4, 1))
    wanted = frozen_quaternions(turns, "rotations", (6, 4, 4))
    assert sound_poses(rng.normal(size=(6, 3)), turns)
    assert turns.tobytes() == wanted.tobytes()


@pytest.mark.parametrize(("place", "value"), [("root", np.nan), ("root", np.inf), ("turn", np.nan), ("turn", 1.1)])
@pytest.mark.parametrize("frame", [0, 3])
def test_what_is_no_pose_is_refused_in_words(place: str, value: float, frame: int) -> None:
    clip = walk(np.random.default_rng(0))
    root, turns = clip.root.copy(), clip.rotations.copy()
    if place == "root":
        root[frame, 1] = value
    else:
        turns[frame, 2] *= value
    assert not sound_poses(root, turns.copy())
    with pytest.raises(InvalidMotion, match="must be"):
        clip.with_own(root, turns)


def test_own_poses_are_taken_as_they_are_and_closed() -> None:
    clip = walk(np.random.default_rng(0))
    root, turns = clip.root + 1.0, clip.rotations.copy()
    taken = clip.with_own(root, turns)
    assert taken.root is root and taken.rotations is turns and not root.flags.writeable
    careful = clip.changed(root=root, rotations=turns)
    assert taken.rotations.tobytes() == careful.rotations.tobytes() and taken.channels is None
    with pytest.raises(InvalidMotion, match="at least one frame"):
        clip.with_own(root[:0], turns[:0])
