"""Motions as textures of bone matrices, for engines that draw a crowd as instances of one mesh.

A row is a frame; three texels per joint are the rows of its skinning matrix (3 x 4), which moves a vertex of the rest
pose, with hips at the origin and no joint rotated, to its position in the frame: [R | p - R r].
"""

import io
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake.crowd.folder import json_bytes, read_characters, read_manifest
from freshtake.crowd.shards import Motions, read_shard
from freshtake.errors import FormatError, UsageError
from freshtake.formats.files import replacing_folder
from freshtake.methods.progress import Report, silent
from freshtake.motion.body.roles import rest_positions
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import forward, rotate, to_matrix
from freshtake.requests.crowd import CrowdTextures

MAGIC, VERSION = 20000630, 2


def exr_bytes(picture: Floats) -> bytes:
    """Encode a picture (height, width, 4) of red, green, blue and alpha as a file's bytes."""
    height, width, _ = picture.shape
    # 2 is the code for 32-bit floats.
    channels = b"".join(name + struct.pack("<iB3xii", 2, 0, 1, 1) for name in (b"A\0", b"B\0", b"G\0", b"R\0"))
    window = struct.pack("<iiii", 0, 0, width - 1, height - 1)
    head = struct.pack("<ii", MAGIC, VERSION) + b"".join(
        [
            _attribute("channels", "chlist", channels + b"\0"),
            _attribute("compression", "compression", b"\0"),
            _attribute("dataWindow", "box2i", window),
            _attribute("displayWindow", "box2i", window),
            _attribute("lineOrder", "lineOrder", b"\0"),
            _attribute("pixelAspectRatio", "float", struct.pack("<f", 1.0)),
            _attribute("screenWindowCenter", "v2f", struct.pack("<ff", 0.0, 0.0)),
            _attribute("screenWindowWidth", "float", struct.pack("<f", 1.0)),
            b"\0",
        ]
    )
    line = 16 * width
    begin = len(head) + 8 * height
    places = begin + (8 + line) * np.arange(height, dtype="<u8")
    lines = np.empty(height, dtype=[("y", "<i4"), ("size", "<i4"), ("values", "<f4", (4, width))])
    lines["y"], lines["size"] = np.arange(height), line
    lines["values"] = picture[..., ::-1].transpose(0, 2, 1)  # channels are ordered by name
    return b"".join([head, places.tobytes(), lines.tobytes()])


def _attribute(name: str, kind: str, value: bytes) -> bytes:
    return name.encode() + b"\0" + kind.encode() + b"\0" + struct.pack("<i", len(value)) + value


ROWS = 4096  # height of a texture: commonly supported by graphics cards


class TexturesMade(NamedTuple):
    """Written files, and how many motions and frames they contain."""

    written: list[Path]
    motions: int
    frames: int


def skinning_rows(motions: Motions, k: int) -> Floats:
    """Compute skinning matrices (frames, joints, 3, 4) of one motion, for a body of size 1 scaled to the character."""
    skeleton, size = motions.skeleton, float(motions.sizes[k])
    root = np.asarray(motions.roots[k], dtype=np.float64)
    turns = np.asarray(motions.rotations[k], dtype=np.float64)
    local = np.broadcast_to(size * skeleton.offsets, (len(root), *skeleton.offsets.shape)).copy()
    local[:, 0] = root
    world = forward(skeleton.parents, local, turns)
    rest = rest_positions(motions.skeleton)
    # A vertex of the rest pose is made relative to its joint (minus rest), scaled, rotated and moved to the joint.
    out = np.empty((*world.positions.shape[:2], 3, 4))
    out[..., :3] = size * to_matrix(world.rotations)
    out[..., 3] = world.positions - size * rotate(world.rotations, np.broadcast_to(rest, world.positions.shape))
    return out


def crowd_textures(
    request: CrowdTextures, report: Report = silent, warn: Callable[[str], None] | None = None
) -> TexturesMade:
    """Write textures and `bones.json` for a crowd of npz shards; no motion is split over two textures."""
    folder, out, kind = request.folder, request.out, request.format
    manifest = read_manifest(folder)
    if manifest.get("file_format") != "npz":
        raise FormatError(folder, "bone textures are made from npz shards: make the crowd with --format npz")
    if any(group.get("character") for group in manifest["groups"]):
        problem = "a character's skin is bound in a different pose: make the crowd without a character"
        raise FormatError(folder, f"bone textures start from a pose in which no joint is rotated, and {problem}")
    files: list[dict[str, Any]] = []
    listed: list[dict[str, Any]] = []
    bodies: list[dict[str, Any]] = []
    with replacing_folder(out) as place:
        for group, shard, rows in _pages(folder, manifest, listed):
            body = {
                "group": group, "joints": list(shard.skeleton.names), "parents": shard.skeleton.parents.tolist(),
                "rest": rest_positions(shard.skeleton).round(6).tolist(), "fps": round(shard.fps, 6),
            }  # fmt: skip
            if body not in bodies:
                bodies.append(body)
            name = f"bones_{len(files):03d}.{kind}"
            texture = {"file": name, "body": bodies.index(body), "width": rows.shape[1], "height": len(rows)}
            if kind == "exr":
                (place / name).write_bytes(exr_bytes(rows))
            else:
                texture |= _write_png(place / name, rows)
            files.append(texture)
        about = {
            "format": "freshtake bone textures", "version": 1, "mode": manifest["mode"], "textures": files,
            "bodies": bodies, "motions": listed, "characters": read_characters(folder),
        }  # fmt: skip
        (place / "bones.json").write_bytes(json_bytes(about))
    written = [out / texture["file"] for texture in files] + [out / "bones.json"]
    return TexturesMade(written, len(listed), sum(texture["frames"] for texture in listed))


def _pages(
    folder: Path, manifest: dict[str, Any], listed: list[dict[str, Any]]
) -> Iterator[tuple[str, Motions, Floats]]:
    """Yield group, shard and texels (rows, 3 joints, 4) of each texture; `listed` receives the place of each motion."""
    count = 0
    for record in manifest["shards"]:
        shard = read_shard(folder / record["file"])
        page: list[Floats] = []
        for k, number in enumerate(shard.numbers.tolist()):
            rows = skinning_rows(shard, k)
            rows = rows.reshape(len(rows), -1, 4)
            if len(rows) > ROWS:
                raise UsageError(
                    f"motion {number} has {len(rows)} frames, but a texture can hold {ROWS}: make the crowd with "
                    "fewer --seconds or a lower --fps"
                )
            if page and sum(map(len, page)) + len(rows) > ROWS:
                yield record["group"], shard, np.concatenate(page)
                page, count = [], count + 1
            begin = sum(map(len, page))
            travel = shard.travel[k].round(6).tolist()
            listed.append({"number": number, "texture": count, "row": begin, "frames": len(rows), "travel": travel})
            page.append(rows)
        yield record["group"], shard, np.concatenate(page)
        count += 1


def _write_png(path: Path, rows: Floats) -> dict[str, Any]:
    """Write values as 16-bit integers: high bytes in the left half of the picture, low bytes in the right half.

    Browsers multiply colors by alpha, so there is none: four texels per joint are the columns of its matrix.
    """
    from PIL import Image

    columns = rows.reshape(len(rows), -1, 3, 4).transpose(0, 1, 3, 2)  # (rows, joints, columns, 3)
    numbers = np.empty(columns.shape, dtype=np.uint16)
    ranges: dict[str, Any] = {}
    for name, part in (("turn_range", np.s_[:, :, :3]), ("place_range", np.s_[:, :, 3])):
        low, high = float(columns[part].min()), float(columns[part].max())
        high = max(high, low + 1e-6)
        # The largest 16-bit integer stands for the largest value.
        numbers[part] = np.rint((columns[part] - low) / (high - low) * 65535)
        ranges[name] = [low, high]
    flat = numbers.reshape(len(rows), -1, 3)
    data = io.BytesIO()
    Image.fromarray(np.concatenate([flat >> 8, flat & 255], axis=1).astype(np.uint8), "RGB").save(data, "PNG")
    path.write_bytes(data.getvalue())
    return {**ranges, "width": 2 * flat.shape[1]}
