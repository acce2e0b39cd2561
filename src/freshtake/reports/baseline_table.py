"""Baselines in the report: the variants' figures beside those of noise, combinations and replayed takes."""

from __future__ import annotations

from html import escape

from freshtake.evaluation.results import Column, Evaluation, Figure
from freshtake.reports.wording import SIGNS, real_range, shown

MORE = ("coordination_sides", "planted_lost")
ABOUT = (
    "The same figures of simpler ways to vary a take: <em>strawman</em>, smoothed noise on one input, as strong as the "
    "time-warped inputs differ; <em>perlin</em>, Perlin noise; <em>pca</em>, noise on principal components; "
    "<em>convex</em>, combinations of the inputs; <em>replay</em>, the inputs themselves. Noise is of an amount that "
    "changes takes as much as the variants are changed."
)


def beside_table(result: Evaluation) -> str:
    """The main figures, one column per set; empty without baselines."""
    if not result.baselines:
        return ""
    names = "".join(f"<th>{escape(column.name)}</th>" for column in result.baselines)
    rows = "".join(_row(result, figure) for figure in result.figures if figure.kind.main or figure.key in MORE)
    head = f"<tr><th></th><th>real takes</th><th>variants</th>{names}</tr>"
    return (
        f"<h2>Beside baselines</h2><p class=dim>{ABOUT}</p>"
        f"<div class=scroll><table class=beside>{head}{rows}</table></div>"
    )


def _row(result: Evaluation, figure: Figure) -> str:
    cells = [_cell(figure)] + [_cell(column.figure(figure.key)) for column in result.baselines]
    title = escape(figure.kind.title)
    return f"<tr><td>{title}</td><td class=num>{real_range(figure)}</td>{''.join(cells)}</tr>"


def _cell(figure: Figure | None) -> str:
    if figure is None:
        return "<td class=num>–</td>"
    sign = SIGNS[figure.verdict]
    mark = f" <span class='badge {figure.verdict}'>{sign}</span>" if sign else ""
    return f"<td class=num>{shown(figure.value, figure.kind.unit)}{mark}</td>"


def terminal_cells(columns: tuple[Column, ...], key: str) -> list[str]:
    """The same cells for a terminal: a value and the sign of its verdict."""
    figures = [column.figure(key) for column in columns]
    return ["–" if f is None else f"{shown(f.value, f.kind.unit)} {SIGNS[f.verdict]}".rstrip() for f in figures]
