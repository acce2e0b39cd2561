"""Find cycles: whether clips are cycles, whether a motion recurs, and where to cut it; for all methods.

A clip is a cycle where closing it costs less than takes differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.body.orientation import RATE, body_poses, pose_points, principal, usual_facing
from freshtake.motion.clip import Clip
from freshtake.motion.cycles.recurrence import Occurrence, Phase, find_occurrences, find_phase
from freshtake.motion.edit import take_frames
from freshtake.motion.planting.contacts import foot_contacts
from freshtake.motion.skeleton import require_compatible
from freshtake.numeric.arrays import Floats, Ints

# Shares of a movement's extent, from 70 recorded and synthetic sets: gaps of cycles .05 to .87, of others .67 to 2.6.
CLOSED = 0.5  # below: cyclic
OPEN = 1.0  # above: acyclic; between the two it depends on how much takes differ where they begin and end
AT_REST = 0.3  # of the mean speed (cycles .66 and more): a clip with slower ends is acyclic, in whatever pose
END_TOLERANCE = 0.06  # of a cycle: how much may be missing at the take's ends
STRIKE_SHIFT = 0.05  # of a cycle: how far from a foot strike the cut may be where that saves a cycle
CYCLIC_STEPS = 7.0  # frame steps (at 60 fps) between first and last pose below which a clip is one cycle


class Closing(NamedTuple):
    """How well the ends of clips meet their beginnings: medians over the clips, in leg lengths.

    `gap` is the distance of the last pose and velocity from the first, `extent` how far the movement goes from its
    mean pose, `apart` how far clips differ where they begin and end (None for fewer than three), `pace` the faster of
    the speeds at both ends over the mean one.
    """

    gap: float
    extent: float
    apart: float | None
    pace: float

    @property
    def cyclic(self) -> bool:
        """Whether the clips are one cycle each."""
        share = self.share
        if self.pace < AT_REST:
            return False
        if self.apart is None:
            # Fewer than three clips do not show how far takes differ, so the extent alone decides.
            return share < 0.65
        # takes that begin anywhere show nothing: how far they differ is then no measure
        alike = self.apart < OPEN * self.extent
        # Takes differ where they begin anyway: cycles close to .6 to 1.2 times that difference, other movements to 1.8.
        return share < CLOSED or (share < OPEN and alike and self.gap < 1.5 * self.apart)

    @property
    def share(self) -> float:
        """The gap as a share of the extent."""
        return self.gap / max(self.extent, 1e-12)

    @property
    def doubtful(self) -> bool:
        """Whether poses and speeds at the ends support different decisions, or none."""
        return CLOSED <= self.share < OPEN or (self.pace < AT_REST and self.share < OPEN)

    @property
    def evidence(self) -> str:
        """The reason for the decision, in words."""
        if self.pace < AT_REST:
            return "it begins and ends at rest"
        gap = f"its last pose is {100 * self.share:.0f} % of the movement's extent away from its first"
        if self.apart is None or not CLOSED <= self.share < OPEN:
            return gap
        return f"{gap}, and takes begin {100 * self.apart / max(self.extent, 1e-12):.0f} % apart"


def closing_of(clips: Sequence[Clip]) -> Closing:
    """Measure how well clips of one movement close, regardless of travel, heading, size and frame rate."""
    if not clips:
        raise UsageError("there is no clip to judge: give at least one")
    reference = usual_facing(clips[0])
    points = [pose_points(clip, reference) for clip in clips]
    gap = float(np.median([_gap(one) for one in points]))
    extent = float(np.median([np.sqrt(((one - one.mean(axis=0)) ** 2).sum(axis=1).mean()) for one in points]))
    apart = None
    # Two clips do not show how far takes differ.
    if len(clips) >= 3 and len({one.shape[1] for one in points}) == 1:
        ends = np.array([[one[0], one[-1]] for one in points])
        pairs = np.triu_indices(len(clips), 1)
        apart = float(np.median(np.linalg.norm(ends[pairs[0]] - ends[pairs[1]], axis=-1)))
    paces = []
    for one in points:
        steps = np.linalg.norm(np.diff(one, axis=0), axis=1)
        # Measure the speed at the ends over a twentieth of the clip: what begins and ends slowly is no cycle.
        count = max(1, round(0.05 * len(steps)))
        if len(steps) and steps.mean() > 1e-12:
            paces.append(max(steps[:count].mean(), steps[-count:].mean()) / steps.mean())
    return Closing(gap, extent, apart, float(np.median(paces)) if paces else 0.0)


def _gap(points: Floats) -> float:
    """Return the least distance of the first pose from the last one and from what would follow it within a frame.

    Few cycles last an integer number of frames, and many files leave out the frame that repeats the first: at 24 fps
    the last frame of a walk may be a quarter of the movement's extent before the end of its cycle.
    """
    missing = points[0] - points[-1]
    step = points[-1] - points[-2] if len(points) > 1 else np.zeros_like(missing)
    share = float(np.clip(missing @ step / max(float(step @ step), 1e-12), 0.0, 1.0))
    return float(np.linalg.norm(missing - share * step))


__all__ = ["Cycles", "Occurrence", "cut_cycles", "find_cycles", "find_occurrences", "first_to_last", "is_cyclic"]


@dataclass(frozen=True)
class Cycles:
    """Where the cycles of a take are.

    `spans` holds the first and the last frame of each; the last frame of a cycle is usually the first of the next.
    `period` is the median duration in frames; `confidence` runs from 0 (recurs by chance) to 1 (recurs exactly).
    """

    spans: tuple[tuple[int, int], ...]
    period: float
    confidence: float

    def __len__(self) -> int:
        return len(self.spans)

    @property
    def boundaries(self) -> Ints:
        """All frames at which a cycle begins or ends."""
        return np.unique(np.array(self.spans, dtype=np.intp))


def find_cycles(clip: Clip, phase: str | int | Clip = "auto") -> Cycles:
    """Find the cycles of a take; all begin and end at the same phase.

    The phase is that of a foot's strike (`"strike"`), of the first frame (`"start"`), of a frame given by number,
    of the first pose of another clip, or the one that is best defined in time (`"pose"`). By default (`"auto"`) it
    is a foot strike where feet strike once per cycle, otherwise the best defined one, and such that as few frames
    as possible are left over.
    """
    recurring = find_recurrence(clip)
    cycles = None if recurring is None else cycles_at(recurring, chosen_phase(recurring, phase))
    if cycles is None:
        raise UsageError(no_recurrence(clip))
    return cycles


class Recurrence(NamedTuple):
    """A take that repeats: its phase at every `stride`-th frame, and how different frames a cycle apart are."""

    clip: Clip
    tracked: Phase
    unlike: float
    points: Floats
    stride: int

    @property
    def bins(self) -> int:
        """How many bins the mean cycle has."""
        return len(self.tracked.template)


def find_recurrence(clip: Clip) -> Recurrence | None:
    """Find the phase of a take's frames; None where nothing recurs."""
    stride = max(1, int(clip.fps / RATE + 1e-6))
    points = principal(pose_points(clip))
    recurring = find_phase(points[::stride], clip.fps / stride)
    if recurring is None:
        return None
    return Recurrence(clip, *recurring, points, stride)


def cycles_at(take: Recurrence, place: int) -> Cycles | None:
    """Cut a take at a bin of its mean cycle; None where no complete cycle lies between two such cuts."""
    frames = _crossings(take.tracked, place, take.points, take.stride)
    spans = _plausible(take.tracked, frames, take.stride)
    if not spans:
        return None
    typical = float(np.median([stop - start for start, stop in spans]))
    return Cycles(tuple(spans), typical, float(np.clip(1.0 - take.unlike, 0.0, 1.0)))


def cut_cycles(clip: Clip, phase: str | int | Clip = "auto") -> list[Clip]:
    """Return one clip per cycle, both ends included, named `<name>_cycle_01` and so on."""
    spans = find_cycles(clip, phase).spans
    digits = max(2, len(str(len(spans))))
    return [
        take_frames(clip, start, stop + 1).changed(name=f"{clip.name or 'clip'}_cycle_{number:0{digits}d}")
        for number, (start, stop) in enumerate(spans, start=1)
    ]


def first_to_last(clip: Clip) -> float:
    """Return the distance from first to last pose, travel and heading removed, in mean frame steps at 60 fps."""
    if len(clip) < 3:
        return np.inf
    poses = body_poses(clip)
    distance = float(np.linalg.norm(poses[-1] - poses[0], axis=-1).mean())
    step = float(np.linalg.norm(np.diff(poses, axis=0), axis=-1).mean()) * clip.fps / RATE
    return distance / step if step > 1e-12 else np.inf


def is_cyclic(clips: Sequence[Clip]) -> bool:
    """Return whether clips are one cycle each; see `Closing`."""
    return closing_of(clips).cyclic


def no_recurrence(clip: Clip) -> str:
    name = clip.name or "the clip"
    if first_to_last(clip) < CYCLIC_STEPS:
        return f"{name} does not repeat within its {len(clip)} frames, but it ends as it begins: it may be one cycle"
    return f"{name} has no cycles: no pose recurs within its {len(clip)} frames; cut it by frame numbers instead"


def chosen_phase(take: Recurrence, phase: str | int | Clip = "auto") -> int:
    """Return the bin of the mean cycle at which to cut."""
    clip, tracked, bins = take.clip, take.tracked, take.bins
    if isinstance(phase, Clip):
        return phase_of_pose(take, phase)
    if phase == "start" or isinstance(phase, int):
        frame = 0 if phase == "start" else int(phase)
        if not 0 <= frame < len(clip):
            raise UsageError(f"there is no frame {frame} in {clip.name or 'the clip'}: it has {len(clip)}")
        return int(tracked.progress[min(round(frame / take.stride), len(tracked.progress) - 1)] % bins)
    if phase not in ("auto", "strike", "pose"):
        raise UsageError(f"a phase is auto, strike, pose, start, a frame number or a clip, not {phase!r}")
    counts = cycle_counts(tracked)
    for strike in [] if phase == "pose" else strike_phases(take).values():
        shifts = (np.flatnonzero(counts == counts.max()) - strike + bins / 2) % bins - bins / 2
        nearest = shifts[np.abs(shifts).argmin()]
        if abs(nearest) <= STRIKE_SHIFT * bins:
            return int(round(strike + nearest) % bins)
        if phase == "strike" or counts.max() >= 3:
            return int(round(strike) % bins)
    if phase == "strike":
        raise UsageError(f"no foot of {clip.name or 'the clip'} strikes once per cycle: choose another phase")
    return int(np.where(counts == counts.max(), blur(take), np.inf).argmin())


def cycle_counts(tracked: Phase) -> Ints:
    """Return how many complete cycles there are for each bin at which they may be cut."""
    bins = len(tracked.template)
    slack = END_TOLERANCE * bins / 2.0
    first, last = tracked.progress[0] - slack, tracked.progress[-1] + slack
    start = np.ceil((first - np.arange(bins)) / bins)
    stop = np.floor((last - np.arange(bins)) / bins)
    return np.asarray(np.maximum(stop - start, 0), dtype=np.intp)


def strike_phases(take: Recurrence) -> dict[str, float]:
    """Return the mean phases in bins at which feet strike, for feet that do so once per cycle; right feet first."""
    tracked, bins = take.tracked, take.bins
    strikes: dict[str, list[int]] = {}
    for contact in foot_contacts(take.clip):
        if contact.start > 0:
            strikes.setdefault(contact.foot, []).append(contact.start // take.stride)
    cycles = (tracked.progress[-1] - tracked.progress[0]) / bins
    phases = {}
    for foot in sorted(strikes, key=lambda name: not name.lower().startswith("r")):
        turns = np.exp(2j * np.pi * tracked.progress[np.minimum(strikes[foot], len(tracked.progress) - 1)] / bins)
        if abs(turns.mean()) > 0.9 and abs(len(turns) - cycles) <= max(1.5, 0.25 * cycles):
            phases[foot] = float(np.angle(turns.mean()) / (2 * np.pi) % 1.0 * bins)
    return phases


def blur(take: Recurrence) -> Floats:
    """Return the frames' spread relative to the speed, (bins,): the smaller, the better a bin is defined in time."""
    tracked, bins = take.tracked, take.bins
    place = tracked.progress % bins
    frames = np.bincount(place, minlength=bins)
    spread = np.bincount(place, weights=tracked.misfit, minlength=bins) / np.maximum(frames, 1)
    speed = np.linalg.norm(np.roll(tracked.template, -1, axis=0) - np.roll(tracked.template, 1, axis=0), axis=1)
    blurred = spread / np.maximum(speed, 1e-12)
    return np.asarray(np.where(frames == 0, blurred.max(), blurred))


def phase_of_pose(take: Recurrence, example: Clip) -> int:
    """Return the bin whose frames lie nearest to the first pose of another clip."""
    clip, tracked = take.clip, take.tracked
    require_compatible(clip.skeleton, example.skeleton, clip.name or "the take", example.name or "the example")
    reference = usual_facing(clip)
    first_pose = pose_points(example, reference)[0]
    distances = np.linalg.norm(pose_points(clip, reference)[:: take.stride] - first_pose, axis=1)
    place = tracked.progress % take.bins
    sums = np.bincount(place, weights=distances, minlength=take.bins)
    counts = np.bincount(place, minlength=take.bins)
    return int(np.where(counts > 0, sums / np.maximum(counts, 1), np.inf).argmin())


def _crossings(tracked: Phase, place: int, points: Floats, stride: int) -> list[int]:
    """Return frames of the take (at its full rate) that are nearest to the mean pose at bin `place`, once per cycle."""
    progress, bins = tracked.progress, len(tracked.template)
    slack = END_TOLERANCE * bins
    first = int(np.ceil((progress[0] - slack - place) / bins))
    last = int(np.floor((progress[-1] + slack - place) / bins))
    reach = max(stride, round(0.04 * bins * stride))
    frames: list[int] = []
    for number in range(first, last + 1):
        around = stride * int(np.searchsorted(progress, place + number * bins))
        around = min(around, len(points) - 1)
        window = np.arange(max(around - reach, 0), min(around + reach + 1, len(points)))
        distances = np.linalg.norm(points[window] - tracked.template[place], axis=1)
        frame = int(window[distances.argmin()])
        if not frames or frame > frames[-1]:
            frames.append(frame)
    return frames


def _plausible(tracked: Phase, frames: list[int], stride: int) -> list[tuple[int, int]]:
    """Return neighbouring boundaries as spans, without those of unusual duration or far from the mean cycle."""
    spans = list(pairwise(frames))
    if not spans:
        return []
    durations = np.array([stop - start for start, stop in spans])
    misfits = np.array([tracked.misfit[start // stride : stop // stride + 1].mean() for start, stop in spans])
    spread = np.sqrt(((tracked.template - tracked.template.mean(axis=0)) ** 2).sum(axis=1).mean())
    good = (durations > 0.55 * np.median(durations)) & (durations < 1.8 * np.median(durations))
    good &= (misfits < spread) | (misfits < 2.5 * np.median(misfits))
    return [span for span, is_good in zip(spans, good, strict=True) if is_good]
