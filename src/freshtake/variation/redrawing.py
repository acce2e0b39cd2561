"""Redraw a stretch of a clip; all other frames, and all parts that are not named, are unchanged.

Inside the stretch a clip x with the phases p becomes

    x' = mean(p) + cos(a) (x - mean(p)) + sin(a) (variant(p) - mean(p))

where the angle a rises from 0 at the frames that are kept to a right angle, and falls back. Squares of cosine and sine
add up to 1, so x' deviates from the mean as much as takes do at every frame, even where the two are mixed; a cross-fade
would be closer to the mean there. The first two derivatives of a vanish at its ends, so a join is as smooth as x.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.tempo import FASTEST_PACE, SLOWEST_PACE
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.curves import quintic
from freshtake.variation.amount import Amount, dofs_of_parts
from freshtake.variation.deviations import KNOTS, STEP, spline_basis
from freshtake.variation.examples import on_hinges
from freshtake.variation.goals.guidance import on_feet_for_long
from freshtake.variation.phase import PACE, read_at, read_sharply
from freshtake.variation.sampling import Sampler, limit_gradually
from freshtake.variation.standing import feet_of, with_feet_of
from freshtake.variation.stretches import Coded, Track, clip_layout_of, coded_clip, phases_of, posed, track_along

if TYPE_CHECKING:
    from freshtake.variation.model import VariationModel

AROUND = 1.0  # seconds on either side of a stretch in which feet are examined
SLOPE = 0.05  # seconds over which speeds at a clip's end are measured, and then fade out


def redraw(
    model: VariationModel,
    clip: Clip,
    frames: tuple[int, int],
    rng: np.random.Generator,
    *,
    amount: float | Amount = 1.0,
    parts: Sequence[str] = (),
    plant: bool = True,
    phases: Floats | None = None,
) -> Clip:
    """Redraw a stretch of a clip, like `VariationModel.redraw`; `phases` (frames,) are the clip's, if known."""
    layout, (first, stop) = clip_layout_of(model), checked_stretch(clip, frames)
    phases = phases_of(model, clip) if phases is None else phases
    chosen = chosen_columns(model, parts)
    reach = round(AROUND / model.frame_time)
    low, high = max(first - reach, 0), min(stop + reach, len(clip))
    shown, inside = clip.span(low, high), slice(first - low, stop - low)
    angle = mixing_angle(clip, first, stop, model.frame_time)[low:high]
    track = track_along(model, phases[low:high])
    coded = coded_clip(model, shown, phases[low:high], track, inside)
    drawn = draw_weights(model, track, coded, chosen, inside, rng)
    sampler = model.sampler(amount)
    warped = np.arange(float(len(shown)))
    if not parts:  # parts that are kept keep their timing
        warped = _warped(sampler, track, drawn, coded.at, np.sin(angle), inside)
    source = read_sharply(coded.rows, warped)
    change = _change(sampler, track, drawn, source, np.interp(warped, np.arange(len(shown)), coded.at), angle, inside)
    change[:, ~chosen] = 0.0
    change[:, : len(model.dofs)] = on_hinges(model.hinges, change[:, : len(model.dofs)])
    new = posed(layout, shown, coded, source + change)
    legs = model.planting_model
    if plant and legs is not None and legs.legs and (chosen[: len(model.dofs)] & _leg_dofs(model)).any():
        # feet follow the clip's feet, at its new timing
        feet = feet_of(posed(layout, shown, coded, source), legs)
        stands = feet_of(shown, legs).stands[np.rint(warped).astype(np.intp)]
        fixed = np.ones(len(shown), dtype=np.bool_)
        fixed[inside] = False
        new = with_feet_of(new, feet._replace(stands=stands), legs, fixed)
    return _put_into(clip, new, first, stop, low, chosen_joints(model, parts))


def extend(
    model: VariationModel,
    clip: Clip,
    frames: int,
    rng: np.random.Generator,
    *,
    amount: float | Amount = 1.0,
    plant: bool = True,
    phases: Floats | None = None,
) -> Clip:
    """Continue a clip after its last frame, as `VariationModel.extend` describes; `phases` as in `redraw`."""
    layout = clip_layout_of(model)
    if frames < 3:
        raise UsageError(f"a clip cannot be continued by {frames} frames: give at least 3")
    phases = phases_of(model, clip) if phases is None else phases
    wide = PACE / model.frame_time
    back = min(max(round(wide), 2), len(clip)) - 1
    pace = float(phases[-1] - phases[-1 - back]) / back
    # the clip's pace blends to the takes' mean
    ahead = phases[-1] + np.cumsum(1.0 + (pace - 1.0) * np.exp(-np.arange(1, frames + 1) / wide))
    last = len(model.phase_frames) - 1.0
    if not model.cyclic and ahead[-1] > last + 1.0:
        after = max(int(np.searchsorted(ahead, last)) * model.frame_time, 0.0)
        raise UsageError(
            f"the movement ends {after:.2f} s after the end of {clip.name or 'the clip'}, because it is not cyclic: "
            "request less, or learn from cyclic takes"
        )
    longer = np.concatenate([phases, ahead])
    seen = min(len(clip), round(AROUND / model.frame_time))
    shown = clip.span(len(clip) - seen, len(clip))
    track = track_along(model, longer[-seen - frames :])
    coded = coded_clip(model, shown, longer[-seen - frames : -frames], track, slice(seen - 1, seen))
    away = coded.rows - read_at(track.mean, coded.at)
    # the clip's deviation from the mean continues at its last speed, which fades out
    back = min(round(SLOPE / model.frame_time) + 1, seen - 1)
    slope = (away[-1] - away[-1 - back]) / max(back, 1)
    fade = SLOPE / model.frame_time
    apart = away[-1] + slope * fade * (1.0 - np.exp(-np.arange(1, frames + 1) / fade))[:, None]
    rows = np.concatenate([coded.rows, read_at(track.mean, ahead - track.first) + apart])
    columns = np.concatenate([coded.columns, np.repeat(coded.columns[-1:], frames, axis=0)])
    new = posed(layout, _repeated(shown, frames), coded._replace(columns=columns), rows)
    if plant and model.planting_model is not None:
        new = on_feet_for_long(model, new, longer[-len(new) :], np.arange(len(new)) < seen)
    whole = _repeated(clip, frames)
    whole = _put_into(whole, new, len(clip), len(whole), len(clip) - seen, np.ones(len(clip.skeleton), dtype=np.bool_))
    return redraw(model, whole, (len(clip), len(whole)), rng, amount=amount, plant=plant, phases=longer)


def _repeated(clip: Clip, frames: int) -> Clip:
    """Return a clip with its last frame repeated."""
    at, moved = np.minimum(np.arange(len(clip) + frames), len(clip) - 1), clip.joint_translations
    return clip.changed(
        root=clip.root[at], rotations=clip.rotations[at], joint_translations=None if moved is None else moved[at]
    )


def checked_stretch(clip: Clip, frames: tuple[int, int]) -> tuple[int, int]:
    """Return the first frame of a stretch and the one after its last, or raise a UsageError."""
    first, stop = frames
    if not 0 <= first < stop <= len(clip):
        last = (len(clip) - 1) * clip.frame_time
        raise UsageError(
            f"frames {first} to {stop} are not a stretch of {clip.name or 'the clip'}, which has {len(clip)} frames "
            f"({last:.2f} s): give a beginning and a later end within it"
        )
    if stop - first < 3:
        raise UsageError(f"a stretch of {stop - first} frames is too short to redraw: give at least 3")
    return first, stop


def mixing_angle(clip: Clip, first: int, stop: int, frame_time: float) -> Floats:
    """Return the mixing angle (frames,) from kept (0) to redrawn (a right angle).

    It changes as fast as the prior forgets, within two of its knot spacings. In a shorter stretch the angle does not
    reach a right angle, so the clip keeps some influence. Nothing is joined at an end of the clip.
    """
    number, forgotten = np.arange(len(clip)), 2.0 * STEP / frame_time
    joins = (first > 0) + (stop < len(clip))
    ramp = min((stop - first + 1) / max(joins, 1), forgotten)
    since = np.inf if first == 0 else number - first + 1
    until = np.inf if stop == len(clip) else stop - number
    near = np.minimum(np.broadcast_to(since, number.shape), until) / ramp
    angle = 0.5 * np.pi * (ramp / forgotten if joins else 1.0) * quintic(np.clip(near, 0.0, 1.0))
    return np.where((number >= first) & (number < stop), angle, 0.0)


def chosen_columns(model: VariationModel, parts: Sequence[str]) -> Bools:
    """Return which columns of the takes are redrawn, (columns,)."""
    skeleton, count = clip_layout_of(model).skeleton, model.takes.rows.shape[2]
    out = np.full(count, not parts)
    if not parts:
        return out
    out[dofs_of_parts(model.dofs, skeleton, parts)] = True
    # moving the root without the legs would drag the feet over the floor
    root = np.concatenate([model.material.moves_root, np.ones(count - len(model.dofs), dtype=np.bool_)])
    out[root] = out[root].any() and bool(out[: len(model.dofs)][_leg_dofs(model)].all())
    if not out.any():
        raise UsageError(f"nothing is left to redraw of {', '.join(parts)}: the root moves only together with legs")
    return out


def _leg_dofs(model: VariationModel) -> Bools:
    """Return which DOFs (DOFs,) belong to legs."""
    planting, skeleton = model.planting_model, clip_layout_of(model).skeleton
    names: set[str] = set()
    for leg in () if planting is None else planting.legs:
        chain = skeleton.chain(leg.end)
        names |= {skeleton.names[joint] for joint in chain[chain.index(leg.upper) :]}
    return model.material.dofs_of(names)


class Draw(NamedTuple):
    """The standard normals of one variant along a track: weights (takes,) and the prior (phases, columns + 1)."""

    weights: Floats
    prior: Floats


def draw_weights(
    model: VariationModel, track: Track, coded: Coded, chosen: Bools, inside: slice, rng: np.random.Generator
) -> Draw:
    """Draw a variant; if parts are kept, draw the weights of the takes given the kept parts."""
    deviations, count = model.deviations, len(track.deltas)
    at = (np.arange(len(track.mean)) + track.first) / deviations.spacing
    knots = int(np.floor(at[-1])) - int(np.floor(at[0])) + KNOTS
    fast = spline_basis(at, int(np.floor(at[0])), knots) @ rng.standard_normal((knots, track.mean.shape[1] + 1))
    weights = rng.standard_normal(count)
    seen = ~chosen[: deviations.dofs] & ~np.isin(np.arange(deviations.dofs), coded.trajectory.columns)
    if seen.any():
        # Bayes' rule for the hidden weights: draw the rest, given what the kept parts determine
        phases = np.unique(np.rint(coded.at[inside]).astype(np.intp))
        where = np.interp(phases, coded.at, np.arange(len(coded.at)))
        size = np.maximum((deviations.prior_size * track.sizes)[phases], 1e-9)[:, : deviations.dofs][:, seen]
        away = (read_at(coded.rows, where) - track.mean[phases])[:, : deviations.dofs][:, seen] / size
        deltas = (deviations.weight_size * track.deltas[:, phases])[..., : deviations.dofs][..., seen] / size
        flat = deltas.reshape(count, -1)
        precision = flat @ flat.T / deviations.spacing + np.eye(count)
        root = np.linalg.cholesky(precision)
        mean = np.linalg.solve(precision, flat @ away.ravel() / deviations.spacing)
        weights = np.asarray(mean + np.linalg.solve(root.T, weights), dtype=np.float64)
    return Draw(weights, np.asarray(fast))


def _warped(sampler: Sampler, track: Track, drawn: Draw, at: Floats, share: Floats, inside: slice) -> Floats:
    """Return the frame (frames,) of the clip shown at each frame: a new pace inside the stretch, the same ends."""
    deviations, number = sampler.deviations, np.arange(float(len(at)))
    largest = int(deviations.share.argmax())
    changed = deviations.weight_size[largest] * (drawn.weights @ track.log_pace)
    changed = changed + deviations.prior_size[largest] * deviations.timing[1] * drawn.prior[:, -1]
    slow = np.clip(
        sampler.amounts.time * np.interp(at, np.arange(len(changed)), changed),
        -np.log(FASTEST_PACE),
        -np.log(SLOWEST_PACE),
    )
    first, stop = max(inside.start - 1, 0), min(inside.stop, len(at) - 1)
    passed = np.concatenate([[0.0], np.cumsum(np.exp(-slow[first:stop]))])
    out = number.copy()
    out[first : stop + 1] = first + passed * ((stop - first) / passed[-1])
    return np.asarray(number + share * (out - number))


def _change(
    sampler: Sampler, track: Track, drawn: Draw, source: Floats, at: Floats, angle: Floats, inside: slice
) -> Floats:
    """Return the change of the clip, (frames, columns)."""
    deviations, trajectory = sampler.deviations, sampler.deviations.takes.trajectory
    assert trajectory is not None
    whole = deviations.weight_size * np.einsum("l,lpd->pd", drawn.weights, track.deltas)
    prior = deviations.prior_size * track.sizes * drawn.prior[:, :-1]
    variant = track.mean + sampler.amounts.space * (whole + prior)
    variant = limit_gradually(variant, sampler.low, sampler.high, sampler.room)
    mean = read_at(track.mean, at)
    away, new = source - mean, read_at(variant - track.mean, at)
    for values in (away, new):
        values[:, trajectory.ground] -= _chord(values[:, trajectory.ground], inside)
    return np.asarray((np.cos(angle) - 1.0)[:, None] * away + np.sin(angle)[:, None] * new)


def _chord(values: Floats, inside: slice) -> Floats:
    """Return the line (frames, columns) between the ends of a stretch; constant if only one end is inside the clip.

    A position on the ground has no usual value and must return to where it was: only the path in between may deviate.
    """
    number = np.arange(len(values))
    first, last = inside.start - 1, inside.stop
    ends = [frame for frame in (first, last) if 0 <= frame < len(values)]
    if not ends:
        return np.broadcast_to(values[:1], values.shape).copy()
    return np.stack([np.interp(number, ends, column[ends]) for column in values.T], axis=1)


def chosen_joints(model: VariationModel, parts: Sequence[str]) -> Bools:
    """Return which joints (joints,) are redrawn for these parts; all if there are none."""
    skeleton, chosen = clip_layout_of(model).skeleton, chosen_columns(model, parts)[: len(model.dofs)]
    owners = {owner for owner, new in zip(model.material.owners, chosen, strict=True) if new}
    names, base = list(skeleton.names), skeleton.base
    if base is not None:  # DOFs of the root are named after the joint that carries the body
        names[0], names[base.joint] = names[base.joint], names[0]
    out = np.array([name in owners for name in names])
    out[0] = bool((chosen & model.material.moves_root).any())
    return out


def _put_into(clip: Clip, new: Clip, first: int, stop: int, low: int, joints: Bools) -> Clip:
    """Return the clip with these joints of a stretch replaced and everything else unchanged, bit for bit."""
    root, rotations, moved = clip.root.copy(), clip.rotations.copy(), clip.joint_translations
    inside = slice(first - low, stop - low)
    if joints[0]:
        root[first:stop] = new.root[inside]
    rotations[first:stop, joints] = new.rotations[inside][:, joints]
    if moved is not None and new.joint_translations is not None:
        moved = moved.copy()
        moved[first:stop, joints] = new.joint_translations[inside][:, joints]
    return clip.changed(root=root, rotations=rotations, joint_translations=moved)
