"""Convert pen reports of hand-drawn characters to strokes, and strokes to variants (Lau 2009, fig. 1).

A character may be written with several pen strokes. It then has a third dimension, `pen`, which is high while the pen
is down; the path through the air is a straight line.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from freshtake.errors import UsageError
from freshtake.motion import Stroke
from freshtake.numeric.arrays import Floats
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.numeric.smooth_path import solve_banded

Point = tuple[float, float, float]  # x, y, seconds
Pen = Sequence[Sequence[float]]  # points from pen down to pen up
RATE = 100.0  # points per second: pens and mice report 60 to 240
FEWEST, MOST = 2, 12  # drawings of one character
MOST_POINTS = 20_000
SHORTEST, LONGEST = 0.05, 20.0  # seconds
MOST_VARIANTS = 60
PIXELS = 0.002, 0.03  # minimum and maximum pixel size, relative to the drawing's size

_models: dict[bytes, Any] = {}  # the most recent models, by the strokes they were learned from


def drawn_strokes(drawings: Sequence[Sequence[Pen]], name: str = "drawing") -> list[Stroke]:
    """Return each drawing of a character as one stroke at an even rate, with the timing of the hand."""
    if not FEWEST <= len(drawings) <= MOST:
        raise UsageError(f"variants need {FEWEST} to {MOST} drawings of one character, but there are {len(drawings)}")
    # Strokes are matched by their order, so all drawings need the same number.
    lifts = [len(pens) for pens in drawings]
    odd = next((k for k, count in enumerate(lifts) if count != lifts[0]), None)
    if odd is not None:
        raise UsageError(
            f"drawing {odd + 1} has {lifts[odd]} strokes of the pen and drawing 1 has {lifts[0]}: write the character "
            "in the same way each time"
        )
    return [_stroke(pens, f"{name}_{k}", f"drawing {k}") for k, pens in enumerate(drawings, start=1)]


def _stroke(pens: Sequence[Pen], name: str, where: str) -> Stroke:
    if not pens:
        raise UsageError(f"{where} is empty: draw the character there")
    points = np.concatenate([np.asarray(pen, dtype=np.float64) for pen in pens])
    times = _increasing(points[:, 2])
    if not SHORTEST <= times[-1] <= LONGEST:
        raise UsageError(f"{where} took {times[-1]:.2f} s: draw it in {SHORTEST:g} to {LONGEST:g} s")
    places = points[:, :2]
    size = float(np.ptp(places, axis=0).max())
    if size <= 0.0:
        raise UsageError(f"{where} is a dot: draw the character there")
    even = _smooth(places, _steady(times), size, name)
    if len(pens) == 1:
        return even
    # The third dimension, the pen, is as large as the drawing, so that variants lift it as people do.
    down = np.zeros(len(even), dtype=bool)
    ends = np.cumsum([len(pen) for pen in pens])
    for first, last in zip([0, *ends[:-1]], ends - 1, strict=True):
        down |= (even.times >= times[first] - 1e-9) & (even.times <= times[last] + 1e-9)
    return Stroke(np.column_stack([even.points, size * down]), even.times, ("x", "y", "pen"), name)


def _steady(times: Floats) -> Floats:
    """Remove the jitter of report times: browsers deliver reports when a frame is drawn."""
    from freshtake.numeric.curves import gaussian_filter1d

    line = np.linspace(times[0], times[-1], len(times))
    # Times are smoothed over 1.5 report intervals, since events arrive in bursts.
    steady = line + gaussian_filter1d(times - line, 1.5, mode="nearest")
    steady[0], steady[-1] = times[0], times[-1]
    return _increasing(np.clip(steady, times[0], times[-1]))


def _smooth(places: Floats, times: Floats, size: float, name: str) -> Stroke:
    """Return the smoothest line at an even rate that passes within about a pixel of the reports.

    x minimizes sum |x(t_i) - p_i|^2 + s |third differences of x|^2, with the largest s for which the root mean square
    of the first is a pixel: positions are rounded to pixels, times to frames, and a mouse reports so rarely that
    straight lines between reports have corners.
    """
    count = max(4, int(np.ceil(times[-1] * RATE - 1e-9)) + 1)
    grid = np.arange(count) / RATE
    at = times * RATE
    first = np.minimum(at.astype(np.intp), count - 2)
    share = at - first
    # A pixel is the smallest distance between reports at different positions.
    steps = np.abs(np.diff(places, axis=0))
    moved = steps[steps > 1e-6 * size]
    allowed = float(np.clip(np.percentile(moved, 5.0) if len(moved) else 0.0, PIXELS[0] * size, PIXELS[1] * size))
    # The misfit grows with the stiffness, so bisection finds the largest stiffness allowed.
    low, high, line = -4.0, 8.0, _fit_line(places, first, share, count, 1e-4)
    for _ in range(18):
        middle = 0.5 * (low + high)
        tried = _fit_line(places, first, share, count, 10.0**middle)
        shown = (1.0 - share)[:, None] * tried[first] + share[:, None] * tried[first + 1]
        if float(np.sqrt(((shown - places) ** 2).sum(axis=1).mean())) <= allowed:
            low, line = middle, tried
        else:
            high = middle
    return Stroke(line, grid, ("x", "y"), name)


def _fit_line(places: Floats, first: npt.NDArray[np.intp], share: Floats, count: int, stiff: float) -> Floats:
    """Return the line (count, 2) for one stiffness: a banded system, as each report is between two points."""
    bands = np.zeros((count, 4))
    right = np.zeros((count, 2))
    np.add.at(bands[:, 0], first, (1.0 - share) ** 2)
    np.add.at(bands[:, 0], first + 1, share**2)
    np.add.at(bands[:, 1], first + 1, share * (1.0 - share))
    np.add.at(right, first, (1.0 - share)[:, None] * places)
    np.add.at(right, first + 1, share[:, None] * places)
    # Third differences: speed and curvature change smoothly, as a hand's do.
    steps = np.array([-1.0, 3.0, -3.0, 1.0])
    for i in range(4):
        for j in range(i + 1):
            bands[i : count - 3 + i, i - j] += stiff * steps[i] * steps[j]
    bands[:, 0] += 1e-9  # prevents the system from being singular
    return np.asarray(solve_banded(np.repeat(bands[..., None], 2, axis=2), right))


def _increasing(times: Floats) -> Floats:
    """Return times that start at 0 and strictly increase; points reported together are spread slightly."""
    sorted_times = np.maximum.accumulate(times - times[0])
    # Points with equal times are set a millisecond apart, since times must increase.
    steps = np.arange(len(times)) * 1e-3
    return np.asarray(np.maximum.accumulate(sorted_times - steps) + steps)


@one_blas_thread()
def stroke_model(strokes: Sequence[Stroke]) -> Any:
    """Return the model of drawn strokes; the last few are cached, so that a new amount takes effect immediately."""
    from freshtake.variation.learning import learn_examples

    key = b"|".join(stroke.points.tobytes() for stroke in strokes)
    if key not in _models:
        if len(_models) == 8:
            _models.pop(next(iter(_models)))
        _models[key] = learn_examples(list(strokes), cyclic=False)
    return _models[key]


@one_blas_thread()
def stroke_variants(strokes: Sequence[Stroke], number: int, amount: float = 1.0, seed: int = 0) -> list[Stroke]:
    """Draw new strokes of a character, each with its timing."""
    model = stroke_model(strokes)
    samples = [model.sample(np.random.default_rng([seed, k]), amount=amount) for k in range(1, number + 1)]
    return [Stroke(one.points, one.times, one.dimensions, f"variant_{k:03d}") for k, one in enumerate(samples, start=1)]


def pens_of(stroke: Stroke) -> list[list[Point]]:
    """Convert a stroke to the page's form: points x, y, seconds from pen down to pen up."""
    rows = np.column_stack([stroke.points[:, :2], stroke.times - stroke.times[0]]).round(4)
    if stroke.points.shape[1] < 3 or stroke.dimensions[2] != "pen":
        return [rows.tolist()]
    # Between two strokes a variant's pen rises and falls gradually: it is down above half the height.
    level = stroke.points[:, 2]
    down = level > 0.5 * float(level.max())
    edges = np.flatnonzero(np.diff(np.concatenate([[False], down, [False]]).astype(np.int8)))
    return [rows[a:b].tolist() for a, b in edges.reshape(-1, 2)]


def example_drawings() -> list[list[list[Point]]]:
    """Return four handwritten letters in boxes of 100 units, four times slower than a practised hand."""
    from freshtake.samples import letter_a

    out = []
    for k in range(4):
        letter = letter_a(np.random.default_rng([7, k]))
        places = 1.2 * letter.points + np.array([16.0, 25.0])
        out.append([np.column_stack([places, 4.0 * letter.times]).round(3).tolist()])
    return out
