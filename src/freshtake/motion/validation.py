"""Checks shared by all motion types: arrays are copied, finite, read-only and of the right shape.

Also checks for settings and stored recipes, and the frame rate and duration of every motion with a steady rate.
"""

import re
from collections.abc import Iterable, Sized
from dataclasses import replace
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from freshtake.errors import InvalidMotion, UsageError
from freshtake.lazy import Showable
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import ROUNDING, WRONG_LENGTH

UP_AXES = ("y", "z")
Array = npt.NDArray[Any]


def frozen(
    value: npt.ArrayLike, name: str, shape: tuple[int | None, ...], dtype: type = np.float64, *, finite: bool = True
) -> npt.NDArray[Any]:
    """Return a read-only copy with the given shape (None: any length), of finite numbers unless gaps are allowed.

    An array that cannot change is not copied, because a mesh sequence may occupy half of the memory.
    """
    try:
        shared = _unchanging(value) and value.dtype == dtype and value.flags.c_contiguous and value.flags.aligned  # type: ignore[union-attr]
        array: npt.NDArray[Any] = value if shared else np.array(value, dtype=dtype, order="C", copy=True)  # type: ignore[assignment]
    except (TypeError, ValueError) as error:
        raise InvalidMotion(f"{name} must be an array of numbers ({error})") from None
    if np.issubdtype(dtype, np.integer) and not np.array_equal(array, np.asarray(value)):
        raise InvalidMotion(f"{name} must be whole numbers")
    actual = array.shape
    if len(actual) != len(shape) or actual != tuple(
        [m if n is None else n for n, m in zip(shape, actual, strict=True)]
    ):
        expected = tuple("any" if n is None else str(n) for n in shape)
        raise InvalidMotion(f"{name} must have shape ({', '.join(expected)}), but has {array.shape}")
    if finite and not _all_finite(array):
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise InvalidMotion(f"{name} must be finite, but holds {array[place]} at index {place}")
    array.setflags(write=False)
    return array


def _unchanging(value: object) -> bool:
    """Return whether an array and all its bases are read-only, down to bytes or memory that the array owns."""
    base = value
    while isinstance(base, np.ndarray):
        if base.flags.writeable:
            return False
        base = base.base
    if isinstance(base, memoryview):
        base = base.obj
    return isinstance(value, np.ndarray) and (base is None or isinstance(base, bytes))


def _all_finite(array: npt.NDArray[Any]) -> bool:
    """Return whether all numbers are finite, tested in blocks to limit memory."""
    if array.ndim < 2:
        return bool(np.isfinite(array).all())
    # Four million numbers at a time.
    step = max(1, (1 << 22) * len(array) // max(array.size, 1))
    return all(bool(np.isfinite(array[first : first + step]).all()) for first in range(0, len(array), step))


def frozen_quaternions(value: npt.ArrayLike, name: str, shape: tuple[int | None, ...]) -> Floats:
    """Check as `frozen` does, and that lengths are 1: correct tiny errors, refuse larger errors."""
    array: Floats = frozen(value, name, shape, finite=False)
    with np.errstate(over="ignore", invalid="ignore"):
        w, x, y, z = array[..., 0], array[..., 1], array[..., 2], array[..., 3]
        length = np.sqrt(w * w + x * x + y * y + z * z)
        off = np.abs(length - 1.0)
    worst = off.max(initial=0.0)
    if not worst <= WRONG_LENGTH:
        frozen(array, name, shape)  # raises if one is not finite
        place = tuple(int(i) for i in np.unravel_index(off.argmax(), off.shape))
        raise InvalidMotion(f"{name} must be unit quaternions, but has length {length[place]:.6g} at index {place}")
    if worst > ROUNDING:
        array = array / length[..., None]  # not in place: the array may be shared
        array.setflags(write=False)
    return array


def positive(value: float, name: str) -> float:
    """Return a finite number above zero whose reciprocal is finite too."""
    number = float(value)
    if not (np.isfinite(number) and number > 1e-300):
        raise InvalidMotion(f"{name} must be a finite number above 0, but is {value}")
    return number


def fps_of(frame_time: float) -> float:
    """Return frames per second; an integer if the frame time is exactly its reciprocal."""
    fps = 1.0 / frame_time
    nearest = float(round(fps))
    return nearest if nearest > 0 and 1.0 / nearest == frame_time else fps


def same_rate(a: float, b: float) -> bool:
    """Return whether two frame times (or rates) agree up to rounding: 0.016667 s is 60 fps, and so is 59.94 fps."""
    # A tenth of a percent: 60 and 60 / 1.001 are the same rate.
    return abs(a / b - 1.0) < 1.001e-3


def check_timing(motion: Any) -> None:
    """Check frame time, vertical axis and unit of length of a motion or a layout."""
    object.__setattr__(motion, "frame_time", positive(motion.frame_time, "frame_time"))
    if motion.up not in UP_AXES:
        raise InvalidMotion(f"up must be one of {', '.join(UP_AXES)}, but is {motion.up!r}")
    if motion.unit_m is not None:
        object.__setattr__(motion, "unit_m", positive(motion.unit_m, "unit_m"))


def checked_names(given: Iterable[str], what: str) -> tuple[str, ...]:
    """Check that names are not empty or repeated and contain no control characters."""
    if isinstance(given, str):
        raise InvalidMotion(f"{what} names must be given one by one, not as the text {given!r}")
    names = tuple(given)
    seen: set[str] = set()
    for name in names:
        if not isinstance(name, str) or not name.strip() or re.search(r"[\x00-\x1f\x7f]", name):
            raise InvalidMotion(f"a {what} has the name {name!r}, which is empty or contains control characters")
        if name in seen:
            raise InvalidMotion(f"two {what}s are named {name!r}: names must differ")
        seen.add(name)
    return names


class Timed(Showable, Sized):
    """A motion of evenly spaced frames; `frame_time` is in seconds, as its file has it."""

    frame_time: float

    @property
    def fps(self) -> float:
        """Frames per second, the reciprocal of the frame time."""
        return fps_of(self.frame_time)

    @property
    def duration(self) -> float:
        """Seconds from the first frame to the last."""
        return (len(self) - 1) * self.frame_time


class Changeable:
    """Settings that can be copied with changes."""

    def changed(self, **changes: Any) -> Self:
        """Return a copy with some settings replaced.

        Args:
            **changes: new values by the name of their setting.

        Returns:
            The copy, validated like any other settings.
        """
        return replace(self, **changes)  # type: ignore[type-var]


def one_of(settings: object, name: str, choices: tuple[Any, ...]) -> None:
    """Refuse a setting that is not among the choices."""
    value = getattr(settings, name)
    if value not in choices:
        raise UsageError(f"{name} must be one of {', '.join(map(str, choices))}, not {value!r}")


def between(settings: object, name: str, low: float, high: float) -> None:
    """Refuse a number outside its range or, if `low` is an integer, a fraction; None passes."""
    value = getattr(settings, name)
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise UsageError(f"{name} must lie between {low:g} and {high:g}, but is {value!r}")
    if isinstance(low, int) and not isinstance(value, int):
        raise UsageError(f"{name} must be a whole number, but is {value!r}")


class Parts(NamedTuple):
    """The stored form of a model, a recipe or a skeleton: a header of plain values, and arrays by name.

    A file may contain anything, so these methods refuse values that are missing or of another type.
    """

    header: Any
    arrays: dict[str, Array]

    def field(self, name: str, *types: type) -> Any:
        """Return a value of the header, of one of the given types."""
        if name not in self.header:
            raise InvalidMotion(f"a stored recipe lacks {name!r}")
        value = self.header[name]
        if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
            raise InvalidMotion(f"{name!r} of a stored recipe is {value!r}, which cannot be")
        return value

    def choice(self, name: str, choices: tuple[str, ...]) -> str:
        """Return a word of the header that must be one of the choices."""
        value: str = self.field(name, str)
        if value not in choices:
            raise InvalidMotion(f"{name!r} of a stored recipe is {value!r}, not one of {', '.join(choices)}")
        return value

    def listed(self, name: str, what: str, *types: type) -> tuple[Any, ...]:
        """Return a list of the header with values of these types; `what` is their name in messages."""
        values = self.field(name, list, tuple)
        if not all(isinstance(value, types) and not isinstance(value, bool) for value in values):
            raise InvalidMotion(f"{name!r} of a stored recipe must be a list of {what}")
        return tuple(values)

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of strings of the header."""
        return self.listed(name, "texts", str)

    def placed(self) -> tuple[float, str, float | None]:
        """Return frame time, vertical axis and unit of a stored layout."""
        unit_m = self.field("unit_m", float, int, type(None))
        return self.field("frame_time", float, int), self.field("up", str), unit_m

    def array(self, name: str) -> Array:
        """Return an array that must be present."""
        if name not in self.arrays:
            raise InvalidMotion(f"a stored recipe lacks the array {name!r}")
        return np.asarray(self.arrays[name])

    def complexes(self, name: str) -> npt.NDArray[np.complex128]:
        """Return complex numbers, which are stored as pairs of floats."""
        pairs = np.ascontiguousarray(self.array(name), dtype=np.float64)
        if pairs.ndim != 1 or len(pairs) % 2:
            raise InvalidMotion(f"the array {name!r} of a stored recipe must hold pairs")
        return pairs.view(np.complex128)
