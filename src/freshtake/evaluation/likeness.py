"""Test whether variants can be told from real takes, by a classifier of this action or of others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.evaluation.comparable import Material
from freshtake.evaluation.dofs import Joints
from freshtake.evaluation.realness import body_positions
from freshtake.evaluation.tracks import Gallery, Track, at_working_rate
from freshtake.numeric.arrays import Bools, Floats, Ints
from freshtake.numeric.blas_threads import one_blas_thread

WINDOW, HOP = 15, 5  # frames at 30 a second
SHRINKAGE = 0.3
PERMUTATIONS = 99


class Likeness(NamedTuple):
    """Area under the ROC curve by grouped cross-validation, and the share of shuffles that reach it."""

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
    """Test whether two sets can be told apart; None where one has fewer than two clips. Without permutations p is 1."""
    if min(len(first), len(second)) < 2:
        return None
    tracks = [*first, *second]
    rows, groups = window_features(gallery, tracks)
    labels = np.arange(len(tracks)) >= len(first)
    # Folds are random: average over eight divisions.
    auc = float(np.mean([cross_validated(rows, groups, labels, rng) for _ in range(8)]))
    # Shuffled labels give the distribution without any difference.
    shuffled = [cross_validated(rows, groups, rng.permutation(labels), rng) for _ in range(permutations)]
    reached = sum(value >= auc for value in shuffled)
    return Likeness(auc, (1 + reached) / (1 + permutations))


def window_features(gallery: Gallery, tracks: Sequence[Track]) -> tuple[Floats, Ints]:
    """Return (windows, features), each column with mean 0 and deviation 1, and the number of each window's track."""
    layout = gallery.layout
    slow = [at_working_rate(layout, track) for track in tracks]
    # The shortest clip has to have two windows.
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
    # Few components: more would fit the noise of few clips.
    parts = [_leading(np.array(poses), 8), _leading(np.array(velocities), 6), np.array(manners)]
    features = np.concatenate(parts, axis=1)
    features -= features.mean(axis=0)
    return features / np.maximum(features.std(axis=0), 1e-12), np.array(groups, dtype=np.intp)


def _manner(world: Floats, frame_time: float, limbs: Bools, size: float) -> list[float]:
    """Return the logarithm of mean speed, acceleration and jerk, of the limbs and of the rest."""
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
    """Return mean AUC over folds; every fold holds clips of both sets, and no clip is in two folds."""
    # Every fold needs clips of both sets.
    folds = min(4, int(labels.sum()), int((~labels).sum()))
    fold = np.zeros(len(labels), dtype=np.intp)
    for side in (labels, ~labels):
        members = rng.permutation(np.flatnonzero(side))
        # Folds are of clips, not windows: windows of one clip are alike and would give the answer away.
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
    # With few clips the covariance is nearly singular, and its inverse mostly noise.
    shrunk = (1.0 - SHRINKAGE) * spread + SHRINKAGE * size * np.eye(len(spread))
    return np.asarray(np.linalg.solve(shrunk, means[1] - means[0]))


def area_under_curve(scores: Floats, labels: Bools) -> float:
    """Return the chance that a true one scores higher than a false one, ties counting half."""
    low, high = np.sort(scores[~labels]), scores[labels]
    # The left and right ranks of equal scores average to half a win each.
    wins = np.searchsorted(low, high, side="left") + np.searchsorted(low, high, side="right")
    return float(wins.mean() / (2.0 * len(low)))


PARTS = {"all": slice(0, 27), "upper": slice(0, 9), "lower": slice(9, 18), "hips": slice(18, 27)}
INPUT, FURTHER, VARIANT = 0, 1, 2
FEWEST = 3  # sets: with two, the classifier learns from one action alone
RIDGE = 3.0


class SetAuc(NamedTuple):
    """AUC by part of the body for one set: variants against real takes; further takes against inputs as control."""

    auc: dict[str, float]
    control: dict[str, float]


@one_blas_thread()
def tell_sets_apart(sets: Mapping[str, Material]) -> dict[str, SetAuc]:
    """Classify each set by the others; AUC 0.5 cannot be told apart, 1 always can.

    A set's clips are `unpacked` inputs, variants and further takes. The control is empty for sets with fewer than two
    further takes.
    """
    if len(sets) < FEWEST:
        raise UsageError(
            f"comparing variants with real takes of other sets needs {FEWEST} sets or more, not {len(sets)}"
        )
    rows, kinds, groups = [], [], []
    for number, (name, material) in enumerate(sets.items()):
        set_rows, kind = _set_rows(name, material)
        rows.append(set_rows)
        kinds.append(kind)
        groups.append(np.full(len(kind), number))
    every, kind, group = np.concatenate(rows), np.concatenate(kinds), np.concatenate(groups)
    return {name: _set_auc(every, kind, group == number) for number, name in enumerate(sets)}


def mean_auc(by_set: Mapping[str, SetAuc]) -> dict[str, float]:
    """Return the mean AUC over all sets, by part of the body."""
    return {part: float(np.mean([one.auc[part] for one in by_set.values()])) for part in PARTS}


def _set_auc(rows: Floats, kind: Ints, out: Bools) -> SetAuc:
    real = kind != VARIANT
    auc = {part: _tried(rows[:, columns], kind == VARIANT, ~out, out) for part, columns in PARTS.items()}
    if (kind[out] == FURTHER).sum() < 2 or not (kind[out] == INPUT).any():
        return SetAuc(auc, {})
    control = {part: _tried(rows[:, c], kind == FURTHER, ~out & real, out & real) for part, c in PARTS.items()}
    return SetAuc(auc, control)


def _tried(rows: Floats, labels: Bools, train: Bools, test: Bools) -> float:
    return area_under_curve(logistic(rows[train], labels[train])(rows[test]), labels[test])


def _set_rows(name: str, material: Material) -> tuple[Floats, Ints]:
    """Return the movement of clips minus that of the inputs (an input: of the other inputs), and their labels."""
    joints = material.layout.joints
    if joints is None or not joints.upper or not joints.lower:
        raise UsageError(f"{name}: clips are compared by hands, feet and hips, but no joints have such names")
    # Thirty variants at most, so that they do not outnumber real clips too much.
    inputs, variants, further = (
        np.array([movement(joints, track) for track in tracks]).reshape(-1, 27)
        for tracks in (material.inputs, material.variants[:30], material.extra)
    )
    others = [np.delete(inputs, k, axis=0).mean(axis=0) for k in range(len(inputs))] if len(inputs) > 1 else []
    left_out = inputs - np.array(others) if others else inputs[:0]
    mean = inputs.mean(axis=0)
    counts = (len(left_out), len(further), len(variants))
    return np.concatenate([left_out, further - mean, variants - mean]), np.repeat([INPUT, FURTHER, VARIANT], counts)


def movement(joints: Joints, track: Track) -> Floats:
    """Return 27 numbers that describe how a body moves.

    Logarithms of root mean square, median and 98th percentile of speed, acceleration and jerk, for upper body, lower
    body and hips.
    """
    body = body_positions(joints, track)
    hips = track.world[:, [joints.hips]] / joints.leg
    features: list[float] = []
    for positions in (body[:, joints.upper], body[:, joints.lower], hips):
        rate = positions
        for _ in range(3):
            rate = np.gradient(rate, track.frame_time, axis=0)
            size = np.linalg.norm(rate, axis=-1)
            features += [float(np.sqrt((size**2).mean())), float(np.median(size)), float(np.percentile(size, 98))]
    # A thousandth of a leg keeps the logarithm finite for joints that do not move.
    return np.log(np.array(features) + 1e-3)


def logistic(rows: Floats, labels: Bools) -> Callable[[Floats], Floats]:
    """Fit a logistic regression: columns standardised, classes of equal weight, ridge on all but the intercept."""
    center, scale = rows.mean(axis=0), rows.std(axis=0) + 1e-9

    def design(values: Floats) -> Floats:
        return np.column_stack([np.ones(len(values)), (values - center) / scale])

    design_matrix, share = design(rows), labels.mean()
    weights = np.where(labels, 0.5 / share, 0.5 / (1.0 - share))
    penalty = np.full(design_matrix.shape[1], RIDGE)
    penalty[0] = 0.0
    coefficients = np.zeros(design_matrix.shape[1])
    # A bound: Newton's steps usually converge sooner.
    for _ in range(30):
        chance = 0.5 + 0.5 * np.tanh(0.5 * (design_matrix @ coefficients))  # 1 / (1 + exp(-x)) without overflow
        slope = design_matrix.T @ (weights * (chance - labels)) + penalty * coefficients
        curvature = weights * chance * (1.0 - chance) + 1e-9
        # the ridge is on the intercept's curvature too, which shortens steps but does not change the solution
        coefficients -= np.linalg.solve(
            design_matrix.T @ (curvature[:, None] * design_matrix) + RIDGE * np.eye(len(coefficients)), slope
        )
    return lambda values: np.asarray(design(values) @ coefficients)
