"""Test whether variants can be told from real takes by a classifier that knows other actions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.evaluation.comparable import Material
from freshtake.evaluation.dofs import Joints
from freshtake.evaluation.likeness import area_under_curve
from freshtake.evaluation.realness import body_positions
from freshtake.evaluation.tracks import Track
from freshtake.numeric.arrays import Bools, Floats, Ints
from freshtake.numeric.blas_threads import one_blas_thread

PARTS = {"all": slice(0, 27), "upper": slice(0, 9), "lower": slice(9, 18), "hips": slice(18, 27)}
INPUT, FURTHER, VARIANT = 0, 1, 2
FEWEST = 3  # sets: with two, the classifier would learn from only one action
RIDGE = 3.0


class SetAuc(NamedTuple):
    """AUC by part of the body for one set: variants and real takes; as control, unseen takes and inputs."""

    auc: dict[str, float]
    control: dict[str, float]


@one_blas_thread()
def tell_sets_apart(sets: Mapping[str, Material]) -> dict[str, SetAuc]:
    """Classify each set by the others; an AUC of 0.5 is chance, 1 is never wrong.

    A set's clips are `unpacked` inputs, variants and unseen takes. The control is empty for sets with fewer than
    two unseen takes.
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
    # At most thirty variants, so they do not outnumber real clips too much.
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
