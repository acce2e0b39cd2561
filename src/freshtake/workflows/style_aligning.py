"""Two files of the same content in different styles: the warp between them, applied and drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import FormatError, UsageError
from freshtake.formats.files import write_bytes
from freshtake.formats.registry import for_writing, write
from freshtake.formats.report_files import KINDS, PAGES, require_plots, write_figure
from freshtake.methods.progress import Report, silent
from freshtake.motion import Clip, Stroke
from freshtake.motion.kinds import kind_word
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.requests.style import StyleAlign
from freshtake.style.settings import WarpSettings
from freshtake.style.warping.alignment import Alignment, align, warp
from freshtake.workflows.inputs import read_takes

LEGEND = {"input": "the first", "variant": "the second, on the first one's clock", "extra": "the second, as it was"}


class Aligned(NamedTuple):
    """Both motions, their alignment, and whether they are one and the same motion."""

    first: Clip | Stroke
    second: Clip | Stroke
    alignment: Alignment
    identical: bool


@one_blas_thread()
def style_align(request: StyleAlign, report: Report = silent, warn: Callable[[str], None] | None = None) -> Aligned:
    """Align two files, and write one motion on the other's clock and a picture of the alignment where requested.

    Args:
        request: Both files, what is written, and how they are warped.
        report: Called with the progress.
        warn: Called with sentences for the user.

    Returns:
        Both motions and their alignment.
    """
    out, plot = request.out, request.plot
    if out is not None:
        for_writing(out)
    if plot is not None and plot.suffix.lower() not in (*PAGES, *(f".{kind}" for kind in KINDS)):
        kinds = ", ".join("." + kind for kind in KINDS)
        raise FormatError(plot, f"a picture's name ends in one of {kinds}, a page's in .html")
    if plot is not None:
        require_plots()
    settings = WarpSettings(
        method=request.method, slope=request.slope, smoothness=request.smoothness,
        offset_smoothness=request.smoothness, scale=request.scale, cut="auto" if request.cut else "never",
    )  # fmt: skip
    a, b = _motions((request.first, request.second), request.reading(warn))
    alignment = align(a, b, settings, report=report)
    figure = None
    if plot is not None:
        from freshtake.reports.alignment_figure import picture

        named = a.name or request.first.stem, b.name or request.second.stem
        figure = picture(a, b, settings, against=request.against, dof=request.dof, names=named)
    if out is not None:
        write(out, warp(b if request.onto == "first" else a, alignment, onto=request.onto), unit_m=request.unit)
    if plot is not None and figure is not None and plot.suffix.lower() in PAGES:
        write_bytes(plot, _page(a, b, alignment, figure).encode())
    elif plot is not None and figure is not None:
        write_figure(plot, figure)
    return Aligned(a, b, alignment, _identical(a, b))


def _page(a: Clip | Stroke, b: Clip | Stroke, alignment: Alignment, figure: Any) -> str:
    """Both motions and the second on the first one's clock, played beside one another; below it the correspondences."""
    from freshtake.reports.plots import Picture, png
    from freshtake.reports.style_figures import Section, style_page
    from freshtake.reports.viewport.staging import scene_of

    moved = warp(b, alignment, onto="first")
    sets = [("input", [a]), ("variant", [moved]), ("extra", [b])]
    least, most = float(alignment.steps.min()), float(alignment.steps.max())
    statement = f"the second runs between {least:.2f} and {most:.2f} times as fast as the first"
    picture = Picture("alignment", "Which frames belong together", "", png(figure), True)
    summary = "Blue: the first motion. Green: the second one on the first one's clock. Red: the second as it was."
    return style_page(
        f"{a.name} and {b.name}, aligned", summary, [Section("Correspondences", "", (), (picture,))],
        scene_of(sets, layout="row", legend=LEGEND), (True, f"In step: {statement}."),
    )  # fmt: skip


def _motions(paths: Sequence[Path], reading: dict[str, Any] | None) -> list[Clip | Stroke]:
    out: list[Clip | Stroke] = []
    for path, motion in zip(paths, read_takes(paths, reading), strict=True):
        if not isinstance(motion, Clip | Stroke):
            raise UsageError(f"{path} is a {kind_word(motion)}: clips with a skeleton and strokes can be aligned")
        out.append(motion)
    return out


def _identical(a: Clip | Stroke, b: Clip | Stroke) -> bool:
    if isinstance(a, Clip) and isinstance(b, Clip):
        return np.array_equal(a.root, b.root) and np.array_equal(a.rotations, b.rotations)
    return isinstance(a, Stroke) and isinstance(b, Stroke) and np.array_equal(a.points, b.points)
