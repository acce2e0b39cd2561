"""Is the frame rate plausible? Whatever flies falls at 9.8 m/s², if the rate and the unit are right."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.motion.body.roles import feet, leg_length, pelvis
from freshtake.motion.check.finding import Finding, called
from freshtake.motion.clip import Clip
from freshtake.motion.planting.contacts import floor_heights, runs

GRAVITY = 9.81
COMMON_RATES = (24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 90.0, 100.0, 120.0, 150.0, 200.0, 240.0, 250.0)
PLAUSIBLE = (0.7, 1.4)  # measured over true gravity
LIFTED = 0.05  # leg lengths above the floor from which a foot is off the ground
RISE = 0.05  # leg lengths that the pelvis must rise or fall in flight


class Flight(NamedTuple):
    """Frames start to stop (exclusive) off the ground, and the fall of the pelvis there in units per second squared."""

    start: int
    stop: int
    fall: float


def flights(clip: Clip) -> list[Flight]:
    """Spells with all feet off the floor in which the height of the pelvis is a parabola, with its top inside."""
    all_feet = feet(clip.skeleton)
    if not all_feet or len(clip) < 8:
        return []
    joints = [joint for foot in all_feet for joint in foot.joints]
    leg = leg_length(clip.skeleton)
    levels = clip.positions()[..., clip.up_index]
    heights, center = levels[:, joints], levels[:, pelvis(clip.skeleton)]
    lifted = (heights - floor_heights(clip) > LIFTED * leg).all(axis=1) & (center - heights.max(axis=1) > 0.22 * leg)
    out = []
    for start, stop in runs(lifted):
        if stop - start >= 8:
            fall = _parabola(center[start + 1 : stop - 1] / leg, clip.frame_time)
            if fall is not None:
                out.append(Flight(start, stop, fall * leg))
    return out


def _parabola(height: np.ndarray[tuple[int], np.dtype[np.float64]], frame_time: float) -> float | None:
    """The constant fall of a flight in legs/s², None where the height is no parabola with its top inside."""
    frames = np.arange(len(height)) - (len(height) - 1) / 2.0
    curve = np.polynomial.polynomial.Polynomial.fit(frames, height, 2).convert().coef
    if len(curve) < 3 or curve[2] >= 0 or np.ptp(height) < RISE:
        return None
    residual = height - (curve[0] + curve[1] * frames + curve[2] * frames**2)
    top = -curve[1] / (2.0 * curve[2])
    if residual.var() > 0.015 * height.var() or abs(top) > frames[-1]:
        return None
    return float(-2.0 * curve[2] / frame_time**2)


def measured_gravity(clip: Clip) -> float | None:
    """Median free fall of the clip in m/s²; None where nothing flies or the unit is not known."""
    if clip.unit_m is None:
        return None
    falls = [flight.fall for flight in flights(clip)]
    return float(np.median(falls)) * clip.unit_m if falls else None


def check_rate(clip: Clip) -> list[Finding]:
    """A free fall that is not gravity's: the frame rate (or the unit) is not what the file says."""
    gravity = measured_gravity(clip)
    if gravity is None or PLAUSIBLE[0] <= gravity / GRAVITY <= PLAUSIBLE[1]:
        return []
    fitting = clip.fps * float(np.sqrt(GRAVITY / gravity))
    nearest = min(COMMON_RATES, key=lambda rate: abs(np.log(rate / fitting)))
    rate = nearest if abs(np.log(nearest / fitting)) < 0.12 else round(fitting, 1)
    frames = tuple(frame for flight in flights(clip) for frame in range(flight.start, flight.stop))
    sentence = (
        f"{called(clip)}: the body falls at {gravity:.1f} m/s² instead of 9.8, so {clip.fps:.4g} fps cannot be right"
        f" (or the unit of {clip.unit_m:.4g} m is not); {rate:g} fps would fit: repair with relabel-fps={rate:g}"
    )
    return [Finding("fps", sentence, frames, repair=f"relabel-fps={rate:g}")]
