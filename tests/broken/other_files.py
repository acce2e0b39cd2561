"""Broken files of the other formats, as far as several can go wrong in the same way: cut, miscounted, cyclic, not
finite, disproportionate, pointing where they must not. What only one format can get wrong is in its own tests.
"""

from __future__ import annotations

import io
import json
import os
import pickle
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import freshtake as ft
from tests.broken.case import Case
from tests.formats.made_clips import made_clip, usual_layout
from tests.fuzz.seeds import AMC, ASF


def edited(text: str, *changes: tuple[str, str]) -> str:
    """A good text with pieces replaced."""
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


def with_asf(amc: str, asf: str = ASF) -> Callable[[Path], object]:
    """An AMC with a skeleton next to it."""

    def write(path: Path) -> None:
        path.with_suffix(".asf").write_text(asf)
        path.write_text(amc)

    return write


ACCLAIM = (
    Case(
        "asf: cycle in the hierarchy",
        "x.asf",
        edited(ASF, ("root hip", "root hip\n    tibia hip")),
        ("line 45", "'hip' already has a parent"),
    ),
    Case(
        "asf: cycle beside the root",
        "x.asf",
        edited(ASF, ("hip femur\n    femur tibia", "femur tibia\n    tibia femur")),
        ("femur",),
    ),
    Case("asf: bone named twice", "x.asf", edited(ASF, ("name tibia", "name femur")), ("femur",)),
    Case("asf: unknown child", "x.asf", edited(ASF, ("femur tibia", "femur toe")), ("toe",)),
    Case("asf: length not finite", "x.asf", edited(ASF, ("length 7.2", "length nan")), ("line 26", "nan")),
    Case("asf: cut", "x.asf", ASF[:400], ("end of file", ":hierarchy was expected")),
    Case("amc: no asf", "x.amc", AMC, ("no ASF file", "--skeleton")),
    Case("amc: unknown bone", "x.amc", with_asf(edited(AMC, ("femur 1", "wing 1"))), ("line 6", "wing")),
    Case("amc: too few values", "x.amc", with_asf(edited(AMC, ("femur 1 -5.5 10.25", "femur 1"))), ("line 6", "femur")),
    Case("amc: not finite", "x.amc", with_asf(edited(AMC, ("tibia 11.5", "tibia inf"))), ("line 7", "inf")),
    Case("amc: frame missing", "x.amc", with_asf(edited(AMC, ("\n3\n", "\n4\n"))), ("line 12",)),
    Case("amc: cut in a frame", "x.amc", with_asf(AMC[:-20]), ("line 22", "femur")),
    Case("amc: broken asf", "x.amc", with_asf(AMC, "hello"), ("x.asf", "line 1", "'hello'")),
)


def csv_case(title: str, text: str, *says: str) -> Case:
    return Case(f"csv: {title}", "x.csv", text, says)


TABLES = (
    csv_case("no names", "1,2\n3,4\n", "line 1", "column names"),
    csv_case("names only", "x,y\n", "rows of numbers"),
    csv_case("names repeated", "x,x\n1,2\n3,4\n", "line 1", "'x'"),
    csv_case("row too short", "x,y\n1,2\n3\n", "line 3"),
    csv_case("row too long", "x,y\n1,2\n3,4,5\n", "line 3"),
    csv_case("word", "x,y\n1,2\n3,four\n", "line 3", "four"),
    csv_case("stroke not finite", "x,y\n1,2\nnan,4\n", "line 3", "x"),
    csv_case("infinite point", "t,A.x,A.y,A.z\n0,1,2,3\n1,1,inf,3\n", "line 3", "infinite"),
    csv_case("time runs back", "t,x\n0,1\n1,2\n0.5,3\n", "line 4", "later"),
    csv_case("point without z", "t,A.x,A.y\n0,1,2\n1,1,2\n", "A.z"),
)


def clip_bytes(suffix: str) -> bytes:
    """A good small file of a binary format."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"x{suffix}"
        ft.write(path, made_clip(usual_layout(), frames=3).changed(unit_m=0.01))
        return path.read_bytes()


def cut(suffix: str, share: float) -> Callable[[Path], object]:
    def write(path: Path) -> None:
        whole = clip_bytes(suffix)
        path.write_bytes(whole[: int(share * len(whole))])

    return write


CUT = tuple(
    Case(f"{suffix[1:]}: cut at {share:.0%}", f"x{suffix}", cut(suffix, share), (f"x{suffix}",))
    for suffix in (".npz", ".glb", ".gltf", ".c3d")
    for share in (0.02, 0.5, 0.7)
)


def gltf(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], object]:
    """The good glTF file after a change to its JSON."""

    def write(path: Path) -> None:
        document = json.loads(clip_bytes(".gltf"))
        change(document)
        path.with_name("secret.bin").write_bytes(b"\0" * 100_000)
        (path.parent / "below").mkdir(exist_ok=True)
        path.write_text(json.dumps(document))

    return write


def buffer_uri(uri: str) -> Callable[[Path], object]:
    return gltf(lambda document: document["buffers"][0].update(uri=uri))


def linked(path: Path) -> None:
    """A link next to the file that leads out of its folder."""
    path.parent.mkdir()
    outside = path.parent.parent / "outside.bin"
    outside.write_bytes(b"\0" * 100_000)
    path.with_name("linked.bin").symlink_to(outside)
    buffer_uri("linked.bin")(path)


def fifo_buffer(path: Path) -> None:
    os.mkfifo(path.with_name("pipe.bin"))
    buffer_uri("pipe.bin")(path)


def deep_json(path: Path) -> None:
    path.write_text('{"asset": {"version": "2.0"}, "extras": ' + "[" * 200_000 + "]" * 200_000 + "}")


def accessor(**changes: Any) -> Callable[[Path], object]:
    def change(document: dict[str, Any]) -> None:
        for one in document["accessors"]:
            one.update(changes)

    return gltf(change)


GLTF = (
    Case("gltf: uri above", "x.gltf", buffer_uri("../secret.bin"), ("'../secret.bin'", "same folder")),
    Case("gltf: uri absolute", "x.gltf", buffer_uri("/etc/hostname"), ("'/etc/hostname'", "same folder")),
    Case("gltf: uri escaped", "x.gltf", buffer_uri("below/%2e%2e/%2e%2e/secret.bin"), ("same folder",)),
    Case("gltf: uri of a file", "x.gltf", buffer_uri("file:///etc/hostname"), ("never fetched",)),
    Case("gltf: uri of a host", "x.gltf", buffer_uri("https://example.com/x.bin"), ("never fetched",)),
    Case("gltf: uri of a pipe", "x.gltf", fifo_buffer, ("not a regular file",)),
    Case("gltf: uri missing", "x.gltf", buffer_uri("nowhere.bin"), ("no such file", "nowhere.bin")),
    Case("gltf: uri by a link", "inner/x.gltf", linked, ("leads out of the glTF file's folder",)),
    Case("gltf: nested beyond measure", "x.gltf", deep_json, ("nested too deeply",)),
    Case("gltf: accessor count huge", "x.gltf", accessor(count=10**12), ("accessor",)),
    Case("gltf: accessor offset huge", "x.gltf", accessor(byteOffset=2**60), ("accessor",)),
    Case("gltf: accessor count negative", "x.gltf", accessor(count=-1), ("accessor",)),
    Case("gltf: node its own child", "x.gltf", gltf(lambda d: d["nodes"][2].update(children=[0])), ("node",)),
    Case("gltf: node with two parents", "x.gltf", gltf(lambda d: d["nodes"][0]["children"].append(2)), ("node",)),
    Case("gltf: another version", "x.gltf", gltf(lambda d: d["asset"].update(version="1.0")), ("1.0",)),
    Case(
        "glb: length huge",
        "x.glb",
        lambda p: p.write_bytes(_glb_length(2**32 - 4)),
        ("byte 8", "4294967292 bytes are declared"),
    ),
    Case(
        "glb: chunk huge",
        "x.glb",
        lambda p: p.write_bytes(_glb_chunk(2**32 - 4)),
        ("byte 12", "4294967292 bytes is declared"),
    ),
)


def _glb_length(length: int) -> bytes:
    data = clip_bytes(".glb")
    return data[:8] + struct.pack("<I", length) + data[12:]


def _glb_chunk(length: int) -> bytes:
    data = clip_bytes(".glb")
    return data[:12] + struct.pack("<I", length) + data[16:]


def zipped(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def npy(header: str, body: bytes = b"") -> bytes:
    text = header.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + body


class _Touch:
    """What a pickle would run."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (exec, ("raise SystemExit('code from a file was run')",))


def pickled() -> bytes:
    header = "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }"
    return zipped({"points.npy": npy(header, pickle.dumps(_Touch())), "times.npy": npy(header)})


def bomb() -> bytes:
    """Small on disk, 262 MB of zeros when inflated."""
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': (16384000, 2), }"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        with archive.open("points.npy", "w", force_zip64=True) as member:
            member.write(npy(header))
            for _ in range(4):
                member.write(bytes(65536000))
        archive.writestr(
            "fps.npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (), }", struct.pack("<d", 30))
        )
    return out.getvalue()


def saved(**arrays: Any) -> bytes:
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


F8 = "{{'descr': '<f8', 'fortran_order': False, 'shape': {}, }}"
NPZ = (
    Case("npz: pickle inside", "x.npz", pickled(), ("'points'", "run code")),
    Case("npz: bomb beyond its size", "x.npz", lambda p: p.write_bytes(bomb()), ("not trusted",)),
    Case("npz: shape huge", "x.npz", zipped({"points.npy": npy(F8.format("(1000000000000, 2)"))}), ("points",)),
    Case("npz: shape negative", "x.npz", zipped({"points.npy": npy(F8.format("(-1, 2)"))}), ("points",)),
    Case("npz: code in the header", "x.npz", zipped({"points.npy": npy("__import__('os').abort()")}), ("points",)),
    Case("npz: member path above", "x.npz", zipped({"../points.npy": npy(F8.format("(0, 2)"))}), ("'../points.npy'",)),
    Case("npz: not finite", "x.npz", saved(points=np.full((3, 2), np.nan), times=np.arange(3.0)), ("points",)),
    Case(
        "npz: cycle in the parents",
        "x.npz",
        saved(
            names=["a", "b"],
            parents=[1, 0],
            offsets=np.zeros((2, 3)),
            root=np.zeros((1, 3)),
            rotations=np.tile([1.0, 0, 0, 0], (1, 2, 1)),
            fps=30.0,
        ),
        ("'a'",),
    ),
    Case(
        "npz: names repeated",
        "x.npz",
        saved(
            names=["a", "a"],
            parents=[-1, 0],
            offsets=np.zeros((2, 3)),
            root=np.zeros((1, 3)),
            rotations=np.tile([1.0, 0, 0, 0], (1, 2, 1)),
            fps=30.0,
        ),
        ("'a'",),
    ),
    Case("npz: no rate", "x.npz", saved(positions=np.zeros((2, 2, 3)), names=["a", "b"], fps=0.0), ("fps",)),
)


def c3d(offset: int, value: bytes) -> Callable[[Path], object]:
    def write(path: Path) -> None:
        data = clip_bytes(".c3d")
        path.write_bytes(data[:offset] + value + data[offset + len(value) :])

    return write


C3D = (
    Case("c3d: parameters beyond the file", "x.c3d", c3d(0, b"\xff"), ("byte 0", "block 255")),
    Case("c3d: data beyond the file", "x.c3d", c3d(16, b"\xff\xff"), ("3 frames", "there are 0")),
    Case("c3d: data before the parameters", "x.c3d", c3d(16, b"\x00\x00"), ("byte 16", "block 0")),
)


def folder_of(**files: str) -> Callable[[Path], object]:
    def write(path: Path) -> None:
        path.mkdir()
        for name, text in files.items():
            (path / f"{name}.obj").write_text(text)

    return write


TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
OBJ = (
    Case(
        "obj: face beyond the vertices", "mesh", folder_of(f_1=TRIANGLE.replace("f 1 2 3", "f 1 2 9")), ("line 4", "9")
    ),
    Case("obj: face of vertex 0", "mesh", folder_of(f_1=TRIANGLE.replace("f 1 2 3", "f 0 1 2")), ("line 4",)),
    Case("obj: vertex not finite", "mesh", folder_of(f_1=TRIANGLE.replace("v 1", "v nan")), ("line 2", "nan")),
    Case("obj: vertex count changes", "mesh", folder_of(f_1=TRIANGLE, f_2="v 9 9 9\n" + TRIANGLE), ("f_2.obj",)),
    Case("obj: faces change", "mesh", folder_of(f_1=TRIANGLE, f_2=TRIANGLE.replace("1 2 3", "3 2 1")), ("f_2.obj",)),
    Case("obj: no vertices", "mesh", folder_of(f_1="# nothing\n"), ("f_1.obj",)),
)

OTHERS: tuple[Case, ...] = (*ACCLAIM, *TABLES, *CUT, *GLTF, *NPZ, *C3D, *OBJ)
