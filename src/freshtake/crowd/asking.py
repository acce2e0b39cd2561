"""What a user asks for: a model with a few options, or a plan."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from freshtake.crowd.placing import Places
from freshtake.crowd.plan import Group, Plan

PLANS = (".toml",)


def plan_asked(source: Path, changes: dict[str, Any]) -> tuple[Plan, Places | None]:
    """A plan from a file, or one of a single model; `changes` are fields of it that the user gave beside it."""
    if source.suffix.lower() in PLANS:
        from freshtake.crowd.plan_files import read_places, read_plan

        plan = read_plan(source, changes)
        return plan, read_places(plan)
    return replace(Plan((Group(source),)), **changes), None
