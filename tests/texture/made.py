"""Small takes with known recurrences."""

from __future__ import annotations

import numpy as np

from freshtake.motion import Clip, MeshSequence
from freshtake.samples import walk
from freshtake.samples.shapes import grid_faces
from freshtake.texture import TextureModel
from freshtake.texture.jump_map import costs_of
from freshtake.texture.transitions import Played

FRAME_TIME = 1.0 / 60.0


def circling(turns: float = 6.0, period: int = 50, seed: int = 3) -> np.ndarray:
    """Rows (frames, 4) that recur every `period` frames, with a slow wobble."""
    rng = np.random.default_rng(seed)
    t = np.arange(round(turns * period))
    phase = 2.0 * np.pi * t / period
    slow = 0.05 * np.stack([np.sin(phase / 3.3 + k) for k in rng.uniform(0, 6, 2)], axis=1)
    return np.concatenate([np.stack([np.cos(phase), np.sin(phase)], axis=1), slow], axis=1)


def sheet(frames: int = 150, *, normals: bool = False, attribute: bool = False, seed: int = 5) -> MeshSequence:
    """A 5 x 4 sheet that waves with a period of 40 frames and travels along z while it turns."""
    rng = np.random.default_rng(seed)
    x, y = np.meshgrid(np.linspace(0, 1, 5), np.linspace(0, 1, 4))
    rest = np.stack([x.ravel(), y.ravel(), 0 * x.ravel()], axis=1)
    t = np.arange(frames)
    phase = 2.0 * np.pi * t / 40.0
    waves = rng.normal(size=(3, 20)) * 0.1
    amplitude = np.stack([np.sin(phase), np.cos(phase), 0.3 * np.sin(2 * phase)], axis=1)
    local = np.tile(rest, (frames, 1, 1))
    local[..., 2] += amplitude @ waves
    angle = 0.004 * t
    turned = local.copy()
    turned[..., 0] = local[..., 0] * np.cos(angle)[:, None] + local[..., 2] * np.sin(angle)[:, None]
    turned[..., 2] = -local[..., 0] * np.sin(angle)[:, None] + local[..., 2] * np.cos(angle)[:, None]
    turned[..., 2] += 0.02 * t[:, None]
    facing: np.ndarray | None = None
    if normals:
        facing = np.tile([0.0, 0.0, 1.0], (frames, 20, 1)) + 0.3 * (amplitude @ waves)[..., None]
        facing = (facing / np.linalg.norm(facing, axis=-1, keepdims=True)).astype(np.float32)
    extra = {"uv": rest[:, :2].astype(np.float32)}
    if attribute:
        extra["glow"] = (0.5 + 0.2 * amplitude[:, :1] * np.ones(20))[..., None].astype(np.float32)
    return MeshSequence(
        turned.astype(np.float32), grid_faces(5, 4), FRAME_TIME, facing, extra, name="sheet", unit_m=1.0
    )


def long_walk(cycles: int = 5) -> Clip:
    return walk(np.random.default_rng(2), cycles=cycles)


def second_differences(rows: np.ndarray) -> np.ndarray:
    return np.linalg.norm(np.diff(rows.reshape(len(rows), -1), 2, axis=0), axis=1)


def played_rows(model: TextureModel, seed: int, frames: int, cell: str | None = None) -> np.ndarray:
    """Rows of an endless play, cut after some frames."""
    rng = np.random.default_rng(seed)
    return model.advance(model.start(rng, cell=cell), rng, frames)[1]


def shown_costs(model: TextureModel, played: Played) -> np.ndarray:
    """Costs (jumps,) of the jumps that are shown, in mean frame steps."""
    now = np.flatnonzero(played.jumped >= 0)
    return costs_of(model.jumps, played.jumped[now], played.source[now])
