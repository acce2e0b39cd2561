"""The neutral body: closed, light, symmetric, and where the joints of a skeleton are."""

from __future__ import annotations

import numpy as np
import pytest

import freshtake as ft
from freshtake.motion import Clip, Skeleton
from freshtake.motion.body.roles import leg_length
from freshtake.motion.edit import turned
from freshtake.reports.viewport.neutral_body import BONES, COARSE, FINE, body_field, body_mesh, fit_of, posed, turns_of
from freshtake.reports.viewport.packing import packed
from freshtake.reports.viewport.scene import Figure
from freshtake.reports.viewport.staging import scene_of, shape_of


def walk(seed: int = 1) -> Clip:
    return ft.samples.walk(np.random.default_rng(seed))


@pytest.mark.parametrize("step", [FINE, COARSE])
def test_the_surface_is_closed_and_faces_outwards(step: float) -> None:
    mesh = body_mesh(step)
    edges = np.concatenate([mesh.faces[:, [0, 1]], mesh.faces[:, [1, 2]], mesh.faces[:, [2, 0]]])
    _, counts = np.unique(np.sort(edges, axis=1), axis=0, return_counts=True)
    assert np.all(counts % 2 == 0), "every edge has a face on either side"
    a, b, c = (mesh.vertices[mesh.faces[:, k]].astype(np.float64) for k in range(3))
    volume = float((a * np.cross(b, c)).sum() / 6.0)
    assert 0.05 < volume < 0.09, "litres of a slim person, outwards"
    assert np.abs(body_field(mesh.vertices.astype(np.float64))).max() < step
    assert mesh.weights.sum(axis=1) == pytest.approx(1.0, abs=1e-5)
    crossing = (mesh.vertices[:, 0] > 0.02)[:, None] & np.isin(
        mesh.joints, [k for k, bone in enumerate(BONES) if bone.name.startswith("right")]
    )
    assert not (crossing & (mesh.weights > 0.0)).any(), "the left side does not follow the right arm or leg"


def test_it_takes_no_more_than_150_kilobytes() -> None:
    one, two = (packed(scene_of([("input", [walk()] * count)])) for count in (1, 2))
    motion = len(two.data) - len(one.data)
    assert motion < len(one.data) - motion < 150_000


def test_limbs_lie_along_the_bones_of_the_skeleton_in_every_frame() -> None:
    clip = turned(walk(), 0.7)
    fit = fit_of(clip)
    assert fit is not None
    turns, places, mesh = turns_of(clip, fit, 0.0), clip.positions(), body_mesh(COARSE)
    size = leg_length(clip.skeleton)
    names = {bone.name: k for k, bone in enumerate(BONES)}
    for frame in (0, len(clip) // 3):
        vertices = posed(mesh, fit.binds, places[frame, fit.joints], turns[frame])
        for above, below in (("left_upper_leg", "left_lower_leg"), ("right_lower_arm", "right_hand")):
            start, end = places[frame, fit.joints[names[above]]], places[frame, fit.joints[names[below]]]
            own = vertices[(mesh.joints[:, 0] == names[above]) & (mesh.weights[:, 0] > 0.9)]
            share = np.clip((own - start) @ (end - start) / ((end - start) @ (end - start)), 0.0, 1.0)
            away = np.linalg.norm(own - start - share[:, None] * (end - start), axis=1)
            assert len(own) > 5 and away.max() < 0.14 * size


def test_feet_are_on_the_floor_of_the_stage() -> None:
    figure = shape_of(walk(), "input")
    assert isinstance(figure, Figure) and figure.wear is not None and figure.turns is not None
    mesh, lowest = body_mesh(COARSE), []
    for frame in range(0, len(figure), 3):
        starts = figure.points[frame, figure.wear.joints].astype(np.float64)
        lowest.append(posed(mesh, figure.wear.binds.astype(np.float64), starts, figure.turns[frame])[:, 1].min())
    assert -0.04 < np.median(lowest) < 0.04


def test_a_body_on_four_legs_wears_nothing() -> None:
    clip = walk()
    names = tuple(f"b_{k:02d}" for k in range(len(clip.skeleton)))
    skeleton = Skeleton(names, clip.skeleton.parents, clip.skeleton.offsets[:, [0, 2, 1]], ())
    level = Clip(skeleton, clip.frame_time, clip.root, clip.rotations)
    assert fit_of(level) is None
    shown = shape_of(level, "input")
    assert isinstance(shown, Figure) and shown.wear is None
