"""The skin of a figure at a moment, for pictures that are painted without a browser."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import multiply
from freshtake.reports.viewport.neutral_body import COARSE, body_mesh, posed
from freshtake.reports.viewport.scene import Figure

MOST_FACES = 40_000  # of a character; a finer one is painted by its bones


class Posed(NamedTuple):
    """A mesh where it is now: vertices (vertices, 3) in display units, triangles."""

    vertices: Floats
    faces: npt.NDArray[np.int32]


def skinned_vertices(figure: Figure, points: Floats, frame: float, turn: float) -> Posed | None:
    """Return the skin of a figure whose points are placed already, or None where it has none.

    Args:
        figure: a body in motion; its own skin, or the neutral body.
        points: (points, 3) of the pose, where the picture shows it.
        frame: of the figure's frames, from which its joints' turns are taken.
        turn: about the vertical, by which the points were turned, in radians.

    Returns:
        Vertices and faces, or None: markers, animals without a skin, and characters too fine to paint.
    """
    at = min(round(frame), len(figure) - 1)
    if figure.skin is not None and figure.matrices is not None and len(figure.skin.faces) <= MOST_FACES:
        matrices, skin = figure.matrices[at].astype(np.float64), figure.skin
        carried = np.einsum("vk,vkij->vij", skin.weights, matrices[skin.joints])
        vertices = np.einsum("vij,vj->vi", carried[..., :3], skin.vertices) + carried[..., 3]
        # from where the frame has it to where the picture shows it, by one point of the body
        anchor = int(figure.body.bones[0, 0])
        cos, sin = np.cos(turn), np.sin(turn)
        about = np.array([[cos, 0.0, -sin], [0.0, 1.0, 0.0], [sin, 0.0, cos]])
        return Posed((vertices - figure.points[at, anchor]) @ about + points[anchor], skin.faces)
    if figure.wear is None or figure.turns is None:
        return None
    about_y = np.array([np.cos(0.5 * turn), 0.0, np.sin(0.5 * turn), 0.0])
    turns = multiply(about_y, figure.turns[at].astype(np.float64))
    mesh = body_mesh(COARSE)
    return Posed(posed(mesh, figure.wear.binds.astype(np.float64), points[figure.wear.joints], turns), mesh.faces)
