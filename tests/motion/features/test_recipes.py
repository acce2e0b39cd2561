"""Recipes refuse what would not decode."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import freshtake as ft


def test_column_numbers_whose_differences_wrap_around_are_refused() -> None:
    walks = [ft.samples.walk(np.random.default_rng(k)) for k in range(2)]
    recipe = ft.variation.learn(walks, rng=np.random.default_rng(0)).material.recipe
    assert recipe is not None
    kept = recipe.kept.copy()
    kept[-3:-1] = 6386972885797306459, -6386972885797306459
    assert (np.diff(kept) > 0).all()  # the subtraction overflows
    with pytest.raises(ft.InvalidMotion, match="increasing column numbers"):
        replace(recipe, kept=kept)
