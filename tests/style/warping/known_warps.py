"""Pairs of motions with a known smooth time warp between them, and a random scale and offset of every DOF."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.ndimage import gaussian_filter1d

from freshtake.motion import Clip
from freshtake.samples import walk
from freshtake.style.warping.warp_inputs import clip_rows


class Prior(NamedTuple):
    """Rows of both motions, and for each frame of the first the true position in the second."""

    first: np.ndarray
    second: np.ndarray
    truth: np.ndarray


def walk_clip(seed: int, **wishes: object) -> Clip:
    return walk(np.random.default_rng(seed), **{"cycles": 3.0, **wishes})  # type: ignore[arg-type]


def smooth_time(rng: np.random.Generator, frames: int, spread: float = 0.3, slowness: float = 12.0) -> np.ndarray:
    """Increasing times from 0 to the last frame, at between about half and double pace."""
    wander = gaussian_filter1d(rng.normal(size=frames), slowness)
    pace = np.clip(np.exp(spread * wander / wander.std()), 0.6, 1.6)
    time = np.concatenate([[0.0], np.cumsum(pace[1:])])
    return time * ((frames - 1) / time[-1])


def known_pair(seed: int) -> Prior:
    clip = walk_clip(seed)
    return warped_pair(clip_rows(clip, clip)[0], np.random.default_rng(seed))


def warped_pair(rows: np.ndarray, rng: np.random.Generator) -> Prior:
    """Rows, and the same rows with different timing, scale and offset."""
    time = smooth_time(rng, len(rows))
    scale, offset = np.exp(rng.normal(0.0, 0.4, rows.shape[1])), rng.normal(0.0, 0.4, rows.shape[1])
    warped = CubicSpline(np.arange(len(rows)), rows)(time) * scale + offset
    return Prior(rows, warped, np.interp(np.arange(len(rows)), time, np.arange(len(rows))))
