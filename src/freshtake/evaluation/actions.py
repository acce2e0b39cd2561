"""Count how often an action is performed: peaks of the root's height (jumps), of the hands' height or speed."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.evaluation.tracks import UP, Gallery, Layout, Track
from freshtake.numeric.arrays import Floats

LEVEL = 0.6  # fraction of the way from the usual value to the lowest of the inputs' peaks
LEVELS = tuple(np.arange(0.35, 0.86, 0.05).round(2).tolist())
RISES = {"root-height": 0.12, "hand-height": 0.3}  # leg lengths by which a height must rise to count as an action
USUAL = {"hand-height": 10.0}  # percentile taken as the usual value: hands may stay up for a long time
QUANTITIES = ("root-height", "hand-height", "hand-speed", "left-hand-speed", "right-hand-speed")


class Action(NamedTuple):
    """A quantity, the values above which a peak begins and below which it ends, and how often the inputs peak."""

    quantity: str
    begin: float
    end: float
    times: int


def find_action(gallery: Gallery, quantity: str = "auto") -> Action | None:
    """Return the named quantity, or the first one that peaks equally often in all inputs at most levels.

    It must also stand out: a height must rise by a fraction of the leg length, a speed to a multiple of its usual
    value; and the inputs must agree at five or more of eleven levels. None if there is no such quantity.
    """
    if not gallery.layout.has_body or quantity == "none":
        return None
    if quantity not in (*QUANTITIES, "auto"):
        raise UsageError(f"there is no quantity {quantity!r}: choose from auto, none, {', '.join(QUANTITIES)}")
    names = [q for q in QUANTITIES if (_joints(gallery.layout, q) or q == "root-height")]
    if quantity != "auto":
        if quantity not in names:
            raise UsageError(f"{quantity} needs a joint named hand or wrist, but this skeleton has none")
        return _action(gallery, quantity, LEVEL)
    steady = {name: _steady_levels(gallery, name) for name in names}
    best = max(names, key=lambda name: len(steady[name]))
    # Inputs may agree at a few levels by chance: an action needs five.
    if len(steady[best]) < 5:
        return None
    return _action(gallery, best, min(steady[best], key=lambda level: abs(level - LEVEL)))


def _steady_levels(gallery: Gallery, name: str) -> list[float]:
    """Return levels at which all inputs peak equally often; empty for a quantity that does not stand out."""
    base, top = _reach(gallery, name)
    # A burst stands out: more than twice the usual speed.
    if top - base < RISES.get(name, 0.0) * gallery.layout.size or (name.endswith("speed") and top < 2.2 * base):
        return []
    signals = [signal(gallery.layout, track, name) for track in gallery.slow]
    levels = [(level, _action(gallery, name, level)) for level in LEVELS]
    counts = [{count_peaks(values, action) for values in signals} for _, action in levels]
    agreed = [(level, peaks.pop()) for (level, _), peaks in zip(levels, counts, strict=True) if len(peaks) == 1]
    if not agreed:
        return []
    usual = max({n for _, n in agreed}, key=lambda n: sum(m == n for _, m in agreed))
    return [level for level, n in agreed if n == usual and n > 0]


def _action(gallery: Gallery, name: str, level: float) -> Action:
    base, top = _reach(gallery, name)
    # A peak ends below half its level, so a ripple on top is not counted as a second peak.
    begin, end = base + level * (top - base), base + 0.5 * level * (top - base)
    counts = [count_peaks(signal(gallery.layout, t, name), Action(name, begin, end, 0)) for t in gallery.slow]
    return Action(name, begin, end, int(np.median(counts)))


def _reach(gallery: Gallery, name: str) -> tuple[float, float]:
    """Return the usual value (mostly the median over all inputs) and the lowest of the inputs' highest values."""
    signals = [signal(gallery.layout, track, name) for track in gallery.slow]
    usual = float(np.percentile(np.concatenate(signals), USUAL.get(name, 50.0)))
    return usual, float(min(values.max() for values in signals))


def performed(gallery: Gallery, track: Track, action: Action) -> int:
    """Count how often the track performs the action."""
    return count_peaks(signal(gallery.layout, track.thirty(), action.quantity), action)


def count_peaks(values: Floats, action: Action) -> int:
    """Count how often the values rise above `begin` after falling below `end`."""
    inside, count = False, 0
    for value in values.tolist():
        if not inside and value > action.begin:
            inside, count = True, count + 1
        elif inside and value < action.end:
            inside = False
    return count


def signal(layout: Layout, track: Track, name: str) -> Floats:
    """Return the quantity over time (frames,): the height of the highest hand or the speed of the fastest one."""
    if name == "root-height":
        return track.world[:, 0, UP]
    hands = track.world[:, list(_joints(layout, name))]
    if name == "hand-height":
        return np.asarray(hands[..., UP].max(axis=1))
    if len(track) < 2:
        return np.zeros(len(track))
    body = track.body[:, list(_joints(layout, name))]
    speed = np.linalg.norm(np.gradient(body, track.frame_time, axis=0), axis=-1)
    return np.asarray(speed.max(axis=1))


def _joints(layout: Layout, name: str) -> Sequence[int]:
    """Return the hands that a quantity uses; the first counts as the left hand unless named otherwise."""
    hands = layout.hands
    if not name.startswith(("left", "right")) or len(hands) != 2:
        return hands if not name.startswith(("left", "right")) else ()
    left_first = not layout.points[hands[0]].lower().startswith("r")
    return (hands[0],) if name.startswith("left") == left_first else (hands[1],)
