"""Files other than motion, each with inputs that break readers of text and JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.fuzz import child
from tests.fuzz.seeds import make_target
from tests.fuzz.side_files import SIDE_FILES

DIGITS = b"9" * 5000  # Python refuses to convert more than 4,300 of them
LONG = 1 << 18  # characters in a cell: the csv module refuses more than half of that


def hostile(good: bytes) -> list[bytes]:
    """Return files that are made to hurt, from a good one."""
    out = [
        b"", b"\0", b"\xff\xfe", b"\xef\xbb\xbf" + good, good.replace(b"\n", b"\r"), good.replace(b"\n", b"\r\n"),
        good + b'"', good.replace(b",", b",\0"), b"[" * 100_000, b'{"a":' * 100_000, b"a = " + b"[" * 100_000,
        good.rstrip() + b"," + b"x" * LONG + b"\n", b'"' + b"x" * LONG + b'"',
        b"x" * LONG, b"\n" * 10_000, good * 50, b"null", b"3", b'"text"', b"[]", b"{}", b"[[]]", b"[null]",
        b'{"": null}',
    ]  # fmt: skip
    places = list(re.finditer(rb"(?<![\w.])-?\d+(\.\d+)?(?!\w)", good))
    for number in (DIGITS, *b'-1 1e999 nan NaN Infinity true null "x" [] {} 1e-320'.split()):
        out += [good[: place.start()] + number + good[place.end() :] for place in places]
    return out


@pytest.mark.parametrize("name", SIDE_FILES)
def test_hostile_side_files_are_refused_with_a_sentence(tmp_path: Path, name: str) -> None:
    target = make_target(name, tmp_path)
    scene = tmp_path / "scene"
    scene.mkdir()
    for other, content in target.beside:
        (scene / other).write_bytes(content)
    path = scene / target.file
    problems = []
    for good in target.seeds:
        path.write_bytes(good)
        assert target.read is not None
        target.read(path)  # a seed that is refused would make the rest worthless
        for number, content in enumerate(hostile(good)):
            path.write_bytes(content)
            if problem := child.complaint(path, reader=target.read):
                problems.append(f"{number}: {content[:80]!r}: {problem}")
    assert problems == []


def test_the_list_of_side_files_is_complete(tmp_path: Path) -> None:
    from tests.fuzz.side_files import side_files

    assert tuple(side_files(tmp_path)) == SIDE_FILES
    assert json.loads(side_files(tmp_path)["stars"].seeds[0])["format"] == "freshtake stars"
