"""Build the evaluation report, a self-contained HTML page: first the motion, then a verdict, figures and plots."""

from collections.abc import Sequence
from html import escape

from freshtake.evaluation.figure_kinds import GROUPS, NOVELTY
from freshtake.evaluation.results import Column, Evaluation, Figure
from freshtake.motion.verdict import Verdict
from freshtake.reports.page import badge, gallery, legend, strip, table, whole_page
from freshtake.reports.plots import EXTRA, INPUT, VARIANT, Picture
from freshtake.reports.verdict import verdict_of, with_checks
from freshtake.reports.viewport.scene import Scene
from freshtake.reports.viewport.viewport_page import stage
from freshtake.reports.wording import SIGNS, plain_title, real_range, shown

MORE = ("coordination_sides", "planted_lost")
ABOUT = (
    "The same figures of simpler ways to vary a take: <em>strawman</em>, smoothed noise on one input, as strong as the "
    "time-warped inputs differ; <em>perlin</em>, Perlin noise; <em>pca</em>, noise on principal components; "
    "<em>convex</em>, combinations of the inputs; <em>replay</em>, the inputs themselves. The amount of noise "
    "changes takes as much as the variants differ from them."
)


def beside_table(result: Evaluation) -> str:
    """Return a table of the main figures with a column per set; empty without baselines."""
    if not result.baselines:
        return ""
    rows = [
        f"<tr><td>{escape(figure.kind.title)}</td><td class=num>{real_range(figure)}</td>"
        + "".join(map(_cell, (figure, *(column.figure(figure.key) for column in result.baselines))))
        + "</tr>"
        for figure in result.figures
        if figure.kind.main or figure.key in MORE
    ]
    names = "".join(f"<th>{escape(column.name)}</th>" for column in result.baselines)
    head = f"<tr><th></th><th>real takes</th><th>variants</th>{names}</tr>"
    return (
        f"<h2>Next to baselines</h2><p class=dim>{ABOUT}</p>"
        f"<div class=scroll><table class=beside>{head}{''.join(rows)}</table></div>"
    )


def _cell(figure: Figure | None) -> str:
    if figure is None:
        return "<td class=num>–</td>"
    sign = SIGNS[figure.verdict]
    mark = f" <span class='badge {figure.verdict}'>{sign}</span>" if sign else ""
    return f"<td class=num>{shown(figure.value, figure.kind.unit)}{mark}</td>"


def terminal_cells(columns: tuple[Column, ...], key: str) -> list[str]:
    """Return the cells of a figure for a terminal: each column's value and the sign of its verdict."""
    figures = [column.figure(key) for column in columns]
    return ["–" if f is None else f"{shown(f.value, f.kind.unit)} {SIGNS[f.verdict]}".rstrip() for f in figures]


PLOTS_KEY = (
    f"<h2>Plots</h2><p class=key><i style='background:{INPUT}'></i>inputs <i style='background:{VARIANT}'></i>"
    f"variants <i style='background:{EXTRA}'></i>additional real takes <span class=dim>Figure numbers are those of "
    "Lau et al. 2009.</span></p>"
)
TOGETHER = ("diversity", "jerk_limbs", "jerk", "planted_speed")
CARDS = (
    "hip_jerk", "static", "peak", "copied", "nearest", "outside_span", "auc", "overshoot", "duration_ratio", "action",
)  # fmt: skip
EACH = (
    "hip_jerk", "static", "peak", "nearest", "jerk_limbs", "planted_speed", "outside_span", "overshoot", "copied",
    "duration",
)  # fmt: skip


def page(
    result: Evaluation, pictures: Sequence[Picture], title: str = "Evaluation of variants", scene: Scene | None = None,
    checks: Sequence[Verdict] = (),
) -> str:  # fmt: skip
    """Return the page, with the motion of a scene at its top; `checks` are the body checks of the variants."""
    verdict = with_checks(verdict_of(result), checks)
    body = [
        f"<h1>{escape(title)}</h1>",
        stage(scene) if scene is not None else "",
        f"<p class='verdict {'good' if verdict.usable else 'look'}'>{escape(verdict.sentence)}</p>",
        _cards(result),
        _head(result),
        f"{PLOTS_KEY if pictures else ''}{gallery(pictures)}",
        "<details class=clips><summary>All figures</summary>",
        legend(result),
        beside_table(result),
        *[_group(result, group) for group in GROUPS],
        _dofs(result),
        "</details>",
        _clips(result),
        _endnotes(result),
    ]
    return whole_page(title, body, moving=scene is not None)


def _head(result: Evaluation) -> str:
    rows = []
    for key, color, words in (
        ("inputs", INPUT, "inputs"), ("variants", VARIANT, "variants"), ("extra", EXTRA, "additional real takes"),
    ):  # fmt: skip
        names = getattr(result, key)
        if not names:
            continue
        low, high = min(result.frames[key]), max(result.frames[key])
        listed = ", ".join(names[:4]) + (", …" if len(names) > 4 else "")
        rows.append(
            f"<li><i style='background:{color}'></i><b>{len(names)} {words}</b> {escape(listed)} "
            f"<span class=dim>({low if low == high else f'{low}–{high}'} frames)</span></li>"
        )
    target = (
        "Every figure of the variants is next to the same figure of <em>real takes</em>: each input scored against "
        "the other inputs, and each additional take scored against the inputs. Real takes are the target: variants "
        "should differ from the inputs as much as real takes do, and be as smooth and as firm on their feet."
    )
    return f"<section class=who><ul class=sets>{''.join(rows)}</ul><p class=dim>{target}</p></section>"


def _cards(result: Evaluation) -> str:
    together = [figure for key in TOGETHER if (figure := result.figure(key))]
    cards = []
    if together and together[0].key == "diversity":
        parts = "".join(f"<div>{_card_inner(figure)}</div>" for figure in together)
        absent = "" if result.figure("planted_speed") else "<div class=dim>no feet: no foot speed</div>"
        cards.append(f"<section class='card together'>{parts}{absent}</section>")
    cards += [f"<section class=card>{_card_inner(figure)}</section>" for key in CARDS if (figure := result.figure(key))]
    return f"<div class=cards>{''.join(cards)}</div>"


def _card_inner(figure: Figure) -> str:
    value = shown(figure.value, figure.kind.unit)
    real = f"<p class=dim>real takes {real_range(figure)}</p>" if figure.real and figure.kind.wanted != "zero" else ""
    return (
        f"<h3 title='{escape(figure.kind.title)}'>{escape(plain_title(figure))}</h3><p class=big>{value}</p>"
        f"{real}{badge(figure)}"
    )


def _group(result: Evaluation, group: str) -> str:
    figures = [figure for figure in result.figures if figure.kind.group == group]
    if not figures:
        return ""
    rows = []
    for figure in figures:
        kind = figure.kind
        inputs = "" if figure.inputs is None else shown(figure.inputs, kind.unit)
        inner = result.interpolation.get(kind.key)
        more = f" An interpolation of the inputs: {shown(inner, kind.unit)}." if inner is not None else ""
        rows.append(
            f"<tr class='{'main' if kind.main else ''}'><td><details><summary>{escape(plain_title(figure))}</summary>"
            f"<p class=dim><b>{escape(kind.title)}.</b> {escape(kind.about)}{more}</p></details></td>"
            f"<td class=num><b>{shown(figure.value, kind.unit)}</b></td>"
            f"<td class=num>{real_range(figure)}</td><td class='num own'>{inputs}</td>"
            f"<td class=strip>{strip(figure)}</td><td class=mark>{badge(figure)}</td></tr>"
        )
    warning = (
        "<p class=dim>Random jitter also scores as diversity: it counts only if hands and feet are as smooth, and "
        "planted feet as still, as in real takes.</p>"
        if group == NOVELTY
        else ""
    )
    head = "<tr><th></th><th>variants</th><th>real takes</th><th class=own>inputs</th><th></th><th></th></tr>"
    return f"<h2>{escape(group)}</h2>{warning}<table class=figures>{head}{''.join(rows)}</table>"


def _dofs(result: Evaluation) -> str:
    """Return a table of the DOFs that move the body most, with their distances as bars."""
    dofs = result.dofs[:14]
    if not dofs:
        return ""
    widest = max(1.0, *(dof.distance for dof in dofs))
    rows = [
        f"<tr><td>{escape(dof.name)}</td><td class=num>{shown(dof.distance, 'σ')}</td>"
        f"<td class=bar><div style='width:{100 * dof.distance / widest:.0f}%'></div></td>"
        f"<td class=num>{shown(dof.overshoot, 'share')}</td></tr>"
        for dof in dofs
    ]
    head = "<tr><th>DOF</th><th>distance</th><th></th><th>out of range</th></tr>"
    return (
        f"<h2>Individual DOFs</h2><p class=dim>The {len(dofs)} that move the body most. Distance: Wasserstein-1 to the "
        "inputs' values, in their standard deviations. Out of range: share of frames beyond the inputs' range widened "
        f"by 5 %.</p><table class=dofs>{head}{''.join(rows)}</table>"
    )


def _clips(result: Evaluation) -> str:
    figures = [figure for key in EACH if (figure := result.figure(key))]
    counts = result.action_counts.get("variants", ())
    head = ["variant", "frames", *(figure.kind.title for figure in figures), *(["action"] if counts else [])]
    rows = []
    for number, name in enumerate(result.variants):
        values = [shown(figure.each[number], figure.kind.unit) for figure in figures]
        rows.append([name, str(result.frames["variants"][number]), *values, *([str(counts[number])] if counts else [])])
    return f"<details class=clips><summary>Each variant individually</summary>{table(head, rows)}</details>"


def _endnotes(result: Evaluation) -> str:
    absent: dict[str, list[str]] = {}
    for key, reason in result.missing.items():
        absent.setdefault(reason, []).append(key)
    items = [f"<li>{escape(note[:1].upper() + note[1:])}.</li>" for note in result.notes]
    items += [f"<li>Not shown ({escape(reason)}): {escape(', '.join(keys))}.</li>" for reason, keys in absent.items()]
    unit = "leg" if result.kind == "clip" else "diagonal"
    items.append(
        f"<li>Clips run at {result.fps:.4g} frames per second; the {unit} measures {result.size:.4g} units.</li>"
    )
    return f"<footer><h2>Notes</h2><ul>{''.join(items)}</ul></footer>"
