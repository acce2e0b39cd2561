"""When the frames of an animation are taken: at a given rate, at the rate of its keys, or at 60 per second."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.errors import FormatError
from freshtake.formats.gltf.animation import Animation
from freshtake.formats.gltf.container import Container
from freshtake.formats.read_options import ReadOptions
from freshtake.motion.rates import nominal_frame_time
from freshtake.numeric.arrays import Floats

_SINGLE = 1e-6  # of a rate: what single precision leaves of it
_SLOWEST = 10.0  # keys farther apart than this many to the second are poses set by hand, not a frame rate


class Timing(NamedTuple):
    """When frames are taken, and the time between them."""

    times: Floats
    frame_time: float


def timing(container: Container, animation: Animation, options: ReadOptions, columns: int) -> Timing:
    """Frames from the earliest key to the latest: at `fps`, else at the keys' own rate, else at 60 with a warning."""
    keys = _merged(np.concatenate([track.times for track in animation.tracks]))
    start, length = float(keys[0]), float(keys[-1] - keys[0])
    if options.fps is not None:
        step = 1.0 / options.fps
    else:
        step = _own_step(keys, animation.frame_time) or _assumed_step(container, animation, options, len(keys))
    slack = min(_slack(keys, step), 0.2)
    count = np.floor(length / step + slack) + 1
    limit = max(1_000_000, container.size // 2)
    if not count * columns <= limit:
        raise FormatError(
            container.path,
            f"{length:g} s at {1 / step:g} fps would make {count:g} frames, too many for a file of this size: "
            "give a lower fps",
            f"animation {animation.name!r}",
        )
    times = start + step * np.arange(int(count))
    nearest = keys[np.clip(np.searchsorted(keys, times - slack * step), 0, len(keys) - 1)]
    return Timing(np.where(np.abs(nearest - times) <= slack * step, nearest, times), step)


def _own_step(keys: Floats, noted: float | None) -> float | None:
    """The frame time that puts every key on a frame, None where there is none or it is too slow to be one."""
    if noted is not None and _on_grid(keys, noted):
        return noted
    if len(keys) < 2:
        return None
    length, gaps = float(keys[-1] - keys[0]), np.diff(keys)
    for count in (len(gaps), length / float(np.median(gaps)), length / float(gaps.min())):
        rate = max(round(count), 1) / length
        if rate >= _SLOWEST and _on_grid(keys, 1.0 / rate):
            return nominal_frame_time(1.0 / rate, _SINGLE)
    return None


def _merged(times: Floats) -> Floats:
    """All key times in order; those that differ by no more than single precision are one."""
    keys = np.unique(times)
    is_new = np.diff(keys) > max(1e-7, 4e-7 * float(np.abs(keys).max()))
    return np.asarray(keys[np.concatenate([[True], is_new])])


def _on_grid(keys: Floats, step: float) -> bool:
    places, slack = (keys - keys[0]) / step, _slack(keys, step)
    return slack < 0.2 and bool((np.abs(places - np.round(places)) <= slack).all())


def _slack(keys: Floats, step: float) -> float:
    """How far, in frames, a key may lie from a frame and still be on it: a time near 100 s is known to 8 µs only."""
    return 1e-3 + 2e-7 * float(np.abs(keys).max()) / step


def _assumed_step(container: Container, animation: Animation, options: ReadOptions, keys: int) -> float:
    if keys > 1:
        options.warn(
            f"{container.path.name}: animation {animation.name!r} has keys at no single rate; it is read at 60 fps"
        )
    return 1.0 / 60.0
