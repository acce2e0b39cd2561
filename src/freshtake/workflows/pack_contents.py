"""What a pack is made of: groups by name and model, the seed of each clip, and marks that decide which are kept."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from freshtake.errors import FormatError, UsageError
from freshtake.formats.files import read_bytes
from freshtake.formats.ftm import Stored, is_model, read_stored
from freshtake.formats.ftm.methods import METHODS
from freshtake.formats.pack_files import Stars, read_stars
from freshtake.formats.registry import Format, for_writing
from freshtake.motion import Clip
from freshtake.variation.model import VariationModel
from freshtake.workflows.model_kinds import checked

MOST = 9_999  # clips in a group
NEXT_PACK, NEXT_DRAW = 1_000_000, 10_000  # between the seeds of packs, and of a clip and what replaces it
ROOT_MOTIONS = ("hips", "joint", "none", "both")
_NAME = re.compile(r"[\w][\w.+-]*")


@dataclass(frozen=True)
class PackSettings:
    """With the model and a seed, these settings determine a clip."""

    amount: float = 1.0
    cycles: int | None = None
    beat: float | None = None
    root_motion: str = "hips"
    closing: bool = True
    plant: bool = True
    guard: bool = True

    def __post_init__(self) -> None:
        if self.root_motion not in ROOT_MOTIONS:
            raise UsageError(f"root motion is one of {', '.join(ROOT_MOTIONS)}, not {self.root_motion!r}")
        if self.beat is not None and not 0.01 <= self.beat <= 600.0:
            raise UsageError(f"a beat lasts between 0.01 and 600 seconds, not {self.beat:g}")
        if self.cycles is not None and not 1 <= self.cycles <= 1000:
            raise UsageError(f"the number of cycles must lie between 1 and 1000, but is {self.cycles}")

    @property
    def deliveries(self) -> tuple[str, ...]:
        """Where the travel is, once for each file that is written."""
        return ("joint", "none") if self.root_motion == "both" else (self.root_motion,)


class Group(NamedTuple):
    """Clips of one model under one name."""

    name: str
    path: Path
    checksum: str
    model: VariationModel


def groups_of(words: Sequence[str]) -> list[Group]:
    """Groups from MODEL or NAME=MODEL; names must differ, also in capitals, since files are called by them."""
    named = [_named(word) for word in words]
    seen: dict[str, Path] = {}
    for name, path in named:
        other = seen.setdefault(name.lower(), path)
        if other is not path:
            raise UsageError(f"{other} and {path} would both be the group {name!r}: name one, as in other={path}")
    return [_group(name, path) for name, path in named]


def _named(word: str) -> tuple[str, Path]:
    name, sign, rest = word.partition("=")
    if not sign or Path(word).exists():
        path = Path(word)
        name = path.stem
    else:
        path = Path(rest)
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} cannot be used in file names: use letters, digits and _ . + -, as in walk={path}")
    return name, path


def _group(name: str, path: Path) -> Group:
    if path.is_file() and not is_model(path):
        raise FormatError(
            path, f"this is not a freshtake model: write one with freshtake {METHODS['variation'].learns}"
        )
    stored: Stored = checked(read_stored(path), path, "variation")
    model: VariationModel = stored.model
    recipe = model.material.recipe
    if recipe is None or recipe.motion_type is not Clip:
        raise FormatError(path, "this is a model of strokes or tables: a pack is of clips with a skeleton")
    return Group(name, path, f"sha256:{hashlib.sha256(read_bytes(path)).hexdigest()}", model)


def formats_of(endings: Sequence[str]) -> list[tuple[str, Format]]:
    """Endings and their formats, each once."""
    formats = []
    for ending in dict.fromkeys(ending.lower().lstrip(".") for ending in endings):
        kind = for_writing(Path(f"clip.{ending}"))
        if kind.name == "usd":
            from freshtake.formats.usd.library import pxr

            pxr()
        formats.append((ending, kind))
    if not formats:
        raise UsageError("a pack needs a format: name one or more, as in --format fbx glb")
    return formats


class Slot(NamedTuple):
    """A clip to be made; `fresh` where it replaces one that was rejected."""

    name: str
    seed: int
    fresh: bool = False


def slots_of(group: Group, count: int, seed: int, stars: Stars | None) -> list[Slot]:
    """Names and seeds of a group's clips: as marked, with a new seed in place of what was rejected."""
    if not 1 <= count <= MOST:
        raise UsageError(f"the number of clips in a group must lie between 1 and {MOST}, but is {count}")
    if not 0 <= seed <= 1_000_000:
        raise UsageError(f"the seed must lie between 0 and 1000000, but is {seed}")
    out = []
    for number in range(1, count + 1):
        name, own_seed = f"{group.name}_{number:03d}", NEXT_PACK * seed + number
        marked = None if stars is None else stars.clips.get(name)
        if marked is None:
            out.append(Slot(name, own_seed))
        elif marked.mark == "reject":
            out.append(Slot(name, marked.seed + NEXT_DRAW, True))
        else:
            out.append(Slot(name, marked.seed))
    return out


def matching_stars(path: Path | None, settings: dict[str, Any], groups: Sequence[Group], count: int) -> Stars | None:
    """Marks of a pack made with the same models and settings; with others, starred clips would not stay the same."""
    if path is None:
        return None
    stars = read_stars(path)
    for key, value in settings.items():
        if stars.settings.get(key) != value:
            was = stars.settings.get(key)
            raise FormatError(path, f"{key} was {was!r} in the marked pack and is {value!r} now: use the same value")
    checksums = {group.name: group.checksum for group in groups}
    for name, checksum in stars.models.items():
        if name in checksums and checksums[name] != checksum:
            raise FormatError(path, f"the model of {name!r} has changed since: its starred clips cannot be made again")
    names = {slot.name for group in groups for slot in slots_of(group, count, 0, None)}
    lost = sorted(name for name, marked in stars.clips.items() if marked.mark == "star" and name not in names)
    if lost:
        raise FormatError(
            path, f"{lost[0]!r} is starred, but not in this pack: name the same models and at least as many"
        )
    return stars
