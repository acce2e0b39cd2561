from __future__ import annotations

import numpy as np
import pytest

from freshtake.density.time_alignment import AlignedState, advance_aligned, fit_sine, phases
from tests.density.made import PERIOD, two_orbits


@pytest.mark.parametrize("period", [11.3, 37.0, 90.5])
def test_a_sine_is_found_again(period: float) -> None:
    times = np.arange(200.0)
    curve = 4.0 + 2.5 * np.sin(2.0 * np.pi * times / period + 0.7)
    fit = fit_sine(curve)
    assert fit.period == pytest.approx(period, rel=1e-4)
    assert (fit.amplitude, fit.offset) == (pytest.approx(2.5, rel=1e-3), pytest.approx(4.0, rel=1e-3))
    assert np.mod(fit.phase, 2.0 * np.pi) == pytest.approx(0.7, abs=0.01)
    assert fit.error < 1e-2


def test_the_fit_is_the_best_of_its_neighbours() -> None:
    rng = np.random.default_rng(3)
    curve = np.sin(np.arange(150) * 0.21) + 0.3 * np.sin(np.arange(150) * 0.63) + 0.1 * rng.normal(size=150)
    fit = fit_sine(curve)
    for omega in (0.98 * fit.omega, 1.02 * fit.omega):
        other = fit._replace(omega=omega)
        assert np.sqrt(np.mean((other.at(np.arange(150.0)) - curve) ** 2)) > fit.error


def test_phase_advances_by_a_turn_per_period() -> None:
    curve = np.sin(2.0 * np.pi * np.arange(160) / 40.0)
    for tracked in (False, True):
        place = phases(curve, fit_sine(curve), tracked=tracked)
        assert place[120] - place[40] == pytest.approx(4.0 * np.pi, abs=0.05)


def test_tracked_phase_follows_a_change_of_pace() -> None:
    true = np.cumsum(np.linspace(0.14, 0.18, 300))
    curve = np.sin(true)
    fit = fit_sine(curve)
    inner = slice(60, 240)

    def off(tracked: bool) -> float:
        apart = phases(curve, fit, tracked=tracked)[inner] - true[inner]
        return float(np.ptp(apart))

    assert off(True) < 0.5 * off(False)


def test_aligned_blend_is_equation_5() -> None:
    model = two_orbits()
    curves, state = model.curves, AlignedState(1.1)
    a = advance_aligned(curves, state, np.array([[1.0, 0.0]]))[1]
    b = advance_aligned(curves, state, np.array([[0.0, 1.0]]))[1]
    for w in (-1.0, -0.4, 0.0, 0.3, 1.0):
        mixed = advance_aligned(curves, state, model.mixture(w)[None])[1]
        np.testing.assert_allclose(mixed, (a + b) / 2.0 + w * (a - b) / 2.0, atol=1e-9)


def test_aligned_frequency_lies_between() -> None:
    model = two_orbits()
    steps = [
        advance_aligned(model.curves, AlignedState(0.0), model.mixture(w)[None])[0].phase for w in (1.0, 0.0, -1.0)
    ]
    assert steps[0] == pytest.approx(2.0 * np.pi / PERIOD, rel=0.02)
    assert steps[2] == pytest.approx(2.0 * np.pi / 30.0, rel=0.02)
    assert steps[1] == pytest.approx((steps[0] + steps[2]) / 2.0, rel=1e-9)


def test_aligned_curves_follow_the_data_and_one_harmonic_does_so_less() -> None:
    from dataclasses import replace

    model = two_orbits()
    data = np.concatenate(model.runs("small"))
    errors = []
    for harmonics in (8, 1):
        other = replace(model, settings=model.settings.changed(method="aligned", harmonics=harmonics))
        made = other.rows(np.random.default_rng(0), frames=80)[:, : model.modes]
        apart = np.linalg.norm(made[:, None] - data[None], axis=2).min(axis=1)
        errors.append(float(apart.mean()))
    assert errors[0] < 0.6 * errors[1]
