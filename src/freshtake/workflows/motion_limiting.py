"""Motion of a robot kept within the limits of its joints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from freshtake.errors import UsageError
from freshtake.formats.read_options import Motion
from freshtake.motion import Stroke
from freshtake.motion.kind_words import kind_word

Limits = Mapping[str, tuple[float, float]]


class Limiter:
    """Sets values beyond the limits of their joint to them, and counts them; columns without limits stay."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.beyond = dict.fromkeys(limits, 0)
        self.total = 0

    def __call__(self, motion: Motion) -> Motion:
        """The motion within its limits; only tables have joints that limits are for."""
        if not isinstance(motion, Stroke):
            raise UsageError(f"--limits is for tables of joint values, not for a {kind_word(motion)}")
        unknown = [joint for joint in self.limits if joint not in motion.dimensions]
        if unknown:
            columns = ", ".join(motion.dimensions[:40])
            raise UsageError(f"--limits names {unknown[0]!r}, which is not a column; the columns are {columns}")
        points = motion.points.copy()
        for joint, (low, high) in self.limits.items():
            column = motion.dimensions.index(joint)
            limited = np.clip(points[:, column], low, high)
            self.beyond[joint] += int(np.count_nonzero(limited != points[:, column]))
            points[:, column] = limited
        self.total += len(points)
        return replace(motion, points=points)

    def report(self, warn: Callable[[str], None]) -> None:
        """Say which joint was limited most."""
        joint = max(self.beyond, key=lambda name: self.beyond[name])
        if self.beyond[joint]:
            touched = sum(count > 0 for count in self.beyond.values())
            share = 100.0 * self.beyond[joint] / max(self.total, 1)
            most = f"{joint!r} in {share:.1f} % of frames" + (", the most" if touched > 1 else "")
            warn(f"{touched} joint{'s' * (touched > 1)} went beyond the limits and stopped there: {most}")
