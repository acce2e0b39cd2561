"""Which frames of a take can be learned from: frozen, missing, dropped-out and still frames trap a synthesis."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from freshtake.density.marker_sets import check_seen
from freshtake.motion import Clip, PointClip
from freshtake.motion.check.frame_checks import is_tpose_first, repeated, spikes
from freshtake.motion.planting.contacts import runs
from freshtake.motion.points import fill_gaps
from freshtake.numeric.arrays import Bools, Floats

SHORT_GAP = 0.1  # seconds: shorter gaps of a marker are bridged
STILL = 0.05  # share of the usual speed below which a body stands still
STILL_FRAMES = 10  # that many frames in a row


class Cleaned(NamedTuple):
    """A take and which of its frames (frames,) are sound; `notes` are sentences about those that are not."""

    motion: Clip | PointClip
    sound: Bools
    notes: tuple[str, ...]


def cleaned(motion: Clip | PointClip, label: str) -> Cleaned:
    """Find frames that do not belong to the motion; short gaps of markers are bridged."""
    if isinstance(motion, Clip):
        return _clean_clip(motion, label)
    return _clean_points(motion, label)


def _clean_clip(clip: Clip, label: str) -> Cleaned:
    sound = np.ones(len(clip), dtype=np.bool_)
    notes = []
    if len(clip) > 1:
        same = repeated(clip)
        frozen = _long_runs(same, 1)
        notes += _note(label, "frozen", frozen)
        sound &= ~frozen
    if is_tpose_first(clip):
        sound[0] = False
        notes.append(f"{label}: frame 0 is a pose that the take does not start from; it is left out")
    jumps = np.zeros(len(clip), dtype=np.bool_)
    for burst in spikes(clip):
        jumps[burst.start + 1 : max(burst.stop + 1, burst.start + 2)] = True
    notes += _note(label, "jumping", jumps)
    return Cleaned(clip, sound & ~jumps, tuple(notes))


def _clean_points(clip: PointClip, label: str) -> Cleaned:
    check_seen(clip, label)
    positions = clip.positions.copy()
    lost = (positions == 0.0).all(axis=-1)
    positions[lost] = np.nan
    notes = []
    if lost.any():
        share = 100.0 * float(lost.mean())
        notes.append(f"{label}: {share:.2g} % of the markers' places are exactly zero and are taken as gaps")
    whole = fill_gaps(replace(clip, positions=positions), round(SHORT_GAP * clip.fps))
    gaps: Bools = np.asarray(whole.gaps().any(axis=1))
    notes += _note(label, "incomplete", gaps)
    same = np.zeros(len(clip), dtype=np.bool_)
    if len(clip) > 1:
        moved = np.abs(np.diff(np.nan_to_num(whole.positions), axis=0)).max(axis=(1, 2))
        same = _long_runs(np.concatenate([[False], moved == 0.0]) & ~gaps, 1)
    notes += _note(label, "frozen", same)
    return Cleaned(whole, ~gaps & ~same, tuple(notes))


def still(values: Floats, usual: float) -> Bools:
    """(frames,): where rows move by less than a share of the usual step for more than a few frames."""
    steps = np.linalg.norm(np.diff(values, axis=0), axis=1)
    return _long_runs(np.concatenate([steps[:1], steps]) < STILL * usual, STILL_FRAMES)


def _long_runs(mask: Bools, most: int) -> Bools:
    """Only runs of more than `most` frames."""
    out = np.zeros_like(mask)
    for start, stop in runs(mask):
        if stop - start > most:
            out[start:stop] = True
    return out


def _note(label: str, what: str, bad: Bools) -> list[str]:
    count = int(bad.sum())
    return [f"{label}: {count} of {len(bad)} frames are {what} and are left out"] if count else []


def bridge_single(values: Floats, rates: Floats) -> tuple[Floats, Floats]:
    """Rows in which a single frame repeats the one before: it is put halfway, and so is its travel."""
    values, rates = values.copy(), rates.copy()
    same = np.concatenate([[False], np.abs(np.diff(values, axis=0)).max(axis=1, initial=0.0) < 1e-12])
    for start, stop in runs(same):
        if stop - start == 1 and stop < len(values):
            values[start] = 0.5 * (values[start - 1] + values[stop])
            rates[[start, stop]] = 0.5 * (rates[start] + rates[stop])
    return values, rates
