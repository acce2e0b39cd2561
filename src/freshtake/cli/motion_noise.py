"""`freshtake noise`: the baselines that variants are compared with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from freshtake.cli.console import print_json, progress_bar, say
from freshtake.cli.option_groups import Output
from freshtake.cli.options import Ending, Files, Json, Seed, option_group
from freshtake.cli.reading import READING, Reading, files
from freshtake.errors import UsageError


@option_group
class BaselineOutput(Output):
    """Where baselines go."""

    out: Annotated[
        Path, Parameter(name=["--out", "-o"], help="Folder for the files; with -n 1 also a file, such as one.bvh.")
    ]


@option_group
class NoiseChoices:
    """How many baselines are made, and how."""

    count: Annotated[int, Parameter(name=["--count", "-n"], help="How many.")] = 15
    kind: Annotated[
        str,
        Parameter(
            name=["--kind", "--method"],
            help="What is done, see above: `strawman`, `perlin`, `pca`, `convex` or `replay`.",
        ),
    ] = "strawman"
    joints: Annotated[str, Parameter(help="Joints that noise may change, with commas between them; default: all.")] = ""
    amount: Annotated[
        float | None, Parameter(help="Strength of the noise; 1 is as far as the takes differ. Default: 1 (convex: 0).")
    ] = None
    match: Annotated[
        Files, Parameter(help="A model or variants: add as much noise as changes takes by as much as those.")
    ] = None
    clips: Annotated[int | None, Parameter(help="Clips joined in each file; default: 1 (replay: 15).")] = None
    blend: Annotated[float, Parameter(help="Seconds over which the step from clip to clip fades.")] = 0.25
    smooth: Annotated[float, Parameter(help="Seconds by which noise is smoothed (of strawman, pca and convex).")] = 0.1
    frequency: Annotated[float, Parameter(help="Waves per second (of perlin).")] = 1.5
    octaves: Annotated[int, Parameter(help="How many layers of ever finer waves (of perlin: octaves).")] = 2


NOISE_CHOICES = NoiseChoices()


def noise(
    *takes: Path,
    to: BaselineOutput,
    making: NoiseChoices = NOISE_CHOICES,
    format: Ending = None,
    seed: Seed = 0,
    reading: Reading = READING,
    json: Json = False,
) -> int:
    """Write baselines from a few takes: noise added to them, combinations of them, or the takes replayed.

    **strawman** shakes one take smoothly, each joint as much as the takes differ there; **perlin** lets it sway in
    waves (Perlin noise); **pca** shakes what moves together (principal components); **convex** mixes all takes at equal
    moments; **replay** joins takes that are chosen at random (cycle animation). Beside variants they show what noise
    cannot do.

    **Examples**

    ```
    freshtake noise walk_*.bvh -o noisy/ -n 15 --kind perlin --match walk.ftm
    freshtake noise walk_*.bvh -o arm/ --kind strawman --joints "LeftArm,LeftForeArm" --match variants/*.bvh
    freshtake noise walk_*.bvh -o cycles/ --kind replay -n 4 --clips 30
    ```

    Parameters
    ----------
    takes
        Takes of one movement, at least two for noise.
    """
    from freshtake.evaluation.baselines.settings import NoiseSettings
    from freshtake.workflows import motion_noise as run
    from freshtake.workflows.motion_noising import NoiseOptions

    out = to.prepare()
    if not takes:
        raise UsageError("noise needs takes to start from: name at least one file")
    chosen = [name.strip() for name in making.joints.split(",") if name.strip()]
    settings = NoiseSettings(smooth=making.smooth, frequency=making.frequency, octaves=making.octaves)
    with progress_bar() as report:
        done = run(
            files(takes),
            out,
            making.count,
            options=NoiseOptions(
                kind=making.kind,
                joints=chosen,
                amount=making.amount,
                matched=files(making.match),
                clips=making.clips,
                blend=making.blend,
                settings=settings,
                seed=seed,
            ),
            ending=format,
            reading=reading.options(),
            report=report,
        )
    target = None if done.target is None else done.target._asdict()
    if json:
        facts = {"amount": done.amount, "change": done.change, "target": target, "within": done.within}
        print_json({"written": [str(path) for path in done.written], "kind": making.kind, **facts})
        return 0
    say(f"wrote {len(done.written)} files: {done.written[0]} ... {done.written[-1].name}")
    if done.target is not None and done.within is not None:
        sums = f"{done.change:.3g}, that of the variants {done.target.mean:.3g} ± {done.target.spread:.3g}"
        sentence = f"amount {done.amount:.3g}: mean change {sums}; {100 * done.within:.0f} % lie within one deviation"
        say(sentence)
    return 0
