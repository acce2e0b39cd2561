"""The bind pose of a character, whatever pose its nodes are in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.formats.gltf import read_character
from freshtake.formats.gltf.container import load, packed
from freshtake.numeric.rotations import about_axis
from freshtake.samples.rigs import rig


@pytest.fixture
def figure(tmp_path: Path) -> Path:
    ft.write(tmp_path / "figure.glb", rig("vrm"))
    return tmp_path / "figure.glb"


def edited(path: Path, change: object) -> Path:
    container = load(path)
    document = dict(container.top.value)
    assert callable(change)
    change(document)
    out = path.with_name("edited.glb")
    out.write_bytes(packed(out, document, container.buffers[0] or b""))
    return out


def test_the_bind_pose_is_where_the_skin_was_bound(figure: Path) -> None:
    found = read_character(figure)
    assert found.skinned
    np.testing.assert_allclose(found.places, rig("vrm").positions()[0], atol=1e-6)


def test_nodes_that_stand_otherwise_do_not_change_it(figure: Path) -> None:
    def arm_down(document: dict[str, list[dict[str, object]]]) -> None:
        node = next(n for n in document["nodes"] if n.get("name") == "J_Bip_L_UpperArm")
        node["rotation"] = about_axis(np.array([0.0, 0.0, 1.0]), -1.2)[[1, 2, 3, 0]].tolist()

    found = read_character(edited(figure, arm_down))
    np.testing.assert_allclose(found.places, rig("vrm").positions()[0], atol=1e-6)
    hand = found.clip.skeleton.index("J_Bip_L_Hand")
    assert found.clip.positions()[0, hand, 1] < found.places[hand, 1] - 0.3


def test_an_armature_that_is_scaled_does_not_shorten_bones(figure: Path) -> None:
    def smaller(document: dict[str, list[dict[str, object]]]) -> None:
        document["nodes"][0]["scale"] = [0.5, 0.5, 0.5]

    found = read_character(edited(figure, smaller))
    lengths = [np.linalg.norm(np.diff(p[[5, 6]], axis=0)) for p in (found.places, found.clip.positions()[0])]
    assert lengths[0] == pytest.approx(lengths[1], rel=1e-6)


def test_without_bind_matrices_the_nodes_say_how_it_rests(figure: Path) -> None:
    def forget(document: dict[str, list[dict[str, object]]]) -> None:
        del document["skins"][0]["inverseBindMatrices"]

    found = read_character(edited(figure, forget))
    np.testing.assert_allclose(found.places, found.clip.positions()[0], atol=1e-9)
