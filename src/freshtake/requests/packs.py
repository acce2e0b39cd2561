"""Packs for engines: groups of clips that can follow each other in any order."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from freshtake.requests.fields import (
    Guard,
    HowMuch,
    InPlace,
    KeepGoing,
    OnCharacter,
    Option,
    OutNames,
    Plant,
    Request,
    Unit,
)


@dataclass(frozen=True, kw_only=True)
class Packing(Request):
    """The clips of a pack and their delivery, for models from any source and packs for any destination."""

    count: Annotated[int, Option("How many clips of each model.", least=1, most=9_999, names=("--count", "-n"))] = 12
    engine: Annotated[
        Literal["unreal", "unity", "godot", "gltf"] | None,
        Option(
            "Make it for an engine: its format, a root joint that starts at the origin and goes straight ahead, "
            "loops, foot events, and scripts that import it."
        ),
    ] = None
    root_motion: Annotated[
        Literal["hips", "joint", "none", "both"] | None,
        Option(
            "What carries the travel: hips (default), joint (a root joint above them), none (in place), both (files "
            "with a root joint, and files in place)."
        ),
    ] = None
    in_place: InPlace = False
    beat: Annotated[
        float | None, Option("Seconds of a beat: every clip lasts a whole number of beats.", least=0.01, most=600.0)
    ] = None
    cycles: Annotated[int | None, Option("Cycles in each clip of a cyclic model; default: 1.", least=1, most=1000)] = (
        None
    )
    closing_frame: Annotated[bool, Option("Repeat the first frame at the end, for players that need it.")] = True
    amount: HowMuch = 1.0
    plant: Plant = True
    guard: Guard = True
    preview: Annotated[bool, Option("Write the contact sheet and the preview page.")] = True
    # A clip's seed is computed from the pack's seed and its number, and has to be exact in JSON.
    seed: Annotated[int, Option("The same seed gives the same result.", least=0, most=1_000_000)] = 0


@dataclass(frozen=True, kw_only=True)
class Pack(Packing, OnCharacter):
    """Write a pack of loops that share their first and last pose, so that any can follow any other."""

    models: Annotated[
        list[str],
        Option(
            "Models of `freshtake learn`, each as MODEL or NAME=MODEL; NAME names its group and files.", positional=True
        ),
    ]
    out: Annotated[Path, Option("Folder for the pack.", names=OutNames)]
    format: Annotated[list[str] | None, Option("Formats, such as fbx glb usd bvh; default: glb.")] = None
    keep: Annotated[
        Path | None, Option("stars.json from the preview page: rejected clips are redrawn, the others stay.")
    ] = None
    only: Annotated[str | None, Option("Make only this clip of the pack, by its name.")] = None
    unit: Unit = None
    keep_going: KeepGoing = False
