"""Takes that freshtake makes itself, to begin with."""

from __future__ import annotations

from freshtake.bridge.clip_arrays import packed
from freshtake.bridge.clip_conversion import arrays_of
from freshtake.bridge.requests import Answer, Request
from freshtake.errors import UsageError
from freshtake.formats.read_options import ReadOptions
from freshtake.formats.registry import take_in
from freshtake.motion import Clip
from freshtake.workflows.motion_sampling import motion_samples


def samples(request: Request) -> Answer:
    """`takes` of each of the `sets` named, such as walk and run."""
    sets, takes = request.get("sets", list, default=["walk"]), request.get("takes", int, default=4)
    if not all(isinstance(name, str) for name in sets) or takes > 100:
        raise UsageError("sets are names of samples, with at most 100 takes of each")
    paths = motion_samples(
        sets, request.folder / "samples", takes=takes, seed=request.get("seed", int, default=7), report=request.report
    )
    clips = [(path.stem, take_in(path, ReadOptions()).motion) for path in paths]
    made = [arrays_of(clip.changed(name=name)) for name, clip in clips if isinstance(clip, Clip)]
    values, arrays = packed(made)
    return Answer({"clips": values, "notes": request.notes}, arrays)
