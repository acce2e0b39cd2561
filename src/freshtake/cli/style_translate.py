"""`freshtake style learn` and `freshtake style apply`: a motion in another style."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from freshtake.cli.console import each_with_progress, messages, output, print_json, progress_bar, warn
from freshtake.cli.option_groups import CLIP_FILES, ClipFiles, ModelOutput, Output
from freshtake.cli.options import Files, Json, Lock, option_group
from freshtake.cli.outputs import KeepGoing
from freshtake.cli.reading import READING, Reading, files
from freshtake.cli.style_gaits import app as gaits
from freshtake.errors import UsageError

if TYPE_CHECKING:
    from freshtake.workflows.style_translating import StyleApplied, StylePairs

KEPT = 0.1  # what is worth a word
PIPE_WIDTH = 140  # where there is no terminal that says how wide it is

app = App(
    name="style", help="Learn a style from pairs of clips, and put other clips into it.", group_commands="Commands"
)
app.command(gaits)
Page = Annotated[Path | None, Parameter(help="Report: a page (.html), or a folder with figures and pictures.")]


@option_group
class Styles:
    """Clips of both styles."""

    source: Annotated[Files, Parameter(help="Clips in the source style, or a folder.")] = None
    target: Annotated[Files, Parameter(help="Clips in the target style, or a folder.")] = None


STYLES = Styles()


@option_group
class Learning:
    """How the style is learned."""

    system: Annotated[
        str,
        Parameter(
            help="How it is learned: `auto` (default), with a memory of its own (`n4sid`), by looking back (`fir`)."
        ),
    ] = "auto"
    inputs: Annotated[
        str,
        Parameter(
            help="What a joint follows: itself, and in legs its thigh (`limbs`, default); itself alone (`own`); "
            "the thighs everywhere (`legs`)."
        ),
    ] = "limbs"
    order: Annotated[
        int | None, Parameter(help="How much each joint remembers (states of `n4sid`); default: from the data.")
    ] = None
    memory: Annotated[float | None, Parameter(help="Seconds to look back (of `fir`); default: from the data.")] = None


LEARNING = Learning()


@app.command
def learn(
    *,
    styles: Styles = STYLES,
    to: ModelOutput,
    learning: Learning = LEARNING,
    report: Page = None,
    reading: Reading = READING,
    json: Json = False,
) -> int:
    """Learn how one style becomes another from pairs of clips with the same content.

    One long take of each style is enough: both are cut into stretches of a few cycles, which pair by content. Two lists
    pair by order. Two folders pair by content: every clip with all clips of the other folder that go as fast and turn
    as much. The table of pairs is shown before anything is learned.

    **Examples**

    ```
    freshtake style learn --source normal.bvh --target oldman.bvh -o oldman.ftm
    freshtake style learn --source normal_1.bvh normal_2.bvh --target limp_1.bvh limp_2.bvh -o limp.ftm
    freshtake style learn --source normal/ --target limping/ -o limp.ftm --report limp.html
    ```
    """
    from freshtake.style.settings import Settings
    from freshtake.workflows import style_learn

    out = to.prepare(report)
    for option, paths in (("--source", styles.source), ("--target", styles.target)):
        if not paths:
            raise UsageError(f"style learn needs {option}: name clips or a folder")
    settings = Settings(**asdict(learning))
    with progress_bar() as bar:
        done = style_learn(
            styles.source or [], styles.target or [], out, settings, page=report, reading=reading.options(),
            show=None if json else show_pairs, report=bar,
        )  # fmt: skip
    model = done.model
    written = [str(path) for path in done.written]
    if json:
        print_json(
            {
                "pairs": [row._asdict() for row in done.pairs.table],
                "left_out": list(done.pairs.left_out),
                "notes": list(done.pairs.notes),
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
    for note in done.pairs.notes:
        console.print(note, markup=False)
    for path in written:
        console.print(f"wrote {path}", markup=False)
    console.print(f"{model.choice.in_words(len(model.pairs))}; more about it: freshtake info {out}", markup=False)
    console.print(f"next: freshtake style apply {out} CLIP -o NEW", markup=False)
    return 0


def show_pairs(style_pairs: StylePairs) -> None:
    """The table of pairs, before learning begins."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("source", "target", "source does", "target does", "apart"):
        table.add_column(heading, justify="right" if heading == "apart" else "left")
    for row in style_pairs.table:
        table.add_row(row.source, row.target, row.source_content, row.target_content, f"{row.apart:.2f}")
    console = messages()
    if not console.is_terminal:
        console.width = PIPE_WIDTH
    console.print(table)
    for name in style_pairs.left_out:
        warn(f"{name} has no partner with the same content and is left out")


@option_group
class StyledOutput(Output):
    """Where clips in the style go."""

    out: Annotated[Path, Parameter(name=["--out", "-o"], help="The clip to write; for several clips a folder.")]


@option_group
class Styling:
    """How strongly each style is applied, and to which parts."""

    strength: Annotated[float, Parameter(help="0 is the clip as it is, 1 the style, more exaggerates.")] = 1.0
    part: Annotated[
        list[str] | None,
        Parameter(negative="", help="Style this part alone, as in arms or arms=0.5; may be given several times."),
    ] = None
    style: Annotated[
        list[str] | None,
        Parameter(negative="", help="A style and its weight, as in oldman.ftm=0.4; several are mixed."),
    ] = None
    time_warp: Annotated[bool, Parameter(help="Change the timing too; without it, frames keep their times.")] = True
    generalize: Annotated[
        bool | None, Parameter(help="Keep the input where it is unlike the examples; default: the model's setting.")
    ] = None
    speed: Annotated[
        str,
        Parameter(
            help="How fast it goes: `proportion` (default: as the style's takes to the others), `source` or `style`."
        ),
    ] = "proportion"
    keep_going: KeepGoing = False
    plant: Annotated[bool, Parameter(help="Clean up feet that slide.")] = True
    lock: Lock = "soft"
    report: Page = None


STYLING = Styling()


@app.command
def apply(
    paths: list[Path],
    /,
    *,
    to: StyledOutput,
    styling: Styling = STYLING,
    clip_files: ClipFiles = CLIP_FILES,
    reading: Reading = READING,
    json: Json = False,
) -> int:
    """Put a clip into the style of a model.

    **Examples**

    ```
    freshtake style apply limp.ftm walk.bvh -o limping_walk.bvh
    freshtake style apply limp.ftm walk.bvh -o limping_walk.bvh --no-time-warp --no-plant
    freshtake style apply limp.ftm walk.bvh -o limping_walk.bvh --report limp.html
    freshtake style apply limp.ftm walks/ -o limping/
    freshtake style apply oldman.ftm walk.bvh -o tired.bvh --strength 0.4
    freshtake style apply oldman.ftm walk.bvh -o in_step.bvh --speed source
    freshtake style apply oldman.ftm run.bvh -o out.bvh --part trunk --part arms=0.5
    freshtake style apply walk.bvh --style oldman.ftm=0.4 --style drunk.ftm=0.6 -o mixed.bvh
    ```

    Parameters
    ----------
    paths
        A model that `freshtake style learn` wrote (.ftm), left out where --style names models; then a clip in the
        source style on any skeleton of a person, several, or a folder of them.
    """
    from freshtake.formats.ftm import is_model
    from freshtake.style.verdict import worst
    from freshtake.workflows import style_apply
    from freshtake.workflows.output_naming import targets_of
    from freshtake.workflows.style_translating import StyleOptions

    report, style = styling.report, styling.style
    out = to.prepare(report)
    if style is None and len(paths) < 2:
        raise UsageError("style apply needs a model and a clip, or a clip and --style MODEL=WEIGHT")
    if style is not None and is_model(paths[0]):
        raise UsageError(f"{paths[0]} is a model, and --style names models: leave one of them out")
    styles = [(paths[0], 1.0)] if style is None else [(Path(name), weight) for name, weight in weighed(style)]
    clips = files(paths[1:] if style is None else paths)
    if report is not None and len(clips) > 1:
        raise UsageError("a report is of one clip: leave --report out, or name one clip")
    with progress_bar() as tell:
        done = [
            style_apply(
                styles,
                clip,
                target,
                options=StyleOptions(
                    strength=styling.strength,
                    parts=dict(weighed(styling.part or [])),
                    time_warp=styling.time_warp,
                    keep_going=styling.keep_going,
                    generalize=styling.generalize,
                    plant=styling.plant and styling.lock,
                    speed=styling.speed,
                ),
                page=report,
                onto=clip_files.onto.value(),
                reading=reading.options(),
            )
            for clip, target in each_with_progress(clips, targets_of(clips, out, clip_files.format), tell)
        ]
    if json:
        facts = [
            {
                "frames_in": len(one.source),
                "frames_out": len(one.clip),
                "input_kept": one.kept,
                "arrived": {name: round(share, 3) for name, share in one.arrived.items()},
                "verdict": worst(one.remarks),
                "remarks": [remark._asdict() for remark in one.remarks],
                "gait": None if one.gaits is None else [gait._asdict() for gait in one.gaits],
                "written": [str(path) for path in one.written],
            }
            for one in done
        ]
        print_json(facts[0] if len(facts) == 1 else {"clips": facts})
        return 0
    for one in done:
        _print_applied(one)
    return 0


def _print_applied(done: StyleApplied) -> None:
    console = output()
    console.print(f"{len(done.source)} frames became {len(done.clip)}")
    for name, share in done.kept.items():
        if share > KEPT:
            warn(f"{share:.0%} of the {name} is unlike the examples and was kept: --no-generalize translates all of it")
    if done.arrived:
        shares = ", ".join(f"{name} {share:.0%}" for name, share in done.arrived.items())
        console.print(f"of the style arrived: {shares}", markup=False)
    for remark in done.remarks:
        warn(f"{'look at this before you use it: ' if remark.level == 'red' else ''}{remark.text}")
    for path in done.written:
        console.print(f"wrote {path}", markup=False)


def weighed(texts: list[str]) -> list[tuple[str, float]]:
    """Names with the number after `=`, 1 where there is none."""
    weights = []
    for text in texts:
        name, sign, value = text.rpartition("=")
        try:
            weights.append((name, float(value)) if sign else (text, 1.0))
        except ValueError:
            raise UsageError(f"{text!r} gives no number: write NAME or NAME=NUMBER, such as arms=0.5") from None
    return weights
