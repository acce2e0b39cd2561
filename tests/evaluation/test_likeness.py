"""The classifier tells jitter from real takes, and does not tell real takes from real takes."""

from __future__ import annotations

import numpy as np

from freshtake.evaluation import likeness
from tests.evaluation.stepping import jittered, prepared, takes


def test_the_area_equals_counting_pairs() -> None:
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 6, size=40).astype(float)
    labels = rng.random(40) < 0.4
    wins = [(a > b) + 0.5 * (a == b) for a in scores[labels] for b in scores[~labels]]
    assert np.isclose(likeness.area_under_curve(scores, labels), np.mean(wins))


def test_the_discriminant_points_from_mean_to_mean_when_spreads_are_round() -> None:
    rng = np.random.default_rng(1)
    labels = np.arange(4000) % 2 == 1
    rows = rng.normal(size=(4000, 3)) + np.outer(labels, [2.0, 0.0, -1.0])
    found = likeness.discriminant(rows, labels)
    assert found @ [2.0, 0.0, -1.0] / np.linalg.norm(found) / np.sqrt(5) > 0.99


def test_windows_of_one_clip_never_stand_on_both_sides() -> None:
    """Every clip has its own position: a leak would recognize it, honest folds can only guess."""
    rng = np.random.default_rng(2)
    found = []
    for _ in range(30):
        groups = np.repeat(np.arange(12), 8)
        rows = rng.normal(size=(12, 6))[groups] + 0.01 * rng.normal(size=(96, 6))
        found.append(likeness.cross_validated(rows, groups, np.arange(12) % 2 == 0, rng))
    assert abs(np.mean(found) - 0.5) < 0.12


def test_real_takes_are_alike_and_jitter_is_not() -> None:
    rng = np.random.default_rng(3)
    noisy = [jittered(clip, rng, 0.01) for clip in takes(13, 6)]
    gallery, material = prepared(takes(11, 4), noisy, takes(12, 6))
    alike = [likeness.tell_apart(gallery, material.extra[:3], material.extra[3:], rng) for _ in range(2)]
    apart = likeness.tell_apart(gallery, material.extra, material.variants, rng)
    assert all(one is not None and one.auc < 0.9 and one.p > 0.05 for one in alike)
    assert apart is not None
    assert apart.auc > 0.97
    assert apart.p <= 0.02
    assert likeness.tell_apart(gallery, material.extra[:1], material.variants, rng) is None
