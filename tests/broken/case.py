"""One broken file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Case:
    """`make` is the file's content, or writes it (and what it depends on); `says` are pieces of the one sentence."""

    title: str
    name: str
    make: bytes | str | Callable[[Path], object]
    says: tuple[str, ...]

    def write(self, folder: Path) -> Path:
        """Put the file into the folder and return its path."""
        path = folder / self.name
        if callable(self.make):
            self.make(path)
        else:
            path.write_bytes(self.make.encode() if isinstance(self.make, str) else self.make)
        return path
