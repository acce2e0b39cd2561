"""Numba with the settings of this project: no global lock, machine code cached on disk where possible.

A file of machine code carries the fingerprint of its function, which shows whether the two still match.
"""

from __future__ import annotations

import hashlib
import pickle
import secrets
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cached_property, lru_cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, TypeVar

import llvmlite  # type: ignore[import-untyped]
import numba
import numpy as np
from numba.core.compiler import CompileResult
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps
from numba.misc.appdirs import user_cache_dir

from freshtake.numeric.processors import processors

Kernel = Callable[..., Any]
MARK = b"freshtake machine code 1\n"
DIGEST_SIZE = hashlib.sha256().digest_size
SHIPPED = Path(__file__).resolve().parents[1] / "machine_code"  # in wheels that ship it, a folder for each processor
_folders: list[str] = []
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

    If neither the package's folder nor the user's is writable, the function is recompiled in every process.
    """
    return _compiled(function)


def fused(function: Function) -> Function:
    """Compile like `compiled`, with products and sums in one instruction if the processor has it."""
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
    """Numba's cache interface: machine code is looked up when needed, and loaded without the compiler's tables.

    Before numba reads its caches, it fills its tables of everything that can be compiled: 0.4 s in every process.
    Loading needs only the runtime; the tables are filled when something is not on disk and has to be compiled.
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
        """Store newly compiled machine code, if a folder is available."""
        self._tell(False)
        _compiled_here.append(self._function.__name__)
        self._code.save(signature, result)

    def _tell(self, begins: bool) -> None:
        for listener in _listeners:
            listener(f"{self._function.__module__}.{self._function.__name__}".removeprefix("freshtake."), begins)


def keep_machine_code_in(*folders: str) -> None:
    """Look for machine code in these folders, in this order, and write new machine code into the last folder.

    Folders may be moved and copied, because their files are named by module. Without folders, machine code is next to
    the function's file or, if that is not writable, in the user's cache folder. Call this before the first compiled
    function runs.
    """
    _folders[:] = folders


class MachineCode:
    """Machine code of one function: a file for each combination of argument types and processor.

    A file contains a hash of its content and its purpose, and is written atomically. A file that is damaged or has
    another purpose is ignored, and is replaced when the function has been compiled. No index is needed, on which
    processes would have to agree.
    """

    def __init__(self, function: Kernel) -> None:
        name = function.__qualname__.replace("<", "").replace(">", "")
        versions = f"{sys.implementation.cache_tag}{getattr(sys, 'abiflags', '')}"
        self._fingerprint, self._module = fingerprint(function), function.__module__
        self._stem = f"{function.__module__.rpartition('.')[2]}.{name}.{versions}."
        if _folders:
            self._read_from = [Path(folder, function.__module__) for folder in _folders]
            self._write_to = self._read_from[-1:]
        else:
            home = Path(function.__code__.co_filename).absolute().parent
            self._read_from = self._write_to = _usual_folders(home, function.__module__)

    def load(self, signature: Any, target: Any) -> Any:
        """Return the compiled result for these argument types, or None."""
        here = target.codegen().magic_tuple()
        shipped = [(SHIPPED / each / self._module, (here[0], each, "")) for each in shipped_processors()]
        for folder, machine in [*shipped, *((folder, here) for folder in self._read_from)]:
            with suppress(Exception):  # if anything is wrong with the file, recompile and replace it
                name, purpose = self._name(signature, machine)
                stored, payload = pickle.loads(_verified(folder / name, purpose))
                if stored == signature:
                    return CompileResult._rebuild(target, *payload)  # type: ignore[no-untyped-call]
        return None

    def save(self, signature: Any, result: Any) -> None:
        """Write a compiled result into the first writable folder; without one it is recompiled."""
        if result.library.has_dynamic_globals or any(not lifted.can_cache for lifted in result.lifted):
            return  # it points into this process
        name, purpose = self._name(signature, result.codegen.magic_tuple())
        content = dumps((signature, result._reduce()))  # type: ignore[no-untyped-call]
        data = MARK + _digest(purpose, content) + content
        for folder in self._write_to:
            with suppress(OSError):
                _write(folder / name, data)
                self._clear(folder)
                return

    def _name(self, signature: Any, machine: tuple[str, ...]) -> tuple[str, bytes]:
        """Return a file's name and, in bytes, everything that its content depends on.

        `machine` is numba's target: the system, the processor's name and its features.
        """
        versions = (numba.__version__, llvmlite.__version__, sys.version_info[:2])
        purpose = repr((self._stem, self._fingerprint, str(signature), machine, versions)).encode()
        return f"{self._stem}{self._fingerprint[:12]}.{hashlib.sha256(purpose).hexdigest()[:12]}.nbc", purpose

    def _clear(self, folder: Path) -> None:
        """Remove results from before an edit of this function, and files that a killed process left half-written."""
        for path in list(folder.glob(f"{self._stem}*")):
            with suppress(OSError):
                # Writing takes milliseconds: a temporary file ten minutes old was left by a killed process.
                half_written = path.suffix == ".tmp" and time.time() - path.stat().st_mtime > 600.0
                outdated = path.suffix == ".nbc" and not path.name.startswith(f"{self._stem}{self._fingerprint[:12]}.")
                if half_written or outdated:
                    path.unlink()


@lru_cache(maxsize=1)
def shipped_processors() -> tuple[str, ...]:
    """Return the best processor for which this installation has machine code; empty if folders or a target are set.

    Use only the best processor's code, because results of processors differ in their last digits.
    """
    if not SHIPPED.is_dir() or _folders or getattr(numba.config, "CPU_NAME", None):
        return ()
    return tuple(name for name in processors() if (SHIPPED / name).is_dir())[:1]


def has_machine_code(kernel: str) -> bool:
    """Return whether a function, such as `numeric.dtw.accumulate`, was compiled here before, for any types."""
    module, _, name = kernel.rpartition(".")
    package = Path(__file__).resolve().parents[1]
    home = f"freshtake.{module}"
    places = _usual_folders(package.joinpath(*module.split(".")[:-1]), home)
    places += [SHIPPED / each / home for each in shipped_processors()]
    pattern = f"{module.rpartition('.')[2]}.{name}.{sys.implementation.cache_tag}*.nbc"
    return any(True for place in places for _ in place.glob(pattern))


def _usual_folders(folder: Path, module: str) -> list[Path]:
    """Return the folders for the machine code of a folder's files: next to them, or in the user's cache for this copy.

    NUMBA_CACHE_DIR replaces both.
    """
    copy = hashlib.sha256(bytes(folder)).hexdigest()[:12]
    if chosen := getattr(numba.config, "CACHE_DIR", ""):
        return [Path(chosen, copy, module)]
    user = user_cache_dir("freshtake", appauthor=False)  # type: ignore[no-untyped-call]
    return [folder / "__pycache__", Path(user, "machine_code", copy, module)]


def _verified(path: Path, purpose: bytes) -> bytes:
    data = path.read_bytes()
    start = len(MARK) + DIGEST_SIZE
    content = data[start:]
    if data[:start] != MARK + _digest(purpose, content):
        raise ValueError("not what was written for this purpose")
    return content


def _digest(purpose: bytes, content: bytes) -> bytes:
    return hashlib.sha256(purpose + b"\0" + content).digest()


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        temporary.write_bytes(data)
        if path.is_dir():
            path.rmdir()
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def fingerprint(function: Kernel) -> str:
    """Return a hash of everything from which a kernel is compiled: code, options, called kernels and constants.

    Numba's stamp covers only the kernel's file, so an edit of a kernel in another file would go unnoticed. Its stamp is
    the file's date, so a copy would be recompiled.
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
    """Yield the code of a function, and of the functions inside it."""
    yield code
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _codes(value)


def _value_parts(name: str, value: Any, code: CodeType, seen: set[Kernel]) -> Iterator[str]:
    """Yield the value of a name where the kernel was defined."""
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
