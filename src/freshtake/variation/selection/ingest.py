"""Ingest raw takes: cut what repeats at one common phase, set aside what is unlike, decide what is cyclic.

Lau 2009 (§9) learns from clips that were cut and chosen by hand. Here one function does that work for every front
end; clips that are already cut pass through unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import FreshtakeError, UsageError
from freshtake.methods.progress import Progress, Report
from freshtake.motion import Clip
from freshtake.motion.check.checks import called, joined
from freshtake.motion.cycles.cycles import Closing, closing_of, find_common_cycles, no_recurrence, phase_lag
from freshtake.motion.cycles.recurrence import Cycles
from freshtake.motion.edit import take_frames
from freshtake.motion.skeleton import compatible
from freshtake.motion.tempo import LONGEST_CYCLE, SHORTEST_CYCLE
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.variation.deviations import Settings
from freshtake.variation.examples import material_of
from freshtake.variation.model import VariationModel
from freshtake.variation.phase import ALIGNMENT, align
from freshtake.variation.selection.unlike import (
    Compared,
    Unlike,
    compared,
    differ_more_than_they_move,
    differences,
    two_groups,
    unlike_takes,
)

AUTO, WHOLE, CYCLES = "auto", "whole", "cycles"
SURE = 0.002  # probability that a take which belongs is as far off: left out below this, only named up to CHANCE


class LeftOut(NamedTuple):
    """A take, or a piece of one, that is not learned from, and why."""

    name: str
    reason: str


@dataclass(frozen=True, eq=False)
class Ingested:
    """The examples, in the order of the takes, and what happened to the rest.

    `takes` has the number of the take that each example comes from; `are_cut` says whether takes were cut into cycles;
    `cyclic` is None where no clips with a skeleton are given, and the learner decides. `stretches` are takes that were
    cut from others of them.
    """

    examples: tuple[Any, ...]
    takes: tuple[int, ...]
    given: int
    are_cut: bool
    cyclic: bool | None
    left: tuple[LeftOut, ...] = ()
    doubtful: tuple[LeftOut, ...] = ()
    closing: Closing | None = None
    stretches: tuple[LeftOut, ...] = ()

    @property
    def sentences(self) -> list[str]:
        """What was used, left out and why, whether it repeats, and how to overrule each: at most six lines.

        Empty where all takes are used as they are, and it is clear whether the movement repeats.
        """
        lines = []
        if self.are_cut:
            seconds = [clip.duration for clip in self.examples]
            takes = _counted(self.given - len(self.stretches), "take")
            took = f"took {_counted(len(self.examples), 'cycle')} of {takes}"
            lasts = f"{min(seconds):.2f} to {max(seconds):.2f} s each, all from the same phase on"
            lines.append(f"{took}, {lasts}; --whole learns from takes as they are")
        if self.stretches:
            names = joined([one.name for one in self.stretches])
            verb = "is a stretch" if len(self.stretches) == 1 else "are stretches"
            lines.append(f"left out {names}, which {verb} of {joined(_distinct(self.stretches))}")
        for one in self.left[:2]:
            lines.append(f"left out {one.name}: {one.reason}")
        if len(self.left) > 2:
            lines.append(f"left out {len(self.left) - 2} more: {joined([one.name for one in self.left[2:]])}")
        if self.left:
            lines[-1] += "; --keep learns from all of them"
        for one in self.doubtful[:1]:
            more = f" (and {len(self.doubtful) - 1} more)" if len(self.doubtful) > 1 else ""
            lines.append(f"{one.name}{more} may be unlike the others: {one.reason}. Leave it out or add takes like it")
        if self.closing is not None and (lines or self.closing.doubtful):
            word, other = ("repeats", "acyclic") if self.closing.cyclic else ("ends by itself", "cyclic")
            lines.append(f"the movement {word}: {self.closing.evidence}; --{other} overrules")
        return lines


def _distinct(left: Sequence[LeftOut]) -> list[str]:
    return list(dict.fromkeys(one.reason for one in left))


def _counted(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


@one_blas_thread()
def ingest(motions: Sequence[Any], *, pieces: str = AUTO, keep: bool = False, cyclic: bool | None = None) -> Ingested:
    """Turn takes into examples.

    Args:
        motions: Takes of one movement on one skeleton; motions without a skeleton are never cut.
        pieces: "auto" cuts takes of several cycles, "cycles" all takes, "whole" none.
        keep: Keep takes that are unlike the others.
        cyclic: Whether the movement repeats; by default decided by how well the examples close.

    Returns:
        The examples, which takes they come from, and what was left out.
    """
    if pieces not in (AUTO, WHOLE, CYCLES):
        raise UsageError(f"takes are used as auto, whole or cycles, not as {pieces!r}")
    left_out: list[LeftOut] = []
    doubtful: list[LeftOut] = []
    numbers, examples, are_cut = list(range(len(motions))), list(motions), False
    clips = all(isinstance(motion, Clip) for motion in motions) and len(motions) > 0
    stretches: dict[int, int] = {}
    if clips and pieces != WHOLE and all(compatible(motions[0].skeleton, one.skeleton) for one in motions):
        stretches = _stretches(motions)
        separate = [number for number in numbers if number not in stretches]
        cut_from, examples, are_cut = _cut([motions[number] for number in separate], pieces, left_out)
        numbers = [separate[number] for number in cut_from]
    elif pieces == CYCLES:
        raise UsageError("only clips with one skeleton can be cut into cycles: leave --cycles out")
    if not keep:
        numbers, examples = _alike(numbers, examples, left_out, doubtful, are_cut)
    closing = closing_of(examples) if clips and cyclic is None and not are_cut else None
    if closing is not None:
        cyclic = closing.cyclic
    return Ingested(
        tuple(examples), tuple(numbers), len(motions), are_cut, True if are_cut and cyclic is None else cyclic,
        tuple(left_out), tuple(doubtful), closing,
        tuple(LeftOut(called(motions[one]), called(motions[whole])) for one, whole in stretches.items()),
    )  # fmt: skip


def learn(
    examples: Sequence[Any],
    settings: Settings | None = None,
    *,
    rng: np.random.Generator | None = None,
    pieces: str = AUTO,
    keep: bool = False,
    cyclic: bool | None = None,
    report: Report | None = None,
    **options: Any,
) -> VariationModel:
    """Learn a model from raw takes: `ingest` them, then learn from the examples.

    Args:
        examples: Clips, strokes, point clips, or plain arrays (frames, DOFs) with `names` and `frame_time`.
        settings: How the model is learned.
        rng: Not used: learning draws nothing. Accepted because all four methods learn by the same call.
        pieces: How takes are cut into examples, as in `ingest`.
        keep: Keep takes that are unlike the others.
        cyclic: Whether the motion repeats; detected from the takes unless given.
        report: Receives `Progress`; first what was cut and left out.
        options: The other options of `learning.learn`.

    Returns:
        The model, which is immutable.
    """
    from freshtake.variation.learning import learn as learn_from

    taken = ingest(examples, pieces=pieces, keep=keep, cyclic=cyclic)
    for sentence in taken.sentences if report is not None else ():
        assert report is not None
        report(Progress(0.0, sentence))
    return learn_from(taken.examples, settings, rng=rng, cyclic=taken.cyclic, report=report, **options)


def _stretches(clips: Sequence[Clip]) -> dict[int, int]:
    """Return which takes are stretches of longer ones, pose for pose: cut from them, and left next to them.

    Their cycles would count twice; learning from the longer take alone loses nothing.
    """
    # six digits are more than a recording repeats by chance, and fewer than files keep
    poses = [np.round(clip.rotations[:, 1:].reshape(len(clip), -1), 6) + 0.0 for clip in clips]
    places: dict[int, list[tuple[int, int]]] = {}
    for number, rows in enumerate(poses):
        for frame, row in enumerate(rows):
            places.setdefault(hash(row.tobytes()), []).append((number, frame))
    out = {}
    for number, rows in enumerate(poses):
        if len(rows) > 1 and (rows == rows[0]).all():  # only its root moves, which a turn of the take changes
            continue
        for other, frame in places[hash(rows[0].tobytes())]:
            if len(rows) < len(poses[other]) and np.array_equal(poses[other][frame : frame + len(rows)], rows):
                out[number] = other
                break
    return out


def _cut(clips: Sequence[Clip], pieces: str, left: list[LeftOut]) -> tuple[list[int], list[Clip], bool]:
    """Cut takes that repeat, and keep those that are already one cycle; cut none where most do not repeat."""
    by_take = find_common_cycles(clips)
    periods = _periods(clips, by_take, pieces)
    if not periods:
        if pieces == CYCLES:
            raise UsageError(no_recurrence(clips[0]))
        return list(range(len(clips))), list(clips), False
    period = float(np.median(periods))
    single = [_is_one_cycle(clip, period) for clip in clips]
    long = [
        cycles is not None and not one and _lasts(cycles.period * clip.frame_time, period)
        for clip, cycles, one in zip(clips, by_take, single, strict=True)
    ]
    if 2 * (sum(long) + sum(single)) <= len(clips) and pieces != CYCLES:
        return list(range(len(clips))), list(clips), False
    if any(single):  # clips that are already cut define the phase: that at which the first of them begins
        by_take = find_common_cycles(clips, like=clips[single.index(True)])
    numbers, examples = [], []
    for number, clip in enumerate(clips):
        cycles = by_take[number]
        if long[number] and cycles is not None:
            cut = [_piece(clip, k, first, last) for k, (first, last) in enumerate(cycles.spans, start=1)]
        elif single[number]:
            cut = [clip]
        else:
            what = f"nothing repeats in it, while the others repeat every {period:.2f} s"
            left.append(LeftOut(called(clip), what))
            continue
        numbers += [number] * len(cut)
        examples += cut
    return numbers, examples, True


def _periods(clips: Sequence[Clip], found: Sequence[Cycles | None], pieces: str) -> list[float]:
    """Return periods in seconds of takes that surely repeat; or of all, if another take is one cycle of this length."""
    tracked = [(clip, cycles) for clip, cycles in zip(clips, found, strict=True) if cycles is not None]
    every = [cycles.period * clip.frame_time for clip, cycles in tracked]
    sure = [period for period, (clip, cycles) in zip(every, tracked, strict=True) if _repeats(clip, cycles)]
    rest = [clip for clip, cycles in zip(clips, found, strict=True) if cycles is None]
    if pieces == CYCLES or (every and any(_is_one_cycle(clip, float(np.median(every))) for clip in rest)):
        return every
    return sure


def _repeats(clip: Clip, cycles: Cycles) -> bool:
    """Return whether a take is several cycles: as long as three, or two that fill it."""
    filled = sum(last - first for first, last in cycles.spans) / max(len(clip) - 1, 1)
    # a take surely repeats if it is three cycles long,
    # or two, if they fill most of it
    return len(clip) - 1 >= 3 * cycles.period or (len(cycles) == 2 and filled >= 0.72)


def _is_one_cycle(clip: Clip, period: float) -> bool:
    return _lasts(clip.duration, period) and closing_of([clip]).cyclic


def _lasts(seconds: float, period: float) -> bool:
    """Return whether a duration may be one cycle where others have this period."""
    return SHORTEST_CYCLE * period < seconds < LONGEST_CYCLE * period


def _piece(clip: Clip, number: int, first: int, last: int) -> Clip:
    return take_frames(clip, first, last + 1).changed(name=f"{clip.name or 'take'}_{number:03d}")


def _alike(
    numbers: list[int], examples: list[Any], left: list[LeftOut], doubtful: list[LeftOut], are_cut: bool
) -> tuple[list[int], list[Any]]:
    """Set aside examples that are unlike the others, with the reasons of `select`; refuse different movements."""
    takes = _side_by_side(examples)
    if takes is None:
        return numbers, examples
    unlike = unlike_takes(takes, recordings=numbers)
    odd = [one.number for one in unlike if one.chance < SURE]
    others = [k for k in range(len(examples)) if k not in odd]
    alike = _side_by_side([examples[k] for k in others]) if odd else takes
    if alike is not None and differ_more_than_they_move(alike):
        raise UsageError(_different([examples[k] for k in others]))
    # Which of two groups is meant cannot be known; cycles of one long take are always nearer to each other.
    groups = None if are_cut or alike is None else two_groups(alike, SURE)
    if groups is not None:
        these, those = (joined([called(examples[others[k]]) for k in group]) for group in groups)
        raise UsageError(f"{these} are unlike {those}: learn from each of the two groups by itself, or add --keep")
    first = examples[unlike[0].others[0]] if unlike else None
    for one in unlike:
        named = LeftOut(called(examples[one.number]), _reason(examples, one, first, takes, are_cut))
        (left if one.number in odd else doubtful).append(named)
    return [numbers[k] for k in others], [examples[k] for k in others]


def _different(examples: Sequence[Any]) -> str:
    """Return why examples cannot be learned from together: they begin at different phases or differ in movement."""
    late = [one for one in examples[1:] if _other_phase(one, examples[0])]
    if late:
        which = f"{joined([called(one) for one in late])} and {called(examples[0])}"
        return f"{which} begin at different phases of the cycle: cut all takes in one command, or add --keep"
    which = f"{joined([called(one) for one in examples])} are unlike each other, as different movements are"
    return f"{which} (they differ by more than they move): learn from takes of one movement, or add --keep"


def _other_phase(example: Any, first: Any) -> str:
    """Return in words by how much a cycle begins earlier or later than another; empty where it does not."""
    if not (isinstance(example, Clip) and closing_of([example]).cyclic and closing_of([first]).cyclic):
        return ""
    lag = phase_lag(example, first)
    # cut clips may begin up to a fifth of a cycle earlier or later than the others
    return f"{100 * abs(lag):.0f} % of a cycle {'later' if lag < 0 else 'earlier'}" if abs(lag) > 0.2 else ""


def _reason(examples: Sequence[Any], one: Unlike, first: Any, takes: Compared, are_cut: bool) -> str:
    """Return why an example is unlike; a cut clip that begins at another phase explains all other differences."""
    phase = "" if are_cut else _other_phase(examples[one.number], first)
    if phase:
        return f"it begins {phase} than the others: cut all takes in one command"
    return "; ".join(differences(takes, one))


def _side_by_side(examples: Sequence[Any]) -> Compared | None:
    """Return examples at common phases; None for plain arrays and what cannot be compared: the learner reports why."""
    if len(examples) < 2 or any(len(one) < 4 or isinstance(one, np.ndarray) for one in examples):
        return None
    try:
        material = material_of(examples, None, None)
        if not material.names or any((x == x[0]).all() for x in material.values):
            return None
        return compared(examples, material, align(material.values, material.weights, ALIGNMENT / material.frame_time))
    except FreshtakeError:
        return None
