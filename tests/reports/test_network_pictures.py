"""Pictures of networks: every edge is drawn, small networks by slices, large ones by parts of the body."""

from __future__ import annotations

import struct
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from matplotlib.patches import FancyArrowPatch

import freshtake as ft
from freshtake.errors import UsageError
from freshtake.reports.explanation import explain_page, explanation
from freshtake.reports.network_pictures import (
    Link,
    body_figure,
    example_clip,
    front_view,
    joint_links,
    joint_pictures,
    matrix_figure,
    network_pictures,
    slices_figure,
)
from freshtake.reports.plots import Picture
from freshtake.variation import VariationModel, learn
from freshtake.variation.network import Edge, transition_network, transition_strengths
from freshtake.workflows import model_facts


@cache
def letters() -> VariationModel:
    return learn([ft.samples.letter_a(np.random.default_rng(k)) for k in range(4)])


@cache
def walks() -> VariationModel:
    return learn([ft.samples.walk(np.random.default_rng(k)) for k in range(3)], cyclic=True, pieces="whole")


def size(picture: Picture) -> tuple[int, int]:
    assert picture.png.startswith(b"\x89PNG")
    return struct.unpack(">II", picture.png[16:24])


def test_small_networks_show_every_edge() -> None:
    model = letters()
    edges = transition_strengths(model, nodes=True)
    axis = slices_figure(transition_network(model), edges).axes[0]
    assert sum(isinstance(patch, FancyArrowPatch) for patch in axis.patches) == len(edges)
    assert [text.get_text() for text in axis.texts].count("x") == 3
    assert [picture.name for picture in network_pictures(model)] == ["network_transition"]
    assert all(min(size(picture)) > 150 for picture in network_pictures(model))


def test_arrows_lead_from_parents_to_the_next_frame() -> None:
    model = letters()
    axis = slices_figure(transition_network(model), [Edge(1, 2, 0.5)]).axes[0]  # x[t+1] -> y[t+2]
    (arrow,) = [patch for patch in axis.patches if isinstance(patch, FancyArrowPatch)]
    nodes = {(round(p.center[0], 3), round(p.center[1], 3)) for p in axis.patches if hasattr(p, "center")}
    start, end = arrow._posA_posB  # type: ignore[attr-defined]
    columns = sorted({x for x, _ in nodes})
    assert start == (columns[1], 0.0)
    assert end == (columns[2], -1.0)


def test_large_networks_are_drawn_by_parts_and_on_the_body() -> None:
    model = walks()
    names = [picture.name for picture in network_pictures(model)]
    assert names == ["network_transition", "network_body"]
    skeleton = example_clip(model).skeleton  # type: ignore[union-attr]
    dofs = model.dofs
    axis = matrix_figure(dofs, skeleton, transition_strengths(model)).axes[0]
    assert "left\nleg" in [label.get_text() for label in axis.child_axes[0].get_xticklabels()]
    own, others = (np.asarray(image.get_array().filled(np.nan)) for image in axis.images)
    assert np.isfinite(own).sum() == len(dofs)
    pairs = {(child, p % len(dofs)) for child, ps in enumerate(transition_network(model).edges) for p in ps}
    assert np.isfinite(others).sum() == len(pairs) - len(dofs)


def test_the_strongest_links_are_arrows_on_the_body() -> None:
    model = walks()
    body = example_clip(model)
    assert body is not None
    links = joint_links(model.dofs, transition_strengths(model))
    assert [link.strength for link in links] == sorted((link.strength for link in links), reverse=True)
    assert all(link.parent != link.child for link in links)

    def arrows(chosen: list[Link], **more: object) -> int:
        axis = body_figure(body, chosen, **more).axes[0]  # type: ignore[arg-type]
        return sum(isinstance(patch, FancyArrowPatch) for patch in axis.patches)

    places = dict(zip(body.skeleton.names, front_view(body), strict=True))
    links = [link for link in links if link.parent in places and link.child in places]  # travel and tempo are nowhere
    apart = [link for link in links if not np.allclose(places[link.parent], places[link.child])]
    assert arrows(apart, most=7) == 7
    legs = [link for link in apart if "LeftLeg" in (link.parent, link.child)]
    assert arrows(apart, marked={"LeftLeg"}, most=1000) == len(legs)


def test_links_sum_the_measured_strengths() -> None:
    nan = float("nan")
    edges = [Edge(0, 2, 0.25), Edge(1, 2, 0.5), Edge(0, 1, 9.0), Edge(2, 0, nan), Edge(0, 0, nan)]
    assert joint_links(("Hip.x", "Hip.y", "Knee.x"), edges) == [Link("Knee", "Hip", 0.75), Link("Hip", "Knee", 0.0)]


def test_an_explanation_names_the_edges_of_a_joint() -> None:
    model = walks()
    found = explanation(model, "leftleg")
    assert found.dofs == tuple(dof for dof in model.dofs if dof.startswith("LeftLeg."))
    for dof in found.dofs:
        listed = {(edge.parent, s) for edge in found.parents if edge.child == dof for s in edge.slices}
        assert {f"{parent}[{s}]" for parent, s in listed} == set(transition_network(model).parents(dof))
    assert all(edge.child not in found.dofs and edge.parent in found.dofs for edge in found.children)
    assert explanation(model, "LeftLeg.x").dofs == ("LeftLeg.x",)
    assert len(explanation(model).parents) == len(found.edges)


def test_unknown_joints_are_refused_with_near_names() -> None:
    with pytest.raises(UsageError, match="no joint 'LeftLge' in this model; did you mean LeftLeg"):
        explanation(walks(), "LeftLge")
    with pytest.raises(UsageError, match="LHipJoint has no DOFs in this model, because it does not move"):
        explanation(walks(), "LHipJoint")
    with pytest.raises(UsageError, match="no joint 'qqq' in this model; it has x, y"):
        explanation(letters(), "qqq")


@pytest.mark.parametrize("joint", ["", "x"])
def test_a_page_of_letters(joint: str) -> None:
    model = letters()
    found = explanation(model, joint)
    drawn = joint_pictures(model, found) if joint else network_pictures(model)
    html = explain_page(found, model_facts(model), drawn, "letters <&>")
    assert "letters &lt;&amp;&gt;" in html and "<script" not in html
    assert html.count("<img") == 1
    assert (">own past<" in html) == bool(joint)


def test_models_of_plain_rows_and_of_one_example_are_drawn_too() -> None:
    rng = np.random.default_rng(0)
    u = np.linspace(0.0, 6.0, 30)[:, None]
    rows = [np.sin(u + np.arange(14) * 0.4 + 0.1 * rng.normal(size=14)) for _ in range(3)]
    names = [f"p{k // 2}.{'xy'[k % 2]}" for k in range(14)]
    plain = learn(rows, names=names, frame_time=0.02)
    drawn = ["network_transition"]
    assert [p.name for p in network_pictures(plain)] == drawn
    assert len(joint_pictures(plain, explanation(plain, "p3"))) == 1
    alone = replace(plain).with_examples(rows[:1])
    assert len(network_pictures(alone)) == len(drawn)
    assert all(not np.isfinite(edge.strength) for edge in explanation(alone, "p3").parents)
