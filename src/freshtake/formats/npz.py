"""Read and write motions as NumPy archives (.npz)."""

import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote, unquote

import numpy as np

from freshtake.errors import FormatError
from freshtake.formats.amass import amass_from, is_amass, joints_in_name, write_amass
from freshtake.formats.archive import Archive, Arrays, about_arrays, open_archive, text_array, write_archive
from freshtake.formats.files import stored_note
from freshtake.formats.read_options import Motion, ReadOptions, WriteOptions
from freshtake.motion import Clip, EndSite, MeshSequence, PointClip, Skeleton, Stroke
from freshtake.motion.clip import playback_from
from freshtake.motion.skeleton import Limits
from freshtake.numeric.arrays import Floats


def clip_arrays(clip: Clip) -> Arrays:
    """Return the arrays of a clip; those that only some clips have come last.

    `channel_layout` holds each joint's channels in one text ("tx ty tz rz ry rx"). `limits` has one row per
    channel, NaN if a channel has none; infinite limits are allowed.
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
    """Return a clip from its arrays; names, parents, offsets, root, rotations and fps are required."""
    playback = playback_from(stored_note(archive.one_text("playback", "")))
    if playback is None and "playback" in archive:
        raise FormatError(archive.path, "playback information in JSON was expected", "array 'playback'")
    return Clip(
        _skeleton(archive),
        archive.frame_time(options),
        archive.numbers("root"),
        archive.numbers("rotations"),
        archive.optional("joint_translations"),
        archive.optional("channels"),
        **archive.about(),
        **archive.space(options),
        playback=playback,
    )


def _skeleton(archive: Archive) -> Skeleton:
    channels = tuple(tuple(layout.split()) for layout in archive.texts("channel_layout", ()))
    sites: tuple[EndSite, ...] = ()
    if "end_site_joints" in archive:
        joints = archive.whole_numbers("end_site_joints").ravel().tolist()
        offsets = archive.numbers("end_site_offsets")
        names = archive.texts("end_site_names", ("",) * len(joints))
        if offsets.shape != (len(joints), 3) or len(names) != len(joints):
            raise FormatError(archive.path, f"{len(joints)} end sites need as many offsets and names", "end sites")
        sites = tuple(EndSite(*row) for row in zip(joints, map(tuple, offsets.tolist()), names, strict=True))
    return Skeleton(
        archive.texts("names"),
        archive.whole_numbers("parents"),
        archive.numbers("offsets"),
        sites,
        channels,
        archive.texts("euler_orders", ()),
        archive.optional("axes"),
        _limits(archive, channels) if "limits" in archive else None,
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
    rows: Floats = archive.numbers("limits")
    count = sum(len(c) for c in channels)
    limited = archive.numbers("limited").ravel() if "limited" in archive else np.ones(len(channels))
    if rows.shape != (count, 2) or len(limited) != len(channels):
        problem = f"one row of limits for each of {count} channels was expected"
        raise FormatError(archive.path, problem, "array 'limits'")
    pairs = [None if np.isnan(low) and np.isnan(high) else (low, high) for low, high in rows.tolist()]
    out: list[Limits] = []
    for joint_channels, has_limits in zip(channels, limited.tolist(), strict=True):
        joint_limits, pairs = pairs[: len(joint_channels)], pairs[len(joint_channels) :]
        out.append(tuple(joint_limits) if has_limits else ())
    return tuple(out)


_VERSION = 1
_ATTRIBUTE = "attribute_"
# Arrays that reveal the kind of motion if the file does not state it.
_TELLING = {"clip": ("rotations", "parents"), "mesh": ("vertices",), "points": ("positions",), "stroke": ("points",)}


def read(path: Path, options: ReadOptions) -> Motion:
    """Read a clip, mesh sequence, point clip or stroke, by the file's `kind`, or else by the arrays it has."""
    archive = open_archive(path)
    if "kind" not in archive and is_amass(archive):
        return amass_from(archive, options)
    by_arrays = (kind for kind, keys in _TELLING.items() if all(key in archive for key in keys))
    kind = archive.one_text("kind", "") or next(by_arrays, "")
    if not kind:
        actual = ", ".join(archive.keys[:20]) or "no arrays"
        expected = "rotations and parents (a clip), vertices (a mesh), positions (points) or points (a stroke)"
        raise FormatError(archive.path, f"arrays named {expected} were expected, not {actual[:200]}")
    if "version" in archive and archive.number("version") > _VERSION:
        raise FormatError(path, "the file was written by a newer freshtake: update yours to read it", "array 'version'")
    if kind not in _READERS:
        raise FormatError(path, f"one of {', '.join(_READERS)} was expected, not {kind[:40]!r}", "array 'kind'")
    return _READERS[kind](archive, options)


def _mesh_from(archive: Archive, options: ReadOptions) -> MeshSequence:
    keys = [key for key in archive.keys if key.startswith(_ATTRIBUTE)]
    named = {unquote(key.removeprefix(_ATTRIBUTE), errors="surrogatepass"): key for key in keys}
    return MeshSequence(
        archive.numbers("vertices", np.float32),
        archive.whole_numbers("faces").astype(np.int32),
        archive.frame_time(options),
        archive.optional("normals", np.float32),
        {name: archive.numbers(key, np.float32) for name, key in named.items()},
        **archive.about(),
        **archive.space(options),
    )


def _points_from(archive: Archive, options: ReadOptions) -> PointClip:
    positions = archive.numbers("positions")
    count = positions.shape[1] if positions.ndim == 3 else 0
    return PointClip(
        archive.texts("names", tuple(f"point_{k + 1}" for k in range(count))),
        positions,
        archive.frame_time(options),
        **archive.about(),
        **archive.space(options),
    )


def _stroke_from(archive: Archive, options: ReadOptions) -> Stroke:
    points = archive.numbers("points")
    times = archive.optional("times")
    if times is None and "t" in archive:  # not to be passed over: version 0.1 read the times from it
        raise FormatError(archive.path, "times of strokes are read from 'times': rename the array", "array 't'")
    if times is None:
        times = np.arange(len(points), dtype=np.float64) * archive.frame_time(options)
    return Stroke(points, times, archive.texts("dimensions", ()), **archive.about())


_READERS: dict[str, Callable[[Archive, ReadOptions], Motion]] = {
    "clip": clip_from,
    "mesh": _mesh_from,
    "points": _points_from,
    "stroke": _stroke_from,
}


def write(path: Path, motion: Motion, options: WriteOptions) -> None:
    """Write any motion; equal content gives equal bytes. A file name that ends like AMASS's gets the AMASS layout."""
    count = joints_in_name(path)
    if count is not None:
        return write_amass(path, motion, options, count)
    try:
        arrays = motion_arrays(motion)
    except ValueError as error:
        raise FormatError(path, str(error)) from None
    # Poses shrink by only about a quarter, so compressing takes more time than it is worth.
    return write_archive(path, arrays, compress=not isinstance(motion, Clip))


def motion_arrays(motion: Motion) -> Arrays:
    """Return all arrays of a file that holds this motion."""
    arrays: Arrays
    match motion:
        case Clip():
            kind, arrays = "clip", clip_arrays(motion)
        case MeshSequence():
            kind, arrays = "mesh", {"vertices": motion.vertices, "faces": motion.faces, **about_arrays(motion)}
            if motion.normals is not None:
                arrays["normals"] = motion.normals
            for name, values in motion.attributes.items():
                arrays[_ATTRIBUTE + quote(name, safe="", errors="surrogatepass")] = values
        case PointClip():
            arrays = {"names": text_array(motion.names), "positions": motion.positions, **about_arrays(motion)}
            kind = "points"
        case Stroke():
            arrays = {"points": motion.points, "times": motion.times, "dimensions": text_array(motion.dimensions)}
            arrays |= {"name": text_array(motion.name), "provenance": text_array(motion.provenance)}
            kind = "stroke"
        case _:
            raise ValueError("an npz file holds one clip, stroke, point clip or mesh sequence: write a file for each")
    return {"kind": text_array(kind), "version": np.array(_VERSION, dtype=np.int64), **arrays}
