"""Tasks of the texture tab: takes or meshes to a model, a model to endless, looped or steered motion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from freshtake.errors import UsageError
from freshtake.formats.ftm import save
from freshtake.motion import Clip, Stroke
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.serve.tasks.context import Context
from freshtake.serve.tasks.describing import named as under_name
from freshtake.serve.tasks.sets import model_at, motion_sets

LONGEST = 600.0  # seconds


@one_blas_thread()
def texture_learn(
    context: Context,
    *,
    items: list[str],
    cells: Mapping[str, list[str]] | None = None,
    turns: bool = False,
    jump_time: float = 1.5,
    largest_jump: float | None = None,
    name: str = "texture",
) -> None:
    """Learn where takes can be jumped within; `cells` are takes by name, `turns` cuts walks into cells by turning."""
    from freshtake.texture.learning import learn, recurring
    from freshtake.texture.settings import Settings
    from freshtake.workflows.texture_sampling import texture_facts

    if not items and not cells:
        raise UsageError("a texture needs a take: choose one in the list")
    context.report("reading", 0.0, 1.0)
    named = {cell: ids for cell, ids in (cells or {}).items() if ids}
    if named:
        takes: Any = dict(zip(named, motion_sets(context, *named.values()), strict=True))
    else:
        takes = motion_sets(context, items)[0]
        takes = _by_turns(takes) if turns else takes
    settings = Settings(jump_time=jump_time, largest_jump=largest_jump)
    model = learn(takes, settings, rng=np.random.default_rng(0), report=context.progress)
    target = context.folder / "texture.ftm"
    sources = [context.item(key).name for ids in (named.values() if named else [items]) for key in ids]
    save(target, model, sources=sources)
    facts = texture_facts(model) | {"method": "texture", "travels": model.rates > 0, "jump_time": jump_time}
    facts["notes"] = [] if recurring(model) else ["no frame comes back near to another, so that jumps will show"]
    context.add("model", name, target, facts, settings={"examples": named or items, "turns": turns})


def _by_turns(takes: list[Any]) -> dict[str, list[Any]]:
    from freshtake.texture.cells import turn_cells

    cells: dict[str, list[Any]] = {}
    for take in takes:
        if not isinstance(take, Clip):
            raise UsageError(f"{take.name} has no skeleton: only walks of a body are cut by where they turn")
        for cell, pieces in turn_cells(take).items():
            cells.setdefault(cell, []).extend(pieces)
    return cells


@one_blas_thread()
def texture_sample(
    context: Context,
    *,
    items: list[str],
    seconds: float,
    loop: bool = False,
    heading: float | None = None,
    seed: int = 0,
    plant: bool = True,
    name: str = "texture",
) -> None:
    """So many seconds of a texture's play, or a loop of that length; `heading` in degrees from the start's."""
    from freshtake.texture.guiding import Guide
    from freshtake.workflows.texture_playing import steered_play
    from freshtake.workflows.texture_sampling import PlayOptions, made_loop

    if not 0.1 <= seconds <= LONGEST:
        raise UsageError(f"a motion lasts 0.1 to {LONGEST:g} seconds, but {seconds:g} were asked for")
    model, rng = model_at(context, items[0], "texture"), np.random.default_rng(seed)
    frames = max(2, round(seconds / model.frame_time))
    context.report(f"making {frames} frames", 0.0, 1.0)
    notes: list[str] = []
    if loop:
        made, rows, _, _ = made_loop(model, rng, frames, PlayOptions(loop=True), plant, notes.append)
        made = model.decode(rows) if made is None else made
    elif heading is not None:
        guided = steered_play(model, rng, frames, (), None, Guide(heading=float(np.radians(heading))))
        made = model.planted(model.decode(guided.rows, start=guided.start), guided.played, plant)
    else:
        made = model.sample(rng, frames=frames, plant=plant)
    if isinstance(made, np.ndarray):
        made = Stroke(made, np.arange(len(made)) * model.frame_time)
    settings = {"seconds": seconds, "loop": loop, "heading": heading}
    context.add_motion(
        "variant", name, under_name(made, name), parent=items[0], seed=seed, settings=settings,
        facts={"method": "texture", "notes": notes}, group=context.item(items[0]).name,
    )  # fmt: skip
