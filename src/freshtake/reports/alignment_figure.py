"""Draw correspondences: the curves of two motions, linked at matching frames (Hsu 2005, figure 2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from freshtake.errors import UsageError
from freshtake.numeric.arrays import Floats
from freshtake.reports.canvas import new_figure
from freshtake.style.warping.alignment import Alignment, align
from freshtake.style.warping.motion_warping import WarpSettings
from freshtake.style.warping.warp_inputs import Alignable, Prepared, prepare

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FIRST, SECOND, JOINED = "#1f77b4", "#d62728", "#9a9a9a"
TITLES = {
    "imw": "iterative motion warping",
    "time-warp": "time warp alone",
    "dtw-1": "DTW, type I",
    "dtw-3": "DTW, type III",
}
LINES = 60  # correspondences drawn


def picture(
    a: Alignable, b: Alignable, settings: WarpSettings, *, against: str, dof: str | None = None, names: tuple[str, str]
) -> Figure:
    """Draw figure 2 for two motions: both curves, and the correspondences by another method and by `settings`.

    Below are both warp curves, the pace along them, and the energy after every stage. `dof` is the DOF to draw, by
    default the DOF that moves most in both motions.
    """
    ready = prepare(a, b, settings)
    alignments = {method: align(a, b, replace(settings, method=method)) for method in (against, settings.method)}
    return draw(ready, alignments, chosen_dof(ready, dof), names)


def chosen_dof(ready: Prepared, name: str | None) -> int:
    """Return the index of a DOF by name, or of the DOF that deviates most in both motions."""
    if name is None:
        return int((ready.values[0].std(axis=0) * ready.values[1].std(axis=0)).argmax())
    if name not in ready.names:
        raise UsageError(f"there is no DOF {name!r}: choose one of {', '.join(ready.names)}")
    return ready.names.index(name)


def draw(ready: Prepared, alignments: Mapping[str, Alignment], dof: int, names: tuple[str, str]) -> Figure:
    """Draw the figure of one or two alignments."""
    u, y = (values[:, dof] for values in ready.values)
    figure = new_figure(12.0, 6.4)
    axes = figure.subplots(2, 3, height_ratios=(1.2, 1.0))
    for values, name, color in ((u, names[0], FIRST), (y, names[1], SECOND)):
        axes[0, 0].plot(np.arange(len(values)) * ready.frame_time, values, color=color, label=name)
    axes[0, 0].legend(fontsize=8, frameon=False)
    axes[0, 0].set_title(f"{ready.names[dof]}: not aligned", fontsize=10)
    for axis, (method, alignment) in zip(axes[0, 1:], alignments.items(), strict=False):
        _draw_links(axis, u, y, alignment, ready)
        axis.set_title(TITLES[method], fontsize=10)
    _warps(axes[1, 0], axes[1, 1], alignments, ready)
    for axis in axes.flat[:-1]:
        axis.set_xlabel("seconds", fontsize=8)
    energy = list(alignments.values())[-1].energy
    axes[1, 2].semilogy(np.arange(len(energy)), np.maximum(energy, 1e-12), "o-", color="black", markersize=3)
    axes[1, 2].set_title("energy after every stage", fontsize=10)
    axes[1, 2].set_xlabel("stage (time warp, space warp, ...)", fontsize=8)
    for axis in axes.flat:
        axis.tick_params(labelsize=8)
    return figure


def _draw_links(axis: Axes, u: Floats, y: Floats, alignment: Alignment, ready: Prepared) -> None:
    """Draw the first curve above the second, with lines between matching frames."""
    lift = 1.25 * float(max(np.ptp(u), np.ptp(y), 1e-9)) + float(y.max() - u.min()) * 0.5
    upper = u - u.mean() + y.mean() + lift
    step = ready.frame_time
    for frame in np.unique(np.linspace(0, len(u) - 1, LINES).astype(int)):
        place = alignment.path[frame]
        below = np.interp(place, np.arange(len(y)), y)
        axis.plot([frame * step, place * step], [upper[frame], below], color=JOINED, linewidth=0.6)
    axis.plot(np.arange(len(u)) * step, upper, color=FIRST)
    axis.plot(np.arange(len(y)) * step, y, color=SECOND)
    axis.set_yticks([])


def _warps(warps: Axes, paces: Axes, alignments: Mapping[str, Alignment], ready: Prepared) -> None:
    """Draw the warp curves of both alignments, and the paces along them."""
    for (method, alignment), style in zip(alignments.items(), (":", "-"), strict=False):
        time = np.arange(len(alignment)) * ready.frame_time
        warps.plot(time, alignment.path * ready.frame_time, style, color="black", label=TITLES[method])
        paces.plot(time, alignment.steps, style, color="black")
    last = list(alignments.values())[-1]
    paces.plot(np.arange(len(last)) * ready.frame_time, last.differential, ".", color=JOINED, markersize=2, label="w")
    paces.set_ylim(0.0, 1.25 * max(float(last.differential.max()), float(last.steps.max())))
    warps.set_title("warp: time in the second by time in the first", fontsize=10)
    paces.set_title("differential time warp", fontsize=10)
    for axis in (warps, paces):
        axis.legend(fontsize=8, frameon=False)
