"""Align two motions of the same content in different styles, by iterative motion warping (Hsu 2005, §3)."""

from dataclasses import dataclass
from typing import overload

import numpy as np

from freshtake.errors import UsageError
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion.clip import Clip
from freshtake.motion.edit import sampled_at, take_frames
from freshtake.motion.kinds import Stroke
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.style.warping.motion_warping import METHODS, WarpSettings
from freshtake.style.warping.warp_inputs import Alignable, prepare
from freshtake.style.warping.warps import feasible, read_rows, smooth_warp

SMOOTHED = 0.04  # fraction of a motion's length: the widest smoothing of its warp


@dataclass(frozen=True, eq=False, repr=False)
class Alignment:
    """The frame of the second motion that belongs to each frame of the first.

    `first` and `second` are the frames (start, stop not included) of the two motions that were aligned; everything
    else is counted from their starts. For each frame of the first motion: `path`, the fractional frame of the second
    (smooth, increasing, from 0 to its last frame); `steps`, its duration in frames of the second (positive, the smooth
    derivative of the path, for models to learn); `differential`, the same unsmoothed, which is the paper's w,
    `repeats` / slope (§3.4). `repeats` is the repetition vector (empty for dynamic time warping), `scale` and `offset`
    (frames, DOFs) are the space warp. `energy` is E of eq. 1 after each stage, and never rises; `cost` is the root mean
    square distance, per frame and DOF, that remains between the motions after both warps.
    """

    first: tuple[int, int]
    second: tuple[int, int]
    path: Floats
    steps: Floats
    repeats: Ints
    differential: Floats
    scale: Floats
    offset: Floats
    energy: tuple[float, ...]
    cost: float
    settings: WarpSettings

    def __repr__(self) -> str:
        return f"Alignment({len(self.path)} frames onto {self.rows}, cost {self.cost:.3g}, {self.rounds} rounds)"

    def __len__(self) -> int:
        return len(self.path)

    @property
    def rounds(self) -> int:
        """The number of times that both stages were run."""
        return len(self.energy) // 2

    @property
    def rows(self) -> int:
        """The number of frames of the second motion."""
        return self.second[1] - self.second[0]

    @property
    def inverse_path(self) -> Floats:
        """The fractional frame of the first motion for each frame of the second."""
        return np.interp(np.arange(self.rows), self.path, np.arange(len(self.path), dtype=np.float64))


@one_blas_thread()
def align(
    a: Alignable, b: Alignable, settings: WarpSettings | None = None, *, report: Report | None = None
) -> Alignment:
    """Align two motions of the same content.

    Args:
        a: u, in the source style: a Clip, a Stroke or an array (frames, DOFs).
        b: y, in the target style, of the same kind.
        settings: The settings of the warps.
        report: Receives `Progress`.

    Returns:
        The alignment: `warp(b, alignment)` is y on the clock of u; `alignment.steps` (smooth) or
        `alignment.differential` (the paper's) is the time warp per frame of u.
    """
    settings, tell = settings or WarpSettings(), report or silent
    tell(Progress(0.0, "cutting"))
    ready = prepare(a, b, settings)
    u, y = ready.values
    if not feasible(len(u), len(y), settings.slope):
        ratio = max(len(u), len(y)) / min(len(u), len(y))
        raise UsageError(
            f"{len(u)} frames cannot be aligned with {len(y)}: the slope limit is {settings.slope} and one is "
            f"{ratio:.2g} times as long as the other; cut them to the same content or raise the limit"
        )
    tell(Progress(0.2, "warping"))
    warped = METHODS[settings.method](u, y, settings, 1.0 / ready.frame_time)
    path, steps = smooth_warp(warped.differential, min(settings.smoothing / ready.frame_time, SMOOTHED * len(u)))
    residual = warped.space.apply(u) - read_rows(y, path)
    cost = float(np.sqrt(np.mean(residual * residual)))
    tell(Progress(1.0, "aligned"))
    return Alignment(
        *ready.spans, path, steps, warped.repeats, warped.differential, *warped.space, warped.energy, cost, settings
    )


@overload
def warp(motion: Clip, alignment: Alignment, *, onto: str = ...) -> Clip: ...
@overload
def warp(motion: Stroke, alignment: Alignment, *, onto: str = ...) -> Stroke: ...
@overload
def warp(motion: Floats, alignment: Alignment, *, onto: str = ...) -> Floats: ...
def warp(motion: Alignable, alignment: Alignment, *, onto: str = "first") -> Alignable:
    """Retime one motion to the other's timing.

    Args:
        motion: The second motion, or another in step with it; with `onto="second"`, the first.
        alignment: The alignment of the two.
        onto: The motion whose timing to use, "first" or "second".

    Returns:
        The motion with that timing, without the frames that the alignment cut off.
    """
    if onto not in ("first", "second"):
        raise UsageError(f"onto must be first or second, not {onto!r}")
    start, stop = alignment.second if onto == "first" else alignment.first
    if len(motion) < stop:
        raise UsageError(f"the alignment needs a motion of at least {stop} frames, but this one has {len(motion)}")
    at = alignment.path if onto == "first" else alignment.inverse_path
    if isinstance(motion, Clip):
        return sampled_at(take_frames(motion, start, stop), at)
    if isinstance(motion, Stroke):
        times = motion.times[start] + motion.frame_time * np.arange(len(at))
        rows = read_rows(motion.points[start:stop], at)
        return Stroke(rows, times, motion.dimensions, motion.name, f"{motion.provenance}; warped")
    return read_rows(np.asarray(motion, dtype=np.float64)[start:stop], at)
