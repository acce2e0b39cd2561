"""Read-only questions about items whose answers take a while; they are called in other processes."""

from __future__ import annotations

import json
import struct
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np

from freshtake.errors import UsageError
from freshtake.formats.files import write_bytes
from freshtake.formats.read_options import Motion
from freshtake.formats.registry import read
from freshtake.motion import Clip
from freshtake.numeric.arrays import Floats
from freshtake.reports.viewport.packing import packed
from freshtake.reports.viewport.scene import Figure, Scene, Shape
from freshtake.serve.items import Id
from freshtake.serve.items import Shape as Body
from freshtake.serve.tasks.context import named, trimmed

if TYPE_CHECKING:
    from freshtake.evaluation.comparable import Material
    from freshtake.evaluation.tracks import Track
    from freshtake.reports.differences import Difference
    from freshtake.workflows.retargeting import Onto

DIGITS = 5
MOST_COMPONENTS = 4  # principal components sent
Value = TypeVar("Value")


class SizedCache(Generic[Value]):
    """A thread-safe cache of arrays, limited in bytes; the least recently used values are dropped first."""

    def __init__(self, limit: int) -> None:
        self.limit, self.used = limit, 0
        self._values: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of a key, computing it if missing."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key][0]
        value = make()
        size = size_of(value)
        with self._lock:
            if key not in self._values and size <= self.limit:
                self._values[key] = value, size
                self.used += size
            while self.used > self.limit:
                self.used -= self._values.popitem(last=False)[1][1]
        return value


def size_of(value: object) -> int:
    """Return the size in bytes of the arrays in a value, plus a small overhead."""
    if isinstance(value, np.ndarray):
        return value.nbytes + 200
    if isinstance(value, tuple | list):
        return 200 + sum(map(size_of, value))
    inner = getattr(value, "__dict__", {})
    return 1000 + sum(entry.nbytes for entry in inner.values() if isinstance(entry, np.ndarray))


MOTIONS: SizedCache[Motion] = SizedCache(200 * 2**20)
SHAPES: SizedCache[Shape] = SizedCache(200 * 2**20)


class Source(NamedTuple):
    """The file of an item's motion, and how to read it; `character` is a file whose skin is shown."""

    path: Path
    id: str
    name: str
    role: str
    trim: tuple[int, int] | None = None
    character: Path | None = None


def motion_from(source: Source) -> Motion:
    """Return the motion of an item, trimmed and on its character."""

    def made() -> Motion:
        if source.path == source.character:  # a character without animation is shown in its rest pose
            return named(_onto(source.path).clip, source.name)
        motion = named(read(source.path), source.name)
        motion = motion if source.trim is None else trimmed(motion, source.trim)
        if source.character is None or not isinstance(motion, Clip):
            return motion
        return named(_onto(source.character).put(motion), source.name)

    return MOTIONS.get(source, made)


def clip_from(source: Source) -> Clip:
    """Return the motion of an item, which must be of a body."""
    clip = motion_from(source)
    if not isinstance(clip, Clip):
        raise UsageError(f"{source.name} has no skeleton: choose a take of a body")
    return clip


def load_viewport() -> None:
    """Import the modules that the first scene needs, before somebody waits for it."""
    from freshtake.reports.viewport import staging  # noqa: F401


def scene_from(sources: Sequence[Source]) -> Scene:
    """Return a scene of items in their order; shapes are cached."""
    from freshtake.reports.viewport.staging import dressed, fair_contacts, shared_scale

    motions = [motion_from(source) for source in sources]
    # Bodies keep their relative sizes if all units are known.
    scale = shared_scale(motions)
    pairs = zip(sources, motions, strict=True)
    shapes = [
        SHAPES.get((source, scale), partial(dressed, motion, source.role, source.character, scale))
        for source, motion in pairs
    ]
    return Scene(fair_contacts(shapes))


@lru_cache(maxsize=8)
def _onto(character: Path) -> Onto:
    from freshtake.workflows.retargeting import onto_character

    return onto_character(character)


@lru_cache(maxsize=16)
def differences_of(takes: tuple[Source, ...], sources: tuple[Source, ...]) -> list[Difference]:
    """Measure how motions differ from their takes, per joint; empty if they are not bodies."""
    from freshtake.reports.differences import differences

    motions = [motion_from(source._replace(character=None)) for source in (*takes, *sources)]
    clips = [motion for motion in motions if isinstance(motion, Clip)]
    if not takes or len(clips) < len(motions):
        return []
    return differences(clips[: len(takes)], clips[len(takes) :])


def as_json(function: Callable[..., Any], *arguments: Any) -> bytes:
    """Return a function's result as JSON, so that the server only has to forward it."""
    from pydantic_core import to_json

    return to_json(function(*arguments))


def with_manifest(manifest: dict[str, Any], data: bytes) -> bytes:
    """Pack the length of a JSON manifest (uint32, little-endian), the manifest, zeros to a multiple of 4, and data."""
    text = json.dumps(manifest, allow_nan=False).encode()
    head = struct.pack("<I", len(text)) + text
    return head + b"\0" * (-len(head) % 4) + data


def scene_bytes(scene: Scene, ids: Sequence[str] = ()) -> bytes:
    """Pack a scene with its manifest, in which shapes have the IDs of their items."""
    parts = packed(scene)
    for shape, id in zip(parts.manifest["shapes"], ids, strict=False):
        shape["id"] = id
    return with_manifest(parts.manifest, parts.data)


def pack_scene(sources: Sequence[Source], takes: Sequence[Source]) -> bytes:
    """Pack a scene of items; with `takes`, variants on the neutral body show how unusual each joint is among them."""
    shapes = list(scene_from(sources).shapes)
    dressed = [
        (k, shape)
        for k, shape in enumerate(shapes)
        if sources[k].role == "variant" and isinstance(shape, Figure) and shape.wear is not None
    ]
    measured = differences_of(tuple(takes), tuple(sources[k] for k, _ in dressed))
    for (k, shape), difference in zip(dressed, measured, strict=False):
        shapes[k] = replace(shape, differences=difference.joints.astype("float32"))
    return scene_bytes(Scene(tuple(shapes)), [source.id for source in sources])


class VariantDifference(Body):
    """A variant's difference (1: as much as takes differ from their mean), and the parts of the body that stand out."""

    id: Id
    mean: float
    parts: list[str]


def difference_list(takes: Sequence[Source], sources: Sequence[Source]) -> list[VariantDifference]:
    """Return the difference of each motion from the mean of the takes."""
    measured = differences_of(tuple(takes), tuple(sources))
    return [
        VariantDifference(id=source.id, mean=round(one.mean, 3), parts=list(one.parts))
        for source, one in zip(sources, measured, strict=False)
    ]


def paint_picture(source: Source, what: str, target: Path) -> bytes:
    """Paint a motion (a character with its skin), store the picture in the file `target`, and return it.

    `thumbnail.gif` and `thumbnail.png` are small, moving or still; `strip.png` shows poses in a row.
    """
    from freshtake.reports.viewport.moving_picture import thumbnail
    from freshtake.reports.viewport.painting import FINE, ROLE_COLORS, as_png, finished, strip
    from freshtake.reports.viewport.staging import dressed

    shape = dressed(motion_from(source), source.role, source.character, None)
    if what == "strip.png":
        poses = strip(shape, ROLE_COLORS[source.role][1], 7, (480 * FINE, 96 * FINE), ruled=False)
        data = as_png(finished(poses))
    else:
        data = thumbnail(shape, what == "thumbnail.gif")
    write_bytes(target, data)
    return data


class Dof(Body):
    """A number that changes over time, described in words, with its unit."""

    name: str
    words: str
    unit: str


class OverTime(Body):
    """An item whose numbers are shown over time."""

    id: Id
    name: str
    role: str
    frame_time: float


class Curve(OverTime):
    """The values of one item per frame; `against` is for a second DOF, if requested."""

    values: list[float]
    against: list[float] | None = None


class CurveSet(Body):
    """Curves of several items."""

    dof: str
    against: str | None
    curves: list[Curve]


class Course(OverTime):
    """One item's trajectory in the leading principal components, one list for each."""

    components: list[list[float]]


class ComponentSet(Body):
    """Fractions of the energy, and trajectories of all items."""

    shares: list[float]
    courses: list[Course]


def dof_list(source: Source) -> list[Dof]:
    """List the DOFs by name, in words, with their units, starting with those that move the body most."""
    from freshtake.reports.plots import dof_words, is_angle, leading_dofs

    material, _ = _tracks((source,))
    layout, leading = material.layout, leading_dofs(material)
    length = "leg lengths" if layout.has_body else ""
    return [
        Dof(name=layout.dofs[k], words=dof_words(layout.dofs[k]), unit="°" if is_angle(material, k) else length)
        for k in [*leading, *sorted({*range(len(layout.dofs))} - {*leading})]
    ]


def curve_set(sources: Sequence[Source], dof: str, against: str | None) -> CurveSet:
    """Return the values of one or two DOFs, angles in degrees; unknown DOFs are refused."""
    from freshtake.reports.plots import in_degrees

    material, tracks = _tracks(tuple(sources))
    for name in (dof, against):
        if name is not None and name not in material.layout.dofs:
            raise UsageError(f"there is no DOF {name!r} here: GET /api/dofs lists them")

    def values(track: Track, name: str) -> list[float]:
        column = material.layout.dofs.index(name)
        return _round(in_degrees(material, column, track.dofs[:, column]))

    curves = [
        Curve(
            **_about(source, track), values=values(track, dof),
            against=None if against is None else values(track, against),
        )
        for source, track in zip(sources, tracks, strict=True)
    ]  # fmt: skip
    return CurveSet(dof=dof, against=against, curves=curves)


def component_set(sources: Sequence[Source]) -> ComponentSet:
    """Return the leading principal components of all motions, each DOF weighted by how far it moves the body."""
    from freshtake.reports.plots import components_of_tracks

    material, tracks = _tracks(tuple(sources))
    shares, courses = components_of_tracks(tracks, material.layout.scales)
    return ComponentSet(
        shares=_round(shares[:MOST_COMPONENTS]),
        courses=[
            Course(**_about(source, track), components=[_round(column) for column in course.T[:MOST_COMPONENTS]])
            for source, track, course in zip(sources, tracks, courses, strict=True)
        ],
    )


@lru_cache(maxsize=8)
def _tracks(sources: tuple[Source, ...]) -> tuple[Material, list[Track]]:
    """Return tracks in the order of the motions: the first serves as the input, whose layout all others share."""
    from freshtake.evaluation.comparable import unpacked

    motions = [motion_from(source) for source in sources]
    material = unpacked(motions[:1], motions[1:] or motions[:1], ())
    return material, [*material.inputs, *(material.variants if len(motions) > 1 else [])]


def _about(source: Source, track: Track) -> dict[str, Any]:
    return {"id": source.id, "name": source.name, "role": source.role, "frame_time": track.frame_time}


def _round(values: Floats) -> list[float]:
    return [round(float(value), DIGITS) for value in values]


class Node(Body):
    """A joint, marker or dimension, with its name in plain words."""

    name: str
    words: str


class Edge(Body):
    """An edge from a DOF to one that it helps to predict, at `slices` in time; null: strength not measured."""

    child: str
    parent: str
    slices: list[str]
    strength: float | None
    own: bool


class Link(Body):
    """All edges from one joint to another, their strengths summed."""

    parent: str
    child: str
    strength: float


class BodyFigure(Body):
    """Joints seen from the front: names, parents (-1: none) and positions (right, up)."""

    names: list[str]
    parents: list[int]
    places: list[tuple[float, float]]


class Network(Body):
    """The DOFs of a model, which ones vary together (`edges`), links between joints (`links`), and sentences."""

    dofs: list[str]
    nodes: list[Node]
    edges: list[Edge]
    links: list[Link]
    sentences: list[str]
    body: BodyFigure | None


def network_of(path: Path, target: Path) -> bytes:
    """Describe the networks of a variation model, and store the description, as JSON."""
    from freshtake.reports.explanation import explanation
    from freshtake.reports.network_pictures import front_view, owner
    from freshtake.reports.wording import joint_words, link_sentences
    from freshtake.workflows.inputs import model_of

    model = model_of(path, "variation")
    explained = explanation(model)
    joints = list(dict.fromkeys(owner(dof) for dof in model.dofs))
    skeleton = None if model.material.recipe is None else model.material.recipe.skeleton
    body = None
    if skeleton is not None:
        clip = model.decode(model.material.values[0][:2])
        places = [(round(float(x), 4), round(float(y), 4)) for x, y in front_view(clip)]
        body = BodyFigure(names=list(skeleton.names), parents=skeleton.parents.tolist(), places=places)
    values = explained.as_dict()
    network = Network(
        dofs=list(model.dofs), nodes=[Node(name=joint, words=joint_words(joint)) for joint in joints],
        edges=values["parents"], links=values["links"], sentences=link_sentences(explained.links), body=body,
    )  # fmt: skip
    data = network.model_dump_json().encode()
    write_bytes(target, data)
    return data
