"""Feet that stand and hands at their places: contacts held, pins met, the rest of the motion kept."""

from freshtake.motion.planting.clip_planting import plant
from freshtake.motion.planting.groundwork import Groundwork, lay_groundwork
from freshtake.motion.planting.likely import likely_contacts
from freshtake.motion.planting.planter import Planter, PlanterState, StreamFrame
from freshtake.motion.planting.reporting import Planted
from freshtake.motion.planting.results import PinResult, PlantedContact, PlantReport
from freshtake.motion.planting.settings import PlantSettings, settings_for

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
    "settings_for",
]
