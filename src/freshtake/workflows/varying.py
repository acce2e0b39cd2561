"""Draw variants of a model one by one and write them to files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from freshtake.errors import UsageError
from freshtake.formats.files import replacing_folder
from freshtake.formats.ftm import Stored, read_stored
from freshtake.formats.joint_files import read_limits, read_pins
from freshtake.formats.read_options import Motion
from freshtake.formats.registry import read
from freshtake.methods.gathering import fitted
from freshtake.methods.progress import Progress, Report, Warn, silent, unheard
from freshtake.motion import Clip, MeshSequence, PointClip, Stroke
from freshtake.motion.body.roles import feet, leg_length
from freshtake.motion.features import Start
from freshtake.motion.tempo import FASTEST, SLOWEST
from freshtake.motion.verdict import Remark, Standard, Verdict, assess, off_the_path, require_possible
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.requests.fields import Amounts, Steer
from freshtake.requests.variation import Variants, Vary
from freshtake.variation.amount import NATURAL, Amount, GuardReport, amount_of, guard_notes, guarded
from freshtake.variation.goals.goals import GoalReport, Goals, PosePin
from freshtake.variation.goals.guidance import Guided
from freshtake.variation.model import VariationModel
from freshtake.variation.steering import Followed, Steering, from_the_first_point
from freshtake.workflows.inputs import balanced_generator, checked, generator, read_path, requested_frames
from freshtake.workflows.outputs import (
    Limiter,
    as_motion,
    finish_of,
    followed_by,
    is_one_file,
    placed,
    playback_summary,
    suffix_like,
    suffix_of,
    turn_note,
)

if TYPE_CHECKING:  # most variants need neither
    from freshtake.variation.paper.model import PaperModel
    from freshtake.workflows.retargeting import Onto

_POSE = re.compile(r"(?P<file>.+?)(:(?P<frame>-?\d+))?(@(?P<time>-?[\d.]+))?")
ENDINGS = {Clip: ".bvh", Stroke: ".csv", PointClip: ".csv", MeshSequence: ".npz"}
STRAINED = 3.0  # standard deviations
POSE_MISSED = 0.5  # degrees beyond which a pose counts as missed
MISSED = 0.02  # fraction of a goal beyond which its miss is reported


class Variant(NamedTuple):
    """A variant, the report on its goals, and the outcome of its body checks."""

    motion: Motion
    report: GoalReport
    guard: GuardReport = GuardReport()


def goals_of(request: Vary) -> Goals:
    """Return the goals of a request, with the files that they name loaded."""
    if request.placed and not (request.start or request.end or request.pose):
        raise UsageError("only poses can be placed: add --begin, --end or --at, or leave --placed out")
    if request.placed and (request.heading is not None or request.path is not None):
        raise UsageError("placed poses determine where to go: leave out --placed, or --heading and --path")
    return Goals(
        start=None if request.start is None else _pose(request.start, 0, request.placed),
        end=None if request.end is None else _pose(request.end, -1, request.placed),
        poses=[_pose(text, 0, request.placed) for text in request.pose],
        targets=[] if request.pins is None else read_pins(request.pins),
        speed=request.speed,
        steer=steering_of(request),
    )


def steering_of(request: Steer) -> Steering | None:
    """Return the requested heading or path; None if there is neither."""
    if request.heading is not None and request.path is not None:
        raise UsageError("a heading and a path cannot both be followed: give one of them")
    if request.heading is not None:
        return Steering(np.radians(request.heading))
    return None if request.path is None else Steering(path=read_path(request.path))


def _pose(text: str, usual: int, placed: bool = False) -> PosePin:
    match = _POSE.fullmatch(text)
    if match is None:
        raise UsageError(f"{text!r} is not a pose: write FILE, FILE:FRAME or FILE:FRAME@SECONDS")
    frame = usual if match["frame"] is None else int(match["frame"])
    try:
        time = float(match["time"] or 0.0)
    except ValueError:
        raise UsageError(f"{text!r} is not a pose: {match['time']!r} is not a number of seconds") from None
    file = Path(match["file"])
    motion = read(file)
    if not -len(motion) <= frame < len(motion):
        raise UsageError(f"{file}: there is no frame {frame}: give one from 0 to {len(motion) - 1}, or -1 for the last")
    return PosePin(motion, frame, time, placed=placed)


def amount_of_request(request: Amounts) -> Amount:
    """Return the amount in the form that models take."""
    return Amount(request.amount, request.amount_time, dict(request.parts))


def from_its_start(model: VariationModel, steer: Steering) -> tuple[Steering, Start]:
    """Return a path relative to its first point and initial direction, and its start."""
    travel = model.travel
    assert model.material.recipe is not None
    return from_the_first_point(steer, model.material.recipe, travel)


def assess_motion(
    motion: Motion,
    standard: Standard | None,
    name: str,
    *,
    amount: float | Amount = 1.0,
    rate: float = 1.0,
    followed: Followed | None = None,
    restyled: Sequence[Remark] | None = None,
) -> list[Verdict]:
    """Return the verdict on a motion in a list, which is empty if there is no standard for it.

    `restyled` holds the remarks on a translation into a style. A translation moves unlike the takes, so only its bones
    and speeds are compared with them.
    """
    if standard is None or not isinstance(motion, Clip):
        return []
    verdict = assess(
        motion, standard, amount=amount_of(amount).largest, rate=rate, name=name, same_body=restyled is None
    )
    verdict = verdict._replace(remarks=(*verdict.remarks, *(restyled or ())))
    if followed is not None:
        verdict = off_the_path(verdict, followed.most_off, leg_length(motion.skeleton))
    return [verdict]


def warn_of_amount(amount: float | Amount, warn: Warn) -> None:
    """Warn if an amount exceeds the range of recorded takes."""
    most = amount_of(amount).largest
    if most > NATURAL:
        warn(f"an amount of {most:g} is beyond the range of recorded takes, which ends at about {NATURAL:g}")


def variants(model: VariationModel, request: Variants) -> Iterator[Motion]:
    """Yield the motions of `guided_variants`, without goals or reports."""
    return (variant.motion for variant in guided_variants(model, request))


def guided_variants(model: VariationModel, request: Variants, goals: Goals | None = None) -> Iterator[Variant]:
    """Draw variants named variant_001, ...

    Each variant has a generator seeded by seed and number, so it does not depend on the number of variants. The
    deviations of every fifteen successive variants sum to zero. With `request.guard`, impossible or unlikely variants
    are redrawn (see `guarded` in `variation.amount`). Lengths are those of `goals`, not of the request; travel and
    character are still the model's.
    """
    goals = goals or Goals()
    if request.loop:
        from freshtake.variation.goals.variation_loops import check_loop

        check_loop(model, goals)
    if request.cycles is not None and not model.cyclic:
        raise UsageError("the model is of a motion that does not repeat: leave cycles out")
    _check_duration(model, goals)
    amount = amount_of_request(request)
    model.sampler(amount)  # raises for parts that the model does not have, before anything is drawn
    for number in range(request.first, request.first + request.count):
        name = f"variant_{number:03d}"

        def draw(attempt: int, much: float | Amount, number: int = number, name: str = name) -> Guided:
            # The first attempt adds no number to the seed, so a variant that passes is the same without guard.
            rng = generator(request.seed, number, attempt) if attempt else balanced_generator(request.seed, number)
            return model.guided(
                rng, goals, amount=much, cycles=request.cycles, plant=request.planting, loop=request.loop, name=name
            )

        variant, checks = guarded(draw, model.body_limits if request.guard else None, amount)
        motion = as_motion(variant.motion, model.frame_time, model.dofs, name)
        yield Variant(motion, variant.report, checks)


def _check_duration(model: VariationModel, goals: Goals) -> None:
    """Refuse a duration that an acyclic motion cannot have at a natural pace."""
    if model.cyclic or goals.duration is None:
        return
    usual = (float(np.mean([len(rows) for rows in model.material.values])) - 1.0) * model.frame_time
    shortest, longest = usual / FASTEST, usual / SLOWEST
    if not shortest * (1.0 - MISSED) <= goals.duration <= longest * (1.0 + MISSED):
        raise UsageError(
            f"the takes last about {usual:.3g} s and do not repeat, so a variant can last {shortest:.3g} to "
            f"{longest:.3g} s, not {goals.duration:.3g} s: choose a length within that; only repeating movements "
            "(cyclic) can be made longer"
        )


class Written(NamedTuple):
    """Files of variants, with the reports, playback and verdict of each variant, and the last motion."""

    paths: list[Path]
    reports: list[GoalReport]
    guards: list[GuardReport]
    playbacks: list[dict[str, Any] | None]
    followed: list[Followed]
    verdicts: list[Verdict]
    last: Motion | None = None


@one_blas_thread()
def vary(request: Vary, report: Report = silent, warn: Warn = unheard) -> Written:
    """Write variants of a model into a folder that appears atomically, or into one file."""
    goals, finish = goals_of(request), finish_of(request, warn)
    single = is_one_file(request.out, request.count, request.format, "variants", together=True)
    limiter = None if request.limits is None else Limiter(read_limits(request.limits))
    stored, amount = read_stored(request.model), amount_of_request(request)
    start: Start | None = None
    if stored.method == "paper":
        _check_paper_request(request, goals)
        drawn, standard = paper_variants(stored.model, request), None
    else:
        model: VariationModel = checked(stored, request.model, "variation").model
        if request.closing_frame and not request.loop:
            raise UsageError("only loops can repeat their first frame: add --loop, or leave --closing-frame out")
        warn_of_amount(amount, warn)
        goals = lasting(_fitted(goals, model), request, model.frame_time)
        body_goals, start = _own_path(goals, model)
        drawn, standard = guided_variants(model, request, body_goals), model.standard
    suffix = request.out.suffix if single else _ending(stored, request.format, finish.onto)
    written = Written([], [], [], [], [], [])
    ready: list[Motion] = []
    with nullcontext(request.out.parent) if single else replacing_folder(request.out) as place:
        for motion, goal_report, checks in drawn:
            report(Progress(len(written.reports) / request.count, motion.name))
            motion = placed(motion, start)
            followed = None if goals.steer is None else followed_by(goals.steer.path, motion)
            written.followed.extend([] if followed is None else [followed])
            name = f"{motion.name}{suffix}"
            written.verdicts.extend(
                assess_motion(motion, standard, name, amount=amount, rate=goal_report.rate, followed=followed)
            )
            finished = finish.ready(motion)
            finished = finished if limiter is None else limiter(finished)
            if not single:
                finish.write(place / name, finished)
                written.paths.append(request.out / name)
            # Only motions that share one file are kept in memory until the end.
            ready = [*ready, finished] if single else [finished]
            written.playbacks.append(playback_summary(finished))
            written.reports.append(goal_report)
            written.guards.append(checks)
        require_possible(written.verdicts, finish.keep_going, warn)
    if single:
        finish.write(request.out, ready[0] if len(ready) == 1 else cast(list[Clip], ready))
        written.paths.append(request.out)
    if limiter is not None:
        limiter.report(warn)
    _warn_of_goals(goals, written.reports, warn)
    for sentence in (*guard_notes(written.guards, left=False), turn_note(written.playbacks)):
        if sentence is not None:
            warn(sentence)
    return written._replace(last=ready[-1])


def paper_variants(model: PaperModel, request: Variants) -> Iterator[Variant]:
    """Draw variants by the paper's method, each with a separate generator, as in `guided_variants`."""
    if request.parts or request.amount_time not in (None, request.amount):
        raise UsageError("a model of --method paper has one amount for all: leave --amount-time and --part out")
    from freshtake.variation.paper.model import check_amount

    check_amount(request.amount)
    recipe = model.material.recipe
    plant = request.plant and recipe is not None and recipe.skeleton is not None and bool(feet(recipe.skeleton))
    for number in range(request.first, request.first + request.count):
        name = f"variant_{number:03d}"
        sampled = model.sample(generator(request.seed, number), amount=request.amount, plant=plant, name=name)
        motion = as_motion(sampled, model.frame_time, model.dofs, name)
        yield Variant(motion, GoalReport(1.0, (len(motion) - 1) * model.frame_time, None, 0.0, 0.0, ()))


def _check_paper_request(request: Vary, goals: Goals) -> None:
    """Refuse goals, lengths and loops, which the paper's method does not support."""
    options = {
        "--loop": request.loop,
        "--cycles": request.cycles is not None,
        "--seconds and --frames": request.frames is not None or request.seconds is not None,
        "--limits": request.limits is not None,
        "goals (--start, --end, --pose, --pins, --speed, --heading, --path)": any(vars(goals).values()),
    }
    for name in (name for name, given in options.items() if given):
        raise UsageError(f"a model of --method paper has no {name}: leave them out, or learn with the default method")


def _own_path(goals: Goals, model: VariationModel) -> tuple[Goals, Start | None]:
    """Return goals with the path relative to its start, and that start; goals with positions keep their path."""
    if goals.steer is None or goals.steer.path is None or goals.targets:
        return goals, None
    steer, start = from_its_start(model, goals.steer)
    return replace(goals, steer=steer), start


def lasting(goals: Goals, request: Variants, frame_time: float) -> Goals:
    """Return goals with the requested duration, which for a loop includes the time of its last frame."""
    if request.frames is None and request.seconds is None:
        return goals
    frames = requested_frames(request, frame_time)
    return replace(goals, duration=(frames - (not request.loop)) * frame_time)


def _fitted(goals: Goals, model: VariationModel) -> Goals:
    """Return goals whose poses have the vertical axis and root of the model's takes."""

    def fit(pin: PosePin) -> PosePin:
        return replace(pin, motion=fitted(pin.motion, model.material.recipe))

    start, end = (None if pin is None else fit(pin) for pin in (goals.start, goals.end))
    return replace(goals, start=start, end=end, poses=[fit(pin) for pin in goals.poses])


def _warn_of_goals(goals: Goals, reports: Sequence[GoalReport], warn: Warn) -> None:
    strain = max(report.strain for report in reports)
    if strain > STRAINED:
        warn(f"a pinned pose is {strain:.1f} standard deviations from what the examples do: expect it to look forced")
    error = np.degrees(max(report.pose_error for report in reports))
    if error > POSE_MISSED:
        warn(f"pinned poses are missed by up to {error:.1f}°, because feet are planted: try --lock soft or --no-plant")
    length, pins = max(report.length_error for report in reports), (goals.start, goals.end, *goals.poses)
    bodies = [pin.motion for pin in pins if pin is not None and isinstance(pin.motion, Clip)]
    # An error of height is as large as its angle seen from a leg's length away.
    if bodies and length > np.radians(POSE_MISSED) * leg_length(bodies[0].skeleton):
        warn(
            f"the height of pinned poses is missed by up to {length:.3g}, because feet are planted: "
            "try --lock soft or --no-plant"
        )
    for name, goal, unit in (("duration", goals.duration, " s"), ("speed", goals.speed, " a second")):
        reached = [value for report in reports if (value := getattr(report, name)) is not None]
        if goal and any(abs(value / goal - 1.0) > MISSED for value in reached):
            reached_text = " to ".join(dict.fromkeys(f"{value:.3g}" for value in (min(reached), max(reached))))
            warn(f"the {name} of {goal:.3g}{unit} became {reached_text}{unit}, because the tempo has limits")


def _ending(stored: Stored, ending: str | None, onto: Onto | None = None) -> str:
    """Return the suffix of variants: the requested one, the character's, the first example's, or the usual one."""
    if ending is not None:
        return suffix_of(ending, "variant")
    if onto is not None and onto.gltf:
        return onto.ending
    recipe = stored.model.material.recipe
    usual = ENDINGS[Stroke if recipe is None else recipe.motion_type]
    return suffix_like(Path(stored.sources[0]), usual) if stored.sources else usual
