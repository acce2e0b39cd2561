"""Paths under a style: the source is steered and translated, so that the translation follows the path."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from freshtake.errors import UsageError
from freshtake.formats.read_options import Motion
from freshtake.motion import Clip
from freshtake.motion.edit import take_frames
from freshtake.motion.features.angles import ground_of
from freshtake.motion.verdict import Remark
from freshtake.requests.shared import Feet
from freshtake.requests.style import Styling
from freshtake.style.model import StyleModel
from freshtake.workflows.style_translating import translated

SPARE = 0.1  # share of the frames that are made beyond those that are needed, as the timing varies
TRIES = 4  # translations, each of more of the source, until there are enough frames


def in_style(
    style: StyleModel, motion: Motion, made: Callable[[int, float], Motion], feet: Feet,
    warn: Callable[[str], None] | None = None,
) -> tuple[Clip, list[Remark]]:  # fmt: skip
    """Put an endless motion into a style, as long and along the same path.

    A style changes how far a body gets and how long that takes. Both are measured on a first translation; then the
    source is steered along a path that is as many times shorter or longer, for as many frames as become those asked
    for.

    Args:
        style: The style.
        motion: The motion without it.
        made: Makes so many frames along a path so many times as long.
        feet: Whether feet are planted.
        warn: Called with sentences for the user.

    Returns:
        As many frames as the motion has, in the style, and remarks on them.
    """
    if not isinstance(motion, Clip):
        raise UsageError("a style is for bodies with a skeleton: leave --style out")
    styling = Styling(plant=feet.plant, lock=feet.lock)
    first = translated([(style, 1.0)], motion, styling, warn).clip
    frames = round((1.0 + SPARE) * len(motion) * len(motion) / len(first))
    farther = _travel(first) / max(_travel(motion), 1e-9)
    for _ in range(TRIES):
        source = made(frames, 1.0 / max(farther, 1e-3))
        assert isinstance(source, Clip)
        done = translated([(style, 1.0)], source, styling)
        if len(done.clip) >= len(motion):
            return take_frames(done.clip, 0, len(motion)).changed(name=motion.name), list(done.remarks)
        # The first translation was of other frames, in which the style may have taken its time.
        frames = round((1.0 + SPARE) * frames * len(motion) / max(len(done.clip), 1))
    raise UsageError(
        f"the style shortens this motion so much that {len(motion)} frames cannot be had: ask for fewer, or leave "
        "--style out"
    )


def _travel(clip: Clip) -> float:
    """Return how far a body goes over the ground."""
    return float(np.abs(np.diff(ground_of(clip.root, clip.up)[::6])).sum())
