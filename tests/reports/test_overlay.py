"""Overlay pictures show a body from the side that they name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from freshtake import samples
from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.edit import turned
from freshtake.numeric.rotations import about_axis, inverse, multiply, rotate
from freshtake.reports.overlay import overlay
from freshtake.reports.viewport.staging import facing_z


def travel_angle(clip: Clip) -> float:
    """Degrees between z and the direction from the first to the last frame's root."""
    way = clip.root[-1] - clip.root[0]
    return float(np.degrees(np.arctan2(way[0], way[2])))


def with_other_axes(clip: Clip, angle: float) -> Clip:
    """The same motion on a skeleton whose root rests turned about the vertical."""
    turn = about_axis(np.array([0.0, 1.0, 0.0]), angle)
    rotations = clip.rotations.copy()
    rotations[:, 0] = multiply(rotations[:, 0], turn)
    offsets = clip.skeleton.offsets.copy()
    for joint in clip.skeleton.children(0):
        offsets[joint] = rotate(inverse(turn), offsets[joint])
        rotations[:, joint] = multiply(inverse(turn), rotations[:, joint])
    return clip.changed(skeleton=replace(clip.skeleton, offsets=offsets), rotations=rotations)


@pytest.mark.parametrize("angle", [0.0, 1.2, -2.5])
@pytest.mark.parametrize("axes", [0.0, np.pi / 2])
def test_gaits_are_seen_from_the_side_they_walk_past(angle: float, axes: float) -> None:
    for gait in (samples.walk, samples.run):
        clip = gait(np.random.default_rng(1))
        other = with_other_axes(clip, axes)
        np.testing.assert_allclose(other.positions(), clip.positions(), atol=1e-9)
        assert abs(travel_angle(facing_z(turned(other, angle)))) < 2.5


def test_nothing_to_draw_is_refused() -> None:
    with pytest.raises(UsageError, match="at least one clip"):
        overlay([])
