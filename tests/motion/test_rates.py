"""Rates that files round are the rates that were meant, in memory exact and in files that state a rate."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.motion import Clip
from freshtake.motion.edit import nominal_frame_time
from tests.formats.made_clips import made_clip, usual_layout

RATES = (24.0, 24 / 1.001, 25.0, 30 / 1.001, 30.0, 48.0, 50.0, 60 / 1.001, 60.0, 90.0, 100.0, 120.0, 240.0)


@pytest.mark.parametrize("rate", RATES)
def test_a_rounded_frame_time_is_the_one_that_was_meant(rate: float) -> None:
    exact = 1.0 / rate
    for digits in range(6, 16):
        assert nominal_frame_time(round(exact, digits)) == pytest.approx(exact, rel=1e-15)
    assert nominal_frame_time(float(np.float32(exact))) == pytest.approx(exact, rel=1e-15)
    assert nominal_frame_time(exact) == exact


@pytest.mark.parametrize("frame_time", [0.0166, 0.0167, 1 / 59.5, 1 / 60.001, 0.01, 1 / 37.5, 0.0333])
def test_what_rounding_does_not_explain_stays(frame_time: float) -> None:
    assert nominal_frame_time(frame_time) == frame_time


@pytest.mark.parametrize("ending", ["usda", "trc", "fbx", "glb", "c3d"])
@pytest.mark.parametrize("written", [0.0166666667, 0.016667, 0.033367])
def test_files_state_the_rate_that_was_meant(tmp_path: Path, ending: str, written: float) -> None:
    """A BVH file rounds its frame time, and keeps it; results made from it do not inherit 59.99999988."""
    clip = made_clip(usual_layout()).changed(frame_time=written, unit_m=0.01)
    ft.write(tmp_path / "x.bvh", clip)
    assert ft.read(tmp_path / "x.bvh").frame_time == written  # type: ignore[union-attr]
    ft.write(tmp_path / f"x.{ending}", clip)
    found = ft.read(tmp_path / f"x.{ending}", warn=lambda note: None)
    assert isinstance(found, Clip | ft.PointClip)
    meant = 30 / 1.001 if written > 0.03 else 60.0
    assert found.fps == pytest.approx(meant, rel=3e-8 if ending == "c3d" else 1e-12)
    if ending == "usda":
        assert written > 0.03 or "timeCodesPerSecond = 60\n" in (tmp_path / "x.usda").read_text()
    if ending == "trc" and written < 0.03:
        assert (tmp_path / "x.trc").read_text().split("\n")[2].startswith("60.0\t60.0\t")
