"""Shards on this machine: in this process, or in several that start afresh and end with it."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from importlib import import_module
from multiprocessing import connection, get_context, parent_process
from typing import Any

from freshtake import __version__
from freshtake.crowd.tasks import Record, Task, model_at, run_task
from freshtake.errors import MissingExtra, UsageError
from freshtake.variation.model import VariationModel

TRIES = 3  # pools, where processes of one are killed
WAITING = 3  # shards per worker that are handed over at a time
PATIENCE = 10.0  # seconds to reach a scheduler


def run_here(tasks: Sequence[Task], workers: int) -> Iterator[Record]:
    """Yield records as shards are finished. A killed worker costs what it was at; the others' shards stay."""
    if workers <= 1 or len(tasks) <= 1:
        yield from map(run_task, tasks)
        return
    left = {task.shard.number: task for task in tasks}
    for _ in range(TRIES):
        try:
            for record in _pooled(list(left.values()), workers):
                del left[record["shard"]]
                yield record
            return
        except BrokenProcessPool:
            continue
    raise UsageError(
        f"workers were killed {TRIES} times (is memory short?): the same command continues, with fewer --workers"
    )


def _pooled(tasks: list[Task], workers: int) -> Iterator[Record]:
    # Fresh processes: forked ones inherit threads' locks. Few tasks wait at a time, so that memory stays flat.
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
    """Leave when the command is killed: nobody would collect what this process makes."""
    parent = parent_process()
    if parent is None:
        return

    def watch() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def run_on_dask(tasks: Sequence[Task], workers: int, scheduler: str | None) -> Iterator[Record]:
    """Yield records as shards are finished, from a scheduler at an address or a cluster of our own on this machine."""
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

        for _ in range(max(1, WAITING * len(client.scheduler_info(n_workers=-1)["workers"]))):
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
    """Refuse what could not run: without the library, a scheduler, workers, or with other versions of freshtake."""
    _distributed()
    if scheduler is not None:
        with _client(1, scheduler) as client:
            _check_versions(client)


def _distributed() -> Any:
    """Load the library when it is needed."""
    try:
        return import_module("distributed")
    except ImportError:
        raise MissingExtra("the engine dask", "crowd") from None


def _sent(model: VariationModel) -> VariationModel:
    return model


@contextmanager
def _client(workers: int, scheduler: str | None) -> Iterator[Any]:
    lib = _distributed()
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # what it meets is raised here, in our words
    if scheduler is None:
        # Without an address of its own, the page about the cluster would be open to the whole network.
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
    """Return a client of a scheduler. One that reaches nobody is closed at once.

    Dask would leave that to the garbage collector: if it comes while a cluster starts, the cluster waits for ever for
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

    for address, found in client.run(version).items():
        if found != __version__:
            raise UsageError(
                f"the worker at {address} has freshtake {found}, and this is {__version__}: install the same version "
                "on all machines"
            )
