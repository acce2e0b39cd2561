"""Write sample takes, made by freshtake or downloaded, and run the main job on them."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from freshtake import samples
from freshtake.errors import UsageError
from freshtake.formats import read_clip
from freshtake.formats.read_options import Motion
from freshtake.formats.registry import write
from freshtake.formats.report_files import can_plot, write_figure
from freshtake.methods.progress import Progress, Report, Warn, part_of, silent, unheard
from freshtake.motion import Clip
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.reports.network_pictures import network_pictures
from freshtake.reports.overlay import overlay
from freshtake.reports.plots import BLUES, GREENS
from freshtake.reports.verdict import verdict_of
from freshtake.requests.samples import Demo, SamplesDownload, SamplesWrite
from freshtake.requests.variation import Learn, Stream, Variants
from freshtake.samples import download
from freshtake.variation.model import VariationModel
from freshtake.workflows.evaluating import evaluate_motions
from freshtake.workflows.learning import learn
from freshtake.workflows.streaming import stream
from freshtake.workflows.varying import variants


class SampleSet(NamedTuple):
    """A kind of sample: a function that makes a take, and the extension of its files."""

    name: str
    about: str
    make: Callable[[np.random.Generator], Motion]
    ending: str = ".bvh"


SAMPLE_SETS = (
    SampleSet("walk", "one cycle of walking at 1.3 m/s", lambda rng: samples.walk(rng, cycles=1)),
    SampleSet("walk_long", "twelve cycles of walking", lambda rng: samples.walk(rng, cycles=12)),
    SampleSet("walk_turn", "walking in a circle", lambda rng: samples.walk(rng, cycles=6, turn_rate=25.0)),
    SampleSet("limp", "walking with a limp", lambda rng: samples.walk(rng, cycles=4, style="limp")),
    SampleSet("crouch", "walking crouched", lambda rng: samples.walk(rng, cycles=4, style="crouch")),
    SampleSet("proud", "walking proudly", lambda rng: samples.walk(rng, cycles=4, style="proud")),
    SampleSet("run", "running", lambda rng: samples.run(rng, cycles=4)),
    SampleSet("skip", "skipping", lambda rng: samples.skip(rng, cycles=4)),
    SampleSet("cheer", "arms thrown up and down again", samples.cheer),
    SampleSet("jump", "a jump forward", samples.jump),
    SampleSet("punch", "an aggressive punch", lambda rng: samples.punch(rng, strength="aggressive")),
    SampleSet("jab", "a weak punch", lambda rng: samples.punch(rng, strength="weak")),
    SampleSet("kick", "an aggressive front kick", samples.kick),
    SampleSet("fight", "punches and kicks in turn", samples.fight),
    SampleSet("letter_a", "the handwritten letter a", samples.letter_a, ".csv"),
    SampleSet("digit_2", "the handwritten digit 2", samples.digit_2, ".csv"),
    SampleSet("circle", "circular strokes with known equations (Lau 2009, fig. 7)", samples.circle, ".csv"),
    SampleSet("flag", "a flag in the wind, as a mesh sequence", lambda rng: samples.flag(rng, frames=240), ".npz"),
)


def samples_write(request: SamplesWrite, report: Report = silent, warn: Warn = unheard) -> list[Path]:
    """Write takes of each named set (default: all) as NAME_1, NAME_2, ... into a folder."""
    by_name = {sample.name: sample for sample in SAMPLE_SETS}
    names, folder, takes = request.names or [], request.out, request.takes
    unknown = [name for name in names if name not in by_name]
    if unknown:
        raise UsageError(f"there is no sample set {unknown[0]!r}; the sets are {', '.join(by_name)}")
    chosen = [by_name[name] for name in names] or list(SAMPLE_SETS)
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for number, sample in enumerate(chosen):
        for take in range(1, takes + 1):
            report(Progress((number + (take - 1) / takes) / len(chosen), f"{sample.name} {take}"))
            written.append(folder / f"{sample.name}_{take}{sample.ending}")
            # Each take has its own generator, so it does not depend on the number of takes.
            rng = np.random.default_rng([request.seed, take, *sample.name.encode()])
            write(written[-1], sample.make(rng))
    return written


def samples_download(request: SamplesDownload, report: Report = silent, warn: Warn = unheard) -> tuple[list[Path], str]:
    """Fetch public takes into a folder."""
    return download.download(request.names or [], request.out, report=report), download.CREDIT


INPUTS, EXTRA, VARIANTS = 4, 4, 15
UNIT = 0.01  # metres: the samples are in centimetres


class DemoItem(NamedTuple):
    """A file or folder that the demo wrote."""

    what: str
    path: Path


@one_blas_thread()
def demo(request: Demo, report: Report = silent, warn: Warn = unheard) -> list[DemoItem]:
    """Write takes, learn from four, make variants, compare them with the other takes, and draw them."""
    folder, seed = request.out, request.seed
    report(Progress(0.0, "making takes"))
    paths = samples_write(SamplesWrite(names=["walk"], out=folder / "takes", takes=INPUTS + EXTRA, seed=seed))
    takes = [read_clip(path, unit_m=UNIT) for path in paths]
    inputs, extra = takes[:INPUTS], takes[INPUTS:]
    target = folder / "walk.ftm"
    model = learn(Learn(takes=paths[:INPUTS], out=target, seed=seed, unit=UNIT), part_of(report, 0.05, 0.5))
    assert isinstance(model, VariationModel)
    report(Progress(0.5, "making variants"))
    new = [clip for clip in variants(model, Variants(count=VARIANTS, seed=seed)) if isinstance(clip, Clip)]
    (folder / "variants").mkdir(parents=True, exist_ok=True)
    for clip in new:
        write(folder / "variants" / f"{clip.name}.bvh", clip)
    endless = stream(Stream(model=target, out=folder / "endless_walk.bvh", frames=900, seed=seed))
    title = f"{VARIANTS} variants of {INPUTS} walks"
    evaluated = evaluate_motions(
        inputs, new, extra, target=folder / "report.html", seed=seed, title=title,
        more=network_pictures(model) if can_plot() else (), report=part_of(report, 0.6, 0.9),
    )  # fmt: skip
    report(Progress(0.92, "drawing"))
    return [
        DemoItem(f"{len(takes)} takes of a walk cycle made by freshtake (BVH); the first {INPUTS} are the inputs",
             folder / "takes"),
        DemoItem("the model learned from them", target),
        DemoItem(f"{len(new)} new walk cycles (BVH)", folder / "variants"),
        DemoItem(f"an endless walk: {endless.motion.duration:.0f} s without a repeated cycle", endless.path),
        DemoItem(f"the page to open: everything in motion, scored next to {EXTRA} unseen takes. "
             f"{verdict_of(evaluated.result).sentence}", folder / "report.html"),
        *_drawn(folder, inputs, new),
    ]  # fmt: skip


def _drawn(folder: Path, inputs: list[Clip], new: list[Clip]) -> list[DemoItem]:
    """Write overlay pictures in the colors of the report, and all variants in one glTF file."""
    sets = (("inputs", inputs, BLUES), ("variants", new, GREENS)) if can_plot() else ()
    for name, clips, colors in sets:
        figure = overlay(clips, title=f"{len(clips)} {name}", colors=colors, legend=False)
        write_figure(folder / f"overlay_{name}.png", figure)
    write(folder / "variants.glb", new, unit_m=UNIT)
    return [
        *[DemoItem(f"overlay of {len(clips)} {name}", folder / f"overlay_{name}.png") for name, clips, _ in sets],
        DemoItem(f"{len(new)} variants as animations of one glTF file, for any 3-D viewer", folder / "variants.glb"),
    ]
