"""Building a glTF document: arrays become accessors of one growing buffer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from freshtake.errors import FormatError

VERTICES, INDICES = 34962, 34963
_CODES: dict[np.dtype[Any], int] = {
    np.dtype("<u1"): 5121, np.dtype("<u2"): 5123, np.dtype("<u4"): 5125, np.dtype("<f4"): 5126,
}  # fmt: skip


class Builder:
    """A document under construction; `document` may come from an existing file, `binary` is its buffer."""

    def __init__(self, path: Path, document: dict[str, Any], binary: bytes = b"") -> None:
        self.path = path
        self.document = document
        self.binary = bytearray(binary)

    def append(self, key: str, entry: dict[str, Any]) -> int:
        """Add an object to one of the document's lists; returns its number."""
        entries: list[dict[str, Any]] = self.document.setdefault(key, [])
        entries.append(entry)
        return len(entries) - 1

    def view(self, data: bytes, target: int | None = None) -> int:
        """Add bytes as a buffer view, aligned to four."""
        self.binary += bytes(-len(self.binary) % 4)
        entry = {"buffer": 0, "byteOffset": len(self.binary), "byteLength": len(data)}
        if target is not None:
            entry["target"] = target
        self.binary += data
        return self.append("bufferViews", entry)

    def accessor(self, values: npt.NDArray[Any], kind: str, target: int | None = None, bounds: bool = False) -> int:
        """Add an array (count, ...) whose dtype names the component type; float64 becomes float32."""
        if values.dtype == np.float64:
            values = self._single(values)
        entry = {
            "bufferView": self.view(values.tobytes(), target),
            "componentType": _CODES[values.dtype],
            "count": len(values),
            "type": kind,
        }
        if bounds:
            columns = values.reshape(len(values), -1)
            entry["min"], entry["max"] = columns.min(axis=0).tolist(), columns.max(axis=0).tolist()
        return self.append("accessors", entry)

    def _single(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
        with np.errstate(over="ignore"):
            out = values.astype("<f4")
        if not np.isfinite(out).all():
            largest = float(np.abs(values).max())
            raise FormatError(
                self.path, f"the length {largest:g} m does not fit glTF's single precision: scale the clip"
            )
        return out
