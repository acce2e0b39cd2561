"""A flag in the wind: a mesh of known low rank whose poses come back at irregular times."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import UsageError
from freshtake.motion import MeshSequence
from freshtake.numeric.arrays import Floats
from freshtake.samples.variation_law import Wander

WIDTH, HEIGHT = 1.5, 1.0  # metres
PROVENANCE = "made by freshtake"


class Wave(NamedTuple):
    """One way in which the flag swings: a wave that runs along it, alone or with its upper half against its lower."""

    crests: float  # wave lengths between pole and free edge
    rows: int  # half waves from the lower to the upper edge
    swing: float  # amplitude at the free edge, metres
    rate: float  # turns per second on average


WAVES = (
    Wave(crests=0.9, rows=0, swing=0.13, rate=0.73),
    Wave(crests=1.7, rows=0, swing=0.03, rate=1.31),
    Wave(crests=1.2, rows=1, swing=0.035, rate=1.01),
)
MODES = 2 * len(WAVES)  # every wave runs, so it is a cosine and a sine shape: the rank of all vertices over time
UNSTEADY = 0.12  # relative standard deviation of each wave's rate and amplitude over time
SLOWLY = 1.5  # seconds over which they change


def flag(
    rng: np.random.Generator,
    *,
    frames: int = 600,
    fps: float = 60.0,
    columns: int = 49,
    rows: int = 33,
    amount: float = 1.0,
) -> MeshSequence:
    """A flag held at the pole (x = 0), with normals and texture coordinates; x along it, y up, z across; metres.

    Every vertex is its place at rest plus the sum of `MODES` fixed shapes times `mode_weights(...)`, so the sequence
    has exactly that rank about rest. Poses come back whenever the three waves' phases do: their rates have no common
    measure and wander, so at irregular times. `amount` 0 gives steady waves.
    """
    if frames < 1 or columns < 2 or rows < 2 or not (np.isfinite(fps) and fps > 0):
        raise UsageError(
            f"a flag needs frames, fps and at least 2 x 2 vertices, not {frames}, {fps}, {columns} x {rows}"
        )
    weights = mode_weights(rng, np.arange(frames) / fps, amount)
    rest, shapes = rest_shape(columns, rows), mode_shapes(columns, rows)
    vertices = rest + np.tensordot(weights, shapes.displacement, axes=1)
    along, up = (tangent + np.tensordot(weights, turn, axes=1) for tangent, turn in shapes.tangents)
    normals = np.cross(along, up)
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    return MeshSequence(
        vertices.astype(np.float32),
        grid_faces(columns, rows),
        1.0 / fps,
        normals.astype(np.float32),
        {"uv": (rest[:, :2] / [WIDTH, HEIGHT]).astype(np.float32)},
        name="flag",
        provenance=PROVENANCE,
        unit_m=1.0,
    )


def rest_shape(columns: int, rows: int) -> Floats:
    """The flat flag (vertices, 3), row by row from the lower edge."""
    x, y = np.meshgrid(np.linspace(0.0, WIDTH, columns), np.linspace(0.0, HEIGHT, rows))
    return np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=1)


def grid_faces(columns: int, rows: int) -> npt.NDArray[np.int32]:
    """Two triangles per cell, all facing the viewer at positive z."""
    corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    right, above, across = corner + 1, corner + columns, corner + columns + 1
    both = np.stack([np.stack([corner, right, across], 1), np.stack([corner, across, above], 1)], axis=1)
    return both.reshape(-1, 3).astype(np.int32)


class Shapes(NamedTuple):
    """`displacement` (modes, vertices, 3), and for x and for y the tangent at rest and its change per mode."""

    displacement: Floats
    tangents: tuple[tuple[Floats, Floats], tuple[Floats, Floats]]


def mode_shapes(columns: int, rows: int) -> Shapes:
    """The fixed shapes, in pairs (cosine, sine) per wave, and their exact derivatives along x and y.

    A wave's height is z = swing s^1.5 cos(k s - phase) cos(pi rows v), with s = x / WIDTH and v = y / HEIGHT; at a
    crest or trough the cloth is also drawn back and down a little, in proportion to z.
    """
    rest = rest_shape(columns, rows)
    s, v = rest[:, 0] / WIDTH, rest[:, 1] / HEIGHT
    direction = np.array([-0.12, -0.08, 1.0])
    height, by_x, by_y = [], [], []
    for wave in WAVES:
        k, q = 2.0 * np.pi * wave.crests, np.pi * wave.rows
        across, bend = np.cos(q * v), -q * np.sin(q * v) / HEIGHT
        grow, growing = wave.swing * s**1.5, 1.5 * wave.swing * np.sqrt(s)
        for part, slope in ((np.cos(k * s), -k * np.sin(k * s)), (np.sin(k * s), k * np.cos(k * s))):
            height.append(grow * part * across)
            by_x.append((growing * part + grow * slope) / WIDTH * across)
            by_y.append(grow * part * bend)
    z, zx, zy = (np.stack(values)[..., None] * direction for values in (height, by_x, by_y))
    return Shapes(z, ((np.array([1.0, 0.0, 0.0]), zx), (np.array([0.0, 1.0, 0.0]), zy)))


def mode_weights(rng: np.random.Generator, times: Floats, amount: float = 1.0) -> Floats:
    """(frames, modes): cosine and sine of every wave's phase, times its relative amplitude.

    A wave turns at its rate times 1 + a smooth normal process of standard deviation `UNSTEADY`, its amplitude is
    exp of another; both change over `SLOWLY` seconds, and it starts anywhere in its turn.
    """
    pace = Wander(rng, amount * UNSTEADY, SLOWLY, len(WAVES))
    swell = Wander(rng, amount * UNSTEADY, SLOWLY, len(WAVES))
    rate = np.array([wave.rate for wave in WAVES])
    start = rng.uniform(0.0, 1.0, len(WAVES))
    phase = 2.0 * np.pi * (start + rate * (times[:, None] + pace.integral(times)))
    weights = np.exp(swell(times))[..., None] * np.stack([np.cos(phase), np.sin(phase)], axis=-1)
    return np.asarray(weights.reshape(len(times), MODES))
