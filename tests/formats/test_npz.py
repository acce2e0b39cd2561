"""npz: every motion type survives bit for bit, files by others are understood, and nothing hostile gets far."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import freshtake as ft
from freshtake.formats import archive as npz_archive
from freshtake.formats.read_options import Motion, ReadOptions
from freshtake.formats.registry import take_in_all
from freshtake.motion import Clip, EndSite, MeshSequence, PointClip, Skeleton, Stroke
from tests.conftest import data_files, label

FINITE = st.floats(allow_nan=False, allow_infinity=False, width=64)
SINGLE = st.floats(allow_nan=False, allow_infinity=False, width=32)
NAMES = st.text(st.characters(exclude_categories=["Cc"]), min_size=1, max_size=8).filter(lambda s: s.strip() != "")
TEXT = st.text(max_size=12).filter(lambda s: not s.endswith("\x00"))
ABOUT = {"name": TEXT, "provenance": TEXT}
SPACE = {"up": st.sampled_from("yz"), "unit_m": st.none() | st.floats(1e-6, 1e6)}
TIMES = st.floats(1e-6, 1e3)


def arrays(shape: tuple[int, ...], elements: st.SearchStrategy[float] = FINITE) -> st.SearchStrategy[Any]:
    return hnp.arrays(np.float32 if elements is SINGLE else np.float64, shape, elements=elements)


@st.composite
def layouts(draw: st.DrawFn, joints: int) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    channels = []
    for _ in range(joints):
        moving = draw(st.permutations(["tx", "ty", "tz"]))[: draw(st.sampled_from([0, 0, 3, 1]))]
        turning = draw(st.permutations(["rx", "ry", "rz"]))[: draw(st.integers(0, 3))]
        channels.append(tuple(draw(st.permutations(moving + turning))))
    orders = tuple("".join(draw(st.permutations([c[1].upper() for c in cs if c[0] == "r"]))) for cs in channels)
    return tuple(channels), orders


@st.composite
def skeletons(draw: st.DrawFn) -> Skeleton:
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    count = len(names)
    parents = np.array([-1] + [draw(st.integers(0, j - 1)) for j in range(1, count)])
    channels, orders = draw(layouts(count))
    sites = st.builds(EndSite, st.integers(0, count - 1), st.tuples(FINITE, FINITE, FINITE), TEXT)
    pair = st.tuples(st.floats(allow_nan=False), st.floats(allow_nan=False)).map(lambda p: (min(p), max(p)))
    limits = tuple(
        draw(st.just(()) | st.tuples(*[st.none() | pair] * len(joint_channels))) for joint_channels in channels
    )
    return Skeleton(
        tuple(names),
        parents,
        draw(arrays((count, 3))),
        tuple(draw(st.lists(sites, max_size=3))),
        channels,
        orders,
        draw(st.none() | unit_quaternions((count,))),
        draw(st.none() | st.just(limits)),
    )


def unit_quaternions(shape: tuple[int, ...]) -> st.SearchStrategy[Any]:
    small = st.floats(-1.0, 1.0).map(lambda v: v + (2.0 if v >= 0 else -2.0))
    return arrays((*shape, 4), small).map(lambda q: q / np.linalg.norm(q, axis=-1, keepdims=True))


@st.composite
def clips(draw: st.DrawFn) -> Clip:
    skeleton = draw(skeletons())
    frames, joints = draw(st.integers(1, 3)), len(skeleton)
    return Clip(
        skeleton,
        draw(TIMES),
        draw(arrays((frames, 3))),
        draw(unit_quaternions((frames, joints))),
        draw(st.none() | arrays((frames, joints, 3))),
        draw(st.none() | arrays((frames, skeleton.channel_count))),
        **{k: draw(v) for k, v in (ABOUT | SPACE).items()},
    )


@st.composite
def meshes(draw: st.DrawFn) -> MeshSequence:
    frames, count, faces = draw(st.integers(1, 3)), draw(st.integers(1, 5)), draw(st.integers(0, 4))
    shapes = st.sampled_from([(count, 2), (frames, count, 1)])
    return MeshSequence(
        draw(arrays((frames, count, 3), SINGLE)),
        draw(hnp.arrays(np.int32, (faces, 3), elements=st.integers(0, count - 1))),
        draw(TIMES),
        draw(st.none() | arrays((frames, count, 3), SINGLE)),
        {name: draw(arrays(draw(shapes), SINGLE)) for name in draw(st.lists(st.text(max_size=9), max_size=3))},
        **{k: draw(v) for k, v in (ABOUT | SPACE).items()},
    )


@st.composite
def point_clips(draw: st.DrawFn) -> PointClip:
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    positions = draw(arrays((draw(st.integers(1, 3)), len(names), 3)))
    positions[draw(hnp.arrays(np.bool_, positions.shape[:2]))] = np.nan
    return PointClip(tuple(names), positions, draw(TIMES), **{k: draw(v) for k, v in (ABOUT | SPACE).items()})


@st.composite
def strokes(draw: st.DrawFn) -> Stroke:
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    times = sorted(draw(st.sets(FINITE, min_size=1, max_size=4)))
    points = draw(arrays((len(times), len(names))))
    return Stroke(points, np.array(times), tuple(names), **{k: draw(v) for k, v in ABOUT.items()})


def assert_same(a: Any, b: Any, where: str = "") -> None:
    """Equal bit for bit in every field, whatever the type."""
    assert type(a) is type(b), where
    if is_dataclass(a):
        for field in fields(a):
            assert_same(getattr(a, field.name), getattr(b, field.name), f"{where}.{field.name}")
    elif isinstance(a, np.ndarray):
        assert a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes(), where
    elif hasattr(a, "items"):
        assert list(a) == list(b), where
        for key in a:
            assert_same(a[key], b[key], f"{where}[{key!r}]")
    else:
        assert a == b, where


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("npz")


def as_stored(path: Path) -> Motion:
    """The content of the file; `ft.read` may move the root to the joint that carries the body."""
    return take_in_all([path], ReadOptions(), filed=True)[0].motion


@given(motion=st.one_of(clips(), meshes(), point_clips(), strokes()))
def test_every_noun_survives_bit_for_bit(folder: Path, motion: Motion) -> None:
    path = folder / "motion.npz"
    ft.write(path, motion)
    assert_same(as_stored(path), motion)


@given(motion=st.one_of(clips(), meshes()))
def test_equal_content_gives_equal_bytes(folder: Path, motion: Motion) -> None:
    first, second = folder / "first.npz", folder / "second.npz"
    ft.write(first, motion)
    ft.write(second, as_stored(first))
    assert first.read_bytes() == second.read_bytes()


def test_bytes_do_not_depend_on_what_was_written_before(folder: Path) -> None:
    def with_tip(x: float) -> Clip:
        body = Skeleton(("a",), np.array([-1]), np.zeros((1, 3)), (EndSite(0, (x, 1.0, 0.0)),))
        return Clip(body, 0.1, np.zeros((1, 3)), np.array([[[1.0, 0.0, 0.0, 0.0]]]))

    for sign in (0.0, -0.0):
        ft.write(folder / "zero.npz", with_tip(sign))
        assert np.signbit(np.load(folder / "zero.npz")["end_site_offsets"][0, 0]) == np.signbit(sign)


def test_numpy_reads_what_we_write(folder: Path) -> None:
    motion = mesh(frames=3)
    ft.write(folder / "mesh.npz", motion)
    with np.load(folder / "mesh.npz", allow_pickle=False) as archive:
        assert np.array_equal(archive["vertices"], motion.vertices)
        assert float(archive["fps"]) == motion.fps and np.isnan(archive["unit_m"])
        assert str(archive["kind"]) == "mesh"


@pytest.mark.parametrize("path", data_files("mesh/*.npz"), ids=label)
def test_real_mesh_sequences(path: Path) -> None:
    read = ft.read(path)
    with np.load(path) as archive:
        assert isinstance(read, MeshSequence)
        assert read.vertices.tobytes() == archive["vertices"].tobytes()
        assert np.array_equal(read.faces, archive["faces"]) and read.fps == float(archive["fps"])


@pytest.mark.parametrize("path", data_files("walk/walk_*.bvh") + data_files("asfamc/cmu02/02_01.amc"), ids=label)
def test_real_clips_survive(folder: Path, path: Path) -> None:
    clip = ft.read(path, fps=120)
    ft.write(folder / "clip.npz", clip)
    assert_same(ft.read(folder / "clip.npz"), clip)


# Files by others: only the arrays that matter, in whatever type NumPy gave them.

IDENTITY = np.tile([1.0, 0.0, 0.0, 0.0], (2, 3, 1))
BONES = {
    "names": np.array(["hip", "knee", "foot"]),
    "parents": np.array([-1, 0, 1], dtype=np.int16),
    "offsets": np.zeros((3, 3), dtype=np.float32),
    "root": np.zeros((2, 3), dtype=np.int64),
    "rotations": IDENTITY.astype(np.float32),
    "fps": np.array([30]),
}


def saved(folder: Path, compressed: bool = False, **arrays: Any) -> Path:
    path = folder / "by_others.npz"
    (np.savez_compressed if compressed else np.savez)(path, **arrays)
    return path


def test_minimal_clip(folder: Path) -> None:
    clip = ft.read(saved(folder, **BONES))
    assert isinstance(clip, Clip) and clip.fps == 30.0 and clip.up == "y" and clip.unit_m is None
    assert clip.name == "by_others" and clip.skeleton.names == ("hip", "knee", "foot")
    assert clip.skeleton.end_sites == () and clip.channels is None


def test_what_the_caller_knows_fills_what_the_file_leaves_open(folder: Path) -> None:
    bones = {k: v for k, v in BONES.items() if k != "fps"}
    clip = ft.read(saved(folder, **bones, unit_m=np.nan), fps=50, unit_m=0.01, up="z")
    assert isinstance(clip, Clip) and (clip.fps, clip.unit_m, clip.up) == (50.0, 0.01, "z")
    said = ft.read(saved(folder, **BONES, unit_m=1.0, up=np.array("y")), fps=50, unit_m=0.01, up="z")
    assert isinstance(said, Clip) and (said.fps, said.unit_m, said.up) == (30.0, 1.0, "y")


@pytest.mark.parametrize("compressed", [False, True])
def test_minimal_others(folder: Path, compressed: bool) -> None:
    points = ft.read(saved(folder, compressed, positions=np.zeros((4, 2, 3)), fps=100))
    assert isinstance(points, PointClip) and points.names == ("point_1", "point_2") and points.fps == 100
    stroke = ft.read(saved(folder, compressed, points=np.arange(6.0).reshape(3, 2), times=np.array([0, 0.5, 2])))
    assert isinstance(stroke, Stroke) and stroke.dimensions == ("x", "y") and stroke.times.tolist() == [0, 0.5, 2]
    with pytest.raises(ft.FormatError, match="array 't': times of strokes are read from 'times': rename the array"):
        ft.read(saved(folder, compressed, points=np.zeros((3, 2)), t=np.array([0, 0.5, 2]), fps=10))
    even = ft.read(saved(folder, compressed, points=np.zeros((3, 1)), fps=10))
    assert isinstance(even, Stroke) and np.allclose(even.times, [0.0, 0.1, 0.2])
    order = np.asfortranarray(np.arange(24.0).reshape(2, 4, 3))
    big_endian = ft.read(saved(folder, compressed, vertices=order.astype(">f8"), faces=np.zeros((0, 3), int), fps=24))
    assert isinstance(big_endian, MeshSequence) and np.array_equal(big_endian.vertices, order)


def mesh(frames: int = 2) -> MeshSequence:
    vertices = np.arange(frames * 9, dtype=np.float32).reshape(frames, 3, 3)
    return MeshSequence(vertices, np.array([[0, 1, 2]], dtype=np.int32), 1 / 60)


def test_texts_that_would_change_are_refused(folder: Path) -> None:
    with pytest.raises(ft.FormatError, match="NUL"):
        ft.write(folder / "nul.npz", Stroke(np.zeros((1, 1)), np.zeros(1), name="a\x00"))
    assert not (folder / "nul.npz").exists()


def test_several_clips_are_refused(folder: Path) -> None:
    clip = Clip(Skeleton(("a",), np.array([-1]), np.zeros((1, 3))), 1.0, np.zeros((1, 3)), IDENTITY[:1, :1])
    with pytest.raises(ft.FormatError, match="write a file for each"):
        ft.write(folder / "several.npz", [clip, clip])


def test_what_we_write_never_looks_like_a_bomb(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npz_archive, "ALWAYS_FINE", 1 << 16)
    still = Stroke(np.zeros((100_000, 2)), np.arange(100_000.0))
    calm = MeshSequence(np.zeros((300, 100, 3), np.float32), np.zeros((0, 3), np.int32), 0.1)
    for motion in (still, calm):
        ft.write(folder / "still.npz", motion)
        assert_same(ft.read(folder / "still.npz"), motion)
    assert (folder / "still.npz").stat().st_size > calm.vertices.nbytes
