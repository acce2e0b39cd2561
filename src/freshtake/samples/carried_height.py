"""How high the body is carried: by the knees of the legs that stand, or in free fall between their pushes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import rotate
from freshtake.samples.gait_plan import GaitPlan
from freshtake.samples.humanoid import Build
from freshtake.samples.puppet import FootTrack, ankle_of
from freshtake.samples.smooth_curves import bounce, ease
from freshtake.samples.two_bone import reach_length

LEAST_BEND = np.radians(12.5)  # of a knee that carries


@dataclass(frozen=True)
class Support:
    """For each leg (2, frames): root heights at which its knee is as wanted or hardly bent, and how much it carries."""

    wanted: Floats
    highest: Floats
    carries: Floats


def carried_height(plan: GaitPlan, phase: Floats, legs: Support, settle: float) -> Floats:
    """Height of the root (cm).

    A gait with pushes flies in free fall between them, at the greatest height that the standing legs can reach.
    Another is carried by its knees, each in its share, smoothed over `settle` frames: a body is heavy.
    """
    if plan.pushes:
        free = bounce(phase, plan.pushes, plan.pace.period)
        return np.asarray(free + np.min(np.where(legs.carries > 0.5, legs.wanted, np.inf) - free))
    carried = np.sum(legs.carries * legs.wanted, axis=0) / np.sum(legs.carries, axis=0)
    return _within_reach(_smoothed(carried, settle), legs)


def support(
    plan: GaitPlan, phase: Floats, root: Floats, pelvis: Floats, feet: tuple[FootTrack, FootTrack], build: Build
) -> Support:
    """What each leg says about the root's height, given where the root is on the ground."""
    rows = []
    for leg, foot, sign in zip(plan.legs, feet, (1.0, -1.0), strict=True):
        hip = rotate(pelvis, build.hip * [sign, 1.0, 1.0])
        ankle = ankle_of(foot, build)
        across = np.sum((root + hip - ankle)[:, [0, 2]] ** 2, axis=1)
        reach = [reach_length(bend, build.thigh, build.shank) for bend in (np.radians(leg.knee(phase)), LEAST_BEND)]
        above = [ankle[:, 1] - hip[:, 1] + np.sqrt(np.maximum(length**2 - across, 1.0)) for length in reach]
        rows.append((*above, leg.carries(phase)))
    wanted, highest, carries = (np.stack(row) for row in zip(*rows, strict=True))
    return Support(wanted, highest, carries)


def _smoothed(values: Floats, width: float) -> Floats:
    """Gaussian smoothing over `width` frames; the ends repeat."""
    reach = int(np.ceil(3.0 * width))
    bell = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
    padded = np.pad(values, reach, mode="edge")
    return np.convolve(padded, bell / bell.sum(), mode="valid")


def _within_reach(height: Floats, legs: Support, soft: float = 0.5) -> Floats:
    """The height, rounded off (over `soft` cm) below what the legs that stand can reach."""
    over = np.where(legs.carries > 0.0, height - legs.highest, -1e3) / soft
    lowered = soft * np.logaddexp(0.0, over) * ease(1.5 * legs.carries)
    return np.asarray(height - lowered.sum(axis=0))
