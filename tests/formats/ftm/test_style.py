"""Style models survive their file bit for bit, and damaged files are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freshtake as ft
from freshtake.errors import FormatError
from freshtake.formats.ftm import style as parts_of_style
from freshtake.formats.ftm.io import Parts
from freshtake.style.learning import learn
from freshtake.style.model import Settings
from tests.motion.rigs import RIGS
from tests.style.pairs_of_clips import model, walk


def test_a_loaded_model_translates_the_same(tmp_path: Path) -> None:
    learned = model()
    ft.save(tmp_path / "limp.ftm", learned, sources=["a.bvh"])
    loaded = ft.load(tmp_path / "limp.ftm")
    assert (loaded.held_out, loaded.pairs, loaded.settings) == (learned.held_out, learned.pairs, learned.settings)
    for clip in (walk(80), walk(81, turn_rate=20.0)):
        before, after = learned.translate(clip), loaded.translate(clip)
        np.testing.assert_array_equal(before.rotations, after.rotations)
        np.testing.assert_array_equal(before.root, after.root)


def test_a_rig_whose_last_dofs_drive_no_system_is_loaded(tmp_path: Path) -> None:
    """Footplants are learned from all DOFs; a file was once refused because the last of them drive nothing."""
    bandai = RIGS["bandai"]
    learned = learn([(bandai(walk(1, cycles=2)), bandai(walk(101, "limp", cycles=2)))], Settings())
    assert 1 + learned.bank.packed.inputs.max() < len(learned.recipe.names)
    ft.save(tmp_path / "limp.ftm", learned)
    clip = bandai(walk(80))
    after = ft.load(tmp_path / "limp.ftm").translate(clip)
    np.testing.assert_array_equal(after.rotations, learned.translate(clip).rotations)


CHANGES = {
    "unstable": (lambda h, a: a.update(system_damping=a["system_damping"] + 2.0), "unit circle"),
    "half a pair": (lambda h, a: a.update(system_turning=np.abs(a["system_turning"]) + 0.01), "pairs"),
    "too few": (lambda h, a: a.update(system_B=a["system_B"][:-1]), "numbers were expected"),
    "not finite": (lambda h, a: a.update(target_mean=np.full_like(a["target_mean"], np.nan)), "finite"),
    "orders": (lambda h, a: h["bank"].update(orders=[1]), "numbers were expected"),
    "feet": (lambda h, a: h.update(feet=["Wing"]), "names of annotations"),
    "setting": (lambda h, a: h["settings"].update(speed=1), "no such setting"),
    "pairs": (lambda h, a: h.update(pairs=[["a"]]), "pairs of names"),
    "poses": (lambda h, a: a.update(poses=a["poses"][:, 1:]), "numbers were expected"),
    "zero": (lambda h, a: a.update(source_deviation=0.0 * a["source_deviation"]), "finite numbers between"),
}


@pytest.mark.parametrize("case", CHANGES)
def test_parts_that_cannot_be_a_model_are_refused(case: str, tmp_path: Path, monkeypatch: Any) -> None:
    change, words = CHANGES[case]
    learned = model()
    header, arrays = parts_of_style.to_parts(learned)
    header["bank"], header["settings"] = dict(header["bank"]), dict(header["settings"])
    change(header, arrays)
    monkeypatch.setattr(parts_of_style, "to_parts", lambda _: Parts(header, arrays))
    ft.save(tmp_path / "bad.ftm", learned)
    with pytest.raises(FormatError, match=words) as caught:
        ft.load(tmp_path / "bad.ftm")
    assert "bad.ftm" in str(caught.value)
