"""Style translation in every direction, from one take of each style: takes of two people, walks of other people."""

from __future__ import annotations

from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from benchmarks.style_measures import heading_off, jerk, nearest_pose, planted_speed, strides
from benchmarks.takes import clip_of, present, styles
from benchmarks.timing import table
from freshtake.motion.edit import heading, take_frames
from freshtake.motion.planting.contacts import joint_contacts
from freshtake.style.learning import learn
from freshtake.style.model import StyleModel

LONG = ("normal", "oldman", "graceful")
OTHER_PEOPLE = (
    "walk/walk_1", "walk/extra_3", "walk_select/dissimilar_1", "walk_select/dissimilar_3", "style/test_turns",
    "style/test_walk35", "cyclic/walk8_11s", "cyclic/walk8_13s", "cyclic/walk_turns_16s", "validation/walk07/walk_1",
    "validation/walk07/dissimilar_slow_1", "validation/cyclic/walk_13s",
)  # fmt: skip
TURNING = 40.0  # degrees: the target of a source that turns more is 5°, of other sources 2°


class Measured(NamedTuple):
    """Results of one translation, relative to a real take of the style except for strides and heading."""

    jerk: float
    nearest: float
    source_nearest: float
    planted: float
    strides: int
    strides_off: int
    end: float
    along: float
    turning: bool
    kept: float


def measured(model: StyleModel, source: Any, real: Any, another: Any) -> Measured:
    rows, *_ = model.translate_rows(model.encode(source).values)
    made, usual = model.translate(source), nearest_pose(real, another)
    end, along = heading_off(source, made, rows.origins)
    slides = [planted_speed(clip, joint_contacts(clip)) for clip in (made, real)]
    return Measured(
        jerk(made) / jerk(real), nearest_pose(made, real) / usual, nearest_pose(source, real) / usual,
        slides[0] / slides[1], strides(source), abs(strides(made) - strides(source)), abs(end), along,
        float(np.ptp(np.degrees(heading(source)))) > TURNING, float(rows.blends.mean()),
    )  # fmt: skip


def directions() -> str:
    """Return a row for every direction between long takes, and a row for each group of other takes."""
    long = {path.rpartition("/")[2]: clip_of(path) for path in present([f"validation/style137/{x}" for x in LONG])}
    strangers = [clip_of(name) for name in present(OTHER_PEOPLE)]
    lines = []
    others: dict[str, list[Measured]] = {}
    for a, b in permutations(long, 2):
        model, (real, another) = learn([(long[a], long[b])]), halves(walking(long[b]))
        lines.append(line(f"{a} → {b}", [measured(model, long[a], real, another)]))
        if a == "normal":
            others[b] = [measured(model, clip, real, another) for clip in strangers]
    kinds = ["normal", *styles()]
    clips = {f"{name}_{k}": clip_of(f"style/{name}_{k}") for name in kinds for k in (1, 2)}
    every: dict[str, list[Measured]] = {name: [] for name in kinds}
    for a, b in permutations(kinds, 2):
        model = learn([(clips[f"{a}_1"], clips[f"{b}_1"])])
        real, another = clips[f"{b}_2"], clips[f"{b}_1"]
        every[b].append(measured(model, clips[f"{a}_2"], real, another))
        if a == "normal" and b.startswith("crouch"):
            others[b] = [measured(model, clip, real, another) for clip in strangers]
    lines += [line(f"{len(found)} styles → {name}", found) for name, found in every.items()]
    lines += [line(f"{len(found)} walks of others → {name}", found) for name, found in others.items()]
    head = [
        "direction", "jerk / real", "nearest pose", "the input's", "planted / real", "strides kept", "heading: end",
        "along the way", "within 2° or 5°", "input kept",
    ]  # fmt: skip
    return table("Every direction, from one take of each style", head, lines)


def line(name: str, found: list[Measured]) -> list[str]:
    """Return means, with the worst in brackets if there are several."""

    def figure(values: list[float], form: str) -> str:
        mean = format(float(np.mean(values)), form)
        return mean if len(values) == 1 else f"{mean} ({format(max(values), form)})"

    held = [max(each.end, each.along) <= (5.0 if each.turning else 2.0) for each in found]
    return [
        name, figure([each.jerk for each in found], ".2f"), figure([each.nearest for each in found], ".2f"),
        figure([each.source_nearest for each in found], ".2f"), figure([each.planted for each in found], ".2f"),
        f"{sum(each.strides - each.strides_off for each in found)} of {sum(each.strides for each in found)}",
        f"{figure([e.end for e in found], '.1f')}°",
        f"{figure([e.along for e in found], '.1f')}°", f"{sum(held)} of {len(found)}",
        f"{np.mean([each.kept for each in found]):.0%}",
    ]  # fmt: skip


def walking(clip: Any) -> Any:
    """Return a clip without standing at its ends."""
    ground = clip.positions()[:, 0][:, [0, 2]]
    speed = np.convolve(np.linalg.norm(np.diff(ground, axis=0), axis=1), np.full(20, 0.05), mode="same")
    goes = np.flatnonzero(speed > 0.4 * np.percentile(speed, 75))
    return take_frames(clip, int(goes[0]), int(goes[-1]) + 1)


def halves(clip: Any) -> tuple[Any, Any]:
    return take_frames(clip, 0, len(clip) // 2), take_frames(clip, len(clip) // 2, len(clip))
