"""Delay lines: outputs from the last rows of the input; and a past before the first frame (Hsu 2005, §4.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import compiled
from freshtake.style.systems.state_kernels import CHUNK, add_scaled

LOOK = 0.25  # seconds of the beginning that must recur for the motion to count as repeating
LIKE = 0.35  # mean squared difference, in variances, up to which they count as recurring
SHORTEST = 0.4  # seconds, of a period


class Delays(NamedTuple):
    """A bank of delay lines, packed; taps as (outputs, taps, inputs) per block."""

    inputs: Ints
    input_starts: Ints
    outputs: Ints
    output_starts: Ints
    taps: Floats
    offsets: Floats
    counts: Ints
    stride: int
    width: int
    memory: int
    seen: Ints  # how many frames back a classifier looks


@compiled
def see_delays(state: Floats, rows: Floats, bank: Delays, out: Floats) -> None:
    """Write the inputs (frames, places x inputs) at a few places of the delay line, for every row after a state."""
    width, memory = bank.width, bank.memory
    first = int(state[len(state) - 1])  # the oldest row of the ring
    for t in range(len(rows)):
        for place in range(len(bank.seen)):
            at = t - bank.seen[place]
            ring = ((first + memory + at) % memory) * width
            for k in range(width):
                out[t, place * width + k] = rows[at, k] if at >= 0 else state[ring + k]


@compiled
def run_delays(state: Floats, rows: Floats, out: Floats, bank: Delays) -> None:
    """Advance a ring of past inputs (in place) and write y[t] = sum_k H[k] u[t - k stride] + c."""
    frames, width, memory = rows.shape[0], bank.width, bank.memory
    if frames == 1:
        _one_delays(state, rows[0], out[0], bank)
        return
    # The ring is unrolled before the chunk: a tap's inputs then lie side by side, and its sum runs as a vector.
    chunk = min(frames, CHUNK)
    u, y = np.empty((width, memory - 1 + chunk)), np.empty(chunk)
    for begin in range(0, frames, max(chunk, 1)):
        length = min(chunk, frames - begin)
        _history(state, rows, u, begin, length, memory)
        at = 0
        for block in range(len(bank.counts)):
            i0, m = bank.input_starts[block], bank.input_starts[block + 1] - bank.input_starts[block]
            o0, p = bank.output_starts[block], bank.output_starts[block + 1] - bank.output_starts[block]
            for o in range(p):
                y[:length] = 0.0
                for k in range(bank.counts[block]):
                    back = memory - 1 - k * bank.stride
                    for j in range(m):
                        add_scaled(y, u[bank.inputs[i0 + j], back:], bank.taps[at], length)
                        at += 1
                column, offset = bank.outputs[o0 + o], bank.offsets[o0 + o]
                for t in range(length):
                    out[begin + t, column] = y[t] + offset


@compiled
def _one_delays(state: Floats, u: Floats, out: Floats, bank: Delays) -> None:
    """Advance by a single frame, summed in the same order."""
    width, memory = bank.width, bank.memory
    newest = int(state[len(state) - 1])
    for j in range(width):
        state[newest * width + j] = u[j]
    at = 0
    for block in range(len(bank.counts)):
        m = bank.input_starts[block + 1] - bank.input_starts[block]
        p = bank.output_starts[block + 1] - bank.output_starts[block]
        taps = bank.taps[at : at + p * bank.counts[block] * m]
        if m == 3 and p == 3:
            _three_by_three(state, out, taps, bank, block, newest)
        else:
            _any_by_any(state, out, taps, bank, block, newest)
        at += len(taps)
    state[len(state) - 1] = newest + 1 if newest + 1 < memory else 0


@compiled
def _any_by_any(state: Floats, out: Floats, taps: Floats, bank: Delays, block: int, newest: int) -> None:
    """Write the outputs of a block."""
    i0, m = bank.input_starts[block], bank.input_starts[block + 1] - bank.input_starts[block]
    at = 0
    for o in range(bank.output_starts[block], bank.output_starts[block + 1]):
        total, place = 0.0, newest
        for _ in range(bank.counts[block]):
            base = place * bank.width
            for j in range(m):
                total += taps[at] * state[base + bank.inputs[i0 + j]]
                at += 1
            place = place - bank.stride if place >= bank.stride else place - bank.stride + bank.memory
        out[bank.outputs[o]] = total + bank.offsets[o]


@compiled
def _three_by_three(state: Floats, out: Floats, taps: Floats, bank: Delays, block: int, place: int) -> None:
    """Write the outputs of the most common block, almost three times as fast: its sums are independent."""
    i0, o0, size = bank.input_starts[block], bank.output_starts[block], len(taps) // 3
    a, b, c = bank.inputs[i0], bank.inputs[i0 + 1], bank.inputs[i0 + 2]
    first, second, third = taps[:size], taps[size : 2 * size], taps[2 * size :]
    x = y = z = 0.0
    for k in range(0, size, 3):
        base = place * bank.width
        one, two, three = state[base + a], state[base + b], state[base + c]
        x = x + first[k] * one + first[k + 1] * two + first[k + 2] * three
        y = y + second[k] * one + second[k + 1] * two + second[k + 2] * three
        z = z + third[k] * one + third[k + 1] * two + third[k + 2] * three
        place = place - bank.stride if place >= bank.stride else place - bank.stride + bank.memory
    out[bank.outputs[o0]] = x + bank.offsets[o0]
    out[bank.outputs[o0 + 1]] = y + bank.offsets[o0 + 1]
    out[bank.outputs[o0 + 2]] = z + bank.offsets[o0 + 2]


@compiled
def _history(state: Floats, rows: Floats, u: Floats, begin: int, length: int, memory: int) -> None:
    """Collect the last memory - 1 inputs and the new ones, (inputs, frames); the new ones go into the ring."""
    width = u.shape[0]
    place = int(state[len(state) - 1])  # where the next row goes, and where the oldest one is
    for t in range(1, memory):
        base = ((place + t) % memory) * width
        for j in range(width):
            u[j, t - 1] = state[base + j]
    for t in range(length):
        base = place * width
        for j in range(width):
            u[j, memory - 1 + t] = rows[begin + t, j]
            state[base + j] = rows[begin + t, j]
        place = place + 1 if place + 1 < memory else 0
    state[len(state) - 1] = place


class DelayProducts(NamedTuple):
    """Sums over frames: delayed inputs times themselves (k, k), times outputs (k, p), outputs squared (p,)."""

    signals: Floats
    outputs: Floats
    squares: Floats
    frames: int


def delayed(rows: Floats, past: int, taps: int, stride: int) -> Floats:
    """Return (frames, taps * inputs + 1): the inputs at every delay, then one; the first `past` rows only lead up."""
    frames = len(rows) - past
    parts = [rows[past - k * stride : past - k * stride + frames] for k in range(taps)]
    return np.concatenate([*parts, np.ones((frames, 1))], axis=1)


def products_of(inputs: Floats, outputs: Floats, past: int, taps: int, stride: int) -> DelayProducts:
    """Sum the products of one trial."""
    signals = delayed(inputs, past, taps, stride)
    return DelayProducts(signals.T @ signals, signals.T @ outputs, (outputs**2).sum(axis=0), len(outputs))


def added(parts: Sequence[DelayProducts]) -> DelayProducts:
    """Add up the products of several trials."""
    signals, outputs, squares, frames = zip(*parts, strict=True)
    return DelayProducts(np.sum(signals, axis=0), np.sum(outputs, axis=0), np.sum(squares, axis=0), sum(frames))


def steadied(products: DelayProducts, inputs: int, amount: float | Floats, goal: Floats | None = None) -> DelayProducts:
    """Add a pull on what constant inputs lead to: `amount` times as many frames of them, whose output is `goal`.

    `amount` is one number, or one for each input; `goal` (inputs, outputs) is zero unless given.
    """
    # A constant input is the same at every tap, so its gain is the sum of the taps: that sum alone is pulled.
    taps = (len(products.signals) - 1) // inputs
    response = np.concatenate([np.tile(np.eye(inputs), (taps, 1)), np.zeros((1, inputs))])
    pull = products.frames * (amount * response)
    outputs = products.outputs if goal is None else products.outputs + pull @ goal
    return products._replace(signals=products.signals + pull @ response.T, outputs=outputs)


def fit(products: DelayProducts, ridge: float) -> Floats:
    """Find weights (k, p) by ridge regression; the constant is free."""
    # A ridge on the constant would pull the mean pose of the style towards zero.
    damp = np.full(len(products.signals), ridge * products.frames)
    damp[-1] = 1e-9 * products.frames
    return np.asarray(np.linalg.solve(products.signals + np.diag(damp), products.outputs))


def error(weights: Floats, products: DelayProducts) -> Floats:
    """Return squared errors (p,), summed over the frames in the products."""
    # |y - X w|² expanded, so that clips left out are tested by their products without running them.
    cross = np.einsum("ko,ko->o", weights, products.outputs)
    return np.asarray(products.squares - 2.0 * cross + np.einsum("ko,kl,lo->o", weights, products.signals, weights))


def shaped(weights: Floats, taps: int, inputs: int) -> tuple[Floats, Floats]:
    """Split weights into taps (taps, inputs, outputs) and the offset (outputs,)."""
    return weights[:-1].reshape(taps, inputs, -1), weights[-1]


def past_of(rows: Floats, frames: int, fps: float, weights: Floats | None = None) -> Floats:
    """Return `frames` rows that lead up to the first one.

    Where the beginning recurs, the rows before its recurrence; a single cycle, which ends as it begins, is repeated;
    otherwise the first pose is held. `weights` (DOFs,) say how much one unit of each DOF
    counts in the comparison.
    """
    if frames == 0 or len(rows) == 0:
        return np.zeros((frames, rows.shape[1]))
    weighed = rows if weights is None else rows * weights
    period = recurrence(weighed, fps) or _closing(weighed, fps)
    if period is None:
        return np.repeat(rows[:1], frames, axis=0)
    back = np.arange(-frames, 0)
    return np.asarray(rows[back % period])


def _closing(rows: Floats, fps: float) -> int | None:
    """Find where a motion that is one cycle returns to its first row in the same direction; None for any other."""
    look, least = max(2, round(LOOK * fps)), max(2, round(SHORTEST * fps))
    if len(rows) < least + look:
        return None
    steps = np.diff(rows, axis=0)
    usual = float(np.linalg.norm(steps, axis=1).mean())
    apart = np.linalg.norm(rows[-look:] - rows[0], axis=1)
    end = len(rows) - look + int(apart.argmin())
    # Nearer than one usual frame in pose and in speed: a step that ends with the other foot is far off in pose, an arm
    # that was raised and lowered passes the first pose in the other direction.
    turned = float(np.linalg.norm(steps[end - 1] - steps[0]))
    return end if usual > 0.0 and apart.min() <= usual and turned <= usual else None


def recurrence(rows: Floats, fps: float) -> int | None:
    """Find the first lag after which the beginning recurs, or None."""
    look, least = max(2, round(LOOK * fps)), max(2, round(SHORTEST * fps))
    last = len(rows) - look
    if last < least:
        return None
    scale = rows.var(axis=0).sum()
    if scale <= 1e-12:
        return None
    lags = np.arange(least, last + 1)
    away = rows - rows[:look].mean(axis=0)  # so that squares do not dwarf their differences
    squares = np.sum(away**2, axis=1)
    apart = np.zeros(len(lags))
    for k, products in enumerate(away[:look] @ away.T):  # |a - b|² = |a|² + |b|² - 2 a b
        apart += (squares[k] + squares[lags + k] - 2.0 * products[lags + k]) / (look * scale)
    inner = np.flatnonzero((apart[1:-1] <= apart[:-2]) & (apart[1:-1] <= apart[2:])) + 1
    good = [k for k in inner if apart[k] < LIKE]
    if not good:
        return None
    best = min(apart[k] for k in good)
    return int(next(lags[k] for k in good if apart[k] <= 1.5 * best + 0.02))
