"""Examples to a DensityModel, offline (Okwechime 2008, §3 and §4.4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from freshtake.density.class_cycles import ROUNDS, SHORTEST, in_cycle, recurrence
from freshtake.density.examples import LEAST_FRAMES, Material, material_of, rounded
from freshtake.density.headings import smooth_rates
from freshtake.density.jumps import FAR, SHARP
from freshtake.density.kernel_graph import Bounds, closed_parts, parts_of
from freshtake.density.model import DensityModel
from freshtake.density.pose_density import motion_widths, velocities
from freshtake.density.runs import Limits
from freshtake.density.settings import Settings
from freshtake.density.space import eigenspace, poses_of, position_errors, weights_of
from freshtake.density.synthesize import GUARD
from freshtake.density.time_alignment import fit_sine
from freshtake.errors import UsageError
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion.planting.contacts import runs
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.numeric.pca import Pca

OTHER = 1.2  # times the cycle: a sine beyond that is another one
MOST_CLASSES = 256


@one_blas_thread()
def learn(
    examples: Mapping[str, Any],
    settings: Settings | None = None,
    *,
    report: Report | None = None,
    frame_time: float | None = None,
    cyclic: Mapping[str, bool] | None = None,
) -> DensityModel:
    """Learn the densities of one or more classes of motion in their combined eigenspace.

    `examples` maps the name of a class to its takes: clips or point clips of one layout, or arrays (frames, DOFs) with
    `frame_time`. Whether a class is cyclic is found from its takes unless `cyclic` says. Learning draws no random
    numbers. `report` receives `Progress`; an exception that it raises ends the learning.
    """
    chosen, say = settings or Settings(), report or silent
    _check_names(examples, cyclic or {})
    say(Progress(0.0, "reading the examples"))
    material = material_of(examples, chosen, frame_time)
    say(Progress(0.2, "what moves together"))
    pca = eigenspace(material, chosen)
    runs_of = [[rounded(weights_of(pca, material.scale, x)) for x in found] for found in material.poses]
    everything = [run for found in runs_of for run in found]
    steps = np.concatenate([velocities(run) for run in everything])
    scale = 1.0 / motion_widths(pca.variances, steps, chosen.alpha)
    scale[len(pca.modes) :] *= np.sqrt(chosen.velocity_weight)
    pieces, round_trips, limits, notes = [], [], [], []
    for number, (name, found) in enumerate(zip(material.classes, runs_of, strict=True)):
        say(Progress(0.3 + 0.6 * number / len(runs_of), f"which poses of {name} lead to which"))
        told = (cyclic or {}).get(name)
        spans, steady = _spans(found, material.frame_time, told is not False)
        lost = sum(map(len, found)) - sum(b - a for _, a, b in spans)
        notes += [f"{name}: {lost} frames before, between and after the cycles are left out"] if lost else []
        mine = [found[run][a:b] for run, a, b in spans]
        limit = _limits(mine, steady)
        places = np.concatenate([np.concatenate([y, velocities(y)], axis=1) for y in mine]) * scale
        lengths = np.array([len(y) for y in mine])
        guard = max(GUARD / material.frame_time, 2.0)
        bounds = Bounds(limit[2], guard, Limits(limit[0], max(limit[1], 1e-12), chosen.blend / material.frame_time))
        told = steady is not None or None if told is None else told
        if steady is not None and lengths.max() < ROUNDS * steady:
            parts = closed_parts(lengths, limit[2])
        else:
            parts = parts_of(np.concatenate(mine), places, lengths, bounds, told)
        kept = _cut(lengths, parts.kept, parts.allowed)
        pieces.append([(spans[k][0], spans[k][1] + a, spans[k][1] + b, goals) for k, a, b, goals in kept])
        lost = int(lengths.sum()) - sum(b - a for _, a, b, _ in kept)
        notes += [f"{name}: {lost} frames that no way leads back to are left out"] if lost else []
        round_trips.append(parts.cyclic)
        limits.append(limit)
    material = replace(material, notes=(*material.notes, *notes))
    say(Progress(0.95, "fine detail"))
    model = _assembled(material, chosen, pca, runs_of, pieces, tuple(round_trips), rounded(np.array(limits)))
    say(Progress(1.0, "done"))
    return model


def _check_names(examples: Mapping[str, Any], cyclic: Mapping[str, bool]) -> None:
    if not isinstance(examples, Mapping):
        raise UsageError("give the examples by class, as in {'walk': walks, 'run': runs}")
    if len(examples) > MOST_CLASSES:
        raise UsageError(f"{len(examples)} classes are more than the {MOST_CLASSES} that can be mixed")
    for name in examples:
        if not isinstance(name, str) or not name.strip() or any(mark in name for mark in ":,=→") or "->" in name:
            raise UsageError(f"{name!r} cannot be the name of a class: use letters, without : , = or arrows")
    unknown = [name for name in cyclic if name not in examples]
    if unknown:
        raise UsageError(f"there is no class {unknown[0]!r}; the classes are {', '.join(examples)}")


Span = tuple[int, int, int]


def _spans(found: list[Floats], frame_time: float, may_repeat: bool) -> tuple[list[Span], float | None]:
    """Stretches (run, start, stop) to learn from, and the frames of a cycle where it is certain that there is one.

    Of runs that repeat in cycles, only where they do: standing, setting out and stopping belong to no cycle.
    """
    whole = [(number, 0, len(y)) for number, y in enumerate(found)]
    if not may_repeat:
        return whole, None
    came_back = recurrence(found, SHORTEST / frame_time)
    if not came_back.steady:
        return whole, None
    period = came_back.period
    masks = in_cycle(found, period)
    spans = [(number, a, b) for number, mask in enumerate(masks) for a, b in runs(mask) if b - a >= LEAST_FRAMES]
    longest = max((b - a for _, a, b in spans), default=0)
    return (spans if longest >= min(period, max(map(len, found))) else whole), period


def _limits(found: list[Floats], steady: float | None) -> tuple[float, float, float]:
    """Second difference and distance that jumps keep to, and the frames of a cycle.

    `steady` is about how long a cycle is, where that is known: a take that wanders has a slower sine in it.
    """
    from scipy.spatial import cKDTree

    points = np.concatenate(found)
    bends = np.concatenate([np.linalg.norm(np.diff(y, 2, axis=0), axis=1) for y in found])
    near = np.asarray(cKDTree(points).query(points, k=2)[0])[:, 1]
    longest = max(found, key=len)
    column = int(longest.var(axis=0).argmax())
    period = fit_sine(longest[:, column]).period
    if steady is not None and abs(np.log(period / steady)) > np.log(OTHER):
        period = steady
    least = 1e-9 * float(np.abs(points).max(initial=1e-9))  # straight lines have no second difference
    sharp, far = (max(float(np.percentile(x, 99.9)), least) for x in (bends, near))
    return SHARP * sharp, FAR * far, period


Piece = tuple[int, int, int, Bools]


def _cut(lengths: Any, kept: Bools, allowed: Bools) -> list[Piece]:
    """Run number, start and stop in it, and which of its frames may be jumped to."""
    out: list[Piece] = []
    first = 0
    for number, length in enumerate(lengths.tolist()):
        inside, goals = kept[first : first + length], allowed[first : first + length]
        out += [(number, a, b, goals[a:b]) for a, b in runs(inside) if b - a >= LEAST_FRAMES]
        first += length
    return out or [(number, 0, length, np.ones(length, dtype=np.bool_)) for number, length in enumerate(lengths)]


def _assembled(
    material: Material, settings: Settings, pca: Pca, runs_of: list[list[Floats]], pieces: list[list[Piece]],
    cyclic: tuple[bool, ...], limits: Floats,
) -> DensityModel:  # fmt: skip
    weights, rates, residuals, allowed = [], [], [], []
    for found, poses, turns, mine, limit in zip(runs_of, material.poses, material.rates, pieces, limits, strict=True):
        smooth = [rounded(smooth_rates(turn, material.frame_time, float(limit[2]))) for turn in turns]
        for number, a, b, goals in mine:
            weights.append(found[number][a:b])
            rates.append(smooth[number][a:b])
            left = poses[number][a:b] - poses_of(pca, material.scale, found[number][a:b])
            residuals.append(rounded(left) if settings.residuals else np.zeros((b - a, 0)))
            allowed.append(goals)
    errors = position_errors(material, pca)
    return DensityModel(
        settings, material.classes, material.names, material.frame_time, material.recipe, material.scale, pca,
        np.concatenate(weights), np.concatenate(rates), np.concatenate(residuals),
        tuple(tuple(b - a for _, a, b, _ in mine) for mine in pieces), np.concatenate(allowed), cyclic, limits,
        tuple(errors[name] for name in material.classes), material.notes,
    )  # fmt: skip
