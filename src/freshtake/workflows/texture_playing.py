"""Play a texture as a request asks: endless, by a plan of cells and headings, or as one of several candidate loops."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.methods.progress import Report, Warn, silent, unheard
from freshtake.motion import Clip
from freshtake.motion.features import Start
from freshtake.numeric.arrays import Bools, Floats
from freshtake.requests.texturing import Playing
from freshtake.texture.action import Likeness, rate_of
from freshtake.texture.closed_paths import NoLoop
from freshtake.texture.guiding import TEMPI, Guide, start_on
from freshtake.texture.learning import with_jump_time
from freshtake.texture.loop_making import (
    STRETCH,
    Loop,
    finished_likeness,
    loop_lengths,
    loop_motion,
    on_its_course,
    ranked_loops,
    shown_loop,
)
from freshtake.texture.model import TextureModel
from freshtake.texture.synthesize import shown
from freshtake.texture.transitions import Played
from freshtake.workflows.inputs import frame_at

Stop = tuple[float, str]  # seconds, and a cell, heading=DEGREES or speed=NUMBER


class MadePlay(NamedTuple):
    """A played motion (None for a mesh), its rows (frames, columns), jumps, and candidate loops."""

    motion: Any
    rows: Floats
    jumps: int
    loops: tuple[dict[str, Any], ...] = ()


class Steered(NamedTuple):
    """Rows of playback, the frames they show, and their starting position."""

    rows: Floats
    played: Played
    start: Start


def make_play(
    model: TextureModel, request: Playing, frames: int, *, plant: bool | str = True, path: Floats | None = None,
    picture: Path | None = None, report: Report = silent, say: Warn = unheard,
) -> MadePlay:  # fmt: skip
    """Play a model as requested.

    `path` holds points (points, 2) on the ground in the model's unit; `picture` is the file for a drawing of all loops.
    A loop has the nearest length that closes, which may differ from `frames`.
    """
    if request.jump_time is not None:
        model = with_jump_time(model, request.jump_time)
    rng, guide = np.random.default_rng(request.seed), guide_of(request, path)
    if request.loop:
        if request.steer or guide is not None:
            raise UsageError("a loop cannot be steered: leave --steer, heading, path and speed out, or give --course")
        return _made_loop(model, rng, frames, request, plant, picture, report, say)
    if (request.start, request.end, request.candidate, picture) != (None, None, 1, None):
        raise UsageError("a part of the take and candidates are for loops: add --loop")
    if request.course is not None:
        raise UsageError("a course is for loops: add --loop, or give --heading or --path")
    if guide is not None and (note := speed_note(model, guide)) is not None:
        say(note)
    play = steered_play(model, rng, frames, plan_of(request.steer or ()), request.cell, guide)
    jumps = int((play.played.jumped >= 0).sum())
    if model.shape is not None:
        return MadePlay(None, play.rows, jumps)
    return MadePlay(model.planted(model.decode(play.rows, start=play.start), play.played, plant), play.rows, jumps)


def plan_of(stops: Sequence[str]) -> list[Stop]:
    """Parse the stops of a plan, each written as SECONDS:WHAT."""
    plan = []
    for stop in stops:
        when, _, name = stop.partition(":")
        try:
            seconds = float(when)
        except ValueError:
            seconds = -1.0
        if not (0.0 <= seconds < 1e9 and name):
            raise UsageError(f"--steer wants SECONDS:CELL, such as 3:left, or 3:heading=90, not {stop!r}")
        plan.append((seconds, name))
    return plan


def guide_of(request: Playing, path: Floats | None = None) -> Guide | None:
    """Return the initial guide; None if neither heading, path nor speed is requested."""
    if request.heading is None and path is None and request.speed is None:
        return None
    return Guide(None if request.heading is None else float(np.radians(request.heading)), path, request.speed)


def speed_note(model: TextureModel, guide: Guide) -> str | None:
    """Return a sentence if the takes' tempo cannot change enough for the requested speed."""
    if guide.speed is None or model.bearings.speed <= 0.0:
        return None
    low, high = (share * model.bearings.speed for share in TEMPI)
    if low <= guide.speed <= high:
        return None
    return (
        f"a speed of {guide.speed:g} is out of reach: at a natural tempo the takes go {low:.3g} to {high:.3g} a second"
    )


def steered_play(
    model: TextureModel, rng: np.random.Generator, frames: int, plan: Sequence[Stop], cell: str | None,
    guide: Guide | None,
) -> Steered:  # fmt: skip
    """Play by a plan of cells and guides; without any guide, the motion travels and turns as the takes do."""
    now = guide or Guide()
    stops = sorted(((round(when / model.frame_time), what) for when, what in plan), key=lambda stop: stop[0])
    changes = [(at, _guided(model, what) or what) for at, what in stops]
    guided = guide is not None or any(isinstance(change, Guide) for _, change in changes)
    guided = guided or (model.rates > 0 and bool(model.bearings.straight.any()))
    start = start_on(now, model.bearings.up) if guided else Start()
    state: Any = model.start_guided(rng, now, cell=cell) if guided else model.start(rng, cell=cell)
    done, parts, played_parts = 0, [], []
    for until, change in [*changes, (frames, "")]:
        if (count := min(until, frames) - done) > 0:
            if guided:
                state, rows, played = model.advance_guided(state, rng, now, count)
            else:
                before = state
                state, played = model.play(state, rng, count)
                rows = shown(before, played, model.blending)
            parts.append(rows)
            played_parts.append(played)
            done += count
        if isinstance(change, Guide):
            if change.heading is not None:
                now = replace(now, heading=change.heading, path=None)
            else:
                now = replace(now, speed=change.speed)
        elif change and done < frames:
            state = state.steered(model.steer(state.play, change)) if guided else model.steer(state, change)
    played = Played(*[np.concatenate(columns) for columns in zip(*played_parts, strict=True)])
    return Steered(np.concatenate(parts), played, start)


def _guided(model: TextureModel, what: str) -> Guide | None:
    """Return how a word of the plan changes the guide; None if the word is a cell."""
    name, sign, value = what.partition("=")
    if not sign or name not in ("heading", "speed"):
        model.cell(what)
        return None
    try:
        number = float(value)
    except ValueError:
        raise UsageError(f"{what!r} gives no {name}: write {name}=NUMBER") from None
    if name == "heading":
        return Guide(heading=float(np.radians(number)))
    return Guide(speed=number)


def _made_loop(
    model: TextureModel, rng: np.random.Generator, frames: int, request: Playing, plant: bool | str,
    picture: Path | None, report: Report, say: Warn,
) -> MadePlay:  # fmt: skip
    """Make a loop of the moving part of the takes; the rows of a mesh already follow the course."""
    course = _course(request.course)
    if course is None and not model.rates:
        course = "free"
    how: dict[str, Any] = {
        "variety": request.variety, "stretch": STRETCH if request.stretch is None else request.stretch,
        "course": course, "among": _among(model, request), "report": report,
    }  # fmt: skip
    drawn = rng.bit_generator.state  # search for the nearest length with the same draws
    try:
        loops = ranked_loops(model, rng, frames, **how)
    except NoLoop as error:
        if not error.near:
            raise
        nearest = min(error.near, key=lambda length: abs(length - frames))
        say(f"there is no loop of exactly {frames} frames; this one has {nearest}, the nearest length that closes")
        frames, rng.bit_generator.state = nearest, drawn
        loops = ranked_loops(model, rng, frames, **how)
    if request.candidate > len(loops):
        raise UsageError(f"there are {len(loops)} different loops to choose from, but no loop {request.candidate}")
    chosen = loops[request.candidate - 1]
    _warn_of_jumps(model, chosen, frames, say)
    _warn_of_turning(model, frames, course, say)
    rows, played = shown_loop(model, chosen, rng, frames)
    if picture is not None:
        _draw_candidates(model, loops, frames, course, picture)
    jumps = len(chosen.costs) * request.times
    facts = tuple(_loop_facts(loop, frames) for loop in loops)
    if model.shape is not None:
        _warn_of_likeness(chosen.likeness, frames, say)
        moved = on_its_course(model, rows, course)
        rows = np.tile(rows if moved is None else moved.rows, (request.times, 1))
        return MadePlay(None, rows, jumps, facts)
    motion = loop_motion(model, rows, played, times=request.times, course=course, plant=plant)
    _warn_of_likeness(finished_likeness(model, chosen, motion, how["among"]), frames, say)
    return MadePlay(motion, np.tile(rows, (request.times, 1)), jumps, facts)


def _course(course: str | float | None) -> str | float | None:
    try:
        return None if course is None else float(course)
    except ValueError:
        return course


def _draw_candidates(
    model: TextureModel, loops: Sequence[Loop], frames: int, course: str | float | None, target: Path
) -> None:
    """Draw a strip of each candidate, best first, with its jumps and its likeness to the take."""
    from freshtake.formats.report_files import write_figure
    from freshtake.reports.style_figures import strips
    from freshtake.reports.texture_figures import loop_strips

    motions, titles = [], []
    for number, loop in enumerate(loops, start=1):
        motions.append(loop_motion(model, *shown_loop(model, loop, np.random.default_rng(0), frames), course=course))
        speed = "" if loop.likeness.travel is None else f"speed {loop.likeness.travel:.2f}, "
        jumps = f"{len(loop.costs)} jump{'s' * (len(loop.costs) != 1)} to {loop.costs.max(initial=0.0):.1f}"
        titles.append(f"{number}: {speed}energy {loop.likeness.energy:.2f}, range {loop.likeness.range:.2f}; {jumps}")
    if not hasattr(motions[0], "up"):
        raise UsageError("loops of strokes and plain rows are not drawn: --json lists them")
    draw = strips if isinstance(motions[0], Clip) else loop_strips
    write_figure(target, draw(motions, titles=titles))


def _among(model: TextureModel, request: Playing) -> Bools | None:
    """Return which frames (frames,) are in a cell and between two moments of the take; None for all."""
    count = len(model.rows)
    first, stop = frame_at(request.start, model.frame_time, 0), frame_at(request.end, model.frame_time, count)
    in_part = request.start is not None or request.end is not None
    if request.cell is None and not in_part:
        return None
    among = np.ones(count, dtype=np.bool_)
    if request.cell is not None:
        among &= model.segments.cells() == model.cell(request.cell)
    if in_part:
        if len(model.segments.bounds) > 2:
            raise UsageError(
                "--from and --to need a model of one take: choose a part by --cell, or learn from one take"
            )
        if not first < stop <= count:
            take = f"the take, which has frames 0 to {count} ({count * model.frame_time:.2f} s)"
            raise UsageError(f"the part from frame {first} to {stop} is not within {take}")
        among[:first] = among[stop:] = False
    return among


def _loop_facts(loop: Loop, frames: int) -> dict[str, Any]:
    alike = {k: None if v is None else round(v, 3) for k, v in loop.likeness._asdict().items()}
    return {
        "pieces": [[a, b] for a, b in loop.pieces()],
        "jumps": len(loop.costs),
        "largest_jump": round(float(loop.costs.max(initial=0.0)), 2),
        "tempo": round(loop.length / frames, 3),
        **alike,
        "price": round(loop.cost, 2),
    }


def _warn_of_jumps(model: TextureModel, loop: Loop, frames: int, warn: Warn) -> None:
    """Warn if a loop of that length needs larger jumps than endless playback, and name lengths that need none."""
    largest = float(loop.costs.max(initial=0.0))
    if largest <= loop.limit or model.settings.method == "paper":
        return
    near = loop_lengths(model, np.random.default_rng(0), frames)
    better = f"; loops of {', '.join(map(str, near))} frames need none above {loop.limit:g}" if near else ""
    warn(f"a loop of {frames} frames needs a jump of {largest:.0f} mean frame steps, which may show{better}")


def _warn_of_likeness(likeness: Likeness, frames: int, warn: Warn) -> None:
    """Warn if a loop's travel, movement or range differs from the moving part of the takes."""
    words = {"travel": "travels {:.2f} times as fast", "energy": "moves {:.2f} times as much"}
    words["range"] = "has poses {:.2f} times as far apart"
    off = [words[name].format(value) for name, value in likeness.unlike.items()]
    if off:
        warn(
            f"the loop of {frames} frames {' and '.join(off)} as the moving part of the takes: choose another length "
            "or a part with --from and --to"
        )


def _warn_of_turning(model: TextureModel, frames: int, course: str | float | None, warn: Warn) -> None:
    """Warn if a loop must turn faster than the takes ever do, and name a length that is enough."""
    rate = rate_of(course, frames * model.frame_time)
    if model.rates == 0 or model.recipe is None or rate is None or abs(rate) <= (most := model.bearings.most):
        return
    enough = int(np.ceil(frames * abs(rate) / most))
    fast, usual = (np.degrees(x) for x in (abs(rate), most))
    warn(
        f"a loop of {frames} frames on this course turns by {fast:.0f} degrees per second, faster than the takes "
        f"(at most {usual:.0f}), which may show; {enough} or more frames would not"
    )
