"""The report on a style translation as one HTML page that needs nothing else: styles and pictures are inside."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from freshtake.reports.page_style import CSS
from freshtake.reports.plots import Picture


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


def style_page(title: str, summary: str, sections: Sequence[Section]) -> str:
    """The whole page."""
    body = "\n".join(_section(section) for section in sections)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title><style>{CSS}</style></head>\n<body><main>\n"
        f"<header><h1>{escape(title)}</h1><p>{escape(summary)}</p></header>\n{body}\n</main></body></html>\n"
    )


def _section(section: Section) -> str:
    parts = [f"<h2>{escape(section.title)}</h2>"]
    if section.text:
        parts.append(f"<p class=dim>{escape(section.text)}</p>")
    parts += [_table(table) for table in section.tables]
    if section.pictures:
        parts.append(f"<div class=plots>{''.join(_picture(picture) for picture in section.pictures)}</div>")
    return "\n".join(parts)


def _table(table: Table) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in table.head)
    rows = "".join(
        "<tr>" + "".join(f"<td{' class=num' if k else ''}>{escape(cell)}</td>" for k, cell in enumerate(row)) + "</tr>"
        for row in table.rows
    )
    caption = f"<p class=dim>{escape(table.caption)}</p>" if table.caption else ""
    return f"<div class=scroll><table><tr>{head}</tr>{rows}</table></div>{caption}"


def _picture(picture: Picture) -> str:
    data = base64.b64encode(picture.png).decode("ascii")
    return (
        f"<figure class='{'wide' if picture.wide else ''}'><img alt='{escape(picture.title)}' "
        f"src='data:image/png;base64,{data}'><figcaption><b>{escape(picture.title)}</b> "
        f"<span class=dim>{escape(picture.caption)}</span></figcaption></figure>"
    )
