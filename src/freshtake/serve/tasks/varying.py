"""Variants of a model, each an item as soon as it is made."""

from __future__ import annotations

from typing import Any, NamedTuple

from freshtake.errors import UsageError
from freshtake.formats.read_options import Motion
from freshtake.motion.verdict import Remark
from freshtake.serve.items import Finding
from freshtake.serve.tasks.context import Context


def vary(context: Context, *, items: list[str], number: int = 15, seed: int = 0, **settings: Any) -> None:
    """So many variants; each can be made again from its own seed."""
    model = context.item(items[0])
    for k in range(number):
        context.report(f"variant {k + 1} of {number}", k, number)
        made = variant(context, model.id, seed + k, settings)
        name = f"{model.name}_{seed + k:03d}"
        context.add_motion(
            "variant", name, made.motion, group=model.name, parent=model.id, seed=seed + k, settings=settings,
            findings=made.findings,
        )  # fmt: skip


def again(context: Context, *, items: list[str], replace: bool = False, **changes: Any) -> None:
    """Variants from their seeds, with other settings where they are given; `seconds` of None is the natural length."""
    changed = {key: value for key, value in changes.items() if value is not None or key == "seconds"}
    for number, id in enumerate(items):
        old = context.item(id)
        context.report(f"{old.name} again", number, len(items))
        if old.parent is None or old.seed is None or old.kind != "variant":
            raise UsageError(f"{old.name} was not made from a seed: choose variants")
        settings = {**old.settings, **changed}
        made = variant(context, old.parent, old.seed, settings)
        if replace:
            words = f"change {old.name if len(items) == 1 else f'{len(items)} variants'}"
            findings = [finding.model_dump() for finding in made.findings]
            context.replace(id, words, made.motion, settings=settings, findings=findings)
        else:
            context.add_motion(
                "variant", old.name, made.motion, group=old.group, parent=old.parent, seed=old.seed, settings=settings,
                findings=made.findings,
            )  # fmt: skip


class Checked(NamedTuple):
    """A variant, and what the verdict says against it."""

    motion: Motion
    findings: list[Finding]


def variant(context: Context, model: str, seed: int, settings: dict[str, Any]) -> Checked:
    """Make one variant as `freshtake vary MODEL -n 1 --seed SEED` does, and judge it."""
    from freshtake.methods.gathering import fitted
    from freshtake.numeric.blas_threads import one_blas_thread
    from freshtake.variation.amount import Amount
    from freshtake.variation.goals.goals import Goals, PosePin
    from freshtake.workflows.model_kinds import checked
    from freshtake.workflows.motion_delivering import chosen_delivery, delivered
    from freshtake.workflows.variation_making import judged
    from freshtake.workflows.variation_varying import guided_variants

    stored = checked(context.stored(model), context.file(model), "variation").model
    pins = [
        PosePin(fitted(context.motion(pin["item"]), stored.material.recipe), pin["frame"], pin["second"])
        for pin in settings.get("pins", ())
    ]
    amount = Amount(settings.get("amount", 1.0), None, settings.get("parts", {}))
    with one_blas_thread():
        made = next(
            guided_variants(
                stored,
                1,
                amount=amount,
                goals=Goals(poses=pins, duration=settings.get("seconds")),
                plant="soft" if settings.get("plant", True) else False,
                loop=settings.get("loop", False),
                seed=seed,
            )
        )
    verdicts = judged(made.motion, stored.standard, "", amount=amount, rate=made.report.rate)
    findings = [_finding(remark) for verdict in verdicts for remark in verdict.remarks]
    motion = delivered(made.motion, chosen_delivery(None, True)) if settings.get("in_place") else made.motion
    return Checked(motion, findings)


def _finding(remark: Remark) -> Finding:
    """Word a remark for the page: remedies of the verdict are commands."""
    where = "" if remark.frame is None else f" (frame {remark.frame})"
    return Finding(words=f"{remark.what}{where}")
