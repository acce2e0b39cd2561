"""Motions without a skeleton: strokes, point clips and mesh sequences; and the name of each kind in messages."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from freshtake.errors import InvalidMotion
from freshtake.lazy import Showable
from freshtake.motion.clip import Clip
from freshtake.motion.validation import Timed, check_timing, checked_names, frozen
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.curves import monotone_curve, runs

WORDS = {"Clip": "clip", "PointClip": "point clip", "Stroke": "stroke", "MeshSequence": "mesh sequence"}


@dataclass(frozen=True, eq=False, repr=False)
class Stroke(Showable):
    """A path over time without a skeleton: handwriting, a mouse, a sensor.

    Args:
        points: (points, dimensions).
        times: (points,): seconds, increasing.
        dimensions: Names of the dimensions; default: x, y, z or x0, x1, ...
        name: The name of the stroke.
        provenance: Its source, and the operations applied to it.
    """

    points: Floats
    times: Floats
    dimensions: tuple[str, ...] = ()
    name: str = ""
    provenance: str = ""

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "points", frozen(self.points, "points", (None, None)))
        frames, count = self.points.shape
        if frames == 0 or count == 0:
            raise InvalidMotion("a stroke needs at least one point of at least one dimension")
        put(self, "times", frozen(self.times, "times", (frames,)))
        backwards = np.flatnonzero(np.diff(self.times) <= 0.0)
        if len(backwards):
            raise InvalidMotion(f"times must increase, but point {backwards[0] + 1} is not later than the one before")
        names = tuple(self.dimensions) or tuple("xyz"[:count] if count <= 3 else (f"x{k}" for k in range(count)))
        if len(names) != count:
            raise InvalidMotion(f"{len(names)} dimension names are given for {count} dimensions")
        put(self, "dimensions", checked_names(names, "dimension"))

    def __repr__(self) -> str:
        return f"Stroke({self.name!r}, {len(self)} points, {self.points.shape[1]} dimensions)"

    def __len__(self) -> int:
        return len(self.points)

    @property
    def duration(self) -> float:
        """Seconds from the first point to the last."""
        return float(self.times[-1] - self.times[0])

    @property
    def uniform(self) -> bool:
        """Whether the points are evenly spaced in time, to the precision that files keep."""
        steps = np.diff(self.times)
        return len(steps) == 0 or float(np.ptp(steps)) <= 0.02 * float(steps.mean())

    @property
    def frame_time(self) -> float:
        """The mean seconds between points."""
        return self.duration / (len(self) - 1) if len(self) > 1 else 1.0


def resample_stroke(stroke: Stroke, fps: float) -> Stroke:
    """Return a stroke evenly spaced in time, by linear interpolation, starting at its first point."""
    if not fps > 0:
        raise InvalidMotion(f"fps must be above 0, but is {fps}")
    count = int(np.floor(stroke.duration * fps + 1e-9)) + 1
    times = stroke.times[0] + np.arange(count) / fps
    points = np.stack([np.interp(times, stroke.times, column) for column in stroke.points.T], axis=1)
    return Stroke(points, times, stroke.dimensions, stroke.name, f"{stroke.provenance}; resampled to {fps:g} fps")


@dataclass(frozen=True, eq=False, repr=False)
class PointClip(Timed):
    """Named points over time, such as optical markers, with gaps where a marker was not seen.

    Args:
        names: (points,): names of the points, all different.
        positions: (frames, points, 3) in the file's unit; a gap is NaN in all three coordinates.
        frame_time: Seconds per frame.
        name: The name of the point clip.
        provenance: Its source, and the operations applied to it.
        up: The vertical axis, "y" or "z".
        unit_m: Metres per unit of length, if known.
    """

    names: tuple[str, ...]
    positions: Floats
    frame_time: float
    name: str = ""
    provenance: str = ""
    up: str = "y"
    unit_m: float | None = None

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "names", checked_names(self.names, "point"))
        positions = frozen(self.positions, "positions", (None, len(self.names), 3), finite=False)
        if np.isinf(positions).any():
            frame, point, _ = (int(i) for i in np.argwhere(np.isinf(positions))[0])
            raise InvalidMotion(f"point {self.names[point]!r} is infinite in frame {frame}")
        torn = np.isnan(positions).any(-1) & ~np.isnan(positions).all(-1)
        if torn.any():
            frame, point = (int(i) for i in np.argwhere(torn)[0])
            raise InvalidMotion(f"point {self.names[point]!r} is missing only some coordinates in frame {frame}")
        put(self, "positions", positions)
        if len(positions) == 0 or not self.names:
            raise InvalidMotion("a point clip needs at least one frame and one point")
        check_timing(self)

    def __repr__(self) -> str:
        return f"PointClip({self.name!r}, {len(self)} frames at {self.fps:g} fps, {len(self.names)} points)"

    def __len__(self) -> int:
        return len(self.positions)

    def gaps(self) -> Bools:
        """Return where points are missing.

        Returns:
            (frames, points): true in gaps.
        """
        return np.isnan(self.positions[..., 0])


def fill_gaps(clip: PointClip, longest: int | None = None) -> PointClip:
    """Bridge gaps by a cubic (Hermite) curve through the neighbors, and extend the first and last seen positions.

    Gaps of more than `longest` frames stay (None: fill all). A point that is never seen is refused by name.
    """
    filled = clip.positions.copy()
    frames = np.arange(float(len(clip)))
    for point, name in enumerate(clip.names):
        missing = np.isnan(filled[:, point, 0])
        if missing.all():
            raise InvalidMotion(f"point {name!r} is never seen, so its gap cannot be filled: drop it with drop-unseen")
        fillable = missing.copy()
        for start, stop in runs(missing):
            fillable[start:stop] = longest is None or stop - start <= longest
        if not fillable.any():
            continue
        seen = np.flatnonzero(~missing)
        if len(seen) == 1:
            filled[fillable, point] = filled[seen[0], point]
            continue
        inside = np.clip(frames[fillable], seen[0], seen[-1])
        filled[fillable, point] = monotone_curve(frames[seen], filled[seen, point], inside)
    return replace(clip, positions=filled, provenance=f"{clip.provenance}; gaps filled")


def joint_points(clip: Clip) -> PointClip:
    """Return the joints of a clip as points in the world, with its frames, axis and unit."""
    names, positions = clip.skeleton.names, clip.positions()
    return PointClip(names, positions, clip.frame_time, clip.name, clip.provenance, clip.up, clip.unit_m)


@dataclass(frozen=True, eq=False, repr=False)
class MeshSequence(Timed):
    """A mesh over time: vertices move, triangles stay.

    Args:
        vertices: (frames, vertices, 3), float32, in the file's unit of length.
        faces: (faces, 3): numbers of vertices.
        frame_time: Seconds per frame.
        normals: (frames, vertices, 3), if known.
        attributes: Other values by name: (vertices, width) if constant, else (frames, vertices, width).
        name: The name of the sequence.
        provenance: Its source, and the operations applied to it.
        up: The vertical axis, "y" or "z".
        unit_m: Metres per unit of length, if known.
    """

    vertices: npt.NDArray[np.float32]
    faces: npt.NDArray[np.int32]
    frame_time: float
    normals: npt.NDArray[np.float32] | None = None
    attributes: Mapping[str, npt.NDArray[np.float32]] = field(default_factory=dict)
    name: str = ""
    provenance: str = ""
    up: str = "y"
    unit_m: float | None = None

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "vertices", frozen(self.vertices, "vertices", (None, None, 3), np.float32))
        frames, count = self.vertices.shape[:2]
        if frames == 0 or count == 0:
            raise InvalidMotion("a mesh sequence needs at least one frame and one vertex")
        put(self, "faces", frozen(self.faces, "faces", (None, 3), np.int32))
        outside = (self.faces < 0) | (self.faces >= count)
        if outside.any():
            face = int(np.argwhere(outside)[0, 0])
            raise InvalidMotion(
                f"face {face} uses vertex {int(self.faces[outside][0])}, but there are {count} vertices"
            )
        check_timing(self)
        if self.normals is not None:
            put(self, "normals", frozen(self.normals, "normals", (frames, count, 3), np.float32))
        attributes = {}
        for name, value in self.attributes.items():
            shape = (count, None) if np.ndim(value) == 2 else (frames, count, None)
            attributes[name] = frozen(value, f"attribute {name!r}", shape, np.float32)
        put(self, "attributes", MappingProxyType(attributes))

    def __repr__(self) -> str:
        return f"MeshSequence({self.name!r}, {len(self)} frames at {self.fps:g} fps, {self.vertices.shape[1]} vertices)"

    def __len__(self) -> int:
        return len(self.vertices)


def vertex_normals(mesh: MeshSequence) -> npt.NDArray[np.float32]:
    """Return area-weighted normals of a mesh (frames, vertices, 3), 0 for vertices that belong to no face."""
    corners = mesh.vertices[:, mesh.faces].astype(np.float64)  # (frames, faces, 3, 3)
    facing = np.cross(corners[:, :, 1] - corners[:, :, 0], corners[:, :, 2] - corners[:, :, 0])
    total = np.zeros(mesh.vertices.shape)
    for corner in range(3):
        for frame in range(len(mesh)):
            np.add.at(total[frame], mesh.faces[:, corner], facing[frame])
    length = np.linalg.norm(total, axis=-1, keepdims=True)
    return np.asarray(total / np.where(length > 0, length, 1.0), dtype=np.float32)


def kind_word(motion: object) -> str:
    """Return the word that messages use for a motion or a class of motions: "point clip" for PointClip."""
    kind = motion if isinstance(motion, type) else type(motion)
    return WORDS.get(kind.__name__, kind.__name__)
