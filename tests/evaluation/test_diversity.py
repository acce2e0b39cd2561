"""Distances between variants and from the inputs."""

from __future__ import annotations

import numpy as np

from freshtake.evaluation import novelty
from freshtake.evaluation.tracks import dtw_distances
from freshtake.motion.edit import scaled, turned
from tests.evaluation.stepping import prepared, takes


def test_takes_of_one_law_are_as_diverse_as_others_of_it() -> None:
    gallery, material = prepared(takes(1, 5), takes(2, 5))
    ratio = novelty.among(gallery, material.variants) / novelty.among(gallery, material.inputs)
    assert 0.6 < ratio < 1.6
    assert np.isnan(novelty.among(gallery, material.variants[:1]))


def test_a_copy_is_at_no_distance_and_size_and_heading_do_not_count() -> None:
    inputs, others = takes(3, 2), takes(4, 1)
    gallery, material = prepared(inputs, [inputs[0], others[0]])
    copy, other = (novelty.measure_diversity(gallery, track) for track in material.variants)
    assert copy["from_inputs"].value < 1e-5
    large = prepared([scaled(c, 3.0) for c in inputs], [turned(scaled(others[0], 3.0), 1.0)])
    again = novelty.measure_diversity(large[0], large[1].variants[0])
    assert np.isclose(again["from_inputs"].value, other["from_inputs"].value, rtol=1e-6)


def test_few_pairs_are_all_taken_and_many_are_thinned() -> None:
    gallery, material = prepared(takes(5, 2), takes(6, 23))
    rows = [novelty.weighed(gallery, track) for track in material.variants]
    pairs = [(rows[a], rows[b]) for a in range(23) for b in range(a + 1, 23)]
    everything = 100 * dtw_distances(pairs).mean()
    assert len(pairs) > novelty.MOST_PAIRS
    assert abs(novelty.among(gallery, material.variants) / everything - 1) < 0.05
    few = 100 * dtw_distances([(rows[0], rows[1]), (rows[0], rows[2]), (rows[1], rows[2])]).mean()
    assert np.isclose(novelty.among(gallery, material.variants[:3]), few)
