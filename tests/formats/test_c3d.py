"""C3D: our reader against files packed byte by byte here, against ezc3d, and against the CSV windows of real files."""

from __future__ import annotations

import struct
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import freshtake as ft
from freshtake.samples import walk
from tests.conftest import data_files, label

ezc3d = pytest.importorskip("ezc3d", reason="the extra c3d is not installed")

# --- a packer written from the format's definition -------------------------------------------------------------------

PROCESSORS = {"intel": 84, "dec": 85, "sgi": 86}


def packed(processor: str, code: str, values: Any) -> bytes:
    """Numbers of type h or f as the processor stores them."""
    flat = np.asarray(values).ravel()
    if code == "f" and processor == "dec":
        words = (flat.astype(np.float32) * 4).view(np.uint32)
        return b"".join(struct.pack("<HH", int(w) >> 16, int(w) & 0xFFFF) for w in words)
    order = ">" if processor == "sgi" else "<"
    return flat.astype(f"{order}{'i2' if code == 'h' else 'f4'}").tobytes()


def record(processor: str, name: str, group: int, value: bytes = b"", last: bool = False) -> bytes:
    body = value + b"\x00"  # an empty description
    step = packed(processor, "h", [0 if last else len(body) + 2])
    return struct.pack("bb", len(name), group) + name.encode() + step + body


def parameter(processor: str, name: str, group: int, value: Any) -> bytes:
    if isinstance(value, list) and value and isinstance(value[0], str):
        width = max(len(v.encode()) for v in value)
        data = b"".join(v.encode().ljust(width) for v in value)
        return record(processor, name, group, struct.pack("bBBB", -1, 2, width, len(value)) + data)
    numbers = np.atleast_1d(value)
    kind, code = (4, "f") if numbers.dtype.kind == "f" else (2, "h")
    head = struct.pack("bBB", kind, 1, len(numbers))
    return record(processor, name, group, head + packed(processor, code, numbers))


def pack(
    words: np.ndarray,  # (frames, points, 4): as stored
    *,
    processor: str = "intel",
    scale: float = -1.0,
    rate: float = 50.0,
    analog: int = 0,
    point: dict[str, Any] | None = None,
    frames: int | None = None,
) -> bytes:
    count, points = words.shape[:2]
    about = {"USED": points, "FRAMES": count, "RATE": rate, "SCALE": scale, "UNITS": ["mm"]} | (point or {})
    section = bytes([1, 0x50, 0, PROCESSORS[processor]]) + record(processor, "POINT", -1)
    section += b"".join(parameter(processor, k, 1, v) for k, v in about.items() if v is not None) + b"\x00\x00"
    blocks = -(-len(section) // 512)
    last = frames if frames is not None else count
    header = bytes([2, 0x50]) + packed(processor, "h", np.array([points, analog, 1, last, 0]).astype(np.int16))
    header += packed(processor, "f", [scale]) + packed(processor, "h", [2 + blocks, 1 if analog else 0])
    header += packed(processor, "f", [rate])
    rows = [packed(processor, "f" if scale < 0 else "h", np.append(row.ravel(), np.full(analog, 7))) for row in words]
    return header.ljust(512, b"\x00") + section.ljust(512 * blocks, b"\x00") + b"".join(rows)


def words(frames: int = 5, points: int = 3, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    out = np.zeros((frames, points, 4))
    out[..., :3] = rng.integers(-900, 900, size=(frames, points, 3)) + 0.5 * rng.integers(
        0, 2, size=(frames, points, 3)
    )
    return out


# --- reading ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("processor", PROCESSORS)
@pytest.mark.parametrize("scale", [-0.1, 0.25])
@pytest.mark.parametrize("analog", [0, 6])
def test_every_way_of_storing_numbers(tmp_path: Path, processor: str, scale: float, analog: int) -> None:
    stored = words() if scale < 0 else np.round(words())
    stored[1, 2, 3] = -1
    path = tmp_path / "a.c3d"
    path.write_bytes(pack(stored, processor=processor, scale=scale, analog=analog, point={"LABELS": ["A ", "B", "Cé"]}))
    clip = ft.read(path)
    assert isinstance(clip, ft.PointClip)
    expected = stored[..., :3] * (1.0 if scale < 0 else scale)
    expected[1, 2] = np.nan
    np.testing.assert_array_equal(clip.positions, expected)
    assert (clip.names, clip.frame_time, clip.unit_m, clip.up) == (("A", "B", "Cé"), 1 / 50, 0.001, "z")
    if processor == "intel" and not analog:
        oracle = ezc3d.c3d(str(path))["data"]["points"][:3].transpose(2, 1, 0)
        np.testing.assert_allclose(oracle, expected, rtol=1e-6)


def test_what_counts_as_a_gap(tmp_path: Path) -> None:
    stored = words(6, 1)
    stored[1, 0, 3] = -1  # says so
    stored[2, 0, 1] = np.nan
    stored[3, 0, :] = 0  # never seen by a camera
    stored[4, 0] = [0, 0, 0, 2]  # seen, and at the origin
    (tmp_path / "a.c3d").write_bytes(pack(stored))
    clip = ft.read(tmp_path / "a.c3d")
    assert clip.gaps()[:, 0].tolist() == [False, True, True, True, False, False]
    assert clip.positions[4, 0].tolist() == [0, 0, 0]


def test_labels_are_made_whole_and_unique(tmp_path: Path) -> None:
    about = {"LABELS": ["A", "", "A", "A_2", "point6"], "LABELS2": ["A"], "LABELS3": ["Z"]}
    (tmp_path / "a.c3d").write_bytes(pack(words(2, 8), point=about))
    assert ft.read(tmp_path / "a.c3d").names == ("A", "point2", "A_3", "A_2", "point6", "A_4", "Z", "point8")
    (tmp_path / "a.c3d").write_bytes(pack(words(1, 60000)))
    assert len(set(ft.read(tmp_path / "a.c3d").names)) == 60000


def test_units_and_up_axis(tmp_path: Path) -> None:
    path = tmp_path / "a.c3d"
    for units, metres in (("cm", 0.01), ("M", 1.0), ("in", 0.0254), ("furlong", 7.0), (None, 7.0)):
        path.write_bytes(pack(words(), point={"UNITS": [units] if units else None}))
        assert ft.read(path, unit_m=7.0).unit_m == metres
    for screen, up in (("+Y", "y"), ("+Z", "z"), ("-z", "z"), ("+X", "z")):
        path.write_bytes(pack(words(), point={"Y_SCREEN": [screen]}))
        assert ft.read(path).up == up
    assert ft.read(path, up="y").up == "y"


def test_rate_is_the_decimal_number_that_was_meant(tmp_path: Path) -> None:
    (tmp_path / "a.c3d").write_bytes(pack(words(), rate=29.97))
    assert ft.read(tmp_path / "a.c3d").frame_time == 1 / 29.97


def test_more_frames_than_sixteen_bits_count(tmp_path: Path) -> None:
    stored = words(70000, 1)
    path = tmp_path / "long.c3d"
    path.write_bytes(pack(stored, frames=65535, point={"FRAMES": -1, "LONG_FRAMES": 70000.0}))
    clip = ft.read(path)
    np.testing.assert_array_equal(clip.positions, stored[..., :3])
    ft.write(tmp_path / "again.c3d", clip)
    np.testing.assert_array_equal(ft.read(tmp_path / "again.c3d").positions, clip.positions)


def test_frames_are_counted_by_the_parameter_where_the_header_has_none(tmp_path: Path) -> None:
    (tmp_path / "a.c3d").write_bytes(pack(words(5), frames=0))
    assert len(ft.read(tmp_path / "a.c3d")) == 5


@pytest.mark.parametrize("path", data_files("c3d/*.c3d"), ids=label)
def test_real_files_as_ezc3d_reads_them(path: Path) -> None:
    clip = ft.read(path)
    oracle = ezc3d.c3d(str(path))
    np.testing.assert_array_equal(clip.positions, oracle["data"]["points"][:3].transpose(2, 1, 0))
    assert list(clip.names) == oracle["parameters"]["POINT"]["LABELS"]["value"]
    assert (clip.fps, clip.unit_m, clip.up) == (250, 0.001, "z")
    share = {"walking5": 0.46, "test_walking": 0.32}[path.stem]
    assert abs(clip.gaps().mean() - share) < 0.006


@pytest.mark.parametrize(("name", "first", "last"), [("walking5", 463, 912), ("test_walking", 293, 712)])
def test_gap_free_windows(data: Path, name: str, first: int, last: int) -> None:
    clip, window = ft.read(data / f"c3d/{name}.c3d"), ft.read(data / f"c3d/{name}_gapfree.csv")
    assert clip.names == window.names and clip.frame_time == window.frame_time
    # The README counts frames from 0 as Python does.
    np.testing.assert_allclose(clip.positions[first : last + 1], window.positions, atol=0.00501)


# --- writing ---------------------------------------------------------------------------------------------------------


@given(
    seed=st.integers(0, 2**32),
    frames=st.integers(1, 12),
    count=st.sampled_from([1, 2, 3, 254, 255, 256, 300, 520]),
    fps=st.sampled_from([24.0, 25.0, 29.97, 60.0, 119.88, 250.0]),
    up=st.sampled_from(["y", "z"]),
    unit=st.sampled_from([None, 0.001, 0.01, 1.0]),
)
def test_write_and_read_again_is_equal(
    tmp_path_factory: pytest.TempPathFactory,
    seed: int,
    frames: int,
    count: int,
    fps: float,
    up: str,
    unit: float | None,
) -> None:
    rng = np.random.default_rng(seed)
    positions = rng.normal(size=(frames, count, 3)).astype(np.float32).astype(float) * 1024.0
    positions[rng.random((frames, count)) < 0.2] = np.nan
    positions[rng.random((frames, count)) < 0.1] = 0.0
    names = tuple(f"marker {k}" if k % 3 else f"m:{k}ü" for k in range(count))
    clip = ft.PointClip(names, positions, 1.0 / fps, up=up, unit_m=unit)
    path = tmp_path_factory.mktemp("c3d") / "a.c3d"
    ft.write(path, clip, warn=lambda note: None)
    again = ft.read(path)
    np.testing.assert_array_equal(again.positions, clip.positions)
    assert (again.names, again.frame_time, again.up, again.unit_m) == (names, clip.frame_time, up, unit)
    oracle = ezc3d.c3d(str(path))["data"]
    there = ~np.isnan(oracle["points"][0].T) & (oracle["meta_points"]["residuals"][0].T >= 0)
    np.testing.assert_array_equal(there, ~clip.gaps())
    np.testing.assert_array_equal(oracle["points"][:3].transpose(2, 1, 0)[there], clip.positions[there])
    assert [p.name for p in path.parent.iterdir()] == ["a.c3d"]


def test_a_clip_is_written_by_its_joint_positions(data: Path, tmp_path: Path) -> None:
    clip = ft.read(data / "walk/walk_1.bvh", unit_m=0.0254 / 0.45)
    ft.write(tmp_path / "a.c3d", clip)
    again = ft.read(tmp_path / "a.c3d")
    assert again.names == clip.skeleton.names and again.up == "y" and again.unit_m == 0.001
    np.testing.assert_allclose(again.positions * 0.001, clip.positions() * clip.unit_m, atol=1e-6)


def test_what_c3d_cannot_hold_is_refused(tmp_path: Path) -> None:
    cases = [
        (ft.Stroke(np.zeros((2, 2)), np.arange(2.0)), "C3D holds points over time, not a stroke"),
        (ft.PointClip(("x" * 200,), np.zeros((1, 1, 3)), 0.1), "is longer than the 120 bytes"),
        (ft.PointClip(("x",), np.full((1, 1, 3), 1e39), 0.1), "too large for the 32-bit numbers"),
    ]
    for motion, message in cases:
        with pytest.raises(ft.FormatError, match=message):
            ft.write(tmp_path / "a.c3d", motion)
    assert not list(tmp_path.iterdir())


def test_without_the_extra_files_are_read_and_writing_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "a.c3d").write_bytes(pack(words()))
    program = (
        "import sys; sys.modules['ezc3d'] = None\n"
        "import freshtake as ft; clip = ft.read('a.c3d')\n"
        "try: ft.write('b.c3d', clip)\n"
        "except ft.MissingExtra as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "pip install 'freshtake[c3d]'" in done.stdout


# --- damage ----------------------------------------------------------------------------------------------------------

GOOD = pack(words(), point={"LABELS": ["A", "B", "C"]})


def put(place: int, data: bytes, good: bytes = GOOD) -> bytes:
    return good[:place] + data + good[place + len(data) :]


def at(name: bytes, skip: int = 0) -> int:
    """Where in the file a parameter's name ends."""
    return GOOD.index(name) + len(name) + skip


BROKEN = [
    (GOOD[:700], "byte 1: a C3D header (byte 0x50 and 512 bytes, then parameters) was expected"),
    (b"\x02\x50", "a C3D header"),
    (put(0, b"\xff"), "byte 0: the header puts the parameters in block 255, outside the file"),
    (put(512 + 3, b"\x07"), "byte 515: processor 84, 85 or 86 was expected, not 7"),
    (put(at(b"USED"), b"\xff\xff"), "parameter 'USED' runs beyond the end of the file"),
    (put(at(b"USED"), b"\x01\x00"), "parameter 'USED' runs beyond the end of the file"),
    (put(at(b"USED", 2), b"\x03"), "parameter 'USED' has type 3, where -1, 1, 2 or 4 was expected"),
    (put(at(b"LABELS", 4), b"\xff\xff"), "parameter 'LABELS' needs 65029 bytes"),
    (put(at(b"USED", 3), b"\x40"), "parameter 'USED' ends before its dimensions"),
    (put(at(b"USED", 5), b"\x00\x00"), "POINT:USED: the file has no points"),
    (put(at(b"USED", 5), b"\xff\xff"), "are declared, but there are 0"),
    (put(8, b"\xff\x7f"), "32767 frames of 48 bytes are declared, but there are 5"),
    (put(8, b"\x00\x00", pack(words(), point={"FRAMES": None})), "byte 6: frames 1 to 0 are not a range"),
    (put(16, b"\x00\x00"), "byte 16: the header puts the start of the data in block 0"),
    (put(16, b"\xff\xff"), "are declared, but there are 0: the file is cut or damaged"),
    (put(12, b"\x00\x00\x00\x00"), "byte 12: a scale other than 0 was expected"),
    (put(20, b"\x00\x00\x00\x00", pack(words(), point={"RATE": None})), "byte 20: a frame rate above 0"),
    (put(at(b"RATE", 5), b"\x00\x00\xc0\x7f", put(20, b"\x00\x00\xc0\x7f")), "a frame rate above 0"),
    (GOOD[:-1], "5 frames of 48 bytes are declared, but there are 4"),
    (put(len(GOOD) - 16, struct.pack("<f", np.inf)), "point 'C' is infinite in frame 4"),
]


@pytest.mark.parametrize(("content", "message"), BROKEN, ids=[f"{k} {m}" for k, (_, m) in enumerate(BROKEN)])
def test_broken_files_are_refused_with_their_place(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "broken.c3d"
    path.write_bytes(content)
    with pytest.raises(ft.FormatError) as caught:
        ft.read(path)
    assert message in str(caught.value) and str(caught.value).startswith(f"{path}: ")


@given(st.data())
def test_no_damage_gets_past_the_reader(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    content = bytearray(pack(words(), processor=data.draw(st.sampled_from(list(PROCESSORS)))))
    for _ in range(data.draw(st.integers(1, 6))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.mktemp("damaged") / "a.c3d"
    path.write_bytes(content[: data.draw(st.sampled_from([len(content), len(content) // 2, 1024, 900]))])
    with suppress(ft.FreshtakeError):
        ft.read(path)


@pytest.mark.skipif(sys.platform == "win32", reason="file sizes cannot be limited there")
def test_a_disk_that_fills_up_leaves_nothing_under_the_final_name(tmp_path: Path) -> None:
    code = """
import resource, signal, sys
import numpy as np
import freshtake as ft
from freshtake.samples import walk
from freshtake.motion import PointClip
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # so that writing fails as it does on a full disk
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
clip = PointClip(("a", "b"), np.random.default_rng(0).normal(size=(int(sys.argv[2]), 2, 3)), 0.01)
try:
    ft.write(sys.argv[1], clip)
except ft.FormatError as error:
    print(error)
"""
    for frames, there in ((100, ["x.c3d"]), (4000, [])):
        for old in tmp_path.iterdir():
            old.unlink()
        command = [sys.executable, "-c", code, str(tmp_path / "x.c3d"), str(frames)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert ("disk full" in done.stdout) == (not there)
        assert [path.name for path in tmp_path.iterdir()] == there


def test_a_clip_is_written_with_its_unit(tmp_path: Path) -> None:
    """The unit of a body without one is guessed and noted; an unknown unit is noted too."""
    said: list[str] = []
    clip = walk(np.random.default_rng(0), fps=20.0).changed(unit_m=None)
    ft.write(tmp_path / "a.c3d", clip, warn=said.append)
    assert ft.read(tmp_path / "a.c3d").unit_m == 0.01  # type: ignore[union-attr]
    assert len(said) == 1 and "C3D stores its unit, and centimetres are guessed" in said[0]
    ft.write(tmp_path / "b.c3d", ft.PointClip(("x",), np.ones((2, 1, 3)), 0.1), warn=said.append)
    assert len(said) == 2 and "do not state their unit" in said[1]
    ft.write(tmp_path / "c.c3d", clip.changed(unit_m=0.0254), warn=said.append)
    assert ft.read(tmp_path / "c.c3d").unit_m == 0.0254 and len(said) == 2  # type: ignore[union-attr]
