"""Numba with the settings of this project: no global lock, machine code cached on disk where possible."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar

import numba
from numba.core.runtime.nrt import rtsys

from freshtake.numeric.machine_code import MachineCode

Listener = Callable[[str, bool], None]
_listeners: list[Listener] = []
_compiled_here: list[str] = []


def compiled_here() -> bool:
    """Return whether this process has compiled anything, as on the first use after an installation."""
    return bool(_compiled_here)


def tell_of_compiling(listener: Listener | None) -> None:
    """Call `listener` with a function's name before it compiles (True) and after it (False); None stops the calls."""
    _listeners[:] = [] if listener is None else [listener]


Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile on first use, release the interpreter lock, cache the machine code on disk.

    Where neither the package's folder nor the user's is writable, the function is compiled again in every process.
    """
    return _compiled(function)


def fused(function: Function) -> Function:
    """Compile like `compiled`, with products and sums in one instruction where the processor has it."""
    return _compiled(function, fastmath={"contract"})


def uncounted(function: Function) -> Function:
    """Compile like `compiled`, for functions that allocate no arrays: views of arrays are not reference-counted.

    Counting takes an atomic instruction for every row that is accessed: a third of the time of planting.
    """
    try:
        return _compiled(function, _nrt=False)
    except KeyError:  # numba does not promise to keep this option
        return _compiled(function)


def _compiled(function: Function, **options: Any) -> Function:
    vars(function)["compiled_with"] = repr(options)  # part of its fingerprint
    wrapped: Any = numba.njit(function, nogil=True, error_model="numpy", **options)
    wrapped._cache = _DiskCache(function)
    return wrapped  # type: ignore[no-any-return]


class _DiskCache:
    """Numba's cache interface: machine code is looked up when needed, and read without what only compiling needs.

    Before numba reads its caches, it fills its tables of all that could be compiled: 0.4 s in every process.
    Loading needs the run time alone; whatever is not on disk and has to be compiled fills the tables then.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    @cached_property
    def _code(self) -> MachineCode:
        return MachineCode(self._function)

    def load_overload(self, signature: Any, target: Any) -> Any:
        """Return the machine code for these types of arguments, or None."""
        rtsys.initialize(target)
        loaded = self._code.load(signature, target)
        if loaded is None:
            self._tell(True)
        return loaded

    def save_overload(self, signature: Any, result: Any) -> None:
        """Store newly compiled machine code, where there is a place for it."""
        self._tell(False)
        _compiled_here.append(self._function.__name__)
        self._code.save(signature, result)

    def _tell(self, begins: bool) -> None:
        for listener in _listeners:
            listener(f"{self._function.__module__}.{self._function.__name__}".removeprefix("freshtake."), begins)
