"""The main job on samples: four walks in, fifteen new ones out, and how good they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from freshtake.formats.registry import read, write
from freshtake.formats.report_files import can_plot, write_figure
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion import Clip
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.reports.network_pictures import network_pictures
from freshtake.reports.overlay import overlay
from freshtake.reports.plots import BLUES, GREENS
from freshtake.reports.verdict import verdict_of
from freshtake.requests.samples import Demo, SamplesWrite
from freshtake.requests.variation import Learn, Stream, Variants
from freshtake.variation.model import VariationModel
from freshtake.workflows.evaluating import EvaluationOptions, evaluate_motions
from freshtake.workflows.learning import learn
from freshtake.workflows.sampling import samples_write
from freshtake.workflows.streaming import stream
from freshtake.workflows.varying import variants

INPUTS, EXTRA, VARIANTS, STREAM_FRAMES = 4, 4, 15, 900
UNIT = 0.01  # metres: the samples are in centimetres


class DemoItem(NamedTuple):
    """Something the demo left behind."""

    what: str
    path: Path


@one_blas_thread()
def demo(request: Demo, report: Report = silent, warn: Callable[[str], None] | None = None) -> list[DemoItem]:
    """Write takes, learn from four, make variants, judge them beside the other takes, and draw them.

    Args:
        request: The folder and the seed.
        report: Called with the progress.
        warn: Called with sentences for the user.

    Returns:
        What was made, with its file or folder.
    """
    folder, seed = request.out, request.seed
    report(Progress(0.0, "making takes"))
    paths = samples_write(SamplesWrite(names=["walk"], out=folder / "takes", takes=INPUTS + EXTRA, seed=seed))
    takes = [_clip(path) for path in paths]
    inputs, extra = takes[:INPUTS], takes[INPUTS:]

    def learning(step: Progress) -> None:
        report(Progress(0.05 + 0.45 * step.share, step.what))

    def judging(step: Progress) -> None:
        report(Progress(0.6 + 0.3 * step.share, step.what))

    target = folder / "walk.ftm"
    model = learn(Learn(takes=paths[:INPUTS], out=target, seed=seed, unit=UNIT), learning)
    assert isinstance(model, VariationModel)
    report(Progress(0.5, "making variants"))
    new = [clip for clip in variants(model, Variants(count=VARIANTS, seed=seed)) if isinstance(clip, Clip)]
    (folder / "variants").mkdir(parents=True, exist_ok=True)
    for clip in new:
        write(folder / "variants" / f"{clip.name}.bvh", clip)
    endless = stream(Stream(model=target, out=folder / "endless_walk.bvh", frames=STREAM_FRAMES, seed=seed))
    title = f"{VARIANTS} variants of {INPUTS} walks"
    judged = evaluate_motions(
        inputs,
        new,
        extra,
        options=EvaluationOptions(seed=seed, title=title),
        target=folder / "report.html",
        more=network_pictures(model) if can_plot() else (),
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
    sets = (("inputs", inputs, BLUES), ("variants", new, GREENS)) if can_plot() else ()
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
