"""OpenSim reads our tables, and MuJoCo plays variants of a robot's joints."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freshtake as ft
from freshtake.cli.entry import run
from tests.clients.conftest import CLIENTS
from tests.formats.made_clips import made_clip, usual_layout
from tests.workflows.robot_arm import MODEL, hand, write_robot

PYTHON = CLIENTS / "science" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
pytestmark = [
    pytest.mark.client,
    pytest.mark.skipif(not PYTHON.is_file(), reason="OpenSim and MuJoCo are not installed: run make clients"),
]


def told(script: str, out: Path, *arguments: object) -> dict[str, Any]:
    command = [str(PYTHON), str(Path(__file__).with_name(script)), str(out), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert out.is_file(), done.stderr[-2000:]
    found: dict[str, Any] = json.loads(out.read_text())
    return found


def test_opensim_reads_markers_and_coordinates(tmp_path: Path) -> None:
    clip = made_clip(usual_layout()).changed(unit_m=0.05)
    ft.write(tmp_path / "x.trc", clip)
    ft.write(tmp_path / "x.mot", clip)
    found = told("opensim_read.py", tmp_path / "out.json", tmp_path / "x.trc", tmp_path / "x.mot")
    markers, table = found[str(tmp_path / "x.trc")], found[str(tmp_path / "x.mot")]
    assert tuple(markers["names"]) == clip.skeleton.names and markers["Units"] == "mm"
    np.testing.assert_allclose(markers["values"], clip.positions() * 50.0, rtol=0, atol=1e-9)
    np.testing.assert_allclose(markers["times"], np.arange(12) / 30, atol=1e-9)
    own = ft.read(tmp_path / "x.mot")
    assert isinstance(own, ft.Stroke) and tuple(table["names"]) == own.dimensions and table["inDegrees"] == "yes"
    np.testing.assert_array_equal(table["values"], own.points)


def test_mujoco_plays_variants_of_a_robot(tmp_path: Path) -> None:
    limits = write_robot(tmp_path)
    takes = [str(tmp_path / f"reach_{k}.csv") for k in (1, 2, 3, 4)]
    assert run(["learn", *takes, "-o", str(tmp_path / "m.ftm")]) == 0
    made = tmp_path / "made"
    assert run(["vary", str(tmp_path / "m.ftm"), "-n", "3", "-o", str(made), "--limits", str(limits)]) == 0
    (tmp_path / "arm.xml").write_text(MODEL)
    tables = sorted(made.glob("*.csv"))
    found = told("mujoco_replay.py", tmp_path / "out.json", tmp_path / "arm.xml", "hand", *tables)
    for table in tables:
        stroke = ft.read(table)
        assert isinstance(stroke, ft.Stroke)
        np.testing.assert_allclose(found[table.name]["places"], hand(stroke.points), rtol=0, atol=1e-9)
        assert found[table.name]["beyond"] <= 1e-12
