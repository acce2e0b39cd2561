"""Plant feet and pin hands: keep contacts in place, reach pins, and leave the rest of the motion unchanged."""

from typing import TYPE_CHECKING

from freshtake.lazy import lazy_names

if TYPE_CHECKING:
    from freshtake.motion.planting.contacts import PlantSettings, settings_for
    from freshtake.motion.planting.planter import (
        PinResult,
        Planted,
        PlantedContact,
        Planter,
        PlanterState,
        PlantReport,
        StreamFrame,
        plant,
    )
    from freshtake.motion.planting.planting_model import PlantingModel, learn_planting

_HOMES = {
    "contacts": ("PlantSettings", "settings_for"),
    "planter": (
        "PinResult", "PlantReport", "Planted", "PlantedContact", "Planter", "PlanterState", "StreamFrame", "plant"
    ),
    "planting_model": ("PlantingModel", "learn_planting"),
}  # fmt: skip

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
    "plant",
    "settings_for",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
