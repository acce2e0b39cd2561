"""The examples laid on their common phase: smooth courses of all nodes, and the detail that rides on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.ndimage import gaussian_filter1d

from freshtake.numeric.arrays import Bools, Floats
from freshtake.variation.alignment import read_at
from freshtake.variation.material import RATE_HORIZON, Material

TEMPO = "tempo"  # a hidden node: logarithm of the pace
TRAVEL = "travel"  # hidden nodes, one for every speed: its mean over the take
KINK = 0.02  # share of a cycle over which a kink at its seam is smoothed
SEAM = 0.2  # share of a cycle to either side of its seam over which the ends are brought together
STILL = 0.02  # weight of phases at which nothing moves, when paces are smoothed: there a warp means little
SLOWEST, FASTEST = 0.4, 2.5  # of the mean's pace, see alignment


class Courses(NamedTuple):
    """Examples at equal phases; a cycle's last phase is its first one again.

    The nodes are the DOFs, then the travel of every speed, and last the tempo: the logarithm of how many frames a phase
    takes. A speed is split into its travel, the mean over the take, per phase so that the way covered does not depend
    on the pace, and what that leaves summed up from phase to phase: where the body is, against a steady course. Only
    so do feet, hips and legs vary together: feet that stand tie places to one another, not speeds.
    """

    smooth: Floats  # (examples, phases, nodes)
    detail: Floats  # (examples, phases, DOFs)
    cyclic: bool

    @property
    def mean(self) -> Floats:
        """(phases, nodes)."""
        return np.asarray(self.smooth.mean(axis=0))


def closed(example: Floats) -> Floats:
    """One cycle without its last frame, bent round the seam so that it meets its beginning, the kink there smoothed.

    Slopes are not brought together: that would move standing feet more than the kink is worth.
    """
    period = len(example) - 1
    reach = max(2, round(SEAM * period))
    gap = example[-1] - example[0]
    u = np.arange(reach) / reach
    ramp = (1.0 - u) ** 3 * (1.0 + 3.0 * u + 6.0 * u**2)  # 1 with flat ends, to 0 with flat ends
    out = example[:period].copy()
    out[:reach] += 0.5 * ramp[:, None] * gap
    out[period - np.arange(1, reach)] -= 0.5 * ramp[1:, None] * gap
    frames = np.arange(period)
    near = np.maximum(1.0 - (np.minimum(frames, period - frames) / (4.0 * KINK * period)) ** 2, 0.0)[:, None] ** 2
    return np.asarray(out + near * (smoothed(out, KINK * period, True) - out))


def smoothed(x: Floats, frames: float, cyclic: bool) -> Floats:
    """Rows smoothed by a Gaussian of this standard deviation in frames."""
    if frames <= 0:
        return x
    return np.asarray(gaussian_filter1d(x, frames, axis=0, mode="wrap" if cyclic else "nearest"))


def courses_of(material: Material, places: Floats, *, detail_frames: float, cyclic: bool) -> Courses:
    """Split every example into a smooth part and detail, and read both at the common phases."""
    rows = [closed(x) if cyclic else x for x in material.values]
    low = [smoothed(x, detail_frames, cyclic) for x in rows]
    fine = [x - y for x, y in zip(rows, low, strict=True)]
    pace = paces(places, cyclic)
    smooth, detail = (at_phases(parts, places, pace, material.rates, cyclic) for parts in (low, fine))
    tempo = _tempo(pace, smooth.mean(axis=0) * material.weights, 4.0 * detail_frames, cyclic)
    travel, away = steady_and_away(smooth[:, :, material.rates], cyclic)
    smooth[:, :, material.rates] = away
    return Courses(np.concatenate([smooth, travel, tempo[..., None]], axis=2), detail, cyclic)


def node_names(names: Sequence[str], speeds: Bools) -> tuple[str, ...]:
    """DOFs, travel of the speeds, tempo."""
    return (*names, *(f"{name} {TRAVEL}" for name, speed in zip(names, speeds, strict=True) if speed), TEMPO)


def node_weights(material: Material, phases: int) -> Floats:
    """How far one unit of every node moves the body: places by so much, travel over a quarter of a take, tempo not."""
    place = material.weights * np.where(material.rates, material.frame_time / RATE_HORIZON, 1.0)
    return np.concatenate([place, place[material.rates] * phases / 4.0, [0.0]])


def steady_and_away(speeds: Floats, cyclic: bool) -> tuple[Floats, Floats]:
    """Speeds per phase (examples, phases, speeds) as means over each take, and the sums of what is left, around 0."""
    last = -1 if cyclic else None
    steady = np.broadcast_to(speeds[:, :last].mean(axis=1, keepdims=True), speeds.shape)
    left = speeds - steady
    steps = 0.5 * (left[:, 1:] + left[:, :-1])
    away = np.concatenate([np.zeros_like(left[:, :1]), np.cumsum(steps, axis=1)], axis=1)
    return np.asarray(steady), np.asarray(away - away[:, :last].mean(axis=1, keepdims=True))


def paces(places: Floats, cyclic: bool) -> Floats:
    """Frames that each example takes for a phase, (phases, examples)."""
    steps = np.diff(places, axis=0)
    before = np.concatenate([steps[-1:] if cyclic else steps[:1], steps])
    after = np.concatenate([steps, steps[:1] if cyclic else steps[-1:]])
    return np.asarray(0.5 * (before + after))


def at_phases(rows: Sequence[Floats], places: Floats, pace: Floats, speeds: Bools, cyclic: bool) -> Floats:
    """Examples at common phases, (examples, phases, DOFs), speeds per phase; cycles are followed by their beginning."""
    whole = [np.concatenate([x, x[:1]]) if cyclic else x for x in rows]
    out = np.stack([read_at(x, places[:, k]) for k, x in enumerate(whole)])
    out[:, :, speeds] *= pace.T[:, :, None]
    return out


def _tempo(pace: Floats, mean: Floats, frames: float, cyclic: bool) -> Floats:
    """Logarithm of the pace (examples, phases), smoothed by its neighbours, those that move most counting most."""
    moving = (np.gradient(mean, axis=0) ** 2).sum(axis=1)
    weight = moving / max(float(moving.mean()), 1e-300) + STILL
    logarithm = np.log(np.clip(pace, SLOWEST, FASTEST))
    if frames <= 0:
        return np.asarray(logarithm.T)
    last = -1 if cyclic else None  # the last phase of a cycle is its first
    above = smoothed(weight[:last, None] * logarithm[:last], frames, cyclic)
    out = above / smoothed(weight[:last, None], frames, cyclic)
    return np.asarray(np.concatenate([out, out[:1]]).T if cyclic else out.T)
