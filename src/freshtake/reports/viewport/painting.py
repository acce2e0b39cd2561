"""Paint scenes without a browser: bodies with volume, strokes, meshes, floor and soft shadows."""

from __future__ import annotations

import io
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import multiply
from freshtake.reports.viewport.arranging import FAR_FIELD, FRONT, SIDE, Box, Eye, about_y, eye_on, placed_points
from freshtake.reports.viewport.neutral_body import COARSE, body_mesh, carried, posed
from freshtake.reports.viewport.scene import Figure, Line, Scene, Shape, Surface

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw


Faces = npt.NDArray[np.int32]


def skinned_vertices(figure: Figure, points: Floats, frame: float, turn: float) -> tuple[Floats, Faces] | None:
    """Return vertices and faces of the posed skin or neutral body; None without either, or if the skin is too fine.

    `points` (points, 3) are the points of the pose, as placed in the picture; `turn` is the angle in radians by which
    they were rotated about the vertical. Joint rotations are taken from the nearest frame.
    """
    at = min(round(frame), len(figure) - 1)
    # Finer characters would take too long to paint: their bones are painted instead.
    if figure.skin is not None and figure.matrices is not None and len(figure.skin.faces) <= 40_000:
        vertices = carried(figure.skin, figure.matrices[at].astype(np.float64))
        # A point of the body shows where the frame is in the picture.
        anchor = int(figure.body.bones[0, 0])
        return (vertices - figure.points[at, anchor]) @ about_y(turn) + points[anchor], figure.skin.faces
    if figure.wear is None or figure.turns is None:
        return None
    rotation = np.array([np.cos(0.5 * turn), 0.0, np.sin(0.5 * turn), 0.0])
    turns = multiply(rotation, figure.turns[at].astype(np.float64))
    mesh = body_mesh(COARSE)
    return posed(mesh, figure.wear.binds.astype(np.float64), points[figure.wear.joints], turns), mesh.faces


FINE = 2  # factor by which pictures are painted larger, then scaled down for smooth edges
PAPER, RULED, SHADE = (250, 250, 249), (222, 226, 231), (150, 158, 168)
ROLE_COLORS = {
    "input": ((31, 95, 174), (59, 130, 214), (95, 168, 238), (79, 111, 196), (43, 140, 190)),
    "variant": ((30, 122, 71), (53, 162, 100), (92, 196, 138), (40, 150, 120), (88, 172, 84)),
    "extra": ((181, 58, 54), (217, 83, 79), (233, 120, 95)),
}
LIGHT = np.array([-0.42, 0.75, 0.51])
PHASES, ROW_HEIGHT, MOST_ROWS = 9, 150, 24


def colors_of(scene: Scene) -> list[tuple[int, int, int]]:
    """Return a color per shape: blues for inputs, greens for variants, reds for additional takes."""
    counts, out = Counter[str](), []
    for shape in scene.shapes:
        counts[shape.role] += 1
        choice = ROLE_COLORS[shape.role]
        out.append(choice[counts[shape.role] % len(choice)])
    return out


class Painter:
    """Paints shapes seen by a camera into a picture."""

    def __init__(self, picture: Image, eye: Eye) -> None:
        from PIL.ImageDraw import Draw

        self.picture, self.eye = picture, eye
        self.draw: ImageDraw = Draw(picture)
        self.pieces: list[tuple[float, Shape, tuple[int, int, int], Floats, float, float]] = []

    def add(
        self, shape: Shape, color: tuple[int, int, int], points: Floats, frame: float = 0.0, turn: float = 0.0
    ) -> None:
        """Add a shape in the pose of a frame, rotated about the vertical."""
        depth = float(np.nanmean((points.reshape(-1, 3) - self.eye.place) @ self.eye.axes[2]))
        self.pieces.append((depth, shape, color, points, frame, turn))

    def finish(self) -> None:
        """Paint shadows, then everything from the farthest to the nearest."""
        self._shadows()
        for _, shape, color, points, frame, turn in sorted(self.pieces, key=lambda piece: piece[0]):
            skinned = skinned_vertices(shape, points, frame, turn) if isinstance(shape, Figure) else None
            if skinned is not None:
                self._surface(skinned[1], color, skinned[0], closed=True)
            elif isinstance(shape, Figure):
                self._figure(shape, color, points)
            elif isinstance(shape, Surface):
                self._surface(shape.faces, color, points)
            else:
                self._line(color, points)

    def _shadows(self) -> None:
        from PIL import Image as Images
        from PIL.ImageDraw import Draw
        from PIL.ImageFilter import GaussianBlur

        # Shadows are soft, so they are painted at a quarter of the resolution.
        small = (max(1, self.picture.width // 4), max(1, self.picture.height // 4))
        mask = Images.new("L", small)
        brush = Draw(mask)
        for _, shape, _, points, *_ in self.pieces:
            if not isinstance(shape, Figure) or not len(shape.body.feet):
                continue
            # A shadow is the projection of the body's bones onto the floor, away from the light.
            ends = points[shape.body.bones]
            flat = ends * [1.0, 0.0, 1.0] + ends[..., 1:2] * [0.1, 0.0, -0.12]
            pixels, scale = self.eye.seen(flat)
            for (a, b), unit, (thick, _) in zip(pixels / 4.0, scale[:, 0] / 4.0, shape.body.radii, strict=True):
                brush.line([tuple(a), tuple(b)], fill=150, width=max(1, int(1.6 * thick * unit)))
        soft = mask.filter(GaussianBlur(max(1.0, small[1] / 110.0))).resize(self.picture.size)
        self.picture.paste(SHADE, (0, 0), soft)

    def _figure(self, shape: Figure, color: tuple[int, int, int], points: Floats) -> None:
        body = shape.body
        ends = points[body.bones]
        pixels, scale = self.eye.seen(ends)
        radii = body.radii * scale
        tint = np.array(color, dtype=np.float64)
        # The farthest parts are painted first, so that nearer ones cover them.
        order = np.argsort((ends.mean(axis=1) - self.eye.place) @ self.eye.axes[2])
        for k in order:
            if not np.isfinite(pixels[k]).all():
                continue
            shown = tint * body.shades[k]
            self._capsule(pixels[k], radii[k], 0.72 * shown)
            lift = np.array([-0.22, -0.22]) * radii[k][:, None]
            self._capsule(pixels[k] + lift, 0.72 * radii[k], shown)
            self._capsule(pixels[k] + 2.0 * lift, 0.28 * radii[k], np.minimum(1.18 * shown + 14.0, 255.0))

    def _capsule(self, ends: Floats, radii: Floats, color: Floats) -> None:
        fill = tuple(int(min(value, 255.0)) for value in color)
        along = ends[1] - ends[0]
        length = float(np.hypot(*along))
        if length > 0.5:
            side = np.array([-along[1], along[0]]) / length
            outline = [ends[0] + side * radii[0], ends[1] + side * radii[1]]
            outline += [ends[1] - side * radii[1], ends[0] - side * radii[0]]
            self.draw.polygon([tuple(point) for point in outline], fill=fill)
        for (x, y), radius in zip(ends, radii, strict=True):
            self.draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=fill)

    def _line(self, color: tuple[int, int, int], points: Floats) -> None:
        pixels, scale = self.eye.seen(points.reshape(-1, 3))
        width = max(2, int(2.0 * 0.024 * float(scale.mean())))
        path = [tuple(point) for point in pixels]
        if len(path) > 1:
            self.draw.line(path, fill=color, width=width, joint="curve")
        for x, y in (path[0], path[-1]):
            self.draw.ellipse((x - width / 2, y - width / 2, x + width / 2, y + width / 2), fill=color)

    def _surface(self, faces: Faces, color: tuple[int, int, int], points: Floats, closed: bool = False) -> None:
        corners = points[faces]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
        facing = np.sign(((self.eye.place - corners[:, 0]) * normals).sum(axis=1))
        if closed:  # back faces of a closed body are invisible
            sums = np.stack([np.bincount(faces.ravel(), np.repeat(column, 3), len(points)) for column in normals.T], 1)
            smooth = sums[faces].sum(axis=1)
            normals = smooth / np.maximum(np.linalg.norm(smooth, axis=1, keepdims=True), 1e-12)
            corners, normals, facing = corners[facing > 0], normals[facing > 0], facing[facing > 0]
        bright = 0.5 + 0.5 * np.maximum(normals @ LIGHT * facing, 0.0) + 0.12 * normals[:, 1] * facing
        pixels, _ = self.eye.seen(corners)
        order = np.argsort((corners.mean(axis=1) - self.eye.place) @ self.eye.axes[2])
        tint = np.array(color, dtype=np.float64)
        for k in order:
            fill = tuple(int(v) for v in np.clip(1.15 * bright[k] * tint, 0, 255))
            self.draw.polygon([tuple(point) for point in pixels[k]], fill=fill)


def floor_picture(eye: Eye, box: Box, lines: bool) -> Image:
    """Paint the background, with a ruled floor that fades with distance."""
    from PIL import Image as Images
    from PIL.ImageDraw import Draw

    picture = Images.new("RGB", eye.size, PAPER)
    if lines:
        return picture
    draw = Draw(picture)
    middle, reach = 0.5 * (box.low + box.high), float((box.high - box.low)[[0, 2]].max()) + 6.0
    steps = np.linspace(-1.0, 1.0, 41)
    for place in np.arange(-np.ceil(reach / 0.5), np.ceil(reach / 0.5) + 1) * 0.5:
        for axis in (0, 2):
            path = np.zeros((len(steps), 3))
            path[:, axis] = np.round(middle[axis] / 0.5) * 0.5 + place
            path[:, 2 - axis] = middle[2 - axis] + reach * steps
            ahead = (path - eye.place) @ eye.axes[2] < -0.3
            distance = np.hypot(*(path - middle)[:, [0, 2]].T) / reach
            pixels, _ = eye.seen(path)
            for k in np.flatnonzero(ahead[:-1] & ahead[1:] & (distance[:-1] < 1.0)):
                share = (1.0 - distance[k]) ** 0.8
                fill = tuple(int(p + (r - p) * share) for p, r in zip(PAPER, RULED, strict=True))
                draw.line([tuple(pixels[k]), tuple(pixels[k + 1])], fill=fill, width=FINE)
    return picture


def finished(picture: Image) -> Image:
    """Scale an enlarged picture to its final size."""
    from PIL import Image as Images

    return picture.resize((picture.width // FINE, picture.height // FINE), Images.Resampling.BOX)


def as_png(picture: Image) -> bytes:
    """Encode a picture as PNG."""
    out = io.BytesIO()
    picture.save(out, format="PNG", optimize=True)
    return out.getvalue()


def strip_picture(scene: Scene, phases: int = PHASES, width: int = 1200) -> Image:
    """Draw a row of poses per motion, from the side, at equal steps from the first to the last frame."""
    from PIL import Image as Images
    from PIL.ImageDraw import Draw
    from PIL.ImageFont import load_default

    shapes = scene.shapes[:MOST_ROWS]
    picture = Images.new("RGB", (width * FINE, ROW_HEIGHT * len(shapes) * FINE), PAPER)
    draw, font = Draw(picture), load_default(12 * FINE)
    for row, (shape, color) in enumerate(zip(shapes, colors_of(scene), strict=False)):
        top = row * ROW_HEIGHT * FINE
        picture.paste(strip(shape, color, phases, (width * FINE, ROW_HEIGHT * FINE)), (0, top))
        draw.text((10 * FINE, top + 6 * FINE), shape.name, fill=(102, 112, 123), font=font)
    return finished(picture)


def strip(
    shape: Shape, color: tuple[int, int, int], phases: int, size: tuple[int, int], *, ruled: bool = True
) -> Image:
    """Draw poses of one shape from the side in a picture of the given size; `ruled`: on a floor with lines."""
    frames = _moments(shape, 1 if isinstance(shape, Line) else phases)
    poses = [placed_points(shape, float(frame), True) for frame in frames]
    if isinstance(shape, Line):
        poses = [shape.points.astype(np.float64)]
    step = max(float(np.nanmax(p[..., 2]) - np.nanmin(p[..., 2])) for p in poses) + 0.25
    tall = max(float(np.nanmax(p[..., 1])) for p in poses) + 0.3
    step = max(step, 0.95 * tall * size[0] / size[1] / len(poses))
    shifted = [pose + np.array([0.0, 0.0, k * step]) for k, pose in enumerate(poses)]
    whole = np.concatenate([pose.reshape(-1, 3) for pose in shifted])
    box = Box(np.nanmin(whole, axis=0) - 0.1, np.nanmax(whole, axis=0) + 0.1)
    eye = eye_on(box, FRONT if isinstance(shape, Line) else SIDE, size, FAR_FIELD)
    painter = Painter(floor_picture(eye, box, isinstance(shape, Line) or not ruled), eye)
    for pose, frame in zip(shifted, frames, strict=True):
        painter.add(shape, color, pose, float(frame))
    painter.finish()
    return painter.picture


def _moments(shape: Shape, count: int) -> Floats:
    """Return frames at equal steps from first to last; if markers are lost, integer frames with visible markers."""
    seen = np.isfinite(shape.points).reshape(len(shape), -1)
    if seen.all():
        return np.linspace(0, len(shape) - 1, count)
    whole = np.flatnonzero(seen.any(axis=1))
    return np.asarray(whole[np.rint(np.linspace(0, len(whole) - 1, count)).astype(int)], dtype=np.float64)
