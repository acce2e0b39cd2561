"""A motion in another style."""

from __future__ import annotations

from freshtake.bridge.requests import Answer, Request
from freshtake.methods.progress import Progress
from freshtake.workflows.style_translating import StyleOptions, style_facts
from freshtake.workflows.style_translating import style_apply as translate
from freshtake.workflows.style_translating import style_learn as learn


def style_learn(request: Request) -> Answer:
    """A model from takes in one style and takes in another."""
    found = learn(
        request.files("sources"),
        request.files("targets"),
        request.target,
        reading={"warn": request.note},
        report=request.report,
    )
    for sentence in found.pairs.notes:
        request.note(sentence)
    pairs = [[row.source, row.target] for row in found.pairs.table]
    return request.answer({"facts": style_facts(found.model), "pairs": pairs})


def style_apply(request: Request) -> Answer:
    """Clips in the style of a model; 0 leaves them as they are."""
    model, files, made = request.model(), request.files(), []
    asked = StyleOptions(
        strength=request.number("strength", 1.0),
        parts=request.get("parts", dict),
        plant=request.get("plant", bool, str, default=True),
    )
    (request.folder / "styled").mkdir()
    for number, path in enumerate(files):
        request.report(Progress(number / len(files), request.names[path]))
        target = request.folder / "styled" / path.name
        translate([(model, 1.0)], path, target, options=asked, reading={"warn": request.note})
        made.append(target)
    return request.answer({}, made)
