"""Large networks as a matrix: children in rows, parents in columns, both by parts of the body."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from freshtake.motion.body.roles import body_parts, part_rank
from freshtake.motion.skeleton import Skeleton
from freshtake.numeric.arrays import Floats
from freshtake.reports.canvas import GRAY, new_figure, plot_style
from freshtake.variation.network import Edge

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_LABELS = 90
STRONG = 0.5  # nats from which a cell has the full color


def owner(dof: str) -> str:
    """Return the joint, marker or vertex that a DOF belongs to: `LeftLeg` of `LeftLeg.x`."""
    return dof.rsplit(".", 1)[0]


def dof_parts(dofs: Sequence[str], skeleton: Skeleton | None) -> list[str]:
    """The part of the body of every DOF; its joint or marker where there is no skeleton."""
    if skeleton is None:
        return [owner(dof) for dof in dofs]
    part = dict(zip(skeleton.names, body_parts(skeleton), strict=True))
    return [part.get(owner(dof), "other") for dof in dofs]


def matrix_figure(dofs: Sequence[str], skeleton: Skeleton | None, edges: Sequence[Edge]) -> Figure:
    """Strengths of the edges between DOFs; gray: a DOF's own past. Edges as of `transition_strengths`."""

    parts = dof_parts(dofs, skeleton)
    order = sorted(range(len(dofs)), key=lambda k: (part_rank(parts[k]), k)) if skeleton else list(range(len(dofs)))
    place = {dof: row for row, dof in enumerate(order)}
    cells = np.full((len(dofs), len(dofs)), np.nan)
    own_past = np.full_like(cells, np.nan)
    for edge in edges:
        row, column = place[edge.child % len(dofs)], place[edge.parent % len(dofs)]
        if edge.child % len(dofs) == edge.parent % len(dofs):
            own_past[row, column] = 1.0
        else:
            cells[row, column] = np.fmax(cells[row, column], edge.strength if np.isfinite(edge.strength) else 0.0)
    with plot_style(grid=False):
        figure = new_figure(9.4, 8.6, layout=None)
        figure.subplots_adjust(left=0.13, right=0.95, bottom=0.11, top=0.94)  # laying out by itself takes seconds
        _cells(figure.subplots(), cells, own_past, [dofs[k] for k in order], [parts[k] for k in order], figure)
    return figure


def _cells(
    axis: Axes, cells: Floats, own_past: Floats, names: Sequence[str], parts: Sequence[str], figure: Figure
) -> None:
    axis.imshow(own_past, cmap="Greys", vmin=0.0, vmax=2.5, interpolation="nearest")
    image = axis.imshow(cells, cmap="viridis_r", vmin=0.0, vmax=STRONG, interpolation="nearest")
    bar = figure.colorbar(image, ax=axis, shrink=0.5, pad=0.01, extend="max")
    bar.set_label("strength: how much one says about the other [nats]", fontsize=8)
    bar.outline.set_visible(False)
    starts = [0, *[k for k in range(1, len(parts)) if parts[k] != parts[k - 1]], len(parts)]
    for start in starts[1:-1]:
        axis.axhline(start - 0.5, color=GRAY, linewidth=0.7)
        axis.axvline(start - 0.5, color=GRAY, linewidth=0.7)
    if len(starts) < 30:
        top = axis.secondary_xaxis("top")
        top.set_xticks(
            [(a + b - 1) / 2 for a, b in pairwise(starts)], [parts[a].replace(" ", "\n") for a in starts[:-1]]
        )
        top.tick_params(length=0, labelsize=9)
        top.spines["top"].set_visible(False)
    if len(names) <= MOST_LABELS:
        axis.set_yticks(range(len(names)), names, fontsize=5.5)
        axis.set_xticks(range(len(names)), names, fontsize=5.5, rotation=90)
    axis.tick_params(length=0)
    axis.set_ylabel("varies together with ...", fontsize=9)
