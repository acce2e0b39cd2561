"""The report on a style translation as one HTML page that needs nothing else: styles and pictures are inside."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from freshtake.reports.page import picture_figure, whole_page
from freshtake.reports.plots import Picture
from freshtake.reports.viewport.scene import Scene
from freshtake.reports.viewport.viewport_page import stage


class Table(NamedTuple):
    """Head, rows and a caption; all cells are text, the first column is to the left."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""


class Section(NamedTuple):
    """A heading, a paragraph, tables and pictures."""

    title: str
    text: str = ""
    tables: tuple[Table, ...] = ()
    pictures: tuple[Picture, ...] = ()


def style_page(
    title: str,
    summary: str,
    sections: Sequence[Section],
    scene: Scene | None = None,
    verdict: tuple[bool, str] | None = None,
) -> str:
    """The whole page: the motion first, then a verdict (good or not, and the sentence), then the sections."""
    banner = f"<p class='verdict {'good' if verdict[0] else 'look'}'>{escape(verdict[1])}</p>" if verdict else ""
    head = [f"<h1>{escape(title)}</h1>", stage(scene) if scene is not None else "", banner, f"<p>{escape(summary)}</p>"]
    return whole_page(title, [*head, *map(_section, sections)], moving=scene is not None)


def _section(section: Section) -> str:
    parts = [f"<h2>{escape(section.title)}</h2>"]
    if section.text:
        parts.append(f"<p class=dim>{escape(section.text)}</p>")
    parts += [_table(table) for table in section.tables]
    if section.pictures:
        parts.append(f"<div class=plots>{''.join(map(picture_figure, section.pictures))}</div>")
    return "\n".join(parts)


def _table(table: Table) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in table.head)
    rows = "".join(
        "<tr>" + "".join(f"<td{' class=num' if k else ''}>{escape(cell)}</td>" for k, cell in enumerate(row)) + "</tr>"
        for row in table.rows
    )
    caption = f"<p class=dim>{escape(table.caption)}</p>" if table.caption else ""
    return f"<div class=scroll><table><tr>{head}</tr>{rows}</table></div>{caption}"
