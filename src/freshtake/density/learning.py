"""Learn a DensityModel from examples, offline (Okwechime 2008, §3 and §4.4)."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from freshtake.density.class_cycles import OTHER, ROUNDS, SINGLE, in_cycle, is_even, periods_of
from freshtake.density.decoding import eigenspace, feet_of, poses_of, position_errors, smooth_rates, weights_of
from freshtake.density.even_jumps import MOST_KERNELS, JumpTable, joined, jump_table, without_whips
from freshtake.density.examples import LEAST_FRAMES, Material, material_of
from freshtake.density.jumps import FAR, SHARP, compared_scale
from freshtake.density.model import DensityModel
from freshtake.density.planting import COMPLETE
from freshtake.density.pose_density import arrivals, motion_widths, velocities
from freshtake.density.possible_jumps import Bounds, Parts, Span, closed_parts, parts_of
from freshtake.density.runs import Limits
from freshtake.density.settings import Settings
from freshtake.density.synthesize import controls
from freshtake.density.time_alignment import fit_sine
from freshtake.errors import UsageError
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion import Clip
from freshtake.motion.body.roles import leg_length
from freshtake.motion.cycles.cycles import closing_of, find_common_cycles
from freshtake.numeric.arrays import Bools, Floats, Ints, rounded
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.numeric.curves import runs as contiguous
from freshtake.numeric.graphs import nearest
from freshtake.numeric.pca import Pca

MOST_CLASSES = 256
END = 6  # frames at either end of a take in which its travel is measured


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

    Learning draws no random numbers.

    Args:
        examples: the takes of each class: clips or point clips of one layout, or arrays (frames, DOFs).
        settings: how to learn and to synthesize; by default `Settings()`.
        report: receives `Progress`; an exception raised by it stops learning.
        frame_time: seconds per frame, for arrays.
        cyclic: whether each class is cyclic; detected from the takes if not given.

    Returns:
        A frozen model; its `notes` list the frames that were left out.
    """
    chosen, say = settings or Settings(), report or silent
    _check_names(examples, cyclic or {})
    say(Progress(0.0, "reading the examples"))
    material = material_of(examples, chosen, frame_time)
    say(Progress(0.2, "finding what moves together"))
    pca = eigenspace(material, chosen)
    runs_of = [[rounded(weights_of(pca, material.scale, x)) for x in runs] for runs in material.poses]
    everything = [run for runs in runs_of for run in runs]
    steps = np.concatenate([velocities(run) for run in everything])
    scale = compared_scale(motion_widths(pca.variances, steps, chosen.alpha), chosen)
    classes, notes = [], []
    rates = controls(chosen, material.frame_time)
    for number, (name, runs) in enumerate(zip(material.classes, runs_of, strict=True)):
        say(Progress(0.3 + 0.6 * number / len(runs_of), f"finding which poses of {name} lead to which"))
        stated = (cyclic or {}).get(name)
        spans, steady = _spans(runs, material.frame_time, stated is not False, examples[name])
        index = np.concatenate([np.arange(a, b) for a, b in spans])
        lost = sum(map(len, runs)) - len(index)
        notes += [f"{name}: {lost} frames before, between and after the cycles are left out"] if lost else []
        poses = np.concatenate(runs)
        stretches, lengths = [poses[a:b] for a, b in spans], np.array([b - a for a, b in spans])
        limit = _limits(stretches, steady)
        places = np.concatenate([np.concatenate([y, arrivals(y)], axis=1) for y in stretches]) * scale
        # Frames nearer in time than this count as the same moment, or a slow part would repeat over and over.
        guard = rates.guard if steady is None else max(rates.guard, 0.75 * limit[2])
        bounds = Bounds(limit[2], guard, Limits(limit[0], max(limit[1], 1e-12), rates.blend))
        if steady is not None and lengths.max() < ROUNDS * steady:
            parts = closed_parts(poses[index], places, lengths, bounds)
        else:
            expected = True if stated is None and steady is not None else stated
            parts = parts_of(poses[index], places, lengths, bounds, expected)
        if parts.cyclic and len(parts.frames) < COMPLETE * limit[2] and stated is None:
            parts = parts_of(poses[index], places, lengths, bounds, False)
        _check_complete(name, parts, limit[2], material, number, stated)
        pieces = [index[parts.frames[a:b]] for a, b in parts.pieces]
        periodic = parts.cyclic and (
            steady is not None or periods_of([poses[at] for at in pieces], 1.0 / material.frame_time) is not None
        )
        lost = len(index) - len(parts.frames)
        notes += [f"{name}: {lost} frames that cannot be returned to are left out"] if lost else []
        if parts.cyclic and len(parts.frames) > MOST_KERNELS:
            notes.append(f"{name}: more than {MOST_KERNELS} frames: how often each is followed is left to the density")
        table = jump_table(parts.jumps, parts.pieces, rates.jump)
        classes.append(LearnedClass(pieces, parts.allowed, parts.cyclic, periodic, limit, table))
    material = replace(material, notes=(*material.notes, *notes))
    say(Progress(0.95, "fine detail"))
    model = _assembled(material, chosen, pca, runs_of, classes)
    _check_feet(model)
    model = replace(model, jumps=without_whips(model))
    say(Progress(1.0, "done"))
    return model


def _check_names(examples: Mapping[str, Any], cyclic: Mapping[str, bool]) -> None:
    if not isinstance(examples, Mapping):
        raise UsageError("give the examples by class, as in {'walk': walks, 'run': runs}")
    if len(examples) > MOST_CLASSES:
        raise UsageError(f"{len(examples)} classes are too many: at most {MOST_CLASSES} can be mixed")
    for name in examples:
        if not isinstance(name, str) or not name.strip() or any(mark in name for mark in ":,=→") or "->" in name:
            raise UsageError(f"{name!r} cannot be the name of a class: use letters, without : , = or arrows")
    unknown = [name for name in cyclic if name not in examples]
    if unknown:
        raise UsageError(f"there is no class {unknown[0]!r}; the classes are {', '.join(examples)}")


def _check_complete(
    name: str, parts: Parts, period: float, material: Material, number: int, given: bool | None
) -> None:
    """Refuse a class that contains only part of a cycle: repeated endlessly, it would hop on one leg.

    Takes that begin and end with travel, but repeat no pose, were cut out of a gait.
    """
    if parts.cyclic and len(parts.frames) < COMPLETE * period:
        raise UsageError(
            f"{name}: {len(parts.frames)} frames can be repeated endlessly, but a cycle has about {period:.0f}: give "
            f"takes of at least one whole cycle, or declare the class acyclic (--acyclic {name})"
        )
    skeleton = None if material.recipe is None else material.recipe.skeleton
    if parts.cyclic or given is not None or skeleton is None:
        return
    rates = material.rates[number]
    if not rates[0].shape[1]:
        return
    ends = [part[:, :2].mean(axis=0) for rate in rates for part in (rate, rate[1:END], rate[-END:])]
    # A body that travels at this speed where a take begins and ends is in the middle of a gait.
    if min(map(np.linalg.norm, ends)) > 0.15 * leg_length(skeleton):
        raise UsageError(
            f"{name}: the takes are still moving at both ends, and no pose recurs within {sum(map(len, rates))} "
            "frames, so they seem to be part of a cycle: give takes of at least one whole cycle, or declare the "
            f"class acyclic (--acyclic {name})"
        )


def _check_feet(model: DensityModel) -> None:
    """Refuse a cyclic class with half a step: one foot lands, the other foot is lowered but never lands.

    A foot that is kept raised, as in hopping on one leg, is not lowered.
    """
    base = model.planting_model
    if base is None:
        return
    firsts = np.cumsum([0, *(len(foot.joints) for foot in base.feet)])[:-1]
    contacts, heights = feet_of(model, model.foot_columns)
    touches = np.maximum.reduceat(contacts, firsts, axis=1) > 0.0
    down = np.logical_or.reduceat(heights < base.low, firsts, axis=1)
    for number, name in enumerate(model.classes):
        mine = model.owners == number
        cut_off = down[mine].any(axis=0) & ~touches[mine].any(axis=0)
        if model.periodic[number] and cut_off.any() and not cut_off.all():
            raise UsageError(
                f"{name}: {base.feet[int(cut_off.argmax())].name} comes down but never lands in the part of the takes "
                "that repeats, so it would hop on the other foot forever: give takes with whole steps of both feet, "
                f"or declare the class acyclic (--acyclic {name})"
            )


def _spans(runs: list[Floats], frame_time: float, may_repeat: bool, takes: Any) -> tuple[list[Span], float | None]:
    """Return the stretches of the concatenated runs to learn from, and the frames of a cycle if there clearly is one.

    Cyclic runs are cut to their cycles, without standing, starting and stopping.
    """
    all_frames = list(pairwise([0, *np.cumsum([len(y) for y in runs]).tolist()]))
    if not may_repeat:
        return all_frames, None
    periods = periods_of(runs, 1.0 / frame_time)
    # Modes are shared by all classes and may describe this class poorly: then cycles are detected in its takes.
    period = _shared_period(takes, frame_time) if periods is None else float(periods.mean())
    if period is None:
        return all_frames, None
    # Single cycles are not cut; if the tempo varies, a single frequency does not locate the cycles.
    if max(map(len, runs)) < SINGLE * period or not is_even(runs, period):
        return all_frames, period
    masks = zip(all_frames, in_cycle(runs, period), strict=True)
    stretches = [(first + a, first + b) for (first, _), mask in masks for a, b in contiguous(mask)]
    return [(a, b) for a, b in stretches if b - a >= max(period, LEAST_FRAMES)] or all_frames, period


def _shared_period(takes: Any, frame_time: float) -> float | None:
    """Return the frames of a cycle as `cut` and `learn` detect it in takes; None if there is none."""
    clips = [take for take in ([takes] if isinstance(takes, Clip) else list(takes)) if isinstance(take, Clip)]
    cycles = [(clip, one) for clip, one in zip(clips, find_common_cycles(clips), strict=True) if one is not None]
    if cycles:
        return float(np.median([one.period * clip.frame_time for clip, one in cycles])) / frame_time
    if clips and closing_of(clips).cyclic:
        return float(np.median([clip.duration for clip in clips])) / frame_time
    return None


def _limits(runs: list[Floats], steady: float | None) -> tuple[float, float, float]:
    """Return the limits of jumps (second difference and distance), and the frames of a cycle.

    `steady` is the approximate cycle length, if known: a take that drifts also contains a slower sine.
    """
    points = np.concatenate(runs)
    bends = np.concatenate([np.linalg.norm(np.diff(y, 2, axis=0), axis=1) for y in runs])
    near = nearest(points, points, 2)[0][:, 1]
    longest = max(runs, key=len)
    column = int(longest.var(axis=0).argmax())
    period = fit_sine(longest[:, column]).period
    if steady is not None and abs(np.log(period / steady)) > np.log(OTHER):
        period = steady
    least = 1e-9 * float(np.abs(points).max(initial=1e-9))  # straight lines have no second difference
    sharp, far = (max(float(np.percentile(x, 99.9)), least) for x in (bends, near))
    return SHARP * sharp, FAR * far, period


class LearnedClass(NamedTuple):
    """The frames of each piece among a class's concatenated runs, and the data that synthesis reads for them."""

    pieces: list[Ints]
    allowed: Bools
    cyclic: bool
    periodic: bool
    limit: tuple[float, float, float]
    table: JumpTable


def _assembled(
    material: Material, settings: Settings, pca: Pca, runs_of: list[list[Floats]], classes: list[LearnedClass]
) -> DensityModel:
    pieces, allowed, cyclic, periodic, limit, tables = zip(*classes, strict=True)
    limits, errors = rounded(np.array(limit)), position_errors(material, pca)
    weights, rates, residuals = [], [], []
    for runs, poses, turns, mine, period in zip(
        runs_of, material.poses, material.rates, pieces, limits[:, 2].tolist(), strict=True
    ):
        y, x = np.concatenate(runs), np.concatenate(poses)
        smooth = np.concatenate([rounded(smooth_rates(turn, material.frame_time, period)) for turn in turns])
        for at in mine:
            weights.append(y[at])
            rates.append(smooth[at])
            residual = x[at] - poses_of(pca, material.scale, y[at])
            residuals.append(rounded(residual) if settings.residuals else np.zeros((len(at), 0)))
    return DensityModel(
        settings, material.classes, material.names, material.frame_time, material.recipe, material.scale, pca,
        np.concatenate(weights), np.concatenate(rates), np.concatenate(residuals),
        tuple(tuple(map(len, mine)) for mine in pieces), np.concatenate(allowed), cyclic, limits,
        tuple(errors[name] for name in material.classes), joined(list(tables)), material.notes, periodic,
    )  # fmt: skip
