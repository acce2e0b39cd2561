"""Packs: groups of variants that can follow one another, on a character, with a preview page and pack.json."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from freshtake import __version__
from freshtake.errors import UsageError
from freshtake.formats.files import replacing, replacing_folder, write_bytes
from freshtake.formats.pack_files import PACK, VERSION, write_pack
from freshtake.formats.registry import Format
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion import Clip
from freshtake.motion.verdict import Verdict, require_possible
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.variation.goals.guarding import guard_notes
from freshtake.workflows.motion_delivering import playback_summary, turn_note
from freshtake.workflows.motion_retargeting import Onto, write_onto
from freshtake.workflows.pack_contents import (
    Group,
    PackSettings,
    Slot,
    formats_of,
    groups_of,
    matching_stars,
    slots_of,
)
from freshtake.workflows.pack_describing import clip_facts, group_facts
from freshtake.workflows.pack_making import GroupMaker, PackClip, delivered_loop

IN_PLACE = "_in_place"
STRAINED = 3.0  # standard deviations between the shared pose and the takes
SHEET, PAGE, LIST = "sheet.png", "preview.html", "pack.json"


class ClipGroup(NamedTuple):
    """A group, its maker and its clips."""

    group: Group
    maker: GroupMaker
    clips: list[PackClip]


class Pack(NamedTuple):
    """The contents of pack.json, the files that were written, and the verdict on each clip."""

    facts: dict[str, Any]
    paths: list[Path]
    verdicts: list[Verdict]


@one_blas_thread()
def variation_pack(
    models: Sequence[str],
    folder: Path,
    count: int = 12,
    *,
    formats: Sequence[str] = ("glb",),
    settings: PackSettings | None = None,
    onto: Onto | None = None,
    keep: Path | None = None,
    only: str | None = None,
    preview: bool = True,
    unit_m: float | None = None,
    keep_going: bool = False,
    seed: int = 0,
    report: Report = silent,
    warn: Callable[[str], None] | None = None,
) -> Pack:
    """Write a pack of `count` clips of each model (MODEL or NAME=MODEL) into a folder that appears whole.

    `keep` is what its preview page saved: rejected clips are drawn anew, all others made again as they were. `only`
    names the one clip to be made. Clips that no body makes are refused, unless `keep_going` (see motion.verdict).
    """
    settings = settings or PackSettings()
    kinds = formats_of(formats)
    groups = groups_of(models)
    stars = matching_stars(keep, asdict(settings), groups, count)
    slots = {group.name: slots_of(group, count, seed, stars) for group in groups}
    if only is not None:
        slots = _only(slots, only)
    files = _file_names(slots, kinds, settings)
    groups_made = _make_groups([group for group in groups if group.name in slots], slots, settings, onto, report)
    verdicts = [clip.verdict for one in groups_made for clip in one.clips]
    require_possible(verdicts, keep_going, warn)
    facts = _pack_facts(groups_made, files, settings, onto, seed)
    with replacing_folder(folder) as place:
        report(Progress(0.8, "writing"))
        for one in groups_made:
            _write(place, one, kinds, settings, onto, unit_m)
        if preview:
            _preview(place, groups_made, facts, report)
        write_pack(place / LIST, facts)
        paths = sorted(folder / path.relative_to(place) for path in place.rglob("*") if path.is_file())
    if warn is not None:
        for sentence in _notes(groups_made):
            warn(sentence)
    return Pack(facts, paths, verdicts)


def _only(slots: dict[str, list[Slot]], name: str) -> dict[str, list[Slot]]:
    chosen = {group: [slot for slot in some if slot.name == name] for group, some in slots.items()}
    chosen = {group: some for group, some in chosen.items() if some}
    if not chosen:
        first, last = next(iter(slots.values()))[0].name, list(slots.values())[-1][-1].name
        raise UsageError(f"there is no clip {name!r} in this pack: its clips are {first} ... {last}")
    return chosen


def _make_groups(
    groups: Sequence[Group], slots: dict[str, list[Slot]], settings: PackSettings, onto: Onto | None, report: Report
) -> list[ClipGroup]:
    total, done = sum(len(some) for some in slots.values()), 0
    out = []
    for group in groups:
        maker = GroupMaker(group, settings, onto)
        clips = []
        for slot in slots[group.name]:
            report(Progress(0.8 * done / total, slot.name))
            clips.append(maker.clip(slot))
            done += 1
        out.append(ClipGroup(group, maker, clips))
    return out


def _suffix(where: str, settings: PackSettings) -> str:
    """Part of a file's name that tells clips in place from those that travel, where there are both."""
    return IN_PLACE if settings.root_motion == "both" and where == "none" else ""


def _file_names(
    slots: dict[str, list[Slot]], kinds: Sequence[tuple[str, Format]], settings: PackSettings
) -> dict[str, list[str]]:
    """Files of each group, checked to differ."""
    out: dict[str, list[str]] = {}
    for name, some in slots.items():
        paths = [path for where in settings.deliveries for path in _paths(name, some, kinds, _suffix(where, settings))]
        out[name] = paths
    every = [path.lower() for paths in out.values() for path in paths]
    twice = next((path for path in every if every.count(path) > 1), None)
    if twice is not None:
        raise UsageError(f"two groups would write {twice}: give one another name, as in other=MODEL")
    return out


def _paths(name: str, slots: Sequence[Slot], kinds: Sequence[tuple[str, Format]], suffix: str) -> list[str]:
    out = []
    for ending, kind in kinds:
        if kind.several:
            out.append(f"{name}{suffix}.{ending}")
        else:
            out += [f"{name}{suffix}/{slot.name}.{ending}" for slot in slots]
    return out


def _write(
    place: Path,
    group: ClipGroup,
    kinds: Sequence[tuple[str, Format]],
    settings: PackSettings,
    onto: Onto | None,
    unit_m: float | None,
) -> None:
    for where in settings.deliveries:
        clips = [delivered_loop(one.loop, where, settings.closing, group.maker.mean) for one in group.clips]
        name = f"{group.group.name}{_suffix(where, settings)}"
        for ending, kind in kinds:
            if kind.several:
                write_onto(place / f"{name}.{ending}", clips, unit_m, onto)
                continue
            (place / name).mkdir(exist_ok=True)
            for clip in clips:
                write_onto(place / name / f"{clip.name}.{ending}", clip, unit_m, onto)


def _pack_facts(
    groups: Sequence[ClipGroup], files: dict[str, list[str]], settings: PackSettings, onto: Onto | None, seed: int
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
                "changes": group_facts(one.clips, one.maker.inputs),
            }
            for one in groups
        ],
        "clips": [clip_facts(clip, one.group, one.maker.inputs, settings) for one in groups for clip in one.clips],
    }


def _preview(place: Path, groups: Sequence[ClipGroup], facts: dict[str, Any], report: Report) -> None:
    from freshtake.reports.pack_page import pack_page, pack_scene, pack_sheet

    loops: list[tuple[str, list[Clip]]] = [(one.group.name, [clip.loop for clip in one.clips]) for one in groups]
    report(Progress(0.9, "drawing the contact sheet"))
    scene = pack_scene(loops)
    with replacing(place / SHEET) as temporary:
        pack_sheet(loops, scene).save(temporary, format="PNG")
    report(Progress(0.95, "writing the preview"))
    write_bytes(place / PAGE, pack_page(loops, scene, facts).encode())


def _notes(groups: Sequence[ClipGroup]) -> list[str]:
    notes = []
    for group, _, clips in groups:
        sentences = guard_notes([clip.guard for clip in clips], left=False)
        turn = turn_note([playback_summary(clip.loop) for clip in clips])
        strain = max(clip.goals.strain for clip in clips)
        if strain > STRAINED:
            far = f"the pose that clips share lies {strain:.1f} standard deviations from where takes begin and end"
            sentences.append(f"{far}: expect it to look forced")
        copies = sum(clip.copied > 0.0 for clip in clips)
        if copies:
            sentences.append(f"{copies} clips contain frames copied from a take: raise --amount")
        notes += [f"{group.name}: {sentence}" for sentence in [*sentences, *([turn] if turn else [])]]
    return notes
