from __future__ import annotations

import numpy as np
import pytest

from freshtake.density import learn
from freshtake.density.pose_density import arrivals
from freshtake.density.possible_jumps import MARGIN, Bounds, parts_of
from freshtake.density.runs import Limits
from freshtake.numeric.arrays import Floats
from tests.density.made import FRAME_TIME, PERIOD, orbit


def parts(*runs: Floats, cyclic: bool | None = None):  # type: ignore[no-untyped-def]
    y = np.concatenate(runs)
    places = np.concatenate([np.concatenate([x, arrivals(x)], axis=1) for x in runs])
    bends = np.concatenate([np.linalg.norm(np.diff(x, 2, axis=0), axis=1) for x in runs])
    bounds = Bounds(PERIOD, 4.0, Limits(1.2 * float(np.percentile(bends, 99.9)), 0.8, 0.33 / FRAME_TIME))
    return parts_of(y, places, np.array([len(x) for x in runs]), bounds, cyclic)


def test_a_way_that_leads_nowhere_is_cut_off() -> None:
    loop = orbit(1, 5)
    way = np.linspace(0.0, 60.0, 80)[1:, None] * np.ones(6)
    found = parts(np.concatenate([loop, loop[-1] + way]), cyclic=True)
    assert (found.frames < len(loop) - 60).sum() > 0.9 * (len(loop) - 60)
    assert found.frames.max() < len(loop) + 20
    assert len(found.allowed) == len(found.frames) == found.pieces[-1][1]


def test_kept_kernels_can_always_go_on() -> None:
    found = parts(orbit(1, 4), orbit(2, 3))
    assert found.cyclic
    assert found.allowed.sum() > 100 and found.allowed[found.jumps.there].all()
    for _, stop in found.pieces:
        assert stop - 1 in found.jumps.here
    reached, ahead = np.zeros(len(found.frames), dtype=bool), [int(found.jumps.there[0])]
    landings = found.jumps.landings(found.pieces)
    while ahead:  # from one kernel on, by every path: offsets have faded before the next jump
        here = ahead.pop()
        for source, goal, landing in zip(found.jumps.here, found.jumps.there, landings, strict=True):
            if source == here and not reached[goal : landing + 1].all():
                reached[goal : landing + 1] = True
                ahead.append(int(landing))
        if here + 1 < len(reached) and all(here + 1 != start for start, _ in found.pieces) and not reached[here + 1]:
            reached[here + 1] = True
            ahead.append(here + 1)
    assert reached.mean() > 0.9


def test_a_way_from_here_to_there_is_acyclic() -> None:
    rng = np.random.default_rng(0)
    u = np.linspace(0.0, 1.0, 90)[:, None]
    takes = [u * 10.0 + np.sin(4 * u + k) * rng.normal(1.0, 0.02, 6) for k in (0.0, 0.05, 0.1)]
    assert not parts(*takes).cyclic
    model = learn({"throw": takes}, frame_time=FRAME_TIME)
    assert model.cyclic == (False,)
    once = model.rows(np.random.default_rng(1), frames=400, endless=False)
    assert 70 <= len(once) <= 110  # ends with the takes
    assert np.abs(once[-1, 0] - model.weights[[89, 179, 269], 0]).min() < 0.5
    assert len(model.rows(np.random.default_rng(1), frames=400)) == 400  # or starts over


def test_cyclic_can_be_said() -> None:
    assert learn({"a": [orbit(1)]}, frame_time=FRAME_TIME, cyclic={"a": False}).cyclic == (False,)
    with pytest.raises(Exception, match="no class 'b'"):
        learn({"a": [orbit(1)]}, frame_time=FRAME_TIME, cyclic={"b": False})


def test_a_long_end_that_is_unlike_the_rest_is_left_out_and_the_class_still_goes_round() -> None:
    """More than a cycle of something else at the end: cyclic by its period, left where play can continue."""
    loop = orbit(1, 10)
    way = np.linspace(0.0, 8.0, 160)[1:, None] * np.ones(6)
    model = learn({"a": [np.concatenate([loop, loop[-1] + way])]}, frame_time=FRAME_TIME)
    assert model.cyclic == (True,)
    assert 0.8 * len(loop) < len(model.weights) < len(loop) + 10


def test_a_take_whose_last_steps_lead_on_only_by_large_jumps_is_left_before_them() -> None:
    """The end comes near in pose but moves off: a jump from it leads away from the data, and one before it does not."""
    loop = orbit(1, 6)
    drift = np.cumsum(np.linspace(0.0, 0.25, 12))[:, None] * np.ones(6)
    take = loop.copy()
    take[-12:] += drift
    plain, off = (learn({"a": [x]}, frame_time=FRAME_TIME) for x in (loop, take))
    assert len(plain.weights) >= len(loop) - PERIOD and len(off.weights) <= len(loop) - 8
    limit = off.limits[0, 1]
    rows = off.rows(np.random.default_rng(0), frames=3000)[:, : off.modes]
    away = np.linalg.norm(rows[:, None] - off.weights[None], axis=2).min(axis=1)
    assert away.max() <= limit


def test_a_take_whose_cycles_meet_for_moments_only_is_followed_all_the_same() -> None:
    """Each cycle is rotated out of the previous one's plane: usual fades lead too far away, quick ones do not."""
    t = np.arange(10.0 * PERIOD)
    angle, tilt = 2.0 * np.pi * t / PERIOD, 0.16 * t / PERIOD
    take = np.stack([np.cos(angle), np.sin(angle) * np.cos(tilt), np.sin(angle) * np.sin(tilt)], axis=1) * 10.0
    model = learn({"a": [take]}, frame_time=FRAME_TIME, cyclic={"a": True})
    assert len(model.weights) > 0.8 * len(take)
    rows = model.rows(np.random.default_rng(0), frames=4000)[:, : model.modes]
    away = np.linalg.norm(rows[:, None] - model.encode(take)[None], axis=2).min(axis=1)
    assert away.max() <= 1.25 * model.limits[0, 1]


def test_jumps_lead_to_other_cycles_and_never_to_where_a_take_begins() -> None:
    """A pose is held for a third of every cycle: the nearest moments, in the same cycle, do not count."""
    u = np.arange(12 * PERIOD) / PERIOD
    slow = u + np.sin(2.0 * np.pi * u) / (2.0 * np.pi) * 0.97  # nearly at rest once a cycle
    rng = np.random.default_rng(3)
    sizes = 1.0 + 0.02 * rng.normal(size=(1, 4))
    take = np.stack([np.cos(2 * np.pi * slow), np.sin(2 * np.pi * slow), np.cos(4 * np.pi * slow), 0.1 * u], axis=1)
    model = learn({"a": [take * sizes]}, frame_time=FRAME_TIME)
    here = np.repeat(np.arange(len(model.weights)), model.jumps.counts)
    assert len(here) > 50 and (np.abs(model.jumps.goals - here) >= 0.75 * PERIOD - 1.0).all()
    found = parts(take * sizes, cyclic=True)
    assert found.frames[found.jumps.there].min() >= MARGIN
