"""An HTML page that needs nothing else: style sheet, pictures and, where motion is shown, the viewport are inside."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from html import escape

from freshtake.reports.page_style import CSS
from freshtake.reports.plots import Picture
from freshtake.reports.viewport.viewport_page import scripts, style


def whole_page(title: str, parts: Iterable[str], *, moving: bool = False) -> str:
    """A page of pieces of HTML, one below the other; empty ones are left out. `moving`: one is a stage."""
    head, foot = (style(), scripts()) if moving else ("", "")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title><style>{CSS}</style>{head}</head>\n<body><main>\n"
        + "\n".join(part for part in parts if part)
        + f"\n</main>{foot}</body></html>\n"
    )


def picture_figure(picture: Picture) -> str:
    """A picture with its title and caption."""
    data = base64.b64encode(picture.png).decode("ascii")
    return (
        f"<figure class='{'wide' if picture.wide else ''}'><img alt='{escape(picture.title)}' "
        f"src='data:image/png;base64,{data}'><figcaption><b>{escape(picture.title)}</b> "
        f"<span class=dim>{escape(picture.caption)}</span></figcaption></figure>"
    )
