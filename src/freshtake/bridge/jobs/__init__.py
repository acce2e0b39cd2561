"""What the child can be asked for, by name; a job's module is loaded when it is needed."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from freshtake.bridge.job_request import Job
from freshtake.errors import UsageError
from freshtake.workflows.compiling import expected_of_steps, expected_times

HOMES = {
    "unprepared": "takes",
    "warm_up": "takes",
    "samples": "takes",
    "describe": "takes",
    "check_takes": "takes",
    "cut": "takes",
    "loop": "making",
    "learn": "making",
    "parts": "making",
    "vary": "making",
    "redraw": "making",
    "style_learn": "methods",
    "style_apply": "methods",
    "blend_learn": "methods",
    "blend_sample": "methods",
    "texture_learn": "methods",
    "texture_sample": "methods",
    "map": "making",
    "retarget": "making",
}
# The command whose kernels a job compiles on first use.
COMMANDS = {
    "check_takes": "select", "loop": "loop", "learn": "learn", "vary": "vary", "redraw": "redraw",
    "style_learn": "style learn", "style_apply": "style apply", "blend_learn": "blend learn",
    "blend_sample": "blend sample",
    "texture_learn": "texture learn", "texture_sample": "texture sample", "retarget": "retarget",
}  # fmt: skip


def compiles(name: str, params: Mapping[str, Any]) -> dict[str, float]:
    """What a job compiles on first use: kernels, and the seconds that each is expected to take."""
    if name != "warm_up":
        return expected_times(COMMANDS.get(name, ""))
    asked = params.get("steps")
    times = expected_of_steps()
    chosen = [times.get(str(step), {}) for step in (asked if isinstance(asked, list) else times)]
    return {kernel: seconds for step in chosen for kernel, seconds in step.items()}


def job_of(name: str) -> Job:
    """The job with this name."""
    if name not in HOMES:
        raise UsageError(f"there is no job {name[:40]!r}; the jobs are {', '.join(HOMES)}")
    found: Job = getattr(import_module(f"freshtake.bridge.jobs.{HOMES[name]}"), name)
    return found
