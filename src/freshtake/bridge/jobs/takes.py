"""Takes before anything is learned of them: what is wrong with them, and where to cut them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from freshtake.bridge.requests import Answer, Request
from freshtake.errors import FreshtakeError, UsageError
from freshtake.methods.gathering import gathered
from freshtake.methods.progress import Progress
from freshtake.motion import Clip
from freshtake.motion.check import WARNING, Finding, check_clip, check_set
from freshtake.motion.cycles.common_cycles import require_cycles
from freshtake.motion.cycles.occurrences import find_occurrences
from freshtake.motion.edit import take_frames
from freshtake.numeric.blas_threads import one_blas_thread


@one_blas_thread()
def check_takes(request: Request) -> Answer:
    """What is wrong with each take, with all of them together, and which one is unlike the others."""
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
    """Which takes do not belong to the others, and in what (Lau 2009, §9); nothing is learned for it."""
    from freshtake.variation.examples import material_of
    from freshtake.variation.phase import ALIGNMENT, align
    from freshtake.variation.selection.differences import unlike_notes
    from freshtake.variation.selection.unlike import compared

    try:
        material = material_of(takes, None, None)
        found = compared(takes, material, align(material.values, material.weights, ALIGNMENT / material.frame_time))
    except FreshtakeError as error:
        return [str(error)]
    return unlike_notes(found, [take.name for take in takes])


@one_blas_thread()
def cut(request: Request) -> Answer:
    """Frames at which takes fall into cycles, or into repeats of a piece of one of them."""
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
            spans = [(int(found.start), int(found.stop)) for found in find_occurrences(clip, example)]
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
