"""Explain what varies together with a joint: a model's edges with strengths, and the page of `freshtake explain`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from html import escape
from typing import Any, NamedTuple

from freshtake.errors import UsageError
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.reports.network_pictures import Link, joint_links, owner
from freshtake.reports.page import gallery, table, whole_page
from freshtake.reports.plots import Picture
from freshtake.reports.wording import link_sentences
from freshtake.variation.model import VariationModel
from freshtake.variation.network import Edge, transition_network, transition_strengths
from freshtake.variation.paper.networks import TransitionNetwork

MOST_ROWS = 60
ABOUT = (
    "Joints deviate together because whole takes differ together. A strength tells how much knowing one DOF narrows "
    "the other, in nats; next to it is the increase in error without it. A DOF's own past is always kept."
)
HEAD = ("strength", "spread without")


def explain_page(
    explanation: Explanation, facts: Mapping[str, Any], pictures: Sequence[Picture], title: str,
    notes: Sequence[str] = (),
) -> str:  # fmt: skip
    """Return the page of a model, or of one of its joints; `notes` are sentences about a clip."""
    sentences = link_sentences(explanation.links)
    share = round(100.0 * facts["whole_takes_share"])
    summary = (
        f"{facts['method']}; {facts['examples']} {facts['motion']} examples at {facts['fps']:g} fps, {facts['dofs']} "
        f"DOFs; {share} % of the variants' deviation comes from combinations of whole takes, the rest from how a "
        "population of performers varies such movements."
    )
    body = [
        f"<h1>{escape(title)}</h1>",
        f"<p class='verdict good'>{escape(' '.join(sentences))}</p>" if sentences else "",
        f"<p>{escape(summary)}</p><p class=dim>{ABOUT}</p>",
        "".join(f"<p>{escape(note)}</p>" for note in notes),
        gallery(pictures),
        *_tables(explanation),
    ]
    return whole_page(title, body)


def _tables(explanation: Explanation) -> list[str]:
    if not explanation.joint:
        rows = [[a, b, f"{strength:.3f}"] for a, b, strength in explanation.links[:MOST_ROWS]]
        heading = f"Strongest edges between joints ({len(rows)} of {len(explanation.links)})"
        return [_table(heading, ["from", "to", "summed strength"], rows)]
    name = explanation.joint
    return [
        _table(f"What varies together with {name}", ["DOF", "varies with", "at", *HEAD], _rows(explanation.parents)),
        _table(f"What moves less and varies with {name}", ["DOF", "with", "at", *HEAD], _rows(explanation.children)),
    ]


def _rows(edges: Sequence[Named]) -> list[list[str]]:
    return [[e.child, e.parent, ", ".join(e.slices), strength_text(e), error_text(e)] for e in edges[:MOST_ROWS]]


def strength_text(edge: Named) -> str:
    """Return a strength with three decimals, or why it is missing."""
    return "own past" if edge.own else f"{edge.strength:.3f}" if math.isfinite(edge.strength) else "not measured"


def error_text(edge: Named) -> str:
    """Return the increase of the held-out error without the parent, in percent."""
    return f"{100.0 * math.expm1(edge.strength):+.0f} %" if math.isfinite(edge.strength) and not edge.own else ""


def _table(heading: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return f"<h2>{escape(heading)}</h2>{table(head, rows)}" if rows else ""


class Named(NamedTuple):
    """An edge by name, with the time slices of the parent; `strength` is NaN for a node's own past."""

    child: str
    parent: str
    slices: tuple[str, ...]
    strength: float

    @property
    def own(self) -> bool:
        """Whether the edge predicts a DOF from its own past; such edges are always kept."""
        return self.child == self.parent

    def as_dict(self) -> dict[str, Any]:
        """Return the edge as values for JSON; strengths that were not measured are null."""
        strength = self.strength if math.isfinite(self.strength) else None
        return {**self._asdict(), "slices": list(self.slices), "strength": strength, "own": self.own}


@dataclass(frozen=True)
class Explanation:
    """Edges of the network by name: all edges, or only edges of the chosen DOFs.

    `parents` are edges into the chosen DOFs, `children` edges from these into other DOFs, `links` edges between joints,
    strongest first.
    """

    joint: str
    dofs: tuple[str, ...]
    parents: tuple[Named, ...]
    children: tuple[Named, ...]
    links: tuple[Link, ...]
    edges: tuple[Edge, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the explanation as values for JSON."""
        return {
            "joint": self.joint or None,
            "dofs": list(self.dofs),
            "parents": [edge.as_dict() for edge in self.parents],
            "children": [edge.as_dict() for edge in self.children],
            "links": [link._asdict() for link in self.links],
        }


@one_blas_thread()
def explanation(model: VariationModel, joint: str = "") -> Explanation:
    """Return the edges of one joint (marker, dimension of a stroke, or a single DOF), or of the whole network."""
    network, edges = transition_network(model), transition_strengths(model)
    chosen = chosen_dofs(model, joint) if joint else tuple(range(len(model.dofs)))
    into = [_named(network, edge) for edge in edges if edge.child in chosen]
    out_of = [_named(network, edge) for edge in edges if edge.parent in chosen and edge.child not in chosen]
    links = joint_links(model.dofs, edges)
    if joint:
        names = {owner(model.dofs[k]) for k in chosen}
        links = [link for link in links if link.child in names or link.parent in names]
    dofs = tuple(model.dofs[k] for k in chosen)
    # Sorted by child in the model's order, then its own past first, then by strength.
    order = {name: k for k, name in enumerate(dict.fromkeys(edge.child for edge in into))}
    parents = sorted(into, key=lambda edge: (order[edge.child], not edge.own, -_known(edge.strength)))
    children = sorted(out_of, key=lambda edge: -_known(edge.strength))
    return Explanation(joint, dofs, tuple(parents), tuple(children), tuple(links), edges)


def chosen_dofs(model: VariationModel, joint: str) -> tuple[int, ...]:
    """Return the DOFs of a joint, or a single DOF, by name in any case."""
    folded = joint.casefold()
    numbers = [k for k, dof in enumerate(model.dofs) if folded in (dof.casefold(), owner(dof).casefold())]
    if numbers:
        return tuple(numbers)
    recipe = model.material.recipe
    names = () if recipe is None or recipe.skeleton is None else recipe.skeleton.names
    if folded in [name.casefold() for name in names]:
        raise UsageError(f"{joint} has no DOFs in this model, because it does not move in the examples")
    joints = {owner(dof).casefold(): owner(dof) for dof in model.dofs}
    near = [joints[name] for name in get_close_matches(folded, joints, n=4, cutoff=0.5)]
    choices = f"it has {', '.join(list(joints.values())[:12])}{' ...' * (len(joints) > 12)}"
    if near:
        choices = f"did you mean {' or '.join(near)}?"
    raise UsageError(f"there is no joint {joint!r} in this model; {choices}")


def _named(network: TransitionNetwork, edge: Edge) -> Named:
    """Return an edge by name, with the slices at which the parent is observed."""
    count = len(network.dofs)
    seen = sorted(node // count for node in network.edges[edge.child] if node % count == edge.parent)
    slices = tuple(f"t+{step}" if step else "t" for step in seen)
    return Named(network.dofs[edge.child], network.dofs[edge.parent], slices, edge.strength)


def _known(strength: float) -> float:
    return strength if math.isfinite(strength) else 0.0
