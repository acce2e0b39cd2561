"""CSV tables: strokes and points, by round trip, by Python's csv module as slow twin, and over all real tables."""

from __future__ import annotations

import csv
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import freshtake as ft
from freshtake.formats import registry
from freshtake.formats.read_options import ReadOptions
from freshtake.formats.table import even_frame_time, parse_table
from tests.conftest import data_files, label

numbers = st.floats(allow_nan=False, allow_infinity=False)
words = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_categories=["C"]), min_size=1, max_size=6).map(str.strip),
    st.text("ab,;.x\"'_ ", min_size=1, max_size=9).map(str.strip),
).filter(bool)


def table(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


# --- real tables -----------------------------------------------------------------------------------------------------


def slow_rows(path: Path) -> tuple[list[str], list[list[float]]]:
    with path.open(newline="") as stream:
        rows = list(csv.reader(stream))
    return rows[0], [[float(cell) for cell in row] for row in rows[1:]]


@pytest.mark.parametrize("path", data_files("handwriting/**/*.csv") + data_files("quality/**/*.csv"), ids=label)
def test_handwriting(path: Path) -> None:
    said: list[str] = []
    stroke = ft.read(path, warn=said.append)
    names, rows = slow_rows(path)
    assert names == ["t", "x", "y"] and isinstance(stroke, ft.Stroke) and stroke.dimensions == ("x", "y")
    assert stroke.points.tolist() == [row[1:] for row in rows]
    times = np.array([row[0] for row in rows])
    ties = int((np.diff(times) == 0).sum())
    assert len(said) == (1 if ties else 0)
    assert np.abs(stroke.times - times).max() < (0.001 if ties else 1e-15)  # the clock's tick is a millisecond


@pytest.mark.parametrize("path", data_files("okwechime/joints/*.csv") + data_files("c3d/*.csv"), ids=label)
def test_joint_and_marker_tables(path: Path) -> None:
    clip = ft.read(path)
    names, rows = slow_rows(path)
    assert isinstance(clip, ft.PointClip)
    assert [f"{name}.{axis}" for name in clip.names for axis in "xyz"] == names[1:]
    assert clip.positions.reshape(len(clip), -1).tolist() == [row[1:] for row in rows]
    assert clip.frame_time == (1 / 30 if "okwechime" in str(path) else 1 / 250)


@pytest.mark.parametrize("path", data_files("okwechime/joints/*.csv"), ids=label)
def test_joint_tables_are_the_positions_of_their_bvh(path: Path, data: Path) -> None:
    clip, points = ft.read(data / "okwechime/bvh" / f"{path.stem}.bvh"), ft.read(path)
    shared = [name for name in clip.skeleton.names if name in points.names]
    assert len(shared) == 22
    ours = clip.positions()[:, [clip.skeleton.index(n) for n in shared]]
    np.testing.assert_allclose(ours, points.positions[:, [points.names.index(n) for n in shared]], atol=0.00051)


# --- round trips -----------------------------------------------------------------------------------------------------


@given(st.data())
def test_strokes_come_back_equal(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    names = data.draw(st.lists(words, min_size=1, max_size=4, unique=True))
    rows = data.draw(st.lists(st.lists(numbers, min_size=len(names), max_size=len(names)), min_size=1, max_size=6))
    times = sorted(data.draw(st.lists(st.floats(-1e6, 1e6), min_size=len(rows), max_size=len(rows), unique=True)))
    if len(set(times)) < len(times):  # 0.0 and -0.0
        return
    stroke = ft.Stroke(np.array(rows), np.array(times), tuple(names))
    path = tmp_path_factory.mktemp("table") / data.draw(st.sampled_from(["a.csv", "a.tsv"]))
    try:
        ft.write(path, stroke)
    except ft.FormatError as error:
        assert "cannot hold the name" in str(error)
        return
    again = ft.read(path, warn=pytest.fail)
    assert isinstance(again, ft.Stroke) and again.dimensions == stroke.dimensions
    assert again.points.tolist() == stroke.points.tolist() and again.times.tolist() == stroke.times.tolist()


@given(
    names=st.lists(words, min_size=1, max_size=5, unique=True),
    seed=st.integers(0, 2**32),
    frames=st.integers(2, 400),
    frame_time=st.one_of(
        st.sampled_from([1 / 120, 1 / 60, 1 / 30, 1001 / 30000, 0.0083333, 0.00833333333, 0.04]), st.floats(1e-4, 10.0)
    ),
)
def test_points_come_back_equal_with_their_gaps(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], seed: int, frames: int, frame_time: float
) -> None:
    rng = np.random.default_rng(seed)
    positions = rng.normal(size=(frames, len(names), 3)) * 10.0 ** rng.integers(-20, 20, size=(frames, len(names), 1))
    positions[rng.random((frames, len(names))) < rng.choice([0.0, 0.3])] = np.nan
    clip = ft.PointClip(tuple(names), positions, frame_time)
    path = tmp_path_factory.mktemp("table") / "a.csv"
    ft.write(path, clip)
    again = ft.read(path)
    assert isinstance(again, ft.PointClip) and again.names == clip.names
    np.testing.assert_array_equal(again.positions, clip.positions)
    assert again.frame_time == clip.frame_time


# Only for the messages about times: 200 lines below a line of names.
TABLE = parse_table(Path("x.csv"), "t\n" + "0\n" * 200)


@given(
    fps=st.one_of(st.integers(1, 500), st.sampled_from([23.976, 29.97, 59.94])),
    frames=st.integers(3, 2000),
    start=st.sampled_from([0.0, 12.5, -3.0]),
    decimals=st.integers(4, 7),
    cut=st.booleans(),
)
def test_rounded_times_give_their_rate_back(fps: float, frames: int, start: float, decimals: int, cut: bool) -> None:
    times = start + np.arange(frames) / fps
    unit = 10.0**-decimals
    seen = np.floor(times / unit + 1e-6) * unit if cut else np.round(times, decimals)
    found = even_frame_time(TABLE, seen, f"{seen[0]:.{decimals}f}")
    assert abs(found - 1 / fps) <= 2.02 * unit / (frames - 1)
    if isinstance(fps, int) and fps <= 250 and frames > 50:  # the digits tell this rate from the next
        assert found == 1 / fps


@given(frames=st.integers(3, 200), odd=st.integers(1, 199), by=st.sampled_from([-0.9, -0.3, 0.3, 0.99, 1.0, 2.0]))
def test_a_skipped_or_shifted_time_is_found(frames: int, odd: int, by: float) -> None:
    times = np.arange(frames) / 60
    times[odd % frames :] += by / 60
    if odd % frames == 0:
        return
    with pytest.raises(ft.FormatError, match="equal steps"):
        even_frame_time(TABLE, np.round(times, 5), "0.00000")


def test_a_clip_is_written_by_its_joint_positions(data: Path, tmp_path: Path) -> None:
    clip = ft.read(data / "walk/walk_1.bvh")
    ft.write(tmp_path / "a.csv", clip)
    points = ft.read(tmp_path / "a.csv")
    assert points.names == clip.skeleton.names and points.frame_time == clip.frame_time
    np.testing.assert_array_equal(points.positions, clip.positions())


# --- ways of writing a table -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "t,x,y\n0,1,2\n0.5,3e0,-4\n",
        "y,t,x\n2,0,1\n-4.0,0.5,+3\n",
        "t;x;y\n0;1;2\n0,5;3;-4\n\n",
        "t\tx\ty\r\n0\t1\t2\r\n.5\t3.\t-4\r\n",
        '\ufeff"t","x","y"\n"0","1","2"\n"0.5","3","-4"',
        " t , x , y \n 0 , 1, 2\n 0.5, 3 ,-4  \n",
        "\n\nTime,x,y\r0,1,2\r\r0.5,3,-4e+00\r",
    ],
)
def test_separators_quotes_and_line_ends(tmp_path: Path, text: str) -> None:
    stroke = ft.read(table(tmp_path / "a.csv", text))
    assert isinstance(stroke, ft.Stroke)
    point = dict(zip(stroke.dimensions, stroke.points.T.tolist(), strict=True))
    assert point == {"x": [1, 3], "y": [2, -4]} and stroke.times.tolist() == [0, 0.5]


def test_more_dimensions_and_no_time(tmp_path: Path) -> None:
    path = table(tmp_path / "a.csv", "x,y,z,force\n1,2,3,4\n5,6,7,8\n9,9,9,9\n")
    said: list[str] = []
    stroke = ft.read(path, warn=said.append)
    assert stroke.dimensions == ("x", "y", "z", "force") and stroke.times.tolist() == [0, 0.01, 0.02]
    assert len(said) == 1 and "100 rows per second" in said[0] and "--fps" in said[0]
    assert ft.read(path, fps=50, warn=pytest.fail).times.tolist() == [0, 0.02, 0.04]


def test_points_in_any_column_order_with_gaps(tmp_path: Path) -> None:
    text = "A.z,B.X,B.Y,B.Z,t,A.x,A.y\n3,4,5,6,0,1,2\n,4,5,6,0.1,,\nnan,4,5,6,0.2,NaN,NA\n"
    clip = ft.read(table(tmp_path / "a.csv", text), up="z", unit_m=0.01)
    assert clip.names == ("A", "B") and clip.frame_time == 0.1 and (clip.up, clip.unit_m) == ("z", 0.01)
    assert clip.positions[0].tolist() == [[1, 2, 3], [4, 5, 6]]
    assert clip.gaps().tolist() == [[False, False], [True, False], [True, False]]


def test_equal_times_of_a_coarse_clock_are_set_apart(tmp_path: Path) -> None:
    said: list[str] = []
    path = table(tmp_path / "a.csv", "t,x\n0.000,1\n0.010,2\n0.020,3\n0.020,4\n0.021,5\n")
    stroke = ft.read(path, warn=said.append)
    np.testing.assert_allclose(stroke.times, [0, 0.01, 0.02, 0.0205, 0.021], atol=1e-12)
    assert len(said) == 1 and "1 points have the same time" in said[0]


BROKEN = [
    ("0,1,2\n3,4,5\n", "line 1: a line of column names such as t,x,y was expected"),
    ("t,x,y\n", "end of file: rows of numbers were expected"),
    ("\n \n", "a line of column names such as t,x,y was expected"),
    ("t,x,y\n0,1\n", "line 2: 3 cells were expected, not 2"),
    ("t,x,y\n0,1,2\n\n1,1,2,3\n", "line 4: 3 cells were expected, not 4"),
    ("t,x,y\n0,1,2\n1,one,2\n", "line 3: column 'x' needs a finite number, not 'one'"),
    ("t,x,y\n0,1,2\n1,1_0,2\n", "line 3: column 'x' needs a finite number, not '1_0'"),
    ("t,x,y\n0,1,2\n1,0x10,2\n", "line 3: column 'x' needs a finite number, not '0x10'"),
    ("t,x,y\n0,1,2\n1,,2\n", "line 3: column 'x' needs a finite number in every row"),
    ("t,x,y\n0,1,2\n1,nan,2\n", "line 3: column 'x' needs a finite number in every row"),
    ("t,x,y\n0,1,2\n1,inf,2\n", "line 3: column 'x' needs a finite number in every row"),
    ("t,x,y\n0,1,2\n1,1e999,2\n", "line 3: column 'x' needs a finite number"),
    ("t,x,y\n0,1,2\n,1,2\n", "line 3: column 't' needs a finite number in every row"),
    ("t,x,y\n0,1,2\n1,1,2\n0.5,1,2\n", "line 4: the time must be later than in the previous row"),
    ("t,x,y\n0,1,2\n0,1,2\n0,1,3\n", "line 3: the time must be later than in the previous row"),
    ("t,x,x\n0,1,2\n", "line 1: two columns are named 'x'"),
    ("t,x,\n0,1,2\n", "line 1: column 3 of 3 has no name"),
    ("x,y,z\n1 2,,3\n", "line 2: column 'x' needs a finite number, not '1 2'"),
    ("t,time,x\n0,1,2\n", "two columns hold times"),
    ("t\n0\n1\n", "columns such as x,y or NAME.x,NAME.y,NAME.z were expected"),
    ("t,A.x,A.y\n0,1,2\n", "point 'A' has no column A.z"),
    ("t,A.x,A.y,A.z,weight\n0,1,2,3,4\n", "column 'weight' is neither a time nor a coordinate"),
    ("t,A.x,A.X,A.y,A.z\n0,1,2,3,4\n", "point 'A' has two columns for X"),
    ("t,A.x,A.y,A.z\n0,1,2,3\n1,1,,3\n", "line 3: point 'A' has only some of x, y and z"),
    ("t,A.x,A.y,A.z\n0,1,2,3\n1,1,inf,3\n", "line 3: a position is infinite"),
    (
        "t,A.x,A.y,A.z\n0.00,1,2,3\n0.10,1,2,3\n0.20,1,2,3\n0.40,1,2,3\n0.50,1,2,3\n",
        "line 5: times must increase in equal steps",
    ),
    ("t,A.x,A.y,A.z\n0,1,2,3\n0,1,2,3\n", "line 3: times must increase in equal steps"),
    ("t,A.x,A.y,A.z\n1,1,2,3\n0,1,2,3\n", "line 3: times must increase in equal steps"),
    ('t,x,y\n0,1,"2\n1,2,3\n', "line 2: column 'y' needs a finite number, not '2\\n1,2,3'"),
    ('t,x,y\n0,1,"2\n1"\n', "line 2: column 'y' needs a finite number, not '2\\n1'"),
    ("t,x,y\n" + "9" * 200000 + ",1,2\n", "line 2"),
    ("t,x,y\n0,1,\x002\n", "text was expected, but this is binary"),
]


@pytest.mark.parametrize(("text", "message"), BROKEN, ids=[f"{k} {m}" for k, (_, m) in enumerate(BROKEN)])
def test_broken_tables_are_refused_with_their_line(tmp_path: Path, text: str, message: str) -> None:
    path = table(tmp_path / "broken.csv", text)
    with pytest.raises(ft.FormatError) as caught:
        ft.read(path)
    assert message in str(caught.value) and str(caught.value).startswith(f"{path}: ")


def test_what_a_table_cannot_hold_is_refused(tmp_path: Path) -> None:
    cases = [
        (ft.Stroke(np.zeros((1, 1)), np.zeros(1), ("Time",)), "cannot hold the name 'Time'"),
        (ft.Stroke(np.zeros((1, 1)), np.zeros(1), ("a.x",)), r"cannot hold the name 'a\.x'"),
        (ft.PointClip((" a",), np.zeros((1, 1, 3)), 0.1), "cannot hold the name ' a'"),
        (ft.MeshSequence(np.zeros((1, 3, 3)), np.array([[0, 1, 2]]), 0.1), "not a mesh sequence"),
    ]
    for motion, message in cases:
        with pytest.raises(ft.FormatError, match=message):
            ft.write(tmp_path / "a.csv", motion)
    assert not list(tmp_path.iterdir())


@given(st.data())
def test_no_damage_gets_past_the_reader(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    good = data.draw(st.sampled_from(["t,x,y\n0,1,2\n1,2,3\n2,3,5.5\n", "t;A.x;A.y;A.z\n0;1;2;3\n0,1;1;;3\n0,2;;;\n"]))
    content = bytearray(good.encode())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content)))
        content[place : place + data.draw(st.integers(0, 3))] = data.draw(
            st.one_of(st.binary(max_size=4), st.sampled_from([b",", b"\n", b'"', b"e", b".", b"\t", b"nan", b"-"]))
        )
    path = tmp_path_factory.mktemp("damaged") / "a.csv"
    path.write_bytes(content)
    with suppress(ft.FreshtakeError):
        ft.read(path, warn=lambda _: None)


def test_a_column_that_counts_rows_is_no_dimension(tmp_path: Path) -> None:
    path = tmp_path / "counted.csv"
    path.write_text("frame,t,x,y\n1,0,5,6\n2,0.1,7,8\n3,0.2,9,9\n")
    stroke = ft.read(path)
    assert isinstance(stroke, ft.Stroke)
    assert stroke.dimensions == ("x", "y")
    path.write_text("index,t,x\n1,0,5\n4,0.1,7\n2,0.2,9\n")
    other = ft.read(path)
    assert isinstance(other, ft.Stroke)
    assert other.dimensions == ("index", "x")


@pytest.mark.parametrize(
    ("line", "up", "unit_m"),
    [
        ("# up z, unit mm", "z", 0.001),
        ("#Up: y, Unit: cm", "y", 0.01),
        ("# unit 0.0254, up z", "z", 0.0254),
        ("# up z", "z", None),
    ],
)
def test_points_can_say_their_axis_and_unit(tmp_path: Path, line: str, up: str, unit_m: float | None) -> None:
    (tmp_path / "x.csv").write_text(f"{line}\nt,a.x,a.y,a.z\n0,1,2,3\n0.1,4,5,6\n")
    taken = registry.take_in(tmp_path / "x.csv", ReadOptions())
    assert isinstance(taken.motion, ft.PointClip)
    assert (taken.motion.up, taken.motion.unit_m, taken.up) == (up, unit_m, "stated in the file")
    assert ft.read(tmp_path / "x.csv", up="y", unit_m=1.0).unit_m == 1.0  # type: ignore[union-attr]
    ft.write(tmp_path / "y.csv", taken.motion)
    again = ft.read(tmp_path / "y.csv")
    assert isinstance(again, ft.PointClip) and (again.up, again.unit_m) == (up, unit_m)


@pytest.mark.parametrize("line", ["# up sideways", "# unit parsecs", "# unit -1", "# up z, unit 0"])
def test_an_axis_or_unit_that_does_not_exist_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "x.csv").write_text(f"{line}\nt,a.x,a.y,a.z\n0,1,2,3\n0.1,4,5,6\n")
    with pytest.raises(ft.FormatError, match="line 1: 'up y' or 'up z'"):
        ft.read(tmp_path / "x.csv")


def test_lines_are_counted_from_the_top_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("# up z\nt,a.x,a.y,a.z\n0,1,2,3\n0.1,4,5,six\n")
    with pytest.raises(ft.FormatError, match="line 4"):
        ft.read(tmp_path / "x.csv")


def test_a_name_of_any_length_leaves_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"time,{'a' * 5000}\n0,1\n1,x\n")
    with pytest.raises(ft.FormatError) as caught:
        ft.read(path)
    message = str(caught.value)
    assert len(message) < 1000, message
    assert message.startswith(str(path)) and message.endswith("needs a finite number, not 'x'"), message


def test_messages_are_one_line_and_steer_no_terminal() -> None:
    assert str(ft.FormatError("x", "no array \x1b[31mposes\n\x12, rate")) == "x: no array  [31mposes , rate"
