"""Results of an evaluation: figures next to those of real takes, ready for JSON."""

import math
from dataclasses import asdict, dataclass
from typing import Any

from freshtake.evaluation.actions import Action
from freshtake.evaluation.figure_kinds import BY_KEY, Kind
from freshtake.evaluation.movement import DofFigures

TOLERANCE = 1e-9
AUC_ALIKE = 0.75  # up to this value, two sets count as hard to tell apart
AUC_SLACK = 0.05  # or up to this much above the AUC of two sets of real takes
CLEAR, KEPT = 0.8, 0.5  # minimum correlation of the inputs, and the share of this correlation that variants must keep


@dataclass(frozen=True)
class Figure:
    """One figure of the variants next to the same figure of real takes.

    `value` is for all variants together, `each` for every variant. `left_out` contains each input scored
    against the other inputs, `extra` each further real take scored against the inputs (for figures of entire sets: one
    value for the set). `inputs` is the inputs' value if it is meaningful.
    """

    key: str
    value: float
    each: tuple[float, ...] = ()
    left_out: tuple[float, ...] = ()
    extra: tuple[float, ...] = ()
    inputs: float | None = None

    @property
    def kind(self) -> Kind:
        """The kind of this figure."""
        return BY_KEY[self.key]

    @property
    def real(self) -> tuple[float, ...]:
        """All values of real takes."""
        return tuple(v for v in (*self.left_out, *self.extra) if math.isfinite(v))

    @property
    def verdict(self) -> str:
        """`good`, or `above` or `below` what real takes do; "" if there is nothing to compare with."""
        wanted, real = self.kind.wanted, self.real
        if wanted == "zero":
            return "good" if self.value <= max((TOLERANCE, *real)) else "above"
        if wanted == "alike":
            return "good" if self.value <= max((AUC_ALIKE, *(v + AUC_SLACK for v in real))) else "above"
        if wanted == "tied":
            return self._tied()
        if wanted == "shown" or not real or not math.isfinite(self.value):
            return ""
        slack = TOLERANCE + 1e-6 * max(abs(v) for v in real)
        most = max(*real, self.inputs or 0.0) if wanted == "most" else max(real)
        if wanted != "high" and self.value > most + slack:
            return "above"
        if wanted not in ("low", "most") and self.value < min(real) - slack:
            return "below"
        return "good"

    def _tied(self) -> str:
        of_inputs = self.inputs or 0.0
        if abs(of_inputs) < CLEAR:
            return ""
        if self.value * math.copysign(1.0, of_inputs) >= KEPT:
            return "good"
        return "below" if of_inputs > 0 else "above"


class Figures:
    """Figures of a set of motions, by name."""

    figures: tuple[Figure, ...]

    def figure(self, key: str) -> Figure | None:
        """Return the figure with this name.

        Args:
            key: the key of a figure, such as "jerk".

        Returns:
            The figure, or None if it does not apply.
        """
        return next((figure for figure in self.figures if figure.key == key), None)

    def value(self, key: str) -> float:
        """Return the value of a figure.

        Args:
            key: the key of a figure, such as "jerk".

        Returns:
            The value in the unit of its kind; NaN if it does not apply.
        """
        figure = self.figure(key)
        return float("nan") if figure is None else figure.value


@dataclass(frozen=True)
class Column(Figures):
    """The figures of another set of motions, such as a baseline, in place of the variants."""

    name: str
    figures: tuple[Figure, ...]


@dataclass(frozen=True)
class Evaluation(Figures):
    """All figures of one evaluation. `missing` gives the reason for each figure that does not apply."""

    kind: str
    inputs: tuple[str, ...]
    variants: tuple[str, ...]
    extra: tuple[str, ...]
    fps: float
    size: float
    frames: dict[str, tuple[int, ...]]
    figures: tuple[Figure, ...]
    interpolation: dict[str, float]
    dofs: tuple[DofFigures, ...]
    action: Action | None
    action_counts: dict[str, tuple[int, ...]]
    missing: dict[str, str]
    notes: tuple[str, ...]
    baselines: tuple[Column, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return all figures as a dictionary for JSON.

        Returns:
            Plain values; NaN becomes None, and diversity comes with smoothness and foot speed.
        """
        out = asdict(self)
        out["figures"] = {figure.key: _figure_dict(figure) for figure in self.figures}
        smoothness = {key: self.value(key) for key in ("jerk_limbs", "jerk", "planted_speed")}
        for key in ("diversity", "between"):
            if key in out["figures"]:
                out["figures"][key]["beside"] = smoothness
        out["baselines"] = {
            column.name: {f.key: {"value": f.value, "verdict": f.verdict, "each": f.each} for f in column.figures}
            for column in self.baselines
        }
        out["dofs"] = [dof._asdict() for dof in self.dofs]
        out["action"] = self.action._asdict() if self.action else None
        cleaned: dict[str, Any] = _plain(out)
        return cleaned


def _figure_dict(figure: Figure) -> dict[str, Any]:
    kind, real = figure.kind, figure.real
    return {
        "title": kind.title,
        "group": kind.group,
        "unit": kind.unit,
        "wanted": kind.wanted,
        "value": figure.value,
        "verdict": figure.verdict,
        "real_low": min(real) if real else None,
        "real_high": max(real) if real else None,
        "inputs": figure.inputs,
        "left_out": figure.left_out,
        "extra": figure.extra,
        "each": figure.each,
    }


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value
