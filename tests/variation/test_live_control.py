"""Streams whose amount and heading change while they run."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

import freshtake as ft
from freshtake.motion import Clip
from freshtake.samples import walk
from freshtake.variation.live import LiveControl, _changing_blocks, _nearer
from freshtake.variation.model import VariationModel


@pytest.fixture(scope="module")
def model() -> VariationModel:
    takes = [walk(np.random.default_rng(k)) for k in range(4)]
    return ft.variation.learn(takes, rng=np.random.default_rng(0), cyclic=True)


def rows(model: VariationModel, count: int, control: object, seed: int = 5) -> np.ndarray:
    return np.array(list(islice(model.stream(np.random.default_rng(seed), control=control), count)))  # type: ignore[arg-type]


def test_a_control_that_does_not_change_is_the_plain_stream(model: VariationModel) -> None:
    plain = np.array(list(islice(model.stream(np.random.default_rng(5), amount=0.7), 200)))
    np.testing.assert_allclose(rows(model, 200, lambda: LiveControl(0.7)), plain, rtol=1e-6, atol=1e-7)


def test_an_amount_changes_by_a_tenth_in_a_twentieth_of_a_second(model: VariationModel) -> None:
    assert [_nearer(1.0, wanted) for wanted in (0.0, 0.95, 3.0)] == pytest.approx([0.9, 0.95, 1.1])
    block = next(_changing_blocks(model, np.random.default_rng(0), LiveControl))
    assert len(block.rows) == round(0.05 / model.frame_time)


def test_another_amount_comes_in_without_a_jump_and_holds(model: VariationModel) -> None:
    now = [LiveControl(1.0)]
    made = []
    for number, row in enumerate(islice(model.stream(np.random.default_rng(5), control=lambda: now[0]), 600)):
        made.append(row)
        if number == 200:
            now[0] = LiveControl(0.0)
    steps = np.abs(np.diff(np.array(made), axis=0)).max(axis=1)
    assert steps[190:240].max() < 1.5 * steps[:190].max()
    # Without variation two streams differ in their phase at most, which falls between frames.
    coarse = rows(model, 200, lambda: LiveControl(0.0), seed=9)
    mean = np.concatenate([coarse[:-1] + share * np.diff(coarse, axis=0) for share in np.linspace(0, 1, 9)[:-1]])
    near = [np.abs(mean - row).max(axis=1).min() for row in made[400:]]
    far = [np.abs(mean - row).max(axis=1).min() for row in made[:200]]
    assert max(near) < 0.5 * np.median(far)


def test_a_heading_is_taken_up_when_it_is_asked_for(model: VariationModel) -> None:
    now = [LiveControl(0.5)]
    frames: list[Clip] = []
    for number, clip in enumerate(
        islice(model.stream(np.random.default_rng(5), control=lambda: now[0], decode=True), 900)
    ):
        frames.append(clip)
        if number in (200, 600):
            now[0] = LiveControl(0.5, np.pi / 2 if number == 200 else None)
    places = np.array([clip.root[0, [0, 2]] for clip in frames])
    straight, turned = places[150] - places[50], places[590] - places[490]
    angle = [np.arctan2(*way) for way in (straight, turned)]
    assert abs(angle[0]) < 0.3 and abs(angle[1] - angle[0] - np.pi / 2) < 0.3
