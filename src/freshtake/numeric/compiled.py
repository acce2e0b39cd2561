"""Numba with the settings of this project: no global lock, machine code kept on disk where the disk allows it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

import numba
from numba.core.caching import NullCache
from numba.core.runtime.nrt import rtsys

from freshtake.numeric.machine_code import caches_of

UNREADABLE = (AttributeError, ImportError, EOFError)  # of machine code on disk: names that are gone, half a file
Listener = Callable[[str, bool], None]
_listeners: list[Listener] = []


def tell_of_compiling(listener: Listener | None) -> None:
    """Call `listener` with a function's name before it compiles (True) and after it (False); None stops that."""
    _listeners[:] = [] if listener is None else [listener]


Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile on first use, release the interpreter lock, keep the machine code on disk.

    Where neither the package's folder nor the user's can be written, the kernel compiles anew in every process.
    """
    return _compiled(function)


def fused(function: Function) -> Function:
    """The same, with products and sums in one instruction where the processor has it."""
    return _compiled(function, fastmath={"contract"})


def uncounted(function: Function) -> Function:
    """The same for kernels that make no arrays of their own: parts of arrays are not counted as being in use.

    Counting takes an atomic instruction for every row that is looked at: a third of the time of planting.
    """
    try:
        return _compiled(function, _nrt=False)
    except KeyError:  # numba does not promise that it will always have this option
        return _compiled(function)


def _compiled(function: Function, **options: Any) -> Function:
    vars(function)["compiled_with"] = repr(options)  # of which its fingerprint knows
    wrapped: Any = numba.njit(function, nogil=True, error_model="numpy", **options)
    wrapped._cache = _DiskCache(function)
    return wrapped  # type: ignore[no-any-return]


class _DiskCache:
    """Numba's caches, looked for when they are needed, and read without what only compiling needs.

    Before numba reads machine code, it fills its tables of all that could be compiled: 0.4 s in every process. Loading
    needs the run time alone; whatever is not in a cache and has to be compiled fills the tables then.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._opened: list[Any] = []

    @property
    def _caches(self) -> list[Any]:
        if not self._opened:
            self._opened = caches_of(self._function)
        return self._opened

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The machine code for these types of arguments, or None."""
        for cache in self._caches:
            if not isinstance(cache, NullCache):
                rtsys.initialize(target)
                loaded = _loaded(cache, signature, target)
                if loaded is not None:
                    return loaded
        self._tell(True)
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep machine code that was just compiled, where there is a place for it."""
        self._tell(False)
        with suppress(OSError):  # a full disk, or a folder that may not be written: it is compiled again next time
            self._caches[-1].save_overload(signature, result)

    def _tell(self, begins: bool) -> None:
        for listener in _listeners:
            listener(f"{self._function.__module__}.{self._function.__name__}".removeprefix("freshtake."), begins)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._caches[-1], name)


def _loaded(cache: Any, signature: Any, target: Any) -> Any:
    try:
        return cache._load_overload(signature, target)
    except UNREADABLE:
        with suppress(OSError):
            cache.flush()
    except OSError:  # a file that may not be read, or that another process replaces just now
        pass
    return None
