"""Ground that is not flat: heights from files, and feet that stand on it as on the floor."""

from __future__ import annotations

import struct
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from freshtake.crowd import GroundMap, Group, Plan, crowd_make, read_shard
from freshtake.crowd.ground import Ground, read_ground
from freshtake.crowd.shards import clips_of
from freshtake.errors import FormatError
from freshtake.motion import Clip
from freshtake.motion.body.roles import feet
from freshtake.numeric.arrays import Floats


def test_heights_are_read_between_cells_and_kept_beyond_the_border() -> None:
    slope = Ground(np.array([[0.0, 1.0, 2.0], [10.0, 11.0, 12.0]]), (5.0, 0.0), (4.0, 2.0))
    places = np.array([[3.0, -1.0], [7.0, 1.0], [5.0, 0.0], [4.0, 0.5], [99.0, -99.0]])
    np.testing.assert_allclose(slope.at(places), [0.0, 12.0, 6.0, 8.0, 2.0])


def test_pictures_of_8_and_16_bits_hold_the_same_ground(tmp_path: Path) -> None:
    levels = np.arange(12).reshape(3, 4) * 20
    Image.fromarray(levels.astype(np.uint8)).save(tmp_path / "a.png")
    Image.fromarray((levels * 257).astype(np.uint16)).save(tmp_path / "b.png")
    for name in ("a.png", "b.png"):
        ground = read_ground(GroundMap(tmp_path / name, (4.0, 3.0), height=5.0))
        np.testing.assert_allclose(ground.heights, levels / 51.0, atol=1e-12)


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def picture(wide: int, high: int, comment: bytes = b"") -> bytes:
    return b"".join(
        [
            b"\x89PNG\r\n\x1a\n",
            chunk(b"IHDR", struct.pack(">IIBBBBB", wide, high, 8, 0, 0, 0, 0)),
            chunk(b"zTXt", b"Comment\0\0" + zlib.compress(comment)),
            chunk(b"IDAT", zlib.compress(bytes(6))),
            chunk(b"IEND", b""),
        ]
    )


TEXT_BOMB = picture(2, 2, bytes(64 << 20))


@pytest.mark.parametrize(
    "content, sentence",
    [
        (b"no picture", "this is not a PNG image, or it is damaged: write heights as PNG"),
        (b"", "this is not a PNG image"),
        (TEXT_BOMB, "this is not a PNG image"),
        (picture(1, 2), "2 x 2 to 8192 x 8192 pixels were expected, not 1 x 2"),
        (picture(500_000, 500_000), "this is not a PNG image"),
    ],
)
def test_what_is_no_ground_is_one_sentence(tmp_path: Path, content: bytes, sentence: str) -> None:
    (tmp_path / "a.png").write_bytes(content)
    with pytest.raises(FormatError, match=sentence):
        read_ground(GroundMap(tmp_path / "a.png", (4.0, 4.0)))


def over(clip: Clip, ground: Ground | None) -> Floats:
    """(frames, feet): how high feet are above the ground."""
    places = clip.positions()
    middles = np.stack([places[:, list(foot.joints)].mean(axis=1) for foot in feet(clip.skeleton)], axis=1)
    return np.asarray(middles[..., 1] - (0.0 if ground is None else ground.at(middles[..., [0, 2]])))


def test_feet_stand_on_a_slope_as_on_a_floor(walk: Path, tmp_path: Path) -> None:
    rise = np.linspace(0, 65535, 11).round()[:, None] * np.ones(3)  # 0.15 up for each metre of z
    Image.fromarray(rise.astype(np.uint16)).save(tmp_path / "slope.png")
    flat = Plan((Group(walk, heading=(-20.0, 20.0), size=(0.9, 1.1)),), 4, 1.5)
    hilly = replace(flat, ground=GroundMap(tmp_path / "slope.png", (20.0, 20.0), height=3.0))
    for name, plan in (("flat", flat), ("hilly", hilly)):
        crowd_make(plan, tmp_path / name, workers=1)
    ground = read_ground(hilly.ground)  # type: ignore[arg-type]
    pairs = zip(
        clips_of(read_shard(tmp_path / "flat" / "shard_000001.npz")),
        clips_of(read_shard(tmp_path / "hilly" / "shard_000001.npz")),
        strict=True,
    )
    for before, after in pairs:
        wanted, found = over(before, None), over(after, ground)
        stands = wanted < wanted.min(axis=0) + 0.02
        assert np.abs(found - wanted)[stands].max() < 0.005
        np.testing.assert_allclose(after.root[:, [0, 2]], before.root[:, [0, 2]], atol=1e-6)
        lift = after.root[:, 1] - before.root[:, 1] - ground.at(after.root[:, [0, 2]])
        assert lift.max() < 0.02 and lift.min() > -0.15  # by the lower foot
    rows = [row.split(",") for row in (tmp_path / "hilly" / "characters.csv").read_text().splitlines()]
    assert rows[0][3:6] == ["x", "y", "z"]
    assert float(rows[1][4]) == pytest.approx(ground.at(np.array([float(rows[1][3]), float(rows[1][5])])), abs=1e-4)
