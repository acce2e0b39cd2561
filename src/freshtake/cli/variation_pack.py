"""`freshtake pack`: groups of variants for engines, any of which follows any other of its group."""

from __future__ import annotations

from freshtake.cli.console import output, print_json, progress_bar, warn
from freshtake.cli.outputs import Force, Json, prepare
from freshtake.requests.packs import Pack


def pack(request: Pack, *, force: Force = False, json: Json = False) -> int:
    """Write a pack of variants: loops that share their first and last pose, so that any can follow any other.

    The folder gets one file per model and format (one per clip in bvh), `pack.json` with every clip's seed, speed,
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
    from freshtake.workflows import pack as run

    prepare(request.out, force=force)
    with progress_bar() as report:
        result = run(request, report, warn)
    if json:
        verdicts = [{"color": one.color, "remarks": one.sentences} for one in result.verdicts]
        print_json({"written": [str(path) for path in result.paths], **result.facts, "verdicts": verdicts})
    else:
        clips, groups = len(result.facts["clips"]), len(result.facts["groups"])
        what = f"{clips} clip{'s' * (clips > 1)} in {groups} group{'s' * (groups > 1)}"
        output().print(f"wrote {request.out}: {what}, {len(result.paths)} files", markup=False)
        output().print(verdict_line(result.verdicts, f"{clips} clip{'s' * (clips > 1)}"), markup=False)
    return 0
