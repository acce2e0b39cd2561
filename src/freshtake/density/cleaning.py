"""Select the takes and frames to learn from: markers in one layout, no frozen, missing or still frames.

Frozen, missing and still frames would trap a synthesis.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip, PointClip
from freshtake.motion.check.checks import is_tpose_first, repeated, spikes
from freshtake.motion.kinds import fill_gaps
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.curves import runs

LEAST = 3  # points that determine the orientation of a body
SHOWN = 4  # names listed in a message

Takes = Mapping[str, Sequence[Any]]


def in_one_order(takes: Takes) -> dict[str, list[Any]]:
    """Return all takes with their markers in the order of the first take; refuse takes with other markers."""
    first = next(iter(takes.values()))[0]
    return {name: [_ordered(take, first, take.name or name) for take in group] for name, group in takes.items()}


def common_points(takes: Takes) -> dict[str, list[Any]]:
    """Keep only the markers that are seen in every take, in the first take's order.

    Args:
        takes: the takes of each class; anything but point clips is returned unchanged.

    Returns:
        The takes of each class, all with the same markers, at least three.
    """
    clips = [take for group in takes.values() for take in group]
    if not clips or not all(isinstance(clip, PointClip) for clip in clips):
        return {name: list(group) for name, group in takes.items()}
    seen = [{name for name, hidden in zip(clip.names, unseen(clip), strict=True) if not hidden} for clip in clips]
    shared = [name for name in clips[0].names if all(name in names for names in seen)]
    if len(shared) < LEAST:
        raise UsageError(f"the takes have {len(shared)} markers in common, but at least {LEAST} are needed")
    return {name: [_picked(clip, shared) for clip in group] for name, group in takes.items()}


def unseen(clip: PointClip) -> Bools:
    """Return which markers (points,) are missing, or exactly zero, in every frame."""
    return np.asarray((np.isnan(clip.positions) | (clip.positions == 0.0)).all(axis=(0, 2)))


def check_seen(clip: PointClip, label: str) -> None:
    """Refuse a take with a marker that is never seen."""
    hidden = [name for name, never in zip(clip.names, unseen(clip), strict=True) if never]
    if len(hidden) == len(clip.names):
        raise UsageError(f"{label}: no marker is seen in any frame: leave this take out")
    if hidden:
        raise UsageError(
            f"{label}: never seen: {_some(hidden)}; --common (in Python, density.common_points) keeps the markers "
            "common to all takes"
        )


def _ordered(take: Any, first: Any, label: str) -> Any:
    if not isinstance(take, PointClip) or take.names == first.names:
        return take
    lacks, more = (sorted({*a.names} - {*b.names}) for a, b in ((first, take), (take, first)))
    if lacks or more:
        parts = ("it lacks", lacks), ("it also has", more)
        odd = ", ".join(f"{word} {_some(names)}" for word, names in parts if names)
        raise UsageError(
            f"{label} has different markers from {first.name or 'the first take'}: {odd}; --common (in "
            "Python, density.common_points) keeps those common to all takes"
        )
    return _picked(take, first.names)


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def _picked(clip: PointClip, names: Sequence[str]) -> PointClip:
    columns = np.array([clip.names.index(name) for name in names], dtype=np.intp)
    return replace(clip, names=tuple(names), positions=clip.positions[:, columns])


class Cleaned(NamedTuple):
    """A take, its sound frames (frames,), and `notes` about the other frames."""

    motion: Clip | PointClip
    sound: Bools
    notes: tuple[str, ...]


def cleaned(motion: Clip | PointClip, label: str) -> Cleaned:
    """Find frames that do not belong to the motion; short gaps of markers are bridged."""
    return _clean_clip(motion, label) if isinstance(motion, Clip) else _clean_points(motion, label)


def _clean_clip(clip: Clip, label: str) -> Cleaned:
    frozen = _long_runs(repeated(clip), 1) if len(clip) > 1 else np.zeros(len(clip), dtype=np.bool_)
    sound, notes = ~frozen, _note(label, "frozen", frozen)
    if is_tpose_first(clip):
        sound[0] = False
        notes.append(f"{label}: frame 0 is a pose unrelated to the take's start; it is left out")
    jumping = np.zeros(len(clip), dtype=np.bool_)
    for burst in spikes(clip):
        jumping[burst.start + 1 : max(burst.stop + 1, burst.start + 2)] = True
    notes += _note(label, "jumping", jumping)
    return Cleaned(clip, sound & ~jumping, tuple(notes))


def _clean_points(clip: PointClip, label: str) -> Cleaned:
    check_seen(clip, label)
    positions = clip.positions.copy()
    lost = (positions == 0.0).all(axis=-1)
    positions[lost] = np.nan
    notes = []
    if lost.any():
        share = 100.0 * float(lost.mean())
        notes.append(f"{label}: {share:.2g} % of marker positions are exactly zero; they are treated as gaps")
    # Gaps of a marker up to a tenth of a second are bridged, longer gaps are left out.
    filled = fill_gaps(replace(clip, positions=positions), round(0.1 * clip.fps))
    gaps: Bools = np.asarray(filled.gaps().any(axis=1))
    notes += _note(label, "incomplete", gaps)
    same = np.zeros(len(clip), dtype=np.bool_)
    if len(clip) > 1:
        moved = np.abs(np.diff(np.nan_to_num(filled.positions), axis=0)).max(axis=(1, 2))
        same = _long_runs(np.concatenate([[False], moved == 0.0]) & ~gaps, 1)
    notes += _note(label, "frozen", same)
    return Cleaned(filled, ~gaps & ~same, tuple(notes))


def still(values: Floats, usual: float) -> Bools:
    """Mark frames (frames,) in which rows move by less than a fraction of the usual step for more than a few frames."""
    steps = np.linalg.norm(np.diff(values, axis=0), axis=1)
    # A body slower than 5 % of its usual speed for ten frames is still, and a synthesis would get stuck there.
    return _long_runs(np.concatenate([steps[:1], steps]) < 0.05 * usual, 10)


def _long_runs(mask: Bools, most: int) -> Bools:
    """Keep only runs of more than `most` frames."""
    out = np.zeros_like(mask)
    for start, stop in runs(mask):
        if stop - start > most:
            out[start:stop] = True
    return out


def _note(label: str, what: str, bad: Bools) -> list[str]:
    count = int(bad.sum())
    return [f"{label}: {count} of {len(bad)} frames are {what} and are left out"] if count else []


def bridge_single(values: Floats, rates: Floats) -> tuple[Floats, Floats]:
    """Return rows and travel with single repeated frames interpolated."""
    values, rates = values.copy(), rates.copy()
    same = np.concatenate([[False], np.abs(np.diff(values, axis=0)).max(axis=1, initial=0.0) < 1e-12])
    for start, stop in runs(same):
        if stop - start == 1 and stop < len(values):
            values[start] = 0.5 * (values[start - 1] + values[stop])
            rates[[start, stop]] = 0.5 * (rates[start] + rates[stop])
    return values, rates
