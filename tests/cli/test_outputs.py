"""Every command that writes: existing files are refused with a hint, before any work, and replaced with --force."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from cyclopts import App

from freshtake.cli.entry import app, run

WRITES_NOTHING = {"info", "samples list", "texture tables", "warm-up", "studio", "serve", "mcp"}
OWN_RULE = {"samples download"}  # keeps what has the right checksum
INPUTS = {  # what a command needs besides its output; none of it exists, so nothing can be read before the refusal
    "learn": ["a.bvh"], "vary": ["m.ftm"], "pack": ["m.ftm"], "stream": ["m.ftm", "--frames", "9"], "loop": ["a.bvh"],
    "evaluate": ["--inputs", "a.bvh", "--outputs", "b.bvh"], "plant": ["a.bvh"],
    "select": ["a.bvh", "--trusted", "b.bvh"], "explain": ["m.ftm"],
    "study design": ["--variants", "a.bvh"], "study analyze": ["a.csv"], "align": ["a.bvh", "b.bvh"],
    "augment": ["takes"], "retarget": ["a.bvh", "--onto", "b.glb"],
    "robot": ["a.bvh", "--onto", "r.urdf"],
    "blend learn": ["walk=a.bvh", "run=b.bvh"], "blend sample": ["m.ftm", "--frames", "9"], "blend report": ["m.ftm"],
    "texture learn": ["a.bvh"], "texture sample": ["m.ftm", "--frames", "9"], "texture figures": ["a.bvh"],
    "cut": ["a.bvh"], "view": ["a.bvh"], "convert": ["a.bvh"], "demo": [], "samples write": ["letter_a"],
    "crowd": ["m.ftm"], "crowd preview": ["c"], "crowd textures": ["c"],
    "style learn": ["--source", "a.bvh", "--target", "b.bvh"], "style apply": ["m.ftm", "a.bvh"],
    "paper figures": [], "redraw": ["a.bvh", "--model", "m.ftm"],
    "style gaits learn": ["a@1=a.bvh"], "style gaits sample": ["m.ftm", "--style", "a", "--speed", "1"],
}  # fmt: skip
FOLDERS = {
    "augment", "crowd", "crowd textures", "demo", "vary", "pack", "cut", "study design", "texture figures",
    "samples write", "paper figures", "redraw",
}  # fmt: skip


def commands(group: App, words: tuple[str, ...] = ()) -> Iterator[str]:
    for name in group:
        if name.startswith("-"):
            continue
        inner = list(commands(group[name], (*words, name)))
        yield from inner
        if not inner or group[name].default_command is not None:
            yield " ".join((*words, name))


WRITING = sorted(set(commands(app)) - WRITES_NOTHING - OWN_RULE)


def test_every_command_is_known_here() -> None:
    assert set(WRITING) == set(INPUTS)


@pytest.mark.parametrize("command", WRITING)
def test_what_exists_is_refused_with_the_remedy(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    there = Path("out") / "letter_a_1.csv" if command in FOLDERS else Path("out.html")
    there.parent.mkdir(exist_ok=True)
    there.write_text("old")
    target = "out" if command in FOLDERS else "out.html"
    option = {"convert": [], "select": ["--picture"]}.get(command, ["-o"])
    arguments = [*command.split(), *INPUTS[command], *option, target]
    assert run(arguments) == 2
    said = capsys.readouterr().err
    assert target in said and "--force" in said and len(said.splitlines()) == 1
    assert there.read_text() == "old"
    if command not in ("demo", "samples write", "paper figures"):  # those need no input, so they would run
        assert run([*arguments, "--force"]) == 2
        assert "--force" not in capsys.readouterr().err
        assert there.read_text() == "old"


def test_force_replaces_and_what_a_command_chose_ends_with_it(tmp_path: Path) -> None:
    arguments = ["samples", "write", "letter_a", "-n", "1", "-o", str(tmp_path / "new" / "folder")]
    file = tmp_path / "new" / "folder" / "letter_a_1.csv"
    assert run(arguments) == 0
    made = file.read_bytes()
    file.write_text("old")
    assert run(arguments) == 2 and file.read_text() == "old"
    assert run([*arguments, "--force"]) == 0 and file.read_bytes() == made
    assert run(arguments) == 2
