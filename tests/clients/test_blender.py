"""Blender imports the files we write and read, and finds the joints where we do, frame by frame."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freshtake as ft
from freshtake.motion import Clip
from freshtake.motion.edit import resample, start_at_origin
from tests.clients.conftest import Imported
from tests.conftest import DATA
from tests.formats.made_clips import fixed_layout, made_clip, moving_layout, odd_layout, usual_layout

pytestmark = pytest.mark.client

UNIT = 0.02  # metres per unit of these clips
MADE = {"usual": usual_layout(), "odd": odd_layout(), "six": moving_layout(), "fixed": fixed_layout()}
REAL = {
    "walk": "walk/walk_1.bvh",
    "swim": "swim/swim_1.bvh",
    "male_walk": "okwechime/bvh/male_walk.bvh",
    "turns": "style/test_turns.bvh",
}
BVH = {
    **{name: made_clip(layout) for name, layout in MADE.items()},
    **{f"{name}_new": made_clip(layout).changed(channels=None) for name, layout in MADE.items()},
}


def real_clip(name: str) -> Clip:
    path = DATA / REAL[name.removesuffix("_edited")]
    if not path.is_file():
        pytest.skip("real motion data is absent: set FRESHTAKE_DATA to its folder")
    clip = ft.read(path)
    assert isinstance(clip, Clip)
    return start_at_origin(resample(clip, 30.0)) if name.endswith("_edited") else clip


REAL_CASES = [*REAL, *[f"{name}_edited" for name in REAL]]


@pytest.fixture(scope="module")
def bvh(blender: Callable[[list[Path]], Imported], tmp_path_factory: pytest.TempPathFactory) -> Imported:
    """All BVH files of this module, imported by one process."""
    folder = tmp_path_factory.mktemp("bvh")
    for name, clip in BVH.items():
        ft.write(folder / f"{name}.bvh", clip)
    if DATA.is_dir():
        for name in REAL_CASES:
            ft.write(folder / f"{name}.bvh", real_clip(name))
    return blender(sorted(folder.glob("*.bvh")))


@pytest.mark.parametrize("name", BVH)
def test_made_clips(bvh: Imported, name: str) -> None:
    assert_same(bvh[f"{name}.bvh"], BVH[name])


@pytest.mark.parametrize("name", REAL_CASES)
def test_real_takes(bvh: Imported, name: str) -> None:
    clip = real_clip(name)  # skips if there is none, before checking Blender's answer
    assert_same(bvh[f"{name}.bvh"], clip)


@pytest.fixture(scope="module")
def glb(blender: Callable[[list[Path]], Imported], tmp_path_factory: pytest.TempPathFactory) -> Imported:
    """All GLB and glTF files of this module, imported by one process."""
    folder = tmp_path_factory.mktemp("glb")
    for name, layout in MADE.items():
        ft.write(folder / f"{name}.glb", made_clip(layout), unit_m=UNIT)
    ft.write(folder / "text.gltf", made_clip(usual_layout()), unit_m=UNIT)
    two = [made_clip(usual_layout(), seed=seed).changed(name=f"take {seed}") for seed in (5, 6)]
    ft.write(folder / "two.glb", two, unit_m=UNIT)
    if DATA.is_dir():
        for name in REAL:
            ft.write(folder / f"{name}.glb", real_clip(name), unit_m=UNIT)
    return blender(sorted(folder.glob("*.gl*")))


@pytest.mark.parametrize("name", MADE)
def test_made_clips_as_glb(glb: Imported, name: str) -> None:
    assert_same(glb[f"{name}.glb"], made_clip(MADE[name]), UNIT)


def test_gltf_as_text(glb: Imported) -> None:
    assert_same(glb["text.gltf"], made_clip(usual_layout()), UNIT)


@pytest.mark.parametrize("name", REAL)
def test_real_takes_as_glb(glb: Imported, name: str) -> None:
    clip = real_clip(name)
    assert_same(glb[f"{name}.glb"], clip, UNIT)
    times = np.arange(len(clip)) * clip.frame_time * 30  # in frames of the scene
    np.testing.assert_allclose(glb[f"{name}.glb"]["times"], times, rtol=0, atol=2e-3)


def test_several_clips_are_several_actions(glb: Imported) -> None:
    assert sorted(glb["two.glb"]["actions"]) == ["take 5", "take 6"]


def assert_same(found: dict[str, Any], clip: Clip, unit: float = 1.0) -> None:
    names = clip.skeleton.names
    assert sorted(found["names"]) == sorted(names)
    parents = dict(zip(found["names"], found["parents"], strict=True))
    assert [parents[n] for n in names] == [names[p] if p >= 0 else "" for p in clip.skeleton.parents]
    order = [found["names"].index(name) for name in names]
    theirs = np.array(found["positions"])[:, order]
    ours = clip.positions() * unit
    assert theirs.shape == ours.shape
    size = float(np.ptp(ours, axis=(0, 1)).max())
    np.testing.assert_allclose(theirs, ours, rtol=0, atol=1e-5 * size)
    assert np.abs(np.diff(theirs, axis=0)).max() > 1e-3 * size, "nothing moves"
