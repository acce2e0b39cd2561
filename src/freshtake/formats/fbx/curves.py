"""Curves of an FBX take: keys over time, held, straight or by their slopes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.formats.fbx.objects import Scene
from freshtake.formats.fbx.parsing import Entry
from freshtake.formats.fbx.scene import SECOND
from freshtake.numeric.arrays import Floats, Ints

_CONSTANT, _CUBIC = 2, 8
_AXES = ("d|X", "d|Y", "d|Z")


class Curve(NamedTuple):
    """Times in seconds, values, laws and slopes (right of a key, left of the next) of all keys."""

    times: Floats
    values: Floats
    laws: Ints
    slopes: Floats

    def at(self, times: Floats) -> Floats:
        """Values at other times; the first and last key hold beyond them."""
        if len(self.times) == 1:
            return np.full(len(times), self.values[0])
        k = np.clip(np.searchsorted(self.times, times, side="right") - 1, 0, len(self.times) - 2)
        span = self.times[k + 1] - self.times[k]
        share = np.clip((times - self.times[k]) / span, 0.0, 1.0)
        first, last = self.values[k], self.values[k + 1]
        out = first + share * (last - first)
        smooth = (self.laws[k] & _CUBIC) > 0
        if smooth.any():
            a, b = self.slopes[k, 0] * span, self.slopes[k, 1] * span
            t, u = share, 1.0 - share
            curve = first * (1 + 2 * t) * u * u + a * t * u * u + last * t * t * (3 - 2 * t) - b * t * t * u
            out = np.where(smooth, curve, out)
        held = ((self.laws[k] & _CONSTANT) > 0) & (share < 1.0)
        return np.where(held, first, out)


def read_curve(scene: Scene, number: int) -> Curve | None:
    """A curve, None where it has no keys; keys must be as many as values and increase in time."""
    entry = scene.objects[number]
    times, values = _numbers(entry, "KeyTime"), _numbers(entry, "KeyValueFloat")
    if not len(times) or not len(values):
        return None
    if len(times) != len(values) or not np.isfinite(values).all() or (np.diff(times) <= 0).any():
        raise scene.fail(f"a curve has {len(times)} times and {len(values)} values that do not fit", f"curve {number}")
    laws, slopes = _laws(entry, len(times))
    return Curve(times / SECOND, values, laws, slopes)


def _numbers(entry: Entry, name: str) -> Floats:
    child = entry.one(name)
    values = child.values[0] if child is not None and child.values else None
    return values.astype(np.float64) if isinstance(values, np.ndarray) else np.zeros(0)


def _laws(entry: Entry, count: int) -> tuple[Ints, Floats]:
    """Flags and slopes of each key; what is not said is straight."""
    flags = _numbers(entry, "KeyAttrFlags").astype(np.int64)
    data = _numbers(entry, "KeyAttrDataFloat")
    repeats = _numbers(entry, "KeyAttrRefCount").astype(np.int64)
    straight = np.full(count, 4, dtype=np.intp), np.zeros((count, 2))
    shared = len(flags)
    fits = shared and len(repeats) == shared and len(data) == 4 * shared
    if not fits or repeats.min() < 0 or repeats.max() > count or repeats.sum() != count:
        return straight
    slopes = np.nan_to_num(data.reshape(shared, 4)[:, :2], posinf=0.0, neginf=0.0)
    return np.repeat(flags, repeats).astype(np.intp), np.repeat(slopes, repeats, axis=0)


def take_curves(scene: Scene, stack: int) -> dict[tuple[int, str, int], Curve]:
    """The curves of a take by model, property and axis; of several layers the first that moves something counts."""
    out: dict[tuple[int, str, int], Curve] = {}
    for layer in scene.below_of_kind(stack, "AnimationLayer"):
        for holder in scene.below_of_kind(layer.number, "AnimationCurveNode"):
            for model, role in scene.above[holder.number]:
                if not role or model not in scene.objects:
                    continue
                for curve, axis in scene.below_of_kind(holder.number, "AnimationCurve"):
                    if axis in _AXES and (model, role, _AXES.index(axis)) not in out:
                        values = read_curve(scene, curve)
                        if values is not None:
                            out[model, role, _AXES.index(axis)] = values
    return out
