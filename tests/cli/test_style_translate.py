"""`freshtake style learn` and `apply` from the shell's side."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import freshtake as ft
from freshtake.cli.entry import run
from freshtake.motion.edit import take_frames
from tests.style.pairs_of_clips import model, walk, walk_pairs


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("style")
    for k, (a, b) in enumerate(walk_pairs()[:3]):
        for name, clip in (("normal", a), ("limp", b)):
            (folder / name).mkdir(exist_ok=True)
            ft.write(folder / name / f"{name}_{k}.bvh", clip)
    ft.write(folder / "walk.bvh", walk(90))
    ft.save(folder / "limp.ftm", model())
    return folder


def test_two_folders_are_paired_by_content_and_a_page_is_written(
    files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "m.ftm"
    arguments = [
        "style",
        "learn",
        "--source",
        str(files / "normal"),
        "--target",
        str(files / "limp"),
        "-o",
        str(target),
    ]
    page = tmp_path / "page.html"
    assert run([*arguments, "--order", "2", "--report", str(page)]) == 0
    shown = capsys.readouterr()
    assert "normal_0" in shown.err and "leg lengths/s" in shown.err  # the table of pairs
    assert "joints of left-out clips are" in shown.out and "asked for" not in shown.out
    text = page.read_text()
    assert "mean/variance" in text and text.count("<img") >= 3
    assert len(ft.load(target).pairs) > 3  # every clip with every one of like content


def test_lists_pair_by_order_and_json_stands_alone(
    files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lists = [sorted((files / name).iterdir()) for name in ("normal", "limp")]
    arguments = ["style", "learn", "--source", *map(str, lists[0]), "--target", *map(str, lists[1])]
    assert run([*arguments, "-o", str(tmp_path / "m.ftm"), "--order", "3", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [row["target"] for row in told["pairs"]] == ["limp_0", "limp_1", "limp_2"]
    assert told["spectral_radius"] < 1.0


def test_apply_writes_the_clip_and_the_page(files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, page = tmp_path / "limping.bvh", tmp_path / "page.html"
    arguments = ["style", "apply", str(files / "limp.ftm"), str(files / "walk.bvh"), "-o", str(out)]
    assert run([*arguments, "--report", str(page), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert len(ft.read(out)) == told["frames_out"] > 1
    assert page.read_text().count("<img") == 4
    assert run([*arguments, "--force", "--no-time-warp", "--no-plant", "--no-generalize"]) == 0
    assert len(ft.read(out)) == len(ft.read(files / "walk.bvh"))
    assert run(["info", str(files / "limp.ftm")]) == 0
    assert "style, n4sid" in capsys.readouterr().out


def test_one_pair_strength_parts_and_mixtures(files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, style in (("source", "normal"), ("limp", "limp")):
        ft.write(tmp_path / f"{name}.bvh", walk(5 if name == "source" else 105, style, cycles=6))
    model, walking = tmp_path / "one.ftm", str(files / "walk.bvh")
    learning = ["style", "learn", "--source", str(tmp_path / "source.bvh"), "--target", str(tmp_path / "limp.bvh")]
    assert run([*learning, "-o", str(model)]) == 0
    assert "one pair of takes" in capsys.readouterr().out
    apply, out = ["style", "apply"], tmp_path / "out.bvh"
    assert run([*apply, str(model), walking, "-o", str(out), "--strength", "0"]) == 0
    source = ft.read(walking)
    assert len(ft.read(out)) == len(source)
    assert run([*apply, str(model), walking, "-o", str(out), "--force", "--part", "arms", "--part", "trunk=0.5"]) == 0
    assert len(ft.read(out)) == len(source)  # the legs keep their time
    styles = ["--style", f"{model}=0.4", "--style", f"{files / 'limp.ftm'}=0.6"]
    assert run([*apply, walking, *styles, "-o", str(out), "--force"]) == 0
    capsys.readouterr()
    for wrong, words in (
        ([walking], "needs a model and a clip"),
        ([str(model), walking, "--part", "tail"], "no part 'tail'"),
        ([str(model), walking, "--part", "arms=much"], "gives no number"),
        ([walking, *styles, "--part", "arms"], "one style"),
    ):
        assert run([*apply, *wrong, "-o", str(out), "--force"]) == 2
        assert words in capsys.readouterr().err


def test_bad_input_is_one_sentence_and_nothing_is_written(
    files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, two = (str(files / "normal" / f"normal_{k}.bvh") for k in range(2))
    limp = str(files / "limp" / "limp_0.bvh")
    ft.write(tmp_path / "tiny.bvh", take_frames(walk(0), 0, 4))
    (tmp_path / "empty").mkdir()
    target = tmp_path / "m.ftm"
    cases = {
        "--target is missing": ["learn", "--source", one],
        "lists pair by order": ["learn", "--source", one, two, "--target", limp],
        "give two folders": ["learn", "--source", str(files / "normal"), "--target", limp],
        "has no takes": ["learn", "--source", str(tmp_path / "empty"), "--target", str(tmp_path / "empty")],
        "4 frames": ["learn", "--source", one, str(tmp_path / "tiny.bvh"), "--target", limp, limp],
        "an integer was expected": ["learn", "--source", one, two, "--target", limp, limp, "--order", "magic"],
    }
    for words, arguments in cases.items():
        assert run(["style", *arguments, "-o", str(target)]) == 2
        said = capsys.readouterr().err.splitlines()[-1]
        assert words in said, said
        assert not target.exists()
    assert run(["style", "apply", one, two, "-o", str(tmp_path / "x.bvh")]) == 2
    assert not (tmp_path / "x.bvh").exists()
