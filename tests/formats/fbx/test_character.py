"""A skinned FBX character: its vertices against a slow oracle, and through every format that holds a skin."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.cli.entry import run
from freshtake.errors import FreshtakeError
from freshtake.formats.fbx.records import Node, array, node, put_together, real, text, titled, whole
from freshtake.formats.fbx.writing import SECOND, Objects, document, prop, properties, vector
from freshtake.motion import Clip, MeshSequence
from freshtake.samples import walk
from freshtake.samples.rigs import rig
from tests.formats.characters import skinned
from tests.formats.fbx.slow_reader import turn

FRAMES = 4


def quiet(note: str) -> None:
    pass


def matrix(move: np.ndarray, angles: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Translation, turns about x, then y, then z, and scale."""
    out = np.eye(4)
    for axis in range(3):
        out[:3, :3] = turn(*np.where(np.arange(3) == axis, angles, 0.0)) @ out[:3, :3]
    out[:3, :3] = out[:3, :3] * scale
    out[:3, 3] = move
    return out


def settings(up: int, unit: float) -> Node:
    listed = [prop(name, "int", "Integer", "", whole(value)) for name, value in (("UpAxis", up), ("UpAxisSign", 1))]
    return node(
        "GlobalSettings", inside=[properties(*listed, prop("UnitScaleFactor", "double", "Number", "", real(unit)))]
    )


class Hero:
    """An armature with scale, two limbs, a mesh of a quad and a triangle, with weights and bind matrices at random."""

    def __init__(self, seed: int, up: int, unit: float) -> None:
        rng = np.random.default_rng(seed)
        self.unit, self.up = unit, up
        self.above = (rng.normal(size=3), rng.normal(size=3) * 40, np.full(3, 2.0))
        self.moves = rng.normal(size=(2, FRAMES, 3)) * 5 * [[[1]], [[0]]] + rng.normal(size=(2, 1, 3)) * 5
        self.angles = rng.normal(size=(2, FRAMES, 3)) * 40
        self.scales = np.array([[1.0] * 3, [1.5] * 3])
        self.vertices = rng.normal(size=(5, 3))
        self.weights = rng.dirichlet([1.0, 1.0], size=5)
        self.geometric = (rng.normal(size=3), rng.normal(size=3) * 30, rng.uniform(0.5, 2.0, 3))
        stand = np.linalg.inv(self.world(0)[1]) @ self.world(0)[0]
        self.into = [matrix(rng.normal(size=3), rng.normal(size=3) * 50, np.full(3, 0.7))]
        self.into.append(stand @ self.into[0])  # one bind pose for both, as programs write them

    def world(self, frame: int) -> list[np.ndarray]:
        out = [matrix(*self.above)]
        for k in range(2):
            out.append(out[-1] @ matrix(self.moves[k, frame], self.angles[k, frame], self.scales[k]))
        return out[1:]

    def places(self, frame: int) -> np.ndarray:
        """Every vertex by the law of linear blending, in metres and y up."""
        shape = matrix(*self.geometric)
        out = np.zeros((5, 3))
        for k, limb in enumerate(self.world(frame)):
            for number, place in enumerate(self.vertices):
                out[number] += self.weights[number, k] * (limb @ self.into[k] @ shape @ [*place, 1.0])[:3]
        out *= self.unit / 100.0
        return out if self.up == 1 else np.stack([out[:, 0], out[:, 2], -out[:, 1]], axis=1)

    def save(self, path: Path) -> Path:
        objects = Objects()
        numbers = []
        limbs = [(f"limb{k}", "LimbNode", self.moves[k, 0], self.angles[k, 0], self.scales[k]) for k in range(2)]
        rows = [("Armature", "Null", *self.above), *limbs]
        for name, form, move, angles, scale in rows:
            listed = [vector(f"Lcl {what}", f"Lcl {what}", list(values)) for what, values in
                      (("Translation", move), ("Rotation", angles), ("Scaling", scale))]  # fmt: skip
            numbers.append(objects.add("Model", titled(name, "Model"), form, [properties(*listed)]))
            objects.link(numbers[-1], numbers[-2] if len(numbers) > 1 else 0)
        shape = [vector(f"Geometric{what}", "Vector3D", list(values), "") for what, values in
                 zip(("Translation", "Rotation", "Scaling"), self.geometric, strict=True)]  # fmt: skip
        mesh = objects.add("Model", titled("body", "Model"), "Mesh", [properties(*shape)])
        objects.link(mesh, 0)
        normals = node("LayerElementNormal", whole(0), inside=[
            node("MappingInformationType", text("ByVertice")), node("ReferenceInformationType", text("Direct")),
            node("Normals", array(np.tile([0.0, 0.0, 1.0], (5, 1)), "f8"))])  # fmt: skip
        inside = [node("Vertices", array(self.vertices, "f8")),
                  node("PolygonVertexIndex", array(np.array([0, 1, 2, ~3, 2, 3, ~4]), "i4")), normals]  # fmt: skip
        geometry = objects.add("Geometry", titled("body", "Geometry"), "Mesh", inside)
        objects.link(geometry, mesh)
        skin = objects.add("Deformer", titled("", "Deformer"), "Skin", [])
        objects.link(skin, geometry)
        for k, limb in enumerate(numbers[1:]):
            cluster = objects.add("Deformer", titled("", "SubDeformer"), "Cluster", [
                node("Indexes", array(np.arange(5), "i4")), node("Weights", array(self.weights[:, k], "f8")),
                node("Transform", array(self.into[k].T, "f8"))])  # fmt: skip
            objects.link(cluster, skin)
            objects.link(limb, cluster)
        self._animate(objects, numbers[1:])
        content = [entry if entry.name != b"GlobalSettings" else settings(self.up, self.unit)
                   for entry in document(objects, 25.0, 0, [])]  # fmt: skip
        path.write_bytes(put_together(path, content))
        return path

    def _animate(self, objects: Objects, limbs: list[int]) -> None:
        stack = objects.add("AnimationStack", titled("take", "AnimStack"), "", [properties()])
        layer = objects.add("AnimationLayer", titled("", "AnimLayer"), "", [])
        objects.link(layer, stack)
        for k, limb in enumerate(limbs):
            for role, values in (("Lcl Translation", self.moves[k]), ("Lcl Rotation", self.angles[k])):
                holder = objects.add("AnimationCurveNode", titled("", "AnimCurveNode"), "", [])
                objects.link(holder, layer)
                objects.link(holder, limb, role)
                for axis, column in zip("XYZ", values.T, strict=True):
                    times = node("KeyTime", array(np.arange(FRAMES) * (SECOND // 25), "i8"))
                    curve = [times, node("KeyValueFloat", array(column, "f4"))]
                    objects.link(objects.add("AnimationCurve", titled("", "AnimCurve"), "", curve), holder, f"d|{axis}")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("up", "unit"), [(1, 1.0), (2, 1.0), (1, 2.54), (2, 100.0)])
def test_vertices_are_where_linear_blending_puts_them(tmp_path: Path, seed: int, up: int, unit: float) -> None:
    hero = Hero(seed, up, unit)
    mesh = ft.read(hero.save(tmp_path / "hero.fbx"), mesh=True, warn=quiet)
    assert isinstance(mesh, MeshSequence) and len(mesh) == FRAMES and len(mesh.faces) == 3
    size = np.ptp(mesh.vertices)
    for frame in range(FRAMES):
        np.testing.assert_allclose(mesh.vertices[frame], hero.places(frame), rtol=0, atol=2e-5 * size)


@pytest.mark.parametrize("ending", ["fbx", "glb", "usda"])
def test_a_converted_character_keeps_its_skin(tmp_path: Path, ending: str, capsys: pytest.CaptureFixture[str]) -> None:
    source = skinned(bent=True, armature={"scale": [0.5] * 3}, prop=True).save(tmp_path / "hero.glb")
    clip = ft.read(source)
    assert isinstance(clip, Clip)
    ft.write(tmp_path / "hero.fbx", clip, character=source)
    assert run(["convert", str(tmp_path / "hero.fbx"), str(tmp_path / f"out.{ending}")]) == 0
    assert "skin" not in capsys.readouterr().err
    if ending == "usda":
        assert (tmp_path / "out.usda").read_text().count("primvars:skel:jointWeights") >= 2
        return
    before, after = (ft.read(path, mesh=True, warn=quiet) for path in (source, tmp_path / f"out.{ending}"))
    assert isinstance(before, MeshSequence) and isinstance(after, MeshSequence)
    for first, last in zip(before.vertices, after.vertices, strict=True):
        apart = np.linalg.norm(first[:, None] - last[None], axis=-1)
        assert apart.min(axis=0).max() < 1e-5 and apart.min(axis=1).max() < 1e-5


def test_what_cannot_hold_a_skin_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = Hero(0, 1, 1.0).save(tmp_path / "hero.fbx")
    assert run(["convert", str(source), str(tmp_path / "x.bvh")]) == 0
    assert "hero.fbx: BVH cannot hold a skin" in capsys.readouterr().err.replace("\n", " ")
    ft.write(tmp_path / "plain.glb", walk(np.random.default_rng(0), fps=20.0))  # our bone figure is not a character
    assert run(["convert", str(tmp_path / "plain.glb"), str(tmp_path / "plain.bvh")]) == 0
    assert "skin" not in capsys.readouterr().err


def test_clips_go_onto_an_fbx_character(tmp_path: Path) -> None:
    """The skin of a person in FBX moves with a walk that was recorded on another skeleton."""
    person = rig("rokoko")
    ft.write(tmp_path / "bones.glb", person)
    ft.write(tmp_path / "hero.fbx", person, character=tmp_path / "bones.glb")
    ft.write(tmp_path / "walk.bvh", walk(np.random.default_rng(0), fps=20.0))
    command = ["retarget", str(tmp_path / "walk.bvh"), "--onto", str(tmp_path / "hero.fbx")]
    assert run([*command, "-o", str(tmp_path / "out.fbx")]) == 0
    mesh = ft.read(tmp_path / "out.fbx", mesh=True, warn=quiet)
    assert isinstance(mesh, MeshSequence) and np.ptp(mesh.vertices.mean(axis=1), axis=0).max() > 0.5
    assert run([*command, "-o", str(tmp_path / "clips"), "--format", "glb"]) == 0
    assert ft.read(tmp_path / "clips" / "walk.glb", mesh=True, warn=quiet).vertices.shape[1] > 100  # type: ignore[union-attr]


def test_damaged_characters_are_refused_in_words(tmp_path: Path) -> None:
    data = Hero(0, 1, 1.0).save(tmp_path / "hero.fbx").read_bytes()
    rng = np.random.default_rng(0)
    for number in range(300):
        broken = bytearray(data)
        for place in rng.integers(27, len(data), 1 + number % 8):
            broken[place] = rng.integers(256)
        (tmp_path / "x.fbx").write_bytes(broken)
        try:
            mesh = ft.read(tmp_path / "x.fbx", mesh=True, warn=quiet)
        except FreshtakeError as error:
            assert "x.fbx" in str(error)
        else:
            assert isinstance(mesh, MeshSequence) and np.isfinite(mesh.vertices).all()
