"""Skins on the page: the page computes the same vertices as the character's own file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freshtake as ft
from freshtake.errors import FormatError
from freshtake.motion import Clip, MeshSequence
from freshtake.reports.viewport.packing import packed
from freshtake.reports.viewport.scene import Figure, Scene
from freshtake.reports.viewport.skinning import skinned_figure
from freshtake.reports.viewport.staging import body_stage
from tests.formats.characters import skinned

SHAPES = {
    "plain": {},
    "scaled": {"bent": True, "prop": True, "armature": {"scale": [0.1] * 3, "rotation": [0.5, 0.5, 0.5, 0.5]}},
}


def shown_vertices(figure: Figure) -> np.ndarray:
    """As web/skins.js has it: sum over joints of weight times matrix times vertex."""
    assert figure.skin is not None and figure.matrices is not None
    vertices = np.column_stack([figure.skin.vertices, np.ones(len(figure.skin.vertices))])
    return np.einsum("vk,fvkab,vb->fva", figure.skin.weights, figure.matrices[:, figure.skin.joints], vertices)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_skin_moves_as_in_its_own_file(tmp_path: Path, shape: str) -> None:
    options: dict[str, Any] = SHAPES[shape]  # type: ignore[assignment]
    source = skinned(**options).save(tmp_path / "hero.glb")
    clip, mesh = ft.read(source), ft.read(source, mesh=True)
    assert isinstance(clip, Clip) and isinstance(mesh, MeshSequence)
    stage, _ = body_stage(clip)
    cos, sin = np.cos(stage.turn), np.sin(stage.turn)
    turned = mesh.vertices @ np.array([[cos, 0.0, sin], [0.0, 1.0, 0.0], [-sin, 0.0, cos]]).T
    expected = stage.scale * turned - stage.shift
    found = shown_vertices(skinned_figure(clip, source))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4 * np.ptp(expected))


def test_joints_of_the_skin_are_where_the_figure_has_them(tmp_path: Path) -> None:
    source = skinned().save(tmp_path / "hero.glb")
    clip = ft.read_clip(source)
    figure = skinned_figure(clip, source)
    assert figure.matrices is not None
    from freshtake.formats.gltf.character import character_rig

    bind = character_rig(source, clip)[1].bind().positions
    joints = np.einsum("fjab,jb->fja", figure.matrices, np.column_stack([bind, np.ones(len(bind))]))
    np.testing.assert_allclose(joints, figure.points[:, : len(bind)], atol=1e-4 * np.ptp(joints))


def test_clips_that_wear_one_skin_send_it_once(tmp_path: Path) -> None:
    source = skinned().save(tmp_path / "hero.glb")
    clip = ft.read_clip(source)
    figures = tuple(skinned_figure(clip.changed(name=name), source) for name in ("a", "b"))
    manifest, data = packed(Scene(figures))
    assert len(manifest["skins"]) == 1 and [shape["skin"] for shape in manifest["shapes"]] == [0, 0]
    skin, first = manifest["skins"][0], figures[0]
    assert first.skin is not None and first.matrices is not None
    vertices = np.frombuffer(data, "<f4", skin["count"] * 3, skin["vertices"])
    np.testing.assert_array_equal(vertices, first.skin.vertices.ravel())
    matrices = np.frombuffer(data, "<f4", first.matrices.size, manifest["shapes"][1]["matrices"])
    np.testing.assert_array_equal(matrices, first.matrices.ravel())


def test_a_file_without_a_mesh_is_one_sentence(tmp_path: Path) -> None:
    scene = skinned()
    for node in scene.json["nodes"]:
        node.pop("mesh", None), node.pop("skin", None)
    scene.json.pop("meshes")
    source = scene.save(tmp_path / "bare.glb")
    with pytest.raises(FormatError, match="no mesh has a skin"):
        skinned_figure(ft.read_clip(source), source)
