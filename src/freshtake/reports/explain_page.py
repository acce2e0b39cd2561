"""The page of `freshtake explain`: pictures and tables of a model's networks in one HTML file."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from freshtake.reports.explanation import Explanation, Named
from freshtake.reports.joint_words import link_sentences
from freshtake.reports.page import picture_figure, whole_page
from freshtake.reports.plots import WITHOUT_PLOTS, Picture

MOST_ROWS = 60
ABOUT = (
    "Joints deviate together because whole takes differ together. A strength says how much knowing one DOF narrows "
    "the other, in nats; beside it by how much the error grows without it. A DOF's own past is always kept."
)
HEAD = ("strength", "spread without")


def explain_page(
    explanation: Explanation,
    facts: Mapping[str, Any],
    pictures: Sequence[Picture],
    title: str,
    notes: Sequence[str] = (),
) -> str:
    """The whole page; `notes` are sentences about a clip."""
    body = [
        f"<h1>{escape(title)}</h1>",
        _in_words(explanation),
        f"<p>{_summary(facts)}</p><p class=dim>{ABOUT}</p>",
        "".join(f"<p>{escape(note)}</p>" for note in notes),
        f"<div class=plots>{''.join(map(picture_figure, pictures))}</div>" if pictures else WITHOUT_PLOTS,
        *_tables(explanation),
    ]
    return whole_page(title, body)


def _in_words(explanation: Explanation) -> str:
    """What follows what, in sentences."""
    sentences = link_sentences(explanation.links)
    return f"<p class='verdict good'>{escape(' '.join(sentences))}</p>" if sentences else ""


def _summary(facts: Mapping[str, Any]) -> str:
    share = round(100.0 * facts["whole_takes_share"])
    return escape(
        f"{facts['method']}; {facts['examples']} {facts['motion']} examples at {facts['fps']:g} fps, {facts['dofs']} "
        f"DOFs; {share} % of how variants deviate are combinations of whole takes, the rest is what a population of "
        "performers does in such movements."
    )


def _tables(explanation: Explanation) -> list[str]:
    if not explanation.joint:
        rows = [[escape(a), escape(b), f"{strength:.3f}"] for a, b, strength in explanation.links[:MOST_ROWS]]
        heading = f"Strongest edges between joints ({len(rows)} of {len(explanation.links)})"
        return [_table(heading, ["from", "to", "summed strength"], rows)]
    name = escape(explanation.joint)
    return [
        _table(f"What varies together with {name}", ["DOF", "varies with", "at", *HEAD], _rows(explanation.parents)),
        _table(f"What moves less and varies with {name}", ["DOF", "with", "at", *HEAD], _rows(explanation.children)),
    ]


def _rows(edges: Sequence[Named], errors: bool = True) -> list[list[str]]:
    return [
        [escape(e.child), escape(e.parent), ", ".join(e.slices), strength_text(e), error_text(e) if errors else ""]
        for e in edges[:MOST_ROWS]
    ]


def strength_text(edge: Named) -> str:
    """Three decimals, or why there is none."""
    return "own past" if edge.own else (f"{edge.strength:.3f}" if math.isfinite(edge.strength) else "not measured")


def error_text(edge: Named) -> str:
    """By how much the held-out error grows without the parent, in per cent."""
    return f"{100.0 * math.expm1(edge.strength):+.0f} %" if math.isfinite(edge.strength) and not edge.own else ""


def _table(heading: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    cells = "".join(f"<th>{text}</th>" for text in head)
    lines = [f"<tr>{''.join(f'<td class=num>{cell}</td>' for cell in row)}</tr>" for row in rows]
    lines = [line.replace("<td class=num>", "<td>", 1) for line in lines]
    return f"<h2>{heading}</h2><div class=scroll><table><tr>{cells}</tr>{''.join(lines)}</table></div>"
