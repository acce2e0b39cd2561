"""`freshtake style` and `align`: motions in another style, gaits as sliders, and frames that belong together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cyclopts import App

from freshtake.cli.console import PIPE_WIDTH, messages, output, print_json, say, warn
from freshtake.cli.outputs import Force, Json, carry_out
from freshtake.requests.style import GaitsLearn, GaitsSample, StyleAlign, StyleApply, StyleLearn

if TYPE_CHECKING:
    from freshtake.workflows.style_reporting import Aligned
    from freshtake.workflows.style_translating import StyleApplied, StyleLearned, StylePairs


app = App(name="style", group_commands="Commands")

gaits = App(name="gaits", help="Style and speed as two sliders, from one clip of every style at every speed.")
app.command(gaits)


@app.command
def learn(request: StyleLearn, *, force: Force = False, json: Json = False) -> None:
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
    done = carry_out(request, request.out, request.report, force=force, show=None if json else show_pairs)
    if json:
        print_json(_learned_facts(done))
        return
    console = output()
    for line in (
        *done.pairs.notes,
        *(f"wrote {path}" for path in done.written),
        f"{done.model.choice.in_words(len(done.model.pairs))}; more about it: freshtake info {request.out}",
        f"next: freshtake style apply {request.out} CLIP -o NEW",
    ):
        console.print(line, markup=False)


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
def apply(request: StyleApply, *, force: Force = False, json: Json = False) -> None:
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
    done = carry_out(request, request.out, request.report, force=force)
    if json:
        facts = [_applied_facts(one) for one in done]
        print_json(facts[0] if len(facts) == 1 else {"clips": facts})
        return
    for one in done:
        _print_applied(one)


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


@gaits.command(name="learn")
def learn_gaits(request: GaitsLearn, *, force: Force = False, json: Json = False) -> None:
    """Learn style and speed of a gait as two sliders, from one clip of every style at every speed.

    A clip holds one cycle or more, of which the steadiest is taken. The first clip given is the clock of all.

    **Examples**

    ```
    freshtake style gaits learn normal@0.9=a.bvh normal@1.7=b.bvh crouch@0.9=c.bvh crouch@1.7=d.bvh -o gaits.ftm
    ```
    """
    from freshtake.workflows import gaits_facts

    model = carry_out(request, request.out, force=force)
    if json:
        print_json({"written": str(request.out), **gaits_facts(model)})
        return
    console = output()
    styles, speeds = (", ".join(map(str, levels)) for levels in (model.styles, model.speeds))
    console.print(f"{styles} at {speeds}, {model.code.frames} frames per cycle", markup=False, highlight=False)
    console.print(f"wrote {request.out}", markup=False)


@gaits.command(name="sample")
def sample_gaits(request: GaitsSample, *, force: Force = False, json: Json = False) -> None:
    """Write a walk in any mixture of the model's styles and speeds; its end meets its start.

    **Examples**

    ```
    freshtake style gaits sample gaits.ftm --style crouch --speed 1.3 -o walk.bvh
    freshtake style gaits sample gaits.ftm --style normal=1.3,crouch=-0.3 --speed 2.0 --cycles 10 -o walk.bvh
    ```
    """
    clip = carry_out(request, request.out, force=force)
    if json:
        by_cycles = request.frames is None and request.seconds is None
        print_json(
            {"frames": len(clip), **({"cycles": request.cycles} if by_cycles else {}), "written": str(request.out)}
        )
        return
    say(f"wrote {request.out}: {len(clip)} frames")


def align(request: StyleAlign, *, force: Force = False, json: Json = False) -> None:
    """The first motion is warped in time and, smoothly, in space until it lies on the second: iterative motion warping
    (Hsu, Pulli and Popović 2005). Both must have the same skeleton and the same content: the same steps, the same
    punch.

    **Examples**

    ```
    freshtake align normal.bvh crouched.bvh
    freshtake align normal.bvh crouched.bvh -o crouched_in_step.bvh --plot warp.png
    freshtake align letter_1.csv letter_2.csv --method dtw-1 --json
    ```
    """
    done = carry_out(request, request.out, request.plot, force=force)
    if done.identical:
        warn(f"{request.first} and {request.second} hold the same motion: the warp changes nothing")
    if json:
        print_json(_aligned_facts(done))
        return
    console = output()
    for line in _aligned_lines(done):
        console.print(line, markup=False)
    for path in (request.out, request.plot):
        if path is not None:
            console.print(f"written: {path}", markup=False)


def _aligned_facts(done: Aligned) -> dict[str, Any]:
    """Return the alignment as plain values, for JSON."""
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


def _aligned_lines(done: Aligned) -> list[str]:
    """Return the alignment in a few lines of text."""
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
