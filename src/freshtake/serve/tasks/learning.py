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
    thorough: bool = False,
    method: str | None = None,
) -> None:
    """A variation model, as `freshtake learn` makes it."""
    from freshtake.variation.settings import Settings
    from freshtake.workflows import variation_learn

    target = context.folder / "model.ftm"
    chosen = {"thorough": thorough or None, "method": method}
    variation_learn(
        [context.path(id) for id in items],
        target,
        Settings(**{key: value for key, value in chosen.items() if value is not None}),  # type: ignore[arg-type]
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
        settings={"examples": items, **{key: value for key, value in chosen.items() if value is not None}},
    )
