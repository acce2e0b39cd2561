from __future__ import annotations

from dataclasses import replace

import numpy as np

from freshtake.density import learn
from freshtake.density.even_jumps import JumpTable, _shown_bends, _without, without_whips
from freshtake.density.jumps import SHARP, SHARPEST
from freshtake.density.possible_jumps import BEFORE
from freshtake.samples import walk
from tests.density.made import one_orbit


def test_sharp_jumps_go_unless_a_kernel_has_no_other_one() -> None:
    counts, here = np.array([2, 0, 1, 3]), np.array([0, 0, 2, 3, 3, 3])
    table = JumpTable(counts, np.arange(6), np.array([0.25, 0.75, 1.0, 0.5, 0.3, 0.2]), np.array([4.0, 1.0, 2.0, 1.0]))
    found = _without(table, here, np.array([True, False, True, False, True, False]))
    np.testing.assert_allclose(found.chances, [0.0, 1.0, 1.0, 0.5 / 0.7, 0.0, 0.2 / 0.7])
    np.testing.assert_allclose(found.jump_rates, [3.0, 0.0, 0.0, 0.7])  # what is left of how often there was a jump
    assert (found.goals == table.goals).all()


def test_bends_are_those_of_the_decoded_clip_and_sharp_ones_are_not_made() -> None:
    """A thigh that turns about itself at once is not seen in the modes of a straight leg, but in what comes after."""
    take = walk(np.random.default_rng(1), cycles=6, fps=30.0, amount=2.0)
    model = learn({"walk": [take]})
    here = np.repeat(np.arange(len(model.weights)), model.jumps.counts)
    bends, limit = _shown_bends(model, here), SHARPEST / SHARP * float(model.limits[0, 0])
    drawn = model.jumps.chances * model.jumps.jump_rates[here] > 0.0
    assert drawn.sum() > 50 and bends[drawn].max() <= limit
    turning = model.turning
    assert turning is not None
    columns = turning.columns.copy()
    spun = int(here[drawn][len(here[drawn]) // 2])
    columns[spun - 1 : spun + 1, 5:8] += np.array([[-0.8], [0.8]])
    other = replace(model)
    other.__dict__["turning"] = turning._replace(columns=columns)
    left = without_whips(other)
    assert model.jumps.jump_rates[spun] > 0.0 and left.jump_rates[spun] < 0.5 * model.jumps.jump_rates[spun]
    far = np.abs(np.arange(len(model.weights)) - spun) > 8
    far &= ~np.isin(np.arange(len(far)), here[np.abs(model.jumps.goals - spun) <= 8])
    np.testing.assert_allclose(left.jump_rates[far], model.jumps.jump_rates[far], rtol=1e-6)
    assert len(BEFORE) > 1  # also between frames


def test_rows_that_are_no_body_keep_their_jumps() -> None:
    model = one_orbit()
    assert without_whips(model) is model.jumps
