"""Tasks that export items: one file, a zip of several, or a crowd placed on the page."""

import itertools
import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from freshtake.crowd.making import JobWritten
from freshtake.crowd.making import crowd as make_crowd
from freshtake.crowd.previewing import crowd_scene
from freshtake.errors import UsageError
from freshtake.formats.registry import for_writing
from freshtake.motion import Clip
from freshtake.motion.body.orientation import guess_unit, unit_of
from freshtake.requests.crowd import Crowd
from freshtake.serve.tasks.context import Context
from freshtake.workflows.outputs import Finish, chosen_travel
from freshtake.workflows.retargeting import Onto, onto_character

JOBS = {"openjd": "job.yaml", "flamenco": "job.js"}


def crowd(
    context: Context, *, items: list[str], groups: list[dict[str, Any]], format: str | None, engine: str,
    scheduler: str | None, shared: str, **plan: Any,
) -> None:  # fmt: skip
    """Make a crowd and its scene; with a `format` also a zip of its files to download."""
    folder = context.folder / "crowd_folder"
    source = write_plan(context, folder, groups, plan)
    farm = JOBS.get(engine)
    request = Crowd(
        source=source, out=folder / "crowd", format=format or "npz", workers=1, scheduler=scheduler or None,  # type: ignore[arg-type]
        engine="dask" if engine == "dask" else "local", job=None if farm is None else folder / farm,
    )  # fmt: skip
    result = make_crowd(request, context.progress, context.warn)
    count = sum(group["count"] for group in groups)
    facts: dict[str, Any] = {"what": "crowd", "count": count, "format": format or "", "engine": engine}
    scene: Path | None = None
    if isinstance(result, JobWritten):
        _relocate(result.path, folder, shared)
        facts |= {"parts": result.parts, "format": f"{engine} job"}
    else:
        from freshtake.serve.queries import scene_bytes

        context.report("laying it out", 0.95)
        shown, _ = crowd_scene(result.folder)
        facts |= {"shown": len(shown.placements), "scene": True}
        scene = context.folder / "crowd.scene"
        scene.write_bytes(scene_bytes(shown))
    zipped: Path | None = None
    if format is not None or farm is not None:
        zipped = zip_folder(folder, context.folder / f"crowd_{count}.zip")
        facts |= {"file": zipped.name, "bytes": zipped.stat().st_size}
    context.add("crowd", f"{count} characters", zipped, facts, settings={"groups": groups, **plan}, source=scene)


def write_plan(context: Context, folder: Path, groups: list[dict[str, Any]], plan: dict[str, Any]) -> Path:
    """Write crowd.toml with its models next to it, so that the command line can make the crowd too."""
    folder.mkdir(parents=True, exist_ok=True)
    total = sum(group["count"] for group in groups)
    lines = [f"number = {total}", f"seconds = {plan['seconds']}", f"seed = {plan['seed']}"]
    # An empty table means the default distances.
    lines += ["", "[avoidance]"] if plan.get("avoid") else []
    models = file_names(context, [group["model"] for group in groups], "model")
    for id, name in models.items():
        item = context.item(id)
        if item.facts.get("method") != "variation" or item.facts.get("what") != "model":
            raise UsageError(f"{item.name} cannot walk in a crowd: choose a movement of a body")
        os.link(context.file(id), folder / f"{name}.ftm")
    for group in groups:
        lines += ["", "[[groups]]", *_group_lines(group, f"{models[group['model']]}.ftm", group["count"] / total)]
    target = folder / "crowd.toml"
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return target


def _group_lines(group: dict[str, Any], model: str, share: float) -> list[str]:
    """Return the lines of one group; JSON strings, numbers and lists are also valid TOML."""
    amount, heading, size = group["amount"], group["heading"], group["size_range"]
    path = [list(point) for point in group["path"]]
    values: dict[str, Any] = {
        "name": group["name"], "model": model, "share": share, "amount": [amount, amount],
        "size": [1.0 - size, 1.0 + size], "heading": [-180.0, 180.0] if heading is None else [heading, heading],
    }  # fmt: skip
    # Characters that follow a path face along it.
    if len(path) > 1:
        values |= {"paths": [path], "heading": [0.0, 0.0]}
    center = path[0] if len(path) > 1 else list(group["center"])
    placement = {"kind": "disc", "spacing": group["spacing"], "center": center}
    lines = [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    return [*lines, "[groups.placement]", *[f"{key} = {json.dumps(value)}" for key, value in placement.items()]]


def _relocate(job: Path, folder: Path, shared: str) -> None:
    """Replace the local folder in a job by the folder that the machines of a farm share."""
    text = job.read_text(encoding="utf-8")
    for here in {str(folder.resolve()), folder.resolve().as_posix(), str(folder)}:
        text = text.replace(here, shared.rstrip("/"))
    job.write_text(text, encoding="utf-8")


CHARACTERS = ("glb", "fbx", "usd")


def export(
    context: Context, *, items: list[str], format: str, character: str | None, in_place: bool, number: int,
    name: str | None,
) -> None:  # fmt: skip
    """Add a file for download."""
    onto = None if character is None else _character(context, character, format)
    if format == "pack":
        file, count = _pack(context, items, number, onto, name)
    else:
        first = context.item(items[0])
        title = first.name if len(items) == 1 else f"{first.group or first.name}_{len(items)}_motions"
        title = file_name(name or title, "freshtake")
        file, count = _motions(context, items, format, onto, in_place, title), len(items)
    facts = {"what": "export", "format": format, "bytes": file.stat().st_size, "count": count, "file": file.name}
    context.add("export", file.name, file, facts, settings={"items": items, "character": character})


def _motions(context: Context, ids: list[str], ending: str, onto: Onto | None, in_place: bool, title: str) -> Path:
    first = context.motion(ids[0])
    unit = unit_of(first) if isinstance(first, Clip) else None
    finish = Finish(root_motion=chosen_travel(None, in_place), onto=onto, unit_m=unit)
    target = context.folder / f"{title}.{ending}"
    motions: dict[str, Any] = {}
    for number, (id, name) in enumerate(file_names(context, ids, "clip").items()):
        context.report(f"reading {context.item(id).name}", 0.5 * number, len(ids))
        motions[name] = finish.ready(context.motion(id))
    context.report(f"writing {target.name}", 0.5, 1.0)
    if len(motions) == 1:
        finish.write(target, next(iter(motions.values())))
        return target
    if for_writing(target).several:
        clips = [motion.changed(name=name) for name, motion in motions.items() if isinstance(motion, Clip)]
        if len(clips) < len(motions):
            raise UsageError(f"only clips with a skeleton can share one {ending} file: leave the others out")
        finish.write(target, clips)
        return target
    folder = context.folder / "clips"
    for name, motion in motions.items():
        finish.write(folder / f"{name}.{ending}", motion)
    return zip_folder(folder, context.folder / f"{title}.zip")


def _pack(context: Context, ids: list[str], number: int, onto: Onto | None, name: str | None) -> tuple[Path, int]:
    """Make a pack of loops that fit each other; return its file and the number of loops."""
    from freshtake.requests.packs import Pack
    from freshtake.workflows import pack

    models = [item.id if item.kind == "model" else item.parent or "" for item in map(context.item, ids)]
    if "" in models:
        raise UsageError("a pack is made from models: choose models, or variants of them")
    names = file_names(context, models, "clips")
    folder = context.folder / "pack"
    # Metres per unit of the takes, where known or inferred from the body.
    skeleton = context.model(models[0], "variation").material.recipe.skeleton
    guess = None if skeleton is None else guess_unit(skeleton)
    request = Pack(
        models=[f"{name}={context.file(id)}" for id, name in names.items()], out=folder, count=number,
        format=["glb", "bvh"], character=None if onto is None else onto.path,
        unit=None if guess is None else guess.metres,
    )  # fmt: skip
    pack(request, context.progress, context.warn)
    title = file_name(name or f"{'_'.join(names.values())}_pack", "pack")
    return zip_folder(folder, context.folder / f"{title}.zip"), number * len(names)


def _character(context: Context, id: str, format: str) -> Onto:
    """Return an uploaded character, or the skeleton of a take."""
    item = context.item(id)
    file = context.project.source(id) or context.file(id)
    context.name_file(file, item.name)
    if item.facts.get("character") and format not in (*CHARACTERS, "pack"):
        context.warn(f"a {format} file cannot contain a skin: it has only the skeleton of {item.name}")
    return onto_character(file, warn=context.warn)


def zip_folder(folder: Path, target: Path) -> Path:
    """Pack a folder into a zip and return the zip."""
    return Path(shutil.make_archive(str(target.with_suffix("")), "zip", folder))


def file_name(text: str, default: str) -> str:
    """Convert a name to a file name without extension: letters, digits, "_" and "-"."""
    cleaned = "".join(c if c.isascii() and (c.isalnum() or c in "_-") else "_" for c in text.rpartition(".")[0] or text)
    return cleaned.strip("_-")[:60] or default


def file_names(context: Context, ids: Sequence[str], default: str) -> dict[str, str]:
    """Return a file name for each item, with a number added where several have the same."""
    names: dict[str, str] = {}
    for id in dict.fromkeys(ids):
        name = file_name(context.item(id).name, default)
        numbered = (f"{name}_{number}" for number in itertools.count(2))
        names[id] = next(one for one in itertools.chain([name], numbered) if one not in names.values())
    return names
