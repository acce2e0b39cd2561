"""Draw variants that meet goals: poses by conditioning, joint positions by Gauss-Newton (tempo: `goals.paced`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.features import Start
from freshtake.motion.features.angles import Path, ground_of, set_ground, turned_back
from freshtake.motion.features.clip_features import ClipLayout
from freshtake.motion.pins import Pin
from freshtake.motion.planting.pinning import pinned_clip, pinned_root
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.curves import quintic
from freshtake.numeric.rotations import about_axis, multiply
from freshtake.variation.amount import Amount
from freshtake.variation.goals.conditioning import PinnedValues, Spread, condition, spread_along, strain
from freshtake.variation.goals.goals import GoalReport, Goals, PosePin, ground_speed, paced, pinned_dofs
from freshtake.variation.live import planted_at
from freshtake.variation.sampling import Variant
from freshtake.variation.standing import level_feet, standing_like, with_feet_of
from freshtake.variation.steering import turn_column

if TYPE_CHECKING:
    from freshtake.variation.model import VariationModel

SMALL = 1e-4  # radians or lengths: step of a numerical derivative


class Moved(NamedTuple):
    """How an entire variant was moved: rotated about the origin of the ground plane, then shifted."""

    ground: complex = 0j
    heading: float = 0.0


NOT_MOVED = Moved()


class Guided(NamedTuple):
    """A variant and how well it met its goals."""

    motion: Any
    report: GoalReport
    phases: Floats | None = None  # (frames,)
    moved: Moved = NOT_MOVED


def guided(
    model: VariationModel,
    rng: np.random.Generator,
    goals: Goals,
    *,
    amount: float | Amount = 1.0,
    cycles: int | None = None,
    plant: bool | str = False,
    name: str = "",
) -> Guided:
    """Draw a variant that meets goals as well as possible, its feet standing as in the takes."""
    rate, drawn = paced(model, rng, goals, amount, cycles)
    poses = goals.pose_pins(len(drawn.rows), model.frame_time)
    variant = _pinned(model, goals, poses, drawn, rate, name)
    legs, clip = model.planting_model, variant.motion
    if plant in (True, "soft") and goals.steer is None and isinstance(clip, Clip) and legs is not None:
        fixed = np.zeros(len(clip), dtype=np.bool_)
        fixed[[frame for frame, pin in poses if not pin.joints]] = True
        if _one_take(model, drawn):
            clip, plant = on_feet(model, clip, drawn, fixed, variant.moved), False
        elif poses and not goals.targets:
            clip, plant = on_feet_for_long(model, clip, drawn.phases, fixed), False
        variant = variant._replace(motion=clip, report=replace(variant.report, speed=ground_speed(clip)))
    if (plant or goals.targets) and legs is not None:
        variant = _with_places(model, variant, drawn, goals, plant)
    if not poses:
        return variant
    # planting moves poses that conditioning had met: measure the final poses
    angle, length = pose_errors(model, model.encode(variant.motion), _pinned_values(model, poses))
    return variant._replace(report=replace(variant.report, pose_error=angle, length_error=length))


def pose_errors(model: VariationModel, rows: Floats, pinned: PinnedValues) -> tuple[float, float]:
    """Return the largest miss of pinned values: angles in radians, and all other DOFs in their units."""
    recipe, off = model.material.recipe, np.abs(rows[pinned.frames, pinned.dofs] - pinned.values)
    units = np.full(len(model.dofs), "plain") if recipe is None else np.array(recipe.units)
    angle = units[pinned.dofs] == "angle"
    return float(off[angle].max(initial=0.0)), float(off[~angle].max(initial=0.0))


def _with_places(model: VariationModel, variant: Guided, drawn: Variant, goals: Goals, plant: bool | str) -> Guided:
    """Plant feet, and bring pinned joints to their positions."""
    assert model.planting_model is not None
    if not plant:  # feet stay as they are
        clip = pinned_clip(pinned_root(variant.motion, goals.targets), model.planting_model, goals.targets)
        missed = tuple(float(np.linalg.norm(gap, axis=1).max()) for gap in _gaps(clip, goals.targets))
        return variant._replace(motion=clip, report=replace(variant.report, place_errors=missed))
    done = planted_at(model, variant.motion, drawn.phases, plant, goals.targets)
    missed = tuple(result.residual for result in done.pins)
    report = replace(variant.report, place_errors=missed, speed=ground_speed(done.clip))
    return variant._replace(motion=done.clip, report=report)


def _one_take(model: VariationModel, drawn: Variant) -> bool:
    """Return whether a variant passes exactly once through the phases of a take."""
    return not model.cyclic or bool(drawn.phases[-1] <= len(model.phase_frames) - 1.0)


def _pinned(
    model: VariationModel, goals: Goals, poses: Sequence[tuple[int, PosePin]], drawn: Variant, rate: float, name: str
) -> Guided:
    """Condition a drawn variant on pinned poses and positions; if there are none, return it unchanged."""
    rows, start, far = drawn.rows, drawn.start, 0.0
    pinned = _pinned_values(model, poses)
    if poses or goals.targets:
        once = _one_take(model, drawn)
        deviations = model.deviations if once or model.closed is None else replace(model.deviations, takes=model.closed)
        spread = spread_along(deviations, drawn.phases, model.material.pose_dofs, cyclic=not once)
        far = strain(rows, pinned, spread)
        rows = condition(rows, pinned, spread)
    if goals.targets:
        limbs = _limb_dofs(model, goals.targets)
        spread = spread._replace(factors=np.zeros_like(spread.factors), sizes=spread.total * limbs)
        start = _nearer(model, rows, drawn, goals.targets)
        rows = _through_places(model, rows, pinned, spread, start, goals.targets)
    motion = model.decode(rows, start=start, name=name)
    motion, moved, away = at_places(model, motion, poses, drawn.phases)
    angle, length = pose_errors(model, rows, pinned)
    duration = (len(rows) - 1) * model.frame_time
    missed = tuple(float(np.abs(gap).max()) for gap in _gaps(motion, goals.targets)) if goals.targets else ()
    report = GoalReport(rate, duration, ground_speed(motion), max(far, away), angle, missed, length)
    return Guided(motion, report, drawn.phases, moved)


def at_places(
    model: VariationModel, motion: Any, poses: Sequence[tuple[int, PosePin]], phases: Floats
) -> tuple[Any, Moved, float]:
    """Bring a variant to the positions and headings of its placed poses, which are given by frame.

    It is moved and rotated as a unit to the first placed pose and bent gradually to the others. Returns it, how it
    moved, and the largest bend, in standard deviations of the takes' positions.
    """
    placed = [(frame, pin) for frame, pin in poses if pin.placed]
    layout = model.material.layout
    if not placed or not isinstance(motion, Clip) or layout is None:
        return motion, NOT_MOVED, 0.0
    path, up = path_of(layout, motion), motion.up
    targets = [path_of(layout, pin.motion) for _, pin in placed]
    frames = [frame for frame, _ in placed]
    ground = np.array([one.ground[pin.frame] for one, (_, pin) in zip(targets, placed, strict=True)])
    heading = np.array([one.heading[pin.frame] for one, (_, pin) in zip(targets, placed, strict=True)])
    turn = float(np.angle(np.exp(1j * (heading[0] - path.heading[frames[0]]))))
    moved = Moved(complex(ground[0] - np.exp(1j * turn) * path.ground[frames[0]]), turn)
    rigid = Path(moved.ground + np.exp(1j * turn) * path.ground, path.heading + turn)
    off = ground - rigid.ground[frames]
    facing = np.angle(np.exp(1j * (heading - rigid.heading[frames])))
    number = np.arange(len(motion))
    # between two poses the path bends gradually, without extra speed at either pose
    between = np.interp(number, frames, np.arange(len(frames), dtype=np.float64))
    low = np.minimum(between.astype(np.intp), max(len(frames) - 2, 0))
    share, high = quintic(between - low), np.minimum(low + 1, len(frames) - 1)
    bent = off[low] + share * (off[high] - off[low])
    turned = facing[low] + share * (facing[high] - facing[low])
    root, rotations = motion.root.copy(), motion.rotations.copy()
    set_ground(root, rigid.ground + bent, up)
    spin = about_axis(np.eye(3)[motion.up_index], turn + turned)
    rotations[:, 0] = multiply(spin, rotations[:, 0])
    away = 0.0
    if model.takes.trajectory is not None:
        cycles = max(float(np.ptp(phases)) / max(len(model.phase_frames) - 1, 1), 1.0)
        usual = float(model.deviations.ground_sizes.max()) * np.sqrt(cycles)  # cycles deviate independently
        away = float(np.abs(off).max()) / max(usual, 1e-12)
    return motion.changed(root=root, rotations=rotations), moved, away


def path_of(layout: ClipLayout, clip: Clip) -> Path:
    """Return the position and heading of a clip, frame by frame."""
    columns, start = layout.encode(clip)
    return layout.path(columns, start)


def _pinned_values(model: VariationModel, poses: Sequence[tuple[int, PosePin]]) -> PinnedValues:
    values = [PinnedValues(np.empty(0, np.intp), np.empty(0, np.intp), np.empty(0))]
    for frame, pin in poses:
        dofs = np.flatnonzero(pinned_dofs(model, pin))
        values.append(PinnedValues(np.full(len(dofs), frame), dofs, model.encode(pin.motion)[pin.frame, dofs]))
    return _joined(values)


def _joined(values: Sequence[PinnedValues]) -> PinnedValues:
    return PinnedValues(*(np.concatenate(part) for part in zip(*values, strict=True)))


def _limb_dofs(model: VariationModel, pins: Sequence[Pin]) -> Bools:
    """Return the mask (DOFs,) of the joints between the root and pinned joints.

    The rest of the body stays as it was drawn: an unusual hand position is not a reason for an unusual step.
    """
    skeleton = model.material.skeleton
    if skeleton is None:
        raise UsageError("only joints of a skeleton can be brought to positions")
    joints = {skeleton.names[j] for pin in pins for j in skeleton.chain(skeleton.index(pin.joint)) if j != 0}
    return model.material.dofs_of(joints)


def _nearer(model: VariationModel, rows: Floats, drawn: Variant, pins: Sequence[Pin]) -> Start:
    """Return a start at which the pinned joints pass their ground positions on average.

    When it reaches them, the variant has traveled more or less than the mean, which limbs should not compensate for. It
    is moved by at most the usual difference between the takes' positions at that time.
    """
    start = drawn.start
    clip: Clip = model.decode(rows, start=start)
    if model.takes.trajectory is None:
        return start
    gap = np.mean([ground_of(gaps, clip.up).mean() for gaps in _gaps(clip, pins)])
    when = drawn.phases[[pin.start for pin in pins]]
    at = np.mod(when, len(model.phase_frames) - 1.0) if not _one_take(model, drawn) else when
    limit = float(np.interp(at, np.arange(len(model.phase_frames)), model.deviations.ground_sizes).max())
    moved = np.zeros(3)
    set_ground(moved, np.asarray(gap * min(1.0, limit / max(abs(gap), 1e-12))), clip.up)
    x, y = (axis for axis in range(3) if axis != clip.up_index)
    return start._replace(ground=(start.ground[0] + float(moved[x]), start.ground[1] + float(moved[y])))


def _through_places(
    model: VariationModel, rows: Floats, pinned: PinnedValues, spread: Spread, start: Start, pins: Sequence[Pin]
) -> Floats:
    """Bring joints to their positions with the likeliest deviation, keeping pinned poses (Gauss-Newton)."""
    # Gauss-Newton: positions depend nonlinearly on angles, and each step follows the tangent
    for _ in range(6):
        clip: Clip = model.decode(rows, start=start)
        turned = rows[:, turn_column(model.material.recipe)] * model.frame_time
        heading = start.heading + np.cumsum(turned) - turned[0]
        values = [pinned]
        for pin, gap in zip(pins, _gaps(clip, pins), strict=True):
            # aim at eight frames of a longer pin; planting covers the frames in between
            anchors = np.unique(np.linspace(pin.start, pin.stop - 1, 8).round().astype(np.intp))
            gaps = turned_back(gap[anchors - pin.start], heading[anchors], clip.up)
            for frame, missing in zip(anchors.tolist(), gaps, strict=True):
                step = _step(model, rows[frame], clip.skeleton.index(pin.joint), missing, spread.within(frame))
                moving = np.flatnonzero(spread.sizes[frame] > 0.0)
                values.append(PinnedValues(np.full(len(moving), frame), moving, rows[frame, moving] + step[moving]))
        both = _joined(values)
        # poses come first and are kept
        _, first = np.unique(both.frames * (int(both.dofs.max(initial=0)) + 1) + both.dofs, return_index=True)
        rows = condition(rows, PinnedValues(*(part[np.sort(first)] for part in both)), spread)
    return rows


def _step(model: VariationModel, row: Floats, joint: int, gap: Floats, covariance: Floats) -> Floats:
    """Return the likeliest change (DOFs,) of one row that moves a joint by `gap`, relative to the root."""
    recipe, layout, count = model.material.recipe, model.material.layout, len(row)
    assert recipe is not None and layout is not None
    nudges = np.concatenate([np.zeros((1, count)), SMALL * np.eye(count)])
    places = layout.points(recipe.fill(row + nudges))[:, joint]
    jacobian = ((places[1:] - places[0]) / SMALL).T
    across = jacobian @ covariance @ jacobian.T
    across += 1e-6 * np.trace(across) / 3.0 * np.eye(3)
    return np.asarray(covariance @ jacobian.T @ np.linalg.solve(across, gap))


def _gaps(clip: Clip, pins: Sequence[Pin]) -> list[Floats]:
    """Return the vectors from pinned joints to their goals, (frames, 3) for each pin."""
    positions = clip.positions()
    gaps = []
    for pin in pins:
        pin.check(clip)
        now = positions[pin.start : pin.stop, clip.skeleton.index(pin.joint)]
        goal = now.mean(axis=0) if pin.position is None else np.asarray(pin.position)
        gaps.append(np.asarray(goal - now))
    return gaps


def on_feet(
    model: VariationModel, clip: Clip, variant: Variant, fixed: Bools | None = None,
    moved: tuple[complex, float] = (0j, 0.0),
) -> Clip:  # fmt: skip
    """Return a variant whose feet stand as in the take that it follows most.

    `fixed` (frames,) are frames that must not change; `moved` is how the clip was moved and rotated after drawing.
    """
    if model.planting_model is None or not model.planting_model.legs:
        return clip
    shift, turn = moved
    frame = (shift + np.exp(1j * turn) * model.takes.ground, model.takes.heading + turn)
    return standing_like(clip, model.footing, variant.followed, variant.phases, frame, model.planting_model, fixed)


def on_feet_for_long(model: VariationModel, clip: Clip, phases: Floats, fixed: Bools) -> Clip:
    """Return a motion of any number of cycles whose feet stand as in the takes; `fixed` frames are unchanged."""
    legs, layout = model.planting_model, model.material.layout
    if legs is None or not legs.legs or layout is None or not model.footing.stands.any():
        return clip
    heading, mean = path_of(layout, clip).heading, model.takes.mean_path.heading
    apart = heading - np.interp(np.mod(phases, len(mean) - 1.0), np.arange(len(mean)), mean)
    turned = float(np.angle(np.exp(1j * apart).mean()))
    contacts = model.standing(phases)
    return with_feet_of(clip, level_feet(clip, contacts, phases, model.footing, turned, legs), legs, fixed)
