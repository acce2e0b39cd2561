"""Repairs of a file's Euler angles that leave the motion as it is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.check.channels import joint_angles, radians_per_unit, unaxed
from freshtake.motion.clip import Clip
from freshtake.numeric.arrays import Floats
from freshtake.numeric.euler import continuous_euler, gimbal_closeness, unflipped


def unwrap(clip: Clip) -> Clip:
    """Angles without wraps and flips; rotations, root and all columns that had neither stay as they are."""
    scale = radians_per_unit(clip)
    if clip.channels is None or scale is None:
        return clip
    values = clip.channels.copy()
    for _, order, columns, angles in joint_angles(clip):
        smooth = unflipped(angles, order) if len(order) == 3 else np.unwrap(angles, axis=0)
        changed = np.abs(smooth - angles) > 1e-9
        values[:, columns] = np.where(changed, smooth / scale, values[:, columns])
    return clip if np.array_equal(values, clip.channels) else clip.changed(channels=values)


def reorder_root(clip: Clip, order: str | None = None) -> Clip:
    """The root's angles in an order with the heading outermost, so that the body may face any way.

    Of the orders that begin with the vertical axis the one farthest from gimbal lock is taken, or another order
    where both lock. The motion stays; the skeleton's channel layout changes at the root.
    """
    skeleton = clip.skeleton
    if len(skeleton.orders[0]) != 3:
        raise UsageError(f"the root of {clip.name or 'the clip'} has fewer than three angles: nothing to reorder")
    turned = unaxed(clip, 0)
    chosen = order or _best_order(turned, clip.up.upper())
    if sorted(chosen) != ["X", "Y", "Z"]:
        raise UsageError(f"an order has each of X, Y and Z once, not {chosen!r}")
    layout = list(skeleton.channels[0])
    spots = [k for k, channel in enumerate(layout) if channel[0] == "r"]
    for spot, letter in zip(spots, chosen, strict=True):
        layout[spot] = f"r{letter.lower()}"
    limits = skeleton.limits
    if limits is not None and limits[0]:
        limits = (tuple(limits[0][skeleton.channels[0].index(channel)] for channel in layout), *limits[1:])
    renewed = replace(
        skeleton,
        channels=(tuple(layout), *skeleton.channels[1:]),
        orders=(chosen, *skeleton.orders[1:]),
        limits=limits,
    )
    return clip.changed(skeleton=renewed, channels=_with_root(clip, spots, continuous_euler(turned, chosen)))


def _with_root(clip: Clip, spots: list[int], angles: Floats) -> Floats | None:
    """The clip's channels with the root's angles replaced."""
    scale = radians_per_unit(clip)
    if clip.channels is None or scale is None:
        return None
    values = clip.channels.copy()
    values[:, spots] = angles / scale
    return values


def _best_order(turned: Floats, up: str) -> str:
    """Heading outermost if one of those two orders stays clear of gimbal lock, else whichever order does."""
    letters = [axis for axis in "XYZ" if axis != up]
    outermost = [up + letters[0] + letters[1], up + letters[1] + letters[0]]
    others = [a + b + c for a in letters for b, c in ((up, _third(a, up)), (_third(a, up), up))]
    clear = {order: float(gimbal_closeness(continuous_euler(turned, order), order).min()) for order in outermost}
    best = max(outermost, key=clear.__getitem__)
    if clear[best] > 0.2:
        return best
    clear |= {order: float(gimbal_closeness(continuous_euler(turned, order), order).min()) for order in others}
    return max(clear, key=clear.__getitem__)


def _third(a: str, b: str) -> str:
    return next(axis for axis in "XYZ" if axis not in (a, b))
