"""Variants of a model, each an item as soon as it is made."""

from __future__ import annotations

from typing import Any

from freshtake.serve.tasks.context import Context


def vary(
    context: Context,
    *,
    items: list[str],
    number: int = 15,
    seed: int = 0,
    **asked: Any,
) -> None:
    """So many variants; each can be made again from its own seed."""
    for k in range(number):
        context.report(f"variant {k + 1} of {number}", k, number)
        add_variant(context, items[0], seed + k, f"{context.item(items[0]).name}_{seed + k + 1:03d}", asked)


def add_variant(context: Context, model: str, seed: int, name: str, asked: dict[str, Any]) -> None:
    """One variant, as `freshtake vary MODEL -n 1 --seed SEED` makes it."""
    from freshtake.numeric.blas_threads import one_blas_thread
    from freshtake.variation.goals.goals import Goals, PosePin
    from freshtake.variation.synthesis.amount import Amount
    from freshtake.workflows.motion_delivering import delivered, delivery_asked
    from freshtake.workflows.variation_varying import guided_variants

    stored = context.stored(model)
    pins = [PosePin(context.motion(pin["item"]), pin["frame"], pin["second"]) for pin in asked.get("pins", ())]
    goals = Goals(poses=pins, duration=asked.get("seconds"))
    with one_blas_thread():
        made = next(
            guided_variants(
                stored.model,
                1,
                amount=Amount(asked.get("amount", 1.0), None, asked.get("parts", {})),
                goals=goals,
                plant="soft" if asked.get("plant", True) else False,
                loop=asked.get("loop", False),
                seed=seed,
            )
        )
    motion = made.motion
    if asked.get("in_place"):
        motion = delivered(motion, delivery_asked(None, True))
    context.add_motion("variant", name, motion, group=context.item(model).name, parent=model, seed=seed, settings=asked)
