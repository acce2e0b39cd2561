"""Plant feet and pin hands: hold contacts, meet pins, and keep the rest of the motion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freshtake.lazy import lazy_names

if TYPE_CHECKING:
    from freshtake.motion.planting.clip_planting import PinResult, Planted, PlantedContact, PlantReport, plant
    from freshtake.motion.planting.planter import Planter, PlanterState, StreamFrame
    from freshtake.motion.planting.planting_model import PlantingModel, learn_planting, nearest_contacts
    from freshtake.motion.planting.rig import PlantSettings, settings_for

_HOMES = {
    "PinResult": "clip_planting",
    "PlantReport": "clip_planting",
    "PlantSettings": "rig",
    "Planted": "clip_planting",
    "PlantedContact": "clip_planting",
    "Planter": "planter",
    "PlanterState": "planter",
    "PlantingModel": "planting_model",
    "StreamFrame": "planter",
    "learn_planting": "planting_model",
    "nearest_contacts": "planting_model",
    "plant": "clip_planting",
    "settings_for": "rig",
}

__all__ = [
    "PinResult",
    "PlantReport",
    "PlantSettings",
    "Planted",
    "PlantedContact",
    "Planter",
    "PlanterState",
    "PlantingModel",
    "StreamFrame",
    "learn_planting",
    "nearest_contacts",
    "plant",
    "settings_for",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
