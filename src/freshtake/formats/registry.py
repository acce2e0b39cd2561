"""Which format a file is in, by content as well as by name, and `read` and `write`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Unpack, cast

import numpy as np

from freshtake.errors import FormatError, InvalidMotion
from freshtake.formats.files import is_folder, read_head
from freshtake.formats.ftm import looks_like_model
from freshtake.formats.read_options import Motion, ReadKeywords, ReadOptions, WriteKeywords, WriteOptions
from freshtake.motion import Clip, MeshSequence, PointClip, Stroke
from freshtake.motion.body.rooting import as_filed, following, rooted
from freshtake.motion.body.upright import ASSUMED, Upright, agreed, find_up, rest_axis
from freshtake.motion.rates import at_rate, nominal_frame_time


@dataclass(frozen=True)
class Format:
    """One file format: its module has `read(path, options)` and, if writable, `write(path, motion, options)`."""

    name: str
    title: str
    suffixes: tuple[str, ...]
    module: str
    looks_like: Callable[[bytes], bool]
    writable: bool = True
    states_up: bool | Callable[[bytes], bool] = False  # whether its files state (or the format fixes) the up axis
    several: bool = False  # whether one file holds several clips, each with its name

    def load(self) -> Any:
        """Import the module that reads and writes this format, now that it is needed."""
        return import_module(f"freshtake.formats.{self.module}")


def _starts(pattern: bytes) -> Callable[[bytes], bool]:
    expression = re.compile(pattern, re.IGNORECASE)
    return lambda head: expression.match(head) is not None


_COMMENTS = rb"(?:\xef\xbb\xbf)?(?:\s|#[^\n]*\n)*"

_UP_LINE = re.compile(rb"(?:\xef\xbb\xbf)?\s*#[ \t]*(?:unit[^\n]*,[ \t]*)?up\b", re.IGNORECASE)
_TABLE = re.compile(
    rb'(?!PathFileType)(?:\xef\xbb\xbf)?\s*(?:#[ \t]*(?:up|unit)\b[^\n]*\n\s*)?"?[A-Za-z_][^\n]*[,;\t][^\n]*\n'
)

FORMATS = (
    Format("bvh", "BVH", (".bvh",), "bvh", _starts(rb"(?:\xef\xbb\xbf)?\s*HIERARCHY\b")),
    Format("amc", "Acclaim motion", (".amc",), "acclaim", _starts(_COMMENTS + rb":(FULLY|DEGREES|RADIANS|SAMPLES)")),
    Format("asf", "Acclaim skeleton", (".asf",), "asf", _starts(_COMMENTS + rb":(VERSION|NAME|UNITS)"), writable=False),
    Format(
        "c3d",
        "C3D",
        (".c3d",),
        "c3d",
        lambda head: len(head) >= 512 and head[0] >= 2 and head[1] == 0x50 and head[2:4] != b"NG",  # of a PNG
        states_up=True,
    ),
    Format(
        "gltf",
        "glTF 2.0",
        (".glb", ".gltf", ".vrma"),
        "gltf",
        _starts(rb'glTF|(?:\xef\xbb\xbf)?\s*\{[\s\S]*"asset"'),
        states_up=True,
        several=True,
    ),
    Format(
        "fbx", "FBX", (".fbx",), "fbx", _starts(rb"Kaydara FBX Binary  \x00|; FBX \d"), states_up=True, several=True
    ),
    Format("usd", "USD", (".usd", ".usda", ".usdc"), "usd", _starts(rb"PXR-USDC|#usda "), states_up=True, several=True),
    Format("trc", "OpenSim markers", (".trc",), "trc", _starts(rb"PathFileType\b")),
    Format(
        "mot",
        "OpenSim motion",
        (".mot", ".sto"),
        "mot",
        lambda head: re.search(rb"^[ \t]*endheader[ \t]*\r?$", head, re.IGNORECASE | re.MULTILINE) is not None,
    ),
    Format("npz", "NumPy archive", (".npz",), "npz", _starts(rb"PK\x03\x04"), states_up=True),
    Format(
        "csv",
        "CSV table",
        (".csv", ".tsv"),
        "table",
        lambda head: b"\0" not in head and _TABLE.match(head) is not None,
        states_up=lambda head: _UP_LINE.match(head) is not None,
    ),
    Format("obj", "OBJ mesh or folder", (".obj",), "obj", _starts(_COMMENTS + rb"(?:v|vn|vt|o|g|mtllib)[ \t]")),
)


KEEP_DIGITS = ("bvh", "csv", "npz")  # formats whose frame times are written as they are, rounded or not


class ReadMotion(NamedTuple):
    """A motion, and how its vertical axis is known: stated in the file, as given, found from the body, assumed."""

    motion: Motion
    up: str


def read(path: str | PathLike[str], **options: Unpack[ReadKeywords]) -> Motion:
    """Read a clip, stroke, point clip or mesh sequence; the format is detected from content and name.

    Options are the fields of `ReadOptions`, for example `fps=60` for an AMC file. The vertical axis is found from the
    body where neither the file nor `up` says it.
    """
    return take_in(Path(path), ReadOptions(**options)).motion


def take_in(source: Path, settings: ReadOptions) -> ReadMotion:
    """Read a motion and infer what its file does not state."""
    return take_in_all([source], settings)[0]


def take_in_all(sources: Sequence[Path], settings: ReadOptions, *, filed: bool = False) -> list[ReadMotion]:
    """Read motions that are used together: files of one skeleton that do not state their vertical axis get one.

    Args:
        sources: the files.
        settings: how they are read.
        filed: leave joints above the body as the files have them, for motions that are only written again.

    Returns:
        A motion for each file.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # damaged files hold numbers whose squares overflow
        opened = [_opened(source, settings, filed) for source in sources]
        open_axes: dict[Any, dict[int, Upright]] = {}
        for number, (motion, how) in enumerate(opened):
            if not how and isinstance(motion, Clip | PointClip):
                rig = (motion.names, "") if isinstance(motion, PointClip) else motion.skeleton.rig
                open_axes.setdefault(rig, {})[number] = find_up(rooted(motion) if isinstance(motion, Clip) else motion)
        for found in open_axes.values():
            for number, upright in zip(found, agreed(list(found.values())), strict=True):
                if upright.doubtful:
                    settings.warn(
                        f"{sources[number].name}: the body does not show which axis points up, so y is assumed: "
                        "give --up y or --up z"
                    )
                opened[number] = ReadMotion(replace(cast(Clip, opened[number].motion), up=upright.axis), upright.how)
        return [_placed(motion, how, settings, filed) for motion, how in opened]


def _opened(source: Path, settings: ReadOptions, filed: bool) -> ReadMotion:
    """The motion with its root where its body is, and how its vertical axis is known: empty where that is open."""
    form = detect(source)
    motion = _read(source, form, settings)
    if isinstance(motion, Clip) and not filed:
        motion = rooted(motion, exact=form.name == "npz")  # an npz holds all digits, text is rounded
    if settings.up is not None and form.name not in ("gltf", "npz"):
        return ReadMotion(motion, "as given")
    stated = form.states_up(read_head(source)) if callable(form.states_up) else form.states_up
    if stated:
        return ReadMotion(motion, "stated in the file")
    return ReadMotion(motion, "" if isinstance(motion, Clip | PointClip) else ASSUMED)


def _placed(motion: Motion, how: str, settings: ReadOptions, filed: bool) -> ReadMotion:
    """The motion at the requested rate, with what has to wait for its vertical axis done."""
    motion = following(motion) if isinstance(motion, Clip) and not filed else motion
    return ReadMotion(motion if settings.rate is None else at_rate(motion, settings.rate), how)


def _read(source: Path, form: Format, settings: ReadOptions) -> Motion:
    try:
        motion: Motion = form.load().read(source, settings)
    except InvalidMotion as error:
        raise FormatError(source, str(error)) from None
    except RecursionError:
        raise FormatError(source, "the file is nested too deeply to be read") from None
    except MemoryError:
        raise FormatError(source, "the file asks for more memory than there is") from None
    return motion


def write(path: str | PathLike[str], motion: Motion | Sequence[Clip], **options: Unpack[WriteKeywords]) -> None:
    """Write in the format that the name's ending says; the file appears whole or not at all.

    Options are the fields of `WriteOptions`. A sequence of clips goes into one glTF or FBX file as named animations.
    """
    target = Path(path)
    form, settings = for_writing(target), WriteOptions(**options)
    form.load().write(target, _filed(motion, exact=form.name in KEEP_DIGITS), settings)
    if form.name in ("bvh", "amc") and isinstance(motion, Clip) and _hides_its_axis(motion):
        settings.warn(
            f"{target.name}: {form.title} does not hold which axis points up, and this body does not show that it is "
            f"{motion.up}: read the file with --up {motion.up}"
        )


def _hides_its_axis(clip: Clip) -> bool:
    """Return whether a reader of a file that cannot state the vertical axis would take another one."""
    return rest_axis(clip.skeleton) != clip.up and find_up(clip).axis != clip.up


def _filed(motion: Motion | Sequence[Clip], *, exact: bool) -> Motion | Sequence[Clip]:
    """Clips in the form of their files; all at the rate that was meant, unless it is kept digit by digit."""
    if not isinstance(motion, Clip | Stroke | PointClip | MeshSequence):
        return [cast(Clip, _filed(clip, exact=exact)) for clip in motion]
    if not exact and not isinstance(motion, Stroke):
        nominal = nominal_frame_time(motion.frame_time)
        motion = motion if nominal == motion.frame_time else replace(motion, frame_time=nominal)
    return as_filed(motion) if isinstance(motion, Clip) else motion


def has_skin(path: Path) -> bool:
    """Return whether a file holds a mesh that follows a skeleton, which can be written with new motions."""
    module = {"gltf": "gltf.io", "fbx": "fbx.character"}.get(detect(path).name)
    return module is not None and bool(import_module(f"freshtake.formats.{module}").has_skin(path))


def holds_character(path: Path) -> bool:
    """Return whether a file is read as a character: glTF, or FBX with a skin; of others the skeleton is taken."""
    return detect(path).name == "gltf" or has_skin(path)


def detect(path: Path) -> Format:
    """The format of an existing file: by its content, and by its name where content leaves it open."""
    if is_folder(path):
        return by_name("obj")
    head = read_head(path)
    _refuse_wrappers(path, head)
    named = [f for f in FORMATS if path.suffix.lower() in f.suffixes]
    if named and (named[0].looks_like(head) or not any(f.looks_like(head) for f in FORMATS)):
        return named[0]
    for candidate in FORMATS:
        if candidate.looks_like(head):
            return candidate
    raise FormatError(path, f"this format cannot be read; the readable ones are {_titles(FORMATS)}", "byte 0")


_PACKED = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"7z\xbc\xaf": "7z",
    b"Rar!": "rar",
}
_WEB_PAGE = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html)", re.IGNORECASE)


def _refuse_wrappers(path: Path, head: bytes) -> None:
    """What is no motion file whatever its name: nothing, a packed file, a model, a web page saved in its place."""
    if not head:
        raise FormatError(path, "the file is empty: get it again", "byte 0")
    for mark, packer in _PACKED.items():
        if head.startswith(mark):
            raise FormatError(path, f"this is packed with {packer}: unpack it first", "byte 0")
    if looks_like_model(head):
        raise FormatError(path, "this is a learned model, not a motion: use freshtake vary or ft.load", "byte 0")
    if _WEB_PAGE.match(head):
        raise FormatError(path, "this is a web page, not a motion file: download the file itself", "line 1")


def for_writing(path: Path) -> Format:
    """The format that a target's name asks for."""
    suffix = path.suffix.lower()
    for candidate in FORMATS:
        if candidate.writable and (suffix in candidate.suffixes or (candidate.name == "obj" and suffix == "")):
            return candidate
    writable = [f for f in FORMATS if f.writable]
    raise FormatError(path, f"files that end in {suffix!r} cannot be written; choose from {_titles(writable)}")


def holding_several() -> str:
    """The formats whose files hold several clips, in words."""
    return _titles([f for f in FORMATS if f.several])


def by_name(name: str) -> Format:
    """The format with this short name."""
    return next(f for f in FORMATS if f.name == name)


def _titles(formats: Sequence[Format]) -> str:
    return ", ".join(f"{f.title} ({' '.join(f.suffixes)})" if f.suffixes else f.title for f in formats)
