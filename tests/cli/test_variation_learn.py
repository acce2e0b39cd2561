"""`learn` with takes it cannot learn from: one sentence, exit code 2, no model; unlike takes get a warning."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.cli.entry import run
from freshtake.motion.edit import resample, take_frames


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Good takes, and one with each kind of problem."""
    place = tmp_path_factory.mktemp("refusals")
    assert run(["samples", "write", "letter_a", "walk", "jump", "-o", str(place)]) == 0
    walk, letter = ft.read(place / "walk_2.bvh"), ft.read(place / "letter_a_2.csv")
    assert isinstance(walk, ft.Clip) and isinstance(letter, ft.Stroke)
    ft.write(place / "fast.bvh", resample(walk, 100.0))
    ft.write(place / "short.bvh", take_frames(walk, 0, 3))
    ft.write(place / "copy.bvh", ft.read(place / "walk_1.bvh"))
    still = {"rotations": np.repeat(walk.rotations[:1], 20, axis=0), "root": np.repeat(walk.root[:1], 20, axis=0)}
    ft.write(place / "still.bvh", walk.changed(**still))
    for number, shift in ((1, 0.0), (2, 1.0)):
        ft.write(place / f"flat_{number}.csv", replace(letter, points=np.full(letter.points.shape, shift)))
        ft.write(place / f"same_{number}.csv", replace(letter, points=np.full(letter.points.shape, 2.0)))
    for name in ("walk_2.bvh", "letter_a_2.csv"):
        lines = (place / name).read_text().splitlines()
        words = lines[-3].replace(",", " , ").split(" ")
        words[[k for k, word in enumerate(words) if word not in ("", ",")][1]] = "nan"
        lines[-3] = " ".join(words).replace(" , ", ",")
        (place / f"nan{Path(name).suffix}").write_text("\n".join(lines) + "\n")
    other = (place / "jump_1.bvh").read_text().replace("LeftLeg", "LeftKnee")
    (place / "other.bvh").write_text(other)
    return place


@pytest.mark.parametrize(
    ("takes", "says"),
    [
        (["walk_1.bvh", "fast.bvh"], "fast (100 fps) and walk_1 (60 fps) have different frame rates: resample"),
        (["walk_1.bvh", "short.bvh"], "example 2 (short) has 3 frames: at least 4 are needed"),
        (["walk_1.bvh", "copy.bvh"], "walk_1 and copy are the same recording"),
        (["walk_1.bvh", "nan.bvh"], "nan.bvh: line"),
        (["letter_a_1.csv", "nan.csv"], "nan.csv: line"),
        (["walk_1.bvh", "still.bvh"], "example 2 (still) never moves: leave it out"),
        (["letter_a_1.csv", "flat_2.csv"], "example 2 (flat_2) never moves"),
        (["flat_1.csv", "flat_2.csv"], "nothing moves in these examples: there is nothing to learn"),
        (["walk_1.bvh", "other.bvh"], "walk_1 and other have different skeletons: only walk_1 has the joint 'LeftLeg'"),
    ],
)
def test_one_sentence(takes: list[str], says: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(folder.iterdir())
    assert run(["learn", *[str(folder / name) for name in takes], "-o", str(folder / "m.ftm")]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert len(printed.err.strip().splitlines()) == 1
    assert says in printed.err
    assert sorted(folder.iterdir()) == before


def test_takes_that_are_one_point_each(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whether they count as equal or as motionless, it is one sentence."""
    takes = [str(folder / "same_1.csv"), str(folder / "same_2.csv")]
    assert run(["learn", *takes, "-o", str(folder / "m.ftm")]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_dofs_that_never_change_are_left_out(folder: Path, tmp_path: Path) -> None:
    for number in (1, 2, 3):
        stroke = ft.read(folder / f"letter_a_{number}.csv")
        assert isinstance(stroke, ft.Stroke)
        ft.write(tmp_path / f"{number}.csv", replace(stroke, points=stroke.points * [1.0, 0.0]))
    out = tmp_path / "m.ftm"
    assert run(["learn", *[str(tmp_path / f"{k}.csv") for k in (1, 2, 3)], "-o", str(out)]) == 0
    made = ft.load(out).sample(np.random.default_rng(0))
    assert made.points.shape[1] == 2 and (made.points[:, 1] == made.points[0, 1]).all()


def test_an_unlike_take_is_named_with_its_figure(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    walks = [str(folder / f"walk_{k}.bvh") for k in (1, 2, 3, 4)]
    assert run(["learn", *walks, "-o", str(tmp_path / "like.ftm")]) == 0
    assert "left out" not in capsys.readouterr().err
    mixed = [*walks[:3], str(folder / "jump_1.bvh")]
    assert run(["learn", *mixed, "-o", str(tmp_path / "mixed.ftm"), "--acyclic"]) == 0
    said = [line for line in capsys.readouterr().err.splitlines() if "left out" in line]
    assert len(said) == 1
    assert "left out jump_1: both legs swing" in said[0] and "--keep" in said[0]
    assert len(ft.load_variation(tmp_path / "mixed.ftm").material.values) == 3
    assert run(["learn", *mixed, "-o", str(tmp_path / "all.ftm"), "--acyclic", "--keep"]) == 0
    assert "left out" not in capsys.readouterr().err
    assert len(ft.load_variation(tmp_path / "all.ftm").material.values) == 4


def test_two_takes_of_different_movements_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    makers = {"walk": ft.samples.walk, "jump": ft.samples.jump}
    for name, maker in makers.items():
        for k in range(2):
            ft.write(tmp_path / f"{name}_{k}.bvh", maker(np.random.default_rng(k)))
    for pair, unlike in ((("walk_0", "walk_1"), False), (("jump_0", "jump_1"), False), (("walk_0", "jump_0"), True)):
        given = [str(tmp_path / f"{name}.bvh") for name in pair]
        assert run(["learn", *given, "-o", str(tmp_path / "m.ftm"), "--force"]) == (2 if unlike else 0)
        assert ("differ from each other" in capsys.readouterr().err) is unlike


def test_long_walks_are_cut_and_it_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Walks of several strides that begin anywhere, as people record them: the model is of one stride, and repeats."""
    for k in range(2):
        take = ft.samples.walk(np.random.default_rng(k), cycles=4.0)
        start = round(0.4 * k * len(take) / 4)
        ft.write(tmp_path / f"walk_{k}.bvh", take_frames(take, start, len(take)))
    out, takes = tmp_path / "m.ftm", [str(tmp_path / f"walk_{k}.bvh") for k in range(2)]
    assert run(["learn", *takes, "-o", str(out)]) == 0
    said = capsys.readouterr().err
    assert "took 7 cycles of 2 takes" in said and "--whole" in said
    model = ft.load_variation(out)
    assert model.cyclic and all(len(x) * model.frame_time < 1.3 for x in model.material.values)
    assert run(["learn", *takes, "-o", str(out), "--force", "--whole", "--acyclic"]) == 0
    assert [len(x) for x in ft.load_variation(out).material.values] == [len(ft.read_clip(path)) for path in takes]
    assert run(["learn", *takes, "-o", str(out), "--force", "--whole", "--cycles"]) == 2
