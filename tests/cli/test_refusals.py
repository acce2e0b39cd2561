"""System errors and bad numbers end like any bad input: one sentence, exit code 2, no traceback."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import freshtake
from freshtake.cli.entry import run


@pytest.fixture
def bvh(tmp_path: Path) -> Path:
    path = tmp_path / "walk.bvh"
    freshtake.write(path, freshtake.samples.walk(np.random.default_rng(0), frames=8))
    return path


@pytest.mark.parametrize(
    "arguments",
    [["demo"], ["samples", "write", "walk"], ["samples", "download", "35_01"], ["cut", "IN", "--range", "0:4"]],
)
def test_a_folder_below_a_file_cannot_be_made(
    arguments: list[str], bvh: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = bvh.read_bytes()
    given = [str(bvh) if word == "IN" else word for word in arguments]
    assert run([*given, "-o", str(bvh / "deep" / "er")]) == 2
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1 and "walk.bvh" in said
    assert bvh.read_bytes() == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("json", [[], ["--json"]])
def test_a_full_disk_below_the_output(bvh: Path, json: list[str]) -> None:
    command = [sys.executable, "-m", "freshtake", "info", str(bvh), *json]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1 and "space" in done.stderr


@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf"])
@pytest.mark.parametrize("option", ["--fps", "--unit"])
def test_rates_and_units_are_above_zero(bvh: Path, option: str, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["info", str(bvh), f"{option}={value}"]) == 2
    name = {"--fps": "fps", "--unit": "unit"}[option]
    assert f"{name} must be a finite number above 0, but is {float(value):g}" in capsys.readouterr().err
