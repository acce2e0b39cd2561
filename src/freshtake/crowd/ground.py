"""Ground that is not flat: heights on a grid, and bodies lifted onto it."""

import hashlib
import io
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from freshtake.crowd.folder import GROUND, replacing_ours
from freshtake.crowd.plan import GroundMap
from freshtake.crowd.route_following import smooth
from freshtake.errors import FormatError
from freshtake.formats.archive import open_archive, write_archive
from freshtake.formats.files import read_bytes
from freshtake.motion import Clip
from freshtake.motion.body.limbs import Limb
from freshtake.motion.planting.limb_leading import PINNED, lead_limbs
from freshtake.motion.planting.planting_model import make_bones
from freshtake.numeric.arrays import Floats

EASED = 0.12  # seconds: standard deviation of the smoothing of hip heights
MOST = 8192  # rows and columns


class Ground(NamedTuple):
    """Heights (rows, columns) in metres over a rectangle of this size (x, z): rows along z, columns along x."""

    heights: Floats
    center: tuple[float, float]
    size: tuple[float, float]

    def at(self, places: Floats) -> Floats:
        """Interpolate heights at positions (..., 2) from the four nearest cells, outside from border cells."""
        count = np.array(self.heights.shape[::-1])
        share = (places - np.array(self.center)) / np.array(self.size) + 0.5
        # The first and last heights are on the borders of the rectangle, so there is one cell fewer than heights.
        cells = np.clip(share * (count - 1), 0.0, count - 1.0)
        low = np.minimum(cells.astype(np.intp), np.maximum(count - 2, 0))
        high = np.minimum(low + 1, count - 1)
        x, z = np.moveaxis(cells - low, -1, 0)
        grid, (c0, r0), (c1, r1) = self.heights, np.moveaxis(low, -1, 0), np.moveaxis(high, -1, 0)
        near = grid[r0, c0] * (1.0 - x) + grid[r0, c1] * x
        far = grid[r1, c0] * (1.0 - x) + grid[r1, c1] * x
        return np.asarray(near * (1.0 - z) + far * z)


def onto_ground(clip: Clip, legs: tuple[Limb, ...], ground: Ground) -> Clip:
    """Lift a motion over a flat floor (metres, y up) onto the ground.

    Every foot is lifted by the height under it, so a foot on the floor stays on the ground. Hips are lifted by the
    smoothed height under the lower foot, so no leg has to stretch. Without legs, the body is lifted by the height
    under its root.
    """
    places = clip.positions()
    root = clip.root.copy()
    if not legs:
        root[:, 1] += _smooth_heights(ground.at(root[:, [0, 2]]), clip.frame_time)
        return clip.changed(root=root)
    feet = np.stack([places[:, list(leg.points)].mean(axis=1)[:, [0, 2]] for leg in legs], axis=1)
    under = ground.at(feet)  # (frames, legs)
    root[:, 1] += _smooth_heights(under.min(axis=1), clip.frame_time)
    # Feet move straight up: if they also moved sideways, planted feet would slide.
    moves = np.zeros((len(clip), len(legs), 3))
    moves[..., 1] = under
    rotations, by_ankle = clip.rotations.copy(), np.zeros(len(legs), dtype=np.intp)
    lead_limbs(
        make_bones(clip.skeleton, legs), clip.root, root, np.ascontiguousarray(clip.skeleton.offsets[None]), moves,
        by_ankle, rotations, PINNED,
    )  # fmt: skip
    return clip.changed(root=root, rotations=rotations)


def _smooth_heights(heights: Floats, frame_time: float) -> Floats:
    return np.asarray(smooth(heights.astype(np.complex128), EASED / frame_time).real)


def read_ground(asked: GroundMap) -> Ground:
    """Read the picture of heights (PNG of 8 or 16 bits) that a plan names: black is 0, white is `asked.height`."""
    from PIL import Image, UnidentifiedImageError

    path = asked.file
    try:
        with Image.open(io.BytesIO(read_bytes(path)), formats=["PNG"]) as picture:
            if not 2 <= min(picture.size) <= max(picture.size) <= MOST:
                wide, high = picture.size
                raise FormatError(path, f"2 x 2 to {MOST} x {MOST} pixels were expected, not {wide} x {high}")
            deep = picture.mode.startswith("I")
            values = np.asarray(picture if deep else picture.convert("L"), dtype=np.float64)
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        raise FormatError(
            path, "this is not a PNG image, or it is damaged: write heights as PNG of 8 or 16 bits"
        ) from None
    return Ground(asked.height * values / (65535.0 if deep else 255.0), asked.center, asked.size)


def keep_ground(folder: Path, ground: Ground) -> str:
    """Write the heights next to the shards, where all workers can read them, and return their checksum."""
    arrays = {"heights": ground.heights, "center": np.array(ground.center), "size": np.array(ground.size)}
    digest = ground_checksum(ground)
    path = folder / GROUND
    if not path.is_file() or _kept_checksum(path) != digest:
        replacing_ours(write_archive, path, arrays)
    return digest


def ground_checksum(ground: Ground) -> str:
    """Compute the checksum of heights, center and size."""
    return hashlib.sha256(ground.heights.tobytes() + repr((ground.center, ground.size)).encode()).hexdigest()


def _kept_checksum(path: Path) -> str:
    try:
        return ground_checksum(_read(path))
    except FormatError:
        return ""


@lru_cache(maxsize=4)
def kept_ground(folder: Path, checksum: str) -> Ground:
    """Read the heights that `keep_ground` wrote, once per process."""
    ground = _read(folder / GROUND)
    if ground_checksum(ground) != checksum:
        raise FormatError(folder / GROUND, "this is not the ground that the crowd was begun with: run it again")
    return ground


def _read(path: Path) -> Ground:
    archive = open_archive(path)
    (x, z), (wide, deep) = archive.array("center").tolist(), archive.array("size").tolist()
    return Ground(archive.array("heights"), (x, z), (wide, deep))
