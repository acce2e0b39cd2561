"""OpenEXR pictures of 32-bit floats: four channels, lines one after the other, not compressed."""

from __future__ import annotations

import struct

import numpy as np

from freshtake.numeric.arrays import Floats

MAGIC, VERSION = 20000630, 2
FLOAT = 2  # the kind of a channel


def exr_bytes(picture: Floats) -> bytes:
    """A picture (height, width, 4) of red, green, blue and alpha as a file's bytes."""
    height, width, _ = picture.shape
    channels = b"".join(name + struct.pack("<iB3xii", FLOAT, 0, 1, 1) for name in (b"A\0", b"B\0", b"G\0", b"R\0"))
    window = struct.pack("<iiii", 0, 0, width - 1, height - 1)
    head = struct.pack("<ii", MAGIC, VERSION) + b"".join(
        [
            _attribute("channels", "chlist", channels + b"\0"),
            _attribute("compression", "compression", b"\0"),
            _attribute("dataWindow", "box2i", window),
            _attribute("displayWindow", "box2i", window),
            _attribute("lineOrder", "lineOrder", b"\0"),
            _attribute("pixelAspectRatio", "float", struct.pack("<f", 1.0)),
            _attribute("screenWindowCenter", "v2f", struct.pack("<ff", 0.0, 0.0)),
            _attribute("screenWindowWidth", "float", struct.pack("<f", 1.0)),
            b"\0",
        ]
    )
    line = 16 * width
    begin = len(head) + 8 * height
    places = begin + (8 + line) * np.arange(height, dtype="<u8")
    lines = np.empty(height, dtype=[("y", "<i4"), ("size", "<i4"), ("values", "<f4", (4, width))])
    lines["y"], lines["size"] = np.arange(height), line
    lines["values"] = picture[..., ::-1].transpose(0, 2, 1)  # channels stand in the order of their names
    return b"".join([head, places.tobytes(), lines.tobytes()])


def _attribute(name: str, kind: str, value: bytes) -> bytes:
    return name.encode() + b"\0" + kind.encode() + b"\0" + struct.pack("<i", len(value)) + value
