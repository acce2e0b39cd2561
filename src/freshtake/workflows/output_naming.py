"""Where results go: one file for one take, files of their takes' names in a folder for several."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from freshtake.errors import FormatError, UsageError
from freshtake.formats.registry import for_writing

OTHER_FILES = frozenset(  # endings that nobody gives to a folder
    (".abc", ".anim", ".bip", ".blend", ".dae", ".fbx", ".ftm", ".html", ".json", ".ma", ".mb", ".png", ".txt", ".trc",
     ".usd", ".usda", ".usdc", ".usdz", ".vrm", ".vrma", ".x3d", ".zip")
)  # fmt: skip


def is_file_name(target: Path) -> bool:
    """Whether a target is a file, by an ending that can be written; an existing folder is not."""
    if target.suffix == "" or target.is_dir():
        return False
    if target.suffix.lower() in OTHER_FILES:
        for_writing(target)  # raises with the list of endings that can be written
    try:
        for_writing(target)
    except FormatError:
        return False
    return True


def check_folder_name(target: Path) -> None:
    """Refuse a file's name where a folder is filled."""
    if is_file_name(target):
        raise UsageError(f"{target} looks like one file, but several are written: name a folder")


def is_one_file(target: Path, count: int, ending: str | None, what: str, *, together: bool = False) -> bool:
    """Whether a target is a file's name; then one result goes into it, or all `together` where the format can."""
    if not is_file_name(target):
        return False
    if count != 1 and not (together and for_writing(target).several):
        raise UsageError(
            f"{target} is one file for {count} {what}: add -n 1, or name a folder and --format {target.suffix[1:]}"
        )
    check_ending(target, ending)
    return True


def targets_of(takes: Sequence[Path], out: Path, ending: str | None = None) -> list[Path]:
    """A target for every take: `out` itself where it is a file's name, else files of the takes' names in it."""
    if out.suffix and not out.is_dir():
        if len(takes) > 1:
            raise UsageError(f"{out} is one file for {len(takes)} takes: name a folder, and the kind with --format")
        check_ending(out, ending)
        return [out]
    names = [f"{take.stem}{_suffix(take, ending)}" for take in takes]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"two takes would both be written as {out / twice}: rename one of them")
    return [out / name for name in names]


def check_ending(target: Path, ending: str | None) -> None:
    """Refuse a --format that says something else than the target's name."""
    if ending is not None and f".{ending.lstrip('.')}".lower() != target.suffix.lower():
        raise UsageError(f"{target} ends in {target.suffix}, but --format says {ending}: leave --format out")


def _suffix(take: Path, ending: str | None) -> str:
    """The given ending, else the take's, else BVH."""
    suffix = take.suffix.lower() if ending is None else f".{ending.lstrip('.')}"
    try:
        for_writing(Path(f"clip{suffix}"))
    except FormatError:
        if ending is not None:
            raise
        return ".bvh"
    return ".bvh" if suffix in ("", ".amc") and ending is None else suffix
