"""Convert motions to shapes: upright, starting at the origin, scaled by the body's size."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import UsageError
from freshtake.motion import Clip, MeshSequence, PointClip, Stroke
from freshtake.motion.body.orientation import facing, mean_angle, unit_of
from freshtake.motion.body.roles import feet, leg_length, pelvis
from freshtake.motion.edit import heading, tilt, turned, with_up
from freshtake.motion.kinds import resample_stroke
from freshtake.motion.planting.contacts import RECORDED, SHOWN, joint_contacts, smooth_speed
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.rotations import rotate
from freshtake.reports.viewport.body_volume import FOOT, body_volume
from freshtake.reports.viewport.neutral_body import ENDS, Fit, fit_of, turns_of
from freshtake.reports.viewport.scene import LEG, Body, Figure, Line, Points, Scene, Shape, Surface, Wear

Motion = Clip | Stroke | PointClip | MeshSequence
TALL = 1.75  # display units: the height of bodies without legs
STROKE_RATES = 60.0, 240.0  # minimum and maximum points per second of a stroke: with fewer, curves have corners
EDGE = 0.08  # seconds at either end of a contact in which a foot lands or lifts
MOST_NUMBERS = 40_000_000  # coordinates of a shape: browsers do not open larger pages


def scene_of(
    sets: Sequence[tuple[str, Sequence[Motion]]], *, title: str = "", layout: str = "",
    legend: Mapping[str, str] | None = None, skins: Sequence[Path | None] = (),
) -> Scene:  # fmt: skip
    """Return a scene of motions by role: input (blue), variant (green) and extra (red).

    `skins` are glTF files, one per motion, whose skins are shown; clips must have the joints of their file.
    """
    motions = [motion for _, some in sets for motion in some]
    if not motions:
        raise UsageError("there are no motions to show: give at least one")
    shared = shared_scale(motions)
    roles = [role for role, some in sets for _ in some]
    files = [*skins, *[None] * (len(motions) - len(skins))]
    shapes = [dressed(*one, shared) for one in zip(motions, roles, files, strict=True)]
    return Scene(fair_contacts(shapes), title, layout, legend or {})


def fair_contacts(shapes: Sequence[Shape]) -> tuple[Shape, ...]:
    """Return shapes in which sliding is marked only for variants that slide more than the takes shown with them.

    Feet of real takes slide too, so marks on every sliding foot would mean nothing.
    """
    figures = [shape for shape in shapes if isinstance(shape, Figure)]
    usual = [_sliding(figure) for figure in figures if figure.role == "input"]
    if not usual or not any(figure.role == "variant" for figure in figures):
        return tuple(shapes)
    return tuple(
        replace(shape, standing=np.minimum(shape.standing, 1).astype(np.uint8))
        if isinstance(shape, Figure) and (shape.role == "input" or _sliding(shape) <= max(usual))
        else shape
        for shape in shapes
    )


def _sliding(figure: Figure) -> float:
    """Return the fraction of sliding frames among those with a foot on the floor."""
    return float((figure.standing == 2).sum() / max(int((figure.standing > 0).sum()), 1))


def dressed(motion: Motion, role: str, skin: Path | None, per_metre: float | None) -> Shape:
    """Return a motion as a shape, a clip with the skin of a glTF file if one is given."""
    if skin is None or not isinstance(motion, Clip):
        return shape_of(motion, role, per_metre)
    from freshtake.reports.viewport.skinning import skinned_figure  # imported late, since skinning imports this module

    return skinned_figure(motion, skin, role, per_metre)


def shared_scale(motions: Sequence[Motion]) -> float | None:
    """Return display units per metre for bodies of known units, so that they keep their relative sizes.

    Return None if a unit is unknown, or if one body is so much larger than another that its file's unit must be wrong.
    """
    clips = [motion for motion in motions if isinstance(motion, Clip)]
    units = [unit_of(clip) for clip in clips]
    if len(clips) < len(motions) or any(unit is None for unit in units):
        return None
    legs = [leg_length(clip.skeleton) * unit for clip, unit in zip(clips, units, strict=True) if unit is not None]
    return None if max(legs) > 5.0 * min(legs) else LEG / float(np.median(legs))


def shape_of(motion: Motion, role: str = "input", per_metre: float | None = None) -> Shape:
    """Return a motion as a shape; `per_metre` is display units per metre, by default from the body's size."""
    numbers = len(motion) * (motion.vertices.shape[1] if isinstance(motion, MeshSequence) else 1) * 3
    if numbers > MOST_NUMBERS:
        raise UsageError(f"{motion.name or 'a motion'} has {len(motion)} frames, too many to show: cut it first")
    if isinstance(motion, Clip):
        return _figure(motion, role, per_metre)
    if isinstance(motion, PointClip):
        return _markers(motion, role)
    if isinstance(motion, MeshSequence):
        return _surface(motion, role)
    return _line(motion, role)


class BodyStage(NamedTuple):
    """A body's placement on the stage: its scale, the rotation that makes it face z, and its start (3,)."""

    body: Body
    pelvis: int
    scale: float
    turn: float
    shift: Floats

    def points(self, clip: Clip) -> Floats:
        """Return joints and end sites (frames, points, 3) of a clip of this body."""
        placed = turned(with_up(clip, "y"), self.turn)
        return self.scale * np.concatenate([placed.positions(), placed.end_positions()], axis=1) - self.shift


def body_stage(clip: Clip, per_metre: float | None = None) -> tuple[BodyStage, Floats]:
    """Return the stage on which a clip starts at the origin of the floor, facing z, and the clip's points there."""
    skeleton = clip.skeleton
    unit = unit_of(clip)
    scale = LEG / leg_length(skeleton) if per_metre is None or unit is None else per_metre * unit
    body = body_volume(skeleton, round(scale * leg_length(skeleton) / LEG, 3))
    stage = BodyStage(body, pelvis(skeleton), scale, -front(with_up(clip, "y")), np.zeros(3))
    points = stage.points(clip)
    center = points[0, stage.pelvis]
    # The floor is just below the lowest points of nearly all frames.
    floor = float(np.percentile(points[:, np.unique(body.bones), 1].min(axis=1), 2.0)) - 0.8 * FOOT
    shift = np.array([center[0], floor, center[2]])
    return stage._replace(shift=shift), points - shift


def _figure(clip: Clip, role: str, per_metre: float | None) -> Figure:
    stage, points = body_stage(clip, per_metre)
    ground = points[:, stage.pelvis][:, [0, 2]]
    figure = Figure(clip.name, role, clip.frame_time, _light(points), stage.body, _light(ground), standing(clip))
    # The neutral body is modelled y-up, whatever the file's axis.
    upright = with_up(clip, "y")
    fit = fit_of(upright)
    if fit is None:
        return figure
    return replace(figure, wear=_wear(fit, round(stage.scale, 9)), turns=_light(turns_of(upright, fit, stage.turn)))


@lru_cache(maxsize=64)
def _wear(fit: Fit, scale: float) -> Wear:
    """Return the neutral body on a skeleton in display units, the same object for all its clips."""
    return Wear(fit.joints, _light(scale * fit.binds), fit.joints[ENDS])


def facing_z(clip: Clip) -> Clip:
    """Rotate a y-up clip to face z, on average if it keeps its heading."""
    return turned(clip, -front(clip))


def front(clip: Clip) -> float:
    """Return the heading of a y-up clip that `facing_z` removes."""
    angles = facing(clip)
    # Without known hips or shoulders, the root's rotation gives the heading.
    if angles is None:
        return float(heading(clip)[0])
    mean, agreement = mean_angle(angles)
    return mean if agreement > 0.9 else float(angles[0])


def standing(clip: Clip) -> npt.NDArray[np.uint8]:
    """Return contacts (frames, feet): 0 in the air, 1 on the floor, 2 sliding on it.

    A foot slides while each of its joints near the floor moves faster than planting allows for planted feet of takes,
    but not while it lands, lifts or rolls over its toe.
    """
    all_feet = feet(clip.skeleton)
    out = np.zeros((len(clip), len(all_feet)), dtype=np.uint8)
    if not all_feet or len(clip) < 2:
        return out
    joints = [joint for foot in all_feet for joint in foot.joints]
    stands = joint_contacts(clip, settings=SHOWN)
    level = clip.positions()[:, joints].copy()
    # A heel that rises while the toe is planted does not slide, so only speed along the floor counts.
    level[..., clip.up_index] = 0.0
    speed = smooth_speed(level, clip.frame_time, 1.0 / 15.0) / leg_length(clip.skeleton)
    bounds = np.cumsum([0, *[len(foot.joints) for foot in all_feet]])
    for number, (first, stop) in enumerate(pairwise(bounds)):
        # A foot is planted while any of its joints is, because it rolls from heel to toe.
        down = np.asarray(stands[:, first:stop].any(axis=1))
        slowest = np.where(stands[:, first:stop], speed[:, first:stop], np.inf).min(axis=1)
        slides = _inner(down, max(1, round(EDGE / clip.frame_time))) & (slowest > RECORDED.speed_off)
        out[:, number] = down.astype(np.uint8) + slides
    return out


def _inner(mask: Bools, edge: int) -> Bools:
    """Return the true frames that have only true frames within `edge` on both sides."""
    out = mask.copy()
    for step in range(1, edge + 1):
        out[step:] &= mask[:-step]
        out[:-step] &= mask[step:]
    return out


def _markers(clip: PointClip, role: str) -> Figure:
    """Return markers as small balls; the median height of frames determines the scale."""
    points = _upright(clip.positions, clip.up)
    # Heights are measured in frames with all markers or, if there are none, in frames with some.
    complete = points[~np.isnan(points).any(axis=(1, 2))]
    measured = complete if len(complete) else points[~np.isnan(points[..., 0]).all(axis=1)]
    if len(measured) == 0:
        raise UsageError(f"{clip.name or 'a point clip'} has no point in any frame: there is nothing to show")
    low = np.nanmin(measured, axis=(0, 1))
    heights = np.nanmax(measured[..., 1], axis=1) - np.nanmin(measured[..., 1], axis=1)
    scale = TALL / max(float(np.median(heights)), 1e-12)
    ground = _middle(points)
    points = (points - np.array([ground[0, 0], low[1], ground[0, 2]])) * scale
    ground = (ground - ground[0])[:, [0, 2]] * scale
    number = np.arange(len(clip.names), dtype=np.int32)
    size = np.full((len(number), 2), 0.022, dtype=np.float32)
    body = Body(np.stack([number, number], axis=1), size, np.ones(len(number), dtype=np.float32))
    none = np.zeros((len(clip), 0), dtype=np.uint8)
    return Figure(clip.name, role, clip.frame_time, _light(points), body, _light(ground), none)


def _middle(points: Floats) -> Floats:
    """Return the mean (frames, 3) of the visible markers; frames without any repeat the previous frame."""
    counts = np.count_nonzero(~np.isnan(points[..., 0]), axis=1)
    track = np.nansum(points, axis=1) / np.maximum(counts, 1)[:, None]
    seen = np.flatnonzero(counts)
    return np.asarray(track[seen[np.clip(np.searchsorted(seen, np.arange(len(track)), "right") - 1, 0, None)]])


def _surface(mesh: MeshSequence, role: str) -> Surface:
    points = _upright(mesh.vertices.astype(np.float64), mesh.up)
    middle = points.mean(axis=1)
    start = np.array([middle[0, 0], points[..., 1].min(), middle[0, 2]])
    scale = TALL / max(float(np.ptp(points[0], axis=0).max()), 1e-12)
    points, ground = (points - start) * scale, ((middle - start) * scale)[:, [0, 2]]
    return Surface(mesh.name, role, mesh.frame_time, _light(points), mesh.faces.astype(np.int32), _light(ground))


def _line(stroke: Stroke, role: str) -> Line:
    """Return a stroke as a line: its first two dimensions upright, or its only dimension over time."""
    duration = float(stroke.times[-1] - stroke.times[0])
    rate = float(np.clip((len(stroke) - 1) / duration if duration > 0.0 else 0.0, *STROKE_RATES))
    even = resample_stroke(stroke, rate) if len(stroke) > 1 else stroke
    flat = even.points[:, :2]
    if flat.shape[1] == 1:
        flat = np.column_stack([even.times - even.times[0], flat])
    low, high = flat.min(axis=0), flat.max(axis=0)
    scale = 1.4 / max(float((high - low).max()), 1e-12)
    points = np.zeros((len(flat), 3))
    points[:, :2] = (flat - 0.5 * (low + high)) * scale
    points[:, 1] += 0.5 * scale * (high - low)[1] + 0.1
    return Line(stroke.name, role, 1.0 / rate, _light(points))


def _upright(points: Floats, up: str) -> Floats:
    return points if up == "y" else np.asarray(rotate(tilt(up, "y"), points))


def _light(values: Floats) -> Points:
    return np.asarray(values, dtype=np.float32)
