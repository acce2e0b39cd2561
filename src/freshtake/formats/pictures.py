"""Figures to picture files, whole or not at all."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from freshtake.errors import FormatError
from freshtake.formats.files import replacing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = ("png", "svg", "pdf")


def write_figure(path: str | PathLike[str], figure: Figure, dpi: int = 130) -> None:
    """Save as PNG, SVG or PDF, by the name's ending."""
    path = Path(path)
    kind = path.suffix.lower().lstrip(".")
    if kind not in KINDS:
        raise FormatError(path, f"a picture's name ends in one of {', '.join('.' + k for k in KINDS)}")
    with replacing(path) as temporary:
        figure.savefig(temporary, format=kind, dpi=dpi)
