"""Tasks of the style tab: pairs to a model with its warp curves, a take to the take in one style or several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from freshtake.errors import UsageError
from freshtake.formats.ftm import save
from freshtake.motion import Clip
from freshtake.numeric.arrays import Floats
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.serve.tasks.context import Context
from freshtake.serve.tasks.sets import clip_sets, model_at

NEED = "style translation needs takes with a skeleton"
MOST_CURVES = 6  # pairs whose time warps are shown
MOST_POINTS = 160  # of a curve
Weighted = Sequence[tuple[Any, float]]


@one_blas_thread()
def style_learn(
    context: Context, *, items: list[str], targets: list[str], by: str = "order", name: str = "style"
) -> None:
    """Learn the way from the takes in `items` to those in `targets`; `by` says how they pair: order or content."""
    from freshtake.style.learning import aligned, learn
    from freshtake.style.settings import Settings
    from freshtake.workflows.style_translating import paired, style_facts

    if not items or not targets:
        raise UsageError("style translation needs takes in both styles: choose some for each list")
    if by not in ("order", "content"):
        raise UsageError(f"takes pair by order or by content, not by {by!r}")
    sources, others = clip_sets(context, NEED, items, targets)
    if by == "order" and len(sources) != len(others):
        raise UsageError(
            f"there are {len(sources)} takes as they are and {len(others)} in the style: give as many of each, or pair "
            "them by content"
        )
    context.report("pairing takes", 0.0, 1.0)
    pairing = paired(sources, others, by_content=by == "content")
    settings = Settings()
    warps = []
    for number, pair in enumerate(pairing.pairs):
        context.report("aligning pairs", 0.3 * number / len(pairing.pairs), 1.0)
        warps.append(aligned(*pair, settings))
    model = learn(
        pairing.pairs, settings, alignments=warps, one_take=pairing.one_take,
        report=lambda step: context.report(step.what, 0.3 + 0.7 * step.share, 1.0),
    )  # fmt: skip
    target = context.folder / "style.ftm"
    save(target, model, sources=[name for pair in model.pairs for name in pair])
    facts = {
        **_short(style_facts(model)),
        "method": "style",
        "pairs": [row._asdict() for row in pairing.table],
        "by": "content" if pairing.by_content else "order",
        "left_out": list(pairing.left_out),
        "warps": [_curve(warp.path, warp.steps, 1.0 / model.frame_time) for warp in warps[:MOST_CURVES]],
        "notes": list(pairing.notes),
    }
    context.add("model", name, target, facts, settings={"examples": items, "targets": targets, "by": by})


def _short(facts: dict[str, Any]) -> dict[str, Any]:
    return {key: facts[key] for key in ("chosen", "held_out_error", "fps", "joints", "dofs", "states", "parts")}


def _curve(path: Floats, steps: Floats, fps: float) -> dict[str, Any]:
    """A time warp in seconds: which moment of the target belongs to each of the source, and how long it lasts."""
    at = np.unique(np.linspace(0, len(path) - 1, min(MOST_POINTS, len(path))).round().astype(int))
    return {
        "source": (at / fps).round(4).tolist(),
        "target": (path[at] / fps).round(4).tolist(),
        "pace": steps[at].round(4).tolist(),
    }


@one_blas_thread()
def translated(styles: Weighted, clip: Clip, strength: float = 1.0, plant: bool = True) -> Clip:
    """A clip in one style, or in several that are mixed by their weights; `strength` multiplies all of them."""
    from freshtake.motion.edit import with_up
    from freshtake.style.style_blending import blend
    from freshtake.workflows.style_fitting import fitted_clip

    if not styles:
        raise UsageError("choose a style first")
    if not all(np.isfinite(weight) and abs(weight) <= 4.0 for weight in (strength, *(w for _, w in styles))):
        raise UsageError("strength and weights of styles must lie between -4 and 4")
    if not any(strength * weight for _, weight in styles):
        return clip
    first = styles[0][0]
    prepared, back = fitted_clip(clip, first, lambda _: None)
    if len(styles) == 1:
        out = first.translate(prepared, strength=strength * styles[0][1], plant=plant)
    else:
        out = blend([model for model, _ in styles], prepared, [strength * weight for _, weight in styles], plant=plant)
    if prepared.skeleton.base is not None:
        out = out.changed(skeleton=replace(out.skeleton, base=prepared.skeleton.base))
    return with_up(back(out), clip.up)


def style_apply(
    context: Context, *, items: list[str], styles: list[tuple[str, float]], strength: float = 1.0, plant: bool = True
) -> None:
    """Put takes into styles; one new motion of each, with remarks where it is not as sound as the takes."""
    from freshtake.workflows.style_translating import remarks_of

    models = [(model_at(context, id, "style"), float(weight)) for id, weight in styles]
    called = " + ".join(context.item(id).name for id, weight in styles if weight)
    settings = {"styles": styles, "strength": strength, "plant": plant}
    for number, (id, clip) in enumerate(zip(items, clip_sets(context, NEED, items)[0], strict=True)):
        context.report(clip.name, number, len(items))
        out = translated(models, clip, strength, plant)
        remarks, _ = remarks_of([model for model, _ in models], clip, out, strength if len(models) == 1 else None)
        context.add_motion(
            "variant", f"{clip.name}, {called}", out, group=called or None, parent=id, settings=settings,
            facts={"method": "style", "notes": [remark.text for remark in remarks]},
        )  # fmt: skip
