"""Compute curves of motions: DOFs over time, and principal components (Lau 2009, fig. 5, 6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.evaluation.comparable import Material, Motion, unpacked
from freshtake.evaluation.tracks import Track
from freshtake.numeric.arrays import Floats
from freshtake.reports.plots import components_of_tracks, dof_words, is_angle, leading_dofs


class Dof(NamedTuple):
    """A number that changes over time, in words and with its unit."""

    name: str
    words: str
    unit: str


class Curves(NamedTuple):
    """The DOFs of some motions, the most important first, and the values (frames, DOFs) of each motion."""

    dofs: tuple[Dof, ...]
    frame_times: tuple[float, ...]
    values: tuple[Floats, ...]


def curves_of(motions: Sequence[Motion]) -> Curves:
    """Return all motions on the same DOFs; angles in degrees."""
    material, tracks = _unpacked(motions)
    leading = leading_dofs(material)
    order = [*leading, *[k for k in range(len(material.layout.dofs)) if k not in leading]]
    factors = np.array([180.0 / np.pi if is_angle(material, k) else 1.0 for k in order])
    dofs = tuple(_dof(material, column) for column in order)
    return Curves(
        dofs, tuple(track.frame_time for track in tracks), tuple(track.dofs[:, order] * factors for track in tracks)
    )


class Components(NamedTuple):
    """Principal components of all motions together: shares of the energy, and trajectories (frames, components)."""

    shares: tuple[float, ...]
    frame_times: tuple[float, ...]
    courses: tuple[Floats, ...]


def components_of(motions: Sequence[Motion], count: int = 4) -> Components:
    """Return the leading components, each DOF weighted by how far it moves the body."""
    material, tracks = _unpacked(motions)
    shares, courses = components_of_tracks(tracks, material.layout.scales)
    return Components(
        tuple(shares[:count].tolist()),
        tuple(track.frame_time for track in tracks),
        tuple(course[:, :count] for course in courses),
    )


def _unpacked(motions: Sequence[Motion]) -> tuple[Material, list[Track]]:
    """Return tracks in the order of the motions: the first counts as the input, whose layout all others share."""
    material = unpacked(motions[:1], motions[1:] or motions[:1], ())
    tracks = [*material.inputs, *(material.variants if len(motions) > 1 else [])]
    return material, tracks


def _dof(material: Material, column: int) -> Dof:
    name = material.layout.dofs[column]
    unit = "°" if is_angle(material, column) else "leg lengths" if material.layout.has_body else ""
    return Dof(name, dof_words(name), unit)
