"""Embed the viewport in a separate page or a report, with everything included, so that no network is needed."""

import base64
import gzip
import json
from functools import lru_cache
from html import escape
from importlib.resources import files

from freshtake.reports.viewport.packing import packed
from freshtake.reports.viewport.scene import Scene

# Each module comes after those it imports.
MODULES = (
    "three/three.core.min.js", "three/three.module.min.js", "decode.js", "look.js", "bones.js", "figures.js", "ink.js",
    "floor.js", "surfaces.js", "skins.js", "mannequins.js", "layout.js", "camera.js", "plan.js", "bar.js",
    "viewport.js",
)  # fmt: skip
WHOLE = (
    "html,body{margin:0;height:100%;overflow:hidden;background:#12161b}"
    ".ft-viewport{position:fixed;inset:0;border-radius:0}"
)


def web_file(name: str) -> str:
    """Return the text of one of the package's web files."""
    return files("freshtake.reports.viewport").joinpath("web", name).read_text(encoding="utf-8")


def style() -> str:
    """Return the viewports' style sheet as a tag."""
    return f"<style>{web_file('viewport.css')}</style>"


@lru_cache(maxsize=1)
def scripts() -> str:
    """Return the tags that start all viewports of a page; they follow the last viewport."""
    listed = [[name.rpartition("/")[2], web_file(name)] for name in MODULES]
    return (
        f"<script type='text/plain' id='ft-modules'>{_zipped(json.dumps(listed).encode())}</script>\n"
        f"<script type='module'>{web_file('page.js')}</script>"
    )


def stage(scene: Scene, *, height: str = "min(62vh, 560px)", whole_page: bool = False) -> str:
    """Return the HTML of a page's viewport, with its motion."""
    packed_scene = packed(scene)
    manifest = json.dumps(packed_scene.manifest, ensure_ascii=False, allow_nan=False)
    manifest = manifest.replace("</", "<\\/").replace("<!--", "<\\!--")
    whole = " data-whole-page" if whole_page else f" style='height:{height}'"
    return (
        f"<div data-viewport='scene' class='ft-viewport'{whole} tabindex='0' "
        f"aria-label='{escape(scene.title or 'motion')}'></div>\n"
        f"<script type='application/json' id='scene-manifest'>{manifest}</script>\n"
        f"<script type='text/plain' id='scene-data'>{_zipped(packed_scene.data)}</script>"
    )


def viewport_page(scene: Scene) -> str:
    """Return a page filled by a viewport."""
    return document(
        scene.title or "freshtake view",
        f"{style()}<style>{WHOLE}</style>",
        f"\n{stage(scene, whole_page=True)}\n{scripts()}\n",
    )


def document(title: str, head: str, body: str) -> str:
    """Return an HTML document for small and large screens, light and dark."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title>{head}</head>\n<body>{body}</body></html>\n"
    )


def _zipped(data: bytes) -> str:
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode("ascii")
