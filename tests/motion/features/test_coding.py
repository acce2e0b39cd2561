"""decode(encode(clip)) is the clip, for every option and any skeleton; and the other promises of a recipe."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from freshtake.errors import FreshtakeError, InvalidMotion, SkeletonMismatch, UsageError
from freshtake.motion import Clip, Skeleton, Stroke, features
from freshtake.motion.edit import resample, with_up
from freshtake.motion.features import Recipe
from freshtake.numeric.rotations import angle_between
from tests.motion.features.features_help import ANGLES, OPTIONS, ROOTS, SCALES, again, apart, clip_from
from tests.motion.random_motion import clip_groups, humanoid, random_clip, random_skeleton


@given(
    clip_groups(),
    st.sampled_from(ANGLES),
    st.sampled_from(ROOTS),
    st.sampled_from(SCALES),
    st.booleans(),
    st.booleans(),
)
def test_decode_inverts_encode(clips: list[Clip], angles: str, root: str, scale: str, drop: bool, scaled: bool) -> None:
    recipe = features.recipe(clips, angles=angles, root=root, scale=scale, drop_constant=drop)
    for clip in clips:
        back = again(recipe, clip, scaled=scaled)
        assert apart(back, clip) < 1e-9
        assert angle_between(back.rotations, clip.rotations).max() < 1e-9
        assert np.abs(back.local_translations() - clip.local_translations()).max() < 1e-9
        assert (back.skeleton, back.frame_time, back.up, back.name) == (
            clip.skeleton, clip.frame_time, clip.up, clip.name,
        )  # fmt: skip


@given(clip_groups(), st.sampled_from(ANGLES), st.sampled_from(ROOTS))
def test_names_units_and_weights_run_parallel(clips: list[Clip], angles: str, root: str) -> None:
    recipe = features.recipe(clips, angles=angles, root=root, drop_constant=False)
    rows = features.encode(recipe, clips[0])
    assert rows.values.shape == (len(clips[0]), len(recipe.names))
    assert len(rows.names) == len(recipe.units) == len(recipe.weights) == len(recipe.center)
    assert len(set(rows.names)) == len(rows.names)
    assert (recipe.weights > 0).all()


@pytest.mark.parametrize(("angles", "root"), OPTIONS)
def test_recipe_survives_its_parts(angles: str, root: str) -> None:
    rng = np.random.default_rng(5)
    skeleton = random_skeleton(rng, 7, axes=True, partial=True)
    limits = tuple(tuple(None if k % 2 else (-1.0, 2.0) for k in range(len(c))) for c in skeleton.channels)
    skeleton = Skeleton(
        skeleton.names, skeleton.parents, skeleton.offsets, skeleton.end_sites, skeleton.channels, skeleton.orders,
        skeleton.axes, limits,
    )  # fmt: skip
    clip = random_clip(rng, skeleton, 9, up="z", moving=True)
    recipe = features.recipe([clip], angles=angles, root=root)
    header, arrays = recipe.to_parts()
    stored = Recipe.from_parts(json.loads(json.dumps(header, allow_nan=False)), arrays)
    assert stored.names == recipe.names
    assert stored.skeleton == skeleton
    rows = features.encode(recipe, clip, scaled=True)
    np.testing.assert_array_equal(features.encode(stored, clip, scaled=True).values, rows.values)
    np.testing.assert_array_equal(again(stored, clip).positions(), again(recipe, clip).positions())


@pytest.mark.parametrize("broken", ["recipe", "kind", "scale", "layout"])
def test_broken_headers_are_refused(broken: str) -> None:
    recipe = features.recipe([random_clip(np.random.default_rng(1), humanoid(), 4)])
    header, arrays = recipe.to_parts()
    with pytest.raises(InvalidMotion, match=broken):
        Recipe.from_parts({k: v for k, v in header.items() if k != broken}, arrays)
    with pytest.raises(InvalidMotion):
        Recipe.from_parts({**header, broken: "rubbish"}, arrays)


def test_every_part_of_a_stored_recipe_is_checked() -> None:
    recipe = features.recipe([random_clip(np.random.default_rng(1), humanoid(), 4)], angles="expmap")
    header, arrays = recipe.to_parts()
    for name in arrays:
        with pytest.raises(InvalidMotion):
            Recipe.from_parts(header, {k: v for k, v in arrays.items() if k != name})
        with pytest.raises(InvalidMotion):
            Recipe.from_parts(header, {**arrays, name: np.zeros((2, 7))})
    for name in header["layout"]:
        with pytest.raises(InvalidMotion):
            Recipe.from_parts({**header, "layout": {**header["layout"], name: {"no": "value"}}}, arrays)


def test_a_root_carried_by_its_feet_is_a_thing_of_the_past() -> None:
    clip = random_clip(np.random.default_rng(1), humanoid(), 4)
    header, arrays = features.recipe([clip]).to_parts()
    with pytest.raises(InvalidMotion, match="'root' of a stored recipe is 'support', not one of absolute, heading"):
        Recipe.from_parts({**header, "layout": {**header["layout"], "root": "support"}}, arrays)
    with pytest.raises(UsageError, match="root must be one of absolute, heading, but is 'support'"):
        features.recipe([clip], root="support")


def test_constant_dofs_are_left_out_and_come_back() -> None:
    rng = np.random.default_rng(6)
    clip = random_clip(rng, humanoid(), 10)
    rotations = clip.rotations.copy()
    rotations[:, 3] = rotations[0, 3]
    clip = clip.changed(rotations=rotations)
    recipe = features.recipe([clip])
    assert not any(name.startswith("LeftArm.") for name in recipe.names)
    assert apart(again(recipe, clip), clip) < 1e-12
    whole = features.recipe([clip], drop_constant=False)
    assert [name for name in whole.names if name.startswith("LeftArm.")] == ["LeftArm.z", "LeftArm.y", "LeftArm.x"]
    other = random_clip(rng, humanoid(), 10, name="other")
    with pytest.raises(UsageError, match=r"LeftArm\.[xyz] is .* in all examples, but .* of other"):
        features.encode(recipe, other)
    rows = features.encode(recipe, other, strict=False)
    np.testing.assert_allclose(clip_from(rows.values, recipe).rotations[:, 3], clip.rotations[:, 3], atol=1e-12)


def test_what_moves_by_a_hair_is_no_constant() -> None:
    """Leaving out a DOF that moves by 1e-8 would break the promise of 1e-9."""
    clip = random_clip(np.random.default_rng(22), humanoid(), 6, move="still")
    hair = clip.changed(root=clip.root[:1] + np.linspace(0, 1e-8, 6)[:, None])
    recipe = features.recipe([hair], root="absolute")
    assert recipe.names == ("Hips.tx", "Hips.ty", "Hips.tz")
    assert apart(again(recipe, hair), hair) < 1e-12


def test_constant_in_each_clip_but_not_over_all_is_a_dof() -> None:
    rng = np.random.default_rng(7)
    clips = [random_clip(rng, humanoid(), 5, move="still") for _ in range(2)]
    assert "LeftArm.x" in features.recipe(clips).names


@given(clip_groups(5), st.sampled_from(ANGLES), st.sampled_from(ROOTS), st.integers(0, 2**32 - 1))
def test_any_rows_decode_and_encode_back_to_the_same_motion(
    clips: list[Clip], angles: str, root: str, seed: int
) -> None:
    """Rows not from a clip: they decode, in any number, and the result survives the round trip."""
    recipe = features.recipe(clips, angles=angles, root=root, drop_constant=False)
    rows = np.random.default_rng(seed).normal(size=(7, len(recipe.names)))
    new = clip_from(rows, recipe, name="new")
    assert (len(new), new.name) == (7, "new")
    assert apart(again(recipe, new, strict=False), new) < 1e-9


@pytest.mark.parametrize(("angles", "root"), OPTIONS)
def test_a_stream_decoded_piece_by_piece_is_the_whole(angles: str, root: str) -> None:
    clip = random_clip(np.random.default_rng(10), humanoid(), 30)
    recipe = features.recipe([clip], angles=angles, root=root)
    rows = features.encode(recipe, clip)
    first = clip_from(rows.values[:1], recipe, start=rows.start)
    np.testing.assert_allclose(first.positions(), clip.positions()[:1], atol=1e-9)
    place = features.where_it_ends(recipe, rows.values[:1], start=rows.start)
    for frame in range(1, 30, 7):
        piece = rows.values[frame : frame + 7]
        part = clip_from(piece, recipe, start=place, resume=True)
        np.testing.assert_allclose(part.positions(), clip.positions()[frame : frame + 7], atol=1e-9)
        place = features.where_it_ends(recipe, piece, start=place, resume=True)


def test_without_a_start_a_motion_begins_at_the_origin() -> None:
    clip = random_clip(np.random.default_rng(11), humanoid(), 9)
    recipe = features.recipe([clip])
    new = clip_from(features.encode(recipe, clip).values, recipe)
    np.testing.assert_allclose(new.root[0, [0, 2]], 0.0, atol=1e-12)
    assert features.encode(recipe, new).start.heading == pytest.approx(0.0, abs=1e-9)
    np.testing.assert_allclose(new.root[:, 1], clip.root[:, 1])


@pytest.mark.parametrize(("angles", "root"), OPTIONS)
def test_another_build_keeps_its_own_lengths(angles: str, root: str) -> None:
    rng = np.random.default_rng(12)
    body = humanoid()
    small = Skeleton(body.names, body.parents, body.offsets * rng.uniform(0.6, 1.0, (11, 1)), body.end_sites)
    clips = [random_clip(rng, body, 8), random_clip(rng, small, 8)]
    recipe = features.recipe(clips, angles=angles, root=root)
    for clip in clips:
        assert apart(again(recipe, clip), clip) < 1e-9
    rows = features.encode(recipe, clips[1])
    assert rows.skeleton == small
    moved_over = clip_from(rows.values, recipe)
    assert moved_over.skeleton == body
    if angles != "positions":
        assert angle_between(moved_over.rotations[:, 1:], clips[1].rotations[:, 1:]).max() < 1e-9


def test_a_joint_that_moves_in_no_example_is_named() -> None:
    rng = np.random.default_rng(13)
    recipe = features.recipe([random_clip(rng, humanoid(), 5)])
    with pytest.raises(UsageError, match="moves on its parent"):
        features.encode(recipe, random_clip(rng, humanoid(), 5, moving=True))


def test_clips_that_do_not_belong_together() -> None:
    rng = np.random.default_rng(18)
    clip = random_clip(rng, humanoid(), 20, name="a")
    fast = resample(clip, 30.0).changed(name="b")
    with pytest.raises(UsageError, match="b has 30 fps and a 60: resample"):
        features.recipe([clip, fast])
    recipe = features.recipe([clip])
    with pytest.raises(UsageError, match="b has 30 fps and the recipe 60: resample"):
        features.encode(recipe, fast)
    with pytest.raises(SkeletonMismatch, match="only a has the joint 'Hips'"):
        features.recipe([clip, random_clip(rng, random_skeleton(rng, 11), 5)])
    with pytest.raises(UsageError, match="with_up"):
        features.recipe([clip, with_up(clip, "z")])
    with pytest.raises(UsageError, match="with_up"):
        features.encode(recipe, with_up(clip, "z"))
    with pytest.raises(UsageError, match="unit of length"):
        features.recipe([clip.changed(unit_m=0.01), clip.changed(unit_m=1.0)])
    stroke = Stroke(rng.normal(size=(4, 2)), np.arange(4.0))
    with pytest.raises(UsageError, match="different kinds: Clip, Stroke"):
        features.recipe([clip, stroke])
    with pytest.raises(UsageError, match="is a stroke, but the model is of clips: give a clip"):
        features.encode(recipe, stroke)
    with pytest.raises(UsageError, match="at least one example"):
        features.recipe([])


@pytest.mark.parametrize(("option", "value"), [("angles", "quaternion"), ("root", "hips"), ("scale", "max")])
def test_unknown_options_name_the_choices(option: str, value: str) -> None:
    clip = random_clip(np.random.default_rng(19), humanoid(), 3)
    with pytest.raises(UsageError, match=f"{option} must be one of .*, but is '{value}'"):
        features.recipe([clip], **{option: value})  # type: ignore[arg-type]


def test_rows_of_the_wrong_shape_or_value_are_named() -> None:
    recipe = features.recipe([random_clip(np.random.default_rng(20), humanoid(), 9)])
    with pytest.raises(FreshtakeError, match="a row has 2 numbers"):
        features.decode(recipe, np.zeros((3, 2)))
    rows = np.zeros((3, len(recipe.names)))
    rows[2, 7] = np.nan
    with pytest.raises(InvalidMotion, match=r"'Spine\.y' is nan in row 2"):
        features.decode(recipe, rows)
    with pytest.raises(InvalidMotion, match="at least one frame"):
        features.decode(recipe, np.zeros((0, len(recipe.names))))
