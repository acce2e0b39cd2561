"""Numba with the settings of this project: no global lock, cached on disk where the disk allows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile on first use, release the interpreter lock, keep the machine code on disk.

    Where neither the package's folder nor the user's can be written, numba refuses to cache when it decorates;
    the kernel then compiles anew in every process.
    """
    try:
        return _compiled(function, cache=True)
    except RuntimeError:
        return _compiled(function, cache=False)


def _compiled(function: Function, *, cache: bool) -> Function:
    wrapped: Any = numba.njit(function, nogil=True, error_model="numpy", cache=cache)
    return wrapped  # type: ignore[no-any-return]
