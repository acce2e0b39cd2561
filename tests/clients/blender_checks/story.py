"""The tutorial's steps in the add-on, in Blender: python story.py TAKES FOLDER. Writes Blender's joint positions.

TAKES contains BVH files. FOLDER receives the models (.ftm), story.blend, and seen.npz: for each job the names
of the bones, their positions (frames, bones, 3), and the motions given to it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import run


def main() -> None:
    takes, folder = map(Path, sys.argv[1:])
    sys.path[:0] = [str(run.HERE), str(run.ROOT / "src")]
    import bpy

    run.addon()
    run.child()
    import addon

    bpy.ops.wm.read_factory_settings(use_empty=True)
    addon.register()
    try:
        Story(takes, folder).tell()
    finally:
        addon.unregister()


class Story:
    def __init__(self, takes: Path, folder: Path) -> None:
        self.takes, self.folder, self.seen = takes, folder, {}

    def tell(self) -> None:
        import bpy
        from addon.operators.working import LONGEST

        ops = bpy.ops.freshtake
        figure = self.imported("walk_1", "walk_2", "walk_3", "limp_1", "limp_2", "run_1", "run_2")
        settings = figure.freshtake
        rows = {row.action.name: row for row in settings.takes}

        def use(*names: str) -> None:
            for name, row in rows.items():
                row.use = name in names

        use("walk_1", "walk_2", "walk_3")
        ops.takes_check()
        ops.learn(kind="variation", name="walks")
        ops.model_save(filepath=str(self.folder / "variation.ftm"))
        settings.count, settings.seed = 3, 11
        ops.vary()
        for number in (1, 2, 3):
            self.look(figure, f"vary_{number}", f"walks s11 {number:03d}")
        settings.loop, settings.count = True, 1
        ops.vary()
        self.look(figure, "loop", figure.animation_data.action.name)
        settings.loop = False

        use("walk_1", "walk_2", "limp_1", "limp_2")
        for name in ("walk_1", "walk_2"):
            rows[name].style = "SOURCE"
        for name in ("limp_1", "limp_2"):
            rows[name].style = "TARGET"
        ops.learn(kind="style", name="limping")
        ops.model_save(filepath=str(self.folder / "style.ftm"))
        ops.show(action="walk_3")
        self.give(figure, "style", "walk_3")
        ops.style_apply()
        self.look(figure, "style", figure.animation_data.action.name)

        use("walk_1", "walk_2", "run_1", "run_2")
        for name in ("walk_1", "walk_2", "run_1", "run_2"):
            rows[name].group = name.split("_")[0]
        ops.learn(kind="density", name="gaits")
        ops.model_save(filepath=str(self.folder / "density.ftm"))
        settings.blend_seconds = 2.0
        settings.weights["run"].weight = 0.5
        ops.blend()
        self.look(figure, "blend", figure.animation_data.action.name)

        use("run_1", "run_2")
        ops.learn(kind="texture", name="running")
        ops.model_save(filepath=str(self.folder / "texture.ftm"))
        settings.endless_seconds = 2.0
        ops.endless()
        self.look(figure, "endless", figure.animation_data.action.name)

        other = self.other_body(figure)
        other.freshtake.source, other.freshtake.source_action = figure, bpy.data.actions["walk_2"]
        self.give(figure, "apply", "walk_2")
        self.give_rest(other, "target")
        ops.map()
        self.seen["map"] = np.array(
            json.dumps([[row.name, row.source, row.target] for row in other.freshtake.map_rows])
        )
        ops.apply()
        self.look(other, "apply", other.animation_data.action.name)

        self.seen["longest"] = np.array(json.dumps(LONGEST))
        bpy.ops.wm.save_as_mainfile(filepath=str(self.folder / "story.blend"))
        np.savez(self.folder / "seen.npz", **self.seen)

    def imported(self, *names: str):
        import bpy

        files = [{"name": f"{name}.bvh"} for name in names]
        bpy.ops.freshtake.takes_import(directory=str(self.takes), files=files)
        return bpy.context.active_object

    def other_body(self, figure):
        """A smaller body with different bone names and rolls, y up, next to the first."""
        import bpy

        other = figure.copy()
        other.data, other.name = figure.data.copy(), "other"
        other.animation_data_clear()
        bpy.context.scene.collection.objects.link(other)
        bpy.context.view_layer.objects.active = other
        bpy.ops.object.mode_set(mode="EDIT")
        for bone in other.data.edit_bones:
            bone.roll += 0.7
        bpy.ops.object.mode_set(mode="OBJECT")
        for bone in other.pose.bones:
            bone.rotation_mode = "YXZ"
        other.location, other.scale = (1, 2, 0), (0.5, 0.5, 0.5)
        for bone in other.data.bones:
            bone.name = f"mixamorig:{bone.name}"
        bpy.context.view_layer.update()
        for name in ("takes", "models", "map_rows"):
            getattr(other.freshtake, name).clear()
        return other

    def look(self, figure, key: str, name: str) -> None:
        import bpy
        from armatures import seen

        action = bpy.data.actions[name]
        frames = np.arange(action.frame_start, action.frame_end + 0.5)
        self.seen[f"{key}/places"] = seen(figure, action, frames)[:, :, 0]
        self.seen[f"{key}/names"] = np.array([bone.name for bone in figure.pose.bones])
        self.seen[f"{key}/about"] = np.array(action["freshtake"])

    def give(self, figure, key: str, name: str) -> None:
        import bpy
        from addon.armature.reading import read_actions
        from addon.armature.reading import run as finish

        self._keep(key, finish(read_actions(figure, [bpy.data.actions[name]]))[0])

    def give_rest(self, figure, key: str) -> None:
        from addon.armature.reading import read_rest

        self._keep(key, read_rest(figure))

    def _keep(self, key: str, motion) -> None:
        from addon.operators.motion_messages import packed_motions

        listed, arrays = packed_motions([motion], key)
        self.seen[f"{key}/given"] = np.array(json.dumps(listed))
        self.seen |= {f"given/{name}": array for name, array in arrays.items()}


if __name__ == "__main__":
    main()
    run.leave()
