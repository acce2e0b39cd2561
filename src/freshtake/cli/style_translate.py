"""`freshtake style learn` and `freshtake style apply`: a motion in another style."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cyclopts import App

from freshtake.cli.console import PIPE_WIDTH, messages, output, print_json, progress_bar, warn
from freshtake.cli.outputs import Force, Json, prepare
from freshtake.cli.style_gaits import app as gaits
from freshtake.requests.style import StyleApply, StyleLearn

if TYPE_CHECKING:
    from freshtake.workflows.style_translating import StyleApplied, StyleLearned, StylePairs


app = App(
    name="style", help="Learn a style from pairs of clips, and put other clips into it.", group_commands="Commands"
)
app.command(gaits)


@app.command
def learn(request: StyleLearn, *, force: Force = False, json: Json = False) -> int:
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
    from freshtake.workflows import style_learn

    prepare(request.out, request.report, force=force)
    with progress_bar() as report:
        done = style_learn(request, report, warn, show=None if json else show_pairs)
    if json:
        print_json(_learned_facts(done))
        return 0
    console = output()
    for line in (
        *done.pairs.notes,
        *(f"wrote {path}" for path in done.written),
        f"{done.model.choice.in_words(len(done.model.pairs))}; more about it: freshtake info {request.out}",
        f"next: freshtake style apply {request.out} CLIP -o NEW",
    ):
        console.print(line, markup=False)
    return 0


def _learned_facts(done: StyleLearned) -> dict[str, Any]:
    model = done.model
    return {
        "pairs": [row._asdict() for row in done.pairs.table],
        "left_out": list(done.pairs.left_out),
        "notes": list(done.pairs.notes),
        "system": model.bank.kind,
        "why": model.choice.why,
        "held_out_degrees": model.choice.errors,
        "states": model.states,
        "memory_s": model.memory,
        "spectral_radius": model.bank.radius,
        "written": [str(path) for path in done.written],
    }


def show_pairs(style_pairs: StylePairs) -> None:
    """Print the table of pairs, before learning begins."""
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


@app.command
def apply(request: StyleApply, *, force: Force = False, json: Json = False) -> int:
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
    """
    from freshtake.workflows import style_apply

    prepare(request.out, request.report, force=force)
    with progress_bar() as report:
        done = style_apply(request, report, warn)
    if json:
        facts = [_applied_facts(one) for one in done]
        print_json(facts[0] if len(facts) == 1 else {"clips": facts})
        return 0
    for one in done:
        _print_applied(one)
    return 0


def _applied_facts(done: StyleApplied) -> dict[str, Any]:
    styled = done.styled
    return {
        "frames_in": len(done.source),
        "frames_out": len(styled.clip),
        "input_kept": styled.kept,
        "arrived": {name: round(share, 3) for name, share in styled.arrived.items()},
        "verdict": done.verdict.color,
        "remarks": [remark._asdict() for remark in done.verdict.remarks],
        "gait": None if styled.gaits is None else [gait._asdict() for gait in styled.gaits],
        "written": [str(path) for path in done.written],
    }


def _print_applied(done: StyleApplied) -> None:
    console = output()
    console.print(f"{len(done.source)} frames became {len(done.styled.clip)}")
    for name, share in done.styled.kept.items():
        # A part that kept less than a tenth of the clip's motion is not worth a line.
        if share > 0.1:
            warn(f"{share:.0%} of the {name} is unlike the examples and was kept: --no-generalize translates all of it")
    if done.styled.arrived:
        shares = ", ".join(f"{name} {share:.0%}" for name, share in done.styled.arrived.items())
        console.print(f"of the style arrived: {shares}", markup=False)
    for path in done.written:
        console.print(f"wrote {path}", markup=False)
