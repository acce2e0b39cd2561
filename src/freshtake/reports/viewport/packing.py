"""Pack a scene for the viewport into a JSON description and a block of bytes.

Floor positions are 32-bit floats; points are 16-bit integers relative to them, in steps of the shape's `step`. The
lowest number means that a marker was not visible. All numbers are little-endian.
"""

from typing import Any, NamedTuple

import numpy as np

from freshtake.reports.viewport.neutral_body import COARSE, FINE, body_mesh
from freshtake.reports.viewport.scene import Body, Figure, Line, Paint, Points, Scene, Shape, Skin, Surface, Wear

LIMIT = 32767
UNSEEN = -32768
STEPS = 64  # steps per difference of 1: a byte reaches differences up to 4


class Packed(NamedTuple):
    """A scene as plain JSON; `data` contains the numbers to which the manifest refers by byte offset."""

    manifest: dict[str, Any]
    data: bytes


def packed(scene: Scene) -> Packed:
    """Return a scene's description and numbers; bodies shared by several shapes are described once."""
    blocks = _Blocks()
    bodies: list[Body] = []
    skins: list[Skin] = []
    wears: list[Wear] = []
    shapes = [_shape(shape, blocks, bodies, skins, wears) for shape in scene.shapes]
    manifest: dict[str, Any] = {
        "version": 1,
        "title": scene.title,
        "layout": scene.layout,
        "legend": dict(scene.legend),
        "bodies": [_body(body) for body in bodies],
        "shapes": shapes,
    }
    if skins:
        manifest["skins"] = [_skin(skin, blocks) for skin in skins]
    if wears:
        manifest["wears"] = [
            {"joints": wear.joints.tolist(), "binds": [round(float(value), 5) for value in wear.binds.ravel()]}
            for wear in wears
        ]
        # Figures in a crowd are small: the coarse body has about a third of the vertices.
        many = max(len(scene.shapes), len(scene.placements)) > 24
        manifest["neutral"] = _neutral(body_mesh(COARSE if many else FINE), blocks)
    if scene.placements:
        manifest["placements"] = [placed._asdict() for placed in scene.placements]
    return Packed(manifest, b"".join(blocks.parts))


class _Blocks:
    """Consecutive blocks of bytes, each at a multiple of four."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0

    def add(self, array: np.ndarray[Any, Any], kind: str) -> int:
        """Append an array as little-endian numbers of a type and return its offset."""
        data = np.ascontiguousarray(array, dtype=np.dtype(kind)).tobytes()
        self.parts.append(data + b"\0" * (-len(data) % 4))
        self.size += len(self.parts[-1])
        return self.size - len(self.parts[-1])


def _shape(shape: Shape, blocks: _Blocks, bodies: list[Body], skins: list[Skin], wears: list[Wear]) -> dict[str, Any]:
    out: dict[str, Any] = {"name": shape.name, "role": shape.role, "frames": len(shape), "frameTime": shape.frame_time}
    if isinstance(shape, Figure):
        out |= {"kind": "figure", "body": _number(bodies, shape.body), "count": shape.points.shape[1]}
        out |= _points(shape.points, shape.ground, blocks)
        if shape.standing.shape[1]:
            out["standing"] = blocks.add(shape.standing, "u1")
        if shape.skin is not None and shape.matrices is not None:
            out |= {"skin": _number(skins, shape.skin), "matrices": blocks.add(shape.matrices, "<f4")}
            out["joints"] = shape.matrices.shape[1]
        elif shape.wear is not None and shape.turns is not None:
            out |= {"wear": _number(wears, shape.wear), "turns": blocks.add(np.rint(LIMIT * shape.turns), "<i2")}
            if shape.differences is not None:
                unusual = shape.differences[:, shape.wear.ends]
                out["unusual"] = blocks.add(np.clip(np.rint(STEPS * unusual), 0, 255), "u1")
        return out
    points = shape.points[:, None] if isinstance(shape, Line) else shape.points
    out |= {"kind": "line" if isinstance(shape, Line) else "surface", "count": points.shape[1]}
    ground = shape.ground if isinstance(shape, Surface) else np.zeros((len(shape), 2), dtype=np.float32)
    out |= _points(points, ground, blocks)
    if isinstance(shape, Surface):
        out |= {"faces": blocks.add(shape.faces, "<u4"), "faceCount": len(shape.faces)}
    return out


def _number(objects: list[Any], one: object) -> int:
    """Return the index of an object in a list, appending it if new, so that shared objects are sent once."""
    if not any(other is one for other in objects):
        objects.append(one)
    return next(k for k, other in enumerate(objects) if other is one)


def _points(points: Points, ground: Points, blocks: _Blocks) -> dict[str, Any]:
    relative = points.astype(np.float64)
    relative[..., [0, 2]] -= ground[:, None]
    seen = np.isfinite(relative)
    # Sixteen bits are enough near the body: a step is below a tenth of a millimetre.
    step = float(np.abs(relative[seen]).max(initial=1e-9)) / LIMIT
    quantized = np.where(seen, np.rint(np.where(seen, relative, 0.0) / step), UNSEEN)
    return {
        "ground": blocks.add(ground, "<f4"),
        "points": blocks.add(quantized, "<i2"),
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
        "coordinates": None if skin.coordinates is None else blocks.add(skin.coordinates, "<f4"),
        "paints": [_paint(paint, blocks) for paint in skin.paints],
    }


def _paint(paint: Paint, blocks: _Blocks) -> dict[str, Any]:
    out: dict[str, Any] = {"first": paint.first, "faces": paint.faces, "color": paint.color}
    if paint.image is not None:
        out |= {"image": blocks.add(np.frombuffer(paint.image, np.uint8), "u1"), "bytes": len(paint.image)}
    return out


def _neutral(mesh: Skin, blocks: _Blocks) -> dict[str, Any]:
    """Return the neutral body in 14 bytes per vertex: positions in tenths of a millimetre, weights in 255ths."""
    return {
        "count": len(mesh.vertices),
        "faceCount": len(mesh.faces),
        "step": 1e-4,
        "vertices": blocks.add(np.rint(mesh.vertices / 1e-4), "<i2"),
        "faces": blocks.add(mesh.faces, "<u2"),
        "joints": blocks.add(mesh.joints, "u1"),
        "weights": blocks.add(np.rint(255.0 * mesh.weights), "u1"),
    }
