"""Compiling ahead."""

from __future__ import annotations

from freshtake.bridge.asking import Answer, Request
from freshtake.workflows.warming_up import warm_up as run


def warm_up(request: Request) -> Answer:
    """Compile for the steps that `steps` names; without it, for all."""
    run(request.report, request.get("steps", list))
    return request.answer({})
