"""The networks of a model as pictures for a report: small ones by time slices, large ones by parts of the body."""

from __future__ import annotations

import numpy as np

from freshtake.evaluation.explanation import Explanation
from freshtake.evaluation.network_body import body_figure, joint_links
from freshtake.evaluation.network_matrix import matrix_figure, owner
from freshtake.evaluation.network_slices import slices_figure
from freshtake.evaluation.plots import Picture, png
from freshtake.motion import Clip
from freshtake.variation.model import VariationModel
from freshtake.variation.strengths import prior_strengths, transition_strengths

SMALL = 12  # DOFs up to which every node is drawn
WEIGHED = "the thicker an arrow, the more predictions lose without it; dashed: a node's own past, always kept (fig. 7)"


def network_pictures(model: VariationModel) -> list[Picture]:
    """Prior and transition network: nodes and arrows up to 12 DOFs, else a matrix and arcs on the body."""
    if len(model.transition.dofs) <= SMALL:
        return _by_slices(model)
    skeleton = None if model.material.recipe is None else model.material.recipe.skeleton
    edges, firsts = transition_strengths(model), prior_strengths(model)
    count = sum(edge.parent != edge.child for edge in edges)
    about = f"{count} edges between DOFs; gray: a DOF's own past, always kept (fig. 7)"
    names = model.transition.dofs
    picture = png(matrix_figure(names, skeleton, edges))
    found = [Picture("network_transition", "Transition network", about, picture, True)]
    if firsts:
        picture = png(matrix_figure(names, skeleton, firsts))
        found.append(Picture("network_prior", "Prior network", "of frames 0 and 1 together (fig. 7)", picture, True))
    body = example_clip(model)
    if body is not None:
        links = joint_links(model.transition.dofs, edges)
        caption = "the strongest edges of the transition network between joints; arrows lead to what is predicted"
        found.insert(
            1, Picture("network_body", "What predicts what", caption, png(body_figure(body, links), cropped=True))
        )
    return found


def _by_slices(model: VariationModel, marked: tuple[int, ...] = ()) -> list[Picture]:
    transition = slices_figure(model.transition, transition_strengths(model, nodes=True), marked)
    found = [Picture("network_transition", "Transition network", WEIGHED, png(transition))]
    if model.kernel is not None:
        prior = png(slices_figure(model.prior, prior_strengths(model), marked))
        found.insert(0, Picture("network_prior", "Prior network", f"{WEIGHED}. {_prior_note(model)}", prior))
    return found


def joint_pictures(model: VariationModel, found: Explanation) -> list[Picture]:
    """The edges of one joint: colored among the nodes of a small network, else as arrows on the body."""
    marked = tuple(k for k, dof in enumerate(model.transition.dofs) if dof in found.dofs)
    if len(model.transition.dofs) <= SMALL:
        return _by_slices(model, marked)
    body = example_clip(model)
    if body is None:
        near = [edge for edge in found.edges if edge.child in marked or edge.parent in marked]
        return [
            Picture(
                "network_joint",
                f"Edges of {found.joint}",
                "",
                png(matrix_figure(model.transition.dofs, None, near)),
                True,
            )
        ]
    names = {owner(dof) for dof in found.dofs}
    caption = f"blue: what predicts {', '.join(sorted(names))}; green: what it helps to predict"
    figure = body_figure(body, found.links, names)
    return [Picture("network_joint", f"Edges of {found.joint}", caption, png(figure, cropped=True), True)]


def _prior_note(model: VariationModel) -> str:
    """Mean and spread of the first frame's nodes that have no parents, as the paper's figure 7 gives them."""
    firsts = np.stack([rows[0] for rows in model.material.values])
    count = len(model.dofs)
    free = [k for k in range(count) if not model.prior.edges[k]]
    said = [
        f"{model.dofs[k]}[0] {firsts[:, k].mean():.2f} ± {firsts[:, k].std(ddof=min(1, len(firsts) - 1)):.2f}"
        for k in free
    ]
    return "Examples' first frame: " + ", ".join(said) if said else ""


def example_clip(model: VariationModel) -> Clip | None:
    """The first frame of the first example, where examples are clips."""
    recipe = model.material.recipe
    if recipe is None or recipe.skeleton is None:
        return None
    pose = model.decode(model.material.values[0][:1])
    return pose if isinstance(pose, Clip) else None
