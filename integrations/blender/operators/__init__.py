# SPDX-License-Identifier: GPL-3.0-or-later
"""All actions of users, as operators under `bpy.ops.freshtake`."""

from __future__ import annotations

import bpy

from .. import live, settings
from . import applying, learning, redrawing, results, sampling, styling, takes, varying

MODULES = (sampling, takes, results, learning, varying, redrawing, styling, applying)


def register() -> None:
    """Register settings first: operators read them."""
    settings.register()
    for module in MODULES:
        for cls in module.CLASSES:
            bpy.utils.register_class(cls)


def unregister() -> None:
    """Unregister all operators."""
    live.stop()
    for module in reversed(MODULES):
        for cls in reversed(module.CLASSES):
            bpy.utils.unregister_class(cls)
    settings.unregister()
