"""What a model learns from: classes of motion as runs of rows; poses apart from the root's travel and heading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from freshtake.density.bodies import on_skeleton, usual_rotations
from freshtake.density.cleaning import bridge_single, cleaned, still
from freshtake.density.marker_sets import in_one_order
from freshtake.density.settings import Settings
from freshtake.errors import UsageError
from freshtake.motion import Clip, PointClip
from freshtake.motion.features import Recipe, encode, recipe
from freshtake.motion.planting.contacts import runs
from freshtake.motion.validation import frozen
from freshtake.numeric.arrays import Bools, Floats

LEAST_FRAMES = 8  # of a run that can be learned from
WIDE = 1e-9  # relative spread below which a class does not move


@dataclass(frozen=True, eq=False)
class Material:
    """Classes by name, each with runs of rows: poses (frames, DOFs) and rates (frames, 0 or 3), unscaled.

    `scale` (DOFs,) is what pose columns are multiplied by before principal components are taken.
    """

    classes: tuple[str, ...]
    poses: tuple[tuple[Floats, ...], ...]
    rates: tuple[tuple[Floats, ...], ...]
    scale: Floats
    frame_time: float
    recipe: Recipe | None
    names: tuple[str, ...]  # of the pose columns
    notes: tuple[str, ...] = ()


def rounded(values: npt.ArrayLike) -> Floats:
    """As a model file keeps it."""
    return np.asarray(values, dtype=np.float32).astype(np.float64)


def rate_columns(layout: Recipe) -> Bools:
    """Which of a recipe's DOFs are rates of the root, carried along and not part of the pose."""
    return np.array([unit in ("speed", "turn") for unit in layout.units], dtype=np.bool_)


def material_of(examples: Mapping[str, Any], settings: Settings, frame_time: float | None) -> Material:
    """Encode the motions of all classes in one layout, or take plain arrays (frames, DOFs) as they are."""
    grouped = {name: _listed(takes) for name, takes in examples.items()}
    if len(grouped) == 0:
        raise UsageError("there is nothing to learn from: give at least one class, as in walk=walk.bvh")
    empty = [name for name, takes in grouped.items() if not takes]
    if empty:
        raise UsageError(f"the class {empty[0]!r} has no example: give it at least one")
    flat = [take for takes in grouped.values() for take in takes]
    if all(isinstance(take, np.ndarray) for take in flat):
        return _without_still(_from_arrays(grouped, frame_time))
    kinds = {type(take).__name__ for take in flat}
    if len(kinds) > 1:
        raise UsageError(f"the examples are of different kinds: {', '.join(sorted(kinds))}")
    if not isinstance(flat[0], Clip | PointClip):
        raise UsageError(f"densities are learned from clips, point clips or arrays, not from a {kinds.pop()}")
    return _without_still(_from_motions(in_one_order(grouped), settings))


def _listed(takes: Any) -> list[Any]:
    return [takes] if isinstance(takes, Clip | PointClip | np.ndarray) else list(takes)


def _one_body(pieces: dict[str, list[Any]]) -> dict[str, list[Any]]:
    first = next(iter(pieces.values()))[0]
    if not isinstance(first, Clip):
        return pieces
    alike = [piece for found in pieces.values() for piece in found if piece.skeleton == first.skeleton]
    usual = usual_rotations(alike)
    return {name: [on_skeleton(piece, first.skeleton, usual) for piece in found] for name, found in pieces.items()}


def _from_motions(grouped: Mapping[str, Sequence[Any]], settings: Settings) -> Material:
    notes: list[str] = []
    clean = {name: [cleaned(take, take.name or name) for take in takes] for name, takes in grouped.items()}
    for takes in clean.values():
        for take in takes:
            notes += take.notes
    pieces = {name: [piece for take in takes for piece in _pieces(take)] for name, takes in clean.items()}
    bare = [name for name, found in pieces.items() if not found]
    if bare:
        why = f": {notes[0]}" if notes else ": give longer takes"
        raise UsageError(f"the class {bare[0]!r} has no {LEAST_FRAMES} sound frames in a row{why}")
    pieces = _one_body(pieces)
    layout = _layout([piece for found in pieces.values() for piece in found], settings)
    moving = rate_columns(layout)
    scaled = layout.scale != "none"
    poses, rates = [], []
    for found in pieces.values():
        rows = [encode(layout, piece, strict=False).values for piece in found]
        pairs = [bridge_single(x[:, ~moving], x[:, moving]) for x in rows]
        poses.append(tuple(rounded(pose) for pose, _ in pairs))
        rates.append(tuple(rounded(rate) for _, rate in pairs))
    scale = rounded(layout.weights[~moving]) if scaled else np.ones(int((~moving).sum()))
    names = tuple(name for name, rate in zip(layout.names, moving, strict=True) if not rate)
    return Material(tuple(grouped), tuple(poses), tuple(rates), scale, layout.frame_time, layout, names, tuple(notes))


def _layout(motions: Sequence[Any], settings: Settings) -> Recipe:
    """Positions as they are (Okwechime 2008, §3.1), or angles weighed by how far they move the body."""
    if isinstance(motions[0], PointClip):
        return recipe(motions, root="heading", scale="none", drop_constant=False)
    scale = "none" if settings.poses == "positions" else "fk"
    return recipe(motions, angles=settings.poses, root="heading", scale=scale, drop_constant=False)


def _pieces(take: Any) -> list[Any]:
    """The sound runs of a take as motions of their own."""
    out = []
    for start, stop in runs(take.sound):
        if stop - start < LEAST_FRAMES:
            continue
        motion = take.motion
        if isinstance(motion, Clip):
            moved = motion.joint_translations
            out.append(
                motion.changed(
                    root=motion.root[start:stop], rotations=motion.rotations[start:stop],
                    joint_translations=None if moved is None else moved[start:stop],
                )
            )  # fmt: skip
        else:
            out.append(replace(motion, positions=motion.positions[start:stop]))
    return out


def _from_arrays(grouped: Mapping[str, Sequence[Any]], frame_time: float | None) -> Material:
    poses = []
    width: int | None = None
    for name, takes in grouped.items():
        rows = tuple(rounded(frozen(x, f"an example of {name}", (None, None))) for x in takes)
        width = rows[0].shape[1] if width is None else width
        if any(x.shape[1] != width for x in rows):
            raise UsageError(f"the examples of {name!r} have another number of DOFs than {width}")
        short = [x for x in rows if len(x) < LEAST_FRAMES]
        if short:
            raise UsageError(f"an example of {name!r} has {len(short[0])} frames: at least {LEAST_FRAMES} are needed")
        poses.append(rows)
    assert width is not None
    rates = tuple(tuple(np.zeros((len(x), 0)) for x in rows) for rows in poses)
    names = tuple(f"x{k}" for k in range(width))
    return Material(tuple(grouped), tuple(poses), rates, np.ones(width), frame_time or 1.0, None, names)


def _without_still(material: Material) -> Material:
    """Runs in which the body stands still are cut out; a class that never moves is an error."""
    poses, rates, notes = [], [], list(material.notes)
    for name, rows, turns in zip(material.classes, material.poses, material.rates, strict=True):
        scaled = [x * material.scale for x in rows]
        steps = np.concatenate([np.linalg.norm(np.diff(x, axis=0), axis=1) for x in scaled])
        size = max(float(np.abs(x).max(initial=0.0)) for x in scaled)
        usual = float(np.median(steps[steps > WIDE * max(size, 1e-30)])) if (steps > WIDE * size).any() else 0.0
        if usual <= 0.0:
            raise UsageError(f"the class {name!r} never moves: all its poses are equal")
        kept_rows, kept_turns, lost = [], [], 0
        for x, turn, plain in zip(scaled, turns, rows, strict=True):
            bad = still(x, usual)
            lost += int(bad.sum())
            pieces = [(a, b) for a, b in runs(~bad) if b - a >= LEAST_FRAMES]
            kept_rows += [plain[a:b] for a, b in pieces]
            kept_turns += [turn[a:b] for a, b in pieces]
        if not kept_rows:
            raise UsageError(f"the class {name!r} stands still nearly everywhere: give examples that move")
        if lost:
            notes.append(f"{name}: {lost} frames in which the body stands still are left out")
        poses.append(tuple(kept_rows))
        rates.append(tuple(kept_turns))
    return replace(material, poses=tuple(poses), rates=tuple(rates), notes=tuple(notes))
