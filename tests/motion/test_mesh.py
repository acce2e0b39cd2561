"""Mesh sequences: validation and vertex normals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from freshtake.errors import InvalidMotion
from freshtake.motion import MeshSequence
from freshtake.motion.kinds import vertex_normals

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [5, 5, 5]], dtype=np.float32)
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], dtype=np.int32)


def tetrahedron(**changes: Any) -> MeshSequence:
    parts: dict[str, Any] = {"vertices": np.stack([CORNERS, 2 * CORNERS]), "faces": FACES, "frame_time": 0.1}
    return MeshSequence(**{**parts, **changes})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"vertices": np.zeros((0, 5, 3))}, "at least one frame and one vertex"),
        ({"vertices": np.zeros((2, 5, 2))}, r"vertices must have shape \(any, any, 3\)"),
        ({"vertices": np.full((2, 5, 3), np.nan)}, "vertices must be finite"),
        ({"faces": [[0, 1, 5]]}, "face 0 uses vertex 5, but there are 5 vertices"),
        ({"faces": [[0, 1, 2], [0, -1, 2]]}, "face 1 uses vertex -1"),
        ({"faces": [[0, 1]]}, r"faces must have shape \(any, 3\)"),
        ({"frame_time": 0.0}, "frame_time"),
        ({"normals": np.zeros((2, 4, 3))}, r"normals must have shape \(2, 5, 3\)"),
        ({"attributes": {"uv": np.zeros((4, 2))}}, r"attribute 'uv' must have shape \(5, any\)"),
        ({"attributes": {"uv": np.zeros((3, 5, 2))}}, r"attribute 'uv' must have shape \(2, 5, any\)"),
        ({"up": "x"}, "up must be"),
        ({"unit_m": 0.0}, "unit_m"),
    ],
)
def test_what_cannot_exist_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidMotion, match=message):
        tetrahedron(**changes)


def test_arrays_are_copies_float32_and_read_only() -> None:
    uv = np.ones((5, 2))
    mesh = tetrahedron(attributes={"uv": uv})
    uv[0] = 9.0
    assert mesh.attributes["uv"].max() == 1.0
    assert (mesh.vertices.dtype, mesh.faces.dtype) == (np.float32, np.int32)
    with pytest.raises(TypeError):
        mesh.attributes["uv"] = uv  # type: ignore[index]
    with pytest.raises(ValueError, match="read-only"):
        mesh.vertices[0] = 0.0
    assert (len(mesh), mesh.fps, mesh.duration) == (2, 10.0, 0.1)
    assert repr(mesh) == "MeshSequence('', 2 frames at 10 fps, 5 vertices)"


def test_normals_point_outwards_with_unit_length() -> None:
    mesh = tetrahedron()
    normals = vertex_normals(mesh)
    outwards = mesh.vertices[:, :4] - mesh.vertices[:, :4].mean(axis=1, keepdims=True)
    assert (np.sum(normals[:, :4] * outwards, axis=-1) > 0).all()
    np.testing.assert_allclose(np.linalg.norm(normals[:, :4], axis=-1), 1.0, atol=1e-6)
    np.testing.assert_array_equal(normals[:, 4], 0.0)  # belongs to no face
    np.testing.assert_allclose(normals[0], normals[1], atol=1e-6)


def test_normals_against_a_loop_over_faces() -> None:
    rng = np.random.default_rng(1)
    mesh = tetrahedron(
        vertices=rng.normal(size=(3, 5, 3)), faces=rng.permuted(np.tile(np.arange(5), (6, 1)), axis=1)[:, :3]
    )
    wanted = np.zeros((3, 5, 3))
    for frame in range(3):
        for a, b, c in mesh.faces:
            p = mesh.vertices[frame].astype(np.float64)
            for corner in (a, b, c):
                wanted[frame, corner] += np.cross(p[b] - p[a], p[c] - p[a])
    length = np.linalg.norm(wanted, axis=-1, keepdims=True)
    np.testing.assert_allclose(vertex_normals(mesh), wanted / np.where(length > 0, length, 1.0), atol=1e-5)
