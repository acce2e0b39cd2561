"""How different variants are from one another and from the inputs, by dynamic time warping."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from freshtake.evaluation.gallery import Gallery, Part, Parts, at_working_rate
from freshtake.evaluation.track_alignment import dtw_distances
from freshtake.evaluation.tracks import Track
from freshtake.numeric.arrays import Floats

MOST_PAIRS = 200
LONGEST = 10  # times the longest input; of a longer track (a stream) the beginning is compared


def measure(gallery: Gallery, track: Track) -> Parts:
    """Distance to the nearest input, and the mean distance to all, in % of the size."""
    rows = weighed(gallery, track)
    to_inputs = 100.0 * dtw_distances([(rows, other) for other in gallery.once(_weighed_inputs)])
    return {"from_inputs": Part(float(to_inputs.min())), "from_inputs_mean": Part(float(to_inputs.mean()))}


def among(gallery: Gallery, tracks: Sequence[Track]) -> float:
    """Mean distance between two of the tracks, in % of the size; NaN for fewer than two.

    Of more than 200 pairs, 200 are taken that are spread evenly over all of them.
    """
    pairs = list(combinations(range(len(tracks)), 2))
    if not pairs:
        return float("nan")
    if len(pairs) > MOST_PAIRS:
        pairs = [pairs[k] for k in np.linspace(0, len(pairs) - 1, MOST_PAIRS).round().astype(int)]
    rows = [weighed(gallery, track) for track in tracks]
    return float(100.0 * dtw_distances([(rows[a], rows[b]) for a, b in pairs]).mean())


def weighed(gallery: Gallery, track: Track) -> Floats:
    """DOFs at 30 frames per second, times their scale, so that differences are about distances in sizes."""
    longest = LONGEST * max(len(other) for other in gallery.slow)
    return at_working_rate(gallery.layout, track).dofs[:longest] * gallery.layout.scales


def _weighed_inputs(gallery: Gallery) -> list[Floats]:
    return [weighed(gallery, track) for track in gallery.inputs]
