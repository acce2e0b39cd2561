"""The root gives way to feet that stand."""

from __future__ import annotations

import numpy as np

from freshtake.motion.contacts import contact_mask
from freshtake.style.carrying import carried_by_feet, planted

from .pairs_of_clips import walk


def left_of(drift_to: list[float]) -> float:
    """The share of a drift of the whole body that is left, as its path differs from that without the drift."""
    clip = walk(70, cycles=4)
    mask = contact_mask(clip)
    drift = np.linspace(0.0, 1.0, len(clip))[:, None] * np.array(drift_to)
    slid = clip.changed(root=clip.root + drift)
    made, usual = carried_by_feet(slid, mask), carried_by_feet(clip, mask)
    np.testing.assert_array_equal(made.rotations, slid.rotations)
    np.testing.assert_array_equal(made.root[:, 1], slid.root[:, 1])
    return float(np.abs(made.root - usual.root).max() / np.abs(drift).max())


def test_a_drift_of_the_whole_body_is_taken_back() -> None:
    assert left_of([25.0, 0.0, 0.0]) < 0.05
    assert left_of([0.0, 0.0, 25.0]) < 0.05
    assert left_of([0.0, 0.0, -25.0]) < 0.4  # a heel that rises counts as the slower joint then


def test_without_feet_that_stand_nothing_changes() -> None:
    clip = walk(70, cycles=4)
    nowhere = np.zeros_like(contact_mask(clip))
    assert carried_by_feet(clip, nowhere) is clip
    assert planted(clip, nowhere, np.zeros(4)) is clip
