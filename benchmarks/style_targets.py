"""Style translation against its targets: on takes left out, on one pair of long takes, on turns and on other content.

Development takes: four normal walks and one take of a style are the examples, the fifth walk is translated, another
take of the style is the reference. Takes kept aside: six seconds of two long turning takes are the examples, the rest
is translated.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np

from benchmarks.style_measures import (
    heading_off,
    jerk,
    nearest_pose,
    planted_speed,
    strides,
    travel_speed,
)
from benchmarks.takes import clip_of, present, styles
from benchmarks.timing import table
from freshtake.motion.edit import take_frames
from freshtake.motion.planting.contacts import joint_contacts
from freshtake.style.learning import learn
from freshtake.style.model import StyleModel

KEPT_ASIDE = ("oldman", "graceful")
BLOCK = 8  # rows of a stream that is fed in blocks
TAUGHT = 360  # frames of the held-out takes that are examples; the source's last stretch begins a little earlier
TURNS = ("style/test_turns", "cyclic/walk_turns_16s", "cyclic/walk8_11s", "cyclic/walk8_13s")
OTHERS = ("cyclic/run_circle_10s", "jump/jump_1", "cheering/cheering_1", "style/test_backwards")


class Case(NamedTuple):
    """Example pairs, a clip to translate, a real take of the style, another real take, and clips that turn."""

    name: str
    pairs: list[tuple[Any, Any]]
    source: Any
    real: Any
    another: Any
    turns: list[Any]


def cases() -> list[Case]:
    walks = [clip_of(f"style/normal_{k}") for k in range(1, 6)]
    turns = [clip_of(name) for name in present(TURNS)]
    found = []
    for name in styles():
        first, second = (clip_of(f"style/{name}_{k}") for k in (1, 2))
        found.append(Case(name, [(walk, first) for walk in walks[:4]], walks[4], second, first, turns))
    for path in present([f"validation/style137/{name}" for name in KEPT_ASIDE]):
        normal, style, name = clip_of("validation/style137/normal"), clip_of(path), path.rpartition("/")[2]
        taught, real = take_frames(style, 0, TAUGHT), take_frames(style, TAUGHT, len(style))
        rest = take_frames(normal, TAUGHT - 3, len(normal))
        found.append(
            Case(f"{name} (one pair)", [(take_frames(normal, 0, TAUGHT), taught)], rest, real, taught, [normal])
        )
    return found


def targets() -> str:
    """Return the table, and a table of content without examples."""
    rows, kept = [], []
    for case in cases():
        start = time.process_time()
        model = learn(case.pairs)
        spent = time.process_time() - start
        rows.append(target_row(case, model, spent))
        if case.name.startswith(("crouch", "oldman")):
            kept += [[case.name, *other_row(model, name)] for name in present(OTHERS)]
    head = [
        "style", "jerk / real", "nearest pose / another take", "the input's", "planted / real", "strides",
        "heading: end", "along the way", "on turns: end", "along the way", "input kept", "speed / real",
        "planting changes travel", "learning, CPU s", "stream, frames/s", "in blocks of 8", "clip, frames/s",
    ]  # fmt: skip
    first = table("Targets", head, rows)
    return "\n".join([first, table("Other content", ["style", "clip", "kept, by part"], kept)])


def target_row(case: Case, model: StyleModel, spent: float) -> list[str]:
    rows = model.encode(case.source).values
    made, *_ = model.translate_rows(rows)
    raw, out = (model.translate(case.source, plant=plant) for plant in (False, True))
    usual = nearest_pose(case.real, case.another)
    slides = [planted_speed(clip, joint_contacts(clip)) for clip in (out, case.real)]
    ends, ways = zip(*[turned_off(model, clip) for clip in case.turns], strict=True)
    end, way = heading_off(case.source, out, made.origins)
    return [
        case.name, f"{jerk(out) / jerk(case.real):.2f}", f"{nearest_pose(out, case.real) / usual:.2f}",
        f"{nearest_pose(case.source, case.real) / usual:.2f}", f"{slides[0] / slides[1]:.2f}",
        f"{strides(case.source)} → {strides(out)}", f"{end:+.1f}°", f"{way:.1f}°", f"{max(map(abs, ends)):.1f}°",
        f"{max(ways):.1f}°", f"{made.blends.mean():.1%}", f"{travel_speed(out) / travel_speed(case.real):.2f}",
        f"{travel_speed(out) / travel_speed(raw) - 1:+.1%}", f"{spent:.1f}", f"{streamed(model, rows):,.0f}",
        f"{streamed(model, np.array_split(rows, len(rows) // BLOCK)):,.0f}", f"{translated(model, case.source):,.0f}",
    ]  # fmt: skip


def turned_off(model: StyleModel, clip: Any) -> tuple[float, float]:
    made, *_ = model.translate_rows(model.encode(clip).values)
    return heading_off(clip, model.translate(clip), made.origins)


def other_row(model: StyleModel, name: str) -> list[str]:
    made, *_ = model.translate_rows(model.encode(clip_of(name)).values)
    shares = zip(model.parts, made.blends.mean(axis=0), strict=True)
    kept = [f"{part} {share:.0%}" for part, share in shares if share > 0.005]
    return [name.rpartition("/")[2], ", ".join(kept) or "nothing"]


def streamed(model: StyleModel, rows: Any) -> float:
    """Return decoded and planted frames per CPU second."""
    count = sum(1 for _ in model.stream(rows[:60], decode=True, plant=True))
    start = time.process_time()
    count = sum(1 for _ in model.stream(rows, decode=True, plant=True))
    return count / (time.process_time() - start)


def translated(model: StyleModel, clip: Any) -> float:
    """Return frames per CPU second of a whole clip, planted."""
    start = time.process_time()
    count = sum(len(model.translate(clip)) for _ in range(4))
    return count / (time.process_time() - start)
