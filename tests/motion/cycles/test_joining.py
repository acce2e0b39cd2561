"""Joined clips: nothing is lost or moved beyond the blend, and the step between clips is gone."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.errors import SkeletonMismatch, UsageError
from freshtake.motion import Clip, Skeleton
from freshtake.motion.cycles.seams import fading, join
from freshtake.motion.edit import aligned_to, heading, resample, take_frames, turned, with_up
from freshtake.numeric.rotations import angle_between
from tests.evaluation.stepping import take, takes


def seams(clips: list[Clip]) -> list[int]:
    """Return the frames of the joined motion at which each clip begins."""
    return [0, *np.cumsum([len(clip) - 1 for clip in clips[:-1]]).tolist()]


def moving(seed: int) -> list:
    """Takes that travel and end elsewhere than they begin."""
    out = []
    for k, clip in enumerate(takes(seed, 3)):
        way = np.outer(np.linspace(0, 1, len(clip)), [2.0, 0.0, 9.0])
        out.append(turned(take_frames(clip.changed(root=clip.root + way), 5 * k, len(clip) - 4), 0.4 * k))
    return out


def test_one_clip_stays_and_lengths_add_up() -> None:
    clips = moving(1)
    assert np.array_equal(join(clips[:1]).rotations, clips[0].rotations)
    joined = join(clips)
    assert len(joined) == sum(len(clip) for clip in clips) - 2


def test_beyond_the_blend_every_clip_is_itself() -> None:
    clips, blend = moving(2), 0.2
    joined = join(clips, blend=blend)
    first, reach = seams(clips)[1], round(blend * clips[0].fps)
    part = take_frames(joined, first + reach, first + len(clips[1]))
    whole = take_frames(clips[1], reach)
    assert angle_between(part.rotations[:, 1:], whole.rotations[:, 1:]).max() < 1e-6
    placed = aligned_to(whole, take_frames(part, 0, 1))
    assert np.abs(placed.positions() - part.positions()).max() < 1e-6


def test_the_last_frame_of_a_clip_is_where_the_next_begins() -> None:
    clips = moving(3)
    joined = join(clips)
    first = seams(clips)[1]
    assert angle_between(joined.rotations[first], clips[0].rotations[-1]).max() < 1e-6
    assert np.allclose(joined.root[first], clips[0].root[-1])
    turn = heading(joined)
    assert np.abs(np.diff(turn)).max() < 0.1


@pytest.mark.parametrize("blend", [0.3, 0.5, 10.0])
def test_the_step_is_gone(blend: float) -> None:
    """The largest acceleration at a seam is no larger than what the clips themselves have, and far below a cut's."""
    clips = moving(4)

    def hardest(joined_with: float) -> float:
        joined = join(clips, blend=joined_with)
        hard = np.linalg.norm(np.diff(joined.positions(), 2, axis=0), axis=-1).max(axis=1)
        return max(float(hard[s - 2 : s + 2].max()) for s in seams(clips)[1:])

    own = max(np.linalg.norm(np.diff(c.positions(), 2, axis=0), axis=-1).max() for c in clips)
    assert hardest(blend) < 2.0 * own
    assert hardest(0.0) > 3 * hardest(blend)


def test_any_vertical_axis_will_do() -> None:
    clips = moving(5)
    upright = join([with_up(clip, "z") for clip in clips])
    assert np.abs(with_up(upright, "y").positions() - join(clips).positions()).max() < 1e-9


def test_fading_begins_with_the_difference_and_ends_with_none() -> None:
    time = np.linspace(0.0, 0.5, 50_001)
    still, moving_on = fading(time, 0.4)
    step = time[1]
    assert (still[0], moving_on[0]) == (1.0, 0.0)
    assert np.gradient(still, step)[0] == pytest.approx(0.0, abs=1e-3)
    assert np.gradient(moving_on, step)[0] == pytest.approx(1.0, abs=1e-3)
    after = time >= 0.4
    assert np.abs(still[after]).max() < 1e-12 and np.abs(moving_on[after]).max() < 1e-12
    for curve in (still, moving_on):  # neither speed nor acceleration jumps at the end
        assert np.abs(np.gradient(np.gradient(curve, step), step)[np.abs(time - 0.4) < 0.001]).max() < 1.0


def test_what_cannot_be_joined_says_why() -> None:
    clip = take(np.random.default_rng(1))
    with pytest.raises(UsageError, match="at least one clip"):
        join([])
    with pytest.raises(UsageError, match="0 seconds or more"):
        join([clip], blend=-1.0)
    with pytest.raises(UsageError, match="resample"):
        join([clip, resample(clip, 30.0)])
    other = Skeleton(("Hips", "A"), np.array([-1, 0]), np.zeros((2, 3)))
    with pytest.raises(SkeletonMismatch):
        join([clip, clip.changed(skeleton=other, rotations=clip.rotations[:, :2])])
