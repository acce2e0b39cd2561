"""Learn a VariationModel from takes, offline (Lau 2009, §5).

Lau 2009 (§9) learns from clips that were cut and chosen by hand. Here `ingest` does that for every front end: it cuts
motion that repeats at one common phase, sets aside outliers and decides whether the movement is cyclic; clips that are
already cut pass through unchanged.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import FreshtakeError, UsageError
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion import Clip
from freshtake.motion.check.checks import called, joined
from freshtake.motion.cycles.cycles import Closing, closing_of, find_common_cycles, is_cyclic, no_recurrence, phase_lag
from freshtake.motion.cycles.recurrence import Cycles
from freshtake.motion.edit import take_frames
from freshtake.motion.skeleton import compatible
from freshtake.motion.tempo import LONGEST_CYCLE, SHORTEST_CYCLE
from freshtake.numeric.arrays import rounded
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.variation.deviations import Settings, prior_sizes
from freshtake.variation.examples import FEWEST, Material, check_examples, material_of
from freshtake.variation.model import VariationModel, labeled
from freshtake.variation.network import Likelihood
from freshtake.variation.phase import ALIGNMENT, align, common_phase, takes_on_phase
from freshtake.variation.selection.unlike import (
    Compared,
    compared,
    differ_more_than_they_move,
    differences,
    two_groups,
    unlike_takes,
)

AUTO, WHOLE, CYCLES = "auto", "whole", "cycles"
SURE = 0.002  # probability that a take that belongs is as far off: below it, left out; up to CHANCE, reported


class LeftOut(NamedTuple):
    """A take, or a piece of one, that is left out, and the reason."""

    name: str
    reason: str


@dataclass(frozen=True, eq=False)
class Ingested:
    """The examples, in the order of the takes, and the outcome for the other takes.

    `takes` is the number of the take that each example comes from; `are_cut` is true if takes were cut into cycles;
    `cyclic` is None if no clips with a skeleton are given, and the learner decides. `stretches` are takes that were cut
    from other takes.
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
        """At most six lines: what was used, what was left out and why, whether it repeats, and how to override each.

        Empty if all takes are used unchanged and it is clear whether the movement repeats.
        """
        lines = []
        if self.are_cut:
            seconds = [clip.duration for clip in self.examples]
            takes = _counted(self.given - len(self.stretches), "take")
            took = f"took {_counted(len(self.examples), 'cycle')} of {takes}"
            lasts = f"{min(seconds):.2f} to {max(seconds):.2f} s each, all starting at the same phase"
            lines.append(f"{took}, {lasts}; --whole learns from takes as they are")
        if self.stretches:
            names = joined([one.name for one in self.stretches])
            verb = "is a stretch" if len(self.stretches) == 1 else "are stretches"
            lines.append(
                f"left out {names}, which {verb} of {joined(list(dict.fromkeys(one.reason for one in self.stretches)))}"
            )
        for one in self.left[:2]:
            lines.append(f"left out {one.name}: {one.reason}")
        if len(self.left) > 2:
            lines.append(f"left out {len(self.left) - 2} more: {joined([one.name for one in self.left[2:]])}")
        if self.left:
            lines[-1] += "; --keep learns from all of them"
        for one in self.doubtful[:1]:
            more = f" (and {len(self.doubtful) - 1} more)" if len(self.doubtful) > 1 else ""
            lines.append(f"{one.name}{more} may be unlike the others: {one.reason}. Leave it out, or add takes like it")
        if self.closing is not None and (lines or self.closing.doubtful):
            word, other = ("repeats", "acyclic") if self.closing.cyclic else ("does not repeat", "cyclic")
            lines.append(f"the movement {word}: {self.closing.evidence}; --{other} overrides this")
        return lines


def _counted(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


@one_blas_thread()
def ingest(motions: Sequence[Any], *, pieces: str = AUTO, keep: bool = False, cyclic: bool | None = None) -> Ingested:
    """Turn takes into examples.

    Args:
        motions: Takes of one movement on one skeleton; motions without a skeleton are never cut.
        pieces: "auto" cuts takes of several cycles, "cycles" all takes, "whole" none.
        keep: Keep takes that are unlike the others.
        cyclic: Whether the movement repeats; default: decided by how well the examples close.

    Returns:
        The examples, which takes they come from, and the takes left out.
    """
    if pieces not in (AUTO, WHOLE, CYCLES):
        raise UsageError(f"pieces must be auto, whole or cycles, not {pieces!r}")
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
        examples: Clips, strokes, point clips, or plain arrays (frames, DOFs), usually about four; one is enough.
        settings: The settings of learning.
        rng: Not used: learning draws nothing. Accepted because all four methods learn by the same call.
        pieces: How to cut takes into examples, as in `ingest`.
        keep: Keep takes that are unlike the others.
        cyclic: Whether the motion repeats; detected from the takes unless given.
        report: Receives `Progress`, beginning with what was cut and left out.
        options: `names` of the DOFs of plain arrays, and `frame_time`, the seconds per row.

    Returns:
        The model, which is immutable.
    """
    taken, say = ingest(examples, pieces=pieces, keep=keep, cyclic=cyclic), report or silent
    for sentence in taken.sentences:
        say(Progress(0.0, sentence))
    return learn_examples(taken.examples, settings, cyclic=taken.cyclic, report=report, **options)


@one_blas_thread()
def learn_examples(
    examples: Sequence[Any],
    settings: Settings | None = None,
    *,
    report: Report | None = None,
    names: Sequence[str] | None = None,
    frame_time: float | None = None,
    cyclic: bool | None = None,
) -> VariationModel:
    """Learn a model from the examples as given; the arguments are as for `learn`."""
    say = report or silent
    say(Progress(0.0, "reading the examples"))
    material = material_of(examples, names, frame_time)
    check_examples(examples, material, FEWEST)
    repeats = cyclic if cyclic is not None else isinstance(examples[0], Clip) and is_cyclic(list(examples))
    say(Progress(0.2, "aligning the examples"))
    model = labeled(model_of(material, settings or Settings(), repeats))
    say(Progress(1.0, "done"))
    return model


def model_of(material: Material, settings: Settings, cyclic: bool) -> VariationModel:
    """Return the model of examples that are already encoded as rows of DOFs."""
    phase_frames = rounded(common_phase(material.values, material.weights, material.frame_time))
    sizes = prior_sizes(material, takes_on_phase(material, phase_frames))
    return VariationModel(material, settings, cyclic, phase_frames, sizes)


@one_blas_thread()
def examples_by_others(model: VariationModel) -> list[Likelihood]:
    """Return the likelihood of each example under a model of the others, in order."""
    if len(model.material.values) < 2:
        raise UsageError("a single example cannot be left out: there are no others")
    values, starts, out = model.material.values, model.material.starts, []
    for k, rows in enumerate(values):
        others = replace(model.material, values=values[:k] + values[k + 1 :], starts=starts[:k] + starts[k + 1 :])
        out.append(model_of(others, model.settings, model.cyclic).score_rows(rows))
    return out


def _stretches(clips: Sequence[Clip]) -> dict[int, int]:
    """Map takes to the longer takes that they were cut from, pose for pose.

    Their cycles would count twice; learning from the longer take alone loses nothing.
    """
    # no recording repeats six digits by chance, and files store more than that
    poses = [np.round(clip.rotations[:, 1:].reshape(len(clip), -1), 6) + 0.0 for clip in clips]
    places: dict[int, list[tuple[int, int]]] = {}
    for number, rows in enumerate(poses):
        for frame, row in enumerate(rows):
            places.setdefault(hash(row.tobytes()), []).append((number, frame))
    out = {}
    for number, rows in enumerate(poses):
        if len(rows) > 1 and (rows == rows[0]).all():  # only its root moves, and rotating the take changes that
            continue
        for other, frame in places[hash(rows[0].tobytes())]:
            if len(rows) < len(poses[other]) and np.array_equal(poses[other][frame : frame + len(rows)], rows):
                out[number] = other
                break
    return out


def _cut(clips: Sequence[Clip], pieces: str, left: list[LeftOut]) -> tuple[list[int], list[Clip], bool]:
    """Cut takes that repeat, and keep takes that are already one cycle; cut none if most do not repeat."""
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
    if any(single):  # clips that are already cut define the phase: loops begin where the first of these clips begins
        by_take = find_common_cycles(clips, like=clips[single.index(True)])
    numbers, examples = [], []
    for number, clip in enumerate(clips):
        cycles = by_take[number]
        if long[number] and cycles is not None:
            name = clip.name or "take"
            pieces_of = enumerate(cycles.spans, start=1)
            cut = [take_frames(clip, a, b + 1).changed(name=f"{name}_{k:03d}") for k, (a, b) in pieces_of]
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
    """Return the periods, in seconds, of takes that surely repeat; or of all, if another take is one cycle long."""
    tracked = [(clip, cycles) for clip, cycles in zip(clips, found, strict=True) if cycles is not None]
    every = [cycles.period * clip.frame_time for clip, cycles in tracked]
    sure = []
    for period, (clip, cycles) in zip(every, tracked, strict=True):
        filled = sum(last - first for first, last in cycles.spans) / max(len(clip) - 1, 1)
        # a take surely repeats if it has three cycles, or two cycles that fill most of it
        if len(clip) - 1 >= 3 * cycles.period or (len(cycles) == 2 and filled >= 0.72):
            sure.append(period)
    rest = [clip for clip, cycles in zip(clips, found, strict=True) if cycles is None]
    if pieces == CYCLES or (every and any(_is_one_cycle(clip, float(np.median(every))) for clip in rest)):
        return every
    return sure


def _is_one_cycle(clip: Clip, period: float) -> bool:
    return _lasts(clip.duration, period) and closing_of([clip]).cyclic


def _lasts(seconds: float, period: float) -> bool:
    """Return whether a duration may be one cycle if other takes have this period."""
    return SHORTEST_CYCLE * period < seconds < LONGEST_CYCLE * period


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
    # Either of two groups may be the intended movement; cycles of one long take are always closer to each other.
    groups = None if are_cut or alike is None else two_groups(alike, SURE)
    if groups is not None:
        these, those = (joined([called(examples[others[k]]) for k in group]) for group in groups)
        raise UsageError(f"{these} are unlike {those}: learn from each of the two groups separately, or add --keep")
    first = examples[unlike[0].others[0]] if unlike else None
    for one in unlike:
        phase = "" if are_cut else _other_phase(examples[one.number], first)
        # a cut clip that begins at another phase explains all other differences
        cut_together = f"it begins {phase} than the others: cut all takes in one command"
        named = LeftOut(called(examples[one.number]), cut_together if phase else "; ".join(differences(takes, one)))
        (left if one.number in odd else doubtful).append(named)
    return [numbers[k] for k in others], [examples[k] for k in others]


def _different(examples: Sequence[Any]) -> str:
    """Return why examples cannot be combined: they begin at different phases or differ in movement."""
    late = [one for one in examples[1:] if _other_phase(one, examples[0])]
    if late:
        which = f"{joined([called(one) for one in late])} and {called(examples[0])}"
        return f"{which} begin at different phases of the cycle: cut all takes in one command, or add --keep"
    which = f"{joined([called(one) for one in examples])} differ from each other by more than they move"
    return f"{which}, as different movements do: learn from takes of one movement, or add --keep"


def _other_phase(example: Any, first: Any) -> str:
    """Return in words how much earlier or later a cycle begins than another; empty if it does not."""
    if not (isinstance(example, Clip) and closing_of([example]).cyclic and closing_of([first]).cyclic):
        return ""
    lag = phase_lag(example, first)
    # cut clips may begin up to a fifth of a cycle earlier or later than the others
    return f"{100 * abs(lag):.0f} % of a cycle {'later' if lag < 0 else 'earlier'}" if abs(lag) > 0.2 else ""


def _side_by_side(examples: Sequence[Any]) -> Compared | None:
    """Return examples at common phases; None if they cannot be compared: the learner reports why."""
    if len(examples) < 2 or any(len(one) < 4 or isinstance(one, np.ndarray) for one in examples):
        return None
    try:
        material = material_of(examples, None, None)
        if not material.names or any((x == x[0]).all() for x in material.values):
            return None
        return compared(examples, material, align(material.values, material.weights, ALIGNMENT / material.frame_time))
    except FreshtakeError:
        return None
