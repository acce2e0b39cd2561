"""Measure how new variants are: copied frames, covered inputs, distances, and what is more than interpolation."""

from __future__ import annotations

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
    window_costs,
)
from freshtake.motion.body.orientation import distances
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.rotations import angle_between, to_matrix

EXACT = 1e-6  # radians; for strokes, the same fraction of their size
TOLERANCES = {
    "copied": EXACT,
    "copied_001deg": np.radians(0.01),
    "copied_01deg": np.radians(0.1),
    "copied_1deg": np.radians(1.0),
}
FOLLOWING = np.radians(1.0)
BLOCK = 4_000_000  # elements of a distance matrix kept in memory at a time


def measure_copies(gallery: Gallery, track: Track) -> Parts:
    """Return the copied shares, longest copied runs and nearest-input distance of one track."""
    nearest = nearest_difference(gallery, track)
    parts = {key: Part(float((nearest <= limit).mean()), len(track)) for key, limit in TOLERANCES.items()}
    exact, close = followed_runs(gallery, track)
    parts["longest_run"] = Part(float(exact))
    parts["longest_run_1deg"] = Part(float(close))
    near = 100.0 * nearest_pose(gallery, track)
    parts["nearest"] = Part(float(near.mean()), len(near))
    parts["nearest_max"] = Part(float(near.max()))
    return parts


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
        # Finding the nearest by rotation matrices is quick; the angles then decide whether it is a copy.
        nearest = others[_nearest(rows[number], everything[others])]
        differences = difference(gallery, _poses(gallery, track), turns[nearest])
        parts.append(Part(float((differences <= EXACT).mean()), len(track)))
    return parts


def nearest_difference(gallery: Gallery, track: Track) -> Floats:
    """Return per frame the difference to the most similar frame of the inputs."""
    nearest = _nearest(_rows(gallery, track), np.concatenate(gallery.of_inputs(_rows)))
    poses = np.concatenate([_poses(gallery, other) for other in gallery.inputs])
    return difference(gallery, _poses(gallery, track), poses[nearest])


def difference(gallery: Gallery, a: Floats, b: Floats) -> Floats:
    """Return the largest joint rotation (radians) between poses, frame by frame; for strokes the distance in sizes."""
    if gallery.layout.has_body:
        return np.asarray(angle_between(a, b).max(axis=1))
    return np.asarray(np.linalg.norm(a - b, axis=1) / gallery.layout.size)


def followed_runs(gallery: Gallery, track: Track) -> tuple[int, int]:
    """Return the longest runs of frames equal to successive frames of one input: exactly, and within one degree."""
    exact, close = 0, 0
    for other in gallery.inputs:
        differences = pose_differences(gallery, track, other)
        exact = max(exact, longest_diagonal(differences <= EXACT))
        close = max(close, longest_diagonal(differences <= FOLLOWING))
    return exact, close


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
    """Return per frame (30 a second) the mean joint distance, in sizes, to the nearest input pose without heading.

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


LONG, SHORT = 30, 15  # frames


def measure_coverage(gallery: Gallery, track: Track) -> Parts:
    """Return the share of the inputs' windows in the track, and the cost of composing it from long and short pieces."""
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
    short = cheapest_windows(costs, SHORT)[:-1]  # the definition leaves out the last window
    if len(short) and np.isfinite(short).all():
        parts["local_diversity"] = Part(float(short.mean() / SHORT))
    return parts


def set_coverage(gallery: Gallery, tracks: Sequence[Track]) -> float:
    """Return the fraction of the inputs' windows covered by at least one of the tracks."""
    masks = [covered_windows(frame_costs(gallery, track)) for track in tracks]
    return float(np.any(masks, axis=0).mean()) if len(masks[0]) else float("nan")


def frame_costs(gallery: Gallery, track: Track) -> list[Floats]:
    """Return for each input the distances (frames of the track, frames of the input)."""
    return [distances(track.thirty().features, other.features) for other in gallery.slow]


def covered_windows(costs: list[Floats]) -> Bools:
    """Return for each long window of the inputs whether the track has one like it."""
    covered = []
    for cost in costs:
        sums = window_costs(cost.T, LONG)
        # Windows whose cost per frame is below 2 count as covered.
        near = sums.min(axis=1) / LONG < 2.0 if sums.size else np.zeros(len(sums), dtype=bool)
        covered.append(near[:-1])
    return np.concatenate(covered)


def patched_cost(costs: list[Floats], shortest: int = LONG) -> float:
    """Return the minimum cost of a track cut into pieces of `shortest` frames or more, each aligned to one of an input.

    open_[k] is the cost of the frames so far when the last piece ends at the input's frame k, done[i] the cost of the
    first i frames. Returns the mean cost per frame (patched nearest neighbour).
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
            # Either the last piece grows by one frame, or a new one of minimum length ends here.
            longer[1:] = ends[number][:-1] + cost[i - 1]
            if i >= shortest and cost.shape[1] >= shortest:
                fresh = done[i - shortest] + starts[number][i - shortest]
                longer[shortest:] = np.minimum(longer[shortest:], fresh)
            ends[number] = longer
            done[i] = min(done[i], float(longer.min()))
    return float(done[-1] / frames)


MOST_PAIRS = 200
LONGEST = 10  # times the longest input; only the beginning of a longer track (a stream) is compared


def measure_diversity(gallery: Gallery, track: Track) -> Parts:
    """Return the distance to the nearest input, and the mean distance to all, in % of the size."""
    rows = weighed(gallery, track)
    to_inputs = 100.0 * dtw_distances([(rows, other) for other in gallery.of_inputs(weighed)])
    return {"from_inputs": Part(float(to_inputs.min())), "from_inputs_mean": Part(float(to_inputs.mean()))}


def among(gallery: Gallery, tracks: Sequence[Track]) -> float:
    """Return the mean distance between two of the tracks, in % of the size; NaN for fewer than two.

    Of more than 200 pairs, 200 evenly spread ones are used.
    """
    pairs = list(combinations(range(len(tracks)), 2))
    if not pairs:
        return float("nan")
    if len(pairs) > MOST_PAIRS:
        pairs = [pairs[k] for k in np.linspace(0, len(pairs) - 1, MOST_PAIRS).round().astype(int)]
    rows = [weighed(gallery, track) for track in tracks]
    return float(100.0 * dtw_distances([(rows[a], rows[b]) for a, b in pairs]).mean())


def weighed(gallery: Gallery, track: Track) -> Floats:
    """Return DOFs at 30 frames per second, times their scale: their differences are about distances in sizes."""
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
    """Return the shares outside the span of constant weights, and of weights that may change from frame to frame."""
    if len(gallery.inputs) < 2:
        return {}
    return shares(gallery, aligned_to(gallery.once(input_span).mean, _span_rows(gallery, track)))


def shares(gallery: Gallery, rows: Floats) -> Parts:
    """Return both shares of aligned rows; the second only if the inputs do not span the full space of every frame."""
    span = gallery.once(input_span)
    deviations = span.deviations(rows)
    total = float((deviations**2).sum())
    if total <= 0:
        return {}
    parts = {"outside_span": Part(_residual(gallery.once(_basis, False), deviations.reshape(1, -1)) / total, total)}
    if rows.shape[1] >= len(span.aligned):
        parts["outside_frames"] = Part(_residual(gallery.once(_basis, True), deviations) / total, total)
    return parts


def _residual(basis: Floats, deviations: Floats) -> float:
    """Return the sum of squares of `deviations` (n, d) perpendicular to the rows of each one's basis (n, k, d)."""
    along = np.einsum("nkd,nd->nk", basis, deviations)
    return max(float((deviations**2).sum() - (along**2).sum()), 0.0)


def _basis(gallery: Gallery, by_frame: bool) -> Floats:
    """Return orthonormal rows (n, inputs, d) that span the inputs' deviations; 0 for surplus rows.

    Deviations are vectors over all times at once, or `by_frame` at each time separately.
    """
    span = gallery.once(input_span)
    deviations = span.deviations(span.aligned)
    directions = deviations.transpose(1, 0, 2) if by_frame else deviations.reshape(1, len(deviations), -1)
    _, sizes, basis = np.linalg.svd(directions, full_matrices=False)
    is_used = sizes > 1e-9 * np.maximum(sizes[:, :1], 1e-300)
    return np.asarray(basis * is_used[..., None])


def input_span(gallery: Gallery) -> Span:
    """Align the inputs to the one nearest to the others, then average and align again."""
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
    """Return the shares of convex combinations of the inputs, which should be 0: they show the error of the method.

    The combinations are aligned to the mean like any other track, so errors of the alignment show.
    """
    span = gallery.once(input_span)
    all_shares = []
    for weights in rng.dirichlet(np.ones(len(span.aligned)), size=count):
        rows = np.einsum("k,ktd->td", weights, span.aligned)
        all_shares.append(shares(gallery, aligned_to(span.mean, rows)))
    keys = set().union(*all_shares)
    return {key: Part(float(np.mean([f[key].value for f in all_shares if key in f]))) for key in sorted(keys)}
