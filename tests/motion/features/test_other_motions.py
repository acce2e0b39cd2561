"""Point clips, mesh sequences and strokes go there and back too."""

from __future__ import annotations

import json

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from freshtake.errors import InvalidMotion, UsageError
from freshtake.motion import MeshSequence, PointClip, Stroke, features
from freshtake.motion.features import Recipe
from freshtake.motion.features.stroke_features import middle
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import about_axis, rotate
from tests.motion.features.features_help import ROOTS, SCALES

SEEDS = st.integers(0, 2**32 - 1)


def wandering(rng: np.random.Generator, frames: int, points: int) -> Floats:
    base = rng.normal(size=(points, 3)) * 3
    return base + np.cumsum(rng.normal(size=(frames, points, 3)) * 0.05, axis=0) + rng.normal(size=3) * 10


def point_clip(rng: np.random.Generator, frames: int, points: int, up: str = "y") -> PointClip:
    return PointClip(tuple(f"m{k}" for k in range(points)), wandering(rng, frames, points), 0.01, up=up, name="p")


def mesh(rng: np.random.Generator, frames: int, count: int, normals: bool = True) -> MeshSequence:
    faces = rng.integers(0, count, (5, 3))
    shade: dict[str, npt.ArrayLike] = {"shade": rng.random((frames, count, 2)), "uv": rng.random((count, 2))}
    up = rng.normal(size=(frames, count, 3)) if normals else None
    return MeshSequence(wandering(rng, frames, count), faces, 0.02, up, shade, up="z", unit_m=0.5)  # type: ignore[arg-type]


@given(SEEDS, st.integers(1, 9), st.integers(1, 6), st.sampled_from(ROOTS), st.sampled_from(SCALES), st.booleans())
def test_points_there_and_back(seed: int, frames: int, points: int, root: str, scale: str, drop: bool) -> None:
    rng = np.random.default_rng(seed)
    clips = [point_clip(rng, frames + k, points, "yz"[seed % 2]) for k in range(2)]
    recipe = features.recipe(clips, root=root, scale=scale, drop_constant=drop)
    for clip in clips:
        back = features.decode(recipe, features.encode(recipe, clip, scaled=True))
        assert isinstance(back, PointClip)
        assert np.abs(back.positions - clip.positions).max() < 1e-9
        assert (back.names, back.frame_time, back.up) == (clip.names, clip.frame_time, clip.up)


@given(SEEDS, st.integers(2, 9), st.integers(2, 6), st.floats(-6, 6), st.floats(-9, 9))
def test_points_turned_and_moved_differ_only_in_the_start(
    seed: int, frames: int, points: int, angle: float, x: float
) -> None:
    rng = np.random.default_rng(seed)
    clip = point_clip(rng, frames, points, "yz"[seed % 2])
    recipe = features.recipe([clip], root="heading", drop_constant=False)
    vertical = np.array([0.0, 1.0, 0.0] if clip.up == "y" else [0.0, 0.0, 1.0])
    positions = rotate(about_axis(vertical, angle), clip.positions) + np.array([x, 0.0, 0.0])
    moved = PointClip(clip.names, positions, clip.frame_time, up=clip.up)
    before, after = features.encode(recipe, clip), features.encode(recipe, moved)
    np.testing.assert_allclose(after.values, before.values, atol=1e-6)


def test_point_names_and_gaps() -> None:
    rng = np.random.default_rng(1)
    clip = point_clip(rng, 5, 2)
    assert features.recipe([clip]).names == ("m0.x", "m0.y", "m0.z", "m1.x", "m1.y", "m1.z")
    assert features.recipe([clip], root="heading").names[:3] == ("body.forward", "body.sideways", "body.turn")
    torn = clip.positions.copy()
    torn[3, 1] = np.nan
    gap = PointClip(clip.names, torn, clip.frame_time, name="take")
    with pytest.raises(UsageError, match="'m1' of take is missing in frame 3: fill the gaps"):
        features.recipe([gap])
    with pytest.raises(UsageError, match="fill the gaps"):
        features.encode(features.recipe([clip]), gap)
    with pytest.raises(UsageError, match="different points"):
        features.recipe([clip, PointClip(("a", "b"), clip.positions, clip.frame_time)])
    with pytest.raises(UsageError, match="needs clips with a skeleton"):
        features.recipe([clip], angles="expmap")


def test_turning_points_turn() -> None:
    rng = np.random.default_rng(2)
    body = rng.normal(size=(6, 3))
    angle = np.linspace(0, 9.0, 80)
    positions = rotate(about_axis([0.0, 1.0, 0.0], angle)[:, None], body)
    recipe = features.recipe([PointClip(tuple("abcdef"), positions, 0.1)], root="heading", drop_constant=False)
    rows = features.encode(recipe, PointClip(tuple("abcdef"), positions, 0.1))
    np.testing.assert_allclose(rows.values[:, 2], 9.0 / 79 / 0.1, rtol=1e-9)
    np.testing.assert_allclose(rows.values[:, 3:] - rows.values[0, 3:], 0.0, atol=1e-9)


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("normals", [True, False])
def test_meshes_there_and_back(root: str, normals: bool) -> None:
    rng = np.random.default_rng(3)
    sequence = mesh(rng, 6, 7, normals)
    recipe = features.recipe([sequence], root=root)
    back = features.decode(recipe, features.encode(recipe, sequence))
    assert isinstance(back, MeshSequence)
    np.testing.assert_allclose(back.vertices, sequence.vertices, rtol=1e-6)
    np.testing.assert_array_equal(back.faces, sequence.faces)
    if normals:
        assert back.normals is not None
        assert sequence.normals is not None
        np.testing.assert_allclose(back.normals, sequence.normals, atol=1e-6)
    else:
        assert back.normals is None
    for name, value in sequence.attributes.items():
        np.testing.assert_array_equal(back.attributes[name], value)
    assert (back.frame_time, back.up, back.unit_m) == (sequence.frame_time, "z", 0.5)


def test_an_absolute_mesh_is_exact_to_the_last_bit_and_has_names() -> None:
    sequence = mesh(np.random.default_rng(4), 6, 7)
    recipe = features.recipe([sequence])
    assert recipe.names[:4] == ("v0.x", "v0.y", "v0.z", "v1.x")
    assert recipe.names[21] == "v0.nx"
    assert recipe.names[-1] == "v6.shade1"
    back = features.decode(recipe, features.encode(recipe, sequence))
    assert isinstance(back, MeshSequence)
    np.testing.assert_array_equal(back.vertices, sequence.vertices)


def test_meshes_that_do_not_fit_are_refused() -> None:
    rng = np.random.default_rng(5)
    recipe = features.recipe([mesh(rng, 4, 7)])
    with pytest.raises(UsageError, match="different vertices or faces"):
        features.encode(recipe, mesh(rng, 4, 8))
    sequence = mesh(np.random.default_rng(6), 4, 7)
    bare = MeshSequence(sequence.vertices, sequence.faces, 0.02, up="z")
    own = features.recipe([sequence])
    with pytest.raises(UsageError, match="no normals"):
        features.encode(own, bare)
    with pytest.raises(UsageError, match="'shade'"):
        features.encode(own, MeshSequence(sequence.vertices, sequence.faces, 0.02, sequence.normals, up="z"))
    with pytest.raises(UsageError, match="different vertices or faces"):
        features.recipe([sequence, mesh(rng, 4, 8)])


@given(SEEDS, st.integers(1, 9), st.integers(1, 4), st.booleans(), st.sampled_from(SCALES))
def test_strokes_there_and_back(seed: int, frames: int, width: int, even: bool, scale: str) -> None:
    rng = np.random.default_rng(seed)
    strokes = []
    for extra in range(3):
        count = frames + extra
        steps = np.full(count, 0.005) if even else rng.uniform(0.001, 0.02, count)
        strokes.append(Stroke(rng.normal(size=(count, width)), 3.0 + np.cumsum(steps)))
    recipe = features.recipe(strokes, scale=scale)
    assert ("dt" in recipe.names) == (not even)
    for stroke in strokes:
        back = features.decode(recipe, features.encode(recipe, stroke, scaled=True))
        assert isinstance(back, Stroke)
        assert np.abs(back.points - stroke.points).max() < 1e-9
        assert np.abs(back.times - stroke.times).max() < 1e-9
        assert back.dimensions == stroke.dimensions


def test_strokes_of_different_even_rates_get_time_as_a_dof() -> None:
    points = np.random.default_rng(7).normal(size=(5, 2))
    strokes = [Stroke(points, np.arange(5) * step) for step in (0.01, 0.02)]
    recipe = features.recipe(strokes)
    assert recipe.names == ("x", "y", "dt")
    only = features.recipe(strokes[:1])
    with pytest.raises(UsageError, match="resample_stroke"):
        features.encode(only, strokes[1])
    with pytest.raises(UsageError, match="no heading"):
        features.recipe(strokes, root="heading")
    with pytest.raises(UsageError, match="other dimensions"):
        features.recipe([strokes[0], Stroke(points, np.arange(5) * 0.01, ("u", "v"))])


def test_where_a_stroke_lies_is_no_part_of_its_shape() -> None:
    rng = np.random.default_rng(13)
    points, times = rng.normal(size=(20, 2)), np.arange(20) * 0.01
    moved = [Stroke(points + shift, times) for shift in ([0.0, 0.0], [500.0, -3.0], [-20.0, 9.0])]
    recipe = features.recipe(moved)
    rows = [features.encode(recipe, stroke) for stroke in moved]
    np.testing.assert_allclose(rows[1].values, rows[0].values, atol=1e-9)
    new = features.decode(recipe, rows[1].values)
    assert isinstance(new, Stroke)
    np.testing.assert_allclose(new.points, points + np.array([160.0, 2.0]), atol=1e-9)  # where they lie on average
    for stroke, own in zip(moved, rows, strict=True):
        back = features.decode(recipe, own)
        assert isinstance(back, Stroke)
        np.testing.assert_allclose(back.points, stroke.points, atol=1e-9)
        place = features.where_it_ends(recipe, own.values[:4], start=own.start)
        rest = features.decode(recipe, own.values[4:], start=place, resume=True)
        assert isinstance(rest, Stroke)
        np.testing.assert_allclose(rest.points, stroke.points[4:], atol=1e-9)
    there = features.encode(features.recipe(moved, root="absolute"), moved[1])
    np.testing.assert_array_equal(there.values, moved[1].points)


def test_resting_does_not_move_the_middle_and_pressure_has_none() -> None:
    path = np.stack([np.linspace(0.0, 1.0, 11), np.zeros(11), np.linspace(0.2, 0.9, 11)], axis=1)
    rested = np.concatenate([np.repeat(path[:1], 30, axis=0), path])
    names = ("x", "y", "pressure")
    strokes = [Stroke(rows, np.arange(len(rows)) * 0.01, names) for rows in (path, rested)]
    for stroke in strokes:
        np.testing.assert_allclose(middle(stroke), [0.5, 0.0, 0.0], atol=1e-12)
    assert middle(Stroke(path[:1, :2], [0.0])).tolist() == [0.0, 0.0]


def test_synthesized_time_never_runs_backwards() -> None:
    rng = np.random.default_rng(8)
    stroke = Stroke(rng.normal(size=(5, 2)), np.cumsum(rng.uniform(0.01, 0.02, 5)))
    recipe = features.recipe([stroke])
    back = features.decode(recipe, rng.normal(size=(9, 3)))
    assert isinstance(back, Stroke)
    assert len(back) == 9


def test_a_stroke_resumes_in_time() -> None:
    rng = np.random.default_rng(9)
    for steps in (np.full(9, 0.01), rng.uniform(0.01, 0.02, 9)):
        stroke = Stroke(rng.normal(size=(9, 2)), np.cumsum(steps))
        recipe = features.recipe([stroke])
        rows = features.encode(recipe, stroke)
        place = features.where_it_ends(recipe, rows.values[:4], start=rows.start)
        rest = features.decode(recipe, rows.values[4:], start=place, resume=True)
        assert isinstance(rest, Stroke)
        np.testing.assert_allclose(rest.times, stroke.times[4:], atol=1e-12)


def test_all_kinds_survive_their_parts() -> None:
    rng = np.random.default_rng(10)
    stroke = Stroke(rng.normal(size=(5, 2)), np.cumsum(rng.uniform(0.01, 0.02, 5)))
    for motion in (point_clip(rng, 5, 3), mesh(rng, 5, 6), stroke):
        for root in ROOTS:
            if root == "heading" and motion is stroke:
                continue
            recipe = features.recipe([motion], root=root)
            header, arrays = recipe.to_parts()
            stored = Recipe.from_parts(json.loads(json.dumps(header)), arrays)
            rows = features.encode(recipe, motion)
            np.testing.assert_array_equal(features.encode(stored, motion).values, rows.values)
            assert type(features.decode(stored, rows.values)) is type(motion)
            for name in arrays:
                if "constant" not in name:
                    with pytest.raises(InvalidMotion):
                        Recipe.from_parts(header, {**arrays, name: np.zeros((2, 7))})


def test_a_stored_mesh_cannot_claim_more_than_its_arrays_hold() -> None:
    header, arrays = features.recipe([mesh(np.random.default_rng(11), 5, 6)]).to_parts()
    for count in (0, -1, 10**9, 10**30):
        with pytest.raises(InvalidMotion):
            Recipe.from_parts({**header, "layout": {**header["layout"], "vertex_count": count}}, arrays)


def test_effects_of_points_and_strokes() -> None:
    rng = np.random.default_rng(12)
    clip = point_clip(rng, 9, 4)
    np.testing.assert_allclose(features.recipe([clip]).weights, 0.5)
    times = np.cumsum(rng.uniform(0.01, 0.02, 30))
    stroke = Stroke(np.stack([3.0 * times, 4.0 * times], axis=1), times)
    way = 5.0 * np.sqrt(np.mean(np.diff(times) ** 2))
    np.testing.assert_allclose(features.recipe([stroke]).weights, [1.0, 1.0, way])
