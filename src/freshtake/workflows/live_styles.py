"""A style put onto an endless motion while it is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from freshtake.errors import UsageError
from freshtake.methods.gathering import fitted
from freshtake.motion import Clip
from freshtake.numeric.arrays import Floats
from freshtake.workflows.live_posing import joined

MARGIN = 2  # frames to either side of a block that its rows depend on
BLOCK = 2  # frames that are translated at a time


def styled(frames: Iterator[Clip], style: Any, strength: Callable[[], float]) -> Iterator[Clip]:
    """One-frame clips in a style, `MARGIN + BLOCK` frames late; `strength` is asked for anew all the time."""
    first = next(frames)
    if abs(first.frame_time - style.frame_time) > 1e-3 * style.frame_time:
        rates = f"{1.0 / first.frame_time:.4g} and {1.0 / style.frame_time:.4g}"
        raise UsageError(f"the motion and the style have different frame rates ({rates} fps): learn both from one rate")

    def blocks() -> Iterator[Floats]:
        held = [first, *islice(frames, 2 * MARGIN - 1)]
        while True:
            held = [*held[-2 * MARGIN :], *islice(frames, BLOCK)]
            rows = style.encode(fitted(joined(held), style.recipe)).values
            yield rows[MARGIN : MARGIN + len(held) - 2 * MARGIN]

    yield from style.stream(blocks(), decode=True, time_warp=False, strength=strength)
