"""Opens the story's file in another process and remakes variants: python reopened.py FOLDER OUT.json."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import run


def main() -> None:
    folder, out = Path(sys.argv[1]), Path(sys.argv[2])
    sys.path[:0] = [str(run.HERE), str(run.ROOT / "src")]
    import bpy

    run.addon()
    run.child()
    import addon

    addon.register()
    try:
        bpy.ops.wm.open_mainfile(filepath=str(folder / "story.blend"))
        from armatures import key_bytes

        figure = next(thing for thing in bpy.data.objects if len(thing.freshtake.models))
        bpy.context.view_layer.objects.active = figure
        old = key_bytes(figure, bpy.data.actions["walks s11 002"])
        bpy.ops.freshtake.vary_again(action="walks s11 002")
        again = key_bytes(figure, figure.animation_data.action)
        figure.freshtake.model_index, figure.freshtake.count, figure.freshtake.seed = 0, 3, 11
        bpy.ops.freshtake.vary()
        among_others = key_bytes(figure, bpy.data.actions["walks s11 002.002"])
        out.write_text(json.dumps([old, again, among_others]))
    finally:
        addon.unregister()


if __name__ == "__main__":
    main()
    run.leave()
