"""`freshtake style learn` and `freshtake style apply`: a motion in another style."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from freshtake.cli.console import messages, output, print_json, progress_bar, warn
from freshtake.cli.gaits import app as gaits
from freshtake.cli.options import Json, Lock, SkeletonFile, SourceFps, Unit, Up
from freshtake.errors import UsageError

if TYPE_CHECKING:
    from freshtake.workflows.styling import StylePairs

PIPE_WIDTH = 140  # where there is no terminal that says how wide it is

app = App(name="style", help="Learn a style from pairs of clips, and put other clips into it.")
app.command(gaits)
Files = Annotated[list[Path] | None, Parameter(consume_multiple=True, negative="")]
Page = Annotated[Path | None, Parameter(help="Report: a page (.html), or a folder with figures and pictures.")]


@app.command
def learn(
    *,
    source: Annotated[Files, Parameter(help="Clips in the source style, or a folder.")] = None,
    target: Annotated[Files, Parameter(help="Clips in the target style, or a folder.")] = None,
    out: Annotated[Path, Parameter(name=["--out", "-o"], help="The model to write (.ftm).")],
    system: Annotated[str, Parameter(help="n4sid, fir, or auto: both, and the better one on clips left out.")] = "auto",
    inputs: Annotated[str, Parameter(help="What drives a joint: own, its own DOFs; legs, the thighs as well.")] = "own",
    order: Annotated[int | None, Parameter(help="States per joint of n4sid; default: from the data.")] = None,
    memory: Annotated[float | None, Parameter(help="Seconds that fir looks back; default: from the data.")] = None,
    report: Page = None,
    skeleton: SkeletonFile = None,
    fps: SourceFps = None,
    unit: Unit = None,
    up: Up = None,
    json: Json = False,
) -> int:
    """Learn how one style becomes another from pairs of clips with the same content.

    Two lists pair by order. Two folders pair by content: every clip with all clips of the other folder that go as
    fast and turn as much. The table of pairs is shown before anything is learned.

    **Examples**

    ```
    freshtake style learn --source normal_1.bvh normal_2.bvh --target limp_1.bvh limp_2.bvh -o limp.ftm
    freshtake style learn --source normal/ --target limping/ -o limp.ftm --report limp.html
    ```
    """
    from freshtake.style.settings import Settings
    from freshtake.workflows import style_learn

    for option, paths in (("--source", source), ("--target", target)):
        if not paths:
            raise UsageError(f"style learn needs {option}: name clips or a folder")
    settings = Settings(system=system, inputs=inputs, order=order, memory=memory)
    reading = {"skeleton": skeleton, "fps": fps, "unit_m": unit, "up": up, "warn": warn}
    with progress_bar() as bar:
        done = style_learn(
            source or [], target or [], out, settings, page=report, reading=reading,
            show=None if json else show_pairs, report=bar,
        )  # fmt: skip
    model = done.model
    written = [str(path) for path in done.written]
    if json:
        print_json(
            {
                "pairs": [row._asdict() for row in done.pairs.table],
                "left_out": list(done.pairs.left_out),
                "system": model.bank.kind,
                "why": model.choice.why,
                "held_out_degrees": model.choice.errors,
                "states": model.states,
                "memory_s": model.memory,
                "spectral_radius": model.bank.radius,
                "written": written,
            }
        )
        return 0
    console = output()
    console.print(f"system: {model.choice.why}", markup=False)
    for path in written:
        console.print(f"wrote {path}", markup=False)
    return 0


def show_pairs(found: StylePairs) -> None:
    """The table of pairs, before learning begins."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("source", "target", "source does", "target does", "apart"):
        table.add_column(heading, justify="right" if heading == "apart" else "left")
    for row in found.table:
        table.add_row(row.source, row.target, row.source_content, row.target_content, f"{row.apart:.2f}")
    console = messages()
    if not console.is_terminal:
        console.width = PIPE_WIDTH
    console.print(table)
    for name in found.left_out:
        warn(f"{name} has no partner with the same content and is left out")


@app.command
def apply(
    model: Path,
    clip: Path,
    /,
    *,
    out: Annotated[Path, Parameter(name=["--out", "-o"], help="The clip to write.")],
    time_warp: Annotated[bool, Parameter(help="Change the timing too; without it, frame follows frame.")] = True,
    generalize: Annotated[
        bool | None, Parameter(help="Keep the input where it is unlike the examples; default: as the model says.")
    ] = None,
    plant: Annotated[bool, Parameter(help="Clean up feet that slide.")] = True,
    lock: Lock = "soft",
    report: Page = None,
    skeleton: SkeletonFile = None,
    fps: SourceFps = None,
    unit: Unit = None,
    up: Up = None,
    json: Json = False,
) -> int:
    """Put a clip into the style of a model.

    **Examples**

    ```
    freshtake style apply limp.ftm walk.bvh -o limping_walk.bvh
    freshtake style apply limp.ftm walk.bvh -o limping_walk.bvh --no-time-warp --no-plant
    freshtake style apply limp.ftm walk.bvh -o limping_walk.bvh --report limp.html
    ```

    Parameters
    ----------
    model
        A model that `freshtake style learn` wrote (.ftm).
    clip
        A clip in the source style, on the same skeleton.
    """
    from freshtake.workflows import style_apply

    reading = {"skeleton": skeleton, "fps": fps, "unit_m": unit, "up": up, "warn": warn}
    done = style_apply(
        model, clip, out, time_warp=time_warp, generalize=generalize, plant=plant and lock, page=report, reading=reading
    )
    written = [str(path) for path in done.written]
    if json:
        print_json(
            {
                "frames_in": len(done.source),
                "frames_out": len(done.clip),
                "input_kept": done.blended,
                "written": written,
            }
        )
        return 0
    console = output()
    console.print(f"{len(done.source)} frames became {len(done.clip)}; {done.blended:.0%} of the input was kept")
    if done.blended > 0.5:
        warn("most of the input is unlike the examples and was kept as it is: --no-generalize translates all of it")
    for path in written:
        console.print(f"wrote {path}", markup=False)
    return 0
