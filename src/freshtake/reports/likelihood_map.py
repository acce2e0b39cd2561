"""Compute and draw a clip's likelihood under a model, per frame and joint, relative to the model's examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from freshtake.motion.body.roles import body_parts, part_rank
from freshtake.numeric.arrays import Floats
from freshtake.reports.canvas import GRAY, new_figure, plot_style
from freshtake.reports.network_pictures import owner
from freshtake.reports.plots import INPUT
from freshtake.variation.learning import examples_by_others
from freshtake.variation.model import VariationModel

if TYPE_CHECKING:
    from matplotlib.figure import Figure

REACH = 4.0  # nats at which a cell has the full color
LEAST_RUN = 3  # frames: shorter stretches are not reported


class Spot(NamedTuple):
    """The stretch of frames in which a joint is least like the examples, and its mean log density there."""

    joint: str
    first: int
    last: int
    value: float


@dataclass(frozen=True, eq=False)
class ClipLikelihood:
    """Log densities in nats: `relative` (frames, joints) is the mean over a joint's DOFs minus the examples' median.

    `normalized` is the clip's log-likelihood per frame and DOF; `examples` are the log-likelihoods of the examples,
    each scored by the others (a single example by itself).
    """

    name: str
    frame_time: float
    joints: tuple[str, ...]
    relative: Floats
    normalized: float
    examples: tuple[float, ...]

    @property
    def spots(self) -> list[Spot]:
        """The stretch of each joint that is least like the examples; the longest and least likely come first."""
        weighted = []
        for joint, true, column in zip(self.joints, self.relative.T, self.bounded.T, strict=True):
            # Single unusual frames are ignored, because animators notice stretches.
            smooth = np.convolve(column, np.full(LEAST_RUN, 1.0 / LEAST_RUN), mode="valid")
            middle = int(smooth.argmin()) + LEAST_RUN // 2 if len(smooth) else int(column.argmin())
            # The stretch extends as far as frames are at least half as unusual as its worst frame.
            first, last, limit = middle, middle, min(0.5 * float(column[middle]), -1e-9)
            while first > 0 and column[first - 1] < limit:
                first -= 1
            while last < len(column) - 1 and column[last + 1] < limit:
                last += 1
            weight = float(column[first : last + 1].sum())
            weighted.append((weight, Spot(joint, first, last, float(true[first : last + 1].mean()))))
        return [spot for _, spot in sorted(weighted, key=lambda pair: pair[0])]

    @property
    def bounded(self) -> Floats:
        """The values of `relative`, limited to the color scale."""
        return np.clip(self.relative, -REACH, REACH)

    def sentences(self) -> list[str]:
        """Return the log-likelihoods of clip and examples, and the least likely stretches, in sentences."""
        return [
            f"{self.name}: {self.normalized:.2f} nats per frame and DOF; the examples, each scored by the others, "
            f"{min(self.examples):.2f} to {max(self.examples):.2f}",
            *(
                f"{s.joint} is {-s.value:.1f} nats per DOF less likely than usual in frames {s.first}-{s.last}"
                for s in self.spots[:3]
                if s.value < -1.0
            ),
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return the scores as values for JSON."""
        return {
            "name": self.name,
            "normalized": self.normalized,
            "examples": list(self.examples),
            "per_frame": self.relative.mean(axis=1).tolist(),
            "per_joint": dict(zip(self.joints, self.relative.mean(axis=0).tolist(), strict=True)),
            "least_likely": [spot._asdict() for spot in self.spots[:10]],
        }


def clip_likelihood(model: VariationModel, motion: Any, name: str = "") -> ClipLikelihood:
    """Score a motion of the examples' kind under the model's networks."""
    score = model.score(motion)
    alone = len(model.material.values) == 1
    # Each example is scored by the others, since a model overrates its own examples.
    usual = [model.score_rows(model.material.values[0])] if alone else examples_by_others(model)
    joints = tuple(dict.fromkeys(owner(dof) for dof in model.dofs))
    recipe = model.material.recipe
    if recipe is not None and recipe.skeleton is not None:
        part = dict(zip(recipe.skeleton.names, body_parts(recipe.skeleton), strict=True))
        joints = tuple(sorted(joints, key=lambda joint: part_rank(part.get(joint, "other"))))
    members = [[k for k, dof in enumerate(model.dofs) if owner(dof) == joint] for joint in joints]
    # Relative to each DOF's median, because densities of narrow DOFs are always large.
    difference = score.frames - np.median(np.concatenate([one.frames for one in usual]), axis=0)
    relative = np.stack([difference[:, dofs].mean(axis=1) for dofs in members], axis=1)
    name = name or getattr(motion, "name", "") or "the clip"
    figures = tuple(one.normalized for one in usual)
    return ClipLikelihood(name, model.frame_time, joints, relative, score.normalized, figures)


@plot_style(grid=False)
def likelihood_figure(scored: ClipLikelihood, marked: Sequence[str] = ()) -> Figure:
    """Draw a heat map of joints over frames, red where a joint is less likely than usual; the clip's mean above it."""
    frames, count = scored.relative.shape
    figure = new_figure(9.4, 2.0 + 0.19 * count, layout=None)
    figure.subplots_adjust(left=0.15, right=0.95, bottom=min(0.5 / (2.0 + 0.19 * count), 0.2), top=0.97, hspace=0.06)
    line, cells = figure.subplots(2, 1, sharex=True, gridspec_kw={"height_ratios": [1.0, max(0.16 * count, 1.0)]})
    shown = scored.bounded.T
    line.plot(np.arange(frames), shown.mean(axis=0), color=INPUT, linewidth=1.2)
    line.axhline(0.0, color=GRAY, linewidth=0.8)
    line.set_ylabel("mean", fontsize=8)
    extent = (-0.5, frames - 0.5, count - 0.5, -0.5)
    image = cells.imshow(
        shown, cmap="RdBu", vmin=-REACH, vmax=REACH, aspect="auto", extent=extent, interpolation="nearest"
    )
    cells.set_yticks(range(count), scored.joints, fontsize=7)
    for label in cells.get_yticklabels():
        label.set_fontweight("bold" if label.get_text() in marked else "normal")
    cells.set_xlabel("frame")
    bar = figure.colorbar(image, ax=[line, cells], pad=0.01, fraction=0.03, extend="both")
    bar.set_label("log density minus the examples' usual one [nats per DOF]", fontsize=8)
    return figure
