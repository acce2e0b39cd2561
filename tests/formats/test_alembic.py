"""Alembic: mesh sequences survive bit for bit; polygons, transforms and damaged files of others are understood."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.formats import files

alembic3d = pytest.importorskip("alembic3d")


def flag(frames: int = 12) -> ft.MeshSequence:
    return ft.samples.flag(np.random.default_rng(0), frames=frames, columns=9, rows=7)


def read(path: Path) -> ft.MeshSequence:
    found = ft.read(path)
    assert isinstance(found, ft.MeshSequence)
    return found


@pytest.mark.parametrize("fps", [24.0, 29.97, 60.0])
def test_a_mesh_survives(tmp_path: Path, fps: float) -> None:
    mesh = replace(flag(), frame_time=1.0 / fps)
    ft.write(tmp_path / "x.abc", mesh)
    found = read(tmp_path / "x.abc")
    np.testing.assert_array_equal(found.vertices, mesh.vertices)
    np.testing.assert_array_equal(found.faces, mesh.faces)
    np.testing.assert_array_equal(found.attributes["uv"], mesh.attributes["uv"])
    assert (found.frame_time, found.unit_m, found.up, found.name) == (mesh.frame_time, 1.0, "y", "flag")


def test_meshes_with_z_up_are_turned(tmp_path: Path) -> None:
    mesh = flag(3)
    lying = replace(mesh, vertices=mesh.vertices[..., [0, 2, 1]] * np.array([1, -1, 1], np.float32), up="z")
    ft.write(tmp_path / "x.abc", lying)
    np.testing.assert_allclose(read(tmp_path / "x.abc").vertices, mesh.vertices, atol=1e-7)


def others_file(path: Path) -> None:
    """A square and a triangle by the library itself, below a transform that moves, at 25 samples a second."""
    import imath
    from alembic3d import Abc, AbcCoreAbstract, AbcGeom

    archive = Abc.OArchive(str(path))
    number = archive.addTimeSampling(AbcCoreAbstract.TimeSampling(1 / 25, 1 / 25))
    above = AbcGeom.OXform(archive.getTop(), "above", Abc.Argument(number))
    schema = AbcGeom.OPolyMesh(above, "shape", Abc.Argument(number)).getSchema()
    places = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [2, 0, 0]], np.float32)
    corners, sizes = np.array([0, 3, 2, 1, 1, 2, 4], np.int32), np.array([4, 3], np.int32)
    for frame in range(3):
        moved = AbcGeom.XformSample()
        moved.setTranslation(imath.V3d(0, 10 * frame, 0))
        above.getSchema().set(moved)
        arrays = (imath.V3fArrayFromBuffer(places), imath.IntArrayFromBuffer(corners), imath.IntArrayFromBuffer(sizes))
        schema.set(AbcGeom.OPolyMeshSchemaSample(*arrays))


def test_polygons_and_transforms_of_others(tmp_path: Path) -> None:
    others_file(tmp_path / "x.abc")
    found = read(tmp_path / "x.abc")
    assert found.fps == 25.0 and found.unit_m is None and len(found) == 3
    np.testing.assert_allclose(found.vertices[:, 2], [[1, 1, 0], [1, 11, 0], [1, 21, 0]])
    np.testing.assert_array_equal(found.faces, [[0, 2, 3], [0, 1, 2], [1, 4, 2]])  # counter-clockwise, seen from +z
    a, b, c = found.vertices[0][found.faces].transpose(1, 0, 2)
    assert (np.cross(b - a, c - a)[:, 2] > 0).all()


def test_what_is_no_mesh_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ft.FormatError, match=r"Alembic is written for meshes, not for a clip.*choose \.glb"):
        ft.write(tmp_path / "x.abc", ft.samples.walk(np.random.default_rng(0), frames=2))
    from alembic3d import Abc

    Abc.OArchive(str(tmp_path / "empty.abc"))
    with pytest.raises(ft.FormatError, match="there is no mesh in the file"):
        ft.read(tmp_path / "empty.abc")
    (tmp_path / "text.abc").write_text("Ogawa, but not really")
    with pytest.raises(ft.FormatError, match="damaged"):
        ft.read(tmp_path / "text.abc")


def test_damaged_files_end_in_a_sentence(tmp_path: Path) -> None:
    """The library ends its process on some of these, so every file is tried in another process first."""
    ft.write(tmp_path / "x.abc", flag(3))
    data = (tmp_path / "x.abc").read_bytes()
    for seed in range(8):
        chance, spoilt = random.Random(seed), bytearray(data)
        if seed % 2:
            spoilt = spoilt[: chance.randrange(len(data))]
        else:
            for _ in range(4):
                spoilt[chance.choice([chance.randrange(200), len(data) - 1 - chance.randrange(1500)])] ^= 0x55
        (tmp_path / "y.abc").write_bytes(bytes(spoilt))
        try:
            ft.read(tmp_path / "y.abc")
        except ft.FormatError as error:
            assert "y.abc" in str(error)


def test_a_process_that_dies_is_a_damaged_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ft.write(tmp_path / "x.abc", flag(2))
    monkeypatch.setattr(files, "_TRIAL", "import os; os.abort()")
    with pytest.raises(ft.FormatError, match="the file is damaged: get it again"):
        ft.read(tmp_path / "x.abc")
