"""Polylines that walkers follow: sampled evenly, with the nearest point ahead found among few of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Bools, Floats, Ints

SPACING = 0.1  # metres between samples
AHEAD = 1.0  # metres ahead of the nearest point that a walker heads for: corners are cut by about a quarter of it
WINDOW = 3.0  # metres along a polyline in which the nearest point is looked for: it may cross itself


class Polylines(NamedTuple):
    """Samples (samples, 2) of all polylines, one after the other; for every walker its sample at the start.

    `has` says who follows a polyline at all. Polylines go on beyond their end: straight, or round again where the last
    point is the first.
    """

    samples: Floats
    first: Ints  # (walkers,)
    has: Bools

    def ahead(self, at: Ints) -> Floats:
        """What walkers at these samples head for."""
        return np.asarray(self.samples[at + round(AHEAD / SPACING)])

    def advanced(self, at: Ints, place: Floats) -> Ints:
        """The sample nearest to each place, not before the one that it was at."""
        window = at[:, None] + np.arange(round(WINDOW / SPACING))
        off = self.samples[window] - place[:, None]
        return np.asarray(at + (off[..., 0] ** 2 + off[..., 1] ** 2).argmin(axis=1))


def polylines_of(lines: Sequence[Sequence[Floats]], group: Ints, place: Floats, longest: float) -> Polylines | None:
    """For walkers of groups with polylines: each follows the one of its group that it stands nearest to.

    `longest` is how far anybody walks.
    """
    from scipy.spatial import cKDTree

    if not any(len(group_lines) for group_lines in lines):
        return None
    samples: list[Floats] = []
    first, has = np.zeros(len(place), dtype=np.intp), np.zeros(len(place), dtype=bool)
    count_so_far = 0
    for number, group_lines in enumerate(lines):
        members = np.flatnonzero(group == number)
        nearest = np.full(len(members), np.inf)
        for line in group_lines:
            points, count = _sampled(line, longest)
            nearest_samples = cKDTree(points[:count]).query(place[members])
            far, index = np.asarray(nearest_samples[0]), np.asarray(nearest_samples[1])
            closer = far < nearest
            nearest[closer], first[members[closer]] = far[closer], count_so_far + index[closer]
            samples.append(points)
            count_so_far += len(points)
        has[members] = len(group_lines) > 0
    return Polylines(np.concatenate(samples), first, has)


def _sampled(line: Floats, longest: float) -> tuple[Floats, int]:
    """Samples of a polyline and of what comes after it, and how many are of the polyline itself."""
    steps = np.linalg.norm(np.diff(line, axis=0), axis=1)
    marks = np.concatenate([[0.0], np.cumsum(steps)])
    beyond = longest + AHEAD + 2.0 * WINDOW
    along = SPACING * np.arange(int((marks[-1] + beyond) / SPACING) + 2)
    count = int(marks[-1] / SPACING) + 1
    if len(line) > 2 and np.array_equal(line[0], line[-1]):
        along = np.mod(along, marks[-1])
    out = np.stack([np.interp(along, marks, line[:, k]) for k in range(2)], axis=1)
    out += np.maximum(along - marks[-1], 0.0)[:, None] * (line[-1] - line[-2]) / steps[-1]
    return out, count
