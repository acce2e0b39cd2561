"""The observer: against a plain double loop, and on sequences whose repeats are known."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.repeats import RATE, STEP, WINDOW, acuity, nearest_earlier, nearest_other, noticed_at, views

from freshtake.errors import UsageError
from freshtake.evaluation.study.schedule import cycle_animation, variant_sequence
from freshtake.motion.cycles.seams import join
from freshtake.motion.edit import resample, turned
from freshtake.numeric.arrays import Floats
from tests.evaluation.stepping import takes
from tests.motion.cycles.test_joining import seams


def apart(a: Floats, b: Floats) -> float:
    return float(np.sqrt(((a[::STEP] - b[::STEP]) ** 2).sum(axis=1).mean()))


def slow_nearest(view: Floats, window: int) -> list[float]:
    out = []
    for s in range(0, len(view) - window + 1, STEP):
        past = [apart(view[s : s + window], view[e : e + window]) for e in range(s - window + 1)]
        out.append(min(past, default=np.inf))
    return out


def test_nearest_earlier_equals_the_double_loop() -> None:
    for frames, window in ((40, 4), (41, 5), (33, 6), (9, 4)):
        view = np.random.default_rng(1).normal(size=(frames, 3))
        assert np.allclose(nearest_earlier(view, window), slow_nearest(view, window))
    assert len(nearest_earlier(view[:3], 4)) == 0
    view = np.random.default_rng(1).normal(size=(40, 3))
    a, b = view[:18], view[18:]
    slow = [min(apart(a[i : i + 5], b[j : j + 5]) for j in range(18)) for i in range(0, 14, STEP)]
    assert np.allclose(nearest_other(a, b, 5), slow)


def test_views_know_neither_travel_nor_heading_nor_rate() -> None:
    clip = takes(2, 1)[0]
    way = np.outer(np.linspace(0, 1, len(clip)), [3.0, 0.0, 8.0])
    elsewhere = turned(clip.changed(root=clip.root + way), 0.0)
    same = views([clip, elsewhere, resample(clip, 120.0)])
    assert np.abs(same[0] - same[1]).max() < 1e-9
    assert np.abs(same[0] - same[2]).max() < 1e-9
    first, second = views([clip, takes(3, 1)[0]])
    frame = np.linalg.norm(first[0] - second[0])
    assert frame > 0


def test_a_repeat_is_noticed_as_soon_as_its_first_window_has_passed() -> None:
    first, second, third = takes(4, 3)
    sequence = join([first, second, third, second], blend=0.0)
    seen = views([first, second, third, sequence])
    limit = acuity(seen[:3], WINDOW)
    distances = nearest_earlier(seen[3], WINDOW)
    begins = seams([first, second, third, second])[3] / 60
    assert begins < noticed_at(distances, [0.5 * limit], WINDOW)[0] < begins + 0.7
    assert distances.min() < 1e-3 < limit
    fresh = nearest_earlier(views([join([first, second, third], blend=0.0)])[0], WINDOW)
    assert (fresh >= limit * 0.99).all()
    assert noticed_at(fresh, [limit * 0.99], WINDOW)[0] == np.inf


def test_cycle_animation_repeats_and_fresh_takes_do_not() -> None:
    inputs, fresh = takes(5, 4), takes(6, 12)
    cycle, order = cycle_animation(inputs, 12, np.random.default_rng(1))
    new, _ = variant_sequence(fresh, 12, np.random.default_rng(2))
    seen = views([*inputs, *fresh, cycle, new])
    limit = acuity(seen[:16], WINDOW)
    repeats, fresh_ones = (nearest_earlier(view, WINDOW) for view in seen[16:])
    old_news, news = (noticed_at(one, [0.9 * limit], WINDOW)[0] for one in (repeats, fresh_ones))
    again = next(k for k in range(1, 12) if order[k] in order[:k])
    assert abs(old_news - seams([inputs[k] for k in order])[again] / 60) < 1.2
    assert (repeats < 0.9 * limit).mean() > 0.4
    assert (fresh_ones < 0.9 * limit).mean() < 0.05 and news > old_news


def test_coarser_eyes_notice_sooner() -> None:
    view = np.cumsum(np.random.default_rng(7).normal(size=(300, 2)), axis=0)
    limits = [0.0, 0.5, 1.0, 2.0, 5.0, 1e9]
    distances = nearest_earlier(view, 5)
    times = noticed_at(distances, limits, 5)
    for limit, time in zip(limits, times, strict=True):
        below = np.flatnonzero(distances < limit)
        assert time == ((STEP * below[0] + 5) / RATE if len(below) else np.inf)
    assert (np.diff(times[np.isfinite(times)]) <= 0).all() and times[0] == np.inf
    assert times[-1] == pytest.approx((6 + 5) / RATE)  # the first that another can have passed before


def test_what_cannot_be_watched_says_so() -> None:
    with pytest.raises(UsageError, match="at least one"):
        views([])
    with pytest.raises(UsageError, match="two different takes"):
        acuity([np.zeros((30, 2))], 5)
    with pytest.raises(UsageError, match="shorter"):
        acuity([np.zeros((30, 2)), np.zeros((3, 2))], 5)
