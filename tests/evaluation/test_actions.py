"""How often an action is performed."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from freshtake.errors import UsageError
from freshtake.evaluation import actions
from freshtake.formats.registry import read
from freshtake.motion import Clip
from freshtake.motion.edit import concatenate
from tests.evaluation.stepping import prepared, takes


def hopping(clip: Clip, times: int) -> Clip:
    lift = 3.0 * np.clip(np.sin(np.pi * (2 * times * np.linspace(0, 1, len(clip)) - 0.5)), 0, None) ** 2
    return clip.changed(root=clip.root + np.outer(lift, [0.0, 1.0, 0.0]))


def test_hops_are_counted() -> None:
    inputs = [hopping(clip, 1) for clip in takes(1, 3)]
    others = [hopping(clip, n) for n, clip in enumerate(takes(2, 4))]
    gallery, material = prepared(inputs, others)
    action = actions.find_action(gallery)
    assert action is not None
    assert (action.quantity, action.times) == ("root-height", 1)
    assert [actions.performed(gallery, track, action) for track in material.variants] == [0, 1, 2, 3]


def test_a_shaky_peak_counts_once() -> None:
    action = actions.Action("root-height", 1.0, 0.5, 1)
    assert actions.count_peaks(np.array([0.0, 1.1, 0.9, 1.2, 0.6, 1.1, 0.4, 0.9, 1.3]), action) == 2
    assert actions.count_peaks(np.array([1.5, 0.2, 0.3]), action) == 1


def test_what_stands_out_nowhere_is_no_action() -> None:
    gallery, _ = prepared(takes(3, 3), takes(4, 1))
    assert actions.find_action(gallery, "none") is None
    with pytest.raises(UsageError, match="root-height"):
        actions.find_action(gallery, "knee-height")


@pytest.mark.parametrize(
    ("folder", "quantity"), [("jump", "root-height"), ("cheering", "hand-height"), ("throw", "left-hand-speed")]
)
def test_real_actions_are_found_and_performed_once(data: Path, folder: str, quantity: str) -> None:
    read_all = [c for p in sorted((data / folder).glob("*.bvh")) if isinstance(c := read(p), Clip)]
    inputs = [clip for clip in read_all if not re.match("extra", clip.name)]
    extra = [clip for clip in read_all if re.match("extra", clip.name)]
    gallery, material = prepared(inputs, [*extra, concatenate(inputs[:2])])
    action = actions.find_action(gallery)
    assert action is not None
    assert (action.quantity, action.times) == (quantity, 1)
    counts = [actions.performed(gallery, track, action) for track in material.variants]
    assert counts[:-1] == [1] * len(extra)
    assert counts[-1] >= 2  # the seam of two throws is itself a fast movement
