"""A glTF file without its animations: their data goes, all else is kept byte for byte, in one buffer."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from freshtake.errors import FormatError
from freshtake.formats.gltf.accessors import view_bytes
from freshtake.formats.gltf.build import Builder
from freshtake.formats.gltf.container import Container, resource
from freshtake.formats.gltf.json_fields import Item

# Extensions that refer to no accessor and no buffer view; with any other, nothing is renumbered.
_PLAIN = ("KHR_materials_", "KHR_texture_", "KHR_lights_", "KHR_mesh_quantization", "KHR_xmp", "EXT_texture_webp")
_IMAGES = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg", b"RIFF": "image/webp", b"\xabKTX": "image/ktx2"}

Reference = tuple[Any, Any]  # a JSON object or list and the key in it that holds a number


def without_animations(path: Path, container: Container) -> Builder:
    """The document to write on: no animations, images beside the file taken in, buffers joined."""
    _check_references(container)
    document = copy.deepcopy(container.top.value)
    gone = set() if _has_foreign_parts(document) else _only_animated(document)
    document.pop("animations", None)
    views = _views_only_of(document, gone)
    _renumber(document, "accessors", _accessor_references(document), gone)
    builder = Builder(path, document)
    entries = document.pop("bufferViews", [])
    for number, entry in enumerate(entries):
        if number not in views:
            new_number = builder.view(bytes(view_bytes(container, number)), entry.get("target"))
            place = document["bufferViews"][new_number]
            document["bufferViews"][new_number] = {**entry, "buffer": 0, "byteOffset": place["byteOffset"]}
    kept_numbers = [number for number in range(len(entries)) if number not in views]
    _point_to(_view_references(document), {old: new for new, old in enumerate(kept_numbers)})
    _take_in_images(builder, container)
    return builder


def _check_references(container: Container) -> None:
    """Refuse lists, objects and numbers that are not what they must be, before anything is moved."""
    count, views, top = len(container.accessors), len(container.views), container.top
    for mesh in top.items("meshes"):
        for primitive in mesh.items("primitives"):
            primitive.index("indices", count, "accessor")
            for group in (primitive.needed("attributes"), *primitive.items("targets")):
                for name in group.value:
                    group.index(name, count, "accessor")
    for skin in top.items("skins"):
        skin.index("inverseBindMatrices", count, "accessor")
    for animation in top.items("animations"):
        for sampler in animation.items("samplers"):
            sampler.index("input", count, "accessor")
            sampler.index("output", count, "accessor")
    for entry in (*container.accessors, *top.items("images")):
        sparse = entry.child("sparse")
        holders = (entry, sparse.needed("indices"), sparse.needed("values")) if sparse else (entry,)
        for holder in holders:
            holder.index("bufferView", views, "buffer view")
    for view in container.views:
        if "extensions" in view:
            view.fail("a buffer view with extensions cannot be carried over: export the character without compression")


def _has_foreign_parts(document: dict[str, Any]) -> bool:
    used = document.get("extensionsUsed", [])
    return not isinstance(used, list) or not all(isinstance(n, str) and n.startswith(_PLAIN) for n in used)


def _only_animated(document: dict[str, Any]) -> set[int]:
    """Accessors that animations use and nothing else does."""
    samplers = [sampler for animation in document.get("animations", []) for sampler in animation.get("samplers", [])]
    animated = {sampler[key] for sampler in samplers for key in ("input", "output") if key in sampler}
    return animated - {holder[key] for holder, key in _accessor_references(document)}


def _views_only_of(document: dict[str, Any], gone: set[int]) -> set[int]:
    """Buffer views that only these accessors use."""
    accessors = document.get("accessors", [])
    lost = {holder[key] for number in gone for holder, key in _views_of_accessor(accessors[number])}
    left = [entry for number, entry in enumerate(accessors) if number not in gone]
    used = {holder[key] for entry in left for holder, key in _views_of_accessor(entry)}
    used |= {image["bufferView"] for image in document.get("images", []) if "bufferView" in image}
    return lost - used


def _accessor_references(document: dict[str, Any]) -> Iterator[Reference]:
    for mesh in document.get("meshes", []):
        for primitive in mesh.get("primitives", []):
            for group in (primitive.get("attributes", {}), *primitive.get("targets", [])):
                yield from ((group, name) for name in group)
            if "indices" in primitive:
                yield primitive, "indices"
    for skin in document.get("skins", []):
        if "inverseBindMatrices" in skin:
            yield skin, "inverseBindMatrices"


def _view_references(document: dict[str, Any]) -> Iterator[Reference]:
    for entry in document.get("accessors", []):
        yield from _views_of_accessor(entry)
    for image in document.get("images", []):
        if "bufferView" in image:
            yield image, "bufferView"


def _views_of_accessor(entry: dict[str, Any]) -> Iterator[Reference]:
    sparse = entry.get("sparse", {})
    for holder in (entry, sparse.get("indices", {}), sparse.get("values", {})):
        if "bufferView" in holder:
            yield holder, "bufferView"


def _renumber(document: dict[str, Any], key: str, references: Iterator[Reference], gone: set[int]) -> None:
    """Remove entries of a list and let what refers to the others follow."""
    if key not in document:
        return
    entries = document[key]
    remaining = [number for number in range(len(entries)) if number not in gone]
    _point_to(references, {old: new for new, old in enumerate(remaining)})
    document[key] = [entries[number] for number in remaining]
    if not remaining:
        del document[key]


def _point_to(references: Iterator[Reference], places: dict[int, int]) -> None:
    for holder, key in list(references):
        holder[key] = places[holder[key]]


def _take_in_images(builder: Builder, container: Container) -> None:
    """Images in files beside the character move into the buffer, so that the new file is complete by itself."""
    for item, entry in zip(container.top.items("images"), builder.document.get("images", []), strict=True):
        if "uri" in item and not item.text("uri").lower().startswith("data:"):
            data = resource(item)
            entry["mimeType"] = _image_type(item, data)
            entry["bufferView"] = builder.view(data)
            del entry["uri"]


def _image_type(item: Item, data: bytes) -> str:
    for head, kind in _IMAGES.items():
        if data.startswith(head):
            return kind
    raise FormatError(item.path, "an image in PNG, JPEG, WebP or KTX2 was expected", item.at("uri"))
