"""Tasks that learn models, make variants and redraw stretches; each variant becomes an item immediately."""

from collections.abc import Sequence
from typing import Any

from freshtake.errors import UsageError
from freshtake.formats.ftm import save
from freshtake.formats.read_options import Motion
from freshtake.motion import Clip
from freshtake.motion.verdict import Verdict
from freshtake.serve.items import Finding
from freshtake.serve.job_requests import Drawing
from freshtake.serve.movements import print_of
from freshtake.serve.tasks.context import Context, model_item_facts, revision

Checked = tuple[Motion, list[Finding]]  # a motion, and the findings of its checks


def learn(context: Context, *, items: list[str], name: str | None, **settings: Any) -> None:
    """Learn a variation model as `freshtake learn` does."""
    from freshtake.requests.variation import Learn
    from freshtake.workflows import learn

    request = Learn(takes=[context.path(id) for id in items], out=context.folder / "model.ftm", **settings)
    learn(request, context.progress, context.warn)
    first = context.item(items[0])
    facts = {**model_item_facts(request.out), "notes": context.notes}
    settings = {"examples": items, "revisions": [revision(context.item(id)) for id in items]}
    name = name or first.group or first.name
    context.add("model", name, request.out, facts, seed=request.seed, settings=settings)


def vary(context: Context, *, items: list[str], count: int, first: int, seed: int, **settings: Any) -> None:
    """Make variants `first` to `first + count - 1` of a seed; seed and number determine each of them."""
    model = context.item(items[0])
    for number in range(first, first + count):
        context.report(f"variant {number - first + 1} of {count}", number - first, count)
        motion, findings = _variant(context, model.id, seed, number, settings)
        name = f"{model.name}_{number:03d}" if seed == 0 else f"{model.name}_{seed}_{number:03d}"
        context.add_motion(
            "variant", name, motion, group=model.name, parent=model.id, seed=seed, number=number, settings=settings,
            findings=findings,
        )  # fmt: skip


def redraw(context: Context, *, items: list[str], model: str, count: int, seed: int, **how: Any) -> None:
    """Redraw a stretch of a take or variant `count` times, keeping the rest."""
    source = context.item(items[0])
    # More results of the same stretch continue the numbering, so that no two are the same motion.
    stretch = {"item": source.id, **how}
    others = [one.number for one in context.project.items() if one.settings.get("redraw") == stretch]
    first = max(others, default=0) + 1
    for number in range(first, first + count):
        context.report(f"stretch {number - first + 1} of {count}", number - first, count)
        motion, findings = _stretch(context, model, seed, number, stretch)
        context.add_motion(
            "variant", f"{source.name}_r{number:02d}", motion, group=source.group or source.name, parent=model,
            seed=seed, number=number, settings={"redraw": stretch}, findings=findings, movement=source.movement,
        )  # fmt: skip


def again(context: Context, *, items: list[str], replace: bool = False, **changes: Any) -> None:
    """Remake variants from their seeds, with changed settings if given; `seconds` of None: natural length."""
    changed = {key: value for key, value in changes.items() if value is not None or key == "seconds"}
    for number, id in enumerate(items):
        old = context.item(id)
        context.report(f"{old.name} again", number, len(items))
        if old.parent is None or old.seed is None or old.kind != "variant":
            raise UsageError(f"{old.name} was not made from a seed: choose variants")
        if "redraw" in old.settings:
            how = old.settings["redraw"]
            settings: dict[str, Any] = {"redraw": {**how, **{key: changed[key] for key in how if key in changed}}}
            motion, findings = _stretch(context, old.parent, old.seed, old.number, settings["redraw"])
        else:
            settings = {**old.settings, **changed}
            motion, findings = _variant(context, old.parent, old.seed, old.number, settings)
        if replace:
            words = f"change {old.name if len(items) == 1 else f'{len(items)} variants'}"
            context.replace(id, words, motion, settings=settings, findings=findings)
        else:
            context.add_motion(
                "variant", old.name, motion, group=old.group, parent=old.parent, seed=old.seed, number=old.number,
                settings=settings, findings=findings,
            )  # fmt: skip


def _variant(context: Context, model: str, seed: int, number: int, settings: dict[str, Any]) -> Checked:
    """Make a variant, the same as number NUMBER of `freshtake vary MODEL --seed SEED`, and check it."""
    from freshtake.methods.gathering import fitted
    from freshtake.numeric.blas_threads import one_blas_thread
    from freshtake.requests.variation import Variants
    from freshtake.variation.goals.goals import Goals, PosePin
    from freshtake.workflows.outputs import Finish, chosen_travel
    from freshtake.workflows.varying import amount_of_request, assess_motion, guided_variants, lasting

    stored = context.model(model, "variation")
    shared = {name: value for name, value in settings.items() if name != "pins"}
    request = Variants(**{**shared, "count": 1, "first": number, "seed": seed})
    pins = [
        PosePin(fitted(context.motion(pin["item"]), stored.material.recipe), pin["frame"], pin["second"])
        for pin in settings.get("pins", ())
    ]
    with one_blas_thread():
        guided = next(guided_variants(stored, request, lasting(Goals(poses=pins), request, stored.frame_time)))
    amount = amount_of_request(request)
    verdicts = assess_motion(guided.motion, stored.standard, "", amount=amount, rate=guided.report.rate)
    travel = chosen_travel(request.root_motion, request.in_place)
    motion = Finish(root_motion=travel, closing=request.closing_frame).ready(guided.motion)
    return motion, _findings(verdicts)


def _stretch(context: Context, model: str, seed: int, number: int, how: dict[str, Any]) -> Checked:
    """Redraw a stretch, the same as number NUMBER of `freshtake redraw --seed SEED`, and check the new part."""
    from freshtake.numeric.blas_threads import one_blas_thread
    from freshtake.requests.variation import Redrawing
    from freshtake.workflows.redrawing import assess_stretch, frames_of, redrawn_clips

    stored, clip = context.model(model, "variation"), context.motion(how["item"])
    if not isinstance(clip, Clip):
        raise UsageError(f"{clip.name} has no skeleton: only stretches of a body's motion can be redrawn")
    settings = {key: value for key, value in how.items() if key != "item"}
    request = Redrawing(**{**settings, "part": tuple(how.get("part", ())), "count": 1, "seed": seed})
    with one_blas_thread():
        new, _ = next(redrawn_clips(stored, clip, request, first_number=number, warn=context.warn))
    verdicts = assess_stretch(stored, new, clip.name, request, frames_of(request, clip))
    return new, _findings(verdicts)


def _findings(verdicts: Sequence[Verdict]) -> list[Finding]:
    """Convert remarks to findings for the page, without fixes that are commands."""
    remarks = [remark for verdict in verdicts for remark in verdict.remarks]
    return [Finding(words=one.what if one.frame is None else f"{one.what} (frame {one.frame})") for one in remarks]


def draw(
    context: Context, *, items: list[str], drawings: list[Drawing], name: str, number: int, amount: float, seed: int
) -> None:
    """Store a drawn character: the drawings as strokes, a model, and `number` variants."""
    from freshtake.serve.drawing import drawn_strokes, stroke_model, stroke_variants

    strokes = drawn_strokes(drawings, name)
    described = print_of(strokes[0])
    context.new_movement(name, described.kind, described.signature)
    examples = [
        context.add_motion(
            "strokes", one.name, one, group=name, facts={"signature": described.signature}, cloud=print_of(one).cloud
        ).id
        for one in strokes
    ]
    context.report("learning", 0.2)
    target = context.folder / "model.ftm"
    save(target, stroke_model(strokes), sources=[one.name for one in strokes])
    model = context.add("model", name, target, model_item_facts(target), settings={"examples": examples})
    context.report("writing", 0.5)
    for k, one in enumerate(stroke_variants(strokes, number, amount, seed), start=1):
        context.add_motion(
            "variant", f"{name}_{k:03d}", one, group=name, parent=model.id, seed=seed, settings={"amount": amount},
            facts={"method": "variation"},
        )  # fmt: skip
