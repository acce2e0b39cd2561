"""Motions inside a notebook: the viewport of `freshtake view` as the value of a cell."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any

from freshtake.errors import UsageError
from freshtake.formats.ftm.io import method_of
from freshtake.formats.read_options import Motion
from freshtake.formats.registry import read
from freshtake.motion import Clip, MeshSequence, PointClip, Stroke
from freshtake.reports.viewport.scene import Scene
from freshtake.reports.viewport.staging import scene_of
from freshtake.reports.viewport.viewport_page import viewport_page
from freshtake.requests.variation import Variants
from freshtake.workflows.varying import variants as drawn


@dataclass(frozen=True)
class View:
    """Motions shown as the value of a notebook cell; nothing is loaded from the network.

    Attributes:
        scene: The scene shown.
        height: Height in pixels.
    """

    scene: Scene
    height: int

    def page(self) -> str:
        """Return the complete page.

        Returns:
            HTML that works offline, such as for a file.
        """
        return viewport_page(self.scene)

    def _repr_html_(self) -> str:
        """Return the page in a frame: Jupyter, Colab and VS Code call this."""
        frame = f"width:100%;height:{self.height}px;border:0;border-radius:8px"
        title = escape(self.scene.title or "motion", quote=True)
        return f'<iframe title="{title}" style="{frame}" srcdoc="{escape(self.page(), quote=True)}"></iframe>'

    def __repr__(self) -> str:
        return "View: show it in a notebook, or write page() to an .html file"


def view(
    *shown: Motion | str | PathLike[str] | Any,
    variants: Sequence[Motion] = (),
    count: int = 4,
    seed: int = 0,
    title: str = "",
    height: int = 420,
) -> View:
    """Show takes, files and new variants of models side by side on one timeline, moving, inside a notebook.

    Args:
        shown: Clips, strokes, point clips, mesh sequences, paths of their files, and models of `variation.learn`.
        variants: Motions to show as variants, in their color.
        count: How many new variants of each model to show.
        seed: The same seed gives the same variants.
        title: A heading.
        height: Height in pixels.

    Returns:
        A value that a notebook displays.
    """
    sets: list[tuple[str, list[Motion]]] = []
    for one in shown:
        if isinstance(one, Clip | Stroke | PointClip | MeshSequence):
            sets.append(("input", [one]))
        elif isinstance(one, str | PathLike):
            sets.append(("input", [read(Path(one))]))
        elif (method := method_of(one)) is not None and method.name == "variation":
            sets.append(("variant", list(drawn(one, Variants(count=count, seed=seed)))))
        else:
            raise UsageError(f"a {type(one).__name__} cannot be shown: give motions, paths or variation models")
    if variants:
        sets.append(("variant", list(variants)))
    if not sets:
        raise UsageError("there is nothing to show: give motions, paths or a model")
    return View(scene_of(sets, title=title), height)
