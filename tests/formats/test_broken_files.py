"""Every broken file ends in one sentence that names the file and the place, quickly and without much memory."""

from __future__ import annotations

import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import pytest

import freshtake as ft
from freshtake.cli.entry import run
from freshtake.errors import LONGEST_MESSAGE
from tests.broken import CORPUS, Case

LONGEST = 60.0  # seconds of CPU: a refusal takes milliseconds, a trap takes forever
MOST_MEMORY = 50 << 20  # bytes of scratch for any of these small files
OUT_OF_PROPORTION = [case for case in CORPUS if "huge" in case.title or "beyond" in case.title]
FROM_THE_SHELL = ("bvh: nested too deeply", "empty scene.glb", "rubbish points.c3d", "pipe", "npz: pickle inside")


def titles(case: Case) -> str:
    return case.title


def put(case: Case, folder: Path) -> Path:
    if case.name.startswith("x.usd"):
        pytest.importorskip("pxr")
    if case.title.startswith("c3d:"):
        pytest.importorskip("ezc3d")  # writes the good files that these are made from
    return case.write(folder)


def test_the_corpus_is_large_and_each_case_is_its_own() -> None:
    assert len(CORPUS) >= 60
    assert len({case.title for case in CORPUS}) == len(CORPUS)


@pytest.mark.parametrize("case", CORPUS, ids=titles)
def test_a_broken_file_is_refused_in_one_sentence(tmp_path: Path, case: Case) -> None:
    path = put(case, tmp_path)
    before = time.process_time()
    with pytest.raises(ft.FreshtakeError) as caught:
        ft.read(path, warn=lambda message: None)
    assert time.process_time() - before < LONGEST
    message = str(caught.value)
    for piece in case.says:
        assert piece in message
    assert "\n" not in message
    # a path of thousands of characters is itself shortened
    assert len(message.replace(str(path), "")) < (400 if str(path) in message else LONGEST_MESSAGE)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("case", OUT_OF_PROPORTION, ids=titles)
def test_memory_is_bounded_by_the_file(tmp_path: Path, case: Case) -> None:
    path = put(case, tmp_path)
    tracemalloc.start()
    try:
        with pytest.raises(ft.FreshtakeError):
            ft.read(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < MOST_MEMORY


@pytest.mark.parametrize("case", CORPUS, ids=titles)
def test_info_ends_with_one_line_and_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str], case: Case) -> None:
    assert run(["info", str(put(case, tmp_path))]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "Traceback" not in shown.err
    refusal = shown.err.splitlines()[-1]
    assert refusal.startswith("freshtake: ")
    assert len(shown.err.splitlines()) == 1 or case.title.startswith("obj:"), "a rate that was assumed is said first"


@pytest.mark.parametrize("case", [case for case in CORPUS if case.title in FROM_THE_SHELL], ids=titles)
def test_the_installed_command_does_the_same(tmp_path: Path, case: Case) -> None:
    command = Path(sys.executable).with_name("freshtake")
    start = [str(command)] if command.exists() else [sys.executable, "-m", "freshtake"]
    arguments = [*start, "info", str(put(case, tmp_path))]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
