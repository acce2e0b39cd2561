"""Draw why clips were kept or rejected: their scores against the threshold, and where rejected clips differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from freshtake.numeric.arrays import Floats
from freshtake.reports.canvas import GRAY, new_figure, plot_style
from freshtake.reports.plots import EXTRA, INPUT, VARIANT
from freshtake.variation.selection.candidates import Selection, Verdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_MAPS, MOST_JOINTS = 8, 12
FULL = 24.0  # nats of a joint (three DOFs) at which a cell has the full color


@plot_style(grid=False)
def selection_figure(selection: Selection, names: Sequence[str]) -> Figure:
    """Draw every clip's score (left) and, for rejected clips, the shortfall from trusted ones by joint and phase."""
    pairs = zip(names, selection.verdicts, strict=True)
    maps = [(name, one, one.missed) for name, one in pairs if not one.kept and one.missed is not None][:MOST_MAPS]
    columns = min(len(maps), 4)
    rows = max(1, -(-len(maps) // 4))
    height = max(1.2 + 0.2 * len(names), (0.9 + 0.17 * min(len(selection.joints), MOST_JOINTS)) * rows)
    figure = new_figure(4.0 + 1.9 * columns, height)
    grid = figure.add_gridspec(rows, 1 + columns, width_ratios=[2.0, *[1.0] * columns])
    _figures(figure.add_subplot(grid[:, 0]), selection, names)
    shown = _worst_joints(selection, [verdict for _, verdict, _ in maps])
    drawn: list[Axes] = []
    for k, (name, _, missed) in enumerate(maps):
        axis = figure.add_subplot(grid[k // columns, 1 + k % columns])
        drawn.append(axis)
        image = axis.imshow(
            missed[:, shown].T, cmap="Reds", vmin=0.0, vmax=FULL, aspect="auto",
            extent=(0.0, 100.0, len(shown) - 0.5, -0.5), interpolation="nearest",
        )  # fmt: skip
        axis.set_title(name, fontsize=8)
        axis.set_yticks(range(len(shown)), [selection.joints[j] for j in shown] if k % columns == 0 else [], fontsize=6)
        axis.set_xticks([0, 50, 100])
        axis.tick_params(labelsize=7)
        if k // columns == rows - 1:
            axis.set_xlabel("% of the movement", fontsize=7)
        if k == len(maps) - 1:
            bar = figure.colorbar(image, ax=drawn, pad=0.02, fraction=0.04, extend="max")
            bar.set_label("nats below the trusted clips", fontsize=7)
    return figure


def _worst_joints(selection: Selection, verdicts: Sequence[Verdict]) -> list[int]:
    """Return the joints named in reasons and those with the largest shortfall, in skeleton order."""
    tables = [one.missed for one in verdicts if one.missed is not None]
    if not tables:
        return []
    sums = np.sum([table.sum(axis=0) for table in tables], axis=0)
    named = {name for one in verdicts for name in one.named}
    order = sorted(np.argsort(-sums, kind="stable").tolist(), key=lambda j: selection.joints[j] not in named)
    return sorted(order[:MOST_JOINTS])


def _figures(axis: Axes, selection: Selection, names: Sequence[str]) -> None:
    """Draw a row per clip on a scale that is linear near the threshold and logarithmic far below it."""
    if selection.measure == "difference":
        selection = _in_powers(selection)
    spread = max(float(np.ptp(selection.trusted)), 1e-3)

    def place(value: npt.ArrayLike) -> Floats:
        return np.arcsinh((np.asarray(value, dtype=np.float64) - selection.threshold) / spread)

    axis.scatter(place(selection.trusted), np.full(len(selection.trusted), -1.0), s=10, color=INPUT, alpha=0.5)
    for k, verdict in enumerate(selection.verdicts):
        if np.isfinite(verdict.figure):
            x = float(place(verdict.figure))
            color = VARIANT if verdict.kept else EXTRA
            axis.plot([0.0, x], [k, k], color=color, linewidth=1.0, alpha=0.5)
            axis.plot([x], [k], "o", color=color, markersize=4)
        else:
            axis.text(0.0, k, " not comparable", fontsize=7, va="center", color=EXTRA)
    axis.axvline(0.0, color=GRAY, linewidth=0.8)
    axis.set_yticks([-1, *range(len(names))], ["trusted", *names], fontsize=7)
    axis.set_ylim(len(names) - 0.4, -1.6)
    scored = [v.figure for v in selection.verdicts if np.isfinite(v.figure)]
    lowest, highest = min([*scored, *selection.trusted]), max([*scored, *selection.trusted])
    steps = [step for n in range(4) if (step := selection.threshold - spread * 10.0**n) > lowest]
    ticks = [*sorted([lowest, *steps]), selection.threshold, highest]
    ticks = [tick for k, tick in enumerate(ticks) if k == 0 or place(tick) - place(ticks[k - 1]) > 0.5]
    axis.set_xticks([float(place(tick)) for tick in ticks], [f"{tick:.3g}" for tick in ticks], fontsize=7)
    chance = "fraction of clips of this kind that are as far off, power of 10"
    axis.set_xlabel(chance if selection.measure == "difference" else "log-likelihood per frame and DOF", fontsize=8)


def _in_powers(selection: Selection) -> Selection:
    """Return the selection with probabilities as powers of ten."""

    def power(chance: npt.ArrayLike) -> Floats:
        return np.log10(np.maximum(np.asarray(chance, dtype=np.float64), 1e-9))

    verdicts = tuple(replace(one, figure=float(power(one.figure))) for one in selection.verdicts)
    return replace(
        selection, verdicts=verdicts, threshold=float(power(selection.threshold)), trusted=power(selection.trusted)
    )
