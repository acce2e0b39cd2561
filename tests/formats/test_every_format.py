"""For any rig, rate, vertical axis, unit and format: clips read back as written, bone for bone."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.cli.entry import run
from freshtake.formats.read_options import ReadOptions
from freshtake.formats.registry import detect
from freshtake.motion import Clip
from freshtake.motion.body.rooting import as_filed
from freshtake.motion.edit import resample, scaled, with_up
from freshtake.samples import walk
from tests.motion.rigs import RIGS, elephant

RATES = (24.0, 25.0, 30 / 1.001, 30.0, 50.0, 60 / 1.001, 90.0, 100.0, 120.0, 240.0)
UNITS = (0.01, 0.0254, 1.0)
ENDINGS = ("bvh", "glb", "fbx", "usda", "npz")
QUIET = ReadOptions(warn=lambda note: None)
STATES_UNIT = {"glb": 1.0, "fbx": 0.01}  # fixed by the format or by our writer; USD and npz keep the clip's
SOURCES = {
    **{name: rig for name, rig in RIGS.items() if name not in ("24 fps", "inches", "z up", "blender", "quadruped")},
    "elephant": lambda clip: resample(elephant(1, "Hips", ("Root", "Reference"), 100.0), clip.fps),
}


def raw(path: Path) -> Clip:
    """The clip as its file has it, before anything is inferred."""
    clip = detect(path).load().read(path, QUIET)
    assert isinstance(clip, Clip)
    return clip


def lengths(clip: Clip, order: list[int] | None = None) -> np.ndarray:
    places = as_filed(clip).local_translations()
    return np.asarray(np.linalg.norm((places if order is None else places[:, order])[:, 1:], axis=-1))


def trial(number: int) -> tuple[str, float, str, float]:
    """A rig with a rate, an axis and a unit; over all numbers each pair of them occurs."""
    rigs = list(SOURCES)
    return rigs[number % len(rigs)], RATES[number % len(RATES)], "yz"[number // 3 % 2], UNITS[number // 2 % len(UNITS)]


@pytest.mark.parametrize("number", range(22))
def test_what_is_written_is_read_back(tmp_path: Path, number: int) -> None:
    rig, rate, up, unit = trial(number)
    made = with_up(SOURCES[rig](walk(np.random.default_rng(number), fps=rate)), up)
    made = scaled(made, 0.01 / unit).changed(unit_m=unit, frame_time=1.0 / rate, name="take")
    places = made.positions() * unit
    for ending in ENDINGS:
        path, notes = tmp_path / f"x.{ending}", list[str]()
        ft.write(path, made, warn=notes.append)
        assert not notes or (ending == "bvh" and f"--up {up}" in notes[0]), notes
        found = ft.read(path, up=up if notes else None, warn=lambda note: None)
        assert isinstance(found, Clip) and set(found.skeleton.names) == set(made.skeleton.names)
        order = [made.skeleton.index(name) for name in found.skeleton.names]  # BVH lists a tree depth first
        stated = STATES_UNIT.get(ending, None if ending == "bvh" else unit)
        assert found.unit_m == (None if stated is None else pytest.approx(stated, rel=1e-6)), ending
        assert found.fps == pytest.approx(rate, rel=1e-9), ending
        assert found.up == ("y" if ending in ("glb", "fbx") else up), ending  # these are y up, and are turned
        filed = with_up(raw(path).changed(up=found.up), up)
        there = filed.positions() * (stated or unit)
        assert np.abs(there - places[:, order]).max() < 2e-5, (ending, rig)
        body = body_of(found)  # what models learn from: the same joints, at the same positions
        seen = with_up(found, up).positions() * (stated or unit)
        assert np.abs(seen[:, body] - places[:, order][:, body]).max() < 2e-5, (ending, rig)
        before, after = lengths(made, order) * unit, lengths(found) * (stated or unit)
        steady = np.ptp(before, axis=0) < 1e-9
        if found.skeleton.base is not None:
            steady[[joint - 1 for joint in found.skeleton.base.chain if joint]] = False
        assert np.abs(after - before)[:, steady].max(initial=0.0) < 5e-6, (ending, rig)


def body_of(clip: Clip) -> list[int]:
    """The joints of the body, without those above or next to it."""
    return [joint for joint in clip.skeleton.body() if joint or clip.skeleton.base is None]


@pytest.mark.parametrize(("first", "second"), list(product(("bvh", "glb", "fbx", "usda", "npz"), repeat=2)))
def test_root_motion_survives_a_conversion(tmp_path: Path, first: str, second: str) -> None:
    """A joint that travels evenly below the hips does so in every file, and does not sway with them."""
    made = RIGS["root motion"](walk(np.random.default_rng(0), fps=30.0))
    ft.write(tmp_path / f"a.{first}", made)
    command = ["convert", str(tmp_path / f"a.{first}"), str(tmp_path / f"b.{second}"), "--quiet"]
    assert run(command if first != "bvh" else [*command, "--unit", "cm"]) == 0
    found = raw(tmp_path / f"b.{second}")
    unit = found.unit_m or (1.0 if first == "glb" else 0.01)
    np.testing.assert_allclose(found.positions() * unit, made.positions() * 0.01, rtol=0, atol=1e-5)
