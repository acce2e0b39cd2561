"""`freshtake plant`: feet that slide stand still, hands go where they are pinned."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from freshtake.cli.console import output, print_json
from freshtake.cli.options import Json, Lock
from freshtake.cli.outputs import Force, prepare
from freshtake.cli.reading import SOURCE_READING, SourceReading


def plant(
    clip: Path,
    /,
    *,
    out: Annotated[Path, Parameter(name=["--out", "-o"], help="The file to write.")],
    force: Force = False,
    contacts: Annotated[Path | None, Parameter(help="When feet stand (JSON or CSV); default: found.")] = None,
    pins: Annotated[Path | None, Parameter(help="Where joints have to be at a time (JSON or CSV).")] = None,
    mapping: Annotated[Path | None, Parameter(help="Which joints are legs and arms (JSON); default: guessed.")] = None,
    like: Annotated[
        list[Path] | None,
        Parameter(consume_multiple=True, negative="", help="Clips whose feet stand well: contacts are found by them."),
    ] = None,
    floor: Annotated[
        float | None, Parameter(help="Height of the foot joints when they stand, in the clip's unit.")
    ] = None,
    lock: Lock = "soft",
    reading: SourceReading = SOURCE_READING,
    json: Json = False,
) -> int:
    """Hold feet still while they stand, keep them on the floor, and bring pinned joints to their places.

    **Examples**

    ```
    freshtake plant sliding.bvh -o clean.bvh
    freshtake plant variant.bvh -o clean.bvh --like walk_1.bvh walk_2.bvh
    freshtake plant take.bvh -o reach.bvh --pins pins.json --contacts contacts.csv --mapping limbs.json
    ```

    Parameters
    ----------
    clip
        The clip to clean.
    """
    from freshtake.workflows import motion_plant as run

    prepare(out, force=force)
    report = run(
        clip,
        out,
        contacts=contacts,
        pins=pins,
        mapping=mapping,
        examples=like or [],
        floor=floor,
        lock=lock,
        reading=reading.options(),
    )
    if json:
        print_json({"written": str(out), **report.summary()})
        return 0
    say = output().print
    held = f"{len(report.contacts)} contacts held, missed by {report.residual:.2g} at most"
    say(f"wrote {out}: {held}; legs turned by {report.change:.2g}° on average outside them", markup=False)
    for pin, missed in report.pins:
        frames = f"frame {pin.start}" if pin.stop == pin.start + 1 else f"frames {pin.start} to {pin.stop - 1}"
        say(f"pin of {pin.joint} at {frames}: missed by {missed:.2g}", markup=False)
    return 0
