"""One bad frame in a live stream is refused with a sentence and leaves the state unchanged, in every method."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

import freshtake as ft
from freshtake import samples
from freshtake.errors import FreshtakeError, InvalidMotion, UsageError
from freshtake.methods.live import LiveStream
from freshtake.motion import Clip
from freshtake.motion.features.coding import checked_rows
from freshtake.motion.planting import Planter
from tests.style.pairs_of_clips import model, walk


def bad_rows(row: Any) -> Iterator[Any]:
    broken = row.copy()
    broken[3] = np.nan
    yield broken
    yield np.where(np.arange(len(row)) == 0, np.inf, row)
    yield row[:-1]
    yield np.append(row, 0.0)
    yield np.zeros((1, 1, len(row)))
    yield "a row"


def test_rows_are_checked_with_a_sentence() -> None:
    names = ("Hips.forward", "Hips.height")
    np.testing.assert_array_equal(checked_rows([1.0, 2.0], names), [[1.0, 2.0]])
    with pytest.raises(InvalidMotion, match=r"'Hips\.height' is nan in row 1"):
        checked_rows([[1.0, 2.0], [3.0, np.nan]], names)
    with pytest.raises(InvalidMotion, match="a row has 3 numbers, but the model has 2 DOFs"):
        checked_rows(np.zeros((4, 3)), names)


def test_a_live_stream_goes_on_after_an_input_that_was_refused() -> None:
    def halved(value: Any) -> list[int]:
        if value % 2:
            raise UsageError("odd")
        return [value // 2] * 2

    stream = LiveStream([2, 3, 4], halved, lambda: [9])
    assert [next(stream), next(stream)] == [1, 1]
    with pytest.raises(UsageError):
        next(stream)
    assert list(stream) == [2, 2, 9]


@pytest.mark.parametrize("plant", [False, True])
def test_style_refuses_a_bad_row_and_goes_on_as_if_it_had_not_come(plant: bool) -> None:
    learned = model()
    rows = learned.encode(walk(71)).values[:40]
    clean = list(learned.stream(rows, decode=True, plant=plant))
    for bad in bad_rows(rows[20]):
        stream = learned.stream([*rows[:20], bad, *rows[20:]], decode=True, plant=plant)
        made, refused = [], 0
        while True:
            try:
                made.append(next(stream))
            except StopIteration:
                break
            except FreshtakeError:
                refused += 1
        assert refused == 1
        assert len(made) == len(clean)
        for a, b in zip(made, clean, strict=True):
            np.testing.assert_array_equal(a.rotations, b.rotations)
            np.testing.assert_array_equal(a.root, b.root)


def test_a_style_state_survives_a_bad_row() -> None:
    learned = model()
    rows = learned.encode(walk(72)).values
    state, _ = learned.advance(learned.start(), rows[:30])
    kept = [np.array(part) for part in state]
    for bad in bad_rows(rows[30]):
        with pytest.raises(FreshtakeError):
            learned.advance(state, bad)
        with pytest.raises(FreshtakeError):
            learned.translate_rows(bad)
    for part, before in zip(state, kept, strict=True):
        np.testing.assert_array_equal(part, before)
    with pytest.raises(InvalidMotion):
        learned.start(np.full((5, rows.shape[1]), np.nan))


def test_a_planter_refuses_bad_frames_and_keeps_its_state() -> None:
    clip = walk(73)
    planter = Planter.learn([clip])
    flags = np.ones((len(clip), 2))

    def planted(broken: bool) -> Any:
        state, parts = planter.start(), []
        for t in range(len(clip)):
            if broken and t == 25:
                root, turns = clip.root[t], clip.rotations[t]
                for frame in (
                    (root * np.nan, turns, flags[t]),
                    (root, turns * np.nan, flags[t]),
                    (root[:2], turns, flags[t]),
                    (root, turns[:-1], flags[t]),
                    (root, turns, [np.nan, 1.0]),
                    (root, turns, [1.0] * 7),
                ):
                    with pytest.raises(FreshtakeError):
                        planter.feed(state, *frame)
            state, ready = planter.feed(state, clip.root[t], clip.rotations[t], flags[t])
            parts.append(ready.rotations)
        return np.concatenate([*parts, planter.finish(state).rotations])

    np.testing.assert_array_equal(planted(True), planted(False))


@cache
def gaits() -> Any:
    return ft.density.learn({"walk": [walk(1)], "limp": [walk(2, "limp")]})


@pytest.mark.parametrize(
    "bad",
    [{"walk": np.nan}, {"jump": 1.0}, np.array([[np.nan, 1.0]]), np.ones((1, 3)) / 3, np.array([[0.5, 0.4]]), np.nan],
)
def test_density_refuses_bad_weights_before_anything_changes(bad: Any) -> None:
    rngs = [np.random.default_rng(0) for _ in range(2)]
    states = [gaits().start(rng) for rng in rngs]
    with pytest.raises(UsageError):
        gaits().advance(states[0], bad, rngs[0])
    frames = [gaits().advance(state, {"walk": 1.0}, rng)[1] for state, rng in zip(states, rngs, strict=True)]
    np.testing.assert_array_equal(*frames)


def test_texture_refuses_a_cell_that_is_none_and_rows_that_are_none() -> None:
    texture = ft.texture.learn(walk(3))
    rng = np.random.default_rng(0)
    state, rows = texture.advance(texture.start(rng), rng, 5)
    before = texture.advance(state, np.random.default_rng(1), 5)[1]
    with pytest.raises(UsageError):
        texture.steer(state, "nowhere")
    for bad in (rows * np.nan, rows[:, :-1]):
        with pytest.raises(FreshtakeError):
            texture.decode(bad)
    np.testing.assert_array_equal(texture.advance(state, np.random.default_rng(1), 5)[1], before)


def test_variation_refuses_bad_rows_and_bad_steering() -> None:
    clips = [samples.cheer(np.random.default_rng(k)) for k in (1, 2)]
    learned = ft.variation.learn(clips, rng=np.random.default_rng(0))
    assert isinstance(clips[0], Clip)
    rows = learned.encode(clips[0])
    for bad in (rows * np.nan, rows[:, :-1]):
        for act in (learned.decode, learned.score_rows):
            with pytest.raises(InvalidMotion):
                act(bad)
    for wrong in ({"heading": np.nan}, {"horizon": np.nan}, {"limit": np.nan}, {"path": [[0.0, np.nan], [1.0, 1.0]]}):
        with pytest.raises(FreshtakeError):
            ft.variation.Steering(**wrong)  # type: ignore[arg-type]
