"""Feet on the floor and hands at their places: contacts held still, pins met, the rest of the motion kept."""

from freshtake.motion.planting.groundwork import Groundwork, lay_groundwork
from freshtake.motion.planting.likely import likely_contacts
from freshtake.motion.planting.offline import plant
from freshtake.motion.planting.results import PinResult, Planted, PlantedContact, PlantReport
from freshtake.motion.planting.settings import PlantSettings
from freshtake.motion.planting.stream import Planter, PlanterState, StreamFrame

__all__ = [
    "Groundwork",
    "PinResult",
    "PlantReport",
    "PlantSettings",
    "Planted",
    "PlantedContact",
    "Planter",
    "PlanterState",
    "StreamFrame",
    "lay_groundwork",
    "likely_contacts",
    "plant",
]
