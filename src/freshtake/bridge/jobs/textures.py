"""Endless and looped motion from one take."""

from __future__ import annotations

from freshtake.bridge.jobs.motion_options import finish_options, length_option
from freshtake.bridge.requests import Answer, Request
from freshtake.errors import UsageError
from freshtake.formats.ftm import save
from freshtake.methods.gathering import gathered
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.texture.jump_pace import with_jump_time
from freshtake.workflows.seeds import generator
from freshtake.workflows.texture_sampling import PlayOptions, load_texture, texture_facts
from freshtake.workflows.texture_sampling import texture_sample as sample


@one_blas_thread()
def texture_learn(request: Request) -> Answer:
    """A model from takes that come back near to themselves."""
    from freshtake.texture.learning import learn, recurring

    clips = request.clips()
    model = learn(gathered(clips, request.note), rng=generator(0), report=request.report)
    if not recurring(model):
        request.note("no frame comes back near to another, so that jumps will show: give a longer take, or more")
    save(request.target, model, sources=[clip.name for clip in clips])
    return request.answer({"facts": texture_facts(model)})


def texture_sample(request: Request) -> Answer:
    """So much play, or a loop of that length; `jump_rate` is in jumps a second."""
    length, rate = length_option(request), request.number("jump_rate")
    assert length is not None
    source = request.model()
    if rate is not None:
        if not 0.0 < rate <= 100.0:
            raise UsageError(f"the rate of jumps must lie above 0 and not above 100 a second, but is {rate:g}")
        save(source, with_jump_time(load_texture(source), 1.0 / rate))
    target = request.folder / "play.npz"
    options = PlayOptions(loop=request.get("loop", bool, default=False), seed=request.get("seed", int, default=0))
    made = sample(
        source,
        target,
        length,
        options=options,
        finish=finish_options(request),
        report=request.report,
        warn=request.note,
    )
    return request.answer({"jumps": made.jumps}, [target])
