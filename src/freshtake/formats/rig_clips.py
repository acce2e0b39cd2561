"""Clips put onto a rig: their own joints, or those of a character's file."""

from __future__ import annotations

from pathlib import Path

from freshtake.formats.gltf.nodes import distinct
from freshtake.formats.read_options import WriteOptions
from freshtake.formats.rig import Rig, RigMotion, motion_on, rig_of
from freshtake.motion import Clip


def on_rig(clips: list[Clip], options: WriteOptions) -> tuple[Rig, list[RigMotion]]:
    """The rig, and every clip on it under a name of its own; joints of a character are matched by name."""
    names = distinct([clip.name or "clip" for clip in clips])
    if options.character is None:
        rig = rig_of(clips[0].skeleton)
        return rig, [motion_on(clip, name) for clip, name in zip(clips, names, strict=True)]
    from freshtake.formats.gltf.onto import matched
    from freshtake.formats.gltf.rig import character_rig

    source = Path(options.character)
    loaded, rig = character_rig(source, clips[0])
    motions = [
        motion_on(clip, name, matched(source, loaded.character, clip)) for clip, name in zip(clips, names, strict=True)
    ]
    return rig, motions
