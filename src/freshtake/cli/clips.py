"""`freshtake loop`, `plant`, `cut`, `convert`, `retarget` and `robot`: clips to clips."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from freshtake.cli.console import Force, Json, carry_out, in_words, show
from freshtake.requests.clips import Convert, Cut, Loop, Plant, Retarget, Robot

if TYPE_CHECKING:
    from freshtake.workflows.editing import Looped


def loop(request: Loop, *, force: Force = False, json: Json = False) -> None:
    """The last frame leads into the first: a loop of N frames lasts N frame times, and frame N is frame 0 moved by the
    travel of one loop. A loop begins above the origin, faces forward and goes straight: turning is removed evenly over
    the loop.

    **Examples**

    ```
    freshtake loop walk.bvh -o walk_loop.bvh
    freshtake loop run.bvh -o run_loop.glb --in-place --unit cm
    freshtake loop one_cheer.bvh -o cheer_loop.bvh --whole
    freshtake loop swim.bvh -o swim_loop.npz --cycles 2 --json
    freshtake loop walks/ -o loops/ --format glb
    ```
    """
    from freshtake.motion.verdict import verdict_line

    loops = carry_out(request, request.out, force=force)
    verdicts = [verdict for one in loops for verdict in one.verdicts]
    show(
        json, loops[0] if len(loops) == 1 else {"loops": loops},
        *map(_loop_sentence, loops), verdict_line(verdicts, "it" if len(loops) == 1 else "all loops"),
    )  # fmt: skip


def _loop_sentence(looped: Looped) -> str:
    from freshtake.motion.body.orientation import unit_name, unit_of

    info = looped.motion.playback
    assert info is not None
    frames = (
        f"{len(looped.motion)} frames ({info.seconds:.3g} s) from frames {looped.span.start} to {looped.span.stop - 1}"
    )
    seam = f"{looped.seam.step:.3g} at the seam (largest steps in the clip: {looped.usual.step:.3g})"
    metres = unit_of(looped.motion)
    unit = "units of the clip" if metres is None else unit_name(metres)
    return f"wrote {looped.path}: {frames}; speed {info.speed:.3g} {unit} a second; joints step {seam}"


def plant(request: Plant, *, force: Force = False, json: Json = False) -> None:
    """**Examples**

    ```
    freshtake plant sliding.bvh -o clean.bvh
    freshtake plant variant.bvh -o clean.bvh --like walk_1.bvh walk_2.bvh
    freshtake plant takes/ -o clean/
    freshtake plant take.bvh -o reach.bvh --pins pins.json --contacts contacts.csv --mapping limbs.json
    ```
    """
    planted = carry_out(request, request.out, force=force)
    facts, lines = [{"written": one.path, **one.report.summary()} for one in planted], []
    for path, report in planted:
        contacts = f"{len(report.contacts)} contacts held, off by {report.residual:.2g} at most"
        lines.append(f"wrote {path}: {contacts}; between contacts, legs rotated by {report.change:.2g}° on average")
        for pin, missed in report.pins:
            frames = f"frame {pin.start}" if pin.stop == pin.start + 1 else f"frames {pin.start} to {pin.stop - 1}"
            lines.append(f"pin of {pin.joint} at {frames}: missed by {missed:.2g}")
    show(json, facts[0] if len(facts) == 1 else {"clips": facts}, *lines)


def cut(request: Cut, *, force: Force = False, json: Json = False) -> None:
    """**Examples**

    ```
    freshtake cut walk_10s.bvh -o cycles/
    freshtake cut take.bvh -o jumps/ --like jump_1.bvh
    freshtake cut take.bvh -o piece/ --range 120:360
    freshtake cut take.bvh -o piece.glb --range 1.5s:4s
    freshtake cut takes/ -o cycles/
    ```
    """
    pieces = carry_out(request, request.out, force=force)
    facts = [{"file": path, "start": start, "stop": stop} for path, start, stop in pieces]
    show(json, {"clips": facts}, *(f"{one.path}  frames {one.start}..{one.stop - 1}" for one in pieces))


def convert(request: Convert, *, force: Force = False, json: Json = False) -> None:
    """**Examples**

    ```
    freshtake convert take.amc take.bvh --skeleton 35.asf --fps 60
    freshtake convert walk.bvh walk.glb --unit 0.0564 --start 10 --end 2.5s
    freshtake convert a.bvh b.bvh both.fbx --unit 0.01
    freshtake convert takes/ -o glb/ --format glb --unit cm
    freshtake convert raw.bvh clean.bvh --repair drop-tpose unwrap
    ```
    """
    from freshtake.workflows.outputs import playback_summary

    out = request.sources_and_target()[1]
    result = carry_out(request, out, force=force)
    facts: dict[str, Any] = {
        "written": out if result.paths == [out] else result.paths,
        "from": result.sources,
        "frames": [len(motion) for motion in result.motions],
    }
    playbacks = [playback_summary(motion) for motion in result.motions]
    if any(playbacks):
        facts["playback"] = playbacks
    if len(result.paths) == 1 < len(result.motions):
        lengths = "; ".join(f"{motion.name!r} {in_words(motion)}" for motion in result.motions)
        lines = [f"wrote {result.paths[0]}: {lengths}"]
    else:
        pairs = zip(result.paths, result.motions, strict=True)
        lines = [f"wrote {path}: {in_words(motion)}" for path, motion in pairs]
    show(json, facts, *lines)


def retarget(request: Retarget, *, force: Force = False, json: Json = False) -> None:
    """**Examples**

    ```
    freshtake retarget walk.bvh --onto hero.glb -o hero_walk.glb
    freshtake retarget walk.bvh run.bvh jump.bvh --onto hero.glb -o hero_moves.glb
    freshtake retarget take.amc --onto other_actor.bvh -o take.bvh --save-map actors.toml
    freshtake retarget *.bvh --onto hero.glb --map actors.toml -o clips/ --format bvh
    ```
    """
    result = carry_out(request, request.out, request.save_map, force=force)
    names = [str(result.paths[0]), *[path.name for path in result.paths[1:]]]
    listed = ", ".join(names) if len(names) < 4 else f"{names[0]} ... {names[-1]} ({len(names)} files)"
    show(json, result, f"wrote {listed}")


def robot(request: Robot, *, force: Force = False, json: Json = False) -> None:
    """**Examples**

    ```
    freshtake robot walk_1.bvh --onto g1.urdf -o walk.csv
    freshtake robot variants/ --onto humanoid.xml -o robot/
    freshtake robot variants/ --onto g1.urdf -o robot/ --format pkl
    ```
    """
    written = carry_out(request, request.out, force=force)
    lines = (
        f"wrote {one.path}: {one.frames} frames, {100 * one.off:.1f} cm from the clip on average, planted feet slide "
        f"{100 * one.sliding:.1f} % of a leg per second (clip {100 * one.source_sliding:.1f})"
        for one in written
    )
    show(json, {"written": written}, *lines)
