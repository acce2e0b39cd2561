"""Blender imports our USD stages and finds the joints, and the skin of a character, where they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.motion import Clip
from tests.clients.conftest import Imported
from tests.formats.characters import skinned
from tests.formats.made_clips import made_clip, moving_layout, usual_layout

pytestmark = pytest.mark.client
UNIT = 0.05


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("pxr")
    place = tmp_path_factory.mktemp("usd")
    ft.write(place / "usual.usda", made_clip(usual_layout()), unit_m=UNIT)
    ft.write(place / "six.usdc", made_clip(moving_layout()), unit_m=UNIT)
    source = skinned(bent=True, armature={"scale": [0.5] * 3}).save(place / "hero.glb")
    ft.write(place / "hero.usda", ft.read(source), character=source)
    return place


@pytest.fixture(scope="module")
def imported(blender: Callable[[Sequence[Path | str]], Imported], folder: Path) -> Imported:
    return blender(sorted(folder.glob("*.usd*")))


@pytest.mark.parametrize("name", ["usual.usda", "six.usdc", "hero.usda"])
def test_blender_finds_the_joints(imported: Imported, folder: Path, name: str) -> None:
    found = imported[name]
    layout = moving_layout() if name == "six.usdc" else usual_layout()
    clip, unit = (ft.read(folder / "hero.glb"), 1.0) if name == "hero.usda" else (made_clip(layout), UNIT)
    assert isinstance(clip, Clip)
    order = [found["names"].index(joint) for joint in clip.skeleton.names]
    ours = clip.positions() * unit
    size = np.ptp(ours, axis=(0, 1)).max()
    np.testing.assert_allclose(np.array(found["positions"])[:, order], ours, rtol=0, atol=1e-5 * size)


def test_blender_finds_the_skin(imported: Imported, folder: Path) -> None:
    mesh = ft.read(folder / "hero.glb", mesh=True)
    assert isinstance(mesh, ft.MeshSequence)
    shown = mesh.vertices[[0, len(mesh) // 2, len(mesh) - 1]]
    np.testing.assert_allclose(imported["hero.usda"]["vertices"], shown, rtol=0, atol=1e-5 * np.ptp(shown))
