"""Clips for formats that fix unit and axis and hold many clips of one skeleton: glTF, FBX, USD."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from freshtake.errors import FormatError, SkeletonMismatch
from freshtake.formats.read_options import Motion, ReadOptions, WriteOptions, choose_for
from freshtake.motion import Clip
from freshtake.motion.body.orientation import guess_unit
from freshtake.motion.edit import scaled, with_up
from freshtake.motion.kinds import kind_word
from freshtake.motion.skeleton import require_compatible


def clips_of(path: Path, motion: Motion | Sequence[Clip], title: str) -> Sequence[Clip]:
    """Return one clip or several; anything else is refused with a format that holds it."""
    clips = [motion] if isinstance(motion, Clip) else motion
    if not isinstance(clips, Sequence) or not clips or not all(isinstance(clip, Clip) for clip in clips):
        others = [entry for entry in clips if not isinstance(entry, Clip)] if isinstance(clips, Sequence) else [motion]
        kind = f"a {kind_word(others[0])}" if others else "nothing"
        remedy = choose_for(others[0] if others else motion)
        raise FormatError(path, f"{title} is written for clips with a skeleton, not for {kind}: {remedy}")
    return clips


def same_skeleton(path: Path, clips: Sequence[Clip], options: WriteOptions, title: str) -> list[Clip]:
    """Return the clips in metres and y up, checked to share one skeleton."""
    ready = [in_metres(path, clip, options, title) for clip in clips]
    for clip in ready[1:]:
        _require_same(ready[0], clip)
    return ready


def in_metres(path: Path, clip: Clip, options: WriteOptions, title: str) -> Clip:
    """Return a clip in metres and y up; a unit that is not given or stated is guessed, with a note."""
    unit = unit_in_metres(path, clip, options, f"{title} has a fixed unit")
    upright = with_up(clip, "y")
    return upright if unit == 1.0 else scaled(upright, unit)


def unit_in_metres(path: Path, clip: Clip, options: WriteOptions, need: str) -> float:
    """Metres per unit of a clip: as given or stated, or guessed with a note that begins with why it is needed."""
    unit = options.unit_m if options.unit_m is not None else clip.unit_m
    guess = guess_unit(clip.skeleton) if unit is None else None
    if guess is not None:
        unit = guess.metres
        reason = f"{need}, and {guess.name} are guessed from the body's size"
        options.warn(f"{reason}: confirm with --unit {guess.short}, or give another unit")
    if unit is None:
        what = f"{need}, but {clip.name or 'the clip'} does not state its unit"
        raise FormatError(path, f"{what}: give --unit (0.01 for centimetres, 0.0564 for CMU's BVH files, 1 for metres)")
    if not (np.isfinite(unit) and unit > 0):
        raise FormatError(path, f"the unit must be a number of metres above 0, not {unit}")
    return unit


def alike(path: Path, clips: Sequence[Clip], options: WriteOptions, need: str) -> tuple[list[Clip], float]:
    """Clips in the unit and with the vertical axis of the first, for a format that stores both; and that unit."""
    unit, out = 0.0, []
    for clip in clips:
        clip_unit = unit_in_metres(path, clip, options, need)
        unit = unit or clip_unit
        upright = with_up(clip, clips[0].up)
        out.append(upright if clip_unit == unit else scaled(upright, clip_unit / unit))
        _require_same(out[0], out[-1])
    return out, unit


def _require_same(first: Clip, other: Clip) -> None:
    """Same joints, and the same offsets but for the root's."""
    name = other.name or "a later clip"
    require_compatible(first.skeleton, other.skeleton, first.name or "the first clip", name)
    differences = np.abs(first.skeleton.offsets - other.skeleton.offsets).max(axis=1)
    differences[0] = 0.0
    if differences.max() > 1e-6 * np.abs(first.skeleton.offsets).max():
        joint = first.skeleton.names[int(differences.argmax())]
        raise SkeletonMismatch(
            f"{first.name or 'the first clip'} and {name} place the joint {joint!r} at different offsets: "
            "one file has one skeleton, so write them to separate files"
        )


def chosen_number(path: Path, names: Sequence[str], options: ReadOptions, moving: Sequence[int] | None = None) -> int:
    """Return the number of the requested animation, by default the first that moves, with a note where others do too.

    Args:
        path: the file, for messages.
        names: all its animations.
        options: `animation` requests one by name or number.
        moving: the numbers of animations that move a joint, where the format can tell; default: all.

    Returns:
        A place in `names`.
    """
    there = ", ".join(f"{k} {name[:40]!r}" if name else str(k) for k, name in enumerate(names[:20]))
    there += f" and {len(names) - 20} more" if len(names) > 20 else ""
    wanted = options.animation
    if wanted is None:
        candidates = list(moving or range(len(names)))
        if len(candidates) > 1:
            which = "first animation" if candidates[0] == 0 else f"animation {names[candidates[0]][:40]!r}"
            options.warn(f"{path.name}: only the {which} is read; choose with --animation from {there}")
        return candidates[0]
    if wanted in names:
        return list(names).index(str(wanted))
    if str(wanted).isdecimal() and int(str(wanted)[:12]) < len(names):
        return int(wanted)
    raise FormatError(path, f"there is no animation {wanted!r}; the animations are {there}")


def distinct(names: list[str]) -> list[str]:
    """Return the names in their order, a repeated one with a number behind it."""
    taken, out = set(names), []
    seen: Counter[str] = Counter()
    for name in names:
        seen[name] += 1
        fresh = name
        while seen[name] > 1 and fresh in taken:
            fresh = f"{name}_{seen[name]}"
            seen[name] += fresh in taken
        taken.add(fresh)
        out.append(fresh)
    return out
