"""Mesh sequences as columns: vertices, then normals and the attributes that vary over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from freshtake.errors import InvalidMotion, UsageError
from freshtake.motion.features.angles import Complexes, Start, start_of, turned_back
from freshtake.motion.features.point_features import (
    RATE_UNITS,
    RATES,
    ROOTS,
    CloudColumns,
    cloud_effects,
    cloud_path,
    placed,
    reference_plan,
    relative_columns,
)
from freshtake.motion.kinds import MeshSequence
from freshtake.motion.skeleton import Skeleton
from freshtake.motion.validation import Array, Parts, check_timing, frozen
from freshtake.numeric.arrays import Floats


@dataclass(frozen=True, eq=False)
class MeshLayout(CloudColumns):
    """The constant parts of a mesh (connectivity, constant attributes), and what changes from frame to frame."""

    vertex_count: int
    faces: npt.NDArray[np.int32]
    normals: bool
    changing: Mapping[str, int]  # attribute -> width
    constant: Mapping[str, npt.NDArray[np.float32]]
    root: str
    frame_time: float
    up: str
    unit_m: float | None
    plan: Complexes

    kind: ClassVar[str] = "mesh"

    def __post_init__(self) -> None:
        put = object.__setattr__
        if not 0 < self.vertex_count < 2**31 or any(width < 1 for width in self.changing.values()):
            raise InvalidMotion(
                f"a mesh of {self.vertex_count} vertices and attributes {dict(self.changing)} cannot be"
            )
        put(self, "faces", frozen(self.faces, "faces", (None, 3), np.int32))
        check_timing(self)
        count = self.vertex_count if self.root == "heading" else 0
        put(self, "plan", frozen(self.plan, "plan", (count,), np.complex128))

    def names(self) -> list[str]:
        """Return the DOFs by name: `v12.x`, `v12.nx` for normals, `v12.color0` for attributes."""
        blocks: list[tuple[str, ...]] = [("x", "y", "z")]
        blocks += [("nx", "ny", "nz")] * self.normals
        blocks += [tuple(f"{name}{k}" for k in range(width)) for name, width in self.changing.items()]
        return self.rates(RATES) + [
            f"v{vertex}.{dof}" for dofs in blocks for vertex in range(self.vertex_count) for dof in dofs
        ]

    def units(self) -> list[str]:
        """Return the quantity that each column measures."""
        further = self.normals * 3 + sum(self.changing.values())
        return self.rates(RATE_UNITS) + ["length"] * (3 * self.vertex_count) + ["plain"] * (further * self.vertex_count)

    @property
    def width(self) -> int:
        """The number of columns."""
        each = 3 + 3 * self.normals + sum(self.changing.values())
        return each * self.vertex_count + 3 * (self.root == "heading")

    def encode(self, mesh: MeshSequence) -> tuple[Floats, Start]:
        """Return all columns (frames, columns) and where the mesh starts."""
        self._check(mesh)
        vertices = mesh.vertices.astype(np.float64)
        normals = mesh.normals.astype(np.float64) if mesh.normals is not None else None
        blocks, start = [vertices], Start()
        if self.root == "heading":
            path = cloud_path(vertices, self.plan, self.up)
            blocks = list(relative_columns(vertices, path, self.frame_time, self.up))
            start = start_of(path, 0, self.up)
            normals = None if normals is None else turned_back(normals, path.heading, self.up)
        if self.normals and normals is not None:
            blocks.append(normals)
        blocks += [mesh.attributes[name].astype(np.float64) for name in self.changing]
        return np.concatenate([b.reshape(len(mesh), -1) for b in blocks], axis=1, dtype=np.float64), start

    def _check(self, mesh: MeshSequence) -> None:
        name = mesh.name or "a mesh sequence"
        if mesh.vertices.shape[1] != self.vertex_count or not np.array_equal(mesh.faces, self.faces):
            raise UsageError(f"{name} has different vertices or faces from the recipe's")
        if mesh.up != self.up:
            raise UsageError(f"{name} has {mesh.up} up and the recipe {self.up}")
        if self.normals and mesh.normals is None:
            raise UsageError(f"{name} has no normals, but the recipe does: use motion.kinds.vertex_normals")
        for attribute, width in self.changing.items():
            value = mesh.attributes.get(attribute)
            if value is None or value.ndim != 3 or value.shape[-1] != width:
                raise UsageError(f"{name} lacks the attribute {attribute!r} that changes over time in the recipe")

    def decode(self, values: Floats, start: Start, resume: bool, skeleton: Skeleton | None, name: str) -> MeshSequence:
        """Return a mesh sequence from all columns; vertices become float32 again."""
        path = self.path(values, start, resume)
        at = 3 if self.root == "heading" else 0
        widths = [3, *[3] * self.normals, *self.changing.values()]
        blocks = []
        for width in widths:
            blocks.append(values[:, at : at + width * self.vertex_count].reshape(len(values), -1, width))
            at += width * self.vertex_count
        vertices = placed(blocks[0], path, self.up) if self.root == "heading" else blocks[0]
        normals = turned_back(blocks[1], -path.heading, self.up).astype(np.float32) if self.normals else None
        changing = zip(self.changing, blocks[1 + self.normals :], strict=True)
        attributes = {**self.constant, **{key: value.astype(np.float32) for key, value in changing}}
        points = vertices.astype(np.float32)
        return MeshSequence(points, self.faces, self.frame_time, normals, attributes, name, "", self.up, self.unit_m)

    def effects(self, examples: Sequence[Floats], horizon: float) -> Floats:
        """Return the RMS displacement of all vertices per unit of each column; others count like a coordinate."""
        return cloud_effects(np.concatenate(examples), self.vertex_count, self.root, self.up, horizon)

    def parts(self) -> Parts:
        """Return the header and arrays from which `from_parts` rebuilds the layout."""
        plain = ("vertex_count", "normals", "root", "frame_time", "up", "unit_m")
        header: dict[str, Any] = {name: getattr(self, name) for name in plain}
        header["changing"] = dict(self.changing)
        header["constant"] = list(self.constant)
        arrays: dict[str, Array] = {"faces": self.faces, "plan": self.plan.view(np.float64)}
        arrays |= {f"constant_{k}": value for k, value in enumerate(self.constant.values())}
        return Parts(header, arrays)

    @classmethod
    def from_parts(cls, parts: Parts) -> MeshLayout:
        """Return the layout from its `parts`."""
        constant, changing = parts.texts("constant"), parts.field("changing", dict)
        return cls(
            parts.field("vertex_count", int),
            parts.array("faces"),
            parts.field("normals", bool),
            {str(name): Parts(changing, {}).field(name, int) for name in changing},
            {name: parts.array(f"constant_{k}") for k, name in enumerate(constant)},
            parts.choice("root", ROOTS),
            *parts.placed(),
            parts.complexes("plan"),
        )


def mesh_layout(meshes: Sequence[MeshSequence], root: str) -> MeshLayout:
    """Return the layout that fits all examples; normals and changing attributes only if all examples have them."""
    first = meshes[0]
    vertices = [mesh.vertices.astype(np.float64) for mesh in meshes] if root == "heading" else []
    changing = {
        name: value.shape[-1]
        for name, value in first.attributes.items()
        if any(name in mesh.attributes and mesh.attributes[name].ndim == 3 for mesh in meshes)
    }
    constant = {name: value for name, value in first.attributes.items() if name not in changing}
    normals = all(mesh.normals is not None for mesh in meshes)
    plan = reference_plan(vertices, first.up) if root == "heading" else np.zeros(0, dtype=np.complex128)
    time, up, unit = first.frame_time, first.up, first.unit_m
    return MeshLayout(first.vertices.shape[1], first.faces, normals, changing, constant, root, time, up, unit, plan)
