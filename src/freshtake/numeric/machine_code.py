"""Where machine code of kernels is kept, and the fingerprint that says whether it is still that of the kernel."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from types import CodeType, ModuleType
from typing import Any

import numpy as np
from numba.core.caching import CompileResultCacheImpl, FunctionCache, NullCache, _CacheLocator

Kernel = Callable[..., Any]
_folders: list[str] = []


def keep_machine_code_in(*folders: str) -> None:
    """Look for machine code in these folders, in this order, and write what is compiled into the last one.

    They may be moved and copied, because files in them are named by module. Without folders, numba chooses where:
    beside the kernel's file, or in a folder of the user. To be called before the first kernel runs.
    """
    _folders[:] = folders


def caches_of(function: Kernel) -> list[Any]:
    """The caches in which to look for a kernel's machine code; the last one is written to."""
    if _folders:
        return [_folder_cache(function, folder) for folder in _folders]
    try:
        cache = FunctionCache(function)  # type: ignore[no-untyped-call]
    except RuntimeError:  # there is no folder that can be written
        return [NullCache()]
    cache._cache_file._source_stamp = fingerprint(function)
    return [cache]


def _folder_cache(function: Kernel, folder: str) -> Any:
    class Locator(_CacheLocator):
        @classmethod
        def from_function(cls, py_func: Kernel, py_file: str) -> Locator:
            return cls()

        def get_cache_path(self) -> str:
            return f"{folder}/{function.__module__}"

        def get_source_stamp(self) -> str:
            return fingerprint(function)

        def get_disambiguator(self) -> str:
            return str(function.__code__.co_firstlineno)

    class Impl(CompileResultCacheImpl):
        _locator_classes = [Locator]  # type: ignore[list-item]  # noqa: RUF012

    class Cache(FunctionCache):
        _impl_class = Impl

    return Cache(function)  # type: ignore[no-untyped-call]


def fingerprint(function: Kernel) -> str:
    """A hash of all that a kernel is compiled from: its code and options, the kernels it calls, the constants it reads.

    Numba's own stamp knows the kernel's file only, so that an edit of a kernel in another file would go unnoticed;
    where it is the file's date, a copy would have to be compiled again.
    """
    digest = hashlib.sha256()
    for part in _parts(function, set()):
        digest.update(part.encode())
        digest.update(b"\0")
    return digest.hexdigest()


def _parts(function: Kernel, seen: set[Kernel]) -> Iterator[str]:
    if function in seen:
        return
    seen.add(function)
    yield f"{function.__module__}.{function.__qualname__} {function.__defaults__!r}"
    yield getattr(function, "compiled_with", "")
    for code in _codes(function.__code__):
        constants = [value for value in code.co_consts if not isinstance(value, CodeType)]
        yield f"{code.co_code.hex()} {code.co_names} {code.co_varnames} {constants!r}"
        for name in code.co_names:
            if name in function.__globals__:
                yield from _value_parts(name, function.__globals__[name], code, seen)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield from _value_parts(name, cell.cell_contents, function.__code__, seen)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The code of a function, and of those inside it."""
    yield code
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _codes(value)


def _value_parts(name: str, value: Any, code: CodeType, seen: set[Kernel]) -> Iterator[str]:
    """What a name stands for where the kernel was defined."""
    kernel = getattr(value, "py_func", None)
    if kernel is not None:
        yield from _parts(kernel, seen)
    elif isinstance(value, ModuleType):
        yield f"{name} is {value.__name__}"
        if value.__name__.partition(".")[0] not in {"numpy", "math", "numba"}:
            for inner in code.co_names:
                if inner in vars(value):
                    yield from _value_parts(inner, vars(value)[inner], code, seen)
    elif isinstance(value, np.ndarray):
        yield f"{name} = {value.dtype} {value.shape} {value.tobytes().hex()}"
    elif isinstance(value, bool | int | float | complex | str | bytes | tuple | np.generic | None):
        yield f"{name} = {value!r}"
    else:  # a type, or a function that numba knows
        yield f"{name} is {getattr(value, '__module__', '')}.{getattr(value, '__qualname__', type(value).__name__)}"
