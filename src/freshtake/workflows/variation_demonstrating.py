"""The main job on the samples that come with freshtake: four walks in, fifteen new ones out, and how good they are."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from freshtake.formats.registry import read, write
from freshtake.formats.report_files import write_figure
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion import Clip
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.reports.network_pictures import network_pictures
from freshtake.reports.overlay import overlay
from freshtake.reports.plots import BLUES, GREENS
from freshtake.reports.verdict import verdict_of
from freshtake.workflows.motion_evaluating import EvaluationOptions, evaluate_motions
from freshtake.workflows.motion_sampling import motion_samples
from freshtake.workflows.variation_learning import variation_learn
from freshtake.workflows.variation_streaming import variation_stream
from freshtake.workflows.variation_varying import variants

INPUTS, EXTRA, VARIANTS, STREAM_FRAMES = 4, 4, 15, 900
UNIT = 0.01  # metres: the samples are in centimetres


class DemoItem(NamedTuple):
    """Something the demo left behind."""

    what: str
    path: Path


@one_blas_thread()
def variation_demo(folder: Path, *, seed: int = 7, report: Report = silent) -> list[DemoItem]:
    """Write takes, learn from four, make variants, judge them beside the other takes, and draw them."""
    report(Progress(0.0, "making takes"))
    paths = motion_samples(["walk"], folder / "takes", takes=INPUTS + EXTRA, seed=seed)
    takes = [_clip(path) for path in paths]
    inputs, extra = takes[:INPUTS], takes[INPUTS:]

    def learning(step: Progress) -> None:
        report(Progress(0.05 + 0.45 * step.share, step.what))

    def judging(step: Progress) -> None:
        report(Progress(0.6 + 0.3 * step.share, step.what))

    target = folder / "walk.ftm"
    model = variation_learn(paths[:INPUTS], target, seed=seed, reading={"unit_m": UNIT}, report=learning)
    report(Progress(0.5, "making variants"))
    new = [clip for clip in variants(model, VARIANTS, plant=True, seed=seed) if isinstance(clip, Clip)]
    (folder / "variants").mkdir(parents=True, exist_ok=True)
    for clip in new:
        write(folder / "variants" / f"{clip.name}.bvh", clip)
    endless = variation_stream(target, folder / "endless_walk.bvh", STREAM_FRAMES, seed=seed)
    title = f"{VARIANTS} variants of {INPUTS} walks"
    judged = evaluate_motions(
        inputs,
        new,
        extra,
        options=EvaluationOptions(seed=seed, title=title),
        target=folder / "report.html",
        more=network_pictures(model),
        report=judging,
    )
    report(Progress(0.92, "drawing"))
    return [
        DemoItem(f"{len(takes)} takes of a walk cycle made by freshtake (BVH); the first {INPUTS} are the inputs",
             folder / "takes"),
        DemoItem("the model that was learned from them", target),
        DemoItem(f"{len(new)} new walk cycles (BVH)", folder / "variants"),
        DemoItem(f"an endless walk: {endless.motion.duration:.0f} s without a repeated cycle", endless.path),
        DemoItem(f"the page to open: all in motion, scored beside {EXTRA} takes that were not learned from. "
             f"{verdict_of(judged.result).sentence}", folder / "report.html"),
        *_drawn(folder, inputs, new),
    ]  # fmt: skip


def _drawn(folder: Path, inputs: list[Clip], new: list[Clip]) -> list[DemoItem]:
    """Overlay pictures in the colors of the report, and all variants in one glTF file."""
    sets = (("inputs", inputs, BLUES), ("variants", new, GREENS))
    for name, clips, colors in sets:
        figure = overlay(clips, title=f"{len(clips)} {name}", colors=colors, legend=False)
        write_figure(folder / f"overlay_{name}.png", figure)
    write(folder / "variants.glb", new, unit_m=UNIT)
    return [
        *[DemoItem(f"overlay of {len(clips)} {name}", folder / f"overlay_{name}.png") for name, clips, _ in sets],
        DemoItem(f"{len(new)} variants as animations of one glTF file, for any 3-D viewer", folder / "variants.glb"),
    ]


def _clip(path: Path) -> Clip:
    motion = read(path, unit_m=UNIT)
    assert isinstance(motion, Clip)
    return motion
