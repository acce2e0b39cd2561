"""Archives made in memory against Python's own reader and numpy's."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest

from freshtake.formats.archive import npy_bytes, zip_bytes

MEMBERS = {
    "empty": b"",
    "small.txt": b"a few words",
    "zeros.bin": bytes(100_000),
    "noise.bin": np.random.default_rng(0).bytes(5_000),
    "größe.npy": npy_bytes(np.arange(12.0).reshape(3, 4)),
}


def test_others_read_it() -> None:
    data = zip_bytes(MEMBERS)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == list(MEMBERS)
        assert {name: archive.read(name) for name in MEMBERS} == MEMBERS
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert len(data) < 20_000


def test_numpy_reads_it() -> None:
    arrays = {
        "a": np.arange(6.0)[::2],
        "b": np.array("text"),
        "c": np.zeros((0, 3), dtype=np.int64),
        "d": np.array(1.5),
    }
    data = zip_bytes({f"{name}.npy": npy_bytes(array) for name, array in arrays.items()})
    found = np.load(io.BytesIO(data))
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].dtype == array.dtype and found[name].shape == array.shape


def test_an_array_has_the_bytes_that_numpy_gives_it() -> None:
    for array in (np.arange(24.0).reshape(2, 3, 4).T, np.array(["x", "yz"]), np.array(7), np.ones(3, dtype=">f4")):
        wanted = io.BytesIO()
        portable = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"))).reshape(array.shape)
        np.lib.format.write_array(wanted, portable, version=(1, 0))
        assert npy_bytes(array) == wanted.getvalue()
    with pytest.raises(ValueError, match="objects"):
        npy_bytes(np.array([object()]))
