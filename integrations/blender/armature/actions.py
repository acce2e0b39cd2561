# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions in all Blender versions: slots, layers and channel bags since 4.4, plain lists of curves before."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import bpy

SLOTTED = bpy.app.version >= (4, 4, 0)
BONE_PATH = re.compile(r'^pose\.bones\["((?:[^"\\]|\\.)*)"\]\.(\w+)$')


def active_action(thing: Any) -> Any:
    """Return the Action that moves an object now, or None."""
    return thing.animation_data.action if thing is not None and thing.animation_data else None


def slot_for(action: Any, thing: Any) -> Any:
    """Return the slot of an Action for an object: the assigned slot, a slot with its name, or the first for objects."""
    if not SLOTTED:
        return None
    data = thing.animation_data
    if data is not None and data.action == action and data.action_slot is not None:
        return data.action_slot
    fitting = [slot for slot in action.slots if slot.target_id_type in ("OBJECT", "UNSPECIFIED")]
    named = [slot for slot in fitting if slot.name_display == thing.name]
    return (named or fitting or [None])[0]


def curves_of(action: Any, thing: Any) -> list[Any]:
    """Return the curves with which an Action moves an object."""
    if not SLOTTED:
        return list(action.fcurves)
    slot = slot_for(action, thing)
    if slot is None:
        return []
    bags = [strip.channelbag(slot) for layer in action.layers for strip in layer.strips]
    return [curve for bag in bags if bag is not None for curve in bag.fcurves]


def all_curves(action: Any) -> Iterator[Any]:
    """Return the curves of all slots."""
    if not SLOTTED:
        yield from action.fcurves
        return
    for layer in action.layers:
        for strip in layer.strips:
            for bag in strip.channelbags:
                yield from bag.fcurves


def split_path(path: str) -> tuple[str | None, str]:
    """Return the bone (None: the object itself) and the property of a data path; ("", "") if it is neither."""
    found = BONE_PATH.match(path)
    if found:
        return re.sub(r"\\(.)", r"\1", found.group(1)), found.group(2)
    return (None, path) if path.isidentifier() else ("", "")


def bone_path(bone: str, prop: str) -> str:
    """Return the data path of a bone's property."""
    return f'pose.bones["{bpy.utils.escape_identifier(bone)}"].{prop}'


def actions_of(thing: Any, actions: Iterable[Any] | None = None) -> list[Any]:
    """Return the Actions most of whose bones are on this armature, or that move its object."""
    names = {bone.name for bone in thing.data.bones}
    active = active_action(thing)
    out = []
    for action in bpy.data.actions if actions is None else actions:
        bones = {split_path(curve.data_path)[0] for curve in all_curves(action)} - {"", None}
        if action == active or (bones and 2 * len(bones & names) > len(bones)):
            out.append(action)
    return out


def frame_span(action: Any) -> tuple[float, float]:
    """Return the first and last frame: the Action's manual range if set, else that of its keys."""
    if action.use_frame_range:
        return float(action.frame_start), float(action.frame_end)
    first, last = action.curve_frame_range
    return float(first), float(last)


def assign(thing: Any, action: Any) -> None:
    """Assign an Action to an object, with the slot meant for it."""
    data = thing.animation_data or thing.animation_data_create()
    data.action = action
    if SLOTTED and action is not None and data.action_slot is None:
        data.action_slot = slot_for(action, thing)


def new_curves(action: Any, thing: Any) -> Any:
    """Return a function `new(path, index, group)` that makes curves of a new Action for an object."""
    if not SLOTTED:
        curves = action.fcurves
        return lambda path, index, group: curves.new(path, index=index, action_group=group)
    slot = action.slots.new("OBJECT", thing.name)
    bag = action.layers.new("Layer").strips.new(type="KEYFRAME").channelbag(slot, ensure=True)
    groups: dict[str, Any] = {}

    def new(path: str, index: int, group: str) -> Any:
        curve = bag.fcurves.new(path, index=index)
        if group not in groups:
            groups[group] = bag.groups.new(group)
        curve.group = groups[group]
        return curve

    return new
