"""Prepare inputs for warping: clips, strokes or rows in comparable units, cyclic clips cut to equal phases."""

from typing import NamedTuple

import numpy as np

from freshtake.errors import InvalidMotion, UsageError
from freshtake.motion.body.orientation import ADULT_LEG, pose_points, principal
from freshtake.motion.body.orientation import RATE as POSE_RATE
from freshtake.motion.body.roles import hands, leg_length
from freshtake.motion.clip import Clip
from freshtake.motion.cycles.cycles import CYCLIC_STEPS, first_to_last
from freshtake.motion.cycles.recurrence import find_phase
from freshtake.motion.features import encode, recipe
from freshtake.motion.kinds import Stroke
from freshtake.motion.skeleton import require_compatible
from freshtake.numeric.arrays import Floats
from freshtake.numeric.curves import gaussian_filter1d
from freshtake.style.warping.motion_warping import RATE, WarpSettings, zscored
from freshtake.style.warping.warps import read_rows

BINS = 96  # phases at which mean cycles are compared
Span = tuple[int, int]
Alignable = Clip | Stroke | Floats
SHORTEST = 4  # frames
PLACE_DOFS = (".forward", ".sideways", ".turn")  # travel and turning are content, not pose


class Gait(NamedTuple):
    """The progress of a clip at each frame, in cycles, and its mean cycle (BINS, DOFs)."""

    cycles: Floats
    mean: Floats


def common_cycles(clips: tuple[Clip, Clip], rows: tuple[Floats, Floats]) -> tuple[Span, Span] | None:
    """Find the frames (start, stop not included) of each clip between two equal phases, with the most cycles possible.

    The phases are related by the shift at which the mean cycles correlate best, DOF by DOF, regardless of scale and
    offset. If only one clip repeats, the other may be a single cycle. None if the clips do not repeat, or have less
    than one cycle in common.
    """
    gaits = [gait_of(clip, values) for clip, values in zip(clips, rows, strict=True)]
    if gaits[0] is None and gaits[1] is not None:
        gaits[0] = _single(clips[0], rows[0])
    elif gaits[1] is None and gaits[0] is not None:
        gaits[1] = _single(clips[1], rows[1])
    if gaits[0] is None or gaits[1] is None:
        return None
    first = gaits[0].cycles
    second = gaits[1].cycles + best_shift(gaits[0].mean, gaits[1].mean)
    cycles = _best_overlap(first, second)
    start, stop = max(first[0], second[0] + cycles), min(first[-1], second[-1] + cycles)
    # At least nine tenths of a cycle must be in common.
    if stop - start < 0.9:
        return None
    return _between(first, start, stop), _between(second + cycles, start, stop)


def gait_of(clip: Clip, rows: Floats) -> Gait | None:
    """Find the phase of each frame, continuous and increasing, and the mean of the rows at each phase."""
    stride = max(1, int(clip.fps / POSE_RATE + 1e-6))
    phase = find_phase(principal(pose_points(clip))[::stride], clip.fps / stride)
    if phase is None:
        return None
    progress, bins = phase[0].progress, len(phase[0].template)
    coarse = _smooth(progress.astype(np.float64), 0.04 * bins) / bins
    at = np.arange(len(clip)) / stride
    cycles = np.interp(at, np.arange(len(coarse)), coarse)
    beyond = at > len(coarse) - 1
    cycles[beyond] += (at[beyond] - (len(coarse) - 1)) * (coarse[-1] - coarse[-2])
    return Gait(cycles, mean_cycle(rows, cycles))


def _single(clip: Clip, rows: Floats) -> Gait | None:
    """Return the gait of a clip that is one cycle; None if it is not."""
    if first_to_last(clip) > CYCLIC_STEPS:
        return None
    cycles = np.linspace(0.0, 1.0, len(clip))
    return Gait(cycles, mean_cycle(rows, cycles))


def mean_cycle(rows: Floats, cycles: Floats) -> Floats:
    """Average the cycles (BINS, DOFs), reading the rows at evenly spaced phases."""
    first, last = int(np.floor(cycles[0] * BINS)) + 1, int(np.floor(cycles[-1] * BINS))
    phases = np.arange(first, last + 1)
    frames = np.interp(phases / BINS, cycles, np.arange(len(cycles)))
    out = np.zeros((BINS, rows.shape[1]))
    np.add.at(out, phases % BINS, read_rows(rows, frames))
    return out / np.maximum(np.bincount(phases % BINS, minlength=BINS), 1)[:, None]


def best_shift(first: Floats, second: Floats) -> float:
    """Return the shift of the second mean cycle, in cycles, at which it correlates best with the first.

    Each DOF is weighted by the product of its deviations in both, divided by the larger one: a DOF that moves in only
    one motion does not count.
    """
    a, b = first - first.mean(axis=0), second - second.mean(axis=0)
    sizes = np.maximum(np.linalg.norm(a, axis=0), np.linalg.norm(b, axis=0))
    weights = 1.0 / np.maximum(sizes, 1e-9)
    # All shifts at once: a circular correlation is a product of spectra.
    product = np.fft.rfft(a, axis=0) * np.conj(np.fft.rfft(b, axis=0))
    likeness = np.fft.irfft((product * weights).sum(axis=1), BINS)
    best = int(likeness.argmax())
    left, here, right = likeness[best - 1], likeness[best], likeness[(best + 1) % BINS]
    # A parabola through the best bin and its neighbors gives the shift to a fraction of a bin.
    bend = left - 2.0 * here + right
    return float((best + (0.5 * (left - right) / bend if bend < 0.0 else 0.0)) / BINS % 1.0)


def _best_overlap(first: Floats, second: Floats) -> int:
    """Find the integer number of cycles by which to shift the second gait for the largest overlap."""
    tried = np.arange(int(first[0] - second[-1]) - 1, int(first[-1] - second[0]) + 2)
    common = np.minimum(first[-1], second[-1] + tried) - np.maximum(first[0], second[0] + tried)
    return int(tried[common.argmax()])


def _between(cycles: Floats, start: float, stop: float) -> Span:
    """Return the frames nearest to two phases, as a span."""
    low, high = np.interp([start, stop], cycles, np.arange(len(cycles)))
    return round(float(low)), round(float(high)) + 1


def _smooth(progress: Floats, deviation: float) -> Floats:
    """Smooth, continuing the trend at both ends, and make the result increasing."""
    reach = min(len(progress) - 1, int(4 * deviation) + 1)
    before = 2.0 * progress[0] - progress[reach:0:-1]
    after = 2.0 * progress[-1] - progress[-2 : -reach - 2 : -1]
    smooth = gaussian_filter1d(np.concatenate([before, progress, after]), deviation)[reach : reach + len(progress)]
    # Interpolation inverts the phases, so they must increase strictly.
    out: Floats = np.maximum.accumulate(smooth) + 1e-9 * np.arange(len(progress))
    return out


class Prepared(NamedTuple):
    """The rows of both motions, their frames (start, stop not included), the frame time, and DOF names."""

    values: tuple[Floats, Floats]
    spans: tuple[tuple[int, int], tuple[int, int]]
    frame_time: float
    names: tuple[str, ...]


def prepare(a: Alignable, b: Alignable, settings: WarpSettings) -> Prepared:
    """Check two motions, cut them to equal phases, and turn them into rows of the same scale."""
    for motion, which in ((a, "first"), (b, "second")):
        if len(motion) < SHORTEST:
            name = getattr(motion, "name", "") or f"the {which} motion"
            raise UsageError(f"{name} is too short to align: it has {len(motion)} frames, {SHORTEST} are needed")
    if isinstance(a, Clip) and isinstance(b, Clip):
        return _clips(a, b, settings)
    uncut = ((0, len(a)), (0, len(b)))
    if isinstance(a, Stroke) and isinstance(b, Stroke):
        if a.points.shape[1] != b.points.shape[1]:
            raise UsageError(f"strokes of {a.points.shape[1]} and {b.points.shape[1]} dimensions cannot be aligned")
        return Prepared(_scaled(a.points, b.points, settings.scale), uncut, 1.0 / RATE, a.dimensions)
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        rows = _scaled(*_checked(a, b), settings.scale)
        return Prepared(rows, uncut, 1.0 / RATE, tuple(f"DOF {k}" for k in range(rows[0].shape[1])))
    raise UsageError(f"a {type(a).__name__} cannot be aligned with a {type(b).__name__}")


def _checked(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return two arrays as floats; raise unless they have the same width and are finite."""
    pair = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    for array, which in zip(pair, ("first", "second"), strict=True):
        if array.ndim != 2 or array.shape[1] == 0:
            raise InvalidMotion(f"the {which} motion must be an array (frames, DOFs), but its shape is {array.shape}")
        if not np.isfinite(array).all():
            frame, dof = (int(k) for k in np.argwhere(~np.isfinite(array))[0])
            raise InvalidMotion(f"the {which} motion is {array[frame, dof]} in frame {frame}, DOF {dof}")
    if pair[0].shape[1] != pair[1].shape[1]:
        raise UsageError(f"motions of {pair[0].shape[1]} and {pair[1].shape[1]} DOFs cannot be aligned")
    return pair


def _scaled(a: Floats, b: Floats, scale: str) -> tuple[Floats, Floats]:
    """Scale rows: raw, z-scored, or about their means and times one factor for all DOFs."""
    if scale == "raw":
        return np.ascontiguousarray(a), np.ascontiguousarray(b)
    if scale == "zscore":
        return zscored(a), zscored(b)
    # The weights of eq. 1 are meant for joint angles, which deviate by 0.2 radians in a walk. One common factor brings
    # other data to this scale and keeps the proportions among DOFs, which z-scores would not.
    deviation = float(np.mean([a.std(axis=0).mean(), b.std(axis=0).mean()]))
    factor = 0.2 / deviation if deviation > 1e-12 else 1.0
    return (a - a.mean(axis=0)) * factor, (b - b.mean(axis=0)) * factor


def _clips(a: Clip, b: Clip, settings: WarpSettings) -> Prepared:
    names, *rows = named_rows(a, b)
    spans = ((0, len(a)), (0, len(b)))
    if settings.cut == "auto":
        spans = common_cycles((a, b), (rows[0], rows[1])) or spans
    u, y = (values[start:stop] for values, (start, stop) in zip(rows, spans, strict=True))
    if settings.scale == "zscore":
        u, y = zscored(u), zscored(y)
    return Prepared((np.ascontiguousarray(u), np.ascontiguousarray(y)), spans, a.frame_time, names)


def clip_rows(a: Clip, b: Clip) -> tuple[Floats, Floats]:
    """Return rotation vectors about common references, in radians, and the root's height in meters.

    Travel and heading are excluded, and so are fingers: most recordings do not capture them, and guessed fingers jump.
    """
    return named_rows(a, b)[1:]


def named_rows(a: Clip, b: Clip) -> tuple[tuple[str, ...], Floats, Floats]:
    """Return the names of the DOFs and the rows of both clips."""
    clips = a.name or "the first clip", b.name or "the second clip"
    require_compatible(a.skeleton, b.skeleton, *clips)
    coded = recipe([a, b], angles="expmap", root="heading", scale="none")
    ends = hands(a.skeleton)
    fingers = {a.skeleton.names[joint] for hand in ends for joint in a.skeleton.descendants(hand) if joint != hand}
    posing = [(k, name.rpartition(".")[0]) for k, name in enumerate(coded.names) if not name.endswith(PLACE_DOFS)]
    compared = [k for k, joint in posing if joint not in fingers]
    if not compared:
        raise UsageError(f"nothing moves in {clips[0]} and {clips[1]}: there is nothing to align")
    names = tuple(coded.names[k] for k in compared)
    meters_per_unit = a.unit_m or ADULT_LEG / max(leg_length(a.skeleton), 1e-12)
    meters = np.array([meters_per_unit if name.endswith(".height") else 1.0 for name in names])
    return names, *(encode(coded, clip).values[:, compared] * meters for clip in (a, b))
