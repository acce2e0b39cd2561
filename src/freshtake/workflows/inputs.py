"""Inputs of workflows: takes used together, models of one method, lengths, moments and seeds."""

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from freshtake.errors import FormatError, UsageError
from freshtake.formats.files import read_text
from freshtake.formats.ftm import Stored, is_model, read_stored
from freshtake.formats.ftm.io import METHODS
from freshtake.formats.read_options import Motion, ReadOptions
from freshtake.formats.registry import take_in_all
from freshtake.formats.table import parse_table
from freshtake.methods.gathering import gathered
from freshtake.motion import Clip, MeshSequence, PointClip, Stroke
from freshtake.motion.edit import AnyMotion
from freshtake.motion.kinds import kind_word
from freshtake.numeric.arrays import Floats
from freshtake.requests.fields import Length

FARTHEST = 1e18  # units from the origin
GROUP = 15  # size of groups of variants whose deviations sum to zero: a command's default count


def read_sets(sets: Sequence[Sequence[Path]], reading: dict[str, Any] | None = None) -> list[list[Motion]]:
    """Read several sets of takes to use together, with the vertical axis of the first."""
    options = ReadOptions(**(reading or {}))
    sources = [path for paths in sets for path in paths]
    read_motions = take_in_all(sources, options)
    taken = [_checked_motion(path, one.motion) for path, one in zip(sources, read_motions, strict=True)]
    read = iter(gathered(named_apart(sources, taken), options.warn))
    return [[next(read) for _ in paths] for paths in sets]


def named_apart(paths: Sequence[Path], motions: Sequence[AnyMotion]) -> list[AnyMotion]:
    """Return motions with distinct names: motions that share a name ("Take 001") are named after their files."""
    often = Counter(motion.name for motion in motions)
    return [
        replace(motion, name=path.stem) if often[motion.name] > 1 and motion.name != path.stem else motion
        for path, motion in zip(paths, motions, strict=True)
    ]


def _checked_motion(path: Path, motion: Motion) -> Motion:
    """Refuse positions so large that their squares overflow."""
    places = {Clip: "root", Stroke: "points", PointClip: "positions", MeshSequence: "vertices"}[type(motion)]
    values = getattr(motion, places)
    # Gaps are NaN, which fmax and fmin skip without copying the values.
    far = max(float(np.fmax.reduce(values, axis=None)), -float(np.fmin.reduce(values, axis=None)))
    if far > FARTHEST:
        frame = int(np.argwhere(np.abs(values) >= far)[0, 0])
        raise FormatError(path, f"a position is {far:.3g} from the origin: correct it", f"frame {frame}")
    return motion


def read_clips(sets: Sequence[Sequence[Path]], reading: dict[str, Any] | None, need: str) -> list[list[Clip]]:
    """Read several sets of clips with a skeleton; anything else is refused, with `need` in the message."""
    out: list[list[Clip]] = []
    for paths, motions in zip(sets, read_sets(sets, reading), strict=True):
        out.append([])
        for path, motion in zip(paths, motions, strict=True):
            if not isinstance(motion, Clip):
                raise UsageError(f"{path} is a {kind_word(motion)}: {need}")
            out[-1].append(motion if motion.name else motion.changed(name=path.stem))
    return out


def read_path(path: Path) -> Floats:
    """Read a path over the ground (points, 2) from a table with the columns x and z (or x and y)."""
    table = parse_table(path, read_text(path))
    names = [name.lower() for name in table.names]
    for second in ("z", "y"):
        if "x" in names and second in names:
            points = np.asarray(table.values[:, [names.index("x"), names.index(second)]])
            if not (finite := np.isfinite(points).all(axis=1)).all():
                raise FormatError(path, f"point {int(finite.argmin()) + 1} of the path has no x or no {second}")
            if len(points) < 2:
                raise FormatError(path, f"a path needs at least two points, not {len(points)}: add a row for each")
            return points
    raise FormatError(path, "the columns x and z (or x and y) were expected", "line 1")


def model_of(source: Path, method: str) -> Any:
    """Read a model of a method; for another method, raise an error that names the command to use."""
    if source.exists() and not is_model(source):
        raise FormatError(source, f"this is not a freshtake model: write one with freshtake {METHODS[method].learns}")
    return checked(read_stored(source), source, method).model


def checked(stored: Stored, source: Path, method: str) -> Stored:
    """Return a stored model of a method; for another method, raise an error that names the command to use."""
    if stored.method != method:
        given, needed = METHODS[stored.method], METHODS[method]
        raise FormatError(
            source,
            f"this is a model of the method {given.name}, for freshtake {given.uses}; a model of the method "
            f"{needed.name}, which freshtake {needed.learns} writes, is needed here",
        )
    return stored


def frame_count(frames: int | str | None, seconds: float | None, frame_time: float) -> int:
    """Return a length in frames, from --frames (360, or 6s) or --seconds (6), exactly one of which must be given."""
    if (frames is None) == (seconds is None):
        raise UsageError("give the length once: --frames 360, --frames 6s or --seconds 6")
    if isinstance(frames, int):
        return frames
    if frames is not None:
        text = frames.strip()
        if re.fullmatch(r"[+-]?\d+", text):
            return int(text)
        with suppress(ValueError):
            seconds = float(text[:-1]) if text.endswith("s") else None
    if seconds is None:
        raise UsageError(f"{frames!r} is not a length: write a number of frames such as 360, or a time such as 6s")
    if not 0.0 < seconds < 1e9:
        raise UsageError(f"a time above 0 and below 1e9 s was expected, not {seconds:g} s")
    return max(round(seconds / frame_time), 1)


def frame_at(text: str | None, frame_time: float, default: int) -> int:
    """Return the frame of a moment in a take, such as 180 (a frame) or 3s; None gives the default."""
    if text is None:
        return default
    try:
        value = float(text.strip().removesuffix("s"))
    except ValueError:
        value = -1.0
    is_time = text.strip().endswith("s")
    if not 0.0 <= value < 1e9 or not (is_time or value == int(value)):
        raise UsageError(f"{text!r} is not a moment of a take: write a frame such as 180, or a time such as 3s")
    return round(value / frame_time) if is_time else int(value)


MOST_FRAMES = 10_000_000


def requested_frames(request: Length, frame_time: float, *, times: int = 1) -> int:
    """Return the requested length in frames; refuse a length that is too long when played `times` times."""
    frames = frame_count(request.frames, request.seconds, frame_time)
    if not 1 <= frames * times <= MOST_FRAMES:
        raise UsageError(f"the number of frames must lie between 1 and {MOST_FRAMES}, but is {frames * times}")
    return frames


def generator(*seed: int, attempt: int = 0) -> np.random.Generator:
    """Return a generator seeded with non-negative integers; the first attempt, 0, adds no number to the seed."""
    if min(seed) < 0:
        raise UsageError(f"the seed must be 0 or more, but is {min(seed)}")
    return np.random.default_rng([*seed, attempt] if attempt else list(seed))


class BalancedGenerator(np.random.Generator):
    """Generator of one draw in a group whose standard normals sum to zero; other methods are not balanced.

    Each draw by itself is standard normal: z_k - mean(z) has the variance 1 - 1/n, and the factor sqrt(n / (n - 1))
    restores 1.
    """

    def __init__(self, alone: np.random.Generator, group: np.random.Generator, size: int, place: int) -> None:
        """Prepare draw `place` (from 0) of `size`: the shared `group` draws the normals, `alone` everything else."""
        super().__init__(alone.bit_generator)
        self._group, self._size, self._place = group, size, place

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Return standard normals that sum to zero over the draws of the group, if all request the same shapes."""
        shape = () if size is None else (size,) if isinstance(size, int) else tuple(size)
        drawn = self._group.standard_normal((self._size, *shape))
        values = (drawn[self._place] - drawn.mean(axis=0)) * np.sqrt(self._size / (self._size - 1.0))
        if out is None:
            return np.asarray(values, dtype=dtype) if shape else float(values)
        out[...] = values
        return out


def balanced_generator(seed: int, number: int) -> np.random.Generator:
    """Return the generator of a variant in a group whose deviations sum to zero.

    By chance, the mean of fifteen independent draws is a quarter of a standard deviation off the takes' mean, and in
    the same direction for all models with the same seed. The generator depends only on the seed and the variant's
    number (from 1).
    """
    group, place = divmod(number - 1, GROUP)
    return BalancedGenerator(generator(seed, number), generator(seed, group, GROUP), GROUP, place)
