"""The small signs of the report: badges, strips and the legend that explains them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from freshtake.evaluation.plots import EXTRA, INPUT, VARIANT
from freshtake.evaluation.results import Evaluation, Figure
from freshtake.evaluation.wording import real_range, shown, verdict

STRIP = 180.0


def badge(figure: Figure) -> str:
    """The verdict as a sign with words."""
    sign, words = verdict(figure)
    return f"<span class='badge {figure.verdict}'>{sign} {words}</span>" if words else ""


def legend(result: Evaluation) -> str:
    """What the marks in the strips mean."""
    ring = f"<circle cx=6 cy=6 r=3.4 fill=none stroke='{INPUT}' stroke-width=1.6 />"
    pair = (
        f"<circle cx=4 cy=6 r=2.4 fill='{VARIANT}' opacity=.6 /><rect x=9 y=0 width=2.6 height=12 fill='{VARIANT}' />"
    )
    marks = [
        (12, "<rect x=0 y=1 width=12 height=10 rx=2 class=band />", "range of real takes"),
        (12, ring, "an input against the other inputs"),
        (12, f"<path d='M6 1 11 6 6 11 1 6Z' fill='{EXTRA}' />", "a further real take"),
        (12, pair, "a variant, and all variants together"),
    ]
    if not result.extra:
        del marks[2]
    spans = [
        f"<span><svg viewBox='0 0 {w} 12' width={w} height=12>{mark}</svg> {text}</span>" for w, mark, text in marks
    ]
    return f"<p class=legend>{''.join(spans)}</p>"


def strip(figure: Figure) -> str:
    """A small picture of one figure: the range of real takes, each of them, and the variants."""
    values = [v for v in (*figure.each, *figure.real, figure.value) if math.isfinite(v)]
    if not figure.real or not math.isfinite(figure.value) or min(values) == max(values):
        return ""
    low, high = min(values), max(values)

    def place(value: float) -> float:
        return 10.0 + (STRIP - 20.0) * (value - low) / (high - low)

    left, right = place(min(figure.real)), place(max(figure.real))
    marks = [f"<rect x={left - 3:.1f} y=2 width={right - left + 6:.1f} height=18 rx=3 class=band />"]
    marks += [f"<circle cx={place(v):.1f} cy=11 r=2.6 fill='{VARIANT}' opacity=.45 />" for v in _finite(figure.each)]
    marks += [
        f"<circle cx={place(v):.1f} cy=6.5 r=3 fill=none stroke='{INPUT}' stroke-width=1.6 />"
        for v in _finite(figure.left_out)
    ]
    marks += [
        f"<path d='M{place(v):.1f} 11.5l3.6 4-3.6 4-3.6-4Z' fill='{EXTRA}' opacity=.85 />"
        for v in _finite(figure.extra)
    ]
    marks.append(f"<rect x={place(figure.value) - 1.3:.1f} y=1 width=2.6 height=20 fill='{VARIANT}' />")
    label = f"variants {shown(figure.value, figure.kind.unit)}, real takes {real_range(figure)}"
    return f"<svg viewBox='0 0 {STRIP:.0f} 22' role=img aria-label='{escape(label)}'>{''.join(marks)}</svg>"


def _finite(values: Sequence[float]) -> list[float]:
    return [value for value in values if math.isfinite(value)]
