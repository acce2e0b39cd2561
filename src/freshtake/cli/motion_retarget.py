"""`freshtake retarget`: clips of one skeleton onto another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from freshtake.cli.console import print_json, progress_bar, say, warn
from freshtake.cli.option_groups import TRAVEL, Output, Travel
from freshtake.cli.options import BodyMaps, Json, option_group
from freshtake.cli.outputs import KeepGoing
from freshtake.cli.reading import READING, Reading, files


@option_group
class CharacterOutput(Output):
    """Where clips on a character go."""

    out: Annotated[
        Path, Parameter(name=["--out", "-o"], help="A file; for several clips .glb, .fbx, .usd or a folder.")
    ]


@option_group
class Retargeting:
    """How clips are put onto the character."""

    body_map: BodyMaps = None
    save_map: Annotated[Path | None, Parameter(help="Write the detected map (TOML or JSON), to check or edit.")] = None
    picture: Annotated[
        Path | None, Parameter(help="Draw the first clip before and after, as figures side by side (.png, .svg).")
    ] = None
    plant: Annotated[bool, Parameter(help="Make feet stand as those of the source do.")] = True
    hands: Annotated[
        bool, Parameter(negative="", help="Keep hands as high over floor, hips and shoulders as those of the source.")
    ] = False
    travel: Travel = TRAVEL
    keep_going: KeepGoing = False
    format: Annotated[str | None, Parameter(help="Ending of files in a folder; default: as the character.")] = None


HOW = Retargeting()


def retarget(
    clips: list[Path],
    /,
    *,
    onto: Annotated[
        Path,
        Parameter(name=["--onto", "--character"], help="The character: glTF or FBX with a skin, or any skeleton."),
    ],
    to: CharacterOutput,
    how: Retargeting = HOW,
    reading: Reading = READING,
    json: Json = False,
) -> int:
    """Put clips onto a character with another skeleton: joints are matched by name or shape, rest poses aligned.

    **Examples**

    ```
    freshtake retarget walk.bvh --onto hero.glb -o hero_walk.glb
    freshtake retarget walk.bvh run.bvh jump.bvh --onto hero.glb -o hero_moves.glb
    freshtake retarget take.amc --onto other_actor.bvh -o take.bvh --save-map actors.toml
    freshtake retarget *.bvh --onto hero.glb --map actors.toml -o clips/ --format bvh
    ```

    Parameters
    ----------
    clips
        Clips with a skeleton; files or folders.
    """
    from freshtake.workflows import motion_retarget as run
    from freshtake.workflows.motion_retargeting import RetargetOptions

    out = to.prepare(how.save_map, how.picture)
    with progress_bar() as report:
        result = run(
            files(clips),
            onto,
            out,
            options=RetargetOptions(
                maps=how.body_map,
                save_maps=how.save_map,
                picture=how.picture,
                plant=how.plant,
                hands=how.hands,
                delivery=how.travel.value(),
                ending=how.format,
                keep_going=how.keep_going,
            ),
            reading=reading.options(),
            report=report,
            warn=warn,
        )
    if json:
        print_json(result.summary())
        return 0
    names = [str(result.paths[0]), *[path.name for path in result.paths[1:]]]
    listed = ", ".join(names) if len(names) < 4 else f"{names[0]} ... {names[-1]} ({len(names)} files)"
    say(f"wrote {listed}")
    return 0
