"""Motions for these tests: orbits with a known period and a known spread from cycle to cycle, and sample gaits."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

import freshtake as ft
from freshtake.density import DensityModel, Settings, learn
from freshtake.numeric.arrays import Floats

PERIOD = 40.3
FRAME_TIME = 1.0 / 30.0


def orbit(seed: int, cycles: int = 8, *, size: float = 1.0, center: float = 0.0, period: float = PERIOD) -> Floats:
    """Rows (frames, 6) that cycle smoothly; size and tilt change slowly at random."""
    rng = np.random.default_rng(seed)
    frames = int(cycles * period)
    knots = np.interp(np.arange(frames) / period, np.arange(cycles + 1), rng.normal(0.0, 0.06, cycles + 1))
    wobble = np.convolve(np.pad(knots, 20, mode="edge"), np.hanning(43)[1:-1] / np.hanning(43).sum(), mode="valid")
    angle = 2.0 * np.pi * np.arange(frames) / period
    radius = size * (1.0 + wobble)
    flat = np.stack(
        [3.0 * radius * np.sin(angle), 2.0 * radius * np.cos(angle), 0.6 * np.sin(2 * angle) * size], axis=1
    )
    mix = np.random.default_rng(99).normal(size=(3, 6))
    return flat @ mix + center


@cache
def two_orbits() -> DensityModel:
    return learn({"small": [orbit(1)], "large": [orbit(2, size=1.6, center=0.5, period=30.0)]}, frame_time=FRAME_TIME)


@cache
def two_switched() -> DensityModel:
    model = two_orbits()
    return replace(model, settings=model.settings.changed(method="switch"))


@cache
def one_orbit() -> DensityModel:
    return learn({"small": [orbit(1, 10)]}, frame_time=FRAME_TIME)


@cache
def followed_orbit() -> DensityModel:
    """The same, which stays on recorded curves."""
    return learn({"small": [orbit(1, 10)]}, Settings(novelty=0.0), frame_time=FRAME_TIME)


@cache
def gaits() -> DensityModel:
    return learn({"walk": [walk()], "run": [run()]})


@cache
def walk() -> ft.Clip:
    return ft.samples.walk(np.random.default_rng(1), cycles=5, fps=30.0)


@cache
def run() -> ft.Clip:
    return ft.samples.run(np.random.default_rng(2), cycles=6, fps=30.0)
