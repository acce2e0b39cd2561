"""A clip as named arrays, and back: nothing of it is lost."""

from __future__ import annotations

import json
from functools import lru_cache

import numpy as np

from freshtake.errors import FormatError
from freshtake.formats.npz.archive import Archive
from freshtake.formats.npz.array_fields import (
    Arrays,
    about,
    about_arrays,
    frame_time,
    numbers,
    space,
    text,
    text_array,
    texts,
    whole_numbers,
)
from freshtake.formats.read_options import ReadOptions
from freshtake.motion import Clip, EndSite, Skeleton
from freshtake.motion.playback import Playback, playback_from
from freshtake.motion.skeleton import Limits
from freshtake.numeric.arrays import Floats


def clip_arrays(clip: Clip) -> Arrays:
    """The arrays of a clip; those that only some clips have come last.

    `channel_layout` holds each joint's channels in one text ("tx ty tz rz ry rx"). `limits` has one row per
    channel, NaN where a channel has none; infinite limits are allowed.
    """
    skeleton_arrays = _skeleton_arrays(clip.skeleton)
    arrays: Arrays = {key: skeleton_arrays[key] for key in ("names", "parents", "offsets")}
    arrays |= {"root": clip.root, "rotations": clip.rotations, **about_arrays(clip)} | skeleton_arrays
    if clip.joint_translations is not None:
        arrays["joint_translations"] = clip.joint_translations
    if clip.channels is not None:
        arrays["channels"] = clip.channels
    if clip.playback is not None:
        arrays["playback"] = text_array(json.dumps(clip.playback.summary()))
    return arrays


@lru_cache(maxsize=64)
def _skeleton_arrays(skeleton: Skeleton) -> Arrays:
    arrays: Arrays = {
        "names": text_array(skeleton.names),
        "parents": skeleton.parents.astype(np.int64),
        "offsets": skeleton.offsets,
        "channel_layout": text_array(tuple(" ".join(channels) for channels in skeleton.channels)),
        "euler_orders": text_array(skeleton.orders),
    }
    if skeleton.end_sites:
        arrays["end_site_joints"] = np.array([site.joint for site in skeleton.end_sites], dtype=np.int64)
        arrays["end_site_offsets"] = np.array([site.offset for site in skeleton.end_sites])
        arrays["end_site_names"] = text_array(tuple(site.name for site in skeleton.end_sites))
    if skeleton.axes is not None:
        arrays["axes"] = skeleton.axes
    if skeleton.limits is not None:
        arrays |= _limit_arrays(skeleton, skeleton.limits)
    return arrays


def clip_from(archive: Archive, options: ReadOptions) -> Clip:
    """A clip from its arrays; names, parents, offsets, root, rotations and fps are enough."""
    return Clip(
        _skeleton(archive),
        frame_time(archive, options),
        numbers(archive, "root"),
        numbers(archive, "rotations"),
        numbers(archive, "joint_translations") if "joint_translations" in archive else None,
        numbers(archive, "channels") if "channels" in archive else None,
        **about(archive),
        **space(archive, options),
        playback=_playback(archive),
    )


def _playback(archive: Archive) -> Playback | None:
    if "playback" not in archive:
        return None
    try:
        playback = playback_from(json.loads(text(archive, "playback", "")))
    except (ValueError, RecursionError):
        playback = None
    if playback is None:
        raise FormatError(archive.path, "playback information in JSON was expected", "array 'playback'")
    return playback


def _skeleton(archive: Archive) -> Skeleton:
    channels: tuple[tuple[str, ...], ...] = ()
    if "channel_layout" in archive:
        channels = tuple(tuple(layout.split()) for layout in texts(archive, "channel_layout"))
    return Skeleton(
        texts(archive, "names"),
        whole_numbers(archive, "parents"),
        numbers(archive, "offsets"),
        _end_sites(archive) if "end_site_joints" in archive else (),
        channels,
        texts(archive, "euler_orders") if "euler_orders" in archive else (),
        numbers(archive, "axes") if "axes" in archive else None,
        _limits(archive, channels) if "limits" in archive else None,
    )


def _end_sites(archive: Archive) -> tuple[EndSite, ...]:
    joints = whole_numbers(archive, "end_site_joints").ravel().tolist()
    offsets = numbers(archive, "end_site_offsets")
    names = texts(archive, "end_site_names") if "end_site_names" in archive else ("",) * len(joints)
    if offsets.shape != (len(joints), 3) or len(names) != len(joints):
        raise FormatError(archive.path, f"{len(joints)} end sites need as many offsets and names", "end sites")
    return tuple(
        EndSite(joint, (x, y, z), name) for joint, (x, y, z), name in zip(joints, offsets.tolist(), names, strict=True)
    )


def _limit_arrays(skeleton: Skeleton, limits: tuple[Limits, ...]) -> Arrays:
    rows: list[tuple[float, float]] = []
    for joint_limits, channels in zip(limits, skeleton.channels, strict=True):
        rows += [(np.nan, np.nan) if pair is None else pair for pair in joint_limits or (None,) * len(channels)]
    return {
        "limits": np.array(rows, dtype=np.float64).reshape(-1, 2),
        "limited": np.array([bool(joint_limits) for joint_limits in limits]),
    }


def _limits(archive: Archive, channels: tuple[tuple[str, ...], ...]) -> tuple[Limits, ...]:
    rows: Floats = numbers(archive, "limits")
    count = sum(len(c) for c in channels)
    limited = numbers(archive, "limited").ravel() if "limited" in archive else np.ones(len(channels))
    if rows.shape != (count, 2) or len(limited) != len(channels):
        raise FormatError(
            archive.path, f"one row of limits for each of {count} channels was expected", "array 'limits'"
        )
    pairs = [None if np.isnan(low) and np.isnan(high) else (low, high) for low, high in rows.tolist()]
    out: list[Limits] = []
    for joint_channels, has_limits in zip(channels, limited.tolist(), strict=True):
        joint_limits, pairs = pairs[: len(joint_channels)], pairs[len(joint_channels) :]
        out.append(tuple(joint_limits) if has_limits else ())
    return tuple(out)
