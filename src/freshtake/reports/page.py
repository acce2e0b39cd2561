"""Build self-contained HTML pages, with style sheet, pictures and, for pages with motion, the viewport embedded."""

import base64
import math
from collections.abc import Iterable, Sequence
from html import escape

from freshtake.evaluation.results import Evaluation, Figure
from freshtake.reports.plots import EXTRA, INPUT, VARIANT, WITHOUT_PLOTS, Picture
from freshtake.reports.viewport.viewport_page import document, scripts, style, web_file
from freshtake.reports.wording import real_range, shown, verdict

STRIP = 180.0


def badge(figure: Figure) -> str:
    """Return the verdict as a sign with words."""
    sign, words = verdict(figure)
    return f"<span class='badge {figure.verdict}'>{sign} {words}</span>" if words else ""


def legend(result: Evaluation) -> str:
    """Return the legend of the marks in the strips."""
    ring = f"<circle cx=6 cy=6 r=3.4 fill=none stroke='{INPUT}' stroke-width=1.6 />"
    pair = (
        f"<circle cx=4 cy=6 r=2.4 fill='{VARIANT}' opacity=.6 /><rect x=9 y=0 width=2.6 height=12 fill='{VARIANT}' />"
    )
    marks = {
        "range of real takes": "<rect x=0 y=1 width=12 height=10 rx=2 class=band />",
        "an input against the other inputs": ring,
        **({"an additional real take": f"<path d='M6 1 11 6 6 11 1 6Z' fill='{EXTRA}' />"} if result.extra else {}),
        "a variant, and all variants together": pair,
    }
    svg = "<span><svg viewBox='0 0 12 12' width=12 height=12>{}</svg> {}</span>"
    return f"<p class=legend>{''.join(svg.format(mark, text) for text, mark in marks.items())}</p>"


def strip(figure: Figure) -> str:
    """Draw a small chart of one figure: the range of real takes, each of them, and the variants."""
    values = [v for v in (*figure.each, *figure.real, figure.value) if math.isfinite(v)]
    if not figure.real or not math.isfinite(figure.value) or min(values) == max(values):
        return ""
    low, high = min(values), max(values)

    def place(value: float) -> float:
        return 10.0 + (STRIP - 20.0) * (value - low) / (high - low)

    left, right = place(min(figure.real)), place(max(figure.real))
    marks = [f"<rect x={left - 3:.1f} y=2 width={right - left + 6:.1f} height=18 rx=3 class=band />"]
    for several, mark in (
        (figure.each, f"<circle cx={{:.1f}} cy=11 r=2.6 fill='{VARIANT}' opacity=.45 />"),
        (figure.left_out, f"<circle cx={{:.1f}} cy=6.5 r=3 fill=none stroke='{INPUT}' stroke-width=1.6 />"),
        (figure.extra, f"<path d='M{{:.1f}} 11.5l3.6 4-3.6 4-3.6-4Z' fill='{EXTRA}' opacity=.85 />"),
    ):
        marks += [mark.format(place(value)) for value in several if math.isfinite(value)]
    marks.append(f"<rect x={place(figure.value) - 1.3:.1f} y=1 width=2.6 height=20 fill='{VARIANT}' />")
    label = f"variants {shown(figure.value, figure.kind.unit)}, real takes {real_range(figure)}"
    return f"<svg viewBox='0 0 {STRIP:.0f} 22' role=img aria-label='{escape(label)}'>{''.join(marks)}</svg>"


def whole_page(title: str, parts: Iterable[str], *, moving: bool = False) -> str:
    """Return a page of HTML parts, except empty ones; `moving`: one of them is a viewport."""
    head, foot = (style(), scripts()) if moving else ("", "")
    main = "\n".join(part for part in parts if part)
    return document(title, f"<style>\n{web_file('report.css')}</style>{head}", f"<main>\n{main}\n</main>{foot}")


def table(head: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> str:
    """Return a table of texts, the first column left-aligned; it scrolls if wider than the page."""
    lines = ["".join(f"<th>{escape(cell)}</th>" for cell in head)]
    for first, *others in rows:
        lines.append(f"<td>{escape(first)}</td>" + "".join(f"<td class=num>{escape(cell)}</td>" for cell in others))
    below = f"<p class=dim>{escape(caption)}</p>" if caption else ""
    return f"<div class=scroll><table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table></div>{below}"


def gallery(pictures: Sequence[Picture]) -> str:
    """Return pictures side by side or, without pictures, a note on how to get them."""
    figures = [
        f"<figure class='{'wide' if one.wide else ''}'><img alt='{escape(one.title)}' "
        f"src='data:image/png;base64,{base64.b64encode(one.png).decode('ascii')}'><figcaption>"
        f"<b>{escape(one.title)}</b> <span class=dim>{escape(one.caption)}</span></figcaption></figure>"
        for one in pictures
    ]
    return f"<div class=plots>{''.join(figures)}</div>" if pictures else WITHOUT_PLOTS
