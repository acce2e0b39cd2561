"""Compiled simulation of banks of state-space systems (Hsu 2005, eq. 5-6)."""

from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import compiled

CHUNK = 128  # frames at a time, few enough to stay in the cache


class Modal(NamedTuple):
    """A bank of state-space systems, packed block by block in flat arrays."""

    inputs: Ints
    input_starts: Ints
    outputs: Ints
    output_starts: Ints
    states: Ints  # where each block's states begin
    damping: Floats
    turning: Floats
    B: Floats
    C: Floats
    D: Floats
    offsets: Floats


@compiled
def run_modal(state: Floats, rows: Floats, out: Floats, bank: Modal, seen: Floats) -> None:
    """Advance `state` (in place) over rows (frames, inputs) into out (frames, outputs); `seen` gets every state.

    x[t+1] = A x[t] + B u[t],  y[t] = C x[t] + D u[t] + c   (Hsu 2005, eq. 5-6)

    The noise terms of the paper are not used in translation. Only A is recurrent: B u, C x and D u run over many frames
    at once. Every number is summed in the same order however the frames are split, so a stream equals a batch bit for
    bit.
    """
    frames, width = rows.shape
    # A live stream arrives row by row, for which setting up chunks costs more than the sums.
    if frames == 1:
        for k in range(len(state) if len(seen) > 0 else 0):
            seen[0, k] = state[k]
        _one_modal(state, rows[0], out[0], bank)
        return
    chunk = min(frames, CHUNK)
    u, y = np.empty((width, chunk)), np.empty(chunk)
    x = np.empty((max(1, np.diff(bank.states).max()), chunk))
    for begin in range(0, frames, max(chunk, 1)):
        length = min(chunk, frames - begin)
        # Inputs lie frame after frame in memory, so that the loops over frames below run as vectors.
        for t in range(length):
            for j in range(width):
                u[j, t] = rows[begin + t, j]
        at_b, at_c, at_d = 0, 0, 0
        for block in range(len(bank.states) - 1):
            first, n = bank.states[block], bank.states[block + 1] - bank.states[block]
            i0, m = bank.input_starts[block], bank.input_starts[block + 1] - bank.input_starts[block]
            o0, p = bank.output_starts[block], bank.output_starts[block + 1] - bank.output_starts[block]
            for k in range(n):
                _scaled(x[k], u[bank.inputs[i0]], bank.B[at_b + k * m], length)
                for j in range(1, m):
                    add_scaled(x[k], u[bank.inputs[i0 + j]], bank.B[at_b + k * m + j], length)
            # x contains B u here, and the states before each frame afterwards: no second array is needed.
            _recur(state, x, bank, first, n, length)
            for o in range(p):
                _scaled(y, u[bank.inputs[i0]], bank.D[at_d + o * m], length)
                for j in range(1, m):
                    add_scaled(y, u[bank.inputs[i0 + j]], bank.D[at_d + o * m + j], length)
                for k in range(n):
                    add_scaled(y, x[k], bank.C[at_c + o * n + k], length)
                column, offset = bank.outputs[o0 + o], bank.offsets[o0 + o]
                for t in range(length):
                    out[begin + t, column] = y[t] + offset
            if seen.shape[0] > 0:
                for t in range(length):
                    for k in range(n):
                        seen[begin + t, first + k] = x[k, t]
            at_b, at_c, at_d = at_b + n * m, at_c + p * n, at_d + p * m


@compiled
def _one_modal(state: Floats, u: Floats, out: Floats, bank: Modal) -> None:
    """Advance by a single frame, summed in the same order."""
    at_b, at_c, at_d = 0, 0, 0
    for block in range(len(bank.states) - 1):
        first, n = bank.states[block], bank.states[block + 1] - bank.states[block]
        i0, m = bank.input_starts[block], bank.input_starts[block + 1] - bank.input_starts[block]
        for o in range(bank.output_starts[block], bank.output_starts[block + 1]):
            total = 0.0
            for j in range(m):
                total += bank.D[at_d] * u[bank.inputs[i0 + j]]
                at_d += 1
            for k in range(n):
                total += bank.C[at_c] * state[first + k]
                at_c += 1
            out[bank.outputs[o]] = total + bank.offsets[o]
        # Outputs come first: y[t] reads the state before the frame, which is overwritten below.
        k = 0
        while k < n:
            a, b = bank.damping[first + k], bank.turning[first + k]
            one, push_one, push_two = state[first + k], 0.0, 0.0
            for j in range(m):
                push_one += bank.B[at_b + j] * u[bank.inputs[i0 + j]]
            if b == 0.0:
                state[first + k] = a * one + push_one
                k, at_b = k + 1, at_b + m
                continue
            two = state[first + k + 1]
            for j in range(m):
                push_two += bank.B[at_b + m + j] * u[bank.inputs[i0 + j]]
            state[first + k], state[first + k + 1] = a * one + b * two + push_one, a * two - b * one + push_two
            k, at_b = k + 2, at_b + 2 * m


@compiled
def _recur(state: Floats, x: Floats, bank: Modal, first: int, n: int, length: int) -> None:
    """Turn B u (states, frames) into the states before each frame, in place: single poles and pairs."""
    k = 0
    while k < n:
        a, b = bank.damping[first + k], bank.turning[first + k]
        one = state[first + k]
        if b == 0.0:
            for t in range(length):
                pushed = x[k, t]
                x[k, t] = one
                one = a * one + pushed
            state[first + k] = one
            k += 1
        else:
            two = state[first + k + 1]
            for t in range(length):
                push_one, push_two = x[k, t], x[k + 1, t]
                x[k, t], x[k + 1, t] = one, two
                one, two = a * one + b * two + push_one, a * two - b * one + push_two
            state[first + k], state[first + k + 1] = one, two
            k += 2


@compiled
def _scaled(out: Floats, values: Floats, weight: float, length: int) -> None:
    for t in range(length):
        out[t] = weight * values[t]


@compiled
def add_scaled(out: Floats, values: Floats, weight: float, length: int) -> None:
    """Add weight * values to out, in place."""
    for t in range(length):
        out[t] += weight * values[t]


@compiled
def filtered(rows: Floats, damping: Floats, turning: Floats, past: int) -> Floats:
    """Filter every input by every pole, (frames, poles, 2, inputs): real and imaginary part of z' = (a - ib) z + u.

    The first `past` rows only build up the state and are left out of the result.
    """
    frames, m, n = rows.shape[0], rows.shape[1], len(damping)
    out = np.zeros((frames - past, n, 2, m))
    for k in range(n):
        a, b = damping[k], turning[k]
        for j in range(m):
            re, im = 0.0, 0.0
            for t in range(frames):
                if t >= past:
                    out[t - past, k, 0, j] = re
                    out[t - past, k, 1, j] = im
                re, im = a * re + b * im + rows[t, j], a * im - b * re
    return out
