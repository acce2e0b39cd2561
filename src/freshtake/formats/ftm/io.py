"""Save and load models, whatever the method: the container of model files.

The archive starts with `header.json` (format, version, method, what the method says, and the SHA-256 of every array),
so that the first bytes of the file distinguish a model from other archives.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from freshtake.errors import FormatError, InvalidMotion, SkeletonMismatch, UsageError
from freshtake.formats.archive import Archive, npy_bytes, open_archive, write_archive
from freshtake.formats.files import is_folder, read_head
from freshtake.formats.ftm.parts import LARGEST, Fields, Noted, ReadParts, parsed

if TYPE_CHECKING:
    from freshtake.density.model import DensityModel
    from freshtake.style.bilinear import GaitModel
    from freshtake.style.model import StyleModel
    from freshtake.texture.model import TextureModel
    from freshtake.variation.model import VariationModel
    from freshtake.variation.paper.model import PaperModel

    Model: TypeAlias = VariationModel | PaperModel | StyleModel | GaitModel | DensityModel | TextureModel


class Method(NamedTuple):
    """What commands, files and descriptions need to know about a method before its modules are imported."""

    name: str  # in the header of its files; also the name of its module in this package
    model: str  # its class
    learns: str  # command that writes its models
    uses: str  # command that uses its models
    facts: str  # function of `freshtake.workflows` that describes a model


METHODS = {
    row.name: row
    for row in (
        Method("variation", "VariationModel", "learn", "vary", "variation_facts"),
        Method("paper", "PaperModel", "learn --method paper", "vary", "paper_facts"),
        Method("style", "StyleModel", "style learn", "style apply", "style_facts"),
        Method("gaits", "GaitModel", "style gaits learn", "style gaits sample", "gaits_facts"),
        Method("density", "DensityModel", "blend learn", "blend sample", "density_facts"),
        Method("texture", "TextureModel", "texture learn", "texture sample", "texture_facts"),
    )
}


def method_of(model: object) -> Method | None:
    """Return the method of a model, by its class."""
    return next((row for row in METHODS.values() if row.model == type(model).__name__), None)


FORMAT, VERSION, SUFFIX, HEADER = "freshtake model", 1, ".ftm", "header.json"
LONGEST_HEADER = 64 << 20  # bytes
_HEAD = re.compile(rb"PK\x03\x04.{26}header\.json", re.DOTALL)


class Stored(NamedTuple):
    """A model, the method that learned it, the names of the files it was learned from, and what wrote it."""

    model: Any
    method: str
    sources: tuple[str, ...]
    written_by: str


def looks_like_model(head: bytes) -> bool:
    """Return whether a file that begins like this is a model file."""
    return _HEAD.match(head) is not None


def is_model(path: Path) -> bool:
    """Return whether to read a file as a model: by its content, or by its name."""
    return path.suffix.lower() == SUFFIX or (not is_folder(path) and looks_like_model(read_head(path, 64)))


def check_model_target(path: Path) -> None:
    """Refuse a target that cannot be written, before the work is done."""
    if path.suffix.lower() != SUFFIX:
        raise FormatError(path, f"a model's name ends in {SUFFIX}, not {path.suffix!r}")
    if path.is_dir():
        raise FormatError(path, "there is a folder of this name: name a file")


def save(path: str | PathLike[str], model: Any, *, sources: Sequence[str] = ()) -> None:
    """Write a learned model atomically.

    Loading it gives a model that synthesizes the same motions, bit for bit.

    Args:
        path: The file to write; its name ends in .ftm.
        model: What `learn` of any method returned.
        sources: Names of the files that it was learned from, kept in the file.
    """
    from freshtake import __version__

    target = Path(path)
    check_model_target(target)
    method = method_of(model)
    if method is None:
        raise UsageError(f"a {type(model).__name__} is not a model that can be saved: give what `learn` returned")
    parts = import_module(f"freshtake.formats.ftm.{method.name}").to_parts(model)
    if "frame_time" in parts.header:
        Fields(target, parts.header).frame_time()  # refuse to write what could not be read
    header = {
        "format": FORMAT,
        "version": VERSION,
        "freshtake": __version__,
        "method": method.name,
        "sources": [str(source) for source in sources],
        **parts.header,
        "sha256": {name: hashlib.sha256(npy_bytes(array)).hexdigest() for name, array in parts.arrays.items()},
    }
    text = json.dumps(header, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    write_archive(target, parts.arrays, {HEADER: text}, durable=True)


def load(path: str | PathLike[str]) -> Model:
    """Read a model of any method that `save` wrote; the other load_* functions accept one method each.

    Args:
        path: The .ftm file.

    Returns:
        The model: its class tells the method.
    """
    model: Model = read_stored(path).model
    return model


def read_stored(path: str | PathLike[str]) -> Stored:
    """Read a model and the description in its file."""
    source = Path(path)
    if source.is_file() and not read_head(source, 4).startswith(b"PK"):
        raise FormatError(source, "this is not a freshtake model: write one with freshtake learn")
    archive = open_archive(source)
    header = _header(archive)
    method = header.get("method", "str")
    if method not in METHODS:
        header.wrong("method", f"one of {', '.join(METHODS)} was expected, not {method[:40]!r}")
    arrays = Noted(_arrays(archive, header.inner("sha256")))
    parts = ReadParts(header, arrays)
    try:
        model = import_module(f"freshtake.formats.ftm.{method}").from_parts(parts)
    except (InvalidMotion, SkeletonMismatch, UsageError) as error:
        raise FormatError(source, str(error)) from None
    except RecursionError:
        raise FormatError(source, "the header is nested too deeply") from None
    except MemoryError:
        raise FormatError(source, "the file asks for more memory than there is") from None
    stored = Stored(model, method, header.texts("sources"), header.get("freshtake", "str"))
    # Fields that only later versions know must not be ignored silently.
    assert isinstance(header.values, Noted)
    for kind, ignored in (("header field", header.values.ignored()), ("array", arrays.ignored())):
        if ignored:
            unknown = "this freshtake does not know it: update freshtake, or learn the model again"
            raise FormatError(source, unknown, f"{kind} {ignored[0][:80]!r}")
    return stored


def _header(archive: Archive) -> Fields:
    path = archive.path
    if HEADER not in archive.members:
        raise FormatError(path, "this is not a freshtake model: write one with freshtake learn")
    if archive.members[HEADER].file_size > LONGEST_HEADER:
        raise FormatError(path, f"a header of more than {LONGEST_HEADER} bytes is not read", f"member {HEADER!r}")
    header = parsed(path, archive.text(HEADER), f"member {HEADER!r}")
    if header.get("format", "str") != FORMAT:
        header.wrong("format", f"{FORMAT!r} was expected: this is not a freshtake model")
    version = header.get("version", "int")
    if version > VERSION:
        header.wrong(
            "version", f"the file is of version {version}, but this freshtake reads up to {VERSION}: update it"
        )
    if version < 1:
        header.wrong("version", f"a version from 1 was expected, not {version}")
    return header


def _arrays(archive: Archive, sums: Fields) -> dict[str, Any]:
    """Read all arrays of the file and check each against its checksum in the header."""
    missing = [name for name in sums.values if name not in archive]
    if missing:
        sums.wrong(missing[0][:80], "the array that belongs to this checksum is missing")
    out = {}
    for name in archive.keys:
        content = archive.inflated(f"{name}.npy")
        if sums.get(name, "str") != hashlib.sha256(content).hexdigest():
            sums.wrong(name, "the array is not the one that was saved: the file is damaged, get it again")
        out[name] = archive.array(name)
        if out[name].dtype.kind == "f" and bool((np.abs(out[name][np.isfinite(out[name])]) > LARGEST).any()):
            sums.wrong(name, f"numbers between ±{LARGEST:g} were expected: the file is damaged, get it again")
    return out


def load_variation(path: str | PathLike[str]) -> VariationModel:
    """Read a model that makes variants of takes (`freshtake learn`).

    Args:
        path: The .ftm file; refused if it holds a model of another method.

    Returns:
        The model.
    """
    model: VariationModel = _loaded(path, "variation")
    return model


def load_style(path: str | PathLike[str]) -> StyleModel:
    """Read a model that translates clips into a style (`freshtake style learn`).

    Args:
        path: The .ftm file; refused if it holds a model of another method.

    Returns:
        The model.
    """
    model: StyleModel = _loaded(path, "style")
    return model


def load_gaits(path: str | PathLike[str]) -> GaitModel:
    """Read a model of styles and speeds as sliders (`freshtake style gaits learn`).

    Args:
        path: The .ftm file; refused if it holds a model of another method.

    Returns:
        The model.
    """
    model: GaitModel = _loaded(path, "gaits")
    return model


def load_density(path: str | PathLike[str]) -> DensityModel:
    """Read a model that changes between classes of motion (`freshtake blend learn`).

    Args:
        path: The .ftm file; refused if it holds a model of another method.

    Returns:
        The model.
    """
    model: DensityModel = _loaded(path, "density")
    return model


def load_texture(path: str | PathLike[str]) -> TextureModel:
    """Read a model that plays an animation without end (`freshtake texture learn`).

    Args:
        path: The .ftm file; refused if it holds a model of another method.

    Returns:
        The model.
    """
    model: TextureModel = _loaded(path, "texture")
    return model


def _loaded(path: str | PathLike[str], name: str) -> Any:
    model = load(path)
    method = method_of(model)
    if method is None or method.name != name:
        made_by = "another method" if method is None else f"freshtake {method.learns}"
        command = METHODS[name].learns
        raise FormatError(Path(path), f"this model was made by {made_by}, and one of freshtake {command} was expected")
    return model
