"""Items to files that other programs open: one file, or a zip of several."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

from freshtake.errors import UsageError
from freshtake.formats.registry import for_writing
from freshtake.motion import Clip
from freshtake.motion.body.orientation import guess_unit, unit_of
from freshtake.serve.tasks.context import Context
from freshtake.workflows.characters import Onto, onto_character
from freshtake.workflows.outputs import Finish, chosen_delivery

CHARACTERS = ("glb", "fbx", "usd")


def export(
    context: Context,
    *,
    items: list[str],
    format: str,
    character: str | None = None,
    in_place: bool = False,
    number: int = 12,
    name: str | None = None,
) -> None:
    """Add a file to download."""
    onto = None if character is None else _character(context, character, format)
    if format == "pack":
        file, count = _pack(context, items, number, onto, name)
    else:
        title = file_name(name or _title(context, items), "freshtake")
        file, count = _motions(context, items, format, onto, in_place, title), len(items)
    facts = {"what": "export", "format": format, "bytes": file.stat().st_size, "count": count, "file": file.name}
    context.add("export", file.name, file, facts, settings={"items": items, "character": character})


def _motions(context: Context, ids: list[str], ending: str, onto: Onto | None, in_place: bool, title: str) -> Path:
    first = context.motion(ids[0])
    unit = unit_of(first) if isinstance(first, Clip) else None
    finish = Finish(delivery=chosen_delivery(None, in_place), onto=onto, unit_m=unit)
    target = context.folder / f"{title}.{ending}"
    several = for_writing(target).several
    made: dict[str, Any] = {}
    for number, id in enumerate(ids):
        item = context.item(id)
        context.report(f"reading {item.name}", 0.5 * number, len(ids))
        made[distinct_name(file_name(item.name, "clip"), made)] = finish.ready(context.motion(id))
    context.report(f"writing {target.name}", 0.5, 1.0)
    if len(made) == 1:
        finish.write(target, next(iter(made.values())))
        return target
    if several:
        clips = [motion.changed(name=name) for name, motion in made.items() if isinstance(motion, Clip)]
        if len(clips) < len(made):
            raise UsageError(f"only clips with a skeleton share one {ending} file: leave the others out")
        finish.write(target, clips)
        return target
    folder = context.folder / "clips"
    for name, motion in made.items():
        finish.write(folder / f"{name}.{ending}", motion)
    return zipped_folder(folder, context.folder / f"{title}.zip")


def _pack(context: Context, ids: list[str], number: int, onto: Onto | None, name: str | None) -> tuple[Path, int]:
    """Make a pack of loops that fit each other; return it and how many it holds."""
    from freshtake.requests.packs import Pack
    from freshtake.workflows import pack

    chosen = [context.item(id) for id in ids]
    models = list(dict.fromkeys(item.id if item.kind == "model" else item.parent or "" for item in chosen))
    if "" in models:
        raise UsageError("a pack is made of models: choose models, or variants of them")
    names: dict[str, str] = {}
    for id in models:
        names[distinct_name(file_name(context.item(id).name, "clips"), names)] = id
    folder = context.folder / "pack"
    request = Pack(
        models=[f"{name}={context.file(id)}" for name, id in names.items()], out=folder, count=number,
        format=["glb", "bvh"], character=None if onto is None else onto.path, unit=_unit(context, models[0]),
    )  # fmt: skip
    pack(request, context.progress, context.warn)
    title = file_name(name or f"{'_'.join(names)}_pack", "pack")
    return zipped_folder(folder, context.folder / f"{title}.zip"), number * len(models)


def _unit(context: Context, model: str) -> float | None:
    """Return the metres per unit of a model's takes, where they are known or follow from the body."""
    skeleton = context.model(model, "variation").material.recipe.skeleton
    guess = None if skeleton is None else guess_unit(skeleton)
    return None if guess is None else guess.metres


def _character(context: Context, id: str, format: str) -> Onto:
    """Return a character as it was sent, or the skeleton of a take."""
    item = context.item(id)
    source = next(context.project.files.glob(f"{id}.source.*"), None)
    file = context.file(id) if source is None else source
    context.name_file(file, item.name)
    if item.facts.get("character") and format not in (*CHARACTERS, "pack"):
        context.warn(f"a {format} file holds no skin: it has the skeleton of {item.name} only")
    return onto_character(file, warn=context.warn)


def _title(context: Context, ids: list[str]) -> str:
    first = context.item(ids[0])
    return first.name if len(ids) == 1 else f"{first.group or first.name}_{len(ids)}_motions"


def zipped_folder(folder: Path, target: Path) -> Path:
    """Pack a folder into a zip and return the zip."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            archive.write(file, file.relative_to(folder))
    return target


def file_name(text: str, default: str) -> str:
    """Return the letters, digits and a few signs of a name, without an ending that names a format."""
    kept = "".join(c if c.isascii() and (c.isalnum() or c in "_-") else "_" for c in text.rpartition(".")[0] or text)
    return kept.strip("_-")[:60] or default


def distinct_name(name: str, others: dict[str, Any]) -> str:
    """Return the name, with a number where it is taken."""
    number, tried = 1, name
    while tried in others:
        number, tried = number + 1, f"{name}_{number + 1}"
    return tried
