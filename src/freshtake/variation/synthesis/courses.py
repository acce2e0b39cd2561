"""The examples laid on their common phase: smooth courses of all nodes, and the detail that rides on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.gaussian import gaussian_filter1d
from freshtake.variation.examples import RATE_HORIZON, Material
from freshtake.variation.settings import Settings
from freshtake.variation.synthesis.body_nodes import NO_BODY, BodyNodes, body_nodes
from freshtake.variation.synthesis.common_phase import ALIGNMENT, align, read_at, read_sharply
from freshtake.variation.synthesis.foot_nodes import FootNodes, heading_columns, on_course, seen_from_root
from freshtake.variation.synthesis.swing_nodes import swings_in

TIME = "time"  # a hidden node: how far the take is behind a steady pace, in frames
TEMPO = "tempo"  # a hidden node: the mean pace, in frames per phase
TRAVEL = "travel"  # hidden nodes, one for every speed: its mean over the take
KINK = 0.02  # share of a cycle over which a kink at its seam is smoothed
SEAM = 0.2  # share of a cycle to either side of its seam over which its ends are brought together
PACE = 0.5  # seconds by which paces are smoothed
STRIDING = 0.5  # of the mean travel: where every example travels as much, steps grow with it
STILL = 0.02  # weight of phases at which nothing moves, when paces are smoothed: there a warp means little
SLOWEST, FASTEST = 0.4, 2.5  # of the mean's pace, see alignment


class Stride(NamedTuple):
    """Steps grow with travel: how far forward (phases, feet) a foot is for every unit more than the usual travel."""

    forward: Floats
    travel: float


NO_STRIDE = Stride(np.zeros((0, 0)), 0.0)


class Courses(NamedTuple):
    """Examples at equal phases; a cycle's last phase is its first one again.

    The nodes are the DOFs, the time, the travel of every speed, the places of feet, swings, and the tempo. A speed is
    split into its travel, the mean over the take, per phase so that the way covered does not depend on the pace, and
    what that leaves summed up from phase to phase: where the body is, against a steady course. Only so do feet, hips
    and legs vary together: feet that stand tie places to one another, not speeds. The pace, frames per phase, is split
    in the same way into tempo and time.
    """

    smooth: Floats  # (examples, phases, nodes)
    detail: Floats  # (examples, phases, DOFs)
    cyclic: bool
    body: BodyNodes = NO_BODY
    stride: Stride = NO_STRIDE
    detail_frames: float = 0.0  # by which they are smoothed

    @property
    def mean(self) -> Floats:
        """(phases, nodes)."""
        return np.asarray(self.smooth.mean(axis=0))


def common_phase_frames(material: Material, cyclic: bool) -> Floats:
    """The common phase of the examples (see common_phase), which they go through at smooth paces."""
    found = align(material.values, material.weights, ALIGNMENT / material.frame_time)
    return steadied(found, material, cyclic)


def example_courses(material: Material, phase_frames: Floats, settings: Settings, cyclic: bool) -> Courses:
    """The examples on their common phase, split into smooth courses and detail."""
    frames = settings.network_step / material.frame_time if settings.detail else 0.0
    body = body_nodes(material, settings)
    return courses_of(material, phase_frames, detail_frames=frames, cyclic=cyclic, body=body)


def closed(example: Floats) -> Floats:
    """One cycle without its last frame, bent round the seam so that it meets its beginning, the kink there smoothed.

    Slopes are not brought together: that would move standing feet more than the kink is worth.
    """
    period = len(example) - 1
    reach = max(2, round(SEAM * period))
    gap = example[-1] - example[0]
    u = np.arange(reach) / reach
    ramp = (1.0 - u) ** 3 * (1.0 + 3.0 * u + 6.0 * u**2)  # from 1 to 0, flat at both ends
    out = example[:period].copy()
    out[:reach] += 0.5 * ramp[:, None] * gap
    out[period - np.arange(1, reach)] -= 0.5 * ramp[1:, None] * gap
    frames = np.arange(period)
    near = np.maximum(1.0 - (np.minimum(frames, period - frames) / (4.0 * KINK * period)) ** 2, 0.0)[:, None] ** 2
    return np.asarray(out + near * (smoothed(out, KINK * period, True) - out))


def along_phase(courses: Courses, x: Floats) -> Floats:
    """Rows at the common phases, smoothed as the courses themselves are."""
    if not courses.cyclic:
        return smoothed(x, courses.detail_frames, False)
    out = smoothed(x[:-1], courses.detail_frames, True)
    return np.concatenate([out, out[:1]])


def smoothed(x: Floats, frames: float, cyclic: bool) -> Floats:
    """Rows smoothed by a Gaussian of this standard deviation in frames."""
    if frames <= 0:
        return x
    return np.asarray(gaussian_filter1d(x, frames, axis=0, mode="wrap" if cyclic else "nearest"))


def courses_of(
    material: Material,
    phase_frames: Floats,
    *,
    detail_frames: float,
    cyclic: bool,
    body: BodyNodes = NO_BODY,
    stride: Stride | None = None,
) -> Courses:
    """Split every example into a smooth part and detail, and read both at the common phases.

    `stride` is that of other examples, for a take that is laid on their mean.
    """
    dofs, feet = len(material.names), body.feet
    swings = np.stack([swings_in(body.swings, material, x) for x in material.values])
    rows = [_with_feet(x, feet, material) for x in material.values]
    rows = [closed(x) if cyclic else x for x in rows]
    low = [smoothed(x, detail_frames, cyclic) for x in rows]
    fine = [(x - y)[:, :dofs] for x, y in zip(rows, low, strict=True)]
    pace = paces(phase_frames, cyclic)
    smooth = at_phases(low, phase_frames, pace, material.rates, cyclic)
    detail = np.stack([read_sharply(x, phase_frames[:, k], cyclic) for k, x in enumerate(fine)])
    detail[:, :, material.rates] *= pace.T[:, :, None]
    tempo, time = travel_and_places(pace.T[..., None], cyclic)
    time = time - time[:, :1]  # every take begins on time
    smooth, seen = smooth[..., :dofs], smooth[..., dofs:].reshape(*smooth.shape[:2], len(feet.joints), 3)
    travel = _to_places(smooth, pace, material, cyclic)
    columns = heading_columns(material)
    if columns is None or len(feet.joints) == 0:
        stride = Stride(np.zeros((len(pace), 0)), 0.0)
    else:
        seen = on_course(seen, smooth[..., list(columns)] * material.frame_time)
        stride = stride or stride_of(seen, travel)
        seen[..., 0] -= stride.forward * (travel[..., :1] - stride.travel)
    held = np.broadcast_to(swings[:, None], (*smooth.shape[:2], swings.shape[1]))
    nodes = [smooth, time, travel, seen.reshape(*smooth.shape[:2], -1), held, tempo]
    return Courses(np.concatenate(nodes, axis=2), detail, cyclic, body, stride, detail_frames)


def stride_of(seen: Floats, travel: Floats) -> Stride:
    """Where all examples travel one way, feet reach as much farther as the body travels; they stand while it moves."""
    each = travel[:, 0, 0]
    mean = float(each.mean())
    forward = np.zeros(seen.shape[1:3])
    if mean != 0.0 and (each / mean > STRIDING).all():
        forward = seen[..., 0].mean(axis=0) / mean
    return Stride(forward, mean)


def _with_feet(rows: Floats, feet: FootNodes, material: Material) -> Floats:
    """Rows with three more columns for the place of every foot, seen from the root."""
    if len(feet.joints) == 0:
        return rows
    return np.concatenate([rows, seen_from_root(feet.joints, material, rows).reshape(len(rows), -1)], axis=1)


def _to_places(smooth: Floats, pace: Floats, material: Material, cyclic: bool) -> Floats:
    """Turn the speeds among smooth courses (examples, phases, DOFs) into places; returns their travel.

    Speeds over the ground are those of a body that turns steadily: the hips' own swaying would bend its way.
    """
    columns = heading_columns(material)
    if columns is not None:
        forward, sideways, turn = columns
        steady, places = travel_and_places(smooth[..., [turn]], cyclic)
        before = (places - (smooth[..., [turn]] - steady) / pace.T[..., None])[..., 0]
        ground = (smooth[..., forward] + 1j * smooth[..., sideways]) * np.exp(1j * before * material.frame_time)
        smooth[..., forward], smooth[..., sideways] = ground.real, ground.imag
    travel, places = travel_and_places(smooth[..., material.rates], cyclic)
    smooth[..., material.rates] = places
    return travel


def mean_pace(courses: Courses) -> Floats:
    """Frames that the mean takes for each phase, (phases,)."""
    time = courses.mean[:, courses.detail.shape[2]]
    whole = np.concatenate([time[-2:-1], time, time[1:2]]) if courses.cyclic else time
    slope = np.gradient(whole)[1:-1] if courses.cyclic else np.gradient(whole)
    return np.asarray(np.maximum(courses.mean[:, -1] + slope, SLOWEST))


def node_names(names: Sequence[str], speeds: Bools, body: BodyNodes = NO_BODY) -> tuple[str, ...]:
    """DOFs, time, travel of the speeds, places of feet, swings, tempo."""
    travel = (f"{name} {TRAVEL}" for name, speed in zip(names, speeds, strict=True) if speed)
    return (*names, TIME, *travel, *body.names, TEMPO)


def node_weights(material: Material, phases: int, body: BodyNodes = NO_BODY) -> Floats:
    """How far a unit of every node moves the body: places by so much, travel over a quarter of a take, pace not."""
    place = material.weights * np.where(material.rates, material.frame_time / RATE_HORIZON, 1.0)
    return np.concatenate([place, [0.0], place[material.rates] * phases / 4.0, body.weights, [0.0]])


def travel_and_places(speeds: Floats, cyclic: bool) -> tuple[Floats, Floats]:
    """Speeds per phase (examples, phases, speeds) as means over each take, and the sums of what is left, around 0."""
    last = -1 if cyclic else None
    steady = np.broadcast_to(speeds[:, :last].mean(axis=1, keepdims=True), speeds.shape)
    left = speeds - steady
    steps = 0.5 * (left[:, 1:] + left[:, :-1])
    places = np.concatenate([np.zeros_like(left[:, :1]), np.cumsum(steps, axis=1)], axis=1)
    return np.asarray(steady), np.asarray(places - places[:, :last].mean(axis=1, keepdims=True))


def paces(phase_frames: Floats, cyclic: bool) -> Floats:
    """Frames that each example takes for a phase, (phases, examples)."""
    steps = np.diff(phase_frames, axis=0)
    before = np.concatenate([steps[-1:] if cyclic else steps[:1], steps])
    after = np.concatenate([steps, steps[:1] if cyclic else steps[-1:]])
    return np.asarray(0.5 * (before + after))


def at_phases(rows: Sequence[Floats], phase_frames: Floats, pace: Floats, speeds: Bools, cyclic: bool) -> Floats:
    """Examples at common phases, (examples, phases, DOFs), speeds per phase; cycles are followed by their beginning."""
    whole = [np.concatenate([x, x[:1]]) if cyclic else x for x in rows]
    out = np.stack([read_at(x, phase_frames[:, k]) for k, x in enumerate(whole)])
    out[:, :, : len(speeds)][:, :, speeds] *= pace.T[:, :, None]
    return out


def steadied(phase_frames: Floats, material: Material, cyclic: bool) -> Floats:
    """The frame of each example at each phase (phases, examples), its pace smoothed; examples last as long as before.

    Poses, places and time are all read at these frames, so that mean and deviations together are the example itself.
    With a smooth time but poses and places read at the frames that time warping finds, the body would travel in jerks.
    """
    frames = PACE / material.frame_time
    rows = [smoothed(closed(x) if cyclic else x, frames / 3.0, cyclic) for x in material.values]
    pace = paces(phase_frames, cyclic)
    mean = at_phases(rows, phase_frames, pace, material.rates, cyclic).mean(axis=0)
    pace = _smooth_pace(pace, mean * material.weights, frames, cyclic)
    steps = np.cumsum(0.5 * (pace[1:] + pace[:-1]), axis=0)
    return np.concatenate([np.zeros_like(steps[:1]), steps * (phase_frames[-1] / steps[-1])])


def _smooth_pace(pace: Floats, mean: Floats, frames: float, cyclic: bool) -> Floats:
    """The pace (phases, examples), smoothed by its neighbours, those phases that move most counting most."""
    moving = (np.gradient(mean, axis=0) ** 2).sum(axis=1)
    weight = moving / max(float(moving.mean()), 1e-300) + STILL
    clipped = np.clip(pace, SLOWEST, FASTEST)
    last = -1 if cyclic else None  # the last phase of a cycle is its first
    above = smoothed(weight[:last, None] * clipped[:last], frames, cyclic)
    out = above / smoothed(weight[:last, None], frames, cyclic)
    return np.concatenate([out, out[:1]]) if cyclic else out
