"""Characters drawn by hand: timing is kept, variants differ, and pen lifts are preserved."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

from freshtake.errors import UsageError
from freshtake.motion import Stroke
from freshtake.numeric.arrays import Floats
from freshtake.samples import circle, digit_2, letter_a
from freshtake.serve.drawing import drawn_strokes, pens_of, stroke_model, stroke_variants
from freshtake.serve.job_requests import Draw
from freshtake.serve.movements import distance, print_of
from freshtake.serve.routes.previews import VariantsOf


def letters(count: int = 4) -> list[list[list[list[float]]]]:
    """Drawings of an "a", five times as slow as a practised hand, as a page reports them."""
    made = [letter_a(np.random.default_rng(k)) for k in range(count)]
    return [[np.column_stack([one.points, 5.0 * one.times]).tolist()] for one in made]


def crosses(count: int = 4) -> list[list[list[list[float]]]]:
    """A cross of two strokes, the second after the pen was lifted for 0.3 s."""
    made = []
    for k in range(count):
        t = np.linspace(0.0, 0.5, 40 + k)
        first = np.column_stack([10 + 100 * t / 0.5, np.full(len(t), 50.0 + k), t])
        second = np.column_stack([np.full(len(t), 60.0 - k), 100 - 100 * t / 0.5, t + 0.8])
        made.append([first.tolist(), second.tolist()])
    return made


def test_the_timing_of_the_hand_is_kept() -> None:
    drawn = letters()
    strokes = drawn_strokes(drawn)
    for pens, stroke in zip(drawn, strokes, strict=True):
        assert stroke.duration == pytest.approx(pens[0][-1][2], abs=0.011)
        middle = np.interp(0.5, [p[2] for p in pens[0]], [p[0] for p in pens[0]])
        assert np.interp(0.5, stroke.times, stroke.points[:, 0]) == pytest.approx(middle, abs=0.5)


def test_variants_differ_from_one_another_and_have_their_own_timing() -> None:
    strokes = drawn_strokes(letters())
    made = stroke_variants(strokes, 15)
    assert len({one.points.tobytes() for one in made}) == 15
    assert len({len(one) for one in made}) > 2
    size = np.ptp(strokes[0].points, axis=0).max()
    assert all(0.6 < np.ptp(one.points, axis=0).max() / size < 1.6 for one in made)
    calm = stroke_variants(strokes, 15, amount=0.0)
    ends = np.array([one.points[-1] for one in calm])
    assert np.ptp(ends, axis=0).max() < 0.3 * np.ptp([one.points[-1] for one in made], axis=0).max()


def test_the_same_seed_gives_the_same_variants_and_the_model_is_kept() -> None:
    strokes = drawn_strokes(letters())
    assert stroke_model(strokes) is stroke_model(drawn_strokes(letters()))
    first, again = (stroke_variants(strokes, 3, seed=5)[2].points for _ in range(2))
    assert np.array_equal(first, again)


def test_a_pen_that_lifts_lifts_in_variants_too() -> None:
    made = stroke_variants(drawn_strokes(crosses()), 6)
    for one in made:
        pens = pens_of(one)
        assert len(pens) == 2
        assert pens[1][0][2] - pens[0][-1][2] == pytest.approx(0.3, abs=0.15)


def test_points_reported_together_and_clocks_that_step_back_are_taken() -> None:
    times = [0.0, 0.1, 0.1, 0.1, 0.05, 0.3, 0.6]
    pen = [[float(k), float(k * k), t] for k, t in enumerate(times)]
    stroke = drawn_strokes([[pen], [pen]])[0]
    assert np.all(np.diff(stroke.times) > 0.0)


@pytest.mark.parametrize(
    ("drawings", "words"),
    [
        ([letters()[0]], "2 to 12 drawings"),
        ([letters()[0], []], "1 strokes of the pen|0 strokes of the pen"),
        ([letters()[0], crosses()[0]], "in the same way each time"),
        ([[[[1.0, 1.0, 0.0], [1.0, 1.0, 1.0]]]] * 2, "is a dot"),
        ([[[[0.0, 0.0, 0.0], [9.0, 0.0, 99.0]]]] * 2, "took 99.00 s"),
        ([[], []], "is empty"),
    ],
)
def test_what_cannot_be_learned_from_is_refused_in_one_sentence(
    drawings: list[list[list[list[float]]]], words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        drawn_strokes(drawings)


@pytest.mark.parametrize(
    "asked", [{"number": 0}, {"number": 999}, {"amount": float("nan")}, {"amount": 9.0}, {"seed": -1}]
)
def test_numbers_beyond_reason_are_refused(asked: dict[str, float]) -> None:
    body = {"drawings": letters(), **asked}
    with pytest.raises(ValidationError, match=next(iter(asked))):
        VariantsOf.model_validate(body)
    with pytest.raises(ValidationError, match=next(iter(asked))):
        Draw.model_validate({"task": "draw", **body})


def mouse_events(stroke: Stroke, rate: float, pixels: float, rng: np.random.Generator) -> list[list[list[float]]]:
    """What a browser reports of a hand: unevenly spaced events, positions in pixels, times in milliseconds."""
    places, times = 1.2 * stroke.points + np.array([16.0, 25.0]), 4.0 * stroke.times
    count = int(times[-1] * rate)
    when = np.sort(np.linspace(0.0, times[-1], count) + rng.normal(0.0, 0.25 / rate, count)).clip(0.0, times[-1])
    seen = np.stack([np.interp(when, times, column) for column in places.T], axis=1)
    seen = np.round(seen / 100.0 * pixels) / pixels * 100.0
    told = np.maximum.accumulate(np.round(when + rng.uniform(0.0, 0.008, count), 3))
    return [np.column_stack([seen, told - told[0]]).tolist()]


def roughness(points: Floats) -> float:
    """How unevenly a line bends, at equal steps along it."""
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    at = np.linspace(0.0, way[-1], 120)
    steps = np.diff(np.stack([np.interp(at, way, column) for column in points.T], axis=1), axis=0)
    angles = np.unwrap(np.arctan2(steps[:, 1], steps[:, 0]))
    return float(np.sqrt((np.diff(angles, 2) ** 2).mean()))


@pytest.mark.parametrize("pixels", [70.0, 190.0])
@pytest.mark.parametrize("rate", [20.0, 40.0, 60.0, 120.0])
def test_letters_drawn_with_a_mouse_are_smooth_and_recognized(rate: float, pixels: float) -> None:
    clean = {make: [make(np.random.default_rng([7, k])) for k in range(4)] for make in (letter_a, digit_2, circle)}
    shapes = {make: np.mean([print_of(one).cloud for one in some], axis=0) for make, some in clean.items()}
    rng, known = np.random.default_rng(3), []
    for make in (letter_a, digit_2):
        strokes = drawn_strokes([mouse_events(one, rate, pixels, rng) for one in clean[make]])
        variants = stroke_variants(strokes, 15)
        hand = drawn_strokes([[np.column_stack([100.0 * s.points, 4.0 * s.times]).tolist()] for s in clean[make]])
        smooth, drawn, made = (np.mean([roughness(one.points) for one in some]) for some in (hand, strokes, variants))
        assert drawn < 1.6 * smooth and made < 2.0 * smooth
        for variant in variants:
            cloud = print_of(variant).cloud
            known.append(min(shapes, key=lambda other: distance(cloud, shapes[other])) is make)
    assert np.mean(known) >= 0.95
