"""The Open Job Description client accepts the jobs written for crowds, and runs them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.cli.entry import run
from tests.clients.conftest import CLIENTS

OPENJD = CLIENTS / "science" / ("Scripts/openjd.exe" if sys.platform == "win32" else "bin/openjd")
pytestmark = [
    pytest.mark.client,
    pytest.mark.skipif(not OPENJD.is_file(), reason="openjd-cli is not installed: run make clients"),
]


def test_a_job_is_checked_and_run(tmp_path: Path) -> None:
    clips = [ft.samples.walk(np.random.default_rng(k)) for k in range(3)]
    ft.save(tmp_path / "walk.ftm", ft.variation.learn(clips, rng=np.random.default_rng(0), cyclic=True))
    plan, job, out = tmp_path / "crowd.toml", tmp_path / "job.yaml", tmp_path / "crowd"
    plan.write_text('number = 3\nshard_size = 2\nseconds = 0.3\n[[groups]]\nmodel = "walk.ftm"\n')
    assert run(["crowd", str(plan), "-o", str(out), "--job", str(job), "--seed", "2"]) == 0
    done = subprocess.run([OPENJD, "check", job], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    program = tmp_path / "freshtake"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m freshtake "$@"\n')
    program.chmod(0o755)
    command = [OPENJD, "run", job, "-p", f"Freshtake={program}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["seed"] == 2 and len(manifest["shards"]) == 2
