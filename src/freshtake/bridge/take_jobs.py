"""Jobs before learning: samples, checks and cuts of takes, compiled code, and descriptions of models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from freshtake.bridge import shipped_code
from freshtake.bridge.job_request import Answer, Request, arrays_of
from freshtake.bridge.messages import packed
from freshtake.errors import FreshtakeError, UsageError
from freshtake.formats.ftm import read_stored
from freshtake.formats.read_options import ReadOptions
from freshtake.formats.registry import take_in
from freshtake.methods.gathering import gathered
from freshtake.methods.progress import Progress
from freshtake.motion import Clip
from freshtake.motion.check import WARNING, Finding, check_clip, check_set
from freshtake.motion.cycles.common_cycles import require_cycles
from freshtake.motion.cycles.recurrence import find_occurrences
from freshtake.motion.edit import take_frames
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.requests.samples import SamplesWrite
from freshtake.workflows.compiling import STEPS
from freshtake.workflows.describing import model_facts
from freshtake.workflows.sampling import samples_write


@one_blas_thread()
def check_takes(request: Request) -> Answer:
    """Report problems of each take and of all together, and which take is unlike the others."""
    clips = request.clips()
    takes = []
    for number, clip in enumerate(clips):
        request.report(Progress(number / len(clips), f"looking at {clip.name}"))
        takes.append([_values(finding) for finding in check_clip(clip)])
    together = check_set(clips)
    differ = any(finding.severity == WARNING for finding in together)
    unlike = [] if differ or len(clips) < 2 else unlike_sentences([*gathered(clips, request.note)])
    return request.answer({"takes": takes, "together": [_values(finding) for finding in together], "unlike": unlike})


def _values(finding: Finding) -> dict[str, Any]:
    return {"code": finding.code, "sentence": finding.sentence, "severity": finding.severity}


def unlike_sentences(takes: Sequence[Any]) -> list[str]:
    """Report which takes are unlike the others, and in what (Lau 2009, §9), without learning a model."""
    from freshtake.variation.examples import material_of
    from freshtake.variation.phase import ALIGNMENT, align
    from freshtake.variation.selection.unlike import compared, unlike_notes

    try:
        material = material_of(takes, None, None)
        comparison = compared(
            takes, material, align(material.values, material.weights, ALIGNMENT / material.frame_time)
        )
    except FreshtakeError as error:
        return [str(error)]
    return unlike_notes(comparison, [take.name for take in takes])


@one_blas_thread()
def cut(request: Request) -> Answer:
    """Find the frames at which takes divide into cycles, or into repeats of a piece of one of them."""
    clips = request.clips()
    at = request.get("at", str, default="cycles")
    if at not in ("cycles", "repeats"):
        raise UsageError(f"a take is cut at its cycles or its repeats, not at {at[:40]!r}")
    example = _example(request, clips) if at == "repeats" else None
    cycles = require_cycles(clips) if example is None else []
    pieces = []
    for number, clip in enumerate(clips):
        request.report(Progress(number / len(clips), f"looking for {at} in {clip.name}"))
        if example is None:
            spans = [(int(first), int(last) + 1) for first, last in cycles[number].spans]
        else:
            spans = [(int(span.start), int(span.stop)) for span in find_occurrences(clip, example)]
        pieces += [{"clip": number, "start": start, "stop": stop} for start, stop in spans]
    return request.answer({"pieces": pieces})


def _example(request: Request, clips: Sequence[Clip]) -> Clip:
    like = request.get("like", dict, default={})
    number, start, stop = (like.get(name) for name in ("clip", "start", "stop"))
    if not all(type(value) is int for value in (number, start, stop)) or not 0 <= number < len(clips):
        raise UsageError("repeats are looked for by an example: say in which take it is, where it starts and stops")
    if not 0 <= start < stop <= len(clips[number]):
        raise UsageError(f"frames {start} to {stop} do not lie within the take's {len(clips[number])} frames")
    return take_frames(clips[number], start, stop)


def samples(request: Request) -> Answer:
    """Make `takes` of each of the `sets` named, such as walk and run."""
    sets = request.get("sets", list, default=["walk"])
    asked = SamplesWrite(names=sets, out=request.folder / "samples", **request.fields(SamplesWrite))
    if not all(isinstance(name, str) for name in sets) or asked.takes > 100:
        raise UsageError("sets are names of samples, with at most 100 takes of each")
    paths = samples_write(asked, request.report, request.note)
    motions = [(path.stem, take_in(path, ReadOptions()).motion) for path in paths]
    # other samples are strokes and meshes, which a message of clips cannot hold
    clips = [arrays_of(clip.changed(name=name)) for name, clip in motions if isinstance(clip, Clip)]
    values, arrays = packed(clips)
    return Answer({"clips": values, "notes": request.notes}, arrays)


def describe(request: Request) -> Answer:
    """Return the method that learned a model, its facts, its joints and the takes it was learned from."""
    stored = read_stored(request.model())
    recipe = stored.model.material.recipe if stored.method == "variation" else None
    skeleton = None if recipe is None else recipe.skeleton
    facts = {
        **model_facts(stored.model),
        "joints": [] if skeleton is None else list(skeleton.names),
        "takes": list(stored.sources),
    }
    return request.answer({"method": stored.method, "facts": facts})


def unprepared(request: Request) -> Answer:
    """Return the steps of `warm_up` whose machine code is not shipped with this copy."""
    return request.answer({"steps": [] if shipped_code.in_use() else list(STEPS)})


def warm_up(request: Request) -> Answer:
    """Compile for the steps that `steps` names; without it, for all."""
    from freshtake.workflows.compiling import warm_up as run

    run(request.report, request.get("steps", list))
    return request.answer({})
