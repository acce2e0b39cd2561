"""New clips: learn and vary, loops, and clips on another skeleton."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from freshtake.bridge.job_request import Answer, Request
from freshtake.errors import UsageError
from freshtake.formats.joint_files import write_body_maps
from freshtake.formats.read_options import ReadOptions
from freshtake.formats.registry import take_in
from freshtake.motion import Clip
from freshtake.motion.retarget import Retargeter
from freshtake.requests.clips import Loop, Looping, Retarget, Retargeting
from freshtake.requests.variation import Learn, Learning, Redraw, Redrawing, Variants, Vary
from freshtake.workflows.characters import maps_of, onto_character
from freshtake.workflows.describing import model_facts
from freshtake.workflows.editing import loop as run_loop
from freshtake.workflows.inputs import model_of
from freshtake.workflows.learning import learn as run_learn
from freshtake.workflows.redrawing import redraw as run_redraw
from freshtake.workflows.retargeting import retarget as run_retarget
from freshtake.workflows.varying import vary as run_vary


def learn(request: Request) -> Answer:
    """Learn a model from takes of one movement."""
    asked = Learn(takes=request.files(), out=request.target, **request.fields(Learning))
    return request.answer({"facts": model_facts(run_learn(asked, request.report, request.note))})


def parts(request: Request) -> Answer:
    """Return what a model's `parts` may name: parts of the body, then joints."""
    model = model_of(request.model(), "variation")
    skeleton = None if model.material.recipe is None else model.material.recipe.skeleton
    from freshtake.variation.amount import names_of_parts

    return request.answer({"parts": names_of_parts(model.dofs, skeleton)})


def vary(request: Request) -> Answer:
    """Make variants of a model; variant k of a seed does not depend on the others."""
    asked = Vary(
        model=request.model(), out=request.folder / "variants", format="npz", start=_pose(request, "start"),
        end=_pose(request, "end"), **{"count": 1, **request.fields(Variants)},
    )  # fmt: skip
    result = run_vary(asked, request.report, request.note)
    names: list[dict[str, Any]] = [
        {"seed": asked.seed, "number": asked.first + k, "name": path.stem} for k, path in enumerate(result.paths)
    ]
    return request.answer({"made": names}, result.paths)


def redraw(request: Request) -> Answer:
    """Draw a stretch of one clip again, or a part of its body; everything else stays as it is."""
    files = request.files()
    if len(files) != 1:
        raise UsageError(f"one clip is drawn again at a time, not {len(files)}")
    values = request.fields(Redrawing)
    asked = Redraw(
        take=files[0], model=request.model(), out=request.folder / "redrawn", format="npz",
        **{"count": 1, **values, "part": tuple(values.get("part", ()))},
    )  # fmt: skip
    done = run_redraw(asked, request.report, request.note)
    numbered = [{"seed": asked.seed, "number": number} for number in range(1, len(done.paths) + 1)]
    return request.answer({"made": numbered}, done.paths)


def _pose(request: Request, key: str) -> str | None:
    if request.params.get(key) is None:
        return None
    files = request.files(key)
    if len(files) != 1:
        raise UsageError(f"one pose is given as the {key} of variants, not {len(files)}")
    return f"{files[0]}:0"


def loop(request: Request) -> Answer:
    """Make the best loop of each take."""
    out = request.folder / "loops"
    out.mkdir()
    asked = Loop(clips=request.files(), out=out, format="npz", **request.fields(Looping))
    loops = run_loop(asked, request.report, request.note)
    spans = [{"start": one.span.start, "stop": one.span.stop} for one in loops]
    return request.answer({"spans": spans}, [one.path for one in loops])


def retarget(request: Request) -> Answer:
    """Retarget clips to the skeleton of `target`."""
    asked = Retarget(
        clips=request.files(), onto=_character(request), out=request.folder / "retargeted", body_map=_maps(request),
        format="npz", **request.fields(Retargeting),
    )  # fmt: skip
    result = run_retarget(asked, request.report, request.note)
    return request.answer(_map_values(result.way), result.paths)


def map(request: Request) -> Answer:
    """Return which joints of both skeletons `retarget` assigns to which part of the body."""
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
    """Return the maps of a retargeting; none where clips already have the joints of the target."""
    if way is None:
        return {"maps": None, "matched": None, "leg_ratio": 1.0}
    return {"maps": maps_of(way), "matched": way.matched, "leg_ratio": way.transfer.leg_ratio}
