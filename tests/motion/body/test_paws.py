"""Animals whose offsets show no body, and whose front feet are named hands: four feet, found by position."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.cli.entry import run
from freshtake.formats.ftm import load
from freshtake.motion import Clip, Skeleton
from freshtake.motion.body.orientation import find_paws
from freshtake.motion.body.roles import feet, hands, leg_length
from freshtake.motion.edit import scaled, with_up
from freshtake.motion.skeleton import skeleton_from_parts, skeleton_parts
from freshtake.numeric.rotations import about_axis
from tests.motion.rigs import bones_along_x

# Name, parent, offset in centimetres: hind feet are called feet, front feet hands, and the tail hangs to the floor.
FOX = (
    ("root", "", (0, 40, 0)), ("tail", "root", (0, 5, -12)), ("tail_tip", "tail", (0, -40, -5)),
    *[row for side, x in (("Left", 7), ("Right", -7)) for row in (
        (f"{side}Leg1", "root", (x, 0, 0)), (f"{side}Leg2", f"{side}Leg1", (0, -18, 3)),
        (f"{side}Foot", f"{side}Leg2", (0, -13, -12)), (f"{side}Foot2", f"{side}Foot", (0, -8, 5)))],
    ("spine", "root", (0, 10, 20)), ("neck", "spine", (0, 0, 25)), ("head", "neck", (0, 8, 10)),
    *[row for side, x in (("Left", 7), ("Right", -7)) for row in (
        (f"{side}Arm", "spine", (x, -4, 18)), (f"{side}ForeArm", f"{side}Arm", (0, -23, -4)),
        (f"{side}Hand", f"{side}ForeArm", (0, -18, 6)))],
)  # fmt: skip


def fox(seed: int = 0, frames: int = 60) -> Clip:
    """Two steps of a trot, bones along x."""
    names = tuple(name for name, _, _ in FOX)
    parents = np.array([names.index(parent) if parent else -1 for _, parent, _ in FOX])
    skeleton = Skeleton(names, parents, np.array([offset for _, _, offset in FOX], dtype=float))
    rng, phase = np.random.default_rng(seed), np.linspace(0.0, 4.0 * np.pi, frames)
    rotations = np.tile([1.0, 0.0, 0.0, 0.0], (frames, len(names), 1))
    x = np.array([1.0, 0.0, 0.0])
    for name, shift in (("LeftLeg1", 0.0), ("RightArm", 0.2), ("RightLeg1", np.pi), ("LeftArm", np.pi + 0.2)):
        rotations[:, names.index(name)] = about_axis(x, (0.25 + 0.02 * rng.normal()) * np.sin(phase + shift))
    root = np.array([0.0, 40.0, 0.0]) + np.outer(np.arange(frames), [0.0, 0.0, 1.5])
    return bones_along_x(Clip(skeleton, 1.0 / 30.0, root, rotations, name="fox", unit_m=0.01))


def test_four_feet_are_found_by_where_they_are(tmp_path: Path) -> None:
    plain = fox()
    assert [foot.name for foot in feet(plain.skeleton)] == ["LeftFoot", "RightFoot"]
    ft.write(tmp_path / "fox.npz", plain)
    clip = ft.read_clip(tmp_path / "fox.npz")
    assert [foot.name for foot in feet(clip.skeleton)] == ["LeftFoot", "RightFoot", "LeftHand", "RightHand"]
    assert hands(clip.skeleton) == ()
    assert leg_length(clip.skeleton) == pytest.approx(leg_length(plain.skeleton))


@pytest.mark.parametrize("up", ["y", "z"])
def test_people_keep_two_feet(up: str) -> None:
    for motion in (ft.samples.walk, ft.samples.jump, ft.samples.cheer):
        assert find_paws(with_up(bones_along_x(motion(np.random.default_rng(1))), up)) == ()


def test_a_skeleton_keeps_its_paws() -> None:
    skeleton = replace(fox().skeleton, paws=find_paws(fox()))
    assert len(skeleton.paws) == 2
    assert skeleton_from_parts(skeleton_parts(skeleton)) == skeleton != fox().skeleton
    with pytest.raises(ft.InvalidMotion, match="paw"):
        replace(skeleton, paws=(99,))


def test_variants_of_an_animal_stand_on_four_feet(tmp_path: Path) -> None:
    names = [str(tmp_path / f"fox_{k}.npz") for k in range(3)]
    for k, name in enumerate(names):
        ft.write(name, fox(k))
    assert run(["learn", *names, "-o", str(tmp_path / "fox.ftm")]) == 0
    assert len(feet(load(tmp_path / "fox.ftm").material.recipe.skeleton)) == 4
    assert run(["vary", str(tmp_path / "fox.ftm"), "-n", "2", "-o", str(tmp_path / "out")]) == 0
    assert [foot.name for foot in feet(ft.read_clip(tmp_path / "out/variant_001.npz").skeleton)][2:] == [
        "LeftHand", "RightHand",
    ]  # fmt: skip


def test_a_model_of_one_take_that_goes_quite_straight_is_read_again(tmp_path: Path) -> None:
    """Its prior deviates sideways by more millimetres than the take moves."""
    clip = fox()
    swaying = clip.root + np.outer(np.sin(np.arange(len(clip))), [1e-6, 0.0, 0.0])
    model = ft.variation.learn([scaled(clip.changed(root=swaying), 10.0)], rng=np.random.default_rng(0))
    ft.save(tmp_path / "fox.ftm", model)
    assert load(tmp_path / "fox.ftm").sizes.shape == model.sizes.shape
