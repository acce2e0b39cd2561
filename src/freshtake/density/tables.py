"""What the default synthesis reads, from a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from freshtake.density.jumps import Track
from freshtake.density.search import block_index
from freshtake.numeric.arrays import Ints

if TYPE_CHECKING:
    from freshtake.density.model import DensityModel

STRETCH = 16  # kernels whose visits are counted together


def track_of(model: DensityModel) -> Track:
    """The kernels in the order of synthesis, with their search index."""
    extra = model.residuals if model.turning is None else model.turning.columns
    rows = np.concatenate([model.weights, model.rates, extra], axis=1)
    stops = model.run_stops
    lengths = np.diff(np.concatenate([[0], stops]))
    firsts, lasts = np.repeat(stops - lengths, lengths), np.repeat(stops - 1, lengths)
    arrivals = np.roll(model.speeds, 1, axis=0)  # the step that led to a kernel, as a synthesis knows its own
    arrivals[stops - lengths] = model.speeds[stops - lengths]
    d = model.modes
    scale = 1.0 / model.widths
    scale[d:] *= np.sqrt(model.settings.velocity_weight)
    places = np.concatenate([model.weights, arrivals], axis=1) * scale
    index = block_index(places, model.owners, model.allowed)
    blocks = _stretches(lengths)
    return Track(
        np.ascontiguousarray(rows), d, min(model.rates.shape[1], 3), model.owners, firsts, lasts, stops - lengths,
        index, scale, model.limits[:, 0].copy(), model.limits[:, 1].copy(), blocks,
        np.bincount(blocks).astype(np.float64),
        np.bincount(model.owners).astype(np.float64), model.limits[:, 2].copy(), np.array(model.cyclic),
    )  # fmt: skip


def _stretches(lengths: Ints) -> Ints:
    """The number of a stretch of at most STRETCH kernels for every kernel (kernels,), run by run."""
    out, first = [], 0
    for length in lengths.tolist():
        own = np.arange(length) // STRETCH
        out.append(first + own)
        first += int(own[-1]) + 1
    return np.concatenate(out)
