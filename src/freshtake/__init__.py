"""freshtake turns a few takes of a movement into an unlimited supply of new ones.

    import numpy as np
    import freshtake as ft

    takes = [ft.read_clip(f"walk_{k}.bvh") for k in (1, 2, 3, 4)]
    model = ft.variation.learn(takes, rng=np.random.default_rng(7))
    ft.write("new_walk.bvh", model.sample(np.random.default_rng(1), plant=True))

Files: `read` returns what a file holds; `read_clip`, `read_stroke`, `read_points` and `read_mesh` return that kind,
and refuse anything else. `write` chooses the format by the file extension.
Models: `save`, `load`, and `load_variation`, `load_style`, `load_gaits`, `load_density`, `load_texture` by kind.
Methods: `variation` (new takes from a few), `style` (a clip in another style), `density` (from walk to run by weights),
`texture` (endless and looped playback). Each has `learn`, which returns a model that never changes.
Notebooks: `model.show()`, `clip.show()`, or `view(*takes, variants=new)` for several, shows them moving in the cell.
Also: `motion` (bodies and operations on them), `samples` (example motions), `evaluation` (how good variants are).

Names load what they need on first use, so `import freshtake` itself costs next to nothing.
"""

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
    from freshtake.formats import read, read_clip, read_mesh, read_points, read_stroke, write
    from freshtake.formats.ftm import load, save
    from freshtake.formats.ftm.io import load_density, load_gaits, load_style, load_texture, load_variation
    from freshtake.motion import Clip, MeshSequence, PointClip, Skeleton, Stroke
    from freshtake.workflows.inline import view

__version__ = "0.2.0"

_NAMES = {
    "formats": ("read", "read_clip", "read_mesh", "read_points", "read_stroke", "write"),
    "formats.ftm": ("load", "save"),
    "formats.ftm.io": ("load_density", "load_gaits", "load_style", "load_texture", "load_variation"),
    "motion": ("Clip", "MeshSequence", "PointClip", "Skeleton", "Stroke"),
    "workflows.inline": ("view",),
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
    "load_density",
    "load_gaits",
    "load_style",
    "load_texture",
    "load_variation",
    "motion",
    "read",
    "read_clip",
    "read_mesh",
    "read_points",
    "read_stroke",
    "samples",
    "save",
    "style",
    "texture",
    "variation",
    "view",
    "write",
]

__getattr__, __dir__ = lazy_names(__name__, _NAMES, _PACKAGES)
