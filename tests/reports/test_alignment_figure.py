from __future__ import annotations

import pytest

from freshtake.errors import UsageError
from freshtake.reports.alignment_figure import LINES, chosen_dof, picture
from freshtake.style import WarpSettings
from freshtake.style.warping.warp_inputs import prepare
from tests.style.warping.known_warps import known_pair


def test_correspondences_are_drawn_for_both_methods() -> None:
    u, y, _ = known_pair(0)
    figure = picture(u, y, WarpSettings(), against="dtw-3", names=("one", "two"))
    titles = [axis.get_title() for axis in figure.axes]
    assert titles[1:3] == ["DTW, type III", "iterative motion warping"]
    for axis in figure.axes[1:3]:
        joined = [line for line in axis.lines if len(line.get_xdata()) == 2]
        assert len(joined) == LINES
    assert len(figure.axes[5].lines[0].get_xdata()) > 4


def test_the_dof_can_be_chosen() -> None:
    u, y, _ = known_pair(0)
    ready = prepare(u, y, WarpSettings())
    assert chosen_dof(ready, "DOF 3") == 3
    with pytest.raises(UsageError, match="no DOF 'x'"):
        chosen_dof(ready, "x")
