"""Draw figure 8 of Lau 2009: mean scores as bars with confidence intervals, and the p values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from freshtake.errors import UsageError
from freshtake.evaluation.study.analysis import Outcome
from freshtake.evaluation.study.schedule import MEASURES, scale_of
from freshtake.reports.canvas import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLORS = {
    "variants": "#35a264", "captured": "#3b82d6", "cycle": "#d9534f", "in step": "#8a63d2", "out of step": "#c08a2e",
}  # fmt: skip
TITLES = {"captured": "motion capture", "cycle": "cycle animation"}  # other conditions keep their names
WARNING = "simulated raters, not people"


def figure(outcomes: Sequence[Outcome]) -> Figure:
    """Draw a panel per experiment and a pair of bars per motion; whiskers are 95 % confidence intervals."""
    experiments = list(dict.fromkeys(outcome.experiment for outcome in outcomes))
    if not experiments:
        raise UsageError("there are no outcomes to draw")
    picture = new_figure(4.2 * len(experiments), 3.4)
    axes = picture.subplots(1, len(experiments), squeeze=False)[0]
    for axis, experiment in zip(axes, experiments, strict=True):
        _panel(axis, experiment, [o for o in outcomes if o.experiment == experiment])
    if any(outcome.simulated for outcome in outcomes):
        picture.suptitle(WARNING, color="#a34a10", fontsize=10, fontweight="bold")
    return picture


def _panel(axis: Axes, experiment: str, outcomes: Sequence[Outcome]) -> None:
    # Two-way choices are fractions; the other experiments have scores on a scale.
    lowest, highest = (0, 1) if experiment == "D" else scale_of(experiment)
    margin = (highest - lowest) / 32
    labeled: set[str] = set()
    for place, outcome in enumerate(outcomes):
        for side, group in zip((-0.19, 0.19), outcome.groups, strict=True):
            title = TITLES.get(group.condition, group.condition)
            label = None if group.condition in labeled else title
            labeled.add(group.condition)
            whisker = [[group.mean.mean - group.mean.low], [group.mean.high - group.mean.mean]]
            axis.bar(
                place + side, group.mean.mean - lowest, 0.36, bottom=lowest, color=COLORS[group.condition], label=label,
                yerr=whisker, capsize=4, ecolor="#333333",
            )  # fmt: skip
        top = max(group.mean.high for group in outcome.groups)
        axis.text(place, min(top + margin, highest - 1.6 * margin), p_value(outcome.p), ha="center", fontsize=9)
    axis.set_xticks(range(len(outcomes)), [outcome.motion for outcome in outcomes])
    unit = "share" if experiment == "D" else f"{lowest} to {highest}"
    label = f"{MEASURES[experiment]} ({unit})"
    axis.set(ylim=(lowest, highest), xlim=(-0.7, len(outcomes) - 0.3), ylabel=label)
    axis.set_title(f"Experiment {experiment}", fontsize=10)
    axis.legend(fontsize=8, frameon=False, loc="upper left")
    axis.spines[["top", "right"]].set_visible(False)


def p_value(p: float) -> str:
    """Format a p value: p = 0.58, p = 4.5e-08."""
    if p != p:
        return "p undefined"
    return f"p = {p:.2g}" if p >= 1e-4 else f"p = {p:.1e}" if p > 0.0 else "p = 0"
