"""Shards of USD that are damaged, missing or of another kind: a sentence, although the library may kill its process."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from freshtake.crowd.shards import read_shard
from freshtake.errors import FormatError
from tests.fuzz.side_files import shard_of

pytest.importorskip("pxr", reason="usd-core is not installed: pip install 'freshtake[usd]'")


def test_a_damaged_layer_is_refused(tmp_path: Path) -> None:
    good = shard_of(tmp_path, "usdc")
    read_shard(tmp_path / "shard.usdc")
    ends = bytearray(good)
    at = int.from_bytes(good[16:24], "little")  # of the table of contents
    ends[at + 8 : at + 40] = b"\xff" * 32
    for number, content in enumerate((b"", good[: len(good) // 2], bytes(ends), np.random.default_rng(0).bytes(999))):
        path = tmp_path / f"{number}.usdc"
        path.write_bytes(content)
        with pytest.raises(FormatError):
            read_shard(path)
    with pytest.raises(FormatError, match="there is no such shard"):
        read_shard(tmp_path / "none.usdc")


@pytest.mark.parametrize(
    "text", ["", 'def "Shard"\n{\n}\n', 'def "Shard"\n{\n    def "character_1"\n    {\n    }\n}\n']
)
def test_a_layer_that_is_no_shard_is_refused(tmp_path: Path, text: str) -> None:
    from pxr import Sdf

    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(f"#usda 1.0\n{text}")
    layer.Export(str(tmp_path / "x.usdc"), args={"format": "usdc"})
    with pytest.raises(FormatError, match="shard"):
        read_shard(tmp_path / "x.usdc")
