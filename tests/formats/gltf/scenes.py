"""For the glTF tests: a writer of small files that shares no code with ours, and a slow evaluator of their content."""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

CODES = {"int8": 5120, "uint8": 5121, "int16": 5122, "uint16": 5123, "uint32": 5125, "float32": 5126}
KINDS = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}


class Scene:
    """A glTF document whose arrays are kept, so the evaluator below does not have to read them back."""

    def __init__(self, **top: Any) -> None:
        self.json: dict[str, Any] = {"asset": {"version": "2.0"}, **top}
        self.binary = b""
        self.arrays: list[np.ndarray] = []

    def add(self, values: Any, dtype: str = "float32", **entry: Any) -> int:
        array = np.asarray(values, dtype=dtype)
        array = array.reshape(len(array), -1)
        self.binary += bytes(-len(self.binary) % 4)
        view = {"buffer": 0, "byteOffset": len(self.binary), "byteLength": array.nbytes}
        self.binary += array.tobytes()
        self.json.setdefault("bufferViews", []).append(view)
        accessor = {
            "bufferView": len(self.json["bufferViews"]) - 1,
            "componentType": CODES[dtype],
            "count": len(array),
            "type": KINDS[array.shape[1]],
            **entry,
        }
        self.json.setdefault("accessors", []).append(accessor)
        self.arrays.append(array.astype(np.float64))
        return len(self.arrays) - 1

    def animate(self, name: str, *channels: tuple[int, str, Any, Any, str]) -> None:
        """Channels are (node, path, times, values, interpolation)."""
        animation: dict[str, Any] = {"name": name, "channels": [], "samplers": []}
        for node, path, times, values, interpolation in channels:
            sampler = {"input": self.add(times), "output": self.add(values), "interpolation": interpolation}
            animation["channels"].append(
                {"sampler": len(animation["samplers"]), "target": {"node": node, "path": path}}
            )
            animation["samplers"].append(sampler)
        self.json.setdefault("animations", []).append(animation)

    def glb(self) -> bytes:
        document = dict(self.json)
        if self.binary:
            document["buffers"] = document.get("buffers", [{"byteLength": len(self.binary)}])
        text = json.dumps(document).encode()
        text += b" " * (-len(text) % 4)
        binary = self.binary + bytes(-len(self.binary) % 4)
        body = struct.pack("<II", len(text), 0x4E4F534A) + text
        if binary:
            body += struct.pack("<II", len(binary), 0x004E4942) + binary
        return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body

    def save(self, path: Path) -> Path:
        if path.suffix == ".gltf":
            uri = "data:application/octet-stream;base64," + base64.b64encode(self.binary).decode()
            document = {"buffers": [{"byteLength": len(self.binary), "uri": uri}], **self.json}
            path.write_text(json.dumps(document))
        else:
            path.write_bytes(self.glb())
        return path

    # ---- the slow evaluator: 4x4 matrices, recursion, one time at a time ----

    def world(self, node: int, time: float, animation: int = 0) -> np.ndarray:
        local = self.local(node, time, animation)
        for number, entry in enumerate(self.json["nodes"]):
            if node in entry.get("children", []):
                return self.world(number, time, animation) @ local
        return local

    def local(self, node: int, time: float, animation: int = 0) -> np.ndarray:
        entry = self.json["nodes"][node]
        if "matrix" in entry:
            return np.array(entry["matrix"], dtype=float).reshape(4, 4).T
        moved = np.array(entry.get("translation", [0, 0, 0]), dtype=float)
        turned = np.array(entry.get("rotation", [0, 0, 0, 1]), dtype=float)
        scaled = np.array(entry.get("scale", [1, 1, 1]), dtype=float)
        moved = self.value(node, "translation", time, animation, moved)
        turned = self.value(node, "rotation", time, animation, turned)
        scaled = self.value(node, "scale", time, animation, scaled)
        out = np.eye(4)
        out[:3, :3] = quaternion_matrix(turned) @ np.diag(scaled)
        out[:3, 3] = moved
        return out

    def value(self, node: int, path: str, time: float, animation: int, rest: np.ndarray) -> np.ndarray:
        if not self.json.get("animations"):
            return rest
        chosen = self.json["animations"][animation]
        for channel in chosen["channels"]:
            if channel["target"] == {"node": node, "path": path}:
                sampler = chosen["samplers"][channel["sampler"]]
                times, values = self.arrays[sampler["input"]][:, 0], self.arrays[sampler["output"]]
                return interpolate(times, values, sampler["interpolation"], path, time)
        return rest


def interpolate(times: np.ndarray, values: np.ndarray, law: str, path: str, time: float) -> np.ndarray:
    """glTF 2.0, appendix C, by the letter."""
    if law == "CUBICSPLINE":
        values = values.reshape(len(times), 3, -1)
        into, keys, out = values[:, 0], values[:, 1], values[:, 2]
    else:
        keys = values.reshape(len(times), -1)
    if time <= times[0]:
        return unit(keys[0], path)
    if time >= times[-1]:
        return unit(keys[-1], path)
    k = max(i for i in range(len(times)) if times[i] <= time)
    span = times[k + 1] - times[k]
    t = (time - times[k]) / span
    if law == "STEP":
        return unit(keys[k], path)
    if law == "CUBICSPLINE":
        return unit(
            (2 * t**3 - 3 * t**2 + 1) * keys[k]
            + span * (t**3 - 2 * t**2 + t) * out[k]
            + (-2 * t**3 + 3 * t**2) * keys[k + 1]
            + span * (t**3 - t**2) * into[k + 1],
            path,
        )
    if path != "rotation":
        return (1 - t) * keys[k] + t * keys[k + 1]
    a, b = unit(keys[k], path), unit(keys[k + 1], path)
    cosine = a @ b
    if abs(cosine) > 1 - 1e-10:
        return unit((1 - t) * a + t * np.sign(cosine) * b, path)
    angle = np.arccos(abs(cosine))
    return (np.sin(angle * (1 - t)) * a + np.sign(cosine) * np.sin(angle * t) * b) / np.sin(angle)


def unit(value: np.ndarray, path: str) -> np.ndarray:
    return value / np.linalg.norm(value) if path == "rotation" else value


def quaternion_matrix(q: np.ndarray) -> np.ndarray:
    x, y, z, w = q / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def turns(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Random unit quaternions x y z w."""
    q = rng.normal(size=(*shape, 4))
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def rig(rng: np.random.Generator, *, armature: dict[str, Any] | None = None) -> Scene:
    """Armature 0 > root 1 > (2 > between 3 > 4, 5 > tip 6); mesh node 7; skin joints 1, 2, 4, 5."""

    def node(name: str, children: list[int]) -> dict[str, Any]:
        entry = {"name": name, "translation": rng.normal(size=3).tolist(), "rotation": turns(rng).tolist()}
        return {**entry, "children": children} if children else entry

    nodes = [
        {"name": "Armature", "children": [1], **(armature or {})},
        node("hips", [2, 5]),
        node("knee", [3]),
        node("helper", [4]),
        node("foot", []),
        node("arm", [6]),
        {"name": "arm_end", "translation": [0.0, 0.25, 0.0]},
        {"name": "body"},
    ]
    return Scene(nodes=nodes, scenes=[{"nodes": [0, 7]}], scene=0, skins=[{"joints": [1, 2, 4, 5]}])
