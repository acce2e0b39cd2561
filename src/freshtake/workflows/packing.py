"""Write packs: groups of variants that can follow one another, on a character, with a preview page and pack.json.

Engines also get import scripts, and `engine.json` with the same facts for every engine, in metres and seconds:
the scripts read nothing else.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake import __version__
from freshtake.errors import UsageError
from freshtake.evaluation.sequences import Pace, join_pace, loop_pace
from freshtake.formats.files import replacing, replacing_folder, write_bytes
from freshtake.formats.gltf import has_skin
from freshtake.formats.registry import Format
from freshtake.formats.report_files import PACK, VERSION, write_pack
from freshtake.methods.progress import Progress, Report, Warn, each, part_of, silent, unheard
from freshtake.motion import Clip
from freshtake.motion.body.orientation import unit_of
from freshtake.motion.body.roles import feet, leg_length
from freshtake.motion.cycles.looping import loop_frames, played
from freshtake.motion.planting.contacts import contact_mask
from freshtake.motion.verdict import Verdict, require_possible
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.numeric.curves import runs
from freshtake.requests.packs import Pack
from freshtake.variation.amount import guard_notes
from freshtake.workflows.outputs import PLACES, Finish, chosen_character, playback_summary, turn_note
from freshtake.workflows.pack_clips import (
    ENGINES,
    Engine,
    Group,
    GroupMaker,
    PackClip,
    PackSettings,
    Slot,
    delivered_loop,
    engine_loop,
    formats_of,
    groups_of,
    heading_of,
    matching_stars,
    settings_of,
    slots_of,
)
from freshtake.workflows.retargeting import Onto
from freshtake.workflows.varying import STRAINED

IN_PLACE = "_in_place"
SHEET, PAGE, LIST = "sheet.png", "preview.html", "pack.json"
FACTS, READ_ME = "engine.json", "IMPORT.txt"


class Packed(NamedTuple):
    """The contents of pack.json, the written files, and the verdict on each clip."""

    facts: dict[str, Any]
    paths: list[Path]
    verdicts: list[Verdict]


@one_blas_thread()
def pack(request: Pack, report: Report = silent, warn: Warn = unheard) -> Packed:
    """Write a pack of clips into a folder, which appears atomically."""
    settings, folder = settings_of(request), request.out
    onto = chosen_character(request, warn)
    engine = None if request.engine is None else ENGINES[request.engine]
    kinds = formats_of(request.format or (("glb",) if engine is None else engine.formats))
    groups = groups_of(request.models)
    stars = matching_stars(request.keep, asdict(settings), groups, request.count)
    slots = {group.name: slots_of(group, request.count, request.seed, stars) for group in groups}
    if request.only is not None:
        slots = _only(slots, request.only)
    files = _file_names(slots, kinds, settings)
    makers = _make_groups([group for group in groups if group.name in slots], slots, settings, onto, report)
    verdicts = [clip.verdict for one in makers for clip in one.clips]
    require_possible(verdicts, request.keep_going, warn)
    facts = _pack_facts(makers, files, settings, onto, request.seed)
    with replacing_folder(folder) as place:
        report(Progress(0.8, "writing"))
        for one in makers:
            _write(place, one, kinds, Finish(onto=onto, unit_m=request.unit))
        if request.preview:
            _preview(place, makers, facts, _skin(onto), report)
        if engine is not None:
            _help_engine(place, folder.name, makers, files, settings)
        write_pack(place / LIST, facts)
        paths = sorted(folder / path.relative_to(place) for path in place.rglob("*") if path.is_file())
    for sentence in _notes(makers):
        warn(sentence)
    return Packed(facts, paths, verdicts)


def _only(slots: dict[str, list[Slot]], name: str) -> dict[str, list[Slot]]:
    chosen = {group: [slot for slot in some if slot.name == name] for group, some in slots.items()}
    chosen = {group: some for group, some in chosen.items() if some}
    if not chosen:
        first, last = next(iter(slots.values()))[0].name, list(slots.values())[-1][-1].name
        raise UsageError(f"there is no clip {name!r} in this pack: its clips are {first} ... {last}")
    return chosen


def _make_groups(
    groups: Sequence[Group], slots: dict[str, list[Slot]], settings: PackSettings, onto: Onto | None, report: Report
) -> list[GroupMaker]:
    makers = [GroupMaker(group, settings, onto) for group in groups]
    work = [(maker, slot) for maker in makers for slot in slots[maker.group.name]]
    for maker, slot in each(work, part_of(report, 0.0, 0.8), lambda item: item[1].name):
        maker.make(slot)
    return makers


def _suffix(where: str, settings: PackSettings) -> str:
    """Return the part of a file name that marks clips in place, if the pack also has clips that travel."""
    return IN_PLACE if settings.root_motion == "both" and where == "none" else ""


def _file_names(
    slots: dict[str, list[Slot]], kinds: Sequence[tuple[str, Format]], settings: PackSettings
) -> dict[str, list[str]]:
    """Return the files of each group; no two groups may share one."""
    out: dict[str, list[str]] = {}
    for group, some in slots.items():
        out[group] = []
        for where in settings.deliveries:
            name = f"{group}{_suffix(where, settings)}"
            for ending, kind in kinds:
                together = [f"{name}.{ending}"]
                out[group] += together if kind.several else [f"{name}/{slot.name}.{ending}" for slot in some]
    every = [path.lower() for paths in out.values() for path in paths]
    twice = next((path for path in every if every.count(path) > 1), None)
    if twice is not None:
        raise UsageError(f"two groups would write {twice}: give one a different name, as in other=MODEL")
    return out


def _write(place: Path, maker: GroupMaker, kinds: Sequence[tuple[str, Format]], finish: Finish) -> None:
    for where in maker.settings.deliveries:
        clips = [_delivered(one.loop, where, maker) for one in maker.clips]
        name = f"{maker.group.name}{_suffix(where, maker.settings)}"
        for ending, kind in kinds:
            if kind.several:
                finish.write(place / f"{name}.{ending}", clips)
                continue
            (place / name).mkdir(exist_ok=True)
            for clip in clips:
                finish.write(place / name / f"{clip.name}.{ending}", clip)


def _delivered(loop: Clip, where: str, maker: GroupMaker) -> Clip:
    """Return a clip as written to a file: travel, name and events as its reader expects them."""
    engine = None if maker.settings.engine is None else ENGINES[maker.settings.engine]
    make = delivered_loop if engine is None else engine_loop
    clip = make(loop, where, maker.settings.closing, maker.mean)
    name = animation_name(clip.name, maker.group.model.cyclic, engine)
    assert clip.playback is not None
    return clip.changed(name=name, playback=clip.playback.changed(events=foot_events(loop)))


def _help_engine(
    place: Path, name: str, makers: Sequence[GroupMaker], files: dict[str, list[str]], settings: PackSettings
) -> None:
    """Write engine.json, and the scripts and instructions for the engine, into a pack named `name`."""
    assert settings.engine is not None
    facts = engine_facts(settings.engine, makers, files)
    write_bytes(place / FACTS, (json.dumps(facts, indent=1, ensure_ascii=False) + "\n").encode())
    every = [file for some in files.values() for file in some]
    for target, text in engine_scripts(settings.engine, name, every, makers[0].clips[0].loop.fps).items():
        (place / target).parent.mkdir(parents=True, exist_ok=True)
        write_bytes(place / target, text.encode())


def _pack_facts(
    groups: Sequence[GroupMaker], files: dict[str, list[str]], settings: PackSettings, onto: Onto | None, seed: int
) -> dict[str, Any]:
    return {
        "format": PACK,
        "version": VERSION,
        "made_by": f"freshtake {__version__}",
        "seed": seed,
        "settings": asdict(settings),
        "character": None if onto is None else onto.path.name,
        "groups": [
            {
                "name": one.group.name,
                "model": one.group.path.name,
                "checksum": one.group.checksum,
                "cyclic": one.group.model.cyclic,
                "files": files[one.group.name],
                # The worst transition between any two clips of the group, relative to changes within the takes.
                "changes": {
                    "pairs": len(one.clips) ** 2,
                    **_short(join_pace([clip.loop for clip in one.clips], one.inputs)._asdict()),
                },
            }
            for one in groups
        ],
        "clips": [clip_facts(clip, one.group, one.inputs, settings) for one in groups for clip in one.clips],
    }


def _skin(onto: Onto | None) -> Path | None:
    """Return the character whose skin the preview shows; the preview cannot draw skins of FBX files."""
    shown = onto is not None and onto.gltf and onto.path.suffix.lower() != ".fbx"
    return onto.path if shown and onto is not None and has_skin(onto.path) else None


def _preview(
    place: Path, groups: Sequence[GroupMaker], facts: dict[str, Any], skin: Path | None, report: Report
) -> None:
    from freshtake.reports.pack_page import pack_page, pack_scene, pack_sheet

    loops: list[tuple[str, list[Clip]]] = [(one.group.name, [clip.loop for clip in one.clips]) for one in groups]
    report(Progress(0.9, "drawing the contact sheet"))
    scene = pack_scene(loops, skin)
    with replacing(place / SHEET) as temporary:
        pack_sheet(loops, scene).save(temporary, format="PNG")
    report(Progress(0.95, "writing the preview"))
    write_bytes(place / PAGE, pack_page(loops, scene, facts).encode())


def _notes(groups: Sequence[GroupMaker]) -> list[str]:
    notes = []
    for one in groups:
        clips = one.clips
        sentences = guard_notes([clip.guard for clip in clips], left=False)
        turn = turn_note([playback_summary(clip.loop) for clip in clips])
        strain = max(clip.goals.strain for clip in clips)
        if strain > STRAINED:
            far = f"the pose that clips share is {strain:.1f} standard deviations from where takes begin and end"
            sentences.append(f"{far}: expect it to look forced")
        copies = sum(clip.copied > 0.0 for clip in clips)
        if copies:
            sentences.append(f"{copies} clips contain frames copied from a take: raise --amount")
        notes += [f"{one.group.name}: {sentence}" for sentence in [*sentences, *([turn] if turn else [])]]
    return notes


def clip_facts(clip: PackClip, group: Group, inputs: Pace, settings: PackSettings) -> dict[str, Any]:
    """Return the facts of one clip as plain values; frames are counted from 0, lengths are in the clip's unit."""
    loop, info = clip.loop, clip.loop.playback
    assert info is not None
    prints, pace = footprints(loop), loop_pace(loop, inputs)
    facts: dict[str, Any] = {
        "name": clip.slot.name,
        "group": group.name,
        "model": group.path.name,
        "checksum": group.checksum,
        "seed": clip.slot.seed,
        "frames": loop_frames(loop),
        "fps": loop.fps,
        "seconds": info.seconds,
        "loop": info.loop,
        "cycles": info.cycles,
        "root_motion": settings.root_motion,
        "speed": info.speed,
        "heading_deg": float(np.degrees(heading_of(info.direction, loop.up))),
        "travel": list(info.travel),
        "turn_deg": 0.0,
        "turn_removed_deg": float(np.degrees(info.turn)),
        "up": loop.up,
        "unit_m": unit_of(loop),
        "contacts": {
            foot.name: [[one["from"], one["to"]] for one in prints if one["foot"] == foot.name]
            for foot in feet(loop.skeleton)
        },
        "footprints": prints,
        "amount": settings.amount * clip.guard.share,
        "quality": {
            "seam_step": pace.step,
            "foot_speed": pace.foot_speed,
            "acceleration": pace.acceleration,
            "foot_slide": foot_slide(loop),
            "copied": clip.copied,
            "strain": clip.goals.strain,
            "tries": clip.guard.tries,
            "exceeds": list(clip.guard.left),
        },
    }
    return {key: _short(value) for key, value in facts.items()}


def footprints(loop: Clip) -> list[dict[str, Any]]:
    """Return the contacts that begin within a loop: foot, first frame, the frame after the last, and place.

    A contact that continues after the seam ends beyond the loop. The place is the ankle's position on the ground.
    """
    frames = loop_frames(loop)
    around = played(loop, 3 * frames, -frames)
    mask, places = contact_mask(around), around.positions()
    out = []
    for column, foot in enumerate(feet(loop.skeleton)):
        if mask[:, column].all():
            spans = [(frames, 2 * frames)]
        else:
            spans = [(a, b) for a, b in runs(mask[:, column]) if frames <= a < 2 * frames]
        for start, stop in spans:
            place = places[start:stop, foot.ankle].mean(axis=0)
            on_ground = _short([float(place[axis]) for axis in PLACES[loop.up]])
            out.append({"foot": foot.name, "from": start - frames, "to": stop - frames, "place": on_ground})
    return sorted(out, key=lambda one: (one["from"], one["foot"]))


def foot_events(loop: Clip) -> tuple[tuple[float, str], ...]:
    """Return the times at which feet touch down and leave the ground: (seconds, FOOT_down or FOOT_up), in order."""
    frames, out = loop_frames(loop), []
    for one in footprints(loop):
        if one["to"] - one["from"] < frames:
            out.append((one["from"] * loop.frame_time, f"{one['foot']}_down"))
            out.append((one["to"] % frames * loop.frame_time, f"{one['foot']}_up"))
    return tuple(sorted(out))


def foot_slide(loop: Clip) -> float | None:
    """Measure the mean speed of planted feet over the ground, in leg lengths per second; None without contacts."""
    around = played(loop, 2 * loop_frames(loop))
    mask = contact_mask(around)
    ankles = [foot.ankle if foot.toe is None else foot.toe for foot in feet(loop.skeleton)]
    level = around.positions()[:, ankles].copy()
    level[..., loop.up_index] = 0.0
    speed = np.linalg.norm(np.gradient(level, loop.frame_time, axis=0), axis=2)
    return float(speed[mask].mean() / leg_length(loop.skeleton)) if mask.any() else None


def _short(value: Any) -> Any:
    """Round the floats in plain values to six significant digits."""
    if isinstance(value, dict):
        return {key: _short(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_short(one) for one in value]
    return float(f"{value:.6g}") + 0.0 if isinstance(value, float) else value


def animation_name(name: str, repeats: bool, engine: Engine | None) -> str:
    """Return a clip's name inside its file; some engines recognize loops by their names."""
    return f"{name}{engine.loop_suffix}" if engine is not None and repeats else name


def engine_facts(name: str, makers: Sequence[GroupMaker], files: dict[str, list[str]]) -> dict[str, Any]:
    """Return engine.json: the animations, the groups as states, and a blend space over their speeds.

    Values are in metres, seconds and degrees.
    """
    animations: list[dict[str, Any]] = []
    states: list[dict[str, Any]] = []
    for maker in makers:
        group, repeats = maker.group.name, maker.group.model.cyclic
        loops = [_delivered(clip.loop, "hips", maker).changed(name=clip.loop.name) for clip in maker.clips]
        facts = [_animation(clip, group, repeats, ENGINES[name], files[group]) for clip in loops]
        names, speed = [one["name"] for one in facts], float(np.mean([one["speed"] for one in facts]))
        states.append({"name": group, "loop": repeats, "animations": names, "speed": speed})
        animations += facts
    first = makers[0]
    root = _delivered(first.clips[0].loop, first.settings.deliveries[0], first).skeleton.names[0]
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
    """Return the text files of a pack by name; `folder` is the pack's folder, where Godot finds its script."""
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
