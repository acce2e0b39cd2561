"""Ridge regression on a delay line (a finite impulse response): y[t] = sum_k H[k] u[t - k stride] + c."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats


class DelayProducts(NamedTuple):
    """Sums over frames: delayed inputs times themselves (k, k), times outputs (k, p), outputs squared (p,)."""

    signals: Floats
    outputs: Floats
    squares: Floats
    frames: int


def delayed(rows: Floats, past: int, taps: int, stride: int) -> Floats:
    """(frames, taps * inputs + 1): the inputs at every delay, then one; the first `past` rows only lead up."""
    frames = len(rows) - past
    parts = [rows[past - k * stride : past - k * stride + frames] for k in range(taps)]
    return np.concatenate([*parts, np.ones((frames, 1))], axis=1)


def products_of(inputs: Floats, outputs: Floats, past: int, taps: int, stride: int) -> DelayProducts:
    """Of one trial."""
    signals = delayed(inputs, past, taps, stride)
    return DelayProducts(signals.T @ signals, signals.T @ outputs, (outputs**2).sum(axis=0), len(outputs))


def added(parts: Sequence[DelayProducts]) -> DelayProducts:
    """Products of several trials together."""
    signals, outputs, squares, frames = zip(*parts, strict=True)
    return DelayProducts(np.sum(signals, axis=0), np.sum(outputs, axis=0), np.sum(squares, axis=0), sum(frames))


def steadied(products: DelayProducts, inputs: int, amount: float | Floats, goal: Floats | None = None) -> DelayProducts:
    """With a pull on what constant inputs lead to: `amount` times as many frames of them, whose output is `goal`.

    `amount` is one number, or one for each input; `goal` (inputs, outputs) is zero unless given.
    """
    taps = (len(products.signals) - 1) // inputs
    response = np.concatenate([np.tile(np.eye(inputs), (taps, 1)), np.zeros((1, inputs))])
    pull = products.frames * (amount * response)
    outputs = products.outputs if goal is None else products.outputs + pull @ goal
    return products._replace(signals=products.signals + pull @ response.T, outputs=outputs)


def fit(products: DelayProducts, ridge: float) -> Floats:
    """Weights (k, p) by ridge regression; the constant is free."""
    damp = np.full(len(products.signals), ridge * products.frames)
    damp[-1] = 1e-9 * products.frames
    return np.asarray(np.linalg.solve(products.signals + np.diag(damp), products.outputs))


def error(weights: Floats, products: DelayProducts) -> Floats:
    """Squared errors (p,), summed over the frames behind the products."""
    cross = np.einsum("ko,ko->o", weights, products.outputs)
    return np.asarray(products.squares - 2.0 * cross + np.einsum("ko,kl,lo->o", weights, products.signals, weights))


def shaped(weights: Floats, taps: int, inputs: int) -> tuple[Floats, Floats]:
    """Taps (taps, inputs, outputs) and the offset (outputs,)."""
    return weights[:-1].reshape(taps, inputs, -1), weights[-1]
