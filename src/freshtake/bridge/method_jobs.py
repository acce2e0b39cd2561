"""Jobs of the other methods: styles, blends and endless play."""

from __future__ import annotations

from freshtake.bridge.job_request import Answer, Request
from freshtake.errors import UsageError
from freshtake.formats.ftm import save
from freshtake.methods.gathering import gathered
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.requests.blending import Blend, BlendSample, Classes
from freshtake.requests.fields import from_values
from freshtake.requests.style import StyleApply, StyleLearn, StyleLearning, Styling
from freshtake.requests.texturing import Playing, TextureLearning, TextureSample
from freshtake.workflows.density_blending import density_facts, learn_classes, write_blend
from freshtake.workflows.outputs import Finish, chosen_delivery
from freshtake.workflows.style_translating import style_apply as run_apply
from freshtake.workflows.style_translating import style_facts
from freshtake.workflows.style_translating import style_learn as run_learn
from freshtake.workflows.texture_sampling import learn_takes, texture_facts, write_play


def finish_options(request: Request) -> Finish:
    """Read `plant`, `in_place` and `closing_frame`; clips are returned as NPZ, which keeps every digit."""
    in_place, closing = (request.get(name, bool, default=False) for name in ("in_place", "closing_frame"))
    plant = request.get("plant", bool, str, default=True)
    return Finish(plant, chosen_delivery(None, in_place, closing), ending="npz")


def style_learn(request: Request) -> Answer:
    """Learn a model from takes in one style and takes in another."""
    asked = StyleLearn(
        source=request.files("sources"), target=request.files("targets"), out=request.target,
        **request.fields(StyleLearning),
    )  # fmt: skip
    done = run_learn(asked, request.report, request.note)
    for sentence in done.pairs.notes:
        request.note(sentence)
    pairs = [[row.source, row.target] for row in done.pairs.table]
    return request.answer({"facts": style_facts(done.model), "pairs": pairs})


def style_apply(request: Request) -> Answer:
    """Translate clips into the style of a model; strength 0 leaves them as they are."""
    asked = StyleApply(
        paths=[request.model(), *request.files()], out=request.folder / "styled", **request.fields(Styling)
    )
    done = run_apply(asked, request.report, request.note)
    arrived = [one.styled.arrived for one in done]
    return request.answer({"arrived": arrived}, [one.written[0] for one in done])


def blend_learn(request: Request) -> Answer:
    """Learn a model from classes of takes: their names, each with the numbers of its clips."""
    files, classes = request.files(), request.get("classes", dict, default={})
    takes = {}
    for name, numbers in classes.items():
        if not isinstance(numbers, list) or not all(type(k) is int and 0 <= k < len(files) for k in numbers):
            raise UsageError(f"the class {name!r} does not say which of the {len(files)} clips it has")
        takes[name] = [files[k] for k in numbers]
    asked = Classes(**request.fields(Classes))
    model = learn_classes(takes, request.target, asked, {"warn": request.note}, request.report, request.note)
    return request.answer({"facts": density_facts(model)})


def blend_sample(request: Request) -> Answer:
    """Synthesize motion of this length with these weights."""
    target = request.folder / "blend.npz"
    values = {**request.params, "weights": _weights(request)}
    asked = BlendSample(model=request.model(), out=target, **from_values(Blend, values))
    write_blend(asked, finish_options(request), request.report, request.note)
    return request.answer({}, [target])


def _weights(request: Request) -> str | None:
    """Return weights in the notation of the command line; those of a mapping are normalized to shares."""
    weights = request.get("weights", str, dict)
    if weights is None or isinstance(weights, str):
        return weights
    values = [value for value in weights.values() if isinstance(value, int | float) and value >= 0.0]
    total = float(sum(values))
    if len(values) < len(weights) or not 0.0 < total < 1e9:
        raise UsageError("weights are numbers of 0 or more, at least one of them above 0")
    return ",".join(f"{name}:{value / total!r}" for name, value in weights.items())


@one_blas_thread()
def texture_learn(request: Request) -> Answer:
    """Learn a model from takes that return near to earlier frames."""
    from freshtake.texture.learning import recurring

    clips = request.clips()
    asked = TextureLearning(**request.fields(TextureLearning))
    model = learn_takes(gathered(clips, request.note), asked, request.report)
    if not recurring(model):
        request.note("no frame comes back near to another, so that jumps will show: give a longer take, or more")
    save(request.target, model, sources=[clip.name for clip in clips])
    return request.answer({"facts": texture_facts(model)})


def texture_sample(request: Request) -> Answer:
    """Synthesize play, or a loop, of this length; `jump_rate` is in jumps per second."""
    rate, target = request.number("jump_rate"), request.folder / "play.npz"
    if rate is not None and not 0.0 < rate <= 100.0:
        raise UsageError(f"the rate of jumps must lie above 0 and not above 100 a second, but is {rate:g}")
    values = dict(request.params) if rate is None else {**request.params, "jump_time": 1.0 / rate}
    asked = TextureSample(model=request.model(), out=target, **from_values(Playing, values))
    play = write_play(asked, finish_options(request), request.report, request.note)
    return request.answer({"jumps": play.jumps}, [target])
