"""`learn`, `vary`, `stream` and `demo` as a user meets them."""

from __future__ import annotations

import json
import os
import runpy
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.cli.entry import run
from freshtake.formats.gltf import read_animations

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
KERNEL = [
    "--method",
    "kernel",
    "--prior-starts",
    "1",
    "--neighbors",
    "10",
    "--kernel-width",
    "0.3",
    "--velocity-weight",
    "0.5",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Takes of a letter and of a walk, and a model of each."""
    place = tmp_path_factory.mktemp("varying")
    assert run(["samples", "write", "letter_a", "walk", "-o", str(place)]) == 0
    assert run(["learn", *takes(place, "letter_a_*.csv"), "-o", str(place / "a.ftm")]) == 0
    assert run(["learn", *takes(place, "walk_*.bvh"), "-o", str(place / "walk.ftm")]) == 0
    return place


def takes(folder: Path, pattern: str) -> list[str]:
    return [str(path) for path in sorted(folder.glob(pattern))]


def test_a_name_with_an_ending_is_one_file(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, one = str(folder / "a.ftm"), tmp_path / "new" / "one.npz"
    assert run(["vary", model, "-o", str(one)]) == 2
    assert "-n 1" in (said := capsys.readouterr().err) and "--format npz" in said
    assert run(["vary", model, "-n", "1", "-o", str(one), "--format", "csv"]) == 2
    assert not one.parent.exists()
    assert run(["vary", model, "-n", "1", "-o", str(one), "--json"]) == 0
    capsys.readouterr()
    assert one.is_file()
    assert run(["vary", model, "-n", "1", "-o", str(tmp_path / "v1.5"), "--format", "npz"]) == 0  # 5 is no format
    np.testing.assert_array_equal(ft.read(tmp_path / "v1.5" / "variant_001.npz").points, ft.read(one).points)


def test_formats_that_hold_several_clips_get_all_variants_in_one_file(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("all.glb", "all.fbx"):
        assert run(["vary", str(folder / "walk.ftm"), "-n", "3", "-o", str(tmp_path / name), "--unit", "cm"]) == 0
        assert f"3 variants: {tmp_path / name}" in capsys.readouterr().out.replace("\n", "")
    names = [clip.name for clip in read_animations(tmp_path / "all.glb")]
    assert names == ["variant_001", "variant_002", "variant_003"]
    assert all(name.encode() in (tmp_path / "all.fbx").read_bytes() for name in names)


@pytest.mark.parametrize("length", [["--frames", "36"], ["--frames", "0.6s"], ["--seconds", "0.6"]])
def test_a_stream_is_as_long_as_asked(folder: Path, tmp_path: Path, length: list[str]) -> None:
    out = tmp_path / "s.bvh"
    assert run(["stream", str(folder / "walk.ftm"), *length, "-o", str(out)]) == 0
    clip = ft.read(out)
    assert len(clip) == (36 if "36" in length else round(0.6 / clip.frame_time))


def test_learn_says_what_it_learned(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "a.ftm"
    assert run(["learn", *takes(folder, "letter_a_*.csv"), "-o", str(out), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["examples"], facts["dofs"], facts["motion"]) == (4, 2, "acyclic")
    assert facts["whole_takes_share"] == 0.6 and facts["deviation"] > 0.0
    assert run(["learn", *takes(folder, "letter_a_*.csv"), "-o", str(out), "--cyclic", "--force"]) == 0
    said = capsys.readouterr().out
    assert "4 examples" in said and "repeats (cyclic)" in said and f"next: freshtake vary {out}" in said


def test_the_same_seed_gives_the_same_model(folder: Path, tmp_path: Path) -> None:
    command = ["learn", *takes(folder, "letter_a_*.csv"), "--seed", "5", "-o"]
    for name in ("1.ftm", "2.ftm"):
        assert run([*command, str(tmp_path / name)]) == 0
    assert (tmp_path / "1.ftm").read_bytes() == (tmp_path / "2.ftm").read_bytes()


def test_info_describes_a_model(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["info", str(folder / "walk.ftm"), str(folder / "walk_1.bvh"), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)["files"][0]
    assert facts["kind"] == "model" and facts["motion"] == "cyclic"
    assert facts["sources"] == [f"walk_{k}.bvh" for k in range(1, 5)]
    assert facts["fps"] == 60 and facts["examples"] == 4
    assert facts["whole_takes_share"] == 0.6
    assert run(["info", str(folder / "walk.ftm")]) == 0
    said = capsys.readouterr().out
    assert "variation" in said and "whole takes share" in said


def test_variants_are_in_the_format_of_the_examples(folder: Path, tmp_path: Path) -> None:
    assert run(["vary", str(folder / "walk.ftm"), "-n", "3", "-o", str(tmp_path / "deep" / "v")]) == 0
    made = sorted((tmp_path / "deep" / "v").iterdir())
    assert [path.name for path in made] == ["variant_001.bvh", "variant_002.bvh", "variant_003.bvh"]
    take = ft.read(folder / "walk_1.bvh")
    for path in made:
        clip = ft.read(path)
        assert clip.skeleton.names == take.skeleton.names
        assert clip.skeleton.channels == take.skeleton.channels
        assert clip.frame_time == pytest.approx(take.frame_time, abs=1e-7)
        assert 0.8 * len(take) < len(clip) < 1.2 * len(take)
    assert run(["vary", str(folder / "a.ftm"), "-n", "2", "-o", str(tmp_path / "a")]) == 0
    strokes = [ft.read(path) for path in sorted((tmp_path / "a").iterdir())]
    assert [type(stroke) for stroke in strokes] == [ft.Stroke, ft.Stroke]
    assert strokes[0].dimensions == ft.read(folder / "letter_a_1.csv").dimensions
    assert len(strokes[0]) != len(strokes[1]) or not np.allclose(strokes[0].points, strokes[1].points)


def test_draws_that_bodies_cannot_do_are_counted(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["vary", str(folder / "walk.ftm"), "-n", "6", "--amount", "4", "--json"]
    assert run([*asked, "-o", str(tmp_path / "v")]) == 0
    said = capsys.readouterr()
    guards = json.loads(said.out)["guards"]
    assert len(guards) == 6 and all(guard["left"] == [] for guard in guards)
    again = sum(guard["tries"] > 1 for guard in guards)
    assert "the range of recorded takes" in said.err
    assert (f"{again} of 6 variants" in said.err) == (again > 0)
    assert run([*asked, "--no-guard", "-o", str(tmp_path / "free")]) == 0
    free = capsys.readouterr()
    assert all(guard["tries"] == 1 for guard in json.loads(free.out)["guards"]) and "redrawn" not in free.err
    kept = [k for k, guard in enumerate(guards) if guard["tries"] == 1]
    files = [sorted((tmp_path / name).iterdir()) for name in ("v", "free")]
    assert all(files[0][k].read_bytes() == files[1][k].read_bytes() for k in kept)


def test_the_ending_of_the_examples_is_remembered(folder: Path, tmp_path: Path) -> None:
    for number in (1, 2):
        ft.write(tmp_path / f"a_{number}.npz", ft.read(folder / f"letter_a_{number}.csv"))
    assert run(["learn", *takes(tmp_path, "a_*.npz"), "-o", str(tmp_path / "m.ftm")]) == 0
    assert run(["vary", str(tmp_path / "m.ftm"), "-n", "1", "-o", str(tmp_path / "v")]) == 0
    assert [path.name for path in (tmp_path / "v").iterdir()] == ["variant_001.npz"]


def test_variants_of_acclaim_takes_are_bvh(data: Path, tmp_path: Path) -> None:
    clips = takes(data, "asfamc/throw/throw_[12].amc")
    assert run(["learn", *clips, "--fps", "60", "-o", str(tmp_path / "m.ftm")]) == 0
    assert run(["vary", str(tmp_path / "m.ftm"), "-n", "1", "-o", str(tmp_path / "v")]) == 0
    assert len(ft.read(tmp_path / "v" / "variant_001.bvh").skeleton) == 31


def test_a_variant_depends_on_its_seed_and_number_only(folder: Path, tmp_path: Path) -> None:
    for name, options in {"few": ["-n", "2"], "many": ["-n", "4"], "other": ["-n", "2", "--seed", "1"]}.items():
        assert run(["vary", str(folder / "a.ftm"), *options, "-o", str(tmp_path / name)]) == 0
    files = {name: [p.read_bytes() for p in sorted((tmp_path / name).iterdir())] for name in ("few", "many", "other")}
    assert files["few"] == files["many"][:2]
    assert len(set(files["many"] + files["other"])) == 6


def test_amount_cycles_and_format(folder: Path, tmp_path: Path) -> None:
    assert run(["vary", str(folder / "a.ftm"), "-n", "2", "-o", str(tmp_path / "mean"), "--amount", "0"]) == 0
    first, second = sorted((tmp_path / "mean").iterdir())
    assert first.read_bytes() == second.read_bytes()
    for cycles in ("1", "3"):
        options = ["-n", "1", "--cycles", cycles, "--format", "npz", "-o", str(tmp_path / cycles)]
        assert run(["vary", str(folder / "walk.ftm"), *options]) == 0
    one, three = (len(ft.read(tmp_path / cycles / "variant_001.npz")) for cycles in ("1", "3"))
    assert (three - 1) / (one - 1) == pytest.approx(3.0, rel=0.06)  # the tempo varies


def test_a_stream_has_exactly_the_frames_asked_for(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "walk.npz"
    assert run(["stream", str(folder / "walk.ftm"), "--frames", "333", "-o", str(out), "--seed", "2"]) == 0
    clip = ft.read(out)
    assert len(clip) == 333
    assert np.linalg.norm(clip.root[-1, [0, 2]] - clip.root[0, [0, 2]]) > 300.0  # it walks on, for five seconds


def test_one_clip_with_a_structure_learned_elsewhere(folder: Path, tmp_path: Path) -> None:
    single, out = str(folder / "letter_a_2.csv"), tmp_path / "one.ftm"
    assert run(["learn", single, "-o", str(out), "--structure", str(folder / "a.ftm")]) == 0
    assert len(ft.load(out).material.values) == 1
    assert run(["vary", str(out), "-n", "2", "-o", str(tmp_path / "v")]) == 0
    assert len(list((tmp_path / "v").glob("*.csv"))) == 2


def test_a_model_of_plain_arrays_varies_into_tables(tmp_path: Path) -> None:
    wave = np.sin(np.linspace(0.0, 6.0, 40))[:, None] * [1.0, 2.0]
    model = ft.variation.learn(
        [wave, 1.1 * wave + 0.1], rng=np.random.default_rng(0),
        names=["torque", "current"], frame_time=0.1, cyclic=False,
    )  # fmt: skip
    ft.save(tmp_path / "m.ftm", model)
    assert run(["vary", str(tmp_path / "m.ftm"), "-n", "1", "-o", str(tmp_path / "v")]) == 0
    made = ft.read(tmp_path / "v" / "variant_001.csv")
    assert made.dimensions == ("torque", "current")
    assert made.frame_time == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["learn", "letter_a_1.csv", "-o", "m.ftm", "--order", "2"], "--order is for --method paper"),
        (["learn", "letter_a_1.csv", "walk_1.bvh", "-o", "m.ftm"], "cannot be used together"),
        (["learn", "letter_a_1.csv", "letter_a_1.csv", "-o", "m.ftm"], "same recording"),
        (["learn", "letter_a_1.csv", "letter_a_2.csv", "-o", "m.zip"], ".ftm"),
        (["learn", "letter_a_1.csv", "letter_a_2.csv", "-o", "m.ftm", "--order", "9"], "order"),
        (["learn", "letter_a_1.csv", "letter_a_2.csv", "-o", "m.ftm", "--seed", "-1"], "seed"),
        (["learn", "letter_a_1.csv", "-o", "m.ftm", "--structure", "walk.ftm"], "stroke"),
        (["learn", "letter_a_1.csv", "-o", "m.ftm", "--structure", "a.ftm", "--order", "1"], "--structure"),
        (["vary", "walk_1.bvh", "-o", "v"], "walk_1.bvh"),
        (["vary", "a.ftm", "-o", "v", "-n", "0"], "count"),
        (["vary", "a.ftm", "-o", "v", "--cycles", "2"], "does not repeat"),
        (["vary", "walk.ftm", "-o", "v", "--cycles", "0"], "cycles"),
        (["vary", "a.ftm", "-o", "v", "--amount", "-1"], "amount"),
        (["vary", "a.ftm", "-o", "v", "--amount", "nan"], "amount"),
        (["vary", "a.ftm", "-o", "v", "--format", "docx"], "docx"),
        (["vary", "a.ftm", "-o", "v", "--format", "bvh"], "v/variant_001.bvh"),
        (["vary", "a.ftm", "-o", "."], "not empty"),
        (["stream", "a.ftm", "--frames", "10", "-o", "s.csv"], "does not repeat"),
        (["stream", "walk.ftm", "--frames", "0", "-o", "s.bvh"], "frames"),
        (["stream", "walk.ftm", "--frames", "10", "-o", "s.docx"], "docx"),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_nothing(
    arguments: list[str], says: str, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    before = sorted(folder.rglob("*"))
    assert run(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert len(printed.err.strip().splitlines()) == 1
    assert says in printed.err
    assert sorted(folder.rglob("*")) == before


def test_an_interrupted_learn_leaves_nothing(folder: Path, tmp_path: Path) -> None:
    program = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "import time, freshtake.variation.learning as l; from freshtake.cli.entry import main\n"
        "def told(*a): print('now', flush=True); time.sleep(3600)\n"
        "l.model_of = told; main()"
    )
    command = [sys.executable, "-c", program, "learn", *takes(folder, "walk_*.bvh"), "-o", str(tmp_path / "m.ftm")]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout is not None and child.stdout.readline() == "now\n"
    time.sleep(0.1)
    os.kill(child.pid, signal.SIGINT)
    _, errors = child.communicate()
    assert child.returncode == 130
    assert len(errors.strip().splitlines()) == 1 and "stopped" in errors
    assert list(tmp_path.iterdir()) == []


def test_demo_leaves_what_it_lists(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["demo", "-o", str(tmp_path / "d"), "--json"]) == 0
    made = json.loads(capsys.readouterr().out)["made"]
    assert all(Path(item["path"]).exists() for item in made)
    names = {Path(item["path"]).name for item in made}
    assert {"takes", "walk.ftm", "variants", "report.html", "variants.glb", "overlay_variants.png"} <= names
    assert len(list((tmp_path / "d" / "variants").iterdir())) == 15
    assert ft.read(tmp_path / "d" / "variants.glb", animation="variant_015").name == "variant_015"


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("0[1-57]_*.py")), ids=lambda path: path.stem)
def test_examples_run_and_are_short(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(path.read_text().splitlines()) < 60
    monkeypatch.setattr(sys, "argv", [str(path), str(tmp_path / "out")])
    runpy.run_path(str(path), run_name="__main__")
    assert any(made.suffix in (".bvh", ".csv") for made in (tmp_path / "out").iterdir())


def test_goals_parts_and_planting_from_the_command_line(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, take = str(folder / "walk.ftm"), str(folder / "walk_1.bvh")
    pins = tmp_path / "pins.json"
    clip = ft.read(take)
    place = (clip.positions()[20, clip.skeleton.index("LeftHand")] + [0.0, 2.0, 0.0]).tolist()
    pins.write_text(json.dumps([{"joint": "LeftHand", "frame": 20, "position": place}]))
    options = ["--start", f"{take}:0", "--end", f"{take}:-1", "--pins", str(pins), "--part", "arms=0.5"]
    assert run(["vary", model, "-n", "2", "-o", str(tmp_path / "v"), *options, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert len(said["written"]) == len(said["goals"]) == 2
    assert all(report["pose_error"] < 1e-6 and len(report["place_errors"]) == 1 for report in said["goals"])
    way = tmp_path / "way.csv"
    way.write_text("x,z\n0,0\n0,300\n300,600\n")
    for name, more in {"free": [], "led": ["--path", str(way)], "kept": ["--heading", "0", "--no-plant"]}.items():
        assert run(["stream", model, "--frames", "300", "-o", str(tmp_path / f"{name}.npz"), *more]) == 0
    free, led, kept = (ft.read(tmp_path / f"{name}.npz") for name in ("free", "led", "kept"))
    assert not np.allclose(free.root, led.root)
    assert "of the path's 724.3 centimetres, off by" in capsys.readouterr().out
    assert not np.allclose(free.root, kept.root)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--part", "tail=1"], "no body part, joint or DOF 'tail'"),
        (["--part", "arms"], "write NAME=NUMBER"),
        (["--amount", "5"], "must lie between 0 and 4"),
        (["--start", "missing.bvh"], "missing.bvh"),
        (["--duration", "0"], "a time above 0 and below 1e9 s was expected, not 0 s"),
        (["--heading", "0", "--path", "x.csv"], "cannot both be followed"),
    ],
)
def test_bad_goals_end_in_one_sentence(
    folder: Path, tmp_path: Path, options: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["vary", str(folder / "walk.ftm"), "-n", "1", "-o", str(tmp_path / "v"), *options]) == 2
    said = capsys.readouterr().err.strip()
    assert sentence in said and "\n" not in said
    assert not (tmp_path / "v").exists()


def torn(decoded: ft.Clip, *rest: object) -> ft.Clip:
    """A motion that jumps three metres between two frames, as a broken method might produce."""
    return decoded.changed(root=decoded.root + np.where(np.arange(len(decoded)) < 20, 0.0, 300.0)[:, None])


@pytest.mark.parametrize("command", [["vary", "-n", "3", "-o", "out"], ["stream", "--frames", "90", "-o", "out.bvh"]])
def test_what_no_body_does_is_refused_and_not_written(
    command: list[str],
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    verb, *options = command
    assert run([verb, str(folder / "walk.ftm"), *options]) == 0
    assert "are as in the takes" in capsys.readouterr().out.replace("\n", " ")
    module = "varying" if verb == "vary" else "streaming"
    monkeypatch.setattr(f"freshtake.workflows.{module}.as_motion", torn)
    for path in sorted(tmp_path.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    assert run([verb, str(folder / "walk.ftm"), *options]) == 2
    said = capsys.readouterr().err
    assert ", frame 19: " in said and "leg lengths a second" in said and "--keep-going" in said
    assert list(tmp_path.iterdir()) == []
    assert run([verb, str(folder / "walk.ftm"), *options, "--keep-going", "--json"]) == 0
    printed = capsys.readouterr()
    assert {one["color"] for one in json.loads(printed.out)["verdicts"]} == {"red"}
    assert "leg lengths a second" in printed.err
    assert len(list(tmp_path.iterdir())) == 1
