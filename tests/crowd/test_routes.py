"""Walkers keep apart: velocities against a slow search, and the nearest two of crossing streams over all steps."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from freshtake.crowd.collision_avoidance import HalfPlanes, Neighbors, allowed_velocities, half_planes
from freshtake.crowd.plan import Avoidance
from freshtake.crowd.routes import STEP, SWAY, Walkers, polylines_of, simulate_routes
from freshtake.numeric.arrays import Floats

HORIZON = 3.0


def pair(place: Floats, velocity: Floats, radius: float, share: float = 0.5) -> HalfPlanes:
    """The velocities that two discs allow each other."""
    seen = Neighbors(
        (place[::-1] - place)[:, None], (velocity - velocity[::-1])[:, None], np.full((2, 1), radius),
        np.full((2, 1), share), np.ones((2, 1), dtype=bool),
    )  # fmt: skip
    return half_planes(velocity, seen, HORIZON, STEP)


def nearest(place: Floats, velocity: Floats) -> float:
    times = np.linspace(0.0, HORIZON, 300)[:, None]
    return float(np.linalg.norm((place[1] - place[0]) + times * (velocity[1] - velocity[0]), axis=1).min())


def test_two_who_keep_to_their_half_planes_do_not_meet_and_change_no_more_than_needed() -> None:
    rng = np.random.default_rng(3)
    met = 0
    for _ in range(120):
        place, velocity, wish = rng.uniform(-3, 3, (2, 2)), rng.normal(0, 1, (2, 2)), rng.normal(0, 1, (2, 2))
        if np.linalg.norm(place[1] - place[0]) < 0.65:
            continue
        met += nearest(place, velocity) < 0.6
        planes = pair(place, velocity, 0.6)
        new = allowed_velocities(planes, wish, np.full(2, 9.0))
        assert nearest(place, new) > 0.6 - 1e-6
        kept = allowed_velocities(planes, velocity, np.full(2, 9.0))
        if nearest(place, velocity) < 0.6:  # together they just miss each other
            assert nearest(place, kept) == pytest.approx(0.6, abs=2e-3)
        else:
            np.testing.assert_allclose(kept, velocity, atol=1e-9)
    assert met > 10


def test_velocities_are_the_nearest_allowed_ones_of_a_fine_search() -> None:
    rng = np.random.default_rng(5)
    grid = np.stack(np.meshgrid(*[np.linspace(-1.5, 1.5, 151)] * 2), axis=-1).reshape(-1, 2)
    grid = grid[np.hypot(*grid.T) <= 1.5]
    found = 0
    for _ in range(40):
        count = int(rng.integers(1, 6))
        angle = rng.uniform(0, 2 * np.pi, count)
        normal = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
        planes = HalfPlanes(rng.normal(0, 0.6, (1, count, 2)), normal[None], np.ones((1, count), dtype=bool))
        wish = rng.normal(0, 1, (1, 2))
        allowed = (((grid[:, None] - planes.point) * planes.normal).sum(axis=-1) >= 0.0).all(axis=1)
        if allowed.sum() < 50:
            continue
        best = np.linalg.norm(grid[allowed] - wish, axis=1).min()
        own = allowed_velocities(planes, wish, np.array([1.5]))
        assert best - 0.1 < np.linalg.norm(own - wish) < best + 1e-9
        assert ((own[:, None] - planes.point) * planes.normal).sum(axis=-1).min() > -1e-9
        found += 1
    assert found > 20


def streams(radius: float = 0.3) -> Walkers:
    """A hundred in two blocks whose routes cross at a right angle."""
    block = 1.1 * np.stack(np.meshgrid(np.arange(5.0), np.arange(10.0)), axis=-1).reshape(-1, 2)
    place = np.concatenate([block - [9.0, 5.0], block[:, ::-1] - [5.0, 11.0]])
    direction = np.repeat([[1.0, 0.0], [0.0, 1.0]], 50, axis=0)
    speed = np.random.default_rng(0).uniform(1.1, 1.5, 100)
    return Walkers(place, speed, np.full(100, radius), direction, np.full((100, 2), np.nan))


def test_crossing_streams_of_a_hundred_keep_apart_and_get_through() -> None:
    walkers = streams()
    routes = simulate_routes(walkers, 10.0, Avoidance(), np.random.default_rng(1))
    between = np.concatenate([routes, 0.5 * (routes[:, 1:] + routes[:, :-1])], axis=1)
    apart = min(pdist(places).min() for places in between.transpose(1, 0, 2))
    assert apart > 0.6  # and a little sway of bodies is left beyond it
    through = simulate_routes(walkers, 10.0, None, np.random.default_rng(1))
    assert min(pdist(places).min() for places in through.transpose(1, 0, 2)) < 0.3
    gone = ((routes[:, -1] - routes[:, 0]) * walkers.direction).sum(axis=1)
    assert gone.min() > 3.0 and gone.mean() > 0.75 * 10.1 * walkers.speed.mean()
    again = simulate_routes(walkers, 1.0, Avoidance(), np.random.default_rng(1))
    np.testing.assert_array_equal(routes[:, : again.shape[1]], again)


def test_who_stands_is_gone_around_and_stays() -> None:
    place = np.array([[0.0, 0.0], [0.0, 5.0], [4.0, 5.0]])
    walkers = Walkers(
        place, np.array([1.3, 0.0, 1.3]), np.full(3, 0.3), np.array([[0.0, 1.0], [0.0, 1.0], [-1.0, 0.0]]),
        np.array([[0.0, 12.0], [np.nan, np.nan], [np.nan, np.nan]]),
    )  # fmt: skip
    routes = simulate_routes(walkers, 10.0, Avoidance(), np.random.default_rng(0))
    assert (routes[1] == place[1]).all()
    assert np.linalg.norm(routes[0] - routes[1], axis=1).min() > 0.6 + 2 * SWAY - 1e-3
    assert routes[0, -1, 1] > 10.0 and abs(routes[0, -1, 0]) < 0.5  # and back to its target
    assert routes[2, -1, 0] < -6.0


def test_polylines_are_followed_from_the_nearest_point_and_round_again() -> None:
    corner = np.array([[0.0, 0.0], [0.0, 8.0], [8.0, 8.0]])
    ring = np.array([[20.0, 0.0], [24.0, 0.0], [24.0, 4.0], [20.0, 4.0], [20.0, 0.0]])
    place = np.array([[0.4, 2.0], [20.0, 3.0]])
    polylines = polylines_of([[ring, corner]], np.zeros(2, dtype=np.intp), place, 40.0)
    walkers = Walkers(place, np.full(2, 1.3), np.zeros(2), np.full((2, 2), np.nan), np.full((2, 2), np.nan), polylines)
    routes = simulate_routes(walkers, 16.0, None, np.random.default_rng(0))
    for line, own in ((np.vstack([corner, [30.0, 8.0]]), routes[0, 10:]), (ring, routes[1])):
        a, leg = line[:-1], np.diff(line, axis=0)
        share = np.clip(((own[:, None] - a) * leg).sum(axis=-1) / (leg**2).sum(axis=-1), 0.0, 1.0)
        off = np.linalg.norm(own[:, None] - a - share[..., None] * leg, axis=-1).min(axis=1)
        assert off.max() < 0.4 and off.mean() < 0.15
    assert routes[0, -1, 0] > 10.0 and abs(routes[0, -1, 1] - 8.0) < 0.05  # straight on after the end
    turned = np.unwrap(np.angle(routes[1] @ [1, 1j] - (22 + 2j)))
    assert turned[-1] - turned[0] > 2 * np.pi  # once round, in the direction of the points
