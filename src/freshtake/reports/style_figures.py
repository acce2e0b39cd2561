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
from freshtake.reports.canvas import GRAY, SMALL, new_figure, panels, plot_style
from freshtake.reports.overlay import stick_segments
from freshtake.reports.page import gallery, table, whole_page
from freshtake.reports.plots import Picture
from freshtake.reports.viewport.scene import Scene
from freshtake.reports.viewport.viewport_page import stage
from freshtake.style.columns import blend_curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Table(NamedTuple):
    """A table: all cells are text, and the first column is left-aligned."""

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
    title: str, summary: str, sections: Sequence[Section], scene: Scene | None = None,
    verdict: tuple[bool, str] | None = None,
) -> str:  # fmt: skip
    """Return the page: first the motion, then the verdict (whether it is good, and a sentence), then the sections."""
    banner = f"<p class='verdict {'good' if verdict[0] else 'look'}'>{escape(verdict[1])}</p>" if verdict else ""
    head = [f"<h1>{escape(title)}</h1>", stage(scene) if scene is not None else "", banner, f"<p>{escape(summary)}</p>"]
    return whole_page(title, [*head, *map(_section, sections)], moving=scene is not None)


def _section(section: Section) -> str:
    parts = [f"<h2>{escape(section.title)}</h2>", f"<p class=dim>{escape(section.text)}</p>" if section.text else ""]
    parts += [table(*one) for one in section.tables] + ([gallery(section.pictures)] if section.pictures else [])
    return "\n".join(filter(None, parts))


COLORS = ("#3b82d6", "#35a264", "#d9534f", "#9467bd", "#ff7f0e")
DASHES = ("-", "--", ":")
CURVES = ((0.5, 1.0), (1.0, 1.0), (2.0, 1.0), (1.0, 4.0), (2.0, 4.0), (2.0, 30.0))  # k_c, k_p of figure 4


@plot_style(SMALL)
def strips(clips: Sequence[Clip], *, poses: int = 16, titles: Sequence[str] = ()) -> Figure:
    """Draw a strip of stick figures per clip, seen from the side, from its first to its last frame."""
    if not clips or poses < 2:
        raise UsageError("a strip needs at least one clip and two poses")
    bodies = [_side_view(clip) for clip in clips]
    height = max(float(body[..., 1].max()) for body in bodies)
    low = min(float(body[..., 1].min()) for body in bodies)
    figure = new_figure(0.62 * poses, 1.55 * len(clips))
    for number, (axis, body) in enumerate(zip(panels(figure, len(clips)), bodies, strict=True)):
        _draw(axis, body, poses, 0.5 * (height - low), COLORS[number % len(COLORS)])
        axis.set_ylim(low - 0.02 * height, 1.02 * height)
        axis.set_title(titles[number] if number < len(titles) else clips[number].name, pad=2)
    return figure


def _side_view(clip: Clip) -> Floats:
    """Return segments (frames, segments, 2, 2), forward to the right, the lowest point at 0.

    Steady travel is subtracted, so that surges and stops of the root are visible.
    """
    upright = with_up(clip, "y")
    body = turned(upright, -heading(upright))
    segments = stick_segments(body)
    steps = np.diff(upright.root[:, [0, 2]], axis=0)
    angle = heading(upright)[:-1]
    along = np.concatenate([[0.0], np.cumsum(steps[:, 0] * np.sin(angle) + steps[:, 1] * np.cos(angle))])
    surge = along - np.linspace(0.0, along[-1], len(along))
    side = segments[..., 2] - body.positions()[:, 0, None, None, 2] + surge[:, None, None]
    return np.stack([side, segments[..., 1] - segments[..., 1].min()], axis=-1)


def _draw(axis: Axes, body: Floats, poses: int, width: float, color: str) -> None:
    from matplotlib.collections import LineCollection

    frames = np.linspace(0, len(body) - 1, poses).round().astype(int)
    lines = [body[frame] + [column * width, 0.0] for column, frame in enumerate(frames)]
    axis.add_collection(LineCollection(list(np.concatenate(lines)), colors=color, linewidths=1.1))
    ends = [float(edge) for line in lines for edge in (line[..., 0].min(), line[..., 0].max())]
    axis.set_xlim(min(-0.8 * width, min(ends)), max((poses - 0.2) * width, max(ends)))
    axis.set_aspect("equal")
    axis.set_axis_off()


@plot_style(SMALL)
def ground_plan(clips: Sequence[Clip], titles: Sequence[str]) -> Figure:
    """Draw the root's paths from above with arrows for headings and dots for planted feet, all at one scale."""
    figure = new_figure(4.2 * len(clips), 3.6)
    axes = figure.subplots(1, len(clips), sharex=True, sharey=True, squeeze=False)[0]
    for axis, filed, title, color in zip(axes, clips, titles, COLORS, strict=False):
        clip = with_up(filed, "y")
        ground = clip.positions()[..., [0, 2]]
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
        axis.set_title(title, pad=2)
        axis.set_aspect("equal")
    return figure


def warp_curves(steps: Sequence[Floats], names: Sequence[str], fps: float) -> Figure:
    """Draw the number of target frames per source frame over the source's time, a curve per pair."""
    figure = _over_time(steps, names if len(names) <= 8 else (), fps, "w", 2.6)
    figure.axes[0].axhline(1.0, color=GRAY, linewidth=0.8, zorder=0)
    return figure


def blend_over_time(blends: Sequence[Floats], names: Sequence[str], fps: float) -> Figure:
    """Draw the weight of the input in the output over time."""
    figure = _over_time(blends, names, fps, "$b_*$", 2.0)
    figure.axes[0].set_ylim(-0.03, 1.03)
    return figure


@plot_style(SMALL)
def _over_time(curves: Sequence[Floats], names: Sequence[str], fps: float, label: str, height: float) -> Figure:
    """Draw curves over the time of the source, with a legend if they have names."""
    figure = new_figure(7.2, height)
    axis = figure.subplots()
    for number, values in enumerate(curves):
        color, dash = COLORS[number % len(COLORS)], DASHES[number // len(COLORS) % len(DASHES)]
        axis.plot(np.arange(len(values)) / fps, values, linewidth=1.0, color=color, linestyle=dash)
    axis.set(xlabel="time of the source in seconds", ylabel=label)
    if names:
        figure.legend(axis.lines, names, loc="outside right upper")
    return figure


@plot_style(SMALL)
def blend_function() -> Figure:
    """Draw figure 4: the weight of the input by its distance from the mean, for several k_c and k_p."""
    figure = new_figure(1.6 * len(CURVES), 1.7)
    for axis, (confidence, preference) in zip(figure.subplots(1, len(CURVES)), CURVES, strict=True):
        axis.plot(*blend_curve(confidence, preference, reach=8.0), color=COLORS[0], linewidth=1.4)
        axis.set(title=f"$k_c$ = {confidence:g}, $k_p$ = {preference:g}", ylim=(-0.03, 1.03))
    return figure
