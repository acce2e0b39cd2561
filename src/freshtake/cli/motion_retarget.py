"""`freshtake retarget`: clips of one skeleton onto another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from freshtake.cli.console import output, print_json, progress_bar, warn
from freshtake.cli.options import BodyMaps, InPlace, Json, RootMotion
from freshtake.cli.outputs import Force, prepare
from freshtake.cli.reading import READING, Reading, files


def retarget(
    clips: list[Path],
    /,
    *,
    onto: Annotated[
        Path,
        Parameter(name=["--onto", "--character"], help="The character: glTF with a skin, or any file of a skeleton."),
    ],
    out: Annotated[
        Path, Parameter(name=["--out", "-o"], help="A file; for several clips .glb, .fbx, .usd or a folder.")
    ],
    force: Force = False,
    body_map: BodyMaps = None,
    save_map: Annotated[
        Path | None, Parameter(help="Write the map that was found (TOML or JSON), to look at or to change.")
    ] = None,
    picture: Annotated[
        Path | None, Parameter(help="Draw the first clip before and after, as figures side by side (.png, .svg).")
    ] = None,
    plant: Annotated[bool, Parameter(help="Let feet stand as those of the source do.")] = True,
    hands: Annotated[
        bool, Parameter(negative="", help="Keep hands as high over floor, hips and shoulders as those of the source.")
    ] = False,
    root_motion: RootMotion = None,
    in_place: InPlace = False,
    format: Annotated[str | None, Parameter(help="Ending of files in a folder; default: as the character.")] = None,
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
    from freshtake.workflows.motion_delivering import delivery_asked

    prepare(out, save_map, picture, force=force)
    with progress_bar() as report:
        made = run(
            files(clips), onto, out,
            maps=body_map, save_maps=save_map, picture=picture, plant=plant, hands=hands,
            delivery=delivery_asked(root_motion, in_place), ending=format, reading=reading.options(), report=report,
            warn=warn,
        )  # fmt: skip
    if json:
        print_json(made.summary())
        return 0
    names = [str(made.paths[0]), *[path.name for path in made.paths[1:]]]
    said = ", ".join(names) if len(names) < 4 else f"{names[0]} ... {names[-1]} ({len(names)} files)"
    output().print(f"wrote {said}", markup=False)
    return 0
