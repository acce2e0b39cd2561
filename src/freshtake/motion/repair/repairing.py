"""Named repairs for what `check` finds. Each returns a new clip and says so in its provenance."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from freshtake.errors import InvalidMotion, UsageError
from freshtake.motion.clip import Clip
from freshtake.motion.points import PointClip, drop_points, fill_gaps
from freshtake.motion.repair.channels import reorder_root, unwrap
from freshtake.motion.repair.frames import drop_frozen, drop_tpose, fill_frozen, fix_spikes, relabel_fps
from freshtake.motion.rooting import as_filed, rooted
from freshtake.motion.stroke import Stroke, resample_stroke


@dataclass(frozen=True)
class Repair:
    """A repair by name: what it does, to which kind of motion, and whether it needs a value (`name=value`)."""

    name: str
    title: str
    apply: Callable[..., Any]
    kind: type = Clip
    valued: bool = False


def drop_unseen(clip: PointClip) -> PointClip:
    """Without the points that are never seen."""
    unseen = np.flatnonzero(clip.gaps().all(axis=0))
    if len(unseen) == len(clip.names):
        raise UsageError(f"no point of {clip.name or 'the point clip'} is ever seen: nothing would be left")
    return drop_points(clip, tuple(clip.names[k] for k in unseen)) if len(unseen) else clip


def even_times(stroke: Stroke) -> Stroke:
    """Points evenly spaced in time, about as many as before."""
    return stroke if stroke.uniform else resample_stroke(stroke, 1.0 / stroke.frame_time)


_TABLE = (
    Repair("drop-tpose", "drop a first frame that the take does not start from", drop_tpose),
    Repair("unwrap", "make angles continuous: no wraps, no flips; the motion stays", unwrap),
    Repair("reorder-root", "root angles with the heading outermost: no gimbal lock; the motion stays", reorder_root),
    Repair("drop-frozen", "drop frames that equal the one before", drop_frozen),
    Repair("fill-frozen", "interpolate frames that equal the one before", fill_frozen),
    Repair("fix-spikes", "interpolate joints over the frames in which they jump", fix_spikes),
    Repair("relabel-fps", "the same frames at the rate that is given (relabel-fps=60)", relabel_fps, valued=True),
    Repair("fill-gaps", "bridge the gaps of markers by curves", fill_gaps, PointClip),
    Repair("drop-unseen", "drop markers that are never seen", drop_unseen, PointClip),
    Repair("even-times", "read a stroke at evenly spaced times", even_times, Stroke),
)
REPAIRS: dict[str, Repair] = {entry.name: entry for entry in _TABLE}


def repair(thing: Any, names: str | Iterable[str]) -> Any:
    """Make the named repairs one after the other; a value follows its name, as in `relabel-fps=60`."""
    for name in [names] if isinstance(names, str) else names:
        thing = _repaired(thing, name)
    return thing


def _repaired(thing: Any, asked: str) -> Any:
    done: Any
    name, _, value = asked.partition("=")
    entry = REPAIRS.get(name)
    if entry is None:
        raise UsageError(f"there is no repair {name!r}; the repairs are {', '.join(REPAIRS)}")
    if not isinstance(thing, entry.kind):
        raise UsageError(f"{name} is a repair for a {entry.kind.__name__}, not for a {type(thing).__name__}")
    if entry.valued != bool(value):
        raise UsageError(f"{name} takes {'a number: ' + name + '=60' if entry.valued else 'no value'}, not {asked!r}")
    try:
        filed = as_filed(thing) if isinstance(thing, Clip) else thing
        done = entry.apply(filed, float(value)) if value else entry.apply(filed)
    except ValueError:
        raise UsageError(f"{name} takes a number, not {value!r}") from None
    except InvalidMotion as error:
        raise UsageError(f"{name}: {error}") from None
    if done is filed:
        return thing
    if isinstance(done, Clip):
        done = rooted(done)
    before: str = getattr(thing, "provenance", "")
    return replace(done, provenance=f"{before}; {asked}" if before else asked)
