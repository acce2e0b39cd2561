"""Build the page of a density model: the figures of Okwechime 2008, drawn for the user's classes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from freshtake.density.class_cycles import Holding, holding
from freshtake.density.model import DensityModel
from freshtake.density.pose_density import density, log_density, pose_widths
from freshtake.density.time_alignment import fit_sine
from freshtake.methods.progress import Progress, Report
from freshtake.motion import Clip, PointClip
from freshtake.numeric.arrays import Floats
from freshtake.reports.canvas import GRAY, new_figure, plot_style
from freshtake.reports.overlay import overlay
from freshtake.reports.plots import Picture, drawn, png
from freshtake.reports.style_figures import Section, Table, style_page

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLORS = ("#3b82d6", "#d9534f", "#35a264", "#e0902f", "#8a63c9", "#2b9bb5", "#c25b8a", "#7f8c3a")
LONG = 2000  # frames of the measured synthesis
PATH = 240  # frames of a drawn path
STRIP = 12  # stick figures


def density_page(
    model: DensityModel, facts: dict[str, Any], title: str, seed: int, report: Report
) -> tuple[str, dict[str, Any], dict[str, bytes]]:
    """Measure long synthesis and draw a model: return the page, figures for JSON, and pictures by name."""

    def synthesized(name: str, number: int, frames: int) -> Floats:
        rng = np.random.default_rng([seed, number])
        return np.asarray(model.rows(rng, frames=frames, weights={name: 1.0})[:, : model.modes])

    figures = {}
    for number, name in enumerate(model.classes):
        report(Progress(0.1 + 0.3 * number / len(model.classes), f"measuring {name}"))
        figures[name] = holding(model.runs(name), synthesized(name, number, LONG))
    report(Progress(0.4, "drawing densities"))
    paths = [synthesized(name, 50 + k, PATH) for k, name in enumerate(model.classes)]
    pictures = [
        modes_picture(model),
        *sine_pictures(model),
        _panels(model, model.classes[:2], None, "fig3_densities", "Pose densities", "P(y) over modes 1 and 2 (fig. 3)"),
        _panels(
            model, model.classes, paths, "fig4_paths", "Synthesis on the densities",
            f"{PATH} synthesized frames of each class on its density (fig. 4)",
        ),
    ]  # fmt: skip
    report(Progress(0.6, "drawing figures"))
    pictures += strips(model, seed)
    # NaN, which JSON does not have, becomes null.
    for_json = {
        name: {key: value if np.isfinite(value) else None for key, value in figure._asdict().items()}
        for name, figure in figures.items()
    }
    page = _page(model, facts, figures, pictures, title)
    return page, {"model": facts, "holding": for_json}, {picture.name: picture.png for picture in pictures}


def _page(
    model: DensityModel, facts: dict[str, Any], figures: dict[str, Holding], pictures: Sequence[Picture], title: str
) -> str:
    unit = "cm" if "error_cm" in facts else "units"
    head = (
        "class", "kernels", "cycle", "left out", "stalls", "period", "distance", "sharpness", "variation", "repeats",
    )  # fmt: skip
    rows = tuple(
        (
            name, str(facts["kernels"][name]), f"{facts['period_s'][name]:.2f} s",
            f"{facts[f'error_{unit}'][name]:.1f} {unit}", str(h.stalls),
            *map(_number, (h.period, h.distance, h.sharpness, h.variation)), str(h.repeats),
        )
        for name, h in figures.items()
    )  # fmt: skip
    about = (
        f"{model.modes} modes explain {100 * model.pca.energy:.1f} % of the variance. {LONG} synthesized frames per "
        "class are compared with the data: period and variation are 1.00 if like the data; distance and sharpness are "
        "the largest values over the data's 99.9th percentile; repeats are cycles that equal another one."
    )
    sections = [
        Section("How long synthesis holds", "", (Table(head, rows),)),
        *([Section("Frames that were left out", " ".join(model.notes))] if model.notes else []),
        Section("Figures", "Figure numbers are those of Okwechime and Bowden 2008.", (), tuple(pictures)),
    ]
    return style_page(f"{title}: {', '.join(model.classes)}", about, sections)


def _number(value: float) -> str:
    return f"{value:.2f}" if np.isfinite(value) else "–"


def modes_picture(model: DensityModel) -> Picture:
    """Draw mode 1 against mode 2 (Okwechime 2008, fig. 1)."""

    def draw(axis: Axes) -> None:
        for number, name in enumerate(model.classes):
            for k, run in enumerate(model.runs(name)):
                label = name if k == 0 else None
                axis.plot(*_two(run).T, color=COLORS[number % 8], linewidth=1.0, label=label)
        axis.set(xlabel="mode 1", ylabel="mode 2")
        axis.legend(frameon=False, fontsize=8)

    return drawn("fig1_modes", "Mode 1 against mode 2", "every class in the combined eigenspace (fig. 1)", draw)


def sine_pictures(model: DensityModel) -> list[Picture]:
    """Draw the first mode over time and the sine fitted to it (fig. 2), for the first two classes."""
    pictures = []
    for number, name in enumerate(model.classes[:2]):
        run = max(model.runs(name), key=len)[:, 0]
        fit = fit_sine(run)
        sine = fit.at(np.arange(len(run), dtype=np.float64))

        def draw(axis: Axes, run: Floats = run, sine: Floats = sine, number: int = number) -> None:
            seconds = np.arange(len(run), dtype=np.float64) * model.frame_time
            axis.plot(seconds, run, color=COLORS[number], linewidth=1.3, label="mode 1")
            axis.plot(seconds, sine, color=GRAY, linestyle="--", linewidth=1.1, label="sine")
            axis.set_xlabel("time [s]")
            axis.legend(frameon=False, fontsize=8, loc="lower right")

        left = 100.0 * fit.error / max(float(run.std()), 1e-12)
        caption = (
            f"a cycle takes {fit.period * model.frame_time:.2f} s; the residual is {left:.0f} % of the curve's spread "
            "(fig. 2)"
        )
        pictures.append(drawn(f"fig2_sine_{number}", f"A sine fitted to {name}", caption, draw))
    return pictures


@plot_style(grid=False)
def _panels(
    model: DensityModel, names: Sequence[str], paths: list[Floats] | None, file: str, title: str, caption: str
) -> Picture:
    columns = min(len(names), 4)
    rows = -(-len(names) // columns)
    points = _two(model.weights)
    low, high = points.min(axis=0), points.max(axis=0)
    low, high = low - 0.12 * (high - low), high + 0.12 * (high - low)
    figure = new_figure(3.0 * columns, 2.7 * rows)
    axes = np.atleast_1d(figure.subplots(rows, columns)).ravel()
    for axis in axes[len(names) :]:
        axis.set_axis_off()
    for number, (axis, name) in enumerate(zip(axes, names, strict=False)):
        _density_map(axis, model, name, low, high)
        if paths is not None:
            axis.plot(*_two(paths[number]).T, color="#ffb547", linewidth=0.7, alpha=0.9)
        axis.set_title(name, fontsize=9)
    return Picture(file, title, caption, png(figure, 110), wide=len(names) > 2)


def _density_map(axis: Axes, model: DensityModel, name: str, low: Floats, high: Floats) -> None:
    """Draw the marginal density over the first two modes, by eq. 6."""
    widths = pose_widths(model.pca.variances, model.settings.alpha)
    widths = np.append(widths, widths[-1])[:2]
    dense = density(_two(np.concatenate(model.runs(name))), widths)
    grid = np.stack(np.meshgrid(*(np.linspace(a, b, 90) for a, b in zip(low, high, strict=True))), axis=-1)
    values = np.exp(log_density(dense, grid.reshape(-1, 2))).reshape(grid.shape[:2])
    axis.imshow(
        values, origin="lower", extent=(low[0], high[0], low[1], high[1]), aspect="auto", cmap="viridis",
        interpolation="bilinear",
    )  # fmt: skip
    axis.tick_params(labelsize=7)


def strips(model: DensityModel, seed: int) -> list[Picture]:
    """Draw stick figures of every class (fig. 5), and of transitions from each class to the next (fig. 6)."""
    if model.recipe is None:
        return []
    pictures = []
    for number, name in enumerate(model.classes):
        frames = max(int(1.2 * model.limits[number, 2]), STRIP)
        motion = model.sample(np.random.default_rng([seed, 70 + number]), frames=frames, weights={name: 1.0})
        pictures.append(_strip(motion, f"fig5_{number}", name, "synthesized (fig. 5)", number))
    for number, (a, b) in enumerate(pairwise(model.classes)):
        frames = max(int(4.0 * model.limits[:, 2].max()), 4 * STRIP)
        motion = model.sample(np.random.default_rng([seed, 90 + number]), frames=frames, weights=f"{a}:1->{b}:1")
        caption = f"weights change over {frames * model.frame_time:.1f} s (fig. 6)"
        pictures.append(_strip(motion, f"fig6_{number}", f"{a} to {b}", caption, number, 2 * STRIP))
    return pictures


@plot_style()
def _strip(motion: Any, file: str, title: str, caption: str, number: int, phases: int = STRIP) -> Picture:
    if isinstance(motion, Clip):
        figure = overlay([motion], phases=phases, views=(("side", 2),), colors=[COLORS[number % 8]], legend=False)
    else:
        figure = _marker_strip(motion, phases, COLORS[number % 8])
    return Picture(file, title, caption, png(figure, 90, cropped=True), wide=True)


def _marker_strip(motion: PointClip, phases: int, color: str) -> Any:
    up = "xyz".index(motion.up)
    across = [k for k in range(3) if k != up]
    wide = int(np.ptp(motion.positions.mean(axis=1)[:, across], axis=0).argmax())
    figure = new_figure(1.25 * phases, 2.8, layout=None)
    axis = figure.subplots()
    size = float(np.ptp(motion.positions[..., up], axis=1).max())
    for column, frame in enumerate(np.linspace(0, len(motion) - 1, phases).round().astype(int)):
        pose = motion.positions[frame]
        flat = pose[:, across[wide]] - pose[:, across[wide]].mean()
        axis.scatter(flat + 0.9 * column * size, pose[:, up], s=6, color=color)
    axis.set_aspect("equal")
    axis.set_axis_off()
    return figure


def _two(values: Floats) -> Floats:
    """Return the first two modes; the second is zero if there is only one."""
    return values[:, :2] if values.shape[1] > 1 else np.concatenate([values, np.zeros_like(values)], axis=1)
