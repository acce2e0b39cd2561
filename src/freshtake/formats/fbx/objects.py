"""What an FBX file holds: objects by number, their properties, and which hangs on which."""

from __future__ import annotations

import math
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import FormatError
from freshtake.formats.fbx.parsing import Entry
from freshtake.numeric.arrays import Floats


class Link(NamedTuple):
    """An object that hangs on another, or on one of its properties (`role`)."""

    number: int
    role: str


class Scene:
    """Objects by number, with their links in both directions."""

    def __init__(self, path: Path, top: Entry) -> None:
        self.path, self.top = path, top
        self.objects: dict[int, Entry] = {}
        for entry in self._inside("Objects"):
            number = entry.value(0, int)
            if number is not None:
                self.objects.setdefault(number, entry)
        self.below: dict[int, list[Link]] = defaultdict(list)
        self.above: dict[int, list[Link]] = defaultdict(list)
        for entry in self._inside("Connections"):
            child, parent = entry.value(1, int), entry.value(2, int)
            if child is not None and parent is not None and child in self.objects:
                role = entry.value(3, str) or ""
                self.below[parent].append(Link(child, role))
                self.above[child].append(Link(parent, role))

    def _inside(self, name: str) -> list[Entry]:
        entry = self.top.one(name)
        return entry.inside if entry is not None else []

    def fail(self, problem: str, place: str) -> FormatError:
        """A refusal of this file."""
        return FormatError(self.path, problem, place)

    def of_kind(self, kind: str) -> list[int]:
        """Numbers of all objects of a kind, in the file's order."""
        return [number for number, entry in self.objects.items() if entry.name == kind]

    def name(self, number: int) -> str:
        """An object's name, without its class."""
        full_name = self.objects[number].value(1, str) or ""
        return "".join(letter for letter in full_name.split("\x00\x01")[0] if letter.isprintable()).strip()

    def form(self, number: int) -> str:
        """The class of a model, such as LimbNode."""
        return self.objects[number].value(2, str) or ""

    def below_of_kind(self, number: int, kind: str) -> list[Link]:
        """What of a kind hangs on an object."""
        return [link for link in self.below[number] if self.objects[link.number].name == kind]


class Properties:
    """The named values of an object; what is missing or of another type has its usual value."""

    def __init__(self, entry: Entry | None) -> None:
        listed = entry.one("Properties70") if entry is not None else None
        self._values: dict[str, list[Any]] = {}
        for row in listed.inside if listed is not None else []:
            name = row.value(0, str)
            if name is not None:
                self._values[name] = row.values[4:]

    def number(self, name: str, usual: float) -> float:
        """One number."""
        values = self._values.get(name, [])
        value = values[0] if values and isinstance(values[0], int | float) else usual
        return float(value) if math.isfinite(value) else usual

    def vector(self, name: str, usual: float = 0.0) -> Floats:
        """Three numbers."""
        values = self._values.get(name, [])[:3]
        good = len(values) == 3 and all(isinstance(value, int | float) and math.isfinite(value) for value in values)
        return np.array(values, dtype=np.float64) if good else np.full(3, usual)

    def text(self, name: str) -> str:
        """A text, empty where there is none."""
        values = self._values.get(name, [])
        return values[0] if values and isinstance(values[0], str) else ""
