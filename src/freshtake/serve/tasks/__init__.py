"""The tasks of worker processes: one function per task, imported where it runs.

A task is called as function(context, items=[...], **fields of the request), with the defaults of its body in
`job_requests`, and adds its results with `context.add`.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

GIGABYTE = 2**30


class Task(NamedTuple):
    """The location of a task's function; `long` tasks have separate processes, so that short ones need not wait.

    A task that exceeds the limits `seconds` or `memory` is ended; `command` is the command that compiles the same
    functions.
    """

    where: str
    long: bool = False
    seconds: float | None = None
    memory: int | None = None
    command: str = ""

    def load(self) -> Callable[..., Any]:
        """Import the function."""
        module, _, name = self.where.partition(":")
        function: Callable[..., Any] = getattr(import_module(f"freshtake.serve.tasks.{module}"), name)
        return function


TASKS = {
    "read": Task("reading:read", seconds=120.0, memory=3 * GIGABYTE),
    "samples": Task("reading:make_samples"),
    "learn": Task("varying:learn", long=True, command="learn"),
    "vary": Task("varying:vary", command="vary"),
    "again": Task("varying:again", command="vary"),
    "redraw": Task("varying:redraw", command="redraw"),
    "repair": Task("reading:repair"),
    "cut": Task("reading:cut", command="cut"),
    "export": Task("exporting:export", command="vary"),
    "draw": Task("varying:draw"),
    "style_learn": Task("methods:style_learn", long=True, command="style learn"),
    "style_apply": Task("methods:style_apply", command="style apply"),
    "blend_learn": Task("methods:blend_learn", long=True, command="blend learn"),
    "blend_sample": Task("methods:blend_sample", command="blend sample"),
    "texture_learn": Task("methods:texture_learn", long=True, command="texture learn"),
    "texture_sample": Task("methods:texture_sample", command="texture sample"),
    "crowd": Task("exporting:crowd", long=True, command="crowd"),
    "noise": Task("comparing:noise", command="evaluate"),
    "evaluate": Task("comparing:evaluate", long=True, command="evaluate"),
    "study_design": Task("comparing:study_design", long=True),
}
