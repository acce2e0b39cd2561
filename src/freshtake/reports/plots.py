"""Draw the paper's plots (Lau 2009, fig. 1, 4-7): overlays, DOFs over time, DOF against DOF, principal components.

As in the paper, inputs are blue, variants green and additional real takes red. Backgrounds are transparent and axes
medium gray, so that pictures suit light and dark pages.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from freshtake.evaluation.comparable import Material, Motion, unpacked
from freshtake.evaluation.tracks import Track
from freshtake.motion import Clip
from freshtake.numeric.arrays import Floats
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.reports.canvas import new_figure, plot_style
from freshtake.reports.overlay import overlay
from freshtake.reports.wording import joint_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INPUT, VARIANT, EXTRA = "#3b82d6", "#35a264", "#d9534f"
BLUES = ("#1f5fae", "#3b82d6", "#5fa8ee", "#7b8fe0", "#2b9bb5", "#4f6fc4")
GREENS = ("#1e7a47", "#35a264", "#5cc48a", "#7fae3a", "#2fa08c", "#9cbf5a")
REDS = ("#b53a36", "#d9534f", "#e98a5f", "#c25b8a")
WITHOUT_PLOTS = "<p class=dim>Plots need <code>pip install 'freshtake[plots]'</code>.</p>"


class Picture(NamedTuple):
    """One picture of a report: a file name without extension, a title, a caption, and the PNG data."""

    name: str
    title: str
    caption: str
    png: bytes
    wide: bool = False


@one_blas_thread()
def pictures(inputs: Sequence[Motion], variants: Sequence[Motion], extra: Sequence[Motion] = ()) -> list[Picture]:
    """Draw all pictures of a report."""
    variants = list(variants)[:60]  # more curves are indistinguishable
    material = unpacked(inputs, variants, extra)
    drawings = overlays(inputs, variants, extra) if material.layout.has_body else []
    if not material.layout.has_body and material.inputs[0].world.shape[2] >= 2:
        around = "each around its center (fig. 1 right, fig. 7)"
        drawings.append(drawn("strokes", "Strokes", around, lambda axis: _stroke_paths(axis, material), (5.6, 4.2)))
    names, order = material.layout.dofs, leading_dofs(material)
    for column in order[:4]:
        title = f"{dof_words(names[column])} over time"
        drawings.append(drawn(f"time_{names[column]}", title, "fig. 5, 6 left", _dof_curves(material, None, column)))
    for a, b in ((0, 1), (2, 3)):
        if len(order) > b and (material.layout.has_body or len(drawings) < 2):
            x, y = order[a], order[b]
            title = f"{dof_words(names[x])} against {dof_words(names[y])}"
            drawings.append(drawn(f"dofs_{a}", title, "fig. 6 middle", _dof_curves(material, x, y)))
    return drawings + _principal_pictures(material)


def overlays(inputs: Sequence[Motion], variants: Sequence[Motion], extra: Sequence[Motion]) -> list[Picture]:
    """Draw stick figures of each set, overlaid at equal phases, from the side and from the front."""
    pictures = []
    sets = (("inputs", inputs, BLUES), ("variants", variants, GREENS), ("additional real takes", extra, REDS))
    for name, motions, colors in sets:
        clips = [motion for motion in motions if isinstance(motion, Clip)]
        if not clips:
            continue
        with plot_style():
            figure = overlay(clips, phases=8, colors=colors, legend=False)
        title = f"{len(clips)} {name}, overlaid"
        caption = "eight equal phases from first to last frame, each centered on its root (fig. 1, 4)"
        pictures.append(Picture(f"overlay_{name.split()[-1]}", title, caption, png(figure, cropped=True), wide=True))
    return pictures


def leading_dofs(material: Material) -> list[int]:
    """Return the DOFs that move the body most in the inputs, one per joint, excluding the root's speeds."""
    rows = np.concatenate([track.dofs for track in material.inputs])
    strength = rows.std(axis=0) * material.layout.scales
    chosen: list[int] = []
    joints: set[str] = set()
    for column in np.argsort(-strength, kind="stable").tolist():
        joint, _, dof = material.layout.dofs[column].rpartition(".")
        if (joint != "root" or dof == "height") and (joint or dof) not in joints:
            chosen.append(column)
            joints.add(joint or dof)
    return chosen


def drawn(
    name: str, title: str, caption: str, draw: Callable[[Axes], None], size: tuple[float, float] = (4.6, 3.1)
) -> Picture:
    """Draw a picture with a single pair of axes."""
    with plot_style():
        figure = new_figure(*size)
        draw(figure.subplots())
        return Picture(name.replace("/", "_"), title, caption, png(figure))


def png(figure: Figure, dpi: int = 150, *, cropped: bool = False) -> bytes:
    """Return the figure as a PNG with a transparent background, cut to its content if `cropped`."""
    buffer, box = io.BytesIO(), "tight" if cropped else None
    figure.savefig(buffer, format="png", dpi=dpi, transparent=True, bbox_inches=box, metadata={"Software": None})
    return buffer.getvalue()


def _curves(material: Material) -> list[tuple[Track, str, float, float]]:
    """Return tracks with color, line width and opacity, variants first so that inputs are drawn on top."""
    faint = 0.75 if len(material.variants) < 20 else 0.4
    return (
        [(track, VARIANT, 0.9, faint) for track in material.variants]
        + [(track, EXTRA, 0.9, 0.75) for track in material.extra]
        + [(track, INPUT, 1.5, 0.95) for track in material.inputs]
    )


def _dof_curves(material: Material, x: int | None, y: int) -> Callable[[Axes], None]:
    """Return a function that draws one DOF (`y`) against another (`x`), or against time."""

    def draw(axis: Axes) -> None:
        for track, color, width, alpha in _curves(material):
            times = np.arange(len(track)) * track.frame_time
            across = times if x is None else in_degrees(material, x, track.dofs[:, x])
            values = in_degrees(material, y, track.dofs[:, y])
            axis.plot(across, values, color=color, linewidth=width, alpha=alpha)
        axis.set(xlabel="time [s]" if x is None else _label(material, x), ylabel=_label(material, y))

    return draw


def _principal_pictures(material: Material) -> list[Picture]:
    """Draw curves in the leading principal components of inputs and variants together (fig. 6, right)."""
    if not material.layout.has_body:
        return []
    drawn_curves = _curves(material)
    basis = [*material.inputs, *material.variants]  # components of these; additional takes are projected onto them
    shares, paths = components_of_tracks(basis, material.layout.scales, [track for track, *_ in drawn_curves])
    labels = [f"component {k + 1} ({100.0 * share:.0f} %)" for k, share in enumerate(shares)]
    pictures = []
    for x in range(min(2, len(shares) - 1)):

        def draw(axis: Axes, x: int = x) -> None:
            for (_, color, width, alpha), path in zip(drawn_curves, paths, strict=True):
                axis.plot(path[:, x], path[:, x + 1], color=color, linewidth=width, alpha=alpha)
            axis.set(xlabel=labels[x], ylabel=labels[x + 1])

        title = f"Principal component {x + 1} against {x + 2}"
        pictures.append(drawn(f"components_{x + 1}_{x + 2}", title, "fig. 6 right", draw))
    return pictures


def components_of_tracks(
    basis: Sequence[Track], scales: Floats, tracks: Sequence[Track] = ()
) -> tuple[Floats, list[Floats]]:
    """Compute principal components of tracks whose DOFs are scaled by the distance that each moves the body.

    Returns fractions of the energy, and trajectories (frames, components) of `tracks`, by default those of the basis.
    """
    rows = np.concatenate([track.dofs for track in basis]) * scales
    center = rows.mean(axis=0)
    _, sizes, directions = np.linalg.svd(rows - center, full_matrices=False)
    shares = sizes**2 / max(float((sizes**2).sum()), 1e-300)
    return shares, [(track.dofs * scales - center) @ directions.T for track in tracks or basis]


def _stroke_paths(axis: Axes, material: Material) -> None:
    for track, color, width, alpha in _curves(material):
        axis.plot(track.body[:, 0, 0], track.body[:, 0, 1], color=color, linewidth=width, alpha=alpha)
    axis.set_aspect("equal")


def in_degrees(material: Material, column: int, values: Floats) -> Floats:
    """Return the values of a DOF, in degrees if it is an angle."""
    return np.degrees(values) if is_angle(material, column) else values


def is_angle(material: Material, column: int) -> bool:
    """Return whether a DOF is a joint angle."""
    return material.layout.has_body and not material.layout.dofs[column].startswith("root.")


def dof_words(dof: str) -> str:
    """Return a DOF in plain words and by name: "left knee (LeftLeg.x)"."""
    joint = dof.rpartition(".")[0]
    words = joint_words(joint).removeprefix("the ") if joint else dof
    return f"{words} ({dof})" if words not in (joint, dof) else dof


def _label(material: Material, column: int) -> str:
    name = material.layout.dofs[column]
    if is_angle(material, column):
        return f"{name} [°]"
    return f"{name} [leg lengths]" if material.layout.has_body else name
