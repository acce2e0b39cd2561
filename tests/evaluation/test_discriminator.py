"""A classifier trained on other sets detects shaking variants, but not real takes."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.telling_apart import RIDGE, logistic, mean_auc, movement, tell_sets_apart
from scipy.optimize import minimize

from freshtake.errors import UsageError
from freshtake.evaluation.comparable import Material, unpacked
from freshtake.evaluation.dofs import body_joints
from freshtake.motion import Clip, Skeleton, Stroke
from tests.evaluation.stepping import NAMES, OFFSETS, PARENTS, SKELETON, jittered, takes


def sets(angle: float) -> dict[str, Material]:
    """Three sets; each has eight variants, takes with white noise on every joint."""
    rng = np.random.default_rng(9)
    found = {}
    for seed in range(3):
        variants = [jittered(clip, rng, angle) if angle else clip for clip in takes(30 + seed, 8)]
        found[f"set {seed}"] = unpacked(takes(10 + seed, 4), variants, takes(20 + seed, 3))
    return found


def test_noise_is_found_and_real_takes_are_not() -> None:
    shaken, real = tell_sets_apart(sets(0.01)), tell_sets_apart(sets(0.0))
    assert mean_auc(shaken)["all"] > 0.95
    assert mean_auc(shaken)["upper"] > 0.95
    assert 0.2 < mean_auc(real)["all"] < 0.8
    assert all(set(one.control) == set(one.auc) for one in shaken.values())
    assert 0.15 < np.mean([one.control["all"] for one in shaken.values()]) < 0.85


def test_logistic_minimises_its_loss() -> None:
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(2.0, 3.0, size=(60, 4)), np.arange(60) < 20
    rows[labels] += [1.0, 0.0, -2.0, 0.5]
    unit = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    weights = np.where(labels, 1.5, 0.75)

    def loss(w: np.ndarray) -> float:
        signed = np.where(labels, 1, -1) * (w[0] + unit @ w[1:])
        return float((weights * np.log1p(np.exp(-signed))).sum() + 0.5 * RIDGE * (w[1:] ** 2).sum())

    best = minimize(loss, np.zeros(5), tol=1e-12).x
    assert np.allclose(logistic(rows, labels)(rows), best[0] + unit @ best[1:], atol=1e-4)


def test_27_numbers_say_how_fast_each_part_moves() -> None:
    joints = body_joints(SKELETON)
    clip = takes(1, 1)[0]
    slow, fast = clip, clip.changed(frame_time=clip.frame_time / 2)
    numbers = [movement(joints, unpacked([one], [one], []).inputs[0]) for one in (slow, fast)]
    assert numbers[0].shape == (27,)
    assert np.allclose((numbers[1] - numbers[0])[[0, 3, 6]], np.log([2, 4, 8]), atol=0.01)
    assert np.allclose(numbers[0][18:], np.log(1e-3))  # the hips stand still


def test_few_sets_and_sets_without_limbs_are_refused() -> None:
    with pytest.raises(UsageError, match="needs 3 sets or more, not 2"):
        tell_sets_apart(dict(list(sets(0.0).items())[:2]))
    plain = Skeleton(tuple(f"j{k}" for k in range(len(NAMES))), PARENTS, np.abs(OFFSETS))
    clips = [Clip(plain, one.frame_time, one.root, one.rotations) for one in takes(1, 3)]
    found = {**sets(0.0), "crates": unpacked(clips, clips, [])}
    with pytest.raises(UsageError, match="crates: clips are compared by hands, feet and hips"):
        tell_sets_apart(found)
    line = Stroke(np.random.default_rng(0).normal(size=(10, 2)), np.arange(10) / 60)
    with pytest.raises(UsageError, match="letters"):
        tell_sets_apart({**sets(0.0), "letters": unpacked([line], [line], [])})
