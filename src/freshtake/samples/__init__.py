"""Example motions made by our own code, each with a known law of variation, and public takes to download.

The names load what they need on first use; `freshtake.samples.download` has the list of public takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from freshtake.lazy import lazy_names

if TYPE_CHECKING:
    from freshtake.samples.cheering import cheer
    from freshtake.samples.fighting import fight, kick
    from freshtake.samples.jumping import jump
    from freshtake.samples.meshes import flag
    from freshtake.samples.punching import punch
    from freshtake.samples.running import run
    from freshtake.samples.skipping import skip
    from freshtake.samples.strokes import circle, digit_2, fit_circle, letter_a
    from freshtake.samples.walking import walk

_HOMES = {
    "cheer": "cheering",
    "circle": "strokes",
    "digit_2": "strokes",
    "fight": "fighting",
    "fit_circle": "strokes",
    "flag": "meshes",
    "jump": "jumping",
    "kick": "fighting",
    "letter_a": "strokes",
    "punch": "punching",
    "run": "running",
    "skip": "skipping",
    "walk": "walking",
}

__all__ = [
    "cheer",
    "circle",
    "digit_2",
    "fight",
    "fit_circle",
    "flag",
    "jump",
    "kick",
    "letter_a",
    "punch",
    "run",
    "skip",
    "walk",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
