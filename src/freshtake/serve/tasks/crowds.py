"""The crowd tab: groups that were placed on the page become a plan, a crowd of it, and a scene to look at."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from freshtake.crowd.making import JobWritten
from freshtake.crowd.making import crowd as make_crowd
from freshtake.crowd.previewing import crowd_scene
from freshtake.errors import UsageError
from freshtake.requests.crowd import Crowd
from freshtake.serve.tasks.context import Context
from freshtake.serve.tasks.exporting import distinct_name, file_name, zipped_folder

JOBS = {"openjd": "job.yaml", "flamenco": "job.js"}


def crowd(
    context: Context,
    *,
    items: list[str],
    groups: list[dict[str, Any]],
    format: str | None = None,
    engine: str = "local",
    scheduler: str | None = None,
    shared: str = "/shared/crowd",
    **plan: Any,
) -> None:
    """Make a crowd and the scene that shows it; with a `format` also a zip to download, of the very same files."""
    folder = context.folder / "crowd_folder"
    source = write_plan(context, folder, groups, plan)
    farm = JOBS.get(engine)
    if engine == "dask" and not scheduler:
        scheduler = None  # a cluster on this machine
    request = Crowd(
        source=source, out=folder / "crowd", format=format or "npz", workers=1, scheduler=scheduler,  # type: ignore[arg-type]
        engine="dask" if engine == "dask" else "local", job=None if farm is None else folder / farm,
    )  # fmt: skip
    made = make_crowd(request, context.progress, context.warn)
    count = sum(group["count"] for group in groups)
    facts: dict[str, Any] = {"what": "crowd", "count": count, "format": format or "", "engine": engine}
    scene: Path | None = None
    if isinstance(made, JobWritten):
        _relocate(made.path, folder, shared)
        facts |= {"parts": made.parts, "format": f"{engine} job"}
    else:
        from freshtake.serve.routes.access import scene_bytes  # it brings the web framework along

        context.report("laying it out", 0.95)
        shown, _ = crowd_scene(made.folder)
        facts |= {"shown": len(shown.placements), "scene": True}
        scene = context.folder / "crowd.scene"
        scene.write_bytes(scene_bytes(shown))
    zipped: Path | None = None
    name = f"{count} characters"
    if format is not None or farm is not None:
        zipped = zipped_folder(folder, context.folder / f"crowd_{count}.zip")
        facts |= {"file": zipped.name, "bytes": zipped.stat().st_size}
    context.add("crowd", name, zipped, facts, settings={"groups": groups, **plan}, source=scene)


def write_plan(context: Context, folder: Path, groups: list[dict[str, Any]], plan: dict[str, Any]) -> Path:
    """Write crowd.toml with the models it names next to it, so that the command line can make the crowd as well."""
    folder.mkdir(parents=True, exist_ok=True)
    total = sum(group["count"] for group in groups)
    lines = [f"number = {total}", f"seconds = {plan['seconds']}", f"seed = {plan['seed']}"]
    lines += ["", "[avoidance]"] if plan.get("avoid") else []
    names: dict[str, Any] = {}
    models: dict[str, str] = {}
    for group in groups:
        if group["model"] not in models:
            item = context.item(group["model"])
            if item.facts.get("method") != "variation" or item.facts.get("what") != "model":
                raise UsageError(f"{item.name} cannot walk in a crowd: choose a movement of a body")
            models[group["model"]] = f"{distinct_name(file_name(item.name, 'model'), names)}.ftm"
            names[models[group["model"]].removesuffix(".ftm")] = None
            os.link(context.file(group["model"]), folder / models[group["model"]])
        lines += ["", "[[groups]]", *_group_lines(group, models[group["model"]], group["count"] / total)]
    target = folder / "crowd.toml"
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return target


def _group_lines(group: dict[str, Any], model: str, share: float) -> list[str]:
    """Return the lines of one group; JSON of texts, numbers and lists is TOML as well."""
    amount, heading, path = group["amount"], group["heading"], [list(point) for point in group["path"]]
    size = group["size_range"]
    values: dict[str, Any] = {
        "name": group["name"], "model": model, "share": share, "amount": [amount, amount],
        "size": [1.0 - size, 1.0 + size], "heading": [-180.0, 180.0] if heading is None else [heading, heading],
    }  # fmt: skip
    if len(path) > 1:
        values |= {"paths": [path], "heading": [0.0, 0.0]}
    center = path[0] if len(path) > 1 else list(group["center"])
    placement = {"kind": "disc", "spacing": group["spacing"], "center": center}
    lines = [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    return [*lines, "[groups.placement]", *[f"{key} = {json.dumps(value)}" for key, value in placement.items()]]


def _relocate(job: Path, folder: Path, shared: str) -> None:
    """Let a job name the folder that the machines of a farm share, not the one in which it was written."""
    text = job.read_text(encoding="utf-8")
    for here in {str(folder.resolve()), folder.resolve().as_posix(), str(folder)}:
        text = text.replace(here, shared.rstrip("/"))
    job.write_text(text, encoding="utf-8")
