# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that run for a while: their work is a generator that a timer advances a few milliseconds at a time.

A generator yields None to continue at once if there is time left, Doing to name its next step, or Waiting if there
is nothing to do yet. In the interface, the operator is modal and ends with Escape; in background mode, or with `wait`,
it runs to its end.
"""

import time
from collections.abc import Generator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import bpy
import numpy as np
from bpy.props import BoolProperty

from ..armature.motion import Motion
from ..armature.trouble import Trouble
from . import motion_messages

BUDGET = 0.02  # seconds of work before events are handled again
PERIOD = 0.02  # seconds between two ticks of the timer
NOTES = 4  # sentences reported at most
LINKED = "{!r} is linked from another file: make a library override of it (Object, Library Override) to work on it here"

Work = Generator["Waiting | Doing | None", None, Any]
AT_WORK: list[Any] = []  # operators that have not ended yet
LONGEST: dict[str, float] = {}  # CPU seconds of the longest tick in an operator's last run, for measuring


class Waiting(NamedTuple):
    """Nothing to do until the next tick; `text` describes what it waits for, if that has changed."""

    text: str


class Doing(NamedTuple):
    """The work that follows, in words."""

    text: str


class Answer(NamedTuple):
    """The child's results: values and arrays, including clips."""

    values: Mapping[str, Any]
    arrays: Mapping[str, Any]

    def motions(self) -> list[Motion]:
        """Return the motions in the answer."""
        return motion_messages.motions_of(self.values["clips"], self.arrays)

    def model(self) -> bytes:
        """Return the model in the answer."""
        return np.asarray(self.arrays["model"], dtype=np.uint8).tobytes()


class Job:
    """A generator, and the time of its longest tick."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self.longest, self.text, self.idle = 0.0, "", False

    def tick(self) -> bool:
        """Continue for a while; return False at the end."""
        begun, used = time.perf_counter(), time.thread_time()
        try:
            while True:
                step = next(self._work)
                self.idle = isinstance(step, Waiting)
                if step is not None:
                    self.text = step.text or self.text
                if self.idle:
                    return True
                if time.perf_counter() - begun > BUDGET:
                    return True
        except StopIteration:
            return False
        finally:
            self.longest = max(self.longest, time.thread_time() - used)

    def close(self) -> None:
        """Stop early: the generator cleans up."""
        self._work.close()


def ask(
    name: str, params: Mapping[str, Any], motions: Mapping[str, Sequence[Motion]], model: bytes | None = None
) -> Work:
    """Send a request to the child, wait, and return its Answer; closing the generator cancels the request."""
    from ..child.client import Failed, Progress
    from ..child.shared import the_child

    values, arrays = dict(params), {}
    for key, sent in motions.items():
        values[key], parts = motion_messages.packed_motions(sent, key)
        arrays |= parts
        yield None
    if model is not None:
        arrays["model"] = np.frombuffer(model, dtype=np.uint8)
    handle = the_child().request(name, values, arrays)
    try:
        while True:
            for event in handle.poll():
                if isinstance(event, Failed):
                    raise Trouble(event.sentence)
                if isinstance(event, Progress):
                    yield Waiting(_sentence(event))
                    continue
                return Answer(event.values, event.arrays)
            yield Waiting("")
    finally:
        if not handle.done:
            handle.cancel()


def _sentence(event: Any) -> str:
    share = 100 * event.done / event.of if event.of else 0.0
    left = "" if event.seconds_left is None else f", {event.seconds_left:.0f} s left"
    return f"{event.phase} ({share:.0f} %{left})"


def active_figure(context: Any) -> Any:
    """Return the armature to work on: the active object, or the armature that moves it."""
    thing = context.active_object
    if thing is None or thing.type == "ARMATURE":
        return thing
    return thing.find_armature()


def notes_of(answer: Answer) -> list[str]:
    """Return the child's sentences for the user."""
    return [str(note) for note in answer.values.get("notes", [])]


class OnFigure:
    """Mixin for operators that need an armature."""

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Require an armature that this file may change."""
        figure = active_figure(context)
        if figure is not None and figure.library is not None:
            cls.poll_message_set(LINKED.format(figure.name))  # type: ignore[attr-defined]
            return False
        return figure is not None


class Working(OnFigure):
    """Mixin for operators that run for a while: `work` is the generator.

    They offer no panel to adjust the last operation (REGISTER), which would redo all the work and block.
    """

    bl_options: ClassVar[set[str]] = {"UNDO"}
    wait: BoolProperty(
        name="Wait",
        description="Wait for the result instead of working in the background",
        options={"HIDDEN", "SKIP_SAVE"},
    )

    def work(self, context: Any, figure: Any) -> Work:
        """Do the work; on Trouble, the file is left unchanged."""
        raise NotImplementedError

    def execute(self, context: Any) -> set[str]:
        """Start, and in background mode run to the end."""
        self.job = Job(self.work(context, active_figure(context)))
        if not (self.wait or bpy.app.background or context.window is None):
            self.timer = context.window_manager.event_timer_add(PERIOD, window=context.window)
            context.window_manager.modal_handler_add(self)
            AT_WORK.append(self.job)
            self.shown = ""
            return {"RUNNING_MODAL"}
        while True:
            done = self.tick()
            if done is not None:
                return done
            if self.job.idle:
                time.sleep(0.005)

    def modal(self, context: Any, event: Any) -> set[str]:
        """Handle one event; Escape cancels."""
        if event.type == "ESC" and event.value == "PRESS":
            self.job.close()
            self.report({"INFO"}, "cancelled: nothing was changed")
            return self.ended(context, {"CANCELLED"})
        if event.type != "TIMER":
            return {"PASS_THROUGH"} if self.job.idle else {"RUNNING_MODAL"}
        done = self.tick()
        if done is not None:
            return self.ended(context, done)
        text = f"freshtake: {self.job.text or self.bl_label} (Esc cancels)"
        if text != self.shown:  # each time costs a redraw of the window
            self.shown = text
            context.workspace.status_text_set(text)
        return {"PASS_THROUGH"}

    def tick(self) -> set[str] | None:
        """Continue for one tick; return the operator's result at the end."""
        try:
            going = self.job.tick()
        except Trouble as error:
            return self.failed(str(error))
        except ReferenceError:
            return self.failed("an object or Action in use has been removed, so nothing was made: try again")
        if going:
            return None
        LONGEST[self.bl_idname] = self.job.longest
        return {"FINISHED"}

    def failed(self, sentence: str) -> set[str]:
        """Report why nothing was made."""
        self.report({"ERROR"}, sentence)
        return {"CANCELLED"}

    def ended(self, context: Any, result: set[str]) -> set[str]:
        """Remove timer and status."""
        AT_WORK.remove(self.job)
        context.window_manager.event_timer_remove(self.timer)
        context.workspace.status_text_set(None)
        for area in context.window.screen.areas:
            area.tag_redraw()
        return result

    def tell(self, answer: Answer) -> None:
        """Report the child's notes."""
        for note in notes_of(answer)[:NOTES]:
            self.report({"INFO"}, note)
