"""A motion of any kind at another frame rate."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any, TypeVar, cast

import numpy as np

from freshtake.motion.clip import Clip
from freshtake.motion.edit import places_at_rate, resample
from freshtake.motion.mesh import MeshSequence
from freshtake.motion.points import PointClip
from freshtake.motion.stroke import Stroke, resample_stroke

ROUNDED = 1e-4  # how far frame times in files are off by rounding

EXACT = 1e-14  # what arithmetic leaves of a rate such as 30 / 1.001

AnyMotion = TypeVar("AnyMotion", bound=Clip | Stroke | PointClip | MeshSequence)


def nominal_frame_time(frame_time: float, slack: float = 0.0) -> float:
    """Return one over the whole rate, or the rate of television (29.97), that a frame time was rounded from.

    Args:
        frame_time: seconds, as a file has them.
        slack: relative error that the file's own numbers have, beyond digits that were left out.

    Returns:
        The exact frame time, or the one given where rounding does not explain the difference: 0.0166667 is 60 frames
        per second written with seven digits, 0.0166 is not.
    """
    fps = 1.0 / frame_time
    for rate in (float(round(fps)), round(fps * 1.001) / 1.001):
        if rate > 0.0 and _rounded_from(frame_time, 1.0 / rate, slack):
            return frame_time if rate % 1.0 and abs(frame_time * rate - 1.0) < EXACT else 1.0 / rate
    return frame_time


def _rounded_from(value: float, exact: float, slack: float) -> bool:
    """Return whether a number is another one in single precision, or with digits left out."""
    off = abs(value / exact - 1.0)
    if off <= slack or np.float32(value) == np.float32(exact):
        return True
    digits = max(-Decimal(repr(value)).as_tuple().exponent, 0)  # type: ignore[operator]
    return off < ROUNDED and abs(value - exact) < 10.0**-digits


def at_rate(motion: AnyMotion, fps: float) -> AnyMotion:
    """At another rate, whatever it is; meshes and points by linear interpolation."""
    return cast(AnyMotion, _at_rate(motion, fps))


def _at_rate(motion: Clip | Stroke | PointClip | MeshSequence, fps: float) -> Clip | Stroke | PointClip | MeshSequence:
    if abs(fps * motion.frame_time - 1.0) < ROUNDED:  # the same frames, with exactly the requested rate
        return replace(motion, frame_time=1.0 / fps) if not isinstance(motion, Stroke) else motion
    if isinstance(motion, Clip):
        return resample(motion, fps)
    if isinstance(motion, Stroke):
        return resample_stroke(motion, fps)
    place = places_at_rate(len(motion), motion.frame_time, fps)
    low = np.minimum(place.astype(np.intp), max(len(motion) - 2, 0))
    high = np.minimum(low + 1, len(motion) - 1)
    share = (place - low)[:, None, None]

    def between(values: Any) -> Any:
        return values[low] + share * (values[high] - values[low])

    if isinstance(motion, PointClip):
        return replace(motion, positions=between(motion.positions), frame_time=1.0 / fps)
    attributes = {k: between(v) if v.ndim == 3 else v for k, v in motion.attributes.items()}
    normals = None if motion.normals is None else between(motion.normals)
    return replace(
        motion, vertices=between(motion.vertices), normals=normals, attributes=attributes, frame_time=1.0 / fps
    )
