"""Networks on the body: the strongest edges between joints as arcs on the skeleton."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from freshtake.motion import Clip
from freshtake.motion.body.orientation import facing
from freshtake.motion.body.roles import rest_positions
from freshtake.motion.edit import with_up
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import about_axis, rotate
from freshtake.reports.canvas import GRAY, new_figure, plot_style
from freshtake.reports.network_matrix import owner
from freshtake.reports.plots import INPUT, VARIANT
from freshtake.variation.network import Edge

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STRONGEST = 40
CLOSE = 0.07  # of the figure's size: labels nearer than this are joined
SPREAD = 0.5  # a rest pose at least this wide, as a share of its height, shows its limbs apart


class Link(NamedTuple):
    """The edges from one joint's DOFs to another's: their summed strength (what cannot be measured counts 0)."""

    parent: str
    child: str
    strength: float


def joint_links(dofs: Sequence[str], edges: Sequence[Edge]) -> list[Link]:
    """Edges between joints, strongest first; a joint's edges to itself are left out."""
    total: dict[tuple[str, str], float] = {}
    for edge in edges:
        pair = owner(dofs[edge.parent % len(dofs)]), owner(dofs[edge.child % len(dofs)])
        if pair[0] != pair[1]:
            total[pair] = total.get(pair, 0.0) + (edge.strength if np.isfinite(edge.strength) else 0.0)
    links = [Link(*pair, strength) for pair, strength in total.items()]
    return sorted(links, key=lambda link: (-link.strength, link.parent, link.child))


def body_figure(clip: Clip, links: Sequence[Link], marked: Collection[str] = (), most: int = STRONGEST) -> Figure:
    """The strongest links as arrows on the body from the front; of `marked` joints only theirs.

    Blue arrows lead from joints that move the body more; with `marked`, green ones lead from it to others.
    """

    known = set(clip.skeleton.names)
    shown = [link for link in links if {link.parent, link.child} <= known]
    if marked:
        shown = [link for link in shown if link.child in marked or link.parent in marked]
    shown = shown[:most][::-1]
    places = dict(zip(clip.skeleton.names, front_view(clip), strict=True))
    with plot_style():
        figure = new_figure(7.2, 7.2)
        axis = figure.subplots()
        _skeleton(axis, clip, places, {name for link in shown for name in (link.parent, link.child)} | set(marked))
        largest = max((link.strength for link in shown), default=0.0) or 1.0
        for link in shown:
            color = INPUT if not marked or link.child in marked else VARIANT
            _arc(axis, places[link.parent], places[link.child], link.strength / largest, color)
    return figure


def front_view(clip: Clip) -> Floats:
    """Joints (joints, 2) to the viewer's right and up: the rest pose where it shows the limbs apart, else frame 0."""
    rest = rest_positions(clip.skeleton)
    up = clip.up_index
    wide = np.delete(np.ptp(rest, axis=0), up).max()
    if wide >= SPREAD * np.ptp(rest[:, up]):
        ground = np.delete(np.arange(3), up)
        right = int(ground[np.argmax(np.ptp(rest[:, ground], axis=0))])
        return rest[:, [right, up]]
    placed = with_up(clip, "y")
    angles = facing(placed)
    turn = about_axis(np.eye(3)[1], -float(angles[0]) if angles is not None else 0.0)
    return rotate(turn, placed.positions()[0])[:, :2]


def _skeleton(axis: Axes, clip: Clip, places: dict[str, Floats], named: Collection[str]) -> None:
    names, parents = clip.skeleton.names, clip.skeleton.parents.tolist()
    for name, parent in zip(names, parents, strict=True):
        if parent >= 0:
            line = np.stack([places[names[parent]], places[name]])
            axis.plot(line[:, 0], line[:, 1], color=GRAY, linewidth=3.0, alpha=0.45, solid_capstyle="round", zorder=1)
    dots = np.stack(list(places.values()))
    middle = float(dots[0, 0] - 0.02 * np.ptp(dots[:, 0]))
    axis.scatter(dots[:, 0], dots[:, 1], s=14, color=GRAY, zorder=3)
    for place, text in _labels({name: place for name, place in places.items() if name in named}):
        where = (float(place[0]), float(place[1]))
        side, align = (-4, "right") if where[0] < middle else (4, "left")
        axis.annotate(text, where, xytext=(side, 4), textcoords="offset points", ha=align, fontsize=7.5, zorder=5)
    axis.set_aspect("equal")
    axis.set_axis_off()
    axis.margins(x=0.3, y=0.04)  # arcs reach beyond the body


def _labels(named: dict[str, Floats]) -> list[tuple[Floats, str]]:
    """Places and names; of joints that lie close together the first is named, and how many more there are."""
    size = float(np.ptp(np.stack(list(named.values())), axis=0).max()) if named else 0.0
    labels: list[tuple[Floats, list[str]]] = []
    for name, place in named.items():
        near = next((names for other, names in labels if np.linalg.norm(other - place) <= CLOSE * size), None)
        if near is None:
            labels.append((place, [name]))
        else:
            near.append(name)
    return [(place, names[0] + (f" +{len(names) - 1}" if names[1:] else "")) for place, names in labels]


def _arc(axis: Axes, start: Floats, end: Floats, share: float, color: str) -> None:
    from matplotlib.patches import FancyArrowPatch

    if np.allclose(start, end):
        return
    width = 0.5 + 2.7 * max(share, 0.0)
    axis.add_patch(
        FancyArrowPatch(
            (float(start[0]), float(start[1])), (float(end[0]), float(end[1])), connectionstyle="arc3,rad=0.3",
            arrowstyle=f"-|>,head_width={2 + width},head_length={3.5 + width}", color=color, linewidth=width,
            alpha=0.35 + 0.5 * max(share, 0.0), shrinkA=3.0, shrinkB=3.0, mutation_scale=1.0, zorder=4, clip_on=False,
        )
    )  # fmt: skip
