"""How much of the inputs comes back, and how far the variants are from them, by windows of rotations.

The definitions are those of the GANimator evaluation (Li et al. 2022): frames are compared by the Euclidean
distance of the first two rows of all local rotation matrices, at 30 frames per second. They depend on the number of
joints and on the heading, so compare figures of one skeleton and one direction of travel only.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from freshtake.evaluation.gallery import Gallery, Part, Parts
from freshtake.evaluation.track_alignment import cheapest_windows, window_costs
from freshtake.evaluation.tracks import Track
from freshtake.motion.body.pose_space import distances
from freshtake.numeric.arrays import Bools, Floats

LONG, SHORT = 30, 15  # frames
THRESHOLD = 2.0  # cost per frame below which a window counts as covered


def measure(gallery: Gallery, track: Track) -> Parts:
    """Share of the inputs' windows found in the track; cost of composing the track from long and short pieces."""
    if not gallery.layout.has_body:
        return {}
    costs = frame_costs(gallery, track)
    parts: Parts = {}
    covered = covered_windows(costs)
    if len(covered):
        parts["coverage"] = Part(float(covered.mean()))
    patched = patched_cost(costs)
    if np.isfinite(patched):
        parts["global_diversity"] = Part(patched)
    short = cheapest_windows(costs, SHORT)[:-1]  # the last window is left out in the definition
    if len(short) and np.isfinite(short).all():
        parts["local_diversity"] = Part(float(short.mean() / SHORT))
    return parts


def set_coverage(gallery: Gallery, tracks: Sequence[Track]) -> float:
    """Share of the inputs' windows that at least one of the tracks covers."""
    masks = [covered_windows(frame_costs(gallery, track)) for track in tracks]
    return float(np.any(masks, axis=0).mean()) if len(masks[0]) else float("nan")


def frame_costs(gallery: Gallery, track: Track) -> list[Floats]:
    """Per input the distances (frames of the track, frames of the input)."""
    return [distances(track.thirty().features, other.features) for other in gallery.slow]


def covered_windows(costs: list[Floats]) -> Bools:
    """Per long window of the inputs whether the track has one like it."""
    covered = []
    for cost in costs:
        sums = window_costs(cost.T, LONG)
        near = sums.min(axis=1) / LONG < THRESHOLD if sums.size else np.zeros(len(sums), dtype=bool)
        covered.append(near[:-1])
    return np.concatenate(covered)


def patched_cost(costs: list[Floats], shortest: int = LONG) -> float:
    """Cheapest way to cut the track into pieces of at least `shortest` frames, each laid on a piece of an input.

    open_[k] is the cost of the frames so far when the last piece ends at the input's frame k, done[i] the cost of the
    first i frames. Returned is the mean cost per frame (patched nearest neighbour).
    """
    frames = costs[0].shape[0]
    if frames < shortest:
        return float("nan")
    done = np.full(frames + 1, np.inf)
    done[0] = 0.0
    starts = [window_costs(cost, shortest) for cost in costs]
    ends = [np.full(cost.shape[1] + 1, np.inf) for cost in costs]
    for i in range(1, frames + 1):
        for number, cost in enumerate(costs):
            longer = np.full(cost.shape[1] + 1, np.inf)
            longer[1:] = ends[number][:-1] + cost[i - 1]
            if i >= shortest and cost.shape[1] >= shortest:
                fresh = done[i - shortest] + starts[number][i - shortest]
                longer[shortest:] = np.minimum(longer[shortest:], fresh)
            ends[number] = longer
            done[i] = min(done[i], float(longer.min()))
    return float(done[-1] / frames)
