"""Baselines versus variants and real takes: python -m benchmarks.baselines [KIND ...] [-n 15] [--seed 1] [--samples].

Evaluates noise on all joints, noise on the left arm alone, combinations and replays of the four training takes, each
with the same amount of change as the variants. Needs the folder that FRESHTAKE_DATA names; --samples uses
freshtake's own takes instead. --picture FILE draws how the arms move together.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import freshtake as ft
from benchmarks.takes import DATA, KINDS
from benchmarks.timing import cpu_seconds, table
from freshtake.evaluation import Evaluation, evaluate
from freshtake.evaluation.baselines import baseline_sets, basis_of, changes, make
from freshtake.evaluation.baselines.making import NOISES, match
from freshtake.evaluation.comparable import unpacked
from freshtake.evaluation.coordination import difference
from freshtake.evaluation.tracks import Gallery, Track
from freshtake.reports.wording import real_range, shown
from freshtake.variation import learn

SAMPLES = {"walk": ft.samples.walk, "cheer": ft.samples.cheer, "jump": ft.samples.jump}
ARM = ("LeftArm", "LeftForeArm")
FIGURES = (
    "diversity", "nearest", "outside_span", "copied", "jerk_limbs", "planted_speed", "planted_lost", "coordination",
    "coordination_sides", "overshoot", "duration_spread", "auc",
)  # fmt: skip
Takes = tuple[list[Any], list[Any]]


def recorded(kind: str) -> Takes:
    """Return four training takes and the unseen takes."""
    sets = [sorted((DATA / kind).glob(f"{prefix}_*.bvh")) for prefix in (kind, "extra")]
    return [ft.read(p) for p in sets[0]], [ft.read(p) for p in sets[1]]


def bundled(kind: str) -> Takes:
    """Return four training takes and four unseen takes, made by freshtake."""
    takes = [SAMPLES[kind](np.random.default_rng([7, k])).changed(name=f"{kind}_{k + 1}") for k in range(8)]
    return takes[:4], takes[4:]


def source_of(samples: bool) -> Callable[[str], Takes]:
    """Return the source of takes; end the program with a sentence if it is recorded motion, which is absent."""
    if not samples and not DATA.is_dir():
        raise SystemExit("recorded motion is absent: set FRESHTAKE_DATA to its folder, or use --samples")
    return bundled if samples else recorded


def variants_of(inputs: Sequence[Any], count: int, seed: int) -> list[Any]:
    model = learn(inputs, rng=np.random.default_rng(seed))
    return [model.sample(np.random.default_rng([seed, k]), name=f"variant_{k + 1:03d}") for k in range(count)]


def compared(kind: str, takes: Takes, count: int, seed: int) -> tuple[str, Evaluation]:
    """Return the table of one kind of movement, and the variants."""
    inputs, extra = takes
    variants = variants_of(inputs, count, seed)
    sets = baseline_sets(inputs, variants, rng=np.random.default_rng(seed), count=count)
    result = evaluate(inputs, variants, extra, rng=np.random.default_rng(seed), baselines=sets)
    rows = []
    for figure in [f for key in FIGURES if (f := result.figure(key))]:
        cells = [shown(column.value(figure.key), figure.kind.unit) for column in result.baselines]
        rows.append([figure.kind.title, real_range(figure), shown(figure.value, figure.kind.unit), *cells])
    rows.append(["amount; within one deviation", "", "", *matched(inputs, variants, seed), "", ""])
    head = ["", "real takes", "variants", *sets]
    return "\n".join([table(kind, head, rows), arm(kind, takes, variants, seed)]), result


def matched(inputs: Sequence[Any], variants: Sequence[Any], seed: int, joints: Sequence[str] = ()) -> list[str]:
    """Return for every kind of noise the amount that changes takes as much as variants differ from takes."""
    basis = basis_of(inputs, joints)
    target = changes(basis, variants)
    found = [match(basis, kind, target, np.random.default_rng(seed)) for kind in ("strawman", "perlin", "pca")]
    return [f"{one.amount:.2f}; {100 * one.within:.0f} %" for one in found]


def of_joints(gallery: Gallery, tracks: Sequence[Track], joints: Sequence[str]) -> float:
    """Return the mean difference of correlations over pairs of one of these joints and any other joint."""
    chosen = np.array([name.rsplit(".", 1)[0] in joints for name in gallery.layout.dofs])
    return float(np.mean([difference(gallery, track, chosen[:, None] & ~chosen) for track in tracks]))


def arm(kind: str, takes: Takes, variants: Sequence[Any], seed: int) -> str:
    """Measure noise on the left shoulder and elbow alone, as in the paper's video."""
    inputs, extra = takes
    kinds = ("strawman", "perlin", "pca")
    sets = baseline_sets(inputs, variants, rng=np.random.default_rng(seed), joints=ARM, kinds=kinds)
    everything = [*variants, *(clip for clips in sets.values() for clip in clips)]
    material = unpacked(inputs, everything, extra)
    gallery, tracks = Gallery(material.layout, material.inputs), list(material.variants)
    values, first = [], 0
    for clips in (variants, *sets.values()):
        values.append(f"{of_joints(gallery, tracks[first : first + len(clips)], ARM):.3f}")
        first += len(clips)
    real = [of_joints(gallery, [track], ARM) for track in material.extra]
    own = f"{min(real):.3f} – {max(real):.3f}" if real else "–"
    rows = [["correlations of the arm with the rest, off the inputs'", own, *values]]
    rows.append(["amount; within one deviation", "", "", *matched(inputs, variants, seed, ARM)])
    return table(f"{kind}, noise on the left arm alone", ["", "further takes", "variants", *kinds], rows)


def speed(inputs: Sequence[Any]) -> str:
    """Measure the CPU time of one clip of each kind."""
    basis = basis_of(inputs)
    made = [
        [kind, f"{1e3 * cpu_seconds(lambda kind=kind: make(basis, kind, np.random.default_rng(1)), 5):.1f} ms"]  # type: ignore[misc]
        for kind in NOISES
    ]
    return table("CPU time of one clip", ["kind", "time"], made)


def picture(path: Path, takes: Takes, count: int, seed: int) -> None:
    """Draw the positions of the left hand over those of the right, for inputs, variants and noise on the left arm."""
    from matplotlib.figure import Figure

    from freshtake.formats.report_files import write_figure
    from freshtake.motion.body.orientation import body_poses, usual_facing

    inputs, _ = takes
    variants = variants_of(inputs, count, seed)
    noisy = baseline_sets(
        inputs, variants, rng=np.random.default_rng(seed), joints=ARM, kinds=("strawman", "perlin", "pca")
    )
    facing = usual_facing(inputs[0])
    hands = [inputs[0].skeleton.index(name) for name in ("LeftHand", "RightHand")]
    figure = Figure(figsize=(11, 2.7), layout="constrained")
    sets = {"inputs": inputs, "variants": variants, **{f"{k} on the left arm": v for k, v in noisy.items()}}
    axes = figure.subplots(1, len(sets), sharex=True, sharey=True)
    colors = ("#3b82d6", "#35a264", "#d9534f", "#d9534f", "#d9534f")
    for axis, (name, clips), color in zip(axes, sets.items(), colors, strict=True):
        for clip in clips:
            places = body_poses(clip, facing)[:, hands, 2]
            axis.plot(places[:, 1], places[:, 0], color=color, linewidth=0.8, alpha=0.7)
        axis.set_title(name, fontsize=9)
        axis.set_xlabel("right hand ahead [legs]", fontsize=8)
        axis.tick_params(labelsize=7)
    axes[0].set_ylabel("left hand ahead [legs]", fontsize=8)
    write_figure(path, figure, dpi=80)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.baselines", description=__doc__)
    parser.add_argument("kinds", nargs="*")
    parser.add_argument("-n", type=int, default=15)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--samples", action="store_true")
    parser.add_argument("--picture", type=Path)
    given = parser.parse_args()
    source = source_of(given.samples)
    kinds = given.kinds or (list(SAMPLES) if given.samples else list(KINDS))
    if given.picture:
        picture(given.picture, source(kinds[0]), given.n, given.seed)
        return
    for kind in kinds:
        print(compared(kind, source(kind), given.n, given.seed)[0], flush=True)
    print(speed(source(kinds[0])[0]))


if __name__ == "__main__":
    main()
