"""A mesh as a few numbers per frame: groups of columns with mean and modes (Sattler 2004, eq. 1); decoding of rows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.motion.features import Recipe, Start, decode, where_it_ends
from freshtake.motion.features.angles import ground_of
from freshtake.motion.features.mesh_features import MeshLayout
from freshtake.motion.verdict import require_unflung
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import fused
from freshtake.numeric.pca import Pca

PIECE = 1024  # columns
Single = npt.NDArray[np.float32]
MADE = "made by freshtake: texture"
BLOCK = 128  # frames of a mesh restored at once


class Group(NamedTuple):
    """Columns of the mesh, the weight per unit of each, and their mean and modes, in the columns' units.

    `steps` (1 + modes,) are the quanta of mean and modes, zero without quantization.
    """

    name: str
    columns: Ints
    scales: Single
    mean: Single
    modes: Single
    steps: Floats

    @property
    def components(self) -> int:
        """The number of modes."""
        return len(self.modes)


@dataclass(frozen=True, eq=False)
class Shape:
    """The groups of a mesh's columns; a frame is represented by the concatenated weights of their modes."""

    groups: tuple[Group, ...]

    @property
    def width(self) -> int:
        """The number of weights per frame."""
        return sum(group.components for group in self.groups)

    @property
    def columns(self) -> int:
        """The number of columns per frame when restored."""
        return sum(len(group.columns) for group in self.groups)

    @cached_property
    def _tables(self) -> tuple[tuple[Single, slice | Ints], ...]:
        """The modes and mean of every group, padded to a multiple of four rows, and the destination of its columns."""
        out = []
        for group in self.groups:
            places: slice | Ints = group.columns
            first = int(group.columns[0])
            # A slice can be written to directly; scattered columns need a copy.
            if np.array_equal(group.columns, np.arange(first, first + len(group.columns))):
                places = slice(first, first + len(group.columns))
            table = np.zeros((-(-(group.components + 1) // 4) * 4, len(group.columns)), dtype=np.float32)
            table[: group.components], table[group.components] = group.modes, group.mean
            out.append((table, places))
        return tuple(out)

    @cached_property
    def measure(self) -> Floats:
        """A matrix (width, width): weights multiplied by it have the same distances as the restored columns."""
        out, at = np.zeros((self.width, self.width)), 0
        for group in self.groups:
            modes, stop = group.modes.astype(np.float64), at + group.components
            # The root of the modes' inner products preserves all distances but is as small as the weights.
            values, vectors = np.linalg.eigh(modes @ modes.T)
            out[at:stop, at:stop] = vectors * np.sqrt(np.maximum(values, 0.0))
            at = stop
        return out

    def weights(self, columns: Floats) -> Floats:
        """Fit weights (frames, width) to columns by least squares; columns are weighted by their scale."""
        parts = [_nearest(group, columns[:, group.columns]) for group in self.groups]
        return np.concatenate(parts, axis=1)

    def restore(self, weights: npt.ArrayLike, out: Single | None = None) -> Single:
        """Restore columns (frames, columns) as float32, several frames at a time (Sattler 2004, eq. 1).

        `out` (at least as many frames), if given, is filled, so that no memory is allocated.
        """
        w = np.asarray(weights, dtype=np.float32)
        columns: Single = np.empty((len(w), self.columns), dtype=np.float32) if out is None else out[: len(w)]
        at = 0
        for group, (table, places) in zip(self.groups, self._tables, strict=True):
            mine = np.zeros((len(w), len(table)), dtype=np.float32)
            mine[:, : group.components] = w[:, at : at + group.components]
            # The mean is treated as one more mode with weight 1, which saves a second pass over the vertices.
            mine[:, group.components] = 1.0
            at += group.components
            if isinstance(places, slice) and len(self.groups) == 1:
                _filled(mine, table, columns)
            else:
                columns[:, places] = _filled(mine, table, np.empty((len(w), len(group.columns)), dtype=np.float32))
        return columns


def _filled(weights: Single, table: Single, out: Single) -> Single:
    """Compute out = weights @ table, in blocks that stay in the cache."""
    full = len(weights) // 4 * 4
    for start in range(0, full, BLOCK):
        stop = min(start + BLOCK, full)
        products(weights[start:stop], table, out[start:stop])
    if full < len(weights):
        np.matmul(weights[full:], table, out=out[full:])
    return out


def _nearest(group: Group, columns: Floats) -> Floats:
    """Return the least-squares weights of columns; quantized modes are not exactly orthonormal."""
    scales = group.scales.astype(np.float64)
    modes = group.modes.astype(np.float64) * scales
    away = (columns - group.mean) * scales
    if len(modes) == 0:
        return np.zeros((len(columns), 0))
    return np.asarray(np.linalg.solve(modes @ modes.T, modes @ away.T).T)


def group_of(name: str, columns: Ints, scales: Floats, pca: Pca, bits: int) -> Group:
    """Make a group from the principal components of scaled columns, rounded as in a model file."""
    mean, modes = pca.mean / scales, pca.modes / scales
    steps = np.zeros(1 + len(modes))
    if bits:
        steps = quanta(np.vstack([mean[None], modes]), [16] + [bits] * len(modes))
        mean, modes = (np.round(values / step) * step for values, step in ((mean, steps[0]), (modes, steps[1:, None])))
    return Group(
        name, columns.astype(np.intp), scales.astype(np.float32), mean.astype(np.float32), modes.astype(np.float32),
        steps,
    )  # fmt: skip


def quanta(rows: Floats, bits: Sequence[int]) -> Floats:
    """Choose the step of each row such that its largest value fits into the given number of bits."""
    largest = np.abs(rows).max(axis=1, initial=0.0)
    steps = largest / (2.0 ** (np.array(bits) - 1) - 1.0)
    # Steps are rounded to float32, as they are stored: a model read from a file must restore the same numbers.
    return np.where(steps > 0.0, steps, 1.0).astype(np.float32).astype(np.float64)


def like_rows(features: Floats, count: int) -> list[Ints]:
    """Sort rows (n, features) into at most `count` groups by similarity: Lloyd's algorithm from the farthest points."""
    centers = [int(np.square(features - features.mean(axis=0)).sum(axis=1).argmax())]
    away = np.square(features - features[centers[0]]).sum(axis=1)
    while len(centers) < min(count, len(features)):
        # Unlike random points, the farthest points give the same groups every time.
        centers.append(int(away.argmax()))
        away = np.minimum(away, np.square(features - features[centers[-1]]).sum(axis=1))
    middle = features[centers]
    mine = np.zeros(len(features), dtype=np.intp)
    for _ in range(20):
        # The squares of the rows are omitted, because they are equal for all centers.
        apart = np.square(middle).sum(axis=1) - 2.0 * features @ middle.T
        mine = apart.argmin(axis=1)
        middle = np.stack(
            [features[mine == k].mean(axis=0) if (mine == k).any() else middle[k] for k in range(len(middle))]
        )
    return [np.flatnonzero(mine == k) for k in range(len(middle)) if (mine == k).any()]


def mesh_recipe(layout: MeshLayout, shape: Shape) -> Recipe:
    """Make a recipe without the parts already in the modes; its ground plan is the mean mesh's."""
    if layout.root == "heading":
        mean = shape.restore(np.zeros((1, shape.width)))[0, : 3 * layout.vertex_count].astype(np.float64)
        layout = replace(layout, plan=ground_of(mean.reshape(-1, 3), layout.up))
    width = layout.width
    return Recipe(layout, "none", np.arange(width), np.zeros(width), np.ones(width), np.zeros(width))


@fused
def products(weights: Single, modes: Single, out: Single) -> None:
    """Compute out = weights @ modes, for numbers of frames and of modes that are multiples of four."""
    count, width = modes.shape
    # A piece of four modes and four frames is 32 kB: the size of the fastest cache.
    for start in range(0, width, PIECE):
        stop = min(start + PIECE, width)
        for f in range(0, len(weights), 4):
            # Process four frames at a time, because every mode that is loaded then serves all four.
            o0, o1, o2, o3 = out[f, start:stop], out[f + 1, start:stop], out[f + 2, start:stop], out[f + 3, start:stop]
            for k in range(0, count, 4):
                m0, m1 = modes[k, start:stop], modes[k + 1, start:stop]
                m2, m3 = modes[k + 2, start:stop], modes[k + 3, start:stop]
                a0, a1, a2, a3 = weights[f, k], weights[f, k + 1], weights[f, k + 2], weights[f, k + 3]
                b0, b1, b2, b3 = weights[f + 1, k], weights[f + 1, k + 1], weights[f + 1, k + 2], weights[f + 1, k + 3]
                c0, c1, c2, c3 = weights[f + 2, k], weights[f + 2, k + 1], weights[f + 2, k + 2], weights[f + 2, k + 3]
                d0, d1, d2, d3 = weights[f + 3, k], weights[f + 3, k + 1], weights[f + 3, k + 2], weights[f + 3, k + 3]
                # The first modes are set, not added, so that the output need not be cleared first.
                if k == 0:
                    for n in range(stop - start):
                        x0, x1, x2, x3 = m0[n], m1[n], m2[n], m3[n]
                        o0[n] = a0 * x0 + a1 * x1 + a2 * x2 + a3 * x3
                        o1[n] = b0 * x0 + b1 * x1 + b2 * x2 + b3 * x3
                        o2[n] = c0 * x0 + c1 * x1 + c2 * x2 + c3 * x3
                        o3[n] = d0 * x0 + d1 * x1 + d2 * x2 + d3 * x3
                else:
                    for n in range(stop - start):
                        x0, x1, x2, x3 = m0[n], m1[n], m2[n], m3[n]
                        o0[n] += a0 * x0 + a1 * x1 + a2 * x2 + a3 * x3
                        o1[n] += b0 * x0 + b1 * x1 + b2 * x2 + b3 * x3
                        o2[n] += c0 * x0 + c1 * x1 + c2 * x2 + c3 * x3
                        o3[n] += d0 * x0 + d1 * x1 + d2 * x2 + d3 * x3


def decoded(
    recipe: Recipe | None, shape: Shape | None, rows: Floats, start: Start | None, resume: bool, name: str
) -> Any:
    """Decode rows to a motion; plain rows are returned unchanged."""
    if recipe is None:
        return require_unflung(rows)
    if shape is None:
        motion = require_unflung(decode(recipe, rows, start=start, resume=resume, name=name), resumed=resume)
        return replace(motion, provenance=MADE)
    return require_unflung(_mesh(recipe, shape, rows, start or Start(), resume, name), resumed=resume)


def columns_of(recipe: Recipe, shape: Shape, rows: Floats) -> Floats:
    """Restore all columns of a mesh's rows: the root's rates, then the columns of the modes."""
    at = 3 if recipe.layout.root == "heading" else 0
    return np.concatenate([rows[:, :at], shape.restore(rows[:, at:])], axis=1, dtype=np.float64)


def _mesh(recipe: Recipe, shape: Shape, rows: Floats, start: Start, resume: bool, name: str) -> Any:
    parts: list[Any] = []
    for first in range(0, len(rows), BLOCK):
        columns = columns_of(recipe, shape, rows[first : first + BLOCK])
        parts.append(decode(recipe, columns, start=start, resume=resume, name=name))
        start, resume = where_it_ends(recipe, columns, start=start, resume=resume), True
    names = [name for name, values in parts[0].attributes.items() if values.ndim == 3]
    changing = {name: np.concatenate([part.attributes[name] for part in parts]) for name in names}
    return replace(
        parts[0],
        vertices=np.concatenate([part.vertices for part in parts]),
        normals=None if parts[0].normals is None else _unit([part.normals for part in parts]),
        attributes={**parts[0].attributes, **changing},
        provenance=MADE,
    )


def _unit(parts: list[Any]) -> Single:
    """Renormalize restored normals to unit length."""
    normals: Single = np.concatenate(parts)
    with np.errstate(over="ignore"):  # extreme modes may overflow
        length = np.linalg.norm(normals, axis=-1, keepdims=True)
    return np.asarray(normals / np.where(length > 0.0, length, 1.0), dtype=np.float32)
