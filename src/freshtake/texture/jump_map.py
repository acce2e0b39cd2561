"""The best jumps of every frame that do not lead to dead ends, and their probabilities (Sattler 2004, §2.2).

The second half is the jump map as published, between all pairs of frames (Sattler 2004, eq. 2-8).
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.numeric.arrays import Bools, Floats, Ints, rounded
from freshtake.numeric.graphs import strong_parts
from freshtake.texture.frame_distance import Segments, Weights, ahead, weight_distances
from freshtake.texture.play_kernels import Chances, Frames, Numbers, best_jumps, costs_to_come, visiting
from freshtake.texture.settings import Settings

MOST_FRAMES = 4000  # a full map of more frames takes hundreds of megabytes

LADDER = (1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 11.0, 15.0, 20.0, 30.0, 50.0, 100.0, 1e3, 1e9)  # mean frame steps
POOR = 8.0  # mean frame steps: if larger jumps are needed, the takes do not recur
ROUNDS = 400
LEAST_SIGMA, MOST_SIGMA = 0.1, 20.0  # mean frame steps: below, the same loop is repeated; above, nothing changes
MOST_RELUCTANCE = 2.0  # mean frame steps: a factor of half a billion at the smallest sigma
LEEWAY = 1.15  # factor on the lowest rate of jumps that a short take allows: with less, the same jump is always made


class Jumps(NamedTuple):
    """The cheapest jumps of every frame, in order of cost: targets (frames, k), -1 where there is none, and costs."""

    targets: Numbers
    costs: Floats


@dataclass(frozen=True)
class Reach:
    """The limit of jumps, per cell, and the frames from which playback can then continue forever."""

    limits: tuple[float, ...]
    alive: Bools


def find_jumps(
    frames: Frames, cell_of: Ints, cells: Ints, band: int, k: int, *, forward: bool = True, rest: int = 0
) -> Jumps:
    """Find the best jumps of every frame i into cell `cell_of[i]`; with `forward`, none that reverse the movement.

    After a jump, its take continues for at least `rest` frames.
    """
    count = len(cell_of)
    k = min(k, count)
    targets, costs = np.empty((count, k), dtype=np.int32), np.empty((count, k))
    if not forward:
        # Zero changes pass the compiled direction test, so no second version is needed.
        still = np.zeros_like(frames.change)
        frames = frames._replace(change=still, change_ahead=still)
    best_jumps(frames, cell_of, cells, band, rest, targets, costs)
    used = max(1, int((targets >= 0).sum(axis=1).max()))
    return Jumps(np.ascontiguousarray(targets[:, :used]), np.ascontiguousarray(costs[:, :used]))


def costs_of(jumps: Jumps, origins: Ints, targets: Ints) -> Floats:
    """Look up the costs of jumps from `origins` to `targets` (jumps,); infinity for pairs without a jump."""
    same = jumps.targets[origins] == targets[:, None]
    return np.asarray(np.where(same, jumps.costs[origins], np.inf).min(axis=1))


def with_returns(jumps: Jumps, frames: Frames, segments: Segments) -> Jumps:
    """Add a jump from every take's last frame to the nearest first frame of its cell, at any distance."""
    targets = np.concatenate([np.full((segments.frames, 1), -1, dtype=np.int32), jumps.targets], axis=1)
    costs = np.concatenate([np.full((segments.frames, 1), np.inf), jumps.costs], axis=1)
    cells, firsts = segments.cells(), np.array(segments.bounds[:-1])
    for last in np.array(segments.bounds[1:]) - 1:
        there = firsts[cells[firsts] == cells[last]]
        away = np.linalg.norm(frames.ahead[last] - frames.here[there], axis=1)
        away += np.linalg.norm(frames.speed_ahead[last] - frames.speed[there], axis=1)
        targets[last, 0], costs[last, 0] = there[away.argmin()], away.min()
    return Jumps(targets, costs)


def reach_of(jumps: Jumps, segments: Segments, largest: float | None) -> Reach:
    """Find the smallest limit per cell with which most of its frames are on closed paths, or use the given limit."""
    cells, limits = segments.cells(), []
    alive = np.zeros(segments.frames, dtype=np.bool_)
    for cell, name in enumerate(segments.names):
        mine = cells == cell
        for limit in LADDER if largest is None else (largest,):
            living = _lasting(jumps, segments.successors(), mine, limit)
            # Playback must be able to continue forever from four fifths of a cell.
            if living.sum() >= 0.8 * mine.sum():
                break
        if not living.any():
            where = f"the cell {name!r}" if len(segments.names) > 1 else "the take"
            if largest is None:
                raise UsageError(f"{where} is too short to jump within: give a longer one")
            raise UsageError(
                f"no jump of at most {largest:g} mean frame steps leads back in {where}: allow larger jumps"
            )
        alive |= living
        limits.append(float(limit))
    return Reach(tuple(limits), alive)


def _lasting(jumps: Jumps, successor: Ints, mine: Bools, limit: float) -> Bools:
    """Find the largest set of frames that can all be reached from each other, by continuing and by jumps."""
    count = len(successor)
    start, slot = np.nonzero((jumps.targets >= 0) & (jumps.costs <= limit) & mine[:, None])
    onward = np.flatnonzero((successor >= 0) & mine)
    rows = np.concatenate([start, onward])
    columns = np.concatenate([jumps.targets[start, slot], successor[onward]])
    # Only in a strongly connected set can playback continue forever and still reach every frame.
    label = strong_parts(rows, columns, count)
    sizes = np.bincount(label[mine], minlength=int(label.max()) + 1)
    living = (label == sizes.argmax()) & mine
    # A single frame is a component by itself even if it cannot be left.
    return living if living.sum() > 1 else np.zeros(count, dtype=np.bool_)


def within(jumps: Jumps, reach: Reach, segments: Segments) -> tuple[Ints, Jumps]:
    """Return the successors and jumps that stay among the frames from which playback can continue forever."""
    alive, successor = reach.alive, segments.successors()
    limit = np.array(reach.limits)[segments.cells()]
    stays = (successor >= 0) & alive & alive[np.maximum(successor, 0)]
    ok = (jumps.targets >= 0) & alive[:, None] & alive[np.maximum(jumps.targets, 0)] & (jumps.costs <= limit[:, None])
    return np.where(stays, successor, -1), Jumps(
        np.where(ok, jumps.targets, np.int32(-1)), np.where(ok, jumps.costs, np.inf)
    )


def hold_of(frame_time: float) -> int:
    """Return the number of frames in which an offset dies away and no other jump is made: a sixth of a second."""
    return max(2, round(1.0 / 6.0 / frame_time))


def band_of(settings: Settings, frame_time: float) -> int:
    """Return how many frames on either side of the diagonal are excluded from jumps."""
    return max(1, round(settings.band / frame_time))


def jumps_and_reach(frames: Frames, segments: Segments, settings: Settings, frame_time: float) -> tuple[Jumps, Reach]:
    """Find jumps within each cell, not to the end of a take; if forward jumps do not suffice, also backward jumps."""
    cells, band = segments.cells(), band_of(settings, frame_time)
    if settings.method == "paper":
        jumps = rounded_jumps(find_jumps(frames, cells, cells, band, settings.candidates))
        return jumps, Reach((0.0,) * len(segments.names), np.ones(segments.frames, dtype=np.bool_))
    # A jump needs time to fade before the take ends; short takes may have no jump that leaves this time.
    for rest in (hold_of(frame_time), 0):
        jumps = rounded_jumps(find_jumps(frames, cells, cells, band, settings.candidates, rest=rest))
        with suppress(UsageError):
            return jumps, reach_of(jumps, segments, settings.largest_jump)
    if settings.largest_jump is not None:
        return jumps, reach_of(jumps, segments, settings.largest_jump)
    jumps = find_jumps(frames, cells, cells, band, settings.candidates, forward=False)
    # A take that never recurs can still be played, with a visible jump from its end back to a start.
    forced = rounded_jumps(with_returns(jumps, frames, segments))
    return forced, reach_of(forced, segments, None)


def rounded_jumps(jumps: Jumps) -> Jumps:
    """Round the costs of jumps as stored in a model file."""
    return Jumps(jumps.targets, rounded(jumps.costs))


def totals(successor: Ints, jumps: Jumps, anticipation: float) -> tuple[Floats, Floats]:
    """Return costs of continuing (frames,) and of every jump (frames, k), future costs added (video textures, §3)."""
    come = costs_to_come(successor, jumps.targets, jumps.costs, anticipation, ROUNDS)
    onward = np.where(successor >= 0, anticipation * come[np.maximum(successor, 0)], np.inf)
    jumping = jumps.costs + anticipation * come[np.maximum(jumps.targets, 0)]
    return onward, np.where(jumps.targets >= 0, jumping, np.inf)


def chances_at(
    successor: Ints, jumps: Jumps, costs: tuple[Floats, Floats], sigma: float, reluctance: float = 0.0
) -> Chances:
    """Compute exp(-cost / sigma) over continuing and all jumps, summing to one for each frame.

    Every jump costs an extra `reluctance`: if many jumps cost nothing, no sigma makes them rare.
    """
    onward, jumping = costs
    jumping = jumping + reluctance
    # Costs are relative to each frame's lowest: at small sigmas all exponentials would be zero.
    least = np.minimum(onward, jumping.min(axis=1))
    least = np.where(np.isfinite(least), least, 0.0)
    go = np.exp(-(onward - least) / sigma)
    jump = np.exp(-(jumping - least[:, None]) / sigma)
    total = go + jump.sum(axis=1)
    total = np.where(total > 0.0, total, 1.0)
    return Chances(successor, go / total, jumps.targets, jump / total[:, None])


def jump_rate(chances: Chances, share: Floats) -> tuple[float, Floats]:
    """Compute jumps per frame in the long run, and the fraction of visits to each frame from an initial guess."""
    shares = visiting(chances.successor, chances.onward, chances.targets, chances.chances, share.copy(), ROUNDS)
    return float((shares * chances.chances.sum(axis=1)).sum()), shares


def calibrated(
    successor: Ints, jumps: Jumps, costs: tuple[Floats, Floats], alive: Bools, rate: float
) -> tuple[float, float]:
    """Find the sigma and the reluctance that give `rate` jumps per frame, by bisection.

    Reluctance stays zero unless playback jumps too often at the smallest sigma. If takes are so short that it jumps too
    often even at high reluctance, slightly more jumps than necessary are allowed, so that they vary.
    """
    share = alive / alive.sum()

    def rate_at(sigma: float, reluctance: float) -> float:
        nonlocal share
        # The visits at one sigma are a good initial guess for the next.
        jumps_per_frame, share = jump_rate(chances_at(successor, jumps, costs, sigma, reluctance), share)
        return jumps_per_frame

    freely = rate_at(LEAST_SIGMA, 0.0)
    if freely > rate:
        rate = max(rate, LEEWAY * min(freely, rate_at(LEAST_SIGMA, MOST_RELUCTANCE)))
    if freely > rate:
        return LEAST_SIGMA, _bisected(0.0, MOST_RELUCTANCE, lambda x: rate_at(LEAST_SIGMA, x) <= rate)
    # Sigmas are bisected by their logarithm, because the range covers two orders of magnitude.
    sigma = np.exp(_bisected(np.log(LEAST_SIGMA), np.log(MOST_SIGMA), lambda x: rate_at(np.exp(x), 0.0) > rate))
    return float(sigma), 0.0


def _bisected(low: float, high: float, above: Callable[[float], bool]) -> float:
    for _ in range(20):
        middle = (low + high) / 2.0
        low, high = (low, middle) if above(middle) else (middle, high)
    return float((low + high) / 2.0)


def probabilities(distances: Floats, sigma: float) -> Floats:
    """Compute P_ij ~ exp(-D_{i+1,j} / sigma), rows summing to one (Sattler 2004, eq. 3 and 6).

    `distances` (frames, frames) are the distances from every frame's successor to every frame.
    """
    # Dividing by the largest probability cancels out, but keeps rows of distant frames from being all zero.
    nearest = distances.min(axis=1, keepdims=True)
    chances = np.exp(-(distances - nearest) / sigma)
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def combined(positions: Floats, velocities: Floats, q: float = 0.0, velocity_q: float = 0.0) -> Floats:
    """Compute the jump map [q + (1 - q) P][q* + (1 - q*) P*], rows summing to one (Sattler 2004, eq. 7-8).

    Equation 7 is the case q = q* = 0. As printed, q = 1 leaves only the velocities, although the text says the
    positions.
    """
    product = (q + (1.0 - q) * positions) * (velocity_q + (1.0 - velocity_q) * velocities)
    total = product.sum(axis=1, keepdims=True)
    # If positions and velocities exclude each other everywhere, the product vanishes: then no frame is preferred.
    return np.asarray(np.where(total > 0.0, product / np.where(total > 0.0, total, 1.0), 1.0 / product.shape[1]))


def successor_distances(weights: Weights, segments: Segments) -> tuple[Floats, Floats]:
    """Compute D_{i+1,j} and D*_{i+1,j}, with linear extrapolation after a take's last frame."""
    check_size(segments)
    return (
        weight_distances(ahead(weights.poses, segments), weights.poses),
        weight_distances(ahead(weights.velocities, segments), weights.velocities),
    )


def check_size(segments: Segments) -> None:
    """Refuse more frames than a full map can contain."""
    if segments.frames > MOST_FRAMES:
        raise UsageError(
            f"the paper's full jump map of {segments.frames} frames is too large: use the default method, or at most "
            f"{MOST_FRAMES} frames"
        )


def as_table(chances: Floats, successor: Ints) -> tuple[Numbers, Floats, Floats]:
    """Convert a full map to jumps: targets and probabilities (frames, frames), and that of continuing (frames,)."""
    targets = np.tile(np.arange(len(chances), dtype=np.int32), (len(chances), 1))
    jumping, onward = chances.copy(), np.zeros(len(chances))
    frames = np.flatnonzero(successor >= 0)
    onward[frames] = chances[frames, successor[frames]]
    jumping[frames, successor[frames]] = 0.0
    return targets, jumping, onward


class Sigmas(NamedTuple):
    """Parameters of the jump map: sigma and reluctance in mean frame steps; for the paper's method sigma and sigma*."""

    sigma: float
    velocity: float
    reluctance: float = 0.0


def paper_chances(weights: Weights, segments: Segments, sigmas: Sigmas, settings: Settings) -> Chances:
    """Compute the jump map of eq. 2-8 as published."""
    positions, velocities = successor_distances(weights, segments)
    p, pv = probabilities(positions, sigmas.sigma), probabilities(velocities, sigmas.velocity)
    full = combined(p, pv, settings.q, settings.velocity_q)
    cells = segments.cells()
    full = np.where(cells[:, None] == cells[None], full, 0.0)
    full /= full.sum(axis=1, keepdims=True)
    targets, chances, onward = as_table(full, segments.successors())
    return Chances(segments.successors(), onward, targets, chances)
