"""The vertical axis: found from a standing body or its rest pose, or reported as assumed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.cli.entry import run as command
from freshtake.formats.read_options import ReadOptions
from freshtake.formats.registry import take_in_all
from freshtake.motion import Clip, PointClip
from freshtake.motion.body.orientation import (
    AGREED,
    ASSUMED,
    FROM_BODY,
    FROM_REST,
    UNITS,
    Body,
    Upright,
    agreed,
    find_up,
    guess_unit,
    unit_name,
    upright_of,
)
from freshtake.motion.edit import moved, scaled, with_up
from freshtake.numeric.rotations import about_axis, multiply, rotate
from freshtake.samples import cheer, jump, punch, run, walk
from tests.motion.rigs import bones_along_x

ACTIONS = [walk, run, jump, cheer, punch]


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.__name__)
@pytest.mark.parametrize("up", ["y", "z"])
def test_whoever_stands_tells_the_axis(action: object, up: str) -> None:
    clip = action(np.random.default_rng(0))  # type: ignore[operator]
    clip = moved(clip, np.linspace(0.0, 30.0, len(clip))[:, None] * [1.0, 0.0, 0.0])  # nobody stands quite still
    found = find_up(with_up(clip, up).changed(up="y"))
    assert (found.axis, found.how, found.doubtful) == (up, FROM_BODY, False)


@pytest.mark.parametrize("height", [120.0, 210.0])
@pytest.mark.parametrize("fps", [24.0, 120.0])
def test_who_cheers_on_the_spot_tells_the_axis(height: float, fps: float) -> None:
    """The rest pose is along y, and the body does not go about."""
    for seed in range(3):
        clip = scaled(cheer(np.random.default_rng(seed), fps=fps), height / 175.0).changed(unit_m=0.01)
        clip = with_up(clip, "z")
        found = find_up(clip.changed(up="y"))
        assert (found.axis, found.how, found.sure) == ("z", FROM_BODY, True)


def lying(clip: Clip) -> Clip:
    """Lying along z with the head first, feet that kick."""
    tip = about_axis([1.0, 0.0, 0.0], np.pi / 2)
    rotations = clip.rotations.copy()
    rotations[:, 0] = multiply(tip, rotations[:, 0])
    still = clip.root[:1].repeat(len(clip), axis=0)
    return clip.changed(root=rotate(tip, still), rotations=rotations)


def test_who_lies_does_not_stand() -> None:
    """A walker laid down, as a swimmer lies: y is still up, by the rest pose."""
    found = find_up(lying(walk(np.random.default_rng(0))))
    assert (found.axis, found.how) == ("y", FROM_REST)


def test_what_cannot_be_told_is_said(tmp_path: Path) -> None:
    clip = lying(walk(np.random.default_rng(0)))
    bent = clip.skeleton.offsets.copy()
    bent[:, [0, 1]] = bent[:, [1, 0]]  # a rest pose along x
    odd = Clip(
        ft.Skeleton(clip.skeleton.names, clip.skeleton.parents, bent), clip.frame_time, clip.root, clip.rotations
    )
    found = find_up(odd)
    assert (found.axis, found.how, found.doubtful) == ("y", ASSUMED, True)
    said: list[str] = []
    ft.write(tmp_path / "odd.bvh", odd)
    assert ft.read(tmp_path / "odd.bvh", warn=said.append).up == "y"  # type: ignore[union-attr]
    assert said == ["odd.bvh: the body does not show which axis points up, so y is assumed: give --up y or --up z"]
    assert ft.read(tmp_path / "odd.bvh", up="z", warn=said.append).up == "z" and len(said) == 1  # type: ignore[union-attr]
    with pytest.raises(ft.UsageError, match="up must be one of y, z"):
        ft.read(tmp_path / "odd.bvh", up="x")


def test_a_rest_pose_of_no_body_leaves_it_to_the_feet() -> None:
    """Bones along x, and a performer who stands where they are."""
    clip = bones_along_x(walk(np.random.default_rng(0)))
    standing = clip.changed(root=clip.root[[0] * 20], rotations=clip.rotations[[0] * 20])
    for up in ("y", "z"):
        assert find_up(with_up(standing, up))[:2] == (up, FROM_BODY)


def test_points_by_their_names() -> None:
    clip = with_up(walk(np.random.default_rng(0)), "z")
    points = PointClip(clip.skeleton.names, clip.positions(), clip.frame_time)
    assert find_up(points)[:2] == ("z", FROM_BODY)
    nameless = PointClip(tuple(f"p{k}" for k in range(len(clip.skeleton))), clip.positions(), clip.frame_time)
    assert find_up(nameless)[:3] == ("y", ASSUMED, False)


def test_travel_along_the_body_is_no_walk() -> None:
    """The same posture: across it a walk, along it a swim."""
    posture = np.tile([0.0, 0.0, 1.0], (50, 1))
    kicks = np.random.default_rng(0).uniform(0.0, 0.3, (50, 3))
    way = np.linspace(0.0, 3.0, 50)[:, None]
    for travel, axis in (([1.0, 0.0, 0.1], "z"), ([0.0, 0.1, 1.0], "y")):
        body = Body(posture, kicks + way * travel, way * travel, np.array([0.0, 1.0, 0.0]))
        assert upright_of(body).axis == axis


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.short)
def test_the_unit_in_which_a_body_has_human_legs(unit: object) -> None:
    from freshtake.motion.edit import scaled

    metres = unit.metres  # type: ignore[attr-defined]
    guess = guess_unit(scaled(walk(np.random.default_rng(0)), 0.01 / metres).skeleton)
    assert guess == unit and unit_name(metres) == guess.name
    assert guess_unit(scaled(walk(np.random.default_rng(0)), 0.01 / metres * 1.25).skeleton) is None
    assert unit_name(0.3) == "units of 0.3 m"


def test_recorded_takes_are_never_misread(data: Path) -> None:
    for path in sorted(data.rglob("*.bvh"))[::5]:
        clip = ft.read(path)
        assert isinstance(clip, Clip) and clip.up == "y", path


def test_takes_of_one_skeleton_agree_on_one_axis() -> None:
    sure, weak, rest, open_ = (
        Upright("y", FROM_BODY, sure=True), Upright("z", FROM_BODY), Upright("z", FROM_REST),
        Upright("y", ASSUMED, doubtful=True),
    )  # fmt: skip
    assert [one.axis for one in agreed([weak, weak, sure])] == ["y", "y", "y"]
    assert [one.how for one in agreed([weak, sure])] == [AGREED, FROM_BODY]
    assert [one.axis for one in agreed([rest, open_])] == ["z", "z"]
    assert agreed([open_]) == [open_] and agreed([weak]) == [weak]
    turned_file = Upright("z", FROM_BODY, sure=True)
    assert agreed([sure, turned_file, sure]) == [sure, turned_file, sure]


def leaning(seed: int, up: str, tip: float) -> Clip:
    """A walker bent forward on bones without a rest pose, so only its posture shows the axis."""
    clip = bones_along_x(walk(np.random.default_rng(seed)))
    rotations = clip.rotations.copy()
    rotations[:, 0] = multiply(about_axis([1.0, 0.0, 0.0], tip), rotations[:, 0])
    return with_up(clip.changed(rotations=rotations), up)


def test_one_file_that_looks_otherwise_is_not_turned(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One of five takes lies down: alone it seems to have another axis, with the others it does not."""
    for number in range(5):
        ft.write(tmp_path / f"{number}.bvh", leaning(number, "z", 1.3 if number == 4 else 0.0))
    foreign = (tmp_path / "4.bvh").read_bytes().replace(b"HIERARCHY\t \n", b"HIERARCHY\n")
    (tmp_path / "4.bvh").write_bytes(foreign)
    alone = ft.read(tmp_path / "4.bvh", warn=lambda note: None)
    assert isinstance(alone, Clip) and alone.up == "y" and find_up(alone).how == ASSUMED
    together = [one.up for one in take_in_all(sorted(tmp_path.glob("*.bvh")), ReadOptions())]
    assert together == [FROM_BODY] * 4 + [AGREED]
    assert command(["info", *[str(path) for path in sorted(tmp_path.glob("*.bvh"))], "--json"]) == 0
    files = json.loads(capsys.readouterr().out)["files"]
    assert {(one["up"], one["up_from"]) for one in files} == {("z", FROM_BODY), ("z", AGREED)}


def test_the_axis_survives_in_a_format_that_cannot_state_it(tmp_path: Path) -> None:
    """Neither the rest pose nor the posture tells; files whose bodies tell are written as ever."""
    for up in ("y", "z"):
        clip = lying(with_up(bones_along_x(walk(np.random.default_rng(0))), up))
        ft.write(tmp_path / "x.bvh", clip)
        back = take_in_all([tmp_path / "x.bvh"], ReadOptions())[0]
        assert isinstance(back.motion, Clip) and back.motion.up == up
        assert back.up == "stated in the file"
    ft.write(tmp_path / "y.bvh", walk(np.random.default_rng(0)))
    assert (tmp_path / "y.bvh").read_bytes().startswith(b"HIERARCHY\n")


def test_variants_of_a_z_up_model_are_read_back_as_z_up(tmp_path: Path) -> None:
    takes = [lying(with_up(bones_along_x(walk(np.random.default_rng(k))), "z")) for k in range(2)]
    names = [str(tmp_path / f"take_{k}.bvh") for k in range(2)]
    for name, take in zip(names, takes, strict=True):
        ft.write(name, take)
        plain = Path(name).read_bytes().replace(b"HIERARCHY\t \n", b"HIERARCHY\n")  # as other programs write it
        Path(name).write_bytes(plain)
    model, out = str(tmp_path / "m.ftm"), tmp_path / "out"
    assert command(["learn", *names, "--up", "z", "-o", model]) == 0
    assert command(["vary", model, "-n", "2", "-o", str(out)]) == 0
    for path in sorted(out.glob("*.bvh")):
        back = ft.read(path)
        assert isinstance(back, Clip) and back.up == "z"
