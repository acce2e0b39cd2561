"""Arrays to rows of decimal numbers as text: the shortest decimals that read back as the same bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from freshtake.numeric.arrays import Floats

Whole = npt.NDArray[np.int64]

_BLOCK = 100_000  # numbers at a time, so that scratch arrays stay small
_DECIMALS = (6, 9)  # tried in this order: most files have no more
_EXACT = 1e15  # whole numbers below are exact in a float64, and so is their quotient by a power of ten


def format_rows(values: Floats) -> bytes:
    """One line per row (rows, columns), blanks between the numbers."""
    step = max(1, _BLOCK // max(1, values.shape[1]))
    return b"".join([_block(values[k : k + step]) for k in range(0, len(values), step)])


def _block(values: Floats) -> bytes:
    for decimals in _DECIMALS:
        power = 10.0**decimals
        with np.errstate(over="ignore"):
            scaled = np.rint(values * power)
        if np.abs(scaled).max(initial=0.0) < _EXACT and np.array_equal(scaled / power, values):
            return _fixed(np.abs(scaled).astype(np.int64), np.signbit(values), decimals)
    return "".join([" ".join(map(repr, row)) + "\n" for row in values.tolist()]).encode()


def _fixed(whole: Whole, negative: npt.NDArray[np.bool_], decimals: int) -> bytes:
    """Whole numbers (rows, columns) divided by a power of ten; zeros that say nothing are left out."""
    before = whole // 10**decimals
    behind = _narrow(whole - before * 10**decimals)
    before = _narrow(before)
    integers = len(str(int(before.max(initial=0))))
    width = integers + decimals + 3  # sign, point and the blank behind
    text = np.empty((*whole.shape, width), dtype=np.uint8)
    shown = np.empty(text.shape, dtype=bool)
    text[..., 0], shown[..., 0] = ord("-"), negative
    text[..., -1], shown[..., -1] = ord(" "), True
    text[:, -1, -1] = ord("\n")
    for place in range(integers, 0, -1):
        shown[..., place] = True if place == integers else before > 0
        before, text[..., place] = _last_digit(before)
    started = np.zeros(whole.shape, dtype=bool)
    for place in range(width - 2, integers + 1, -1):  # from the last one
        behind, digit = _last_digit(behind)
        text[..., place] = digit
        started |= digit != ord("0")
        shown[..., place] = started
    text[..., integers + 1], shown[..., integers + 1] = ord("."), started
    return text[shown].tobytes()


def _narrow(whole: Whole) -> npt.NDArray[Any]:
    """In 32 bits where that is enough, since division is twice as fast."""
    return whole.astype(np.uint32) if whole.max(initial=0) < 1 << 32 else whole


def _last_digit(whole: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.uint8]]:
    """What stands before the last digit, and its character."""
    rest = whole // 10
    return rest, (whole - rest * 10 + ord("0")).astype(np.uint8)
