"""Takes of markers in one layout: the same points in the same order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import PointClip
from freshtake.numeric.arrays import Bools

LEAST = 3  # points that tell how a body is turned
SHOWN = 4  # names in a message

Takes = Mapping[str, Sequence[Any]]


def in_one_order(takes: Takes) -> dict[str, list[Any]]:
    """Markers of all takes in the first one's order; other markers are an error."""
    first = next(iter(takes.values()))[0]
    return {name: [_ordered(take, first, take.name or name) for take in found] for name, found in takes.items()}


def common_points(takes: Takes) -> dict[str, list[Any]]:
    """All takes with only the markers that are seen in every one of them, in the first one's order."""
    clips = [take for found in takes.values() for take in found]
    if not clips or not all(isinstance(clip, PointClip) for clip in clips):
        return {name: list(found) for name, found in takes.items()}
    seen = [{name for name, hidden in zip(clip.names, unseen(clip), strict=True) if not hidden} for clip in clips]
    shared = [name for name in clips[0].names if all(name in names for names in seen)]
    if len(shared) < LEAST:
        raise UsageError(f"the takes have {len(shared)} markers in common, but at least {LEAST} are needed")
    return {name: [_picked(clip, shared) for clip in found] for name, found in takes.items()}


def unseen(clip: PointClip) -> Bools:
    """(points,): markers that have no place, or exactly zero, in every frame."""
    return np.asarray((np.isnan(clip.positions) | (clip.positions == 0.0)).all(axis=(0, 2)))


def check_seen(clip: PointClip, label: str) -> None:
    """Refuse a take with a marker that is never seen."""
    hidden = [name for name, never in zip(clip.names, unseen(clip), strict=True) if never]
    if len(hidden) == len(clip.names):
        raise UsageError(f"{label}: no marker is seen in any frame: leave this take out")
    if hidden:
        told = ", ".join(hidden[:SHOWN]) + (f" and {len(hidden) - SHOWN} more" if len(hidden) > SHOWN else "")
        raise UsageError(
            f"{label}: never seen: {told}; --common (in Python, density.common_points) keeps the markers that all "
            "takes have"
        )


def _ordered(take: Any, first: Any, label: str) -> Any:
    if not isinstance(take, PointClip) or take.names == first.names:
        return take
    lacks, more = set(first.names) - set(take.names), set(take.names) - set(first.names)
    if lacks or more:
        raise UsageError(
            f"{label} has other markers than {first.name or 'the first take'}: {_told(lacks, more)}; --common (in "
            "Python, density.common_points) keeps those that all takes have"
        )
    return _picked(take, first.names)


def _told(lacks: set[str], more: set[str]) -> str:
    parts = [(word, sorted(names)) for word, names in (("it lacks", lacks), ("it also has", more)) if names]
    return ", ".join(
        f"{word} {', '.join(names[:SHOWN])}{f' and {len(names) - SHOWN} more' if len(names) > SHOWN else ''}"
        for word, names in parts
    )


def _picked(clip: PointClip, names: Sequence[str]) -> PointClip:
    columns = np.array([clip.names.index(name) for name in names], dtype=np.intp)
    return replace(clip, names=tuple(names), positions=clip.positions[:, columns])
