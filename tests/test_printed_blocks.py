"""Blocks of the manual and the README run as printed, in the folder that the first steps create.

The syntax of every block is checked in each test run: Python compiles, commands and their options exist. Running all
of it takes minutes; `make test-docs` does it (and so does `FRESHTAKE_DOCS=1 pytest tests/test_printed_blocks.py`).
The start page and the README always run.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import matplotlib as mpl
import pytest

from freshtake.cli.entry import app, run
from tests.commands import complete

complete()

HOME = Path(__file__).resolve().parents[1]
FIRST = HOME / "docs" / "index.md"
BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```", re.MULTILINE | re.DOTALL)
# A text block directly below a Python block is its output.
PRINTED = re.compile(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```", re.MULTILINE | re.DOTALL)
ELSEWHERE = (  # lines for machines that have a network, make, Docker, Blender or recorded takes
    "make ", "pip install", "python -m ", "freshtake samples download", "docker ", "freshtake demo",
    "freshtake warm-up", "freshtake view", "openjd ",
)  # fmt: skip


def blocks(page: Path) -> list[tuple[str, str]]:
    return BLOCK.findall(page.read_text(encoding="utf-8"))


PAGES = sorted(page for page in (*(HOME / "docs").rglob("*.md"), HOME / "README.md") if blocks(page))


@pytest.fixture(scope="module")
def first_steps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder after the first steps of the start page."""
    folder = tmp_path_factory.mktemp("first")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        run_lines(blocks(FIRST)[0][1])
    return folder


def run_lines(text: str, elsewhere: tuple[str, ...] = ELSEWHERE) -> None:
    lines = iter(text.splitlines())
    for line in lines:
        words = shlex.split(line, comments=True)
        if not words or line.startswith(elsewhere):
            continue
        if words[0] == "cat":  # cat > FILE <<END
            held = iter(lambda: next(lines), words[-1].lstrip("<"))
            Path(words[2]).write_text("".join(f"{one}\n" for one in held))
            continue
        assert words[0] == "freshtake", line
        assert run([word for given in words[1:] for word in expanded(given)]) == 0, line


def expanded(word: str) -> Iterator[str]:
    """Expand a pattern as a shell does."""
    found = sorted(str(path) for path in Path().glob(word)) if re.search(r"[*?\[]", word) and "->" not in word else []
    yield from found or [word]


ALWAYS = {"docs/index.md", "README.md"}
IDS = [str(page.relative_to(HOME)) for page in PAGES]


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_blocks_have_the_right_grammar(page: Path) -> None:
    for language, text in blocks(page):
        if language == "python":
            compile(text, page.name, "exec")
            continue
        held = re.sub(r"^cat > .*?<<(\w+)$.*?^\1$", "", text, flags=re.DOTALL | re.MULTILINE)
        for line in held.splitlines():
            words = shlex.split(line, comments=True)
            if words and words[0] == "freshtake":
                app.parse_args(words[1:], exit_on_error=False, print_error=False)


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_blocks_run_as_printed(
    page: Path, first_steps: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if not os.environ.get("FRESHTAKE_DOCS") and str(page.relative_to(HOME)) not in ALWAYS:
        pytest.skip("minutes: make test-docs")
    mpl.use("Agg")
    here = shutil.copytree(first_steps, tmp_path / "here")
    monkeypatch.chdir(here)
    names: dict[str, object] = {}
    printed = dict(PRINTED.findall(page.read_text(encoding="utf-8")))
    capsys.readouterr()
    for number, (language, text) in enumerate(blocks(page)):
        if page == FIRST and number == 0:  # the first steps themselves
            continue
        if language == "sh":
            run_lines(text)
        else:
            exec(compile(text, f"{page.name}, block {number + 1}", "exec"), names)
            output = capsys.readouterr().out
            assert output == printed.get(text, output), f"{page.name}, block {number + 1}"


def test_every_example_says_what_it_prints_and_draws() -> None:
    text = (HOME / "docs" / "examples.md").read_text(encoding="utf-8")
    python = [block for language, block in BLOCK.findall(text) if language == "python"]
    assert [block for block, _ in PRINTED.findall(text)] == python
    drawn = set(re.findall(r'"(example_\w+\.png)"', "".join(python)))
    assert drawn == set(re.findall(r"\(pictures/(\w+\.png)\)", text))


@pytest.mark.parametrize("page", sorted((HOME / "docs" / "tutorials").glob("*.md")), ids=lambda page: page.stem)
def test_a_tutorial_starts_from_nothing_and_ends_with_something_that_moves(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here, home = tmp_path / "here", tmp_path / "home"
    here.mkdir()
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(here)
    commands = "".join(text for language, text in blocks(page) if language == "sh")
    assert commands.startswith("freshtake samples write ")
    run_lines(commands, elsewhere=())
    assert commands.splitlines()[-1].startswith("freshtake view ")
    (last,) = re.findall(r" -o (\S+\.html)", commands.splitlines()[-1])
    text = (here / last).read_text(encoding="utf-8")
    manifest = json.loads(re.findall(r"id='scene-manifest'>(.*?)</script>", text, re.DOTALL)[0])
    assert min(shape["frames"] for shape in manifest["shapes"]) > 20, "the page moves"
