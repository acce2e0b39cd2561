"""Build self-contained HTML pages: style sheet, pictures and, where motion is shown, the viewport are embedded."""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable, Sequence
from html import escape

from freshtake.evaluation.results import Evaluation, Figure
from freshtake.reports.plots import EXTRA, INPUT, VARIANT, WITHOUT_PLOTS, Picture
from freshtake.reports.viewport.viewport_page import document, scripts, style
from freshtake.reports.wording import real_range, shown, verdict

CSS = """
:root{--bg:#fbfbfa;--card:#fff;--ink:#20262d;--dim:#66707b;--line:#e3e6ea;--band:#c9d0d8;--good:#1f7a46;--goodbg:#e2f3e8;
--off:#a34a10;--offbg:#fbeadd;--bar:#35a264}
@media(prefers-color-scheme:dark){:root{--bg:#14181d;--card:#1c2229;--ink:#e4e8ec;--dim:#98a2ad;--line:#2d353e;
--band:#3c4752;--good:#7ddba2;--goodbg:#17382a;--off:#f3b07c;--offbg:#42291a}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:1120px;margin:0 auto;padding:28px 18px 60px}
h1{font-size:26px;line-height:1.2;margin:0 0 10px}h2{font-size:18px;margin:34px 0 6px}h3{font-size:13px;font-weight:600;
margin:0;color:var(--dim);line-height:1.3}
p{margin:6px 0}.dim{color:var(--dim);font-size:13px}
.verdict{font-size:19px;line-height:1.45;font-weight:500;border-radius:12px;padding:14px 18px;margin:16px 0 4px;
border-left:6px solid var(--good);background:var(--goodbg)}
.verdict.look{border-color:var(--off);background:var(--offbg)}
.who{margin:18px 0 0}main>.ft-viewport{margin:14px 0 0;border:1px solid var(--line)}
.sets{list-style:none;padding:0;margin:0 0 10px}.sets i,.key i{display:inline-block;width:11px;height:11px;
border-radius:3px;margin:0 7px 0 0;vertical-align:-1px}.key i{margin-left:12px}.key i:first-child{margin-left:0}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(190px,1fr));gap:12px;margin:20px 0 8px}
.card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:14px 16px;min-width:0}
.together{grid-column:1/-1;display:grid;grid-template-columns:repeat(auto-fit,minmax(190px,1fr));gap:10px 26px}
.together>div+div{border-left:1px solid var(--line);padding-left:26px}
.big{font-size:25px;font-weight:650;margin:3px 0 0;font-variant-numeric:tabular-nums}
.badge{display:inline-block;font-size:12px;border-radius:20px;padding:2px 9px;white-space:nowrap;margin-top:4px}
.badge.good{color:var(--good);background:var(--goodbg)}.badge.above,.badge.below{color:var(--off);background:var(--offbg)}
.legend{display:flex;flex-wrap:wrap;gap:4px 20px;color:var(--dim);font-size:13px;margin:16px 0 0}
.legend svg{vertical-align:-1px;margin-right:3px}.band{fill:var(--band)}
table{width:100%;border-collapse:collapse;background:var(--card);border:1px solid var(--line);border-radius:12px;
border-spacing:0;overflow:hidden}
th{font-size:12px;font-weight:600;color:var(--dim);text-align:right;padding:8px 10px}th:first-child{text-align:left}
td{padding:6px 10px;border-top:1px solid var(--line);vertical-align:middle}
.num{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
td.strip svg{width:180px;height:22px;display:block}
@media(min-width:761px){.figures{table-layout:fixed}
.figures th:nth-child(2){width:105px}.figures th:nth-child(3){width:140px}
.figures th:nth-child(4){width:88px}.figures th:nth-child(5){width:200px}.figures th:nth-child(6){width:185px}}
tr.main summary{font-weight:600}summary{cursor:pointer}
td details p{max-width:52ch;margin:4px 0 2px}
.dofs td.bar{width:45%}.bar div{height:9px;border-radius:5px;background:var(--bar);min-width:2px}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(420px,100%),1fr));gap:14px}
figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:12px;padding:12px}
figure.wide{grid-column:1/-1}
figure img{width:100%;height:auto;max-height:860px;object-fit:contain;
display:block}figcaption{font-size:13px;margin-top:6px}
.clips{margin-top:30px}.clips>summary{font-size:18px;font-weight:700;margin-bottom:8px}.scroll{overflow-x:auto}
.scroll th{min-width:74px;vertical-align:bottom}
@media(max-width:760px){.cards{grid-template-columns:repeat(auto-fill,minmax(150px,1fr));gap:10px}
.card{padding:11px 12px}
.big{font-size:21px}td.strip,th:nth-child(5),.own{display:none}td.mark{width:auto}.together>div+div{border-left:0;
padding-left:0;border-top:1px solid var(--line);padding-top:8px}.mark .badge{font-size:11px;white-space:normal}
td,th{padding:6px 7px}.num{white-space:normal}main{padding:18px 12px 40px}}
"""
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
    """Draw a small picture of one figure: the range of real takes, each of them, and the variants."""
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


def whole_page(title: str, parts: Iterable[str], *, moving: bool = False) -> str:
    """Return a page of pieces of HTML, without empty ones; `moving`: one of them is a stage."""
    head, foot = (style(), scripts()) if moving else ("", "")
    main = "\n".join(part for part in parts if part)
    return document(title, f"<style>{CSS}</style>{head}", f"<main>\n{main}\n</main>{foot}")


def table(head: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> str:
    """Return a table of texts, the first column left-aligned; it may be wider than a narrow page."""
    cells = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    lines = (
        "".join(f"<td{' class=num' if k else ''}>{escape(cell)}</td>" for k, cell in enumerate(row)) for row in rows
    )
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    below = f"<p class=dim>{escape(caption)}</p>" if caption else ""
    return f"<div class=scroll><table><tr>{cells}</tr>{body}</table></div>{below}"


def gallery(pictures: Sequence[Picture]) -> str:
    """Return pictures side by side, or how to get them where there are none."""
    return f"<div class=plots>{''.join(map(picture_figure, pictures))}</div>" if pictures else WITHOUT_PLOTS


def picture_figure(picture: Picture) -> str:
    """Return a picture with its title and caption."""
    data = base64.b64encode(picture.png).decode("ascii")
    return (
        f"<figure class='{'wide' if picture.wide else ''}'><img alt='{escape(picture.title)}' "
        f"src='data:image/png;base64,{data}'><figcaption><b>{escape(picture.title)}</b> "
        f"<span class=dim>{escape(picture.caption)}</span></figcaption></figure>"
    )
