"""Build glTF documents: from nothing, or from a file whose animations are removed."""

import copy
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import FormatError
from freshtake.formats.gltf.accessors import view_bytes
from freshtake.formats.gltf.container import Container, Item, packed, resource
from freshtake.motion import Clip
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import continuous

VERTICES, INDICES = 34962, 34963
_CODES: dict[np.dtype[Any], int] = {
    np.dtype("<u1"): 5121, np.dtype("<u2"): 5123, np.dtype("<u4"): 5125, np.dtype("<f4"): 5126,
}  # fmt: skip


class Builder:
    """A document under construction; `document` may come from an existing file, `binary` is its buffer."""

    def __init__(self, path: Path, document: dict[str, Any] | None = None, binary: bytes = b"") -> None:
        self.path = path
        self.document = document or {"asset": {"version": "2.0", "generator": "freshtake"}, "scene": 0}
        self.binary = bytearray(binary)

    def packed(self, path: Path) -> bytes:
        """Return the bytes of the file, in the form given by the path's extension."""
        return packed(path, self.document, bytes(self.binary))

    def append(self, key: str, entry: dict[str, Any]) -> int:
        """Add an object to one of the document's lists and return its number."""
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
            with np.errstate(over="ignore"):
                single = values.astype("<f4")
            if not np.isfinite(single).all():
                problem = f"the length {float(np.abs(values).max()):g} m does not fit glTF's single precision"
                raise FormatError(self.path, f"{problem}: scale the clip")
            values = single
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


class NodeMotion(NamedTuple):
    """Local motion of one node: rotations (frames, 4; w x y z), translations (frames, 3) or None if it has none."""

    node: int
    rotations: Floats
    translations: Floats | None


def add_animation(builder: Builder, name: str, clip: Clip, motions: list[NodeMotion]) -> None:
    """Add one named animation with a key on every frame; exact frame time and playback are stored in `extras`."""
    keys = add_keys(builder, name, len(clip), clip.frame_time)
    tracks: list[tuple[int, str, int]] = []
    smooth = continuous(np.stack([motion.rotations for motion in motions], axis=1))  # no sign changes between frames
    for joint, motion in enumerate(motions):
        if motion.translations is not None:
            tracks.append((motion.node, "translation", builder.accessor(motion.translations, "VEC3")))
        # glTF's order is x, y, z, w.
        turns = np.ascontiguousarray(np.roll(smooth[:, joint], -1, axis=-1), dtype="<f4")
        tracks.append((motion.node, "rotation", builder.accessor(turns, "VEC4")))
    extras: dict[str, Any] = {"freshtake_frame_time": clip.frame_time}
    if clip.playback is not None:
        extras["freshtake_playback"] = clip.playback.summary()
    add_tracks(builder, name, keys, tracks, extras)


def add_keys(builder: Builder, name: str, frames: int, frame_time: float) -> int:
    """Add the times of all frames of an animation and return their accessor."""
    with np.errstate(over="ignore"):
        times = (np.arange(frames) * frame_time).astype("<f4")
    if not np.isfinite(times).all() or (np.diff(times) <= 0).any():
        problem = f"{name!r} is too long for glTF's single precision key times: cut it into shorter clips"
        raise FormatError(builder.path, problem)
    return builder.accessor(times, "SCALAR", bounds=True)


def add_tracks(
    builder: Builder, name: str, keys: int, tracks: Sequence[tuple[int, str, int]], extras: dict[str, Any]
) -> None:
    """Add an animation that moves the properties of nodes: (node, property, accessor of its values)."""
    samplers = [{"input": keys, "output": output, "interpolation": "LINEAR"} for *_, output in tracks]
    channels = [{"sampler": k, "target": {"node": node, "path": path}} for k, (node, path, _) in enumerate(tracks)]
    builder.append("animations", {"name": name, "channels": channels, "samplers": samplers, "extras": extras})


# Extensions that refer to no accessor and no buffer view; with any other, nothing is renumbered.
_PLAIN = ("KHR_materials_", "KHR_texture_", "KHR_lights_", "KHR_mesh_quantization", "KHR_xmp", "EXT_texture_webp")
_IMAGES = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg", b"RIFF": "image/webp", b"\xabKTX": "image/ktx2"}

Reference = tuple[Item, str, int]  # a JSON object, the key in it that holds the number of another object, the number


def without_animations(path: Path, container: Container) -> Builder:
    """Return a builder for the document without animations, with external images embedded and buffers joined."""
    document = copy.deepcopy(container.top.value)
    top = Item(container.path, "", document)
    accessors, count = top.items("accessors"), len(container.views)
    for view in container.views:
        if "extensions" in view:
            view.fail("a buffer view with extensions cannot be carried over: export the character without compression")
    used = document.get("extensionsUsed", [])
    plain = isinstance(used, list) and all(isinstance(name, str) and name.startswith(_PLAIN) for name in used)
    samplers = [sampler for animation in top.items("animations") if plain for sampler in animation.items("samplers")]
    animated = _references(((s, key) for s in samplers for key in ("input", "output")), len(accessors), "accessor")
    document.pop("animations", None)
    numbers = _renumber(_references(_accessor_holders(top), len(accessors), "accessor"), len(accessors), animated)
    document["accessors"] = [accessors[number].value for number in numbers]
    if not numbers:
        del document["accessors"]
    views_of = [_references(_view_holders(entry), count, "buffer view") for entry in accessors]
    references = _references(((image, "bufferView") for image in top.items("images")), count, "buffer view")
    references += [reference for number in numbers for reference in views_of[number]]
    dropped = [reference for number in set(range(len(accessors))) - {*numbers} for reference in views_of[number]]
    view_numbers = _renumber(references, count, dropped)
    builder = Builder(path, document)
    entries = document.pop("bufferViews", [])
    for number in view_numbers:
        new_number = builder.view(bytes(view_bytes(container, number)), entries[number].get("target"))
        place = document["bufferViews"][new_number]
        document["bufferViews"][new_number] = {**entries[number], "buffer": 0, "byteOffset": place["byteOffset"]}
    _embed_images(builder, container)
    return builder


def _references(holders: Iterable[tuple[Item, str]], count: int, what: str) -> list[Reference]:
    """Return the objects and keys that hold a number, which has to be below `count`."""
    return [(item, key, n) for item, key in holders if (n := item.index(key, count, what)) is not None]


def _renumber(references: list[Reference], count: int, dropped: list[Reference]) -> list[int]:
    """Return which of `count` objects are kept, and renumber the references accordingly.

    An object is kept unless only dropped references hold its number.
    """
    gone = {number for *_, number in dropped} - {number for *_, number in references}
    numbers = [number for number in range(count) if number not in gone]
    places = {old: new for new, old in enumerate(numbers)}
    for item, key, number in references:
        item.value[key] = places[number]
    return numbers


def _accessor_holders(top: Item) -> Iterator[tuple[Item, str]]:
    """Yield the objects outside animations that may hold the number of an accessor, and the key."""
    for mesh in top.items("meshes"):
        for primitive in mesh.items("primitives"):
            yield primitive, "indices"
            for group in (primitive.needed("attributes"), *primitive.items("targets")):
                yield from ((group, name) for name in group.value)
    for skin in top.items("skins"):
        yield skin, "inverseBindMatrices"


def _view_holders(accessor: Item) -> Iterator[tuple[Item, str]]:
    sparse = accessor.child("sparse")
    for holder in (accessor, sparse.needed("indices"), sparse.needed("values")) if sparse else (accessor,):
        yield holder, "bufferView"


def _embed_images(builder: Builder, container: Container) -> None:
    """Embed images from files next to the character, so that the new file is self-contained."""
    for item, entry in zip(container.top.items("images"), builder.document.get("images", []), strict=True):
        if "uri" in item and not item.text("uri").lower().startswith("data:"):
            data = resource(item)
            kind = next((kind for head, kind in _IMAGES.items() if data.startswith(head)), None)
            if kind is None:
                item.fail("an image in PNG, JPEG, WebP or KTX2 was expected", "uri")
            entry["mimeType"] = kind
            entry["bufferView"] = builder.view(data)
            del entry["uri"]
