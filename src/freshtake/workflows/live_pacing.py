"""Ticks at a steady rate: deadlines are counted from the start, so what one tick is late the next is not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np


class Tick(NamedTuple):
    """Which one it is, counted from the start with those that were left out, and by how many seconds it is late."""

    number: int
    late: float


def ticks(rate: float, clock: Callable[[], float], sleep: Callable[[float], None]) -> Iterator[Tick]:
    """For ever. Ticks whose successor is due already are left out: a receiver wants the newest pose, not all."""
    began, number = clock(), 0
    while True:
        left = began + number / rate - clock()
        while left > 0.0:
            sleep(left)
            left = began + number / rate - clock()
        yield Tick(number, -left)
        number = max(number + 1, int((clock() - began) * rate))


class Lateness(NamedTuple):
    """How punctual ticks were, in milliseconds; `left_out` were not sent at all."""

    sent: int
    left_out: int
    median_ms: float
    p99_ms: float
    worst_ms: float


def lateness(seen: Sequence[Tick]) -> Lateness:
    """The punctuality of one or more ticks."""
    late = 1e3 * np.array([tick.late for tick in seen])
    missing = seen[-1].number - seen[0].number + 1 - len(seen)
    return Lateness(
        len(seen), missing, float(np.median(late)), float(np.quantile(late, 0.99, method="higher")), float(late.max())
    )
