"""Test whether variants can be told from real takes, by a classifier."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.evaluation.tracks import Gallery, Track, at_working_rate
from freshtake.numeric.arrays import Bools, Floats, Ints

WINDOW, HOP = 15, 5  # frames at 30 a second
SHRINKAGE = 0.3
PERMUTATIONS = 99


class Likeness(NamedTuple):
    """Area under the ROC curve by grouped cross-validation, and the fraction of shuffles that reach it."""

    auc: float
    p: float


def tell_apart(
    gallery: Gallery,
    first: Sequence[Track],
    second: Sequence[Track],
    rng: np.random.Generator,
    *,
    permutations: int = PERMUTATIONS,
) -> Likeness | None:
    """Test whether two sets can be told apart; None if either has fewer than two clips. p is 1 without permutations."""
    if min(len(first), len(second)) < 2:
        return None
    tracks = [*first, *second]
    rows, groups = window_features(gallery, tracks)
    labels = np.arange(len(tracks)) >= len(first)
    # Folds are random: average over eight splits.
    auc = float(np.mean([cross_validated(rows, groups, labels, rng) for _ in range(8)]))
    # Shuffled labels give the distribution when there is no difference.
    shuffled = [cross_validated(rows, groups, rng.permutation(labels), rng) for _ in range(permutations)]
    reached = sum(value >= auc for value in shuffled)
    return Likeness(auc, (1 + reached) / (1 + permutations))


def window_features(gallery: Gallery, tracks: Sequence[Track]) -> tuple[Floats, Ints]:
    """Return (windows, features), each column with mean 0 and deviation 1, and the track number of each window."""
    layout = gallery.layout
    slow = [at_working_rate(layout, track) for track in tracks]
    # The shortest clip must have two windows.
    width = max(4, min(WINDOW, min(len(track) for track in slow) // 2))
    limbs = np.isin(np.arange(len(layout.points)), layout.limbs)
    poses, velocities, manners, groups = [], [], [], []
    for number, track in enumerate(slow):
        values = track.dofs * layout.scales
        changes = np.gradient(values, track.frame_time, axis=0)
        for start in range(0, len(track) - width + 1, max(1, width * HOP // WINDOW)):
            rows = slice(start, start + width)
            poses.append(values[rows].mean(axis=0))
            velocities.append(changes[rows].mean(axis=0))
            manners.append(_manner(track.world[rows], track.frame_time, limbs, layout.size))
            groups.append(number)
    # Use few components: more would fit the noise of few clips.
    parts = [_leading(np.array(poses), 8), _leading(np.array(velocities), 6), np.array(manners)]
    features = np.concatenate(parts, axis=1)
    features -= features.mean(axis=0)
    return features / np.maximum(features.std(axis=0), 1e-12), np.array(groups, dtype=np.intp)


def _manner(world: Floats, frame_time: float, limbs: Bools, size: float) -> list[float]:
    """Return the logarithm of the mean speed, acceleration and jerk of the limbs and of the other joints."""
    features = []
    for part in (limbs, ~limbs):
        if not part.any():
            continue
        for order in (1, 2, 3):
            length = np.linalg.norm(np.diff(world[:, part], order, axis=0), axis=-1) / frame_time**order / size
            features.append(float(np.log(max(length.mean(), 1e-9))))
    return features


def _leading(rows: Floats, count: int) -> Floats:
    """Return coordinates in the leading principal directions, which do not depend on the labels."""
    centered = rows - rows.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centered, full_matrices=False)
    return np.asarray((left * sizes)[:, :count])


def cross_validated(rows: Floats, groups: Ints, labels: Bools, rng: np.random.Generator) -> float:
    """Return the mean AUC over folds; every fold contains clips of both sets, and no clip is in two folds."""
    # Every fold needs clips of both sets.
    folds = min(4, int(labels.sum()), int((~labels).sum()))
    fold = np.zeros(len(labels), dtype=np.intp)
    for side in (labels, ~labels):
        members = rng.permutation(np.flatnonzero(side))
        # Split by clip, not by window: windows of one clip are similar and would give the answer away.
        fold[members] = np.arange(len(members)) % folds
    aucs = []
    for number in range(folds):
        test = fold[groups] == number
        weights = discriminant(rows[~test], labels[groups][~test])
        aucs.append(area_under_curve(rows[test] @ weights, labels[groups][test]))
    return float(np.mean(aucs))


def discriminant(rows: Floats, labels: Bools) -> Floats:
    """Return Fisher's direction S^-1 (m1 - m0); S is the mean covariance of both sets, shrunk towards c I."""
    means = [rows[labels == side].mean(axis=0) for side in (False, True)]
    spread = np.zeros((rows.shape[1], rows.shape[1]))
    for side, mean in zip((False, True), means, strict=True):
        deviations = rows[labels == side] - mean
        spread += deviations.T @ deviations / (2.0 * len(deviations))
    size = max(float(np.trace(spread)) / len(spread), 1e-12)
    # With few clips the covariance is nearly singular, and its inverse is mostly noise.
    shrunk = (1.0 - SHRINKAGE) * spread + SHRINKAGE * size * np.eye(len(spread))
    return np.asarray(np.linalg.solve(shrunk, means[1] - means[0]))


def area_under_curve(scores: Floats, labels: Bools) -> float:
    """Return the probability that a true item scores higher than a false one, counting ties as half."""
    low, high = np.sort(scores[~labels]), scores[labels]
    # Averaging the left and right ranks counts equal scores as half a win.
    wins = np.searchsorted(low, high, side="left") + np.searchsorted(low, high, side="right")
    return float(wins.mean() / (2.0 * len(low)))
