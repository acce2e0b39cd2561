"""Decide whether clips are cycles: whether closing them costs less than takes differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.body.pose_space import pose_points, usual_facing
from freshtake.motion.clip import Clip

# Shares of a movement's extent, from 70 recorded and made sets: gaps of cycles are .05 to .87, of others .67 to 2.6.
CLOSED = 0.5  # below: cyclic
OPEN = 1.0  # above: acyclic; between the two it depends on how far takes differ where they begin and end
DIFFERING = 1.5  # times that difference, up to which a gap is one that takes have anyway (cycles .6 to 1.2, others 1.8)
ALONE = 0.65  # of the extent, instead of both where there are fewer than three clips
AT_REST = 0.3  # of the mean speed (cycles .66 and more): what begins and ends slower ends by itself, in whatever pose
ENDS = 0.05  # of a clip, in which that speed is measured
LEAST_CLIPS = 3


class Closing(NamedTuple):
    """How well the ends of clips meet their beginnings: medians over the clips, in leg lengths.

    `gap` is the distance of the last pose and velocity from the first, `extent` how far the movement goes about its
    mean pose, `apart` how far clips differ where they begin and end (None for fewer than three), `pace` the faster of
    the speeds at both ends over the mean one.
    """

    gap: float
    extent: float
    apart: float | None
    pace: float

    @property
    def cyclic(self) -> bool:
        """Whether the clips are one cycle each."""
        share = self.share
        if self.pace < AT_REST:
            return False
        if self.apart is None:
            return share < ALONE
        # takes that begin anywhere show nothing: how far they differ is then no measure
        alike = self.apart < OPEN * self.extent
        return share < CLOSED or (share < OPEN and alike and self.gap < DIFFERING * self.apart)

    @property
    def share(self) -> float:
        """The gap as a share of the extent."""
        return self.gap / max(self.extent, 1e-12)

    @property
    def doubtful(self) -> bool:
        """Whether poses and speeds at the ends speak for different decisions, or for none."""
        return CLOSED <= self.share < OPEN or (self.pace < AT_REST and self.share < OPEN)

    @property
    def evidence(self) -> str:
        """The reason for the decision, in words."""
        if self.pace < AT_REST:
            return "it begins and ends at rest"
        gap = f"its last pose is {100 * self.share:.0f} % of the movement's extent away from its first"
        if self.apart is None or not CLOSED <= self.share < OPEN:
            return gap
        return f"{gap}, and takes begin {100 * self.apart / max(self.extent, 1e-12):.0f} % apart"


def closing_of(clips: Sequence[Clip]) -> Closing:
    """Measure how well clips of one movement close; travel, heading, size and frame rate play no part."""
    if not clips:
        raise UsageError("there is no clip to judge: give at least one")
    reference = usual_facing(clips[0])
    points = [pose_points(clip, reference) for clip in clips]
    gap = float(np.median([np.linalg.norm(one[-1] - one[0]) for one in points]))
    extent = float(np.median([np.sqrt(((one - one.mean(axis=0)) ** 2).sum(axis=1).mean()) for one in points]))
    apart = None
    if len(clips) >= LEAST_CLIPS and len({one.shape[1] for one in points}) == 1:
        ends = np.array([[one[0], one[-1]] for one in points])
        pairs = np.triu_indices(len(clips), 1)
        apart = float(np.median(np.linalg.norm(ends[pairs[0]] - ends[pairs[1]], axis=-1)))
    paces = []
    for one in points:
        steps = np.linalg.norm(np.diff(one, axis=0), axis=1)
        count = max(1, round(ENDS * len(steps)))
        if len(steps) and steps.mean() > 1e-12:
            paces.append(max(steps[:count].mean(), steps[-count:].mean()) / steps.mean())
    return Closing(gap, extent, apart, float(np.median(paces)) if paces else 0.0)
