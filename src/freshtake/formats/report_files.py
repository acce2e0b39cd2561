"""Evaluation reports to files: one HTML page, or a folder with the page, the figures and the pictures.

Figures to picture files, whole or not at all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from freshtake.errors import FormatError
from freshtake.formats.files import check_free, replacing, replacing_folder, write_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAGES = (".html", ".htm")
KINDS = ("png", "svg", "pdf")


def check_report_target(path: Path) -> None:
    """Refuse a target that cannot be written, before the work is done."""
    if path.suffix.lower() not in ("", *PAGES):
        raise FormatError(path, "a report is a page (.html) or a folder: name one of them")
    if path.suffix == "" and path.is_file():
        raise FormatError(path, "there is a file of this name: name a folder")
    check_free(path)


def write_report(path: Path, page: str, figures: dict[str, Any], pictures: Mapping[str, bytes]) -> list[Path]:
    """Write a page alone, or a folder with report.html, figures.json and the pictures; returns what was written."""
    check_report_target(path)
    if path.suffix.lower() in PAGES:
        write_bytes(path, page.encode())
        return [path]
    with replacing_folder(path) as folder:
        (folder / "report.html").write_bytes(page.encode())
        text = json.dumps(figures, indent=2, ensure_ascii=False, allow_nan=False)
        (folder / "figures.json").write_bytes(text.encode())
        for name, png in pictures.items():
            (folder / f"{re.sub(r'[^A-Za-z0-9_.-]+', '_', name)}.png").write_bytes(png)
    return [path / "report.html", path / "figures.json"]


def write_figure(path: str | PathLike[str], figure: Figure, dpi: int = 130) -> None:
    """Save as PNG, SVG or PDF, by the name's ending."""
    path = Path(path)
    kind = path.suffix.lower().lstrip(".")
    if kind not in KINDS:
        raise FormatError(path, f"a picture's name ends in one of {', '.join('.' + k for k in KINDS)}")
    with replacing(path) as temporary:
        figure.savefig(temporary, format=kind, dpi=dpi)
