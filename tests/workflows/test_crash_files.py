"""The last net: one sentence, exit code 70 and a crash file without the user's data, from every front end."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from freshtake.bridge.messages import Decoder, Message
from freshtake.bridge.serving import MessageWriter, _answer
from freshtake.cli.entry import run
from freshtake.workflows.sentences import FOLDER, INTERNAL_ERROR, crash_sentence

SECRET = "what only the user knows"


def fails(*arguments: object, **options: object) -> None:
    raise ZeroDivisionError(SECRET)


@pytest.fixture
def crashes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "crashes"
    folder.mkdir()
    monkeypatch.setenv(FOLDER, str(folder))
    return folder


def test_a_command_ends_with_one_sentence_and_a_crash_file(
    crashes: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("freshtake.workflows.sampling.samples_write", fails)
    assert run(["samples", "write", "-o", "my folder"]) == INTERNAL_ERROR == 70
    (file,) = crashes.iterdir()
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1
    assert said.err.startswith("freshtake: something went wrong inside freshtake (ZeroDivisionError)")
    assert str(file) in said.err
    text = file.read_text()
    assert "command: freshtake samples write -o 'my folder'\n" in text
    assert "builtins.ZeroDivisionError" in text and "test_crash_files.py" in text and " fails\n" in text
    assert SECRET not in text + said.err and str(Path(__file__).parent) not in text
    assert {"freshtake", "numpy", "numba", "python"} <= {line.split()[0] for line in text.splitlines() if line}
    assert os.name != "posix" or file.stat().st_mode & 0o077 == 0


def test_the_bridge_answers_with_one_sentence(crashes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("freshtake.bridge.serving.job_of", fails)
    out = io.BytesIO()
    _answer(Message("request", 9, {"name": "learn", "params": {}}), MessageWriter(out))
    (answer,) = Decoder().feed(out.getvalue())
    (file,) = crashes.iterdir()
    assert answer.kind == "failed" and str(file) in answer.values["sentence"]
    assert "command: bridge: learn\n" in file.read_text() and SECRET not in answer.values["sentence"]


def test_without_a_place_for_the_file_there_is_still_a_sentence(crashes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER, str(crashes / "gone"))
    sentence = crash_sentence(ValueError(SECRET), "info")
    assert "no crash file can be written" in sentence and SECRET not in sentence


def test_an_installation_that_cannot_be_loaded_is_one_sentence(crashes: Path) -> None:
    program = "import sys; sys.modules['cyclopts'] = None; from freshtake.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == INTERNAL_ERROR and done.stderr.count("\n") == 1 and "ModuleNotFoundError" in done.stderr
    assert len(list(crashes.iterdir())) == 1


@pytest.mark.skipif(os.name != "posix", reason="streams are closed by the shell")
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_error(closed: str, tmp_path: Path) -> None:
    command = f"'{sys.executable}' -m freshtake samples write walk --takes 1 -o '{tmp_path}/walks' {closed}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert [path.name for path in (tmp_path / "walks").iterdir()] == ["walk_1.bvh"]
    assert (tmp_path / "walks/walk_1.bvh").read_text().startswith("HIERARCHY")


def test_too_little_memory_is_one_sentence(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def hungry(*arguments: object, **options: object) -> None:
        raise MemoryError

    monkeypatch.setattr("freshtake.workflows.sampling.samples_write", hungry)
    assert run(["samples", "write", "-o", "here"]) == 2
    assert "there is not enough memory for this" in capsys.readouterr().err
