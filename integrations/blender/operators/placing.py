# SPDX-License-Identifier: GPL-3.0-or-later
"""Place new Actions: as NLA strips one after another, or on linked duplicates in rows."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt
from typing import Any

import bpy

from ..armature.actions import SLOTTED, assign, curves_of, slot_for
from ..armature.motion import Motion
from ..armature.reading import read_pose_at
from .working import Work

TRACK = "freshtake"  # prefix of our track names


def put(figure: Any, actions: Sequence[Any], place: str) -> Work:
    """Place the Actions; if this is stopped, new strips and duplicates are removed."""
    if place == "NLA":
        put_strips(figure, actions)
        yield None
    elif place == "CROWD":
        yield from put_crowd(figure, actions)


def put_strips(figure: Any, actions: Sequence[Any]) -> None:
    """Put strips in a row on a new track, after those of earlier runs; unset the active Action, which hides strips."""
    data = figure.animation_data or figure.animation_data_create()
    # Strips of two tracks at the same time would hide each other.
    ends = [s.frame_end for old in data.nla_tracks if old.name.startswith(TRACK) for s in old.strips]
    track = data.nla_tracks.new()
    track.name = TRACK
    frame = ceil(max([bpy.context.scene.frame_start, *ends]))
    try:
        for action in actions:
            strip = track.strips.new(action.name, int(frame), action)
            if SLOTTED and strip.action_slot is None:
                strip.action_slot = slot_for(action, figure)
            frame = ceil(strip.frame_end)
    except BaseException:
        data.nla_tracks.remove(track)
        raise
    data.action = None


def end_of_strips(figure: Any) -> Motion | None:
    """Return the last pose of earlier strips; None if there are no strips."""
    data = figure.animation_data
    tracks = [] if data is None else [track for track in data.nla_tracks if track.name.startswith(TRACK)]
    strips = [strip for track in tracks for strip in track.strips if strip.action is not None]
    if not strips:
        return None
    last = max(strips, key=lambda strip: strip.frame_end)
    moves_object = any(curve.data_path == "location" for curve in curves_of(last.action, figure))
    return read_pose_at(figure, last.action, last.action_frame_end, moves_object or None)


def put_crowd(figure: Any, actions: Sequence[Any]) -> Work:
    """Make a linked duplicate of the character for each Action, in rows behind the character; data is shared."""
    made: list[Any] = []
    try:
        columns = ceil(sqrt(len(actions)))
        spacing = figure.freshtake.spacing
        parts = [thing for thing in bpy.data.objects if thing != figure and belongs(thing, figure)]
        for number, action in enumerate(actions):
            row, column = divmod(number, columns)
            copies = _duplicate(figure, parts)
            made.extend(copies)
            move(copies[0], action, (column + 1) * spacing, row * spacing)
            assign(copies[0], action)
            yield None
    except BaseException:
        for thing in made:
            bpy.data.objects.remove(thing)
        raise


def move(copy: Any, action: Any, x: float, y: float) -> None:
    """Offset a duplicate: by its location, or by a delta if the Action itself moves the object."""
    keyed = any(curve.data_path == "location" for curve in curves_of(action, copy))
    place = copy.delta_location if keyed else copy.location
    place.x += x
    place.y += y


def belongs(thing: Any, figure: Any) -> bool:
    """Whether an object is carried or deformed by an armature."""
    if thing.parent == figure:
        return True
    return any(change.type == "ARMATURE" and change.object == figure for change in thing.modifiers)


def _duplicate(figure: Any, parts: Sequence[Any]) -> list[Any]:
    copy = figure.copy()
    copy.animation_data_clear()
    out = [copy]
    for part in parts:
        other = part.copy()
        if other.parent == figure:
            inverse = part.matrix_parent_inverse.copy()
            other.parent = copy
            other.matrix_parent_inverse = inverse
        for change in other.modifiers:
            if change.type == "ARMATURE" and change.object == figure:
                change.object = copy
        out.append(other)
    homes = figure.users_collection or (bpy.context.scene.collection,)
    for thing in out:
        homes[0].objects.link(thing)
    for rows in (copy.freshtake.takes, copy.freshtake.models, copy.freshtake.results):
        rows.clear()
    copy.freshtake.duplicate = True
    return out
