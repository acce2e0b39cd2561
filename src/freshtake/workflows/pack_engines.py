"""Packs for engines: clips that go straight ahead from the origin, import scripts, and a list of what can be played.

`engine.json` has the same facts for every engine, in metres and seconds: the scripts read nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from typing import Any, NamedTuple

import numpy as np

from freshtake.motion import Clip
from freshtake.motion.body.orientation import unit_of
from freshtake.motion.body.roles import leg_length
from freshtake.motion.cycles.looping import BodyCourse, course_of, in_place, loop_frames, on_joint, with_closing_frame
from freshtake.motion.edit import moved, turned
from freshtake.numeric.arrays import Floats

FACTS, READ_ME = "engine.json", "IMPORT.txt"
STANDS = 0.1  # leg lengths of travel in a loop; a body that moves less has no direction
NEARLY = np.radians(20.0)  # travel within this angle of ahead, back, left or right is snapped to it


class Engine(NamedTuple):
    """What an engine takes: formats, where it wants the travel, how it knows loops, and the files that help it."""

    title: str
    formats: tuple[str, ...]
    root_motion: str
    loop_suffix: str = ""  # of the names of animations that repeat
    scripts: tuple[tuple[str, str], ...] = ()  # name in the pack, name of the template


ENGINES = {
    "unreal": Engine("Unreal Engine 5", ("fbx",), "joint", "", (("import_unreal.py", "unreal.py.txt"),)),
    "unity": Engine("Unity", ("fbx",), "joint", "", (("Editor/FreshtakeImporter.cs", "unity.cs.txt"),)),
    "godot": Engine(
        "Godot", ("glb",), "joint", "-loop",
        (("freshtake_import.gd", "godot3.gd.txt"), ("freshtake_events.gd", "godot_events.gd.txt"),
         ("freshtake_import_godot4.txt", "godot4.gd.txt")),
    ),
    "gltf": Engine("glTF viewers (three.js, Babylon.js, PlayCanvas)", ("glb",), "joint"),
}  # fmt: skip


def heading_of(direction: Floats, up: str) -> float:
    """Return radians from forward (z, or -y where z is up) to the left, counted about the vertical axis; 0 for none."""
    if not direction.any():
        return 0.0
    return float(np.arctan2(direction[0], direction[2] if up == "y" else -direction[1]))


def aim_of(mean: Clip) -> float | None:
    """Return the heading that all clips of a group travel at, in radians; None where the body stays.

    Clips face forward, so ahead is 0. The mean motion of a few takes is some degrees off, which is not intended.
    """
    info = mean.playback
    assert info is not None
    if np.linalg.norm(info.travel) < STANDS * leg_length(mean.skeleton):
        return None
    heading = heading_of(info.travel, mean.up)
    straight = np.pi / 2 * round(heading / (np.pi / 2))
    return straight if abs(heading - straight) < NEARLY else heading


def aimed(loop: Clip, aim: float | None) -> Clip:
    """Return a loop turned about the vertical so that it travels at a heading; a body that stays is left alone."""
    info = loop.playback
    assert info is not None
    distance = float(np.linalg.norm(info.travel))
    if aim is None or distance < STANDS * leg_length(loop.skeleton):
        return loop
    sideways, ahead = distance * np.sin(aim), distance * np.cos(aim)
    travel = np.array([sideways, 0.0, ahead] if loop.up == "y" else [sideways, -ahead, 0.0])
    straight = turned(loop, aim - heading_of(info.travel, loop.up))
    return straight.changed(playback=info.changed(travel=travel), provenance=loop.provenance)


def engine_loop(loop: Clip, where: str, closing: bool, mean: Clip) -> Clip:
    """Return a loop as engines want it: its root starts at the origin, faces forward, and goes in a straight line.

    Args:
        loop: travel on the hips, aimed.
        where: "hips", "joint" or "none".
        closing: repeat the first frame at the end.
        mean: the mean motion of the group, which places the root relative to the body.

    Returns:
        The loop with its travel there.
    """
    usual = course_of(mean)
    home = mean.root[0] - usual.places[0] - loop.root[0]
    home[loop.up_index] = 0.0
    whole = moved(loop, home).changed(playback=loop.playback, provenance=loop.provenance)
    whole = with_closing_frame(whole) if closing else whole
    info = whole.playback
    assert info is not None
    course = BodyCourse(info.travel * (np.arange(len(whole)) / loop_frames(whole))[:, None], np.zeros(len(whole)))
    if where != "hips":
        whole = in_place(whole, course) if where == "none" else on_joint(whole, course)
    return whole.changed(playback=info.changed(root_motion=where))


def animation_name(name: str, repeats: bool, engine: Engine | None) -> str:
    """Return what a clip is called inside its file: some engines know loops by their names."""
    return f"{name}{engine.loop_suffix}" if engine is not None and repeats else name


def engine_facts(
    name: str, groups: Sequence[tuple[str, bool, Sequence[Clip], Sequence[str]]], root: str
) -> dict[str, Any]:
    """Return engine.json: how each animation is played, groups as states, and a blend space over their speeds.

    Args:
        name: the engine.
        groups: of each its name, whether it repeats, its loops (travel on the hips), and its files.
        root: name of the joint that travels.

    Returns:
        Plain values, in metres, seconds and degrees.
    """
    engine = ENGINES[name]
    animations = [
        _animation(clip, group, repeats, engine, files) for group, repeats, clips, files in groups for clip in clips
    ]
    states: list[dict[str, Any]] = [
        {
            "name": group,
            "loop": repeats,
            "animations": [animation_name(clip.name, repeats, engine) for clip in clips],
            "speed": float(np.mean([one["speed"] for one in animations if one["group"] == group])),
        }
        for group, repeats, clips, _ in groups
    ]
    moving = sorted((state for state in states if state["loop"]), key=lambda state: state["speed"])
    return {
        "format": "freshtake engine pack",
        "version": 1,
        "engine": name,
        "root_joint": root,
        "animations": animations,
        "states": states,
        "blend_space": [{"speed": state["speed"], "state": state["name"]} for state in moving],
    }


def _animation(clip: Clip, group: str, repeats: bool, engine: Engine, files: Sequence[str]) -> dict[str, Any]:
    info = clip.playback
    assert info is not None
    metres = unit_of(clip) or 1.0
    return {
        "name": animation_name(clip.name, repeats, engine),
        "clip": clip.name,
        "group": group,
        "files": list(files),
        "loop": repeats,
        "seconds": info.seconds,
        "fps": clip.fps,
        "speed": info.speed * metres,
        "heading_deg": float(np.degrees(heading_of(info.travel, clip.up))) + 0.0,
        "travel": float(np.linalg.norm(info.travel)) * metres,
        "events": [{"seconds": seconds, "name": event} for seconds, event in info.events],
    }


def engine_scripts(name: str, folder: str, files: Sequence[str], fps: float) -> dict[str, str]:
    """Return the texts that come with a pack, by their names in it.

    Args:
        name: the engine.
        folder: what the pack's folder is called, which is where Godot finds its script.
        files: the files with animations.
        fps: frames per second of the clips.

    Returns:
        Import scripts, settings where an engine reads them next to a file, and what to do with them.
    """
    engine = ENGINES[name]
    home = resources.files("freshtake.workflows") / "engine_scripts"
    texts = {target: (home / template).read_text(encoding="utf-8") for target, template in engine.scripts}
    if name == "godot":
        settings = (home / "godot.import.txt").read_text(encoding="utf-8")
        for file in files:
            texts[f"{file}.import"] = settings.replace("@FOLDER@", folder).replace("@FPS@", f"{fps:g}")
    about = home / f"{name}.readme.txt"
    if about.is_file():
        texts[READ_ME] = about.read_text(encoding="utf-8").replace("@FOLDER@", folder)
    return texts
