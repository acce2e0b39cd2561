"""A drawn character to the library: what was drawn, its model, and variants."""

from __future__ import annotations

from freshtake.formats.ftm import save
from freshtake.serve.tasks.context import Context


def draw(
    context: Context,
    *,
    items: list[str],
    drawings: list[list[list[list[float]]]],
    name: str = "character",
    number: int = 15,
    amount: float = 1.0,
    seed: int = 0,
) -> None:
    """The drawings as strokes, a model, and so many variants."""
    from freshtake.serve.drawing import drawn_strokes, stroke_model, stroke_variants
    from freshtake.serve.tasks.reading import add_model

    strokes = drawn_strokes(drawings, name)
    taken = [context.add_motion("strokes", one.name, one, group=name) for one in strokes]
    context.report("learning", 0.2)
    target = context.folder / "model.ftm"
    save(target, stroke_model(strokes), sources=[one.name for one in strokes])
    model = add_model(context, target, name, settings={"examples": [item.id for item in taken]})
    context.report("writing", 0.5)
    for k, one in enumerate(stroke_variants(strokes, number, amount, seed), start=1):
        context.add_motion(
            "variant", f"{name}_{k:03d}", one, group=name, parent=model.id, seed=seed, settings={"amount": amount},
            facts={"method": "variation"},
        )  # fmt: skip
