"""The data of a model: classes of motion as runs of rows on one skeleton, poses separate from travel and heading."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from freshtake.density.cleaning import bridge_single, cleaned, in_one_order, still
from freshtake.density.settings import Settings
from freshtake.errors import UsageError
from freshtake.motion import Clip, PointClip, Skeleton
from freshtake.motion.body.roles import leg_length
from freshtake.motion.features import Recipe, encode, recipe
from freshtake.motion.skeleton import require_compatible
from freshtake.motion.validation import frozen
from freshtake.numeric.arrays import Bools, Floats, rounded
from freshtake.numeric.curves import runs
from freshtake.numeric.rotations import (
    IDENTITY,
    about_axis,
    from_matrix,
    inverse,
    local_rotations,
    mean,
    multiply,
    shortest_arc,
)

LEAST_FRAMES = 8  # fewest frames of a run
WIDE = 1e-9  # steps smaller than this fraction of the largest value count as still


def usual_rotations(clips: list[Clip]) -> Floats:
    """Return the mean local rotation of every joint, (joints, 4)."""
    return mean(np.concatenate([clip.rotations for clip in clips]))


def on_skeleton(clip: Clip, skeleton: Skeleton, usual: Floats) -> Clip:
    """Return the clip on a compatible skeleton with different bone lengths or rest directions.

    Every joint is rotated so that its children keep their directions. If it has only one child, positions do not
    determine its twist, which is taken from `usual` (joints, 4). Travel and height scale with leg length, and the
    height of the lowest joint is kept.
    """
    if clip.skeleton == skeleton or clip.joint_translations is not None:
        return clip
    require_compatible(skeleton, clip.skeleton, "the first example", clip.name or "another")
    world = multiply(clip.world().rotations, _turns(skeleton, clip.skeleton))
    rotations = _twisted(skeleton, local_rotations(skeleton.parents, world), usual)
    ratio = leg_length(skeleton) / max(leg_length(clip.skeleton), 1e-12)
    placed = clip.changed(skeleton=skeleton, rotations=rotations, root=clip.root * ratio)
    root = placed.root.copy()
    root[:, clip.up_index] += _floor(clip) - _floor(placed)
    return placed.changed(root=root)


def _floor(clip: Clip) -> float:
    # A low percentile is the floor: single frames may dip below it.
    return float(np.percentile(clip.positions()[..., clip.up_index], 2.0, axis=0).min())


def _hanging(skeleton: Skeleton) -> list[list[tuple[int, Floats]]]:
    """Return per joint the offsets of its children and end sites, each with an ID."""
    out: list[list[tuple[int, Floats]]] = [[] for _ in skeleton.names]
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0:
            out[parent].append((joint, skeleton.offsets[joint]))
    for number, site in enumerate(skeleton.end_sites):
        out[site.joint].append((len(skeleton) + number, np.array(site.offset)))
    return out


def _turns(new: Skeleton, old: Skeleton) -> Floats:
    """Return rotations (joints, 4) from the new skeleton's child directions to the old skeleton's."""
    out = np.tile(IDENTITY, (len(new), 1))
    # Joints at nearly the same position have no direction between them.
    least = 1e-3 * float(max(new.lengths().max(), old.lengths().max(), 1e-12))
    for joint, (fresh, recorded) in enumerate(zip(_hanging(new), _hanging(old), strict=True)):
        there = dict(recorded)
        pairs = [(a, there[k]) for k, a in fresh if k in there]
        pairs = [(a, b) for a, b in pairs if min(np.linalg.norm(a), np.linalg.norm(b)) > least]
        if not pairs:
            continue
        a, b = (np.array(side) / np.linalg.norm(side, axis=1, keepdims=True) for side in zip(*pairs, strict=True))
        if np.allclose(a, b, atol=1e-6):
            continue
        if len(pairs) == 1:
            out[joint] = shortest_arc(a[0], b[0])
            continue
        u, _, vt = np.linalg.svd(b.T @ a)
        u[:, -1] *= np.sign(np.linalg.det(u @ vt))
        out[joint] = from_matrix(u @ vt)
    return out


def _twisted(skeleton: Skeleton, local: Floats, usual: Floats) -> Floats:
    """Return local rotations in which joints with a single child have the usual mean twist; positions do not change."""
    out = local.copy()
    for joint, hanging in enumerate(_hanging(skeleton)):
        if len(hanging) != 1 or np.linalg.norm(hanging[0][1]) < 1e-9:
            continue
        child, offset = hanging[0]
        axis = offset / np.linalg.norm(offset)
        away = multiply(inverse(mean(out[:, joint])), usual[joint])
        turn = about_axis(axis, 2.0 * np.arctan2(away[1:] @ axis, away[0]))
        out[:, joint] = multiply(out[:, joint], turn)
        if child < len(skeleton):
            out[:, child] = multiply(inverse(turn), out[:, child])
    return out


@dataclass(frozen=True, eq=False)
class Material:
    """Runs of rows by class: poses (frames, DOFs) and rates (frames, 0 or 3), unscaled.

    Pose columns are multiplied by `scale` (DOFs,) before principal components are computed.
    """

    classes: tuple[str, ...]
    poses: tuple[tuple[Floats, ...], ...]
    rates: tuple[tuple[Floats, ...], ...]
    scale: Floats
    frame_time: float
    recipe: Recipe | None
    names: tuple[str, ...]  # names of the pose columns
    notes: tuple[str, ...] = ()


def rate_columns(layout: Recipe) -> Bools:
    """Return which of a recipe's DOFs are rates of the root, which are not part of the pose."""
    return np.array([unit in ("speed", "turn") for unit in layout.units], dtype=np.bool_)


def material_of(examples: Mapping[str, Any], settings: Settings, frame_time: float | None) -> Material:
    """Encode the motions of all classes in one layout, or keep plain arrays (frames, DOFs) unchanged."""
    kinds = Clip | PointClip | np.ndarray
    grouped = {name: [takes] if isinstance(takes, kinds) else list(takes) for name, takes in examples.items()}
    if not grouped:
        raise UsageError("there are no classes to learn from: give at least one, as in walk=walk.bvh")
    empty = [name for name, takes in grouped.items() if not takes]
    if empty:
        raise UsageError(f"the class {empty[0]!r} has no examples: give at least one")
    flat = [take for takes in grouped.values() for take in takes]
    if all(isinstance(take, np.ndarray) for take in flat):
        return _without_still(_from_arrays(grouped, frame_time))
    names = sorted({type(take).__name__ for take in flat})
    if len(names) > 1:
        raise UsageError(f"the examples are of different kinds: {', '.join(names)}")
    if not isinstance(flat[0], Clip | PointClip):
        raise UsageError(f"densities are learned from clips, point clips or arrays, not from a {names[0]}")
    return _without_still(_from_motions(in_one_order(grouped), settings))


def _one_body(pieces: dict[str, list[Any]]) -> dict[str, list[Any]]:
    first = next(iter(pieces.values()))[0]
    if not isinstance(first, Clip):
        return pieces
    alike = [piece for group in pieces.values() for piece in group if piece.skeleton == first.skeleton]
    usual = usual_rotations(alike)
    return {name: [on_skeleton(piece, first.skeleton, usual) for piece in group] for name, group in pieces.items()}


def _from_motions(grouped: Mapping[str, Sequence[Any]], settings: Settings) -> Material:
    clean = {name: [cleaned(take, take.name or name) for take in takes] for name, takes in grouped.items()}
    notes = [note for takes in clean.values() for take in takes for note in take.notes]
    pieces = {name: [piece for take in takes for piece in _pieces(take)] for name, takes in clean.items()}
    empty = [name for name, group in pieces.items() if not group]
    if empty:
        why = f": {notes[0]}" if notes else ": give longer takes"
        raise UsageError(f"the class {empty[0]!r} has no {LEAST_FRAMES} sound frames in a row{why}")
    pieces = _one_body(pieces)
    layout = _layout([piece for group in pieces.values() for piece in group], settings)
    moving = rate_columns(layout)
    poses, rates = [], []
    for group in pieces.values():
        rows = [encode(layout, piece, strict=False).values for piece in group]
        pairs = [bridge_single(x[:, ~moving], x[:, moving]) for x in rows]
        poses.append(tuple(rounded(pose) for pose, _ in pairs))
        rates.append(tuple(rounded(rate) for _, rate in pairs))
    scale = rounded(layout.weights[~moving])
    names = tuple(name for name, rate in zip(layout.names, moving, strict=True) if not rate)
    return Material(tuple(grouped), tuple(poses), tuple(rates), scale, layout.frame_time, layout, names, tuple(notes))


def _layout(motions: Sequence[Any], settings: Settings) -> Recipe:
    """Return a recipe of unweighted positions (Okwechime 2008, §3.1), or of angles weighted by their effect."""
    if isinstance(motions[0], PointClip):
        return recipe(motions, root="heading", scale="none", drop_constant=False)
    scale = "none" if settings.poses == "positions" else "fk"
    return recipe(motions, angles=settings.poses, root="heading", scale=scale, drop_constant=False)


def _pieces(take: Any) -> list[Any]:
    """Return the sound runs of a take as separate motions."""
    motion, spans = take.motion, [slice(a, b) for a, b in runs(take.sound) if b - a >= LEAST_FRAMES]
    if isinstance(motion, Clip):
        return [motion.picked(span) for span in spans]
    return [replace(motion, positions=motion.positions[span]) for span in spans]


def _from_arrays(grouped: Mapping[str, Sequence[Any]], frame_time: float | None) -> Material:
    poses: list[tuple[Floats, ...]] = []
    for name, takes in grouped.items():
        poses.append(tuple(rounded(frozen(x, f"an example of {name}", (None, None))) for x in takes))
        width, fewest = poses[0][0].shape[1], min(map(len, poses[-1]))
        if any(x.shape[1] != width for x in poses[-1]):
            raise UsageError(f"the examples of {name!r} do not all have {width} DOFs")
        if fewest < LEAST_FRAMES:
            raise UsageError(f"an example of {name!r} has {fewest} frames: at least {LEAST_FRAMES} are needed")
    rates = tuple(tuple(np.zeros((len(x), 0)) for x in rows) for rows in poses)
    names = tuple(f"x{k}" for k in range(width))
    return Material(tuple(grouped), tuple(poses), rates, np.ones(width), frame_time or 1.0, None, names)


def _without_still(material: Material) -> Material:
    """Remove stretches in which the body is still; refuse a class that never moves."""
    poses, rates, notes = [], [], list(material.notes)
    for name, rows, turns in zip(material.classes, material.poses, material.rates, strict=True):
        scaled = [x * material.scale for x in rows]
        steps = np.concatenate([np.linalg.norm(np.diff(x, axis=0), axis=1) for x in scaled])
        moving = steps[steps > WIDE * max(1e-30, *(float(np.abs(x).max(initial=0.0)) for x in scaled))]
        if not len(moving):
            raise UsageError(f"the class {name!r} never moves: all its poses are equal")
        usual = float(np.median(moving))
        masks = [still(x, usual) for x in scaled]
        pieces = [(k, a, b) for k, mask in enumerate(masks) for a, b in runs(~mask) if b - a >= LEAST_FRAMES]
        if not pieces:
            raise UsageError(f"the class {name!r} hardly moves: give examples that move")
        lost = sum(int(mask.sum()) for mask in masks)
        if lost:
            notes.append(f"{name}: {lost} frames in which the body stands still are left out")
        poses.append(tuple(rows[k][a:b] for k, a, b in pieces))
        rates.append(tuple(turns[k][a:b] for k, a, b in pieces))
    return replace(material, poses=tuple(poses), rates=tuple(rates), notes=tuple(notes))
