"""Rebuild a dropped take from its stored numbers: a time-warped mixture of kept takes (Lau 2009, §10).

At every phase, node by node: x = m + o + sum_l w_l (x_l - m), where x_l are the kept takes, m is their mean, and
offsets o and shares w are straight lines between a few knots. At level 0 all nodes have the same constant shares and no
offsets. The warp is straight lines between a few knots as well.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats
from freshtake.numeric.dtw import warp_path
from freshtake.variation.examples import rounded
from freshtake.variation.phase import ALIGNMENT, align, read_at

LEVELS = (0, 1, 2, 4, 8)  # knots of the shares
WARP_KNOTS = 8
RIDGE = 1e-3
ROUNDS = 2


class KeptTakes(NamedTuple):
    """Rows of the kept takes, their common phase (phases, takes), and the weights of the DOFs."""

    values: tuple[Floats, ...]
    phase_frames: Floats
    weights: Floats

    def at(self, phases: Floats) -> Floats:
        """Return (kept takes, frames, DOFs): every kept take at these phases."""
        grid = np.arange(len(self.phase_frames), dtype=np.float64)
        columns = zip(self.values, self.phase_frames.T, strict=True)
        return np.stack([read_at(x, np.interp(phases, grid, place)) for x, place in columns])


class Rebuild(NamedTuple):
    """All that is stored of a dropped take: its frames, its warp (8,) and its shares, see the module.

    `shares` are (1, kept) at level 0, else (knots, kept, DOFs): offsets first, then the shares of all but the last.
    """

    frames: int
    level: int
    warp: Floats
    shares: Floats

    @property
    def numbers(self) -> int:
        """Return how many numbers have to be stored."""
        return 2 + self.warp.size + self.shares.size


def kept_takes(values: tuple[Floats, ...], weights: Floats, frame_time: float) -> KeptTakes:
    """Kept takes on their common phase."""
    return KeptTakes(values, align(values, weights, ALIGNMENT / frame_time), weights)


def phases_of(warp: Floats, frames: int, last: float) -> Floats:
    """Return the phase of every frame: a straight line from 0 to the last one, bent by the knots, never decreasing."""
    at = np.linspace(0.0, 1.0, len(warp) + 2)
    bent = np.interp(np.linspace(0.0, 1.0, frames), at, np.concatenate([[0.0], warp, [0.0]]))
    out: Floats = np.maximum.accumulate(np.clip(np.linspace(0.0, last, frames) + bent, 0.0, last))
    return out


def fit_warp(rows: Floats, like: Floats, weights: Floats) -> Floats:
    """Knots (8,) of the warp that aligns `like` (phases, DOFs) with the rows: least squares along the DTW path."""
    path, _ = warp_path(rows * weights, like * weights)
    frames, last = len(rows), len(like) - 1.0
    share = path[:, 0] / (frames - 1.0)
    shift = path[:, 1] - share * last
    hats = _hats(share, WARP_KNOTS + 2)[:, 1:-1]
    knots = np.linalg.solve(hats.T @ hats + 1e-2 * len(path) / WARP_KNOTS * np.eye(WARP_KNOTS), hats.T @ shift)
    return rounded(knots)


def fit(rows: Floats, kept: KeptTakes, level: int) -> Rebuild:
    """Fit the kept takes to these rows: shares and warp in turn; return the best result."""
    grid = np.arange(len(kept.phase_frames), dtype=np.float64)
    whole = kept.at(grid)
    warp = np.zeros(WARP_KNOTS)
    candidates = []
    for turn in range(ROUNDS + 2):
        sources = kept.at(phases_of(warp, len(rows), grid[-1]))
        shares = _common_shares(rows, sources, kept.weights) if level == 0 else _node_shares(rows, sources, level)
        numbers = Rebuild(len(rows), level, warp, rounded(shares))
        off = float((((mixture(sources, numbers) - rows) * kept.weights) ** 2).sum())
        candidates.append((off, numbers))
        like = whole.mean(axis=0) if turn == 0 else mixture(whole, numbers)
        warp = fit_warp(rows, like, kept.weights)
    return min(candidates, key=lambda pair: pair[0])[1]


def rebuilt(kept: KeptTakes, numbers: Rebuild) -> Floats:
    """Return the rebuilt rows (frames, DOFs) of the take."""
    return mixture(kept.at(phases_of(numbers.warp, numbers.frames, len(kept.phase_frames) - 1.0)), numbers)


def mixture(sources: Floats, numbers: Rebuild) -> Floats:
    """Return kept takes (kept, frames, DOFs) mixed by shares."""
    if numbers.level == 0:
        return np.tensordot(numbers.shares[0], sources, axes=1)
    hats = _hats(np.linspace(0.0, 1.0, sources.shape[1]), numbers.level)
    drawn = np.einsum("tj,jkd->ktd", hats, numbers.shares)
    middle = sources.mean(axis=0)
    return np.asarray(middle + drawn[0] + (drawn[1:] * (sources[:-1] - middle)).sum(axis=0))


def _hats(share: Floats, knots: int) -> Floats:
    """(places, knots): straight lines between knots at even distances; one knot is a constant."""
    if knots == 1:
        return np.ones((len(share), 1))
    at = np.linspace(0.0, 1.0, knots)
    return np.stack([np.interp(share, at, row) for row in np.eye(knots)], axis=1)


def _common_shares(rows: Floats, sources: Floats, weights: Floats) -> Floats:
    """Return one share per kept take, summing to 1, by least squares over all nodes: (1, kept)."""
    differences = ((sources[:-1] - sources[-1]) * weights).reshape(len(sources) - 1, -1)
    wanted = ((rows - sources[-1]) * weights).ravel()
    gram = differences @ differences.T
    even = np.full(len(differences), 1.0 / len(sources))
    ridge = RIDGE * max(float(np.trace(gram)) / len(gram), 1e-300) * np.eye(len(gram))
    shares = np.linalg.solve(gram + ridge, differences @ wanted + ridge @ even)
    return np.append(shares, 1.0 - shares.sum())[None]


def _node_shares(rows: Floats, sources: Floats, knots: int) -> Floats:
    """Offsets and shares of every node by least squares, pulled slightly towards the mean: (knots, kept, DOFs)."""
    count, frames, dofs = sources.shape
    middle = sources.mean(axis=0)
    hats = _hats(np.linspace(0.0, 1.0, frames), knots)
    terms = np.concatenate([np.ones((1, frames, dofs)), sources[:-1] - middle])
    design = np.einsum("tj,ktd->dtjk", hats, terms).reshape(dofs, frames, knots * count)
    gram = np.einsum("dta,dtb->dab", design, design)
    scale = np.maximum(np.einsum("daa->da", gram), 1e-12)
    gram = gram + RIDGE * scale[:, None] * np.eye(knots * count)
    solution = np.linalg.solve(gram, np.einsum("dta,td->da", design, rows - middle)[..., None])[..., 0]
    return np.moveaxis(solution.reshape(dofs, knots, count), 0, 2)
