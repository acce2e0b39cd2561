from __future__ import annotations

import json
import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from freshtake.errors import FormatError, FreshtakeError
from freshtake.formats import gltf
from freshtake.formats.read_options import ReadOptions, WriteOptions
from freshtake.motion import Clip
from tests.formats.gltf.scenes import Scene, rig
from tests.formats.gltf.test_primitives import skinned
from tests.formats.made_clips import made_clip, usual_layout

Change = Callable[[dict[str, Any]], None]


def good() -> Scene:
    return skinned(np.random.default_rng(3), 1, 2)


def put(value: Any, *keys: Any) -> Change:
    def change(document: dict[str, Any]) -> None:
        place: Any = document
        for key in keys[:-1]:
            place = place[key]
        if value is None:
            del place[keys[-1]]
        else:
            place[keys[-1]] = value

    return change


PRIMITIVE = ("meshes", 0, "primitives", 0)
DEEP = [{"children": [k + 1]} for k in range(600)] + [{}]
# What is wrong, how the good document is changed, what the message says. Accessors of the good file: 0 positions,
# 1 normals, 2 coordinates, 3 joints, 4 weights, 5 indices, 6-9 morph targets, 10 bind matrices, 11 first times.
BROKEN: dict[str, tuple[Change, str]] = {
    "no asset": (put(None, "asset"), "'asset' is missing"),
    "glTF 1": (put("1.0", "asset", "version"), "asset.version: glTF 2.0 was expected, not '1.0'"),
    "newer glTF": (put("2.1", "asset", "minVersion"), "glTF 2.0 was expected, not '2.1'"),
    "extension": (put(["ACME_bones"], "extensionsRequired"), "the extension 'ACME_bones'"),
    "meshopt": (put(["EXT_meshopt_compression"], "extensionsRequired"), "'EXT_meshopt_compression'"),
    "extensions": (put("X", "extensionsRequired"), "extensionsRequired: a list of names"),
    "draco": (put({"KHR_draco_mesh_compression": {}}, *PRIMITIVE, "extensions"), "compressed with Draco"),
    "no nodes": (put([], "nodes"), "there are no nodes"),
    "nodes no list": (put({}, "nodes"), "nodes: a list was expected"),
    "node no object": (put(5, "nodes", 0), "nodes[0]: an object was expected, not 5"),
    "cycle": (put([0], "nodes", 4, "children"), "nodes[0].children: the node is its own ancestor"),
    "own child": (put([7], "nodes", 7, "children"), "nodes[7].children: the node is its own ancestor"),
    "two parents": (put([5], "nodes", 7, "children"), "node 5 is also a child of node 1"),
    "child twice": (put([2, 2], "nodes", 1, "children"), "nodes[1].children: a node is listed twice"),
    "bad child": (put([99], "nodes", 4, "children"), "nodes[4].children: node 99 does not exist: there are 8"),
    "negative child": (put([-1], "nodes", 4, "children"), "node -1 does not exist"),
    "child no number": (put(["a"], "nodes", 4, "children"), "a list of whole numbers was expected"),
    "too deep": (put(DEEP, "nodes"), "nested deeper than 500"),
    "rotation of five": (put([0, 0, 0, 0, 1], "nodes", 1, "rotation"), "nodes[1].rotation: a list of 4 numbers"),
    "rotation zero": (put([0, 0, 0, 0], "nodes", 1, "rotation"), "nodes[1].rotation: a unit quaternion"),
    "huge number": (put([0, 0, 1e300], "nodes", 1, "translation"), "nodes[1].translation: finite numbers"),
    "huge integer": (put([0, 0, 10**400], "nodes", 1, "translation"), "nodes[1].translation: finite numbers"),
    "text for number": (put(["1", 0, 0], "nodes", 1, "scale"), "nodes[1].scale: numbers were expected"),
    "projective": (put([1] * 16, "nodes", 1, "matrix"), "nodes[1].matrix: the last row"),
    "name no text": (put(3, "nodes", 1, "name"), "nodes[1].name: a text was expected, not 3"),
    "skin without joints": (put([], "skins", 0, "joints"), "skins[0].joints: a skin needs at least one joint"),
    "bad joint": (put([1, 88], "skins", 0, "joints"), "skins[0].joints: node 88 does not exist"),
    "no common root": (put([1, 7], "skins", 0, "joints"), "skins[0].joints: the joints have no common root"),
    "bad accessor": (put(77, "animations", 0, "samplers", 0, "input"), "samplers[0].input: accessor 77 does not exist"),
    "bad sampler": (put(9, "animations", 0, "channels", 0, "sampler"), "channels[0].sampler: sampler 9 does not exist"),
    "bad target": (put(70, "animations", 0, "channels", 0, "target", "node"), "target.node: node 70 does not exist"),
    "no channels": (put([], "animations", 0, "channels"), "animations[0].channels: the animation moves nothing"),
    "channel twice": (
        put({"node": 1, "path": "rotation"}, "animations", 0, "channels", 2, "target"), "two channels animate",
    ),
    "interpolation": (put("CUBIC", "animations", 0, "samplers", 0, "interpolation"), "LINEAR, STEP or CUBICSPLINE"),
    "too few values": (put(2, "accessors", 12, "count"), "accessors[12]: 7 keys of 3 numbers were expected"),
    "type of values": (put("VEC4", "accessors", 12, "type"), "accessors[12].type: VEC3 was expected, not 'VEC4'"),
    "component type": (put(5124, "accessors", 11, "componentType"), "accessors[11].componentType: one of 5120"),
    "huge count": (put(10**9, "accessors", 11, "count"), "accessors[11].count: 1000000000 elements reach to byte"),
    "zero count": (put(0, "accessors", 11, "count"), "accessors[11].count: a whole number from 1"),
    "fraction": (put(1.5, "accessors", 11, "count"), "accessors[11].count: a whole number"),
    "count true": (put(True, "accessors", 11, "count"), "accessors[11].count: a whole number"),
    "zeros": (
        lambda d: d["accessors"][11].update({"count": 10**10}) or d["accessors"][11].pop("bufferView"),  # type: ignore[func-returns-value]
        "accessors[11].count: 10000000000 elements are declared, but there is no data",
    ),
    "offset": (put(10**6, "accessors", 11, "byteOffset"), "reach to byte"),
    "bad view": (put(999, "accessors", 11, "bufferView"), "accessors[11].bufferView: buffer view 999 does not exist"),
    "view outside": (put(10**7, "bufferViews", 11, "byteOffset"), "bufferViews[11].byteLength: bytes 10000000 to"),
    "bad buffer": (put(3, "bufferViews", 11, "buffer"), "bufferViews[11].buffer: buffer 3 does not exist"),
    "stride": (put(2, "bufferViews", 11, "byteStride"), "bufferViews[11].byteStride: a stride of 2 bytes"),
    "buffer too long": (put([{"byteLength": 10**9}], "buffers"), "buffers[0].byteLength: 1000000000 bytes"),
    "sparse": (
        put(
            {"count": 2, "indices": {"bufferView": 3, "componentType": 5121}, "values": {"bufferView": 4}},
            "accessors", 11, "sparse",
        ),
        "accessors[11].sparse.indices: indices must increase",
    ),
    "scene": (put(4, "scene"), "scene: scene 4 does not exist"),
    "bad mesh": (put(4, "nodes", 7, "mesh"), "nodes[7].mesh: mesh 4 does not exist"),
    "bad skin": (put(4, "nodes", 7, "skin"), "nodes[7].skin: skin 4 does not exist"),
    "no positions": (put(None, *PRIMITIVE, "attributes", "POSITION"), "'POSITION' is missing"),
    "other count": (put(6, *PRIMITIVE, "attributes", "NORMAL"), ""),
    "uneven attribute": (put(5, "accessors", 1, "count"), "attributes.NORMAL: 12 elements were expected"),
    "corner outside": (put(11, "accessors", 0, "count"), ""),
    "corners": (put(11, "accessors", 5, "count"), "indices: triangles need a multiple of three corners, not 11"),
    "joint outside": (put([1, 2], "skins", 0, "joints"), "JOINTS_0: joint 3 of the skin is used, but it has 2"),
    "bind matrices": (put(3, "accessors", 10, "count"), "inverseBindMatrices: 4 matrices were expected, not 3"),
    "weights": (put([1.0], "nodes", 7, "weights"), "nodes[7].weights: a list of 2 numbers"),
    "animated weights": (
        lambda d: d["meshes"][0]["primitives"][0]["targets"].pop(), "there are 1 targets, but 2 weights are animated",
    ),
}  # fmt: skip


def refused(path: Path, fragment: str, **options: Any) -> None:
    before = time.process_time()
    with pytest.raises(FormatError) as caught:
        gltf.read(path, ReadOptions(**options))
    assert time.process_time() - before < 60, "a refusal takes milliseconds, a trap takes for ever"
    message = str(caught.value)
    assert fragment in message and str(path) in message and "\n" not in message
    assert len(message.replace(str(path), "")) < 400


@pytest.mark.parametrize("case", BROKEN)
def test_broken_documents_are_refused_with_their_place(tmp_path: Path, case: str) -> None:
    change, fragment = BROKEN[case]
    scene = good()
    if case == "other count":
        scene.json["accessors"][6]["count"] = 4
        fragment = "attributes.NORMAL: 12 elements were expected, as in POSITION, not 4"
    if case == "corner outside":
        for number in (1, 2, 3, 4, 6, 7, 8, 9):
            scene.json["accessors"][number]["count"] = 11
        fragment = "indices: vertex 11 is used, but there are 11"
    change(scene.json)
    mesh = case not in ("name no text", "skin without joints", "no common root")  # of no concern to vertices
    refused(scene.save(tmp_path / "broken.glb"), fragment, mesh=mesh, warn=lambda message: None)


def test_the_good_document_is_read(tmp_path: Path) -> None:
    path = good().save(tmp_path / "good.glb")
    gltf.read(path, ReadOptions(mesh=True))
    gltf.read(path, ReadOptions())


def changed_bytes(change: Callable[[bytearray], Any]) -> bytes:
    data = bytearray(good().glb())
    change(data)
    return bytes(data)


BYTES: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "line 1 of the JSON: the JSON is broken"),
    "header only": (b"glTF\x02\x00\x00\x00", "byte 0: a GLB header of 20 bytes"),
    "version": (changed_bytes(lambda d: d.__setitem__(4, 1)), "byte 4: GLB version 2 was expected, not 1"),
    "truncated": (good().glb()[:-100], "byte 8:"),
    "longer": (good().glb() + b"rubbish", "byte 8:"),
    "chunk": (changed_bytes(lambda d: d.__setitem__(slice(12, 16), b"\xff\xff\xff\x7f")), "byte 12: a chunk of"),
    "first chunk": (changed_bytes(lambda d: d.__setitem__(slice(16, 20), b"BIN\x00")), "byte 16: the first chunk"),
    "not UTF-8": (b'{"asset": "\xff"}', "not UTF-8"),
    "NaN": (b'{"asset": {"version": "2.0"}, "x": NaN}', "NaN"),
    "overflow": (b'{"asset": {"version": "2.0"}, "x": 1e999}', "the JSON contains 1e999"),
    "nested": (b'{"asset": ' + b"[" * 100_000, "nested too deeply"),
    "long number": (b'{"asset": ' + b"9" * 10_000 + b"}", "a number that is too long"),
    "list": (b'["asset"]', "must be an object"),
}


@pytest.mark.parametrize("case", BYTES)
def test_broken_containers_are_refused_with_their_place(tmp_path: Path, case: str) -> None:
    data, fragment = BYTES[case]
    path = tmp_path / "broken.glb"
    path.write_bytes(data)
    refused(path, fragment)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_not_finite_are_refused(tmp_path: Path, value: float) -> None:
    scene = Scene(nodes=[{}])
    scene.animate("x", (0, "translation", [0, 0.1, 0.2], [[0, 0, 0], [0, value, 0], [0, 0, 0]], "LINEAR"))
    refused(scene.save(tmp_path / "a.glb"), "accessors[1]: element 1 is not finite")


@pytest.mark.parametrize("times", [[0, 0.1, 0.1], [0, 0.2, 0.1]])
def test_key_times_must_increase(tmp_path: Path, times: list[float]) -> None:
    scene = Scene(nodes=[{}])
    scene.animate("x", (0, "translation", times, np.zeros((3, 3)), "LINEAR"))
    refused(scene.save(tmp_path / "a.glb"), "accessors[0]: key times must increase")


def test_a_key_without_rotation_is_refused(tmp_path: Path) -> None:
    scene = Scene(nodes=[{}])
    scene.animate("x", (0, "rotation", [0, 0.1], [[0, 0, 0, 1], [0, 0, 0, 0]], "LINEAR"))
    refused(scene.save(tmp_path / "a.glb"), "accessors[1]: key 1 is not a rotation")


def test_few_keys_far_apart_do_not_make_endless_frames(tmp_path: Path) -> None:
    scene = Scene(nodes=[{}])
    scene.animate("x", (0, "translation", [0, 1e9], np.zeros((2, 3)), "LINEAR"))
    refused(scene.save(tmp_path / "a.glb"), "give a lower fps", warn=lambda message: None)
    refused(tmp_path / "a.glb", "give a lower fps", fps=1e300)


def test_numbers_that_overflow_are_an_error_and_no_warning(tmp_path: Path) -> None:
    nodes: list[dict[str, Any]] = [
        {"scale": [1e120] * 3, "translation": [1e120] * 3, "children": [k + 1]} for k in range(4)
    ]
    refused(Scene(nodes=[*nodes, {}]).save(tmp_path / "a.glb"), "finite")


URIS = {
    "/etc/passwd": "must name a file in the same folder",
    "../secret.bin": "must name a file in the same folder",
    "a/..%2F../secret.bin": "must name a file in the same folder",
    "..\\secret.bin": "must name a file in the same folder",
    "file:///etc/passwd": "never fetched",
    "https://example.com/a.bin": "never fetched",
    "C:/a.bin": "never fetched",
    "link.bin": "leads out of the glTF file's folder",
    "door/secret.bin": "leads out of the glTF file's folder",
    "loop": "",
    "missing.bin": "there is no such file",
    "sub": "",
    "": "must name a file",
    "a%00b": "must name a file",
    "data:,abc": "only base64 data URIs",
    "data:application/octet-stream;base64,@@@": "not base64",
    "data:application/octet-stream;base64,AAAA": "are declared, but there are 3",
    "short.bin": "are declared, but there are 5",
}


@pytest.mark.parametrize("uri", URIS)
def test_buffers_are_read_from_the_same_folder_or_below_only(tmp_path: Path, uri: str) -> None:
    folder = tmp_path / "here"
    (folder / "sub").mkdir(parents=True)
    scene = good()
    (tmp_path / "secret.bin").write_bytes(scene.binary)
    (folder / "short.bin").write_bytes(b"12345")
    (folder / "link.bin").symlink_to(tmp_path / "secret.bin")
    (folder / "door").symlink_to(tmp_path)
    (folder / "loop").symlink_to(folder / "loop")
    scene.json["buffers"] = [{"byteLength": len(scene.binary), "uri": uri}]
    path = folder / "a.gltf"
    path.write_text(json.dumps(scene.json))
    refused(path, URIS[uri])


ODD = (
    None,
    True,
    -1,
    0,
    1,
    2,
    3,
    5,
    17,
    1e9,
    10**30,
    0.5,
    -2.5,
    1e140,
    1e-300,
    "",
    "VEC3",
    "LINEAR",
    [],
    {},
    [0],
    [1, 2, 3],
)


def misled(rng: np.random.Generator, data: bytes) -> bytes:
    """A good file with a few values of its JSON replaced by odd ones, by one another, or removed."""
    (size,) = struct.unpack_from("<I", data, 12)
    document = json.loads(data[20 : 20 + size])
    for _ in range(rng.integers(1, 4)):
        holders: list[Any] = [document]
        for holder in holders:
            values = holder.values() if isinstance(holder, dict) else holder
            holders += [value for value in values if isinstance(value, dict | list) and value]
        holder = holders[int(rng.integers(0, len(holders)))]
        key = (
            list(holder)[int(rng.integers(0, len(holder)))]
            if isinstance(holder, dict)
            else int(rng.integers(len(holder)))
        )
        kind = rng.integers(0, 3)
        if kind == 0:
            holder[key] = json.loads(json.dumps(ODD[int(rng.integers(0, len(ODD)))]))
        elif kind == 1:
            other = holders[int(rng.integers(0, len(holders)))]
            holder[key] = json.loads(json.dumps(next(iter(other.values() if isinstance(other, dict) else other))))
        elif len(holder) > 1:
            del holder[key]
    text = json.dumps(document).encode()
    body = struct.pack("<II", len(text), 0x4E4F534A) + text + data[20 + size :]
    return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body


def mutated(rng: np.random.Generator, data: bytes) -> bytes:
    """A good file with a few bytes, numbers of its JSON, or spans changed; the chunk lengths are set right again."""
    (size,) = struct.unpack_from("<I", data, 12)
    text, rest = bytearray(data[20 : 20 + size]), bytearray(data[20 + size :])
    for _ in range(rng.integers(1, 5)):
        part = text if rng.random() < 0.8 or not rest else rest
        place = int(rng.integers(0, len(part)))
        kind = rng.integers(0, 4)
        if kind == 0:
            part[place] = int(rng.integers(0, 256))
        elif kind == 1:
            digits = [k for k in range(len(part)) if 48 <= part[k] <= 57]
            if digits:
                part[int(rng.choice(digits))] = int(rng.choice(list(b"0123456789-.e")))
        elif kind == 2:
            del part[place : place + int(rng.integers(1, 30))]
        else:
            part[place:place] = bytes(part[int(rng.integers(0, len(part))) :][: int(rng.integers(1, 30))])
    body = struct.pack("<II", len(text), 0x4E4F534A) + text + rest
    return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body


def fuzz(folder: Path, seconds: float, seed: int) -> tuple[int, int]:
    """How many damaged files were refused, and how many were still readable; anything else raises."""
    rng = np.random.default_rng(seed)
    gltf.write(folder / "figure.glb", made_clip(usual_layout()), WriteOptions(unit_m=1.0))
    clip = gltf.read(folder / "figure.glb", ReadOptions())
    assert isinstance(clip, Clip)
    seeds = [good().glb(), rig(rng).glb(), (folder / "figure.glb").read_bytes()]
    path = folder / "fuzzed.glb"
    end, counts = time.monotonic() + seconds, [0, 0]
    while time.monotonic() < end:
        damage = misled if rng.random() < 0.7 else mutated
        path.write_bytes(damage(rng, seeds[int(rng.integers(0, 3))]))
        options = ReadOptions(mesh=bool(rng.integers(0, 2)), warn=lambda message: None)
        try:
            again = gltf.read(path, options)
            counts[1] += 1
            gltf.write(folder / "onto.glb", again if isinstance(again, Clip) else clip, WriteOptions(character=path))
        except FreshtakeError as error:
            assert "\n" not in str(error)
            counts[0] += 1
    return counts[0], counts[1]


def test_damaged_files_raise_only_our_errors(tmp_path: Path) -> None:
    refused_count, readable = fuzz(tmp_path, 2.0, 5)
    assert refused_count > 20 and readable > 0
