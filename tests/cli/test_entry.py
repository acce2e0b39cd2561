"""The command as a user meets it: exit codes, one sentence, help with examples, quick start."""

from __future__ import annotations

import inspect
import json
import os
import signal
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import freshtake
from freshtake.cli.entry import command_names, run
from freshtake.motion import Clip, Skeleton

COMMANDS = [
    "demo", "learn", "vary", "stream", "evaluate", "explain", "info", "convert", "cut",
    "samples list", "samples write", "samples download",
]  # fmt: skip


def small_clip(frames: int = 5) -> Clip:
    skeleton = Skeleton(("Hips", "Spine"), np.array([-1, 0]), np.array([[0.0, 0, 0], [0, 10, 0]]))
    rotations = np.zeros((frames, 2, 4))
    rotations[..., 0] = 1.0
    root = np.array([0.0, 90.0, 0.0]) + np.outer(np.arange(frames), [0.0, 0.0, 1.0])
    angle = np.linspace(0.1, 0.4, frames)
    rotations[:, 1] = np.stack([np.cos(angle), np.sin(angle), 0 * angle, 0 * angle], -1)
    return Clip(skeleton, 0.0083333, root, rotations, name="small")


@pytest.fixture
def bvh(tmp_path: Path) -> Path:
    path = tmp_path / "small.bvh"
    freshtake.write(path, small_clip())
    return path


@pytest.mark.parametrize("verb", COMMANDS)
def test_help_has_examples(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*verb.split(), "--help"]) == 0
    text = capsys.readouterr().out
    assert "Usage:" in text
    assert f"freshtake {verb}" in text.split("Examples", 1)[1]


def test_root_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    text = capsys.readouterr().out
    assert all(verb.split()[0] in text for verb in COMMANDS)


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert freshtake.__version__ in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["info", "missing.bvh"], "no such file"),
        (["nonsense"], "nonsense"),
        (["info"], "PATHS"),
        (["convert", "one.bvh"], "IN and OUT"),
        (["convert", "missing.bvh", "out.bvh"], "missing.bvh"),
        (["convert", "missing.bvh", "out.xyz"], "'.xyz'"),
        (["cut", "missing.bvh"], "--out"),
        (["samples", "write", "dance", "-o", "."], "walk"),
        (["info", "a.bvh", "--fps", "fast"], "fast"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_two(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert len(printed.err.strip().splitlines()) == 1
    assert says in printed.err
    assert list(tmp_path.iterdir()) == []


def test_info_as_text_and_as_json(bvh: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["info", str(bvh)]) == 0
    text = capsys.readouterr().out
    assert "2" in text and "120" in text and "\x1b" not in text
    assert run(["info", str(bvh), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)["files"][0]
    assert (facts["joints"], facts["frames"], facts["fps"], facts["kind"]) == (2, 5, 120.0, "clip")
    assert facts["frame_time"] == 0.0083333


def test_convert_changes_only_what_is_asked(bvh: Path, tmp_path: Path) -> None:
    same, piece, slow = (tmp_path / name for name in ("same.bvh", "piece.npz", "slow.bvh"))
    assert run(["convert", str(bvh), str(same)]) == 0
    assert same.read_bytes() == bvh.read_bytes()
    assert run(["convert", str(bvh), str(piece), "--start", "1", "--end", "4"]) == 0
    assert np.array_equal(freshtake.read(piece).root, freshtake.read(bvh).root[1:4])
    assert run(["convert", str(bvh), str(slow), "--fps", "60"]) == 0
    assert len(freshtake.read(slow)) == 3


def test_convert_takes_times_too(bvh: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.bvh"
    assert run(["convert", str(bvh), str(out), "--start", "0.0083s", "--end", "0.025s"]) == 0
    assert np.array_equal(freshtake.read(out).root, freshtake.read(bvh).root[1:3])


def test_gltf_without_a_unit_says_the_remedy(bvh: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["convert", str(bvh), str(tmp_path / "out.glb")]) == 2
    assert "--unit" in capsys.readouterr().err
    assert run(["convert", str(bvh), str(tmp_path / "out.glb"), "--unit", "0.01"]) == 0


def test_cut_frames(bvh: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["cut", str(bvh), "-o", str(tmp_path / "deep" / "pieces"), "--range", "1:4", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)["clips"]
    assert [(Path(m["file"]).name, m["start"], m["stop"]) for m in made] == [("small_001.bvh", 1, 4)]
    assert len(freshtake.read(made[0]["file"])) == 3


def test_help_starts_quickly_enough_to_be_used() -> None:
    """No timing here: the start-up budget is kept by loading little (the benchmark measures seconds)."""
    program = "import sys; from freshtake.cli.entry import run; run(['--help']); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    assert not loaded & {"numpy", "scipy", "matplotlib", "numba", "pooch", "ezc3d", "freshtake.workflows"}
    assert not loaded & {"rich.markdown", "freshtake.cli.variation"}


def test_a_command_is_imported_without_the_others_and_the_version_without_any() -> None:
    program = "import sys; from freshtake.cli import main\ntry: main()\nfinally: print(*sys.modules, file=sys.stderr)"
    said = {}
    for argument in ("--version", "info --help"):
        command = [sys.executable, "-c", program, *argument.split()]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        said[argument] = set(done.stderr.split())
    assert "freshtake.cli.looking" in said["info --help"]
    assert not said["info --help"] & {"freshtake.cli.variation", "freshtake.cli.texture_play", "numpy"}
    assert not said["--version"] & {"cyclopts", "rich", "numpy"}


@pytest.mark.parametrize("word", ["1.5", "-0.5", "abc", "", "1e3", "nan", "0x10", "1e999."])
def test_half_a_variant_is_refused(word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["vary", str(tmp_path / "none.ftm"), "-n", word, "-o", str(tmp_path / "out")]) == 2
    assert f'Invalid value for -n: an integer was expected, not "{word}"' in capsys.readouterr().err


@pytest.mark.parametrize("options", [["--cyclic", "--acyclic"], ["--acyclic", "--acyclic"]])
def test_contradicting_options_are_named(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["learn", "none.bvh", "-o", "none.ftm", *options]) == 2
    assert "freshtake: --acyclic is given twice, or with its opposite; see" in capsys.readouterr().err


def test_arguments_that_nothing_takes_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["warm-up", "now"]) == 2
    assert "freshtake: too many arguments: 'now'; see freshtake warm-up --help" in capsys.readouterr().err


def test_commands_of_one_process_do_not_disturb_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["samples", "list"]) == 0
    assert run(["--nosuch"]) == 2
    assert run(["vary"]) == 2


def test_an_integer_may_have_a_point(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["vary", str(tmp_path / "none.ftm"), "-n", "2.0", "-o", str(tmp_path / "out")]) == 2
    assert "none.ftm: there is no such file" in capsys.readouterr().err


@pytest.mark.parametrize("name", command_names())
def test_the_help_of_a_command_begins_with_its_line_in_the_list(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    place, words = command_names()[name]
    run([name, "--help"])
    usage, first, *_ = (one for one in capsys.readouterr().out.split("\n\n") if one.strip())
    assert usage.startswith("Usage:")
    assert " ".join(first.split()).startswith(words.replace("`", ""))  # however wide the terminal is
    assert words not in inspect.getsource(import_module(place.partition(":")[0])), "it is written once"


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"], ["--help", "--quiet"]])
def test_the_list_of_commands_is_complete(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    run(arguments)
    said = " ".join(capsys.readouterr().out.replace("│", " ").split())
    for name, (_, words) in command_names().items():
        assert f"{name} {words.replace('`', '')}" in said


def test_interrupt_leaves_nothing_behind(tmp_path: Path) -> None:
    out = tmp_path / "out"
    # If the tests themselves run in the background, Ctrl-C is ignored by inheritance: restore its handler.
    program = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from freshtake.cli import main; main()"
    )
    arguments = [sys.executable, "-c", program, "samples", "write", "-o", str(out), "-n", "400"]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not (out.is_dir() and any(out.glob("*.bvh"))) and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert [p.name for p in out.iterdir() if p.name.startswith(".") or p.suffix == ".tmp"] == []
    for path in out.glob("*.bvh"):
        freshtake.read(path)


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_names_that_the_output_has_no_letters_for_are_no_error(bvh: Path, encoding: str) -> None:
    bvh.rename(named := bvh.with_name("wälk→1.bvh"))
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    command = [sys.executable, "-m", "freshtake", "info", str(named)]
    shown, told = (
        subprocess.run([*command, *more], capture_output=True, env=environment, check=True) for more in ([], ["--json"])
    )
    assert shown.stderr == told.stderr == b"" and b"clip (BVH)" in shown.stdout
    assert json.loads(told.stdout.decode(encoding))["files"][0]["file"] == str(named)


def test_a_reader_that_goes_away_is_no_error(bvh: Path) -> None:
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "freshtake", "info", *[str(bvh)] * 50],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert "Traceback" not in process.stderr.read()
    process.stderr.close()
    process.wait()


def test_options_of_a_shared_group_are_listed_together(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["vary", "--help"]) == 0
    panels: dict[str, str] = {}
    for part in capsys.readouterr().out.split("╭─ ")[1:]:
        title, _, text = part.partition(" ─")
        panels[title] = text
    assert {"Parameters", "How much they differ", "Feet", "Travel and loops", "How long", "Character"} <= panels.keys()
    assert "--amount-time" in panels["How much they differ"] and "--out" in panels["Parameters"]
    # A field that a request redefines stays in its group, and no option is listed twice.
    assert "--duration" in panels["How long"] and "--closing-frame" in panels["Travel and loops"]
    for option in ("--lock", "--seconds", "--in-place", "--character", "--path", "--pins"):
        assert sum(f" {option} " in text for text in panels.values()) == 1, option


def test_an_option_of_one_command_is_not_listed_with_a_shared_group(capsys: pytest.CaptureFixture[str]) -> None:
    """The attribute that names a group was once called title, like an option, which was then listed as shared."""
    assert run(["evaluate", "--help"]) == 0
    shared = capsys.readouterr().out.split("╭─ Reading takes")[1].split("╰─")[0]
    assert "--fps" in shared and "--title" not in shared
