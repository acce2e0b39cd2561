"""One shard as a task for any engine: plain values in, a record for the manifest out."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake import __version__
from freshtake.crowd.casting import Cast
from freshtake.crowd.characters import Body, MadeMotion, MotionRequest, body_of, character_of, make_motion
from freshtake.crowd.folder import replacing_ours, write_record
from freshtake.crowd.ground import kept_ground
from freshtake.crowd.plan import Shard
from freshtake.crowd.routes import speed_of
from freshtake.crowd.shard_files import Motions, checksum, file_name, motions_of, on_the_ground, write_shard
from freshtake.errors import UsageError
from freshtake.motion.verdict import AMBER, RED, require_possible
from freshtake.numeric.arrays import Floats
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.variation.model import VariationModel
from freshtake.workflows.inputs import model_of

Record = dict[str, Any]


class Task(NamedTuple):
    """A shard to make. `cast` are its characters, or None for variants of a library."""

    folder: Path
    shard: Shard
    group: str
    model: Path
    seed: int
    seconds: float
    fps: float | None
    plant: bool
    guard: bool
    amount: float  # of variants of a library
    cast: Cast | None
    format: str
    prim: str  # of the group's prototype in USD
    version: str
    ground: str = ""  # checksum of the ground beside the shards
    character: Path | None = None
    keep_going: bool = False  # with motions that no body makes


@lru_cache(maxsize=8)
def model_at(path: Path) -> VariationModel:
    """Read a model, once in a process."""
    model: VariationModel = model_of(path, "variation")
    return model


def run_task(task: Task, model: VariationModel | None = None) -> Record:
    """Make a shard and write it, then its record: a shard without a record is not finished."""
    if task.version != __version__:
        raise UsageError(
            f"a worker has freshtake {__version__}, but the crowd was asked for by {task.version}: install the same "
            "version on all machines"
        )
    model = model_at(task.model) if model is None else model
    body = body_of(model, task.model.name)
    made, motions = _made(task, model, body)
    verdicts = [one.verdict._replace(name=f"{task.group}, {one.verdict.name}") for one in made]
    require_possible(verdicts, task.keep_going, None)
    path = task.folder / file_name(task.shard, task.format)
    replacing_ours(write_shard, path, motions, task.format)
    size, digest = checksum(path)
    record: Record = {
        "shard": task.shard.number,
        "file": path.name,
        "group": task.group,
        "first": task.shard.first,
        "last": task.shard.last,
        "seed": task.seed,
        "frames": sum(len(one.root) for one in made),
        "drawn_again": sum(one.tries > 1 for one in made),
        "amber": sum(one.verdict.color == AMBER for one in made),
        "red": sum(one.verdict.color == RED for one in made),
        "bytes": size,
        "sha256": digest,
    }
    write_record(task.folder, task.shard, record)
    return record


def _made(task: Task, model: VariationModel, body: Body) -> tuple[list[MadeMotion], Motions]:
    """Make the motions of a shard, on the character that is asked for, in their places and on the ground."""
    fps = task.fps or 1.0 / model.frame_time
    character = None if task.character is None else character_of(task.character, model, body, task.model)
    steers = task.cast is not None and task.cast.routes.shape[1] > 0 and speed_of(model, body) > 0.0
    requests = _asked(task, steers, character.ratio if character else 1.0)
    with one_blas_thread():  # once for all: setting the number of threads takes time
        made = [make_motion(model, body, asked) for asked in requests]
    legs = () if model.planting_model is None else model.planting_model.legs
    if character is not None:
        made = [character.put(one, body, fps) for one in made]
        body, legs = character.body, character.legs
    motions = motions_of(task.shard, made, task.cast, body, fps, task.prim)._replace(character=task.character)
    if task.ground and task.cast is not None:
        motions = on_the_ground(motions, legs, kept_ground(task.folder, task.ground))
    return made, motions


def _asked(task: Task, steers: bool, ratio: float) -> list[MotionRequest]:
    numbers = range(task.shard.first, task.shard.last + 1)
    first = MotionRequest(task.seed, 0, task.seconds, task.fps, plant=task.plant, guard=task.guard)
    if task.cast is None:
        return [first._replace(number=number, amount=task.amount, loop=True) for number in numbers]
    amounts, phases = task.cast.amount.tolist(), task.cast.phase.tolist()
    every = [first._replace(number=n, amount=amounts[k], phase=phases[k]) for k, n in enumerate(numbers)]
    if not steers:
        return every
    return [one._replace(route=route_from_start(task.cast, k, ratio)) for k, one in enumerate(every)]


def route_from_start(cast: Cast, k: int, ratio: float) -> Floats:
    """Return a character's route as its motion sees it: from the origin on, along z, in lengths of a body of size 1.

    `ratio` is how many times as far the character walks as the model's own body.
    """
    covered = (cast.routes[k].astype(np.float64) - cast.ground[k]) / (ratio * cast.size[k])
    along_z = (covered[:, 1] + 1j * covered[:, 0]) * np.exp(-1j * cast.heading[k])
    return np.stack([along_z.imag, along_z.real], axis=1)
