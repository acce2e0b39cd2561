"""Blender shows our Alembic caches vertex by vertex, and what it exports is read."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from tests.clients.conftest import BLENDER, run_in_blender

pytestmark = [
    pytest.mark.client,
    pytest.mark.skipif(not BLENDER.is_file(), reason="Blender's module is not installed: run make clients"),
]


def test_blender_shows_every_vertex_and_its_export_is_read(tmp_path: Path) -> None:
    pytest.importorskip("alembic3d")
    mesh = ft.samples.flag(np.random.default_rng(0), frames=25, columns=9, rows=7)
    ft.write(tmp_path / "x.abc", mesh)
    names = [tmp_path / name for name in ("x.abc", "y.abc", "found.json")]
    frames = (0, 7, 24)
    run_in_blender(BLENDER, "alembic_mesh.py", *names, "60", "24", *map(str, frames))
    found = json.loads((tmp_path / "found.json").read_text())
    np.testing.assert_allclose(found["vertices"], mesh.vertices[list(frames)], atol=1e-6)
    assert found["uv"] == 1 and all(normal[1] < -0.9 for normal in found["normals"])  # +z of ours is -y of Blender
    back = ft.read(tmp_path / "y.abc")
    assert isinstance(back, ft.MeshSequence) and back.fps == 60.0
    np.testing.assert_allclose(back.vertices, mesh.vertices, atol=1e-6)
    np.testing.assert_array_equal(back.faces, mesh.faces)
