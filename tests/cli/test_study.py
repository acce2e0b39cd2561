"""`freshtake study` and `evaluate --baselines` as a user meets them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import freshtake
from freshtake.cli.entry import run
from freshtake.evaluation.study import Trial
from freshtake.evaluation.study.schedule import clones_of
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


def test_clones_in_a_crowd_and_a_choice_of_two(tmp_path: Path, capsys: Capture) -> None:
    for kind, count, seed in (("real", 2, 0), ("variant", 11, 1)):
        (tmp_path / kind).mkdir()
        for k, clip in enumerate(takes(seed, count)):
            freshtake.write(tmp_path / kind / f"{kind}_{k}.bvh", clip)
    sets = ["--variants", str(tmp_path / "variant"), "--captured", str(tmp_path / "real")]
    numbers = ["--participants", "4", "--trials", "4", "--sequences", "2", "--clips", "2", "--seed", "6"]
    folder = tmp_path / "study"
    assert run(["study", "design", "--experiment", "CD", *sets, *numbers, "-o", str(folder)]) == 0
    key = read_key(folder / "key.csv")
    crowds, pairs = ([s for s in key.values() if s.experiment == e] for e in "CD")
    assert len(crowds) == 4 and len(pairs) == 22
    for crowd in crowds:
        first, second = sorted(clones_of(crowd))
        names = [f"{crowd.name}_{k:02d}.bvh" for k in range(1, 13)]
        walkers = [freshtake.read_clip(folder / "stimuli" / name) for name in names]
        assert len({len(walker) for walker in walkers}) == 1 and len(set(crowd.sources)) == 11
        same = np.abs(walkers[first - 1].rotations - walkers[second - 1].rotations).max() < 1e-6
        assert same == (crowd.condition == "in step")
    for pair in pairs:
        kinds = [name.split("_")[0] for name in pair.sources]
        assert kinds == (["variant", "real"] if pair.condition == "variant left" else ["real", "variant"])
    capsys.readouterr()
    means = {
        ("C", "in step"): 20.0,
        ("C", "out of step"): 45.0,
        ("D", "variant left"): 2.0,
        ("D", "variant right"): 1.0,
    }
    trials = [Trial(*rating[:5]) for rating in read_ratings(folder / "ratings.csv")]
    filled = simulated_ratings(trials, key, means, deviation=0.2, rng=np.random.default_rng(1))
    write_ratings(folder / "ratings.csv", filled)
    assert run(["study", "analyze", str(folder), "-o", str(tmp_path / "figure.png"), "--json"]) == 0
    hunt, choice = json.loads(capsys.readouterr().out)["outcomes"]
    assert hunt["apart"]["mean"] == pytest.approx(-25.0, abs=1.0) and hunt["p"] < 1e-6 and hunt["not_found"] == 0
    assert [(one["condition"], one["scores"]) for one in choice["groups"]] == [("variants", 0), ("captured", 16)]
    assert choice["anova"] is None and choice["p"] == pytest.approx(2.0**-15)
    assert run(["study", "analyze", str(folder)]) == 0
    assert "sign test" in capsys.readouterr().out
    few = [str(tmp_path / "variant" / f"variant_{k}.bvh") for k in range(3)]
    assert run(["study", "design", "--experiment", "C", "--variants", *few, "-o", str(tmp_path / "no")]) == 2
    assert "needs 11 variants" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ([], "--variants"),
        (["--variants", "v.bvh", "--experiment", "E"], "choose A, B, C, D or several"),
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
