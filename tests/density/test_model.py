from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.density import DensityModel, Settings, learn
from freshtake.density.decoding import poses_of
from freshtake.errors import FormatError, UsageError
from freshtake.motion.features import encode
from freshtake.motion.kinds import joint_points
from freshtake.numeric.arrays import Floats
from tests.density.made import FRAME_TIME, gaits, orbit, run, two_orbits, walk


def test_the_eigenspace_keeps_the_energy_that_is_asked_for() -> None:
    few = gaits()
    assert few.pca.energy >= 0.95
    assert few.pca.variances[:-1].sum() < 0.95 * few.pca.total
    more = learn({"walk": [walk()], "run": [run()]}, Settings(energy=0.999))
    assert more.modes > few.modes
    assert max(more.errors) < 0.5 * max(few.errors)
    assert learn({"a": [orbit(1)]}, Settings(modes=2), frame_time=1.0).modes == 2


def test_reported_error_is_that_of_the_joints() -> None:
    model = gaits()
    rows = np.concatenate([model.track.rows[model.owners == 0]])
    whole, bare = model.decode(rows), model.decode(rows, residuals=False)
    apart = np.linalg.norm(whole.positions() - bare.positions(), axis=-1).mean()
    assert model.errors[0] == pytest.approx(float(apart), rel=0.2)


def dofs(model: DensityModel, rows: Floats, residuals: bool = True) -> Floats:
    assert model.recipe is not None
    return encode(model.recipe, model.decode(rows, residuals), strict=False).values


def test_residuals_give_the_data_back() -> None:
    model = gaits()
    assert model.recipe is not None
    ours = dofs(model, model.track.rows[model.owners == 0])
    data = encode(model.recipe, walk(), strict=False).values
    apart = np.linalg.norm(ours[:, None, 3:] - data[None, :, 3:], axis=2)
    place = apart.argmin(axis=1)
    assert apart.min(axis=1).max() < 1e-3
    np.testing.assert_array_equal(np.diff(place), 1)
    np.testing.assert_allclose(ours[1:, :3], data[place[1:], :3], atol=1e-2)  # and the way the root goes
    bare = dofs(model, model.track.rows[model.owners == 0], residuals=False)
    assert np.linalg.norm(bare[:, 3:] - data[place, 3:], axis=1).mean() > 1.0


def test_bone_lengths_are_kept_and_the_body_travels() -> None:
    model = gaits()
    clip = model.sample(np.random.default_rng(0), frames=300, weights="walk:1->walk:1->run:1->run:1", name="change")
    assert isinstance(clip, ft.Clip) and len(clip) == 300 and clip.name == "change"
    above = clip.skeleton.parents[1:]
    lengths = np.linalg.norm(clip.positions()[:, 1:] - clip.positions()[:, above], axis=-1)
    np.testing.assert_allclose(lengths, np.broadcast_to(clip.skeleton.lengths()[1:], lengths.shape), atol=1e-6)
    speed = np.linalg.norm(np.diff(clip.root[:, [0, 2]], axis=0), axis=1) * clip.fps
    for part, source in ((speed[:60], walk()), (speed[-60:], run())):
        target = np.linalg.norm(np.diff(source.root[:, [0, 2]], axis=0), axis=1).mean() * source.fps
        assert part.mean() == pytest.approx(target, rel=0.08)


def test_joint_angles_stay_in_the_range_of_the_data() -> None:
    model = learn({"walk": [walk()], "run": [run()]}, Settings(poses="expmap"))
    rows = dofs(model, model.rows(np.random.default_rng(0), frames=400, weights="walk:1->run:1"))
    data = dofs(model, model.track.rows)
    low, high = data.min(axis=0), data.max(axis=0)
    slack = 0.15 * (high - low) + 1e-6
    assert ((rows >= low - slack) & (rows <= high + slack)).mean() > 0.995


def test_a_decoded_stream_is_the_sample() -> None:
    model = gaits()
    whole = model.sample(np.random.default_rng(3), frames=90)
    poses = list(itertools.islice(model.stream(np.random.default_rng(3), decode=True), 90))
    np.testing.assert_allclose(np.concatenate([pose.root for pose in poses]), whole.root, atol=1e-6)
    dots = np.abs((np.concatenate([pose.rotations for pose in poses]) * whole.rotations).sum(axis=-1))
    np.testing.assert_allclose(dots, 1.0, atol=1e-9)


def test_markers_come_out_as_markers() -> None:
    model = learn({"walk": [joint_points(walk())], "run": [joint_points(run())]})
    made = model.sample(np.random.default_rng(0), frames=100, weights="walk:1->run:1")
    assert isinstance(made, ft.PointClip) and made.names == joint_points(walk()).names
    assert np.linalg.norm(made.positions[-1].mean(axis=0) - made.positions[0].mean(axis=0)) > 100.0


def test_own_motion_scores_higher() -> None:
    model = gaits()
    assert model.score(walk(), {"walk": 1.0}) > model.score(walk(), {"run": 1.0}) + 5.0
    with pytest.raises(UsageError, match="one frame"):
        two_orbits().score(orbit(1)[:1])


def test_a_class_that_is_not_there_is_named() -> None:
    with pytest.raises(UsageError, match="there is no class 'skip'; the classes are"):
        two_orbits().runs("skip")


def test_the_file_gives_the_same_motion_bit_for_bit(tmp_path: Path) -> None:
    for name, model in (("clips", gaits()), ("arrays", two_orbits())):
        ft.save(tmp_path / f"{name}.ftm", model, sources=["a.bvh"])
        again = ft.load(tmp_path / f"{name}.ftm")
        mix = f"{model.classes[0]}:1->{model.classes[1]}:1"
        for method in ("default", "switch", "paper", "aligned"):
            both = [replace(m, settings=m.settings.changed(method=method)) for m in (model, again)]
            a, b = (m.rows(np.random.default_rng(4), frames=70, weights=mix) for m in both)
            np.testing.assert_array_equal(a, b)
        assert again.settings == model.settings and again.notes == model.notes and again.errors == model.errors
        ft.save(tmp_path / "twice.ftm", again, sources=["a.bvh"])
        assert (tmp_path / "twice.ftm").read_bytes() == (tmp_path / f"{name}.ftm").read_bytes()


def test_a_damaged_file_is_one_sentence(tmp_path: Path) -> None:
    ft.save(tmp_path / "m.ftm", two_orbits())
    data = bytearray((tmp_path / "m.ftm").read_bytes())
    data[len(data) // 2] ^= 0xFF
    (tmp_path / "m.ftm").write_bytes(bytes(data))
    with pytest.raises(FormatError):
        ft.load(tmp_path / "m.ftm")


def test_a_file_in_which_no_kernel_can_be_jumped_to_is_refused(tmp_path: Path) -> None:
    model = two_orbits()
    ft.save(tmp_path / "m.ftm", replace(model, allowed=model.allowed & (model.owners == 0)))
    with pytest.raises(FormatError, match="every class needs a kernel"):
        ft.load(tmp_path / "m.ftm")


def test_modes_restore_poses() -> None:
    model = two_orbits()
    poses = poses_of(model.pca, model.scale, model.encode(orbit(1)))
    assert np.sqrt(np.mean((poses - orbit(1)) ** 2)) < 0.25 * orbit(1).std()


@pytest.mark.parametrize(
    ("examples", "sentence"),
    [
        ({}, "no classes to learn from"),
        ({"a": []}, "the class 'a' has no example"),
        ({"a": [orbit(1)[:1]]}, "has 1 frames: at least 8"),
        ({"a": [np.ones((50, 3))]}, "the class 'a' never moves"),
        ({"a": [orbit(1)], "b": [orbit(1)[:, :4]]}, "do not all have \\d+ DOFs"),
        ({"a": [orbit(1)], "b": [walk()]}, "different kinds"),
        ({"a:b": [orbit(1)]}, "cannot be the name of a class"),
        ({"a": [np.full((30, 3), np.nan)]}, "an example of a"),
        ([orbit(1)], "give the examples by class"),
    ],
)
def test_bad_examples_are_one_sentence(examples: object, sentence: str) -> None:
    with pytest.raises(ft.FreshtakeError, match=sentence) as caught:
        learn(examples, frame_time=FRAME_TIME)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


def test_planted_feet_slide_less_and_the_body_goes_as_far() -> None:
    model = gaits()
    assert model.planting_model is not None
    plain, planted, locked = (
        model.sample(np.random.default_rng(5), frames=150, weights="walk:1->run:1", plant=plant)
        for plant in (False, True, "hard")
    )
    joints = [joint for foot in model.planting_model.feet for joint in foot.joints]
    stand = model.planting_model.contacts(plain) > 0.9
    both = stand[1:] & stand[:-1]
    slides = []
    for clip in (plain, planted, locked):
        steps = np.linalg.norm(np.diff(clip.positions()[:, joints][..., [0, 2]], axis=0), axis=-1)
        slides.append(steps[both].mean())
    assert slides[2] < slides[1] < 0.9 * slides[0]
    way = [np.linalg.norm(clip.root[-1] - clip.root[0]) for clip in (plain, planted)]
    assert way[1] == pytest.approx(way[0], rel=0.05)


def test_a_planted_stream_holds_its_feet() -> None:
    model = replace(gaits(), settings=gaits().settings.changed(method="switch"))
    assert model.planting_model is not None
    joints = [joint for foot in model.planting_model.feet for joint in foot.joints]
    clips, slides = [], []
    for plant in (False, True):
        poses = list(itertools.islice(model.stream(np.random.default_rng(3), decode=True, plant=plant), 120))
        assert all(len(pose) == 1 for pose in poses)
        root, turns = (np.concatenate([getattr(pose, part) for pose in poses]) for part in ("root", "rotations"))
        clips.append(poses[0].changed(root=root, rotations=turns))
    stand = model.planting_model.contacts(clips[0]) > 0.9
    for clip in clips:
        steps = np.linalg.norm(np.diff(clip.positions()[:, joints][..., [0, 2]], axis=0), axis=-1)
        slides.append(steps[stand[1:] & stand[:-1]].mean())
    assert slides[1] < 0.8 * slides[0]
    way = np.linalg.norm(clips[0].root[-1] - clips[0].root[0])
    assert np.linalg.norm(clips[0].root - clips[1].root, axis=1).max() < 0.1 * way


def test_poses_between_classes_keep_rotations_smooth() -> None:
    """Between two poses a hand goes no faster than by turning joints from one to the other."""
    model = gaits()
    assert model.turning is not None
    middle = 0.5 * (model.track.rows[3] + model.track.rows[len(model.owners) - 3])
    clip = model.decode(middle[None])
    ends = model.decode(model.track.rows[[3, len(model.owners) - 3]])
    apart = np.abs((ends.rotations[0] * ends.rotations[1]).sum(axis=-1)).clip(max=1.0)
    for k in range(2):
        half = np.abs((clip.rotations[0] * ends.rotations[k]).sum(axis=-1)).clip(max=1.0)
        assert (np.arccos(half)[1:] <= 0.6 * np.arccos(apart)[1:] + 1e-3).all()


def test_the_paper_and_whole_turns_keep_to_positions() -> None:
    model = gaits()
    assert replace(model, settings=model.settings.changed(method="paper")).turning is None
    clip = walk()
    turns = clip.rotations.copy()
    angle = np.linspace(0.0, 12.0 * np.pi, len(clip)) / 2.0
    turns[:, -1] = np.stack([np.cos(angle), np.sin(angle), 0 * angle, 0 * angle], axis=1)
    assert learn({"walk": [clip.changed(rotations=turns)]}).turning is None


def test_markers_in_another_order_are_the_same_markers() -> None:
    a, b = joint_points(walk()), joint_points(run())
    turned = replace(b, names=b.names[::-1], positions=b.positions[:, ::-1])
    mixed, plain = (learn({"walk": [a], "run": [x]}) for x in (turned, b))
    np.testing.assert_array_equal(mixed.weights, plain.weights)


def test_other_markers_are_told_with_a_remedy() -> None:
    a, b = joint_points(walk()), joint_points(run())
    fewer = replace(b, names=("extra", *b.names[1:]), name="run_1")
    with pytest.raises(UsageError, match=f"run_1 .*different markers.*lacks {b.names[0]}, it also has extra; --common"):
        learn({"walk": [a], "run": [fewer]})
    shared = ft.density.common_points({"walk": [a], "run": [fewer]})
    assert [take.names for takes in shared.values() for take in takes] == [a.names[1:]] * 2
    assert learn(shared).classes == ("walk", "run")
    with pytest.raises(UsageError, match="0 markers in common"):
        ft.density.common_points({"a": [a], "b": [replace(b, names=tuple(f"{n}_x" for n in b.names))]})


def test_markers_that_are_never_seen_are_told_by_take() -> None:
    a, b = joint_points(walk()), replace(joint_points(run()), name="run_1")
    hidden = b.positions.copy()
    hidden[:, 2] = np.nan
    with pytest.raises(UsageError, match=f"run_1: never seen: {b.names[2]}; --common"):
        learn({"walk": [a], "run": [replace(b, positions=hidden)]})
    shared = ft.density.common_points({"walk": [a], "run": [replace(b, positions=hidden)]})
    assert b.names[2] not in shared["walk"][0].names and len(shared["run"][0].names) == len(a.names) - 1
    with pytest.raises(UsageError, match="run_1: no marker is seen in any frame"):
        learn({"walk": [a], "run": [replace(b, positions=np.full_like(b.positions, np.nan))]})


def test_markers_have_to_match_and_clips_need_frames() -> None:
    a, b = joint_points(walk()), joint_points(run())
    other = replace(b, names=tuple(f"{name}_x" for name in b.names))
    with pytest.raises(ft.FreshtakeError, match="different markers"):
        learn({"walk": [a], "run": [other]})
    one = walk().changed(root=walk().root[:1], rotations=walk().rotations[:1])
    with pytest.raises(ft.FreshtakeError, match="no 8 sound frames in a row"):
        learn({"walk": [one]})
    frozen = walk().changed(root=np.tile(walk().root[:1], (50, 1)), rotations=np.tile(walk().rotations[:1], (50, 1, 1)))
    with pytest.raises(ft.FreshtakeError, match="frozen"):
        learn({"walk": [walk()], "stand": [frozen]})


@pytest.mark.parametrize(
    "wrong", [{"method": "x"}, {"alpha": 0.0}, {"energy": 2.0}, {"modes": 0}, {"stay": 0.0}, {"residuals": 1}]
)
def test_settings_are_checked(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        Settings(**wrong)  # type: ignore[arg-type]
