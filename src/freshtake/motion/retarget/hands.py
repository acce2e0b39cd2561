"""Hands as high as the source's: over the floor, the hips and the shoulders, whatever the proportions of the body."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from freshtake.motion.retarget.body_map import SIDES
from freshtake.motion.retarget.rig import Rig
from freshtake.numeric.arrays import Floats

STRETCH = 1e3  # radians: in effect no limit on how far an elbow bends for the height of its hand


def hand_moves(source: Rig, target: Rig, given: Floats, places: Floats, ankles: Floats) -> Iterator[tuple[str, Floats]]:
    """By side, how hands have to move (frames, 3), y up, from where they are to heights like the source's.

    A height between ankles and hips, or hips and shoulders, keeps its share of the way between them; above the
    shoulders it keeps its share of an arm. `ankles` are the heights at which those of target and source stand.
    """
    for side in SIDES:
        if not all(f"{side}_hand" in rig.body for rig in (source, target)):
            continue
        marks = []
        for rig, points, floor in ((target, places, ankles[0]), (source, given, ankles[1])):
            hip, shoulder = (points[:, rig.body.one(f"{side}_{part}"), 1] for part in ("upper_leg", "upper_arm"))
            marks.append((np.full_like(hip, floor), hip, shoulder, shoulder + _arm(rig, side)))
        height = given[:, source.body.one(f"{side}_hand"), 1]
        wanted = _between(height, marks[1], marks[0])
        out = np.zeros((len(places), 3))
        out[:, 1] = wanted - places[:, target.body.one(f"{side}_hand"), 1]
        yield side, out


def _arm(rig: Rig, side: str) -> float:
    joints = [rig.body.one(f"{side}_{part}") for part in ("upper_arm", "lower_arm", "hand")]
    return float(np.linalg.norm(np.diff(rig.rest.places[joints], axis=0), axis=1).sum())


def _between(height: Floats, given: tuple[Floats, ...], wanted: tuple[Floats, ...]) -> Floats:
    """Heights that lie between the wanted marks as they did between the given; beyond the ends, on as near them."""
    out = np.empty_like(height)
    for k in range(len(given) - 1):
        share = (height - given[k]) / np.where(np.abs(given[k + 1] - given[k]) < 1e-9, 1e-9, given[k + 1] - given[k])
        here = wanted[k] + share * (wanted[k + 1] - wanted[k])
        inside = (height >= given[k]) if k else np.ones(len(height), dtype=bool)
        out[inside] = here[inside]
    return out
