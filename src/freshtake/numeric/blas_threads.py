"""Run linear algebra on one thread: our matrices are small, and threads would mostly wait for each other.

More threads make the same work take up to ten times the processor time. They also sum in another order, so the last
digits differ, and a search over orders can turn that into another model. So every entry point of a method uses one
thread.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any, TypeVar

Item = TypeVar("Item")


class _Limit:
    """The number of active blocks, and by file the limited libraries with the thread counts to restore."""

    def __init__(self) -> None:
        self.lock, self.inside = Lock(), 0
        self.before: dict[str, tuple[Any, int]] = {}


_LIMIT = _Limit()


@cache
def _libraries() -> tuple[Any, ...]:
    """Return the linear algebra libraries that numpy has loaded."""
    from threadpoolctl import ThreadpoolController

    return tuple(ThreadpoolController().select(user_api="blas").lib_controllers)


def _set(library: Any, count: int) -> None:
    """Set a thread count from any thread: threadpoolctl obeys only the first thread that did, until it is freed."""
    free = getattr(library, "clear_controlling_thread", None)  # OpenBLAS only
    if free is not None:
        free(force=True)
    library.set_num_threads(count)
    if free is not None:
        free(force=True)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Run linear algebra on one thread inside a `with` block or a decorated function; counts are restored afterwards.

    The count belongs to the process: blocks may be nested and run in several threads at once, and the last one to end
    restores it.
    """
    libraries = _libraries()
    with _LIMIT.lock:
        for library in libraries:
            if library.filepath not in _LIMIT.before:
                _LIMIT.before[library.filepath] = library, library.get_num_threads()
                _set(library, 1)
        _LIMIT.inside += 1
    try:
        yield
    finally:
        with _LIMIT.lock:
            _LIMIT.inside -= 1
            if _LIMIT.inside == 0:
                for library, count in _LIMIT.before.values():
                    _set(library, count)
                _LIMIT.before.clear()


def on_one_blas_thread(items: Iterable[Item]) -> Iterator[Item]:
    """Yield the items of a lazy iterator, each computed inside `one_blas_thread`; between them the limit is off."""
    iterator = iter(items)
    while True:
        with one_blas_thread():
            try:
                item = next(iterator)
            except StopIteration:
                return
        yield item
