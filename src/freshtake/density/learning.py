"""Learn a DensityModel from examples, offline (Okwechime 2008, §3 and §4.4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from freshtake.density.class_cycles import OTHER, ROUNDS, SINGLE, in_cycle, is_even, periods_of
from freshtake.density.decoding import eigenspace, poses_of, position_errors, smooth_rates, weights_of
from freshtake.density.even_jumps import MOST_KERNELS, JumpTable, joined, jump_table, without_whips
from freshtake.density.examples import LEAST_FRAMES, Material, material_of
from freshtake.density.jumps import FAR, SHARP, compared_scale
from freshtake.density.model import DensityModel
from freshtake.density.planting import COMPLETE
from freshtake.density.pose_density import arrivals, motion_widths, velocities
from freshtake.density.possible_jumps import Bounds, Parts, closed_parts, parts_of
from freshtake.density.runs import Limits
from freshtake.density.settings import Settings
from freshtake.density.synthesize import controls
from freshtake.density.time_alignment import fit_sine
from freshtake.errors import UsageError
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion import Clip
from freshtake.motion.body.roles import leg_length
from freshtake.motion.cycles.cycles import closing_of, find_common_cycles
from freshtake.numeric.arrays import Bools, Floats, rounded
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.numeric.curves import runs as contiguous
from freshtake.numeric.graphs import nearest
from freshtake.numeric.pca import Pca

MOST_CLASSES = 256
END = 6  # frames at either end


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
        A frozen model; its `notes` tell which frames were left out.
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
    pieces, round_trips, periodic, limits, notes, tables = [], [], [], [], [], []
    for number, (name, runs) in enumerate(zip(material.classes, runs_of, strict=True)):
        say(Progress(0.3 + 0.6 * number / len(runs_of), f"finding which poses of {name} lead to which"))
        stated = (cyclic or {}).get(name)
        spans, steady = _spans(runs, material.frame_time, stated is not False, examples[name])
        lost = sum(map(len, runs)) - sum(b - a for _, a, b in spans)
        notes += [f"{name}: {lost} frames before, between and after the cycles are left out"] if lost else []
        mine = [runs[run][a:b] for run, a, b in spans]
        limit = _limits(mine, steady)
        places = np.concatenate([np.concatenate([y, arrivals(y)], axis=1) for y in mine]) * scale
        lengths = np.array([len(y) for y in mine])
        rates = controls(chosen, material.frame_time)
        # Frames nearer in time than this count as the same moment, or a slow part would repeat over and over.
        guard = rates.guard if steady is None else max(rates.guard, 0.75 * limit[2])
        bounds = Bounds(limit[2], guard, Limits(limit[0], max(limit[1], 1e-12), rates.blend))
        expected = True if stated is None and steady is not None else stated
        if steady is not None and lengths.max() < ROUNDS * steady:
            parts = closed_parts(np.concatenate(mine), places, lengths, bounds)
        else:
            parts = parts_of(np.concatenate(mine), places, lengths, bounds, expected)
        if parts.cyclic and len(parts.frames) < COMPLETE * limit[2] and stated is None:
            parts = parts_of(np.concatenate(mine), places, lengths, bounds, False)
        _check_complete(name, parts, limit[2], material, number, stated)
        kept = [np.concatenate(mine)[parts.frames[a:b]] for a, b in parts.pieces]
        periodic.append(
            parts.cyclic and (steady is not None or periods_of(kept, 1.0 / material.frame_time) is not None)
        )
        pieces.append(_pieces(parts, spans))
        lost = int(lengths.sum()) - len(parts.frames)
        notes += [f"{name}: {lost} frames that cannot be returned to are left out"] if lost else []
        if parts.cyclic and len(parts.frames) > MOST_KERNELS:
            notes.append(f"{name}: more than {MOST_KERNELS} frames: how often each is followed is left to the density")
        round_trips.append(parts.cyclic)
        limits.append(limit)
        tables.append(jump_table(parts.jumps, parts.pieces, rates.jump))
    material = replace(material, notes=(*material.notes, *notes))
    say(Progress(0.95, "fine detail"))
    model = _assembled(
        material, chosen, pca, runs_of, pieces, tuple(round_trips), rounded(np.array(limits)), joined(tables),
        tuple(periodic),
    )  # fmt: skip
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

    If a body travels at both ends of its takes and repeats no pose, they were cut out of a gait.
    """
    if parts.cyclic and len(parts.frames) < COMPLETE * period:
        raise UsageError(
            f"{name}: {len(parts.frames)} frames can be repeated endlessly, but a cycle has about {period:.0f}: give "
            f"takes of at least one whole cycle, or say that it does not repeat (--acyclic {name})"
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
            "frames, so they seem to be part of a cycle: give takes of at least one whole cycle, or say that it does "
            f"not repeat (--acyclic {name})"
        )


def _check_feet(model: DensityModel) -> None:
    """Refuse a cyclic class in which one foot steps and the other is lowered but never stands: half a step.

    A foot that is held up, as in hopping on one leg, is not lowered.
    """
    base = model.planting_model
    if base is None:
        return
    firsts = np.cumsum([0, *(len(foot.joints) for foot in base.feet)])[:-1]
    touches = np.maximum.reduceat(model.contacts(model.foot_columns), firsts, axis=1) > 0.0
    down = np.logical_or.reduceat(model.foot_heights(model.foot_columns) < base.low, firsts, axis=1)
    for number, name in enumerate(model.classes):
        mine = model.owners == number
        torn = down[mine].any(axis=0) & ~touches[mine].any(axis=0)
        if model.periodic[number] and torn.any() and not torn.all():
            raise UsageError(
                f"{name}: {base.feet[int(torn.argmax())].name} comes down but never lands in the part of the takes "
                "that repeats, so it would hop on the other foot forever: give takes with whole steps of both feet, "
                f"or say that it does not repeat (--acyclic {name})"
            )


Span = tuple[int, int, int]


def _spans(runs: list[Floats], frame_time: float, may_repeat: bool, takes: Any) -> tuple[list[Span], float | None]:
    """Return stretches (run, start, stop) to learn from, and the frames of a cycle if there clearly is one.

    Cyclic runs are cut to their cycles, without standing, starting and stopping.
    """
    all_frames = [(number, 0, len(y)) for number, y in enumerate(runs)]
    if not may_repeat:
        return all_frames, None
    periods = periods_of(runs, 1.0 / frame_time)
    # Modes are shared by all classes and may describe this one poorly: use the detection on the takes themselves.
    period = _shared_period(takes, frame_time) if periods is None else float(periods.mean())
    if period is None:
        return all_frames, None
    # Single cycles are kept whole; if the tempo varies, a single frequency does not locate the cycles.
    if max(map(len, runs)) < SINGLE * period or not is_even(runs, period):
        return all_frames, period
    stretches = [(k, a, b) for k, mask in enumerate(in_cycle(runs, period)) for a, b in contiguous(mask)]
    return [(k, a, b) for k, a, b in stretches if b - a >= max(period, LEAST_FRAMES)] or all_frames, period


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


Piece = tuple[int, int, int, Bools]


def _pieces(parts: Parts, spans: list[Span]) -> list[Piece]:
    """Return each piece's run number, start and stop, and which of its frames may be jumped to."""
    run = np.concatenate([np.full(stop - start, number) for number, start, stop in spans])
    frame = np.concatenate([np.arange(start, stop) for _, start, stop in spans])
    return [
        (
            int(run[parts.frames[a]]),
            int(frame[parts.frames[a]]),
            int(frame[parts.frames[b - 1]]) + 1,
            parts.allowed[a:b],
        )
        for a, b in parts.pieces
    ]


def _assembled(
    material: Material, settings: Settings, pca: Pca, runs_of: list[list[Floats]], pieces: list[list[Piece]],
    cyclic: tuple[bool, ...], limits: Floats, jumps: JumpTable, periodic: tuple[bool, ...],
) -> DensityModel:  # fmt: skip
    weights, rates, residuals, allowed = [], [], [], []
    for runs, poses, turns, mine, limit in zip(runs_of, material.poses, material.rates, pieces, limits, strict=True):
        smooth = [rounded(smooth_rates(turn, material.frame_time, float(limit[2]))) for turn in turns]
        for number, a, b, goals in mine:
            weights.append(runs[number][a:b])
            rates.append(smooth[number][a:b])
            residual = poses[number][a:b] - poses_of(pca, material.scale, runs[number][a:b])
            residuals.append(rounded(residual) if settings.residuals else np.zeros((b - a, 0)))
            allowed.append(goals)
    errors = position_errors(material, pca)
    return DensityModel(
        settings, material.classes, material.names, material.frame_time, material.recipe, material.scale, pca,
        np.concatenate(weights), np.concatenate(rates), np.concatenate(residuals),
        tuple(tuple(b - a for _, a, b, _ in mine) for mine in pieces), np.concatenate(allowed), cyclic, limits,
        tuple(errors[name] for name in material.classes), jumps, material.notes, periodic,
    )  # fmt: skip
