from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from freshtake.errors import FormatError
from freshtake.formats.gltf.accessors import floats, integers
from freshtake.formats.gltf.container import load
from tests.formats.gltf.scenes import CODES, Scene

LIMITS = {"int8": 127, "uint8": 255, "int16": 32767, "uint16": 65535}
ROWS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


def stored(folder: Path, binary: bytes, accessor: dict[str, Any], **view: Any) -> Any:
    scene = Scene(nodes=[{}], bufferViews=[{"buffer": 0, "byteLength": len(binary), **view}], accessors=[accessor])
    scene.binary = binary
    return load(scene.save(folder / "a.glb"))


@pytest.mark.parametrize("dtype", CODES)
@pytest.mark.parametrize("normalized", [False, True])
def test_component_types_and_normalized_integers(tmp_path: Path, dtype: str, normalized: bool) -> None:
    low = 0 if dtype.startswith("u") else -127
    values = np.array([[low, 0, 1], [5, 100, 127]]).astype(dtype)
    entry = {"bufferView": 0, "componentType": CODES[dtype], "count": 2, "type": "VEC3", "normalized": normalized}
    got = floats(stored(tmp_path, values.tobytes(), entry), 0, "VEC3")
    scale = LIMITS.get(dtype, 2**32 - 1 if dtype == "uint32" else 1) if normalized else 1
    np.testing.assert_allclose(got, values.astype(float) / scale, rtol=1e-15)


def test_the_lowest_signed_integer_is_minus_one(tmp_path: Path) -> None:
    entry = {"bufferView": 0, "componentType": 5120, "count": 1, "type": "SCALAR", "normalized": True}
    assert floats(stored(tmp_path, b"\x80", entry), 0, "SCALAR")[0, 0] == -1.0


@pytest.mark.parametrize("kind", ROWS)
@pytest.mark.parametrize("dtype", CODES)
def test_strides_and_offsets(tmp_path: Path, kind: str, dtype: str) -> None:
    rng = np.random.default_rng(1)
    count = 5
    values = rng.integers(0, 100, (count, ROWS[kind])).astype(dtype)
    stride = 80
    binary = bytearray(rng.bytes(12 + stride * count))
    for element in range(count):
        place = 8 + stride * element
        for number in values[element]:
            binary[place : place + number.nbytes] = number.tobytes()
            place += number.nbytes
    entry = {"bufferView": 0, "byteOffset": 4, "componentType": CODES[dtype], "count": count, "type": kind}
    container = stored(tmp_path, bytes(binary), entry, byteOffset=4, byteLength=len(binary) - 4, byteStride=stride)
    np.testing.assert_array_equal(floats(container, 0, kind), values.astype(float))


@pytest.mark.parametrize("base", [True, False])
def test_sparse_values_replace_those_of_the_base(tmp_path: Path, base: bool) -> None:
    dense = np.arange(15, dtype=np.float32).reshape(5, 3)
    scene = Scene(nodes=[{}])
    scene.add(dense)
    scene.add(np.array([1, 3]), "uint16")
    scene.add(np.full((2, 3), 9.0))
    sparse = {
        "count": 2,
        "indices": {"bufferView": 1, "componentType": 5123},
        "values": {"bufferView": 2},
    }
    entry = {"componentType": 5126, "count": 5, "type": "VEC3", "sparse": sparse}
    scene.json["accessors"].append({**entry, "bufferView": 0} if base else entry)
    expected = dense.copy() if base else np.zeros((5, 3))
    expected[[1, 3]] = 9.0
    container = load(scene.save(tmp_path / "a.glb"))
    np.testing.assert_array_equal(floats(container, 3, "VEC3"), expected)
    np.testing.assert_array_equal(floats(container, 0, "VEC3"), dense)


def test_integers_are_refused_where_they_are_signed_or_floats(tmp_path: Path) -> None:
    entry = {"bufferView": 0, "componentType": 5126, "count": 1, "type": "SCALAR"}
    with pytest.raises(FormatError, match=r"accessors\[0\].componentType: unsigned integers"):
        integers(stored(tmp_path, bytes(4), entry), 0, "SCALAR")
