"""Facts of models for lists."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from freshtake.formats.ftm import read_stored
from freshtake.formats.ftm.methods import method_of

SHOWN = ("motion", "examples", "fps", "joints", "dofs", "classes", "frames", "cyclic", "styles", "cells")


def model_item_facts(file: Path) -> dict[str, Any]:
    """The method, and what it says of its model."""
    from freshtake.workflows import model_facts

    model = read_stored(file).model
    method = method_of(model)
    every_fact = model_facts(model)
    facts = {key: every_fact[key] for key in SHOWN if key in every_fact}
    return {"what": "model", **facts, "method": "" if method is None else method.name}
