"""Takes are read correctly or it is reported: vertical axis, rate, unit and root, through the real commands."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.cli.entry import run
from freshtake.motion import Clip
from freshtake.motion.body.rooting import as_filed
from freshtake.motion.edit import scaled, turned, with_up
from freshtake.samples import walk
from tests.motion.rigs import on_base


@pytest.fixture(scope="module")
def takes() -> list[Clip]:
    return [walk(np.random.default_rng(seed), fps=20.0).changed(unit_m=None) for seed in range(2)]


def written(folder: Path, takes: list[Clip], names: str = "ab") -> list[str]:
    paths = [folder / f"{name}.bvh" for name in names]
    for path, take in zip(paths, takes, strict=True):
        ft.write(path, take)
    return [str(path) for path in paths]


def varied(folder: Path, takes: list[str], *options: str) -> Clip:
    assert run(["learn", *takes, "-o", str(folder / "m.ftm"), *options]) == 0
    assert run(["vary", str(folder / "m.ftm"), "-n", "1", "-o", str(folder / "out")]) == 0
    clip = ft.read(folder / "out" / "variant_001.bvh")
    assert isinstance(clip, Clip)
    return clip


def test_z_up_files_learn_and_come_back_z_up(
    takes: list[Clip], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = {}
    for name, ways in {"y": "yy", "z": "zz", "both": "yz"}.items():
        folder = tmp_path / name
        folder.mkdir()
        made[name] = varied(folder, written(folder, [with_up(t, w) for t, w in zip(takes, ways, strict=True)]))
    assert (made["y"].up, made["z"].up, made["both"].up) == ("y", "z", "y")
    for name in ("z", "both"):
        assert np.abs(with_up(made[name], "y").positions() - made["y"].positions()).max() < 1e-6
    assert "b has z up and a y: turned to y up" in capsys.readouterr().err
    poses = {}
    for name, other in {"y": "z", "z": "y"}.items():  # a pose from a file with the other axis
        pose, out = str(tmp_path / other / "b.bvh"), tmp_path / f"from_{other}"
        assert run(["vary", str(tmp_path / name / "m.ftm"), "-n", "1", "-o", str(out), "--start", f"{pose}:4"]) == 0
        clip = ft.read(out / "variant_001.bvh")
        assert isinstance(clip, Clip)
        poses[name] = with_up(clip, "y").positions()
    assert np.abs(poses["y"] - poses["z"]).max() < 1e-6


def test_a_root_that_stands_still_comes_back(
    takes: list[Clip], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second take walks the other way; the model remembers the rig."""
    (tmp_path / "plain").mkdir()
    plain = varied(tmp_path / "plain", written(tmp_path / "plain", takes))
    ways = [takes[0], turned(takes[1], np.pi)]
    made = varied(tmp_path, written(tmp_path, [on_base(take, place=(3.0, 0.0, 4.0), turn=0.5) for take in ways]))
    assert "face up to 180° apart" in capsys.readouterr().err
    assert np.abs(made.rotations[:, 2:] - plain.rotations[:, 1:]).max() < 1e-3
    filed = as_filed(made)
    assert filed.skeleton.names[:2] == ("joint_Root", "Hips")
    assert (
        np.abs(filed.root - [3.0, 0.0, 4.0]).max() < 1e-9
        and np.abs(np.diff(filed.rotations[:, 0], axis=0)).max() < 1e-9
    )


def test_info_says_axis_unit_rate_root_and_feet(
    takes: list[Clip], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rig = with_up(on_base(takes[0].changed(frame_time=0.016667)), "z")
    (path,) = written(tmp_path, [rig], "a")
    assert run(["info", path]) == 0
    said = re.sub(" +", " ", capsys.readouterr().out)
    for line in (
        "up z (found from the body)", "unit centimetres (guessed from the body's size)", "fps 59.999", "root Hips",
        "feet LeftFoot, RightFoot",
    ):  # fmt: skip
        assert f" {line}\n" in said
    assert run(["info", path, "--up", "y", "--unit", "in", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)["files"][0]
    assert (facts["up"], facts["up_from"], facts["unit_m"], facts["unit"]) == ("y", "as given", 0.0254, "inches")
    assert run(["info", path, "--unit", "furlong"]) == 2
    assert "is not a unit of length: give one of m, cm" in capsys.readouterr().err


def test_rounded_frame_times_are_one_rate(takes: list[Clip], tmp_path: Path) -> None:
    rounded = [takes[0].changed(frame_time=0.016667), takes[1].changed(frame_time=1.0 / 60.0)]
    paths = written(tmp_path, rounded)
    assert varied(tmp_path, paths).frame_time == 0.016667
    assert run(["convert", paths[0], str(tmp_path / "sixty.bvh"), "--fps", "60"]) == 0
    lines = [(tmp_path / name).read_text().splitlines() for name in ("a.bvh", "sixty.bvh")]
    differ = [(a, b) for a, b in zip(*lines, strict=True) if a != b]
    assert differ == [("Frame Time: 0.016667", f"Frame Time: {1.0 / 60.0!r}")]


def test_what_is_turned_or_scaled_is_said(
    takes: list[Clip], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = written(tmp_path, [takes[0], scaled(turned(takes[1], np.pi / 2), 0.01)])
    made = varied(tmp_path, paths)
    said = capsys.readouterr().err
    assert "b is in metres and a in centimetres, by the size of the bodies: scaled by 100" in said
    assert re.search(r"the takes face up to (89|90|91)° apart: they are turned to a common heading", said)
    travel = np.linalg.norm(made.root[-1] - made.root[0]) / made.duration
    assert travel == pytest.approx(np.linalg.norm(takes[0].root[-1] - takes[0].root[0]) / takes[0].duration, rel=0.1)
    assert run(["convert", paths[0], str(tmp_path / "a.glb")]) == 0
    assert "centimetres are guessed from the body's size: confirm with --unit cm" in capsys.readouterr().err
    assert run(["convert", paths[0], str(tmp_path / "a.glb"), "--unit", "cm", "--force"]) == 0
    assert capsys.readouterr().err == ""


def test_a_floor_that_cannot_be_found(takes: list[Clip], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (path,) = written(
        tmp_path, [takes[0].changed(root=takes[0].root + np.linspace(0, 500, len(takes[0]))[:, None])], "a"
    )
    assert run(["plant", path, "-o", str(tmp_path / "out.bvh")]) == 2
    assert "no foot is ever planted, so the floor cannot be found" in capsys.readouterr().err


def test_takes_that_share_a_name_are_called_by_their_files(
    takes: list[Clip], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exporters call every take "Take 001"; a sentence about two of them has to name their files."""
    other = ft.Skeleton(("a", "b"), np.array([-1, 0]), np.ones((2, 3)))
    still = np.tile([1.0, 0.0, 0.0, 0.0], (20, 2, 1))
    rod = Clip(other, 0.05, np.cumsum(np.ones((20, 3)), axis=0), still, unit_m=0.01)
    for name, clip in (("hero", takes[0].changed(unit_m=0.01)), ("rod", rod)):
        ft.write(tmp_path / f"{name}.fbx", clip.changed(name="Take 001"))
    files = [str(tmp_path / "hero.fbx"), str(tmp_path / "rod.fbx")]
    assert run(["learn", *files, "-o", str(tmp_path / "m.ftm")]) == 2
    assert re.search(r"hero.* and .*rod|rod.* and .*hero", capsys.readouterr().err.replace("\n", " "))
    assert run(["info", *files]) == 0
    assert "hero and rod have different skeletons" in capsys.readouterr().out.replace("\n", " ")
