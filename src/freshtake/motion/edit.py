"""Edit clips: cut, turn, move, join, resample, mirror, scale. Each edit makes a clip and is noted in its provenance."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache
from typing import Any, TypeVar, cast

import numpy as np

from freshtake.errors import InvalidMotion, UsageError
from freshtake.motion.body.roles import mirror_pairs
from freshtake.motion.clip import Clip
from freshtake.motion.kinds import MeshSequence, PointClip, Stroke, resample_stroke
from freshtake.motion.skeleton import EndSite, Skeleton, require_compatible
from freshtake.motion.validation import same_rate
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import about_axis, continuous, inverse, multiply, rotate, slerp, twist_angle

ROUNDED = 1e-4  # relative error of frame times in files due to rounding


def _noted(clip: Clip, what: str) -> str:
    return f"{clip.provenance}; {what}" if clip.provenance else what


def take_frames(clip: Clip, start: int = 0, stop: int | None = None, step: int = 1) -> Clip:
    """Return every `step`-th frame from `start` up to `stop` (exclusive; None: the end), with the file's channels."""
    rows = range(len(clip))[slice(start, stop, max(step, 1))]
    if step < 1 or len(rows) == 0:
        name = clip.name or "a clip"
        raise UsageError(f"frames {start}:{stop}:{step} leave nothing of {name} with {len(clip)} frames")
    provenance = _noted(clip, f"frames {rows[0]}..{rows[-1]}" + (f" by {step}" if step > 1 else ""))
    playback = clip.playback if len(rows) == len(clip) else None
    if step == 1:
        return clip.span(rows[0], rows[-1] + 1).changed(provenance=provenance, playback=playback)
    return clip.picked(rows).changed(frame_time=clip.frame_time * step, playback=playback, provenance=provenance)


def heading(clip: Clip, reference: Floats | None = None) -> Floats:
    """Return the root's angle about the vertical (frames,), continuous, in radians.

    The heading is the twist of the root's rotation away from `reference` (a quaternion; default: the identity), so a
    body that lies or hangs has a heading too if the reference lies or hangs with it.
    """
    q = clip.rotations[:, 0]
    if reference is not None:
        q = multiply(q, inverse(np.asarray(reference, dtype=np.float64)))
    return np.unwrap(twist_angle(continuous(q), clip.up_index))


def turned(clip: Clip, angle: Floats | float, pivot: Floats | None = None) -> Clip:
    """Turn a clip about the vertical by an angle in radians or one per frame, around a point (3,) or the origin."""
    axis = np.eye(3)[clip.up_index]
    turn = about_axis(axis, np.broadcast_to(np.asarray(angle, dtype=np.float64), (len(clip),)))
    around = np.zeros(3) if pivot is None else np.asarray(pivot, dtype=np.float64)
    rotations = clip.rotations.copy()
    rotations[:, 0] = multiply(turn, rotations[:, 0])
    root = rotate(turn, clip.root - around) + around
    return clip.changed(root=root, rotations=rotations, provenance=_noted(clip, "turned about the vertical"))


def moved(clip: Clip, by: Floats) -> Clip:
    """Shift a clip by (3,) or (frames, 3), in its unit of length."""
    return clip.changed(root=clip.root + by, provenance=_noted(clip, "moved"))


def start_at_origin(clip: Clip, *, face: bool = True) -> Clip:
    """Put the first frame's root above the origin, keeping its height, and with `face` turn the clip to heading 0."""
    ground = clip.root[0].copy()
    ground[clip.up_index] = 0.0
    out = moved(clip, -ground)
    if face:
        out = turned(out, -float(heading(clip)[0]))
    return out.changed(provenance=_noted(clip, "started at the origin"))


def aligned_to(clip: Clip, target: Clip) -> Clip:
    """Place a clip on the ground so that its first frame is where another clip ends, and faces the same way."""
    last = take_frames(target, len(target) - 1)
    out = turned(clip, float(heading(last)[0] - heading(clip)[0]), pivot=clip.root[0])
    shift = last.root[0] - out.root[0]
    shift[clip.up_index] = 0.0
    return moved(out, shift)


def concatenate(clips: Sequence[Clip], *, align: bool = True, skip_repeated: bool = False) -> Clip:
    """Join clips in order, aligning each in the ground plane to the end of the previous clip.

    With `skip_repeated`, drop the first frame of each later clip, for cycles that include both ends.
    """
    if not clips:
        raise UsageError("there is nothing to concatenate: give at least one clip")
    first = clips[0]
    parts = [first]
    for clip in clips[1:]:
        require_compatible(first.skeleton, clip.skeleton, first.name or "the first clip", clip.name or "a later clip")
        if not same_rate(clip.frame_time, first.frame_time):
            rates = f"{clip.fps:g} fps and {first.name or 'the first'} {first.fps:g}"
            raise UsageError(f"{clip.name or 'a clip'} has {rates}: resample one of them first")
        if clip.up != first.up:
            raise UsageError(f"{clip.name or 'a clip'} has {clip.up} up and {first.name or 'the first'} {first.up}")
        part = aligned_to(clip, parts[-1]) if align else clip
        parts.append(take_frames(part, 1) if skip_repeated and len(part) > 1 else part)
    moving = any(part.joint_translations is not None for part in parts)
    channels = [part.channels for part in parts if part.channels is not None and part.skeleton == first.skeleton]
    return first.changed(
        root=np.concatenate([part.root for part in parts]),
        rotations=np.concatenate([part.rotations for part in parts]),
        joint_translations=np.concatenate([part.local_translations() for part in parts]) if moving else None,
        channels=np.concatenate(channels) if len(channels) == len(parts) else None,
        provenance=" + ".join(clip.provenance or clip.name or "clip" for clip in clips),
    )


def resample(clip: Clip, fps: float) -> Clip:
    """Resample a clip by spherical interpolation of rotations and linear interpolation of translations.

    The first frame stays; the last frame stays if the new rate samples it. Channels are kept only at an unchanged rate.
    """
    if abs(fps / clip.fps - 1.0) < 1e-12:
        return clip
    places = places_at_rate(len(clip), clip.frame_time, fps, most=100_000_000 // len(clip.skeleton))
    return sampled_at(clip, places, 1.0 / fps).changed(provenance=_noted(clip, f"resampled to {fps:g} fps"))


def places_at_rate(frames: int, frame_time: float, fps: float, most: int = 100_000_000) -> Floats:
    """Return the fractional frame numbers at which to sample a motion for another rate.

    An integer number of frames per step, or an integer fraction of one, up to the rounding of frame times in files
    (0.0083333 s for 120 fps), is treated as exact: halving or doubling a rate samples the frames themselves.
    """
    if not (np.isfinite(fps) and fps > 0):
        raise UsageError(f"fps must be above 0, but is {fps}")
    if not 1e-6 <= fps * frame_time <= 1e6:  # the reciprocal could overflow
        raise UsageError(f"{fps:g} fps is too far from the {1.0 / frame_time:g} fps of the motion")
    step = 1.0 / (fps * frame_time)
    for times, exact in ((round(step), float(round(step))), (round(1.0 / step), 1.0 / max(round(1.0 / step), 1))):
        if times >= 1 and abs(step / exact - 1.0) < 1e-4:
            step = exact
    count = int(np.floor((frames - 1) / step + 1e-6)) + 1
    if count > most:
        raise UsageError(f"{fps:g} fps would make {count} frames of {frames}: too many")
    places: Floats = np.minimum(np.arange(count) * step, frames - 1.0)
    return places


def sampled_at(clip: Clip, places: Floats, frame_time: float | None = None) -> Clip:
    """Sample a clip at fractional frame numbers (new frames,) from 0 to the last frame, as for time warps.

    `frame_time` is the new frame time; None keeps the clip's.
    """
    places = np.asarray(places, dtype=np.float64)
    if len(places) and not (places.min() >= 0 and places.max() <= len(clip) - 1):
        raise InvalidMotion(f"frames {places.min():g}..{places.max():g} are outside the clip's 0..{len(clip) - 1}")
    low = places.astype(np.intp)
    if np.array_equal(low, places):  # the frames themselves, if a rate is halved or unchanged
        return clip.picked(low).changed(frame_time=frame_time or clip.frame_time, channels=None)
    low = np.minimum(low, max(len(clip) - 2, 0))
    high = np.minimum(low + 1, len(clip) - 1)
    share = (places - low)[:, None, None]
    local = clip.local_translations()
    local = local[low] + share * (local[high] - local[low])
    rotations = slerp(clip.rotations[low], clip.rotations[high], share[..., 0])
    return clip.posed(local, rotations).changed(frame_time=frame_time or clip.frame_time)


def mirror(clip: Clip, axis: str = "x") -> Clip:
    """Exchange left and right by reflection across the plane perpendicular to `axis` (x for a body facing z).

    The other side's rotations are reflected and the offsets are kept, so the skeleton must be roughly symmetrical along
    that axis at rest; other skeletons are refused, since their limbs would point elsewhere.
    """
    if axis not in ("x", "y", "z"):
        raise UsageError(f"a clip is mirrored along one of x, y, z, not {axis!r}")
    side = "xyz".index(axis)
    if side == clip.up_index:
        raise UsageError(f"a clip cannot be mirrored along its vertical axis {axis}")
    partner = mirror_pairs(clip.skeleton)
    flip = -np.ones(4)
    flip[0] = 1.0
    flip[1 + side] = 1.0  # a reflection reverses rotations about the two axes in its plane
    place = np.ones(3)
    place[side] = -1.0
    moving = clip.joint_translations
    if moving is None:
        skeleton = clip.skeleton
        asymmetry = np.linalg.norm(skeleton.offsets[partner] * place - skeleton.offsets, axis=1)[1:]
        # Recorded people stay below 5 % of all lengths; a wrong axis or bent rest frames exceed 25 %.
        if asymmetry.sum() > 0.2 * skeleton.lengths()[1:].sum():
            worst = 1 + int(asymmetry.argmax())
            joint, other = skeleton.names[worst], skeleton.names[int(partner[worst])]
            problem = f"at rest its joint {joint!r} is not a mirror image of {other!r} along this axis"
            raise UsageError(f"{clip.name or 'the clip'} cannot be mirrored along {axis}: {problem}")
    return clip.changed(
        root=clip.root * place,
        rotations=clip.rotations[:, partner] * flip,
        joint_translations=None if moving is None else moving[:, partner] * place,
        provenance=_noted(clip, "mirrored"),
    )


def scaled(clip: Clip, factor: float) -> Clip:
    """Scale all lengths: root, offsets and end sites. `unit_m` is divided by the factor: the size in metres is kept."""
    if not (np.isfinite(factor) and factor > 0):
        raise UsageError(f"a clip can only be scaled by a factor above 0, not {factor}")
    return clip.changed(
        skeleton=scaled_skeleton(clip.skeleton, factor),
        root=clip.root * factor,
        joint_translations=None if clip.joint_translations is None else clip.joint_translations * factor,
        unit_m=None if clip.unit_m is None else clip.unit_m / factor,
        playback=None if clip.playback is None else clip.playback.changed(travel=clip.playback.travel * factor),
        provenance=_noted(clip, f"scaled by {factor:g}"),
    )


@lru_cache(maxsize=64)
def scaled_skeleton(skeleton: Skeleton, factor: float) -> Skeleton:
    """Return a scaled skeleton, including the base from its file."""
    sites = tuple(
        EndSite(joint, (factor * x, factor * y, factor * z), name) for joint, (x, y, z), name in skeleton.end_sites
    )
    base = None if skeleton.base is None else skeleton.base.scaled(factor)
    return replace(skeleton, offsets=skeleton.offsets * factor, end_sites=sites, base=base)


def with_up(clip: Clip, up: str) -> Clip:
    """Turn a clip so that another axis, "y" or "z", points up; return the clip itself if that axis is up already."""
    if up == clip.up:
        return clip
    turn = tilt(clip.up, up)
    rotations = clip.rotations.copy()
    rotations[:, 0] = multiply(turn, rotations[:, 0])
    skeleton, played = clip.skeleton, clip.playback
    if skeleton.base is not None:
        skeleton = replace(skeleton, base=skeleton.base.tilted(turn))
    return clip.changed(
        skeleton=skeleton,
        root=rotate(turn, clip.root),
        rotations=rotations,
        up=up,
        provenance=_noted(clip, f"{up} up"),
        playback=None if played is None else played.changed(travel=rotate(turn, played.travel)),
    )


def tilt(up: str, to: str) -> Floats:
    """Return the quarter turn about x (4,) that takes one vertical axis to another; the identity if they are equal."""
    angle = {("y", "z"): np.pi / 2, ("z", "y"): -np.pi / 2}.get((up, to), 0.0)
    return about_axis(np.array([1.0, 0.0, 0.0]), angle)


AnyMotion = TypeVar("AnyMotion", bound=Clip | Stroke | PointClip | MeshSequence)


def nominal_frame_time(frame_time: float, slack: float = 0.0) -> float:
    """Return the reciprocal of the integer rate, or television rate (29.97), that a frame time was rounded from.

    `slack` is the relative error of the file's numbers, in addition to omitted digits. If rounding does not explain the
    difference, the frame time stays: 0.0166667 is 60 frames per second written with seven digits, 0.0166 is not.
    """
    fps = 1.0 / frame_time
    for rate in (float(round(fps)), round(fps * 1.001) / 1.001):
        if rate > 0.0 and _rounded_from(frame_time, 1.0 / rate, slack):
            # Rates such as 30 / 1.001 are off by about this much after floating-point arithmetic.
            return frame_time if rate % 1.0 and abs(frame_time * rate - 1.0) < 1e-14 else 1.0 / rate
    return frame_time


def _rounded_from(value: float, exact: float, slack: float) -> bool:
    """Return whether a number equals another number in single precision, or with omitted digits."""
    off = abs(value / exact - 1.0)
    if off <= slack or np.float32(value) == np.float32(exact):
        return True
    digits = max(-Decimal(repr(value)).as_tuple().exponent, 0)  # type: ignore[operator]
    return off < ROUNDED and abs(value - exact) < 10.0**-digits


def at_rate(motion: AnyMotion, fps: float) -> AnyMotion:
    """Return any motion at another rate; meshes and points by linear interpolation."""
    resampled: Any
    if abs(fps * motion.frame_time - 1.0) < ROUNDED:  # the same frames, with exactly the requested rate
        return motion if isinstance(motion, Stroke) else replace(motion, frame_time=1.0 / fps)
    if isinstance(motion, Clip | Stroke):
        resampled = resample(motion, fps) if isinstance(motion, Clip) else resample_stroke(motion, fps)
        return cast(AnyMotion, resampled)
    place = places_at_rate(len(motion), motion.frame_time, fps)
    low = np.minimum(place.astype(np.intp), max(len(motion) - 2, 0))
    high = np.minimum(low + 1, len(motion) - 1)
    share = (place - low)[:, None, None]

    def between(values: Any) -> Any:
        return values[low] + share * (values[high] - values[low])

    if isinstance(motion, PointClip):
        resampled = replace(motion, positions=between(motion.positions), frame_time=1.0 / fps)
    else:
        attributes = {k: between(v) if v.ndim == 3 else v for k, v in motion.attributes.items()}
        normals = None if motion.normals is None else between(motion.normals)
        vertices = between(motion.vertices)
        resampled = replace(motion, vertices=vertices, normals=normals, attributes=attributes, frame_time=1.0 / fps)
    return cast(AnyMotion, resampled)
