"""Motions as scenes, packed for the page and painted: by law, for every kind of motion, in any unit."""

from __future__ import annotations

import re

import numpy as np
import pytest

from freshtake import samples
from freshtake.errors import UsageError
from freshtake.motion import Clip, MeshSequence, PointClip
from freshtake.motion.edit import scaled, turned, with_up
from freshtake.motion.kinds import joint_points
from freshtake.reports.viewport.arranging import ORBIT, Box, arranged, eye_on, placed_points
from freshtake.reports.viewport.moving_picture import moments
from freshtake.reports.viewport.packing import UNSEEN, packed
from freshtake.reports.viewport.painting import strip_picture
from freshtake.reports.viewport.scene import LEG, Figure, Line, Scene, Surface
from freshtake.reports.viewport.staging import scene_of, shape_of, standing
from freshtake.reports.viewport.viewport_page import MODULES, viewport_page, web_file


@pytest.fixture(scope="module")
def walk() -> Clip:
    return samples.walk(np.random.default_rng(1))


def figure(clip: Clip) -> Figure:
    shape = shape_of(clip)
    assert isinstance(shape, Figure)
    return shape


def tetrahedron() -> MeshSequence:
    corner = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=np.float32)
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], dtype=np.int32)
    return MeshSequence(np.stack([corner, corner + np.array([3, 0, 0])]).astype(np.float32), faces, 0.5, name="solid")


def test_the_body_decides_the_scale_not_the_unit(walk: Clip) -> None:
    one, other = figure(walk), figure(scaled(walk.changed(unit_m=None), 17.0))
    np.testing.assert_allclose(one.points, other.points, atol=1e-4)
    assert 0.8 < one.points[..., 1].max() / (2.0 * LEG) < 1.2
    assert -0.02 < np.percentile(one.points[..., 1].min(axis=1), 50) < 0.08


def test_heading_place_and_vertical_axis_do_not_matter(walk: Clip) -> None:
    away = turned(with_up(walk, "z"), 1.1)
    away = away.changed(root=away.root + np.array([300.0, -40.0, 0.0]))
    np.testing.assert_allclose(figure(away).points, figure(walk).points, atol=1e-4)


def test_bodies_in_known_units_keep_their_sizes_to_one_another(walk: Clip) -> None:
    small = scaled(walk, 0.5)
    scene = scene_of([("input", [walk.changed(unit_m=0.01), walk.changed(unit_m=0.01), small.changed(unit_m=0.01)])])
    heights = [shape.points[..., 1].max() for shape in scene.shapes]
    assert heights[2] / heights[0] == pytest.approx(0.5, abs=0.03)
    thick = [shape.body.radii.sum() for shape in scene.shapes if isinstance(shape, Figure)]
    assert thick[2] / thick[0] == pytest.approx(0.5, abs=0.01)
    giant = scene_of([("input", [walk.changed(unit_m=0.01), walk.changed(unit_m=1.0)])])
    assert giant.shapes[0].points.max() == pytest.approx(giant.shapes[1].points.max())


def test_feet_stand_in_a_walk_and_slide_when_it_is_dragged(walk: Clip) -> None:
    firm = standing(walk)
    assert set(np.unique(firm)) <= {0, 1, 2} and (firm == 1).mean() > 0.3 and (firm == 2).mean() < 0.05
    drift = np.linspace(0.0, 0.6 * walk.duration, len(walk))[:, None] * figure_leg(walk) * np.array([1.0, 0.0, 0.0])
    assert (standing(walk.changed(root=walk.root + drift)) == 2).sum() > 5 * (firm == 2).sum() + 5


def figure_leg(clip: Clip) -> float:
    from freshtake.motion.body.roles import leg_length

    return leg_length(clip.skeleton)


def test_bones_reach_every_hand_and_foot_and_have_volume(walk: Clip) -> None:
    body = figure(walk).body
    assert set(body.tips) <= set(body.bones.ravel().tolist())
    assert (body.radii > 0.005).all() and body.radii.max() < 0.2
    assert body.bones.max() < len(walk.skeleton) + len(walk.skeleton.end_sites)


def test_markers_with_gaps_are_hidden_where_they_were_not_seen(walk: Clip) -> None:
    points = joint_points(walk)
    holes = points.positions.copy()
    holes[3:9, 4] = np.nan
    told = packed(scene_of([("input", [PointClip(points.names, holes, points.frame_time)])]))
    shape = told.manifest["shapes"][0]
    whole = np.frombuffer(told.data, "<i2", shape["frames"] * shape["count"] * 3, shape["points"])
    unseen = (whole.reshape(-1, shape["count"], 3) == UNSEEN).all(axis=-1)
    assert shape["gaps"] and unseen.sum() == 6 and unseen[3:9, 4].all()


def test_markers_that_are_all_lost_at_the_ends_are_painted_where_they_are_seen(walk: Clip) -> None:
    points = joint_points(walk)
    holes = points.positions.copy()
    holes[:9], holes[-9:], holes[20, 1:] = np.nan, np.nan, np.nan
    lost = scene_of([("input", [PointClip(points.names, holes, points.frame_time)])])
    columns = np.split(np.asarray(strip_picture(lost, phases=3, width=600))[30:], 3, axis=1)  # below the name
    assert all(len(np.unique(column.reshape(-1, 3), axis=0)) > 20 for column in columns)
    assert np.isfinite(placed_points(lost.shapes[0], 19.0, True)).all()


def test_nothing_to_show_is_refused(walk: Clip) -> None:
    empty = PointClip(("a",), np.full((3, 1, 3), np.nan), 0.1, name="lost")
    with pytest.raises(UsageError, match="lost has no point in any frame"):
        scene_of([("input", [empty])])
    with pytest.raises(UsageError, match="no motions to show"):
        scene_of([("input", [])])


def every_kind(walk: Clip) -> Scene:
    letter = samples.letter_a(np.random.default_rng(0))
    return scene_of([("input", [walk, joint_points(walk)]), ("variant", [letter, tetrahedron()])], layout="grid")


def test_every_kind_is_packed_on_bounds_that_arrays_can_begin_at(walk: Clip) -> None:
    told = packed(every_kind(walk))
    assert [shape["kind"] for shape in told.manifest["shapes"]] == ["figure", "figure", "line", "surface"]
    offsets = [v for shape in told.manifest["shapes"] for k, v in shape.items() if k in ("ground", "points", "faces")]
    assert all(offset % 4 == 0 for offset in offsets) and len(told.data) % 4 == 0


def test_every_kind_is_painted(walk: Clip) -> None:
    strip = np.asarray(strip_picture(every_kind(walk), phases=3, width=400))
    rows = np.split(strip, 4)
    assert all(len(np.unique(row.reshape(-1, 3), axis=0)) > 20 for row in rows)
    first, *_, last = moments(every_kind(walk), (240, 160))
    assert (np.abs(np.asarray(first, dtype=int) - np.asarray(last)).max(axis=-1) > 40).sum() > 100


def test_a_grid_begins_a_row_where_the_role_changes_and_nobody_stands_in_another(walk: Clip) -> None:
    scene = scene_of([("input", [walk] * 3), ("variant", [walk] * 8)], layout="grid")
    places = {tuple(np.round(shift[[0, 2]], 3)) for shift in arranged(scene)[0]}
    assert len(places) == 11
    depths = [shift[2] for shift in arranged(scene)[0]]
    assert len(set(depths[:3])) == 1 and depths[3] < depths[0]


def test_the_camera_sees_the_whole_box_and_fills_the_picture_with_it() -> None:
    box = Box(np.array([-3.0, 0.0, -1.0]), np.array([2.0, 1.8, 9.0]))
    pixels, _ = eye_on(box, ORBIT, (600, 300)).seen(box.corners())
    low, high = pixels.min(axis=0), pixels.max(axis=0)
    assert (low > 0).all() and (high < [600, 300]).all()
    assert max((high - low) / [600, 300]) == pytest.approx(0.92, abs=0.02)


def test_modules_import_only_what_stands_before_them() -> None:
    before: set[str] = set()
    for name in MODULES:
        wanted = set(re.findall(r'^(?!//).*from\s*"\./([\w.]+)"', web_file(name), re.MULTILINE))
        assert wanted <= before, name
        before.add(name.rpartition("/")[2])


def test_a_page_is_complete_and_names_cannot_break_out_of_it(walk: Clip) -> None:
    evil = walk.changed(name="</script><script>alert(1)</script><!--")
    page = viewport_page(scene_of([("input", [evil])], title="<b>&"))
    assert "alert(1)</script>" not in page and "<title>&lt;b&gt;&amp;</title>" in page
    assert not re.search(r"(src|href)\s*=|@import|url\(", page)
    assert len(page) < 600_000


def test_shapes_know_their_length(walk: Clip) -> None:
    scene = every_kind(walk)
    assert isinstance(scene.shapes[2], Line) and isinstance(scene.shapes[3], Surface)
    assert scene.duration == pytest.approx(max((len(s) - 1) * s.frame_time for s in scene.shapes))


def test_only_variants_that_slide_more_than_their_takes_are_marked() -> None:
    walk = samples.walk(np.random.default_rng(3))
    drift = np.linspace(0.0, 60.0, len(walk))[:, None] * np.array([1.0, 0.0, 0.0])
    sliding = walk.changed(root=walk.root + drift)

    def red(*sets: tuple[str, list[Clip]]) -> list[bool]:
        return [bool((shape.standing == 2).any()) for shape in scene_of(sets).shapes if isinstance(shape, Figure)]

    assert red(("input", [walk]), ("variant", [walk, sliding])) == [False, False, True]
    assert red(("input", [sliding]), ("variant", [sliding])) == [False, False], "as the take does"
    assert red(("input", [sliding])) == [True], "alone, a take shows what it does"
