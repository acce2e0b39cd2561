"""Model files of every released version can be read, and draw the same as before; unknown fields are refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freshtake as ft
from tests.formats.ftm.corpus import FOLDERS, draw, numbers
from tests.formats.ftm.opened import Opened

FILES = [path for folder in FOLDERS for path in sorted(folder.glob("*.ftm"))]
# Of a motion's own size: processors round differently, and expectations are stored in single precision.
TOLERANCE = 1e-4


def test_there_are_files_of_every_method() -> None:
    methods = {Opened(path).header["method"] for path in FILES}
    assert methods >= {"variation", "paper", "style", "gaits", "density", "texture"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_files_of_released_versions_draw_what_they_drew(path: Path) -> None:
    """A later version may instead refuse such a file in one sentence; then that belongs here, by name."""
    drawn = numbers(draw(ft.load(path)))
    with np.load(path.with_suffix(".npz")) as expected:
        assert set(expected) == set(drawn)
        for name, values in expected.items():
            assert values.shape == drawn[name].shape, name
            assert np.abs(values - drawn[name]).max() <= TOLERANCE * max(np.abs(values).max(), 1.0), name


def objects_of(value: Any) -> Iterator[dict[str, Any]]:
    """Yield all objects inside a header, without the checksums, which are rewritten."""
    inner = value if isinstance(value, list) else [v for key, v in value.items() if key != "sha256"]
    for each in inner:
        if isinstance(each, dict):
            yield each
        if isinstance(each, dict | list):
            yield from objects_of(each)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_fields_and_arrays_that_nobody_knows_are_refused(path: Path, tmp_path: Path) -> None:
    opened = Opened(path)
    opened.header["weather"] = "rain"
    with pytest.raises(ft.FormatError, match="'weather': this freshtake does not know"):
        ft.load(opened.write(tmp_path / "field.ftm"))
    for number in range(len(list(objects_of(Opened(path).header)))):
        opened = Opened(path)
        list(objects_of(opened.header))[number]["weather"] = "rain"
        with pytest.raises(ft.FormatError, match=r"weather|rain"):
            ft.load(opened.write(tmp_path / "inner.ftm"))
    opened = Opened(path)
    opened.arrays["weather"] = np.zeros(3)
    with pytest.raises(ft.FormatError, match="'weather': this freshtake does not know"):
        ft.load(opened.write(tmp_path / "array.ftm"))
