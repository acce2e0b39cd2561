"""The compiled poses of rows against the slow twin that the layout has."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.motion import Clip, features
from freshtake.motion.edit import with_up
from freshtake.motion.features import Start
from freshtake.motion.features.clip_features import ClipLayout
from tests.motion.puppet import steady, walk


@pytest.mark.parametrize("up", ["y", "z"])
@pytest.mark.parametrize("resume", [False, True])
def test_it_is_what_the_layout_says(up: str, resume: bool) -> None:
    clip = with_up(walk(steady(0.02, 80)), up)
    recipe = features.recipe([clip], angles="expmap", root="heading")
    layout = recipe.layout
    assert isinstance(layout, ClipLayout)
    rng = np.random.default_rng(4)
    rows = features.encode(recipe, clip).values
    rows = rows + rng.normal(0.0, 0.3, rows.shape)
    rows[3] = 0.0
    start = Start((1.5, -2.0), 0.7)
    made = features.decode(recipe, rows, start=start, resume=resume)
    assert isinstance(made, Clip)
    columns = recipe.fill(rows)
    slow = layout.pose(columns, layout.path(columns, start, resume), layout.skeleton)
    np.testing.assert_allclose(made.root, slow.root, atol=1e-13)
    np.testing.assert_allclose(made.rotations, slow.rotations, atol=1e-13)
