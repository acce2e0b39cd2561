"""`freshtake plant`: feet that slide stand still, hands go where they are pinned."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from freshtake.cli.console import each_with_progress, output, print_json, progress_bar
from freshtake.cli.option_groups import CLIP_FILES, ClipFiles, ClipsOutput
from freshtake.cli.options import Json, Lock, option_group
from freshtake.cli.reading import READING, Reading, files


@option_group
class ContactOptions:
    """What you know about the clip's feet and hands."""

    contacts: Annotated[Path | None, Parameter(help="When feet stand (JSON or CSV); default: detected.")] = None
    pins: Annotated[Path | None, Parameter(help="Where joints have to be, and when (JSON or CSV).")] = None
    mapping: Annotated[Path | None, Parameter(help="Which joints are legs and arms (JSON); default: guessed.")] = None
    like: Annotated[
        list[Path] | None,
        Parameter(
            consume_multiple=True, negative="", help="Clips whose feet stand well, from which contacts are taken."
        ),
    ] = None
    floor: Annotated[float | None, Parameter(help="Height of the foot joints when they stand, in the clip's unit.")] = (
        None
    )
    lock: Lock = "soft"


CONTACT_OPTIONS = ContactOptions()


def plant(
    clips: list[Path],
    /,
    *,
    to: ClipsOutput,
    known: ContactOptions = CONTACT_OPTIONS,
    clip_files: ClipFiles = CLIP_FILES,
    reading: Reading = READING,
    json: Json = False,
) -> int:
    """Hold feet still while they stand, keep them on the floor, and bring pinned joints to their places.

    **Examples**

    ```
    freshtake plant sliding.bvh -o clean.bvh
    freshtake plant variant.bvh -o clean.bvh --like walk_1.bvh walk_2.bvh
    freshtake plant takes/ -o clean/
    freshtake plant take.bvh -o reach.bvh --pins pins.json --contacts contacts.csv --mapping limbs.json
    ```

    Parameters
    ----------
    clips
        The clip to clean; several, or a folder of them, are cleaned one by one.
    """
    from freshtake.workflows import motion_plant as run
    from freshtake.workflows.motion_planting import PlantOptions
    from freshtake.workflows.output_naming import targets_of

    out = to.prepare()
    takes = files(clips)
    targets = targets_of(takes, out, clip_files.format)
    with progress_bar() as tell:
        reports = [
            run(
                take,
                target,
                options=PlantOptions(
                    contacts=known.contacts,
                    pins=known.pins,
                    mapping=known.mapping,
                    examples=files(known.like),
                    floor=known.floor,
                    lock=known.lock,
                ),
                onto=clip_files.onto.value(),
                reading=reading.options(),
            )
            for take, target in each_with_progress(takes, targets, tell)
        ]
    done = list(zip(targets, reports, strict=True))
    if json:
        facts = [{"written": str(target), **report.summary()} for target, report in done]
        print_json(facts[0] if len(facts) == 1 else {"clips": facts})
        return 0
    for target, report in done:
        _print(target, report)
    return 0


def _print(target: Path, report: Any) -> None:
    say = output().print
    held = f"{len(report.contacts)} contacts held, missed by {report.residual:.2g} at most"
    say(f"wrote {target}: {held}; between contacts, legs turned by {report.change:.2g}° on average", markup=False)
    for pin, missed in report.pins:
        frames = f"frame {pin.start}" if pin.stop == pin.start + 1 else f"frames {pin.start} to {pin.stop - 1}"
        say(f"pin of {pin.joint} at {frames}: missed by {missed:.2g}", markup=False)
