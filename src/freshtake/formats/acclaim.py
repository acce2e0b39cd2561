"""Read and write Acclaim motion (.amc): frames of channel values for the skeleton of an .asf file."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np

from freshtake.errors import FormatError
from freshtake.formats.asf import DEFAULT_FPS, asf_skeleton
from freshtake.formats.files import read_text, write_bytes
from freshtake.formats.numbers import COMPUTED_DECIMALS, finite_number, finite_numbers
from freshtake.formats.read_options import Motion, ReadOptions, WriteOptions
from freshtake.motion import Clip, Skeleton
from freshtake.motion.body.orientation import hides_up
from freshtake.motion.channels import clip_from_channels
from freshtake.motion.kinds import kind_word
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import angle_between, continuous_euler, inverse, multiply, rotate, to_euler

_COMMENT = re.compile(r"#[^\n]*")
_WHOLE = re.compile(r"\d{1,15}", re.ASCII)


def parse_amc(path: Path, text: str, skeleton: Skeleton) -> tuple[bool | None, float | None, Floats]:
    """Return whether angles are in degrees, the rate, and columns (frames, channels) in the skeleton's layout.

    Unit and rate are None if the header does not state them; joints may be listed in any order.
    """
    text = _COMMENT.sub("", text) if "#" in text else text
    degrees, fps, start = _header(path, text)
    layout = {name: len(dofs) for name, dofs in zip(skeleton.names, skeleton.channels, strict=True) if dofs}
    line = text.count("\n", 0, start) + 1
    if not text[start:].strip():
        raise FormatError(path, "a frame number was expected after the header, but the file ends there", f"line {line}")
    return degrees, fps, _frames(path, text[start:], line, layout)


def _header(path: Path, text: str) -> tuple[bool | None, float | None, int]:
    """Return unit and rate from the lines that begin with a colon, and where the frames start."""
    degrees: bool | None = None
    fps: float | None = None
    at, line = 0, 1
    for row in text.splitlines(keepends=True):
        words = row.split()
        if words and not words[0].startswith(":"):
            break
        word = words[0].upper() if words else ""
        if word in (":DEGREES", ":RADIANS"):
            degrees = word == ":DEGREES"
        elif word == ":SAMPLES-PER-SECOND":
            fps = finite_number(words[1]) if len(words) > 1 else None
            if fps is None or not 0.0 < fps <= 1e6:
                raise FormatError(path, "a rate above 0 was expected after :SAMPLES-PER-SECOND", f"line {line}")
        at += len(row)
        line += 1
    return degrees, fps, at


def _frames(path: Path, body: str, line: int, layout: dict[str, int]) -> Floats:
    """Return a row for each frame; the file has the frame's number, then a line per joint with its dofs' values."""
    rows: list[list[float]] = []
    frame = 0
    values: dict[str, list[float]] | None = None  # the values of the frame by joint; None between two frames
    last = line
    for number, row in enumerate(body.split("\n"), line):
        words = row.split()
        if not words:
            continue
        if values is None:
            if not _WHOLE.fullmatch(words[0]) or (rows and int(words[0]) != frame + 1):
                what = f"the frame number {frame + 1}" if rows else "a frame number"
                problem = f"{what} was expected, not {words[0][:40]!r}: frames must follow one another without a gap"
                raise FormatError(path, problem, f"line {number}")
            frame, values = int(words.pop(0)), {}
        if words:
            if words[0] not in layout or words[0] in values:
                raise _no_joint(path, frame, words[0], layout, values, (number, last))
            values[words[0]] = _numbers(path, frame, words, layout[words[0]], number)
            if len(values) == len(layout):
                rows.append([value for name in layout for value in values[name]])
                values = None
        last = number
    if values is not None:
        raise _no_joint(path, frame, "", layout, values, (last, last))
    return np.array(rows)


def _numbers(path: Path, frame: int, words: list[str], count: int, line: int) -> list[float]:
    joint, *texts = words
    values = finite_numbers(texts)
    if values is None:
        bad = next(text for text in texts if finite_number(text) is None)
        problem = f"frame {frame}: joint {joint!r} needs finite numbers, not {bad[:40]!r}"
        raise FormatError(path, problem, f"line {line}")
    if len(values) != count:
        problem = f"frame {frame}: joint {joint!r} has {count} dofs, but {len(values)} numbers in its line"
        raise FormatError(path, problem, f"line {line}")
    return values


def _no_joint(
    path: Path, frame: int, word: str, layout: dict[str, int], values: dict[str, list[float]], lines: tuple[int, int]
) -> FormatError:
    """Return the error for a word other than the expected joint; `lines`: the word's line and the line before it."""
    line, before = lines
    missing = next(name for name in layout if name not in values)
    if word in values:
        problem = f"joint {word!r} appears twice, while {missing!r} is missing"
    elif finite_number(word or "0") is not None:
        line, problem = before, f"joint {missing!r} is missing: every frame lists every joint that has dofs"
    else:
        problem = f"{word[:40]!r} is not a joint with dofs in this skeleton: is this the right ASF file?"
    return FormatError(path, f"frame {frame}: {problem}", f"line {line}")


_LARGEST_MISFIT = np.radians(1.0)  # interpolation causes rotation outside a joint's dofs


def read(path: Path, options: ReadOptions) -> Clip:
    """Read one clip; `channels` holds the numbers of the file unchanged, in the order of the skeleton's joints.

    The rate is the caller's, else the file's (:SAMPLES-PER-SECOND, rarely present), else 120 with a warning.
    """
    source = skeleton_file(path, options)
    skeleton, asf_degrees = asf_skeleton(source, read_text(source))
    if skeleton.channel_count == 0:
        raise FormatError(source, "no bone of the skeleton has dofs, so there is no motion to read")
    text = read_text(path)
    degrees, stated_fps, values = parse_amc(path, text, skeleton)
    fps = options.fps or stated_fps
    if fps is None:
        fps = DEFAULT_FPS
        options.warn(
            f"{path}: AMC files carry no rate, so {fps:g} frames per second are assumed: give the rate with --fps"
        )
    return clip_from_amc(
        skeleton,
        values,
        1.0 / fps,
        degrees=asf_degrees if degrees is None else degrees,
        name=path.stem,
        provenance=f"{path.name} with {source.name}",
        unit_m=options.unit_m,
        up=options.up or ("z" if text.startswith("# up z") else "y"),
    )


def skeleton_file(path: Path, options: ReadOptions) -> Path:
    """Return the ASF file of an AMC file: from the options, else the only ASF file in its folder."""
    if options.skeleton is not None:
        return Path(options.skeleton)
    try:
        candidates = sorted(p for p in path.parent.iterdir() if p.suffix.lower() == ".asf")
    except OSError as error:
        raise FormatError(path, f"its folder cannot be searched for an ASF file ({error.strerror})") from None
    if not candidates:
        raise FormatError(path, "there is no ASF file in its folder: name the skeleton with --skeleton FILE.asf")
    if len(candidates) > 1:
        names = ", ".join(p.name for p in candidates[:4])
        problem = f"its folder has {len(candidates)} ASF files ({names})"
        raise FormatError(path, f"{problem}: name the right one with --skeleton FILE.asf")
    return candidates[0]


def clip_from_amc(
    skeleton: Skeleton, values: Floats, frame_time: float, *, degrees: bool = True, **about: object
) -> Clip:
    """Return a clip of a skeleton with axes: position dofs move a joint from its rest, along the axes of its bone."""
    bare = replace(skeleton, offsets=np.zeros_like(skeleton.offsets), end_sites=(), limits=None)
    at_zero = clip_from_channels(bare, values, frame_time, degrees=degrees)
    assert skeleton.axes is not None
    with np.errstate(over="ignore", invalid="ignore"):  # the clip refuses values that are not finite
        places = skeleton.offsets + rotate(skeleton.axes, at_zero.local_translations())
    translations = None if at_zero.joint_translations is None else places
    return Clip(skeleton, frame_time, places[:, 0], at_zero.rotations, translations, values, **about)  # type: ignore[arg-type]


def write(path: Path, motion: Motion, options: WriteOptions) -> None:
    """Write a clip whose skeleton came from an ASF file; numbers that came from a file keep all their digits."""
    if not isinstance(motion, Clip) or motion.skeleton.axes is None:
        what = "this clip's" if isinstance(motion, Clip) else f"a {kind_word(motion)} has no skeleton, so its"
        problem = f"AMC needs a skeleton that was read from an ASF file, {what} motion goes to .bvh or .npz"
        raise FormatError(path, problem)
    write_bytes(path, to_text(path, motion).encode())


def to_text(path: Path, clip: Clip) -> str:
    """Return the complete file as text."""
    values, degrees = _columns(path, clip)
    starts = np.cumsum([0, *[len(dofs) for dofs in clip.skeleton.channels]]).tolist()
    spans = [span for span in zip(clip.skeleton.names, starts[:-1], starts[1:], strict=True) if span[1] < span[2]]
    # The format has no field for the vertical axis: state it if the body does not reveal it.
    lines = [f"# up {clip.up}"] if hides_up(clip) else []
    lines += [":FULLY-SPECIFIED", ":DEGREES" if degrees else ":RADIANS"]
    for number, row in enumerate(values.tolist(), start=1):
        words = list(map(repr, row))
        lines.append(str(number))
        lines += [f"{name} {' '.join(words[start:stop])}" for name, start, stop in spans]
    return "\n".join(lines) + "\n"


def _columns(path: Path, clip: Clip) -> tuple[Floats, bool]:
    """Return the file's numbers, and whether they are degrees, if they give the clip's rotations; else new degrees."""
    if clip.channels is not None:
        for degrees in (True, False):
            again = clip_from_amc(clip.skeleton, clip.channels, clip.frame_time, degrees=degrees)
            if angle_between(again.rotations, clip.rotations).max() < 1e-9:
                return clip.channels, degrees
    return np.round(_computed(path, clip), COMPUTED_DECIMALS) + 0.0, True


def _computed(path: Path, clip: Clip) -> Floats:
    """Return continuous angles in degrees. Rotation outside a joint's dofs (up to 1 degree) is dropped."""
    skeleton = clip.skeleton
    assert skeleton.axes is not None
    back = inverse(skeleton.axes)
    local = multiply(multiply(back, clip.rotations), skeleton.axes)
    moved = rotate(back, clip.local_translations() - skeleton.offsets)
    columns = []
    for joint, dofs in enumerate(skeleton.channels):
        # Insert axes that a joint lacks after its first axis: their angles are zero there, and its dofs keep their
        # range.
        free = skeleton.orders[joint]
        order = free[:1] + "".join(axis for axis in "XYZ" if axis not in free) + free[1:]
        turns = local[:, joint]
        full = len(free) == 3
        angles = np.degrees(continuous_euler(turns, order) if full else np.unwrap(to_euler(turns, order), axis=0))
        for dof in dofs:
            axis = "xyz".index(dof[1])
            columns.append(moved[:, joint, axis] if dof[0] == "t" else angles[:, order.index(dof[1].upper())])
    values = np.stack(columns, axis=1) if columns else np.zeros((len(clip), 0))
    _check_fit(path, clip, clip_from_amc(skeleton, values, clip.frame_time))
    return values


def _check_fit(path: Path, clip: Clip, written: Clip) -> None:
    names = clip.skeleton.names
    misfit = angle_between(written.rotations, clip.rotations).max(axis=0)
    if misfit.max() > _LARGEST_MISFIT:
        problem = f"turns by {np.degrees(misfit.max()):.3g} degrees outside its Acclaim dofs: write .bvh instead"
        raise FormatError(path, f"joint {names[int(misfit.argmax())]!r} {problem}")
    slip = np.abs(written.local_translations() - clip.local_translations()).max(axis=(0, 2))
    if slip.max() > 1e-6 * max(1.0, float(np.abs(clip.skeleton.offsets).max())):
        problem = f"moves by {slip.max():.3g}, for which it has no dofs: write .bvh instead"
        raise FormatError(path, f"joint {names[int(slip.argmax())]!r} {problem}")
