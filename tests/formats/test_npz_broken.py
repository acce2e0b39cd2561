"""npz files that are broken or hostile: each refused in one sentence, before it costs memory."""

from __future__ import annotations

import contextlib
import io
import struct
import tracemalloc
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import freshtake as ft
from freshtake.formats import npz
from freshtake.formats.archive import decode_array
from freshtake.formats.read_options import ReadOptions
from tests.formats.test_npz import BONES, IDENTITY


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("npz_broken")


def npy(array: Any, **changes: bytes) -> bytes:
    content = io.BytesIO()
    np.save(content, array, allow_pickle=True)
    data = content.getvalue()
    for old, new in changes.items():
        assert old.encode() in data
        data = data.replace(old.encode(), new.ljust(len(old)))
    return data


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return content.getvalue()


def patched(data: bytes, offset: int, value: bytes) -> bytes:
    """With bytes of the first directory entry replaced, and of its local header where it has the same field."""
    entry = data.index(b"PK\x01\x02")
    return data[: entry + offset] + value + data[entry + offset + len(value) :]


def bones(**changes: Any) -> bytes:
    content = io.BytesIO()
    np.savez(content, **{k: v for k, v in (BONES | changes).items() if v is not None})
    return content.getvalue()


def surface(**changes: Any) -> bytes:
    arrays = {"vertices": np.zeros((2, 3, 3), np.float32), "faces": np.array([[0, 1, 2]]), "fps": 60.0}
    content = io.BytesIO()
    np.savez(content, **{k: v for k, v in (arrays | changes).items() if v is not None})
    return content.getvalue()


GOOD = zipped({"vertices.npy": npy(np.zeros((2, 3, 3))), "faces.npy": npy(np.zeros((1, 3), int)), "fps.npy": npy(60.0)})
PLAIN = zipped({"points.npy": npy(np.ones((3, 2)))}, zipfile.ZIP_STORED)
LONG_HEADER = b"\x93NUMPY\x02\x00" + struct.pack("<I", 1 << 30) + b"{"


def overfull() -> bytes:
    """A member that inflates to more than it declares, with the checksum of what it declares."""
    data = zipped({"points.npy": npy(np.zeros((500, 2)))})
    declared = npy(np.zeros((500, 2)))[:128]
    return patched(patched(data, 16, struct.pack("<I", zlib.crc32(declared))), 24, struct.pack("<I", 128))


def bomb() -> bytes:
    """0.3 MB that inflate to 300 MB."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("points.npy", "w") as stream:
        stream.write(npy(np.zeros((1, 1)))[:128])
        for _ in range(300):
            stream.write(bytes(1 << 20))
    return content.getvalue()


def twice() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("points.npy", npy(np.ones((3, 2))))
        archive.writestr("points.npy", npy(np.zeros((3, 2))))
    return content.getvalue()


BROKEN: dict[str, tuple[Any, str]] = {
    "cut off": (GOOD[:-30], "damaged or cut off"),
    "cut early": (GOOD[:40], "damaged or cut off"),
    "rubbish after the mark": (b"PK\x03\x04" + bytes(range(256)) * 8, "damaged or cut off"),
    "no arrays": (zipped({"readme.txt": b"hello"}), "arrays named .* were expected, not no arrays"),
    "unknown arrays": (zipped({"apples.npy": npy(1.0)}), "were expected, not apples"),
    "too many members": (zipped({f"a{k}.npy": b"" for k in range(1200)}), "more than 1000 members"),
    "just too many members": (zipped({f"a{k}.npy": b"" for k in range(1010)}), "1010 members, more than 1000"),
    "twice the same": (twice, "contains this member twice"),
    "absolute name": (zipped({"/etc/points.npy": b"x"}), "plain name was expected"),
    "parent folder": (zipped({"a/../../points.npy": b"x"}), "plain name was expected"),
    "backslashes": (zipped({"..\\points.npy": b"x"}), "plain name was expected"),
    "drive": (zipped({"c:points.npy": b"x"}), "plain name was expected"),
    "NUL in a name": (PLAIN.replace(b"points.npy", b"points\x00npy"), "plain name was expected"),
    "encrypted": (patched(PLAIN, 8, b"\x01\x00"), "encrypted"),
    "bzip2": (zipped({"points.npy": b"x" * 99}, zipfile.ZIP_BZIP2), "neither stored nor deflated"),
    "bomb": (bomb, "claim to inflate to 3145.* are not trusted"),
    "claims terabytes": (patched(PLAIN, 24, b"\xfe\xff\xff\xff"), "claim to inflate to .* are not trusted"),
    "declares too little": (overfull, "128 bytes are declared, but there are more"),
    "declares too much": (patched(GOOD, 24, b"\xff\xff\x00\x00"), "65535 bytes are declared, but there are 272"),
    "wrong checksum": (PLAIN.replace(np.ones(1).tobytes(), np.zeros(1).tobytes(), 1), "checksum is wrong"),
    "damaged deflate": (GOOD[:50] + b"\xff" * 30 + GOOD[80:], "member 'vertices.npy': .*damaged"),
    "directory points elsewhere": (patched(PLAIN, 42, b"\x05\x00\x00\x00"), "no member starts"),
    "objects": (zipped({"points.npy": npy(np.array([{}, 1], dtype=object))}), "objects, which could run code"),
    "complex": (zipped({"points.npy": npy(np.ones((3, 2), complex))}), "numbers or text was expected, not of type"),
    "records": (zipped({"points.npy": npy(np.zeros(2, [("x", "f4")]))}), "a type of number or text"),
    "no npy": (zipped({"points.npy": b"1 2 3 4 5 6 7 8 9"}), "npy layout"),
    "empty npy": (zipped({"points.npy": b""}), "npy layout"),
    "long header": (zipped({"points.npy": LONG_HEADER}), "claims 1073741824 bytes"),
    "code in the header": (
        zipped({"points.npy": npy(np.ones(9), descr=b"eval(")}),
        "a type of number or text, fortran_order and shape were expected",
    ),
    "huge shape": (
        zipped({"points.npy": npy(np.ones((111111, 1)))[:128].replace(b"111111", b"999999")}),
        "takes 7999992 bytes, but there are 0",
    ),
    "overflowing shape": (
        zipped({"points.npy": npy(np.ones(1)).replace(b"(1,), }" + b" " * 18, b"(4294967296, 4294967296), ")[:136]}),
        "takes 147573952589676412928 bytes",
    ),
    "empty but endless": (
        zipped({"points.npy": npy(np.ones(0)).replace(b"(0,), }" + b" " * 23, b"(0, 9999999999999999999999), }")}),
        "is not possible",
    ),
    "unknown kind": (bones(kind=np.array("dance")), "one of clip, mesh, points, stroke was expected, not 'dance'"),
    "newer version": (bones(kind=np.array("clip"), version=2), "newer freshtake"),
    "no names": (bones(names=None), "array 'names' is missing; the file has parents"),
    "names as numbers": (bones(names=np.arange(3)), "array 'names': a list of texts"),
    "names twice": (bones(names=np.array(["a", "b", "a"])), "two joints are named 'a'"),
    "impossible letters": (bones(names=np.full(3, 0x7FFFFFFF, np.uint32).view("<U1")), "character that does not exist"),
    "loop in the tree": (bones(parents=np.array([-1, 2, 1])), "joint 'knee' has parent 2"),
    "parents as fractions": (bones(parents=np.array([-1.0, 0.5, 1.0])), "whole numbers were expected"),
    "parents far below": (bones(parents=np.array([-1, 0, -(2**40)])), "from -1 to"),
    "one frame missing": (bones(root=np.zeros((1, 3))), "rotations must have shape"),
    "rotations not unit": (bones(rotations=2 * IDENTITY), "unit quaternions"),
    "rotations NaN": (bones(rotations=np.nan * IDENTITY), "rotations must be finite"),
    "root infinite": (bones(root=np.full((2, 3), np.inf)), "root must be finite"),
    "no rate": (bones(fps=None), "no frame rate: give it as fps"),
    "rate 0": (bones(fps=0), "rate above 0"),
    "rate NaN": (bones(fps=np.nan), "rate above 0"),
    "rate per frame": (bones(fps=np.ones(2)), "one number was expected"),
    "two rates": (bones(frame_time=1.0), "contradict each other"),
    "frame time negative": (bones(fps=None, frame_time=-1.0), "frame_time must be a finite number above 0"),
    "unit infinite": (bones(unit_m=np.inf), "unit_m must be a finite number"),
    "up w": (bones(up=np.array("w")), "up must be one of y, z"),
    "layout too short": (bones(channel_layout=np.array(["rx"])), "channels are given for 1 joints"),
    "limits too few": (
        bones(channel_layout=np.array(["rx", "rx", "rx"]), limits=np.zeros((2, 2))),
        "each of 3 channels was expected",
    ),
    "half a limit": (
        bones(channel_layout=np.array(["rx", "", ""]), limits=np.array([[np.nan, 1.0]])),
        "lower limit above",
    ),
    "end sites without offsets": (
        bones(end_site_joints=np.array([0]), end_site_offsets=np.zeros((2, 3))),
        "1 end sites need as many offsets",
    ),
    "vertices NaN": (surface(vertices=np.full((2, 3, 3), np.nan)), "vertices must be finite"),
    "vertices beyond float32": (surface(vertices=np.full((2, 3, 3), 1e300)), "vertices must be finite"),
    "no faces": (surface(faces=None), "array 'faces' is missing"),
    "faces wrap around": (surface(faces=np.array([[0, 1, 2**32]])), "numbers from -1 to"),
    "faces beyond 64 bits": (surface(faces=np.array([[0, 1, 2**64 - 1]], np.uint64)), "numbers from -1 to"),
    "face outside": (surface(faces=np.array([[0, 1, 3]])), "face 0 uses vertex 3"),
    "normals of another shape": (surface(normals=np.zeros((2, 2, 3))), "normals must have shape"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_files_are_refused_in_one_sentence(folder: Path, case: str) -> None:
    content, message = BROKEN[case]
    path = folder / "broken.npz"
    path.write_bytes(content() if callable(content) else content)
    with pytest.raises(ft.FormatError, match=message) as caught:
        ft.read(path)
    assert str(caught.value).startswith(str(path)) and "\n" not in str(caught.value)


def test_a_member_is_never_inflated_beyond_what_it_declares(folder: Path) -> None:
    declared = npy(np.ones((1, 1)))
    data = zipped({"points.npy": declared + bytes(100 << 20)})
    data = patched(patched(data, 16, struct.pack("<I", zlib.crc32(declared))), 24, struct.pack("<I", len(declared)))
    (folder / "secret_bomb.npz").write_bytes(data)
    tracemalloc.start()
    try:
        with pytest.raises(ft.FormatError, match="136 bytes are declared, but there are more"):
            ft.read(folder / "secret_bomb.npz")
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()


@given(data=st.data())
def test_any_damage_ends_in_a_motion_or_a_format_error(folder: Path, data: st.DataObject) -> None:
    content = bytearray(data.draw(st.sampled_from([GOOD, PLAIN, bones(), surface()])))
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=4))
    path = folder / "damaged.npz"
    path.write_bytes(bytes(content))
    with contextlib.suppress(ft.FormatError, ft.InvalidMotion):  # the second becomes the first in ft.read
        npz.read(path, ReadOptions())


@given(header=st.binary(max_size=200), body=st.binary(max_size=64))
def test_any_header_ends_in_an_array_or_a_format_error(header: bytes, body: bytes) -> None:
    content = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + body
    with contextlib.suppress(ft.FormatError):
        decode_array(Path("x"), content, "here")
