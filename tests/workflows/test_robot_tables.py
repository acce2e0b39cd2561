"""A robot's joints as a table: learned directly, varied, and stopped at the joint limits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.cli.entry import run
from freshtake.formats.joint_files import read_limits
from freshtake.workflows.outputs import Limiter
from tests.workflows.robot_arm import LIMITS, reach, write_robot


def test_learned_from_a_table_and_kept_within_limits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    limits = write_robot(tmp_path)
    takes = [str(tmp_path / f"reach_{k}.csv") for k in (1, 2, 3, 4)]
    assert run(["learn", *takes, "-o", str(tmp_path / "m.ftm")]) == 0
    command = ["vary", str(tmp_path / "m.ftm"), "-n", "6", "--amount", "2"]
    assert run([*command, "-o", str(tmp_path / "free")]) == 0
    assert run([*command, "-o", str(tmp_path / "kept"), "--limits", str(limits)]) == 0
    assert "beyond the limits" in capsys.readouterr().err
    beyond = 0
    for k in range(1, 7):
        free, kept = (ft.read(tmp_path / place / f"variant_{k:03}.csv") for place in ("free", "kept"))
        assert isinstance(free, ft.Stroke) and isinstance(kept, ft.Stroke)
        assert kept.dimensions == tuple(LIMITS)
        low, high = np.array(list(LIMITS.values())).T
        assert (kept.points >= low).all() and (kept.points <= high).all()
        inside = (free.points >= low) & (free.points <= high)
        np.testing.assert_array_equal(kept.points[inside], free.points[inside])
        beyond += np.count_nonzero(~inside)
    assert beyond > 0


def test_a_limiter_counts_and_names(tmp_path: Path) -> None:
    stroke = reach(np.random.default_rng(1))
    limiter, said = Limiter({"elbow": (-0.5, np.inf)}), []
    kept = limiter(stroke)
    assert isinstance(kept, ft.Stroke)
    np.testing.assert_array_equal(kept.points[:, 2], np.maximum(stroke.points[:, 2], -0.5))
    np.testing.assert_array_equal(kept.points[:, :2], stroke.points[:, :2])
    limiter.report(said.append)
    assert len(said) == 1 and "'elbow'" in said[0]
    with pytest.raises(ft.UsageError, match="'wrist', which is not a column; the columns are base, shoulder, elbow"):
        Limiter({"wrist": (0.0, 1.0)})(stroke)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "line 1: the column 'joint' is missing; joint, low, high"),
        ("joint,low\na,1\n", "line 1: the column 'high'"),
        ("joint,low,high\n", "a line for each joint"),
        ("joint,low,high\na,1\n", "line 2: 3 cells were expected, not 2"),
        ("joint,low,high\na,one,2\n", "line 2: a number was expected, not 'one'"),
        ("joint,low,high\na,2,1\n", "line 2: the low limit 2 of 'a' is above"),
        ("joint,low,high\na,0,1\na,0,1\n", "line 3: joint 'a' has no name, or is listed twice"),
        ("joint,low,high\na,nan,1\n", "line 2: a number was expected"),
        ("joint,low,high\na,+-inf,1\n", "line 2: a number was expected, not '\\+-inf'"),
        ("joint,low,high\na,inf,\n", "line 2: a number was expected, not 'inf'"),
        ("joint,low,high\na,,-inf\n", "line 2: a number was expected, not '-inf'"),
        ("joint,low,high,low\na,0,1,2\n", "line 1: two columns are named 'low': keep one"),
    ],
)
def test_broken_limits_are_refused(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "limits.csv").write_text(text)
    with pytest.raises(ft.FormatError, match=says):
        read_limits(tmp_path / "limits.csv")


def test_open_limits_and_columns_in_any_order(tmp_path: Path) -> None:
    (tmp_path / "limits.csv").write_text("High, joint, low\n1.5, a,\n, b, -2\n\n")
    assert read_limits(tmp_path / "limits.csv") == {"a": (-np.inf, 1.5), "b": (-2.0, np.inf)}
