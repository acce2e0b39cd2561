"""Subspace identification, N4SID, from several trials (Hsu 2005, §4.3; Van Overschee and De Moor 1996).

The future outputs are regressed on past inputs, past outputs and future inputs. What the past contributes is the state
seen through the extended observability matrix; its singular values tell the order, its shift structure the poles.
Columns of the Hankel matrices never cross the seam between two trials. B, C and D are fitted afterwards on the
simulation itself (`refit`), because those of the subspace method suffer from short, nearly periodic trials.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.numeric.arrays import Floats

REAL = 1e-9  # imaginary parts below this are none


class Moments(NamedTuple):
    """Summed products of Hankel columns over trials: everything that the subspace method needs of the data."""

    products: Floats  # of the rows past inputs, past outputs, future inputs, future outputs
    columns: int
    inputs: int
    outputs: int
    horizon: int


class Subspace(NamedTuple):
    """Singular values of the weighted projection, and the observability matrix (horizon * outputs, states)."""

    values: Floats
    observability: Floats
    outputs: int


class Poles(NamedTuple):
    """Real poles and complex pairs a ± ib: a (n,), and b (n,), which is 0 for real ones and b, -b for a pair."""

    damping: Floats
    turning: Floats


def moments_of(inputs: Floats, outputs: Floats, horizon: int) -> Moments:
    """Of one trial: rows (frames, inputs) and (frames, outputs)."""
    m, p = inputs.shape[1], outputs.shape[1]
    count = max(len(inputs) - 2 * horizon + 1, 0)
    past_u, future_u = _hankel(inputs, 0, horizon, count), _hankel(inputs, horizon, horizon, count)
    past_y, future_y = _hankel(outputs, 0, horizon, count), _hankel(outputs, horizon, horizon, count)
    rows = np.concatenate([past_u, past_y, future_u, future_y], axis=1)
    return Moments(rows.T @ rows, count, m, p, horizon)


def _hankel(rows: Floats, first: int, horizon: int, count: int) -> Floats:
    """(columns, horizon * width): a window of rows per column."""
    if count == 0:
        return np.zeros((0, horizon * rows.shape[1]))
    windows = [rows[first + k : first + k + count] for k in range(horizon)]
    return np.concatenate(windows, axis=1)


def added(parts: Sequence[Moments]) -> Moments:
    """Moments of several trials together."""
    total = np.sum([part.products for part in parts], axis=0)
    return parts[0]._replace(products=total, columns=sum(part.columns for part in parts))


def subspace(moments: Moments, ridge: float) -> Subspace:
    """The oblique projection of the future outputs along the future inputs on the past, decomposed."""
    i, m, p = moments.horizon, moments.inputs, moments.outputs
    past, known = i * (m + p), i * (2 * m + p)
    g = moments.products / max(moments.columns, 1)
    damp = ridge * np.trace(g[:known, :known]) / known
    weights = np.linalg.solve(g[:known, :known] + damp * np.eye(known), g[:known, known:]).T  # [L_w, L_u]
    part = weights[:, :past]
    values, vectors = np.linalg.eigh(part @ g[:past, :past] @ part.T)
    order = np.argsort(values)[::-1]
    strength = np.sqrt(np.maximum(values[order], 0.0))
    return Subspace(strength, vectors[:, order] * np.sqrt(strength), p)


def poles_of(found: Subspace, order: int, radius: float) -> Poles:
    """The poles of the leading `order` states, none larger than `radius`: the system is stable, always."""
    gamma, p = found.observability[:, :order], found.outputs
    matrix = np.linalg.lstsq(gamma[:-p], gamma[p:], rcond=1e-9)[0]
    return stable(np.linalg.eigvals(matrix), radius)


def stable(poles: npt.NDArray[Any], radius: float) -> Poles:
    """Poles that are too large (or not finite) are drawn in to `radius`, at the same frequency."""
    finite = np.where(np.isfinite(poles), poles, 0.0)
    size = np.abs(finite)
    inside = np.where(size > radius, finite * (radius / np.maximum(size, 1e-300)), finite)
    damping: list[float] = []
    turning: list[float] = []
    for pole in sorted(inside, key=lambda z: (-abs(z), z.real)):
        if abs(pole.imag) <= REAL:
            damping.append(float(pole.real))
            turning.append(0.0)
        elif pole.imag > 0.0:
            damping += [float(pole.real)] * 2
            turning += [float(pole.imag), -float(pole.imag)]
    return Poles(np.array(damping), np.array(turning))


def orders_worth_trying(found: Subspace, most: int) -> list[int]:
    """1 to `most`, without those whose singular value is less than a thousandth of the first one."""
    worth = int(np.sum(found.values > 1e-3 * found.values[0])) if found.values[0] > 0.0 else 1
    return list(range(1, max(1, min(most, worth)) + 1))
