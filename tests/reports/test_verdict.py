"""The sentence of an evaluation says what its figures say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from freshtake.evaluation import Evaluation, evaluate
from freshtake.evaluation.results import Figure
from freshtake.reports.verdict import WORDS, excess, verdict_of
from tests.evaluation.stepping import takes


@pytest.fixture(scope="module")
def result() -> Evaluation:
    return evaluate(takes(1, 3), takes(3, 3), takes(2, 2), rng=np.random.default_rng(0))


def with_figures(result: Evaluation, *figures: Figure) -> Evaluation:
    return replace(result, figures=figures)


def test_every_word_belongs_to_a_figure() -> None:
    from freshtake.evaluation.figure_kinds import BY_KEY

    assert set(WORDS) <= set(BY_KEY)


def test_figures_like_real_takes_are_praised_and_usable(result: Evaluation) -> None:
    found = verdict_of(
        with_figures(result, Figure("copied", 0.0, left_out=(0.0,)), Figure("hip_jerk", 1.0, (), (0.9, 1.1)))
    )
    assert found.usable and found.look_at == ()
    assert found.sentence == "Usable: no frame is a copy, the hips move as smoothly."


def test_a_little_beyond_is_worth_a_look_and_far_beyond_is_the_headline(result: Evaluation) -> None:
    copied = Figure("copied", 0.0, left_out=(0.0,))
    little = verdict_of(with_figures(result, copied, Figure("hip_jerk", 1.21, (), (0.9, 1.1))))
    assert little.sentence == (
        "Usable: no frame is a copy; worth a look: the hips shake more than in real takes (by 10 %)."
    )
    far = verdict_of(with_figures(result, copied, Figure("planted_speed", 9.0, (), (2.0, 3.0))))
    assert not far.usable
    assert far.sentence == (
        "Look at: standing feet slide more than in real takes (by 200 %). Otherwise no frame is a copy."
    )


def test_copies_are_never_usable(result: Evaluation) -> None:
    found = verdict_of(with_figures(result, Figure("copied", 0.4, left_out=(0.0,))))
    assert found.sentence == "Look at: 40.0 % of the frames are copies of a take."


def test_excess_is_measured_from_the_nearest_real_value() -> None:
    assert excess(Figure("nearest", 1.0, (), (2.0, 4.0))) == pytest.approx(0.5)
    assert excess(Figure("nearest", 5.0, (), (2.0, 4.0))) == pytest.approx(0.25)
    assert excess(Figure("nearest", 3.0, (), (2.0, 4.0))) == 0.0
    assert excess(Figure("depth", 0.04, (), (0.0,))) == pytest.approx(0.02)


def test_a_complete_evaluation_has_a_verdict(result: Evaluation) -> None:
    assert verdict_of(result).sentence.startswith(("Usable: ", "Look at: "))
