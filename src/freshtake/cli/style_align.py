"""`freshtake align`: iterative motion warping of two files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from freshtake.cli.console import output, print_json, progress_bar, warn
from freshtake.cli.options import Json, option_group
from freshtake.cli.outputs import Force, prepare
from freshtake.cli.reading import READING, Reading

if TYPE_CHECKING:
    from freshtake.workflows.style_aligning import Aligned


@option_group
class AlignedOutput:
    """Where the aligned motion and its picture go."""

    out: Annotated[
        Path | None, Parameter(name=["--out", "-o"], help="Write the second motion on the first one's clock.")
    ] = None
    force: Force = False
    plot: Annotated[
        Path | None, Parameter(help="Draw the correspondences (.png), or a page with the motions too (.html).")
    ] = None
    onto: Annotated[str, Parameter(help="Whose clock --out uses: first, or second (then the first is written).")] = (
        "first"
    )


TO = AlignedOutput()


@option_group
class Warping:
    """How the first motion is warped, and what is drawn."""

    method: Annotated[
        str,
        Parameter(help="`imw`: in time and space; `time-warp`: in time alone; `dtw-1`, `dtw-3`: the usual ways (DTW)."),
    ] = "imw"
    against: Annotated[str, Parameter(help="The method drawn beside it.")] = "dtw-1"
    scale: Annotated[
        str, Parameter(help="Joints count as they are (`auto`, `raw`), or each by how much it moves (`zscore`).")
    ] = "auto"
    slope: Annotated[int, Parameter(help="The warp runs between 1/slope and slope times as fast.")] = 2
    smoothness: Annotated[float, Parameter(help="How slowly the change in space may vary over time.")] = 100.0
    cut: Annotated[bool, Parameter(help="Cut cyclic clips at equal phase to equal cycle counts first.")] = True
    dof: Annotated[str | None, Parameter(help="What to draw, such as LeftUpLeg.x.")] = None


WARPING = Warping()


def align(
    first: Path,
    second: Path,
    /,
    *,
    to: AlignedOutput = TO,
    warping: Warping = WARPING,
    reading: Reading = READING,
    json: Json = False,
) -> int:
    """Find which frames of two motions belong together, although their styles differ.

    The first motion is warped in time and, smoothly, in space until it lies on the second: iterative motion warping
    (Hsu, Pulli and Popović 2005). Both must have the same skeleton and the same content: the same steps, the same
    punch.

    **Examples**

    ```
    freshtake align normal.bvh crouched.bvh
    freshtake align normal.bvh crouched.bvh -o crouched_in_step.bvh --plot warp.png
    freshtake align letter_1.csv letter_2.csv --method dtw-1 --json
    ```

    Parameters
    ----------
    first
        The motion that is warped, in the source style.
    second
        The motion that it is laid on, in the target style.
    """
    from freshtake.style.warping.warp_settings import WarpSettings
    from freshtake.workflows import style_align
    from freshtake.workflows.style_aligning import AlignTargets

    out, plot = to.out, to.plot
    prepare(out, plot, force=to.force)
    settings = WarpSettings(
        method=warping.method,
        slope=warping.slope,
        smoothness=warping.smoothness,
        offset_smoothness=warping.smoothness,
        scale=warping.scale,
        cut="auto" if warping.cut else "never",
    )
    with progress_bar() as report:
        done = style_align(
            first,
            second,
            targets=AlignTargets(out=out, plot=plot, onto=to.onto, against=warping.against, dof=warping.dof),
            settings=settings,
            reading=reading.options(),
            report=report,
        )
    if done.identical:
        warn(f"{first} and {second} hold the same motion: the warp changes nothing")
    if json:
        print_json(summary(done))
        return 0
    console = output()
    for line in lines(done):
        console.print(line, markup=False)
    for path in (out, plot):
        if path is not None:
            console.print(f"written: {path}", markup=False)
    return 0


def summary(done: Aligned) -> dict[str, Any]:
    """The alignment as plain values, for JSON."""
    alignment = done.alignment
    return {
        "method": alignment.settings.method,
        "first": {
            "name": done.first.name, "frames": len(done.first),
            "start": alignment.first[0], "stop": alignment.first[1],
        },
        "second": {
            "name": done.second.name, "frames": len(done.second),
            "start": alignment.second[0], "stop": alignment.second[1],
        },
        "identical": done.identical,
        "rounds": alignment.rounds,
        "energy": list(alignment.energy),
        "cost": alignment.cost,
        "pace": {
            "mean": float(alignment.steps.mean()),
            "least": float(alignment.steps.min()), "most": float(alignment.steps.max()),
        },
        "path": alignment.path.tolist(),
        "steps": alignment.steps.tolist(),
        "differential": alignment.differential.tolist(),
    }  # fmt: skip


def lines(done: Aligned) -> list[str]:
    """The alignment in a few lines of text."""
    alignment = done.alignment
    out = []
    for name, motion, (start, stop) in (
        ("first", done.first, alignment.first),
        ("second", done.second, alignment.second),
    ):
        part = "all" if stop - start == len(motion) else f"{start}..{stop - 1}"
        out.append(f"{name}: {motion.name or 'motion'}, {len(motion)} frames, aligned: {part}")
    pace = f"{alignment.steps.mean():.2f} (from {alignment.steps.min():.2f} to {alignment.steps.max():.2f})"
    out.append(f"frames of the second per frame of the first: {pace}")
    if len(alignment.energy) > 1:
        fell = f"energy {alignment.energy[0]:.4g} -> {alignment.energy[-1]:.4g}"
        out.append(f"{fell} in {alignment.rounds} rounds")
    out.append(f"distance left per DOF: {alignment.cost:.3g}")
    return out
