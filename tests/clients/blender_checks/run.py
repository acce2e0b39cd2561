"""Runs all functions `check_...` of the modules named, each in an empty file, and writes what failed as JSON.

    python run.py OUT.json MODULE...

The add-on's folder is imported as the package `addon`, as Blender imports an extension under its own package name.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import time
import traceback
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]


def addon() -> None:
    """Make `import addon` mean integrations/blender."""
    spec = importlib.util.spec_from_file_location(
        "addon",
        ROOT / "integrations/blender/__init__.py",
        submodule_search_locations=[str(ROOT / "integrations/blender")],
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules["addon"] = module
    spec.loader.exec_module(module)


def child() -> None:
    """Let the add-on's child be the Python that runs the tests, which has freshtake's dependencies."""
    from addon.child import client, shared

    python = os.environ.get("FRESHTAKE_CHILD_PYTHON")
    if python:
        shared._shared.child = client.Child(None, path=[str(ROOT / "src")], python=python)


def main() -> None:
    out, *names = sys.argv[1:]
    sys.path[:0] = [str(HERE), str(ROOT / "src")]
    import bpy

    addon()
    child()
    results = {}
    for name in names:
        module = importlib.import_module(name)
        for key, check in list(vars(module).items()):
            if key.startswith("check_"):
                bpy.ops.wm.read_factory_settings(use_empty=True)
                begun = time.process_time()
                try:
                    check()
                    wrong = ""
                except Exception:
                    wrong = traceback.format_exc()
                results[f"{name}.{key}"] = {"wrong": wrong, "seconds": round(time.process_time() - begun, 3)}
    from addon.child import shared

    shared.close()
    Path(out).write_text(json.dumps({"version": list(bpy.app.version), "results": results}, indent=1))


def leave() -> None:
    """End at once: Blender 4.5 as a module sometimes waits forever for one of its own threads on exit."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
    leave()
