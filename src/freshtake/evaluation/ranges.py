"""DOFs beyond what the inputs reach, and how their distributions differ from the inputs'."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.evaluation.gallery import Gallery, Part, Parts
from freshtake.evaluation.tracks import Track
from freshtake.numeric.arrays import Floats

MARGIN = 0.05  # of the inputs' range, to either side
STILL = 1e-6  # what a DOF that the inputs do not move may move
QUANTILES = 200


class Range(NamedTuple):
    """Per DOF the lowest and highest value allowed, the inputs' spread and their quantiles."""

    low: Floats
    high: Floats
    spread: Floats
    quantiles: Floats


class DofFigures(NamedTuple):
    """One DOF: Wasserstein-1 distance to the inputs in their standard deviations, share of frames out of range."""

    name: str
    distance: float
    overshoot: float


def measure(gallery: Gallery, track: Track) -> Parts:
    """Share of frames x DOFs out of range, and the mean distribution distance over the DOFs that matter."""
    if track.dofs.shape[1] == 0:
        return {}
    known = gallery.once(input_range)
    beyond = (track.dofs < known.low) | (track.dofs > known.high)
    weights = gallery.layout.scales * known.spread
    parts = {"overshoot": Part(float(beyond.mean()), len(track))}
    if weights.sum() > 0:
        parts["dof_distance"] = Part(float(np.average(wasserstein(known, track.dofs), weights=weights)))
    return parts


def input_range(gallery: Gallery) -> Range:
    """What the inputs reach, widened by the margin."""
    rows = np.concatenate([track.dofs for track in gallery.inputs])
    low, high = rows.min(axis=0), rows.max(axis=0)
    slack = np.maximum(MARGIN * (high - low), STILL)
    return Range(low - slack, high + slack, rows.std(axis=0), quantiles(rows))


def quantiles(rows: Floats) -> Floats:
    """(quantiles, DOFs) at evenly spaced probabilities."""
    return np.asarray(np.quantile(rows, (np.arange(QUANTILES) + 0.5) / QUANTILES, axis=0))


def wasserstein(known: Range, rows: Floats) -> Floats:
    """Per DOF the mean distance between equal quantiles (Wasserstein-1) in the inputs' standard deviations."""
    distance = np.abs(quantiles(rows) - known.quantiles).mean(axis=0)
    return np.asarray(distance / np.maximum(known.spread, STILL))


def dof_table(gallery: Gallery, tracks: Sequence[Track]) -> list[DofFigures]:
    """Every DOF with the figures of all tracks together, those that move the body most first."""
    known = gallery.once(input_range)
    rows = np.concatenate([track.dofs for track in tracks])
    distance = wasserstein(known, rows)
    beyond = ((rows < known.low) | (rows > known.high)).mean(axis=0)
    order = np.argsort(-gallery.layout.scales * known.spread, kind="stable")
    return [DofFigures(gallery.layout.dofs[k], float(distance[k]), float(beyond[k])) for k in order]
