"""What a user asks for: a model with a few options, or a plan."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from freshtake.crowd.placing import Places
from freshtake.crowd.plan import Avoidance, Group, Plan
from freshtake.errors import FormatError

PLANS = (".toml",)


def requested_plan(
    source: Path, changes: dict[str, Any], *, avoid: bool = False, character: Path | None = None
) -> tuple[Plan, dict[Path, Places]]:
    """A plan from a file, or one of a single model; `changes` are fields of it that the user gave beside it.

    With `avoid` walkers avoid each other, also where the plan does not say so; `character` is for groups without one.
    """
    from freshtake.crowd.plan_files import read_places, read_plan

    is_plan = source.suffix.lower() in PLANS
    plan = read_plan(source, changes) if is_plan else replace(Plan((Group(source),)), **changes)
    if avoid and plan.avoidance is None:
        plan = replace(plan, avoidance=Avoidance())
    if character is not None:
        if not character.is_file():
            raise FormatError(character, "there is no such file: check the path of --character")
        groups = tuple(group if group.character else replace(group, character=character) for group in plan.groups)
        plan = replace(plan, groups=groups)
    return plan, read_places(plan)
