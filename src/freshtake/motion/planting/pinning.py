"""Pins as goals: the path of a point led over to a pin's place and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.motion.pins import Pin
from freshtake.numeric.arrays import Floats


class Pinned(NamedTuple):
    """A path (frames, 3) with pins, and how firmly each frame is pinned (frames,), 0 to 1."""

    path: Floats
    grip: Floats


def pinned_path(path: Floats, pins: Sequence[Pin], frame_time: float) -> Pinned:
    """Lead a path over to the places of its pins.

    In a pin's frames the path is at its place exactly. Beside them it is (1 - e) path + e place with e from 1 to 0;
    next to a run of frames the place goes on as it moved, next to a single frame it moves with the path.
    """
    out, grip = path.copy(), np.zeros(len(path))
    taken = np.zeros(len(path), dtype=bool)
    for pin in pins:
        taken[pin.start : pin.stop] = True
    for pin in pins:
        share = _ease(pin, taken, frame_time)
        place = _place(pin, out)
        out += share[:, None] * (place - out)
        grip = np.maximum(grip, share)
    return Pinned(out, grip)


def _ease(pin: Pin, taken: np.ndarray[tuple[int], np.dtype[np.bool_]], frame_time: float) -> Floats:
    """1 in the pin's frames, quintic ends of its blend time, cut short where another pin is nearer."""
    frames = np.arange(len(taken))
    others = taken.copy()
    others[pin.start : pin.stop] = False
    before, after = np.flatnonzero(others[: pin.start]), pin.stop + np.flatnonzero(others[pin.stop :])
    blend = pin.blend / frame_time + 1.0
    left = min(blend, pin.start - before[-1]) if len(before) else blend
    right = min(blend, after[0] - pin.stop + 1) if len(after) else blend
    away = np.maximum((pin.start - frames) / left, (frames - pin.stop + 1) / right)
    s = np.clip(1.0 - away, 0.0, 1.0)
    return np.asarray(s**3 * (10.0 - 15.0 * s + 6.0 * s * s))


def _place(pin: Pin, path: Floats) -> Floats:
    """Where the pin wants the point, (frames, 3), in its own frames and carried on beside them."""
    own = path[pin.start : pin.stop]
    wanted = np.broadcast_to(own.mean(axis=0) if pin.position is None else np.asarray(pin.position), own.shape)
    out = np.empty_like(path)
    out[pin.start : pin.stop] = wanted
    if len(own) == 1:
        out[:] = wanted[0] + path - own[0]
        return out
    before, after = np.arange(-pin.start, 0)[:, None], np.arange(1, len(path) - pin.stop + 1)[:, None]
    out[: pin.start] = wanted[0] + before * (wanted[1] - wanted[0])
    out[pin.stop :] = wanted[-1] + after * (wanted[-1] - wanted[-2])
    return out
