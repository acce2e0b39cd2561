"""Compiled simulation of banks of delay lines."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import kernel
from freshtake.style.kernels import CHUNK, add_scaled


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


@kernel
def run_delays(state: Floats, rows: Floats, out: Floats, bank: Delays) -> None:
    """Advance a ring of past inputs (in place) and write y[t] = sum_k H[k] u[t - k stride] + c."""
    frames, width, memory = rows.shape[0], bank.width, bank.memory
    if frames == 1:
        _one_delays(state, rows[0], out[0], bank)
        return
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


@kernel
def _one_delays(state: Floats, u: Floats, out: Floats, bank: Delays) -> None:
    """A single frame, summed in the same order."""
    width, memory = bank.width, bank.memory
    newest = int(state[len(state) - 1])
    for j in range(width):
        state[newest * width + j] = u[j]
    at = 0
    for block in range(len(bank.counts)):
        first, last = bank.output_starts[block], bank.output_starts[block + 1]
        size = bank.counts[block] * (bank.input_starts[block + 1] - bank.input_starts[block])
        while first < last:
            together = 3 if last - first >= 3 else 1
            _some_outputs(state, out, bank, block, first, together, at, size, newest)
            first, at = first + together, at + together * size
    state[len(state) - 1] = newest + 1 if newest + 1 < memory else 0


@kernel
def _some_outputs(
    state: Floats, out: Floats, bank: Delays, block: int, first: int, together: int, at: int, size: int, place: int
) -> None:
    """One output, or three side by side: three sums do not wait for one another."""
    i0, m = bank.input_starts[block], bank.input_starts[block + 1] - bank.input_starts[block]
    second, third = (at + size, at + 2 * size) if together == 3 else (at, at)
    one = two = three = 0.0
    for _ in range(bank.counts[block]):
        base = place * bank.width
        for j in range(m):
            value = state[base + bank.inputs[i0 + j]]
            one += bank.taps[at + j] * value
            two += bank.taps[second + j] * value
            three += bank.taps[third + j] * value
        at, second, third = at + m, second + m, third + m
        place = place - bank.stride if place >= bank.stride else place - bank.stride + bank.memory
    out[bank.outputs[first]] = one + bank.offsets[first]
    if together == 3:
        out[bank.outputs[first + 1]] = two + bank.offsets[first + 1]
        out[bank.outputs[first + 2]] = three + bank.offsets[first + 2]


@kernel
def _history(state: Floats, rows: Floats, u: Floats, begin: int, length: int, memory: int) -> None:
    """The last memory - 1 inputs and the new ones, (inputs, frames); the new ones go into the ring."""
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
