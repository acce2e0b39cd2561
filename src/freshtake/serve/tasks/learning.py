"""Takes to a model."""

from __future__ import annotations

from freshtake.serve.tasks.context import Context
from freshtake.serve.tasks.reading import add_model


def learn(
    context: Context,
    *,
    items: list[str],
    name: str | None = None,
    seed: int = 0,
    cyclic: bool | None = None,
    pieces: str = "auto",
    keep: bool = False,
) -> None:
    """A variation model, as `freshtake learn` makes it."""
    from freshtake.workflows import variation_learn

    target = context.folder / "model.ftm"
    variation_learn(
        [context.path(id) for id in items],
        target,
        cyclic=cyclic,
        pieces=pieces,
        keep=keep,
        seed=seed,
        report=context.progress,
        warn=context.warn,
    )
    first = context.item(items[0])
    add_model(
        context,
        target,
        name or first.group or first.name,
        seed=seed,
        facts={"notes": context.notes},
        settings={"examples": items},
    )
