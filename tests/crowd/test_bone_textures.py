"""Bone textures: a vertex moved by their matrices is where forward kinematics puts it."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from freshtake.cli.entry import run
from freshtake.crowd import Group, Plan, crowd_make, read_shard
from freshtake.crowd.bone_textures import crowd_textures
from freshtake.crowd.shards import clips_of
from freshtake.errors import FormatError
from freshtake.requests import CrowdTextures


@pytest.fixture(scope="module")
def library(walk: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library") / "crowd"
    plan = Plan((Group(walk, size=(0.8, 1.2)),), 6, 0.5, mode="library", variants=2, fps=25.0)
    crowd_make(plan, folder, workers=1)
    return folder


def read_exr(path: Path) -> np.ndarray[Any, Any]:
    """Lines of four float channels that are not compressed, found by walking the attributes."""
    data = path.read_bytes()
    assert struct.unpack_from("<ii", data) == (20000630, 2)
    at, told = 8, {}
    while data[at]:
        name, _, rest = data[at:].partition(b"\0")
        kind, _, rest = rest.partition(b"\0")
        (size,) = struct.unpack_from("<i", rest)
        told[name.decode()] = rest[4 : 4 + size]
        at += len(name) + len(kind) + 2 + 4 + size
    at += 1
    left, top, right, bottom = struct.unpack("<iiii", told["dataWindow"])
    width, height = right - left + 1, bottom - top + 1
    assert told["compression"] == b"\0" and told["channels"][:2] == b"A\0"
    out = np.empty((height, width, 4))
    for y, place in enumerate(struct.unpack_from(f"<{height}Q", data, at)):
        assert struct.unpack_from("<ii", data, place) == (y, 16 * width)
        out[y] = np.frombuffer(data, "<f4", 4 * width, place + 8).reshape(4, width)[::-1].T
    return out


def read_png(path: Path, told: dict[str, Any]) -> np.ndarray[Any, Any]:
    from PIL import Image

    halves = np.asarray(Image.open(path)).astype(float)
    width = halves.shape[1] // 2
    value = (256 * halves[:, :width] + halves[:, width:]) / 65535
    columns = value.reshape(len(value), -1, 4, 3)
    for part, key in ((np.s_[:, :, :3], "turn_range"), (np.s_[:, :, 3], "place_range")):
        low, high = told[key]
        columns[part] = low + columns[part] * (high - low)
    return columns.transpose(0, 1, 3, 2).reshape(len(value), -1, 4)


@pytest.mark.parametrize("kind, within", [("exr", 2e-6), ("png", 3e-4)])
def test_vertices_are_where_forward_kinematics_puts_them(
    library: Path, tmp_path: Path, kind: str, within: float
) -> None:
    made = crowd_textures(CrowdTextures(folder=library, out=tmp_path / "textures", format=kind))
    about = json.loads((tmp_path / "textures" / "bones.json").read_text())
    assert made.motions == 2 and len(about["characters"]) == 6
    shard = read_shard(library / "shard_000001.npz")
    rng = np.random.default_rng(0)
    for told, clip in zip(about["motions"], clips_of(shard), strict=True):
        picture = about["textures"][told["texture"]]
        path = tmp_path / "textures" / picture["file"]
        texels = read_exr(path) if kind == "exr" else read_png(path, picture)
        rows = texels[told["row"] : told["row"] + told["frames"]]
        body = about["bodies"][picture["body"]]
        matrices = rows.reshape(len(clip), len(body["joints"]), 3, 4)
        vertex = rng.normal(scale=0.1, size=(len(body["joints"]), 3))  # one near every joint, carried by it
        resting = np.append(np.array(body["rest"]) + vertex, np.ones((len(vertex), 1)), axis=1)
        world = clip.world()
        from freshtake.numeric.rotations import rotate

        wanted = world.positions + rotate(world.rotations, np.broadcast_to(vertex, world.positions.shape))
        np.testing.assert_allclose(np.einsum("fjab,jb->fja", matrices, resting), wanted, atol=within)


def test_long_crowds_are_spread_over_textures_and_no_motion_is_split(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from freshtake.crowd import bone_textures

    longest = max(len(root) for root in read_shard(library / "shard_000001.npz").roots)
    monkeypatch.setattr(bone_textures, "ROWS", longest)
    made = crowd_textures(CrowdTextures(folder=library, out=tmp_path / "textures"))
    about = json.loads((tmp_path / "textures" / "bones.json").read_text())
    assert [told["texture"] for told in about["motions"]] == [0, 1] and len(made.written) == 3
    monkeypatch.setattr(bone_textures, "ROWS", longest - 1)
    assert run(["crowd", "textures", str(library), "-o", str(tmp_path / "none")]) == 2
    said = capsys.readouterr().err
    assert "fewer --seconds" in said and len(said.splitlines()) == 1 and not (tmp_path / "none").exists()


def test_a_folder_without_a_finished_crowd_is_said_to_be_so(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="this is not the folder of a crowd"):
        crowd_textures(CrowdTextures(folder=tmp_path, out=tmp_path / "textures"))
    (tmp_path / "crowd.json").write_text("{}")
    with pytest.raises(FormatError, match=r"there is no manifest.json: finish the crowd"):
        crowd_textures(CrowdTextures(folder=tmp_path, out=tmp_path / "textures"))
    assert not (tmp_path / "textures").exists()
