"""Retarget motion to another body: body parts by name or shape, rest poses, transfer, planted feet."""

from typing import TYPE_CHECKING

from freshtake.lazy import lazy_names

if TYPE_CHECKING:
    from freshtake.motion.retarget.mapping import BodyMap, find_body, map_by_names
    from freshtake.motion.retarget.rest import Rest, Rig, Stated, find_rest, make_rig
    from freshtake.motion.retarget.retargeting import Retargeter

_HOMES = {
    "mapping": ("BodyMap", "find_body", "map_by_names"),
    "rest": ("Rest", "Rig", "Stated", "find_rest", "make_rig"),
    "retargeting": ("Retargeter",),
}

__all__ = ["BodyMap", "Rest", "Retargeter", "Rig", "Stated", "find_body", "find_rest", "make_rig", "map_by_names"]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
