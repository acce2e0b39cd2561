"""Draw the networks of a model: joints that vary together as a matrix, on the body, and as graphs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise
from math import gcd
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from freshtake.motion import Clip
from freshtake.motion.body.orientation import facing
from freshtake.motion.body.roles import body_parts, part_rank, rest_positions
from freshtake.motion.edit import with_up
from freshtake.motion.skeleton import Skeleton
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import about_axis, rotate
from freshtake.reports.canvas import GRAY, new_figure, plot_style
from freshtake.reports.plots import EXTRA, INPUT, VARIANT, Picture, png
from freshtake.variation.model import VariationModel
from freshtake.variation.network import Edge, transition_network, transition_strengths
from freshtake.variation.paper.networks import TransitionNetwork

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from freshtake.reports.explanation import Explanation

STRONG = 0.5  # nats at which a cell has the full color


def owner(dof: str) -> str:
    """Return the joint, marker or vertex that a DOF belongs to: `LeftLeg` of `LeftLeg.x`."""
    return dof.rsplit(".", 1)[0]


@plot_style(grid=False)
def matrix_figure(dofs: Sequence[str], skeleton: Skeleton | None, edges: Sequence[Edge]) -> Figure:
    """Draw the strengths of the edges between DOFs; gray: a DOF's own past. Edges are from `transition_strengths`."""
    parts, order = [owner(dof) for dof in dofs], list(range(len(dofs)))
    if skeleton is not None:
        part = dict(zip(skeleton.names, body_parts(skeleton), strict=True))
        parts = [part.get(name, "other") for name in parts]
        order.sort(key=lambda k: part_rank(parts[k]))
    place = {dof: row for row, dof in enumerate(order)}
    cells = np.full((len(dofs), len(dofs)), np.nan)
    own_past = np.full_like(cells, np.nan)
    for edge in edges:
        row, column = place[edge.child % len(dofs)], place[edge.parent % len(dofs)]
        if row == column:
            own_past[row, column] = 1.0
        else:
            cells[row, column] = np.fmax(cells[row, column], edge.strength if np.isfinite(edge.strength) else 0.0)
    figure = new_figure(9.4, 8.6, layout=None)
    figure.subplots_adjust(left=0.13, right=0.95, bottom=0.11, top=0.94)  # automatic layout is slow
    _cells(figure.subplots(), cells, own_past, [dofs[k] for k in order], [parts[k] for k in order], figure)
    return figure


def _cells(
    axis: Axes, cells: Floats, own_past: Floats, names: Sequence[str], parts: Sequence[str], figure: Figure
) -> None:
    axis.imshow(own_past, cmap="Greys", vmin=0.0, vmax=2.5, interpolation="nearest")
    image = axis.imshow(cells, cmap="viridis_r", vmin=0.0, vmax=STRONG, interpolation="nearest")
    bar = figure.colorbar(image, ax=axis, shrink=0.5, pad=0.01, extend="max")
    bar.set_label("strength: how much one tells about the other [nats]", fontsize=8)
    bar.outline.set_visible(False)
    starts = [0, *[k for k in range(1, len(parts)) if parts[k] != parts[k - 1]], len(parts)]
    for start in starts[1:-1]:
        axis.axhline(start - 0.5, color=GRAY, linewidth=0.7)
        axis.axvline(start - 0.5, color=GRAY, linewidth=0.7)
    if len(starts) < 30:
        top = axis.secondary_xaxis("top")
        middles = [(a + b - 1) / 2 for a, b in pairwise(starts)]
        top.set_xticks(middles, [parts[a].replace(" ", "\n") for a in starts[:-1]])
        top.tick_params(length=0, labelsize=9)
        top.spines["top"].set_visible(False)
    # More labels would overlap.
    if len(names) <= 90:
        axis.set_yticks(range(len(names)), names, fontsize=5.5)
        axis.set_xticks(range(len(names)), names, fontsize=5.5, rotation=90)
    axis.tick_params(length=0)
    axis.set_ylabel("varies together with ...", fontsize=9)


CLOSE = 0.07  # fraction of the figure's size below which labels are merged


class Link(NamedTuple):
    """The summed strength of the edges from one joint's DOFs to another's; unmeasured strengths count as 0."""

    parent: str
    child: str
    strength: float


def joint_links(dofs: Sequence[str], edges: Sequence[Edge]) -> list[Link]:
    """Return the links between joints, strongest first; a joint's edges to itself are left out."""
    total: dict[tuple[str, str], float] = {}
    for edge in edges:
        pair = owner(dofs[edge.parent % len(dofs)]), owner(dofs[edge.child % len(dofs)])
        if pair[0] != pair[1]:
            total[pair] = total.get(pair, 0.0) + (edge.strength if np.isfinite(edge.strength) else 0.0)
    links = [Link(*pair, strength) for pair, strength in total.items()]
    return sorted(links, key=lambda link: (-link.strength, link.parent, link.child))


@plot_style()
def body_figure(clip: Clip, links: Sequence[Link], marked: Collection[str] = (), most: int = 40) -> Figure:
    """Draw the strongest links as arrows on the body from the front; with `marked` joints, only their links.

    Blue arrows lead from joints that move the body more. Green arrows lead from marked joints to others.
    """
    skeleton_names = set(clip.skeleton.names)
    shown = [link for link in links if {link.parent, link.child} <= skeleton_names]
    if marked:
        shown = [link for link in shown if link.child in marked or link.parent in marked]
    shown = shown[:most][::-1]
    places = dict(zip(clip.skeleton.names, front_view(clip), strict=True))
    figure = new_figure(7.2, 7.2)
    axis = figure.subplots()
    _skeleton(axis, clip, places, {name for link in shown for name in (link.parent, link.child)} | set(marked))
    largest = max((link.strength for link in shown), default=0.0) or 1.0
    for link in shown:
        color = INPUT if not marked or link.child in marked else VARIANT
        _arc(axis, places[link.parent], places[link.child], link.strength / largest, color)
    return figure


def front_view(clip: Clip) -> Floats:
    """Return joints (joints, 2), right and up, in the rest pose if its limbs are apart, else in frame 0."""
    rest = rest_positions(clip.skeleton)
    up = clip.up_index
    wide = np.delete(np.ptp(rest, axis=0), up).max()
    # The limbs are apart if the rest pose is at least half as wide as tall.
    if wide >= 0.5 * np.ptp(rest[:, up]):
        ground = np.delete(np.arange(3), up)
        right = int(ground[np.argmax(np.ptp(rest[:, ground], axis=0))])
        return rest[:, [right, up]]
    placed = with_up(clip, "y")
    angles = facing(placed)
    turn = about_axis(np.eye(3)[1], -float(angles[0]) if angles is not None else 0.0)
    return rotate(turn, placed.positions()[0])[:, :2]


def _skeleton(axis: Axes, clip: Clip, places: dict[str, Floats], named: Collection[str]) -> None:
    dots = np.stack(list(places.values()))
    for joint, parent in enumerate(clip.skeleton.parents.tolist()):
        if parent >= 0:
            line = dots[[parent, joint]].T
            axis.plot(*line, color=GRAY, linewidth=3.0, alpha=0.45, solid_capstyle="round", zorder=1)
    middle = float(dots[0, 0] - 0.02 * np.ptp(dots[:, 0]))
    axis.scatter(dots[:, 0], dots[:, 1], s=14, color=GRAY, zorder=3)
    for place, text in _labels({name: place for name, place in places.items() if name in named}):
        side, align = (-4, "right") if place[0] < middle else (4, "left")
        axis.annotate(
            text, (place[0], place[1]), xytext=(side, 4), textcoords="offset points", ha=align, fontsize=7.5, zorder=5
        )
    axis.set_aspect("equal")
    axis.set_axis_off()
    axis.margins(x=0.3, y=0.04)  # arcs reach beyond the body


def _labels(named: dict[str, Floats]) -> list[tuple[Floats, str]]:
    """Return positions and labels; joints close together share a label: the first name and the number of others."""
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
    patch = FancyArrowPatch(
        (start[0], start[1]), (end[0], end[1]), connectionstyle="arc3,rad=0.3",
        arrowstyle=f"-|>,head_width={2 + width},head_length={3.5 + width}", color=color, linewidth=width,
        alpha=0.35 + 0.5 * max(share, 0.0), shrinkA=3.0, shrinkB=3.0, mutation_scale=1.0, zorder=4, clip_on=False,
    )  # fmt: skip
    axis.add_patch(patch)


RADIUS = 0.2
APART = 1.6  # distance between columns, relative to the distance between rows
Place = tuple[float, float]
SMALL = 12  # DOFs: networks with more are drawn as a matrix
WEIGHED = "the thicker an arrow, the more one DOF tells about the other; dashed: a DOF's own past, always kept (fig. 7)"


@plot_style()
def slices_figure(network: TransitionNetwork, edges: Sequence[Edge], marked: Collection[int] = ()) -> Figure:
    """Draw nodes in columns by time and rows by DOF; edges are from `transition_strengths(nodes=True)`.

    The thicker an arrow, the better one DOF predicts the other. A node's own past, always kept, is gray. With `marked`
    DOFs, edges into other DOFs are faint.
    """
    count = len(network.dofs)
    steps = network.order + 1
    columns, margin = max(steps, 3), APART * max(3 - steps, 0) / 2  # small networks are drawn to the same scale
    figure = new_figure(1.4 + 1.5 * APART * (columns - 1), 1.0 + 0.95 * count, layout=None)
    figure.subplots_adjust(left=0.02, right=0.98, bottom=0.02, top=0.98)
    axis = figure.subplots()
    axis.set_axis_off()
    xlim, ylim = (-0.55 - margin, APART * (steps - 1) + 0.55 + margin), (-count + 0.45, 1.0)
    axis.set(aspect="equal", xlim=xlim, ylim=ylim)
    for node in range(steps * count):
        _node(axis, _place(node, count), network.dofs[node % count])
    for column in range(steps):
        axis.text(column * APART, 0.78, f"t+{column}" if column else "t", ha="center", fontsize=10)
    target = (steps - 1) * count
    # Inches per row of the figure, given the equal aspect ratio.
    box, size = axis.get_position(original=True), figure.get_size_inches()
    inches = float(min(size[0] * box.width / np.ptp(xlim), size[1] * box.height / np.ptp(ylim)))
    for edge in sorted(edges, key=lambda e: np.nan_to_num(e.strength)):
        faint = bool(marked) and edge.child % count not in marked
        ends = _place(edge.parent, count), _place(edge.child + target, count)
        _arrow(axis, *ends, edge.strength, faint, inches)
    return figure


def _place(node: int, count: int) -> Place:
    return (node // count) * APART, -float(node % count)


def _node(axis: Axes, place: Place, name: str) -> None:
    from matplotlib.patches import Circle

    axis.add_patch(Circle(place, RADIUS, facecolor="none", edgecolor=GRAY, linewidth=1.2))
    axis.text(*place, name, ha="center", va="center", fontsize=10 if len(name) <= 4 else max(4.5, 40 / len(name)))


def _arrow(axis: Axes, start: Place, end: Place, strength: float, faint: bool, inches: float) -> None:
    """Draw an arrow from circle to circle, curved where it would cross a node between them."""
    from matplotlib.patches import FancyArrowPatch

    across, along = round((end[0] - start[0]) / APART), round(end[1] - start[1])
    bend = -0.22 if gcd(across, along) > 1 or across == 0 else 0.0
    is_own_past = not np.isfinite(strength)
    color = GRAY if is_own_past else (INPUT if strength >= 0.0 else EXTRA)
    width = 0.9 if is_own_past else 0.7 + 3.3 * float(np.tanh(abs(strength)))
    shrink = 72.0 * RADIUS * inches + 1.0
    head = f"-|>,head_width={2.5 + width},head_length={4 + width}"
    patch = FancyArrowPatch(
        start, end, arrowstyle=head, connectionstyle=f"arc3,rad={bend}", color=color, linewidth=width,
        linestyle="--" if is_own_past else "-", alpha=0.2 if faint else 0.9,
        shrinkA=shrink, shrinkB=shrink, mutation_scale=1.0,
    )  # fmt: skip
    axis.add_patch(patch)


def network_pictures(model: VariationModel) -> list[Picture]:
    """Draw the network: nodes and arrows for few DOFs, else a matrix and arrows on the body."""
    if len(model.dofs) <= SMALL:
        return _by_slices(model)
    skeleton = None if model.material.recipe is None else model.material.recipe.skeleton
    edges = transition_strengths(model)
    count = sum(edge.parent != edge.child for edge in edges)
    about = f"{count} pairs of DOFs that vary together; gray: a DOF's own past, always kept (fig. 7)"
    matrix = png(matrix_figure(model.dofs, skeleton, edges))
    pictures = [Picture("network_transition", "Transition network", about, matrix, True)]
    body = example_clip(model)
    if body is not None:
        links = joint_links(model.dofs, edges)
        caption = "which joints vary together most; arrows lead from joints that move the body more to others"
        drawn = png(body_figure(body, links), cropped=True)
        pictures.append(Picture("network_body", "What varies together", caption, drawn))
    return pictures


def _by_slices(model: VariationModel, marked: tuple[int, ...] = ()) -> list[Picture]:
    transition = slices_figure(transition_network(model), transition_strengths(model, nodes=True), marked)
    return [Picture("network_transition", "Transition network", WEIGHED, png(transition))]


def joint_pictures(model: VariationModel, explanation: Explanation) -> list[Picture]:
    """Draw the edges of a joint: highlighted in a small network, else as arrows on the body."""
    marked = tuple(k for k, dof in enumerate(model.dofs) if dof in explanation.dofs)
    if len(model.dofs) <= SMALL:
        return _by_slices(model, marked)
    body, title = example_clip(model), f"Edges of {explanation.joint}"
    if body is None:
        near = [edge for edge in explanation.edges if edge.child in marked or edge.parent in marked]
        return [Picture("network_joint", title, "", png(matrix_figure(model.dofs, None, near)), True)]
    names = {owner(dof) for dof in explanation.dofs}
    caption = f"what varies together with {', '.join(sorted(names))}; green: joints that move the body less"
    figure = body_figure(body, explanation.links, names)
    return [Picture("network_joint", title, caption, png(figure, cropped=True), True)]


def example_clip(model: VariationModel) -> Clip | None:
    """Return the first frame of the first example, or None if examples are not clips."""
    recipe = model.material.recipe
    if recipe is None or recipe.skeleton is None:
        return None
    pose: Clip = model.decode(model.material.values[0][:1])
    return pose
