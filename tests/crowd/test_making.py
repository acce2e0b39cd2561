"""Crowds: the same bytes however they are made, characters in position, runs that continue where one was stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.cli.entry import run
from freshtake.crowd import Group, Placement, Plan, crowd_make, read_shard
from freshtake.crowd.plan import shards_of
from freshtake.crowd.shards import finished

SECONDS = 0.4


def plan_of(model: Path, **changes: object) -> Plan:
    return Plan((Group(model),), **{"number": 5, "seconds": SECONDS, "shard_size": 2, **changes})  # type: ignore[arg-type]


def content(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.fixture(scope="module")
def made(walk: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five characters in three shards."""
    folder = tmp_path_factory.mktemp("made") / "crowd"
    done = crowd_make(plan_of(walk), folder, workers=1)
    assert (done.made, done.kept, done.missing) == (3, 0, 0)
    return folder


def test_bytes_do_not_depend_on_workers_or_parts(walk: Path, made: Path, tmp_path: Path) -> None:
    crowd_make(plan_of(walk), tmp_path / "two", workers=2)
    assert content(tmp_path / "two") == content(made)
    for part in ((2, 2), (1, 2)):
        assert not (tmp_path / "parts" / "manifest.json").exists()
        crowd_make(plan_of(walk), tmp_path / "parts", part=part, workers=1)
    assert content(tmp_path / "parts") == content(made)


def test_a_part_reads_its_own_shards_only_and_the_whole_reads_all(walk: Path, tmp_path: Path) -> None:
    crowd_make(plan_of(walk), tmp_path / "crowd", workers=1)
    path = tmp_path / "crowd" / "shard_000002.npz"
    whole = path.read_bytes()
    path.write_bytes(b"x" * len(whole))
    assert crowd_make(plan_of(walk), tmp_path / "crowd", part=(1, 3), workers=1).made == 0
    assert crowd_make(plan_of(walk), tmp_path / "crowd", workers=1).made == 1 and path.read_bytes() == whole


def test_characters_do_not_depend_on_the_size_of_shards(walk: Path, made: Path, tmp_path: Path) -> None:
    crowd_make(plan_of(walk, shard_size=5), tmp_path / "one", workers=1)
    whole = read_shard(tmp_path / "one" / "shard_000001.npz")
    for path in sorted(made.glob("shard_*.npz")):
        part = read_shard(path)
        for k, number in enumerate(part.numbers):
            np.testing.assert_array_equal(part.rotations[k], whole.rotations[number - 1])
            np.testing.assert_array_equal(part.roots[k], whole.roots[number - 1])


def test_characters_start_in_their_places_in_metres_and_face_their_headings(walk: Path, tmp_path: Path) -> None:
    groups = (Group(walk, heading=(90.0, 90.0), size=(0.5, 0.5), amount=(0.0, 0.0), phase=(0.0, 0.0)),)
    turned = Plan(groups, 4, 1.0, placement=Placement(spacing=3.0))
    crowd_make(turned, tmp_path / "turned", workers=1)
    shard = read_shard(tmp_path / "turned" / "shard_000001.npz")
    starts = np.array([root[0, [0, 2]] for root in shard.roots])
    np.testing.assert_allclose(starts, [[-1.5, -1.5], [1.5, -1.5], [-1.5, 1.5], [1.5, 1.5]], atol=1e-6)
    way = shard.roots[0][-1] - shard.roots[0][0]
    assert way[0] > 0.4 and abs(way[2]) < 0.1 * way[0]  # heading 90 walks along x
    assert way[0] < 0.9  # half as large a body walks half as far: 1.3 m/s becomes 0.65
    np.testing.assert_allclose(shard.rotations[1][1:, 1:], shard.rotations[0][1:, 1:], atol=1e-6)


def test_every_character_differs_unless_the_amount_is_none(made: Path) -> None:
    first, second = (read_shard(made / f"shard_00000{k}.npz") for k in (1, 2))
    frames = min(len(first.rotations[0]), len(second.rotations[0]))
    assert np.abs(first.rotations[0][:frames] - second.rotations[0][:frames]).max() > 1e-3
    assert all(len(root) == 1 + round(SECONDS * first.fps) for root in first.roots)


def test_the_manifest_says_what_is_there(made: Path) -> None:
    manifest = json.loads((made / "manifest.json").read_text())
    assert manifest["number"] == 5 and manifest["seed"] == 0 and manifest["mode"] == "unique"
    assert [(r["first"], r["last"]) for r in manifest["shards"]] == [(1, 2), (3, 4), (5, 5)]
    assert manifest["frames"] == 5 * (1 + round(SECONDS * manifest["fps"]))
    assert (made / "characters.csv").read_text().count("\n") == 6


def test_a_damaged_or_missing_shard_is_made_again_and_others_are_not(walk: Path, tmp_path: Path) -> None:
    folder = tmp_path / "crowd"
    crowd_make(plan_of(walk), folder, workers=1)
    before = content(folder)
    kept = (folder / "shard_000001.npz").stat().st_mtime_ns
    damaged = bytearray(before["shard_000002.npz"])
    damaged[-200] ^= 1
    (folder / "shard_000002.npz").write_bytes(damaged)
    (folder / "shard_000003.npz").unlink()
    again = crowd_make(plan_of(walk), folder, workers=1)
    assert (again.made, again.kept) == (2, 1)
    assert (folder / "shard_000001.npz").stat().st_mtime_ns == kept
    assert content(folder) == before


def test_killed_in_the_middle_it_goes_on(walk: Path, made: Path, tmp_path: Path) -> None:
    folder = tmp_path / "crowd"
    plan = tmp_path / "crowd.toml"
    plan.write_text(
        f'number = 40\nseconds = {SECONDS}\nshard_size = 1\n[[groups]]\nmodel = "{walk.as_posix()}"\n', encoding="utf-8"
    )
    command = [sys.executable, "-m", "freshtake", "crowd", str(plan), "-o", str(folder), "--workers", "1"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
        until = time.monotonic() + 300.0
        while len(list(folder.glob("records/*.json"))) < 3 and time.monotonic() < until and process.poll() is None:
            time.sleep(0.002)
        os.kill(process.pid, signal.SIGKILL)
    shards = shards_of(Plan((Group(walk),), 40, SECONDS, shard_size=1), 30.0)
    times = {s.name: (folder / f"{s.name}.npz").stat().st_mtime_ns for s in shards if finished(folder, s) is not None}
    assert 3 <= len(times) < 40 and not (folder / "manifest.json").exists()
    assert run(["crowd", str(plan), "-o", str(folder), "--workers", "1", "--quiet"]) == 0
    assert {name: (folder / f"{name}.npz").stat().st_mtime_ns for name in times} == times
    assert all(finished(folder, shard) is not None for shard in shards)
    assert len(json.loads((folder / "manifest.json").read_text())["shards"]) == 40
    assert list(folder.rglob("*.tmp")) == []
    same = read_shard(made / "shard_000001.npz")
    np.testing.assert_array_equal(read_shard(folder / "shard_000002.npz").rotations[0], same.rotations[1])


def test_other_settings_in_the_same_folder_are_refused_and_replaced_with_force(
    walk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["crowd", str(walk), "-n", "2", "--seconds", "0.3", "-o", str(tmp_path / "crowd"), "--workers", "1"]
    assert run([*words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["characters"] == 2 and told["shards_missing"] == 0
    assert run([*words, "--seed", "3"]) == 2
    said = capsys.readouterr().err
    assert "seed was 0 and is 3 now" in said and "--force" in said and len(said.splitlines()) == 1
    plan = tmp_path / "crowd.toml"
    plan.write_text(f'number = 2\nseconds = 0.3\n[[groups]]\nmodel = "{walk}"\nshare = 1.0\namount = [0.5, 1.0]\n')
    assert run(["crowd", str(plan), *words[6:]]) == 2
    assert "groups[0].amount was [1.0, 1.0] and is [0.5, 1.0] now" in capsys.readouterr().err
    (tmp_path / "crowd" / "notes.txt").write_text("mine")
    assert run([*words, "--format", "bvh", "--force"]) == 0
    names = {path.name for path in (tmp_path / "crowd").iterdir()}
    assert "shard_000001" in names and "shard_000001.npz" not in names and "notes.txt" in names
    clip = ft.read(tmp_path / "crowd" / "shard_000001" / "character_000002.bvh")
    assert isinstance(clip, ft.Clip) and len(clip) == 1 + round(0.3 * clip.fps)


def test_a_library_is_made_of_loops_that_characters_share(walk: Path, tmp_path: Path) -> None:
    plan = plan_of(walk, number=30, mode="library", variants=3, seconds=1.0, shard_size=None, fps=25.0)
    crowd_make(plan, tmp_path / "crowd", workers=1)
    shard = read_shard(tmp_path / "crowd" / "shard_000001.npz")
    assert len(shard.roots) == 3 and shard.fps == 25.0
    for root, travel in zip(shard.roots, shard.travel, strict=True):
        step = np.linalg.norm(np.diff(root, axis=0), axis=1).max()
        assert np.linalg.norm(root[0] + travel - root[-1]) < 1.5 * step  # the last frame leads into the first
    rows = (tmp_path / "crowd" / "characters.csv").read_text().splitlines()[1:]
    assert len(rows) == 30 and {row.split(",")[2] for row in rows} == {"1", "2", "3"}


@pytest.mark.parametrize(
    "words, sentence",
    [
        (["-n", "0"], "count must lie between 1 and 10000000, but is 0"),
        (["--seconds", "-1"], "seconds must be a finite number above 0 and at most 3600, but is -1"),
        (["--shard", "4/3"], "--shard is K/N"),
        (["--seed", "-1"], "seed must lie between 0 and"),
        (["--workers", "0"], "workers must lie between 1 and 10000, but is 0"),
        (["--scheduler", "tcp://127.0.0.1:1"], "add --engine dask"),
    ],
)
def test_bad_options_are_one_sentence(
    walk: Path, tmp_path: Path, words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["crowd", str(walk), "-o", str(tmp_path / "crowd"), *words]) == 2
    said = capsys.readouterr().err
    assert sentence in said and len(said.splitlines()) == 1
    assert not (tmp_path / "crowd").exists()


@pytest.mark.parametrize(
    "lines, sentence",
    [
        ('[[groups]]\nmodel = "nobody.ftm"', "groups[0].model: there is no model 'nobody.ftm'"),
        ('[[groups]]\nmodel = "walk.ftm"\nshare = 0.9', "groups: the shares must sum to 1, but sum to 0.9"),
        ('[placement]\nkind = "disc"\nradius = 1\n[[groups]]\nmodel = "walk.ftm"', "do not fit into a disc of 1 m"),
        ('[[groups]]\nmodel = "walk.ftm"\npaths = [[[0, 0]]]', "groups[0].paths[0]: 2 or more points of a path"),
        ('[[groups]]\nmodel = "damaged.ftm"', "damaged.ftm"),
    ],
)
def test_bad_plans_are_one_sentence(
    walk: Path, tmp_path: Path, lines: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "walk.ftm").write_bytes(walk.read_bytes())
    (tmp_path / "damaged.ftm").write_bytes(walk.read_bytes()[:500])
    (tmp_path / "crowd.toml").write_text(f"number = 9\n{lines}\n")
    assert run(["crowd", str(tmp_path / "crowd.toml"), "-o", str(tmp_path / "crowd")]) == 2
    said = capsys.readouterr().err
    assert sentence in said and len(said.splitlines()) == 1
    assert not (tmp_path / "crowd").exists()
    assert run(["crowd", str(tmp_path / "nobody.ftm"), "-o", str(tmp_path / "crowd")]) == 2
    assert "nobody.ftm" in capsys.readouterr().err


def test_a_phase_is_where_in_the_cycle_a_character_starts(walk: Path, tmp_path: Path) -> None:
    shards = []
    for name, phase in (("zero", 0.0), ("half", 0.5)):
        group = Group(walk, amount=(0.0, 0.0), phase=(phase, phase))
        crowd_make(Plan((group,), 1, 1.0, plant=False), tmp_path / name, workers=1)
        shards.append(read_shard(tmp_path / name / "shard_000001.npz").rotations[0][:, 1:])
    whole, half = shards
    off = [np.abs(whole[k : k + 10] - half[:10]).max() for k in range(len(whole) - 10)]
    assert off[0] > 0.3 and min(off) < 0.02 and 25 <= int(np.argmin(off)) <= 40  # of cycles of 64 frames


def test_one_part_of_a_thousand_makes_its_own_characters_only(walk: Path, tmp_path: Path) -> None:
    plan = plan_of(walk, number=10_000, seconds=0.2, shard_size=10)
    made = crowd_make(plan, tmp_path / "crowd", part=(500, 1000), workers=1)
    assert (made.made, made.missing) == (1, 999)
    assert read_shard(tmp_path / "crowd" / "shard_000500.npz").numbers.tolist() == list(range(4991, 5001))
    assert (tmp_path / "crowd" / "characters.csv").read_text().count("\n") == 10_001
