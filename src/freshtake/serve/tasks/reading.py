"""Files that were sent, and samples: read, checked, and kept in the form in which everything else is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from freshtake.errors import FormatError, UsageError
from freshtake.formats.ftm import is_model
from freshtake.motion import Stroke
from freshtake.serve.items import Found, Item
from freshtake.serve.tasks.context import Context

CHARACTERS = (".glb", ".gltf", ".vrm")


def read(context: Context, *, items: list[str], upload: str, name: str) -> None:
    """A file that was sent: a model, a motion of any kind, or a character to put motions onto."""
    file = context.project.work / upload
    context.called(file, name)
    context.report(f"reading {name}")
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


def add_take(context: Context, file: Path, name: str, *, group: str | None = None) -> Item:
    """Read a motion file and add it; a skinned character is kept beside its motion."""
    from freshtake.workflows import motion_info

    described = motion_info(file, warn=context.warn, skeleton=_skeleton(context, file))
    motion = described.motion
    if motion is None:
        raise UsageError(f"{name} holds no motion")
    findings = [Found(words=f["sentence"], remedy=f["repair"] or None) for f in described.facts["findings"]]
    known = ("format", "up", "unit", "unit_m", "dofs", "root", "travel", "joint_names")
    facts: dict[str, Any] = {key: described.facts[key] for key in known if key in described.facts}
    skinned = file.suffix in CHARACTERS and has_skin(file)
    return context.add_motion(
        "strokes" if isinstance(motion, Stroke) else "take",
        name,
        motion,
        facts={**facts, "character": skinned},
        findings=findings,
        group=group,
        beside=file if skinned or file.suffix == ".asf" else None,
    )


def add_model(context: Context, file: Path, name: str, **more: Any) -> Item:
    """A model file as an item."""
    from freshtake.serve.tasks.models import model_item_facts

    return context.add("model", name, file, model_item_facts(file), **more)


def has_skin(file: Path) -> bool:
    """Whether a glTF file has a mesh that follows its joints."""
    from freshtake.formats.gltf.container import load

    return bool(load(file).top.items("skins"))


def _add_character(context: Context, file: Path, name: str) -> None:
    if not has_skin(file):
        raise UsageError(f"{name} has neither an animation nor a skin: send a motion, or a character with a skin")
    context.add("character", name, file, {"what": "character", "character": True})


def _skeleton(context: Context, file: Path) -> Path | None:
    """The skeleton of an AMC file: that of the newest ASF that was sent."""
    if file.suffix != ".amc":
        return None
    found = [item for item in context.project.items() if item.facts.get("format") == "Acclaim skeleton"]
    if not found:
        raise FormatError(file, "an .amc file needs its skeleton: send the .asf that belongs to it first")
    return next(context.project.files.glob(f"{found[-1].id}.source.asf"))
