"""BVH: files are read correctly, and clips survive writing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import freshtake as ft
from freshtake.formats.numbers import finite_number, format_rows, parse_numbers, words_per_line
from freshtake.motion import Clip, EndSite, Skeleton
from freshtake.motion.body.rooting import STEADY, _size, as_filed
from freshtake.motion.channels import clip_from_channels
from freshtake.motion.edit import resample
from freshtake.motion.skeleton import JOINT_CHANNELS, ROOT_CHANNELS
from freshtake.numeric.rotations import from_euler
from tests.conftest import data_files, label
from tests.formats.bvh_files import CHANNELS, File, files, numbers


def read_clip(path: Path) -> Clip:
    clip = ft.read(path)
    assert isinstance(clip, Clip)
    return clip


def put(folder: Path, text: str, name: str = "clip.bvh") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bvh")


@given(file=files())
def test_reads_what_the_file_says(folder: Path, file: File) -> None:
    clip = as_filed(read_clip(put(folder, file.text)))
    skeleton = clip.skeleton
    assert skeleton.names == tuple(node.name for node in file.nodes)
    assert skeleton.parents.tolist() == [node.parent for node in file.nodes]
    assert skeleton.offsets.tolist() == [[float(x) for x in node.offset] for node in file.nodes]
    assert skeleton.channels == tuple(tuple(CHANNELS[c] for c in node.channels) for node in file.nodes)
    said = [(j, tuple(map(float, at)), name) for j, node in enumerate(file.nodes) for name, at in node.sites]
    assert sorted(skeleton.end_sites) == sorted(said)
    assert clip.frame_time == float(file.frame_time)
    assert clip.channels is not None
    assert clip.channels.tobytes() == np.array([[float(x) for x in row] for row in file.rows]).tobytes()
    # Joints that move by no more than rounding in files are fixed on their parents (STEADY).
    rounding = len(skeleton) * STEADY * _size(skeleton, clip.local_translations())
    np.testing.assert_allclose(clip.positions(), slow_positions(file), rtol=0, atol=max(1e-8, rounding))


SUPPORT = """HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT b { OFFSET 0 0 0 CHANNELS 3 Xposition Yposition Zposition
    JOINT c { OFFSET 0 1 0 CHANNELS 0
      End Site { OFFSET 0 1 0 } }
    JOINT d { OFFSET 0 2 0 CHANNELS 0
      End Site { OFFSET 0 1 0 } } } }
MOTION Frames: 2 Frame Time: 0.01
0 0 0 0 0 0 0 0 0
.02 0 0 .01 0 0 40 0 0
"""


def test_small_movements_of_a_joint_above_the_body_come_back(folder: Path) -> None:
    clip = read_clip(put(folder, SUPPORT))
    assert clip.skeleton.base is not None and clip.skeleton.base.chain == (0, 1)
    filed = as_filed(clip)
    np.testing.assert_array_equal(filed.local_translations()[1, :2], [[0.02, 0.0, 0.0], [40.0, 0.0, 0.0]])
    np.testing.assert_allclose(filed.rotations[1, 0], from_euler(np.radians([0.01]), "Z"), rtol=0, atol=1e-15)


@given(file=files())
def test_written_and_read_again_nothing_has_changed_with_or_without_channels(folder: Path, file: File) -> None:
    first = read_clip(put(folder, file.text))
    ft.write(folder / "again.bvh", first)
    again = read_clip(folder / "again.bvh")
    assert_same(first, again)
    assert np.array_equal(first.rotations, again.rotations)
    ft.write(folder / "again.bvh", first.changed(channels=None))
    assert_same_motion(first, read_clip(folder / "again.bvh"))


def assert_same(first: Clip, again: Clip) -> None:
    assert again.skeleton == first.skeleton
    assert again.frame_time == first.frame_time
    assert first.channels is not None and again.channels is not None
    assert again.channels.tobytes() == first.channels.tobytes()


def assert_same_motion(first: Clip, again: Clip) -> None:
    assert again.skeleton.names == first.skeleton.names
    assert again.skeleton.end_sites == first.skeleton.end_sites
    np.testing.assert_allclose(again.positions(), first.positions(), rtol=0, atol=1e-7)
    np.testing.assert_allclose(again.end_positions(), first.end_positions(), rtol=0, atol=1e-7)


def slow_positions(file: File) -> np.ndarray:
    """Joint by joint, frame by frame, with 4 x 4 matrices and the channels in the file's order."""
    out = np.empty((len(file.rows), len(file.nodes), 3))
    for frame, row in enumerate(file.rows):
        values = iter(map(float, row))
        world: list[np.ndarray] = []
        for node in file.nodes:
            local = np.eye(4)
            local[:3, 3] = [float(x) for x in node.offset]
            for channel in node.channels:
                axis, value = "XYZ".index(channel[0]), next(values)
                if channel.endswith("position"):
                    local[axis, 3] = value
                else:
                    local[:3, :3] = local[:3, :3] @ turn(axis, np.radians(value))
            world.append(local if node.parent < 0 else world[node.parent] @ local)
            out[frame, len(world) - 1] = world[-1][:3, 3]
    return out


def turn(axis: int, angle: float) -> np.ndarray:
    matrix = np.eye(3)
    a, b = (axis + 1) % 3, (axis + 2) % 3
    matrix[[a, a, b, b], [a, b, a, b]] = np.cos(angle), -np.sin(angle), np.sin(angle), np.cos(angle)
    return matrix


@given(words=st.lists(numbers(1e300), max_size=40), blank=st.sampled_from([" ", "\n", "\t \n", "\v", "  "]))
def test_numbers_are_exact_to_the_last_bit(words: list[str], blank: str) -> None:
    values = parse_numbers(Path("x"), blank.join(words), 1)
    assert values.tobytes() == np.array([float(w) for w in words]).tobytes()


@given(word=st.text(st.sampled_from("0123456789.+-eE"), min_size=1, max_size=9))
def test_a_word_is_one_number_or_is_refused(word: str) -> None:
    try:
        expected = float(word)
    except ValueError:
        expected = np.nan
    if np.isfinite(expected):
        assert parse_numbers(Path("x"), f"1 {word} 2", 1).tolist() == [1.0, expected, 2.0]
        assert finite_number(word) == expected
    else:
        with pytest.raises(ft.FormatError, match="line 8"):
            parse_numbers(Path("x"), f"1\n{word} 2", 7)
        assert finite_number(word) is None


def test_numbers_in_many_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [f"{k * 1.25:.{k % 9}f}" for k in range(-100, 100)] + ["1e3", "0.12345678901234567"]
    for size in (1, 7, 64, 1 << 20):
        monkeypatch.setattr("freshtake.formats.numbers._CHUNK", size)
        assert parse_numbers(Path("x"), "\n".join(words), 1).tolist() == [float(w) for w in words]


@given(
    rows=st.lists(
        st.lists(
            st.one_of(st.floats(-1e20, 1e20), st.integers(-(10**12), 10**12).map(lambda m: m / 1e6)),
            min_size=3,
            max_size=3,
        ),
        min_size=1,
        max_size=5,
    ),
    decimals=st.sampled_from([0, 3, 6, 9, 17]),
)
def test_rows_are_written_in_the_shortest_way_that_reads_back_bit_for_bit(
    rows: list[list[float]], decimals: int
) -> None:
    values = np.array(rows).round(decimals) if decimals < 17 else np.array(rows)
    text = format_rows(values).decode()
    assert [len(line.split()) for line in text.splitlines()] == [3] * len(rows)
    assert np.array([float(word) for word in text.split()]).tobytes() == values.tobytes()
    for word, value in zip(text.split(), values.ravel().tolist(), strict=True):
        assert len(word) <= len(repr(value)) or "e" in repr(value)


def test_rows_of_many_blocks_follow_one_another(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(2).normal(0, 90, (50, 7)).round(4)
    whole = format_rows(values)
    monkeypatch.setattr("freshtake.formats.numbers._BLOCK", 20)
    assert format_rows(values) == whole
    assert whole.splitlines()[-1].split() == [str(v).encode() for v in values[-1].tolist()]


@given(rows=st.lists(st.lists(st.sampled_from(["1", "-2.5", "3e4"]), max_size=4), max_size=6))
def test_words_per_line_counts_words(rows: list[list[str]]) -> None:
    text = "\n".join("  ".join(row) for row in rows)
    assert words_per_line(text).tolist() == [len(line.split()) for line in text.split("\n")]


@pytest.mark.parametrize(
    "word", ["nan", "inf", "-Infinity", "0x10", "1_000", "1e999", "1.5.5", "1-2", "--1", "e5", "1,5", "٣", "."]
)
def test_other_words_are_named_with_their_line(tmp_path: Path, word: str) -> None:
    for end in ("\n", "\r\n", "\r"):
        path = put(tmp_path, one_joint(f"0 0 0\n{word} 0 0", 2).replace("\n", end))
        with pytest.raises(ft.FormatError) as caught:
            ft.read(path)
        assert caught.value.place == "line 10"
        assert repr(word) in caught.value.problem


def one_joint(data: str, frames: int = 1, name: str = "Hips") -> str:
    hierarchy = f"HIERARCHY\nROOT {name}\n{{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Yrotation Xrotation\n}}\n"
    return f"{hierarchy}MOTION\nFrames: {frames} Frame Time: .04\n{data}\n"


@pytest.mark.parametrize(
    ("declared", "says"), [(1, "1 frame of"), (2, "2 frames of"), (4, "4 frames of"), (10**9, "1000000000 frames of")]
)
def test_a_wrong_number_of_frames_names_both_counts(tmp_path: Path, declared: int, says: str) -> None:
    path = put(tmp_path, one_joint("\n".join(["1 2 3"] * 3), declared))
    with pytest.raises(ft.FormatError, match=rf"line 8: {says} 3 channels were expected, but the data has 3 frames:"):
        ft.read(path)


def test_a_torn_frame_is_counted_in_numbers(tmp_path: Path) -> None:
    with pytest.raises(ft.FormatError, match="the data has 1 frame and 2 numbers:"):
        ft.read(put(tmp_path, one_joint("1 2 3\n4 5", 2)))


def test_rows_of_uneven_length_are_refused_although_the_sum_is_right(tmp_path: Path) -> None:
    with pytest.raises(ft.FormatError, match="line 10: 3 numbers were expected in this line, one per channel, not 2"):
        ft.read(put(tmp_path, one_joint("1 2 3\n4 5\n6 7 8 9", 3)))


def test_frames_may_be_wrapped_over_lines(tmp_path: Path) -> None:
    clip = read_clip(put(tmp_path, one_joint("1 2\n3 4 5\n\n6 7\n8 9", 3)))
    assert clip.channels is not None
    assert clip.channels.tolist() == [[1, 2, 3], [4, 5, 6], [7, 8, 9]]


def test_position_channels_replace_the_offset_axis_by_axis(tmp_path: Path) -> None:
    text = """HIERARCHY
    ROOT A { OFFSET 10 20 30 CHANNELS 1 Yposition
      JOINT B { OFFSET 1 2 3 CHANNELS 2 Zposition Xposition End Site { OFFSET 0 0 1 } } }
    MOTION Frames: 1 Frame Time: 1
    5 7 8"""
    clip = read_clip(put(tmp_path, text))
    assert clip.positions().tolist() == [[[10, 5, 30], [18, 7, 37]]]


@pytest.mark.parametrize("name", ["MOTION", "End", "OFFSET", "JOINT", "Left Knee", "a:b", "Frames: 3"])
def test_a_joint_may_have_any_name_without_braces(tmp_path: Path, name: str) -> None:
    assert read_clip(put(tmp_path, one_joint("1 2 3", name=name))).skeleton.names == (name,)
    alone = one_joint("1 2 3", name="\n" + name)
    assert read_clip(put(tmp_path, alone)).skeleton.names == (name,)


@pytest.mark.parametrize("name", ["a{b", "b}", " lead", "trail "])
def test_a_name_that_bvh_cannot_hold_is_refused_in_writing(tmp_path: Path, name: str) -> None:
    for skeleton in (
        Skeleton((name,), np.array([-1]), np.zeros((1, 3))),
        Skeleton(("A",), np.array([-1]), np.zeros((1, 3)), (EndSite(0, (0, 0, 0), name),)),
    ):
        clip = Clip(skeleton, 0.1, np.zeros((1, 3)), np.array([[[1.0, 0, 0, 0]]]))
        with pytest.raises(ft.FormatError, match="rename it"):
            ft.write(tmp_path / "x.bvh", clip)
    assert list(tmp_path.iterdir()) == []


def test_a_rotation_on_a_joint_without_rotation_channels_is_not_lost(tmp_path: Path) -> None:
    layout = (ROOT_CHANNELS, (), JOINT_CHANNELS)  # all would fit except the rotation of B
    skeleton = Skeleton(("A", "B", "C"), np.array([-1, 0, 1]), np.eye(3), (), layout)
    rng = np.random.default_rng(3)
    rotations = from_euler(rng.uniform(-3, 3, (5, 3, 3)), "ZYX")
    clip = Clip(skeleton, 0.1, rng.normal(size=(5, 3)), rotations)
    ft.write(tmp_path / "x.bvh", clip)
    np.testing.assert_allclose(read_clip(tmp_path / "x.bvh").positions(), clip.positions(), rtol=0, atol=1e-7)


@pytest.mark.parametrize("order", ["XY", "ZX", "YZ", "X", "Z"])
def test_two_angles_keep_their_layout_beyond_a_right_angle(tmp_path: Path, order: str) -> None:
    channels = (("tx", "ty", "tz"), tuple(f"r{axis.lower()}" for axis in order))
    skeleton = Skeleton(("A", "B"), np.array([-1, 0]), np.eye(3)[:2], (EndSite(1, (1, 2, 3)),), channels)
    angles = np.linspace(2.0, 2.8, 9)[:, None] * [1.0, 0.8][: len(order)]
    rotations = np.zeros((9, 2, 4))
    rotations[:, 0, 0] = 1.0
    rotations[:, 1] = from_euler(angles, order)
    clip = Clip(skeleton, 0.1, np.zeros((9, 3)), rotations)
    ft.write(tmp_path / "x.bvh", clip)
    again = read_clip(tmp_path / "x.bvh")
    assert again.skeleton == skeleton
    np.testing.assert_allclose(again.end_positions(), clip.end_positions(), rtol=0, atol=1e-7)


def test_an_euler_order_that_is_not_that_of_the_columns_is_written_as_it_turns(tmp_path: Path) -> None:
    channels = (("tx", "ty", "tz", "rx", "ry", "rz"), ("rx", "ry", "rz"))
    skeleton = Skeleton(
        ("A", "B"), np.array([-1, 0]), np.eye(3)[:2], (EndSite(1, (1, 2, 3)),), channels, ("ZYX", "YXZ")
    )
    rng = np.random.default_rng(4)
    clip = clip_from_channels(skeleton, rng.uniform(-80, 80, (6, 9)), 0.1)
    ft.write(tmp_path / "x.bvh", clip)
    np.testing.assert_allclose(read_clip(tmp_path / "x.bvh").end_positions(), clip.end_positions(), rtol=0, atol=1e-7)


def test_joints_that_are_not_listed_depth_first_keep_their_own_columns(tmp_path: Path) -> None:
    offsets = np.random.default_rng(8).normal(size=(5, 3))
    skeleton = Skeleton(("A", "B", "C", "D", "E"), np.array([-1, 0, 0, 1, 2]), offsets)
    clip = clip_from_channels(skeleton, np.random.default_rng(9).uniform(-80, 80, (4, 18)), 0.1)
    ft.write(tmp_path / "x.bvh", clip)
    again = read_clip(tmp_path / "x.bvh")
    assert again.skeleton.names == ("A", "B", "D", "C", "E")
    order = [again.skeleton.index(name) for name in skeleton.names]
    np.testing.assert_allclose(again.positions()[:, order], clip.positions(), rtol=0, atol=1e-9)


def test_huge_numbers_are_written_as_they_are(tmp_path: Path) -> None:
    skeleton = Skeleton(("A",), np.array([-1]), np.zeros((1, 3)))
    clip = Clip(skeleton, 0.1, np.array([[1e305, -1e300, 0.1]]), np.array([[[1.0, 0, 0, 0]]]))
    ft.write(tmp_path / "x.bvh", clip)
    assert read_clip(tmp_path / "x.bvh").root.tolist() == [[1e305, -1e300, 0.1]]


def test_only_clips_are_written(tmp_path: Path) -> None:
    stroke = ft.Stroke(np.zeros((2, 2)), np.arange(2.0))
    with pytest.raises(ft.FormatError, match="not a stroke"):
        ft.write(tmp_path / "x.bvh", stroke)


@pytest.mark.parametrize("path", data_files("**/*.bvh"), ids=label)
def test_real_takes_survive(tmp_path: Path, path: Path) -> None:
    first = read_clip(path)
    ft.write(tmp_path / "again.bvh", first)
    assert_same(first, read_clip(tmp_path / "again.bvh"))


@pytest.mark.parametrize("path", data_files("*/*_1.bvh"), ids=label)
def test_real_takes_survive_without_their_channels(tmp_path: Path, path: Path) -> None:
    first = read_clip(path)
    ft.write(tmp_path / "again.bvh", resample(first, 48.0))
    again = read_clip(tmp_path / "again.bvh")
    assert again.skeleton == first.skeleton
    np.testing.assert_allclose(again.positions(), resample(first, 48.0).positions(), rtol=0, atol=1e-7)
    assert again.channels is not None
    widest = np.abs(np.diff(again.channels, axis=0)).max()
    assert widest < 90, "angles that we computed run on without wraps"
