"""Building a glTF document: arrays become accessors of one growing buffer.

Writing animations: key times, rotations and translations of nodes as LINEAR samplers.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import FormatError
from freshtake.motion import Clip
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import continuous

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


class NodeMotion(NamedTuple):
    """Local motion of one node: rotations (frames, 4; w x y z), translations (frames, 3) or None where it has none."""

    node: int
    rotations: Floats
    translations: Floats | None


def add_animation(builder: Builder, name: str, clip: Clip, motions: list[NodeMotion]) -> None:
    """One named animation with a key on every frame; the exact frame time and how to play it are noted in `extras`."""
    frame_time = clip.frame_time
    frames = len(motions[0].rotations)
    with np.errstate(over="ignore"):
        times = (np.arange(frames) * frame_time).astype("<f4")
    if not np.isfinite(times).all() or (np.diff(times) <= 0).any():
        raise FormatError(
            builder.path, f"{name!r} is too long for glTF's single precision key times: cut it into shorter clips"
        )
    keys = builder.accessor(times, "SCALAR", bounds=True)
    samplers: list[dict[str, Any]] = []
    channels: list[dict[str, Any]] = []

    def add(node: int, path: str, output: int) -> None:
        channels.append({"sampler": len(samplers), "target": {"node": node, "path": path}})
        samplers.append({"input": keys, "output": output, "interpolation": "LINEAR"})

    turning = _single_turns(np.stack([motion.rotations for motion in motions], axis=1))
    for motion, turns in zip(motions, turning, strict=True):
        if motion.translations is not None:
            add(motion.node, "translation", builder.accessor(motion.translations, "VEC3"))
        add(motion.node, "rotation", builder.accessor(turns, "VEC4"))
    entry = {"name": name, "channels": channels, "samplers": samplers}
    extras: dict[str, Any] = {"freshtake_frame_time": frame_time}
    if clip.playback is not None:
        extras["freshtake_playback"] = clip.playback.summary()
    builder.append("animations", {**entry, "extras": extras})


def _single_turns(rotations: Floats) -> npt.NDArray[np.float32]:
    """Rotations (frames, nodes, 4; w x y z) as glTF has them, (nodes, frames, 4; x y z w), without changes of sign."""
    smooth = continuous(rotations)
    out = np.empty((rotations.shape[1], rotations.shape[0], 4), dtype="<f4")
    out[..., :3], out[..., 3] = smooth[..., 1:].swapaxes(0, 1), smooth[..., 0].T
    return out
