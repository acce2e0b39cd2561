"""Style translation: errors on takes left out, kept parts of the input, feet, speed and stability.

python -m benchmarks.style [targets directions errors deviations punches fights speed]

Protocol of `errors`: TESTED normal walks × both takes of a style, with neither clip in any training pair; a style
with only one take is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import freshtake as ft
from benchmarks.style_directions import directions
from benchmarks.style_measures import (
    jerk,
    nearest_pose,
    planted_speed,
    streamed_speed,
    strides,
    usual_turn,
)
from benchmarks.style_speed import speed
from benchmarks.style_targets import targets
from benchmarks.takes import DATA, clip_of, styles
from benchmarks.timing import print_tables, table
from freshtake.motion.planting.contacts import contact_mask, joint_contacts
from freshtake.numeric.arrays import Floats
from freshtake.style import align
from freshtake.style.learning import learn
from freshtake.style.model import StyleModel
from freshtake.style.pairs import pair_rows
from freshtake.style.simple_translations import KINDS, held_out_errors, joint_angle_error

TESTED = 2  # normal walks that are translated in turn; each test learns two models


@cache
def normals() -> list[Any]:
    """Return the normal walks; the cache keeps the same objects, by which alignments are looked up."""
    return [ft.read_clip(path) for path in sorted((DATA / "style").glob("normal_*.bvh"))]


@cache
def takes_of(style: str) -> list[Any]:
    """Return both takes of a style."""
    return [clip_of(f"style/{style}_{k}") for k in (1, 2)]


def crouched() -> str:
    """Return the style to measure if one style is enough: a crouched walk if there is one."""
    return next((name for name in styles() if name.startswith("crouch")), styles()[0])


def translations() -> str:
    """Return both tables over all held-out pairs."""
    sources = normals()
    rows, kept_rows = [], []
    all_errors: dict[str, list[float]] = {kind: [] for kind in (*KINDS, "another take")}
    for name in styles():
        takes = takes_of(name)
        warps = {(id(a), id(b)): align(a, b) for a in sources for b in takes}
        errors: dict[str, list[float]] = {kind: [] for kind in all_errors}
        kept: list[dict[str, float]] = []
        for test in ((a, b) for a in sources[:TESTED] for b in takes):
            train = [(a, b) for a in sources for b in takes if a is not test[0] and b is not test[1]]
            done = held_out_errors(train, test, alignments=warps, map=map)
            for kind, value in done.errors.items():
                errors[kind].append(value)
            kept.append(measures(done.models["n4sid"], test, warps[id(test[0]), id(test[1])]))
        errors["another take"] = [between_takes(done.models["n4sid"], *order) for order in (takes, takes[::-1])]
        for kind, values in errors.items():
            all_errors[kind] += values
        rows.append(error_row(name, errors))
        kept_rows.append(kept_row(name, kept))
    rows.append(error_row("all", all_errors))
    head = [
        "style", *KINDS, "another take", "n4sid / mean-var", "n4sid / static",
    ]  # fmt: skip
    count = f"{TESTED * 2} pairs a style left out in turn"
    first = table(f"Mean joint-angle error in degrees, {count}", head, rows)
    head = [
        "style", "heading off (max)", "strides kept", "frames / real", "contacts right", "planted cm/s: real",
        "raw", "cleaned", "cleaned / real", "streamed / real", "input blended in",
    ]  # fmt: skip
    return "\n".join([first, table(f"What a translation keeps, {count}", head, kept_rows)])


def error_row(name: str, errors: dict[str, list[float]]) -> list[str]:
    mean = {kind: float(np.mean(values)) for kind, values in errors.items()}
    ratios = [mean["n4sid"] / mean["mean/variance"], mean["n4sid"] / mean["static"]]
    return [name, *(f"{value:.2f}" for value in mean.values()), *(f"{ratio:.3f}" for ratio in ratios)]


def between_takes(model: StyleModel, a: Any, b: Any) -> float:
    """Return the distance of two real takes of one style: no translation can be expected to do better."""
    rows = pair_rows(model.recipe, a, b, align(a, b))
    return joint_angle_error(model.recipe, rows.source, rows.target[:, :-1])


def measures(model: StyleModel, test: tuple[Any, Any], warp: Any) -> dict[str, float]:
    """Return the results of one translation of a normal walk that was left out."""
    source, target = test
    raw, made = (model.translate(source, plant=plant) for plant in (False, True))
    features = model.encode(source)
    done = model.translation(source)
    mask = done.contacts
    labels = model.labels(features.values[slice(*warp.first)])
    said = np.stack([labels[name] for name in model.feet], axis=1)
    truth = contact_mask(target)[slice(*warp.second)][np.round(warp.path).astype(int)]
    return {
        "heading": abs(usual_turn(made) - usual_turn(source)),
        "strides": float(strides(made) == strides(source)),
        "frames": len(made) / len(source) / ((warp.second[1] - warp.second[0]) / (warp.first[1] - warp.first[0])),
        "contacts": float(np.mean(said == truth)),
        "real": planted_speed(target, joint_contacts(target)),
        "raw": planted_speed(raw, mask),
        "cleaned": planted_speed(made, joint_contacts(made)),
        "streamed": streamed_speed(model, features.values),
        "blended": float(done.translated.blends.mean()),
    }


def kept_row(name: str, kept: list[dict[str, float]]) -> list[str]:
    mean = {key: float(np.mean([each[key] for each in kept])) for key in kept[0]}
    worst = max(each["heading"] for each in kept)
    return [
        name, f"{mean['heading']:.1f}° ({worst:.1f}°)", f"{100 * mean['strides']:.0f} %", f"{mean['frames']:.2f}",
        f"{100 * mean['contacts']:.0f} %", f"{mean['real']:.1f}", f"{mean['raw']:.1f}", f"{mean['cleaned']:.1f}",
        f"{mean['cleaned'] / mean['real']:.2f}", f"{mean['streamed'] / mean['real']:.2f}",
        f"{100 * mean['blended']:.0f} %",
    ]  # fmt: skip


def deviations() -> str:
    """Measure ducking, limbo, stepping over and an exaggerated arm swing, with and without generalization."""
    pairs = [(a, b) for a in normals() for b in takes_of(crouched())]
    model = learn(pairs)
    source = normals()[1]
    rows_in = model.encode(source).values
    window = np.zeros(len(source))
    window[150:210] = np.hanning(60)
    cases = {
        "duck (hips 40 % lower)": ("Hips.height", -0.4 * rows_in[:, 3].mean()),
        "limbo (back bent by 60°)": ("LowerBack.x", -np.radians(60.0)),
        "step over (thigh lifted by 70°)": ("LeftUpLeg.x", -np.radians(70.0)),
    }
    rows = []
    memory = model.bank.memory()
    for what, (dof, size) in cases.items():
        column = model.dofs.index(dof)
        changed = rows_in.copy()
        changed[:, column] += size * window
        cells = [what]
        for generalize in (False, True):
            usual, *_ = model.translate_rows(rows_in, model.translator(time_warp=False, generalize=generalize))
            made, *_ = model.translate_rows(changed, model.translator(time_warp=False, generalize=generalize))
            peak = made.rows[175:185, column].mean() - rows_in[175:185, column].mean()
            cells.append(f"{100 * peak / (size * window[175:185].mean()):.0f} %")
            late = slice(210 + memory, None)
            cells.append(f"{joint_angle_error(model.recipe, made.rows[late], usual.rows[late]):.3f}°")
        rows.append([*cells, f"{made.blends[175:185].max(axis=1).mean():.2f}"])
    head = ["deviation for 1 s", "of it in the output, without", "left after one memory", "with", "left after", "b*"]
    swing = table("Unexpected input (crouched; 100 %: the input's own pose)", head, rows)
    ratios = []
    for factor in (1.5, 2.0):
        passed = [swing_ratio(*how, rows_in, factor) for how in ((model, False), (model, True))]
        ratios.append([f"{factor:g} ×", *(f"{value:.2f} ×" for value in passed)])
    head = ["arm swing of the input", "of the output, without generalization", "with"]
    return "\n".join([swing, table("Exaggerated arm swing", head, ratios)])


def swing_ratio(model: StyleModel, generalize: bool, rows: Floats, factor: float) -> float:
    """Return the factor of the arm swing in the output if the arms swing `factor` times as wide in the input."""
    arms = [k for k, name in enumerate(model.dofs) if "Arm." in name]
    wider = rows.copy()
    wider[:, arms] += (factor - 1.0) * (rows[:, arms] - rows[:, arms].mean(axis=0))
    usual = model.translate_rows(rows, model.translator(time_warp=False, generalize=False))[0].rows[:, arms]
    made = model.translate_rows(wider, model.translator(time_warp=False, generalize=generalize))[0].rows[:, arms]
    return float(np.sqrt(made.var(axis=0).sum() / usual.var(axis=0).sum()))


def punches() -> str:
    """Translate bundled weak punches into aggressive punches, five-fold."""
    weak = [ft.samples.punch(np.random.default_rng(k), strength="weak") for k in range(10)]
    strong = [ft.samples.punch(np.random.default_rng(100 + k), strength="aggressive") for k in range(10)]
    pairs = list(zip(weak, strong, strict=True))
    errors: dict[str, list[float]] = {name: [] for name in KINDS}
    speeds = []
    hand = weak[0].skeleton.index("RightHand")

    def fastest(clip: Any) -> float:
        return float(np.linalg.norm(np.diff(clip.positions()[:, hand], axis=0), axis=1).max() * clip.fps)

    for test in pairs[::2]:
        done = held_out_errors([p for p in pairs if p is not test], test, map=map)
        for name, value in done.errors.items():
            errors[name].append(value)
        speeds.append([fastest(clip) for clip in (test[0], done.models["n4sid"].translate(test[0]), test[1])])
    shown = " → ".join(f"{value:.0f}" for value in np.mean(speeds, axis=0)[:2])
    row = [
        *(f"{np.mean(values):.2f}" for values in errors.values()),
        f"{shown} (real {np.mean(speeds, axis=0)[2]:.0f})",
    ]
    return table(
        "Weak punches into aggressive ones, left out: degrees, hand speed", [*KINDS, "fastest hand, cm/s"], [row]
    )


def fights() -> str:
    """Apply a model of five weak and aggressive punches and kicks each to unseen long weak fights."""
    pairs = []
    for action in ("punch", "kick"):
        for k in range(5):
            weak, strong = (
                ft.samples.fight(np.random.default_rng(seed), actions=(action,), strength=strength)
                for seed, strength in ((k, "weak"), (100 + k, "aggressive"))
            )
            pairs.append((weak, strong))
    model = learn(pairs)
    rows = []
    for seed in range(3):
        weak, real = (
            ft.samples.fight(np.random.default_rng(200 + seed), strength=strength)
            for strength in ("weak", "aggressive")
        )
        made = model.translate(weak)
        speeds = []
        for joint in ("RightHand", "RightToeBase"):
            own = [strike_speed(clip, joint) for clip in (weak, made, real)]
            speeds.append(f"{own[0]:.0f} → {own[1]:.0f} (real {own[2]:.0f}): {own[1] / own[2]:.0%}")
        rows.append([
            f"fight {seed + 1}", *speeds, f"{len(weak)} → {len(made)} (real {len(real)})",
            f"{jerk(made) / jerk(real):.2f}", f"{nearest_pose(made, real):.3f}", f"{nearest_pose(weak, real):.3f}",
        ])  # fmt: skip
    head = ["", "punches, cm/s", "kicks, cm/s", "frames", "jerk / real", "nearest pose, legs", "the input's"]
    return table("Long weak fights (punches and kicks) into aggressive ones", head, rows)


def strike_speed(clip: Any, joint: str) -> float:
    """Return the joint's maximum speed in cm/s, averaged over the four strikes of a fight."""
    place = clip.positions()[:, clip.skeleton.index(joint)]
    speed = np.linalg.norm(np.diff(place, axis=0), axis=1) * clip.fps
    found = []
    for _ in range(4):
        peak = int(speed.argmax())
        found.append(float(speed[peak]))
        speed[max(peak - round(0.7 * clip.fps), 0) : peak + round(0.7 * clip.fps)] = 0.0
    return float(np.mean(found))


TABLES: dict[str, Callable[[], str]] = {
    "targets": targets,
    "directions": directions,
    "errors": translations,
    "deviations": deviations,
    "punches": punches,
    "fights": fights,
    "speed": lambda: speed(normals(), takes_of(crouched())),
}

if __name__ == "__main__":
    print_tables(TABLES, "benchmarks.style", __doc__)
