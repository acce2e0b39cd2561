from __future__ import annotations

import numpy as np
import pytest

from freshtake.density.class_weights import from_balance, mixed, schedule
from freshtake.errors import UsageError

CLASSES = ("walk", "run", "skip")


def test_words_are_linear_from_knot_to_knot() -> None:
    plan = schedule(CLASSES, "walk:1->run:1 → skip:0.5, walk:0.5", 101)
    np.testing.assert_allclose(plan[[0, 25, 50, 75, 100]],
                               [[1, 0, 0], [0.5, 0.5, 0], [0, 1, 0], [0.25, 0.5, 0.25], [0.5, 0, 0.5]])  # fmt: skip
    np.testing.assert_allclose(plan.sum(axis=1), 1.0)
    np.testing.assert_array_equal(schedule(CLASSES, "run:1", 1), [[0, 1, 0]])


def test_weights_come_in_many_forms() -> None:
    np.testing.assert_array_equal(schedule(CLASSES, None, 2), [[1, 0, 0]] * 2)
    np.testing.assert_array_equal(schedule(CLASSES, {"run": 0.25, "walk": 0.75}, 1), [[0.75, 0.25, 0]])
    np.testing.assert_allclose(schedule(("a", "b"), 0.5, 2), [[0.75, 0.25]] * 2)
    live = schedule(("a", "b"), lambda t: {"a": 1 - t / 4, "b": t / 4}, 5)
    np.testing.assert_allclose(live[:, 1], [0, 0.25, 0.5, 0.75, 1])
    np.testing.assert_array_equal(from_balance(("a", "b"), -1.0), [0, 1])


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ("walk:0.5", "the weights must sum to 1, but sum to 0.5"),
        ("walk:1,run:1", "the weights must sum to 1, but sum to 2"),
        ("hop:1", "there is no class 'hop'; the classes are walk, run, skip"),
        ("walk", "'walk' is not a weight: write NAME:NUMBER"),
        ("walk:x", "'walk:x' is not a weight"),
        ("walk:nan", "is not a weight"),
        ("walk:1->", "is not a weight"),
        ("walk:0.5,walk:0.5", "the class 'walk' is named twice"),
        ({"walk": -1.0, "run": 2.0}, "the weight of 'walk' must be a number of 0 or more"),
        (0.5, "a single weight w blends two classes, but there are 3"),
        (np.ones((2, 2)), "weights must be 4 rows of 3 classes"),
        (np.full((4, 3), np.nan), "weights must be numbers of 0 or more"),
    ],
)
def test_wrong_weights_are_one_sentence(weights: object, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence.replace("(", r"\(")):
        schedule(CLASSES, weights, 4)


def test_w_lies_between_minus_one_and_one() -> None:
    with pytest.raises(UsageError, match="between -1 and 1"):
        from_balance(("a", "b"), 1.2)
    with pytest.raises(UsageError, match="no class 'c'"):
        mixed(("a", "b"), {"c": 1.0})
