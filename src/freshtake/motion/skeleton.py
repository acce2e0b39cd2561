"""Skeleton: names, parent indices and rest offsets of joints, and the layout of their channels in a file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import InvalidMotion, SkeletonMismatch
from freshtake.motion.base import Base
from freshtake.motion.validation import Array, Parts, checked_names, frozen, frozen_quaternions
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.rotations import inverse, multiply

TRANSLATIONS = ("tx", "ty", "tz")
ROTATIONS = ("rx", "ry", "rz")
ROOT_CHANNELS = ("tx", "ty", "tz", "rz", "ry", "rx")
JOINT_CHANNELS = ("rz", "ry", "rx")

Limits = tuple[tuple[float, float] | None, ...]


class EndSite(NamedTuple):
    """The tip of a leaf joint: which joint, and the offset from it in that joint's frame."""

    joint: int
    offset: tuple[float, float, float]
    name: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Skeleton:
    """A tree of joints, parents before children.

    Args:
        names: (joints,): names of the joints, all different.
        parents: (joints,): the number of each joint's parent; -1 for the root, which comes first.
        offsets: (joints, 3): positions of joints relative to their parents at rest, in the file's unit of length.
        end_sites: Tips of leaf joints.
        channels: Per joint the columns of its file, in order: tx ty tz (position, replaces the offset), rx ry rz.
        orders: Per joint the intrinsic Euler order, "ZYX" for R = Rz Ry Rx; by default that of the channels.
        axes: (joints, 4) (Acclaim): fixed rotations C in which angles are measured; local rotations are C R C^-1.
        limits: Parallel to `channels`, in radians and units.
        base: For rigs whose body does not hang on a traveling joint 0, see `motion.body.rooting`.
        paws: Ends of limbs that stand in takes although neither names nor offsets reveal it, see `find_paws` in
            `motion.body.orientation`.
    """

    names: tuple[str, ...]
    parents: Ints
    offsets: Floats
    end_sites: tuple[EndSite, ...] = ()
    channels: tuple[tuple[str, ...], ...] = ()
    orders: tuple[str, ...] = ()
    axes: Floats | None = None
    limits: tuple[Limits, ...] | None = None
    base: Base | None = None
    paws: tuple[int, ...] = ()
    _index: dict[str, int] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "names", checked_names(self.names, "joint"))
        count = len(self.names)
        if count == 0:
            raise InvalidMotion("a skeleton needs at least one joint")
        put(self, "parents", frozen(self.parents, "parents", (count,), np.intp))
        self._check_tree()
        put(self, "offsets", frozen(self.offsets, "offsets", (count, 3)))
        put(self, "_index", {name: j for j, name in enumerate(self.names)})
        put(self, "end_sites", tuple(self._checked_end_sites()))
        put(self, "channels", self._checked_channels())
        put(self, "orders", self._checked_orders())
        if self.axes is not None:
            put(self, "axes", frozen_quaternions(self.axes, "axes", (count, 4)))
        if self.limits is not None:
            self._check_limits(self.limits)
            put(self, "limits", tuple(tuple(joint_limits) for joint_limits in self.limits))
        if self.base is not None:
            self._check_base(self.base)
        if not all(0 <= joint < count for joint in self.paws):
            raise InvalidMotion("a paw of the skeleton is not one of its joints")

    def _check_tree(self) -> None:
        for joint, parent in enumerate(self.parents.tolist()):
            name = self.names[joint]
            if joint == 0 and parent != -1:
                raise InvalidMotion(f"joint {name!r} comes first and must be the root (parent -1, not {parent})")
            if joint > 0 and parent == -1:
                raise InvalidMotion(f"joint {name!r} is a second root: a skeleton has one")
            if joint > 0 and not 0 <= parent < joint:
                raise InvalidMotion(f"joint {name!r} has parent {parent}, which must be a joint before it")

    def _checked_end_sites(self) -> Iterator[EndSite]:
        for joint, offset, name in self.end_sites:
            if not 0 <= joint < len(self.names):
                raise InvalidMotion(f"an end site hangs on joint {joint}, which does not exist")
            x, y, z = frozen(offset, f"end site of joint {self.names[joint]!r}", (3,)).tolist()
            yield EndSite(int(joint), (x, y, z), name)

    def _checked_channels(self) -> tuple[tuple[str, ...], ...]:
        layout = self.channels or (ROOT_CHANNELS, *[JOINT_CHANNELS] * (len(self.names) - 1))
        if len(layout) != len(self.names):
            raise InvalidMotion(f"channels are given for {len(layout)} joints, but there are {len(self.names)}")
        for name, channels in zip(self.names, layout, strict=True):
            unknown = [c for c in channels if c not in TRANSLATIONS + ROTATIONS]
            if unknown:
                raise InvalidMotion(f"joint {name!r} has the unknown channel {unknown[0]!r}")
            translations = [c for c in channels if c in TRANSLATIONS]
            if len(set(translations)) < len(translations):
                raise InvalidMotion(f"joint {name!r} lists a position channel twice")
            if len(channels) - len(translations) > 3:
                raise InvalidMotion(f"joint {name!r} has more than three rotation channels")
        return tuple(tuple(c) for c in layout)

    def _checked_orders(self) -> tuple[str, ...]:
        orders = self.orders or tuple("".join(c[1].upper() for c in chs if c[0] == "r") for chs in self.channels)
        if len(orders) != len(self.names):
            raise InvalidMotion(f"Euler orders are given for {len(orders)} joints, but there are {len(self.names)}")
        for name, order, channels in zip(self.names, orders, self.channels, strict=True):
            turning = sorted(c[1].upper() for c in channels if c[0] == "r")
            if sorted(order) != turning:
                raise InvalidMotion(f"joint {name!r} has Euler order {order!r}, which is not that of its channels")
            if any(a == b for a, b in pairwise(order)):
                raise InvalidMotion(
                    f"joint {name!r} turns about {order[0]} twice in a row in its Euler order {order!r}"
                )
        return tuple(orders)

    def _check_limits(self, limits: tuple[Limits, ...]) -> None:
        if len(limits) != len(self.names):
            raise InvalidMotion(f"limits are given for {len(limits)} joints, but there are {len(self.names)}")
        for name, joint_limits, channels in zip(self.names, limits, self.channels, strict=True):
            if joint_limits and len(joint_limits) != len(channels):
                raise InvalidMotion(f"joint {name!r} has {len(joint_limits)} limits for {len(channels)} channels")
            if any(pair is not None and not pair[0] <= pair[1] for pair in joint_limits):
                raise InvalidMotion(f"joint {name!r} has a lower limit above its upper one")

    def _check_base(self, base: Base) -> None:
        led = [joint for pair in base.led for joint in pair]
        inside = all(0 <= joint < len(self.names) for joint in (*base.chain, *base.carried, *led))
        if not inside or not base.chain or base.chain != tuple(self.chain(base.joint)) or base.mover not in base.chain:
            raise InvalidMotion("the base of a skeleton must run from its first joint down to one of its joints")
        if base.offsets.shape != self.offsets.shape:
            raise InvalidMotion(f"the base of a skeleton has {len(base.offsets)} offsets for {len(self.names)} joints")

    def __repr__(self) -> str:
        return f"Skeleton({len(self)} joints, root {self.names[0]!r})"

    def __len__(self) -> int:
        return len(self.names)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Skeleton):
            return NotImplemented
        plain = ("names", "end_sites", "channels", "orders", "limits", "base", "paws")
        return all(getattr(self, name) == getattr(other, name) for name in plain) and all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in ("parents", "offsets", "axes")
        )

    def __hash__(self) -> int:
        return hash((self.names, self.channels, self.offsets.tobytes()))

    @property
    def rig(self) -> tuple[tuple[str, ...], bytes]:
        """The part that files of one skeleton share, whatever moves in them: names, and all offsets but the first."""
        offsets = self.offsets if self.base is None else self.base.offsets
        return self.names, np.round(offsets[1:], 4).tobytes()

    def index(self, name: str) -> int:
        """Return the number of a joint.

        Args:
            name: The joint's name; an unknown one is refused with the list of joints.

        Returns:
            Its number.
        """
        try:
            return self._index[name]
        except KeyError:
            raise InvalidMotion(f"there is no joint {name!r}; the joints are {', '.join(self.names)}") from None

    def children(self, joint: int) -> list[int]:
        """Return the joints that hang on a joint.

        Args:
            joint: Its number.

        Returns:
            Numbers of its children, in order.
        """
        return [j for j, parent in enumerate(self.parents.tolist()) if parent == joint]

    def descendants(self, joint: int) -> list[int]:
        """Return a joint and all joints that hang on it.

        Args:
            joint: Its number.

        Returns:
            Numbers in order, the joint first.
        """
        below = {joint}
        for j, parent in enumerate(self.parents.tolist()):
            if parent in below:
                below.add(j)
        return sorted(below)

    def body(self) -> list[int]:
        """Return the joints that move: all except joints that only lead to the body, or that are still and next to it.

        Returns:
            Numbers in order.
        """
        if self.base is None:
            return list(range(len(self)))
        return sorted({0}.union(*map(self.descendants, (self.base.joint, *self.base.carried))) - {*self.base.chain[1:]})

    def chain(self, joint: int) -> list[int]:
        """Return the joints from the root down to a joint.

        Args:
            joint: Its number.

        Returns:
            Numbers from the root to the joint, both included.
        """
        path = [joint]
        while self.parents[path[-1]] >= 0:
            path.append(int(self.parents[path[-1]]))
        return path[::-1]

    @property
    def channel_count(self) -> int:
        """The number of columns in the file's motion part."""
        return sum(len(channels) for channels in self.channels)

    def lengths(self) -> Floats:
        """Return the distances of joints from their parents at rest.

        Returns:
            (joints,), in the skeleton's unit of length; 0 for the root.
        """
        out: Floats = np.linalg.norm(self.offsets, axis=1)
        out[0] = 0.0
        return out

    def about_axes(self, rotations: Floats, joint: int | None = None) -> Floats:
        """Return local rotations as the file measures them (Acclaim: about fixed axes).

        Args:
            rotations: (frames, joints, 4), or (frames, 4) of one joint.
            joint: Its number; None: all joints.

        Returns:
            C^-1 R C, in the same shape; the rotations themselves if the file has no axes.
        """
        if self.axes is None:
            return rotations
        axes = self.axes if joint is None else self.axes[joint]
        return multiply(multiply(inverse(axes), rotations), axes)

    def from_axes(self, rotations: Floats, joint: int | None = None) -> Floats:
        """Return the local rotations C R C^-1 that a file measures about its axes: the inverse of `about_axes`.

        Args:
            rotations: (frames, joints, 4), or (frames, 4) of one joint.
            joint: Its number; None: all joints.

        Returns:
            Local rotations, in the same shape.
        """
        if self.axes is None:
            return rotations
        axes = self.axes if joint is None else self.axes[joint]
        return multiply(multiply(axes, rotations), inverse(axes))

    def with_layout(self, channels: tuple[tuple[str, ...], ...] = (), orders: tuple[str, ...] = ()) -> Skeleton:
        """Return the same joints with another channel layout.

        Args:
            channels: Per joint its columns; default: six at the root, Z Y X rotations elsewhere.
            orders: Per joint its Euler order; default: that of the channels.

        Returns:
            The new skeleton, without limits.
        """
        return replace(self, channels=channels, orders=orders, limits=None)


def compatible(a: Skeleton, b: Skeleton) -> bool:
    """Return whether two skeletons have the same joints: names and parents.

    Args:
        a: One skeleton.
        b: The other; offsets, channel layout and end sites may differ.

    Returns:
        True if clips of the two can be used together.
    """
    return a is b or (a.names == b.names and np.array_equal(a.parents, b.parents))


def length_differences(a: Skeleton, b: Skeleton, tolerance: float = 1e-6) -> list[str]:
    """Return the joints whose distance from their parents differs; the root's offset is ignored."""
    require_compatible(a, b)
    first, second = a.lengths(), b.lengths()
    differs = np.abs(first - second) > tolerance * max(float(first.max()), float(second.max()), 1e-300)
    return [a.names[joint] for joint in np.flatnonzero(differs)]


def turned_bones(a: Skeleton, b: Skeleton) -> list[str]:
    """Return long bones that point elsewhere at rest, so the same rotations yield different poses."""
    require_compatible(a, b)
    lengths = np.stack([a.lengths(), b.lengths()])
    # Short bones may point anywhere; only long ones reveal the pose of a rig.
    long = (lengths > 0.4 * lengths.max(axis=1, keepdims=True)).all(axis=0)
    cosines = np.sum(a.offsets * b.offsets, axis=1) / np.maximum(lengths.prod(axis=0), 1e-300)
    # Recorded bones of one rig differ by a few degrees, bones of different rest poses by 30° and more.
    elsewhere = long & (cosines < np.cos(np.radians(30.0)))
    return [a.names[joint] for joint in np.flatnonzero(elsewhere) if joint > 0]


def require_compatible(a: Skeleton, b: Skeleton, first: str = "the first clip", second: str = "the second") -> None:
    """Raise with the joint that differs unless the skeletons are compatible."""
    if compatible(a, b):
        return
    only_a = [n for n in a.names if n not in b.names]
    only_b = [n for n in b.names if n not in a.names]
    if only_a or only_b:
        owner, joint = (first, only_a[0]) if only_a else (second, only_b[0])
        raise SkeletonMismatch(f"{first} and {second} have different skeletons: only {owner} has the joint {joint!r}")
    if a.names != b.names:
        joint = next(n for n, m in zip(a.names, b.names, strict=True) if n != m)
        raise SkeletonMismatch(f"{first} and {second} list their joints in different orders, starting at {joint!r}")
    joint = a.names[int(np.flatnonzero(a.parents != b.parents)[0])]
    raise SkeletonMismatch(f"{first} and {second} hang the joint {joint!r} on different parents")


def skeleton_parts(skeleton: Skeleton) -> Parts:
    """Return the header and arrays in which a skeleton is stored."""
    header: dict[str, Any] = {
        "joints": list(skeleton.names),
        "channels": [" ".join(channels) for channels in skeleton.channels],
        "orders": list(skeleton.orders),
        "tips": [site.name for site in skeleton.end_sites],
    }
    arrays: dict[str, Array] = {
        "parents": np.asarray(skeleton.parents, dtype=np.int64),
        "offsets": skeleton.offsets,
        "tip_joints": np.array([site.joint for site in skeleton.end_sites], dtype=np.int64),
        "tip_offsets": np.array([site.offset for site in skeleton.end_sites], dtype=np.float64).reshape(-1, 3),
    }
    if skeleton.paws:
        header["paws"] = [skeleton.names[joint] for joint in skeleton.paws]
    if skeleton.axes is not None:
        arrays["axes"] = skeleton.axes
    if skeleton.limits is not None:
        header["limited"] = [bool(limits) for limits in skeleton.limits]
        flat = [pair or (np.nan, np.nan) for limits in skeleton.limits for pair in limits]
        arrays["limits"] = np.array(flat, dtype=np.float64).reshape(-1, 2)
    if skeleton.base is not None:
        header["base"], stored = skeleton.base.parts()
        arrays |= {f"base_{name}": values for name, values in stored.items()}
    return Parts(header, arrays)


def skeleton_from_parts(parts: Parts) -> Skeleton:
    """Return the skeleton from its parts; raise if they do not form a skeleton."""
    tips, joints, offsets = parts.texts("tips"), parts.array("tip_joints"), parts.array("tip_offsets")
    if joints.dtype.kind not in "iu" or joints.shape != (len(tips),) or offsets.shape != (len(tips), 3):
        raise InvalidMotion("a stored recipe's end sites do not fit together")
    channels, names = tuple(tuple(listed.split()) for listed in parts.texts("channels")), parts.texts("joints")
    base = None
    if "base" in parts.header:
        stored = {name.removeprefix("base_"): a for name, a in parts.arrays.items() if name.startswith("base_")}
        base = Base.from_parts(Parts(parts.field("base", dict), stored))
    return Skeleton(
        names, parts.array("parents"), parts.array("offsets"), tuple(map(EndSite, joints, offsets, tips)), channels,
        parts.texts("orders"), parts.arrays.get("axes"), _stored_limits(parts, channels), base,
        tuple(map(names.index, parts.texts("paws"))) if "paws" in parts.header else (),
    )  # fmt: skip


def _stored_limits(parts: Parts, channels: tuple[tuple[str, ...], ...]) -> tuple[Limits, ...] | None:
    """Return limits by joint, if there are any; a pair of NaN marks a channel without limits."""
    if "limits" not in parts.arrays:
        return None
    limited, rows = parts.field("limited", list), parts.array("limits")
    counts = [len(listed) if has else 0 for listed, has in zip(channels, limited, strict=False)]
    if len(limited) != len(channels) or rows.shape != (sum(counts), 2):
        raise InvalidMotion("a stored recipe's limits do not fit its channels")
    pairs = iter(None if np.isnan(low) else (float(low), float(high)) for low, high in rows)
    return tuple(tuple(next(pairs) for _ in range(count)) for count in counts)
