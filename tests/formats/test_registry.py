"""Which format a file is in: by content first, by name if the content is ambiguous."""

from __future__ import annotations

from pathlib import Path

import pytest

import freshtake as ft
from freshtake.formats.registry import FORMATS, by_name, detect, for_writing
from tests.conftest import data_files, label
from tests.fuzz.seeds import TARGETS, make_target

FORMS = {"glb": "gltf", "usda": "usd", "usdc": "usd"}  # targets whose format has another name
KNOWN = {form.name for form in FORMATS} - {"obj"}
SINGLE = [name for name in TARGETS if FORMS.get(name, name) in KNOWN]  # motions that are single files


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """A good file of each format that is a single file."""
    pytest.importorskip("ezc3d")
    pytest.importorskip("pxr")
    return {name: make_target(name, tmp_path_factory.mktemp(name)).seeds[0] for name in SINGLE}


@pytest.mark.parametrize("name", SINGLE)
@pytest.mark.parametrize("ending", [".bvh", ".npz", ".txt", "", ".GLB"])
def test_content_goes_before_the_name(tmp_path: Path, good: dict[str, bytes], name: str, ending: str) -> None:
    path = tmp_path / f"file{ending}"
    path.write_bytes(good[name])
    assert detect(path).name == FORMS.get(name, name)


@pytest.mark.parametrize("form", [f for f in FORMATS if f.suffixes], ids=lambda f: f.name)
def test_the_name_decides_where_content_does_not(tmp_path: Path, form: ft.formats.registry.Format) -> None:
    for suffix in form.suffixes:
        path = tmp_path / f"file{suffix.upper()}"
        path.write_bytes(b"?!\n")
        assert detect(path) is form


def test_every_good_file_looks_like_one_format_only(good: dict[str, bytes]) -> None:
    for name, content in good.items():
        looks = [form.name for form in FORMATS if form.looks_like(content[:4096])]
        assert looks == [FORMS.get(name, name)]


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf", b"\r\n\t "])
def test_marks_and_blanks_before_the_content_do_not_matter(tmp_path: Path, good: dict[str, bytes], mark: bytes) -> None:
    for name in ("bvh", "asf", "amc", "csv", "gltf"):
        (tmp_path / "file").write_bytes(mark + good[name])
        assert detect(tmp_path / "file").name == name


REAL = [path for path in data_files("*/**/*.*") if any(path.suffix.lower() in form.suffixes for form in FORMATS)]


@pytest.mark.parametrize("path", REAL, ids=label)
def test_real_files_are_told_by_content_alone(tmp_path: Path, path: Path) -> None:
    wanted = [form.name for form in FORMATS if path.suffix.lower() in form.suffixes]
    (tmp_path / "file").symlink_to(path)
    assert detect(tmp_path / "file").name == wanted[0]


def test_a_folder_is_a_mesh_sequence(tmp_path: Path) -> None:
    assert detect(tmp_path).name == "obj"


@pytest.mark.parametrize("form", [f for f in FORMATS if f.writable and f.suffixes], ids=lambda f: f.name)
def test_the_ending_says_what_is_written(form: ft.formats.registry.Format) -> None:
    for suffix in form.suffixes:
        assert for_writing(Path(f"some.name{suffix.upper()}")) is form


@pytest.mark.parametrize("name", ["x.asf", "x.dae", "x.bvh.bak"])
def test_other_endings_are_refused_with_the_choices(name: str) -> None:
    with pytest.raises(ft.FormatError, match=r"cannot be written; .* BVH \(.bvh\)"):
        for_writing(Path(name))


def test_every_format_has_a_reader_and_the_writer_it_claims() -> None:
    for form in FORMATS:
        module = form.load()
        assert callable(module.read)
        assert callable(getattr(module, "write", None)) or not form.writable
    assert by_name("bvh").title == "BVH"


def test_unknown_options_are_a_mistake_of_the_caller(tmp_path: Path) -> None:
    (tmp_path / "x.bvh").write_text("HIERARCHY")
    with pytest.raises(TypeError):
        ft.read(tmp_path / "x.bvh", color="red")


def test_a_picture_is_no_markers_file(tmp_path: Path) -> None:
    """Its second byte is that of C3D files."""
    (tmp_path / "hill.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(600))
    with pytest.raises(ft.FormatError, match="this format cannot be read"):
        detect(tmp_path / "hill.png")
