"""Generators of example motions, each with a known law of variation, and public takes to download.

The names load what they need on first use; `freshtake.samples.download` has the list of public takes.
"""

from typing import TYPE_CHECKING

from freshtake.lazy import lazy_names

if TYPE_CHECKING:
    from freshtake.samples.actions import cheer, jump
    from freshtake.samples.fighting import fight, kick, punch
    from freshtake.samples.running import run, skip
    from freshtake.samples.shapes import circle, digit_2, fit_circle, flag, letter_a
    from freshtake.samples.walking import walk

_HOMES = {
    "cheer": "actions",
    "circle": "shapes",
    "digit_2": "shapes",
    "fight": "fighting",
    "fit_circle": "shapes",
    "flag": "shapes",
    "jump": "actions",
    "kick": "fighting",
    "letter_a": "shapes",
    "punch": "fighting",
    "run": "running",
    "skip": "running",
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
