"""Create matplotlib figures and their shared style; the only module that does so."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from freshtake.errors import MissingExtra

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GRAY = "#828b96"
STYLE: dict[Any, Any] = {
    "font.size": 9.0, "text.color": GRAY, "axes.labelcolor": GRAY, "axes.edgecolor": GRAY, "axes.titlecolor": GRAY,
    "xtick.color": GRAY, "ytick.color": GRAY, "axes.spines.top": False, "axes.spines.right": False,
    "axes.grid": True, "grid.color": GRAY, "grid.alpha": 0.18, "svg.fonttype": "path",
}  # fmt: skip


def new_figure(width: float, height: float, layout: str | None = "constrained") -> Figure:
    """Return an empty figure.

    Args:
        width: In inches.
        height: In inches.
        layout: How matplotlib arranges axes; None leaves them where they are put.

    Returns:
        The figure; without matplotlib, MissingExtra names the extra that brings it.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise _missing() from None
    return Figure(figsize=(width, height), layout=layout)  # type: ignore[arg-type]


def plot_style(style: dict[Any, Any] = STYLE, *, grid: bool | None = None) -> AbstractContextManager[None]:
    """Return a context in which figures have a style; `grid`: whether axes have a grid, None leaves it."""
    try:
        import matplotlib
    except ImportError:
        raise _missing() from None
    return matplotlib.rc_context(style if grid is None else {**style, "axes.grid": grid})


def _missing() -> MissingExtra:
    return MissingExtra("drawing plots", "plots")
