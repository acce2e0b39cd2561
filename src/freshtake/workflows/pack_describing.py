"""What pack.json says of a clip: how it is played, where it goes, where feet stand, and how good it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from freshtake.evaluation.joins import Pace, join_pace, loop_pace
from freshtake.motion import Clip
from freshtake.motion.body.roles import feet, leg_length
from freshtake.motion.body.size import unit_of
from freshtake.motion.cycles.looping import loop_frames, played
from freshtake.motion.planting.contacts import contact_mask, runs
from freshtake.workflows.pack_contents import Group, PackSettings
from freshtake.workflows.pack_making import PackClip

AXES = {"y": (0, 2), "z": (0, 1)}


def clip_facts(clip: PackClip, group: Group, inputs: Pace, settings: PackSettings) -> dict[str, Any]:
    """Everything about one clip, as plain values; frames are counted from 0, lengths are in the clip's unit."""
    loop, info = clip.loop, clip.loop.playback
    assert info is not None
    prints = footprints(loop)
    return {
        "name": clip.slot.name,
        "group": group.name,
        "model": group.path.name,
        "checksum": group.checksum,
        "seed": clip.slot.seed,
        "frames": loop_frames(loop),
        "fps": _short(loop.fps),
        "seconds": _short(info.seconds),
        "loop": info.loop,
        "cycles": info.cycles,
        "root_motion": settings.root_motion,
        "speed": _short(info.speed),
        "heading_deg": _short(_heading(info.direction, loop.up)),
        "travel": [_short(value) for value in info.travel],
        "turn_deg": 0.0,
        "turn_removed_deg": _short(float(np.degrees(info.turn))),
        "up": loop.up,
        "unit_m": None if unit_of(loop) is None else _short(unit_of(loop) or 0.0),
        "contacts": {
            foot.name: [[one["from"], one["to"]] for one in prints if one["foot"] == foot.name]
            for foot in feet(loop.skeleton)
        },
        "footprints": prints,
        "amount": _short(settings.amount * clip.guard.share),
        "quality": _quality(clip, inputs),
    }


def _quality(clip: PackClip, inputs: Pace) -> dict[str, Any]:
    pace = loop_pace(clip.loop, inputs)
    slide = foot_slide(clip.loop)
    return {
        "seam_step": _short(pace.step),
        "foot_speed": _short(pace.foot_speed),
        "acceleration": _short(pace.acceleration),
        "foot_slide": None if slide is None else _short(slide),
        "copied": _short(clip.copied),
        "strain": _short(clip.goals.strain),
        "tries": clip.guard.tries,
        "exceeds": list(clip.guard.left),
    }


def group_facts(clips: Sequence[PackClip], inputs: Pace) -> dict[str, Any]:
    """The worst of all changes from any clip to any clip of a group, as shares of the takes' own."""
    pace = join_pace([one.loop for one in clips], inputs)
    return {"pairs": len(clips) ** 2, **{key: _short(value) for key, value in pace._asdict().items()}}


def footprints(loop: Clip) -> list[dict[str, Any]]:
    """Contacts that begin within a loop: foot, first frame, the frame after the last (beyond the loop where it goes
    on after the seam), and the place of the ankle on the ground, in the loop's travel.
    """
    frames = loop_frames(loop)
    around = played(loop, 3 * frames, -frames)
    mask, places = contact_mask(around), around.positions()
    out = []
    for column, foot in enumerate(feet(loop.skeleton)):
        if mask[:, column].all():
            spans = [(frames, 2 * frames)]
        else:
            spans = [(a, b) for a, b in runs(mask[:, column]) if frames <= a < 2 * frames]
        for start, stop in spans:
            place = places[start:stop, foot.ankle].mean(axis=0)
            out.append(
                {
                    "foot": foot.name,
                    "from": start - frames,
                    "to": stop - frames,
                    "place": [_short(place[axis]) for axis in AXES[loop.up]],
                }
            )
    return sorted(out, key=lambda one: (one["from"], one["foot"]))


def foot_slide(loop: Clip) -> float | None:
    """Mean speed of standing feet along the ground, in leg lengths per second; None where none stands."""
    around = played(loop, 2 * loop_frames(loop))
    mask = contact_mask(around)
    ankles = [foot.ankle if foot.toe is None else foot.toe for foot in feet(loop.skeleton)]
    level = around.positions()[:, ankles].copy()
    level[..., loop.up_index] = 0.0
    speed = np.linalg.norm(np.gradient(level, loop.frame_time, axis=0), axis=2)
    return float(speed[mask].mean() / leg_length(loop.skeleton)) if mask.any() else None


def _heading(direction: np.ndarray[Any, np.dtype[np.float64]], up: str) -> float:
    """Degrees from forward (z, or -y where z is up) to the left, counted about the vertical axis."""
    if not direction.any():
        return 0.0
    if up == "y":
        return float(np.degrees(np.arctan2(direction[0], direction[2])))
    return float(np.degrees(np.arctan2(direction[0], -direction[1])))


def _short(value: float) -> float:
    """Six digits are enough."""
    return float(f"{value:.6g}") + 0.0
