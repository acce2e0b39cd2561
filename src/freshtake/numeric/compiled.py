"""Numba with the settings of this project: no global lock, cached on disk where the disk allows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba.core.caching import FunctionCache, NullCache  # what njit(cache=True) uses, and has for years
from numba.core.runtime.nrt import rtsys

UNREADABLE = (AttributeError, ImportError, EOFError)  # of machine code on disk: names that are gone, half a file
Listener = Callable[[str, bool], None]
_listeners: list[Listener] = []


def tell_of_compiling(listener: Listener | None) -> None:
    """Call this with a kernel's name before it compiles (True) and after it (False); None: nobody is told any more."""
    _listeners[:] = [] if listener is None else [listener]


Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile on first use, release the interpreter lock, keep the machine code on disk.

    Where neither the package's folder nor the user's can be written, the kernel compiles anew in every process.
    """
    wrapped: Any = numba.njit(function, nogil=True, error_model="numpy")
    wrapped._cache = _DiskCache(function)
    return wrapped  # type: ignore[no-any-return]


class _DiskCache:
    """Numba's cache, looked for when it is needed, and read without what only compiling needs.

    Before numba reads machine code, it fills its tables of all that could be compiled: 0.4 s in every process. Loading
    needs the run time alone; whatever is not in the cache and has to be compiled fills the tables then.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._found: Any = None

    @property
    def _cache(self) -> Any:
        if self._found is None:
            try:
                self._found = FunctionCache(self._function)  # type: ignore[no-untyped-call]
            except RuntimeError:  # there is no folder that can be written
                self._found = NullCache()
        return self._found

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The machine code for these types of arguments, or None."""
        cache = self._cache
        found = None
        if not isinstance(cache, NullCache):
            rtsys.initialize(target)
            with cache._guard_against_spurious_io_errors():
                try:
                    found = cache._load_overload(signature, target)
                except UNREADABLE:
                    cache.flush()
        if found is None:
            self._tell(True)
        return found

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep machine code that was just compiled, where there is a place for it."""
        self._tell(False)
        self._cache.save_overload(signature, result)

    def _tell(self, begins: bool) -> None:
        for listener in _listeners:
            listener(f"{self._function.__module__}.{self._function.__name__}".removeprefix("freshtake."), begins)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)
