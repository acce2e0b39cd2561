"""Iterative motion warping versus dynamic time warping: accuracy on known warps, on recorded styles, and speed."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
from tests.conftest import DATA
from tests.style.warping.known_warps import Prior, known_pair, warped_pair

import freshtake as ft
from benchmarks.timing import least_cpu, table
from freshtake.motion import Clip
from freshtake.motion.planting.contacts import contact_mask
from freshtake.numeric.dtw import warp_path
from freshtake.style import Alignment, WarpSettings, align
from freshtake.style.warping.warp_inputs import clip_rows
from freshtake.style.warping.warps import read_rows

UNIT_M = 0.0254 / 0.45  # of the recorded clips
FARTHEST = 15.0  # frames: penalty for an event without a partner
METHODS = {
    "iterative motion warping": WarpSettings(),
    "the same, z-scored DOFs": WarpSettings(scale="zscore"),
    "time warp alone": WarpSettings(method="time-warp", scale="raw"),
    "time warp alone, z-scored": WarpSettings(method="time-warp", scale="zscore"),
    "DTW type I": WarpSettings(method="dtw-1", scale="raw"),
    "DTW type I, z-scored": WarpSettings(method="dtw-1", scale="zscore"),
    "DTW type III": WarpSettings(method="dtw-3", scale="raw"),
    "DTW type III, z-scored": WarpSettings(method="dtw-3", scale="zscore"),
}


def alignment() -> str:
    """Return all tables."""
    return "\n".join([known_warps(), speed(), styles()])


def known_warps(count: int = 40) -> str:
    """Return the frames by which each method misses a known smooth warp with random scale and offset per DOF."""
    kinds = {"bundled walks": [known_pair(seed) for seed in range(count // 2)], **recorded_pairs(count // 2)}
    rows = []
    for name, settings in METHODS.items():
        errors = [np.mean([timing_error(pair, settings) for pair in pairs]) for pairs in kinds.values()]
        rows.append([name, *(f"{error:.2f}" for error in errors)])
    return table("Known warps: mean timing error, frames", ["method", *kinds], rows)


def recorded_pairs(count: int) -> dict[str, list[Prior]]:
    """Yield known warps of recorded walks, throws and jumps, if there are recorded takes."""
    out = {}
    for kind, pattern in (("recorded walks", "style/*_?.bvh"), ("throws", "throw/*.bvh"), ("jumps", "jump/*.bvh")):
        clips = [ft.read(path, unit_m=UNIT_M) for path in sorted(DATA.glob(pattern))]
        if clips:
            chosen = [clips[k % len(clips)] for k in range(count)]
            out[kind] = [warped_pair(clip_rows(c, c)[0][:300], np.random.default_rng(k)) for k, c in enumerate(chosen)]
    return out


def timing_error(pair: Prior, settings: WarpSettings) -> float:
    """Return the mean distance of the found positions from the true ones."""
    return float(np.abs(align(pair.first, pair.second, settings).path - pair.truth).mean())


def speed(count: int = 6) -> str:
    """Measure the CPU time for two motions of 300 frames and 63 DOFs, and of a compiled DTW of the same rows."""
    spent, peers, rounds = [], [], []
    for pair in sized_pairs(count):
        u, y = np.ascontiguousarray(pair.first), np.ascontiguousarray(pair.second)
        spent.append(least_cpu(lambda u=u, y=y: align(u, y), 20))  # type: ignore[misc]
        peers.append(least_cpu(lambda u=u, y=y: warp_path(u, y, 0.0), 20))  # type: ignore[misc]
        rounds.append(align(u, y).rounds)
    times = np.array(spent) / np.array(peers)
    rows = [
        ["iterative motion warping", *_both(1e3 * np.array(spent)), *_both(times), *_both(np.array(rounds), 0)],
        ["compiled DTW", *_both(1e3 * np.array(peers)), "1", "1", "", ""],
    ]
    head = ["method", "ms, mean", "worst", "× DTW, mean", "worst", "rounds, mean", "most"]
    return table(f"300 × 300 frames, 63 DOFs, {count} pairs: CPU time", head, rows)


def sized_pairs(count: int) -> list[Prior]:
    """Return pairs of 300 frames and 63 DOFs: recorded walks if there are any, otherwise samples."""
    pairs = recorded_pairs(count).get("recorded walks") or [known_pair(seed) for seed in range(count)]
    rows = [np.tile(pair.first, (3, 2))[:300, :63] for pair in pairs]
    return [warped_pair(values, np.random.default_rng(k)) for k, values in enumerate(rows)]


def _both(values: np.ndarray, digits: int = 1) -> tuple[str, str]:
    """Return the mean and the largest value."""
    return f"{values.mean():.{digits}f}", f"{values.max():.{digits}f}"


def styles() -> str:
    """Compare feet in every recorded pair of a normal and a stylized walk, and predict one walk from the other."""
    clips = {path.stem: ft.read(path, unit_m=UNIT_M) for path in sorted((DATA / "style").glob("*_?.bvh"))}
    if not clips:
        return "### Recorded styles\n\nThe data is absent: set FRESHTAKE_DATA to its folder.\n"
    pairs = [(a, b) for a, b in product(clips, clips) if a.startswith("normal") and not b.startswith("normal")]
    same = [(a, b) for a, b in product(clips, clips) if a[:-2] == b[:-2] and a < b]
    names = sorted({b[:-2] for _, b in pairs})
    rows = []
    for name, settings in [*METHODS.items(), ("cut at equal phase only", None)]:
        scored = {pair: score(clips[pair[0]], clips[pair[1]], settings) for pair in pairs}
        by_style = [np.mean([s[0] for (_, b), s in scored.items() if b[:-2] == style]) for style in names]
        rows.append(_row(name, list(scored.values()), [f"{error:.2f}" for error in by_style]))
    between = [score(clips[a], clips[b], WarpSettings()) for a, b in same]
    rows.append(_row("two takes of one style", between, ["" for _ in names]))
    head = ["method", *names, "all", "contacts agree", "regression error"]
    title = f"Recorded styles, {len(pairs)} pairs: frames (at 60 fps) between corresponding foot events"
    return table(title, head, rows)


def _row(name: str, scores: list[tuple[float, float, float]], middle: list[str]) -> list[str]:
    events, agree, error = np.mean(scores, axis=0)
    return [name, *middle, f"{events:.2f}", f"{100 * agree:.1f} %", f"{error:.2f}°"]


def score(a: Clip, b: Clip, settings: WarpSettings | None) -> tuple[float, float, float]:
    """Return frames between foot events, the fraction of equal contacts, and the regression error in degrees."""
    found = align(a, b, settings)
    if settings is None:
        found = replace(found, path=np.linspace(0.0, found.rows - 1.0, len(found)))
    masks = contacts(a)[slice(*found.first)], contacts(b)[slice(*found.second)]
    agree = float((masks[0] == masks[1][np.rint(found.path).astype(int)]).mean())
    u, y = clip_rows(a, b)
    return (
        event_distance(found, *masks),
        agree,
        regression_error(u[slice(*found.first)], y[slice(*found.second)], found),
    )


@cache
def contacts(clip: Clip) -> np.ndarray:
    """Return the contacts of feet, detected once per clip."""
    return contact_mask(clip)


def event_distance(found: Alignment, first: np.ndarray, second: np.ndarray) -> float:
    """Return the mean distance of foot strikes and lifts in the first from the nearest such event in the second."""
    apart = []
    for foot, change in product(range(first.shape[1]), (1, -1)):
        ours, theirs = (np.flatnonzero(np.diff(mask[:, foot].astype(int)) == change) + 0.5 for mask in (first, second))
        for event in np.interp(ours, np.arange(len(found)), found.path):
            apart.append(min([FARTHEST, *np.abs(theirs - event)]))
    return float(np.mean(apart))


def regression_error(u: np.ndarray, y: np.ndarray, found: Alignment) -> float:
    """Return the RMS error of a ridge prediction of the second's DOFs from the first's, learned on the other half."""
    laid, half = read_rows(y, found.path), len(u) // 2
    inputs = np.concatenate([u, np.ones((len(u), 1))], axis=1)
    squares = []
    for learned, held in ((slice(0, half), slice(half, None)), (slice(half, None), slice(0, half))):
        known = inputs[learned]
        ridge = 1e-3 * len(known) * np.eye(known.shape[1])
        ridge[-1, -1] = 0.0
        weights = np.linalg.solve(known.T @ known + ridge, known.T @ laid[learned])
        squares.append(np.mean((inputs[held] @ weights - laid[held]) ** 2))
    return float(np.degrees(np.sqrt(np.mean(squares))))


if __name__ == "__main__":
    for part in (known_warps, speed, styles):
        print(part(), flush=True)
