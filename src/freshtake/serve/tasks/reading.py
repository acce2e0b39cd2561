"""Files that were sent, and samples: read, checked, and kept in the form in which everything else is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from freshtake.errors import FormatError, UsageError
from freshtake.formats.ftm import is_model
from freshtake.motion import Stroke
from freshtake.serve.items import Finding, Item, Kind
from freshtake.serve.tasks.context import Context

if TYPE_CHECKING:
    from freshtake.workflows.motion_describing import Described

CHARACTERS = (".glb", ".gltf", ".vrm")
FACTS = ("format", "up", "unit", "unit_m", "dofs", "root", "travel", "joint_names")
MOST_ANIMATIONS = 200  # of one file


def read(context: Context, *, items: list[str], upload: str, name: str) -> None:
    """A file that was sent: a model, a motion of any kind, or a character to put motions onto."""
    file = context.project.work / upload
    context.report(f"reading {name}")
    context.name_file(file, name)
    title = Path(name).stem  # lists are easier to read without endings
    if is_model(file):
        add_model(context, file, title)
        return
    try:
        add_take(context, file, title)
    except FormatError as error:
        if file.suffix not in CHARACTERS or "animation" not in error.problem:
            raise
        _add_character(context, file, title)


def make_samples(context: Context, *, items: list[str], sample: str, takes: int = 4) -> None:
    """Takes of a sample, in a group of its name."""
    from freshtake.workflows import motion_samples

    for file in motion_samples([sample], context.folder / "samples", takes=takes, report=context.progress):
        add_take(context, file, file.stem, group=sample)


def add_take(context: Context, file: Path, name: str, *, group: str | None = None) -> None:
    """Read a motion file and add it, each of several animations by itself; a skin is kept beside the first."""
    skinned = file.suffix in CHARACTERS and has_skin(file)
    animations = list(_animations(context, file, name))
    beside = file if skinned or file.suffix == ".asf" else None
    for described in animations:
        motion = described.motion
        if motion is None:
            raise UsageError(f"{name} holds no motion")
        facts: dict[str, Any] = {key: described.facts[key] for key in FACTS if key in described.facts}
        kind: Kind = "strokes" if isinstance(motion, Stroke) else "take"
        if len(motion) == 1 and (skinned or file.suffix == ".asf"):
            kind = "character"  # there is nothing to learn from it, but motions can be put onto it
        context.add_motion(
            kind,
            name if len(animations) == 1 else f"{name} {motion.name}",
            motion,
            facts={**facts, "character": skinned and beside is not None},
            findings=[_finding(context, finding) for finding in described.facts["findings"]],
            group=group if len(animations) == 1 else name,
            beside=beside,
        )
        beside = None


def _animations(context: Context, file: Path, name: str) -> Iterator[Described]:
    """The motion of a file, and further ones where it holds several."""
    from freshtake.workflows import motion_info

    more: list[str] = []

    def heard(sentence: str) -> None:
        (more.append if "only the first animation" in sentence else context.warn)(sentence)

    yield motion_info(file, warn=heard, skeleton=_skeleton(context, file, name))
    number = 1
    while more and number < MOST_ANIMATIONS:
        try:
            yield motion_info(file, warn=heard, animation=str(number))
        except FormatError as error:
            if "there is no animation" in error.problem:
                return
            raise
        number += 1


def _finding(context: Context, finding: dict[str, Any]) -> Finding:
    return Finding(words=context.with_names(finding["sentence"]), remedy=finding["repair"] or None)


def add_model(context: Context, file: Path, name: str, **more: Any) -> Item:
    """A model file as an item."""
    from freshtake.serve.tasks.models import model_item_facts

    facts = {**model_item_facts(file), **more.pop("facts", {})}
    return context.add("model", name, file, facts, **more)


def has_skin(file: Path) -> bool:
    """Whether a glTF file has a mesh that follows its joints."""
    from freshtake.formats.gltf.container import load

    return bool(load(file).top.items("skins"))


def _add_character(context: Context, file: Path, name: str) -> None:
    if not has_skin(file):
        raise UsageError(f"{name} has neither an animation nor a skin: send a motion, or a character with a skin")
    context.add("character", name, file, {"what": "character", "character": True})


def _skeleton(context: Context, file: Path, name: str) -> Path | None:
    """The skeleton of an AMC file: the ASF whose name its own begins with (02.asf, 02_01.amc), else the newest."""
    if file.suffix != ".amc":
        return None
    skeletons = [item for item in context.project.items() if item.facts.get("format") == "Acclaim skeleton"]
    if not skeletons:
        raise FormatError(file, "an .amc file needs its skeleton: send the .asf that belongs to it first")
    named = [item for item in skeletons if re.match(rf"{re.escape(item.name)}(?![0-9])", name, re.IGNORECASE)]
    chosen = max(named, key=lambda item: len(item.name)) if named else skeletons[-1]
    if not named and len(skeletons) > 1:
        told = f"{name} was put onto the newest of {len(skeletons)} skeletons, {chosen.name}"
        context.warn(f"{told}: if that is not its own, remove it and send it right after its .asf")
    return next(context.project.files.glob(f"{chosen.id}.source.asf"))
