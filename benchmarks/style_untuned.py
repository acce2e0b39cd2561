"""Style translation on pairs that nobody tuned for: moods, gaits and people that no constant was chosen on.

Cycles of the population are joined into walks of several strides. Where a style has one take only, half of the source
teaches and the other half is translated, and the real take is the one that was learned from (marked *).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import freshtake as ft
from benchmarks.style_measures import jerk, nearest_pose, planted_speed, strides, travel_speed
from benchmarks.timing import table
from freshtake.motion.cycles.seams import join
from freshtake.motion.edit import take_frames
from freshtake.motion.planting.contacts import joint_contacts
from freshtake.style.learning import learn
from freshtake.style.model import StyleModel
from freshtake.style.simple_translations import shifted_rows
from freshtake.workflows.style_translating import translated

MOODS = {"relaxed": "142_a1", "happy": "142_a0", "marching": "142_a5"}
OTHERS = ("114_b0", "015_a0", "081_b2", "111_b0", "008_a0")  # walks of other people
TAUGHT = 4


class Case(NamedTuple):
    """Pairs that teach, a clip to translate, a real take of the style, and whether it was learned from."""

    name: str
    pairs: list[tuple[Any, Any]]
    source: Any
    real: Any


def cases(data: Path) -> Iterator[Case]:
    """Yield the cases; those of one model come one after the other."""

    def takes(name: str) -> list[Any]:
        return [ft.read(path) for path in sorted((data / "population" / name).glob("*.bvh"))]

    def walk(clips: list[Any]) -> Any:
        return join(clips) if len(clips) > 1 else clips[0]

    moods = {name: takes(folder) for name, folder in MOODS.items()}
    others = {name: walk(takes(name)[:4]) for name in OTHERS}
    for a, b in (("relaxed", "happy"), ("happy", "relaxed"), ("relaxed", "marching"), ("marching", "relaxed")):
        pairs = list(zip(moods[a][:TAUGHT], moods[b][:TAUGHT], strict=True))
        real = walk(moods[b][TAUGHT:])
        yield Case(f"{a} → {b}", pairs, walk(moods[a][TAUGHT : TAUGHT + 4]), real)
        if a == "relaxed":
            for name, other in others.items():
                yield Case(f"{name} → {b}", pairs, other, real)
    for who in ("male", "female"):
        walks = ft.read(data / f"okwechime/bvh/{who}_walk.bvh")
        halves = take_frames(walks, 0, len(walks) // 2), take_frames(walks, len(walks) // 2, len(walks))
        for gait in ("skip", "run"):
            real = ft.read(data / f"okwechime/bvh/{who}_{gait}.bvh")
            yield Case(f"{who} walk → {gait} *", [(halves[0], real)], halves[1], real)
    long = {name: ft.read(data / f"validation/style137/{name}.bvh") for name in ("normal", "oldman", "graceful")}
    for b in ("oldman", "graceful"):
        parts = {k: (take_frames(v, 0, len(v) // 2), take_frames(v, len(v) // 2, len(v))) for k, v in long.items()}
        pairs = [(parts["normal"][0], parts[b][0])]
        yield Case(f"normal → {b}", pairs, parts["normal"][1], parts[b][1])
        for name, other in others.items():
            yield Case(f"{name} → {b}", pairs, other, parts[b][1])


def untuned(data: Path) -> str:
    """Return the table: one row per case."""
    rows, before, model = [], None, None
    for case in cases(data):
        if model is None or case.pairs is not before:
            model, before = learn(case.pairs, one_take=False), case.pairs
        rows.append(row_of(case, model))
    head = [
        "case", "strides", "sliding / real", "speed / expected", "jerk / real or source", "nearest: ours", "copy",
        "mean/var", "covered: ours", "copy", "mean/var", "arrived", "verdict",
    ]  # fmt: skip
    return table("Pairs nobody tuned for", head, rows)


def row_of(case: Case, model: StyleModel) -> list[str]:
    """Measure one translation as `style apply` makes it."""
    done = translated([(model, 1.0)], case.source)
    made = done.clip
    features = model.encode(case.source)
    shifted = model.decode(shifted_rows(model, features.values), features)
    slides = [planted_speed(clip, joint_contacts(clip)) for clip in (made, case.real)]
    taught = [np.mean([travel_speed(pair[k]) for pair in case.pairs]) for k in (0, 1)]
    expected = travel_speed(case.source) * taught[1] / taught[0]
    ways = [(made, case.real), (case.source, case.real), (shifted, case.real)]
    near, covered = ([nearest_pose(*(pair[::way])) for pair in ways] for way in (1, -1))
    return [
        case.name, f"{strides(case.source)} → {strides(made)}", f"{slides[0] / slides[1]:.2f}",
        f"{travel_speed(made) / expected:.2f}", f"{jerk(made) / max(jerk(case.real), jerk(case.source)):.2f}",
        *[f"{value:.3f}" for value in (*near, *covered)],
        " ".join(f"{name} {share:.0%}" for name, share in done.arrived.items()),
        ", ".join(f"{one.check} {one.color}" for one in done.remarks) or "green",
    ]  # fmt: skip


if __name__ == "__main__":
    from benchmarks.takes import DATA

    print(untuned(DATA))
