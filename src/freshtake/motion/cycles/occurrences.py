"""Find where an action recurs in a take, by dynamic time warping."""

from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.body.orientation import RATE, distances, pose_points, usual_facing
from freshtake.motion.clip import Clip
from freshtake.motion.skeleton import require_compatible
from freshtake.numeric.arrays import Floats, Ints


class Occurrence(NamedTuple):
    """Frames start to stop (exclusive) of the take that resemble the example.

    `distance` is the mean distance per frame in units of the example's spread about its mean pose: 0 for a copy, about
    1.4 for unrelated poses of the same kind.
    """

    start: int
    stop: int
    distance: float


def find_occurrences(take: Clip, example: Clip) -> list[Occurrence]:
    """Return where the example's action recurs in the take, in order of time, up to 30 % faster or slower."""
    _check(take, example)
    reference = usual_facing(example)
    rate = min(RATE, take.fps, example.fps)
    example_points = _at_rate(pose_points(example, reference), example.fps, rate)
    points = _at_rate(pose_points(take, reference), take.fps, rate)
    spread = float(np.sqrt(((example_points - example_points.mean(axis=0)) ** 2).sum(axis=1).mean()))
    if spread < 1e-9:
        raise UsageError(f"nothing moves in {example.name or 'the example'}, so it cannot be searched for")
    if len(points) < 2:
        return []
    costs, starts = warped(distances(example_points, points) / spread)
    length = np.arange(len(points)) - starts
    span, tempo = len(example_points) - 1, 1.3
    allowed = (length <= span * tempo + 1.0) & (length >= span / tempo - 1.0)
    # Occurrences of an action are nearer than .85, unrelated poses about 1.4 apart.
    costs = np.where(allowed & (costs < 0.85), costs, np.inf)
    scale = take.fps / rate
    occurrences = []
    # Two occurrences may share a tenth of the example: ends are not exact.
    for start, last, cost in _without_overlaps(costs, starts, 0.1 * span):
        first = min(round(start * scale), len(take) - 1)
        occurrences.append(Occurrence(first, min(round(last * scale), len(take) - 1) + 1, cost))
    return sorted(occurrences)


def _check(take: Clip, example: Clip) -> None:
    require_compatible(take.skeleton, example.skeleton, take.name or "the take", example.name or "the example")
    if take.up != example.up:
        raise UsageError(f"{take.name or 'the take'} has {take.up} up and {example.name or 'the example'} {example.up}")
    if len(example) < 4:
        raise UsageError(f"{example.name or 'the example'} has {len(example)} frames: an action needs at least 4")


def _at_rate(points: Floats, fps: float, rate: float) -> Floats:
    """Resample points to another rate by linear interpolation."""
    if abs(fps / rate - 1.0) < 1e-6:
        return points
    places = np.minimum(np.arange(int((len(points) - 1) * rate / fps + 1e-6) + 1) * fps / rate, len(points) - 1)
    low = np.minimum(places.astype(np.intp), max(len(points) - 2, 0))
    share = (places - low)[:, None]
    out: Floats = points[low] * (1.0 - share) + points[np.minimum(low + 1, len(points) - 1)] * share
    return out


def warped(cost: Floats) -> tuple[Floats, Ints]:
    """Return for each frame the mean cost of the best warp of the full example that ends there, and where it starts."""
    from freshtake.numeric.dtw import open_ends  # compiled: loaded only when needed

    # Each step off the diagonal costs a tenth of a frame, or still frames would match for free.
    totals, starts = open_ends(np.ascontiguousarray(cost), 0.1)
    return totals / len(cost), starts


def _without_overlaps(costs: Floats, starts: Ints, overlap: float) -> list[tuple[int, int, float]]:
    """Return the best matches first, leaving out all that overlap with one already chosen."""
    taken: list[tuple[int, int, float]] = []
    for last in np.argsort(costs, kind="stable"):
        if not np.isfinite(costs[last]):
            break
        start = int(starts[last])
        if all(start >= t - overlap or last <= s + overlap for s, t, _ in taken):
            taken.append((start, int(last), float(costs[last])))
    return taken
