"""The one child of this Blender, and the compiling that is done once after installing, when nothing else is asked."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from .client import Child, Failed, Handle, Progress, Result

_PREPARED = "prepared.json"


class Preparation:
    """Compiles one step after the other, each only when the child has nothing else to do; `tick` never waits."""

    def __init__(self, child: Child, cache: Path) -> None:
        self._child, self._mark = child, cache / _PREPARED
        self._handle: Handle | None = None
        self._steps: list[str] | None = None
        self.sentence = ""
        self.done = _read(self._mark) == release()

    def tick(self) -> bool:
        """Go on with it; False when there is nothing left to do. `sentence` is for the status line."""
        if self.done:
            return False
        if self._handle is None:
            if not self._child.busy:
                self._next()
            return True
        for event in self._handle.poll():
            if isinstance(event, Progress):
                left = "" if event.seconds_left is None else f", {event.seconds_left:.0f} s left"
                self.sentence = f"preparing{left}"
            else:
                self._over(event)
        return not self.done

    def _next(self) -> None:
        steps = ["variants"] if self._steps is None else self._steps[:1]
        self._handle = self._child.request("warm_up", {"steps": steps})

    def _over(self, event: Result | Failed) -> None:
        self._handle = None
        if isinstance(event, Failed):
            self.done, self.sentence = True, f"not prepared: {event.sentence}"
            return
        self._steps = (
            [name for name in event.values["steps"] if name != "variants"] if self._steps is None else self._steps[1:]
        )
        if not self._steps:
            self.done, self.sentence = True, ""
            self._mark.write_text(json.dumps(release()), encoding="utf-8")


def release() -> str:
    """Names the installed files: another release, or another Python, is compiled anew."""
    import sys

    import freshtake

    text = f"{freshtake.__version__} {Path(freshtake.__file__).stat().st_mtime_ns} {sys.version}"
    return hashlib.sha256(text.encode()).hexdigest()


def _read(path: Path) -> str:
    try:
        return str(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return ""


class _Shared:
    child: Child | None = None
    preparation: Preparation | None = None


_shared = _Shared()


def cache_folder() -> Path:
    """Where compiled code is kept: a folder of this user's Blender that stays when the extension is updated."""
    import bpy

    package = __package__.rpartition(".")[0]
    if package.startswith("bl_ext."):
        return Path(bpy.utils.extension_path_user(package, path="compiled", create=True))
    return Path(bpy.utils.user_resource("DATAFILES", path="freshtake/compiled", create=True))


def the_child() -> Child:
    """The child, made on first use."""
    if _shared.child is None:
        _shared.child = Child(cache_folder())
    return _shared.child


def preparation() -> Preparation:
    """What has to be compiled still."""
    if _shared.preparation is None:
        _shared.preparation = Preparation(the_child(), cache_folder())
    return _shared.preparation


def close() -> None:
    """End the child."""
    if _shared.child is not None:
        _shared.child.close()
    _shared.child = _shared.preparation = None
