"""Find the files that users' paths refer to, detect their format by content and name, and read and write them."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, Unpack, cast

import numpy as np

from freshtake.errors import FormatError, InvalidMotion, UsageError
from freshtake.formats.files import is_folder, read_head
from freshtake.formats.ftm import looks_like_model
from freshtake.formats.read_options import Motion, ReadKeywords, ReadOptions, WriteKeywords, WriteOptions
from freshtake.motion import Clip, MeshSequence, PointClip, Stroke
from freshtake.motion.body.orientation import ASSUMED, Upright, agreed, find_paws, find_up, unlikely_unit
from freshtake.motion.body.rooting import as_filed, following, rooted
from freshtake.motion.edit import at_rate, nominal_frame_time
from freshtake.motion.kinds import kind_word


class Format(NamedTuple):
    """One file format: its module has `read(path, options)` and, if writable, `write(path, motion, options)`."""

    name: str
    title: str
    suffixes: tuple[str, ...]
    module: str
    head: bytes  # pattern at the start of files, regardless of their name
    writable: bool = True
    up_stated: bytes | None = None  # pattern at the start of files that state the up axis; empty: the format fixes it
    several: bool = False  # whether one file holds several clips, each with its name

    def load(self) -> Any:
        """Import the module that reads and writes this format."""
        return import_module(f"freshtake.formats.{self.module}")

    def looks_like(self, head: bytes) -> bool:
        """Return whether a file of this format may begin with these bytes."""
        return re.match(self.head, head, re.IGNORECASE) is not None

    def states_up(self, path: Path) -> bool:
        """Return whether the format, or this file, determines the vertical axis."""
        pattern = self.up_stated
        return pattern is not None and re.match(pattern, read_head(path), re.IGNORECASE) is not None


_MARK = rb"(?:\xef\xbb\xbf)?"  # of UTF-8
_COMPRESSED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"7z\xbc\xaf", b"Rar!")
_WEB_PAGE = re.compile(_MARK + rb"\s*<(?:!doctype html|html)", re.IGNORECASE)
_COMMENTS = _MARK + rb"(?:\s|#[^\n]*\n)*"
_C3D = rb"[\x02-\xff](?-i:P(?!NG))[\s\S]{510}"  # a PNG has the same second byte
_MOT = rb"(?m:[\s\S]*?^[ \t]*endheader[ \t]*\r?$)"
_TABLE_UP = _MARK + rb"\s*#[ \t]*(?:unit[^\n]*,[ \t]*)?up\b"
_TABLE = (
    rb"(?![\s\S]*\x00)(?!PathFileType)"
    + _MARK
    + rb'\s*(?:#[ \t]*(?:up|unit)\b[^\n]*\n\s*)?"?[A-Za-z_][^\n]*[,;\t][^\n]*\n'
)

FORMATS = (
    Format("bvh", "BVH", (".bvh",), "bvh", _MARK + rb"\s*HIERARCHY\b", up_stated=rb"HIERARCHY(?: \t|\t )\r?\n"),
    Format(
        "amc", "Acclaim motion", (".amc",), "acclaim", _COMMENTS + rb":(FULLY|DEGREES|RADIANS|SAMPLES)",
        up_stated=rb"# up [yz]\r?\n",
    ),
    Format("asf", "Acclaim skeleton", (".asf",), "asf", _COMMENTS + rb":(VERSION|NAME|UNITS)", writable=False),
    Format("c3d", "C3D", (".c3d",), "c3d", _C3D, up_stated=b""),
    Format(
        "gltf", "glTF 2.0", (".glb", ".gltf", ".vrma"), "gltf", rb"glTF|" + _MARK + rb'\s*\{[\s\S]*"asset"',
        up_stated=b"", several=True,
    ),
    Format("fbx", "FBX", (".fbx",), "fbx", rb"Kaydara FBX Binary  \x00|; FBX \d", up_stated=b"", several=True),
    Format("usd", "USD", (".usd", ".usda", ".usdc"), "usd", rb"PXR-USDC|#usda ", up_stated=b"", several=True),
    Format("trc", "OpenSim markers", (".trc",), "opensim", rb"PathFileType\b"),
    Format("mot", "OpenSim motion", (".mot", ".sto"), "opensim", _MOT),
    Format("npz", "NumPy archive", (".npz",), "npz", rb"PK\x03\x04", up_stated=b""),
    Format("csv", "CSV table", (".csv", ".tsv"), "table", _TABLE, up_stated=_TABLE_UP),
    Format("abc", "Alembic", (".abc",), "alembic", rb"Ogawa"),
    Format("obj", "OBJ mesh or folder", (".obj",), "obj", _COMMENTS + rb"(?:v|vn|vt|o|g|mtllib)[ \t]"),
)  # fmt: skip


KEEP_DIGITS = ("bvh", "csv", "npz")  # formats whose frame times are written exactly, not rounded to a nominal rate


class ReadMotion(NamedTuple):
    """A motion, and the source of its vertical axis: the file, the caller, the body, or an assumption."""

    motion: Motion
    up: str


def read(path: str | PathLike[str], **options: Unpack[ReadKeywords]) -> Motion:
    """Read a clip, stroke, point clip or mesh sequence; the format is detected from content and name.

    The vertical axis is inferred from the body if neither the file nor `up` states it.

    Args:
        path: The file, or the folder of OBJ files.
        options: Fields of `ReadOptions`, for example `fps=60` for an AMC file.

    Returns:
        The motion, in the unit of the file; its class depends on the kind of motion.
    """
    return take_in(Path(path), ReadOptions(**options)).motion


def take_in(source: Path, settings: ReadOptions) -> ReadMotion:
    """Read a motion and infer what its file does not state."""
    return take_in_all([source], settings)[0]


def take_in_all(sources: Sequence[Path], settings: ReadOptions, *, filed: bool = False) -> list[ReadMotion]:
    """Read motions that are used together: files of one skeleton that state no vertical axis get the same axis.

    With `filed`, joints above the body stay as in the files, for motions that are only rewritten.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # squares of numbers in damaged files may overflow
        motions = [_open(source, settings, filed) for source in sources]
        by_rig: dict[Any, dict[int, Upright]] = {}
        for number, (motion, how) in enumerate(motions):
            if not how and isinstance(motion, Clip | PointClip):
                rig = (motion.names, "") if isinstance(motion, PointClip) else motion.skeleton.rig
                by_rig.setdefault(rig, {})[number] = find_up(rooted(motion) if isinstance(motion, Clip) else motion)
        for uprights in by_rig.values():
            for number, upright in zip(uprights, agreed(list(uprights.values())), strict=True):
                if upright.doubtful:
                    problem = "the body does not show which axis points up, so y is assumed: give --up y or --up z"
                    settings.warn(f"{sources[number].name}: {problem}")
                motions[number] = ReadMotion(replace(cast(Clip, motions[number].motion), up=upright.axis), upright.how)
        resampled = []
        for motion, how in motions:
            motion = following(motion) if isinstance(motion, Clip) and not filed else motion
            resampled.append(ReadMotion(motion if settings.rate is None else at_rate(motion, settings.rate), how))
        _question_unit(resampled, settings)
        return resampled if filed else _on_their_paws(resampled)


def _question_unit(motions: Sequence[ReadMotion], settings: ReadOptions) -> None:
    """Warn once if a given unit does not fit the bodies; units that files state take precedence and are not checked."""
    for motion, _ in motions:
        if isinstance(motion, Clip) and motion.unit_m is not None and motion.unit_m == settings.unit_m:
            if doubt := unlikely_unit(motion.skeleton, motion.unit_m):
                settings.warn(doubt)
            return


def _on_their_paws(motions: list[ReadMotion]) -> list[ReadMotion]:
    """Give all motions of a skeleton every foot that was detected in any motion."""
    paws: dict[Any, set[int]] = {}
    for motion, _ in motions:
        if isinstance(motion, Clip):
            paws.setdefault(motion.skeleton.rig, set()).update(find_paws(motion))
    out = []
    for motion, how in motions:
        if isinstance(motion, Clip) and (all_paws := tuple(sorted(paws[motion.skeleton.rig]))) != motion.skeleton.paws:
            motion = replace(motion, skeleton=replace(motion.skeleton, paws=all_paws))
        out.append(ReadMotion(motion, how))
    return out


def _open(source: Path, settings: ReadOptions, filed: bool) -> ReadMotion:
    """Return the motion with its root at its body, and the source of its vertical axis (empty if unknown)."""
    form = detect(source)
    try:
        motion: Motion = form.load().read(source, settings)
    except InvalidMotion as error:
        raise FormatError(source, str(error)) from None
    except RecursionError:
        raise FormatError(source, "the file is nested too deeply to be read") from None
    except MemoryError:
        raise FormatError(source, "the file needs more memory than is available") from None
    if isinstance(motion, Clip) and not filed:
        motion = rooted(motion, exact=form.name == "npz")  # an npz is exact, text is rounded
    if settings.up is not None and form.name not in ("gltf", "npz"):
        return ReadMotion(motion, "as given")
    if form.states_up(source):
        return ReadMotion(motion, "stated in the file")
    return ReadMotion(motion, "" if isinstance(motion, Clip | PointClip) else ASSUMED)


def write(path: str | PathLike[str], motion: Motion | Sequence[Clip], **options: Unpack[WriteKeywords]) -> None:
    """Write a motion atomically, in the format given by the file extension.

    Args:
        path: The file to write.
        motion: The motion; a sequence of clips goes into one glTF, FBX or USD file as named animations.
        options: Fields of `WriteOptions`.
    """
    target = Path(path)
    form, settings = for_writing(target), WriteOptions(**options)
    form.load().write(target, _in_file_layout(motion, exact=form.name in KEEP_DIGITS), settings)


def _in_file_layout(motion: Motion | Sequence[Clip], *, exact: bool) -> Motion | Sequence[Clip]:
    """Return clips in the layout of their files and, unless `exact`, motions at their nominal rate."""
    if not isinstance(motion, Clip | Stroke | PointClip | MeshSequence):
        return [cast(Clip, _in_file_layout(clip, exact=exact)) for clip in motion]
    if not exact and not isinstance(motion, Stroke):
        nominal = nominal_frame_time(motion.frame_time)
        motion = motion if nominal == motion.frame_time else replace(motion, frame_time=nominal)
    return as_filed(motion) if isinstance(motion, Clip) and motion.skeleton.base is not None else motion


def has_skin(path: Path) -> bool:
    """Return whether a file holds a skinned mesh, which can be written with new motions."""
    module = {"gltf": "gltf", "fbx": "fbx.character"}.get(detect(path).name)
    return module is not None and bool(import_module(f"freshtake.formats.{module}").has_skin(path))


def holds_character(path: Path) -> bool:
    """Return whether a file is read as a character: glTF, or FBX with a skin; others provide only a skeleton."""
    return detect(path).name == "gltf" or has_skin(path)


def detect(path: Path) -> Format:
    """Return the format of an existing file: by its content, and by its name if the content is ambiguous."""
    if is_folder(path):
        return by_name("obj")
    head = read_head(path)
    if not head:
        raise FormatError(path, "the file is empty: get it again", "byte 0")
    if head.startswith(_COMPRESSED):
        raise FormatError(path, "this file is compressed: unpack it first", "byte 0")
    if looks_like_model(head):
        raise FormatError(path, "this is a learned model, not a motion: use freshtake vary or ft.load", "byte 0")
    if _WEB_PAGE.match(head):
        raise FormatError(path, "this is a web page, not a motion file: download the file itself", "line 1")
    named = [f for f in FORMATS if path.suffix.lower() in f.suffixes]
    if named and (named[0].looks_like(head) or not any(f.looks_like(head) for f in FORMATS)):
        return named[0]
    for candidate in FORMATS:
        if candidate.looks_like(head):
            return candidate
    raise FormatError(path, f"this format cannot be read; the readable ones are {_titles(FORMATS)}", "byte 0")


def for_writing(path: Path) -> Format:
    """Return the format for writing, chosen by the file extension."""
    suffix = path.suffix.lower()
    for candidate in FORMATS:
        if candidate.writable and (suffix in candidate.suffixes or (candidate.name == "obj" and suffix == "")):
            return candidate
    writable = [f for f in FORMATS if f.writable]
    raise FormatError(path, f"files that end in {suffix!r} cannot be written; choose from {_titles(writable)}")


def holding_several() -> str:
    """Return the names of the formats whose files hold several clips, as text."""
    return _titles([f for f in FORMATS if f.several])


def by_name(name: str) -> Format:
    """Return the format with this short name."""
    return next(f for f in FORMATS if f.name == name)


def _titles(formats: Sequence[Format]) -> str:
    return ", ".join(f"{f.title} ({' '.join(f.suffixes)})" for f in formats)


def take_files(paths: Iterable[Path], *, models: bool = False) -> list[Path]:
    """Return files unchanged, the takes of a folder, and the matches of a pattern such as walk_*.bvh.

    A folder of numbered OBJ files is one take, a mesh sequence. With `models`, the models of a folder are listed as
    well.
    """
    suffixes = {suffix for form in FORMATS for suffix in form.suffixes if form.name not in ("asf", "obj")}
    return [file for path in paths for file in _files(path, suffixes | {".ftm"} if models else suffixes)]


def _files(path: Path, suffixes: set[str]) -> list[Path]:
    try:
        is_pattern = bool(re.search(r"[*?\[]", str(path))) and not path.exists()
        is_list = path.is_dir() and not any(f.suffix.lower() == ".obj" for f in path.iterdir())
    except OSError:  # a name that is invalid on this system, or a folder that cannot be listed
        return [path]
    if is_pattern:
        root = Path(path.anchor)
        matches = sorted(root.glob(str(path.relative_to(root))), key=in_order)
        if not matches:
            raise UsageError(f"no file matches {path}")
        return [file for one in matches for file in ([one] if one.is_file() else _files(one, suffixes))]
    if not is_list:
        return [path]
    matches = sorted((f for f in path.iterdir() if f.suffix.lower() in suffixes and f.name[0] != "."), key=in_order)
    if not matches:
        raise UsageError(f"the folder {path} has no takes: name a folder with {', '.join(sorted(suffixes))} files")
    return matches


def in_order(path: Path) -> list[tuple[int, int, str]]:
    """Return a sort key in which numbers in names are compared by value: take 10 comes after take 9."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"([0-9]+)", str(path))]


Kind = TypeVar("Kind", Clip, Stroke, PointClip, MeshSequence)


def read_clip(path: str | PathLike[str], **options: Unpack[ReadKeywords]) -> Clip:
    """Read a clip: a body with a skeleton, from BVH, AMC, glTF or npz.

    Args:
        path: The file; refused if it holds another kind of motion.
        options: Fields of `ReadOptions`.

    Returns:
        The clip, in the unit of the file.
    """
    return _kind(path, read(path, **options), Clip, "a clip with a skeleton")


def read_stroke(path: str | PathLike[str], **options: Unpack[ReadKeywords]) -> Stroke:
    """Read a stroke: handwriting or any other short table of points over time.

    Args:
        path: The file; refused if it holds another kind of motion.
        options: Fields of `ReadOptions`.

    Returns:
        The stroke.
    """
    return _kind(path, read(path, **options), Stroke, "a stroke")


def read_points(path: str | PathLike[str], **options: Unpack[ReadKeywords]) -> PointClip:
    """Read a point clip: markers without a skeleton, from C3D, CSV or npz.

    Args:
        path: The file; refused if it holds another kind of motion.
        options: Fields of `ReadOptions`.

    Returns:
        The markers, in the unit of the file.
    """
    return _kind(path, read(path, **options), PointClip, "a clip of markers")


def read_mesh(path: str | PathLike[str], **options: Unpack[ReadKeywords]) -> MeshSequence:
    """Read a mesh sequence, from npz, a folder of OBJ files, or baked from a glTF character.

    Args:
        path: The file; refused if it holds another kind of motion.
        options: Fields of `ReadOptions`.

    Returns:
        The meshes, with the same triangles in all frames.
    """
    options["mesh"] = True
    return _kind(path, read(path, **options), MeshSequence, "a mesh sequence")


def _kind(path: str | PathLike[str], motion: Motion, kind: type[Kind], name: str) -> Kind:
    if not isinstance(motion, kind):
        raise FormatError(Path(path), f"the file holds a {kind_word(motion)}, but {name} was expected: use ft.read")
    return motion


def write_clips(
    path: str | PathLike[str],
    clips: Mapping[str, Clip],
    *,
    character: str | PathLike[str] | None = None,
    unit_m: float | None = None,
    warn: Callable[[str], None] | None = None,
) -> list[Path]:
    """Write clips by name, onto a glTF character if one is given; return the files.

    glTF, FBX and USD hold all of them in `path`. With any other extension, `walks.bvh` becomes the folder `walks` with
    a file `NAME.bvh` for each.
    """
    target = Path(path)
    if not clips:
        raise UsageError(f"{target}: there is no clip to write")
    onto = None if character is None else Path(character)
    options: WriteKeywords = {"unit_m": unit_m, "character": onto, "warn": warn or WriteOptions().warn}
    named = [clip.changed(name=name) for name, clip in clips.items()]
    if for_writing(target).several:
        write(target, named, **options)
        return [target]
    if onto is not None:
        raise UsageError(f"{target}: a character is animated in a glTF, FBX or USD file: name one")
    folder = target.with_suffix("")
    stems = [re.sub(r"[^\w ._+()-]", "_", clip.name).strip(". ") or "clip" for clip in named]
    files = [folder / f"{stem}{target.suffix}" for stem in stems]
    if len(set(files)) < len(files):
        raise UsageError(f"{target}: two clips would have the same file name")
    for file, clip in zip(files, named, strict=True):
        write(file, clip, **options)
    return files
