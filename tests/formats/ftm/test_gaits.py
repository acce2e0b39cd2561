"""Models of gaits survive their file bit for bit, and damaged files are refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freshtake as ft
from freshtake.errors import FormatError, UsageError
from freshtake.formats.ftm import gaits as parts_of_gaits
from freshtake.formats.ftm.io import Parts
from freshtake.style import bilinear
from freshtake.style.bilinear import GaitModel
from tests.style.warping.known_warps import walk_clip


@pytest.fixture(scope="module")
def gaits() -> GaitModel:
    return bilinear.fit(
        {(s, v): walk_clip(1, speed=v, style=s, amount=0.3) for s in ("normal", "crouch") for v in (0.9, 1.7)}
    )


def test_a_loaded_model_makes_the_same_walks(gaits: GaitModel, tmp_path: Path) -> None:
    ft.save(tmp_path / "g.ftm", gaits)
    loaded = ft.load(tmp_path / "g.ftm")
    assert (loaded.styles, loaded.speeds) == (gaits.styles, gaits.speeds)
    for style, speed in (("crouch", 1.3), ({"normal": 1.3, "crouch": -0.3}, 2.0)):
        before, after = (model.synthesize(style, speed, cycles=2) for model in (gaits, loaded))
        np.testing.assert_array_equal(before.rotations, after.rotations)
        np.testing.assert_array_equal(before.root, after.root)


CHANGES = {
    "too few": (lambda h, a: a.update(core=a["core"][..., :-1]), "numbers were expected"),
    "not finite": (lambda h, a: a.update(core=np.full_like(a["core"], np.nan)), "finite"),
    "huge": (lambda h, a: a.update(core=1e9 + a["core"]), "between"),
    "ranks": (lambda h, a: h.update(ranks=[2]), "two ranks"),
    "frames": (lambda h, a: h.update(frames=0), "frames from 1"),
    "many frames": (lambda h, a: h.update(frames=10), "numbers were expected"),
    "twice": (lambda h, a: h.update(styles=["a", "a"]), "each once"),
    "no name": (lambda h, a: h.update(styles=[None, "a"]), "each once"),
    "too large for a float": (lambda h, a: h.update(speeds=[0.9, 10**400]), "each once"),
    "no styles": (lambda h, a: h.update(styles=[]), "each once"),
}


@pytest.mark.parametrize("case", CHANGES)
def test_parts_that_cannot_be_a_model_are_refused(
    case: str, gaits: GaitModel, tmp_path: Path, monkeypatch: Any
) -> None:
    change, words = CHANGES[case]
    header, arrays = parts_of_gaits.to_parts(gaits)
    change(header, arrays)
    monkeypatch.setattr(parts_of_gaits, "to_parts", lambda _: Parts(header, arrays))
    ft.save(tmp_path / "bad.ftm", gaits)
    with pytest.raises(FormatError, match=words) as caught:
        ft.load(tmp_path / "bad.ftm")
    assert "bad.ftm" in str(caught.value)


def test_a_model_that_flings_the_body_about_is_refused_when_it_is_used(gaits: GaitModel, tmp_path: Path) -> None:
    numbers, rates = len(gaits.code.recipe.names) * gaits.code.frames, gaits.factors.core.copy()
    rates[..., :numbers] /= 1e5  # poses and paces stay as they are
    rates[..., numbers:] /= 1e5
    moving = np.arange(numbers) % len(gaits.code.recipe.names) < 2
    rates[..., :numbers][..., moving] = gaits.factors.core[..., :numbers][..., moving]
    factors = gaits.factors._replace(core=rates, styles=1e5 * gaits.factors.styles)
    ft.save(tmp_path / "g.ftm", replace(gaits, factors=factors))
    loaded = ft.load_gaits(tmp_path / "g.ftm")
    with pytest.raises(UsageError, match="flings the body about"):
        loaded.synthesize({"normal": 1.0}, {1.7: 1.0}, cycles=2)
