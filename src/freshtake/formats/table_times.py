"""The times behind a column of times that were rounded when they were printed."""

from __future__ import annotations

import numpy as np

from freshtake.numeric.arrays import Floats

_MOST_DECIMALS = 15


def steady_frame_time(times: Floats, printed: str) -> float | None:
    """The time between frames, or None where the times are not evenly spaced within their printed digits.

    Exact where the times are exact multiples; otherwise the reciprocal of a whole number where one agrees with
    all times as rounded, and else their mean. `printed` is the text of one of the times.
    """
    counts = np.arange(len(times))
    span = times - times[0]
    mean = float(span[-1]) / (len(times) - 1)
    if not (np.isfinite(mean) and mean > 1e-9):
        return None
    whole = 1.0 / max(round(1.0 / mean), 1)
    for exact in (float(span[1]), whole):
        if np.array_equal(span, counts * exact):
            return exact
    rounding = 10.0 ** -_decimals(times, printed) + 16.0 * float(np.spacing(np.abs(times).max()))
    for close in (whole, mean):
        if np.abs(span - counts * close).max() <= rounding:
            return close
    return None


def odd_step(times: Floats) -> int:
    """The row whose distance to the one before is farthest from the usual one."""
    steps = np.diff(times)
    return int(np.abs(steps - np.median(steps)).argmax()) + 1


def spread_ties(times: Floats) -> Floats:
    """Equal times that follow one another, set apart evenly within the last digit that the times have.

    Points that came faster than the clock's tick share its time; they keep their order and move by less than a tick.
    """
    later = np.concatenate([[True], np.diff(times) != 0.0])
    group = np.cumsum(later) - 1
    starts = np.flatnonzero(later)
    sizes = np.diff(starts, append=len(times))
    share = (np.arange(len(times)) - starts[group]) / sizes[group]
    return np.asarray(times + share * 10.0 ** -_decimals(times, ""))


def _decimals(times: Floats, printed: str) -> int:
    """How many digits behind the point the times have: those of one text, or more where a time needs more."""
    mantissa, _, exponent = printed.strip().strip('"').lower().partition("e")
    shown = 0 if exponent else len(mantissa.replace(",", ".").partition(".")[2])
    for count in range(min(shown, _MOST_DECIMALS), _MOST_DECIMALS):
        with np.errstate(over="ignore", invalid="ignore"):
            whole = np.abs(np.round(times, count) - times) <= 4.0 * np.spacing(np.abs(times))
        if whole.all():
            return count
    return _MOST_DECIMALS
