"""What a model is."""

from __future__ import annotations

from freshtake.bridge.requests import Answer, Request
from freshtake.formats.ftm import read_stored
from freshtake.workflows.model_describing import model_facts


def describe(request: Request) -> Answer:
    """The method that learned a model, what it says about itself, its joints and the takes it was learned from."""
    stored = read_stored(request.model())
    recipe = stored.model.material.recipe if stored.method == "variation" else None
    skeleton = None if recipe is None else recipe.skeleton
    facts = {
        **model_facts(stored.model),
        "joints": [] if skeleton is None else list(skeleton.names),
        "takes": list(stored.sources),
    }
    return request.answer({"method": stored.method, "facts": facts})
