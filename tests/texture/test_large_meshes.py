"""Meshes processed a few vertices at a time, against meshes processed whole."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from freshtake.errors import UsageError
from freshtake.motion.kinds import MeshSequence, vertex_normals
from freshtake.texture import Settings, TextureModel, large_meshes, learn
from tests.texture.made import sheet


def distances(values: np.ndarray) -> np.ndarray:
    return np.asarray(np.linalg.norm(values[:, None] - values[None], axis=2))


def both(mesh: MeshSequence, monkeypatch: pytest.MonkeyPatch, settings: Settings) -> tuple[TextureModel, TextureModel]:
    """Learn the mesh whole, and a few vertices at a time."""
    whole = learn(mesh, settings)
    monkeypatch.setattr(large_meshes, "is_large", lambda motions: True)
    monkeypatch.setattr("freshtake.texture.learning.is_large", lambda motions: True)
    monkeypatch.setattr(large_meshes, "AT_ONCE", 3 * len(mesh) * 7)
    return whole, learn(mesh, settings)


@pytest.mark.parametrize("root", ["absolute", "heading"])
@pytest.mark.parametrize("normals", ["joint", "own"])
def test_blocks_of_vertices_give_the_model_of_the_entire_mesh(
    monkeypatch: pytest.MonkeyPatch, root: str, normals: str
) -> None:
    mesh = sheet()
    mesh = replace(mesh, normals=vertex_normals(mesh))
    whole, parts = both(mesh, monkeypatch, Settings(root=root, normals=normals, components=6, bits=0))
    assert parts.shape is not None and whole.shape is not None
    # The reference of headings is a mean of some frames instead of all, so headings may differ a little.
    near = 1e-4 if root == "absolute" else 0.02
    for one, other in zip(whole.weights, parts.weights, strict=True):
        apart = distances(one)
        np.testing.assert_allclose(distances(other), apart, atol=near * apart.max())
    made = [model.decode(model.rows).vertices for model in (whole, parts)]
    extent = np.ptp(mesh.vertices)
    if root == "absolute":
        np.testing.assert_allclose(made[1], made[0], atol=1e-4 * extent)
    errors = [float(np.abs(one - mesh.vertices).mean()) for one in made]
    assert errors[1] <= 1.05 * errors[0] + 1e-6 * extent


def test_the_requested_error_determines_the_number_of_modes(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, parts = both(sheet(), monkeypatch, Settings(root="absolute", error=1e-3))
    assert whole.shape is not None and parts.shape is not None and parts.shape.width == whole.shape.width > 0


def test_parts_of_large_meshes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("freshtake.texture.learning.is_large", lambda motions: True)
    with pytest.raises(UsageError, match="cannot have parts"):
        learn(sheet(), Settings(parts=2))


def test_only_meshes_of_many_vertices_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    mesh = sheet()
    assert not large_meshes.is_large([mesh])
    monkeypatch.setattr(large_meshes, "LARGE", mesh.vertices.size)
    frames, vertices = mesh.vertices.shape[:2]
    assert large_meshes.is_large([mesh]) == (4 * frames <= 3 * vertices)
    assert not large_meshes.is_large([mesh, np.zeros((9, 2))])
