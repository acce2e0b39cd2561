"""Write reports, pictures and the lists of packs."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from importlib.resources import files
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from freshtake.errors import FormatError, MissingExtra
from freshtake.formats.files import check_free, read_json, replacing, replacing_folder, write_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAGES = (".html", ".htm")
KINDS = ("png", "svg", "pdf")


def can_plot() -> bool:
    """Return whether plots can be drawn; otherwise pages are written without them."""
    return find_spec("matplotlib") is not None


def require_plots() -> None:
    """Raise an error if the plotting library is not installed; called before the work is done."""
    if not can_plot():
        raise MissingExtra("drawing a picture or the plots of a report", "plots")


def check_report_target(path: Path) -> None:
    """Refuse a target that cannot be written, before the work is done."""
    if path.suffix.lower() not in ("", *PAGES):
        raise FormatError(path, "a report is a page (.html) or a folder: choose one of the two")
    if path.suffix == "" and path.is_file():
        raise FormatError(path, "there is a file of this name: name a folder")
    check_free(path)


def write_report(path: Path, page: str, figures: dict[str, Any], pictures: Mapping[str, bytes]) -> list[Path]:
    """Write a page alone, or a folder with report.html, figures.json and the pictures; return the files."""
    check_report_target(path)
    if path.suffix.lower() in PAGES:
        write_bytes(path, page.encode())
        return [path]
    with replacing_folder(path) as folder:
        (folder / "report.html").write_bytes(page.encode())
        text = json.dumps(figures, indent=2, ensure_ascii=False, allow_nan=False)
        (folder / "figures.json").write_bytes(text.encode())
        for name, png in pictures.items():
            (folder / f"{re.sub(r'[^A-Za-z0-9_.-]+', '_', name)}.png").write_bytes(png)
    return [path / "report.html", path / "figures.json"]


def check_figure_target(path: Path, *, page: bool = False) -> str:
    """Return the kind of a picture, chosen by the file extension; refuse unknown kinds; `page`: pages work too."""
    kind = path.suffix.lower().lstrip(".")
    if kind not in KINDS:
        pages = ", a page's in .html" if page else ""
        raise FormatError(path, f"a picture's name ends in one of {', '.join('.' + k for k in KINDS)}{pages}")
    return kind


def write_figure(path: str | PathLike[str], figure: Figure, dpi: int = 130) -> None:
    """Write a figure as PNG, SVG or PDF, chosen by the file extension."""
    kind = check_figure_target(Path(path))
    with replacing(Path(path)) as temporary:
        figure.savefig(temporary, format=kind, dpi=dpi)


STARS = "freshtake stars"
PACK = "freshtake pack"
VERSION = 1
MARKS = ("star", "reject", "")


class Marked(NamedTuple):
    """A clip's seed and mark (star, reject or none), as the preview page stored them."""

    seed: int
    mark: str


class Stars(NamedTuple):
    """Marks by clip name, and the pack's settings and model checksums by group."""

    clips: dict[str, Marked]
    settings: dict[str, Any]
    models: dict[str, str]


def pack_schema() -> dict[str, Any]:
    """Return the JSON schema of pack.json."""
    text = files("freshtake.formats").joinpath("pack.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def write_pack(path: Path, facts: Mapping[str, Any]) -> None:
    """Write pack.json."""
    write_bytes(path, (json.dumps(facts, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode())


def read_stars(path: Path) -> Stars:
    """Read the marks that the preview page saved."""
    marks = read_json(path, "this is not JSON: save the marks with the preview page of a pack")
    if not isinstance(marks, dict) or marks.get("format") != STARS or marks.get("version") != VERSION:
        raise FormatError(path, "this is not a file of marks: save one with a pack's preview page (Save stars.json)")
    clips, settings, models = (marks.get(key) for key in ("clips", "settings", "models"))
    if not (isinstance(clips, list) and isinstance(settings, dict) and isinstance(models, dict)):
        raise FormatError(path, "clips, settings or models are missing: save the marks again")
    marked = {}
    for number, clip in enumerate(clips):
        name, seed, mark = (clip.get(key) if isinstance(clip, dict) else None for key in ("name", "seed", "mark"))
        if not isinstance(name, str) or type(seed) is not int or seed < 0 or mark not in MARKS:
            what = "a name, a seed and a mark (star, reject or nothing) were expected"
            raise FormatError(path, what, f"clip {number + 1}")
        marked[name] = Marked(seed, mark)
    return Stars(marked, settings, {str(key): str(value) for key, value in models.items()})
