"""Zarr shards hold what npz shards hold, in the same bytes each time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from freshtake.crowd import Group, Plan, crowd_make, read_shard

zarr = pytest.importorskip("zarr", reason="zarr is not installed: pip install 'freshtake[crowd]'")


def content(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_the_same_arrays_as_npz_and_a_damaged_one_is_made_again(walk: Path, tmp_path: Path) -> None:
    plan = Plan((Group(walk),), 3, 0.4, shard_size=2)
    crowd_make(plan, tmp_path / "npz", workers=1)
    crowd_make(plan, tmp_path / "zarr", format="zarr", workers=1)
    for number in (1, 2):
        whole = read_shard(tmp_path / "npz" / f"shard_00000{number}.npz")
        group = zarr.open_group(str(tmp_path / "zarr" / f"shard_00000{number}.zarr"), mode="r")
        np.testing.assert_array_equal(group["rotations"][:], np.concatenate(whole.rotations))
        np.testing.assert_array_equal(group["numbers"][:], whole.numbers)
        assert group.attrs["names"] == list(whole.skeleton.names) and group.attrs["fps"] == whole.fps
    before = content(tmp_path / "zarr")
    chunk = next(p for p in (tmp_path / "zarr" / "shard_000001.zarr" / "root" / "c").rglob("*") if p.is_file())
    chunk.write_bytes(chunk.read_bytes()[:-1])
    again = crowd_make(plan, tmp_path / "zarr", format="zarr", workers=1)
    assert (again.made, again.kept) == (1, 1) and content(tmp_path / "zarr") == before
