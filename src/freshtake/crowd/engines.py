"""Run the tasks of a crowd in processes on this machine, or on Dask."""

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
from freshtake.crowd.shards import Record, Task, model_at, run_task
from freshtake.errors import MissingExtra, UsageError
from freshtake.variation.model import VariationModel

TRIES = 3  # pools started in total, if processes are killed
PATIENCE = 10.0  # seconds to reach a scheduler


def run_in_processes(tasks: Sequence[Task], workers: int) -> Iterator[Record]:
    """Yield records as shards are finished. A killed worker loses only the shard it was making."""
    unfinished = {task.shard.number: task for task in tasks}
    for _ in range(TRIES):
        try:
            for record in _run_pool(list(unfinished.values()), workers):
                del unfinished[record["shard"]]
                yield record
            return
        except BrokenProcessPool:
            continue
    raise UsageError(
        f"workers were killed {TRIES} times (is memory short?): run the same command with fewer --workers to continue"
    )


def _run_pool(tasks: list[Task], workers: int) -> Iterator[Record]:
    # Spawn processes: forked ones inherit threads' locks. Queue few tasks, so memory stays flat.
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
    """Exit when the command is killed, because nothing would collect this process's results."""
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

        # With three shards per worker, none is idle and the scheduler's memory stays flat.
        for _ in range(max(1, 3 * len(client.scheduler_info(n_workers=-1)["workers"]))):
            hand_over()
        try:
            for future in running:
                yield future.result()
                hand_over()
        except lib.KilledWorker:
            raise UsageError(
                "workers were repeatedly killed at the same shard (is memory short?): run the same command to continue"
            ) from None
        except (lib.client.FutureCancelledError, lib.comm.CommClosedError) as error:
            where = "" if scheduler is None else f" at {scheduler}"
            raise UsageError(
                f"the Dask scheduler{where} disappeared ({type(error).__name__}): restart it; the same command "
                "continues"
            ) from None


def check_dask(scheduler: str | None) -> None:
    """Raise if Dask could not run: no library, scheduler or workers, or a different version of freshtake on them."""
    _distributed()
    if scheduler is not None:
        with _client(1, scheduler) as client:
            _check_versions(client)


def _distributed() -> Any:
    try:
        return import_module("distributed")
    except ImportError:
        raise MissingExtra("the engine dask", "crowd") from None


def _sent(model: VariationModel) -> VariationModel:
    return model


@contextmanager
def _client(workers: int, scheduler: str | None) -> Iterator[Any]:
    lib = _distributed()
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # its errors are reworded and raised here
    if scheduler is None:
        # Without an address, the cluster's status page would be open to the network.
        options: dict[str, Any] = {
            "n_workers": workers, "threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": "127.0.0.1:0",
        }  # fmt: skip
        with lib.LocalCluster(**options) as cluster, lib.Client(cluster) as client:
            yield client
        return
    try:
        client = _connect(lib, scheduler)
    except (OSError, TimeoutError, ValueError, TypeError):
        raise UsageError(
            f"no Dask scheduler answers at {scheduler}: start one with `dask scheduler`, and check address and firewall"
        ) from None
    with client:
        if not client.scheduler_info(n_workers=-1)["workers"]:
            raise UsageError(f"the Dask scheduler at {scheduler} has no workers: start some with `dask worker`")
        yield client


def _connect(lib: Any, scheduler: str) -> Any:
    """Return a client of a scheduler. One that cannot connect is closed at once.

    Dask would leave that to the garbage collector: if it runs while a cluster starts, the cluster waits forever for
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
    """Check that all workers have this version of freshtake: another version would make different bytes."""

    def version() -> str:  # sent as code, since a worker's freshtake may lack crowds
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
