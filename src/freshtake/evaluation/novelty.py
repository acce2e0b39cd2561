"""Measure how new variants are: copied frames, covered inputs, distances, and movement beyond interpolation."""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from freshtake.evaluation.dofs import pose_angles
from freshtake.evaluation.tracks import (
    Gallery,
    Part,
    Parts,
    Track,
    aligned_to,
    at_working_rate,
    cheapest_windows,
    dtw_distances,
    flat,
)
from freshtake.motion.body.orientation import distances
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.rotations import angle_between, to_matrix

EXACT = 1e-6  # radians; for strokes, the same fraction of their size
BLOCK = 4_000_000  # elements of a distance matrix kept in memory at a time


def measure_copies(gallery: Gallery, track: Track) -> Parts:
    """Return the share of frames that copy an input frame, the longest copied run, and the distance to the inputs."""
    nearest = _nearest(_rows(gallery, track), np.concatenate(gallery.of_inputs(_rows)))
    poses = np.concatenate([_poses(gallery, other) for other in gallery.inputs])
    copied = difference(gallery, _poses(gallery, track), poses[nearest]) <= EXACT
    run = max(longest_diagonal(pose_differences(gallery, track, other) <= EXACT) for other in gallery.inputs)
    distance = nearest_pose(gallery, track)
    return {
        "copied": Part(float(copied.mean()), len(track)),
        "longest_run": Part(float(run)),
        "nearest": Part(100.0 * float(distance.mean()), len(distance)),
    }


def copied_from_others(gallery: Gallery, tracks: Sequence[Track]) -> list[Part]:
    """Return for each track the fraction of its frames that equal a frame of another track."""
    if len(tracks) < 2:
        return []
    rows, owners = [_rows(gallery, t) for t in tracks], [np.full(len(t), n) for n, t in enumerate(tracks)]
    everything, owner = np.concatenate(rows), np.concatenate(owners)
    turns = np.concatenate([_poses(gallery, t) for t in tracks])
    parts = []
    for number, track in enumerate(tracks):
        others = np.flatnonzero(owner != number)
        # Finding the nearest pose by rotation matrices is quick; the angles then decide whether it is a copy.
        nearest = others[_nearest(rows[number], everything[others])]
        differences = difference(gallery, _poses(gallery, track), turns[nearest])
        parts.append(Part(float((differences <= EXACT).mean()), len(track)))
    return parts


def difference(gallery: Gallery, a: Floats, b: Floats) -> Floats:
    """Return the largest joint rotation (radians) between poses, per frame; for strokes the relative distance."""
    if gallery.layout.has_body:
        return np.asarray(angle_between(a, b).max(axis=1))
    return np.asarray(np.linalg.norm(a - b, axis=1) / gallery.layout.size)


def pose_differences(gallery: Gallery, a: Track, b: Track) -> Floats:
    """Return (frames of a, frames of b): the largest joint rotation between any two poses."""
    if not gallery.layout.has_body:
        return distances(_poses(gallery, a), _poses(gallery, b)) / gallery.layout.size
    return pose_angles(a.turns, b.turns)


def longest_diagonal(mask: Bools) -> int:
    """Return the longest run of true values along a diagonal (both indices growing)."""
    run, longest = np.zeros(mask.shape[1], dtype=np.intp), 0
    for row in mask:
        # A run continues only from the previous frame of both: shift by one and add.
        run = np.where(row, np.concatenate([[0], run[:-1]]) + 1, 0)
        longest = max(longest, int(run.max(initial=0)))
    return longest


def nearest_pose(gallery: Gallery, track: Track) -> Floats:
    """Return the mean joint distance (30 a second) to the nearest input pose without heading, relative to the size.

    The inputs are used at their full rate. The five poses nearest by root mean square are compared by the mean.
    """
    poses = np.concatenate([other.body for other in gallery.inputs])
    slow = at_working_rate(gallery.layout, track).body
    all_distances = distances(flat(slow), flat(poses))
    # Root mean squares are quick for all pairs; the mean, which is the figure, is computed for the nearest five only.
    count = min(5, len(poses))
    candidates = np.argpartition(all_distances, count - 1, axis=1)[:, :count]
    means = np.linalg.norm(slow[:, None] - poses[candidates], axis=-1).mean(axis=-1)
    return np.asarray(means.min(axis=1) / gallery.layout.size)


def _rows(gallery: Gallery, track: Track) -> Floats:
    """Return poses as points whose distances grow with the differences: rotation matrices, or a stroke's points."""
    return flat(to_matrix(track.turns)[:, :, :2]) if gallery.layout.has_body else flat(track.world)


def _poses(gallery: Gallery, track: Track) -> Floats:
    return track.turns if gallery.layout.has_body else flat(track.world)


def _nearest(rows: Floats, others: Floats) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Return for each row the number of the nearest other row, in blocks to limit memory."""
    step = max(1, BLOCK // max(len(others), 1))
    blocks = [distances(rows[k : k + step], others).argmin(axis=1) for k in range(0, len(rows), step)]
    return np.concatenate(blocks)


LONG = 30  # frames of a window


def measure_coverage(gallery: Gallery, track: Track) -> Parts:
    """Return the share of the inputs' windows that the track covers."""
    if not gallery.layout.has_body:
        return {}
    covered = covered_windows(gallery, track)
    return {"coverage": Part(float(covered.mean()))} if len(covered) else {}


def set_coverage(gallery: Gallery, tracks: Sequence[Track]) -> float:
    """Return the fraction of the inputs' windows covered by at least one of the tracks."""
    masks = [covered_windows(gallery, track) for track in tracks]
    return float(np.any(masks, axis=0).mean()) if len(masks[0]) else float("nan")


def covered_windows(gallery: Gallery, track: Track) -> Bools:
    """Return for each window of the inputs whether the track has a similar window."""
    covered = []
    for other in gallery.slow:
        # Windows whose cost per frame is below 2 count as covered.
        costs = cheapest_windows([distances(track.thirty().features, other.features).T], LONG)
        covered.append(costs[:-1] / LONG < 2.0)  # GANimator's definition leaves out the last window
    return np.concatenate(covered)


MOST_PAIRS = 200
LONGEST = 10  # times the longest input; only the beginning of a longer track (a stream) is compared


def measure_diversity(gallery: Gallery, track: Track) -> Parts:
    """Return the distance to the nearest input in % of the size."""
    rows = weighed(gallery, track)
    to_inputs = dtw_distances([(rows, other) for other in gallery.of_inputs(weighed)])
    return {"from_inputs": Part(float((100.0 * to_inputs).min()))}


def among(gallery: Gallery, tracks: Sequence[Track]) -> float:
    """Return the mean distance between two of the tracks, in % of the size; NaN for fewer than two.

    If there are more than 200 pairs, 200 evenly spread pairs are used.
    """
    pairs = list(combinations(range(len(tracks)), 2))
    if not pairs:
        return float("nan")
    if len(pairs) > MOST_PAIRS:
        pairs = [pairs[k] for k in np.linspace(0, len(pairs) - 1, MOST_PAIRS).round().astype(int)]
    rows = [weighed(gallery, track) for track in tracks]
    return float(100.0 * dtw_distances([(rows[a], rows[b]) for a, b in pairs]).mean())


def weighed(gallery: Gallery, track: Track) -> Floats:
    """Return DOFs at 30 frames per second, times their scale: their differences are roughly distances."""
    longest = LONGEST * max(len(other) for other in gallery.slow)
    return at_working_rate(gallery.layout, track).dofs[:longest] * gallery.layout.scales


class Span(NamedTuple):
    """The inputs' mean (times, DOFs), used as the template, its direction of movement, and the aligned inputs."""

    mean: Floats
    along: Floats
    aligned: Floats

    def deviations(self, rows: Floats) -> Floats:
        """Return deviations (..., times, DOFs) from the mean, perpendicular to its movement."""
        difference = rows - self.mean
        return np.asarray(difference - (difference * self.along).sum(axis=-1, keepdims=True) * self.along)


def measure_span(gallery: Gallery, track: Track) -> Parts:
    """Return the share of a track's deviation from the mean input that no combination of the inputs produces."""
    if len(gallery.inputs) < 2:
        return {}
    return outside_span(gallery, aligned_to(gallery.once(input_span).mean, _span_rows(gallery, track)))


def outside_span(gallery: Gallery, rows: Floats) -> Parts:
    """Return the share outside the span for aligned rows (times, DOFs), weighted by the deviation; empty if it is 0."""
    deviations = gallery.once(input_span).deviations(rows).ravel()
    total = float((deviations**2).sum())
    if total <= 0:
        return {}
    within = float(((gallery.once(_basis) @ deviations) ** 2).sum())
    return {"outside_span": Part(max(total - within, 0.0) / total, total)}


def _basis(gallery: Gallery) -> Floats:
    """Return orthonormal rows (inputs, times x DOFs) that span the inputs' deviations; 0 for surplus rows."""
    span = gallery.once(input_span)
    directions = span.deviations(span.aligned).reshape(len(span.aligned), -1)
    _, sizes, basis = np.linalg.svd(directions, full_matrices=False)
    return np.asarray(basis * (sizes > 1e-9 * max(sizes[0], 1e-300))[:, None])


def input_span(gallery: Gallery) -> Span:
    """Align the inputs to the input nearest to the others, then average and align again."""
    rows = [_span_rows(gallery, track) for track in gallery.inputs]
    pairs = [(a, b) for a in rows for b in rows]
    summed_distances = dtw_distances(pairs).reshape(len(rows), len(rows)).sum(axis=1)
    template = rows[int(summed_distances.argmin())]
    aligned = np.stack([aligned_to(template, r) for r in rows])
    # Aligning the inputs to the mean changes the mean: repeat once.
    for _ in range(2):
        template = aligned.mean(axis=0)
        aligned = np.stack([aligned_to(template, r) for r in rows])
    movement = np.gradient(template, axis=0)
    speed = np.linalg.norm(movement, axis=1, keepdims=True)
    return Span(template, movement / np.maximum(speed, 1e-12), aligned)


def _span_rows(gallery: Gallery, track: Track) -> Floats:
    """Return weighted DOFs at full rate; only the beginning of a track much longer than the inputs (a stream)."""
    longest = LONGEST * max(len(other) for other in gallery.inputs)
    return track.dofs[:longest] * gallery.layout.scales


def interpolation(gallery: Gallery, rng: np.random.Generator, count: int = 8) -> Parts:
    """Return the share outside the span of convex combinations, which should be 0: it shows the error of the method.

    The combinations are aligned to the mean like any other track, so errors of the alignment show.
    """
    span = gallery.once(input_span)
    mixed = [
        outside_span(gallery, aligned_to(span.mean, np.einsum("k,ktd->td", weights, span.aligned)))
        for weights in rng.dirichlet(np.ones(len(span.aligned)), size=count)
    ]
    shares = [parts["outside_span"].value for parts in mixed if parts]
    return {"outside_span": Part(float(np.mean(shares)))} if shares else {}
