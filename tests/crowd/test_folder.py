"""Manifests and character tables edited by others: every field is checked, and one sentence says which."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from freshtake.cli.entry import run
from freshtake.crowd import Group, Plan, crowd_make
from freshtake.crowd.folder import read_characters, read_manifest
from freshtake.errors import FormatError

Change = Callable[[dict[str, Any]], Any]
NO_TEXT = (None, 3, True, [], {})
NO_NUMBER = (None, "3", True, [], math.nan, math.inf, 0, -1, 1e300)
NO_COUNT = (None, "3", True, 1.5, [], 0, -1, 10**15)


@pytest.fixture(scope="module")
def library(walk: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a crowd of two motions and six characters."""
    folder = tmp_path_factory.mktemp("folder") / "library"
    crowd_make(Plan((Group(walk),), 6, 1.0, mode="library", variants=2, fps=30.0), folder, workers=1)
    return folder


@pytest.fixture
def crowd(library: Path, tmp_path: Path) -> Path:
    """Return a copy that a test may damage."""
    return Path(shutil.copytree(library, tmp_path / "crowd"))


def refused(crowd: Path, capsys: pytest.CaptureFixture[str], place: str) -> None:
    """Check that both commands that read a crowd refuse it with one sentence that names the location."""
    for words in (["preview", str(crowd), "-o", str(crowd.parent / "page.html")],
                  ["textures", str(crowd), "-o", str(crowd.parent / "textures")]):  # fmt: skip
        code, said = run(["crowd", *words, "--quiet"]), capsys.readouterr().err
        assert code == 2 and said.startswith("freshtake: ") and said.count("\n") == 1 and "Traceback" not in said, said
        assert place in said, said
        assert sorted(path.name for path in crowd.parent.iterdir()) == ["crowd"]


FIELDS = [
    *[("mode", value) for value in (*NO_TEXT, "other")],
    *[(key, value) for key in ("seconds", "fps") for value in NO_NUMBER],
    *[("number", value) for value in NO_COUNT],
    *[("groups", value) for value in (None, "a", {}, [3], [None])],
    *[("shards", value) for value in (None, "a", {}, [], [3], [None])],
]


@pytest.mark.parametrize(("key", "value"), FIELDS, ids=[f"{key}={str(value)[:9]}" for key, value in FIELDS])
def test_a_field_of_a_manifest_that_is_wrong_is_named(
    crowd: Path, capsys: pytest.CaptureFixture[str], key: str, value: Any
) -> None:
    manifest = json.loads((crowd / "manifest.json").read_text())
    for changed in ({**manifest, key: value}, {name: one for name, one in manifest.items() if name != key}):
        (crowd / "manifest.json").write_text(json.dumps(changed))
        refused(crowd, capsys, key)


RECORDS = [
    *[("file", value) for value in (*NO_TEXT, "", ".", "..", "../shard_000001.npz", "/etc/hosts", "nothere.npz")],
    *[(key, value) for key in ("first", "last") for value in NO_COUNT],
    *[("group", value) for value in NO_TEXT],
]


@pytest.mark.parametrize(("key", "value"), RECORDS, ids=[f"{key}={str(value)[:9]}" for key, value in RECORDS])
def test_a_record_of_a_shard_that_is_wrong_is_named(
    crowd: Path, capsys: pytest.CaptureFixture[str], key: str, value: Any
) -> None:
    manifest = json.loads((crowd / "manifest.json").read_text())
    manifest["shards"][-1][key] = value
    (crowd / "manifest.json").write_text(json.dumps(manifest))
    refused(crowd, capsys, "nothere.npz" if value == "nothere.npz" else f"shards[{len(manifest['shards']) - 1}]")


TABLES: dict[str, tuple[Callable[[list[str]], list[str]], str]] = {
    "empty": (lambda lines: [], "group"),
    "no characters": (lambda lines: lines[:1], "characters"),
    "no column": (lambda lines: [lines[0].replace("phase", "phrase"), *lines[1:]], "phase"),
    "a column twice": (lambda lines: [lines[0].replace("phase", "x"), *lines[1:]], "line 1"),
    "a cell too few": (lambda lines: [*lines[:2], lines[2].rpartition(",")[0], *lines[3:]], "line 3"),
    "a cell too many": (lambda lines: [*lines[:2], f"{lines[2]},1", *lines[3:]], "line 3"),
    "text for a number": (lambda lines: [*lines[:2], lines[2].rpartition(",")[0] + ",a", *lines[3:]], "line 3"),
    "infinite": (lambda lines: [*lines[:2], lines[2].rpartition(",")[0] + ",inf", *lines[3:]], "line 3"),
    "not a number": (lambda lines: [*lines[:2], lines[2].rpartition(",")[0] + ",nan", *lines[3:]], "line 3"),
}


@pytest.mark.parametrize("table", TABLES)
def test_a_table_of_characters_that_is_wrong_is_refused_with_its_line(
    crowd: Path, capsys: pytest.CaptureFixture[str], table: str
) -> None:
    change, place = TABLES[table]
    path = crowd / "characters.csv"
    path.write_text("".join(f"{line}\n" for line in change(path.read_text().splitlines())))
    refused(crowd, capsys, place)


@pytest.mark.parametrize(
    ("column", "value"), [("variant", "0"), ("variant", "-3"), ("variant", "1.5"), ("phase", "-1"), ("phase", "1.5")]
)
def test_a_number_of_a_character_that_cannot_be_is_refused(crowd: Path, column: str, value: str) -> None:
    lines = (crowd / "characters.csv").read_text().splitlines()
    cells = lines[3].split(",")
    cells[lines[0].split(",").index(column)] = value
    (crowd / "characters.csv").write_text("\n".join([*lines[:3], ",".join(cells), *lines[4:]]))
    with pytest.raises(FormatError, match=f"{column}.*line 4|line 4.*{column}"):
        read_characters(crowd)


def test_what_freshtake_wrote_is_read(library: Path) -> None:
    manifest, rows = read_manifest(library), read_characters(library)
    assert manifest["number"] == len(rows) == 6
    assert {row["variant"] for row in rows} == {1.0, 2.0}
