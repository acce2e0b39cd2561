"""Tasks that read uploaded files and samples, check them, and store them in the project's format."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from freshtake.errors import FormatError, UsageError
from freshtake.formats.ftm import is_model
from freshtake.formats.gltf import has_skin
from freshtake.motion import Clip, Stroke
from freshtake.motion.check import check
from freshtake.motion.cycles.cycles import require_cycles
from freshtake.motion.cycles.occurrences import find_occurrences
from freshtake.motion.edit import take_frames, with_up
from freshtake.motion.repair import repair as repaired
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.reports.viewport.neutral_body import fit_of
from freshtake.serve.items import Finding, Item, Kind
from freshtake.serve.movements import kind_of, print_of
from freshtake.serve.tasks.context import Context, model_item_facts

if TYPE_CHECKING:
    from freshtake.workflows.describing import Described

CHARACTERS = (".glb", ".gltf", ".vrm")
FACTS = ("format", "up", "unit", "unit_m", "dofs", "root", "travel", "joint_names")


def read(context: Context, *, items: list[str], upload: str, name: str) -> None:
    """Read an uploaded file: a model, a motion of any kind, or a character."""
    file = context.project.work / upload
    context.report(f"reading {name}")
    context.name_file(file, name)
    title = Path(name).stem  # lists are easier to read without extensions
    if is_model(file):
        facts = model_item_facts(file)
        if facts["method"] != "style":  # styles belong to all movements
            context.new_movement(title, kind_of(facts))
        context.add("model", title, file, facts)
        return
    try:
        add_take(context, file, title)
    except FormatError as error:
        if file.suffix not in CHARACTERS or "animation" not in error.problem:
            raise
        if not has_rig(file):
            problem = "has neither an animation nor a skin: send a motion, or a character with a skin"
            raise UsageError(f"{title} {problem}") from None
        context.add("character", title, file, {"what": "character", "character": True, "skinned": has_skin(file)})


def make_samples(context: Context, *, items: list[str], sample: str, takes: int) -> None:
    """Add takes of a sample, in a group named after it."""
    from freshtake.requests.samples import SamplesWrite
    from freshtake.workflows import samples_write

    request = SamplesWrite(names=[sample], out=context.folder / "samples", takes=takes)
    # Samples are never grouped with the user's takes, whatever their names.
    before = (item for item in context.project.items() if item.facts.get("sample") == sample)
    home = next((item.movement for item in before), None)
    for file in samples_write(request, context.progress):
        home = add_take(context, file, file.stem, group=sample, sample=sample, home=home)


def add_take(
    context: Context, file: Path, name: str, *, group: str | None = None, sample: str | None = None,
    home: str | None = None,
) -> str | None:  # fmt: skip
    """Read a motion file and add each animation with the file's skin; only the first is listed as a character."""
    rigged = file.suffix in CHARACTERS and has_rig(file)
    skinned = rigged and has_skin(file)
    animations = list(_animations(context, file, name))
    latest: Item | None = None
    source = file if rigged or file.suffix == ".asf" else None
    for number, described in enumerate(animations):
        motion = described.motion
        if motion is None:
            raise UsageError(f"{name} does not contain a motion")
        facts: dict[str, Any] = {key: described.facts[key] for key in FACTS if key in described.facts}
        kind: Kind = "strokes" if isinstance(motion, Stroke) else "take"
        if len(motion) == 1 and (rigged or file.suffix == ".asf"):
            kind = "character"  # nothing can be learned from one frame, but motions can be retargeted to it
        facts |= {} if sample is None else {"sample": sample}
        facts |= {"character": rigged and number == 0, "skinned": skinned}
        if isinstance(motion, Clip):
            facts["human"] = fit_of(with_up(motion, "y")) is not None  # whether it is a human body
        add = context.add_motion if kind == "character" else context.add_take
        findings = [
            Finding(words=context.with_names(one["sentence"]), remedy=one["repair"] or None)
            for one in described.facts["findings"]
        ]
        several = len(animations) > 1
        latest = add(
            kind, f"{name} {motion.name}" if several else name, motion, facts=facts, findings=findings,
            group=name if several else group, source=source, **({} if kind == "character" else {"home": home}),
        )  # fmt: skip
    return None if latest is None else latest.movement


def _animations(context: Context, file: Path, name: str) -> Iterator[Described]:
    """Yield the motions of a file."""
    from freshtake.workflows import motion_info

    more: list[str] = []

    def heard(sentence: str) -> None:
        (more.append if "only the first animation" in sentence else context.warn)(sentence)

    yield motion_info(file, warn=heard, skeleton=_skeleton(context, file, name))
    for number in range(1, 200 if more else 1):
        try:
            yield motion_info(file, warn=heard, animation=str(number))
        except FormatError as error:
            if "there is no animation" in error.problem:
                return
            raise


def has_rig(file: Path) -> bool:
    """Return whether motions can be exported on a character file: it has any skin, such as our bone figure's."""
    from freshtake.formats.gltf.container import load

    return bool(load(file).top.items("skins"))


def _skeleton(context: Context, file: Path, name: str) -> Path | None:
    """Return the skeleton of an AMC file: the ASF whose name it begins with (02.asf, 02_01.amc), else the newest."""
    if file.suffix != ".amc":
        return None
    skeletons = [item for item in context.project.items() if item.facts.get("format") == "Acclaim skeleton"]
    if not skeletons:
        raise FormatError(file, "an .amc file needs its skeleton: send the .asf that belongs to it first")
    # Data sets name takes after the skeleton of the subject.
    named = [item for item in skeletons if re.match(rf"{re.escape(item.name)}(?![0-9])", name, re.IGNORECASE)]
    chosen = max(named, key=lambda item: len(item.name)) if named else skeletons[-1]
    if not named and len(skeletons) > 1:
        guess = f"{name} was read with the newest of {len(skeletons)} skeletons, {chosen.name}"
        context.warn(f"{guess}: if that is not its skeleton, remove it and send it right after its .asf")
    return next(context.project.files.glob(f"{chosen.id}.source.asf"))


def repair(context: Context, *, items: list[str]) -> None:
    """Repair takes in place; this can be undone."""
    for number, id in enumerate(items):
        item = context.item(id)
        context.report(f"repairing {item.name}", number, len(items))
        names = list(dict.fromkeys(one.remedy for one in item.findings if one.remedy))
        if not names:
            raise UsageError(f"nothing in {item.name} can be repaired")
        motion = repaired(context.motion(id), names)
        findings = [Finding(words=f.sentence, remedy=f.repair) for f in check(motion)]
        context.replace(id, f"repair {item.name}", motion, findings=findings)


@one_blas_thread()
def cut(context: Context, *, items: list[str], how: str, first: int | None, last: int | None, like: str | None) -> None:
    """Cut takes into pieces, in a group named after the take."""
    cycles = require_cycles([_clip(context, id) for id in items]) if how == "cycles" else []
    for number, id in enumerate(items):
        item = context.item(id)
        context.report(f"looking through {item.name}", number, len(items))
        take = _clip(context, id)
        if how == "cycles":
            spans = [(int(begin), int(end) + 1) for begin, end in cycles[number].spans]
        else:
            example = _clip(context, like) if like is not None else take_frames(take, *_range(take, first, last))
            spans = [(one.start, one.stop) for one in find_occurrences(take, example)]
        if not spans:
            raise UsageError(f"nothing similar was found in {item.name}: choose another example")
        for piece, (begin, end) in enumerate(spans, start=1):
            clip = take_frames(take, begin, end)
            changed = ("frames", "seconds", "travel", "character")  # these differ from the take's
            facts = {key: value for key, value in item.facts.items() if key not in changed}
            described = print_of(clip)  # pieces stay in the movement of the take
            context.add_motion(
                "take", f"{item.name}_{piece:02d}", clip, group=item.name, parent=id, movement=item.movement,
                facts={**facts, "from": [begin, end - 1], "signature": described.signature}, cloud=described.cloud,
            )  # fmt: skip


def _clip(context: Context, id: str) -> Clip:
    motion = context.motion(id)
    if not isinstance(motion, Clip):
        raise UsageError(f"{context.item(id).name} has no skeleton: only clips can be cut")
    return motion


def _range(take: Clip, first: int | None, last: int | None) -> tuple[int, int]:
    if first is None or last is None or not first < last < len(take):
        raise UsageError(f"give the first and the last frame; {take.name} has {len(take)}")
    return first, last + 1
