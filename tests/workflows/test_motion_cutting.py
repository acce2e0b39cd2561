"""Takes into clips, by the command."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import freshtake
from freshtake.cli.entry import run
from freshtake.motion import Clip
from freshtake.motion.cycles.cycles import find_cycles
from freshtake.motion.edit import concatenate, take_frames
from freshtake.requests import Cut
from freshtake.workflows import cut


def pieces(take: Path, folder: Path, capsys: pytest.CaptureFixture[str], *options: str) -> list[dict[str, int | str]]:
    """What the command reports, checked against the files and the take itself."""
    assert run(["cut", str(take), "-o", str(folder), *options, "--json"]) == 0
    said: list[dict[str, int | str]] = json.loads(capsys.readouterr().out)["clips"]
    assert sorted(str(p) for p in folder.iterdir()) == [piece["file"] for piece in said]
    whole = freshtake.read(take)
    assert isinstance(whole, Clip)
    for piece in said:
        clip = freshtake.read(str(piece["file"]))
        assert isinstance(clip, Clip)
        assert np.array_equal(clip.root, whole.root[piece["start"] : piece["stop"]])
    return said


def test_takes_that_share_a_name_are_cut_under_the_names_of_their_files(tmp_path: Path) -> None:
    """Mixamo calls the animation of every file mixamo.com."""
    for seed in range(2):
        take = freshtake.samples.walk(np.random.default_rng(seed), cycles=3).changed(name="mixamo.com", unit_m=0.01)
        freshtake.write(tmp_path / f"walk_{seed}.fbx", take)
    files = [str(tmp_path / f"walk_{seed}.fbx") for seed in range(2)]
    assert run(["cut", *files, "-o", str(tmp_path / "out")]) == 0
    assert {path.stem[:-4] for path in (tmp_path / "out").iterdir()} == {"walk_0", "walk_1"}


@pytest.mark.parametrize("options", [[], ["--cycles"]])
def test_cycles_include_both_ends(options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    take = freshtake.samples.walk(np.random.default_rng(3), cycles=5)
    freshtake.write(tmp_path / "take.bvh", take)
    found = find_cycles(freshtake.read(tmp_path / "take.bvh")).spans  # type: ignore[arg-type]
    said = pieces(tmp_path / "take.bvh", tmp_path / "out", capsys, *options)
    assert [(piece["start"], piece["stop"]) for piece in said] == [(first, last + 1) for first, last in found]
    assert len(said) >= 3
    assert all(before["stop"] == int(after["start"]) + 1 for before, after in pairwise(said))


def test_repetitions_of_an_action(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    jumps = [freshtake.samples.jump(np.random.default_rng(seed)) for seed in range(4)]
    freshtake.write(tmp_path / "like.bvh", jumps[0])
    freshtake.write(tmp_path / "take.bvh", concatenate(jumps[1:]))
    said = pieces(tmp_path / "take.bvh", tmp_path / "out", capsys, "--like", str(tmp_path / "like.bvh"))
    starts = np.cumsum([0, *[len(jump) for jump in jumps[1:]]])
    assert len(said) == 3
    for piece, start, stop in zip(said, starts, starts[1:], strict=False):
        overlap = min(int(piece["stop"]), stop) - max(int(piece["start"]), start)
        assert overlap > 0.75 * (stop - start)


def test_pieces_of_an_amc_get_their_skeleton(data: Path, tmp_path: Path) -> None:
    """Without the ASF next to them the pieces could not be read."""
    source = data / "asfamc" / "walk" / "walk_1.amc"
    made = cut(Cut(takes=[source], out=tmp_path / "out", between="5:40", fps=60.0))
    again = freshtake.read(made[0].path, fps=60.0)
    assert len(again) == 35
    assert [p.name for p in sorted((tmp_path / "out").glob("*.asf"))] == ["35.asf"]


def test_takes_of_one_command_begin_with_the_same_foot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two walks whose recordings began half a stride apart, as in practice."""
    for name, late in (("a", 0.0), ("b", 0.5)):
        take = freshtake.samples.walk(np.random.default_rng(5), cycles=3.0)
        period = len(take) / 3
        piece = take_frames(take, round(late * period), round((late + 2.05) * period))
        freshtake.write(tmp_path / f"{name}.bvh", piece)
    assert run(["cut", str(tmp_path / "a.bvh"), str(tmp_path / "b.bvh"), "-o", str(tmp_path / "out"), "--json"]) == 0
    ahead = []
    for piece in json.loads(capsys.readouterr().out)["clips"]:
        clip = freshtake.read_clip(piece["file"])
        left, right = (clip.positions()[0, clip.skeleton.names.index(name)] for name in ("LeftFoot", "RightFoot"))
        ahead.append(float((left - right) @ (clip.root[-1] - clip.root[0])))
    assert len(ahead) >= 3
    assert len(set(np.sign(ahead))) == 1
