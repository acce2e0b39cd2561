"""PointClip: named points over time (optical markers or joint positions), with gaps where one was not seen."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from freshtake.errors import InvalidMotion
from freshtake.motion.clip import Clip
from freshtake.motion.validation import Timed, checked_names, frozen, positive, up_axis
from freshtake.numeric.arrays import Bools, Floats


@dataclass(frozen=True, eq=False, repr=False)
class PointClip(Timed):
    """Positions (frames, points, 3); a gap is NaN in all three coordinates of a point."""

    names: tuple[str, ...]
    positions: Floats
    frame_time: float
    name: str = ""
    provenance: str = ""
    up: str = "y"
    unit_m: float | None = None

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "names", checked_names(self.names, "point"))
        positions = frozen(self.positions, "positions", (None, len(self.names), 3), finite=False)
        if np.isinf(positions).any():
            frame, point, _ = (int(i) for i in np.argwhere(np.isinf(positions))[0])
            raise InvalidMotion(f"point {self.names[point]!r} is infinite in frame {frame}")
        torn = np.isnan(positions).any(-1) & ~np.isnan(positions).all(-1)
        if torn.any():
            frame, point = (int(i) for i in np.argwhere(torn)[0])
            raise InvalidMotion(f"point {self.names[point]!r} is missing only some coordinates in frame {frame}")
        put(self, "positions", positions)
        if len(positions) == 0 or not self.names:
            raise InvalidMotion("a point clip needs at least one frame and one point")
        put(self, "frame_time", positive(self.frame_time, "frame_time"))
        put(self, "up", up_axis(self.up))
        if self.unit_m is not None:
            put(self, "unit_m", positive(self.unit_m, "unit_m"))

    def __repr__(self) -> str:
        return f"PointClip({self.name!r}, {len(self)} frames at {self.fps:g} fps, {len(self.names)} points)"

    def __len__(self) -> int:
        return len(self.positions)

    def gaps(self) -> Bools:
        """(frames, points): where a point is missing."""
        return np.isnan(self.positions[..., 0])


def fill_gaps(clip: PointClip, longest: int | None = None) -> PointClip:
    """Bridge gaps by a cubic (Hermite) curve through the neighbours, and hold the first and last seen position.

    Gaps longer than `longest` frames stay; a point that is never seen is an error that names it.
    """
    from scipy.interpolate import PchipInterpolator

    filled = clip.positions.copy()
    frames = np.arange(len(clip))
    for point, name in enumerate(clip.names):
        missing = np.isnan(filled[:, point, 0])
        if missing.all():
            raise InvalidMotion(f"point {name!r} is never seen, so its gap cannot be filled: drop it first")
        wanted = missing & (_gap_lengths(missing) <= (len(clip) if longest is None else longest))
        if not wanted.any():
            continue
        seen = frames[~missing]
        if len(seen) == 1:
            filled[wanted, point] = filled[seen[0], point]
            continue
        curve = PchipInterpolator(seen, filled[seen, point], axis=0)
        filled[wanted, point] = curve(np.clip(frames[wanted], seen[0], seen[-1]))
    return replace(clip, positions=filled, provenance=f"{clip.provenance}; gaps filled")


def _gap_lengths(missing: Bools) -> Floats:
    """For every frame the length of the gap it lies in (0 outside)."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], missing.astype(np.int8), [0]])))
    lengths = np.zeros(len(missing))
    for start, stop in zip(edges[::2], edges[1::2], strict=True):
        lengths[start:stop] = stop - start
    return lengths


def drop_points(clip: PointClip, names: tuple[str, ...]) -> PointClip:
    """Without the named points."""
    unknown = [n for n in names if n not in clip.names]
    if unknown:
        raise InvalidMotion(f"there is no point {unknown[0]!r}; the points are {', '.join(clip.names)}")
    keep = [k for k, name in enumerate(clip.names) if name not in names]
    return replace(clip, names=tuple(clip.names[k] for k in keep), positions=clip.positions[:, keep])


def joint_points(clip: Clip, *, end_sites: bool = False) -> PointClip:
    """The world positions of a clip's joints (and of its tips, named after their joints) as a point clip."""
    names = list(clip.skeleton.names)
    positions = clip.positions()
    if end_sites and clip.skeleton.end_sites:
        for number, site in enumerate(clip.skeleton.end_sites):
            base = site.name or f"{clip.skeleton.names[site.joint]}_end"
            names.append(base if base not in names else f"{base}_{number}")
        positions = np.concatenate([positions, clip.end_positions()], axis=1)
    return PointClip(tuple(names), positions, clip.frame_time, clip.name, clip.provenance, clip.up, clip.unit_m)
