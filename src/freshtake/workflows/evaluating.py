"""Compare variants with takes, by figures and by a study with people."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.evaluation import Evaluation
from freshtake.evaluation import evaluate as score
from freshtake.evaluation.study import QUESTIONS, Outcome, Rating, Stimulus, analyze, schedule
from freshtake.evaluation.study.schedule import (
    CONDITIONS,
    EXPERIMENTS,
    crowd_with_clones,
    cycle_animation,
    variant_sequence,
)
from freshtake.formats.files import is_folder, replacing_folder
from freshtake.formats.read_options import Motion
from freshtake.formats.registry import take_files, write
from freshtake.formats.report_files import can_plot, check_report_target, require_plots, write_figure, write_report
from freshtake.formats.study_csv import read_key, read_ratings, write_key, write_ratings
from freshtake.methods.progress import Progress, Report, Warn, part_of, silent, unheard
from freshtake.motion import Clip
from freshtake.motion.edit import start_at_origin
from freshtake.motion.verdict import Verdict, assess, standard_of
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.reports.evaluation_page import page
from freshtake.reports.plots import Picture, pictures
from freshtake.reports.viewport.staging import scene_of
from freshtake.requests.evaluation import Evaluate, StudyAnalyze, StudyDesign, StudyPlan
from freshtake.workflows.inputs import generator, model_of, read_clips, read_sets
from freshtake.workflows.outputs import suffix_of

MOST_SHOWN = 40  # motions of each kind in the page's viewport

# The baselines that `--baselines` scores next to the variants.
KINDS = ("strawman", "perlin", "pca", "convex", "replay")


class Evaluated(NamedTuple):
    """The figures, the written files, and the verdicts of the body checks."""

    result: Evaluation
    written: list[Path]
    checks: Sequence[Verdict] = ()


@one_blas_thread()
def evaluate(request: Evaluate, report: Report = silent, warn: Warn = unheard) -> Evaluated:
    """Score variants against their inputs and additional real takes; write a report if a target is given."""
    for option, paths in (("--inputs", request.inputs), ("--outputs", request.outputs)):
        if not paths:
            raise UsageError(f"evaluate needs {option}: name at least one file")
    if request.model is not None and request.out is None:
        raise UsageError("--model adds what varies together to the report: name one with -o")
    if request.out is not None:
        check_report_target(request.out)
    more: Sequence[Picture] = ()
    if request.model is not None:
        from freshtake.reports.network_pictures import network_pictures

        model = model_of(request.model, "variation")
        more = network_pictures(model) if can_plot() else ()
    report(Progress(0.0, "reading"))
    files = [take_files(paths or []) for paths in (request.inputs, request.outputs, request.extra)]
    sets = read_sets(files, request.reading(warn))
    return evaluate_motions(
        *sets, target=request.out, action=request.action, seed=request.seed, title=request.title,
        baselines=KINDS if request.baselines else (), more=more, report=report,
    )  # fmt: skip


def _checks(inputs: Sequence[Motion], variants: Sequence[Motion]) -> list[Verdict]:
    """Check variants on the skeleton of their takes as `vary` does, so both commands report the same."""
    clips = [motion for motion in inputs if isinstance(motion, Clip)]
    if not clips or any(not isinstance(one, Clip) or one.skeleton.names != clips[0].skeleton.names for one in variants):
        return []
    standard = standard_of(clips)
    return [assess(one, standard) for one in variants if isinstance(one, Clip)]


@one_blas_thread()
def evaluate_motions(
    inputs: Sequence[Motion],
    variants: Sequence[Motion],
    extra: Sequence[Motion] = (),
    *,
    target: Path | None = None,
    action: str = "auto",
    seed: int = 7,
    title: str = "",
    baselines: Sequence[str] = (),
    more: Sequence[Picture] = (),
    report: Report = silent,
) -> Evaluated:
    """Score variants in memory against inputs and extra takes.

    `action` names the peaks to count, `baselines` the kinds of motion that are made from the inputs and scored for
    comparison. `more` contains additional pictures for the report.
    """
    other_sets = {}
    if baselines:
        from freshtake.evaluation.baselines import baseline_sets

        report(Progress(0.02, "making baselines"))
        rng = np.random.default_rng([seed, len(variants)])
        other_sets = baseline_sets(inputs, variants, kinds=baselines, rng=rng)
    rng = np.random.default_rng(seed)
    scoring = part_of(report, 0.0, 0.75)
    result = score(inputs, variants, extra, rng=rng, action=action, baselines=other_sets, report=scoring)
    checks = _checks(inputs, variants)
    if target is None:
        return Evaluated(result, [], checks)
    report(Progress(0.78, "drawing"))
    drawn = [*pictures(inputs, variants, extra), *more] if can_plot() else []
    sets = (("input", inputs), ("variant", list(variants)[:MOST_SHOWN]), ("extra", list(extra)[:MOST_SHOWN]))
    title = title or f"{len(result.variants)} variants of {len(result.inputs)} takes"
    html = page(result, drawn, title, scene_of(sets), checks)
    written = write_report(target, html, result.as_dict(), {picture.name: picture.png for picture in drawn})
    return Evaluated(result, written, checks)


Shown = tuple[str, Sequence[Clip], tuple[str, ...]]  # a condition, the clips seen together, and their sources


STREAMS = {"A": 0, "B": 1, "C": 3, "D": 4}  # streams of random numbers; 2 is for the schedule


class DesignedStudy(NamedTuple):
    """The folder of a study, its stimuli, and the number of trials."""

    folder: Path
    stimuli: list[Stimulus]
    trials: int


def study_design(request: StudyDesign, report: Report = silent, warn: Warn = unheard) -> DesignedStudy:
    """Write stimuli under neutral names, a sheet of ratings to fill in, and the key."""
    variants, inputs, captured = (
        take_files(paths or []) for paths in (request.variants, request.inputs, request.captured)
    )
    if not variants:
        raise UsageError("study design needs --variants: name at least one file")
    experiments = tuple(request.experiment.upper())
    _check(request, experiments, captured or inputs, inputs)
    suffix = suffix_of(request.format, "stimulus")
    needed = "a study can only show clips with a skeleton"
    new, real, learned = read_clips([variants, captured or inputs, inputs], request.reading(warn), needed)
    stimuli: list[tuple[Stimulus, list[Clip]]] = []
    for number, experiment in enumerate(dict.fromkeys(experiments)):
        rng = generator(request.seed, STREAMS[experiment])
        report(Progress(0.2 + 0.1 * number, f"experiment {experiment}"))
        shown = list(_shown(experiment, (new, real, learned), request, rng))
        stimuli += _named(shown, experiment, request.motion, rng)
    rng = generator(request.seed, 2)
    shown_stimuli = [stimulus for stimulus, _ in stimuli]
    trials = schedule(shown_stimuli, participants=request.participants, trials=request.trials, rng=rng)
    with replacing_folder(request.out) as temporary:
        (temporary / "stimuli").mkdir()
        for k, (stimulus, clips) in enumerate(stimuli):
            report(Progress(0.7 + 0.3 * k / len(stimuli), stimulus.name))
            for clip in clips:
                write(temporary / "stimuli" / f"{clip.name}{suffix}", clip, unit_m=request.unit)
        write_ratings(temporary / "ratings.csv", trials)
        write_key(temporary / "key.csv", shown_stimuli)
        questions = "".join(f"Experiment {e}: {QUESTIONS[e]}\n" for e in dict.fromkeys(experiments))
        (temporary / "questions.txt").write_text(questions)
    return DesignedStudy(request.out, shown_stimuli, len(trials))


def _check(request: StudyDesign, experiments: Sequence[str], captured: Sequence[Path], inputs: Sequence[Path]) -> None:
    unknown = next((e for e in experiments if e not in EXPERIMENTS), None)
    if unknown is not None or not experiments:
        raise UsageError(f"there is no experiment {unknown!r}: choose A, B, C, D or several")
    if not request.motion.replace("_", "").isalnum():
        raise UsageError(f"a motion's name may only have letters, digits and underscores, but is {request.motion!r}")
    paired = next((e for e in experiments if e in "AD"), None)
    if paired is not None and not captured:
        raise UsageError(f"experiment {paired} compares variants with captured takes: name some with --captured")
    if "B" in experiments and not inputs:
        raise UsageError("experiment B compares variants with replayed inputs: name them with --inputs")


def _shown(
    experiment: str, sets: Sequence[Sequence[Clip]], plan: StudyPlan, rng: np.random.Generator
) -> Iterator[Shown]:
    """Yield the stimuli of an experiment, given variants, captured takes and the takes learned from."""
    new, real, learned = sets
    if experiment == "A":
        for condition, clips in (("variants", new), ("captured", real)):
            yield from ((condition, [clip], (clip.name,)) for clip in clips)
    elif experiment == "B":
        for condition, sequence, clips in (("variants", variant_sequence, new), ("cycle", cycle_animation, learned)):
            for _ in range(plan.sequences):
                clip, order = sequence(clips, plan.clips, rng, blend=plan.blend)
                yield condition, [clip], tuple(clips[k].name for k in order)
    elif experiment == "C":
        for condition in CONDITIONS["C"]:
            for _ in range(plan.sequences):
                walkers, order = crowd_with_clones(new, plan.clips, condition == "in step", rng, blend=plan.blend)
                yield condition, walkers, tuple(new[k].name for k in order)
    else:
        yield from _pairs(new, real, rng)


def _pairs(new: Sequence[Clip], real: Sequence[Clip], rng: np.random.Generator) -> Iterator[Shown]:
    """Pair every variant with a captured take, once with the take on each side, so that sides are balanced."""
    takes = [real[k % len(real)] for k in rng.permutation(len(new)).tolist()]
    for variant, take in zip(new, takes, strict=True):
        yield "variant left", [variant, take], (variant.name, take.name)
        yield "variant right", [take, variant], (take.name, variant.name)


def _named(
    shown: Sequence[Shown], experiment: str, motion: str, rng: np.random.Generator
) -> list[tuple[Stimulus, list[Clip]]]:
    """Number stimuli in random order, all from one starting position, so that nothing reveals the condition."""
    out = []
    for number, k in enumerate(rng.permutation(len(shown)).tolist(), start=1):
        condition, clips, sources = shown[k]
        name = f"{motion}_{experiment}_{number:03d}"
        names = [name] if len(clips) == 1 else [f"{name}_{place:02d}" for place in range(1, len(clips) + 1)]
        pairs = zip(clips, names, strict=True)
        placed = [start_at_origin(clip).changed(name=part, provenance="") for clip, part in pairs]
        out.append((Stimulus(name, experiment, motion, condition, sources), placed))
    return out


def study_analyze(request: StudyAnalyze, report: Report = silent, warn: Warn = unheard) -> list[Outcome]:
    """Read filled-in sheets (or the folders of their studies) with their keys, and draw figure 8 if requested."""
    from freshtake.reports.study_figure import figure

    key, picture = request.key, request.out
    if picture is not None:
        require_plots()
    ratings: list[Rating] = []
    stimuli: dict[str, Stimulus] = {}
    for table in request.tables:
        sheet = table / "ratings.csv" if is_folder(table) else table
        ratings += read_ratings(sheet)
        table_key = read_key(key or sheet.with_name("key.csv"))
        shared = next((name for name in table_key if stimuli.get(name, table_key[name]) != table_key[name]), None)
        if shared is not None:
            raise UsageError(f"{sheet} and another study share the stimulus {shared!r}: rename one of the motions")
        stimuli |= table_key
    outcomes = analyze(ratings, stimuli)
    if picture is not None:
        write_figure(picture, figure(outcomes))
    return outcomes
