"""Velocities at which discs do not collide: optimal reciprocal collision avoidance for a complete crowd at once.

Any two walkers share the change of velocity that keeps them apart for a while: each has a half-plane of allowed
velocities (van den Berg, Guy, Lin and Manocha, Reciprocal n-body collision avoidance, 2011). A walker chooses the
velocity inside all its half-planes that is nearest to its preferred velocity or, if there is none, the least bad of a
few candidates.

Only sums, products, quotients and square roots are used, which are identical on every machine.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Bools, Floats, Ints

SMALL = 1e-9
_RING = np.array([[1.0, 0.0], [0.75, 0.66], [0.25, 0.97], [-0.25, 0.97], [-0.75, 0.66]])
CANDIDATES = np.concatenate([_RING, -_RING, 0.5 * _RING, -0.5 * _RING, np.zeros((1, 2))])


class HalfPlanes(NamedTuple):
    """The velocities v that each neighbor leaves a walker: (v - point) . normal >= 0; shapes (walkers, neighbors).

    Where `there` is false, there is no neighbor.
    """

    point: Floats
    normal: Floats
    there: Bools

    def of(self, walkers: Ints) -> HalfPlanes:
        """Select the half-planes of some walkers."""
        return HalfPlanes(self.point[walkers], self.normal[walkers], self.there[walkers])


class Neighbors(NamedTuple):
    """Neighbors as seen by walkers: relative positions and velocities, and sums of radii.

    `share` is the fraction of the change that the walker makes: half next to a walker, all next to someone standing.
    """

    place: Floats  # (walkers, neighbors, 2)
    velocity: Floats  # the walker's velocity minus the neighbor's
    radius: Floats
    share: Floats
    there: Bools


def half_planes(velocity: Floats, seen: Neighbors, horizon: float, step: float) -> HalfPlanes:
    """Find which velocities walkers with velocities (walkers, 2) may take so that none collide within `horizon` s.

    Walkers that already overlap are separate after one `step`.
    """
    place, radius = seen.place, seen.radius
    far2, reach2 = _dot(place, place), radius**2
    apart = far2 > reach2
    within = np.where(apart, horizon, step)
    away = seen.velocity - place / within[..., None]
    length = np.maximum(np.sqrt(_dot(away, away)), SMALL)
    along = _dot(away, place)
    # The nearest point of the obstacle is on its round end or on one of its two straight sides.
    round_end = ~apart | ((along < 0.0) & (along**2 > reach2 * length**2))
    normal = away / length[..., None]
    change = (radius / within - length)[..., None] * normal
    tangent = np.sqrt(np.maximum(far2 - reach2, 0.0))
    side = np.where(_cross(place, away) > 0.0, 1.0, -1.0)
    x, y = place[..., 0], place[..., 1]
    ray = np.stack([x * tangent - side * y * radius, side * x * radius + y * tangent], axis=-1)
    ray /= np.maximum(far2, SMALL)[..., None]
    on_side = _dot(seen.velocity, ray)[..., None] * ray - seen.velocity
    side_normal = side[..., None] * np.stack([-ray[..., 1], ray[..., 0]], axis=-1)
    normal = np.where(round_end[..., None], normal, side_normal)
    change = np.where(round_end[..., None], change, on_side)
    return HalfPlanes(velocity[:, None] + seen.share[..., None] * change, normal, seen.there)


def allowed_velocities(planes: HalfPlanes, wish: Floats, fastest: Floats) -> Floats:
    """Find velocities (walkers, 2) nearest to `wish` that all half-planes allow, at speeds up to `fastest` (walkers,).

    Half-planes are added one by one; a velocity that the next half-plane forbids moves to its border, as near to the
    wish as the previous half-planes allow.
    """
    length = np.sqrt(_dot(wish, wish))
    velocity = wish * np.minimum(1.0, fastest / np.maximum(length, SMALL))[:, None]
    possible = np.ones(len(wish), dtype=bool)
    for k in range(planes.point.shape[1]):
        off = _dot(velocity - planes.point[:, k], planes.normal[:, k])
        rows = np.flatnonzero((off < 0.0) & planes.there[:, k] & possible)
        if len(rows) == 0:
            continue
        on_border, exists = _on_border(planes.of(rows), k, wish[rows], fastest[rows])
        velocity[rows[exists]] = on_border[exists]
        possible[rows[~exists]] = False
    impossible = np.flatnonzero(~possible)
    velocity[impossible] = _least_bad(planes.of(impossible), wish[impossible], fastest[impossible])
    return velocity


def _on_border(planes: HalfPlanes, k: int, wish: Floats, fastest: Floats) -> tuple[Floats, Bools]:
    """Find the point on border k nearest to the wish that half-planes before k allow, and whether it exists."""
    point, normal = planes.point[:, k], planes.normal[:, k]
    along = np.stack([normal[:, 1], -normal[:, 0]], axis=1)
    middle = -_dot(point, along)
    # The border crosses the disc of possible speeds between these ends; without a real root, they do not meet.
    discriminant = middle**2 + fastest**2 - _dot(point, point)
    reach = np.sqrt(np.maximum(discriminant, 0.0))
    low, high = middle - reach, middle + reach
    good = discriminant >= 0.0
    for j in range(k):
        there = planes.there[:, j]
        slope = _dot(along, planes.normal[:, j])
        gap = _dot(planes.point[:, j] - point, planes.normal[:, j])
        # Parallel borders never cross: they allow either all of this border or none of it.
        parallel = np.abs(slope) < SMALL
        good &= ~(there & parallel & (gap > 0.0))
        at = gap / np.where(parallel, 1.0, slope)
        low = np.where(there & ~parallel & (slope > 0.0), np.maximum(low, at), low)
        high = np.where(there & ~parallel & (slope < 0.0), np.minimum(high, at), high)
    good &= low <= high
    at = np.clip(_dot(wish - point, along), low, np.maximum(low, high))
    return point + at[:, None] * along, good


def _least_bad(planes: HalfPlanes, wish: Floats, fastest: Floats) -> Floats:
    """Choose, from the wish and a few other velocities, those that violate half-planes least."""
    tried = np.concatenate([wish[:, None], fastest[:, None, None] * CANDIDATES[None]], axis=1)
    off = ((tried[:, :, None] - planes.point[:, None]) * planes.normal[:, None]).sum(axis=-1)
    worst = np.where(planes.there[:, None], off, np.inf).min(axis=-1)
    return np.asarray(tried[np.arange(len(wish)), worst.argmax(axis=1)])


def _dot(a: Floats, b: Floats) -> Floats:
    return np.asarray(a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1])


def _cross(a: Floats, b: Floats) -> Floats:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])
