"""Named repairs for the faults that `check` finds; nothing is repaired by default.

Each repair returns a new clip and is recorded in its provenance. Repairs of a file's Euler angles do not change the
motion.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from freshtake.errors import InvalidMotion, UsageError
from freshtake.motion.body.rooting import as_filed, rooted
from freshtake.motion.check.checking import joint_angles, radians_per_unit
from freshtake.motion.check.checks import SPIKE_SPEED, is_tpose_first, limb_speeds, repeated, spikes
from freshtake.motion.clip import Clip
from freshtake.motion.edit import take_frames
from freshtake.motion.kinds import PointClip, Stroke, fill_gaps, kind_word, resample_stroke
from freshtake.numeric.arrays import Floats
from freshtake.numeric.curves import gaussian_filter1d, runs
from freshtake.numeric.rotations import continuous, continuous_euler, gimbal_closeness, slerp, unflipped


def drop_tpose(clip: Clip) -> Clip:
    """Drop a first frame that the take does not start from; unchanged if there is none."""
    return take_frames(clip, 1).changed(provenance=clip.provenance) if is_tpose_first(clip) else clip


def drop_frozen(clip: Clip) -> Clip:
    """Drop frames that equal the frame before; later frames become earlier."""
    same = repeated(clip)
    return clip.picked(~same) if same.any() else clip


def fill_frozen(clip: Clip) -> Clip:
    """Replace frames that equal the frame before by interpolation; drop such frames at the end."""
    same = repeated(clip)
    if same[-1]:
        end = runs(same)[-1][0]
        clip, same = clip.picked(slice(end)), same[:end]
    for start, stop in runs(same):
        clip = _interpolated(clip, start - 1, stop, list(range(len(clip.skeleton))), travel=True)
    return clip


def fix_spikes(clip: Clip) -> Clip:
    """Interpolate joints over the frames in which they jump, and the root's travel in the same way.

    If joints do not return (a lasting swap), the stretch is widened to both sides, up to half a second in total, until
    the speed is plausible. All other joints and frames stay.
    """
    count = len(clip.skeleton)
    for burst in spikes(clip):
        joints = [joint for joint in burst.joints if joint < count]
        fixed = clip
        for wider in range(max(1, round(0.5 * clip.fps / 2.0)) + 1):
            first, last = max(burst.start - wider, 0), min(burst.stop + wider, len(clip) - 1)
            if last - first < 2:
                continue
            fixed = _interpolated(clip, first, last, joints, travel=count in burst.joints)
            # Use the narrowest stretch that brings the speed below the limit.
            if limb_speeds(fixed)[first:last, list(burst.joints)].max() < 0.9 * SPIKE_SPEED:
                break
        clip = fixed
    return clip


def _interpolated(clip: Clip, first: int, last: int, joints: list[int], *, travel: bool) -> Clip:
    """Interpolate some joints (and the root's travel) between two frames that stay."""
    inside = np.arange(first + 1, last)
    share = (inside - first) / (last - first)
    rotations = clip.rotations.copy()
    a, b = rotations[first][joints], rotations[last][joints]
    rotations[inside[:, None], joints] = slerp(a[None], b[None], share[:, None])
    local = clip.local_translations().copy()
    if travel:
        local[inside] = local[first] + share[:, None, None] * (local[last] - local[first])
    return clip.posed(local, rotations)


def relabel_fps(clip: Clip, fps: float) -> Clip:
    """Return the same frames at another rate, for files with a wrong header; unlike resampling, keep all frames."""
    if not (np.isfinite(fps) and fps > 0):
        raise UsageError(f"fps must be above 0, but is {fps}")
    return clip.changed(frame_time=1.0 / fps)


def unwrap(clip: Clip) -> Clip:
    """Return the clip without wraps and flips of angles, keeping rotations, root and all unaffected columns."""
    scale = radians_per_unit(clip)
    if clip.channels is None or scale is None:
        return clip
    values = clip.channels.copy()
    for _, order, columns, angles in joint_angles(clip):
        smooth = unflipped(angles, order) if len(order) == 3 else np.unwrap(angles, axis=0)
        changed = np.abs(smooth - angles) > 1e-9
        values[:, columns] = np.where(changed, smooth / scale, values[:, columns])
    return clip if np.array_equal(values, clip.channels) else clip.changed(channels=values)


def reorder_root(clip: Clip) -> Clip:
    """Return the clip with the root's heading as its outermost angle, so that the body may face any way.

    Two orders begin with the vertical axis: use the one farther from gimbal lock, or another order if both of them
    lock. The motion is kept; the skeleton's channel layout changes at the root.
    """
    skeleton = clip.skeleton
    if len(skeleton.orders[0]) != 3:
        raise UsageError(f"the root of {clip.name or 'the clip'} has fewer than three angles: nothing to reorder")
    turned = skeleton.about_axes(clip.rotations[:, 0], 0)
    order = _best_order(turned, clip.up.upper())
    layout = list(skeleton.channels[0])
    spots = [k for k, channel in enumerate(layout) if channel[0] == "r"]
    for spot, letter in zip(spots, order, strict=True):
        layout[spot] = f"r{letter.lower()}"
    limits = skeleton.limits
    if limits is not None and limits[0]:
        limits = (tuple(limits[0][skeleton.channels[0].index(channel)] for channel in layout), *limits[1:])
    reordered = replace(
        skeleton, channels=(tuple(layout), *skeleton.channels[1:]), orders=(order, *skeleton.orders[1:]), limits=limits
    )
    values, scale = clip.channels, radians_per_unit(clip)
    if values is None or scale is None:
        return clip.changed(skeleton=reordered)
    values = values.copy()
    values[:, spots] = continuous_euler(turned, order) / scale
    return clip.changed(skeleton=reordered, channels=values)


def _best_order(turned: Floats, up: str) -> str:
    """Return an order with the heading outermost if it stays clear of gimbal lock, else the clearest of all orders."""
    letters = [axis for axis in "XYZ" if axis != up]
    outermost = [up + letters[0] + letters[1], up + letters[1] + letters[0]]
    others = [order for a, b in (letters, letters[::-1]) for order in (a + up + b, a + b + up)]

    def clearance(order: str) -> float:
        return float(gimbal_closeness(continuous_euler(turned, order), order).min())

    best = max(outermost, key=clearance)
    return best if clearance(best) > 0.2 else max(outermost + others, key=clearance)


@dataclass(frozen=True)
class Repair:
    """A repair by name: its effect, its function, the kind of motion, and whether it needs a value (`name=value`)."""

    name: str
    title: str
    apply: Callable[..., Any]
    kind: type = Clip
    valued: bool = False


def drop_unseen(clip: PointClip) -> PointClip:
    """Drop the points that are never seen."""
    seen = np.flatnonzero(~clip.gaps().all(axis=0))
    if len(seen) == 0:
        raise UsageError(f"no point of {clip.name or 'the point clip'} is ever seen: nothing would remain")
    if len(seen) == len(clip.names):
        return clip
    return replace(clip, names=tuple(clip.names[k] for k in seen), positions=clip.positions[:, seen])


def smooth(clip: Clip) -> Clip:
    """Remove noise from rotations and root: smooth them over a few hundredths of a second, at least one frame."""
    # A deviation of 0.02 s halves noise at 60 fps, cuts its jerk to a tenth and keeps 82 % of 5 Hz.
    deviation = max(0.02 / clip.frame_time, 1.0)  # less than a frame smooths nothing
    rotations = gaussian_filter1d(continuous(clip.rotations), deviation)
    rotations /= np.linalg.norm(rotations, axis=-1, keepdims=True)
    return clip.changed(root=gaussian_filter1d(clip.root, deviation), rotations=rotations)


def even_times(stroke: Stroke) -> Stroke:
    """Return the stroke with points evenly spaced in time, of about the same number."""
    return stroke if stroke.uniform else resample_stroke(stroke, 1.0 / stroke.frame_time)


_TABLE = (
    Repair("drop-tpose", "drop a first frame that the take does not start from", drop_tpose),
    Repair("unwrap", "make angles continuous: no wraps, no flips; the motion stays", unwrap),
    Repair("reorder-root", "root angles with the heading outermost: no gimbal lock; the motion stays", reorder_root),
    Repair("drop-frozen", "drop frames that equal the frame before", drop_frozen),
    Repair("fill-frozen", "interpolate frames that equal the frame before", fill_frozen),
    Repair("fix-spikes", "interpolate joints over the frames in which they jump", fix_spikes),
    Repair("smooth", "smooth joints that shake from frame to frame", smooth),
    Repair("relabel-fps", "keep the frames and correct their frame rate (relabel-fps=60)", relabel_fps, valued=True),
    Repair("fill-gaps", "bridge the gaps of markers by curves", fill_gaps, PointClip),
    Repair("drop-unseen", "drop markers that are never seen", drop_unseen, PointClip),
    Repair("even-times", "read a stroke at evenly spaced times", even_times, Stroke),
)
REPAIRS: dict[str, Repair] = {entry.name: entry for entry in _TABLE}


def repair(motion: Any, names: str | Iterable[str]) -> Any:
    """Apply the named repairs in turn; a value follows its name, as in `relabel-fps=60`."""
    for request in [names] if isinstance(names, str) else names:
        motion = _repaired(motion, request)
    return motion


def _repaired(motion: Any, request: str) -> Any:
    repaired: Any
    name, _, value = request.partition("=")
    entry = REPAIRS.get(name)
    if entry is None:
        raise UsageError(f"there is no repair {name!r}; the repairs are {', '.join(REPAIRS)}")
    if not isinstance(motion, entry.kind):
        raise UsageError(f"{name} is a repair for a {kind_word(entry.kind)}, not for a {kind_word(motion)}")
    if entry.valued != bool(value):
        raise UsageError(f"{name} takes {'a number: ' + name + '=60' if entry.valued else 'no value'}, not {request!r}")
    try:
        filed = as_filed(motion) if isinstance(motion, Clip) else motion
        repaired = entry.apply(filed, float(value)) if value else entry.apply(filed)
    except ValueError:
        raise UsageError(f"{name} takes a number, not {value!r}") from None
    except InvalidMotion as error:
        raise UsageError(f"{name}: {error}") from None
    if repaired is filed:
        return motion
    if isinstance(repaired, Clip):
        repaired = rooted(repaired)
    before: str = getattr(motion, "provenance", "")
    return replace(repaired, provenance=f"{before}; {request}" if before else request)
