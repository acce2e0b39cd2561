"""What is in the project, changing it, and undoing that."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import Field

from freshtake.errors import UsageError
from freshtake.serve.items import Changed, Id, Item, ItemChange, Name, ProjectView, Regrouping, Removal
from freshtake.serve.routes.access import TheProject

router = APIRouter(tags=["items"])
Number = Annotated[float, Field(allow_inf_nan=False)]  # JSON has no other numbers


@router.get("/project", response_model=ProjectView)
def project(project: TheProject) -> Response:
    """Return all items, jobs and presets."""
    return Response(project.view_json(), media_type="application/json")


@router.get("/items/{id}")
def item(id: Id, project: TheProject) -> Item:
    """Return one item."""
    return project.item(id)


@router.patch("/items/{id}")
def change(id: Id, changes: ItemChange, project: TheProject) -> Item:
    """Rename, star, trim or group an item; fields that are left out stay, and null removes a trim or a group."""
    old, new = project.item(id), changes.model_dump(exclude_unset=True, exclude={"step"})
    if "name" in new and new["name"] is None:
        raise UsageError("a name is needed")
    if "star" in new and new["star"] is None:
        raise UsageError("a star is 1, 0 or -1")
    trim = new.get("trim")
    if trim is not None and not trim[0] < trim[1] < old.facts.get("frames", 0):
        raise UsageError(f"{old.name} has {old.facts.get('frames', 0)} frames: a trim is two of them, in their order")
    verb = {"name": "rename", "star": "star" if new.get("star") else "unstar", "trim": "trim", "group": "group"}
    words = " and ".join(verb[key] for key in new) + (f" {old.name}" if changes.step is None else " several items")
    return project.update(id, words, within=changes.step, **new) if new else old


@router.delete("/items/{id}")
def remove(id: Id, project: TheProject) -> Changed:
    """Remove an item from the project; undo restores it."""
    project.remove([id], f"remove {project.item(id).name}")
    return Changed(change=project.change)


@router.post("/regroup")
def regroup(change: Regrouping, project: TheProject) -> Item:
    """Move takes to another movement, or to a new one; returns the movement."""
    return project.regroup(change.items, change.movement, change.name)


@router.post("/remove")
def remove_several(removal: Removal, project: TheProject) -> Changed:
    """Remove several items from the project in one step."""
    count = len(removal.items)
    project.remove(removal.items, f"remove {project.item(removal.items[0]).name if count == 1 else f'{count} items'}")
    return Changed(change=project.change)


@router.post("/undo")
def undo(project: TheProject) -> Changed:
    """Undo the newest change."""
    return Changed(change=project.undo())


@router.post("/redo")
def redo(project: TheProject) -> Changed:
    """Redo the step that was undone last."""
    return Changed(change=project.redo())


@router.put("/presets/{name}")
def put_preset(name: Name, value: dict[str, str | Number | bool | None] | None, project: TheProject) -> Changed:
    """Keep settings under a name; null removes them."""
    project.put_preset(name, value)
    return Changed(change=project.change)
