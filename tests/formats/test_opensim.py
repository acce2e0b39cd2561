"""OpenSim's tables: markers (.trc) and coordinates (.mot) survive, and broken ones are named by line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.motion import PointClip, Stroke
from freshtake.motion.channels import channels_from_clip
from freshtake.motion.edit import scaled, with_up
from tests.formats.made_clips import made_clip, odd_layout, usual_layout

RNG = np.random.default_rng(6)


def markers(frames: int = 5) -> PointClip:
    places = RNG.normal(size=(frames, 3, 3))
    places[1, 0] = places[3:, 2] = np.nan
    return PointClip(("head", "l foot", "r foot"), places, 1 / 60, name="m", unit_m=0.001)


def test_markers_survive_with_their_gaps(tmp_path: Path) -> None:
    ft.write(tmp_path / "x.trc", markers_kept := markers())
    found = ft.read(tmp_path / "x.trc", up="y")
    assert isinstance(found, PointClip)
    assert (found.names, found.unit_m, found.frame_time) == (markers_kept.names, 0.001, 1 / 60)
    np.testing.assert_array_equal(found.positions, markers_kept.positions)


def test_the_heading_is_that_of_opensim(tmp_path: Path) -> None:
    ft.write(tmp_path / "x.trc", markers())
    lines = (tmp_path / "x.trc").read_text().split("\n")
    assert lines[0].split("\t") == ["PathFileType", "4", "(X/Y/Z)", "x.trc"]
    assert lines[2].split("\t")[:5] == ["60.0", "60.0", "5", "3", "mm"]
    assert lines[3].split("\t")[:6] == ["Frame#", "Time", "head", "", "", "l foot"]
    assert lines[4].split("\t")[:5] == ["", "", "X1", "Y1", "Z1"] and lines[5] == ""
    assert lines[6].startswith("1\t0.0\t") and len(lines) == 12


def test_joints_of_a_clip_stand_along_y_in_a_unit_with_a_name(tmp_path: Path) -> None:
    clip = with_up(made_clip(usual_layout()), "z").changed(unit_m=0.0254)
    ft.write(tmp_path / "x.trc", clip)
    found = ft.read(tmp_path / "x.trc", up="y")
    assert isinstance(found, PointClip) and found.unit_m == 0.001 and found.names == clip.skeleton.names
    np.testing.assert_allclose(found.positions, with_up(clip, "y").positions() * 25.4, rtol=0, atol=1e-9)


GOOD = (
    "PathFileType\t4\t(X/Y/Z)\tx.trc\n"
    "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n"
    "50\t50\t2\t2\tm\t50\t1\t2\n"
    "Frame#\tTime\tA\t\t\tB\t\t\t\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n"
    "1\t0.00\t1\t2\t3\t4\t5\t6\t\n2\t0.02\t1\t2\t3\n"
)


def test_files_of_others(tmp_path: Path) -> None:
    (tmp_path / "x.trc").write_text(GOOD.replace("\n", "\r\n"))
    found = ft.read(tmp_path / "x.trc", up="y")
    assert isinstance(found, PointClip) and found.frame_time == 1 / 50 and found.unit_m == 1.0
    np.testing.assert_array_equal(found.positions[0], [[1, 2, 3], [4, 5, 6]])
    assert np.isnan(found.positions[1, 1]).all()


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("DataRate\tCamera", "Data\tCamera", "line 2: 'DataRate' is missing"),
        ("2\t2\tm", "3\t2\tm", "3 frames are declared, but there are 2"),
        ("2\t2\tm", "2\t3\tm", "line 4: 3 markers are declared, but 2 are named"),
        ("2\t2\tm", "2\tmany\tm", "line 3: NumMarkers must be a whole number"),
        ("2\t2\tm", "2\t2\tmiles", "line 3: one of m, mm, cm"),
        ("50\t50", "0\t50", "line 3: DataRate must be above 0"),
        ("\t6\t\n", "\tsix\t\n", "line 7: column 'B.z' needs a finite number, not 'six'"),
        ("\t6\t\n", "\t6\t7\t8\n", "line 7: 8 cells were expected"),
        ("0.02\t1\t2\t3", "0.02\t1\t2", "line 8: point 'A' has only some"),
        ("2\t0.02", "2\t", "line 8: column 'Time' needs a finite number"),
        ("2\t0.02", "2\t-1", "equal steps"),
    ],
)
def test_broken_markers_are_refused(tmp_path: Path, old: str, new: str, says: str) -> None:
    assert old in GOOD
    (tmp_path / "x.trc").write_text(GOOD.replace(old, new, 1))
    with pytest.raises(ft.FormatError, match=says):
        ft.read(tmp_path / "x.trc")


def test_what_markers_cannot_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ft.FormatError, match="TRC holds points"):
        ft.write(tmp_path / "x.trc", Stroke(np.zeros((2, 2)), np.arange(2.0)))
    with pytest.raises(ft.FormatError, match="--unit"):
        ft.write(tmp_path / "x.trc", PointClip(("a",), np.zeros((2, 1, 3)), 0.1))


def test_a_clip_is_a_table_of_its_channels(tmp_path: Path) -> None:
    clip = made_clip(odd_layout()).changed(unit_m=0.05)
    ft.write(tmp_path / "x.mot", clip)
    text = (tmp_path / "x.mot").read_text()
    assert text.startswith("x\nversion=1\nnRows=12\nnColumns=25\ninDegrees=yes\nendheader\ntime\tHips_tz\t")
    found = ft.read(tmp_path / "x.mot")
    assert isinstance(found, Stroke) and len(found.dimensions) == 24
    _, values = channels_from_clip(scaled(clip, 0.05))
    np.testing.assert_array_equal(found.points, values)
    np.testing.assert_allclose(found.times, np.arange(12) / 30, atol=1e-12)


def test_coordinates_survive(tmp_path: Path) -> None:
    table = Stroke(RNG.normal(size=(6, 2)), np.arange(6) * 0.01, ("knee_angle_r", "hip.x"))
    ft.write(tmp_path / "x.mot", table)
    found = ft.read(tmp_path / "x.mot")
    assert isinstance(found, Stroke) and found.dimensions == table.dimensions
    np.testing.assert_array_equal(found.points, table.points)
    np.testing.assert_array_equal(found.times, table.times)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x\nversion=1\ntime\ta\n0\t1\n", "endheader"),
        ("x\nendheader\ntime a\n0 1\n1 one\n", "line 5: column 'a' needs a finite number"),
        ("x\nendheader\n", "end of file|line"),
        ("x\nendheader\ntime a\n0 1\n0 1\n", "line 5: the time must be later"),
    ],
)
def test_broken_coordinates_are_refused(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "x.mot").write_text(text)
    with pytest.raises(ft.FormatError, match=says):
        ft.read(tmp_path / "x.mot")


def test_what_coordinates_cannot_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ft.FormatError, match="MOT holds"):
        ft.write(tmp_path / "x.mot", markers())
    with pytest.raises(ft.FormatError, match="must differ"):
        ft.write(tmp_path / "x.mot", Stroke(np.zeros((2, 2)), np.arange(2.0), ("a b", "a_b")))
