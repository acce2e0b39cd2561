"""Contacts as they are given, by hand, by a classifier or found here, as flags for the points of every foot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from freshtake.errors import UsageError
from freshtake.motion.body import Foot
from freshtake.numeric.arrays import Floats


def checked_flags(contacts: npt.ArrayLike, frames: int, feet: Sequence[Foot]) -> Floats:
    """Contacts (frames, feet) or (frames, foot joints) as numbers from 0 to 1."""
    joints = sum(len(foot.joints) for foot in feet)
    try:
        flags = np.array(contacts, dtype=np.float64)
    except (TypeError, ValueError):
        flags = np.empty(0)
    if flags.ndim != 2 or len(flags) != frames or flags.shape[1] not in (len(feet), joints):
        shape = " x ".join(map(str, flags.shape))
        raise UsageError(
            f"contacts are {shape}, but the clip has {frames} frames: give {len(feet)} columns, one for each foot, "
            f"or {joints}, one for each ankle and toe"
        )
    if not (np.isfinite(flags).all() and flags.min(initial=0.0) >= 0.0 and flags.max(initial=0.0) <= 1.0):
        raise UsageError("contacts must be flags, or numbers from 0 (in the air) to 1 (on the floor)")
    return flags


def spread_flags(flags: Floats, feet: Sequence[Foot]) -> Floats:
    """Flags of feet or of foot joints as (frames, feet, 2), of heel and toe; what has no toe stands on its ankle."""
    if not feet:
        return np.zeros((len(flags), 0, 2))
    if flags.shape[1] == len(feet):
        return np.repeat(flags[:, :, None], 2, axis=2)
    ends = np.cumsum([len(foot.joints) for foot in feet])
    starts = ends - [len(foot.joints) for foot in feet]
    return np.stack([flags[:, starts], flags[:, ends - 1]], axis=2)


def named_flags(contacts: Mapping[str, Floats], frames: int, feet: Sequence[Foot], names: Sequence[str]) -> Floats:
    """Contacts by the names of feet or foot joints as columns; names that are not given stand nowhere.

    A value is one number per frame, or intervals (n, 2) of first frame and frame after the last. A toe's name
    makes all columns those of single joints; else a name stands for the foot as a whole.
    """
    by_foot = [foot.name for foot in feet]
    by_joint = [names[joint] for foot in feet for joint in foot.joints]
    unknown = [name for name in contacts if name not in by_foot and name not in by_joint]
    if unknown:
        raise UsageError(f"there is no foot {unknown[0]!r} for contacts; there are {', '.join(by_joint)}")
    columns = by_joint if any(name not in by_foot for name in contacts) else by_foot
    out = np.zeros((frames, len(columns)))
    for name, values in contacts.items():
        column = out[:, columns.index(name)]
        if values.ndim == 2:
            for start, stop in values.astype(int).tolist():
                if stop > frames:
                    raise UsageError(f"a contact of {name!r} ends at frame {stop}, but the clip has {frames} frames")
                column[start:stop] = 1.0
        elif len(values) != frames:
            raise UsageError(f"there are contacts of {name!r} for {len(values)} frames, but the clip has {frames}")
        else:
            column[:] = values
    return out
