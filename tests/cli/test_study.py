"""`freshtake study` and `evaluate --baselines` as a user meets them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import freshtake
from freshtake.cli.entry import run
from freshtake.evaluation.study import Trial
from freshtake.formats.study_csv import read_key, read_ratings, write_ratings
from tests.evaluation.stepping import takes
from tests.evaluation.study.simulated_raters import simulated_ratings

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    folder = tmp_path_factory.mktemp("takes")
    out: dict[str, list[str]] = {}
    for seed, (kind, count) in enumerate({"input": 2, "variant": 3}.items()):
        out[kind] = [str(folder / f"{kind}_{k}.bvh") for k in range(count)]
        for path, clip in zip(out[kind], takes(seed, count), strict=True):
            freshtake.write(path, clip)
    return out


@pytest.mark.parametrize("verb", ["study design", "study analyze"])
def test_help_has_examples(verb: str, capsys: Capture) -> None:
    assert run([*verb.split(), "--help"]) == 0
    assert f"freshtake {verb}" in capsys.readouterr().out.split("Examples", 1)[1]


def test_evaluate_with_baselines(files: dict[str, list[str]], tmp_path: Path, capsys: Capture) -> None:
    command = ["evaluate", "--inputs", *files["input"], "--outputs", *files["variant"][:2], "--baselines", "-o"]
    assert run([*command, str(tmp_path / "r.html")]) == 0
    printed = capsys.readouterr().out
    assert printed.splitlines()[0].split() == [
        "variants", "real", "takes", "strawman", "perlin", "pca", "convex", "replay",
    ]  # fmt: skip
    line = next(row for row in printed.splitlines() if "equal an input frame" in row)
    assert line.rstrip().endswith("100 % ▲")
    assert "Next to baselines" in (tmp_path / "r.html").read_text()


def designed(files: dict[str, list[str]], folder: Path) -> int:
    sets = ["--variants", *files["variant"], "--inputs", *files["input"], "--captured", *files["input"]]
    numbers = ["--participants", "4", "--trials", "5", "--sequences", "2", "--clips", "3", "--seed", "6"]
    return run(["study", "design", "--motion", "step", *sets, *numbers, "-o", str(folder)])


def test_a_study_from_design_to_figure_8(files: dict[str, list[str]], tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "study"
    assert designed(files, folder) == 0
    assert "9 stimuli and 40 trials" in capsys.readouterr().out
    key, ratings = read_key(folder / "key.csv"), read_ratings(folder / "ratings.csv")
    assert {path.stem for path in (folder / "stimuli").iterdir()} == set(key)
    order = [s.condition for s in key.values() if s.experiment == "A"]
    assert sorted(order) == ["captured"] * 2 + ["variants"] * 3 and order not in (sorted(order), sorted(order)[::-1])
    sheet = (folder / "ratings.csv").read_text() + "".join(p.read_text() for p in (folder / "stimuli").iterdir())
    assert not any(word in sheet for word in ("variant", "cycle", "captured"))  # blind
    longest = {len(freshtake.read(folder / "stimuli" / f"{n}.bvh")) for n, s in key.items() if s.experiment == "B"}
    assert min(longest) > 190
    assert run(["study", "analyze", str(folder)]) == 2  # nothing is filled in
    assert "no score" in capsys.readouterr().err
    means = {("A", "variants"): 6.0, ("A", "captured"): 6.0, ("B", "variants"): 3.0, ("B", "cycle"): 7.0}
    trials = [Trial(*rating[:5]) for rating in ratings]
    filled = simulated_ratings(trials, key, means, deviation=1.0, rng=np.random.default_rng(1))
    write_ratings(folder / "ratings.csv", filled)
    assert run(["study", "analyze", str(folder), "-o", str(tmp_path / "figure8.png"), "--json"]) == 0
    a, b = json.loads(capsys.readouterr().out)["outcomes"]
    assert a["measure"] == "naturalness" and b["anova"]["p"] < 0.001 and b["simulated"]
    assert (tmp_path / "figure8.png").read_bytes().startswith(b"\x89PNG")
    assert run(["study", "analyze", str(folder / "ratings.csv"), "--key", str(folder / "key.csv")]) == 0
    assert "simulated raters, not people" in capsys.readouterr().out
    again = tmp_path / "again"
    assert designed(files, again) == 0
    assert (again / "key.csv").read_bytes() == (folder / "key.csv").read_bytes()


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ([], "--variants"),
        (["--variants", "v.bvh", "--experiment", "C"], "choose A, B or both"),
        (["--variants", "v.bvh", "--experiment", "A"], "--captured"),
        (["--variants", "v.bvh", "--experiment", "B", "--captured", "c.bvh"], "--inputs"),
        (["--variants", "v.bvh", "--inputs", "i.bvh", "--motion", "a/b"], "'a/b'"),
        (["--variants", "v.bvh", "--inputs", "i.bvh"], ".bvh: there is no such file"),
        (["--variants", "v.bvh", "--inputs", "i.bvh", "--clips", "0"], "clips must lie"),
    ],
)
def test_bad_designs_are_one_sentence(
    more: list[str], says: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["study", "design", "-o", "study", *more]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and len(printed.err.strip().splitlines()) == 1 and says in printed.err
    assert list(tmp_path.iterdir()) == []


def test_bad_tables_are_one_sentence(tmp_path: Path, capsys: Capture) -> None:
    bad = tmp_path / "ratings.csv"
    bad.write_text("participant,position,experiment,motion,stimulus,score\np,1,A,walk,s,12\n")
    for arguments, says in (
        ([], "is missing"),
        ([str(bad)], "line 2"),
        ([str(tmp_path / "x.csv")], "no such file"),
    ):
        assert run(["study", "analyze", *arguments]) == 2
        printed = capsys.readouterr()
        assert printed.out == "" and len(printed.err.strip().splitlines()) == 1 and says in printed.err
