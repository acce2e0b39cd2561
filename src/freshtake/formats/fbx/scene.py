"""What every FBX file says before its objects, and the collection of objects with their connections."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence

from freshtake.formats.fbx.binary import FILE_ID, MADE, VERSION, Node, long, node, raw, real, text, whole

SECOND = 46_186_158_000  # ticks of FBX time
CENTIMETRES = 100.0  # per metre: the unit of most FBX files
_CREATOR = "freshtake"
# Frame rates that FBX has a number for; any other is "custom".
_TIME_MODES = {
    120.0: 1,
    100.0: 2,
    60.0: 3,
    50.0: 4,
    48.0: 5,
    30.0: 6,
    25.0: 10,
    24.0: 11,
    1000.0: 12,
    96.0: 15,
    72.0: 16,
}
_CUSTOM = 14
SCENE = 0  # the number of what everything hangs on


class Objects:
    """Objects under construction: each gets a number, is counted by kind, and may hang on others."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.links: list[Node] = []
        self._numbers = itertools.count(1_000_000)

    def add(self, kind: str, title: bytes, form: str, inside: Sequence[Node]) -> int:
        """Add an object; returns its number."""
        number = next(self._numbers)
        self.nodes.append(node(kind, long(number), title, text(form), inside=inside))
        return number

    def link(self, child: int, parent: int, role: str | None = None) -> None:
        """Hang an object on another, or on one of its properties."""
        if role is None:
            self.links.append(node("C", _OBJECT, long(child), long(parent)))
        else:
            self.links.append(node("C", _PROPERTY, long(child), long(parent), text(role)))


_OBJECT, _PROPERTY = text("OO"), text("OP")


def properties(*entries: Node) -> Node:
    """A list of named values."""
    return node("Properties70", inside=entries)


def prop(name: str, kind: str, label: str, flags: str, *values: bytes) -> Node:
    """One named value: its type twice over, as FBX has it, and its flags ("A" may be animated, "U" is the user's)."""
    return node("P", text(name), text(kind), text(label), text(flags), *values)


def vector(name: str, kind: str, values: Sequence[float], flags: str = "A") -> Node:
    """Three doubles."""
    return prop(name, kind, "", flags, *map(real, values))


def document(objects: Objects, fps: float, stop: int, takes: Sequence[Node]) -> list[Node]:
    """All top nodes of a file, in the order that readers expect."""
    return [
        _header(),
        node("FileId", raw(FILE_ID)),
        node("CreationTime", text(MADE)),
        node("Creator", text(_CREATOR)),
        _settings(fps, stop),
        node("Documents", inside=[node("Count", whole(1)), _only_scene()]),
        node("References"),
        _definitions(objects),
        node("Objects", inside=objects.nodes),
        node("Connections", inside=objects.links),
        node("Takes", inside=[node("Current", text("")), *takes]),
    ]


def _header() -> Node:
    day = {"Version": 1000, "Year": 1970, "Month": 1, "Day": 1, "Hour": 10, "Minute": 0, "Second": 0, "Millisecond": 0}
    return node(
        "FBXHeaderExtension",
        inside=[
            node("FBXHeaderVersion", whole(1003)),
            node("FBXVersion", whole(VERSION)),
            node("EncryptionType", whole(0)),
            node("CreationTimeStamp", inside=[node(name, whole(value)) for name, value in day.items()]),
            node("Creator", text(_CREATOR)),
        ],
    )


def _settings(fps: float, stop: int) -> Node:
    """Centimetres, y up, z towards the viewer, x to the right; the rate of the takes."""
    axes = {"UpAxis": 1, "FrontAxis": 2, "CoordAxis": 0, "OriginalUpAxis": 1}
    whole_numbers = [
        prop(name, "int", "Integer", "", whole(value))
        for axis, number in axes.items()
        for name, value in ((axis, number), (f"{axis}Sign", 1))
    ]
    rate = round(fps, 3)
    return node(
        "GlobalSettings",
        inside=[
            node("Version", whole(1000)),
            properties(
                *whole_numbers,
                prop("UnitScaleFactor", "double", "Number", "", real(1.0)),
                prop("OriginalUnitScaleFactor", "double", "Number", "", real(1.0)),
                prop("AmbientColor", "ColorRGB", "Color", "", real(0.0), real(0.0), real(0.0)),
                prop("DefaultCamera", "KString", "", "", text("Producer Perspective")),
                prop("TimeMode", "enum", "", "", whole(_TIME_MODES.get(rate, _CUSTOM))),
                prop("TimeSpanStart", "KTime", "Time", "", long(0)),
                prop("TimeSpanStop", "KTime", "Time", "", long(stop)),
                prop("CustomFrameRate", "double", "Number", "", real(-1.0 if rate in _TIME_MODES else fps)),
            ),
        ],
    )


def _only_scene() -> Node:
    inside = [
        properties(
            prop("SourceObject", "object", "", ""),
            prop("ActiveAnimStackName", "KString", "", "", text("")),
        ),
        node("RootNode", long(SCENE)),
    ]
    return node("Document", long(999_999), text(""), text("Scene"), inside=inside)


def _definitions(objects: Objects) -> Node:
    counts = Counter(entry.name.decode() for entry in objects.nodes)
    kinds = [
        node("ObjectType", text(kind), inside=[node("Count", whole(count))])
        for kind, count in {"GlobalSettings": 1, **counts}.items()
    ]
    total = node("Count", whole(sum(counts.values()) + 1))
    return node("Definitions", inside=[node("Version", whole(100)), total, *kinds])
