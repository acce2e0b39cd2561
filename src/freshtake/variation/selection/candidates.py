"""Make candidates comparable with trusted motions (kind, skeleton, size, rate, duration); give verdicts in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import FreshtakeError
from freshtake.motion import Clip, Stroke
from freshtake.motion.body.roles import leg_length
from freshtake.motion.edit import resample, scaled, with_up
from freshtake.motion.features.stroke_features import is_even
from freshtake.motion.kinds import kind_word, resample_stroke
from freshtake.motion.skeleton import require_compatible
from freshtake.motion.validation import same_rate
from freshtake.numeric.arrays import Floats

FACTOR = 2.0  # ratio to the trusted clips' durations beyond which a clip shows another piece of motion
LEAST_FRAMES = 8
LEAST_TRUSTED = 3
PHASES = 20  # number of equal parts in which clips are compared
REACH = 8.0  # nats per DOF beyond which less likely no longer means worse
SHARE = 0.5  # fraction of the shortfall that named joints or phases must cover
ROOT_WORDS = {
    "forward": "forward speed",
    "sideways": "sideways speed",
    "turn": "turning",
    "height": "height of the root",
    "swing_x": "lean of the root",
    "swing_y": "lean of the root",
    "swing_z": "lean of the root",
}


class Candidate(NamedTuple):
    """A motion that can be compared, or the reason why not; notes list what was changed.

    `rows` (frames, DOFs) are in the trusted motions' recipe, once the motion is encoded.
    """

    motion: Any
    refusal: str = ""
    notes: tuple[str, ...] = ()
    rows: Floats | None = None


def comparable(motion: Any, trusted: Sequence[Any]) -> Candidate:
    """Return the motion at the trusted motions' size and rate, or refused.

    Clips of a different size are scaled to the first trusted one's leg length: compared in joint angles, and in speeds
    measured in legs, different bone lengths alone are not a reason to refuse.
    """
    first = trusted[0]
    if type(motion) is not type(first):
        return Candidate(motion, f"this is a {_kind(motion)}, but the trusted ones are {_kind(first)}s")
    if isinstance(motion, np.ndarray):
        return _lasting(motion, trusted, ())
    notes: list[str] = []
    try:
        fitted = _fitted(motion, first, notes)
    except FreshtakeError as error:
        return Candidate(motion, str(error))
    return _lasting(fitted, trusted, tuple(notes))


def _kind(motion: Any) -> str:
    return "table of rows" if isinstance(motion, np.ndarray) else kind_word(motion)


def _fitted(motion: Any, first: Any, notes: list[str]) -> Any:
    if isinstance(motion, Stroke):
        even = len(first) > 1 and is_even(first, first.frame_time)
        if even and not is_even(motion, first.frame_time) and motion.duration > 0.0:
            notes.append(f"resampled to {1.0 / first.frame_time:g} points per second, like the trusted ones")
            return resample_stroke(motion, 1.0 / first.frame_time)
        return motion
    if not isinstance(motion, Clip):
        return motion
    require_compatible(first.skeleton, motion.skeleton, "the first trusted clip", "this one")
    fitted = with_up(motion, first.up) if motion.up != first.up else motion
    if not same_rate(fitted.frame_time, first.frame_time):
        fitted = resample(fitted, first.fps).changed(frame_time=first.frame_time)
        notes.append(f"resampled from {motion.fps:.4g} to {first.fps:.4g} fps, the rate of the trusted ones")
    factor = leg_length(first.skeleton) / leg_length(motion.skeleton)
    # Files round bone lengths: a difference this small is not a difference of size.
    return scaled(fitted, factor) if abs(factor - 1.0) > 1e-4 else fitted


def _lasting(motion: Any, trusted: Sequence[Any], notes: tuple[str, ...]) -> Candidate:
    """Return a candidate, refused if its duration shows that it is another piece of the movement."""
    frames = len(motion)
    if frames < LEAST_FRAMES:
        return Candidate(motion, f"too short: {frames} frames, at least {LEAST_FRAMES} are needed", notes)
    duration, least, most = _duration(motion), *_range(trusted)
    if duration * FACTOR < least:
        return Candidate(motion, f"too short: {_lasts(motion, duration, least, most)}", notes)
    if duration > FACTOR * most:
        return Candidate(motion, f"too long: {_lasts(motion, duration, least, most)}", notes)
    return Candidate(motion, "", notes)


def longer_or_shorter(motion: Any, trusted: Sequence[Any]) -> str:
    """Return a phrase if the duration is clearly outside the trusted motions' durations, else an empty string."""
    duration, least, most = _duration(motion), *_range(trusted)
    margin = max(0.5 * (most - least), 0.03 * most)
    if least - margin <= duration <= most + margin:
        return ""
    word = "shorter" if duration < least else "longer"
    return f"{word} ({_lasts(motion, duration, least, most)})"


def _duration(motion: Any) -> float:
    return float(len(motion) - 1) if isinstance(motion, np.ndarray) else float(motion.duration)


def _range(trusted: Sequence[Any]) -> tuple[float, float]:
    durations = [_duration(one) for one in trusted]
    return min(durations), max(durations)


def _lasts(motion: Any, duration: float, least: float, most: float) -> str:
    unit = "frames" if isinstance(motion, np.ndarray) else "s"
    return f"{duration:.3g} {unit}, the trusted ones {least:.3g} to {most:.3g} {unit}"


@dataclass(frozen=True, eq=False)
class Verdict:
    """One candidate: its figure (nan if it could not be compared), and why it was rejected.

    The figure is the probability that a clip of the trusted kind differs at least as much, or its likelihood per frame
    and node. `missed` (20, joints): how far its log densities fall below the trusted clips', by parts of its duration.
    """

    kept: bool
    figure: float
    reason: str = ""
    notes: tuple[str, ...] = ()
    missed: Floats | None = None
    named: tuple[str, ...] = ()  # the joints that the reason names


@dataclass(frozen=True, eq=False)
class Selection:
    """The verdicts in the order of the candidates, the threshold, and the trusted clips' figures when left out."""

    verdicts: tuple[Verdict, ...]
    threshold: float
    trusted: Floats
    joints: tuple[str, ...]
    doubtful: tuple[int, ...] = ()  # trusted clips unlike the others, which makes too many clips look similar
    measure: str = "difference"  # or likelihood: what the figures are

    @property
    def kept(self) -> list[int]:
        """The numbers of the candidates that are similar enough."""
        return [k for k, verdict in enumerate(self.verdicts) if verdict.kept]


class Spot(NamedTuple):
    """The least likely joints, worst first, and the part of the movement (fractions of its duration)."""

    what: tuple[str, ...]
    first: float
    last: float

    def __str__(self) -> str:
        named = " and ".join([", ".join(self.what[:-1]), self.what[-1]] if len(self.what) > 1 else self.what)
        return f"least likely: {named}, {'throughout' if self.throughout else f'at {self.where}'}"

    @property
    def throughout(self) -> bool:
        """Whether the part is most of the movement rather than a stretch."""
        return self.last - self.first >= 0.8

    @property
    def where(self) -> str:
        """The stretch in words."""
        return f"{100 * self.first:.0f}-{100 * self.last:.0f} % of the movement"


def by_phase(frames: Floats) -> Floats:
    """Return log densities (frames, DOFs) as means over parts of equal duration, (20, DOFs)."""
    edges = np.linspace(0.0, len(frames), PHASES + 1)
    total = np.concatenate([np.zeros((1, frames.shape[1])), np.cumsum(frames, axis=0)])
    low = np.minimum(edges.astype(np.intp), len(frames) - 1)
    at = total[low] + (edges - low)[:, None] * frames[low]
    return np.asarray(np.diff(at, axis=0) / np.diff(edges)[:, None])


def owners(dofs: Sequence[str]) -> tuple[str, ...]:
    """Return the name of each DOF in a reason: its joint, or a phrase if it moves the entire body."""
    return tuple(ROOT_WORDS.get(dof.rpartition(".")[2], dof.rpartition(".")[0] or dof) for dof in dofs)


def missing(parts: Floats, usual: Floats) -> Floats:
    """Return how far log densities (20, DOFs) fall below the usual densities: from 0 to at most 8 nats."""
    return np.clip(usual - parts, 0.0, REACH)


def joined(missed: Floats, dofs: Sequence[str]) -> tuple[tuple[str, ...], Floats]:
    """Return the shortfall by joint, (20, joints): sums over a joint's DOFs."""
    called = owners(dofs)
    names = tuple(dict.fromkeys(called))
    belongs = np.array([[owner == name for name in names] for owner in called], dtype=np.float64)
    return names, missed @ belongs


def least_likely(missed: Floats, dofs: Sequence[str]) -> Spot | None:
    """Return the joints with half of the shortfall, at most three, and the shortest stretch with half of theirs.

    Pass the shortfall times the DOFs' distance, so that a thumb's twitch does not outweigh a leg.
    """
    names, table = joined(missed, dofs)
    sums = table.sum(axis=0)
    if sums.sum() <= 0.0:
        return None
    order = np.argsort(-sums, kind="stable")
    cumulative = np.cumsum(sums[order]) / sums.sum()
    # More than three joints are no clearer than "the whole body".
    count = min(int(np.searchsorted(cumulative, SHARE)) + 1, 3)
    while count > 1 and sums[order[count - 1]] < 0.25 * sums[order[0]]:
        count -= 1
    chosen = order[:count]
    first, last = _stretch(table[:, chosen].sum(axis=1))
    return Spot(tuple(names[k] for k in chosen), first / PHASES, last / PHASES)


def _stretch(values: Floats) -> tuple[int, int]:
    """Return the shortest run of parts that contains half of the sum: its first part, and the part after its last."""
    total = np.concatenate([[0.0], np.cumsum(values)])
    half = SHARE * total[-1]
    for length in range(1, len(values) + 1):
        sums = total[length:] - total[:-length]
        if sums.max() >= half:
            first = int(sums.argmax())
            return first, first + length
    return 0, len(values)
