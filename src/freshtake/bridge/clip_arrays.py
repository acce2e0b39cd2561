"""Clips as plain arrays, for a program that has NumPy but should not load the rest of freshtake."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from freshtake.bridge.messages import Arrays, MessageError

Floats = npt.NDArray[np.float64]
Tip = tuple[int, tuple[float, float, float], str]


@dataclass(frozen=True, eq=False)
class ClipArrays:
    """A skeleton in motion, as `freshtake.Clip` has it.

    `parents` has -1 for joint 0 and parents before children; `offsets` (joints, 3) are rest vectors from the parent;
    `root` (frames, 3) is where joint 0 is; `rotations` (frames, joints, 4) are local unit quaternions w x y z in frames
    that are all parallel to the world at rest. `translations` (frames, joints, 3) replaces the offsets where joints
    other than the first move against their parents. `tips` are ends of leaf joints: joint, offset, name. Lengths are in
    units of `unit_m` metres, where known. `playback` says how a loop is played, as `Playback.summary` has it.
    `channels` ("tx ty tz rz ry rx" for each joint) and `orders` ("ZYX") are those of a file; Blender has none.
    """

    name: str
    joints: tuple[str, ...]
    parents: Sequence[int] | npt.NDArray[Any]
    offsets: Floats
    root: Floats
    rotations: Floats
    frame_time: float
    up: str = "z"
    unit_m: float | None = None
    translations: Floats | None = None
    tips: tuple[Tip, ...] = ()
    playback: dict[str, Any] | None = None
    channels: tuple[str, ...] = ()
    orders: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.root)


PARTS = ("parents", "offsets", "root", "rotations", "translations")
PLAIN = ("name", "joints", "frame_time", "up", "unit_m", "tips", "playback", "channels", "orders")


def packed(clips: Sequence[ClipArrays], key: str = "clips") -> tuple[list[dict[str, Any]], dict[str, npt.NDArray[Any]]]:
    """Clips as values and arrays of a message: the values go into it under any name, the arrays are called `key`/..."""
    listed, arrays = [], {}
    for number, clip in enumerate(clips):
        listed.append({name: getattr(clip, name) for name in PLAIN})
        for part in PARTS:
            if getattr(clip, part) is not None:
                dtype = np.int64 if part == "parents" else np.float64
                arrays[f"{key}/{number}/{part}"] = np.ascontiguousarray(getattr(clip, part), dtype=dtype)
    return listed, arrays


def unpacked(listed: Any, arrays: Arrays, key: str = "clips") -> list[ClipArrays]:
    """The clips of a message."""
    if not isinstance(listed, list):
        raise MessageError(f"a list of clips was expected for {key}")
    return [_unpacked(values, arrays, f"{key}/{number}") for number, values in enumerate(listed)]


def _unpacked(values: Any, arrays: Arrays, place: str) -> ClipArrays:
    missing = [part for part in PARTS[:-1] if f"{place}/{part}" not in arrays]
    if missing:
        raise MessageError(f"the clip {place} lacks {missing[0]}")
    found: dict[str, Any] = {part: arrays.get(f"{place}/{part}") for part in PARTS}
    match values:
        case {
            "name": str(name),
            "joints": [*joints],
            "frame_time": int() | float() as frame_time,
            "up": str(up),
            "unit_m": None | int() | float() as unit_m,
            "tips": [*tips],
            "playback": None | dict() as playback,
            "channels": [*channels],
            "orders": [*orders],
        } if all(isinstance(text, str) for text in (*joints, *channels, *orders)):
            about = (frame_time, up, unit_m)
            return ClipArrays(
                name, tuple(joints), found["parents"], found["offsets"], found["root"], found["rotations"], *about,
                found["translations"], tuple(map(_tip, tips)), playback, tuple(channels), tuple(orders),
            )  # fmt: skip
    raise MessageError(f"the clip {place} has not the values that a clip has")


def _tip(values: Any) -> Tip:
    match values:
        case [int(joint), [int() | float() as x, int() | float() as y, int() | float() as z], str(name)]:
            return joint, (x, y, z), name
    raise MessageError("the end of a joint is its number, an offset and a name")
