"""MeshSequence: vertices over frames with constant connectivity and attributes that move with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from freshtake.errors import InvalidMotion
from freshtake.motion.validation import Timed, frozen, positive, up_axis


@dataclass(frozen=True, eq=False, repr=False)
class MeshSequence(Timed):
    """Vertices (frames, vertices, 3), triangles (faces, 3), optional normals (frames, vertices, 3).

    `attributes` are further values per vertex, (vertices, width) when constant or (frames, vertices, width).
    Vertices and attributes are float32, as files and graphics cards keep them.
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
        put(self, "frame_time", positive(self.frame_time, "frame_time"))
        put(self, "up", up_axis(self.up))
        if self.unit_m is not None:
            put(self, "unit_m", positive(self.unit_m, "unit_m"))
        if self.normals is not None:
            put(self, "normals", frozen(self.normals, "normals", (frames, count, 3), np.float32))
        put(self, "attributes", MappingProxyType({k: self._attribute(k, v) for k, v in self.attributes.items()}))

    def _attribute(self, name: str, value: npt.ArrayLike) -> npt.NDArray[Any]:
        frames, count = self.vertices.shape[:2]
        shape: tuple[int | None, ...] = (count, None) if np.ndim(value) == 2 else (frames, count, None)
        return frozen(value, f"attribute {name!r}", shape, np.float32)

    def __repr__(self) -> str:
        return f"MeshSequence({self.name!r}, {len(self)} frames at {self.fps:g} fps, {self.vertices.shape[1]} vertices)"

    def __len__(self) -> int:
        return len(self.vertices)


def vertex_normals(mesh: MeshSequence) -> npt.NDArray[np.float32]:
    """Area-weighted normals (frames, vertices, 3); zero where a vertex belongs to no face."""
    corners = mesh.vertices[:, mesh.faces].astype(np.float64)  # (frames, faces, 3, 3)
    facing = np.cross(corners[:, :, 1] - corners[:, :, 0], corners[:, :, 2] - corners[:, :, 0])
    total = np.zeros(mesh.vertices.shape)
    for corner in range(3):
        for frame in range(len(mesh)):
            np.add.at(total[frame], mesh.faces[:, corner], facing[frame])
    length = np.linalg.norm(total, axis=-1, keepdims=True)
    return np.asarray(total / np.where(length > 0, length, 1.0), dtype=np.float32)
