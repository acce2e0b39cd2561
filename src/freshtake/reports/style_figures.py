"""Draw translations: strips as in figure 1 of Hsu 2005, time warps, and the blend function of figure 4."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.body.roles import feet, leg_length
from freshtake.motion.clip import Clip
from freshtake.motion.edit import heading, turned, with_up
from freshtake.motion.planting.contacts import joint_contacts
from freshtake.numeric.arrays import Floats
from freshtake.reports.canvas import new_figure
from freshtake.reports.page import picture_figure, whole_page
from freshtake.reports.plots import Picture
from freshtake.reports.viewport.scene import Scene
from freshtake.reports.viewport.viewport_page import stage
from freshtake.style.columns import blend_curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Table(NamedTuple):
    """Head, rows and a caption; all cells are text, the first column is left-aligned."""

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
    """Return the page: the motion first, then a verdict (good or not, and the sentence), then the sections."""
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


COLORS = ("#3b82d6", "#35a264", "#d9534f", "#9467bd", "#ff7f0e")
DASHES = ("-", "--", ":")
GRAY = "#828b96"
CURVES = ((0.5, 1.0), (1.0, 1.0), (2.0, 1.0), (1.0, 4.0), (2.0, 4.0), (2.0, 30.0))  # k_c, k_p of figure 4


def strips(clips: Sequence[Clip], *, poses: int = 16, titles: Sequence[str] = ()) -> Figure:
    """Draw one strip of stick figures per clip, seen from the side, from its first to its last frame."""

    if not clips or poses < 2:
        raise UsageError("a strip needs at least one clip and two poses")
    bodies = [_side_view(clip) for clip in clips]
    height = max(float(body[..., 1].max()) for body in bodies)
    low = min(float(body[..., 1].min()) for body in bodies)
    figure = new_figure(0.62 * poses, 1.55 * len(clips))
    axes = np.atleast_1d(figure.subplots(len(clips), 1))
    for number, (axis, body, clip) in enumerate(zip(axes, bodies, clips, strict=True)):
        _draw(axis, body, poses, 0.5 * (height - low), COLORS[number % len(COLORS)])
        axis.set_ylim(low - 0.02 * height, 1.02 * height)
        axis.set_title(titles[number] if number < len(titles) else clip.name, fontsize=8, color=GRAY, loc="left", pad=2)
    figure.patch.set_alpha(0.0)
    return figure


def _side_view(clip: Clip) -> Floats:
    """Return segments (frames, segments, 2, 2), forward to the right, the lowest point at 0.

    Steady travel is subtracted, so that a root that surges or stops is visible.
    """
    upright = with_up(clip, "y")
    body = turned(upright, -heading(upright))
    places = np.concatenate([body.positions(), body.end_positions()], axis=1)
    skeleton = body.skeleton
    pairs = [(int(parent), j) for j, parent in enumerate(skeleton.parents) if parent >= 0]
    pairs += [(site.joint, len(skeleton) + k) for k, site in enumerate(skeleton.end_sites)]
    steps = np.diff(upright.root[:, [0, 2]], axis=0)
    angle = heading(upright)[:-1]
    along = np.concatenate([[0.0], np.cumsum(steps[:, 0] * np.sin(angle) + steps[:, 1] * np.cos(angle))])
    surge = along - np.linspace(0.0, along[-1], len(along))
    side = places[..., 2] - places[:, :1, 2] + surge[:, None]
    flat = np.stack([side, places[..., 1] - places[..., 1].min()], axis=-1)
    return flat[:, pairs]


def _draw(axis: Axes, body: Floats, poses: int, width: float, color: str) -> None:
    from matplotlib.collections import LineCollection

    frames = np.linspace(0, len(body) - 1, poses).round().astype(int)
    lines = [body[frame] + [column * width, 0.0] for column, frame in enumerate(frames)]
    axis.add_collection(LineCollection(list(np.concatenate(lines)), colors=color, linewidths=1.1))
    ends = [float(edge) for line in lines for edge in (line[..., 0].min(), line[..., 0].max())]
    axis.set_xlim(min(-0.8 * width, min(ends)), max((poses - 0.2) * width, max(ends)))
    axis.set_aspect("equal")
    axis.set_axis_off()


def ground_plan(clips: Sequence[Clip], *, titles: Sequence[str] = ()) -> Figure:
    """Draw the root's path from above, arrows for the heading, dots for planted feet; all at one scale."""

    upright = [with_up(clip, "y") for clip in clips]
    figure = new_figure(4.2 * len(clips), 3.6)
    axes = np.atleast_1d(figure.subplots(1, len(clips), sharex=True, sharey=True))
    for number, (axis, clip) in enumerate(zip(axes, upright, strict=True)):
        color, ground = COLORS[number % len(COLORS)], clip.positions()[..., [0, 2]]
        mask, joints = joint_contacts(clip), [joint for foot in feet(clip.skeleton) for joint in foot.joints]
        for column, joint in enumerate(joints):
            axis.plot(*ground[mask[:, column], joint].T, ".", color=GRAY, markersize=1.5)
        axis.plot(*ground[:, 0].T, color=color, linewidth=1.4)
        every = max(1, round(clip.fps / 2.0))
        angle, length = heading(clip)[::every], 0.4 * leg_length(clip.skeleton)
        axis.quiver(
            *ground[::every, 0].T, length * np.sin(angle), length * np.cos(angle), color=color, angles="xy",
            scale_units="xy", scale=1.0, width=0.006,
        )  # fmt: skip
        axis.set_title(titles[number] if number < len(titles) else clip.name, fontsize=8, color=GRAY, loc="left", pad=2)
        axis.set_aspect("equal")
        _quiet(axis)
    figure.patch.set_alpha(0.0)
    return figure


def warp_curves(steps: Sequence[Floats], names: Sequence[str], fps: float) -> Figure:
    """Draw how many frames of the target style each frame of the source lasts, over the source's time, per pair."""

    figure = new_figure(7.2, 2.6)
    axis = figure.subplots()
    axis.axhline(1.0, color=GRAY, linewidth=0.8)
    for number, (w, name) in enumerate(zip(steps, names, strict=True)):
        color, dash = COLORS[number % len(COLORS)], DASHES[number // len(COLORS) % len(DASHES)]
        axis.plot(np.arange(len(w)) / fps, w, linewidth=1.0, color=color, linestyle=dash, label=name)
    axis.set_xlabel("time of the source in seconds", fontsize=8, color=GRAY)
    axis.set_ylabel("w", fontsize=8, color=GRAY)
    _quiet(axis)
    if len(names) <= 8:
        figure.legend(fontsize=6, frameon=False, labelcolor=GRAY, loc="outside right upper")
    figure.patch.set_alpha(0.0)
    return figure


def blend_function(curves: Sequence[tuple[float, float]] = CURVES) -> Figure:
    """Draw figure 4: the weight of the input by its distance from the mean, for several k_c and k_p."""

    figure = new_figure(1.6 * len(curves), 1.7)
    for axis, (confidence, preference) in zip(np.atleast_1d(figure.subplots(1, len(curves))), curves, strict=True):
        axis.plot(*blend_curve(confidence, preference, reach=8.0), color=COLORS[0], linewidth=1.4)
        axis.set_title(f"$k_c$ = {confidence:g}, $k_p$ = {preference:g}", fontsize=7, color=GRAY)
        axis.set_ylim(-0.03, 1.03)
        _quiet(axis)
    figure.patch.set_alpha(0.0)
    return figure


def blend_over_time(blends: Sequence[Floats], names: Sequence[str], fps: float) -> Figure:
    """Draw how much of the input is blended into the output, over time."""

    figure = new_figure(7.2, 2.0)
    axis = figure.subplots()
    for number, (b, name) in enumerate(zip(blends, names, strict=True)):
        axis.plot(np.arange(len(b)) / fps, b, linewidth=1.0, color=COLORS[number % len(COLORS)], label=name)
    axis.set_ylim(-0.03, 1.03)
    axis.set_xlabel("time of the source in seconds", fontsize=8, color=GRAY)
    axis.set_ylabel("$b_*$", fontsize=8, color=GRAY)
    _quiet(axis)
    axis.legend(fontsize=7, frameon=False, labelcolor=GRAY)
    figure.patch.set_alpha(0.0)
    return figure


def _quiet(axis: Axes) -> None:
    axis.patch.set_alpha(0.0)
    axis.tick_params(labelsize=6, colors=GRAY)
    for side, spine in axis.spines.items():
        spine.set_color(GRAY)
        spine.set_visible(side in ("left", "bottom"))
