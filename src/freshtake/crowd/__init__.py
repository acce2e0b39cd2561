"""Crowds: many characters from a few models, made on a machine, cluster or render farm. Names load on first use."""

from typing import TYPE_CHECKING

from freshtake.lazy import lazy_names

if TYPE_CHECKING:
    from freshtake.crowd.making import CrowdMade, crowd_make
    from freshtake.crowd.plan import Avoidance, GroundMap, Group, Placement, Plan, Repetition
    from freshtake.crowd.shards import read_shard

_HOMES = {
    "making": ("CrowdMade", "crowd_make"),
    "plan": ("Avoidance", "GroundMap", "Group", "Placement", "Plan", "Repetition"),
    "shards": ("read_shard",),
}

__all__ = [
    "Avoidance", "CrowdMade", "GroundMap", "Group", "Placement", "Plan", "Repetition", "crowd_make", "read_shard",
]  # fmt: skip

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
