"""Many clips of one character: in one file where the format holds several, else a file for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path

from freshtake.errors import UsageError
from freshtake.formats.read_options import WriteKeywords, WriteOptions
from freshtake.formats.registry import for_writing, write
from freshtake.motion import Clip


def write_clips(
    path: str | PathLike[str],
    clips: Mapping[str, Clip],
    *,
    character: str | PathLike[str] | None = None,
    unit_m: float | None = None,
    warn: Callable[[str], None] | None = None,
) -> list[Path]:
    """Write clips by name, onto a glTF character where one is given; returns the files.

    glTF, FBX and USD hold all of them in `path`. For any other ending, `walks.bvh` becomes the folder `walks` with
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
    files = [folder / f"{_file_name(clip.name)}{target.suffix}" for clip in named]
    if len(set(files)) < len(files):
        raise UsageError(f"{target}: two clips would have the same file name")
    for file, clip in zip(files, named, strict=True):
        write(file, clip, **options)
    return files


def _file_name(name: str) -> str:
    """A clip's name without what no file name can hold."""
    return "".join(letter if letter.isalnum() or letter in " ._-+()" else "_" for letter in name).strip(". ") or "clip"
