"""Make a folder of shards from a plan: cast the characters, run unfinished shards on an engine, write the manifest."""

import csv
import hashlib
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake import __version__
from freshtake.crowd.casting import Cast, cast_of
from freshtake.crowd.characters import Body, Character, MotionRequest, body_of, character_of, speed_of
from freshtake.crowd.engines import check_dask, run_in_processes, run_on_dask
from freshtake.crowd.folder import CHARACTERS, begin, is_crowd, replace_file, write_manifest
from freshtake.crowd.ground import Ground, ground_checksum, keep_ground, read_ground
from freshtake.crowd.plan import FORMATS, Avoidance, Group, Plan, Shard, part_asked, part_of, shards_of
from freshtake.crowd.plan_files import read_places, read_plan
from freshtake.crowd.routes import walkers_of, with_routes
from freshtake.crowd.shards import Record, Task, finished, model_at, run_task
from freshtake.errors import FormatError, UsageError
from freshtake.formats.files import check_free, read_bytes, replaces_existing
from freshtake.formats.rig import Rig
from freshtake.formats.usd.writing import identifiers, pxr
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion import Skeleton
from freshtake.requests.crowd import Crowd
from freshtake.variation.model import VariationModel
from freshtake.workflows.compiling import usable_cores

ENGINES = ("local", "dask")
# Fields of a request that override fields of the plan; the plan calls the count `number`.
CHANGES = ("count", "seconds", "fps", "mode", "variants", "seed")


class CrowdMade(NamedTuple):
    """The folder, the numbers of shards made, finished before and missing, and all records."""

    folder: Path
    made: int
    kept: int
    missing: int
    records: list[Record]
    characters: int
    frames: int

    def count_of(self, color: str) -> int:
        """Return how many motions have a verdict of this color."""
        return sum(record.get(color, 0) for record in self.records)


class JobWritten(NamedTuple):
    """A job for a render farm, and how many parts it has."""

    path: Path
    parts: int


def crowd(request: Crowd, report: Report = silent, warn: Callable[[str], None] | None = None) -> CrowdMade | JobWritten:
    """Make a crowd from a model or a plan, or write a job that makes it on a render farm."""
    check_folder(request.out)
    part = part_asked(request.shard)
    if request.plan_only and request.shard is not None:
        raise UsageError("--plan-only comes before the parts: leave out --shard")
    plan = requested_plan(request)
    if request.job is not None:
        from freshtake.crowd.farm_jobs import write_job

        return JobWritten(request.job, write_job(request.job, request, plan))
    result = crowd_make(
        plan, request.out, format=request.format, part=part, engine=request.engine, workers=request.workers,
        scheduler=request.scheduler, replace=replaces_existing(), plan_only=request.plan_only,
        keep_going=request.keep_going, report=report,
    )  # fmt: skip
    failing = result.count_of("amber") + result.count_of("red")
    if failing and warn is not None:
        fail = "1 motion fails" if failing == 1 else f"{failing} motions fail"
        warn(
            f"{fail} the body checks in every draw, {result.count_of('red')} of them badly: see shards in manifest.json"
        )
    return result


def requested_plan(request: Crowd) -> Plan:
    """Read the plan of a request from its file, or make one for a single model.

    The request takes precedence over the file, except that groups keep any character they name.
    """
    source, character = request.source, request.character
    changes = {key: value for key in CHANGES if (value := getattr(request, key)) is not None}
    if "count" in changes:
        changes["number"] = changes.pop("count")
    plan = read_plan(source, changes) if source.suffix.lower() == ".toml" else Plan((Group(source),), **changes)
    if request.avoid and plan.avoidance is None:
        plan = replace(plan, avoidance=Avoidance())
    if character is not None:
        if not character.is_file():
            raise FormatError(character, "there is no such file: check the path of --character")
        groups = tuple(group if group.character else replace(group, character=character) for group in plan.groups)
        plan = replace(plan, groups=groups)
    return plan


def check_folder(folder: Path) -> None:
    """Refuse a folder with other files in it, before any work; a folder with a crowd may be continued."""
    if not is_crowd(folder):
        check_free(folder)


def crowd_make(
    plan: Plan,
    folder: Path,
    *,
    format: str = "npz",
    part: tuple[int, int] = (1, 1),
    engine: str = "local",
    workers: int | None = None,
    scheduler: str | None = None,
    replace: bool = False,
    plan_only: bool = False,
    keep_going: bool = False,
    report: Report = silent,
) -> CrowdMade:
    """Make a crowd, or continue where a run of the same plan was stopped.

    The run that finds all shards finished writes the manifest.

    Args:
        plan: The characters, their number, and how long and where they move.
        folder: Destination: new, empty, or begun by a run of the same plan.
        format: One of `FORMATS`.
        part: (K, N) makes the K-th of N parts only, for farms.
        engine: One of `ENGINES`.
        workers: How many processes; None: one per core.
        scheduler: The address of a Dask scheduler; None: a cluster on this machine.
        replace: Whether to remove a crowd of another plan from the folder.
        plan_only: Whether to stop after the settings, routes, ground and list of characters are written.
        keep_going: Whether to write motions that fail the body checks instead of refusing them (see motion.verdict).
        report: Called with the progress.

    Returns:
        The shards that this run made, those finished before, and those still missing.
    """
    _check_options(plan, format, engine, workers, scheduler)
    check_folder(folder)
    fps = rate_of(plan)
    shards, cast = shards_of(plan, fps), cast_of(plan, read_places(plan))
    speeds = _speeds(plan)
    if plan.steered:
        walkers_of(plan, cast, np.array(speeds))  # raises before anything is written
    ground = None if plan.ground is None else read_ground(plan.ground)
    if engine == "dask" and not is_crowd(folder):
        check_dask(scheduler)
    begin(folder, _settings(plan, fps, format, cast, ground), replace=replace)
    if plan.steered:
        cast = with_routes(plan, cast, speeds, folder)
    ground_sha256 = "" if ground is None else keep_ground(folder, ground)
    _write_characters(folder, plan, cast, ground)
    part_shards = [] if plan_only else part_of(shards, part)
    records_by_shard = {shard.number: finished(folder, shard) for shard in part_shards}
    unfinished = [shard for shard in part_shards if records_by_shard[shard.number] is None]
    tasks = [
        _task(plan, folder, shard, cast, format)._replace(ground=ground_sha256, keep_going=keep_going)
        for shard in unfinished
    ]
    records_run = _run(tasks, engine, workers, scheduler) if tasks else ()
    for count, record in enumerate(records_run, start=1):
        records_by_shard[record["shard"]] = record
        report(Progress(count / len(unfinished), f"shard {count} of {len(unfinished)}"))
    # Shards that other machines of a farm made also count, but only their records are checked.
    others = {s.number: finished(folder, s, verify=False) for s in shards if s.number not in records_by_shard}
    records_by_shard |= others
    # The manifest is written once every shard is finished, by any run.
    records = [done for shard in shards if (done := records_by_shard[shard.number]) is not None]
    missing = len(shards) - len(records)
    if not missing:
        if format == "usd":
            _write_stage(folder, plan, shards, fps)
        write_manifest(folder, records)
    frames = sum(record["frames"] for record in records)
    return CrowdMade(folder, len(unfinished), len(part_shards) - len(unfinished), missing, records, plan.number, frames)


def _prims(plan: Plan) -> list[str]:
    """Name the prototypes of all groups; groups with the same character share a prototype."""
    stems = {
        group.character or number: group.character.stem if group.character else group.name or group.model.stem
        for number, group in enumerate(plan.groups)
    }
    names = dict(zip(stems, identifiers(list(stems.values())), strict=True))
    return [names[group.character or number] for number, group in enumerate(plan.groups)]


def _write_stage(folder: Path, plan: Plan, shards: list[Shard], fps: float) -> None:
    from freshtake.crowd.usd_stage import write_stage

    bodies: dict[str, Skeleton | Rig] = {}
    for group, prim in zip(plan.groups, _prims(plan), strict=True):
        _, body, character = _members(group)
        bodies[prim] = body.metric() if character is None else character.rig() or character.body.skeleton
    write_stage(folder, shards, bodies, fps, 1 + round(plan.seconds * fps))


def _members(group: Group) -> tuple[VariationModel, Body, Character | None]:
    """Return the model of a group, its body, and its character; raise if motions cannot be retargeted to it."""
    model = model_at(group.model)
    body = body_of(model, group.model.name)
    if group.character is None:
        return model, body, None
    return model, body, character_of(group.character.resolve(), model, body, group.model.resolve())


def _speeds(plan: Plan) -> list[float]:
    members = [_members(group) for group in plan.groups]
    return [speed_of(model, body) * (character.ratio if character else 1.0) for model, body, character in members]


def rate_of(plan: Plan) -> float:
    """Return the frames per second of the crowd: as requested, or the common rate of its models."""
    rates = {}
    for group in plan.groups:
        model = model_at(group.model)
        body_of(model, group.model.name)  # raises if the model makes no bodies
        rates[group.model.name] = 1.0 / model.frame_time
    first = next(iter(rates.values()))
    if plan.fps is not None:
        return plan.fps
    if any(abs(rate / first - 1.0) > 1e-6 for rate in rates.values()):
        listed = ", ".join(f"{name} {rate:g}" for name, rate in rates.items())
        raise UsageError(f"fps: the models have different frame rates ({listed}): choose one for the crowd")
    return first


def _check_options(plan: Plan, format: str, engine: str, workers: int | None, scheduler: str | None) -> None:
    if format not in FORMATS:
        raise UsageError(f"the format of a crowd is one of {', '.join(FORMATS)}, not {format!r}")
    if engine not in ENGINES:
        raise UsageError(f"an engine is one of {', '.join(ENGINES)}, not {engine!r}")
    if format == "usd":
        pxr()
        if plan.mode == "library":
            raise UsageError("a library cannot be a USD stage, where each character has its own motion: use fbx or glb")
    if format in ("glb", "fbx") and plan.mode == "unique":
        raise UsageError(f"{format} files contain a library: add --mode library, or write npz, usd or bvh")
    if workers is not None and workers < 1:
        raise UsageError(f"the number of workers must be 1 or more, not {workers}")
    if scheduler is not None and engine != "dask":
        raise UsageError("--scheduler is the address of a Dask scheduler: add --engine dask, or leave it out")


def _run(tasks: Sequence[Task], engine: str, workers: int | None, scheduler: str | None) -> Iterator[Record]:
    """Run tasks on an engine; a single task, or all with one worker, run in this process."""
    if engine == "dask":
        return run_on_dask(tasks, workers or usable_cores(), scheduler)
    if len(tasks) > 1 and (many := workers or usable_cores()) > 1:
        return run_in_processes(tasks, many)
    return map(run_task, tasks)


def _task(plan: Plan, folder: Path, shard: Shard, cast: Cast, format: str) -> Task:
    group = plan.groups[shard.group]
    motion = MotionRequest(
        plan.seed, 0, plan.seconds, plan.fps, 0.5 * (group.amount[0] + group.amount[1]), plant=plan.plant,
        guard=plan.guard,
    )  # fmt: skip
    return Task(
        folder.resolve(), shard, group.name or group.model.stem, group.model.resolve(), motion,
        cast.part(shard.first, shard.last) if plan.mode == "unique" else None, format,
        _prims(plan)[shard.group] if format == "usd" else "", __version__,
        character=None if group.character is None else group.character.resolve(),
    )  # fmt: skip


def _settings(plan: Plan, fps: float, format: str, cast: Cast, ground: Ground | None) -> dict[str, Any]:
    """Gather everything that determines the content of the files, with checksums of the models and the cast."""
    out = asdict(plan)
    out["fps"] = fps
    for group, settings in zip(plan.groups, out["groups"], strict=True):
        settings["model"] = group.model.name
        settings["model_sha256"] = hashlib.sha256(read_bytes(group.model)).hexdigest()
        if group.character is not None:
            settings["character_sha256"] = hashlib.sha256(read_bytes(group.character)).hexdigest()
    digest = hashlib.sha256(b"".join(np.ascontiguousarray(values).tobytes() for values in cast)).hexdigest()
    if ground is not None:
        out["ground"]["sha256"] = ground_checksum(ground)
    plain: dict[str, Any] = _plain(out)
    return {"freshtake": __version__, **plain, "file_format": format, "cast_sha256": digest}


def _plain(value: Any) -> Any:
    """Convert a value to JSON types: lists for tuples, names for files."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value.name if isinstance(value, Path) else value


def _write_characters(folder: Path, plan: Plan, cast: Cast, ground: Ground | None) -> None:
    """Write the table of characters: positions in metres, headings in degrees, start phases of a library's variants."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["character", "group", "variant", "x", "y", "z", "heading_deg", "phase", "amount", "size"])
    names = [group.name or group.model.stem for group in plan.groups]
    heights = np.zeros(len(cast.group)) if ground is None else ground.at(cast.ground)
    columns = [values.tolist() for values in (cast.group, cast.variant, cast.ground[:, 0], heights, cast.ground[:, 1])]
    rest = [np.degrees(cast.heading), cast.phase, cast.amount, cast.size]
    for number, (row, tail) in enumerate(zip(zip(*columns, strict=True), np.stack(rest, axis=1).tolist(), strict=True)):
        group, variant, *place = row
        table.writerow([number + 1, names[group], variant, *[f"{v:.4f}" for v in place], *[f"{v:.5g}" for v in tail]])
    data = text.getvalue().encode()
    path = folder / CHARACTERS
    if not path.is_file() or read_bytes(path) != data:
        replace_file(path, data)
