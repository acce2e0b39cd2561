"""Render the pictures of docs/blender.md with Blender: python blender_pictures.py FOLDER, with Blender's Python.

The sample character is made, learned from and varied by the add-on's own operators; FRESHTAKE_CHILD_PYTHON names the
Python that has freshtake's dependencies.
"""

from __future__ import annotations

import sys
from pathlib import Path

import bpy

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests/clients/blender_checks"), str(ROOT / "src")]
import run  # noqa: E402

run.addon()
run.child()
import addon  # noqa: E402

COLORS = [(0.90, 0.45, 0.15), (0.16, 0.45, 0.75), (0.20, 0.60, 0.45), (0.75, 0.25, 0.35), (0.50, 0.40, 0.75)]


def made(number: int, place: str, spacing: float) -> list[bpy.types.Object]:
    """Make the sample character and this many duplicates, each with a variant."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if not hasattr(bpy.types.Object, "freshtake"):
        addon.register()
    bpy.ops.freshtake.sample()
    sample = bpy.context.view_layer.objects.active
    bpy.ops.freshtake.learn(kind="variation", name="walks")
    settings = sample.freshtake
    settings.count, settings.place, settings.spacing, settings.seed = number, place, spacing, 4
    bpy.ops.freshtake.vary()
    return [thing for thing in bpy.data.objects if thing.type == "ARMATURE"]


def paint(thing: bpy.types.Object, number: int) -> None:
    """Give the body of a duplicate another color, which belongs to the object, since duplicates share a mesh."""
    body = next(part for part in bpy.data.objects if part.parent == thing)
    material = body.data.materials[0].copy()
    color = (*COLORS[number % len(COLORS)], 1.0)
    material.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = color
    body.material_slots[0].link = "OBJECT"
    body.material_slots[0].material = material


def stage(aim: tuple[float, float, float], eye: tuple[float, float, float], lens: float) -> None:
    """Add floor, light and camera."""
    bpy.ops.mesh.primitive_plane_add(size=200.0)
    floor = bpy.data.materials.new("floor")
    floor.use_nodes = True
    floor.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (0.55, 0.57, 0.6, 1.0)
    bpy.context.object.data.materials.append(floor)
    world = bpy.data.worlds.new("sky")
    world.use_nodes = True
    world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.9, 0.94, 1.0, 1.0)
    world.node_tree.nodes["Background"].inputs["Strength"].default_value = 0.45
    bpy.context.scene.world = world
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    sun.data.energy, sun.data.angle, sun.rotation_euler = 1.6, 0.2, (0.7, 0.25, 0.5)
    target = bpy.data.objects.new("aim", None)
    target.location = aim
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.location, camera.data.lens = eye, lens
    camera.constraints.new("TRACK_TO").target = target
    for thing in (sun, target, camera):
        bpy.context.scene.collection.objects.link(thing)
    bpy.context.scene.camera = camera


def render(path: Path, width: int, height: int, frame: int) -> None:
    scene = bpy.context.scene
    scene.render.engine, scene.cycles.samples, scene.cycles.device = "CYCLES", 16, "CPU"
    scene.cycles.use_denoising = True
    scene.view_settings.view_transform = "Standard"
    scene.render.resolution_x, scene.render.resolution_y = width, height
    scene.render.image_settings.file_format = "PNG"
    scene.render.filepath = str(path)
    scene.frame_set(frame)
    bpy.ops.render.render(write_still=True)


def row(folder: Path) -> None:
    figures = made(6, "CROWD", 1.0)
    for number, thing in enumerate(figures):
        thing.location = (0.95 * (number - len(figures) / 2 + 0.5), 0.0, 0.0)
        if number:
            paint(thing, 1)
    stage((0, 0, 0.85), (1.6, -8.5, 1.6), 38)
    render(folder / "blender_row.png", 1000, 360, 24)


def crowd(folder: Path) -> None:
    for number, thing in enumerate(made(24, "CROWD", 1.3)):
        paint(thing, number)
    stage((3.6, 1.6, 0.7), (-1.5, -8.0, 4.2), 38)
    render(folder / "blender_crowd.png", 1000, 480, 40)


if __name__ == "__main__":
    target = Path(sys.argv[1]).resolve()
    row(target)
    crowd(target)
    addon.unregister()
    run.leave()
