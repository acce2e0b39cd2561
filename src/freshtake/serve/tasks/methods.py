"""Tasks of the style, blend and texture tabs: learn a model, and make motions with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from freshtake.errors import UsageError
from freshtake.formats.ftm import save
from freshtake.motion import Clip, Stroke
from freshtake.numeric.arrays import Floats
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.serve.movements import BODY, kind_of
from freshtake.serve.tasks.context import Context, clip_sets, motion_sets

if TYPE_CHECKING:
    from freshtake.requests.style import Styling
    from freshtake.workflows.style_translating import StyledClip

NEED = "style translation needs takes with a skeleton"
Weighted = Sequence[tuple[Any, float]]
Moment = tuple[float, dict[str, float], float, float]  # second, class weights, degrees per second to the left, speed
SPEEDS = (0.25, 2.0)  # minimum and maximum factor on the learned speed
LONGEST, USUAL = 600.0, 10.0  # seconds of texture playback: the limit, and the default


@one_blas_thread()
def style_learn(context: Context, *, items: list[str], targets: list[str], by: str, name: str, **how: Any) -> None:
    """Learn the translation from takes in `items` to those in `targets`, paired `by` order or content."""
    from freshtake.requests.style import StyleLearning
    from freshtake.style.learning import aligned, learn
    from freshtake.style.pairs import fit_to_learn
    from freshtake.workflows.style_translating import paired, settings_of, style_facts

    sources, others = clip_sets(context, NEED, items, targets)
    if by == "order" and len(sources) != len(others):
        raise UsageError(
            f"there are {len(sources)} normal takes and {len(others)} in the style: give as many of each, or pair "
            "them by content"
        )
    context.report("pairing takes", 0.0, 1.0)
    pairing = paired(sources, others, by_content=by == "content")
    settings = settings_of(StyleLearning(**how))
    warps = []
    pairs = pairing.pairs if pairing.one_take else fit_to_learn(pairing.pairs)
    for number, pair in enumerate(pairs):
        context.report("aligning pairs", 0.3 * number / len(pairs), 1.0)
        warps.append(aligned(*pair, settings))
    model = learn(
        pairs, settings, alignments=warps, one_take=pairing.one_take,
        report=lambda step: context.report(step.what, 0.3 + 0.7 * step.share, 1.0),
    )  # fmt: skip
    target = context.folder / "style.ftm"
    save(target, model, sources=[name for pair in model.pairs for name in pair])
    known = style_facts(model)
    facts = {
        **{key: known[key] for key in ("held_out_error", "fps", "joints", "dofs", "states", "parts")},
        "method": "style",
        "pairs": [row._asdict() for row in pairing.table],
        "by": "content" if pairing.by_content else "order",
        "left_out": list(pairing.left_out),
        "warps": [_time_warp(warp.path, warp.steps, 1.0 / model.frame_time) for warp in warps[:6]],
        "notes": list(pairing.notes),
    }
    context.movement = None  # styles belong to all movements
    context.add("model", name, target, facts, settings={"examples": items, "targets": targets, "by": by, **how})


def _time_warp(path: Floats, steps: Floats, fps: float) -> dict[str, Any]:
    """Return a time warp in seconds: the target time for each source time, and the target's duration."""
    # At most this many points are sent to the page.
    at = np.unique(np.linspace(0, len(path) - 1, min(160, len(path))).round().astype(int))
    return {
        "source": (at / fps).round(4).tolist(),
        "target": (path[at] / fps).round(4).tolist(),
        "pace": steps[at].round(4).tolist(),
    }


def translated(styles: Weighted, clip: Clip, request: Styling) -> StyledClip | None:
    """Translate a clip into one or more styles; None if all weights are 0, so the clip is unchanged."""
    from freshtake.workflows.style_translating import translated as translate

    if not styles:
        raise UsageError("choose a style first")
    if not any(request.strength * weight for _, weight in styles):
        return None
    return translate(styles, clip, request)


def style_apply(context: Context, *, items: list[str], styles: list[tuple[str, float]], **how: Any) -> None:
    """Translate takes into styles, one motion each, with the measured amount of style and remarks."""
    from freshtake.requests.style import Styling

    request = Styling(**how)
    models = [(context.model(id, "style"), float(weight)) for id, weight in styles]
    called = " + ".join(context.item(id).name for id, weight in styles if weight)
    for number, (id, clip) in enumerate(zip(items, clip_sets(context, NEED, items)[0], strict=True)):
        context.report(clip.name, number, len(items))
        done = translated(models, clip, request)
        facts: dict[str, Any] = {"method": "style", "notes": []}
        if done is not None:
            facts["notes"] = [f"{remark.what}; {remark.remedy}" for remark in done.remarks]
            facts["arrived"] = {name: round(share, 3) for name, share in done.arrived.items()}
        context.add_motion(
            "variant", f"{clip.name}, {called}", clip if done is None else done.clip, group=called or None, parent=id,
            settings={"styles": styles, **how}, facts=facts, movement=context.item(id).movement,
        )  # fmt: skip


def blend_learn(context: Context, *, items: list[str], classes: dict[str, list[str]], name: str, **how: Any) -> None:
    """Learn named classes of takes; blending needs at least two."""
    from freshtake.density.control import speed_of
    from freshtake.requests.blending import Classes
    from freshtake.workflows.density_blending import density_facts, learn_classes

    named = {word.strip(): ids for word, ids in classes.items() if ids}
    if len(named) < 2 or not all(named):
        raise UsageError("blending needs at least two classes, each with a name and a take: add another class")
    files = {word: [context.path(id) for id in ids] for word, ids in named.items()}
    target = context.folder / "blend.ftm"
    model = learn_classes(files, target, Classes(**how), {}, context.progress, context.warn)
    every_fact = density_facts(model)
    facts = {key: every_fact[key] for key in ("classes", "kernels", "modes", "fps", "dofs", "blends", "period_s")}
    travels = model.rates.shape[1] > 0
    facts |= {"method": "density", "travels": travels, "warning": model.warning}
    if travels and model.mixes:
        corners = zip(model.classes, np.eye(len(model.classes)), strict=True)
        facts["speeds"] = {word: round(speed_of(model, row), 4) for word, row in corners}
    context.new_movement(name, kind_of(context.item(items[0]).facts) if items else BODY)
    context.add("model", name, target, facts, settings={"examples": named})


@one_blas_thread()
def blend_sample(
    context: Context, *, items: list[str], course: list[Moment], seconds: float, seed: int, plant: bool, name: str
) -> None:
    """Make a motion from a recording of the pad: moments (second, weights, turn, speed), each valid until the next."""
    model = context.model(items[0], "density")
    context.report("blending", 0.0, 1.0)
    motion = play_recording(model, course, seconds, np.random.default_rng(seed), plant)
    settings = {"course": course, "seconds": seconds, "plant": plant}
    context.add_motion(
        "variant", name, motion, parent=items[0], seed=seed, settings=settings, facts={"method": "density"},
        group=context.item(items[0]).name,
    )  # fmt: skip


def play_recording(model: Any, course: Sequence[Moment], seconds: float, rng: np.random.Generator, plant: bool) -> Any:
    """Return a model's motion along recorded moments, as shown by the live stream."""
    from freshtake.density.control import Control
    from freshtake.motion.edit import sampled_at

    begins, weights, turns, speeds = zip(*sorted(course, key=lambda moment: moment[0]), strict=True)
    times = np.arange(max(2, round(seconds / model.frame_time))) * model.frame_time
    # The first moment counts from the start.
    moment_at = np.searchsorted([0.0, *begins[1:]], times + 1e-9, side="right") - 1
    at = np.concatenate([[0.0], np.cumsum(np.clip(speeds, *SPEEDS)[moment_at][:-1])])
    frames = int(np.ceil(at[-1])) + 1
    moment_of_frame = moment_at[np.clip(np.searchsorted(at, np.arange(frames)), 0, len(moment_at) - 1)]
    plan = np.stack([_class_weights(model.classes, weights[k]) for k in moment_of_frame])
    angles = np.radians(turns)[moment_of_frame]
    control = (lambda frame: Control(turn=float(angles[min(frame, frames - 1)]))) if angles.any() else None
    sampled = model.sample(rng, frames=frames, weights=plan, plant=plant, control=control)
    if isinstance(sampled, Clip) and not np.array_equal(at, np.arange(frames)):
        return sampled_at(sampled, at)
    if isinstance(sampled, np.ndarray):
        return Stroke(sampled, np.arange(len(sampled)) * model.frame_time, model.names)
    return sampled


def _class_weights(classes: Sequence[str], weights: dict[str, float]) -> Floats:
    unknown = next((name for name in weights if name not in classes), None)
    if unknown is not None:
        raise UsageError(f"there is no class {unknown!r}; the classes are {', '.join(classes)}")
    row = np.array([max(0.0, weights.get(name, 0.0)) for name in classes])
    if row.sum() <= 0.0:
        raise UsageError("at least one class needs a weight above 0")
    return np.asarray(row / row.sum())


@one_blas_thread()
def texture_learn(
    context: Context, *, items: list[str], cells: Mapping[str, list[str]] | None, name: str, **how: Any
) -> None:
    """Learn the jump map of takes; `cells` are takes by name, `how` the fields of `TextureLearning`."""
    from freshtake.requests.texturing import TextureLearning
    from freshtake.texture.learning import recurring
    from freshtake.workflows.texturing import learn_takes, texture_facts

    context.report("reading", 0.0, 1.0)
    named = {cell: ids for cell, ids in (cells or {}).items() if ids}
    if named:
        takes: Any = dict(zip(named, motion_sets(context, *named.values()), strict=True))
    else:
        takes = motion_sets(context, items)[0]
    request = TextureLearning(**how)
    model = learn_takes(takes, request, context.progress)
    target = context.folder / "texture.ftm"
    sources = [context.item(key).name for ids in (named.values() if named else [items]) for key in ids]
    save(target, model, sources=sources)
    facts = texture_facts(model) | {"method": "texture", "travels": model.rates > 0}
    facts["jump_time"] = model.settings.jump_time
    facts["notes"] = [] if recurring(model) else ["no frame is close to another, so jumps will be visible"]
    context.add("model", name, target, facts, settings={"examples": named or items, "turns": request.turns})


@one_blas_thread()
def texture_sample(context: Context, *, items: list[str], plant: bool, name: str, **how: Any) -> None:
    """Play a texture, or make a loop; `how` are the fields of `Playing`."""
    from freshtake.requests.texturing import Playing
    from freshtake.workflows.inputs import frame_count
    from freshtake.workflows.texture_playing import make_play

    if how.get("frames") is None and how.get("seconds") is None:
        how["seconds"] = USUAL
    request = Playing(**how)
    model = context.model(items[0], "texture")
    frames = frame_count(request.frames, request.seconds, model.frame_time)
    seconds = frames * request.times * model.frame_time
    if not 0.1 <= seconds <= LONGEST:
        raise UsageError(f"a motion lasts 0.1 to {LONGEST:g} seconds, but {seconds:g} were requested")
    context.report(f"making {frames} frames", 0.0, 1.0)
    notes: list[str] = []
    played = make_play(model, request, max(2, frames), plant=plant, report=context.progress, say=notes.append)
    played_motion = model.decode(played.rows) if played.motion is None else played.motion
    if isinstance(played_motion, np.ndarray):
        played_motion = Stroke(played_motion, np.arange(len(played_motion)) * model.frame_time)
    settings = {"seconds": seconds, "loop": request.loop, "heading": request.heading}
    context.add_motion(
        "variant", name, played_motion, parent=items[0], seed=request.seed, settings=settings,
        facts={"method": "texture", "notes": notes}, group=context.item(items[0]).name,
    )  # fmt: skip
