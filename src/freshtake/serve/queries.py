"""Read-only questions about items whose answers take a while; most are called in the helper process."""

from __future__ import annotations

import io
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache, partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np

from freshtake.errors import UsageError
from freshtake.formats.read_options import Motion
from freshtake.formats.registry import read
from freshtake.motion import Clip
from freshtake.motion.edit import at_rate
from freshtake.reports.viewport.scene import Scene, Shape
from freshtake.serve.tasks.context import named, trimmed

if TYPE_CHECKING:
    from freshtake.reports.curves import Curves
    from freshtake.reports.differences import Difference
    from freshtake.workflows.characters import Onto

DIGITS = 5


Value = TypeVar("Value")


class SizedCache(Generic[Value]):
    """A thread-safe cache of arrays with a limit in bytes; the least recently used values are dropped first."""

    def __init__(self, room: int) -> None:
        self.room, self.used = room, 0
        self._values: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of a key, computing it where it is missing."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key][0]
        value = make()
        size = size_of(value)
        with self._lock:
            if key not in self._values and size <= self.room:
                self._values[key] = value, size
                self.used += size
            while self.used > self.room:
                self.used -= self._values.popitem(last=False)[1][1]
        return value


def size_of(value: object) -> int:
    """Return the bytes of the arrays that a value holds, plus a small overhead."""
    if isinstance(value, np.ndarray):
        return value.nbytes + 200
    if isinstance(value, tuple | list):
        return 200 + sum(map(size_of, value))
    inner = getattr(value, "__dict__", {})
    return 1000 + sum(entry.nbytes for entry in inner.values() if isinstance(entry, np.ndarray))


MOTIONS: SizedCache[Motion] = SizedCache(200 * 2**20)
SHAPES: SizedCache[Shape] = SizedCache(200 * 2**20)


class Source(NamedTuple):
    """The file of an item's motion and how to read it; `character` is a file whose skin is shown."""

    path: Path
    name: str
    role: str
    trim: tuple[int, int] | None = None
    fps: float | None = None
    character: Path | None = None


def motion_from(source: Source) -> Motion:
    """Return the motion of an item, trimmed and on its character."""

    def made() -> Motion:
        if source.path == source.character:  # a character without animation is shown in its rest pose
            return named(_onto(source.path).clip, source.name)
        motion = named(read(source.path), source.name)
        motion = motion if source.trim is None else trimmed(motion, source.trim)
        motion = motion if source.fps is None else at_rate(motion, source.fps)
        if source.character is None or not isinstance(motion, Clip):
            return motion
        return named(_onto(source.character).put(motion), source.name)

    return MOTIONS.get(source, made)


def scene_from(sources: Sequence[Source]) -> Scene:
    """Return a scene of items in their order; shapes are cached."""
    from freshtake.reports.viewport.staging import fair_contacts, shared_scale

    motions = [motion_from(source) for source in sources]
    # Bodies keep their relative sizes where all units are known.
    scale = shared_scale(motions)
    pairs = zip(sources, motions, strict=True)
    shapes = [SHAPES.get((source, scale), partial(_shape, motion, source, scale)) for source, motion in pairs]
    return Scene(fair_contacts(shapes))


def _shape(motion: Motion, source: Source, scale: float | None) -> Shape:
    from freshtake.reports.viewport.skinning import skinned_figure
    from freshtake.reports.viewport.staging import shape_of

    if source.character is None or not isinstance(motion, Clip):
        return shape_of(motion, source.role, scale)
    return skinned_figure(motion, source.character, source.role, scale)


@lru_cache(maxsize=8)
def _onto(character: Path) -> Onto:
    from freshtake.workflows.characters import onto_character

    return onto_character(character)


@lru_cache(maxsize=16)
def differences_of(takes: tuple[Source, ...], sources: tuple[Source, ...]) -> list[Difference]:
    """Measure how motions differ from their takes, per joint; empty where they are not bodies."""
    from freshtake.reports.differences import differences

    clips, seen = ([motion_from(one._replace(character=None)) for one in some] for some in (takes, sources))
    bodies = [one for one in (*clips, *seen) if isinstance(one, Clip)]
    if not clips or len(bodies) < len(clips) + len(seen):
        return []
    return differences(bodies[: len(clips)], bodies[len(clips) :])


def difference_words(takes: list[Source], sources: list[Source]) -> list[tuple[float, list[str]]]:
    """Return for each motion its difference (1: as the takes differ from their mean) and the parts that stand out."""
    return [(round(one.mean, 3), list(one.parts)) for one in differences_of(tuple(takes), tuple(sources))]


def thumbnail_of(source: Source, moving: bool) -> bytes:
    """Paint a small picture of a motion; a character has its skin."""
    from freshtake.reports.viewport.moving_picture import thumbnail

    return thumbnail(_shape(motion_from(source), source, None), moving)


def strip_of(source: Source) -> bytes:
    """Paint the poses of a motion in a row, as PNG."""
    from freshtake.reports.viewport.painting import FINE, ROLE_COLORS, finished, strip

    shape = _shape(motion_from(source), source, None)
    out = io.BytesIO()
    size = (480 * FINE, 96 * FINE)
    finished(strip(shape, ROLE_COLORS[source.role][1], 7, size, ruled=False)).save(out, format="PNG", optimize=True)
    return out.getvalue()


def dof_list(sources: list[Source]) -> list[dict[str, str]]:
    """List the DOFs by name, in words, with their units."""
    return [dof._asdict() for dof in _curves(tuple(sources)).dofs]


def curve_values(sources: list[Source], dofs: list[str]) -> list[list[list[float]]]:
    """Return for each item the values of each DOF; unknown DOFs are refused."""
    curves = _curves(tuple(sources))
    names = [dof.name for dof in curves.dofs]
    for dof in dofs:
        if dof not in names:
            raise UsageError(f"there is no DOF {dof!r} here: GET /api/dofs lists them")
    columns = [names.index(dof) for dof in dofs]
    return [[_rounded(values[:, column]) for column in columns] for values in curves.values]


def component_courses(sources: list[Source]) -> tuple[list[float], list[list[list[float]]]]:
    """Return the shares of the energy, and for each item the trajectory of each component."""
    from freshtake.reports.curves import components_of

    components = components_of([motion_from(source) for source in sources])
    courses = [[_rounded(course[:, k]) for k in range(course.shape[1])] for course in components.courses]
    return [round(share, DIGITS) for share in components.shares], courses


def network_summary(path: Path) -> dict[str, Any]:
    """Describe the networks of a variation model: nodes, edges with strengths, sentences, and places on the body."""
    from freshtake.reports.explanation import explanation
    from freshtake.reports.network_pictures import front_view, owner
    from freshtake.reports.wording import joint_words, link_sentences
    from freshtake.workflows.inputs import model_of

    model = model_of(path, "variation")
    explained = explanation(model)
    joints = list(dict.fromkeys(owner(dof) for dof in model.dofs))
    explained_dict = explained.as_dict()
    skeleton = None if model.material.recipe is None else model.material.recipe.skeleton
    body = None
    if skeleton is not None:
        clip = model.decode(model.material.values[0][:2])
        body = {
            "names": list(skeleton.names),
            "parents": [int(parent) for parent in skeleton.parents],
            "places": [[round(float(x), 4), round(float(y), 4)] for x, y in front_view(clip)],
        }
    return {
        "dofs": list(model.dofs),
        "nodes": [{"name": joint, "words": joint_words(joint)} for joint in joints],
        "edges": explained_dict["parents"],
        "prior": [],
        "links": explained_dict["links"],
        "sentences": link_sentences(explained.links),
        "body": body,
    }


@lru_cache(maxsize=8)
def _curves(sources: tuple[Source, ...]) -> Curves:
    """Return the curves of motions, cached for further DOFs of the same motions."""
    from freshtake.reports.curves import curves_of

    return curves_of([motion_from(source) for source in sources])


def _rounded(values: Any) -> list[float]:
    return [round(float(value), DIGITS) for value in values]
