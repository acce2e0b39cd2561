"""Draw the paper's figures (Sattler 2004, figs. 3, 5-9): matrices, eigenvalues, played frames and sample frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from freshtake.motion.features import Start
from freshtake.numeric.arrays import Floats, Ints
from freshtake.reports.canvas import new_figure, panels, plot_style
from freshtake.texture.frame_distance import matrix, weight_distances, weighted_frames
from freshtake.texture.jump_map import combined, probabilities, successor_distances
from freshtake.texture.model import TextureModel
from freshtake.texture.play_kernels import Frames

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_COMPARED = 1400  # maximum number of frames compared; longer takes are thinned to every second, third, ... frame
MOST_POINTS = 1500  # points drawn per pose
STYLE: dict[Any, Any] = {"font.size": 8.0, "axes.spines.top": False, "axes.spines.right": False}
CURVES = ("#1f5fae", "#35a264", "#d9534f", "#7b8fe0", "#c28a2b")


def matrices(model: TextureModel) -> Figure:
    """Draw distances of positions and velocities, their probabilities, and the model's jump map (fig. 3)."""
    every = -(-len(model.rows) // MOST_COMPARED)
    poses, velocities = model.weights.poses[::every], model.weights.velocities[::every]
    parts: list[tuple[str, Floats, bool]] = [
        ("D, positions", weight_distances(poses, poses), False),
        ("D*, velocities", weight_distances(velocities, velocities), False),
    ]
    if model.settings.method == "paper":
        d, dv = successor_distances(model.weights, model.segments)
        p, pv = probabilities(d, model.sigmas.sigma), probabilities(dv, model.sigmas.velocity)
        parts.insert(1, ("P, positions", p, True))
        parts.append(("P*, velocities", pv, True))
        parts.append(("jump map", combined(p, pv, model.settings.q, model.settings.velocity_q), True))
    else:
        frames = weighted_frames(model.weights, model.segments, model.frame_time, model.settings.velocity_weight)
        thinned: Any = [values[::every] for values in frames]
        costs = matrix(Frames(*thinned))
        parts += [("cost of a jump", costs, False), ("jump map", dense(model, every), True)]
    return _panels(parts, len(model.rows))


def dense(model: TextureModel, every: int = 1) -> Floats:
    """Return the played jump map between all frames, or the largest probabilities in blocks of `every` frames."""
    chances, count = model.chances, -(-len(model.rows) // every)
    out = np.zeros((count, count))
    frames, slots = np.nonzero(chances.targets >= 0)
    np.maximum.at(out, (frames // every, chances.targets[frames, slots] // every), chances.chances[frames, slots])
    goes = np.flatnonzero(chances.successor >= 0)
    np.maximum.at(out, (goes // every, chances.successor[goes] // every), chances.onward[goes])
    return out


@plot_style(STYLE)
def _panels(parts: Sequence[tuple[str, Floats, bool]], count: int) -> Figure:
    figure = new_figure(3.2 * len(parts), 3.4)
    axes = figure.subplots(1, len(parts), squeeze=False)[0]
    for number, (axis, (title, values, chance)) in enumerate(zip(axes, parts, strict=True)):
        # Each pixel shows the smallest distance or the largest probability of a square of frames.
        by = -(-len(values) // 700)
        side = len(values) // by
        squares = values[: side * by, : side * by].reshape(side, by, side, by)
        shown = (np.max if chance else np.min)(squares, axis=(1, 3))
        if chance:  # square roots, so that rare jumps are visible next to the step to the next frame
            shown = np.sqrt(np.clip(shown, 0.0, 1.0)) ** 0.5
        colors = "gray" if chance else "viridis"
        axis.imshow(shown, cmap=colors, extent=(0, count, count, 0), interpolation="nearest")
        axis.set(title=title, xlabel="to frame j", ylabel="from frame i" if number == 0 else "")
    return figure


@plot_style(STYLE)
def spectrum(curves: Sequence[tuple[str, Floats, Floats]]) -> Figure:
    """Draw eigenvalues of positions and of velocities by component, relative to the first (fig. 5)."""
    figure = new_figure(7.5, 3.0)
    for place, (axis, title) in enumerate(zip(figure.subplots(1, 2), ("positions", "velocities"), strict=True)):
        for number, (name, *values) in enumerate(curves):
            some = values[place]
            axis.semilogy(np.arange(1, len(some) + 1), some / some[0], label=name, color=CURVES[number % 5])
        axis.set(title=f"eigenvalues, {title}", xlabel="component")
        axis.legend(frameon=False)
    return figure


@plot_style(STYLE)
def played_frames(rows: Sequence[tuple[str, Ints]], frame_time: float) -> Figure:
    """Draw the frames shown over time, one panel per setting (figs. 6-8)."""
    figure = new_figure(8.0, 1.7 * len(rows))
    for axis, (title, frames) in zip(panels(figure, len(rows)), rows, strict=True):
        axis.plot(np.arange(len(frames)) * frame_time, frames, ".", markersize=1.2, color=CURVES[0])
        axis.set(title=title, ylabel="frame")
    axis.set_xlabel("seconds")
    return figure


@plot_style(STYLE)
def sample_frames(model: TextureModel, frames: Sequence[int]) -> Figure:
    """Draw points of some frames of the takes with their velocities as lines (fig. 9)."""
    figure = new_figure(1.9 * len(frames), 3.6)
    for axis, frame in zip(figure.subplots(1, len(frames)), frames, strict=True):
        motion = model.decode(model.rows[max(0, frame - 1) : frame + 2], start=Start())
        _draw(axis, _points(motion), motion.up)
        axis.set_title(f"frame {frame}")
    return figure


@plot_style(STYLE)
def loop_strips(motions: Sequence[Any], titles: Sequence[str], poses: int = 10) -> Figure:
    """Draw a row of poses for each loop (a mesh sequence or points), seen from the side."""
    figure = new_figure(1.1 * poses, 1.7 * len(motions))
    for axis, motion, title in zip(panels(figure, len(motions)), motions, titles, strict=True):
        points, up = _points(motion), "xyz".index(motion.up)
        view = points[..., [2 if motion.up == "y" else 1, up]]
        view = (view - view.mean(axis=1, keepdims=True) * [1.0, 0.0])[:, :: max(1, points.shape[1] // MOST_POINTS)]
        apart = 1.1 * float(np.ptp(view[..., 0]))
        for place, frame in enumerate(np.linspace(0, len(view) - 1, poses).astype(int)):
            axis.plot(view[frame, :, 0] + apart * place, view[frame, :, 1], ".", markersize=0.6)
        axis.set_title(title, loc="left")
        axis.set_aspect("equal")
        axis.set_axis_off()
    return figure


def _points(motion: Any) -> Floats:
    if hasattr(motion, "vertices"):
        return np.asarray(motion.vertices, dtype=np.float64)
    places = motion.positions
    return np.asarray(places() if callable(places) else places, dtype=np.float64)


def _draw(axis: Axes, points: Floats, up: str) -> None:
    """Draw the middle frame from the side and slightly from the front; velocities are from its neighbors."""
    from matplotlib.collections import LineCollection

    side = [2 if up == "y" else 1, "xyz".index(up)]
    view = points[..., side] + 0.35 * points[..., [0, 0]] * np.array([1.0, 0.0])
    step = max(1, points.shape[1] // MOST_POINTS)
    here, move = view[min(1, len(points) - 1), ::step], (view[-1] - view[0])[::step]
    lines = np.stack([here, here + 2.0 * move], axis=1)
    axis.add_collection(LineCollection(list(lines), colors="#d9534f", linewidths=0.5))
    axis.scatter(here[:, 0], here[:, 1], s=1.5, color="#d8a400")
    axis.set_aspect("equal")
    axis.set_axis_off()
