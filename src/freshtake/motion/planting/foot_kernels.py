"""One frame of one foot, compiled: what goals.py and grip.py define for whole clips (see there), for streams.

Points are (2, 3), ankle and toe; of a foot without toe only the first of `count` points is used.
"""

from __future__ import annotations

import math

import numpy as np

from freshtake.motion.planting.goals import HEEL, LANDING
from freshtake.motion.planting.grip import DOUBTFUL, ROLLED, SURE
from freshtake.numeric.arrays import Floats
from freshtake.numeric.compiled import kernel

NEAR, FAR = ROLLED


@kernel
def soft_step(x: float) -> float:
    """See grip.smoothstep."""
    x = min(max(x, 0.0), 1.0)
    return x * x * (3.0 - 2.0 * x)


@kernel
def plane_of(up: int) -> tuple[int, int]:
    """The two horizontal axes."""
    return (1 if up == 0 else 0), (1 if up == 2 else 2)


@kernel
def sole_into(points: Floats, count: int, up: int, floor: Floats, out: Floats) -> None:
    """See goals.soles."""
    out[:] = points
    if count == 1:
        return
    a, b = plane_of(up)
    x, y, drop = points[1, a] - points[0, a], points[1, b] - points[0, b], points[0, up] - points[1, up]
    run = math.sqrt(x * x + y * y)
    length = math.sqrt(run * run + drop * drop)
    below = max(floor[0] - floor[1], 0.0)
    turned = math.asin(min(below / max(length, 1e-12), 1.0)) - math.atan2(drop, run)
    cosine, sine = math.cos(turned), math.sin(turned)
    behind = HEEL * length
    factor = (below * sine - behind * cosine) / max(run, 1e-12)
    out[0, a] += x * factor
    out[0, b] += y * factor
    out[0, up] -= below * cosine + behind * sine


@kernel
def heights_into(points: Floats, count: int, up: int, floor: Floats, out: Floats) -> None:
    """See goals.sole_heights."""
    sole = np.empty((2, 3))
    sole_into(points, count, up, floor, sole)
    for point in range(count):
        out[point] = sole[point, up] - floor[count - 1]


@kernel
def flags_into(flags: Floats, heights: Floats, count: int, leg: float, out: Floats) -> None:
    """See grip.point_flags; `flags` has one value or one for each point."""
    lowest = heights[0] if count == 1 else min(heights[0], heights[1])
    for point in range(count):
        sure = soft_step((flags[min(point, len(flags) - 1)] - DOUBTFUL) / (SURE - DOUBTFUL))
        down = 1.0 - soft_step(((heights[point] - lowest) / leg - NEAR) / (FAR - NEAR))
        out[point] = sure if point == 1 and len(flags) == 2 else sure * down


@kernel
def slides_into(before: Floats, points: Floats, grips: Floats, count: int, up: int, floor: Floats, out: Floats) -> None:
    """See goals.slides: the foot's slide, its grip, the ankle's slide and its grip, in six numbers."""
    a, b = plane_of(up)
    old, new = np.empty((2, 3)), np.empty((2, 3))
    sole_into(before, count, up, floor, old)
    sole_into(points, count, up, floor, new)
    ankle = grips[0]
    toe = grips[1] if count == 2 else 0.0
    out[2] = 1.0 - (1.0 - toe) * (1.0 - ankle)
    out[5] = ankle * toe
    for place, axis in enumerate((a, b)):
        out[place] = (1.0 - toe) * ankle * (new[0, axis] - old[0, axis])
        out[3 + place] = 0.0
        if count == 2:
            out[place] += toe * (new[1, axis] - old[1, axis])
            turned = points[0, axis] - points[1, axis] - before[0, axis] + before[1, axis]
            out[3 + place] = out[5] * turned


@kernel
def lifts_into(heights: Floats, grips: Floats, count: int, leg: float, band: float, step: float, out: Floats) -> None:
    """See goals.lifts."""
    own = np.zeros(2)
    middle = 0.5 * band
    for point in range(count):
        height = heights[point] / leg
        fade = 1.0 - soft_step((height - 0.5 * step) / (0.5 * step))
        wanted = middle + middle * math.tanh((height - middle) / middle) - height
        own[point] = grips[point] * fade * wanted * leg
    out[0] = own[0]
    if count == 2:
        out[0] += own[1] * (1.0 - grips[0])
        out[1] = own[1] + own[0] * (1.0 - grips[1])


@kernel
def put_on_floor(goals: Floats, points: Floats, count: int, up: int, floor: Floats, leg: float) -> None:
    """See goals.on_floor; in place."""
    soft = LANDING * leg
    for point in range(count):
        u = max((goals[point, up] - floor[point]) / soft, -1.0)
        if u < 1.0:
            goals[point, up] = floor[point] + soft * 0.25 * (u + 1.0) ** 2
    if count == 2:
        size = now = 0.0
        for axis in range(3):
            size += (points[1, axis] - points[0, axis]) ** 2
            now += (goals[1, axis] - goals[0, axis]) ** 2
        factor = math.sqrt(size) / max(math.sqrt(now), 1e-12)
        for axis in range(3):
            goals[0, axis] = goals[1, axis] - (goals[1, axis] - goals[0, axis]) * factor
