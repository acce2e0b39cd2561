"""Densities: stability of synthesis, blends of classes, speed, and the paper's literal method.

python -m benchmarks.density [holds blends novelty midway speed paper paper_blends]
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

import freshtake as ft
from benchmarks.style_measures import planted_speed
from benchmarks.takes import clip_of, present, styles
from benchmarks.timing import least_cpu, print_tables, table
from freshtake.density import DensityModel, Settings, learn
from freshtake.density.class_cycles import holding
from freshtake.density.decoding import recorded
from freshtake.density.pose_density import log_density
from freshtake.motion.features import encode
from freshtake.motion.planting.contacts import joint_contacts
from freshtake.numeric.arrays import Floats

TAKES = (
    "okwechime/bvh/male_walk", "okwechime/bvh/female_walk", "cyclic/walk8_11s", "cyclic/walk8_13s",
    "cyclic/walk_turns_16s", "cyclic/swim_22s", "cyclic/run_circle_10s", "okwechime/bvh/male_run",
    "okwechime/bvh/female_run", "okwechime/bvh/male_skip", "okwechime/bvh/female_skip", "style/bentforward_1",
    "style/crouched_1", "style/toescrouched_1", "validation/cyclic/walk_13s", "validation/style137/normal",
    "validation/style137/oldman",
)  # fmt: skip
BLENDS = (
    ("female_walk", "female_run"), ("male_walk", "female_skip"), ("female_skip", "female_run"),
    ("male_walk", "female_walk"), ("male_walk", "male_run"), ("female_run", "female_walk"), ("male_skip", "male_walk"),
)  # fmt: skip
SEEDS, FRAMES = 2, 10_000
BLEND_SEEDS, RAMP, REST = 3, 4.0, 2.0  # seconds
NOVEL_FRAMES = 600
PAPER_FRAMES = 600
PAPER_TAKES = [take for take in TAKES if take.startswith("okwechime")]  # hundreds of kernels: it tries every one


def taught(take: str, **settings: Any) -> tuple[ft.Clip, DensityModel]:
    clip = clip_of(take)
    return clip, learn({"take": [clip]}, Settings(**settings))


def holds() -> str:
    """Synthesize 20,000 frames with several seeds and show the worst."""
    rows = []
    for take in present(TAKES):
        clip, model = taught(take)
        data = [model.encode(clip)]
        found = [
            holding(data, model.rows(np.random.default_rng(seed), frames=FRAMES)[:, : model.modes])
            for seed in range(SEEDS)
        ]
        few = take.endswith(("_run", "_skip"))
        rows.append(
            [
                take.split("/")[-1],
                str(model.modes),
                f"{model.errors[0]:.1f}",
                str(sum(h.stalls for h in found)),
                "–" if few else _range([h.period for h in found], 3),
                f"{max(h.distance for h in found):.2f}",
                f"{max(h.sharpness for h in found):.2f}",
                "–" if few else _range([h.variation for h in found]),
                str(sum(h.repeats for h in found)),
            ]
        )
    head = ["take", "modes", "error cm", "stalls", "period", "distance", "sharpness", "variation", "repeats"]
    goal = "targets: 0 stalls, period 0.97-1.03, distance 1.5, sharpness 1.3, variation 0.8-1.25, 0 repeats"
    return table(f"Synthesis of {FRAMES:,} frames, {SEEDS} seeds, worst ({goal})", head, rows)


def _range(values: list[float], digits: int = 2) -> str:
    return f"{min(values):.{digits}f}-{max(values):.{digits}f}"


def paper_holds() -> str:
    """Show the same figures for the paper's literal method, which is not random, so one run each."""
    rows = []
    for take in present(PAPER_TAKES):
        for search, correction in (("coordinate", True), ("coordinate", False), ("kernels", True)):
            clip, model = taught(take, method="paper", search=search, correction=correction)
            data = model.encode(clip)
            made = model.rows(np.random.default_rng(0), frames=PAPER_FRAMES)[:, : model.modes]
            found = holding([data], made)
            step = np.linalg.norm(np.diff(made, axis=0), axis=1)
            slow = float((step < 0.05 * np.median(np.linalg.norm(np.diff(data, axis=0), axis=1))).mean())
            size = float(np.sqrt(made[100:].var(axis=0).sum() / data.var(axis=0).sum()))
            name = f"{search}, eq. {12 if correction else 10}"
            figures = [f"{100 * slow:.0f} %", f"{size:.2f}", f"{found.distance:.1f}", _figure(found.period)]
            rows.append([take.split("/")[-1], name, *figures, _figure(found.variation), str(found.repeats)])
    head = ["take", "search", "frames at rest", "orbit size", "distance", "period", "variation", "repeats"]
    return table('method="paper", 600 frames (orbit size: spread over the data\'s; 1 is right)', head, rows)


def _figure(value: float) -> str:
    return f"{value:.2f}" if np.isfinite(value) else "–"


def foot_speed(clip: ft.Clip) -> float:
    """Return the mean horizontal speed of planted feet, by contacts detected in the clip."""
    return planted_speed(clip, joint_contacts(clip))


def switch(model: DensityModel, y: Floats, frames: int) -> tuple[float, int]:
    """Return w at the last change from the first class to the second, and the number of changes."""
    a, b = (
        np.linalg.norm(y[:, None] - np.concatenate(model.runs(name))[None], axis=2).min(axis=1)
        for name in model.classes
    )
    changes = np.flatnonzero(np.diff((b < a).astype(int)))
    return (1.0 - 2.0 * float(changes[-1]) / (frames - 1) if len(changes) else np.nan), len(changes)


@cache
def pairs() -> list[tuple[dict[str, list[ft.Clip]], DensityModel]]:
    """Return pairs of classes and their models: the paper's gaits, styles of one walker, two of a held-out walker."""
    found = [{name: [clip_of(f"okwechime/bvh/{name}")] for name in pair} for pair in BLENDS]
    for style in styles():
        found.append({name: [clip_of(f"style/{name}_{k}") for k in (1, 2)] for name in ("normal", style)})
    held_out = [f"validation/style137/{name}" for name in ("normal", "oldman")]
    if len(present(held_out)) == len(held_out):
        found.append({take.rpartition("/")[2]: [clip_of(take)] for take in held_out})
    return [(clips, learn(clips)) for clips in found]


def blends() -> str:
    """Change between two classes by weights in four seconds, blended and switched."""
    rows = []
    for clips, model in pairs():
        own = [np.linalg.norm(np.diff(model.encode(c), 2, axis=0), axis=1) for found in clips.values() for c in found]
        sharpest = max(float(np.percentile(x, 99.9)) for x in own)
        skate = max(foot_speed(clip) for clip in recorded(model))
        for method in ("default", "switch"):
            other = replace(model, settings=model.settings.changed(method=method))
            several = [changed(other, seed) for seed in range(BLEND_SEEDS)]
            found = [blend_figures(other, made, sharpest, skate) for made in several]
            share = f"{ramp_share(other, several):.2f}"
            rows.append([" → ".join(clips), "blend" if other.mixes else "switch", share, *_worst(found)])
    head = [
        "change", "method", "share of the ramp", "acceleration of the clip", "planted", "foot speed", "planted",
        "bone error", "outside",
    ]  # fmt: skip
    goal = "targets: the whole ramp, acceleration 1.3, foot speed 1.5, of the larger of the two classes' own"
    return table(f"Blends in 4 s, {BLEND_SEEDS} seeds, mean (worst) or worst ({goal})", head, rows)


def blend_figures(model: DensityModel, made: Floats, sharpest: float, skate: float) -> list[float]:
    """Make one change from the first class to the second; return its figures in the order of the table."""
    clip = model.decode(made)
    planted = model.planted(clip)
    bends = [
        float(np.linalg.norm(np.diff(model.encode(c), 2, axis=0), axis=1).max()) / sharpest for c in (clip, planted)
    ]
    speeds = [foot_speed(c) / skate for c in (clip, planted)]
    return [*bends, *speeds, bone_error(planted), outside(model, made)]


def changed(model: DensityModel, seed: int) -> Floats:
    """Return weights that rest, change linearly and rest, from the first class to the second."""
    ramp, rest = round(RAMP / model.frame_time), round(REST / model.frame_time)
    w = np.clip((np.arange(ramp + 2 * rest) - rest) / ramp, 0.0, 1.0)
    return model.rows(np.random.default_rng(seed), frames=len(w), weights=np.stack([1.0 - w, w], axis=1))


def ramp_share(model: DensityModel, several: list[Floats]) -> float:
    """Return the time of the mean pose from a tenth to nine tenths of its change, divided by the ramp."""
    ramp, rest = round(RAMP / model.frame_time), round(REST / model.frame_time)
    poses = np.mean([made[:, : model.modes] for made in several], axis=0)
    a, b = poses[:rest].mean(axis=0), poses[-rest:].mean(axis=0)
    cycle = round(2.0 * np.pi / float(model.gaits.omegas.mean()))
    along = np.convolve((poses - a) @ (b - a) / ((b - a) @ (b - a)), np.full(cycle, 1.0 / cycle), mode="valid")
    low, high = np.flatnonzero(along > 0.1), np.flatnonzero(along > 0.9)
    return float(high[0] - low[0]) / (0.8 * ramp) if len(low) and len(high) else np.nan


def details(model: DensityModel, rows: Floats) -> Floats:
    """Return the columns of residuals or rotations, which precede those of feet."""
    return rows[:, model.modes + model.rates.shape[1] : rows.shape[1] - model.foot_columns.shape[1]]


def dofs(model: DensityModel, rows: Floats) -> Floats:
    """Return the rows' DOFs without travel."""
    motion = model.decode(rows)
    return motion if model.recipe is None else encode(model.recipe, motion, strict=False).values[:, 3:]


def on_curve(model: DensityModel, made: Floats) -> float:
    """Return the fraction of frames within 1 % of the data's spread of a recorded curve, between consecutive frames."""
    data, edges = details(model, model.track.rows), model.run_stops[:-1] - 1
    starts = np.delete(np.arange(len(data) - 1), edges)
    a, step = data[starts], data[starts + 1] - data[starts]
    near = []
    for row in details(model, made):
        along = np.clip(((row - a) * step).sum(axis=1) / np.maximum((step**2).sum(axis=1), 1e-30), 0.0, 1.0)
        near.append(float(np.linalg.norm(row - a - along[:, None] * step, axis=1).min()))
    return float((np.array(near) < 0.01 * np.sqrt(data.var(axis=0).sum())).mean())


def novelty() -> str:
    """Count the frames on a recorded curve, for one class and for a blend."""
    rows = []
    for _, model in pairs():
        if model.turning is None:
            continue
        a, b = model.classes
        shares = [
            on_curve(model, model.rows(np.random.default_rng(0), frames=NOVEL_FRAMES, weights=w))
            for w in ({a: 1.0}, {b: 1.0}, {a: 0.5, b: 0.5})
        ]
        rows.append([f"{a}, {b}", *(f"{100 * share:.0f} %" for share in shares)])
    return table("Frames on a recorded curve", ["classes", "first alone", "second alone", "half and half"], rows)


def midway() -> str:
    """Measure the speed of planted feet, by contacts detected in the clip, in blends of the bundled walk and run."""
    walk = ft.samples.walk(np.random.default_rng(1), cycles=6)
    run = ft.samples.run(np.random.default_rng(2), cycles=8)
    model = learn({"walk": [walk], "run": [run]})
    usual = [foot_speed(clip) for clip in (walk, run)]
    rows = [["the takes themselves", f"{usual[0]:.1f} and {usual[1]:.1f}", "", "1"]]
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        speeds = []
        for plant in (False, True):
            clip = model.sample(
                np.random.default_rng(3), frames=900, weights={"walk": 1.0 - share, "run": share}, plant=plant
            )
            speeds.append(foot_speed(clip))
        rows.append([
            f"walk {1 - share:.0%}, run {share:.0%}", f"{speeds[0]:.1f}", f"{speeds[1]:.1f}",
            f"{speeds[1] / max(usual):.2f}",
        ])  # fmt: skip
    return table(
        "Feet between a walk and a run", ["weights", "cm/s", "planted", "over the larger class (target 1.5)"], rows
    )


def _worst(found: list[list[float]]) -> list[str]:
    top, usual = np.max(found, axis=0), np.nanmean(found, axis=0)
    pair = [f"{mean:.2f} ({worst:.2f})" for mean, worst in zip(usual, top, strict=True)]
    return [*pair[:4], f"{top[4]:.0e}", f"{100 * top[5]:.1f} %"]


def outside(model: DensityModel, made: Floats) -> float:
    """Return the fraction of DOFs beyond their range in the classes, widened by 5 %."""
    data, ours = dofs(model, model.track.rows), dofs(model, made)
    low, high = data.min(axis=0), data.max(axis=0)
    slack = 0.05 * (high - low)
    return float(((ours < low - slack) | (ours > high + slack)).mean())


def bone_error(clip: ft.Clip) -> float:
    """Return the largest change of a joint's distance from its parent."""
    places = clip.positions()
    lengths = np.linalg.norm(places[:, 1:] - places[:, clip.skeleton.parents[1:]], axis=-1)
    return float(np.abs(lengths - clip.skeleton.lengths()[1:]).max())


def paper_blends() -> str:
    """Show at which weights eq. 14, taken literally, changes from class to class."""
    rows = []
    for first, second in BLENDS[:5]:
        clips = {name: [clip_of(f"okwechime/bvh/{name}")] for name in (first, second)}
        for search in ("coordinate", "kernels"):
            model = learn(clips, Settings(method="paper", search=search))
            y = model.rows(np.random.default_rng(0), frames=240, weights=f"{first}:1->{second}:1")[:, : model.modes]
            w, count = switch(model, y, 240)
            bend = float(np.linalg.norm(np.diff(y, 2, axis=0), axis=1).max())
            own = max(
                float(np.linalg.norm(np.diff(model.encode(c[0]), 2, axis=0), axis=1).max()) for c in clips.values()
            )
            rows.append([f"{first} → {second}", search, _figure(w), str(count), f"{bend / own:.1f}"])
    head = ["change", "search", "w at the last change", "changes", "acceleration"]
    return table('Blends of method="paper", 240 frames (1 to -1)', head, rows)


def wanderer(kernels: int, width: int = 40, period: float = 64.3) -> Floats:
    """Return rows (kernels, width) of a cyclic motion with slow changes, of about eight modes."""
    rng = np.random.default_rng(0)
    angle = 2.0 * np.pi * np.arange(kernels) / period
    slow = np.interp(
        np.arange(kernels), np.linspace(0, kernels, max(kernels // 64, 4)), rng.normal(size=max(kernels // 64, 4))
    )
    waves = [
        np.sin(angle),
        np.cos(angle),
        np.sin(2 * angle),
        np.cos(2 * angle),
        np.sin(3 * angle),
        slow * np.cos(angle),
    ]
    waves += [slow * np.sin(2 * angle), 0.7 * np.roll(slow, 17)]
    sizes = np.array([4.0, 3.0, 2.0, 1.6, 1.2, 1.0, 0.9, 0.8])
    return np.stack(waves, axis=1) * sizes @ np.linalg.qr(rng.normal(size=(width, 8)))[0].T


def plain_weights(places: Floats, point: Floats) -> Floats:
    """Return the weight of every kernel at one point, by plain array operations."""
    squares = ((places - point) ** 2).sum(axis=1)
    weights: Floats = np.exp(-0.5 * (squares - squares.min()))
    return weights / weights.sum()


def speed() -> str:
    """Measure frames per second on one core, next to one plain numpy evaluation of all kernels per frame."""
    rows = []
    for kernels, goal in ((1_000, "50,000"), (10_000, "20,000"), (100_000, "5,000")):
        model = learn({"a": [wanderer(kernels)]}, Settings(energy=0.999), frame_time=1.0 / 60.0, cyclic={"a": True})
        rng = np.random.default_rng(1)
        state = model.start(rng)
        frames = 4000
        plan = np.ones((frames, 1))
        ours = least_cpu(lambda m=model, s=state, p=plan, r=rng: m.advance(s, p, r)) / frames
        both = np.concatenate([model.weights, model.speeds], axis=1)
        points = both[:: max(len(both) // 40, 1)][:40] + 0.1 * model.widths
        places = both / model.widths
        numpy_one = least_cpu(lambda p=places, q=points, h=model.widths: [plain_weights(p, x / h) for x in q]) / len(
            points
        )
        pruned = least_cpu(lambda m=model, q=points: log_density(m.motion_densities[0], q)) / len(points)
        rows.append(
            [
                f"{len(model.weights):,}", str(model.modes), f"{1 / ours:,.0f}", goal, f"{1 / numpy_one:,.0f}",
                f"{numpy_one / ours:,.0f} ×", f"{1 / pruned:,.0f}", f"{numpy_one / pruned:.1f} ×",
            ]
        )  # fmt: skip
    head = [
        "kernels", "modes", "synthesis frames/s", "target", "numpy: all kernels per frame", "ratio",
        "pruned density/s", "its ratio to numpy",
    ]  # fmt: skip
    return table("Speed, one core, CPU time", head, rows)


TABLES = {
    "holds": holds,
    "blends": blends,
    "novelty": novelty,
    "midway": midway,
    "speed": speed,
    "paper": paper_holds,
    "paper_blends": paper_blends,
}

if __name__ == "__main__":
    print_tables(TABLES, "benchmarks.density", __doc__)
