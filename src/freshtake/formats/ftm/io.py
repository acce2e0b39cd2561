"""Save and load models of any method: the container of model files, checked field by field.

The archive starts with `header.json` (format, version, method, the method's fields, and the SHA-256 of every array),
so the first bytes of the file distinguish a model from other archives.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeAlias, TypeVar, cast, get_type_hints

import numpy as np

from freshtake.errors import FormatError, InvalidMotion, SkeletonMismatch, UsageError
from freshtake.formats.archive import Archive, npy_bytes, open_archive, write_archive
from freshtake.formats.files import is_folder, read_head
from freshtake.motion.features import Recipe
from freshtake.motion.validation import Array, Parts
from freshtake.numeric.arrays import Floats

if TYPE_CHECKING:
    from freshtake.density.model import DensityModel
    from freshtake.style.bilinear import GaitModel
    from freshtake.style.model import StyleModel
    from freshtake.texture.model import TextureModel
    from freshtake.variation.model import VariationModel
    from freshtake.variation.paper.model import PaperModel

    Model: TypeAlias = VariationModel | PaperModel | StyleModel | GaitModel | DensityModel | TextureModel


class Method(NamedTuple):
    """The facts about a method that commands, files and descriptions need before its modules are imported."""

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
    """A model, the method that learned it, the names of the files it was learned from, and its writer."""

    model: Any
    method: str
    sources: tuple[str, ...]
    written_by: str


def looks_like_model(head: bytes) -> bool:
    """Return whether a file that begins like this is a model file."""
    return _HEAD.match(head) is not None


def is_model(path: Path) -> bool:
    """Return whether to read a file as a model, according to its content or its name."""
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
        model: The result of any method's `learn`.
        sources: Names of the files that it was learned from, stored in the file.
    """
    from freshtake import __version__

    target = Path(path)
    check_model_target(target)
    method = method_of(model)
    if method is None:
        raise UsageError(f"a {type(model).__name__} is not a model that can be saved: give the result of `learn`")
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
    return cast("Model", read_stored(path).model)


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
        raise FormatError(source, "the file needs more memory than is available") from None
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
        raise FormatError(path, f"the header is longer than the limit of {LONGEST_HEADER} bytes", f"member {HEADER!r}")

    def refuse(word: str) -> NoReturn:  # NaN and Infinity, which Python's reader accepts
        raise ValueError(f"{word} is not JSON")

    try:
        values = json.loads(archive.text(HEADER), parse_constant=refuse, object_hook=Noted)
    except (ValueError, RecursionError):
        problem = "the header is not JSON: the file is damaged, get it again"
        raise FormatError(path, problem, f"member {HEADER!r}") from None
    if not isinstance(values, dict):
        raise FormatError(path, "a JSON object was expected", f"member {HEADER!r}")
    header = Fields(path, values)
    right_format = header.get("format", "str") == FORMAT
    header.require("format", right_format, f"{FORMAT!r} was expected: this is not a freshtake model")
    version = header.get("version", "int")
    problem = f"the file has version {version}, but this freshtake reads 1 to {VERSION}: update it"
    header.require("version", 1 <= version <= VERSION, problem)
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
    return cast("VariationModel", _load_method(path, "variation"))


def load_style(path: str | PathLike[str]) -> StyleModel:
    """Read a model that translates clips into a style (`freshtake style learn`).

    Args:
        path: The .ftm file; refused if it holds a model of another method.

    Returns:
        The model.
    """
    return cast("StyleModel", _load_method(path, "style"))


def load_gaits(path: str | PathLike[str]) -> GaitModel:
    """Read a model of styles and speeds as sliders (`freshtake style gaits learn`).

    Args:
        path: The .ftm file; refused if it holds a model of another method.

    Returns:
        The model.
    """
    return cast("GaitModel", _load_method(path, "gaits"))


def load_density(path: str | PathLike[str]) -> DensityModel:
    """Read a model that changes between classes of motion (`freshtake blend learn`).

    Args:
        path: The .ftm file; refused if it holds a model of another method.

    Returns:
        The model.
    """
    return cast("DensityModel", _load_method(path, "density"))


def load_texture(path: str | PathLike[str]) -> TextureModel:
    """Read a model that plays an animation endlessly (`freshtake texture learn`).

    Args:
        path: The .ftm file; refused if it holds a model of another method.

    Returns:
        The model.
    """
    return cast("TextureModel", _load_method(path, "texture"))


def _load_method(path: str | PathLike[str], method: str) -> Any:
    stored = read_stored(path)
    if stored.method != method:
        made_by, expected = METHODS[stored.method].learns, METHODS[method].learns
        problem = f"this model was made by freshtake {made_by}, but one of freshtake {expected} was expected"
        raise FormatError(Path(path), problem)
    return stored.model


_KINDS: dict[str, tuple[tuple[type, ...], str]] = {
    "int": ((int,), "a whole number"), "float": ((float, int), "a number"), "str": ((str,), "a text"),
    "bool": ((bool,), "true or false"), "list": ((list,), "a list"), "dict": ((dict,), "an object"),
    "None": ((type(None),), "null"),
}  # fmt: skip
MOST_FRAMES = 1 << 31  # in all takes of a model together
FRAME_TIMES = (1e-5, 1e3)  # seconds; with shorter ones, a long motion would not fit into memory
RECIPE = "recipe_"  # prefix of the names of the recipe's arrays
S = TypeVar("S")
LARGEST = 1e18  # no number of a model is larger, and its square still fits into float32


class Noted(dict[str, Any]):
    """A dictionary that records which keys were read; iterating over its items reads all of them."""

    def __init__(self, *values: Any) -> None:
        super().__init__(*values)
        self.asked: set[str] = set()

    def __getitem__(self, key: str) -> Any:
        self.asked.add(key)
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        """Return a value, or the default."""
        self.asked.add(key)
        return super().get(key, default)

    def items(self) -> Any:
        """Return all items."""
        self.asked.update(self)
        return super().items()

    def ignored(self, before: str = "") -> list[str]:
        """Return the keys that were never read, including keys of nested dictionaries that were read, also in lists."""
        out = [f"{before}{key}" for key in self if key not in self.asked]
        for key in self.asked:
            inner = super().get(key)
            for each in inner if isinstance(inner, list) else [inner]:
                if isinstance(each, Noted) and each.asked:
                    out += each.ignored(f"{before}{key}.")
        return out


class Fields:
    """A JSON object of a file; `where` is the name of the object inside the header."""

    def __init__(self, path: Path, values: Mapping[str, Any], where: str = "") -> None:
        self.path, self.values, self.where = path, values, where

    def wrong(self, name: str, problem: str) -> NoReturn:
        """Raise an error that names a field."""
        raise FormatError(self.path, problem, f"header field {f'{self.where}.{name}'.lstrip('.')!r}")

    def require(self, name: str, condition: bool | np.bool_, problem: str) -> None:
        """Raise an error that names a field unless the condition holds."""
        if not condition:
            self.wrong(name, problem)

    def get(self, name: str, kinds: str) -> Any:
        """Return a value of one of the types, written as in annotations: "int", "float | None"."""
        if name not in self.values:
            self.wrong(name, "the field is missing: update freshtake, or learn the model again")
        value: Any = self.values[name]
        words = kinds.split(" | ")
        allowed = tuple(kind for word in words for kind in _KINDS[word][0])
        if not isinstance(value, allowed) or (isinstance(value, bool) and "bool" not in words):
            self.wrong(name, f"{' or '.join(_KINDS[word][1] for word in words)} was expected, not {_shorten(value)}")
        if isinstance(value, str):
            self._sound(name, value)
        if isinstance(value, (int, float)) and not abs(value) <= LARGEST:
            self.wrong(name, f"a number between ±{LARGEST:g} was expected, not {_shorten(value)}")
        return float(value) if isinstance(value, int) and "float" in words else value

    def inner(self, name: str) -> Fields:
        """Return an object inside this one."""
        return Fields(self.path, self.get(name, "dict"), f"{self.where}.{name}".lstrip("."))

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts."""
        values = self.get(name, "list")
        for value in values:
            if not isinstance(value, str):
                self.wrong(name, f"a list of texts was expected, but {_shorten(value)} is in it")
            self._sound(name, value)
        return tuple(values)

    def whole_numbers(self, name: str, low: int, high: int) -> tuple[int, ...]:
        """Return a list of whole numbers between two bounds, inclusive."""
        return self._checked(name, self.get(name, "list"), low, high)

    def lists_of_numbers(self, name: str, low: int, high: int) -> tuple[tuple[int, ...], ...]:
        """Return a list of lists of whole numbers between two bounds, inclusive."""
        rows = self.get(name, "list")
        self.require(name, all(isinstance(row, list) for row in rows), "a list of lists was expected")
        return tuple(self._checked(name, row, low, high) for row in rows)

    def names(self, name: str, most: int) -> tuple[str, ...]:
        """Return a list of distinct names, at least one."""
        names = self.texts(name)
        good = 0 < len(names) <= most and len(set(names)) == len(names)
        self.require(name, good, f"1 to {most} different names were expected")
        return names

    def frame_time(self) -> float:
        """Return the seconds per frame."""
        frame_time: float = self.get("frame_time", "float")
        low, high = FRAME_TIMES
        problem = f"a time between {low:g} and {high:g} seconds was expected, not {frame_time:g}"
        self.require("frame_time", low <= frame_time <= high, problem)
        return frame_time

    def settings(self, kind: type[S]) -> S:
        """Return the settings of a method, a dataclass of plain values; missing ones have their defaults."""
        inner = self.inner("settings")
        kinds = {name: inspect.formatannotation(type_) for name, type_ in get_type_hints(kind).items()}
        for name in inner.values:
            problem = "this freshtake has no such setting: update it, or learn the model again"
            inner.require(name[:80], name in kinds, problem)
        return kind(**{name: inner.get(name, kinds[name]) for name in inner.values})

    def _checked(self, name: str, values: list[Any], low: int, high: int) -> tuple[int, ...]:
        for value in values:
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                self.wrong(name, f"whole numbers from {low} to {high} were expected, not {_shorten(value)}")
        return tuple(values)

    def _sound(self, name: str, text: str) -> None:
        half = any(0xD800 <= ord(letter) < 0xE000 for letter in text)
        self.require(name, not half, "the text contains half a character")


def _shorten(value: Any) -> str:
    try:
        text = ascii(value)
    except (ValueError, RecursionError):  # numbers with thousands of digits
        text = type(value).__name__
    return text if len(text) <= 40 else f"{text[:40]}..."


@dataclass(frozen=True)
class ReadParts:
    """The parts that were read: the header's fields, and arrays with correct checksums."""

    fields: Fields
    arrays: Mapping[str, Array]

    def wrong(self, name: str, problem: str) -> NoReturn:
        """Raise an error that names an array."""
        raise FormatError(self.fields.path, problem, f"array {name!r}")

    def require(self, name: str, condition: bool | np.bool_, problem: str) -> None:
        """Raise an error that names an array unless the condition holds."""
        if not condition:
            self.wrong(name, problem)

    def array(self, name: str, kinds: str = "", axes: int | None = None) -> Array:
        """Return an array; if `axes` is given, the array has that many axes and a dtype of one of NumPy's `kinds`."""
        if name not in self.arrays:
            self.wrong(name, "the array is missing")
        array = self.arrays[name]
        if axes is not None and (array.ndim != axes or array.dtype.kind not in kinds):
            self.wrong(name, f"numbers in {axes} dimensions were expected, not {array.shape} of {array.dtype}")
        return array

    def numbers(self, name: str, shape: tuple[int, ...], low: float = -LARGEST, high: float = LARGEST) -> Floats:
        """Return a float64 array of this shape with finite values between two bounds."""
        array = self.array(name)
        if array.dtype.kind not in "fiub" or array.shape != shape:
            expected = " x ".join(map(str, shape))
            self.wrong(name, f"{expected} numbers were expected, not {array.shape} of {array.dtype}")
        with np.errstate(invalid="ignore"):  # signalling NaNs
            values = np.ascontiguousarray(array, dtype=np.float64)
        low, high = max(low, -LARGEST), min(high, LARGEST)
        if not np.isfinite(values).all() or (values < low).any() or (values > high).any():
            self.wrong(name, f"finite numbers between {low:g} and {high:g} were expected")
        return values

    def recipe(self, frame_time: float | None = None) -> Recipe | None:
        """Return the recipe of the model's rows, or None; its frame rate must be the model's, if that is given."""
        header = self.fields.get("recipe", "dict | None")
        if header is None:
            return None
        with np.errstate(over="ignore", invalid="ignore"):  # invalid indices become values that are refused
            recipe = Recipe.from_parts(header, self.after(RECIPE))
        if frame_time is not None and recipe.frame_time != frame_time:
            self.fields.wrong("frame_time", f"the recipe's frame time, {recipe.frame_time:g}, was expected")
        return recipe

    def after(self, prefix: str) -> dict[str, Array]:
        """Return the arrays whose names start with a prefix, keyed without it; all of them must be numeric."""
        names = [name for name in self.arrays if name.startswith(prefix)]
        for name in names:
            if self.arrays[name].dtype.kind not in "fiub":
                self.wrong(name, f"numbers were expected, not {self.arrays[name].dtype}")
        return {name.removeprefix(prefix): self.arrays[name] for name in names}


def compact(values: Floats) -> Array:
    """Return an array as float32 if that is lossless (models are rounded to it), else unchanged."""
    with np.errstate(over="ignore"):
        small = np.asarray(values, dtype=np.float32)
    return small if np.array_equal(small.astype(np.float64), values) else np.asarray(values, dtype=np.float64)


def recipe_parts(recipe: Recipe | None) -> Parts:
    """Return the parts from which `ReadParts.recipe` restores the recipe: the field `recipe`, and arrays."""
    if recipe is None:
        return Parts(None, {})
    parts = recipe.to_parts()
    return Parts(parts.header, {RECIPE + name: array for name, array in parts.arrays.items()})
