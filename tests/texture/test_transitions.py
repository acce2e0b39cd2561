"""Blending: shares of eqs. 9-11, offsets that fade, rotations blended as rotations."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.motion.features import decode
from freshtake.numeric.rotations import angle_between
from freshtake.texture import Settings
from freshtake.texture.examples import material_of
from freshtake.texture.frame_distance import laid_out
from freshtake.texture.play_kernels import CONSTANT, NO_BLEND, VARIABLE, Rules, inserted
from freshtake.texture.transitions import (
    LONGER,
    Fades,
    MadeJumps,
    Played,
    back,
    blended,
    decay,
    linear_share,
    longest_fade,
    paced,
    printed_share,
    turning_of,
    usual_bend,
    with_offsets,
)
from tests.texture.made import circling, long_walk, second_differences


def test_shares_of_inserted_frames() -> None:
    t, b = np.array([1, 2, 3]), np.array([3, 3, 3])
    np.testing.assert_allclose(linear_share(t, b), [1 / 4, 2 / 4, 3 / 4])
    np.testing.assert_allclose(printed_share(t, b), [1 / 9, 1 / 6, 1 / 3])  # as printed it stops at a third


def test_length_follows_the_distance() -> None:
    """Equation 11 as printed, rounded to whole frames, and never more than a second or two of them."""
    poses = np.random.default_rng(3).normal(size=(9, 4)) * np.arange(9)[:, None] ** 2
    for i in range(9):
        for j in range(9):
            b = round(float(np.linalg.norm(poses[i] - poses[j])) / 0.7)
            assert inserted(Rules(0, VARIABLE, 3, 0.7), poses, i, j) == min(b, 60)
    assert inserted(Rules(0, CONSTANT, 3, 1.0), poses, 0, 1) == 3
    assert inserted(Rules(0, NO_BLEND, 3, 1.0), poses, 0, 1) == 0


def test_inserted_frames_lie_on_the_way() -> None:
    rows = circling()
    played = Played(
        *(
            np.array(x)
            for x in ([7, 7, 7, 7, 90], [7, 90, 90, 90, 90], [0, 1, 2, 3, 0], [0, 3, 3, 3, 0], [-1, -1, -1, -1, 7])
        )
    )
    out = blended(rows, played, laid_out([300], ["all"]), None, False)
    for t, share in enumerate([0.0, 0.25, 0.5, 0.75]):
        np.testing.assert_allclose(out[t], rows[7] + share * (rows[90] - rows[7]))
    np.testing.assert_allclose(out[4], rows[90])


@pytest.mark.parametrize("frames", [4, 10, 30])
def test_an_offset_continues_place_and_velocity_and_dies_away(frames: int) -> None:
    fade = decay(frames)
    constant = fade.sum(axis=1)  # offsets alike one and two frames before: no velocity
    assert constant[0] < 1.0 and (np.diff(constant) < 0).all() and (constant > 0).all()
    t = np.arange(-1, frames + 2)
    n = frames + 1.0
    a, b = 0.7, -0.2  # (1 - t/n)^3 (a + b t) must come out exactly from its own values at 0 and -1
    curve = (1 - t / n) ** 3 * (a + b * t)
    np.testing.assert_allclose(fade @ curve[[1, 0]], curve[2:-1], atol=1e-12)
    assert abs(curve[-1]) < 1e-12


def test_rows_before_a_take_are_drawn_backward() -> None:
    rows = np.arange(8.0)[:, None] ** 2
    segments = laid_out([4, 4], ["all", "all"])
    assert back(rows, np.array([2, 0, 4]), 1, segments)[:, 0].tolist() == [1.0, -1.0, 7.0]
    assert back(rows, np.array([4]), 2, segments)[0, 0] == -2.0


def test_a_jump_is_as_smooth_as_the_take() -> None:
    rows, segments = circling(), laid_out([300], ["all"])
    source = np.concatenate([np.arange(40, 80), np.arange(31, 90)])  # frame 80 resembles 30, not 31
    hard = rows[source]
    soft = with_offsets(
        hard.copy(), MadeJumps(np.array([40]), np.array([79]), np.array([31]), 10), rows, segments, None
    )
    usual = second_differences(rows).max()
    assert second_differences(hard).max() > 4 * usual
    assert second_differences(soft).max() < 2.0 * usual
    np.testing.assert_array_equal(soft[:40], hard[:40])
    np.testing.assert_array_equal(soft[50:], hard[50:])


def test_offsets_at_the_end_of_a_loop_continue_at_its_start() -> None:
    rows, segments = circling(), laid_out([300], ["all"])
    out = rows[np.arange(20, 40)]
    jump = MadeJumps(np.array([18]), np.array([80]), np.array([38]), 6)
    around = with_offsets(out.copy(), jump, rows, segments, None, around=True)
    twice = with_offsets(np.tile(out, (2, 1)), jump, rows, segments, None)
    np.testing.assert_allclose(around[18:], twice[18:20])
    np.testing.assert_allclose(around[:4], twice[20:24])


def test_a_jump_within_the_fade_of_another_meets_what_is_shown() -> None:
    """Rotations do not commute: the newer jump's offset is applied to the pose, the older one's to the result."""
    material = material_of(long_walk(3), Settings())
    turning, rows = turning_of(material.recipe), material.rows
    assert turning is not None
    source = np.concatenate([np.arange(10, 20), np.arange(45, 51), np.arange(80, 110)])
    both = MadeJumps(np.array([10, 16]), np.array([19, 50]), np.array([45, 80]), 25)
    shown = with_offsets(rows[source], both, rows, material.segments, turning)
    apart = [[turning.apart(rows[[i - k]], rows[[j - 1 - k]])[0] for k in (0, 1)] for i, j in ((19, 45), (50, 80))]
    older, newer = decay(25)[[6]] @ np.array(apart[0]), decay(25)[[0]] @ np.array(apart[1])
    wanted = turning.moved(turning.moved(rows[[80]], newer), older)
    other = turning.moved(turning.moved(rows[[80]], older), newer)
    np.testing.assert_allclose(shown[[16]], wanted, atol=1e-12)
    assert np.abs(other - wanted).max() > 1e-3


def test_a_fade_is_as_long_as_its_jump_needs() -> None:
    """The first length with which a jump is not among the sharpest moments; the same on every call."""
    rows, segments = circling(), laid_out([300], ["all"])
    fades = Fades(rows, segments, None, 10, lambda x: x, 1.5 * usual_bend(rows, segments))
    left, entered, found = np.array([79, 79, 79]), np.array([30, 31, 32]), []
    for i, j in zip(left, entered, strict=True):
        bends = []
        for length in (round(10 * times) for times in LONGER):
            shown = np.concatenate([rows[i - 1 : i + 1], rows[j : j + length]])
            shown[2:] += decay(length) @ np.stack([rows[i] - rows[j - 1], rows[i - 1] - rows[j - 2]])
            bends.append(second_differences(shown).max())
        good = np.flatnonzero(np.array(bends) <= fades.most)
        found.append(round(10 * LONGER[int(good[0]) if len(good) else int(np.argmin(bends))]))
    assert fades(left, entered).tolist() == found and found[0] == 10 < found[2]
    assert max(found) <= longest_fade(10)
    np.testing.assert_array_equal(fades(left[::-1], entered[::-1]), found[::-1])


def test_rotations_are_blended_as_rotations() -> None:
    material = material_of(long_walk(2), Settings())
    turning = turning_of(material.recipe)
    assert turning is not None and material.recipe is not None
    a, b = material.rows[[5]], material.rows[[40]]
    made = turning.between(a, b, np.array([0.5]))
    qa, qb, qm = (decode(material.recipe, x).rotations[0, 1:] for x in (a, b, made))
    np.testing.assert_allclose(angle_between(qa, qm), angle_between(qb, qm), atol=1e-9)
    np.testing.assert_allclose(angle_between(qa, qm) * 2, angle_between(qa, qb), atol=1e-9)
    apart = turning.apart(a, b)
    np.testing.assert_allclose(turning.moved(b, apart), a, atol=1e-9)
    np.testing.assert_allclose(turning.moved(b, 0.0 * apart), b, atol=1e-12)


def test_a_loop_at_another_tempo_keeps_its_path() -> None:
    t = np.arange(40)
    rows = np.stack([np.full(40, 3.0), np.sin(2 * np.pi * t / 40)], axis=1)
    out = paced(rows, 50, None, 1)
    assert len(out) == 50 and np.isclose(out[:, 0].sum(), rows[:, 0].sum())
    np.testing.assert_allclose(out[:, 1], np.sin(2 * np.pi * np.arange(50) / 50), atol=0.01)
