"""Figures go to picture files by name."""

from __future__ import annotations

from pathlib import Path

import pytest
from matplotlib.figure import Figure

from freshtake.errors import FormatError
from freshtake.formats.report_files import write_figure


def test_a_name_may_be_text_or_a_path(tmp_path: Path) -> None:
    for path in (tmp_path / "a.png", str(tmp_path / "b.png")):
        write_figure(path, Figure(figsize=(1, 1)))
        assert Path(path).read_bytes().startswith(b"\x89PNG")


def test_other_endings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="png"):
        write_figure(tmp_path / "a.gif", Figure(figsize=(1, 1)))
    assert list(tmp_path.iterdir()) == []
