"""The networks of a model as pictures for a report: small ones by time slices, large ones by parts of the body.

Small networks as the paper draws them (Lau 2009, figure 7): the nodes of a time slice in a column, with arrows.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import gcd
from typing import TYPE_CHECKING

import numpy as np

from freshtake.motion import Clip
from freshtake.reports.canvas import GRAY, new_figure, plot_style
from freshtake.reports.explanation import Explanation
from freshtake.reports.network_body import body_figure, joint_links
from freshtake.reports.network_matrix import matrix_figure, owner
from freshtake.reports.plots import EXTRA, INPUT, Picture, png
from freshtake.variation.model import VariationModel
from freshtake.variation.network import Edge, transition_network, transition_strengths
from freshtake.variation.paper.networks import TransitionNetwork

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RADIUS = 0.2
APART = 1.6  # of columns, in distances of rows
Place = tuple[float, float]
SMALL = 12  # DOFs up to which every node is drawn
WEIGHED = "the thicker an arrow, the more one DOF says about the other; dashed: a DOF's own past, always kept (fig. 7)"


def slices_figure(network: TransitionNetwork, edges: Sequence[Edge], marked: Collection[int] = ()) -> Figure:
    """Nodes in columns by time and rows by DOF; edges as of `transition_strengths(nodes=True)`.

    The thicker an arrow, the more one DOF says about the other. A node's own past, always kept, is gray. With `marked`
    (DOFs) the edges into these are colored and the others faint.
    """

    count = len(network.dofs)
    steps = network.order + 1
    with plot_style():
        wide, margin = max(steps, 3), APART * max(3 - steps, 0) / 2  # all networks of a model are drawn equally large
        figure = new_figure(1.4 + 1.5 * APART * (wide - 1), 1.0 + 0.95 * count, layout=None)
        figure.subplots_adjust(left=0.02, right=0.98, bottom=0.02, top=0.98)
        axis = figure.subplots()
        axis.set_axis_off()
        axis.set_aspect("equal")
        axis.set_xlim(-0.55 - margin, APART * (steps - 1) + 0.55 + margin)
        axis.set_ylim(-count + 0.45, 1.0)
        for node in range(steps * count):
            _node(axis, _place(node, count), network.dofs[node % count])
        for column in range(steps):
            axis.text(column * APART, 0.78, _heading(column), ha="center", fontsize=10)
        target = (steps - 1) * count
        for edge in sorted(edges, key=lambda e: np.nan_to_num(e.strength)):
            faint = bool(marked) and edge.child % count not in marked
            _arrow(axis, _place(edge.parent, count), _place(edge.child + target, count), edge.strength, faint)
    return figure


def _place(node: int, count: int) -> Place:
    return (node // count) * APART, -float(node % count)


def _heading(column: int) -> str:
    return f"t+{column}" if column else "t"


def _node(axis: Axes, place: Place, name: str) -> None:
    from matplotlib.patches import Circle

    axis.add_patch(Circle(place, RADIUS, facecolor="none", edgecolor=GRAY, linewidth=1.2))
    axis.text(*place, name, ha="center", va="center", fontsize=10 if len(name) <= 4 else max(4.5, 40 / len(name)))


def _arrow(axis: Axes, start: Place, end: Place, strength: float, faint: bool) -> None:
    """From circle to circle; bent where it would run through a node between them."""
    from matplotlib.patches import FancyArrowPatch

    across, along = round((end[0] - start[0]) / APART), round(end[1] - start[1])
    bend = -0.22 if gcd(across, along) > 1 or across == 0 else 0.0
    is_own_past = not np.isfinite(strength)
    color = GRAY if is_own_past else (INPUT if strength >= 0.0 else EXTRA)
    width = 0.9 if is_own_past else 0.7 + 3.3 * float(np.tanh(abs(strength)))
    shrink = 72.0 * RADIUS * _inches_per_unit(axis) + 1.0
    head = f"-|>,head_width={2.5 + width},head_length={4 + width}"
    patch = FancyArrowPatch(
        start, end, arrowstyle=head, connectionstyle=f"arc3,rad={bend}", color=color, linewidth=width,
        linestyle="--" if is_own_past else "-", alpha=0.2 if faint else 0.9,
        shrinkA=shrink, shrinkB=shrink, mutation_scale=1.0,
    )  # fmt: skip
    axis.add_patch(patch)


def _inches_per_unit(axis: Axes) -> float:
    """The size of one row's distance on paper, after the aspect has been set."""
    box = axis.get_position(original=True)
    whole = axis.get_figure(root=True)
    size = np.ones(2) if whole is None else whole.get_size_inches()
    wide, high = np.ptp(axis.get_xlim()), np.ptp(axis.get_ylim())
    return float(min(size[0] * box.width / wide, size[1] * box.height / high))


def network_pictures(model: VariationModel) -> list[Picture]:
    """Return the network: nodes and arrows up to 12 DOFs, else a matrix and arcs on the body."""
    if len(model.dofs) <= SMALL:
        return _by_slices(model)
    skeleton = None if model.material.recipe is None else model.material.recipe.skeleton
    edges = transition_strengths(model)
    count = sum(edge.parent != edge.child for edge in edges)
    about = f"{count} pairs of DOFs that vary together; gray: a DOF's own past, always kept (fig. 7)"
    names = model.dofs
    picture = png(matrix_figure(names, skeleton, edges))
    pictures = [Picture("network_transition", "Transition network", about, picture, True)]
    body = example_clip(model)
    if body is not None:
        links = joint_links(model.dofs, edges)
        caption = "which joints vary together most; arrows lead from joints that move the body more to others"
        pictures.insert(
            1, Picture("network_body", "What varies together", caption, png(body_figure(body, links), cropped=True))
        )
    return pictures


def _by_slices(model: VariationModel, marked: tuple[int, ...] = ()) -> list[Picture]:
    transition = slices_figure(transition_network(model), transition_strengths(model, nodes=True), marked)
    return [Picture("network_transition", "Transition network", WEIGHED, png(transition))]


def joint_pictures(model: VariationModel, explanation: Explanation) -> list[Picture]:
    """The edges of one joint: colored among the nodes of a small network, else as arrows on the body."""
    marked = tuple(k for k, dof in enumerate(model.dofs) if dof in explanation.dofs)
    if len(model.dofs) <= SMALL:
        return _by_slices(model, marked)
    body = example_clip(model)
    if body is None:
        near = [edge for edge in explanation.edges if edge.child in marked or edge.parent in marked]
        return [
            Picture(
                "network_joint",
                f"Edges of {explanation.joint}",
                "",
                png(matrix_figure(model.dofs, None, near)),
                True,
            )
        ]
    names = {owner(dof) for dof in explanation.dofs}
    caption = f"what varies together with {', '.join(sorted(names))}; green: joints that move the body less"
    figure = body_figure(body, explanation.links, names)
    return [Picture("network_joint", f"Edges of {explanation.joint}", caption, png(figure, cropped=True), True)]


def example_clip(model: VariationModel) -> Clip | None:
    """The first frame of the first example, where examples are clips."""
    recipe = model.material.recipe
    if recipe is None or recipe.skeleton is None:
        return None
    pose = model.decode(model.material.values[0][:1])
    return pose if isinstance(pose, Clip) else None
