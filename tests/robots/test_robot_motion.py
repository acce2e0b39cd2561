"""Clips on robots: within limits and speeds, feet held, the same from both kinds of model and in all files."""

from __future__ import annotations

import csv
import json
import pickle
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.cli.entry import run
from freshtake.errors import FormatError
from freshtake.motion.edit import scaled, with_up
from freshtake.motion.retarget.mapping import find_body
from tests.robots.humanoid import LINKS, SPEED, mjcf, urdf

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed: pip install freshtake[robot]")

from freshtake.robots.robot_model import RobotModel, read_robot  # noqa: E402
from freshtake.robots.robot_motion import onto_robot  # noqa: E402


@pytest.fixture(scope="module")
def robots(tmp_path_factory: pytest.TempPathFactory) -> dict[str, RobotModel]:
    folder = tmp_path_factory.mktemp("robots")
    (folder / "robot.xml").write_text(mjcf())
    (folder / "robot.urdf").write_text(urdf())
    return {kind: read_robot(folder / f"robot.{kind}") for kind in ("xml", "urdf")}


def test_both_kinds_of_model_are_read_alike(robots: dict[str, RobotModel]) -> None:
    first, second = robots["xml"], robots["urdf"]
    hinges = [link.name.replace("_link", "_joint") for link in LINKS if link.axis is not None]
    assert sorted(first.joints) == sorted(second.joints) == sorted(hinges)
    order = [second.joints.index(name) for name in first.joints]
    np.testing.assert_allclose(first.limits, second.limits[order], atol=1e-6)
    assert np.isinf(first.speeds).all() and (second.speeds == SPEED).all()
    assert first.sole == pytest.approx(0.06) and second.sole == pytest.approx(0.06)


@pytest.mark.parametrize("kind", ["xml", "urdf"])
@pytest.mark.parametrize("name", ["walk", "jump"])
def test_limits_and_speeds_hold_and_feet_stand(robots: dict[str, RobotModel], kind: str, name: str) -> None:
    robot, clip = robots[kind], getattr(ft.samples, name)(np.random.default_rng(3))
    motion = onto_robot(clip, robot)
    assert motion.joints.shape == (len(clip), len(robot.joints)) and motion.fps == pytest.approx(clip.fps)
    assert (motion.joints >= robot.limits[:, 0]).all() and (motion.joints <= robot.limits[:, 1]).all()
    speeds = np.abs(np.diff(motion.joints, axis=0)) * clip.fps
    assert (speeds <= robot.speeds * (1.0 + 1e-9)).all()
    assert motion.off < 0.06 * motion.leg
    assert motion.sliding <= max(1.2 * motion.source_sliding, 0.02)


def test_a_walk_goes_as_far_as_legs_of_that_length_do(robots: dict[str, RobotModel]) -> None:
    clip = ft.samples.walk(np.random.default_rng(3))
    motion = onto_robot(clip, robots["xml"])
    body, places = find_body(clip.skeleton), clip.positions()[0]
    bones = [places[body.one(f"left_{part}")] for part in ("upper_leg", "lower_leg", "foot")]
    leg = np.linalg.norm(bones[1] - bones[0]) + np.linalg.norm(bones[2] - bones[1])
    travel = np.linalg.norm((clip.root[-1] - clip.root[0])[[0, 2]]) / leg
    reached = np.linalg.norm((motion.root[-1] - motion.root[0])[:2]) / motion.leg
    assert reached == pytest.approx(travel, rel=0.08)


def test_unit_and_axis_of_the_clip_do_not_matter(robots: dict[str, RobotModel]) -> None:
    clip = ft.samples.walk(np.random.default_rng(3))
    first = onto_robot(clip, robots["xml"])
    second = onto_robot(with_up(scaled(clip, 39.37), "z"), robots["xml"])
    np.testing.assert_allclose(first.joints, second.joints, atol=0.02)


def test_playback_in_mujoco_agrees_with_the_files(robots: dict[str, RobotModel], tmp_path: Path) -> None:
    robot, take = robots["xml"], tmp_path / "walk.bvh"
    ft.write(take, ft.samples.walk(np.random.default_rng(3)))
    assert run(["samples", "write", "walk", "-n", "2", "-o", str(tmp_path / "takes"), "-q"]) == 0
    for kind in ("csv", "npz", "pkl"):
        words = ["robot", str(take), "--onto", str(robot.path), "-o", str(tmp_path / f"walk.{kind}"), "-q"]
        assert run(words) == 0
    rows = list(csv.reader((tmp_path / "walk.csv").read_text().splitlines()))
    table = np.array(rows[1:], dtype=float)
    arrays = np.load(tmp_path / "walk.npz")
    assert rows[0][7:] == list(robot.joints) == arrays["joint_names"].tolist()
    loaded = pickle.loads((tmp_path / "walk.pkl").read_bytes())
    for name, part in (("root_pos", table[:, :3]), ("root_rot", table[:, 3:7]), ("dof_pos", table[:, 7:])):
        np.testing.assert_allclose(arrays[name], part, atol=1e-6)
        np.testing.assert_array_equal(loaded[name], arrays[name])
    data = mujoco.MjData(robot.engine)
    lowest = np.inf
    for row in table:
        data.qpos[:3], data.qpos[3:7] = row[:3], np.roll(row[3:7], 1)
        data.qpos[list(robot.columns)] = row[7:]
        mujoco.mj_kinematics(robot.engine, data)
        lowest = min(lowest, *(data.xpos[robot.points[f"{side}_ankle"].body][2] for side in ("left", "right")))
    assert lowest == pytest.approx(robot.sole, abs=0.02)  # soles on the floor
    words = ["robot", str(tmp_path / "takes"), "--onto", str(robot.path), "-o", str(tmp_path / "all"), "--json"]
    assert run(words) == 0
    assert sorted(path.name for path in (tmp_path / "all").iterdir()) == ["walk_1.csv", "walk_2.csv"]


def test_files_without_a_robot_are_refused_in_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "cart.xml").write_text(
        '<mujoco><worldbody><body name="cart"><geom type="sphere" size="1"/></body></worldbody></mujoco>'
    )
    (tmp_path / "text.urdf").write_text("no robot")
    with pytest.raises(FormatError, match="no link is recognized as the left knee"):
        read_robot(tmp_path / "cart.xml")
    with pytest.raises(FormatError, match="MuJoCo cannot read a robot"):
        read_robot(tmp_path / "text.urdf")
    ft.write(tmp_path / "walk.bvh", ft.samples.walk(np.random.default_rng(3)))
    words = ["robot", str(tmp_path / "walk.bvh"), "--onto", str(tmp_path / "cart.xml"), "-o", str(tmp_path / "x.csv")]
    assert run(words) == 2 and not (tmp_path / "x.csv").exists()
    assert "cart.xml" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("element", "sentence"),
    [
        ('<worldbody><replicate count="100000000"><body/></replicate></worldbody>', "line 1: a robot needs no <replic"),
        ('<asset><hfield name="a" nrow="99999" ncol="99999" size="1 1 1 1"/></asset>', "a robot needs no <hfield>"),
        (
            '<asset><texture name=">" type="2d" builtin="flat" width="99999" height="9"/></asset>',
            "9999 pixels a row",
        ),
        ('<include file="../other/part.xml"/>', "files outside the robot's folder"),
        ('<include file="&#46;./other/part.xml"/>', "files outside the robot's folder"),
        ('<include file="hidden.xml"/>', "hidden.xml: line 2: a robot needs no <attach>"),
        ('<worldbody><body pos="nan 0 0"><geom size=".1"/></body></worldbody>', "is not finite, or beyond"),
        ('<worldbody><body pos="1e9 0 0"><geom size=".1"/></body></worldbody>', "is not finite, or beyond"),
    ],
)
def test_a_hostile_robot_is_refused_before_it_costs_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], element: str, sentence: str
) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "part.xml").write_text("<mujoco/>")
    folder = tmp_path / "robot"
    folder.mkdir()
    (folder / "hidden.xml").write_text('<mujoco>\n<worldbody><attach model="a" prefix="b"/></worldbody></mujoco>')
    (folder / "robot.xml").write_text(mjcf().replace("<worldbody>", f"{element}<worldbody>", 1))
    monkeypatch.chdir(folder)
    with pytest.raises(FormatError, match=re.escape(sentence)):
        read_robot(folder / "robot.xml")
    # MuJoCo's own warnings would be printed, and written to its own file.
    assert sorted(path.name for path in folder.iterdir()) == ["hidden.xml", "robot.xml"]
    assert capfd.readouterr() == ("", "")


def test_what_the_library_says_about_forces_is_not_passed_on(tmp_path: Path) -> None:
    still = mjcf().replace('type="hinge"', 'type="hinge" armature="-1"', 1)
    (tmp_path / "robot.xml").write_text(still)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_robot(tmp_path / "robot.xml").joints


def test_a_robot_may_be_in_several_files_of_one_folder(tmp_path: Path) -> None:
    (tmp_path / "sky.xml").write_text(
        '<mujoco><asset><texture name="sky" type="skybox" builtin="flat" width="32" height="192"/></asset></mujoco>'
    )
    (tmp_path / "robot.xml").write_text(mjcf().replace("<worldbody>", '<include file="./sky.xml"/><worldbody>', 1))
    assert read_robot(tmp_path / "robot.xml").joints


def test_a_robot_that_cannot_walk_so_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stiff = mjcf()
    for low, high in (("-140", "60"), ("0", "150"), ("-40", "40"), ("-60", "60")):
        stiff = stiff.replace(f'range="{low} {high}"', 'range="0 1"')
    (tmp_path / "stiff.xml").write_text(stiff)
    ft.write(tmp_path / "walk.bvh", ft.samples.walk(np.random.default_rng(3)))
    words = ["robot", str(tmp_path / "walk.bvh"), "--onto", str(tmp_path / "stiff.xml"), "-o", str(tmp_path / "x.csv")]
    assert run(words) == 2 and not (tmp_path / "x.csv").exists()
    assert "--keep-going" in " ".join(capsys.readouterr().err.split())
    assert run([*words, "--keep-going", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["written"][0]["frames"] > 0


def test_names_of_results_are_taken_at_their_word(
    robots: dict[str, RobotModel], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        ft.write(tmp_path / folder / "walk.bvh", ft.samples.walk(np.random.default_rng(3)))
    walks, onto = [str(tmp_path / folder / "walk.bvh") for folder in ("a", "b")], ["--onto", str(robots["xml"].path)]
    for words, message in (
        ([*walks, "-o", str(tmp_path / "out")], "two clips would both be written as"),
        ([walks[0], "-o", str(tmp_path / "x.bvh")], "must end in .csv, .npz, .pkl"),
        ([walks[0], "-o", str(tmp_path / "x.csv"), "--format", "pkl"], "--format says pkl"),
    ):
        assert run(["robot", *words, *onto]) == 2
        assert message in " ".join(capsys.readouterr().err.split())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_feet_without_meshes_stand_on_their_joints(tmp_path: Path) -> None:
    bare = re.sub(r'<collision><origin xyz="0.04 .*?</collision>', "", urdf())
    (tmp_path / "bare.urdf").write_text(bare)
    assert bare != urdf() and read_robot(tmp_path / "bare.urdf").sole == pytest.approx(0.0)
