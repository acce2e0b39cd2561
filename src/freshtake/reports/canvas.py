"""Create matplotlib figures in a shared style; no other module creates figures."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from freshtake.errors import MissingExtra

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

GRAY = "#828b96"
STYLE: dict[Any, Any] = {
    "font.size": 9.0, "text.color": GRAY, "axes.labelcolor": GRAY, "axes.edgecolor": GRAY, "axes.titlecolor": GRAY,
    "xtick.color": GRAY, "ytick.color": GRAY, "axes.spines.top": False, "axes.spines.right": False,
    "axes.grid": True, "grid.color": GRAY, "grid.alpha": 0.18, "svg.fonttype": "path",
}  # fmt: skip
# For figures of many small panels: no grid, small type, and no background, because pages may be light or dark.
SMALL: dict[Any, Any] = {
    **STYLE, "font.size": 7.0, "axes.grid": False, "axes.titlesize": 8.0, "axes.titlelocation": "left",
    "axes.labelsize": 8.0, "xtick.labelsize": 6.0, "ytick.labelsize": 6.0, "legend.frameon": False,
    "figure.facecolor": "none", "axes.facecolor": "none",
}  # fmt: skip


def new_figure(width: float, height: float, layout: str | None = "constrained") -> Figure:
    """Return an empty figure of a size in inches; without a layout, axes keep their positions."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise _missing() from None
    return Figure(figsize=(width, height), layout=layout)  # type: ignore[arg-type]


def panels(figure: Figure, rows: int) -> list[Axes]:
    """Return axes below one another, always as a list."""
    return [axes[0] for axes in figure.subplots(rows, 1, squeeze=False)]


@contextmanager
def plot_style(style: dict[Any, Any] = STYLE, *, grid: bool | None = None) -> Iterator[None]:
    """Apply a style to a block or a decorated function; `grid`: whether axes have a grid, None for the style's."""
    try:
        import matplotlib
    except ImportError:
        raise _missing() from None
    with matplotlib.rc_context(style if grid is None else {**style, "axes.grid": grid}):
        yield


def _missing() -> MissingExtra:
    return MissingExtra("drawing plots", "plots")
