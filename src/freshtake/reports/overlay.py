"""Draw overlays: stick figures of several clips at equal phases, from the side and from the front."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.body.roles import leg_length
from freshtake.motion.edit import start_at_origin, with_up
from freshtake.numeric.arrays import Floats
from freshtake.reports.canvas import new_figure, panels
from freshtake.reports.viewport.staging import facing_z

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def retarget_strip(clips: Sequence[tuple[str, Clip]]) -> Figure:
    """Draw the named clips, the source first, each at twelve moments from the side, to its own scale."""
    figure = new_figure(12.0, 1.75 * len(clips))
    for number, (axis, (name, clip)) in enumerate(zip(panels(figure, len(clips)), clips, strict=True)):
        stick_figures(axis, clip, 12, reach=1.15 * leg_length(clip.skeleton), color=COLORS[min(number, 1)])
        axis.set_title(name, fontsize=9, loc="left")
    return figure


COLORS = ("#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd", "#8c564b", "#e377c2", "#17becf")
VIEWS = (("side", 2), ("front", 0))  # the view's name, and the horizontal coordinate that points right


def overlay(
    clips: Sequence[Clip], *, phases: int = 9, title: str = "", colors: Sequence[str] = COLORS,
    views: Sequence[tuple[str, int]] = VIEWS, legend: bool = True,
) -> Figure:  # fmt: skip
    """Draw all clips on top of one another at `phases` moments from start to end, each centered on its root."""
    if not clips or phases < 1:
        raise UsageError("an overlay picture needs at least one clip and one phase")
    bodies = [_segments(clip) for clip in clips]
    reach = max(float(np.abs(body - body[:, :1, :1]).max()) for body in bodies)
    figure = new_figure(1.25 * phases, 2.8 * len(views))
    axes = panels(figure, len(views))
    for axis, (view, right) in zip(axes, views, strict=True):
        for number, body in enumerate(bodies):
            _strip(axis, body, phases, right, 1.05 * reach, colors[number % len(colors)])
        axis.set_title(f"{title} — {view}" if title else view, fontsize=9)
    if not legend:
        return figure
    handles = [axes[0].plot([], [], color=colors[k % len(colors)])[0] for k in range(min(len(clips), 8))]
    names = [clip.name or f"clip {k + 1}" for k, clip in enumerate(clips[:8])]
    figure.legend(handles, names, loc="outside lower center", ncols=4, fontsize=8, frameon=False)
    return figure


def stick_figures(axis: Axes, clip: Clip, phases: int, *, reach: float, color: str) -> None:
    """Draw a clip from the side at `phases` moments, spaced by about `reach`, in its unit of length.

    Panels with the same `reach` have the same scale, and drawing is clipped to the panel.
    """
    _strip(axis, _segments(clip), phases, 2, 1.05 * reach, color)
    axis.set_ylim(-0.1 * reach, 1.9 * reach)


def _segments(clip: Clip) -> Floats:
    """Return limb segments (frames, segments, 2, 3) of a clip that starts at the origin facing z, y up."""
    return stick_segments(facing_z(start_at_origin(with_up(clip, "y"), face=False)))


def stick_segments(clip: Clip) -> Floats:
    """Return the limbs (frames, limbs, 2, 3) of a body: from parents to joints and to end sites."""
    skeleton = clip.skeleton
    positions = np.concatenate([clip.positions(), clip.end_positions()], axis=1)
    pairs = [(int(parent), j) for j, parent in enumerate(skeleton.parents) if parent >= 0]
    pairs += [(site.joint, len(skeleton) + k) for k, site in enumerate(skeleton.end_sites)]
    return positions[:, pairs or [(0, 0)]]


def _strip(axis: Axes, body: Floats, phases: int, right: int, width: float, color: str) -> None:
    from matplotlib.collections import LineCollection

    lines = []
    for column, frame in enumerate(np.linspace(0, len(body) - 1, phases).round().astype(int)):
        pose = body[frame][..., [right, 1]].copy()
        pose[..., 0] += column * width - body[frame, 0, 0, right]
        lines.append(pose)
    limbs = np.concatenate(lines)
    axis.add_collection(LineCollection(list(limbs), colors=color, linewidths=1.5, alpha=0.8, capstyle="round"))
    axis.set_xlim(-0.6 * width, (phases - 0.4) * width)
    axis.autoscale(axis="y")
    axis.set_aspect("equal")
    axis.set_axis_off()
