"""freshtake turns a few takes of a movement into an unlimited supply of new ones.

The names below load what they need on first use, so that `import freshtake` itself costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from freshtake.errors import (
    FormatError,
    FreshtakeError,
    InvalidMotion,
    MissingExtra,
    SkeletonMismatch,
    UsageError,
)
from freshtake.lazy import lazy_names

if TYPE_CHECKING:
    from freshtake import density, evaluation, formats, motion, samples, style, texture, variation
    from freshtake.formats import read, write
    from freshtake.formats.ftm import load, save
    from freshtake.motion import Clip, MeshSequence, PointClip, Skeleton, Stroke

__version__ = "0.1.0"

_HOMES = {
    "load": "formats.ftm",
    "read": "formats",
    "save": "formats.ftm",
    "write": "formats",
    "Clip": "motion",
    "MeshSequence": "motion",
    "PointClip": "motion",
    "Skeleton": "motion",
    "Stroke": "motion",
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

__getattr__, __dir__ = lazy_names(__name__, _HOMES, _PACKAGES)
