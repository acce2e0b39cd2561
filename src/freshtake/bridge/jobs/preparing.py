"""Compiling ahead."""

from __future__ import annotations

from freshtake.bridge import shipped_code
from freshtake.bridge.requests import Answer, Request
from freshtake.workflows.compiling import STEPS


def unprepared(request: Request) -> Answer:
    """The steps of `warm_up` whose machine code did not come with this copy."""
    return request.answer({"steps": [] if shipped_code.in_use() else list(STEPS)})


def warm_up(request: Request) -> Answer:
    """Compile for the steps that `steps` names; without it, for all."""
    from freshtake.workflows.warming_up import warm_up as run

    run(request.report, request.get("steps", list))
    return request.answer({})
