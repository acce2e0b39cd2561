"""Long sequences of experiment B: both conditions joined alike, cycles chosen evenly, variants not repeated."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from freshtake.errors import UsageError
from freshtake.evaluation.study.schedule import cycle_animation, variant_sequence
from freshtake.motion.cycles.seams import join
from tests.evaluation.stepping import takes

CLIPS = takes(1, 4)


def test_sequences_are_the_joined_clips_in_the_order_given() -> None:
    for make in (cycle_animation, variant_sequence):
        joined, order = make(CLIPS, 6, np.random.default_rng(2), blend=0.2)
        expected = join([CLIPS[k] for k in order], blend=0.2)
        assert len(order) == 6
        assert np.array_equal(joined.rotations, expected.rotations)


def test_variants_come_again_only_after_all_have_come() -> None:
    _, order = variant_sequence(CLIPS, 10, np.random.default_rng(3))
    assert sorted(order[:4]) == sorted(order[4:8]) == [0, 1, 2, 3]
    assert max(Counter(order).values()) == 3


def test_cycles_are_chosen_evenly() -> None:
    tiny = [clip.changed(root=clip.root[:4], rotations=clip.rotations[:4]) for clip in CLIPS]
    _, order = cycle_animation(tiny, 400, np.random.default_rng(4))
    counts = Counter(order)
    assert all(abs(counts[k] - 100) < 5 * np.sqrt(400 * 0.25 * 0.75) for k in range(4))
    assert any(a == b for a, b in pairwise(order))


def test_bad_sequences_are_refused() -> None:
    with pytest.raises(UsageError, match="at least one"):
        cycle_animation([], 3, np.random.default_rng(5))
    with pytest.raises(UsageError, match="at least 1 clip"):
        variant_sequence(CLIPS, 0, np.random.default_rng(5))
