"""A user study: what is watched and in which order, as files; and what the scores say (Lau 2009, §8)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.evaluation.study import QUESTIONS, Outcome, Rating, Stimulus, analyze, schedule
from freshtake.evaluation.study.conditions import EXPERIMENTS
from freshtake.evaluation.study.schedule import LONG, cycle_animation, variant_sequence
from freshtake.formats.files import is_folder, replacing_folder
from freshtake.formats.registry import for_writing, write
from freshtake.formats.report_files import write_figure
from freshtake.formats.study_csv import read_key, read_ratings, write_key, write_ratings
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion import Clip
from freshtake.motion.cycles.joining import BLEND
from freshtake.motion.edit import start_at_origin
from freshtake.workflows.seeds import generator
from freshtake.workflows.takes_reading import read_clips

Sequencer = Callable[..., tuple[Clip, list[int]]]
MOST_STIMULI = 1000


class StudyPlan(NamedTuple):
    """Numbers of a study; the defaults are the paper's."""

    participants: int = 15
    trials: int = 15
    clips: int = LONG
    sequences: int = 15
    blend: float = BLEND


class DesignedStudy(NamedTuple):
    """The folder of a study, its stimuli, and how many trials there are."""

    folder: Path
    stimuli: list[Stimulus]
    trials: int


class StudySets(NamedTuple):
    """Takes that variants are shown among, in which experiments, and the files that are watched."""

    captured: Sequence[Path] = ()
    inputs: Sequence[Path] = ()
    experiments: Sequence[str] = EXPERIMENTS
    ending: str = "bvh"
    seed: int = 0


STUDY_SETS = StudySets()


def study_design(
    folder: Path,
    motion: str,
    variants: Sequence[Path],
    *,
    sets: StudySets = STUDY_SETS,
    plan: StudyPlan | None = None,
    reading: dict[str, Any] | None = None,
    report: Report = silent,
) -> DesignedStudy:
    """Write stimuli under names that do not give them away, a sheet of ratings to be filled in, and the key.

    Experiment A shows single variants among `captured` takes (default: the inputs); experiment B shows long sequences
    of variants among cycle animations of the inputs.
    """
    plan = plan or StudyPlan()
    _check(motion, sets.experiments, plan, sets.captured or sets.inputs, sets.inputs)
    suffix = f".{sets.ending.lstrip('.')}"
    for_writing(Path(f"stimulus{suffix}"))
    needed = "a study shows clips with a skeleton"
    new, real, learned = read_clips([variants, sets.captured or sets.inputs, sets.inputs], reading, needed)
    stimuli: list[tuple[Stimulus, Clip]] = []
    for number, experiment in enumerate(dict.fromkeys(sets.experiments)):
        rng = generator(sets.seed, "AB".index(experiment))
        report(Progress(0.2 + 0.3 * number, f"experiment {experiment}"))
        single = _singles(new, real) if experiment == "A" else _sequences(new, learned, plan, rng)
        stimuli += _named(single, experiment, motion, rng)
    trials = schedule(
        [s for s, _ in stimuli], participants=plan.participants, trials=plan.trials, rng=generator(sets.seed, 2)
    )
    with replacing_folder(folder) as temporary:
        (temporary / "stimuli").mkdir()
        for k, (stimulus, clip) in enumerate(stimuli):
            report(Progress(0.7 + 0.3 * k / len(stimuli), stimulus.name))
            write(temporary / "stimuli" / f"{stimulus.name}{suffix}", clip, unit_m=(reading or {}).get("unit_m"))
        write_ratings(temporary / "ratings.csv", trials)
        write_key(temporary / "key.csv", [s for s, _ in stimuli])
        questions = "".join(f"Experiment {e}: {QUESTIONS[e]}\n" for e in dict.fromkeys(sets.experiments))
        (temporary / "questions.txt").write_text(questions)
    return DesignedStudy(folder, [s for s, _ in stimuli], len(trials))


def _check(
    motion: str, experiments: Sequence[str], plan: StudyPlan, captured: Sequence[Path], inputs: Sequence[Path]
) -> None:
    unknown = next((e for e in experiments if e not in EXPERIMENTS), None)
    if unknown is not None or not experiments:
        raise UsageError(f"there is no experiment {unknown!r}: choose A, B or both")
    if not motion.replace("_", "").isalnum():
        raise UsageError(f"a motion's name has letters, digits and underscores, but is {motion!r}")
    if "A" in experiments and not captured:
        raise UsageError("experiment A compares variants with captured takes: name some with --captured")
    if "B" in experiments and not inputs:
        raise UsageError("experiment B compares variants with replayed inputs: name them with --inputs")
    if not (1 <= plan.clips <= MOST_STIMULI and 1 <= plan.sequences <= MOST_STIMULI):
        raise UsageError(f"the numbers of clips and of sequences must lie between 1 and {MOST_STIMULI}")


def _singles(new: Sequence[Clip], real: Sequence[Clip]) -> list[tuple[str, Clip, tuple[str, ...]]]:
    sets = (("variants", new), ("captured", real))
    return [(condition, clip, (clip.name,)) for condition, clips in sets for clip in clips]


def _sequences(
    new: Sequence[Clip], inputs: Sequence[Clip], plan: StudyPlan, rng: np.random.Generator
) -> list[tuple[str, Clip, tuple[str, ...]]]:
    sets: tuple[tuple[str, Sequencer, Sequence[Clip]], ...] = (
        ("variants", variant_sequence, new), ("cycle", cycle_animation, inputs),
    )  # fmt: skip
    out = []
    for condition, sequence, clips in sets:
        for _ in range(plan.sequences):
            clip, order = sequence(clips, plan.clips, rng, blend=plan.blend)
            out.append((condition, clip, tuple(clips[k].name for k in order)))
    return out


def _named(
    shown: Sequence[tuple[str, Clip, tuple[str, ...]]], experiment: str, motion: str, rng: np.random.Generator
) -> list[tuple[Stimulus, Clip]]:
    """Stimuli in random order, numbered, all from one starting place: neither name nor file reveals the condition."""
    out = []
    for number, k in enumerate(rng.permutation(len(shown)).tolist(), start=1):
        condition, clip, sources = shown[k]
        name = f"{motion}_{experiment}_{number:03d}"
        stimulus = Stimulus(name, experiment, motion, condition, sources)
        out.append((stimulus, start_at_origin(clip).changed(name=name, provenance="")))
    return out


def study_analyze(tables: Sequence[Path], key: Path | None = None, picture: Path | None = None) -> list[Outcome]:
    """Read filled-in sheets (or the folders they are in) with their keys; `picture` is where figure 8 is drawn."""
    from freshtake.reports.study_figure import figure

    if not tables:
        raise UsageError("there is nothing to analyze: name at least one table of ratings")
    ratings: list[Rating] = []
    stimuli: dict[str, Stimulus] = {}
    for table in tables:
        sheet = table / "ratings.csv" if is_folder(table) else table
        ratings += read_ratings(sheet)
        table_key = read_key(key or sheet.with_name("key.csv"))
        shared = next((name for name in table_key if stimuli.get(name, table_key[name]) != table_key[name]), None)
        if shared is not None:
            raise UsageError(f"{sheet} and another study share the stimulus {shared!r}: give motions different names")
        stimuli |= table_key
    outcomes = analyze(ratings, stimuli)
    if picture is not None:
        write_figure(picture, figure(outcomes))
    return outcomes
