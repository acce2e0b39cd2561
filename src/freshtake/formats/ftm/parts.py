"""What a method hands to the model file and gets back: a header of plain values and arrays by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import FormatError
from freshtake.formats.ftm.fields import Fields
from freshtake.numeric.arrays import Floats

Array = npt.NDArray[Any]


class Parts(NamedTuple):
    """To be written."""

    header: dict[str, Any]
    arrays: dict[str, Array]


@dataclass(frozen=True)
class ReadParts:
    """As read: the header's fields, and arrays whose checksums were right."""

    fields: Fields
    arrays: Mapping[str, Array]

    def numbers(self, name: str, shape: tuple[int, ...], low: float = -np.inf, high: float = np.inf) -> Floats:
        """A float64 array of this shape with finite values between two bounds."""
        place = f"array {name!r}"
        if name not in self.arrays:
            raise FormatError(self.fields.path, "the array is missing", place)
        found = self.arrays[name]
        if found.dtype.kind not in "fiub" or found.shape != shape:
            wanted = " x ".join(map(str, shape))
            raise FormatError(
                self.fields.path, f"{wanted} numbers were expected, not {found.shape} of {found.dtype}", place
            )
        with np.errstate(invalid="ignore"):  # signalling NaNs
            values = np.ascontiguousarray(found, dtype=np.float64)
        if not np.isfinite(values).all() or (values < low).any() or (values > high).any():
            raise FormatError(self.fields.path, f"finite numbers between {low:g} and {high:g} were expected", place)
        return values


def compact(values: Floats) -> Array:
    """As float32 where that loses nothing, which is what models round to; else as it is."""
    with np.errstate(over="ignore"):
        small = np.asarray(values, dtype=np.float32)
    return small if np.array_equal(small.astype(np.float64), values) else np.asarray(values, dtype=np.float64)
