"""`freshtake compress`, there and back."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.cli.entry import run
from freshtake.errors import FormatError
from freshtake.formats.npz.archive import write_archive
from freshtake.formats.rebuild_files import Dropped, read_rebuilds, write_rebuilds
from freshtake.motion.features import Start
from freshtake.variation.compression.rebuilding import Rebuild

TAKES = [f"take_{k}.csv" for k in range(6)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("compressing")
    for k, name in enumerate(TAKES):
        ft.write(place / name, ft.samples.letter_a(np.random.default_rng([3, k])))
    ft.write(place / "walk.bvh", ft.samples.walk(np.random.default_rng(1), cycles=1))
    (place / "sub").mkdir()
    (place / "sub" / "take_0.csv").write_bytes((place / "take_0.csv").read_bytes())
    return place


def test_there_and_back(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    packed, again = tmp_path / "packed", tmp_path / "again"
    assert run(["compress", *TAKES, "-o", str(packed), "--error", "5", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    dropped = {one["take"]: one for one in facts["dropped"]}
    assert {*facts["kept"], *dropped} == set(TAKES) and len(facts["kept"]) >= 2 and dropped
    assert all(one["error"] <= 5.0 for one in dropped.values()) and facts["size"] < 1.0
    for name in facts["kept"]:
        assert (packed / "kept" / name).read_bytes() == (folder / name).read_bytes()
    assert json.loads((packed / "compression.json").read_text())["kept"] == facts["kept"]
    assert run(["compress", str(packed), "--restore", "-o", str(again)]) == 0
    assert "wrote" in capsys.readouterr().out
    assert {path.name for path in again.iterdir()} == set(dropped)
    for name, one in dropped.items():
        take, made = ft.read(folder / name), ft.read(again / name)
        assert isinstance(take, ft.Stroke) and isinstance(made, ft.Stroke)
        off = np.sqrt(((made.points - take.points) ** 2).sum(axis=1).mean()) / np.linalg.norm(
            np.ptp(take.points, axis=0)
        )
        assert 100 * off == pytest.approx(one["error"], abs=0.02)
    assert run(["vary", str(packed / "model.ftm"), "-n", "2", "-o", str(tmp_path / "variants")]) == 0


def test_a_model_alone(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    assert run(["compress", *TAKES, "-o", str(tmp_path / "a.ftm"), "--error", "8%"]) == 0
    said = capsys.readouterr().out
    assert "kept: " in said and "plain PCA" in said
    assert len(ft.load(tmp_path / "a.ftm").material.values) == said.count("kept     ")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([*TAKES[:2], "-o", "out"], "at least 3"),
        (["-o", "out"], "at least 3"),
        ([*TAKES, "-o", "out", "--error", "0"], "the error is a number above 0"),
        ([*TAKES, "-o", "out", "--error", "2 miles"], "the error is a number above 0"),
        ([*TAKES, "-o", "out", "--error", "1cm"], "needs clips whose unit of length is known"),
        ([*TAKES, "walk.bvh", "-o", "out"], "different kinds"),
        ([*TAKES, "sub/take_0.csv", "-o", "out"], "the same file name"),
        ([*TAKES, "missing.csv", "-o", "out"], "there is no such file"),
        ([*TAKES, "-o", "sub"], "not empty"),
        ([*TAKES, "-o", "out", "--format", "csv"], "--restore only"),
        (["sub", "--restore", "-o", "out"], "model.ftm"),
        ([*TAKES, "--restore", "-o", "out"], "one folder that freshtake compress wrote"),
    ],
)
def test_bad_input_is_one_sentence(
    folder: Path, arguments: list[str], says: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    assert run(["compress", *arguments]) == 2
    printed = capsys.readouterr()
    assert says in printed.err and len(printed.err.splitlines()) == 1 and printed.out == ""
    assert not (folder / "out").exists()


def test_dropped_takes_survive_their_file_and_must_fit_the_model(tmp_path: Path) -> None:
    path = tmp_path / "dropped.npz"
    rng = np.random.default_rng(1)
    shares = rng.normal(size=(2, 3, 4)).astype(np.float32).astype(np.float64)
    one = Dropped(Rebuild(30, 2, np.zeros(8), shares), Start((1.0, 2.0), 0.5, 3.0, (4.0,)))
    write_rebuilds(path, {"a.bvh": one})
    found = read_rebuilds(path, 3, 4)["a.bvh"]
    assert found.start == one.start and found.numbers.frames == 30 and found.numbers.level == 2
    np.testing.assert_array_equal(found.numbers.shares, shares)
    with pytest.raises(FormatError, match="do not fit the model"):
        read_rebuilds(path, 2, 4)
    write_rebuilds(path, {"a.bvh": one._replace(numbers=one.numbers._replace(level=3))})
    with pytest.raises(FormatError, match="do not fit the model"):
        read_rebuilds(path, 3, 4)
    write_archive(path, {"x": np.zeros(2)})
    with pytest.raises(FormatError, match="not a file of dropped takes"):
        read_rebuilds(path, 3, 4)
