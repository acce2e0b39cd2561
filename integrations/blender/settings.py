# SPDX-License-Identifier: GPL-3.0-or-later
"""The data stored with an armature and saved with the .blend: its takes, models and settings."""

from functools import partial

import bpy
from bpy import props

from .live import remakes

# A character linked from another file with an override keeps its settings too.
OVERRIDDEN = {"LIBRARY_OVERRIDABLE"}
BoolProperty = partial(props.BoolProperty, override=OVERRIDDEN)
CollectionProperty = partial(props.CollectionProperty, override=OVERRIDDEN | {"USE_INSERTION"})
EnumProperty = partial(props.EnumProperty, override=OVERRIDDEN)
FloatProperty = partial(props.FloatProperty, override=OVERRIDDEN)
IntProperty = partial(props.IntProperty, override=OVERRIDDEN)
PointerProperty = partial(props.PointerProperty, override=OVERRIDDEN)
StringProperty = partial(props.StringProperty, override=OVERRIDDEN)

KINDS = [
    ("variation", "Variants", "New takes like those in the list"),
    ("style", "Style", "A motion in another style"),
    ("density", "Blend", "Motion that changes between classes, such as walk and run"),
    ("texture", "Endless", "An endless motion, or a loop"),
]
PLACES = [
    ("ACTIONS", "Actions", "New Actions, and nothing else"),
    ("NLA", "NLA strips", "One strip after another on a new track"),
    ("CROWD", "Crowd", "Linked duplicates of the character in rows, each with its own Action"),
]
POSES = [
    ("NONE", "Free", "Not fixed"),
    ("NOW", "Pose now", "The current pose of the armature"),
    ("MARKER", "Marker", "The pose of the active Action at a timeline marker"),
]
LENGTHS = [
    ("TAKES", "Like the takes", "As long as the takes"),
    ("SECONDS", "Seconds", "A number of seconds"),
    ("CYCLES", "Cycles", "A number of cycles of a cyclic motion"),
]
STYLES = [
    ("NONE", "-", "Not used for a style"),
    ("SOURCE", "From", "Performed in the original style"),
    ("TARGET", "To", "Performed in the new style"),
]


class FreshtakeTake(bpy.types.PropertyGroup):
    """An Action to learn from."""

    action: PointerProperty(type=bpy.types.Action)
    use: BoolProperty(name="Use", default=True, description="Learn from this take")
    group: StringProperty(name="Class", description="The class of this take, for Blend: walk, run, ...")
    style: EnumProperty(name="Style", items=STYLES)
    wrong: StringProperty(description="Faults of this take, a sentence per line")


class FreshtakeResult(bpy.types.PropertyGroup):
    """An Action that was made for this armature."""

    action: PointerProperty(type=bpy.types.Action)


class FreshtakeModel(bpy.types.PropertyGroup):
    """A model: packed in a Text of this file, or in a separate file."""

    kind: EnumProperty(items=KINDS)
    text: PointerProperty(type=bpy.types.Text)
    filepath: StringProperty(subtype="FILE_PATH")


class FreshtakePart(bpy.types.PropertyGroup):
    """The amount by which the bones of a bone collection vary."""

    use: BoolProperty(name="Use", default=False, description="These bones vary by a separate amount")
    amount: FloatProperty(name="Amount", default=1.0, min=0.0, max=4.0)


class FreshtakeWeight(bpy.types.PropertyGroup):
    """The weight of a class."""

    weight: FloatProperty(name="Weight", default=1.0, min=0.0, max=1.0, update=remakes("blend"))


class FreshtakeMapRow(bpy.types.PropertyGroup):
    """A part of the body, and its bones on both armatures."""

    source: StringProperty(name="Source", description="Bones of the armature that moves, separated by commas")
    target: StringProperty(name="Target", description="Bones of this armature, separated by commas")


class FreshtakeFigure(bpy.types.PropertyGroup):
    """All settings of an armature."""

    takes: CollectionProperty(type=FreshtakeTake)
    take_index: IntProperty()
    together: StringProperty(description="Faults of the takes as a set")
    models: CollectionProperty(type=FreshtakeModel)
    model_index: IntProperty()
    results: CollectionProperty(type=FreshtakeResult)
    result_index: IntProperty()
    duplicate: BoolProperty(description="Made by freshtake for one Action, and removed with it")

    count: IntProperty(name="Number", default=5, min=1, max=999, description="The number of variants")
    amount: FloatProperty(
        name="Amount", default=1.0, min=0.0, max=4.0, description="0: the mean motion, 1: as different as the takes"
    )
    parts: CollectionProperty(type=FreshtakePart)
    seed: IntProperty(name="Seed", default=0, min=0, description="The same seed gives the same variants")
    loop: BoolProperty(name="Loop", description="The last frame leads into the first")
    start: EnumProperty(name="Start", items=POSES)
    end: EnumProperty(name="End", items=POSES)
    start_marker: StringProperty(name="Marker")
    end_marker: StringProperty(name="Marker")
    length: EnumProperty(name="Length", items=LENGTHS)
    seconds: FloatProperty(name="Seconds", default=4.0, min=0.1, max=3600.0)
    cycles: IntProperty(name="Cycles", default=1, min=1, max=1000)
    plant: BoolProperty(name="Feet planted", default=True, description="Feet do not slide while they are planted")
    in_place: BoolProperty(name="In place", description="Without travel along the ground")
    place: EnumProperty(name="As", items=PLACES)
    spacing: FloatProperty(name="Spacing", default=1.5, min=0.01, max=1000.0, subtype="DISTANCE")

    live: BoolProperty(name="Live", description="Moving a slider remakes the motion in place of the previous one")
    strength: FloatProperty(
        name="Strength", default=1.0, min=0.0, max=2.0, description="0: unchanged, 1: the style",
        update=remakes("style_apply"),
    )  # fmt: skip
    weights: CollectionProperty(type=FreshtakeWeight)
    blend_seconds: FloatProperty(name="Seconds", default=10.0, min=0.5, max=3600.0)
    endless_seconds: FloatProperty(name="Seconds", default=20.0, min=0.5, max=3600.0)
    endless_loop: BoolProperty(name="Loop", description="A loop of this length instead of a piece of endless motion")
    use_jump_rate: BoolProperty(
        name="Jumps", description="Choose how often the motion jumps to another part of the take",
        update=remakes("endless"),
    )  # fmt: skip
    jump_rate: FloatProperty(name="Jumps per second", default=0.5, min=0.02, max=10.0, update=remakes("endless"))

    source: PointerProperty(
        name="From", type=bpy.types.Object, poll=lambda self, thing: thing.type == "ARMATURE",
        description="The armature whose Actions are retargeted to this one",
    )  # fmt: skip
    source_action: PointerProperty(name="Action", type=bpy.types.Action)
    hands: BoolProperty(name="Hands", description="Hands reach the same positions, not only the same angles")
    map_rows: CollectionProperty(type=FreshtakeMapRow)
    map_index: IntProperty()


CLASSES = (
    FreshtakeTake, FreshtakeResult, FreshtakeModel, FreshtakePart, FreshtakeWeight, FreshtakeMapRow, FreshtakeFigure,
)  # fmt: skip


def register() -> None:
    """Register the settings of armatures."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.Object.freshtake = PointerProperty(type=FreshtakeFigure)


def unregister() -> None:
    """Unregister the settings; data saved in files stays there."""
    del bpy.types.Object.freshtake
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
