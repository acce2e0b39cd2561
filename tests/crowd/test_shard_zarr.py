"""Zarr shards contain the same as npz shards, with the same bytes each time."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from freshtake.crowd import Group, Plan, crowd_make, read_shard
from freshtake.crowd.shards import Motions, write_shard
from freshtake.errors import FormatError
from tests.formats.made_clips import made_clip, usual_layout

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


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("zarr.json", b"[["),
        ("zarr.json", None),
        ("root/zarr.json", b"{}"),
        ("rotations/c/0/0/0", b"xx"),
        ("rotations/c/0/0/0", None),  # the library would read zeros
        ("root/zarr.json", b'"shape": [1000000000000, 3]'),
    ],
)
def test_a_damaged_group_is_refused_with_a_sentence(tmp_path: Path, file: str, content: bytes | None) -> None:
    clip, path = made_clip(usual_layout(), frames=3), tmp_path / "shard.zarr"
    many = [clip.root, clip.root], [clip.rotations, clip.rotations]
    motions = Motions(np.array([1, 2]), *many, np.ones(2), np.zeros((2, 3)), clip.skeleton, 30.0)
    write_shard(path, motions, "zarr")
    assert len(read_shard(path).roots) == 2
    whole = (path / file).read_text() if file.endswith(".json") else ""
    if content is None:
        (path / file).unlink()
    elif content.startswith(b'"shape"'):
        changed = re.sub(r'"shape": \[[^]]*\]', content.decode(), whole, count=1)
        assert changed != whole
        (path / file).write_text(changed)
    else:
        (path / file).write_bytes(content)
    with pytest.raises(FormatError, match="make the crowd again"):
        read_shard(path)
