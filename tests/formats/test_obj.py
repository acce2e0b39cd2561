"""OBJ folders: written and read back exactly, every way of writing faces against a slow reader, and refusals."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import freshtake as ft
from freshtake.formats import obj
from freshtake.formats.files import read_text
from freshtake.formats.obj import parse_obj
from freshtake.formats.read_options import ReadOptions, WriteOptions
from freshtake.motion import MeshSequence
from tests.conftest import data_files, label

SINGLE = st.floats(allow_nan=False, allow_infinity=False, width=32)
QUAD = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"


def single(shape: tuple[int, ...]) -> st.SearchStrategy[Any]:
    return hnp.arrays(np.float32, shape, elements=SINGLE)


@st.composite
def meshes(draw: st.DrawFn) -> MeshSequence:
    frames, count, faces = draw(st.integers(1, 3)), draw(st.integers(1, 5)), draw(st.integers(0, 4))
    attributes = {}
    for name, width in (("uv", 2), ("color", 3)):
        if draw(st.booleans()):
            attributes[name] = draw(single(draw(st.sampled_from([(count, width), (frames, count, width)]))))
    return MeshSequence(
        draw(single((frames, count, 3))),
        draw(hnp.arrays(np.int32, (faces, 3), elements=st.integers(0, count - 1))),
        draw(st.floats(1e-6, 1e3)),
        draw(st.none() | single((frames, count, 3))),
        attributes,
        draw(st.text(max_size=9)),
        draw(st.text(max_size=9)),
        draw(st.sampled_from("yz")),
        draw(st.none() | st.floats(1e-6, 1e6)),
    )


@given(mesh=meshes())
def test_folders_survive(tmp_path_factory: pytest.TempPathFactory, mesh: MeshSequence) -> None:
    folder = tmp_path_factory.mktemp("obj") / "sequence"
    ft.write(folder, mesh)
    read = ft.read(folder)
    assert isinstance(read, MeshSequence)
    assert np.array_equal(read.vertices, mesh.vertices) and np.array_equal(read.faces, mesh.faces)
    for field in ("frame_time", "name", "provenance", "up", "unit_m"):
        assert getattr(read, field) == getattr(mesh, field)
    assert (read.normals is None) == (mesh.normals is None)
    assert read.normals is None or np.array_equal(read.normals, mesh.normals)
    assert read.attributes.keys() == mesh.attributes.keys()
    for name, values in mesh.attributes.items():
        shape = (*mesh.vertices.shape[:2], values.shape[-1])
        assert np.array_equal(np.broadcast_to(read.attributes[name], shape), np.broadcast_to(values, shape))


@pytest.mark.parametrize("path", data_files("mesh/fox_walk.npz") + data_files("mesh/cesium*.npz"), ids=label)
def test_real_sequences_survive(tmp_path: Path, path: Path) -> None:
    mesh = ft.read(path)
    assert isinstance(mesh, MeshSequence)
    ft.write(tmp_path / "sequence", mesh)
    read = ft.read(tmp_path / "sequence")
    assert isinstance(read, MeshSequence) and read.fps == 60.0
    assert np.array_equal(read.vertices, mesh.vertices) and np.array_equal(read.faces, mesh.faces)


# Against a slow reader that follows the format line by line.


def slow_reader(text: str) -> tuple[list[list[float]], list[list[tuple[int, ...]]]]:
    """Positions, and faces as corners (v, vt, vn) with rows from 0 and -1 for none."""
    tables: dict[str, list[list[float]]] = {"v": [], "vt": [], "vn": []}
    faces = []
    for line in text.replace("\\\n", " ").split("\n"):
        word, *rest = line.split("#")[0].split() or [""]
        if word in tables:
            tables[word].append([float(n) for n in rest])
        elif word == "f":
            corners = []
            for corner in rest:
                parts = [*corner.split("/"), "", ""][:3]
                rows = []
                for part, table in zip(parts, ("v", "vt", "vn"), strict=True):
                    number = int(part or 0)
                    rows.append(len(tables[table]) + number if number < 0 else number - 1)
                corners.append(tuple(rows))
            faces.append(corners)
    return tables["v"], faces


@st.composite
def obj_texts(draw: st.DrawFn) -> str:
    counts = {"v": 0, "vt": 0, "vn": 0}
    lines: list[str] = []
    gap = st.sampled_from([" ", "  ", "\t", " \\\n "])

    def line(*words: str) -> None:
        lead = draw(st.sampled_from(["", "", " ", "\t"]))
        lines.append(
            lead + "".join(w + draw(gap) for w in words[:-1]) + words[-1] + draw(st.sampled_from(["", " ", " # x 1"]))
        )

    def index(table: str) -> str:
        number = draw(st.integers(1, counts[table]))
        return str(number if draw(st.booleans()) else number - counts[table] - 1)

    for _ in range(draw(st.integers(1, 4))):
        for table, width in (("v", 3), ("vt", 2), ("vn", 3)):
            for _ in range(draw(st.integers(1, 3))):
                counts[table] += 1
                line(table, *[repr(draw(SINGLE)) for _ in range(width)])
        lines.append(
            draw(st.sampled_from(["", "# a comment", "mtllib /etc/passwd", "o my#thing", "usemtl red", "s off"]))
        )
        for _ in range(draw(st.integers(0, 3))):
            corners = []
            for _ in range(draw(st.integers(3, 6))):
                style = draw(st.sampled_from(["v", "v/t", "v//n", "v/t/n", "v/"]))
                words = style.replace("v", index("v")).replace("t", index("vt")).replace("n", index("vn"))
                corners.append(words)
            line("f", *corners)
    return "\n".join(lines) + draw(st.sampled_from(["", "\n", "\n\n"]))


@given(text=obj_texts(), ending=st.sampled_from(["\n", "\r\n", "\r"]))
def test_any_writing_of_faces_reads_as_the_slow_reader_does(text: str, ending: str) -> None:
    positions, faces = slow_reader(text)
    with TemporaryDirectory() as folder:
        path = Path(folder, "x.obj")
        path.write_bytes(text.replace("\n", ending).encode())
        mesh = parse_obj(path, read_text(path))
    assert mesh.positions.tolist() == positions
    rows = mesh.corners.rows
    assert [tuple(row) for row in rows.tolist()] == [corner for face in faces for corner in face]
    fans = [[f[0][0], f[k][0], f[k + 1][0]] for f in faces for k in range(1, len(f) - 1)]
    assert mesh.corners.faces.tolist() == fans


def folder_of(tmp_path: Path, *texts: str, **files: str) -> Path:
    folder = tmp_path / "sequence"
    folder.mkdir()
    for number, text in enumerate(texts, start=1):
        (folder / f"frame_{number}.obj").write_text(text)
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def quiet(path: Path, **options: Any) -> MeshSequence:
    return obj.read(path, ReadOptions(warn=lambda sentence: None, **options))


def test_frames_follow_the_numbers_and_not_the_alphabet(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, *[f"v {k} 0 0\n" for k in range(1, 13)])
    assert quiet(folder).vertices[:, 0, 0].tolist() == list(range(1, 13))


def test_the_rate_is_asked_for_once(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, QUAD, QUAD)
    said: list[str] = []
    assert obj.read(folder, ReadOptions(warn=said.append)).fps == 30.0
    assert len(said) == 1 and "30 fps" in said[0] and str(folder) in said[0]
    said.clear()
    assert obj.read(folder, ReadOptions(fps=24, warn=said.append)).fps == 24.0 and not said


def test_seams_and_gaps_are_told(tmp_path: Path) -> None:
    seam = QUAD + "vt 0 0\nvt 1 1\nf 1/1 2/1 3/1\nf 1/2 3/1 4/1\n"
    folder = folder_of(tmp_path, seam, seam, seam)
    (folder / "frame_2.obj").rename(folder / "frame_7.obj")
    said: list[str] = []
    mesh = obj.read(folder, ReadOptions(fps=24, warn=said.append))
    assert not mesh.attributes and len(said) == 2 and "gaps" in said[0] and "left out" in said[1]


def test_values_of_a_vertex_are_kept_where_its_faces_agree(tmp_path: Path) -> None:
    text = QUAD + "vt .1 .2\nvt .3 .4\nvn 0 0 1\nf 1/1/1 2/2/1 3/1/1 4/2/1\n"
    mesh = quiet(folder_of(tmp_path, text, text))
    assert np.allclose(mesh.attributes["uv"], [[0.1, 0.2], [0.3, 0.4], [0.1, 0.2], [0.3, 0.4]])
    assert mesh.normals is not None and np.array_equal(mesh.normals, np.tile(np.float32([0, 0, 1]), (2, 4, 1)))


def test_one_file_is_one_frame(tmp_path: Path) -> None:
    mesh = MeshSequence(np.eye(3, dtype=np.float32)[None], np.array([[0, 1, 2]], dtype=np.int32), 1 / 30)
    obj.write(tmp_path / "one.obj", mesh, WriteOptions())
    read = obj.read(tmp_path / "one.obj", ReadOptions())
    assert np.array_equal(read.vertices, mesh.vertices) and np.array_equal(read.faces, mesh.faces)
    two = MeshSequence(np.zeros((2, 3, 3), np.float32), mesh.faces, 1 / 30)
    with pytest.raises(ft.FormatError, match="one frame, not 2: name a folder"):
        obj.write(tmp_path / "two.obj", two, WriteOptions())


def test_a_folder_with_something_in_it_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "keep.txt").write_text("mine")
    mesh = MeshSequence(np.zeros((1, 1, 3), np.float32), np.zeros((0, 3), np.int32), 1 / 30)
    with pytest.raises(ft.FormatError, match="not empty"):
        ft.write(tmp_path / "full", mesh)
    assert [f.name for f in (tmp_path / "full").iterdir()] == ["keep.txt"]
    assert [f.name for f in tmp_path.iterdir()] == ["full"]


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ([], "numbered .obj files was expected, but there are none"),
        (["", ""], "frame_1.obj: lines with 'v x y z' were expected"),
        (["# nothing\n"], "lines with 'v x y z' were expected"),
        (["\x00\x01"], "binary"),
        (["v 1 2\n"], "line 1: 3 to 7 numbers were expected after 'v'"),
        (["v 1 2 3\n\nv 1 2 3 4 5 6 7 8\n"], "line 3: 3 to 7 numbers"),
        (["v 1 2 3\nvn 1 0\n"], "line 2: 3 numbers were expected after 'vn'"),
        (["v 1 2 3\nv 1 2 nan\n"], "line 2: a finite number was expected, not 'nan'"),
        (["v 1 2 1e999\n"], "line 1: a finite number was expected, not '1e999'"),
        (["v 1 2 1e39\n"], "vertices must be finite"),
        (["v 1 \\\n 2 3\nv 1 2 x\n"], "line 3: a finite number was expected, not 'x'"),
        (["v 1 2 3\nwibble 3\n"], "line 2: an OBJ keyword .* was expected, not 'wibble 3'"),
        (["v 1 2 3\n\x1cf 1 1 1\n"], "line 2: an OBJ keyword"),
        ([QUAD + "f 1 2\n"], "line 5: a face with at least three corners"),
        ([QUAD + "f 1 2 3\nf 1 2 5\n"], "line 6: a face uses v 5, but there are 4"),
        ([QUAD + "f -1 -2 -5\n"], "line 5: a face uses v -5, but there are 4"),
        ([QUAD + "f 0 1 2\n"], "line 5: vertices are counted from 1"),
        ([QUAD + "vt 0 0\nf 1/1 2/2 3/1\n"], "line 6: a face uses vt 2, but there are 1"),
        ([QUAD + "f 1 2 a\n"], "line 5: corners like"),
        ([QUAD + "f 1 2 1.5\n"], "line 5: corners like"),
        ([QUAD + "f 1 2 1/1/1/1\n"], "line 5: corners like"),
        ([QUAD + "f 1 2 /1\n"], "line 5: corners like"),
        ([QUAD + "f 1 2 99999999999999999999\n"], "line 5: corners like"),
        ([QUAD + "f 1 2 3\n", QUAD + "f 1 2 4\n"], "frame_2.obj: the faces differ from those of frame_1.obj"),
        ([QUAD, QUAD + "v 1 2 3\n"], "frame_2.obj: the file has 5 vertices, but frame_1.obj has 4"),
    ],
)
def test_broken_folders_are_refused_in_one_sentence(tmp_path: Path, texts: list[str], message: str) -> None:
    with pytest.raises(ft.FormatError, match=message) as caught:
        ft.read(folder_of(tmp_path, *texts), fps=30)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("other_1.obj", QUAD, "one numbered sequence were expected, not 'frame_#' and 'other_#'"),
        ("frame_01.obj", QUAD, "frame_01.obj and frame_1.obj have the same number"),
        ("freshtake.json", "{", "not JSON"),
        ("freshtake.json", "[" * 100_000, "nested too deeply"),
        ("freshtake.json", "[1]", "correct it or remove the file"),
        (
            "freshtake.json",
            json.dumps({"format": "freshtake mesh sequence", "frame_time": "x"}),
            "'frame_time' has the",
        ),
        ("freshtake.json", '{"format": "freshtake mesh sequence", "frame_time": NaN}', "frame_time must be a finite"),
    ],
)
def test_misleading_neighbours_are_refused(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(ft.FormatError, match=message):
        ft.read(folder_of(tmp_path, QUAD, **{name: text}), fps=30)


def test_hidden_files_and_references_are_left_alone(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, "mtllib missing.mtl\n" + QUAD, **{"._frame_1.obj": "\x00", "notes.txt": "x"})
    (folder / "frame_2.obj").mkdir()
    assert len(quiet(folder)) == 1


@given(text=st.text(st.sampled_from("vtnf 0123-/.\\#\n\te\x0b\x1c\xa0"), max_size=80))
def test_any_text_ends_in_a_mesh_or_a_format_error(text: str) -> None:
    with contextlib.suppress(ft.FormatError):
        parse_obj(Path("x.obj"), text)


def test_only_meshes_are_written(tmp_path: Path) -> None:
    with pytest.raises(ft.FormatError, match="OBJ holds a mesh, not a stroke"):
        ft.write(tmp_path / "folder", ft.Stroke(np.zeros((1, 2)), np.zeros(1)))
