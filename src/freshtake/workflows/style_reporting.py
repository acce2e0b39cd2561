"""Report style translation (strips, errors of simpler methods, time warps), and align two motions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.formats.files import write_bytes
from freshtake.formats.registry import for_writing, write
from freshtake.formats.report_files import PAGES, check_figure_target, require_plots, write_figure
from freshtake.methods.progress import Progress, Report, Warn, silent, unheard
from freshtake.motion import Clip, Stroke
from freshtake.motion.kinds import kind_word
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.reports.plots import Picture, png
from freshtake.reports.style_figures import (
    Section,
    Table,
    blend_function,
    blend_over_time,
    ground_plan,
    strips,
    style_page,
    warp_curves,
)
from freshtake.reports.viewport.staging import scene_of
from freshtake.requests.style import StyleAlign
from freshtake.style.learning import aligned
from freshtake.style.model import StyleModel
from freshtake.style.pairs import fit_to_learn
from freshtake.style.simple_translations import KINDS, held_out_errors
from freshtake.style.warping.alignment import Alignment, align, warp
from freshtake.style.warping.motion_warping import WarpSettings
from freshtake.workflows.inputs import read_sets

if TYPE_CHECKING:
    from freshtake.workflows.style_translating import StyledClip, StylePairs

LEGEND = {"input": "as it was", "variant": "translated", "extra": "actually performed in this style"}
MOST_FOLDS = 3  # clips held out for the table of errors
Page = tuple[str, dict[str, Any], dict[str, bytes]]
WORDS = {
    "copy": "the source as it is",
    "mean/variance": "mean and variance of every DOF shifted",
    "static": "a static linear map per joint",
    "n4sid": "subspace identification",
}


def learning_page(model: StyleModel, style_pairs: StylePairs, report: Report) -> Page:
    """Build a page with the pairs, each method's errors on held-out clips, a translation in pictures, and all warps."""
    pairs = style_pairs.pairs if style_pairs.one_take else tuple(fit_to_learn(style_pairs.pairs))
    style_pairs = style_pairs._replace(pairs=pairs)
    warps = {(id(a), id(b)): aligned(a, b, model.settings) for a, b in pairs}
    errors, shown = _held_out(model, style_pairs, warps, report)
    sections = [_pairs_section(style_pairs), *([_errors_section(errors)] if errors else [])]
    scene = None
    if shown is not None:
        (source, target), other = shown
        translated = other.translate(source)
        clips = [source, translated, target]
        titles = [f"{source.name}, left out", "translated", f"{target.name}, real"]
        figure, heading = strips(clips, titles=titles), "Input above, translation below"
        sections.append(_drawn(heading, "As in figure 1.", "strips", "Translation of a held-out clip", figure))
        named = [[clip.changed(name=title)] for clip, title in zip(clips, titles, strict=True)]
        sets = list(zip(("input", "variant", "extra"), named, strict=True))
        scene = scene_of(sets, layout="row", legend=LEGEND)
    names = [f"{a.name} - {b.name}" for a, b in pairs]
    curves = warp_curves([warps[id(a), id(b)].steps for a, b in pairs], names, 1.0 / model.frame_time)
    text = "Frames of the target style per frame of the source, as aligned by iterative motion warping."
    sections.append(_drawn("Time warps", text, "warps", "Differential time warps", curves))
    text = (
        "The weight of the input by its distance from the mean of the examples (figure 4); the largest of all DOFs is "
        "used. The last curve is the default."
    )
    sections.append(_drawn("When the input is kept", text, "blend_function", "Blend function", blend_function()))
    words = model.held_out.in_words(len(pairs))
    summary = f"{words[:1].upper()}{words[1:]}. Its memory is {model.memory:.1f} s."
    pictures = {p.name: p.png for section in sections for p in section.pictures}
    figures = {
        "errors": model.held_out._asdict(),
        "held_out": errors,
        "pairs": [row._asdict() for row in style_pairs.table],
    }
    page = style_page("Style translation, learned", summary, sections, scene, _verdict(errors))
    return page, figures, pictures


def _verdict(errors: list[dict[str, Any]]) -> tuple[bool, str] | None:
    """Return whether translation brings held-out clips nearer to the other style, with a sentence."""
    if not errors:
        return None
    after, before = (float(np.mean([row["errors"][name] for row in errors])) for name in ("n4sid", "copy"))
    statement = f"held-out clips are {after:.1f}° off the real ones after translation, {before:.1f}° before"
    # Leaving the clip unchanged must be clearly worse: by at least a tenth of its error.
    good = after < 0.9 * before
    return _in_words(good, statement if good else f"{statement}; give more pairs, or pairs that are more similar")


def _in_words(good: bool, statement: str) -> tuple[bool, str]:
    return good, f"{'Usable' if good else 'Look at'}: {statement}."


def _held_out(
    model: StyleModel, style_pairs: StylePairs, warps: dict[tuple[int, int], Any], report: Report
) -> tuple[list[dict[str, Any]], tuple[tuple[Clip, Clip], StyleModel] | None]:
    """Measure the errors of every method on a few held-out pairs; return them, and the last pair with its model."""
    errors: list[dict[str, Any]] = []
    shown = None
    for pair in style_pairs.pairs:
        if len(errors) == MOST_FOLDS:
            break
        others = [p for p in style_pairs.pairs if p[0] is not pair[0] and p[1] is not pair[1]]
        if len(others) < 2 or any(pair[0].name == row["source"] for row in errors):
            continue
        report(Progress(len(errors) / MOST_FOLDS, f"leaving out {pair[0].name}"))
        done = held_out_errors(others, pair, model.settings, alignments=warps)
        errors.append({"source": pair[0].name, "target": pair[1].name, "errors": done.errors})
        shown = (pair, done.models["n4sid"])
    return errors, shown


def translation_page(model: StyleModel, done: StyledClip) -> Page:
    """Build a page with strips of the clip before and after, the time warp, and the kept share of the input."""
    assert done.translation is not None
    source, out, translated = done.fitted, done.translation.clip, done.translation.translated
    # Frames of the translation that pass while one frame of the source does.
    elapsed = np.interp(np.arange(len(source)), translated.origins, np.arange(len(translated.origins)))
    steps = np.gradient(elapsed)
    fps = 1.0 / model.frame_time
    titles = [f"{source.name}, {len(source)} frames", f"translated, {len(out)} frames"]
    strip, plan = strips([source, out], titles=titles), ground_plan([source, out], titles)
    weights = blend_over_time(list(translated.blends.T), list(model.parts), fps)
    facing = "The path over the ground, with the facing direction every half second; dots are planted feet."
    unlike = "Frames unlike the examples are blended into the translation (eq. 7 and 8)."
    per_frame = "Frames of the translation per frame of the input."
    sections = [
        _drawn("Input above, translation below", "", "strips", "Before and after", strip),
        _drawn("From above", facing, "ground_plan", "Ground plan", plan),
        _drawn("Time warp", per_frame, "warp", "Time warp", warp_curves([steps], [source.name], fps)),
        _drawn("Input unlike the examples", unlike, "blend", "Weight of the input", weights),
    ]
    summary = f"{source.name} in a style that was {model.held_out.in_words(len(model.pairs))}."
    figures = {"frames_in": len(source), "frames_out": len(out), "blended": float(translated.blends.mean())}
    scene = scene_of([("input", [source]), ("variant", [out])], layout="row", legend=LEGEND)
    input_share = float(translated.blends.mean())
    statement = f"{100 * input_share:.0f} % of the motion was kept, because the examples contain nothing like it"
    # If most of the clip is unlike the examples, the result is mainly the clip itself.
    good = input_share < 0.5 and not done.remarks
    verdict = _in_words(good, "; ".join([statement, *(remark.what for remark in done.remarks)]))
    return (
        style_page("Style translation, applied", summary, sections, scene, verdict),
        figures,
        {p.name: p.png for section in sections for p in section.pictures},
    )


def _pairs_section(style_pairs: StylePairs) -> Section:
    rows = tuple((r.source, r.target, r.source_content, r.target_content, f"{r.apart:.2f}") for r in style_pairs.table)
    how = "paired by content" if style_pairs.by_content else "paired by order"
    table = Table(("source", "target", "source does", "target does", "apart"), rows, f"Clips were {how}.")
    return Section("Pairs", "", (table,))


def _errors_section(errors: list[dict[str, Any]]) -> Section:
    rows = []
    for kind in KINDS:
        values = [row["errors"][kind] for row in errors]
        rows.append((f"{kind}: {WORDS[kind]}", *(f"{value:.2f}" for value in values), f"{np.mean(values):.2f}"))
    head = ("mean joint-angle error in degrees", *(row["source"] for row in errors), "mean")
    caption = "In each column, both clips of that pair were held out."
    return Section("Errors on held-out clips", "", (Table(head, tuple(rows), caption),))


def _drawn(heading: str, text: str, name: str, title: str, figure: Any) -> Section:
    """Return a section with one picture."""
    return Section(heading, text, (), (Picture(name, title, "", png(figure), True),))


ALIGNED_LEGEND = {
    "input": "the first",
    "variant": "the second, on the first one's clock",
    "extra": "the second, as it was",
}


class Aligned(NamedTuple):
    """Both motions, their alignment, and whether they are the same motion."""

    first: Clip | Stroke
    second: Clip | Stroke
    alignment: Alignment
    identical: bool


@one_blas_thread()
def style_align(request: StyleAlign, report: Report = silent, warn: Warn = unheard) -> Aligned:
    """Align two files, and, if requested, write one motion on the other's clock and a picture of the alignment."""
    out, plot = request.out, request.plot
    if out is not None:
        for_writing(out)
    if plot is not None:
        require_plots()
        if plot.suffix.lower() not in PAGES:
            check_figure_target(plot, page=True)
    settings = WarpSettings(
        method=request.method, slope=request.slope, smoothness=request.smoothness,
        offset_smoothness=request.smoothness, scale=request.scale, cut="auto" if request.cut else "never",
    )  # fmt: skip
    a, b = _motions((request.first, request.second), request.reading(warn))
    alignment = align(a, b, settings, report=report)
    figure: Any = None
    if plot is not None:
        from freshtake.reports.alignment_figure import picture

        named = a.name or request.first.stem, b.name or request.second.stem
        figure = picture(a, b, settings, against=request.against, dof=request.dof, names=named)
    if out is not None:
        write(out, warp(b if request.onto == "first" else a, alignment, onto=request.onto), unit_m=request.unit)
    if plot is not None and plot.suffix.lower() in PAGES:
        write_bytes(plot, _page(a, b, alignment, figure).encode())
    elif plot is not None:
        write_figure(plot, figure)
    return Aligned(a, b, alignment, _identical(a, b))


def _page(a: Clip | Stroke, b: Clip | Stroke, alignment: Alignment, figure: Any) -> str:
    """Build a page that plays both motions and the warped second one side by side, above the correspondences."""
    moved = warp(b, alignment, onto="first")
    sets = [("input", [a]), ("variant", [moved]), ("extra", [b])]
    least, most = float(alignment.steps.min()), float(alignment.steps.max())
    statement = f"the second runs between {least:.2f} and {most:.2f} times as fast as the first"
    section = _drawn("Correspondences", "", "alignment", "Which frames correspond", figure)
    summary = "Blue: the first motion. Green: the second one on the first one's clock. Red: the second as it was."
    return style_page(
        f"{a.name} and {b.name}, aligned", summary, [section],
        scene_of(sets, layout="row", legend=ALIGNED_LEGEND), (True, f"In step: {statement}."),
    )  # fmt: skip


def _motions(paths: Sequence[Path], reading: dict[str, Any] | None) -> list[Clip | Stroke]:
    out: list[Clip | Stroke] = []
    for path, motion in zip(paths, read_sets([paths], reading)[0], strict=True):
        if not isinstance(motion, Clip | Stroke):
            raise UsageError(f"{path} is a {kind_word(motion)}: clips with a skeleton and strokes can be aligned")
        out.append(motion)
    return out


def _identical(a: Clip | Stroke, b: Clip | Stroke) -> bool:
    if isinstance(a, Clip) and isinstance(b, Clip):
        return np.array_equal(a.root, b.root) and np.array_equal(a.rotations, b.rotations)
    return isinstance(a, Stroke) and isinstance(b, Stroke) and np.array_equal(a.points, b.points)
