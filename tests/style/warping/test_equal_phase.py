from __future__ import annotations

import numpy as np
import pytest

from freshtake.motion.edit import take_frames
from freshtake.style.warping.warp_inputs import BINS, best_shift, clip_rows, common_cycles
from tests.style.warping.known_warps import walk_clip


@pytest.mark.parametrize("shift", [0, 1, 20, 47, 95])
def test_shifted_cycles_are_recognized_whatever_their_scale(shift: int) -> None:
    rng = np.random.default_rng(shift)
    phase = 2.0 * np.pi * np.arange(BINS)[:, None] / BINS
    cycle = np.sin(phase * np.array([1, 1, 2, 3]) + rng.uniform(0.0, 6.0, 4))
    other = np.roll(cycle, -shift, axis=0) * rng.uniform(0.3, 3.0, 4) + rng.normal(size=4)
    found = best_shift(cycle, other)
    assert abs((found - shift / BINS + 0.5) % 1.0 - 0.5) < 0.01


@pytest.mark.parametrize("skipped", [0, 15, 33, 50])
def test_a_clip_and_a_later_part_of_it_share_that_part(skipped: int) -> None:
    clip = walk_clip(5, cycles=4.0)
    part = take_frames(clip, skipped)
    spans = common_cycles((clip, part), clip_rows(clip, part))
    assert spans is not None
    (start, stop), (first, last) = spans
    assert abs(start - first - skipped) % 63 <= 2 or abs(abs(start - first - skipped) % 63 - 63) <= 2
    assert abs((stop - start) - (last - first)) <= 4
    assert stop - start > 0.7 * len(part)


def test_one_cycle_beside_several() -> None:
    clip = walk_clip(5, cycles=4.0)
    once, later = walk_clip(6, cycles=1.0), take_frames(clip, 20)
    spans = common_cycles((once, later), clip_rows(once, later))
    assert spans is not None
    assert spans[0][1] - spans[0][0] > 0.9 * len(once)
    assert abs(spans[1][1] - spans[1][0] - len(once)) <= 6


def test_what_does_not_recur_is_not_cut() -> None:
    clip = walk_clip(1)
    once = take_frames(clip, 0, 40)
    assert common_cycles((clip, once), clip_rows(clip, once)) is None
