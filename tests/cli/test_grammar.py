"""One grammar for all commands: every one is visited, and an option means the same wherever it is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cyclopts import App

import freshtake as ft
from freshtake.cli.entry import app, run
from tests.commands import complete

complete()


def commands(group: App, words: tuple[str, ...] = ()) -> Iterator[tuple[str, App]]:
    for name in group:
        if not name.startswith("-"):
            inner = list(commands(group[name], (*words, name)))
            yield from inner
            if not inner or group[name].default_command is not None:
                yield " ".join((*words, name)), group[name]


def options(command: App) -> dict[str, str]:
    """Names of options, with what their help says."""
    found = {}
    for argument in command.assemble_argument_collection():
        for name in argument.names:
            found[name] = argument.parameter.help or ""
    return found


COMMANDS = {name: options(command) for name, command in commands(app)}
FROM_MODEL = {"vary", "stream", "blend sample", "texture sample", "style gaits sample"}  # motion of a chosen length
FROM_TAKES = {  # one clip becomes one clip, or takes become files
    "loop", "plant", "convert", "style apply", "cut", "study design", "align", "retarget",
    "robot",
}  # fmt: skip
READING = FROM_TAKES | {
    "learn", "evaluate", "select", "explain", "blend learn", "texture learn", "texture tables", "texture figures",
    "info", "style learn", "style gaits learn", "view", "augment", "redraw",
}  # fmt: skip
SERVERS = {"studio", "serve", "mcp"}  # they write into their project
NO_FILES = {
    "demo", "warm-up", "samples list", "samples write", "samples download", "study analyze", "blend report",
    "paper figures",
}  # fmt: skip
FOLDERS = {"crowd", "crowd preview", "crowd textures", "pack"}  # models or a plan become a folder, which is previewed
ONE_CLIP = {"loop", "plant", "convert", "style apply", "retarget"}
DRAWING = {  # what is left to chance
    "demo", "learn", "vary", "stream", "evaluate", "select", "study design", "blend sample",
    "blend report", "texture sample", "texture figures", "samples write", "view", "crowd", "augment", "pack",
    "paper figures", "redraw",
}  # fmt: skip
APPLIES = {
    "--json": set(COMMANDS),
    "--quiet": set(COMMANDS),
    "-q": set(COMMANDS),
    "--unit": READING | FROM_MODEL | {"pack"},
    "--up": READING,
    "--fps": READING | {"crowd"},
    "--animation": READING,
    "--skeleton": READING,
    "--frames": FROM_MODEL,
    "--seconds": FROM_MODEL | {"crowd"},
    "--character": FROM_MODEL | ONE_CLIP | {"crowd", "pack"},
    "--seed": DRAWING,
    "--force": set(COMMANDS) - SERVERS - {"info", "samples list", "texture tables", "warm-up"},
    "--format": {
        "vary",
        "redraw",
        "pack",
        "crowd",
        "crowd textures",
        *ONE_CLIP,
        "cut",
        "study design",
        "robot",
    },
    "-o": set(COMMANDS) - SERVERS - {"info", "samples list", "texture tables", "warm-up", "select"},  # it: --picture
}
OWN_WORDS = {
    ("--format", "crowd"),
    ("--format", "crowd textures"),
    ("--format", "pack"),
    ("--fps", "crowd"),
    ("--seconds", "crowd"),
    ("--format", "vary"),
    ("--format", "study design"),
    ("--format", "retarget"),
    ("--format", "robot"),
    ("--character", "crowd"),
    ("--character", "retarget"),
}


def test_every_command_is_sorted_here() -> None:
    assert set(COMMANDS) == READING | FROM_MODEL | NO_FILES | FOLDERS | SERVERS


@pytest.mark.parametrize("option", APPLIES)
def test_an_option_is_there_wherever_it_can_apply_and_nowhere_else(option: str) -> None:
    assert {name for name, there in COMMANDS.items() if option in there} == APPLIES[option]


@pytest.mark.parametrize("option", [name for name in APPLIES if name != "-o"])
def test_an_option_is_explained_in_the_same_words(option: str) -> None:
    said = {there[option] for name, there in COMMANDS.items() if option in there and (option, name) not in OWN_WORDS}
    assert len(said) == 1


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Takes in folders, one model of each kind, and a character."""
    home = tmp_path_factory.mktemp("bench")
    for name, count in (("walk", 4), ("limp", 2)):
        assert run(["samples", "write", name, "-n", str(count), "-o", str(home / name), "-q"]) == 0
    (home / "flag").mkdir()
    ft.write(home / "flag" / "flag_1.npz", ft.samples.flag(np.random.default_rng(0), frames=12))
    walk = str(home / "walk")
    for arguments in (
        ["learn", walk, "-o", str(home / "walk.ftm")],
        ["blend", "learn", f"walk={walk}", f"limp={home / 'limp'}", "-o", str(home / "blend.ftm")],
        ["texture", "learn", str(home / "limp" / "limp_1.bvh"), "-o", str(home / "texture.ftm")],
        ["style", "gaits", "learn", *(f"{s}@{v}={home / s / s}_{v}.bvh" for s in ("walk", "limp") for v in (1, 2)),
         "-o", str(home / "gaits.ftm")],
        ["style", "learn", "--source", f"{walk}/walk_1*", "--target", f"{home}/limp/*_1.bvh", "-o",
         str(home / "style.ftm")],
        ["convert", f"{walk}/walk_1.bvh", str(home / "body.glb"), "--unit", "cm"],
    ):  # fmt: skip
        assert run([*arguments, "--quiet"]) == 0
    return home


MODELS = {
    "vary": ["walk.ftm", "-n", "1"], "stream": ["walk.ftm"], "blend sample": ["blend.ftm"],
    "texture sample": ["texture.ftm"], "style gaits sample": ["gaits.ftm", "--style", "walk", "--speed", "1"],
}  # fmt: skip


@pytest.fixture
def here(bench: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(bench)
    return bench


@pytest.mark.parametrize("command", MODELS)
def test_a_length_is_the_same_said_in_three_ways_and_a_name_is_that_file(
    command: str, here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = []
    for number, length in enumerate((["--frames", "78"], ["--frames", "1.3s"], ["--seconds", "1.3"])):
        out = tmp_path / "new" / f"{number}" / "one.glb"  # in folders that are not there
        arguments = [*command.split(), *MODELS[command], *length, "-o", str(out), "--unit", "cm"]
        assert run([*arguments, "--character", "body.glb"]) == 0
        made.append(ft.read(out))
    assert [len(clip) for clip in made] == [78, 78, 78]
    assert capsys.readouterr().err == ""  # a stated unit needs no guess


TAKES: dict[str, tuple[list[str], str]] = {  # arguments, where {} stands for takes and a target
    "learn": (["{}"], "m.ftm"), "loop": (["{}"], "loops"), "plant": (["{}"], "clean"),
    "cut": (["{}", "--range", "3:40"], "pieces"),
    "convert": (["{}", "--format", "glb", "--unit", "cm"], "glb"), "style apply": (["style.ftm", "{}"], "limping"),
    "evaluate": (["--inputs", "{}", "--outputs", "{}"], "page.html"),
    "select": (["{}", "--trusted", "{}"], ""), "info": (["{}"], ""),
    "study design": (["--variants", "{}", "--inputs", "{}", "--participants", "2", "--trials", "2", "--sequences", "1",
                      "--clips", "2"], "study"),
    "blend learn": (["a={}", "b=limp"], "b.ftm"), "texture learn": (["{}"], "t.ftm"),
    "texture tables": (["{}"], ""), "view": (["{}"], "page.html"),
    "retarget": (["{}", "--onto", "limp/limp_1.bvh"], "on_limp"),
}  # fmt: skip
NAMED_ONE_BY_ONE = {"explain", "align", "texture figures", "style gaits learn"}  # one file each, by its part in the job
A_FOLDER_ALONE = {"augment", "redraw", "robot"}  # in their own tests
ON_THE_BENCH = {"style learn"}  # and in its own tests: two folders pair by content


def test_every_command_that_reads_takes_is_tried_with_folders() -> None:
    assert set(TAKES) | NAMED_ONE_BY_ONE | A_FOLDER_ALONE | ON_THE_BENCH == READING


@pytest.mark.parametrize("form", ["folder", "pattern"])
@pytest.mark.parametrize("command", TAKES)
def test_folders_and_patterns_stand_for_the_takes_in_them(
    command: str, form: str, here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if form == "pattern" and command in ("evaluate", "study design", "learn"):
        pytest.skip("the same code, and slow")
    kind = "flag" if command == "texture tables" else "walk"
    given = kind if form == "folder" else f"{kind}/{kind}_[0-9].*"
    arguments, target = TAKES[command]
    arguments = [word.format(given) for word in arguments]
    out = ["-o", str(tmp_path / "new" / target)] if target else []
    assert run([*command.split(), *arguments, *out, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    if command in ("loop", "plant", "convert", "style apply"):
        ending = "glb" if command == "convert" else "bvh"
        written = sorted(path.name for path in (tmp_path / "new" / target).iterdir())
        assert written == [f"walk_{k}.{ending}" for k in (1, 2, 3, 4)]
    assert _takes_read(command, said) in (None, 4)


def _takes_read(command: str, said: Any) -> int | None:
    return {
        "info": lambda: len(said["files"]), "learn": lambda: said["examples"],
        "select": lambda: len(said["kept"]) + len(said["rejected"]),
        "convert": lambda: len(said["frames"]),
    }.get(command, lambda: None)()  # fmt: skip


@pytest.mark.parametrize("command", ["loop", "plant", "style apply"])
def test_one_clip_goes_into_the_file_that_is_named(command: str, here: Path, tmp_path: Path) -> None:
    model = ["style.ftm"] if command == "style apply" else []
    out = tmp_path / "new" / "one.glb"
    arguments = [*command.split(), *model, "walk/walk_1.bvh", "-o", str(out), "--unit", "cm", "-q"]
    assert run([*arguments, "--character", "body.glb"]) == 0
    assert ft.read(out).frame_time == pytest.approx(1 / 60)
    several = [*command.split(), *model, "walk", "-o", str(tmp_path / "several.glb"), "-q"]
    assert run(several) == 2


@pytest.mark.parametrize("command", ["crowd", "demo", "samples write", "study design", "texture figures"])
def test_a_folder_that_is_called_like_a_file_is_refused(command: str, here: Path, tmp_path: Path) -> None:
    needed = {
        "study design": ["--variants", "walk"], "texture figures": ["flag/flag_1.npz"], "crowd": ["walk.ftm"],
    }.get(command, [])  # fmt: skip
    assert run([*command.split(), *needed, "-o", str(tmp_path / "one.glb")]) == 2
    assert list(tmp_path.iterdir()) == []


def test_fps_brings_takes_to_a_rate(here: Path, tmp_path: Path) -> None:
    for command in ("plant", "convert"):
        out = tmp_path / f"{command}.bvh"
        assert run([command, "walk/walk_1.bvh", "-o", str(out), "--fps", "30", "-q"]) == 0
        assert ft.read(out).fps == pytest.approx(30.0)


def test_quiet_is_silent_and_json_is_not(here: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["vary", "walk.ftm", "-n", "1", "-o", str(tmp_path / "a.glb"), "--quiet"]) == 0
    assert capfd.readouterr() == ("", "")
    assert run(["vary", "walk.ftm", "-n", "1", "-o", str(tmp_path / "b.glb"), "-q", "--json"]) == 0
    said = capfd.readouterr()
    assert said.err == "" and json.loads(said.out)["written"]
    assert run(["vary", "missing.ftm", "-o", str(tmp_path / "c"), "-q"]) == 2
    assert "missing.ftm" in capfd.readouterr().err
    assert run(["info", "walk.ftm"]) == 0 and "variation" in capfd.readouterr().out  # it ends with its command


def test_a_piece_goes_into_the_file_that_is_named(here: Path, tmp_path: Path) -> None:
    out = tmp_path / "piece.glb"
    assert run(["cut", "walk/walk_1.bvh", "-o", str(out), "--range", "0.2s:0.7s", "--unit", "cm", "-q"]) == 0
    assert len(ft.read(out)) == 30
    assert run(["cut", "limp/limp_1.bvh", "-o", str(tmp_path / "many.bvh"), "-q"]) == 2


SLOW = {name: [*MODELS[name], "--frames", "60"] for name in MODELS if name != "style gaits sample"} | {
    name: [word.format("walk") for word in arguments] for name, (arguments, _) in TAKES.items() if name != "info"
}  # fmt: skip
SLOW["texture tables"] = ["flag"]


@pytest.mark.parametrize("command", SLOW)
def test_what_may_take_long_tells_its_phase(
    command: str, here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if command in ("evaluate", "study design"):
        pytest.skip("slow, and with separate progress in their own tests")
    monkeypatch.setattr("freshtake.cli.console.BETWEEN_LINES", 0.0)
    target = "one.bvh" if command in MODELS else TAKES[command][1]
    out = ["-o", str(tmp_path / target)] if target else []
    assert run([*command.split(), *SLOW[command], *out]) == 0
    assert " %" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["vary", "stream", "texture sample", "blend sample"])
def test_a_path_is_followed_from_its_first_point_in_its_own_direction_and_the_unit_is_said(
    command: str, here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "way.csv").write_text("x,z\n500,300\n500,-900\n")  # it begins elsewhere, and goes backwards
    out = tmp_path / "one.bvh"
    arguments = [*command.split(), *MODELS[command], "--seconds", "3", "--path", str(tmp_path / "way.csv")]
    assert run([*arguments, "-o", str(out)]) == 0
    assert "of the path's 1200 centimetres, off by" in capsys.readouterr().out
    root = ft.read_clip(out).root
    assert np.linalg.norm(root[0, [0, 2]] - [500.0, 300.0]) < 10.0
    assert np.abs(root[:, 0] - 500.0).max() < 40.0 and root[-1, 2] < 100.0
    assert run([*arguments, "-o", str(out), "--force", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["path"]
    found = found[0] if isinstance(found, list) else found
    assert found["most_off"] < 40.0 and 200.0 < found["along"] <= found["length"] == pytest.approx(1200.0)


def test_an_ending_that_cannot_be_written_is_no_folder(here: Path, tmp_path: Path) -> None:
    assert run(["vary", "walk.ftm", "-n", "1", "-o", str(tmp_path / "one.blend"), "-q"]) == 2
    assert list(tmp_path.iterdir()) == []


def test_many_files_are_a_line_each_and_what_is_wrong_is_said_once(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["info", "walk"]) == 0
    short = capsys.readouterr().out
    assert sum("walk_" in line and "60.0" in line for line in short.splitlines()) == 4
    assert "finding walk_1 and 3 more: " in short and "joint names" not in short
    assert run(["info", "walk", "--all"]) == 0 and capsys.readouterr().out.count("joint names") == 4


def test_the_same_note_for_many_files_is_said_once(
    here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in (1, 2, 3):
        (tmp_path / f"dots_{number}.csv").write_text("x,y\n0,0\n1,1\n2,1\n")
    assert run(["info", str(tmp_path), "--json"]) == 0
    said = capsys.readouterr().err.splitlines()
    assert (
        len(said) == 2 and "dots_1.csv" in said[0] and said[1].startswith("freshtake: note: the same for 2 more files")
    )


@pytest.mark.parametrize("words", ["style", "style gaits", "blend", "texture", "samples", "study"])
def test_help_of_a_group_lists_its_own_commands(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*words.split(), "--help"]) == 0
    said = capsys.readouterr().out
    assert "─ Commands ─" in said and "General options" not in said


@pytest.mark.parametrize("words", ["view", "style apply", "style gaits sample"])
def test_an_unknown_option_points_to_the_help_of_that_command(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*words.split(), "a.bvh", "--nonsense"]) == 2
    assert capsys.readouterr().err.endswith(f"; see freshtake {words} --help\n")


def test_what_is_left_out_is_said_with_one_stop(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["retarget", "a.bvh", "--onto", "b.bvh"]) == 2
    assert "--out is missing; see freshtake retarget --help" in capsys.readouterr().err
