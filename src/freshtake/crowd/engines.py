"""Shards as tasks, from plain values to records for the manifest, and where they run: here, in processes, on Dask."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from multiprocessing import connection, get_context, parent_process
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake import __version__
from freshtake.crowd.casting import Cast
from freshtake.crowd.characters import Body, MadeMotion, MotionRequest, body_of, character_of, make_motion, speed_of
from freshtake.crowd.folder import replacing_ours, write_record
from freshtake.crowd.ground import kept_ground
from freshtake.crowd.plan import Shard
from freshtake.crowd.shard_files import Motions, checksum, file_name, motions_of, on_the_ground, write_shard
from freshtake.errors import MissingExtra, UsageError
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
    prim: str  # of the group's prototype in USD; empty for other formats
    version: str
    ground: str = ""  # checksum of the ground next to the shards
    character: Path | None = None
    keep_going: bool = False  # with motions that fail the body checks


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
    singles, motions = _made(task, model, body)
    verdicts = [one.verdict._replace(name=f"{task.group}, {one.verdict.name}") for one in singles]
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
        "frames": sum(len(one.root) for one in singles),
        "drawn_again": sum(one.tries > 1 for one in singles),
        "amber": sum(one.verdict.color == AMBER for one in singles),
        "red": sum(one.verdict.color == RED for one in singles),
        "bytes": size,
        "sha256": digest,
    }
    write_record(task.folder, task.shard, record)
    return record


def _made(task: Task, model: VariationModel, body: Body) -> tuple[list[MadeMotion], Motions]:
    """Make the motions of a shard, on the requested character, in their places and on the ground."""
    fps = task.fps or 1.0 / model.frame_time
    character = None if task.character is None else character_of(task.character, model, body, task.model)
    steers = task.cast is not None and task.cast.routes.shape[1] > 0 and speed_of(model, body) > 0.0
    requests = _asked(task, steers, character.ratio if character else 1.0)
    with one_blas_thread():  # once for all motions: setting the number of threads takes time
        singles = [make_motion(model, body, asked) for asked in requests]
    legs = () if model.planting_model is None else model.planting_model.legs
    if character is not None:
        singles = [character.put(one, body, fps) for one in singles]
        body, legs = character.body, character.legs
    motions = motions_of(task.shard, singles, task.cast, body, fps, task.prim)._replace(character=task.character)
    if task.ground and task.cast is not None:
        motions = on_the_ground(motions, legs, kept_ground(task.folder, task.ground))
    return singles, motions


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
    """Return a character's route relative to its start: from the origin, along z, in lengths of a body of size 1.

    `ratio` is how many times as far the character walks as the model's body.
    """
    covered = (cast.routes[k].astype(np.float64) - cast.ground[k]) / (ratio * cast.size[k])
    along_z = (covered[:, 1] + 1j * covered[:, 0]) * np.exp(-1j * cast.heading[k])
    return np.stack([along_z.imag, along_z.real], axis=1)


TRIES = 3  # pools that are started in all, if processes of one are killed
PATIENCE = 10.0  # seconds to reach a scheduler


def run_here(tasks: Sequence[Task], workers: int) -> Iterator[Record]:
    """Yield records as shards are finished. A killed worker loses only the shard it was making."""
    if workers <= 1 or len(tasks) <= 1:
        yield from map(run_task, tasks)
        return
    unfinished = {task.shard.number: task for task in tasks}
    for _ in range(TRIES):
        try:
            for record in _pooled(list(unfinished.values()), workers):
                del unfinished[record["shard"]]
                yield record
            return
        except BrokenProcessPool:
            continue
    raise UsageError(
        f"workers were killed {TRIES} times (is memory short?): the same command continues, with fewer --workers"
    )


def _pooled(tasks: list[Task], workers: int) -> Iterator[Record]:
    # Spawned processes: forked ones inherit threads' locks. Few tasks are queued, so that memory stays flat.
    context = get_context("spawn")
    pool = ProcessPoolExecutor(min(workers, len(tasks)), context, initializer=_end_with_the_parent)
    waiting: set[Future[Record]] = set()
    try:
        for task in tasks:
            waiting.add(pool.submit(run_task, task))
            while len(waiting) >= 2 * workers:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in done)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _end_with_the_parent() -> None:
    """Exit when the command is killed, because nothing would collect what this process makes."""
    parent = parent_process()
    if parent is None:
        return

    def watch() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def run_on_dask(tasks: Sequence[Task], workers: int, scheduler: str | None) -> Iterator[Record]:
    """Yield records as shards are finished, from a scheduler at an address or a cluster started on this machine."""
    lib = _distributed()
    with _client(workers, scheduler) as client:
        _check_versions(client)
        models = {path: client.submit(_sent, model_at(path), pure=False) for path in {task.model for task in tasks}}
        ahead = iter(tasks)
        running = lib.as_completed([])

        def hand_over() -> bool:
            task = next(ahead, None)
            if task is not None:
                running.add(client.submit(run_task, task, models[task.model], pure=False, retries=1))
            return task is not None

        # three shards per worker: none waits for work, and the scheduler's memory stays flat
        for _ in range(max(1, 3 * len(client.scheduler_info(n_workers=-1)["workers"]))):
            hand_over()
        try:
            for future in running:
                yield future.result()
                hand_over()
        except lib.KilledWorker:
            raise UsageError(
                "workers were killed again and again at the same shard (is memory short?): the same command continues"
            ) from None
        except (lib.client.FutureCancelledError, lib.comm.CommClosedError) as error:
            where = "" if scheduler is None else f" at {scheduler}"
            raise UsageError(
                f"the Dask scheduler{where} went away ({type(error).__name__}): start it again; the same command "
                "continues"
            ) from None


def check_dask(scheduler: str | None) -> None:
    """Raise where Dask could not run: no library, scheduler or workers, or another version of freshtake on them."""
    _distributed()
    if scheduler is not None:
        with _client(1, scheduler) as client:
            _check_versions(client)


def _distributed() -> Any:
    """Import the library when it is needed."""
    try:
        return import_module("distributed")
    except ImportError:
        raise MissingExtra("the engine dask", "crowd") from None


def _sent(model: VariationModel) -> VariationModel:
    return model


@contextmanager
def _client(workers: int, scheduler: str | None) -> Iterator[Any]:
    lib = _distributed()
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # its errors are raised here, in our words
    if scheduler is None:
        # Without an address the page about the cluster would be open to the network.
        options: dict[str, Any] = {
            "n_workers": workers, "threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": "127.0.0.1:0",
        }  # fmt: skip
        with lib.LocalCluster(**options) as cluster, lib.Client(cluster) as client:
            yield client
        return
    try:
        client = _reached(lib, scheduler)
    except (OSError, TimeoutError, ValueError, TypeError):
        raise UsageError(
            f"no Dask scheduler answers at {scheduler}: start one with `dask scheduler`, and check address and firewall"
        ) from None
    with client:
        if not client.scheduler_info(n_workers=-1)["workers"]:
            raise UsageError(f"the Dask scheduler at {scheduler} has no workers: start some with `dask worker`")
        yield client


def _reached(lib: Any, scheduler: str) -> Any:
    """Return a client of a scheduler. One that cannot connect is closed at once.

    Dask would leave that to the garbage collector: if it runs while a cluster starts, the cluster waits for ever for
    a lock that it holds itself.
    """

    class Client(lib.Client):  # type: ignore[misc]
        def start(self, **options: Any) -> None:
            try:
                super().start(**options)
            except BaseException:
                self.close()
                raise

    return Client(scheduler, timeout=PATIENCE)


def _check_versions(client: Any) -> None:
    """Check that all workers have this freshtake: another one would make other bytes."""

    def version() -> str:  # sent as code, since a worker may have a freshtake without crowds
        try:
            import freshtake

            return freshtake.__version__
        except ImportError:
            return "not installed"

    for address, installed in client.run(version).items():
        if installed != __version__:
            raise UsageError(
                f"the worker at {address} has freshtake {installed}, and this is {__version__}: install the same "
                "version on all machines"
            )
