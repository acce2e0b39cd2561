"""Play of a texture model by a plan: cells to go to, headings, a speed, a path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.features import Start
from freshtake.numeric.arrays import Floats
from freshtake.texture.guiding import TEMPI, Guide, start_on
from freshtake.texture.model import TextureModel
from freshtake.texture.synthesize import shown
from freshtake.texture.transitions import Played

Stop = tuple[float, str]  # seconds, and a cell, heading=DEGREES or speed=NUMBER


class Steered(NamedTuple):
    """Rows of a play, what they show, and where they start."""

    rows: Floats
    played: Played
    start: Start


def guide_of(heading: float | None, path: Path | None, speed: float | None) -> Guide:
    """Where to go from the start on; degrees, a table of points, units of length a second."""
    from freshtake.workflows.goal_options import read_path

    points = None if path is None else read_path(path)
    return Guide(None if heading is None else float(np.radians(heading)), points, speed)


def speed_note(model: TextureModel, guide: Guide) -> str | None:
    """A sentence where the takes' tempo cannot be changed enough for the requested speed."""
    if guide.speed is None or model.bearings.speed <= 0.0:
        return None
    low, high = (share * model.bearings.speed for share in TEMPI)
    if low <= guide.speed <= high:
        return None
    return (
        f"a speed of {guide.speed:g} is out of reach: at a natural tempo the takes go {low:.3g} to {high:.3g} a second"
    )


def steered_play(
    model: TextureModel,
    rng: np.random.Generator,
    frames: int,
    plan: Sequence[Stop] = (),
    cell: str | None = None,
    guide: Guide | None = None,
) -> Steered:
    """Playback that follows the plan: at each of its times, the cell or guide given there."""
    given = guide or Guide()
    stops = sorted(((round(when / model.frame_time), what) for when, what in plan), key=lambda stop: stop[0])
    guides = [(at, _guided(model, given, what)) for at, what in stops]
    if not _is_guided(model, guides, given):
        return _plain(model, rng, frames, stops, cell)
    state, now, done, parts, seen = model.start_guided(rng, given, cell=cell), given, 0, [], []
    for (until, what), (_, change) in zip([*stops, (frames, "")], [*guides, (frames, None)], strict=True):
        count = min(until, frames) - done
        if count > 0:
            state, rows, played = model.advance_guided(state, rng, now, count)
            parts.append(rows)
            seen.append(played)
            done += count
        if change is not None:
            now = _changed(now, change)
        elif what:
            state = state.steered(model.steer(state.play, what))
    return Steered(np.concatenate(parts), _joined(seen), start_on(given, model.bearings.up))


def _is_guided(model: TextureModel, guides: Sequence[tuple[int, Guide | None]], given: Guide) -> bool:
    is_given = given.heading is not None or given.path is not None or given.speed is not None
    if is_given or any(change is not None for _, change in guides):
        return True
    return model.rates > 0 and bool(model.bearings.straight.any())


def _guided(model: TextureModel, given: Guide, what: str) -> Guide | None:
    """What a word of the plan changes of the guide; None for a cell."""
    name, sign, value = what.partition("=")
    if not sign or name not in ("heading", "speed"):
        model.cell(what)
        return None
    try:
        number = float(value)
    except ValueError:
        raise UsageError(f"{what!r} says no {name}: write {name}=NUMBER") from None
    if name == "heading":
        return Guide(heading=float(np.radians(number)))
    return Guide(speed=number)


def _changed(now: Guide, change: Guide) -> Guide:
    if change.heading is not None:
        return replace(now, heading=change.heading, path=None)
    return replace(now, speed=change.speed)


def _plain(
    model: TextureModel, rng: np.random.Generator, frames: int, stops: Sequence[tuple[int, str]], cell: str | None
) -> Steered:
    """As the takes go, with nothing taken out."""
    state, done, parts, seen = model.start(rng, cell=cell), 0, [], []
    for until, name in [*stops, (frames, "")]:
        count = min(until, frames) - done
        if count > 0:
            before = state
            state, played = model.play(state, rng, count)
            parts.append(shown(before, played, model.blending))
            seen.append(played)
            done += count
        if name and done < frames:
            state = model.steer(state, name)
    return Steered(np.concatenate(parts), _joined(seen), Start())


def _joined(parts: Sequence[Played]) -> Played:
    return Played(*[np.concatenate(columns) for columns in zip(*parts, strict=True)])
