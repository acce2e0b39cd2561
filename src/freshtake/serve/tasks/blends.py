"""Tasks of the blend tab: classes to a model, a model and what the pad did to a motion."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.formats.ftm import save
from freshtake.motion import Clip, Stroke
from freshtake.numeric.arrays import Floats
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.serve.tasks.context import Context
from freshtake.serve.tasks.describing import named as under_name
from freshtake.serve.tasks.sets import model_at, motion_sets

LONGEST = 600.0  # seconds of one recording
SPEEDS = (0.25, 2.0)  # times as fast as learned


@one_blas_thread()
def blend_learn(context: Context, *, items: list[str], classes: dict[str, list[str]], name: str = "blend") -> None:
    """Learn classes of takes, by name; blending needs two or more."""
    from freshtake.density.control import speed_of
    from freshtake.density.learning import learn
    from freshtake.workflows.density_blending import density_facts

    named = {word.strip(): ids for word, ids in classes.items() if ids}
    if len(named) < 2 or not all(named):
        raise UsageError("blending needs two classes or more, each with a name and a take: add another class")
    context.report("reading", 0.0, 1.0)
    motions = dict(zip(named, motion_sets(context, *named.values()), strict=True))
    model = learn(motions, report=context.progress)
    target = context.folder / "blend.ftm"
    save(target, model, sources=[context.item(key).name for ids in named.values() for key in ids])
    every_fact = density_facts(model)
    facts = {key: every_fact[key] for key in ("classes", "kernels", "modes", "fps", "dofs", "blends", "period_s")}
    travels = model.rates.shape[1] > 0
    facts |= {"method": "density", "travels": travels, "warning": model.warning}
    for note in (*model.notes, model.warning):
        if note:
            context.warn(note)
    if travels and model.mixes:
        facts["speeds"] = {c: round(speed_of(model, row), 4) for c, row in zip(
            model.classes, np.eye(len(model.classes)), strict=True
        )}  # fmt: skip
    context.add("model", name, target, facts, settings={"examples": named})


class Moment(NamedTuple):
    """From a second on: weights of the classes, degrees a second to the left, times as fast."""

    second: float
    weights: dict[str, float]
    turn: float = 0.0
    speed: float = 1.0


def moments_of(course: Sequence[Sequence[Any]]) -> list[Moment]:
    """What a page recorded, checked; it begins at second 0."""
    try:
        moments = [Moment(float(s), {str(k): float(v) for k, v in w.items()}, *map(float, r)) for s, w, *r in course]
    except (TypeError, ValueError, AttributeError):
        raise UsageError("a course is a list of moments: second, weights by class, turn, speed") from None
    if not moments:
        raise UsageError("nothing was recorded: move on the pad first")
    if not all(math.isfinite(v) for one in moments for v in (one.second, one.turn, one.speed, *one.weights.values())):
        raise UsageError("a course must have finite numbers")
    moments.sort(key=lambda one: one.second)
    return [moments[0]._replace(second=0.0), *moments[1:]]


@one_blas_thread()
def blend_sample(
    context: Context,
    *,
    items: list[str],
    course: Sequence[Sequence[Any]],
    seconds: float,
    seed: int = 0,
    plant: bool = True,
    name: str = "blend",
) -> None:
    """A motion along what the pad did: a list of moments (second, weights, turn, speed), each held until the next."""
    if not 0.1 <= seconds <= LONGEST:
        raise UsageError(f"a recording lasts 0.1 to {LONGEST:g} seconds, but this one {seconds:g}")
    model = model_at(context, items[0], "density")
    context.report("blending", 0.0, 1.0)
    motion = recorded(model, moments_of(course), seconds, np.random.default_rng(seed), plant)
    settings = {"course": list(course), "seconds": seconds, "plant": plant}
    context.add_motion(
        "variant", name, under_name(motion, name), parent=items[0], seed=seed, settings=settings,
        facts={"method": "density"}, group=context.item(items[0]).name,
    )  # fmt: skip


def recorded(model: Any, moments: Sequence[Moment], seconds: float, rng: np.random.Generator, plant: bool) -> Any:
    """The motion of a model along recorded moments, as the running stream shows it."""
    from freshtake.density.control import Control
    from freshtake.motion.edit import sampled_at

    times = np.arange(max(2, round(seconds / model.frame_time))) * model.frame_time
    held = np.searchsorted([one.second for one in moments], times + 1e-9, side="right") - 1
    speeds = np.array([min(max(moments[k].speed, SPEEDS[0]), SPEEDS[1]) for k in held])
    at = np.concatenate([[0.0], np.cumsum(speeds[:-1])])
    frames = int(np.ceil(at[-1])) + 1
    held_at = held[np.clip(np.searchsorted(at, np.arange(frames)), 0, len(held) - 1)]
    plan = np.stack([_mixture(model.classes, moments[k].weights) for k in held_at])
    turns = [math.radians(moments[k].turn) for k in held_at]
    control = (lambda frame: Control(turn=turns[min(frame, frames - 1)])) if any(turns) else None
    made = model.sample(rng, frames=frames, weights=plan, plant=plant, control=control)
    if isinstance(made, Clip) and not np.array_equal(at, np.arange(frames)):
        return sampled_at(made, at)
    if isinstance(made, np.ndarray):
        return Stroke(made, np.arange(len(made)) * model.frame_time, model.names)
    return made


def _mixture(classes: Sequence[str], weights: dict[str, float]) -> Floats:
    unknown = next((name for name in weights if name not in classes), None)
    if unknown is not None:
        raise UsageError(f"there is no class {unknown!r}; the classes are {', '.join(classes)}")
    row = np.array([max(0.0, weights.get(name, 0.0)) for name in classes])
    if row.sum() <= 0.0:
        raise UsageError("at least one class needs a weight above 0")
    return np.asarray(row / row.sum())
