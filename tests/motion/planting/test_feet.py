"""Feet in the body's frame, compiled, as `body_poses` has them."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.motion.body.orientation import body_poses
from freshtake.motion.edit import turned, with_up
from freshtake.motion.planting import learn_planting
from tests.motion.puppet import steady, walk


@pytest.mark.parametrize("up", ["y", "z"])
def test_feet_are_where_body_poses_have_them(up: str) -> None:
    clip = with_up(turned(walk(steady(1, 40)), 40.0), up)
    base = learn_planting([with_up(walk(steady(1, 40)), up)])
    wanted = body_poses(clip, base.facing)[:, [3, 4, 7, 8]].reshape(40, 2, 6)
    np.testing.assert_allclose(base.feet_in_body(clip), wanted, atol=1e-9)
