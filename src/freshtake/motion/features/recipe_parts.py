"""The parts of a stored recipe: a JSON-able header and named arrays, checked when they are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import InvalidMotion
from freshtake.motion.skeleton import Base, EndSite, Limits, Skeleton
from freshtake.numeric.arrays import Bools

BASE_ARRAYS = ("translations", "rotations", "offsets")
Array = npt.NDArray[Any]


class Parts(NamedTuple):
    """A header of plain values and arrays by name: all that is needed to rebuild the recipe."""

    header: dict[str, Any]
    arrays: dict[str, Array]


class Columns:
    """What the layouts of all kinds of motion share."""

    def units(self) -> list[str]:
        """Return what each column measures: angle, length, time, or speed and turn, which are rates per second."""
        raise NotImplementedError

    @property
    def width(self) -> int:
        """How many columns there are."""
        return len(self.units())

    def spare(self) -> Bools:
        """Return columns that are left out where they stay zero: none, unless the file may lack them."""
        return np.zeros(self.width, dtype=np.bool_)


class Placed(NamedTuple):
    """How a layout's motion is timed and placed."""

    frame_time: float
    up: str
    unit_m: float | None


def placed(header: Mapping[str, Any]) -> Placed:
    """Return frame time, vertical axis and unit of a stored layout."""
    return Placed(
        field(header, "frame_time", float, int),
        field(header, "up", str),
        field(header, "unit_m", float, int, type(None)),
    )


def field(header: Mapping[str, Any], name: str, *types: type) -> Any:
    """Return a value of the header, of one of the given types."""
    if name not in header:
        raise InvalidMotion(f"a stored recipe lacks {name!r}")
    value = header[name]
    if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
        raise InvalidMotion(f"{name!r} of a stored recipe is {value!r}, which cannot be")
    return value


def choice(header: Mapping[str, Any], name: str, choices: tuple[str, ...]) -> str:
    """Return a word of the header that must be one of the choices."""
    value: str = field(header, name, str)
    if value not in choices:
        raise InvalidMotion(f"{name!r} of a stored recipe is {value!r}, not one of {', '.join(choices)}")
    return value


def array(arrays: Mapping[str, Array], name: str) -> Array:
    """Return an array that must be present."""
    if name not in arrays:
        raise InvalidMotion(f"a stored recipe lacks the array {name!r}")
    return np.asarray(arrays[name])


def texts(header: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Return a list of strings of the header."""
    values = field(header, name, list, tuple)
    if not all(isinstance(value, str) for value in values):
        raise InvalidMotion(f"{name!r} of a stored recipe must be a list of texts")
    return tuple(values)


def numbers(header: Mapping[str, Any], name: str) -> tuple[float, ...]:
    """Return a list of numbers of the header."""
    values = field(header, name, list, tuple)
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        raise InvalidMotion(f"{name!r} of a stored recipe must be a list of numbers")
    return tuple(float(value) for value in values)


def skeleton_parts(skeleton: Skeleton) -> Parts:
    """Return a skeleton as header and arrays."""
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
    base = skeleton.base
    if base is not None:
        header["base"] = {"chain": list(base.chain), "mover": base.mover, "carried": list(base.carried)}
        header["base"]["follows"] = base.follows
        arrays |= {f"base_{name}": getattr(base, name) for name in BASE_ARRAYS}
        if base.led:
            header["base"]["led"] = [list(pair) for pair in base.led]
            arrays |= {"base_led_places": base.led_places, "base_led_turns": base.led_turns}
    return Parts(header, arrays)


def _joints(header: Mapping[str, Any], name: str) -> tuple[int, ...]:
    values = field(header, name, list, tuple)
    if not all(isinstance(value, int) for value in values):
        raise InvalidMotion(f"{name!r} of a stored recipe must be a list of joints")
    return tuple(values)


def _base(header: Mapping[str, Any], arrays: Mapping[str, Array]) -> Base:
    inner = field(header, "base", dict)
    chain, carried = (_joints(inner, name) for name in ("chain", "carried"))
    stored = [array(arrays, f"base_{name}") for name in BASE_ARRAYS]
    follows: bool = field(inner, "follows", bool)
    base = Base(chain, field(inner, "mover", int), stored[0], stored[1], stored[2], carried, follows)
    if "led" not in inner:
        return base
    pairs = field(inner, "led", list, tuple)
    if not all(isinstance(pair, list | tuple) and len(pair) == 2 and isinstance(pair[0], int) for pair in pairs):
        raise InvalidMotion("'led' of a stored recipe must be a list of pairs of joints")
    led = tuple((int(joint), int(lead)) for joint, lead in pairs)
    return replace(
        base, led=led, led_places=array(arrays, "base_led_places"), led_turns=array(arrays, "base_led_turns")
    )


def skeleton_from_parts(header: Mapping[str, Any], arrays: Mapping[str, Array]) -> Skeleton:
    """Return the skeleton from its parts; raise where they cannot be one."""
    names = texts(header, "tips")
    joints, offsets = array(arrays, "tip_joints"), array(arrays, "tip_offsets")
    if joints.dtype.kind not in "iu" or joints.shape != (len(names),) or offsets.shape != (len(names), 3):
        raise InvalidMotion("a stored recipe's end sites do not fit together")
    sites = tuple(
        EndSite(int(joint), (float(x), float(y), float(z)), name)
        for joint, (x, y, z), name in zip(joints, offsets, names, strict=True)
    )
    channels = tuple(tuple(listed.split()) for listed in texts(header, "channels"))
    return Skeleton(
        texts(header, "joints"),
        array(arrays, "parents"),
        array(arrays, "offsets"),
        sites,
        channels,
        texts(header, "orders"),
        array(arrays, "axes") if "axes" in arrays else None,
        _limits(header, arrays, channels) if "limits" in arrays else None,
        _base(header, arrays) if "base" in header else None,
        tuple(map(texts(header, "joints").index, texts(header, "paws"))) if "paws" in header else (),
    )


def _limits(
    header: Mapping[str, Any], arrays: Mapping[str, Array], channels: tuple[tuple[str, ...], ...]
) -> tuple[Limits, ...]:
    """Return limits by joint; a pair of NaN marks a channel without limits."""
    limited = field(header, "limited", list)
    counts = [len(listed) if has else 0 for listed, has in zip(channels, limited, strict=False)]
    rows = array(arrays, "limits")
    if len(limited) != len(channels) or rows.shape != (sum(counts), 2):
        raise InvalidMotion("a stored recipe's limits do not fit its channels")
    pairs = iter(None if np.isnan(low) else (float(low), float(high)) for low, high in rows)
    return tuple(tuple(next(pairs) for _ in range(count)) for count in counts)


def complexes(arrays: Mapping[str, Array], name: str) -> npt.NDArray[np.complex128]:
    """Read complex numbers, which are stored as pairs of floats."""
    pairs = np.ascontiguousarray(array(arrays, name), dtype=np.float64)
    if pairs.ndim != 1 or len(pairs) % 2:
        raise InvalidMotion(f"the array {name!r} of a stored recipe must hold pairs")
    return pairs.view(np.complex128)
