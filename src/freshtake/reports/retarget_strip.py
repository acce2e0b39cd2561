"""Strips of stick figures: a clip and what became of it on other rigs, one below the other at the same moments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.body.roles import leg_length
from freshtake.reports.canvas import new_figure
from freshtake.reports.overlay import COLORS, stick_figures

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def retarget_strip(clips: Sequence[tuple[str, Clip]], phases: int = 12) -> Figure:
    """The named clips, the source first, each at `phases` moments from its side and in its own scale."""

    if not clips or phases < 1:
        raise UsageError("a strip needs at least one clip and one moment")
    figure = new_figure(1.0 * phases, 1.75 * len(clips))
    for number, (axis, (name, clip)) in enumerate(
        zip(np.atleast_1d(figure.subplots(len(clips), 1)), clips, strict=True)
    ):
        stick_figures(axis, clip, phases, reach=1.15 * leg_length(clip.skeleton), color=COLORS[min(number, 1)])
        axis.set_title(name, fontsize=9, loc="left")
    return figure
