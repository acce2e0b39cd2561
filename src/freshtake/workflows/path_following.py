"""Paths on the ground: a body begins on the first point, in the path's direction; a sentence says how far it got."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from freshtake.formats.read_options import Motion
from freshtake.motion import Clip
from freshtake.motion.body.size import unit_name, unit_of
from freshtake.motion.edit import turned
from freshtake.motion.features import Start
from freshtake.numeric.arrays import Floats
from freshtake.variation.goals.steering import Followed, Steering, Travel, followed

PLACES = {"y": [0, 2], "z": [0, 1]}  # of the ground, by the axis that points up


def seen_from_its_start(path: Floats, up: str) -> tuple[Floats, Start]:
    """A path as a body sees it that stands on its first point and faces its first stretch; and where that body is."""
    sign = 1.0 if up == "y" else -1.0  # heading 0 is +z where y is up, and -y where z is
    world = sign * path[:, 1] + 1j * path[:, 0]
    heading = float(np.angle(world[1] - world[0]))
    turned = (world - world[0]) * np.exp(-1j * heading)
    return np.stack([turned.imag, sign * turned.real], axis=1), Start((float(path[0, 0]), float(path[0, 1])), heading)


def placed(clip: Clip, start: Start) -> Clip:
    """A clip that begins at the origin, facing forward, moved to where it is to begin."""
    moved = turned(clip, start.heading)
    root = moved.root.copy()
    root[:, PLACES[clip.up]] += start.ground
    return moved.changed(root=root)


def followed_by(path: Floats, motion: Motion) -> Followed | None:
    """How far a body came along a path, and how far off it was."""
    if not isinstance(motion, Clip) or len(motion) < 2:
        return None
    places = motion.root[:, PLACES[motion.up]]
    speed = float(np.linalg.norm(np.diff(places, axis=0), axis=1).mean() / motion.frame_time)
    return followed(Steering(path=path), Travel(speed, 0.0), places, motion.frame_time)


def path_sentence(followed: Sequence[Followed], motion: Motion) -> str:
    """How far along its path a motion came, in the unit of the clip and so of the path; of several, the range."""
    metres = unit_of(motion) if isinstance(motion, Clip) else None
    unit = "of the clip's units" if metres is None else unit_name(metres)
    least, most = min(one.along for one in followed), max(one.along for one in followed)
    gone = f"{most:.4g}" if f"{least:.4g}" == f"{most:.4g}" else f"{least:.4g} to {most:.4g}"
    mean = float(np.mean([one.mean_off for one in followed]))
    return (
        f"followed {gone} of the path's {followed[0].length:.4g} {unit}, "
        f"off by {_plain(mean)} on average and {_plain(max(one.most_off for one in followed))} at most"
    )


def _plain(length: float) -> str:
    """Two digits, without an exponent where there are more before the point."""
    return f"{length:.0f}" if length >= 10.0 else f"{length:.2g}"
