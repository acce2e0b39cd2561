"""Single fields of an archive, checked: numbers, whole numbers, texts, and the rate, unit and axis that nouns share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from freshtake.errors import FormatError
from freshtake.formats.npz.archive import Archive
from freshtake.formats.read_options import ReadOptions
from freshtake.motion import Clip, MeshSequence, PointClip
from freshtake.motion.validation import fps_of
from freshtake.numeric.arrays import Ints

Arrays = dict[str, npt.NDArray[Any]]


def numbers(archive: Archive, key: str, dtype: type = np.float64) -> npt.NDArray[Any]:
    """An array of numbers as float64 or another type; what has that type already comes back bit for bit."""
    array = archive.array(key)
    if array.dtype.kind not in "fiub":
        raise FormatError(archive.path, f"numbers were expected, not {array.dtype}", f"array {key!r}")
    with np.errstate(over="ignore"):  # what float32 cannot hold becomes infinite, which the nouns refuse
        return array.astype(dtype)


def whole_numbers(archive: Archive, key: str, highest: int = 2**31 - 1) -> Ints:
    """An array of integers that lie in the range of an index (-1 for none)."""
    array = archive.array(key)
    if array.dtype.kind not in "iu":
        raise FormatError(archive.path, f"whole numbers were expected, not {array.dtype}", f"array {key!r}")
    if array.size and (array.min() < -1 or array.max() > highest):
        raise FormatError(archive.path, f"numbers from -1 to {highest} were expected", f"array {key!r}")
    return array.astype(np.intp)


def number(archive: Archive, key: str) -> float:
    """A single number, also where it was saved as an array with one entry."""
    array = numbers(archive, key)
    if array.size != 1:
        raise FormatError(archive.path, f"one number was expected, not {array.shape}", f"array {key!r}")
    return float(array.reshape(()))


def texts(archive: Archive, key: str) -> tuple[str, ...]:
    """A list of texts."""
    array = archive.array(key)
    if array.dtype.kind == "S":
        array = np.array([value.decode("utf-8", "replace") for value in array.ravel().tolist()], dtype=np.str_)
    if array.dtype.kind != "U" or array.ndim > 1:
        raise FormatError(archive.path, f"a list of texts was expected, not {array.dtype}", f"array {key!r}")
    return tuple(array.ravel().tolist())


def text(archive: Archive, key: str, default: str) -> str:
    """A single text, or the default where the key is absent."""
    values = texts(archive, key) if key in archive else (default,)
    if len(values) != 1:
        raise FormatError(archive.path, f"one text was expected, not {len(values)}", f"array {key!r}")
    return values[0]


def frame_time(archive: Archive, options: ReadOptions) -> float:
    """Seconds per frame: `frame_time` where the file has it, else from `fps`, else from the caller's fps."""
    fps = number(archive, "fps") if "fps" in archive else options.fps
    if fps is None and "frame_time" not in archive:
        raise FormatError(archive.path, "the file states no frame rate: give it as fps")
    if fps is not None and not (math.isfinite(fps) and fps > 0):
        raise FormatError(archive.path, f"a rate above 0 was expected, not {fps}", "array 'fps'")
    if "frame_time" not in archive:
        return 1.0 / float(fps or 1.0)
    seconds = number(archive, "frame_time")
    if "fps" in archive and fps is not None and not math.isclose(seconds * fps, 1.0, rel_tol=1e-5):
        raise FormatError(archive.path, f"fps {fps:g} and frame_time {seconds:g} contradict each other: correct one")
    return seconds


def about(archive: Archive) -> dict[str, Any]:
    """Name and provenance."""
    return {
        "name": text(archive, "name", archive.path.stem),
        "provenance": text(archive, "provenance", archive.path.name),
    }


def space(archive: Archive, options: ReadOptions) -> dict[str, Any]:
    """Vertical axis and unit; an unknown unit is NaN in the file and None here, unless the caller knows it."""
    unit: float | None = number(archive, "unit_m") if "unit_m" in archive else math.nan
    if unit is not None and math.isnan(unit):
        unit = options.unit_m
    return {"up": text(archive, "up", options.up or "y"), "unit_m": unit}


def text_array(values: tuple[str, ...] | str) -> npt.NDArray[Any]:
    """Texts as a unicode array; an ending NUL would be lost in it and is refused."""
    for value in (values,) if isinstance(values, str) else values:
        if value.endswith("\x00"):
            raise ValueError(f"the text {value!r} ends with a NUL character, which an npz file cannot hold: rename it")
    return np.array(values, dtype=np.str_)


def about_arrays(motion: Clip | PointClip | MeshSequence) -> Arrays:
    """What all nouns with a frame rate say of themselves."""
    return {
        "fps": np.array(fps_of(motion.frame_time)),
        "frame_time": np.array(motion.frame_time),
        "up": text_array(motion.up),
        "unit_m": np.array(math.nan if motion.unit_m is None else motion.unit_m),
        "name": text_array(motion.name),
        "provenance": text_array(motion.provenance),
    }
