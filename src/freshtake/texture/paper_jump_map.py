"""The jump map to the letter, all frames against all (Sattler 2004, eq. 2-8)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.numeric.arrays import Floats, Ints
from freshtake.texture.frame_distance import Weights, ahead, weight_distances
from freshtake.texture.play_kernels import Chances, Numbers
from freshtake.texture.segments import Segments
from freshtake.texture.settings import Settings

MOST_FRAMES = 4000  # a full map of more frames takes hundreds of megabytes


def probabilities(distances: Floats, sigma: float) -> Floats:
    """P_ij ~ exp(-D_{i+1,j} / sigma), rows summing to one (Sattler 2004, eq. 3 and 6).

    `distances` (frames, frames) are those of every frame's successor to every frame.
    """
    nearest = distances.min(axis=1, keepdims=True)
    chances = np.exp(-(distances - nearest) / sigma)
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def combined(positions: Floats, velocities: Floats, q: float = 0.0, velocity_q: float = 0.0) -> Floats:
    """The jump map [q + (1 - q) P][q* + (1 - q*) P*], rows summing to one (Sattler 2004, eq. 7-8).

    Equation 7 is that of q = q* = 0. As printed, q = 1 leaves the velocities alone to decide, although the text says
    the positions.
    """
    product = (q + (1.0 - q) * positions) * (velocity_q + (1.0 - velocity_q) * velocities)
    total = product.sum(axis=1, keepdims=True)
    even = np.full_like(product, 1.0 / product.shape[1])
    return np.asarray(np.where(total > 0.0, product / np.where(total > 0.0, total, 1.0), even))


def successor_distances(weights: Weights, segments: Segments) -> tuple[Floats, Floats]:
    """D_{i+1,j} and D*_{i+1,j}; a take's last frame goes on along a straight line."""
    check_size(segments)
    return (
        weight_distances(ahead(weights.poses, segments), weights.poses),
        weight_distances(ahead(weights.velocities, segments), weights.velocities),
    )


def check_size(segments: Segments) -> None:
    """Refuse more frames than a full map is made of."""
    if segments.frames > MOST_FRAMES:
        raise UsageError(
            f"the paper's full jump map of {segments.frames} frames is too large: use the default method, or at most "
            f"{MOST_FRAMES} frames"
        )


def as_table(chances: Floats, successor: Ints) -> tuple[Numbers, Floats, Floats]:
    """A full map as jumps: targets and chances (frames, frames - 1 or frames), and the chance to go on (frames,)."""
    count = len(chances)
    targets = np.tile(np.arange(count, dtype=np.int32), (count, 1))
    jumping = chances.copy()
    goes = np.flatnonzero(successor >= 0)
    onward = np.zeros(count)
    onward[goes] = chances[goes, successor[goes]]
    jumping[goes, successor[goes]] = 0.0
    return targets, jumping, onward


class Sigmas(NamedTuple):
    """What maps costs to chances: sigma and reluctance in mean frame steps; of the paper's method sigma and sigma*."""

    sigma: float
    velocity: float
    reluctance: float = 0.0


def paper_chances(weights: Weights, segments: Segments, sigmas: Sigmas, settings: Settings) -> Chances:
    """The jump map of eq. 2-8 as printed."""
    positions, velocities = successor_distances(weights, segments)
    full = combined(
        probabilities(positions, sigmas.sigma), probabilities(velocities, sigmas.velocity), settings.q,
        settings.velocity_q,
    )  # fmt: skip
    cells = segments.cells()
    full = np.where(cells[:, None] == cells[None], full, 0.0)
    full /= full.sum(axis=1, keepdims=True)
    targets, chances, onward = as_table(full, segments.successors())
    return Chances(segments.successors(), onward, targets, chances)
