"""Goals of a variant: poses at times, joints at positions, a duration, a speed, a path on the ground.

Goals determine a variant's beginning, end and pace: phases follow from poses, tempo from duration and speed.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.features.angles import ground_of
from freshtake.motion.pins import Pin
from freshtake.motion.tempo import FASTEST, SLOWEST
from freshtake.numeric.arrays import Bools, Floats
from freshtake.variation.amount import Amount
from freshtake.variation.live import cut_from, steered_blocks, steered_rows
from freshtake.variation.phase import read_at
from freshtake.variation.sampling import Variant
from freshtake.variation.steering import Steering

if TYPE_CHECKING:
    from freshtake.variation.model import VariationModel


@dataclass(frozen=True, eq=False)
class PosePin:
    """A pose at a time.

    Attributes:
        motion: The motion that shows the pose.
        frame: The frame of that motion; negative: counted from the end.
        time: When the variant reaches it, in seconds after its start (negative: before its end).
        joints: The pinned joints; default: all. The others follow as the model predicts.
        placed: Whether the variant also takes on the motion's position and heading there.
    """

    motion: Any
    frame: int = 0
    time: float = 0.0
    joints: tuple[str, ...] = ()
    placed: bool = False

    def __post_init__(self) -> None:
        count = len(self.motion)
        if not -count <= self.frame < count:
            raise UsageError(f"the pose to pin is frame {self.frame} of a motion with {count} frames")
        if not np.isfinite(self.time):
            raise UsageError("the time of a pinned pose must be a number of seconds")
        if self.placed and not isinstance(self.motion, Clip):
            raise UsageError("only poses of a body can be placed: they alone have a position on the ground")


@dataclass(frozen=True, eq=False)
class Goals:
    """The goals of one variant: `start`, `end` and, in between, `poses` are pinned; `targets` are positions of joints.

    `duration` is in seconds, `speed` in lengths per second over the ground, `steer` a heading or a path.
    """

    start: PosePin | None = None
    end: PosePin | None = None
    poses: Sequence[PosePin] = ()
    targets: Sequence[Pin] = ()
    duration: float | None = None
    speed: float | None = None
    steer: Steering | None = None

    def __post_init__(self) -> None:
        for name in ("duration", "speed"):
            value = getattr(self, name)
            if value is not None and not (np.isfinite(value) and value > 0.0):
                raise UsageError(f"the requested {name} must be greater than 0, but is {value}")

    def pose_pins(self, frames: int, frame_time: float) -> list[tuple[int, PosePin]]:
        """Return the pinned poses by frame.

        Args:
            frames: The number of frames of the variant.
            frame_time: Seconds per frame.

        Returns:
            The frame number and the pose, for each. Two poses at one frame raise a UsageError.
        """
        pins = [(0, self.start)] if self.start is not None else []
        for pin in self.poses:
            frame = round(pin.time / frame_time) + (frames - 1 if pin.time < 0.0 else 0)
            if not 0 <= frame < frames:
                length = (frames - 1) * frame_time
                raise UsageError(f"a pose is pinned at {pin.time:g} s, but the variant lasts {length:.3g} s")
            pins.append((frame, pin))
        if self.end is not None:
            pins.append((frames - 1, self.end))
        twice = {frame for frame, _ in pins if sum(frame == other for other, _ in pins) > 1}
        if twice:
            raise UsageError(f"two poses are pinned at frame {min(twice)}: remove one of them")
        return pins


@dataclass(frozen=True)
class GoalReport:
    """A report on how well a variant met its goals.

    `strain` is how many standard deviations (root mean square over its DOFs) the farthest pinned pose was from the
    variant as first drawn: about 1.4 is usual, above 3 the examples hardly support the pose. `pose_error` is the
    largest miss of a pinned angle, in radians; `length_error` the largest miss of a pinned height, or of any other DOF
    that is not an angle, in its unit; `place_errors` are in lengths.
    """

    rate: float
    duration: float
    speed: float | None
    strain: float
    pose_error: float
    place_errors: tuple[float, ...]
    length_error: float = 0.0


def ground_speed(clip: Any) -> float | None:
    """Return the mean speed of the root along its path on the ground, in lengths per second."""
    if not isinstance(clip, Clip) or len(clip) < 2:
        return None
    steps: Floats = clip.root[1:] - clip.root[:-1]
    steps[:, clip.up_index] = 0.0
    return float(np.sqrt((steps * steps).sum(axis=1)).sum() / clip.duration)


class Stretch(NamedTuple):
    """The part of an endless motion that becomes a variant: its first phase, and its length in phases or frames."""

    first: float
    phases: float
    frames: int | None
    cycles: int


def paced(
    model: VariationModel, rng: np.random.Generator, goals: Goals, amount: float | Amount, cycles: int | None
) -> tuple[float, Variant]:
    """Return the variant drawn at the pace that gives the requested duration or speed, and that pace."""
    frames = None if goals.duration is None else 1 + round(goals.duration / model.frame_time)
    if frames is not None and frames < 2:
        raise UsageError(f"a duration of {goals.duration:g} s is shorter than two frames")
    stretch = stretch_of(model, goals, cycles, frames) if model.cyclic else None
    rate = 1.0
    if goals.speed is None and frames is None:  # no goals for the pace
        return rate, _drawn(model, rng, stretch, amount, rate, goals.steer)
    # the duration depends on the draw: correct the tempo up to eight times
    for _ in range(8):
        trial_rng = deepcopy(rng)
        block = _drawn(model, trial_rng, stretch, amount, rate, goals.steer)
        better = rate * _missing(model, goals, block, frames)
        better = float(np.clip(better, SLOWEST, FASTEST))
        if abs(better / rate - 1.0) < 1e-3 * (goals.speed is not None) + 1e-9:
            break
        rate = better
    if frames is not None and stretch is not None and stretch.cycles > 1 and SLOWEST < rate < FASTEST:
        # cycles end between frames: match the number of frames exactly
        trial_rng = deepcopy(rng)
        block = _drawn(model, trial_rng, stretch._replace(frames=frames), amount, rate, goals.steer)
    rng.bit_generator.state = trial_rng.bit_generator.state
    return rate, block


def _missing(model: VariationModel, goals: Goals, block: Variant, frames: int | None) -> float:
    """Return the factor by which the pace must change."""
    if goals.speed is not None:
        speed = ground_speed(model.decode(block.rows))
        if not speed:
            raise UsageError("this motion does not travel: remove the speed")
        return goals.speed / speed
    return 1.0 if frames is None else (len(block.rows) - 1) / (frames - 1)


def stretch_of(model: VariationModel, goals: Goals, cycles: int | None, frames: int | None) -> Stretch:
    """Return the stretch from the first pose's phase to the last pose's, if these are given.

    Its length is as close as possible to `cycles`, else to the number that the duration requires, else to one.
    """
    if cycles is not None and cycles < 1:
        raise UsageError(f"the number of cycles must be 1 or more, not {cycles}")
    whole = len(model.phase_frames) - 1.0
    usual = sum(len(x) - 1 for x in model.material.values) / len(model.material.values)
    count = cycles or _cycles_between(model, goals) or 1
    if cycles is None and frames is not None:
        count = max(1, round((frames - 1) / usual))
    by_frames = frames if goals.speed is not None else None
    first = 0.0 if goals.start is None else phase_of(model, goals.start)
    if goals.end is None:
        return Stretch(first, count * whole, by_frames, count)
    more = (phase_of(model, goals.end) - first) % whole
    return Stretch(first, more + whole * (count - 1 if more > 0.5 * whole else count), by_frames, count)


def _cycles_between(model: VariationModel, goals: Goals) -> int | None:
    """Return the number of cycles from the first pose's position to the last pose's; None if either is free."""
    start, end = goals.start, goals.end
    if start is None or end is None or not (start.placed and end.placed) or model.takes.trajectory is None:
        return None
    up = start.motion.up
    far = ground_of(end.motion.root[end.frame], up) - ground_of(start.motion.root[start.frame], up)
    mean = model.takes.mean_path.ground
    return max(1, round(float(abs(far)) / max(float(abs(mean[-1] - mean[0])), 1e-12)))


def phase_of(model: VariationModel, pin: PosePin) -> float:
    """Return the phase at which the examples are closest to a pose, by the joints that it pins."""
    chosen = pinned_dofs(model, pin)
    row = model.encode(pin.motion)[pin.frame, chosen]
    weights = model.material.weights[chosen]
    squared = np.zeros(len(model.phase_frames))
    for example, phase_frames in zip(model.material.values, model.phase_frames.T, strict=True):
        squared += (((read_at(example[:, chosen], phase_frames) - row) * weights) ** 2).sum(axis=1)
    return float(squared[:-1].argmin())


def pinned_dofs(model: VariationModel, pin: PosePin) -> Bools:
    """Return which DOFs a pose pins, (DOFs,); never speeds."""
    material = model.material
    if not pin.joints:
        return material.pose_dofs
    unknown = [joint for joint in pin.joints if joint not in material.owners]
    if unknown:
        choices = ", ".join(dict.fromkeys(material.owners))
        raise UsageError(f"there is no joint {unknown[0]!r} that moves; choose from {choices}")
    return np.asarray(material.pose_dofs & material.dofs_of(pin.joints))


def _drawn(
    model: VariationModel, rng: np.random.Generator, stretch: Stretch | None, amount: float | Amount, rate: float,
    steer: Steering | None,
) -> Variant:  # fmt: skip
    if stretch is None:
        return model.draw(rng, amount=amount, rate=rate, steer=steer)
    if stretch.first == 0.0 and stretch.phases == stretch.cycles * (len(model.phase_frames) - 1.0):
        cycles = stretch.cycles if stretch.frames is None else None
        return model.draw(rng, amount=amount, rate=rate, steer=steer, cycles=cycles, frames=stretch.frames)
    blocks = steered_blocks(model, rng, amount, rate, None)
    block = cut_from(model, blocks, stretch.frames, stretch.first + stretch.phases, stretch.first)
    return block if steer is None else block._replace(rows=steered_rows(model, steer, block))
