"""Acclaim motion (AMC), which needs the skeleton file (ASF) it was made with; `asf.py` says what the numbers mean."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from freshtake.errors import FormatError
from freshtake.formats.amc_frames import parse_amc
from freshtake.formats.asf import DEFAULT_FPS, asf_skeleton
from freshtake.formats.files import read_text, write_bytes
from freshtake.formats.read_options import Motion, ReadOptions, WriteOptions
from freshtake.motion import Clip, Skeleton
from freshtake.motion.channels import clip_from_channels
from freshtake.motion.kind_words import kind_word
from freshtake.numeric.arrays import Floats
from freshtake.numeric.euler import continuous_euler, to_euler
from freshtake.numeric.rotations import angle_between, inverse, multiply, rotate

_DECIMALS = 9  # of degrees and units that we computed ourselves; a file's own numbers keep all their digits
_LARGEST_MISFIT = np.radians(1.0)  # of a joint that left its dofs, as rotations between frames do by a little


def read(path: Path, options: ReadOptions) -> Clip:
    """One clip; `channels` holds the file's numbers as they stand, joint after joint of the skeleton.

    The rate is the caller's, else the file's (:SAMPLES-PER-SECOND, rarely there), else 120 with a warning.
    """
    source = skeleton_file(path, options)
    skeleton, asf_degrees = asf_skeleton(source, read_text(source))
    if skeleton.channel_count == 0:
        raise FormatError(source, "no bone of the skeleton has dofs, so there is no motion to read")
    amc = parse_amc(path, read_text(path), skeleton)
    fps = options.fps or amc.fps
    if fps is None:
        fps = DEFAULT_FPS
        options.warn(
            f"{path}: AMC files carry no rate, so {fps:g} frames per second are assumed: give the rate with --fps"
        )
    return clip_from_amc(
        skeleton,
        amc.values,
        1.0 / fps,
        degrees=asf_degrees if amc.degrees is None else amc.degrees,
        name=path.stem,
        provenance=f"{path.name} with {source.name}",
        unit_m=options.unit_m,
        up=options.up or "y",
    )


def skeleton_file(path: Path, options: ReadOptions) -> Path:
    """The ASF that an AMC is read with: the one that was named, else the only one in its folder."""
    return Path(options.skeleton) if options.skeleton is not None else _only_asf(path)


def _only_asf(path: Path) -> Path:
    try:
        candidates = sorted(p for p in path.parent.iterdir() if p.suffix.lower() == ".asf")
    except OSError as error:
        raise FormatError(path, f"its folder cannot be searched for an ASF file ({error.strerror})") from None
    if len(candidates) == 1:
        return candidates[0]
    if not candidates:
        raise FormatError(path, "there is no ASF file in its folder: name the skeleton with --skeleton FILE.asf")
    names = ", ".join(p.name for p in candidates[:4])
    raise FormatError(
        path, f"its folder has {len(candidates)} ASF files ({names}): name the right one with --skeleton FILE.asf"
    )


def clip_from_amc(
    skeleton: Skeleton, values: Floats, frame_time: float, *, degrees: bool = True, **about: object
) -> Clip:
    """A clip of a skeleton with axes: position dofs move a joint from its rest, along the axes of its bone."""
    at_zero = clip_from_channels(_without_offsets(skeleton), values, frame_time, degrees=degrees)
    assert skeleton.axes is not None
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is not finite, and the clip refuses it
        moved = skeleton.offsets + rotate(skeleton.axes, at_zero.local_translations())
    moving = at_zero.joint_translations is not None
    return Clip(
        skeleton,
        frame_time,
        moved[:, 0],
        at_zero.rotations,
        moved if moving else None,
        values,
        **about,  # type: ignore[arg-type]
    )


def _without_offsets(skeleton: Skeleton) -> Skeleton:
    return replace(skeleton, offsets=np.zeros_like(skeleton.offsets), end_sites=(), limits=None)


def write(path: Path, motion: Motion, options: WriteOptions) -> None:
    """Write a clip whose skeleton came from an ASF file; numbers that came from a file keep all their digits."""
    if not isinstance(motion, Clip) or motion.skeleton.axes is None:
        what = "this clip's" if isinstance(motion, Clip) else f"a {kind_word(motion)} has no skeleton, so its"
        raise FormatError(
            path, f"AMC needs a skeleton that was read from an ASF file, {what} motion goes to .bvh or .npz"
        )
    write_bytes(path, to_text(path, motion).encode())


def to_text(path: Path, clip: Clip) -> str:
    """The whole file as text."""
    values, degrees = _columns(path, clip)
    starts = np.cumsum([0, *[len(dofs) for dofs in clip.skeleton.channels]]).tolist()
    spans = [
        (name, start, stop)
        for name, start, stop in zip(clip.skeleton.names, starts[:-1], starts[1:], strict=True)
        if start < stop
    ]
    lines = [":FULLY-SPECIFIED", ":DEGREES" if degrees else ":RADIANS"]
    for number, row in enumerate(values.tolist(), start=1):
        words = list(map(repr, row))
        lines.append(str(number))
        lines += [f"{name} {' '.join(words[start:stop])}" for name, start, stop in spans]
    return "\n".join(lines) + "\n"


def _columns(path: Path, clip: Clip) -> tuple[Floats, bool]:
    """The file's own numbers, in the unit that gives the clip's rotations; otherwise computed degrees."""
    if clip.channels is not None:
        for degrees in (True, False):
            again = clip_from_amc(clip.skeleton, clip.channels, clip.frame_time, degrees=degrees)
            if angle_between(again.rotations, clip.rotations).max() < 1e-9:
                return clip.channels, degrees
    return np.round(_computed(path, clip), _DECIMALS) + 0.0, True


def _computed(path: Path, clip: Clip) -> Floats:
    """Continuous angles in degrees. What a joint with one or two dofs turns beyond them (up to 1 degree) is dropped."""
    skeleton = clip.skeleton
    assert skeleton.axes is not None
    back = inverse(skeleton.axes)
    local = multiply(multiply(back, clip.rotations), skeleton.axes)
    moved = rotate(back, clip.local_translations() - skeleton.offsets)
    columns = []
    for joint, dofs in enumerate(skeleton.channels):
        order, angles = _angles(local[:, joint], skeleton.orders[joint])
        for dof in dofs:
            axis = "xyz".index(dof[1])
            columns.append(moved[:, joint, axis] if dof[0] == "t" else angles[:, order.index(dof[1].upper())])
    values = np.stack(columns, axis=1) if columns else np.zeros((len(clip), 0))
    _check_fit(path, clip, clip_from_amc(skeleton, values, clip.frame_time))
    return values


def _angles(local: Floats, order: str) -> tuple[str, Floats]:
    """Degrees (frames, 3) in the order completed to three axes.

    Axes that a joint lacks go behind its first, where their angle is zero: its own can then turn all the way.
    """
    full = order[:1] + "".join(axis for axis in "XYZ" if axis not in order) + order[1:]
    if len(order) == 3:
        return full, np.degrees(continuous_euler(local, full))
    return full, np.degrees(np.unwrap(to_euler(local, full), axis=0))


def _check_fit(path: Path, clip: Clip, written: Clip) -> None:
    names = clip.skeleton.names
    misfit = angle_between(written.rotations, clip.rotations).max(axis=0)
    if misfit.max() > _LARGEST_MISFIT:
        name, off = names[int(misfit.argmax())], np.degrees(misfit.max())
        raise FormatError(
            path, f"joint {name!r} turns by {off:.3g} degrees outside its Acclaim dofs: write .bvh instead"
        )
    slip = np.abs(written.local_translations() - clip.local_translations()).max(axis=(0, 2))
    if slip.max() > 1e-6 * max(1.0, float(np.abs(clip.skeleton.offsets).max())):
        name = names[int(slip.argmax())]
        raise FormatError(
            path, f"joint {name!r} moves by {slip.max():.3g}, for which it has no dofs: write .bvh instead"
        )
