"""A scene as the viewport takes it: a description in JSON and one block of bytes.

Places on the floor are 32-bit floats; points are 16-bit whole numbers relative to them, in steps of the shape's
`step`. The lowest number means that a marker was not seen. All numbers are little-endian.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from freshtake.reports.viewport.scene import Body, Figure, Line, Points, Scene, Shape, Skin, Surface

VERSION = 1
LIMIT = 32767
UNSEEN = -32768


class Packed(NamedTuple):
    """`manifest` is plain JSON; `data` holds the numbers it points to, by offset in bytes."""

    manifest: dict[str, Any]
    data: bytes


def packed(scene: Scene) -> Packed:
    """A scene's description and numbers; bodies that several shapes share are described once."""
    blocks = _Blocks()
    bodies: list[Body] = []
    skins: list[Skin] = []
    shapes = [_shape(shape, blocks, bodies, skins) for shape in scene.shapes]
    manifest: dict[str, Any] = {
        "version": VERSION,
        "title": scene.title,
        "layout": scene.layout,
        "legend": dict(scene.legend),
        "bodies": [_body(body) for body in bodies],
        "shapes": shapes,
    }
    if skins:
        manifest["skins"] = [_skin(skin, blocks) for skin in skins]
    if scene.placements:
        manifest["placements"] = [placed._asdict() for placed in scene.placements]
    return Packed(manifest, blocks.joined())


class _Blocks:
    """Bytes one behind the other, each block at a multiple of four."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0

    def add(self, array: np.ndarray[Any, Any], kind: str) -> int:
        """Append an array as little-endian numbers of a kind; returns where it begins."""
        data = np.ascontiguousarray(array, dtype=np.dtype(kind)).tobytes()
        data += b"\0" * (-len(data) % 4)
        start = self.size
        self.parts.append(data)
        self.size += len(data)
        return start

    def joined(self) -> bytes:
        return b"".join(self.parts)


def _shape(shape: Shape, blocks: _Blocks, bodies: list[Body], skins: list[Skin]) -> dict[str, Any]:
    out: dict[str, Any] = {
        "name": shape.name,
        "role": shape.role,
        "frames": len(shape),
        "frameTime": shape.frame_time,
    }
    if isinstance(shape, Figure):
        out |= {"kind": "figure", "body": _number(bodies, shape.body), "count": shape.points.shape[1]}
        out |= _points(shape.points, shape.ground, blocks)
        if shape.standing.shape[1]:
            out["standing"] = blocks.add(shape.standing, "u1")
        if shape.skin is not None and shape.matrices is not None:
            out |= {"skin": _number(skins, shape.skin), "matrices": blocks.add(shape.matrices, "<f4")}
            out["joints"] = shape.matrices.shape[1]
        return out
    points = shape.points[:, None] if isinstance(shape, Line) else shape.points
    out |= {"kind": "line" if isinstance(shape, Line) else "surface", "count": points.shape[1]}
    ground = shape.ground if isinstance(shape, Surface) else np.zeros((len(shape), 2), dtype=np.float32)
    out |= _points(points, ground, blocks)
    if isinstance(shape, Surface):
        out |= {"faces": blocks.add(shape.faces, "<u4"), "faceCount": len(shape.faces)}
    return out


def _number(known: list[Any], one: object) -> int:
    """Where an object stands in a list, in which it is put if it is new: what several shapes share is sent once."""
    if not any(other is one for other in known):
        known.append(one)
    return next(k for k, other in enumerate(known) if other is one)


def _points(points: Points, ground: Points, blocks: _Blocks) -> dict[str, Any]:
    relative = points.astype(np.float64)
    relative[..., 0] -= ground[:, None, 0]
    relative[..., 2] -= ground[:, None, 1]
    seen = np.isfinite(relative)
    step = float(np.abs(relative[seen]).max(initial=1e-9)) / LIMIT
    whole = np.where(seen, np.rint(np.where(seen, relative, 0.0) / step), UNSEEN)
    return {
        "ground": blocks.add(ground, "<f4"),
        "points": blocks.add(whole, "<i2"),
        "step": step,
        "gaps": not bool(seen.all()),
    }


def _body(body: Body) -> dict[str, Any]:
    return {
        "bones": body.bones.ravel().tolist(),
        "radii": [round(float(value), 4) for value in body.radii.ravel()],
        "shades": [round(float(value), 3) for value in body.shades],
        "tips": list(body.tips),
        "feet": [list(pair) for pair in body.feet],
    }


def _skin(skin: Skin, blocks: _Blocks) -> dict[str, Any]:
    return {
        "count": len(skin.vertices),
        "faceCount": len(skin.faces),
        "vertices": blocks.add(skin.vertices, "<f4"),
        "normals": None if skin.normals is None else blocks.add(skin.normals, "<f4"),
        "faces": blocks.add(skin.faces, "<u4"),
        "joints": blocks.add(skin.joints, "<u2"),
        "weights": blocks.add(skin.weights, "<f4"),
    }
