"""Motion on another skeleton, with the map of both bodies to be shown and edited."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from freshtake.bridge.jobs.motion_options import delivery_option
from freshtake.bridge.requests import Answer, Request
from freshtake.errors import UsageError
from freshtake.formats.body_map_files import write_body_maps
from freshtake.formats.read_options import ReadOptions
from freshtake.formats.registry import take_in
from freshtake.motion import Clip
from freshtake.motion.retarget import Retargeter
from freshtake.workflows.motion_retargeting import RetargetOptions, maps_of, motion_retarget, onto_character


def retarget(request: Request) -> Answer:
    """Clips on the skeleton of `target`."""
    asked = RetargetOptions(
        maps=_maps(request),
        plant=request.get("plant", bool, default=True),
        hands=request.get("hands", bool, default=False),
        delivery=delivery_option(request),
        ending="npz",
    )
    made = motion_retarget(
        request.files(), _character(request), request.folder / "retargeted", options=asked,
        reading={"warn": request.note}, report=request.report, warn=request.note,
    )  # fmt: skip
    return request.answer(_map_values(made.way), made.paths)


def map(request: Request) -> Answer:
    """Which joints of both skeletons `retarget` takes for which part of the body."""
    onto = onto_character(_character(request), _maps(request), warn=request.note)
    clip = take_in(request.files()[0], ReadOptions(warn=request.note)).motion
    assert isinstance(clip, Clip)
    return request.answer(_map_values(None if onto.owns(clip) else onto.way(clip)))


def _character(request: Request) -> Path:
    files = request.files("target")
    if len(files) != 1:
        raise UsageError(f"clips are put onto one skeleton, not onto {len(files)}")
    return files[0]


def _maps(request: Request) -> Path | None:
    maps = request.get("maps", dict)
    if not maps:
        return None
    path = request.folder / "maps.json"
    write_body_maps(path, maps)
    return path


def _map_values(way: Retargeter | None) -> dict[str, Any]:
    """Nothing has to be matched where the joints are the target's own."""
    if way is None:
        return {"maps": None, "matched": None, "leg_ratio": 1.0}
    return {"maps": maps_of(way), "matched": way.matched, "leg_ratio": way.transfer.leg_ratio}
