"""Runs inside Blender with an empty profile: installs the extension's zip, sends it requests, kills it, uninstalls it.

    python extension.py ZIP TAKES.npz OUT.json

TAKES.npz holds clips under names as `packed` gives them, with their values as JSON. What happened, and how long it
took, is written to OUT.json.
"""

from __future__ import annotations

import json
import os
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import bpy
import numpy as np

MODULE = "bl_ext.user_default.freshtake"
WAITED: dict[str, list[float]] = {}  # how long our calls took, by name


def timed(function: Any, *arguments: Any) -> Any:
    """A call as from Blender's own thread."""
    began = time.perf_counter()
    out = function(*arguments)
    WAITED.setdefault(function.__name__, []).append(time.perf_counter() - began)
    return out


def finished(handle: Any) -> Any:
    """The last event of a request, polled as by a timer."""
    last: Any = None
    while not handle.done:
        last = (timed(handle.poll) or [last])[-1]
        time.sleep(0.02)
    return (timed(handle.poll) or [last])[-1]


def installed(archive: str) -> dict[str, Any]:
    began = time.perf_counter()
    bpy.ops.extensions.package_install_files(filepath=archive, repo="user_default", enable_on_install=True)
    import freshtake

    return {
        "seconds": time.perf_counter() - began,
        "enabled": MODULE in bpy.context.preferences.addons,
        "library": freshtake.__file__,
        "numpy": np.__version__,
        "python": sys.executable,
        "numba_here": "numba" in sys.modules,
    }


def small_job(child: Any, takes: dict[str, Any]) -> dict[str, Any]:
    values = json.loads(str(takes["values"]))
    arrays = {name: takes[name] for name in takes if name != "values"}
    began = time.perf_counter()
    result = finished(timed(child.request, "cut", {"clips": values, "at": "cycles"}, arrays))
    assert hasattr(result, "values"), f"{result}\n{child.recent_output}"
    return {"seconds": time.perf_counter() - began, "pieces": result.values["pieces"]}


def killed(child: Any, takes: dict[str, Any]) -> dict[str, Any]:
    """In the middle of learning: by the user, and by the system."""
    values = json.loads(str(takes["values"]))
    arrays = {name: takes[name] for name in takes if name != "values"}
    handle = timed(child.request, "learn", {"clips": values}, arrays)
    until = time.monotonic() + 60.0
    while not timed(handle.poll) and time.monotonic() < until:
        time.sleep(0.01)
    timed(handle.cancel)
    cancelled = finished(handle).sentence
    handle = timed(child.request, "learn", {"clips": values}, arrays)
    while not timed(handle.poll) and time.monotonic() < until:
        time.sleep(0.01)
    child._process._popen.kill()
    return {"cancelled": cancelled, "crashed": finished(handle).sentence}


def whole_job(child: Any, takes: dict[str, Any]) -> dict[str, Any]:
    """Learn, five variants, fifteen variants."""
    values = json.loads(str(takes["values"]))
    arrays = {name: takes[name] for name in takes if name != "values"}
    out: dict[str, Any] = {}
    began = time.perf_counter()
    learned = finished(timed(child.request, "learn", {"clips": values}, arrays))
    model = {"model": learned.arrays["model"]}
    five = finished(timed(child.request, "vary", {"count": 5, "seed": 3}, model))
    out["five_variants_s"] = time.perf_counter() - began
    began = time.perf_counter()
    finished(timed(child.request, "vary", {"count": 15, "seed": 3}, model))
    out["fifteen_variants_s"] = time.perf_counter() - began
    out["rotations"] = float(np.abs(five.arrays["clips/4/rotations"]).sum())
    return out


def prepared(shared: Any) -> dict[str, Any]:
    """Compiling in the background, and what is reported about it."""
    began, said = time.perf_counter(), []
    while timed(shared.preparation().tick):
        if shared.preparation().sentence not in said[-1:]:
            said.append(shared.preparation().sentence)
        time.sleep(0.1)
    return {"seconds": time.perf_counter() - began, "said": said, "last": shared.preparation().sentence}


def uninstalled() -> dict[str, Any]:
    folder = Path(sys.modules[MODULE].__file__).parent
    cache = import_module(f"{MODULE}.child.shared").cache_folder()
    repos = [repo.module for repo in bpy.context.preferences.extensions.repos]
    bpy.ops.extensions.package_uninstall(repo_index=repos.index("user_default"), pkg_id="freshtake")
    return {
        "enabled": MODULE in bpy.context.preferences.addons,
        "folder": folder.exists(),
        "cache": any(cache.rglob("*")) if cache.exists() else False,
    }


def main() -> None:
    archive, takes_file, out = sys.argv[1:]
    takes = dict(np.load(takes_file))
    found: dict[str, Any] = {"version": bpy.app.version_string, "installed": installed(archive)}
    shared = import_module(f"{MODULE}.child.shared")
    child = shared.the_child()
    found["small"] = small_job(child, takes)
    found["killed"] = killed(child, takes)
    found["after"] = small_job(child, takes)
    found["prepared"] = prepared(shared)
    found["whole"] = whole_job(child, takes)
    found["compiled"] = sorted(path.name for path in shared.cache_folder().rglob("*.nbc"))
    found["calls_s"] = {name: {"median": sorted(t)[len(t) // 2], "longest": max(t)} for name, t in WAITED.items()}
    process = child._process._popen
    found["uninstalled"] = uninstalled()
    found["child_ended"] = process.wait(20.0) is not None
    found["processor_s"] = os.times().children_user + os.times().children_system  # of all children, compiling and all
    Path(out).write_text(json.dumps(found))


main()
sys.stdout.flush()
os._exit(0)  # Blender 4.5 as a module can hang in its own exit
