"""Bilinear factors of a table: y(s, c) = sum over i, j of w(i, j) a_i(s) b_j(c) (Tenenbaum and Freeman 2000)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.numeric.arrays import Floats


class Factors(NamedTuple):
    """Style coordinates (styles, I), content coordinates (contents, J) and the core (I, J, numbers)."""

    styles: Floats
    contents: Floats
    core: Floats


def factorize(table: Floats, ranks: tuple[int, int] | None = None, rounds: int = 30) -> Factors:
    """The best factors of given ranks for a table (styles, contents, numbers), by alternating singular vectors.

    The coordinates are orthonormal. With full ranks the table is represented exactly, after one round.
    """
    full = table.shape[0], table.shape[1]
    first, second = full if ranks is None else ranks
    if not (1 <= first <= full[0] and 1 <= second <= full[1]):
        raise UsageError(f"ranks {ranks} do not lie between (1, 1) and {full}")
    contents = _leading(np.swapaxes(table, 0, 1), second)
    styles = _leading(table, first)
    for _ in range(rounds if (first, second) != full else 0):
        styles = _leading(np.einsum("sck,cj->sjk", table, contents), first)
        contents = _leading(np.einsum("sck,si->cik", table, styles), second)
    core = np.einsum("sck,si,cj->ijk", table, styles, contents)
    return Factors(*(np.ascontiguousarray(part) for part in (styles, contents, core)))  # as a file gives them back


def _leading(table: Floats, rank: int) -> Floats:
    """The leading left singular vectors (rows, rank) of the table laid flat along its first axis."""
    flat = table.reshape(len(table), -1)
    values, vectors = np.linalg.eigh(flat @ flat.T)
    return np.asarray(vectors[:, np.argsort(-values)[:rank]])


def mix(factors: Factors, style: Floats, content: Floats) -> Floats:
    """The vector at coordinates (I,) and (J,)."""
    out: Floats = np.einsum("ijk,i,j->k", factors.core, style, content)
    return out


def spread_weights(wanted: Mapping[str | float, float], levels: Sequence[str | float], what: str) -> Floats:
    """Named weights as an array over all levels; they must sum to 1."""
    out = np.zeros(len(levels))
    for level, weight in wanted.items():
        if level not in levels:
            raise UsageError(f"{level!r} is no {what} of this model: it has {', '.join(map(str, levels))}")
        out[list(levels).index(level)] = weight
    if not (np.isfinite(out).all() and abs(out.sum() - 1.0) < 1e-6):
        raise UsageError(f"the weights of a {what} must sum to 1, but they sum to {out.sum():g}")
    return out
