"""The steps of the Dockerfile, run in order without a container: FRESHTAKE_CONTAINER=1, minutes, needs packages.

They run under the image's Python if this machine has it, else under that of the tests.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pythons import interpreter

ROOT = Path(__file__).resolve().parents[1]
ASKED = bool(os.environ.get("FRESHTAKE_CONTAINER"))


def steps() -> list[tuple[str, str]]:
    """Return the instructions of the Dockerfile with continued lines joined."""
    text = re.sub(r"\\\n\s*", " ", (ROOT / "Dockerfile").read_text(encoding="utf-8"))
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(line.split()[0], line.partition(" ")[2]) for line in lines]


def placed(text: str, root: Path) -> str:
    """Return a command or path whose absolute paths lie below `root`."""
    return re.sub(r"(?<![\w./])/(source|wheels|var/cache/freshtake|takes)\b", rf"{root}/\1", text)


def test_only_instructions_that_can_be_run_here_are_used() -> None:
    assert {name for name, _ in steps()} <= {"FROM", "WORKDIR", "COPY", "RUN", "ENV", "ENTRYPOINT", "CMD"}
    assert placed("rm /wheels/*.whl a/wheels", Path("/x")) == "rm /x/wheels/*.whl a/wheels"


@pytest.mark.skipif(not ASKED, reason="installs everything twice: FRESHTAKE_CONTAINER=1 asks for it")
def test_the_steps_of_the_container_end_in_a_command_that_runs(tmp_path: Path) -> None:
    environment, folder, stage = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}, tmp_path, 0
    for name, value in steps():
        if name == "FROM":  # an image with a Python and nothing else: a new environment
            stage += 1
            python = interpreter(re.findall(r"python:([\d.]+)", value)[0]) or sys.executable
            subprocess.run([python, "-m", "venv", str(tmp_path / f"stage{stage}")], check=True)
            environment["PATH"] = f"{tmp_path / f'stage{stage}' / 'bin'}:{os.environ['PATH']}"
        elif name == "WORKDIR":
            folder = Path(placed(value, tmp_path))
            folder.mkdir(parents=True, exist_ok=True)
        elif name == "ENV":
            key, _, setting = value.partition("=")
            environment[key] = placed(setting, tmp_path)
        elif name == "COPY":
            copy(value, folder, tmp_path)
        elif name == "RUN":
            subprocess.run(placed(value, tmp_path), shell=True, check=True, cwd=folder, env=environment)
        elif name == "ENTRYPOINT":
            program = re.findall(r'"([^"]+)"', value)
            subprocess.run([*program, "samples", "write", "walk", "-n", "3", "-o", "walk"], check=True, cwd=folder,
                           env=environment)  # fmt: skip
            learn = [*program, "learn", "walk", "-o", "walk.ftm"]
            subprocess.run(learn, check=True, cwd=folder, env=environment)
            assert (folder / "walk.ftm").is_file()
    assert stage == 2


def copy(value: str, folder: Path, root: Path) -> None:
    """Copy from this tree what .dockerignore allows, or leave files of an earlier stage where they are."""
    source, target = value.split()[-2:]
    if value.startswith("--from"):
        assert Path(placed(source, root)).is_dir()
    elif source == ".":
        ignored = {line.strip("/ \n") for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()}
        ignore = shutil.ignore_patterns(*ignored, "__pycache__")
        shutil.copytree(ROOT, folder, ignore=ignore, dirs_exist_ok=True)
    else:
        where = Path(placed(target, root))
        where.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / source, where)
