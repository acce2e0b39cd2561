"""Measure whether parts of the body still move together: correlations of DOFs, kept or lost.

Lau 2009, §8: noise on the left arm does not fit the rest of a walk, because someone who swings one arm higher is likely
to swing the other one higher too. Speeds of DOFs are correlated over a clip; the figure is the difference of these
correlations from the inputs', shown next to a real take's.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.evaluation.tracks import Gallery, Part, Parts, Track
from freshtake.motion.body.roles import SIDE
from freshtake.numeric.arrays import Bools, Floats

TRAVEL = ("root.sideways", "root.forward", "root.turning")


class Correlations(NamedTuple):
    """Correlations of all pairs of DOFs (DOFs, DOFs), and how far each DOF moves the body (root mean square)."""

    matrix: Floats
    strength: Floats


def measure(gallery: Gallery, track: Track) -> Parts:
    """Return the difference of speeds' correlations from the inputs': over all pairs, and between left and right."""
    if not gallery.layout.has_body:
        return {}
    parts: Parts = {}
    sides = left_and_right(gallery.layout.dofs)
    for key, pairs in (("coordination", np.ones_like(sides)), ("coordination_sides", sides)):
        value = difference(gallery, track, pairs)
        if np.isfinite(value):
            parts[key] = Part(value)
    return parts


def difference(gallery: Gallery, track: Track, pairs: Bools) -> float:
    """Return the RMS difference of correlations from the inputs', weighted by how far both DOFs move the body."""
    reference = correlations(np.concatenate(gallery.of_inputs(speeds)))
    weights = _weights(gallery, reference.strength) * pairs
    track_correlations = correlations(speeds(gallery, track))
    total = float(weights.sum())
    return (
        float(np.sqrt((weights * (track_correlations.matrix - reference.matrix) ** 2).sum() / total))
        if total > 0
        else float("nan")
    )


def correlations(rows: Floats) -> Correlations:
    """Return the correlations between the columns of rows; 0 if either column does not move."""
    centered = rows - rows.mean(axis=0)
    strength = np.sqrt((centered**2).mean(axis=0))
    # A DOF that does not move has no correlations.
    moving = strength > 1e-9
    units = centered / np.where(moving, strength, np.inf)
    return Correlations(units.T @ units / len(rows), np.where(moving, strength, 0.0))


def speeds(gallery: Gallery, track: Track) -> Floats:
    """Return speeds (frames, DOFs) per second, weighted by how far each DOF moves the body."""
    return np.asarray(np.gradient(track.dofs * gallery.layout.scales, track.frame_time, axis=0))


def left_and_right(names: Sequence[str]) -> Bools:
    """Return flags (DOFs, DOFs) of the pairs with one DOF on the left and one on the right."""
    left, right = (
        np.array([SIDE[side].search(name) is not None for name in names], dtype=np.bool_) for side in ("left", "right")
    )
    return np.asarray((left[:, None] & right) | (right[:, None] & left))


def _weights(gallery: Gallery, strength: Floats) -> Floats:
    """Return the weights of pairs of different DOFs; travel is left out."""
    bodily = np.array([name not in TRAVEL for name in gallery.layout.dofs], dtype=np.bool_)
    weights = np.outer(strength * bodily, strength * bodily)
    np.fill_diagonal(weights, 0.0)
    return np.asarray(weights)
