"""Jobs that a host program can send to its freshtake child process, each named like its function.

A job builds the request of the command of the same name from the clips and models it received, and carries it
out.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from freshtake.bridge import shipped_code
from freshtake.bridge.job_request import Answer, Job, Request, arrays_of
from freshtake.bridge.messages import packed
from freshtake.errors import FreshtakeError, UsageError
from freshtake.formats.ftm import read_stored, save
from freshtake.formats.joint_files import write_body_maps
from freshtake.formats.read_options import ReadOptions
from freshtake.formats.registry import take_in
from freshtake.methods.gathering import gathered
from freshtake.methods.progress import Progress, each
from freshtake.motion import Clip
from freshtake.motion.check import WARNING, Finding, check_clip, check_set
from freshtake.motion.edit import take_frames
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.requests.blending import Blend, BlendSample, Classes
from freshtake.requests.clips import Loop, Looping, Retarget, Retargeting
from freshtake.requests.fields import Feet, LoopTravel, Travel, from_values
from freshtake.requests.samples import SamplesWrite
from freshtake.requests.style import StyleApply, StyleLearn, StyleLearning, Styling
from freshtake.requests.texturing import Playing, TextureLearning, TextureSample
from freshtake.requests.variation import Learn, Learning, Redraw, Redrawing, Variants, Vary
from freshtake.workflows import model_facts


def unprepared(request: Request) -> Answer:
    """Return the steps of `warm_up` whose machine code does not come with this copy."""
    from freshtake.workflows.compiling import STEPS

    return request.answer({"steps": [] if shipped_code.in_use() else list(STEPS)})


def warm_up(request: Request) -> Answer:
    """Compile for the steps named in `steps`, by default for all."""
    from freshtake.workflows import compiling

    compiling.warm_up(request.report, request.get("steps", list))
    return request.answer({})


def samples(request: Request) -> Answer:
    """Make `takes` takes of each of the named `sets`, such as walk and run."""
    sets = request.get("sets", list, default=["walk"])
    asked = SamplesWrite(names=sets, out=request.folder / "samples", **request.fields(SamplesWrite))
    if not all(isinstance(name, str) for name in sets) or asked.takes > 100:
        raise UsageError("sets must be names of samples, with at most 100 takes of each")
    motions = [(path.stem, take_in(path, ReadOptions()).motion) for path in request.run(asked)]
    # Other samples are strokes and meshes, which a message of clips cannot carry.
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


@one_blas_thread()
def check_takes(request: Request) -> Answer:
    """Report problems of each take and of all together, and which takes are unlike the others."""
    clips = request.clips()
    steps = each(clips, request.report, lambda clip: f"looking at {clip.name}")
    takes = [[_values(finding) for finding in check_clip(clip)] for clip in steps]
    together = check_set(clips)
    differ = any(finding.severity == WARNING for finding in together)
    unlike = [] if differ or len(clips) < 2 else unlike_sentences([*gathered(clips, request.note)])
    return request.answer({"takes": takes, "together": [_values(finding) for finding in together], "unlike": unlike})


def _values(finding: Finding) -> dict[str, Any]:
    return {"sentence": finding.sentence, "severity": finding.severity}


def unlike_sentences(takes: Sequence[Any]) -> list[str]:
    """Report which takes are unlike the others and how (Lau 2009, §9), without learning a model."""
    from freshtake.variation.learning import WHOLE, ingest

    try:
        taken = ingest(takes, pieces=WHOLE)
    except FreshtakeError as error:
        return [str(error)]
    return [f"{one.name} is unlike the others: {one.reason}" for one in (*taken.left, *taken.doubtful)]


@one_blas_thread()
def cut(request: Request) -> Answer:
    """Find the frames that divide takes into cycles, or into repeats of a passage from a single take."""
    from freshtake.motion.cycles.cycles import require_cycles
    from freshtake.motion.cycles.occurrences import find_occurrences

    clips = request.clips()
    at = request.get("at", str, default="cycles")
    if at not in ("cycles", "repeats"):
        raise UsageError(f"a take can be cut at its cycles or its repeats, not at {at[:40]!r}")
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
        raise UsageError("repeats are found from an example: give its take, its start and its stop")
    if not 0 <= start < stop <= len(clips[number]):
        raise UsageError(f"frames {start} to {stop} are not all within the take's {len(clips[number])} frames")
    return take_frames(clips[number], start, stop)


def loop(request: Request) -> Answer:
    """Make the best loop of each take."""
    out = request.folder / "loops"
    out.mkdir()
    loops = request.run(Loop(clips=request.files(), out=out, format="npz", **request.fields(Looping)))
    return request.answer({}, [one.path for one in loops])


def learn(request: Request) -> Answer:
    """Learn a model from takes of one movement."""
    model = request.run(Learn(takes=request.files(), out=request.target, **request.fields(Learning)))
    return request.answer({"facts": model_facts(model)})


def parts(request: Request) -> Answer:
    """Return the names allowed in a model's `parts`: parts of the body, then joints."""
    from freshtake.variation.amount import names_of_parts
    from freshtake.workflows.inputs import model_of

    model = model_of(request.model(), "variation")
    skeleton = None if model.material.recipe is None else model.material.recipe.skeleton
    return request.answer({"parts": names_of_parts(model.dofs, skeleton)})


def vary(request: Request) -> Answer:
    """Make variants of a model; variant k of a seed does not depend on the others."""
    asked = Vary(
        model=request.model(), out=request.folder / "variants", format="npz", start=_pose(request, "start"),
        end=_pose(request, "end"), **{"count": 1, **request.fields(Variants)},
    )  # fmt: skip
    paths = request.run(asked).paths
    made = [{"seed": asked.seed, "number": asked.first + k} for k in range(len(paths))]
    return request.answer({"made": made}, paths)


def _pose(request: Request, key: str) -> str | None:
    if request.params.get(key) is None:
        return None
    return f"{request.file(key, f'one pose must be given as the {key} of variants')}:0"


def redraw(request: Request) -> Answer:
    """Redraw a stretch of one clip, or a part of its body; everything else stays the same."""
    take = request.file("clips", "one clip can be redrawn at a time")
    values = request.fields(Redrawing)
    asked = Redraw(
        take=take, model=request.model(), out=request.folder / "redrawn", format="npz",
        **{"count": 1, **values, "part": tuple(values.get("part", ()))},
    )  # fmt: skip
    paths = request.run(asked).paths
    made = [{"seed": asked.seed, "number": number} for number in range(1, len(paths) + 1)]
    return request.answer({"made": made}, paths)


def style_learn(request: Request) -> Answer:
    """Learn a model from takes in one style and takes in another style."""
    asked = StyleLearn(
        source=request.files("sources"), target=request.files("targets"), out=request.target,
        **request.fields(StyleLearning),
    )  # fmt: skip
    done = request.run(asked)
    for sentence in done.pairs.notes:
        request.note(sentence)
    return request.answer({"facts": model_facts(done.model)})


def style_apply(request: Request) -> Answer:
    """Translate clips into the style of a model; strength 0 leaves them unchanged."""
    paths = [request.model(), *request.files()]
    applied = request.run(StyleApply(paths=paths, out=request.folder / "styled", **request.fields(Styling)))
    return request.answer({}, [one.written[0] for one in applied])


def blend_learn(request: Request) -> Answer:
    """Learn a model from classes of takes, each given by its name and the numbers of its clips."""
    from freshtake.workflows.density_blending import learn_classes

    files, classes = request.files(), request.get("classes", dict, default={})
    takes = {}
    for name, numbers in classes.items():
        if not isinstance(numbers, list) or not all(type(k) is int and 0 <= k < len(files) for k in numbers):
            raise UsageError(f"the class {name!r} does not say which of the {len(files)} clips it contains")
        takes[name] = [files[k] for k in numbers]
    asked = Classes(**request.fields(Classes))
    model = learn_classes(takes, request.target, asked, {"warn": request.note}, request.report, request.note)
    return request.answer({"facts": model_facts(model)})


def blend_sample(request: Request) -> Answer:
    """Synthesize motion of the requested length and weights."""
    target = request.folder / "blend.npz"
    blend = from_values(Blend, {**request.params, "weights": _weights(request)})
    settings = {**blend, **request.fields(Travel), **request.fields(Feet)}
    request.run(BlendSample(model=request.model(), out=target, **settings))
    return request.answer({}, [target])


def _weights(request: Request) -> str | None:
    """Return weights in the notation of the command line, normalized to shares."""
    weights = request.get("weights", dict)
    if weights is None:
        return None
    values = [value for value in weights.values() if isinstance(value, int | float) and value >= 0.0]
    total = float(sum(values))
    if len(values) < len(weights) or not 0.0 < total < 1e9:
        raise UsageError("weights must be numbers of 0 or more, at least one of them above 0")
    return ",".join(f"{name}:{value / total!r}" for name, value in weights.items())


@one_blas_thread()
def texture_learn(request: Request) -> Answer:
    """Learn a model from takes in which frames resemble earlier ones."""
    from freshtake.texture.learning import recurring
    from freshtake.workflows.texturing import learn_takes

    clips = request.clips()
    asked = TextureLearning(**request.fields(TextureLearning))
    model = learn_takes(gathered(clips, request.note), asked, request.report)
    if not recurring(model):
        request.note("no frame is close to an earlier one, so jumps will be visible: give a longer take, or more takes")
    save(request.target, model, sources=[clip.name for clip in clips])
    return request.answer({"facts": model_facts(model)})


def texture_sample(request: Request) -> Answer:
    """Synthesize endless playback, or a loop, of the requested length."""
    target = request.folder / "play.npz"
    settings = {**request.fields(Playing), **request.fields(LoopTravel), **request.fields(Feet)}
    request.run(TextureSample(model=request.model(), out=target, **settings))
    return request.answer({}, [target])


def map(request: Request) -> Answer:
    """Return which joints of both skeletons `retarget` assigns to which part of the body; None if they are the same."""
    from freshtake.workflows.retargeting import maps_of, onto_character

    onto = onto_character(_character(request), _maps(request), warn=request.note)
    clip = take_in(request.files()[0], ReadOptions(warn=request.note)).motion
    assert isinstance(clip, Clip)
    return request.answer({"maps": None if onto.owns(clip) else maps_of(onto.way(clip))})


def retarget(request: Request) -> Answer:
    """Retarget clips to the skeleton of `target`, and return the maps as `map` does."""
    from freshtake.workflows.retargeting import maps_of

    asked = Retarget(
        clips=request.files(), onto=_character(request), out=request.folder / "retargeted", body_map=_maps(request),
        format="npz", **request.fields(Retargeting),
    )  # fmt: skip
    result = request.run(asked)
    return request.answer({"maps": None if result.way is None else maps_of(result.way)}, result.paths)


def _character(request: Request) -> Path:
    return request.file("target", "clips can only be retargeted to a single skeleton")


def _maps(request: Request) -> Path | None:
    maps = request.get("maps", dict)
    if not maps:
        return None
    path = request.folder / "maps.json"
    write_body_maps(path, maps)
    return path


JOBS: dict[str, Job] = {
    job.__name__: job
    for job in (
        unprepared, warm_up, samples, describe, check_takes, cut, loop, learn, parts, vary, redraw, style_learn,
        style_apply, blend_learn, blend_sample, texture_learn, texture_sample, map, retarget,
    )
}  # fmt: skip
