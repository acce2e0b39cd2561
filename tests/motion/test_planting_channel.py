"""The offset that undoes sliding: what it cancels, where it goes in between, how smoothly, how far it looks ahead."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.motion.planting.channel import fresh_channel, run_channel
from freshtake.motion.planting.grip import point_flags, ramp_weights, ramped
from freshtake.numeric.arrays import Floats

APPROACH, RELEASE = 8, 12


def offsets(path: Floats, strength: Floats, ahead: int = -1, leash: float = 1e9) -> Floats:
    """The offset of a point that moves along a path (frames, 2)."""
    slide = strength[:, None] * np.diff(path, axis=0, prepend=path[:1])
    out = np.empty((len(path), 2))
    run_channel(fresh_channel(), slide, strength, 0, len(path), ahead, APPROACH, RELEASE, leash, out)
    return out


def two_contacts(frames: int = 120) -> tuple[Floats, Floats]:
    """A path that drifts all the time, with contacts in frames 20-50 and 80-110."""
    t = np.arange(frames) / 60
    path = np.stack([0.3 * t, 0.1 * np.sin(2 * t)], axis=1)
    flags = np.zeros((frames, 1))
    flags[20:50] = flags[80:110] = 1.0
    return path, ramped(flags, 2)[:, 0]


def test_the_point_stands_still_in_contact() -> None:
    path, strength = two_contacts()
    placed = path + offsets(path, strength)
    firm = strength > 1.0 - 1e-12
    steps = np.linalg.norm(np.diff(placed, axis=0), axis=1)[firm[1:] & firm[:-1]]
    assert len(steps) > 45 and steps.max() < 1e-14


def test_the_place_is_the_median_of_the_contact() -> None:
    path, strength = two_contacts()
    out = offsets(path, strength)
    for span in (slice(20, 50), slice(80, 110)):
        held = out[span][strength[span] >= 0.5]
        np.testing.assert_allclose(np.median(held, axis=0), 0.0, atol=1e-12)


def test_far_from_contacts_nothing_is_changed() -> None:
    path, strength = two_contacts()
    out = offsets(path, strength)
    last = int(np.flatnonzero(strength[:60] > 0)[-1])
    first = 60 + int(np.flatnonzero(strength[60:] > 0)[0])
    assert not out[last + RELEASE : first - APPROACH].any()
    assert not out[: int(np.flatnonzero(strength > 0)[0]) - APPROACH].any()


def test_the_way_back_is_the_quintic_between_two_rests() -> None:
    """The slow twin of the blend: d (10 s³ - 15 s⁴ + 6 s⁵)."""
    path, strength = two_contacts()
    out = offsets(path, strength)
    last = int(np.flatnonzero(strength[:60] > 0)[-1])
    s = np.arange(1, RELEASE + 1)[:, None] / RELEASE
    wanted = out[last] * (1.0 - s**3 * (10.0 - 15.0 * s + 6.0 * s**2))
    np.testing.assert_allclose(out[last + 1 : last + 1 + RELEASE], wanted, atol=1e-12)


def test_speed_and_acceleration_never_jump() -> None:
    """At ten times the frame rate, changes of speed from frame to frame are a tenth, those of a jump would not be."""
    worst = []
    for rate in (60, 600):
        scale = rate // 60
        t = np.arange(120 * scale) / rate
        path = np.stack([0.3 * t, 0.1 * np.sin(2 * t)], axis=1)
        flags = np.zeros((len(t), 1))
        flags[20 * scale : 50 * scale] = flags[68 * scale : 110 * scale] = 1.0
        strength = ramped(flags, 2 * scale)[:, 0]
        slide = strength[:, None] * np.diff(path, axis=0, prepend=path[:1])
        out = np.empty((len(t), 2))
        run_channel(fresh_channel(), slide, strength, 0, len(t), -1, APPROACH * scale, RELEASE * scale, 1e9, out)
        worst.append(np.abs(np.diff(path + out, 2, axis=0)).max() * rate)
    assert worst[1] < 0.2 * worst[0]


def test_a_blend_that_is_interrupted_goes_on_with_its_speed_and_acceleration() -> None:
    """The slow twin: the polynomial of degree five through both ends, from a linear system."""
    strength = np.zeros(80)
    strength[:31] = strength[44:] = 1.0
    slide = np.zeros((80, 2))
    slide[1:31], slide[45:] = [0.01, -0.02], [0.005, 0.003]
    out = np.empty((80, 2))
    run_channel(fresh_channel(), slide, strength, 0, 80, -1, APPROACH, RELEASE, 1e9, out)
    s = 5 / RELEASE  # five frames of the way back are done when the way to the next contact begins
    speed = -out[30] * 30 * s**2 * (1 - s) ** 2 / RELEASE
    bend = -out[30] * 60 * s * (1 - s) * (1 - 2 * s) / RELEASE**2
    n = float(APPROACH)
    powers = np.arange(6)
    ends = [n**powers, powers * n ** np.maximum(powers - 1, 0), powers * (powers - 1) * n ** np.maximum(powers - 2, 0)]
    rows = np.array([np.eye(6)[0], np.eye(6)[1], 2 * np.eye(6)[2], *ends])
    zero = np.zeros(2)
    wanted = np.linalg.solve(rows, np.stack([zero, speed, bend, out[43] - out[35], zero, zero]))
    times = np.arange(1, APPROACH + 1)[:, None] ** powers
    np.testing.assert_allclose(out[36:44], out[35] + times @ wanted, atol=1e-10)
    assert np.linalg.norm(speed) > 0.01 and np.linalg.norm(out[43] - out[35]) > 0.01


@pytest.mark.parametrize("ahead", [10, 20, 40])
def test_nothing_beyond_the_lookahead_matters(ahead: int) -> None:
    path, strength = two_contacts()
    other = strength.copy()
    other[60 + ahead + 1 :] = 1.0
    np.testing.assert_array_equal(offsets(path, strength, ahead)[:61], offsets(path, other, ahead)[:61])


def test_a_long_slide_is_held_by_a_leash() -> None:
    path = np.stack([np.arange(600) * 0.01, np.zeros(600)], axis=1)
    out = offsets(path, np.ones(600), leash=0.2)
    assert np.abs(out[400:]).max() < 0.45
    assert np.abs(offsets(path, np.ones(600))).max() > 2.5


def test_standing_from_the_first_frame_needs_no_approach() -> None:
    path, _ = two_contacts()
    placed = path + offsets(path, np.ones(len(path)))
    np.testing.assert_allclose(placed, np.broadcast_to(np.median(path, axis=0), path.shape), atol=1e-12)


def test_ramps_keep_full_contacts_and_sum_to_one() -> None:
    assert ramp_weights(3).sum() == pytest.approx(1.0)
    flags = np.zeros((30, 1))
    flags[10:20] = 1.0
    soft = ramped(flags, 2)[:, 0]
    assert soft[12:18].min() == pytest.approx(1.0) and soft[:8].max() == soft[22:].max() == 0.0
    assert ((soft[8:12] > 0) & (soft[8:12] < 1)).all()
    np.testing.assert_array_equal(ramped(np.ones((5, 2)), 2).round(12), 1.0)


def test_only_what_is_down_of_a_foot_is_held() -> None:
    flags = np.array([1.0, 1.0, 1.0, 0.1])
    heights = np.array([[0.0, 0.0], [0.2, 0.0], [0.0, 0.2], [0.0, 0.0]])
    np.testing.assert_array_equal(point_flags(flags[:, None], heights, 1.0), [[1, 1], [0, 1], [1, 0], [0, 0]])
    pairs = np.repeat(flags[:, None], 2, axis=1)
    np.testing.assert_array_equal(point_flags(pairs, heights, 1.0), [[1, 1], [0, 1], [1, 1], [0, 0]])
