"""The common phase: monotone, from end to end, and a known warp is recovered."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.variation.phase import align, common_phase, read_at, read_sharply, representative
from tests.variation.small_takes import takes


def curve(u: np.ndarray) -> np.ndarray:
    return np.stack([np.sin(2 * np.pi * u), np.cos(2 * np.pi * u), u + 0.2 * np.sin(5 * u)], axis=1)


def test_a_known_warp_is_recovered() -> None:
    """One example runs through the curve evenly, one with its middle early, one with it late."""
    u = np.linspace(0.0, 1.0, 120)
    bend = 0.06 * np.sin(np.pi * u) ** 2
    examples = [curve(u), curve(u + bend), curve(u - bend)]
    phase_frames = align(examples, np.ones(3), 2.0)
    reached = np.stack(
        [np.interp(phase_frames[:, k], np.arange(120), w) for k, w in enumerate([u, u + bend, u - bend])]
    )
    assert np.abs(reached - reached.mean(axis=0)).max() < 0.01  # share of the motion; 0.06 when not aligned


@pytest.mark.parametrize("cyclic", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_places_rise_from_the_first_frame_to_the_last(cyclic: bool, seed: int) -> None:
    examples = takes(seed, lengths=(41, 33, 50), cyclic=cyclic)
    phase_frames = align(examples, np.ones(4), 1.0)
    assert len(phase_frames) == round((41 + 33 + 50) / 3)
    assert (np.diff(phase_frames, axis=0) > 0).all()
    np.testing.assert_allclose(phase_frames[0], 0.0, atol=1e-12)
    np.testing.assert_allclose(phase_frames[-1], [40, 32, 49], atol=1e-9)


def test_one_example_is_its_own_phase() -> None:
    np.testing.assert_allclose(align(takes(0, lengths=(9,)), np.ones(4), 1.0)[:, 0], np.arange(9))


def test_order_of_examples_does_not_matter() -> None:
    examples = takes(1, lengths=(30, 33, 36))
    phase_frames = align(examples, np.ones(4), 1.0)
    np.testing.assert_allclose(align(examples[::-1], np.ones(4), 1.0), phase_frames[:, ::-1], atol=1e-9)


def test_of_many_examples_a_dozen_give_the_mean_and_all_are_warped_onto_it() -> None:
    """Representative takes are placed as if alone; a copy of one is placed where it is."""
    many = takes(2, lengths=(30,) * 25)
    chosen = representative(many)
    phase_frames = align(many, np.ones(4), 1.0)
    assert phase_frames.shape == (30, 25)
    np.testing.assert_array_equal(phase_frames[:, chosen], align([many[k] for k in chosen], np.ones(4), 1.0))
    left = next(k for k in range(25) if k not in chosen)
    many[left] = many[chosen[3]]
    np.testing.assert_array_equal(align(many, np.ones(4), 1.0)[:, left], phase_frames[:, chosen[3]])


def test_reading_keeps_frames_and_is_exact_for_quadratics() -> None:
    t = np.arange(10.0)
    rows = np.stack([t, t**2], axis=1)
    np.testing.assert_array_equal(read_at(rows, t), rows)
    inside = np.array([1.25, 4.5, 7.9])
    np.testing.assert_allclose(read_at(rows, inside), np.stack([inside, inside**2], axis=1), atol=1e-12)
    np.testing.assert_array_equal(read_at(rows, np.array([-3.0, 99.0])), rows[[0, -1]])


def test_quick_movement_is_read_sharply() -> None:
    """Frames are met exactly; between them a wave of three frames keeps its size, of which a cubic loses a fifth."""
    frames = np.arange(60.0)
    wave = np.sin(2.0 * np.pi * frames / 3.0)[:, None]
    between = frames[6:-6] + 0.5
    exact = np.sin(2.0 * np.pi * between / 3.0)[:, None]
    np.testing.assert_allclose(read_sharply(wave, frames), wave, atol=1e-12)
    assert np.abs(read_sharply(wave, between) - exact).max() < 0.03
    assert np.abs(read_at(wave, between) - exact).max() > 0.1


def test_a_line_is_read_as_a_line_up_to_its_ends() -> None:
    line = np.stack([np.arange(12.0), 3.0 - 2.0 * np.arange(12.0)], axis=1)
    at = np.linspace(0.0, 11.0, 45)
    np.testing.assert_allclose(read_sharply(line, at)[:, 0], at, atol=0.02)
    np.testing.assert_allclose(read_sharply(line[:2], np.array([0.5])), [[0.5, 2.0]], atol=0.1)


def test_paces_are_smooth_and_ends_stay() -> None:
    examples = takes(1, lengths=(60, 66, 72))
    frames = common_phase(examples, np.ones(4), 1 / 30)
    np.testing.assert_allclose(frames[[0, -1]], [[0, 0, 0], [59, 65, 71]], atol=1e-9)
    assert (np.diff(frames, axis=0) > 0.3).all()
    assert np.abs(np.diff(frames, 2, axis=0)).max() < 0.05
