"""Motions as the rows that iterative motion warping compares: joint angles in radians and heights in metres."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.errors import InvalidMotion, UsageError
from freshtake.motion.body.roles import hands, leg_length
from freshtake.motion.clip import Clip
from freshtake.motion.features import encode, recipe
from freshtake.motion.kinds import Stroke
from freshtake.motion.skeleton import Skeleton, require_compatible
from freshtake.numeric.arrays import Floats
from freshtake.style.settings import RATE, WarpSettings
from freshtake.style.warping.equal_phase import common_cycles
from freshtake.style.warping.motion_warping import zscored

Alignable = Clip | Stroke | Floats
SHORTEST = 4  # frames
WALK_DEVIATION = 0.2  # radians: how far the joint angles of a walk deviate from their means
LEG_M = 0.9  # metres: the leg of a grown-up, for clips that do not say their unit
PLACE_DOFS = (".forward", ".sideways", ".turn")  # travel and turning are content, not pose


class Prepared(NamedTuple):
    """The rows of both motions, the frames (start, stop not included) they are, the time between two, DOF names."""

    values: tuple[Floats, Floats]
    spans: tuple[tuple[int, int], tuple[int, int]]
    frame_time: float
    names: tuple[str, ...]


def prepare(a: Alignable, b: Alignable, settings: WarpSettings) -> Prepared:
    """Check two motions, cut them to equal phases, and turn them into rows of one scale."""
    for motion, which in ((a, "first"), (b, "second")):
        if len(motion) < SHORTEST:
            name = getattr(motion, "name", "") or f"the {which} motion"
            raise UsageError(f"{name} is too short to be aligned: it has {len(motion)} frames, {SHORTEST} are needed")
    if isinstance(a, Clip) and isinstance(b, Clip):
        return _clips(a, b, settings)
    whole = ((0, len(a)), (0, len(b)))
    if isinstance(a, Stroke) and isinstance(b, Stroke):
        if a.points.shape[1] != b.points.shape[1]:
            raise UsageError(f"strokes of {a.points.shape[1]} and {b.points.shape[1]} dimensions cannot be aligned")
        return Prepared(_scaled(a.points, b.points, settings.scale), whole, 1.0 / RATE, a.dimensions)
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        rows = _scaled(*_checked(a, b), settings.scale)
        return Prepared(rows, whole, 1.0 / RATE, tuple(f"DOF {k}" for k in range(rows[0].shape[1])))
    raise UsageError(f"a {type(a).__name__} cannot be aligned with a {type(b).__name__}")


def _checked(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return two arrays as floats, refused unless they are of one width and finite."""
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
    # The weights of eq. 1 are meant for joint angles; one common factor brings other data to their size and keeps
    # the proportions among DOFs, which z-scores would lose.
    deviation = float(np.mean([a.std(axis=0).mean(), b.std(axis=0).mean()]))
    factor = WALK_DEVIATION / deviation if deviation > 1e-12 else 1.0
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
    """Return rotation vectors about common references, in radians, and the root's height in metres.

    Travel and heading are left out, and so are fingers: most recordings have none, only jumps where they were guessed.
    """
    return named_rows(a, b)[1:]


def named_rows(a: Clip, b: Clip) -> tuple[tuple[str, ...], Floats, Floats]:
    """Return the names of the DOFs and the rows of both clips."""
    clips = a.name or "the first clip", b.name or "the second clip"
    require_compatible(a.skeleton, b.skeleton, *clips)
    coded = recipe([a, b], angles="expmap", root="heading", scale="none")
    kept = _compared(coded.names, a.skeleton)
    if not kept:
        raise UsageError(f"nothing moves in {clips[0]} and {clips[1]}: there is nothing to align")
    names = tuple(coded.names[k] for k in kept)
    meters = np.array([_meters(a) if name.endswith(".height") else 1.0 for name in names])
    return names, *(encode(coded, clip).values[:, kept] * meters for clip in (a, b))


def _compared(names: tuple[str, ...], skeleton: Skeleton) -> list[int]:
    fingers = _fingers(skeleton)
    return [
        k for k, name in enumerate(names) if not name.endswith(PLACE_DOFS) and name.rpartition(".")[0] not in fingers
    ]


def _fingers(skeleton: Skeleton) -> set[str]:
    """Return the names of all joints beyond the hands."""
    return {skeleton.names[joint] for hand in hands(skeleton) for joint in skeleton.descendants(hand) if joint != hand}


def _meters(clip: Clip) -> float:
    return clip.unit_m or LEG_M / max(leg_length(clip.skeleton), 1e-12)
