"""Takes to a model, a model to variants or to an endless motion: files in, files out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from freshtake.errors import FormatError, UsageError
from freshtake.formats.files import replacing_folder
from freshtake.formats.ftm import Stored, check_model_target, read_stored, save
from freshtake.formats.limit_files import read_limits
from freshtake.formats.read_options import Motion
from freshtake.formats.registry import for_writing
from freshtake.methods.gathering import fitted, heading_note
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion import Clip, MeshSequence, PointClip, Stroke
from freshtake.motion.check import NOTE, check_set
from freshtake.motion.features import Start
from freshtake.motion.planting import plant as plant_feet
from freshtake.motion.planting import settings_for
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.variation.goals.goals import GoalReport, Goals, PosePin
from freshtake.variation.goals.guarding import GuardReport, guard_notes, guarded, stream_notes
from freshtake.variation.goals.guidance import Guided
from freshtake.variation.goals.steering import Followed, Steering, from_the_first_point
from freshtake.variation.goals.variation_loops import check_loop
from freshtake.variation.model import VariationModel
from freshtake.variation.settings import Settings
from freshtake.variation.synthesis.amount import NATURAL, Amount, amount_of
from freshtake.workflows.length_asking import Length, frame_count
from freshtake.workflows.model_kinds import checked
from freshtake.workflows.motion_delivering import Delivery, delivered, playback_summary, turn_note
from freshtake.workflows.motion_finishing import FINISH, Finish
from freshtake.workflows.motion_limiting import Limiter
from freshtake.workflows.motion_retargeting import Onto, put_onto, write_onto
from freshtake.workflows.output_naming import is_one_file
from freshtake.workflows.path_following import followed_by, placed
from freshtake.workflows.takes_reading import read_takes

ENDINGS = {Clip: ".bvh", Stroke: ".csv", PointClip: ".csv", MeshSequence: ".npz"}
STRAINED = 3.0  # standard deviations
MOST_VARIANTS = 99_999
MOST_FRAMES = 10_000_000


@one_blas_thread()
def variation_learn(
    sources: Sequence[Path],
    target: Path,
    settings: Settings | None = None,
    *,
    cyclic: bool | None = None,
    seed: int = 0,
    structure: Path | None = None,
    reading: dict[str, Any] | None = None,
    report: Report = silent,
    warn: Callable[[str], None] | None = None,
) -> VariationModel:
    """Read takes, learn a model and write it.

    With `structure`, nothing is learned: another model's structure gets these takes as its examples; one is enough.
    """
    from freshtake.variation.learning import learn as learn_from

    check_model_target(target)
    motions = read_takes(sources, reading)
    turned = heading_note(motions)
    if turned is not None and warn is not None:
        warn(turned)
    for finding in check_set(motions):
        if finding.severity != NOTE:
            raise UsageError(finding.sentence)
        if warn is not None:
            warn(finding.sentence)
    if structure is not None:
        old = _variation(read_stored(structure), structure)
        model = old.with_examples([fitted(motion, old.material.recipe) for motion in motions])
    else:
        model = learn_from(motions, settings, rng=generator(seed), cyclic=cyclic, report=report)
        if warn is not None:
            _warn_of_unlike(model, motions, sources, warn)
    save(target, model, sources=[path.name for path in sources])
    return model


def _warn_of_unlike(
    model: VariationModel, motions: Sequence[Any], sources: Sequence[Path], warn: Callable[[str], None]
) -> None:
    """Examples have to be similar (Lau 2009, §9): say which one is not, and in what."""
    from freshtake.variation.selection.differences import differences
    from freshtake.variation.selection.unlike import compared, two_apart, unlike_takes

    takes = compared(motions, model.material, model.phase_frames)
    if two_apart(takes):
        names = " and ".join(path.name for path in sources)
        warn(f"{names} are unlike each other, as two different movements are: learn from takes of one movement")
    for one in unlike_takes(takes):
        what = "; ".join(differences(takes, one))
        warn(f"{sources[one.number].name} is unlike the others: {what}. Leave it out or add takes like it")


class Variant(NamedTuple):
    """A variant, how well it met its goals, and how it came to pass its body checks."""

    motion: Motion
    report: GoalReport
    guard: GuardReport = GuardReport()


def variants(model: VariationModel, count: int, *, plant: bool | str = False, seed: int = 0) -> Iterator[Motion]:
    """So many variants of a model."""
    return (made.motion for made in guided_variants(model, count, plant=plant, seed=seed))


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
    if model.kernel is None:
        model.sampler(amount)
    for number in range(first, first + count):
        name = f"variant_{number:03d}"

        def draw(attempt: int, much: float | Amount, number: int = number, name: str = name) -> Guided:
            rng = generator(seed, number, attempt) if attempt else generator(seed, number)
            return model.guided(rng, goals or Goals(), amount=much, cycles=cycles, plant=plant, loop=loop, name=name)

        made, checks = guarded(draw, model.body_limits if guard else None, amount)
        yield Variant(_motion(model, made.motion, name), made.report, checks)


class Written(NamedTuple):
    """Files of variants: how well each met its goals, came to pass its body checks, and is to be played."""

    paths: list[Path]
    reports: list[GoalReport]
    guards: list[GuardReport]
    playbacks: list[dict[str, Any] | None]
    followed: list[Followed]
    last: Motion | None = None


class VariantsAsked(NamedTuple):
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


VARIANTS_ASKED = VariantsAsked()


@one_blas_thread()
def variation_vary(
    source: Path,
    folder: Path,
    count: int,
    *,
    asked: VariantsAsked = VARIANTS_ASKED,
    finish: Finish = FINISH,
    report: Report = silent,
    warn: Callable[[str], None] | None = None,
) -> Written:
    """Write variants of a model into a folder that appears whole, in the format of the takes it was learned from.

    A target with the ending of a format is a file: for one variant, or for all in a format that holds several.
    `finish.onto` is a character that they are put onto, `asked.limits` a file with the limits of a robot's joints, at
    which variants of its table stop.
    """
    goals = asked.goals
    single = is_one_file(folder, count, finish.ending, "variants", together=True)
    limiter = None if asked.limits is None else Limiter(read_limits(asked.limits))
    stored = read_stored(source)
    model = _variation(stored, source)
    suffix = folder.suffix if single else _ending(stored, finish.ending, finish.onto)
    written = Written([], [], [], [], [])
    if finish.delivery is not None and finish.delivery.closing and not asked.loop:
        raise UsageError("only loops end with their first frame again: add --loop, or leave --closing-frame out")
    _warn_of_amount(asked.amount, warn)
    goals = _lasting(_fitted(goals or Goals(), model), asked.length, model.frame_time, asked.loop)
    own, start = _own_path(goals, model)
    made = guided_variants(
        model,
        count,
        amount=asked.amount,
        cycles=asked.cycles,
        goals=own,
        plant=finish.plant,
        guard=asked.guard,
        loop=asked.loop,
        seed=asked.seed,
        first=asked.first,
    )
    together: list[Motion] = []
    with nullcontext(folder.parent) if single else replacing_folder(folder) as place:
        for motion, goal_report, checks in made:
            report(Progress(len(written.reports) / count, motion.name))
            if start is not None and isinstance(motion, Clip):
                motion = placed(motion, start)
            _note_path(goals, motion, written)
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
    if single:
        finish.write(folder, together[0] if count == 1 else cast(list[Clip], together))
        written.paths.append(folder)
    if warn is not None:
        if limiter is not None:
            limiter.report(warn)
        _warn_of_goals(goals, written.reports, warn)
        for sentence in guard_notes(written.guards):
            warn(sentence)
        if (note := turn_note(written.playbacks)) is not None:
            warn(note)
    return written._replace(last=ready)


def _own_path(goals: Goals, model: VariationModel) -> tuple[Goals, Start | None]:
    """Goals with the path as the body sees it, and where it begins; with places in the world, both as they are."""
    if goals.steer is None or goals.steer.path is None or goals.targets:
        return goals, None
    steer, start = _begun(model, goals.steer)
    return replace(goals, steer=steer), start


def _note_path(goals: Goals, motion: Motion, written: Written) -> None:
    if goals.steer is not None and goals.steer.path is not None:
        found = followed_by(np.asarray(goals.steer.path), motion)
        written.followed.extend([] if found is None else [found])


def _lasting(goals: Goals, length: Length | None, frame_time: float, loop: bool) -> Goals:
    """Goals with a duration that gives so many frames: a loop lasts all of them, others from the first to the last."""
    if length is None:
        return goals
    return replace(goals, duration=(frame_count(length, frame_time) - (0 if loop else 1)) * frame_time)


def _fitted(goals: Goals, model: VariationModel) -> Goals:
    """Goals whose poses come from files with another vertical axis or root than the model's takes."""

    def like(pin: PosePin) -> PosePin:
        return replace(pin, motion=fitted(pin.motion, model.material.recipe))

    start, end = (None if pin is None else like(pin) for pin in (goals.start, goals.end))
    return replace(goals, start=start, end=end, poses=[like(pin) for pin in goals.poses])


def _variation(stored: Stored, source: Path) -> VariationModel:
    model: VariationModel = checked(stored, source, "variation").model
    return model


def _warn_of_amount(amount: float | Amount, warn: Callable[[str], None] | None) -> None:
    most = amount_of(amount).largest
    if warn is not None and most > NATURAL:
        warn(f"an amount of {most:g} leaves the range of recorded takes, which ends at about {NATURAL:g}")


def _warn_of_goals(goals: Goals, reports: Sequence[GoalReport], warn: Callable[[str], None]) -> None:
    """Say what was not met, and what the examples give little reason for."""
    strain = max(report.strain for report in reports)
    if strain > STRAINED:
        warn(f"a pinned pose lies {strain:.1f} standard deviations from what the examples do: expect it to look forced")
    for name, wanted, unit in (("duration", goals.duration, " s"), ("speed", goals.speed, " a second")):
        reached = [value for report in reports if (value := getattr(report, name)) is not None]
        if wanted and any(abs(value / wanted - 1.0) > 0.02 for value in reached):
            got = " to ".join(dict.fromkeys(f"{value:.3g}" for value in (min(reached), max(reached))))
            warn(f"the {name} of {wanted:.3g}{unit} was missed, it became {got}{unit}: the pace has natural limits")


class Streamed(NamedTuple):
    """What was written."""

    path: Path
    motion: Motion
    followed: Followed | None = None


def variation_stream(
    source: Path,
    target: Path,
    length: Length,
    *,
    amount: float | Amount = 1.0,
    steer: Steering | None = None,
    plant: bool | str = True,
    delivery: Delivery | None = None,
    onto: Onto | None = None,
    unit_m: float | None = None,
    seed: int = 0,
    report: Report = silent,
    warn: Callable[[str], None] | None = None,
) -> Streamed:
    """Write exactly this much of a cyclic model's endless motion, standing feet held still.

    Along a path it begins on its first point, in its direction.
    """
    for_writing(target)
    model = _variation(read_stored(source), source)
    frames = frame_count(length, model.frame_time)
    if not 1 <= frames <= MOST_FRAMES:
        raise UsageError(f"the number of frames must lie between 1 and {MOST_FRAMES}, but is {frames}")
    _warn_of_amount(amount, warn)
    if not model.cyclic:
        raise UsageError(f"{source} is a model of a motion that ends by itself: use freshtake vary")
    report(Progress(0.0, f"making {frames} frames"))
    own, start = (None, None) if steer is None else _begun(model, steer)
    made = model.made(generator(seed), amount=amount, frames=frames, steer=own)
    motion = _motion(model, model.decode(made.rows, start=start, name=target.stem), target.stem)
    if plant and isinstance(motion, Clip) and model.planting_model is not None:
        report(Progress(0.3, "planting feet"))
        stand = None if made.phases is None else model.standing(motion, made.phases)
        motion = plant_feet(
            motion, stand, examples=model.planting_model, settings=settings_for(plant), careful=False
        ).clip
    if warn is not None and isinstance(motion, Clip) and model.body_limits is not None:
        for sentence in stream_notes(model.body_limits, motion, amount):
            warn(sentence)
    way = None
    if steer is not None and steer.path is not None and isinstance(motion, Clip):
        way = followed_by(np.asarray(steer.path), motion)
    report(Progress(0.8, f"writing {target.name}"))
    motion = delivered(put_onto(onto, motion), delivery or Delivery())
    write_onto(target, motion, unit_m, onto)
    return Streamed(target, motion, way)


def _begun(model: VariationModel, steer: Steering) -> tuple[Steering, Start]:
    travel = model.travel
    assert model.material.recipe is not None
    return from_the_first_point(steer, model.material.recipe, travel)


def generator(*seed: int) -> np.random.Generator:
    """A generator from whole numbers that are not negative."""
    if min(seed) < 0:
        raise UsageError(f"the seed must be 0 or more, but is {min(seed)}")
    return np.random.default_rng(list(seed))


def _motion(model: VariationModel, made: Any, name: str) -> Motion:
    """What a model makes; plain rows become a stroke, whose dimensions are the DOFs."""
    if isinstance(made, np.ndarray):
        return Stroke(made, np.arange(len(made), dtype=np.float64) * model.frame_time, model.dofs, name)
    motion: Motion = made
    return motion


def _ending(stored: Stored, asked: str | None, onto: Onto | None = None) -> str:
    """The ending of variants: as asked, as the character's, that of the first example, or the usual one of its kind."""
    if asked is None and onto is not None and onto.gltf:
        return ".glb"
    if asked is not None:
        suffix = f".{asked.lstrip('.')}"
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
