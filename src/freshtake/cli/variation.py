"""`freshtake learn`, `vary`, `redraw`, `pack`, `stream` and `augment`: new takes from a few."""

from freshtake.cli.console import Force, Json, carry_out, counted, show, show_motion
from freshtake.errors import UsageError
from freshtake.requests.packs import Pack
from freshtake.requests.variation import Augment, Learn, Redraw, Stream, Vary


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
    kind = "a movement that repeats (cyclic)" if facts["motion"] == "cyclic" else "a movement that does not repeat"
    show(
        json, {"written": request.out, **facts},
        f"wrote {request.out}: {counted(facts['examples'], 'example')} at {facts['fps']:g} fps, {kind}; "
        f"next: freshtake vary {request.out} -n 15 -o variants/",
    )  # fmt: skip


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
    from freshtake.motion.verdict import verdict_line
    from freshtake.workflows.outputs import path_sentence

    written = carry_out(request, request.out, force=force)
    facts = {
        "written": written.paths,
        "goals": written.reports,
        "guards": written.guards,
        "verdicts": written.verdicts,
        **({"path": written.followed} if written.followed else {}),
        **({"playback": written.playbacks} if any(written.playbacks) else {}),
    }
    first, last, variants = written.paths[0], written.paths[-1], counted(len(written.reports), "variant")
    lines = [f"wrote {variants}: {first}" + (f" ... {last.name}" if first != last else "")]
    if written.verdicts:
        lines.append(verdict_line(written.verdicts, variants))
    if written.followed and written.last is not None:
        lines.append(path_sentence(written.followed, written.last))
    show(json, facts, *lines)


def stream(request: Stream, *, force: Force = False, json: Json = False) -> None:
    """With --live, the motion goes to VRM apps and engines by the VMC protocol, 60 poses per second, until --seconds
    are over or q is pressed; models of blends and textures can be sent too. Keys: + - amount, w s speed, a d heading,
    f free heading, 1 to 9 a class or cell.

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
        raise UsageError("name a destination for the motion: -o FILE, or --live vmc://127.0.0.1:39539")
    from freshtake.workflows.outputs import playback_summary

    result = carry_out(request, request.out, force=force)
    playback = playback_summary(result.motion)
    show_motion(json, result, **({} if playback is None else {"playback": playback}))


def augment(request: Augment, *, force: Force = False, json: Json = False) -> None:
    """Takes with the same name but for a number at its end (walk_1, walk_2) form one action. labels.csv and labels.json
    list for every file its group, whether it is real or a variant, its source takes, seed, amount, model and
    licence. If -o ends in .tar, .npz or .parquet, a single training file is written instead, with the same labels.

    **Examples**

    ```
    freshtake augment takes/ -o training/ -n 10
    freshtake augment takes/ -o training/ -n 50 --by-likeness --seed 3 --json
    freshtake augment takes/ -o training.tar -n 10 --mirror --speed 0.9 1.1
    ```
    """
    done = carry_out(request, request.out, force=force)
    unchanged = [label for label in done.labels if not label.change]
    groups = [label.group for label in unchanged if label.kind == "variant"]
    changed = len(done.labels) - len(unchanged)
    show(
        json, {"written": done.path, **done.as_dict()},
        f"wrote {done.path}: {len(unchanged) - len(groups)} takes, {len(groups)} variants of "
        + counted(len(set(groups)), "group")
        + (f", {changed} mirrored or at another speed" if changed else "")
        + ("; labels.csv, labels.json" if done.path.is_dir() else ""),
    )  # fmt: skip


def redraw(request: Redraw, *, force: Force = False, json: Json = False) -> None:
    """Frames outside the stretch and joints of other parts stay the same, to the byte. The new frames join smoothly,
    and feet that stand stay where they are. A stretch that reaches an end of the clip is free there.

    **Examples**

    ```
    freshtake redraw take.bvh --model walk.ftm --from 2.0s --to 3.5s -n 8 -o redrawn/
    freshtake redraw take.bvh --model cheer.ftm --part arms -n 8 -o other_arms/
    freshtake redraw take.bvh --model walk.ftm --from 20 --to 50 --part head --part "left arm" -n 1 -o better.bvh
    freshtake redraw take.bvh --model walk.ftm --extend 4s -n 3 -o longer/
    ```
    """
    from freshtake.motion.verdict import verdict_line

    redrawn = carry_out(request, request.out, force=force)
    first, last, (start, stop) = redrawn.paths[0], redrawn.paths[-1], redrawn.frames
    more = f" ... {last.name}" if first != last else ""
    lines = [f"wrote {first}{more}: frames {start} to {stop - 1} are new"]
    step, bend = (max(values) for values in zip(*redrawn.joins, strict=True))
    if step or bend:
        lines.append(f"joins: steps up to {step:.2f} and bends up to {bend:.2f} of the takes' largest (99 of 100)")
    if redrawn.verdicts:
        lines.append(verdict_line(redrawn.verdicts, counted(len(redrawn.paths), "clip")))
    show(json, redrawn, *lines)


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
    clips, groups = counted(len(result.facts["clips"]), "clip"), counted(len(result.facts["groups"]), "group")
    show(
        json, {"written": result.paths, **result.facts, "verdicts": result.verdicts},
        f"wrote {request.out}: {clips} in {groups}, {len(result.paths)} files", verdict_line(result.verdicts, clips),
    )  # fmt: skip
