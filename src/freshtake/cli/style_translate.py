"""`freshtake style` and `align`: motions in another style, gaits as sliders, and corresponding frames."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cyclopts import App

from freshtake.cli.console import Force, Json, carry_out, messages, plain_table, print_table, show, warn
from freshtake.requests.style import GaitsLearn, GaitsSample, StyleAlign, StyleApply, StyleLearn

if TYPE_CHECKING:
    from freshtake.workflows.style_reporting import Aligned
    from freshtake.workflows.style_translating import StyleApplied, StylePairs


app = App(name="style", group_commands="Commands")

gaits = App(name="gaits", help="Style and speed as two sliders, from one clip for each style and speed.")
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
    model, pairs = done.model, done.pairs
    facts = {
        "pairs": pairs.table, "left_out": pairs.left_out, "notes": pairs.notes,
        "held_out_degrees": model.held_out, "states": model.states, "memory_s": model.memory,
        "spectral_radius": model.bank.radius, "written": done.written,
    }  # fmt: skip
    show(
        json, facts, *pairs.notes, *(f"wrote {path}" for path in done.written),
        f"{model.held_out.in_words(len(model.pairs))}; more about it: freshtake info {request.out}",
        f"next: freshtake style apply {request.out} CLIP -o NEW",
    )  # fmt: skip


def show_pairs(style_pairs: StylePairs) -> None:
    """Print the table of pairs, before learning begins."""
    table = plain_table(("source", "target", "source does", "target does", "apart"), ("apart",))
    for row in style_pairs.table:
        table.add_row(row.source, row.target, row.source_content, row.target_content, f"{row.apart:.2f}")
    print_table(table, messages())
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
    facts = [_applied_facts(one) for one in done]
    lines = [line for one in done for line in _applied_lines(one)]
    show(json, facts[0] if len(facts) == 1 else {"clips": facts}, *lines)
    for name, share in [part for one in done for part in one.styled.kept.items()] if not json else ():
        # Parts that kept less than a tenth of the clip's motion are not listed.
        if share > 0.1:
            warn(f"{share:.0%} of the {name} is unlike the examples and was kept: --no-generalize translates all of it")


def _applied_facts(done: StyleApplied) -> dict[str, Any]:
    styled = done.styled
    return {
        "frames_in": len(done.source),
        "frames_out": len(styled.clip),
        "input_kept": styled.kept,
        "arrived": {name: round(share, 3) for name, share in styled.arrived.items()},
        "verdict": done.verdict.color,
        "remarks": done.verdict.remarks,
        "gait": styled.gaits,
        "written": done.written,
    }


def _applied_lines(done: StyleApplied) -> Iterator[str]:
    yield f"{len(done.source)} frames became {len(done.styled.clip)}"
    if done.styled.arrived:
        yield "of the style arrived: " + ", ".join(
            f"{name} {round(share, 2) + 0.0:.0%}" for name, share in done.styled.arrived.items()
        )
    for path in done.written:
        yield f"wrote {path}"


@gaits.command(name="learn")
def learn_gaits(request: GaitsLearn, *, force: Force = False, json: Json = False) -> None:
    """Learn style and speed of a gait as two sliders, from one clip for each style and speed.

    A clip has one cycle or more, of which the steadiest is used. The first clip given sets the clock for all.

    **Examples**

    ```
    freshtake style gaits learn normal@0.9=a.bvh normal@1.7=b.bvh crouch@0.9=c.bvh crouch@1.7=d.bvh -o gaits.ftm
    ```
    """
    from freshtake.workflows import gaits_facts

    model = carry_out(request, request.out, force=force)
    styles, speeds = (", ".join(map(str, levels)) for levels in (model.styles, model.speeds))
    show(
        json, {"written": request.out, **gaits_facts(model)},
        f"{styles} at {speeds}, {model.code.frames} frames per cycle", f"wrote {request.out}",
    )  # fmt: skip


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
    by_cycles = {"cycles": request.cycles} if request.frames is None and request.seconds is None else {}
    facts = {"frames": len(clip), **by_cycles, "written": request.out}
    show(json, facts, f"wrote {request.out}: {len(clip)} frames")


def align(request: StyleAlign, *, force: Force = False, json: Json = False) -> None:
    """The first motion is warped in time and, smoothly, in space until it matches the second: iterative motion warping
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
        warn(f"{request.first} and {request.second} contain the same motion: the warp changes nothing")
    written = [f"written: {path}" for path in (request.out, request.plot) if path is not None]
    show(json, _aligned_facts(done), *_aligned_lines(done), *written)


def _aligned_facts(done: Aligned) -> dict[str, Any]:
    alignment = done.alignment

    def part(motion: Any, span: tuple[int, int]) -> dict[str, Any]:
        return {"name": motion.name, "frames": len(motion), "start": span[0], "stop": span[1]}

    return {
        "method": alignment.settings.method,
        "first": part(done.first, alignment.first),
        "second": part(done.second, alignment.second),
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


def _aligned_lines(done: Aligned) -> Iterator[str]:
    alignment = done.alignment
    for name, motion, (start, stop) in (
        ("first", done.first, alignment.first),
        ("second", done.second, alignment.second),
    ):
        part = "all" if stop - start == len(motion) else f"{start}..{stop - 1}"
        yield f"{name}: {motion.name or 'motion'}, {len(motion)} frames, aligned: {part}"
    pace = f"{alignment.steps.mean():.2f} (from {alignment.steps.min():.2f} to {alignment.steps.max():.2f})"
    yield f"frames of the second per frame of the first: {pace}"
    if len(alignment.energy) > 1:
        yield f"energy {alignment.energy[0]:.4g} -> {alignment.energy[-1]:.4g} in {alignment.rounds} rounds"
    yield f"distance left per DOF: {alignment.cost:.3g}"
