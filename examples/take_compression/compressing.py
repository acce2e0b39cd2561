"""Choose the few takes to keep so the others can be rebuilt within a bound (an idea of Lau 2009, §10).

Takes are added to the kept ones, the worst rebuilt one first, until all others are within the bound; then every kept
take that the others can rebuild is dropped. See rebuilding.py for how a take is rebuilt.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from take_compression.rebuilding import LEVELS, KeptTakes, Rebuild, fit, fit_warp, kept_takes, rebuilt

from freshtake.errors import UsageError
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion import Clip, Stroke
from freshtake.motion.body.orientation import body_poses, usual_facing
from freshtake.motion.body.roles import leg_length, pelvis
from freshtake.motion.features import Start, decode, encode
from freshtake.motion.kinds import kind_word
from freshtake.motion.skeleton import length_differences, require_compatible
from freshtake.numeric.arrays import Floats
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.variation.examples import Material, material_of, rounded
from freshtake.variation.phase import read_at

LEAST_KEPT, LEAST_TAKES, LEAST_FRAMES = 2, 3, 8
SAME_LENGTH = 1e-3  # of the longest bone
WORTH = 0.5  # of a take's own numbers: a take that costs more to rebuild is kept


@dataclass(frozen=True, eq=False)
class Compressed:
    """Numbers of the kept takes, and for every other take how it is rebuilt and its error.

    Errors are root mean squares over frames and joints, as fractions of the leg length (for a stroke: of its extent).
    """

    kept: tuple[int, ...]
    rebuilds: dict[int, Rebuild]
    errors: dict[int, float]
    material: Material  # of the kept takes
    plain: int  # numbers of all takes, uncompressed

    @property
    def numbers(self) -> int:
        """Return the count of stored numbers: complete kept takes, only shares and warps of the others."""
        whole = sum(x.size for x in self.material.values)
        return whole + sum(one.numbers for one in self.rebuilds.values())

    @property
    def worst(self) -> float:
        """Return the largest error of a rebuilt take."""
        return max(self.errors.values(), default=0.0)


@one_blas_thread()
def compress_takes(takes: Sequence[Any], bound: float, *, report: Report | None = None) -> Compressed:
    """Keep few takes, from which every other take can be rebuilt with an error of at most `bound` (a fraction)."""
    _check(takes, bound)
    say = report or silent
    material = material_of(takes, None, None)
    kept = [_most_central(material)]
    while len(kept) < len(takes):
        if len(kept) >= LEAST_KEPT:
            say(Progress(0.8 * len(kept) / len(takes), f"{len(kept)} takes kept"))
        attempt = _attempt(takes, kept, bound, material)
        if len(kept) >= LEAST_KEPT and attempt.worst <= bound:
            break
        kept.append(max(attempt.errors, key=lambda k: attempt.errors[k]))
    kept = _spared(takes, kept, bound, material)
    say(Progress(0.95, "rebuilding the others"))
    while True:  # a recipe of only the kept takes may omit DOFs that only the others move
        done = _attempt(takes, sorted(kept), bound, None)
        if done.worst <= bound or len(kept) == len(takes):
            return done
        kept.append(max(done.errors, key=lambda k: done.errors[k]))


def _check(takes: Sequence[Any], bound: float) -> None:
    if len(takes) < LEAST_TAKES:
        raise UsageError(f"{len(takes)} takes are too few to drop any: give at least {LEAST_TAKES}")
    if not (np.isfinite(bound) and bound > 0.0):
        raise UsageError(f"the bound on the error must be above 0, but is {bound:g}")
    odd = next((take for take in takes if not isinstance(take, Clip | Stroke)), None)
    if odd is not None:
        raise UsageError(f"only clips and strokes can be compressed, not a {kind_word(odd)}")
    for number, take in enumerate(takes):
        called = take.name or f"take {number + 1}"
        if len(take) < LEAST_FRAMES:
            raise UsageError(f"{called} has {len(take)} frames: at least {LEAST_FRAMES} are needed")
        if isinstance(take, Clip) and isinstance(takes[0], Clip):
            require_compatible(takes[0].skeleton, take.skeleton, takes[0].name or "the first take", called)
            if length_differences(takes[0].skeleton, take.skeleton, SAME_LENGTH):
                raise UsageError(f"{called} has other bone lengths than the first take: compress each body separately")


def _most_central(material: Material) -> int:
    """Return the take with the smallest sum of distances to the others at equal fractions of their durations."""
    grid = [read_at(x * material.weights, np.linspace(0.0, len(x) - 1.0, 40)) for x in material.values]
    sums = [sum(float(np.linalg.norm(a - b)) for b in grid) for a in grid]
    return int(np.argmin(sums))


def _attempt(takes: Sequence[Any], chosen: Sequence[int], bound: float, material: Material | None) -> Compressed:
    """Rebuild all other takes from the chosen takes, each with the fewest numbers that the bound allows."""
    chosen_material = material_of([takes[k] for k in chosen], None, None) if material is None else material
    values = chosen_material.values if material is None else tuple(chosen_material.values[k] for k in chosen)
    kept_sources = kept_takes(values, chosen_material.weights, chosen_material.frame_time)
    rebuilds, errors = {}, {}
    for k, take in enumerate(takes):
        if k not in chosen:
            rows = rows_of(chosen_material, take)
            rebuilds[k], errors[k] = cheapest(rows, kept_sources, bound, error_of(chosen_material, take))
    plain = sum(len(take) for take in takes) * len(chosen_material.names)
    return Compressed(tuple(chosen), rebuilds, errors, replace(chosen_material, values=values), plain)


def cheapest(rows: Floats, kept: KeptTakes, bound: float, error: Callable[[Floats], float]) -> tuple[Rebuild, float]:
    """Return the first level within the bound, or the best level if there is none."""
    tried: list[tuple[Rebuild, float]] = []
    for level in LEVELS if len(kept.values) > 1 else LEVELS[:1]:
        numbers = fit(rows, kept, level) if len(kept.values) > 1 else _alone(rows, kept)
        if tried and numbers.numbers > WORTH * rows.size:
            break
        tried.append((numbers, error(rebuilt(kept, numbers))))
        if tried[-1][1] <= bound:
            return tried[-1]
    return min(tried, key=lambda pair: pair[1])


def _alone(rows: Floats, kept: KeptTakes) -> Rebuild:
    """Rebuild from one kept take, time-warped."""
    return Rebuild(len(rows), 0, fit_warp(rows, kept.values[0], kept.weights), np.ones((1, 1)))


def _spared(takes: Sequence[Any], kept: list[int], bound: float, material: Material) -> list[int]:
    """Drop kept takes that the others can rebuild after all, in order."""
    for k in list(kept):
        rest = [one for one in kept if one != k]
        if len(rest) >= LEAST_KEPT and _attempt(takes, rest, bound, material).worst <= bound:
            kept = rest
    return kept


def rows_of(material: Material, take: Any) -> Floats:
    """Return a take as rows of the material's DOFs."""
    assert material.recipe is not None
    return rounded(encode(material.recipe, take, strict=False).values)


def error_of(material: Material, take: Any) -> Callable[[Floats], float]:
    """Return how far rows are from a take: RMS distance of joints without position and heading, in leg lengths.

    For a stroke: of points, each stroke relative to its own middle, as a fraction of the diagonal of its box.
    """
    recipe = material.recipe
    assert recipe is not None
    if isinstance(take, Stroke):
        extent = float(np.linalg.norm(np.ptp(take.points, axis=0)))
        start = encode(recipe, take, strict=False).start

        def off_points(rows: Floats) -> float:
            made: Any = decode(recipe, rows, start=start)
            return _rms(made.points - take.points) / max(extent, 1e-12)

        return off_points
    facing = usual_facing(take)
    wanted = _poses(take, facing)

    def off(rows: Floats) -> float:
        made: Any = decode(recipe, rows, skeleton=take.skeleton)
        return _rms(_poses(made, facing) - wanted)

    return off


def _poses(clip: Clip, facing: Floats) -> Floats:
    """Return (frames, joints, 3) in leg lengths, without heading and position on the ground, but with height."""
    poses = body_poses(clip, facing)
    center = pelvis(clip.skeleton)
    poses[..., clip.up_index] += clip.positions()[:, [center], clip.up_index] / leg_length(clip.skeleton)
    return poses


def restored(material: Material, numbers: Rebuild, start: Start, name: str = "") -> Any:
    """Return a dropped take as a motion; `material` belongs to the kept takes."""
    assert material.recipe is not None
    kept = kept_takes(material.values, material.weights, material.frame_time)
    return decode(material.recipe, rebuilt(kept, numbers), start=start, name=name)


def start_of(material: Material, take: Any) -> Start:
    """Return the position and heading at which a take begins, which have to be stored."""
    assert material.recipe is not None
    return encode(material.recipe, take, strict=False).start


def end_drift(take: Any, rebuilt_take: Any) -> float | None:
    """Return the distance on the ground between the last frames of a clip and of its copy, in leg lengths."""
    if not isinstance(take, Clip):
        return None
    ground = [axis for axis in range(3) if axis != take.up_index]
    return float(np.linalg.norm((rebuilt_take.root[-1] - take.root[-1])[ground])) / leg_length(take.skeleton)


def _rms(gaps: Floats) -> float:
    return float(np.sqrt((gaps**2).sum(axis=-1).mean()))
