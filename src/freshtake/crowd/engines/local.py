"""Shards on this machine: in this process, or in several that start afresh and end with it."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import connection, get_context, parent_process

from freshtake.crowd.tasks import Record, Task, run_task
from freshtake.errors import UsageError

TRIES = 3  # pools, where processes of one are killed


def run_here(tasks: Sequence[Task], workers: int) -> Iterator[Record]:
    """Records as shards are finished. A killed worker costs what it was at; the others' shards stay."""
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
