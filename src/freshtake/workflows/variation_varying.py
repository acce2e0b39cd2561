"""A model to variants, in files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from freshtake.errors import FormatError, UsageError
from freshtake.formats.files import replacing_folder
from freshtake.formats.ftm import Stored, read_stored
from freshtake.formats.limit_files import read_limits
from freshtake.formats.read_options import Motion
from freshtake.formats.registry import for_writing
from freshtake.methods.gathering import fitted
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion import Clip, MeshSequence, PointClip, Stroke
from freshtake.motion.features import Start
from freshtake.motion.verdict import Verdict, require_possible
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.variation.amount import Amount
from freshtake.variation.goals.goals import GoalReport, Goals, PosePin
from freshtake.variation.goals.guarding import GuardReport, guard_notes, guarded
from freshtake.variation.goals.guidance import Guided
from freshtake.variation.goals.steering import Followed
from freshtake.variation.goals.variation_loops import check_loop
from freshtake.variation.model import VariationModel
from freshtake.workflows.lengths import Length, frame_count
from freshtake.workflows.model_kinds import checked
from freshtake.workflows.motion_delivering import playback_summary, turn_note
from freshtake.workflows.motion_finishing import FINISH, Finish
from freshtake.workflows.motion_limiting import Limiter
from freshtake.workflows.motion_retargeting import Onto
from freshtake.workflows.output_naming import is_one_file
from freshtake.workflows.paper_method import paper_vary
from freshtake.workflows.path_following import followed_by, placed
from freshtake.workflows.seeds import generator
from freshtake.workflows.variation_making import begun, judged, motion_of, warn_of_amount

ENDINGS = {Clip: ".bvh", Stroke: ".csv", PointClip: ".csv", MeshSequence: ".npz"}
STRAINED = 3.0  # standard deviations
MOST_VARIANTS = 99_999


class Variant(NamedTuple):
    """A variant, how well it met its goals, and how it came to pass its body checks."""

    motion: Motion
    report: GoalReport
    guard: GuardReport = GuardReport()


def variants(model: VariationModel, count: int, *, plant: bool | str = False, seed: int = 0) -> Iterator[Motion]:
    """`count` variants of a model."""
    return (variant.motion for variant in guided_variants(model, count, plant=plant, seed=seed))


def guided_variants(
    model: VariationModel,
    count: int,
    *,
    amount: float | Amount = 1.0,
    cycles: int | None = None,
    goals: Goals | None = None,
    plant: bool | str = False,
    guard: bool = True,
    loop: bool = False,
    seed: int = 0,
    first: int = 1,
) -> Iterator[Variant]:
    """Variants named variant_001, ...; each has a generator of its own, so it does not depend on how many there are.

    `first` is the number of the first one: with the seed it makes a variant again.

    With `guard`, what a body cannot do or does in no take is drawn again (see variation.guarding).
    """
    if not 1 <= count <= MOST_VARIANTS:
        raise UsageError(f"the number of variants must lie between 1 and {MOST_VARIANTS}, but is {count}")
    if not 1 <= first <= MOST_VARIANTS:
        raise UsageError(f"variants are numbered from 1 to {MOST_VARIANTS}, and there is no number {first}")
    if loop:
        check_loop(model, goals or Goals())
    if cycles is not None and not model.cyclic:
        raise UsageError("the model is of a motion that ends by itself: leave cycles out")
    if cycles is not None and not 1 <= cycles <= 100_000:
        raise UsageError(f"the number of cycles must lie between 1 and 100000, but is {cycles}")
    model.sampler(amount)
    for number in range(first, first + count):
        name = f"variant_{number:03d}"

        def draw(attempt: int, much: float | Amount, number: int = number, name: str = name) -> Guided:
            rng = generator(seed, number, attempt) if attempt else generator(seed, number)
            return model.guided(rng, goals or Goals(), amount=much, cycles=cycles, plant=plant, loop=loop, name=name)

        variant, checks = guarded(draw, model.body_limits if guard else None, amount)
        yield Variant(motion_of(model, variant.motion, name), variant.report, checks)


class Written(NamedTuple):
    """Files of variants: how well each met its goals, came to pass its body checks, and is to be played."""

    paths: list[Path]
    reports: list[GoalReport]
    guards: list[GuardReport]
    playbacks: list[dict[str, Any] | None]
    followed: list[Followed]
    verdicts: list[Verdict]
    last: Motion | None = None


class VariantOptions(NamedTuple):
    """From how wide a range variants are drawn, how long they are, and what they have to do."""

    amount: float | Amount = 1.0
    cycles: int | None = None
    length: Length | None = None
    goals: Goals | None = None
    guard: bool = True
    loop: bool = False
    limits: Path | None = None
    seed: int = 0
    first: int = 1


VARIANT_OPTIONS = VariantOptions()


@one_blas_thread()
def variation_vary(
    source: Path,
    folder: Path,
    count: int,
    *,
    options: VariantOptions = VARIANT_OPTIONS,
    finish: Finish = FINISH,
    report: Report = silent,
    warn: Callable[[str], None] | None = None,
) -> Written:
    """Write variants of a model into a folder that appears whole, in the format of the takes it was learned from.

    A target with the ending of a format is a file: for one variant, or for all in a format that holds several.
    `finish.onto` is a character that they are put onto, `options.limits` a file with the limits of a robot's joints, at
    which variants of its table stop.
    """
    goals = options.goals
    single = is_one_file(folder, count, finish.ending, "variants", together=True)
    limiter = None if options.limits is None else Limiter(read_limits(options.limits))
    stored = read_stored(source)
    if stored.method == "paper":
        return _paper_variants(stored, folder, count, single, options, finish, report)
    model: VariationModel = checked(stored, source, "variation").model
    suffix = folder.suffix if single else _ending(stored, finish.ending, finish.onto)
    written, standard = Written([], [], [], [], [], []), model.standard
    if finish.delivery is not None and finish.delivery.closing and not options.loop:
        raise UsageError("only loops end with their first frame again: add --loop, or leave --closing-frame out")
    warn_of_amount(options.amount, warn)
    goals = _lasting(_fitted(goals or Goals(), model), options.length, model.frame_time, options.loop)
    body_goals, start = _own_path(goals, model)
    drawn = guided_variants(
        model,
        count,
        amount=options.amount,
        cycles=options.cycles,
        goals=body_goals,
        plant=finish.plant,
        guard=options.guard,
        loop=options.loop,
        seed=options.seed,
        first=options.first,
    )
    together: list[Motion] = []
    with nullcontext(folder.parent) if single else replacing_folder(folder) as place:
        for motion, goal_report, checks in drawn:
            report(Progress(len(written.reports) / count, motion.name))
            if start is not None and isinstance(motion, Clip):
                motion = placed(motion, start)
            way = _note_path(goals, motion, written)
            name = f"{motion.name}{suffix}"
            written.verdicts.extend(
                judged(motion, standard, name, amount=options.amount, rate=goal_report.rate, followed=way)
            )
            ready = finish.ready(motion)
            ready = ready if limiter is None else limiter(ready)
            if single:
                together.append(ready)
            else:
                finish.write(place / f"{motion.name}{suffix}", ready)
                written.paths.append(folder / f"{motion.name}{suffix}")
            written.playbacks.append(playback_summary(ready))
            written.reports.append(goal_report)
            written.guards.append(checks)
        require_possible(written.verdicts, finish.keep_going, warn)
    if single:
        finish.write(folder, together[0] if count == 1 else cast(list[Clip], together))
        written.paths.append(folder)
    if warn is not None:
        if limiter is not None:
            limiter.report(warn)
        _warn_of_goals(goals, written.reports, warn)
        for sentence in guard_notes(written.guards, left=False):
            warn(sentence)
        if (note := turn_note(written.playbacks)) is not None:
            warn(note)
    return written._replace(last=ready)


def _paper_variants(
    stored: Stored, folder: Path, count: int, single: bool, options: VariantOptions, finish: Finish, report: Report
) -> Written:
    """Write variants of the paper's own method, which knows neither goals nor loops."""
    asked = {
        "--loop": options.loop,
        "--cycles": options.cycles is not None,
        "--seconds and --frames": options.length is not None,
        "--limits": options.limits is not None,
        "goals (--start, --end, --pose, --pins, --speed, --heading, --path)": any(
            vars(options.goals or Goals()).values()
        ),
    }
    for name, given in asked.items():
        if given:
            raise UsageError(
                f"a model of --method paper has no {name}: leave that out, or learn with the default method"
            )
    if not 1 <= count <= MOST_VARIANTS:
        raise UsageError(f"the number of variants must lie between 1 and {MOST_VARIANTS}, but is {count}")
    suffix = folder.suffix if single else _ending(stored, finish.ending, finish.onto)
    paths, seconds = paper_vary(
        stored.model, folder, count, single=single, suffix=suffix, amount=options.amount, seed=options.seed,
        first=options.first, finish=finish, report=report,
    )  # fmt: skip
    reports = [GoalReport(1.0, duration, None, 0.0, 0.0, ()) for duration in seconds]
    return Written(paths, reports, [GuardReport()] * count, [None] * count, [], [])


def _own_path(goals: Goals, model: VariationModel) -> tuple[Goals, Start | None]:
    """Goals with the path as the body sees it, and where it begins; with places in the world, both as they are."""
    if goals.steer is None or goals.steer.path is None or goals.targets:
        return goals, None
    steer, start = begun(model, goals.steer)
    return replace(goals, steer=steer), start


def _note_path(goals: Goals, motion: Motion, written: Written) -> Followed | None:
    if goals.steer is None or goals.steer.path is None:
        return None
    followed = followed_by(np.asarray(goals.steer.path), motion)
    written.followed.extend([] if followed is None else [followed])
    return followed


def _lasting(goals: Goals, length: Length | None, frame_time: float, loop: bool) -> Goals:
    """Goals with the duration of `length`: a loop lasts all its frames, others from the first to the last."""
    if length is None:
        return goals
    return replace(goals, duration=(frame_count(length, frame_time) - (0 if loop else 1)) * frame_time)


def _fitted(goals: Goals, model: VariationModel) -> Goals:
    """Goals whose poses come from files with another vertical axis or root than the model's takes."""

    def like(pin: PosePin) -> PosePin:
        return replace(pin, motion=fitted(pin.motion, model.material.recipe))

    start, end = (None if pin is None else like(pin) for pin in (goals.start, goals.end))
    return replace(goals, start=start, end=end, poses=[like(pin) for pin in goals.poses])


def _warn_of_goals(goals: Goals, reports: Sequence[GoalReport], warn: Callable[[str], None]) -> None:
    """Warn of goals that were missed, and of poses far from the examples."""
    strain = max(report.strain for report in reports)
    if strain > STRAINED:
        warn(f"a pinned pose lies {strain:.1f} standard deviations from what the examples do: expect it to look forced")
    for name, wanted, unit in (("duration", goals.duration, " s"), ("speed", goals.speed, " a second")):
        reached = [value for report in reports if (value := getattr(report, name)) is not None]
        if wanted and any(abs(value / wanted - 1.0) > 0.02 for value in reached):
            reached_text = " to ".join(dict.fromkeys(f"{value:.3g}" for value in (min(reached), max(reached))))
            warn(f"the {name} of {wanted:.3g}{unit} became {reached_text}{unit}, because the pace has natural limits")


def _ending(stored: Stored, ending: str | None, onto: Onto | None = None) -> str:
    """The ending of variants: the given one, the character's, the first example's, or the usual one of its kind."""
    if ending is None and onto is not None and onto.gltf:
        return onto.ending
    if ending is not None:
        suffix = f".{ending.lstrip('.')}"
        for_writing(Path(f"variant{suffix}"))
        return suffix
    recipe = stored.model.material.recipe
    usual = ENDINGS[Stroke if recipe is None else recipe.motion_type]
    suffix = Path(stored.sources[0]).suffix.lower() if stored.sources else ""
    if suffix == ".amc":  # holds a joint's own degrees of freedom only, which rotation vectors leave
        return usual
    try:
        for_writing(Path(f"variant{suffix}"))
    except FormatError:
        return usual
    return suffix or usual
