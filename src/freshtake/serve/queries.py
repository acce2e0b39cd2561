"""Read-only questions about items whose answers take a while; most are called in the helper process."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from freshtake.errors import UsageError
from freshtake.formats.read_options import Motion
from freshtake.formats.registry import read
from freshtake.motion import Clip
from freshtake.motion.rates import at_rate
from freshtake.reports.viewport.scene import Scene, Shape
from freshtake.serve.cache import SizedCache
from freshtake.serve.tasks.describing import named, trimmed

if TYPE_CHECKING:
    from freshtake.reports.curves import Curves
    from freshtake.workflows.motion_retargeting import Onto

DIGITS = 5
MOTIONS: SizedCache[Motion] = SizedCache(200 * 2**20)
SHAPES: SizedCache[Shape] = SizedCache(200 * 2**20)


class Source(NamedTuple):
    """Where the motion of an item is, and how it is meant; `character` is a file whose skin it wears."""

    path: Path
    name: str
    role: str
    trim: tuple[int, int] | None = None
    fps: float | None = None
    character: Path | None = None


def motion_from(source: Source) -> Motion:
    """The motion of an item as the user means it."""

    def made() -> Motion:
        if source.path == source.character:  # a character without animation stands as it was modelled
            return named(_onto(source.path).clip, source.name)
        motion = named(read(source.path), source.name)
        motion = motion if source.trim is None else trimmed(motion, source.trim)
        motion = motion if source.fps is None else at_rate(motion, source.fps)
        if source.character is None or not isinstance(motion, Clip):
            return motion
        return named(_onto(source.character).put(motion), source.name)

    return MOTIONS.get(source, made)


def scene_from(sources: Sequence[Source]) -> Scene:
    """A scene of items in their order; shapes that were shown before are there already."""
    from freshtake.reports.viewport.staging import shared_scale

    motions = [motion_from(source) for source in sources]
    scale = shared_scale(motions)
    return Scene(
        tuple(
            SHAPES.get((source, scale), partial(_shape, motion, source, scale))
            for source, motion in zip(sources, motions, strict=True)
        )
    )


def _shape(motion: Motion, source: Source, scale: float | None) -> Shape:
    from freshtake.reports.viewport.skinning import skinned_figure
    from freshtake.reports.viewport.staging import shape_of

    if source.character is None or not isinstance(motion, Clip):
        return shape_of(motion, source.role, scale)
    return skinned_figure(motion, source.character, source.role, scale)


@lru_cache(maxsize=8)
def _onto(character: Path) -> Onto:
    from freshtake.workflows.motion_retargeting import onto_character

    return onto_character(character)


def thumbnail_of(source: Source, moving: bool) -> bytes:
    """A small picture."""
    from freshtake.reports.viewport.staging import shape_of
    from freshtake.reports.viewport.thumbnail import thumbnail

    return thumbnail(shape_of(motion_from(source), source.role), moving)


def dof_list(sources: list[Source]) -> list[dict[str, str]]:
    """DOFs by name, in words, with their units."""
    return [dof._asdict() for dof in _curves(tuple(sources)).dofs]


def curve_values(sources: list[Source], dofs: list[str]) -> list[list[list[float]]]:
    """For each item the values of each DOF; what is no DOF is refused."""
    curves = _curves(tuple(sources))
    names = [dof.name for dof in curves.dofs]
    for dof in dofs:
        if dof not in names:
            raise UsageError(f"there is no DOF {dof!r} here: GET /api/dofs lists them")
    columns = [names.index(dof) for dof in dofs]
    return [[_rounded(values[:, column]) for column in columns] for values in curves.values]


def component_courses(sources: list[Source]) -> tuple[list[float], list[list[list[float]]]]:
    """Shares of the energy, and for each item the course of each component."""
    from freshtake.reports.curves import components_of

    components = components_of([motion_from(source) for source in sources])
    courses = [[_rounded(course[:, k]) for k in range(course.shape[1])] for course in components.courses]
    return [round(share, DIGITS) for share in components.shares], courses


def network_summary(path: Path) -> dict[str, Any]:
    """The networks of a variation model: nodes, edges with strengths, in words, and where joints are on the body."""
    from freshtake.reports.explanation import explanation
    from freshtake.reports.joint_words import joint_words, link_sentences
    from freshtake.reports.network_body import front_view
    from freshtake.reports.network_matrix import owner
    from freshtake.workflows.variation_explaining import variation_model

    model = variation_model(path)
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
    """For another DOF of the same motions nothing is computed again."""
    from freshtake.reports.curves import curves_of

    return curves_of([motion_from(source) for source in sources])


def _rounded(values: Any) -> list[float]:
    return [round(float(value), DIGITS) for value in values]
