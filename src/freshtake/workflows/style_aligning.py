"""Two files of the same content in different styles: the warp between them, applied and drawn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import FormatError, UsageError
from freshtake.formats.registry import for_writing, write
from freshtake.formats.report_files import KINDS, write_figure
from freshtake.methods.progress import Report
from freshtake.motion import Clip, Stroke
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.style.warping.alignment import Alignment, align, warp
from freshtake.style.warping.warp_settings import WarpSettings
from freshtake.workflows.takes_reading import read_takes


class Aligned(NamedTuple):
    """Both motions, their alignment, and whether they are one and the same motion."""

    first: Clip | Stroke
    second: Clip | Stroke
    alignment: Alignment
    identical: bool


@one_blas_thread()
def style_align(
    first: Path,
    second: Path,
    *,
    out: Path | None = None,
    plot: Path | None = None,
    onto: str = "first",
    against: str = "dtw-1",
    dof: str | None = None,
    settings: WarpSettings | None = None,
    reading: dict[str, Any] | None = None,
    report: Report | None = None,
) -> Aligned:
    """Align two files; write the one on the other's clock, and the picture of the correspondences, where asked to.

    With `onto="first"` the second motion is written with the timing of the first, with `onto="second"` the reverse.
    """
    if out is not None:
        for_writing(out)
    if plot is not None and plot.suffix.lower().lstrip(".") not in KINDS:
        raise FormatError(plot, f"a picture's name ends in one of {', '.join('.' + kind for kind in KINDS)}")
    a, b = _motions((first, second), reading)
    found = align(a, b, settings, report=report)
    figure = None
    if plot is not None:
        from freshtake.reports.alignment_figure import picture

        named = a.name or first.stem, b.name or second.stem
        figure = picture(a, b, settings, against=against, dof=dof, names=named)
    if out is not None:
        moved = warp(b if onto == "first" else a, found, onto=onto)
        write(out, moved, unit_m=(reading or {}).get("unit_m"))
    if plot is not None and figure is not None:
        write_figure(plot, figure)
    return Aligned(a, b, found, _identical(a, b))


def _motions(paths: Sequence[Path], reading: dict[str, Any] | None) -> list[Clip | Stroke]:
    out: list[Clip | Stroke] = []
    for path, motion in zip(paths, read_takes(paths, reading), strict=True):
        if not isinstance(motion, Clip | Stroke):
            raise UsageError(f"{path} is a {type(motion).__name__}: clips with a skeleton and strokes can be aligned")
        out.append(motion)
    return out


def _identical(a: Clip | Stroke, b: Clip | Stroke) -> bool:
    if isinstance(a, Clip) and isinstance(b, Clip):
        return np.array_equal(a.root, b.root) and np.array_equal(a.rotations, b.rotations)
    return isinstance(a, Stroke) and isinstance(b, Stroke) and np.array_equal(a.points, b.points)
