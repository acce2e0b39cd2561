"""The examples as synthesis reads them: split into smooth part and detail, closed where they are cycles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.ndimage import gaussian_filter1d

from freshtake.numeric.arrays import Bools, Floats
from freshtake.variation.alignment import read_at
from freshtake.variation.kernels import Tables
from freshtake.variation.material import Material
from freshtake.variation.network import TransitionNetwork

MOST_EXAMPLES = 12  # that one motion draws on
STEPS = 16
PROFILE = 5.0  # details over which the spread between examples is smoothed
KINK = 0.02  # share of a cycle over which a kink at its seam is smoothed
SEAM = 0.2  # share of a cycle to either side of its seam over which the ends are brought together


def closed(example: Floats) -> Floats:
    """One cycle without its last frame, bent round the seam so that it meets its beginning, the kink there smoothed.

    Slopes are not brought together: that would move standing feet more than the kink is worth.
    """
    period = len(example) - 1
    reach = max(2, round(SEAM * period))
    gap = example[-1] - example[0]
    u = np.arange(reach) / reach
    ramp = (1.0 - u) ** 3 * (1.0 + 3.0 * u + 6.0 * u**2)  # 1 with flat ends, to 0 with flat ends
    out = example[:period].copy()
    out[:reach] += 0.5 * ramp[:, None] * gap
    out[period - np.arange(1, reach)] -= 0.5 * ramp[1:, None] * gap
    frames = np.arange(period)
    near = np.maximum(1.0 - (np.minimum(frames, period - frames) / (4.0 * KINK * period)) ** 2, 0.0)[:, None] ** 2
    return np.asarray(out + near * (_smoothed(out, KINK * period, True) - out))


def synthesis_tables(
    material: Material,
    places: Floats,
    spread: Floats,
    transition: TransitionNetwork,
    *,
    detail_frames: float,
    cyclic: bool,
) -> Tables:
    """All arrays of the inner loop."""
    rows = [closed(x) if cyclic else x for x in material.values]
    low = [_smoothed(x, detail_frames, cyclic) for x in rows]
    slope = [_slope(x, cyclic) for x in low]
    counts = np.array([len(x) for x in rows], dtype=np.intp)
    parents = transition.parent_dofs()
    return Tables(
        np.ascontiguousarray(np.concatenate(low)),
        np.concatenate([x - y for x, y in zip(rows, low, strict=True)]),
        np.concatenate(slope),
        np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.intp),
        counts,
        np.ascontiguousarray(places),
        np.array([len(x) - 1.0 for x in material.values]),
        np.ascontiguousarray(material.weights),
        material.rates.astype(np.intp),
        _profile(low, places, material.held, spread, detail_frames, cyclic),
        (_from_mean(_at_phases(low, places, cyclic)) ** 2).sum(axis=0).mean(axis=0),
        np.concatenate([[0], np.cumsum([len(p) for p in parents])]).astype(np.intp),
        np.array([p for own in parents for p in own], dtype=np.intp),
        cyclic,
    )


def _profile(low: Sequence[Floats], places: Floats, held: Bools, spread: Floats, smooth: float, cyclic: bool) -> Floats:
    """Standard deviation between the examples at every phase, (phases, DOFs); 0 for DOFs that are `held`.

    That of a single example is `spread` (see `spread_between`).
    """
    if len(low) == 1:
        profile = read_at(spread, np.linspace(0.0, len(spread) - 1.0, len(places)))
    else:
        profile = _smoothed(_at_phases(low, places, cyclic).std(axis=0, ddof=1), PROFILE * smooth, False)
    return np.where(held, 0.0, np.maximum(profile, 0.0))


def spread_between(tables: Tables) -> Floats:
    """How far the examples lie apart at each sixteenth of their length, (17, DOFs); models keep it for single ones."""
    apart = deviations(tables)
    spread = np.sqrt((apart * apart).sum(axis=0) / (len(apart) - 1))
    count = len(spread)
    smooth = _smoothed(spread, count / (2.0 * STEPS), False)
    return np.maximum(read_at(smooth, np.linspace(0.0, count - 1.0, STEPS + 1)), 0.0)


def _smoothed(x: Floats, frames: float, cyclic: bool) -> Floats:
    if frames <= 0:
        return x
    return gaussian_filter1d(x, frames, axis=0, mode="wrap" if cyclic else "nearest")


def _slope(x: Floats, cyclic: bool) -> Floats:
    if cyclic:
        return np.asarray((np.roll(x, -1, axis=0) - np.roll(x, 1, axis=0)) / 2.0)
    return np.gradient(x, axis=0) if len(x) > 1 else np.zeros_like(x)


def deviations(tables: Tables) -> Floats:
    """Smooth parts of the examples less their mean, (examples, phases, DOFs)."""
    return _from_mean(_smooth_parts(tables))


def phase_mean(tables: Tables) -> Floats:
    """The mean of the examples' smooth parts at every phase, (phases, DOFs)."""
    return np.asarray(_smooth_parts(tables).mean(axis=0))


def _smooth_parts(tables: Tables) -> Floats:
    rows = [tables.low[first : first + count] for first, count in zip(tables.firsts, tables.counts, strict=True)]
    return _at_phases(rows, tables.places, tables.cyclic)


def some_examples(tables: Tables, rng: np.random.Generator, most: int = MOST_EXAMPLES) -> Tables:
    """Tables of at most so many examples, drawn at random: one motion draws on these, so its cost has a bound."""
    count = len(tables.firsts)
    if count <= most:
        return tables
    chosen = np.sort(rng.choice(count, most, replace=False))
    rows = np.concatenate([np.arange(tables.firsts[k], tables.firsts[k] + tables.counts[k]) for k in chosen])
    counts = tables.counts[chosen]
    return tables._replace(
        low=tables.low[rows], detail=tables.detail[rows], slope=tables.slope[rows], counts=counts,
        firsts=np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.intp),
        places=np.ascontiguousarray(tables.places[:, chosen]), periods=tables.periods[chosen],
    )  # fmt: skip


def _from_mean(stack: Floats) -> Floats:
    return np.asarray(stack - stack.mean(axis=0))


def _at_phases(rows: Sequence[Floats], places: Floats, cyclic: bool) -> Floats:
    """The examples at common phases, (examples, phases, DOFs); cycles are followed by their beginning."""
    whole = [np.concatenate([x, x[:1]]) if cyclic else x for x in rows]
    return np.stack([read_at(x, places[:, k]) for k, x in enumerate(whole)])
