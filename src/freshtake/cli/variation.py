"""`freshtake learn`, `vary`, `redraw`, `pack`, `stream` and `augment`: new takes from a few."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from freshtake.cli.console import made_facts, output, print_json, say, say_made
from freshtake.cli.outputs import Force, Json, carry_out
from freshtake.errors import UsageError
from freshtake.requests.packs import Pack
from freshtake.requests.variation import Augment, Learn, Redraw, Stream, Vary

if TYPE_CHECKING:
    from freshtake.workflows.redrawing import Redrawn
    from freshtake.workflows.varying import Written


def learn(request: Learn, *, force: Force = False, json: Json = False) -> None:
    """**Examples**

    ```
    freshtake learn walk_*.bvh -o walk.ftm
    freshtake learn walks/ -o walk.ftm
    freshtake learn one_long_walk.bvh -o walk.ftm
    freshtake learn one_jump.bvh -o jump.ftm
    freshtake learn a_1.csv a_2.csv a_3.csv a_4.csv -o a.ftm
    freshtake learn one_jump.bvh -o like_jumps.ftm --structure jumps.ftm
    freshtake learn jump_*.bvh -o jump.ftm --method paper
    ```
    """
    from freshtake.workflows import model_facts

    facts = model_facts(carry_out(request, request.out, force=force))
    if json:
        print_json({"written": str(request.out), **facts})
        return
    plural = "" if facts["examples"] == 1 else "s"
    kind = "a movement that repeats (cyclic)" if facts["motion"] == "cyclic" else "a movement that ends by itself"
    say(
        f"wrote {request.out}: {facts['examples']} example{plural} at {facts['fps']:g} fps, {kind}; "
        f"next: freshtake vary {request.out} -n 15 -o variants/",
    )


def vary(request: Vary, *, force: Force = False, json: Json = False) -> None:
    """The same seed gives the same variants, however many you make.

    **Examples**

    ```
    freshtake vary walk.ftm -n 15 -o variants/
    freshtake vary walk.ftm -n 1 -o one_walk.glb
    freshtake vary walk.ftm -n 50 -o walks.fbx
    freshtake vary jump.ftm -n 100 -o jumps/ --amount 1.2 --seed 3
    freshtake vary walk.ftm -n 5 -o long/ --cycles 4 --format glb
    freshtake vary walk.ftm -n 20 -o loops/ --loop --in-place --format glb
    freshtake vary reach.ftm -n 20 -o reaches/ --limits arm_limits.csv
    freshtake vary walk.ftm -n 20 -o hero_walks/ --character hero.glb
    freshtake vary cheer.ftm -o wild/ --part arms=1.5 --part legs=0.3
    freshtake vary throw.ftm -o throws/ --start idle.bvh:0 --end idle.bvh:0 --seconds 2.5
    ```
    """
    written = carry_out(request, request.out, force=force)
    if json:
        print_json(_variant_facts(written))
    else:
        _print_variants(written)


def _variant_facts(written: Written) -> dict[str, Any]:
    return {
        "written": [str(path) for path in written.paths],
        "goals": [asdict(report) for report in written.reports],
        "guards": [report._asdict() for report in written.guards],
        "verdicts": [{"color": one.color, "remarks": one.sentences} for one in written.verdicts],
        **({"path": [followed._asdict() for followed in written.followed]} if written.followed else {}),
        **({"playback": written.playbacks} if any(written.playbacks) else {}),
    }


def _print_variants(written: Written) -> None:
    from freshtake.motion.verdict import verdict_line
    from freshtake.workflows.making import path_sentence

    first, last, count = written.paths[0], written.paths[-1], len(written.reports)
    files = f"{count} variant{'s' * (count > 1)}: {first}" + (f" ... {last.name}" if first != last else "")
    say(f"wrote {files}")
    if written.verdicts:
        say(verdict_line(written.verdicts, f"{count} variant{'s' * (count > 1)}"))
    if written.followed and written.last is not None:
        say(path_sentence(written.followed, written.last))


def stream(request: Stream, *, force: Force = False, json: Json = False) -> None:
    """With --live it goes to VRM apps and engines by the VMC protocol, 60 poses a second, until --seconds are over or q
    is pressed; models of blends and textures can be sent too. Keys: + - amount, w s speed, a d heading, f free heading,
    1 to 9 a class or cell.

    **Examples**

    ```
    freshtake stream walk.ftm --frames 3600 -o walk_60s.bvh
    freshtake stream walk.ftm --seconds 60 -o walk_60s.glb
    freshtake stream swim.ftm --frames 20000 -o swim.npz --amount 0.5
    freshtake stream walk.ftm --frames 3600 -o straight.bvh --heading 0
    freshtake stream walk.ftm --frames 3600 -o round_the_house.bvh --path way.csv
    freshtake stream walk.ftm --frames 3600 -o limping_round.bvh --path way.csv --style limp.ftm
    freshtake stream walk.ftm --live vmc://127.0.0.1:39539
    freshtake stream walk.ftm --live vmc://127.0.0.1:39539 --seconds 60 --in-place --listen 39541 --json
    ```
    """
    if request.live is not None:
        from freshtake.cli.live import send_live

        send_live(request, json)
        return
    if request.out is None:
        raise UsageError("name where the motion goes: -o FILE, or --live vmc://127.0.0.1:39539")
    from freshtake.workflows.outputs import playback_summary

    result = carry_out(request, request.out, force=force)
    if json:
        playback = playback_summary(result.motion)
        print_json({**made_facts(result), **({} if playback is None else {"playback": playback})})
    else:
        say_made(result)


def augment(request: Augment, *, force: Force = False, json: Json = False) -> None:
    """Takes whose names differ by the number at their end (walk_1, walk_2) are one action. labels.csv and labels.json
    list for every file its group, whether it is real or a variant, which takes it is from, seed, amount, model and
    licence. Where -o ends in .tar, .npz or .parquet, one file for learners is written instead, with the same labels.

    **Examples**

    ```
    freshtake augment takes/ -o training/ -n 10
    freshtake augment takes/ -o training/ -n 50 --by-likeness --seed 3 --json
    freshtake augment takes/ -o training.tar -n 10 --mirror --speed 0.9 1.1
    ```
    """
    done = carry_out(request, request.out, force=force)
    if json:
        print_json({"written": str(done.path), **done.as_dict()})
        return
    groups = {label.group for label in done.labels if label.kind == "variant" and not label.change}
    takes = sum(label.kind == "real" and not label.change for label in done.labels)
    changed = len(done.labels) - takes - done.variants
    say(
        f"wrote {done.path}: {takes} takes, {done.variants} variants of {len(groups)} group{'s' * (len(groups) != 1)}"
        + (f", {changed} mirrored or at another speed" if changed else "")
        + ("; labels.csv, labels.json" if done.path.is_dir() else "")
    )


def redraw(request: Redraw, *, force: Force = False, json: Json = False) -> None:
    """Frames outside the stretch and joints of other parts stay as they are, to the byte. The new frames join smoothly,
    and feet that stand stay where they are. A stretch that reaches an end of the clip is free there.

    **Examples**

    ```
    freshtake redraw take.bvh --model walk.ftm --from 2.0s --to 3.5s -n 8 -o redrawn/
    freshtake redraw take.bvh --model cheer.ftm --part arms -n 8 -o other_arms/
    freshtake redraw take.bvh --model walk.ftm --from 20 --to 50 --part head --part "left arm" -n 1 -o better.bvh
    freshtake redraw take.bvh --model walk.ftm --extend 4s -n 3 -o longer/
    ```
    """
    result = carry_out(request, request.out, force=force)
    if json:
        print_json(result.summary())
    else:
        _print(result)


def _print(redrawn: Redrawn) -> None:
    from freshtake.motion.verdict import verdict_line

    first, last, count = redrawn.paths[0], redrawn.paths[-1], len(redrawn.paths)
    start, stop = redrawn.frames
    say(f"wrote {first}" + (f" ... {last.name}" if count > 1 else "") + f": frames {start} to {stop - 1} are new")
    worst = [max(values) for values in zip(*redrawn.joins, strict=True)]
    if any(worst):
        say(f"joins: steps up to {worst[0]:.2f} and bends up to {worst[1]:.2f} of the takes' largest (99 of 100)")
    if redrawn.verdicts:
        say(verdict_line(redrawn.verdicts, f"{count} clip{'s' * (count > 1)}"))


def pack(request: Pack, *, force: Force = False, json: Json = False) -> None:
    """The folder gets one file per model and format (one per clip in bvh), `pack.json` with every clip's seed, speed,
    footprints and quality, a contact sheet `sheet.png` and `preview.html`, where you star and reject clips.

    **Examples**

    ```
    freshtake pack walk.ftm -n 20 -o pack/
    freshtake pack idle=standing.ftm walk.ftm run.ftm -o pack/ --character hero.glb --format fbx glb usd bvh
    freshtake pack walk.ftm -n 50 -o pack/ --root-motion both --beat 0.5
    freshtake pack idle=standing.ftm walk.ftm run.ftm -o pack/ --engine godot --character hero.glb
    freshtake pack walk.ftm -n 20 -o second/ --keep stars.json
    freshtake pack walk.ftm -n 20 -o one/ --only walk_007
    ```
    """
    from freshtake.motion.verdict import verdict_line

    result = carry_out(request, request.out, force=force)
    if json:
        verdicts = [{"color": one.color, "remarks": one.sentences} for one in result.verdicts]
        print_json({"written": [str(path) for path in result.paths], **result.facts, "verdicts": verdicts})
    else:
        clips, groups = len(result.facts["clips"]), len(result.facts["groups"])
        what = f"{clips} clip{'s' * (clips > 1)} in {groups} group{'s' * (groups > 1)}"
        output().print(f"wrote {request.out}: {what}, {len(result.paths)} files", markup=False)
        output().print(verdict_line(result.verdicts, f"{clips} clip{'s' * (clips > 1)}"), markup=False)
