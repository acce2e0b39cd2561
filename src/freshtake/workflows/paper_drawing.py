"""Draw the figures of Lau 2009, from the paper's method and the default one side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from freshtake import samples
from freshtake.errors import UsageError
from freshtake.evaluation.study.analysis import mean_interval, one_way
from freshtake.formats.files import replacing_folder
from freshtake.formats.read_options import Motion
from freshtake.formats.registry import read
from freshtake.formats.report_files import require_plots, write_figure
from freshtake.methods.progress import Report, Warn, each, silent, unheard
from freshtake.motion import Clip, Stroke
from freshtake.numeric.arrays import Floats
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.numeric.dtw import warp_path
from freshtake.reports.canvas import new_figure
from freshtake.reports.overlay import COLORS, stick_figures
from freshtake.requests.variation import PaperFigures
from freshtake.workflows.inputs import generator

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from freshtake.variation.paper.model import PaperModel

INPUTS, OUTPUTS = 4, 15  # as in the paper
METHODS = ("paper", "default")
BLUE, GREEN, RED = "#1f77b4", "#2ca02c", "#d62728"
STAND_INS = {"swim": "run"}  # samples that replace movements of which only recordings exist


class Movement(NamedTuple):
    """Inputs of one movement, both models, and fifteen variants of each."""

    name: str
    inputs: list[Any]
    paper: PaperModel
    default: Any
    variants: dict[str, list[Any]]


@one_blas_thread()
def paper_figures(request: PaperFigures, report: Report = silent, warn: Warn = unheard) -> list[Path]:
    """Draw figures 1 and 4 to 8 of the paper into a folder that appears atomically."""
    require_plots()
    folder, data, seed = request.out, request.data, request.seed
    unknown = [number for number in request.only if number not in DRAWN]
    if unknown:
        raise UsageError(f"there is no figure {unknown[0]}: choose from {', '.join(DRAWN)}")
    if data is not None and not data.is_dir():
        raise UsageError(f"{data}: this folder does not exist; give the folder that contains the recorded takes")
    chosen = [number for number in DRAWN if not request.only or number in request.only]
    make = cache(partial(_make, data=data, seed=seed))
    written = []
    with replacing_folder(folder) as place:
        for number in each(chosen, report, lambda number: f"figure {number}"):
            write_figure(place / f"figure_{number}.png", DRAWN[number](make, seed))
            written.append(folder / f"figure_{number}.png")
    return written


def _make(name: str, data: Path | None, seed: int) -> Movement:
    from freshtake.variation import learn
    from freshtake.variation.paper.learning import learn as learn_paper

    inputs = _inputs(name, data, seed)
    paper, default = learn_paper(inputs, rng=generator(seed)), learn(inputs, rng=generator(seed))
    models: dict[str, Any] = {"paper": paper, "default": default}
    variants = {key: [model.sample(generator(seed, k)) for k in range(OUTPUTS)] for key, model in models.items()}
    return Movement(name, inputs, paper, default, variants)


def _inputs(name: str, data: Path | None, seed: int) -> list[Motion]:
    """Return four takes: recorded takes if there are any, else samples."""
    if data is not None and name != "circle":
        places = [(data / name, f"{name}_?.bvh"), (data / "handwriting" / "kast", f"{name}_?.csv")]
        for place, pattern in places:
            files = sorted(place.glob(pattern))[:INPUTS]
            if len(files) == INPUTS:
                return [read(file) for file in files]
    sample = {"cheering": "cheer", "a": "letter_a", "2": "digit_2", **STAND_INS}.get(name, name)
    draw: Callable[[np.random.Generator], Motion] = getattr(samples, sample)
    return [draw(generator(seed, 100 + k)) for k in range(INPUTS)]


Make = Callable[[str], Movement]


def _figure_1(make: Make, seed: int) -> Figure:
    """Draw inputs and fifteen outputs, overlapped: three movements and two handwritten characters."""
    figure = new_figure(11.0, 11.0)
    axes = figure.subplots(5, 3)
    for row, name in zip(axes, ("cheering", "walk", "swim", "a", "2"), strict=True):
        shown = make(name)
        sets = {"4 inputs": shown.inputs, **{f"15 outputs, {key}": shown.variants[key] for key in METHODS}}
        for axis, (title, motions) in zip(row, sets.items(), strict=True):
            axis.set_title(f"{name}: {title}", fontsize=9)
            if isinstance(motions[0], Clip):
                _bodies(axis, motions, shown.inputs[0])
            else:
                _strokes(axis, shown.inputs, BLUE)
                _strokes(axis, motions if motions is not shown.inputs else [], GREEN)
    return figure


def _figure_4(make: Make, seed: int) -> Figure:
    """Draw four variants of a single jump, with the networks learned from four jumps."""
    shown = make("jump")
    figure = new_figure(11.0, 6.0)
    axes = figure.subplots(3, 1)
    axes[0].set_title("the one input", fontsize=9)
    _bodies(axes[0], shown.inputs[:1], shown.inputs[0], 7)
    for axis, key in zip(axes[1:], METHODS, strict=True):
        single = getattr(shown, key).with_examples(shown.inputs[:1])
        axis.set_title(f"four variants of it, {key}", fontsize=9)
        _bodies(axis, [single.sample(generator(seed, 200 + k)) for k in range(4)], shown.inputs[0], 7)
    return figure


def _figure_5(make: Make, seed: int) -> Figure:
    """Draw selected DOFs over time: the inputs, and consecutive new cycles."""
    shown = make("swim")
    figure = new_figure(11.0, 6.0)
    axes = figure.subplots(2, 3, sharey="row", width_ratios=[1, 2, 2])
    seconds = shown.paper.frame_time
    for row, dof in zip(axes, _leading(shown), strict=True):
        row[0].set_ylabel(shown.paper.dofs[dof], fontsize=8)
        for rows in shown.paper.material.values:
            row[0].plot(np.arange(len(rows)) * seconds, rows[:, dof], color=BLUE, linewidth=0.8)
        for axis, key in zip(row[1:], METHODS, strict=True):
            rows = np.concatenate([shown.paper.encode(motion) for motion in shown.variants[key][:5]])
            axis.plot(np.arange(len(rows)) * seconds, rows[:, dof], color=GREEN, linewidth=0.8)
            axis.set_title(f"five new cycles, {key}", fontsize=9)
        row[0].set_title("inputs", fontsize=9)
        row[0].set_xlabel("s", fontsize=8)
    return figure


def _figure_6(make: Make, seed: int) -> Figure:
    """Draw DOFs over time, DOF against DOF, and principal components against each other; inputs blue, outputs green."""
    shown = make("cheering")
    figure = new_figure(11.0, 9.0)
    axes = figure.subplots(4, 3)
    x, y = _leading(shown)
    inputs = list(shown.paper.material.values)
    weights, stacked = shown.paper.material.weights, np.concatenate(inputs)
    middle = stacked.mean(axis=0)
    components = np.linalg.svd((stacked - middle) * weights, full_matrices=False)[2][:4]
    for block, key in zip((axes[:2], axes[2:]), METHODS, strict=True):
        outputs = [shown.paper.encode(motion) for motion in shown.variants[key]]
        for rows, color in [*((v, GREEN) for v in outputs), *((v, BLUE) for v in inputs)]:
            style: dict[str, Any] = {"color": color, "linewidth": 0.7, "alpha": 0.8}
            time, parts = np.arange(len(rows)) * shown.paper.frame_time, ((rows - middle) * weights) @ components.T
            for line, dof in zip(block, (x, y), strict=True):
                line[0].plot(time, rows[:, dof], **style)
            block[0, 1].plot(rows[:, x], rows[:, y], **style)
            block[1, 1].plot(rows[:, y], np.gradient(rows[:, y]) / shown.paper.frame_time, **style)
            block[0, 2].plot(parts[:, 0], parts[:, 1], **style)
            block[1, 2].plot(parts[:, 2], parts[:, 3], **style)
        for line, dof in zip(block, (x, y), strict=True):
            line[0].set_title(f"{key}: {shown.paper.dofs[dof]} over time", fontsize=8)
        for line, titles in zip(block, (("DOF over DOF", "PC 1 and 2"), ("speed", "PC 3 and 4")), strict=True):
            for axis, title in zip(line[1:], titles, strict=True):
                axis.set_title(f"{key}: {title}", fontsize=8)
    return figure


def _figure_7(make: Make, seed: int) -> Figure:
    """Draw circles with a known law, and the networks learned from four of them."""
    shown = make("circle")
    truth = [samples.circle(generator(seed, 300 + k)) for k in range(OUTPUTS)]
    figure = new_figure(11.0, 4.6)
    axes = figure.subplots(1, 3)
    for axis, key in zip(axes, METHODS, strict=False):
        for strokes, color in ((truth, RED), (shown.variants[key], GREEN), (shown.inputs, BLUE)):
            _strokes(axis, strokes, color)
        radii = [samples.fit_circle(stroke).radius for stroke in shown.variants[key]]
        axis.set_title(f"{key}: radius {np.mean(radii):.2f} ± {np.std(radii, ddof=1):.2f}", fontsize=9)
    lines = [f"{shown.paper.prior.name(k)}  ←  {_listed(p, shown.paper.prior.name)}"
             for k, p in enumerate(shown.paper.prior.edges)] + [""]  # fmt: skip
    newest = shown.paper.transition
    lines += [f"{d}[t+2]  ←  {_listed(p, newest.name)}" for d, p in zip(newest.dofs, newest.edges, strict=True)]
    axes[2].text(0.0, 1.0, "learned networks\n\n" + "\n".join(lines), va="top", fontsize=7)
    axes[2].set_axis_off()
    radii = [samples.fit_circle(stroke).radius for stroke in truth]
    figure.suptitle(f"truth (red): radius {np.mean(radii):.2f} ± {np.std(radii, ddof=1):.2f}", fontsize=9)
    return figure


def _listed(parents: Sequence[int], name: Callable[[int], str]) -> str:
    return ", ".join(name(p) for p in parents) or "(no parents)"


def _figure_8(make: Make, seed: int) -> Figure:
    """Draw distances instead of the user study's scores: A, from the inputs; B, from all earlier clips."""
    figure = new_figure(11.0, 4.0)
    axes = figure.subplots(1, 4)
    rng = generator(seed, 8)
    for pair, name in zip((axes[:2], axes[2:]), ("cheering", "walk"), strict=True):
        shown = make(name)
        inputs = _views(shown, shown.inputs)
        real = [min(_apart(x, y) for m, y in enumerate(inputs) if m != k) for k, x in enumerate(inputs)]
        sets = {key: _views(shown, shown.variants[key]) for key in METHODS}
        natural = {"takes": real, **{key: [min(_apart(x, y) for y in inputs) for x in v] for key, v in sets.items()}}
        replayed = [inputs[k] for k in rng.integers(len(inputs), size=OUTPUTS)]
        fresh = {key: _freshness(v) for key, v in {"cycle\nanimation": replayed, **sets}.items()}
        for axis, groups, title in zip(
            pair, (natural, fresh), ("to the nearest take", "to any clip before"), strict=True
        ):
            for place, values in enumerate(groups.values()):
                interval = mean_interval(values)
                error = [[interval.mean - interval.low], [interval.high - interval.mean]]
                axis.bar(place, interval.mean, color=COLORS[place], yerr=error, capsize=3)
            axis.set_xticks(range(len(groups)), list(groups), fontsize=7)
            p = one_way(list(groups.values())[:2]).p
            axis.set_title(f"{name}: distance {title}\npaper against the first, p = {p:.2g}", fontsize=8)
            axis.set_ylim(0.0)
    figure.suptitle("measured distances in place of people's scores", fontsize=9)
    return figure


def _views(shown: Movement, motions: Sequence[Any]) -> list[Floats]:
    """Return every third frame in units of the inputs' extent."""
    material = shown.paper.material
    extent = float(np.sqrt(np.concatenate(list(material.values)).var(axis=0) @ material.weights**2))
    return [shown.paper.encode(motion)[::3] * material.weights / extent for motion in motions]


def _apart(x: Floats, y: Floats) -> float:
    return float(np.sqrt(warp_path(x, y, 0.0)[1]))


def _freshness(clips: Sequence[Floats]) -> list[float]:
    """Return the distance of every clip but the first to the nearest earlier clip: 0 is an exact repetition."""
    return [min(_apart(x, y) for y in clips[:k]) for k, x in enumerate(clips) if k]


def _leading(shown: Movement) -> tuple[int, int]:
    """Return the two DOFs, of different joints, that move the body farthest."""
    moving = np.concatenate(list(shown.paper.material.values)).std(axis=0) * shown.paper.material.weights
    ranked = [int(k) for k in np.argsort(-moving, kind="stable")]
    joints = [name.rpartition(".")[0] for name in shown.paper.dofs]
    return ranked[0], next((k for k in ranked if joints[k] != joints[ranked[0]]), ranked[-1])


def _bodies(axis: Axes, clips: Sequence[Clip], like: Clip, phases: int = 4) -> None:
    places = like.positions()
    reach = max(float(np.ptp(places[0], axis=0).max()) / 1.6, float(np.ptp(places[..., like.up_index])) / 1.8)
    for number, clip in enumerate(clips):
        stick_figures(axis, clip, phases, reach=reach, color=COLORS[number % len(COLORS)])


def _strokes(axis: Axes, strokes: Sequence[Stroke], color: str) -> None:
    for stroke in strokes:
        axis.plot(*stroke.points.T[:2], color=color, linewidth=0.8)
    axis.set_aspect("equal")
    axis.set_axis_off()


DRAWN: dict[str, Callable[[Make, int], Figure]] = {
    "1": _figure_1,
    "4": _figure_4,
    "5": _figure_5,
    "6": _figure_6,
    "7": _figure_7,
    "8": _figure_8,
}
