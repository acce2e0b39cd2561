"""What the child can be asked for, by name; a job's module is loaded when it is needed."""

from __future__ import annotations

from importlib import import_module

from freshtake.bridge.asking import Job
from freshtake.errors import UsageError

HOMES = {
    "warm_up": "preparing",
    "check_takes": "takes",
    "cut": "takes",
    "learn": "variants",
    "parts": "variants",
    "vary": "variants",
    "style_learn": "styles",
    "style_apply": "styles",
    "blend_learn": "blends",
    "blend_sample": "blends",
    "texture_learn": "textures",
    "texture_sample": "textures",
    "map": "retargets",
    "retarget": "retargets",
}
# The command whose kernels a job compiles on first use.
COMMANDS = {
    "warm_up": "warm-up", "check_takes": "select", "learn": "learn", "vary": "vary", "style_learn": "style learn",
    "style_apply": "style apply", "blend_learn": "blend learn", "blend_sample": "blend sample",
    "texture_learn": "texture learn", "texture_sample": "texture sample", "retarget": "retarget",
}  # fmt: skip


def job_of(name: str) -> Job:
    """The job with this name."""
    if name not in HOMES:
        raise UsageError(f"there is no job {name[:40]!r}; the jobs are {', '.join(HOMES)}")
    found: Job = getattr(import_module(f"freshtake.bridge.jobs.{HOMES[name]}"), name)
    return found
