"""Contents of packs: groups of clips with their seeds and marks, the making of clips, and the needs of engines."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import FormatError, UsageError
from freshtake.evaluation.sequences import Pace, copied_share, pace_of
from freshtake.formats.files import read_bytes
from freshtake.formats.registry import Format, for_writing
from freshtake.formats.report_files import Stars, read_stars
from freshtake.motion import Clip
from freshtake.motion.body.roles import leg_length
from freshtake.motion.cycles.looping import BodyPath, body_path, in_place, loop_frames, on_joint, with_closing_frame
from freshtake.motion.cycles.seams import SeamPose, seam_pose, with_seam
from freshtake.motion.edit import moved, turned
from freshtake.motion.verdict import AMBER, GREEN, RED, Standard, Verdict, assess, standard_of
from freshtake.numeric.arrays import Floats
from freshtake.requests.packs import Packing
from freshtake.variation.amount import Amount, GuardReport, amount_of, guarded
from freshtake.variation.goals.goals import GoalReport
from freshtake.variation.goals.guidance import Guided
from freshtake.variation.goals.variation_loops import joinable
from freshtake.variation.model import VariationModel
from freshtake.workflows.inputs import generator, model_of
from freshtake.workflows.outputs import chosen_travel
from freshtake.workflows.retargeting import Onto

NEXT_PACK, NEXT_DRAW = 1_000_000, 10_000  # seed differences: between packs, between a clip and its replacement
_NAME = re.compile(r"[\w][\w.+-]*")
STANDS = 0.1  # leg lengths of travel in a loop below which a body has no direction
NEARLY = np.radians(20.0)  # travel within this angle of ahead, back, left or right is snapped to that direction


class Engine(NamedTuple):
    """Requirements of an engine: formats, carrier of the travel, mark of loops, and helper files."""

    title: str
    formats: tuple[str, ...]
    root_motion: str
    loop_suffix: str = ""  # suffix of the names of repeating animations
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


@dataclass(frozen=True)
class PackSettings:
    """Settings that, with the model and a seed, determine a clip; pack.json and stars.json contain them."""

    amount: float
    cycles: int | None
    beat: float | None
    root_motion: str
    closing: bool
    plant: bool
    guard: bool
    engine: str | None

    @property
    def deliveries(self) -> tuple[str, ...]:
        """The carriers of the travel: one set of files is written for each."""
        return ("joint", "none") if self.root_motion == "both" else (self.root_motion,)


def settings_of(request: Packing) -> PackSettings:
    """Return the requested settings; by default, the engine determines the carrier of the travel."""
    usual = None if request.engine is None or request.in_place else ENGINES[request.engine].root_motion
    where = chosen_travel(request.root_motion or usual, request.in_place)
    return PackSettings(
        request.amount, request.cycles, request.beat, where, request.closing_frame, request.plant, request.guard,
        request.engine,
    )  # fmt: skip


class Group(NamedTuple):
    """A named group of clips of one model."""

    name: str
    path: Path
    checksum: str
    model: VariationModel


def groups_of(words: Sequence[str]) -> list[Group]:
    """Parse groups from MODEL or NAME=MODEL; names must differ in more than case because files are named after them."""
    named = [_named(word) for word in words]
    paths: dict[str, Path] = {}
    for name, path in named:
        other = paths.setdefault(name.lower(), path)
        if other is not path:
            raise UsageError(f"{other} and {path} would both be the group {name!r}: name one, as in other={path}")
    return [_group(name, path) for name, path in named]


def _named(word: str) -> tuple[str, Path]:
    name, sign, rest = word.partition("=")
    path = Path(rest)
    if not sign or Path(word).exists():
        path = Path(word)
        name = path.stem
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} cannot be used in file names: use letters, digits and _ . + -, as in walk={path}")
    return name, path


def _group(name: str, path: Path) -> Group:
    model: VariationModel = model_of(path, "variation")
    recipe = model.material.recipe
    if recipe is None or recipe.motion_type is not Clip:
        raise FormatError(path, "this is a model of strokes or tables: a pack needs clips with a skeleton")
    return Group(name, path, f"sha256:{hashlib.sha256(read_bytes(path)).hexdigest()}", model)


def formats_of(endings: Sequence[str]) -> list[tuple[str, Format]]:
    """Return suffixes and their formats without repetition."""
    formats = []
    for ending in dict.fromkeys(ending.lower().lstrip(".") for ending in endings):
        kind = for_writing(Path(f"clip.{ending}"))
        if kind.name == "usd":
            from freshtake.formats.usd.writing import pxr

            pxr()
        formats.append((ending, kind))
    if not formats:
        raise UsageError("a pack needs a format: name one or more, as in --format fbx glb")
    return formats


class Slot(NamedTuple):
    """A clip to make."""

    name: str
    seed: int


def slots_of(group: Group, count: int, seed: int, stars: Stars | None) -> list[Slot]:
    """Return names and seeds of a group's clips: as marked, with a new seed for each rejected clip."""
    out = []
    for number in range(1, count + 1):
        name, clip_seed = f"{group.name}_{number:03d}", NEXT_PACK * seed + number
        if stars is not None and (marked := stars.clips.get(name)) is not None:
            clip_seed = marked.seed + (NEXT_DRAW if marked.mark == "reject" else 0)
        out.append(Slot(name, clip_seed))
    return out


def matching_stars(path: Path | None, settings: dict[str, Any], groups: Sequence[Group], count: int) -> Stars | None:
    """Read the marks of a pack with the same models and settings, without which starred clips would change."""
    if path is None:
        return None
    stars = read_stars(path)
    for key, value in settings.items():
        if stars.settings.get(key) != value:
            was = stars.settings.get(key)
            raise FormatError(path, f"{key} was {was!r} in the marked pack and is {value!r} now: use the same value")
    checksums = {group.name: group.checksum for group in groups}
    for name, checksum in stars.models.items():
        if name in checksums and checksums[name] != checksum:
            raise FormatError(path, f"the model of {name!r} has changed since: its starred clips cannot be remade")
    names = {slot.name for group in groups for slot in slots_of(group, count, 0, None)}
    lost = sorted(name for name, marked in stars.clips.items() if marked.mark == "star" and name not in names)
    if lost:
        raise FormatError(
            path, f"{lost[0]!r} is starred, but not in this pack: name the same models and at least as many"
        )
    return stars


class PackClip(NamedTuple):
    """A clip as a loop with its travel on the hips, and how it was made."""

    slot: Slot
    loop: Clip
    goals: GoalReport
    guard: GuardReport
    copied: float
    verdict: Verdict


class GroupMaker:
    """Makes and stores the clips of one group."""

    def __init__(self, group: Group, settings: PackSettings, onto: Onto | None) -> None:
        self.group, self.settings, self.onto = group, settings, onto
        self.clips: list[PackClip] = []

    @cached_property
    def takes(self) -> list[Clip]:
        """The model's examples."""
        model = self.group.model
        # Every frame is compared with each frame of the takes, so limit their number.
        return [model.decode(rows) for rows in model.material.values[:24]]

    @cached_property
    def placed_takes(self) -> list[Clip]:
        """The takes, retargeted to the character."""
        return [self._put(take) for take in self.takes]

    @cached_property
    def inputs(self) -> Pace:
        """Pace of the takes, on the character."""
        return pace_of(self.placed_takes)

    @cached_property
    def standard(self) -> Standard:
        """Standard to check clips against: the takes, on the character."""
        return standard_of(self.placed_takes)

    @cached_property
    def seam(self) -> SeamPose:
        """Pose and speed at both ends of all clips, taken from the mean motion."""
        return seam_pose(self.mean)

    @cached_property
    def mean(self) -> Clip:
        """The mean motion as a loop, on the character."""
        mean_variant = joinable(self.group.model, generator(0), amount=0.0, plant=self.settings.plant)
        loop = self._put(mean_variant.motion)
        return loop if self.settings.engine is None else aimed(loop, aim_of(loop))

    @cached_property
    def aim(self) -> float | None:
        """Common heading of all clips, in radians; None to leave them as drawn."""
        return None if self.settings.engine is None else aim_of(self.mean)

    def _put(self, clip: Clip) -> Clip:
        return clip if self.onto is None else self.onto.put(clip)

    def make(self, slot: Slot) -> None:
        """Draw a clip from its seed alone, up to three times if it copies a take or has remarks; keep the best draw."""
        drawn: list[PackClip] = []
        while not drawn or (_flaws(drawn[-1]) > (False, 0) and len(drawn) < 3 and self.settings.guard):
            drawn.append(self._draw(slot, len(drawn)))
        self.clips.append(min(drawn, key=_flaws))

    def _draw(self, slot: Slot, again: int) -> PackClip:
        limits = self.group.model.body_limits if self.settings.guard else None

        def draw(attempt: int, amount: float | Amount) -> Guided:
            return self._drawn(slot, attempt + 100 * again, amount)

        variant, checks = guarded(draw, limits, self.settings.amount)
        copied = copied_share(variant.motion, self.takes)
        # Aim before making the seam, so that clips rotated differently still share one pose.
        loop = with_seam(aimed(self._put(variant.motion), self.aim), self.seam)
        amount = amount_of(self.settings.amount).largest
        verdict = assess(loop, self.standard, amount=amount, rate=variant.report.rate, name=slot.name)
        loop = loop.changed(name=slot.name, playback=loop.playback)
        return PackClip(slot, loop, variant.report, checks, copied, verdict)

    def _drawn(self, slot: Slot, attempt: int, amount: float | Amount) -> Guided:
        settings, model = self.settings, self.group.model
        cycles = settings.cycles if model.cyclic else None

        def lasting(duration: float | None) -> Guided:
            rng = generator(slot.seed, 1, attempt=attempt)
            return joinable(
                model, rng, amount=amount, cycles=cycles, duration=duration, plant=settings.plant, name=slot.name
            )

        free = lasting(None)
        if settings.beat is None:
            return free
        seconds: float = free.motion.playback.seconds
        beats = max(1, round(seconds / settings.beat))
        variant = lasting(beats * settings.beat)
        off = variant.motion.playback.seconds - beats * settings.beat
        if abs(off) > 0.75 * model.frame_time:
            raise UsageError(
                f"{self.group.name}: a clip of about {seconds:.2f} s cannot be fitted to {beats * settings.beat:g} s, "
                "since its tempo can only change so much: choose a shorter --beat or different --cycles"
            )
        return variant


def _flaws(clip: PackClip) -> tuple[bool, int]:
    """Return a sort key for a clip's flaws: copied frames first, then the color of its verdict."""
    return clip.copied > 0.0, (GREEN, AMBER, RED).index(clip.verdict.color)


def delivered_loop(loop: Clip, where: str, closing: bool, mean: Clip) -> Clip:
    """Return a loop with its travel on the hips, on a joint above them, or removed.

    At the seam, the joint is placed relative to the body as in the mean motion, so it does not jump there.
    """
    full = with_closing_frame(loop) if closing else loop
    info = full.playback
    assert info is not None
    if where == "hips":
        return full
    path, usual = body_path(full), body_path(mean)
    if where == "none":
        placed = in_place(full, path)
    else:
        offset = (full.root[0] - path.places[0]) - (mean.root[0] - usual.places[0])
        offset[full.up_index] = 0.0
        placed = on_joint(full, BodyPath(path.places + offset, np.full(len(full), usual.heading[0])))
    return placed.changed(playback=info.changed(root_motion=where))


def heading_of(direction: Floats, up: str) -> float:
    """Return the angle in radians from forward (z, or -y if z is up), positive to the left; 0 without a direction."""
    if not direction.any():
        return 0.0
    return float(np.arctan2(direction[0], direction[2] if up == "y" else -direction[1]))


def aim_of(mean: Clip) -> float | None:
    """Return the common heading of all clips of a group, in radians; None if the body stays in place.

    Clips face forward, so ahead is 0. The mean motion of a few takes is a few degrees off by chance.
    """
    info = mean.playback
    assert info is not None
    if np.linalg.norm(info.travel) < STANDS * leg_length(mean.skeleton):
        return None
    heading = heading_of(info.travel, mean.up)
    straight = np.pi / 2 * round(heading / (np.pi / 2))
    return straight if abs(heading - straight) < NEARLY else heading


def aimed(loop: Clip, aim: float | None) -> Clip:
    """Return a loop rotated about the vertical to travel at a heading, unless the body stays in place."""
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
    """Return an aimed loop as engines need it: its root starts at the origin, faces forward, and travels straight.

    The arguments are those of `delivered_loop`.
    """
    usual = body_path(mean)
    home = mean.root[0] - usual.places[0] - loop.root[0]
    home[loop.up_index] = 0.0
    full = moved(loop, home).changed(playback=loop.playback, provenance=loop.provenance)
    full = with_closing_frame(full) if closing else full
    info = full.playback
    assert info is not None
    path = BodyPath(info.travel * (np.arange(len(full)) / loop_frames(full))[:, None], np.zeros(len(full)))
    if where != "hips":
        full = in_place(full, path) if where == "none" else on_joint(full, path)
    return full.changed(playback=info.changed(root_motion=where))
