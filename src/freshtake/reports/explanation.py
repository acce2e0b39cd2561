"""What varies together with a joint: a model's edges with strengths, ready for tables and JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, NamedTuple

from freshtake.errors import UsageError
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.reports.network_body import Link, joint_links
from freshtake.reports.network_matrix import owner
from freshtake.variation.model import VariationModel
from freshtake.variation.network import Edge, transition_network, transition_strengths
from freshtake.variation.paper.networks import TransitionNetwork


class Named(NamedTuple):
    """An edge by names. `slices` are those of the parent; `strength` is NaN for a node's own past."""

    child: str
    parent: str
    slices: tuple[str, ...]
    strength: float

    @property
    def own(self) -> bool:
        """Whether a DOF is predicted from its own past, an edge that is always kept."""
        return self.child == self.parent

    def as_dict(self) -> dict[str, Any]:
        """For JSON; strengths that were not measured are null."""
        strength = self.strength if math.isfinite(self.strength) else None
        return {**self._asdict(), "slices": list(self.slices), "strength": strength, "own": self.own}


@dataclass(frozen=True)
class Explanation:
    """Edges of the network by names, all or those of some DOFs.

    `parents`: what varies with the chosen DOFs; `children`: what else does and moves less (empty where all are
    chosen); `links`: edges between joints, strongest first.
    """

    joint: str
    dofs: tuple[str, ...]
    parents: tuple[Named, ...]
    children: tuple[Named, ...]
    links: tuple[Link, ...]
    edges: tuple[Edge, ...]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "joint": self.joint or None,
            "dofs": list(self.dofs),
            "parents": [edge.as_dict() for edge in self.parents],
            "children": [edge.as_dict() for edge in self.children],
            "links": [link._asdict() for link in self.links],
        }


@one_blas_thread()
def explanation(model: VariationModel, joint: str = "") -> Explanation:
    """The edges of one joint (marker, dimension of a stroke, or a single DOF), or of the whole network."""
    network, edges = transition_network(model), transition_strengths(model)
    chosen = chosen_dofs(model, joint) if joint else tuple(range(len(model.dofs)))
    into = _strongest([_named(network, edge) for edge in edges if edge.child in chosen])
    out_of = [edge for edge in edges if edge.parent in chosen and edge.child not in chosen]
    links = joint_links(model.dofs, edges)
    if joint:
        names = {owner(model.dofs[k]) for k in chosen}
        links = [link for link in links if link.child in names or link.parent in names]
    dofs = tuple(model.dofs[k] for k in chosen)
    children = sorted([_named(network, edge) for edge in out_of], key=lambda edge: -_known(edge.strength))
    return Explanation(joint, dofs, tuple(into), tuple(children), tuple(links), edges)


def chosen_dofs(model: VariationModel, joint: str) -> tuple[int, ...]:
    """The DOFs of a joint by its name, or a DOF by its own; case does not matter."""
    wanted = joint.casefold()
    numbers = [k for k, dof in enumerate(model.dofs) if wanted in (dof.casefold(), owner(dof).casefold())]
    if numbers:
        return tuple(numbers)
    recipe = model.material.recipe
    names = () if recipe is None or recipe.skeleton is None else recipe.skeleton.names
    if wanted in [name.casefold() for name in names]:
        raise UsageError(f"{joint} has no DOFs in this model, because it does not move in the examples")
    joints = {owner(dof).casefold(): owner(dof) for dof in model.dofs}
    near = [joints[name] for name in get_close_matches(wanted, joints, n=4, cutoff=0.5)]
    listed = list(joints.values())
    choices = (
        f"did you mean {' or '.join(near)}?"
        if near
        else f"it has {', '.join(listed[:12])}{' ...' * (len(listed) > 12)}"
    )
    raise UsageError(f"there is no joint {joint!r} in this model; {choices}")


def _named(network: TransitionNetwork, edge: Edge) -> Named:
    """Return an edge by names, with the slices at which the parent is seen."""
    count = len(network.dofs)
    seen = sorted(node // count for node in network.edges[edge.child] if node % count == edge.parent)
    slices = tuple(f"t+{step}" if step else "t" for step in seen)
    return Named(network.dofs[edge.child], network.dofs[edge.parent], slices, edge.strength)


def _strongest(edges: Sequence[Named]) -> list[Named]:
    """By child in the model's order, own past first, then the strongest."""
    order = {name: k for k, name in enumerate(dict.fromkeys(edge.child for edge in edges))}
    return sorted(edges, key=lambda e: (order[e.child], not e.own, -_known(e.strength)))


def _known(strength: float) -> float:
    return strength if math.isfinite(strength) else 0.0
