"""freshtake turns a few takes of a movement into an unlimited supply of new ones.

The names below load what they need on first use, so that `import freshtake` itself costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from freshtake.errors import (
    FormatError,
    FreshtakeError,
    InvalidMotion,
    MissingExtra,
    SkeletonMismatch,
    UsageError,
)

if TYPE_CHECKING:
    from freshtake import density, evaluation, formats, motion, samples, style, texture, variation
    from freshtake.formats import read, write
    from freshtake.formats.ftm import load, save
    from freshtake.motion import Clip, MeshSequence, PointClip, Skeleton, Stroke

__version__ = "0.1.0"

_HOMES = {
    "load": "freshtake.formats.ftm",
    "read": "freshtake.formats",
    "save": "freshtake.formats.ftm",
    "write": "freshtake.formats",
    "Clip": "freshtake.motion",
    "MeshSequence": "freshtake.motion",
    "PointClip": "freshtake.motion",
    "Skeleton": "freshtake.motion",
    "Stroke": "freshtake.motion",
}
_PACKAGES = ("density", "evaluation", "formats", "motion", "samples", "style", "texture", "variation")

__all__ = [
    "Clip",
    "FormatError",
    "FreshtakeError",
    "InvalidMotion",
    "MeshSequence",
    "MissingExtra",
    "PointClip",
    "Skeleton",
    "SkeletonMismatch",
    "Stroke",
    "UsageError",
    "__version__",
    "density",
    "evaluation",
    "formats",
    "load",
    "motion",
    "read",
    "samples",
    "save",
    "style",
    "texture",
    "variation",
    "write",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in _PACKAGES:
        return import_module(f"freshtake.{name}")
    raise AttributeError(f"module 'freshtake' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
