"""Motions as engines want them: where the travel is, and whether a loop repeats its first frame."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any, NamedTuple

from freshtake.errors import UsageError
from freshtake.formats.read_options import Motion
from freshtake.motion import Clip
from freshtake.motion.kind_words import kind_word

LARGE_TURN = 15.0  # degrees in a loop


class Delivery(NamedTuple):
    """Travel on the hips, on a joint above them, or none; with `closing`, loops end with their first frame again."""

    root_motion: str = "hips"
    closing: bool = False


def chosen_delivery(root_motion: str | None, in_place: bool, closing: bool = False) -> Delivery:
    """The delivery that the options choose; `in_place` is short for no root motion."""
    if in_place and root_motion not in (None, "none"):
        raise UsageError(f"--in-place takes the travel out, but --root-motion {root_motion} keeps it: choose one")
    return Delivery("none" if in_place else root_motion or "hips", closing)


def delivered(motion: Motion, delivery: Delivery) -> Motion:
    """A motion in this form."""
    if delivery == Delivery():
        return motion
    from freshtake.motion.cycles.looping import with_closing_frame
    from freshtake.motion.cycles.root_motion import with_root_motion

    if not isinstance(motion, Clip):
        raise UsageError(f"travel is that of a skeleton: a {kind_word(motion)} has no root to move")
    if delivery.closing:
        motion = with_closing_frame(motion)
    return with_root_motion(motion, delivery.root_motion)


def turn_note(playbacks: Sequence[dict[str, Any] | None]) -> str | None:
    """A sentence where the median turn that was removed from loops is large."""
    turns = [abs(playback["turn_removed_deg"]) for playback in playbacks if playback is not None and playback["loop"]]
    if not turns or statistics.median(turns) < LARGE_TURN:
        return None
    return f"a turn of about {statistics.median(turns):.0f}° was removed from each loop, so that loops go straight"


def playback_summary(motion: Motion) -> dict[str, Any] | None:
    """How a motion is to be played, for JSON; None where nothing is to be said."""
    return motion.playback.summary() if isinstance(motion, Clip) and motion.playback is not None else None
