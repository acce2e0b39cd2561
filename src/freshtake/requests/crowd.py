"""Crowds: many characters from a model or a plan, and pictures and textures of them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from freshtake.requests.fields import LARGEST_SEED, KeepGoing, Option, OutNames, Request

MOST_CHARACTERS = 10_000_000
MOST_SECONDS = 3600.0


@dataclass(frozen=True, kw_only=True)
class Crowd(Request):
    """Make a crowd: hundreds to a hundred thousand characters, each with its own motion."""

    source: Annotated[Path, Option("A model (.ftm), or a plan (.toml) that names models.", positional=True)]
    out: Annotated[Path, Option("Folder for the crowd; an unfinished crowd there is continued.", names=OutNames)]
    count: Annotated[
        int | None, Option("How many characters (200).", least=1, most=MOST_CHARACTERS, names=("--count", "-n"))
    ] = None
    seconds: Annotated[float | None, Option("How long each moves (2).", above=0.0, most=MOST_SECONDS)] = None
    fps: Annotated[float | None, Option("Frames per second; default: the model's.", least=1.0, most=1000.0)] = None
    mode: Annotated[
        Literal["unique", "library"] | None,
        Option("A motion for each character (unique, default), or a library of loops that they share."),
    ] = None
    variants: Annotated[int | None, Option("How many motions in a library (32).", least=1, most=MOST_CHARACTERS)] = None
    avoid: Annotated[bool, Option("Characters that walk do not walk through each other (unique mode).")] = False
    character: Annotated[Path | None, Option("A skinned character (.glb) that all motions are retargeted to.")] = None
    format: Annotated[
        Literal["npz", "usd", "bvh", "zarr", "glb", "fbx"], Option("Files to write; glb and fbx hold libraries.")
    ] = "npz"
    engine: Annotated[Literal["local", "dask"], Option("Local processes, or Dask workers.", agents=False)] = "local"
    workers: Annotated[int | None, Option("How many processes; default: one per core.", least=1, most=10_000)] = None
    scheduler: Annotated[
        str | None,
        Option("Address of a Dask scheduler, such as tcp://10.0.0.1:8786; default: a local one.", agents=False),
    ] = None
    shard: Annotated[str | None, Option("Make only part K of N, such as 3/16: for render farms.")] = None
    plan_only: Annotated[bool, Option("Only plan positions and routes, before a farm starts on the parts.")] = False
    job: Annotated[Path | None, Option("Write a render farm's job instead: .yaml (OpenJD) or .js (Flamenco).")] = None
    keep_going: KeepGoing = False
    seed: Annotated[int | None, Option("The same seed gives the same result.", least=0, most=LARGEST_SEED)] = None


@dataclass(frozen=True, kw_only=True)
class CrowdPreview(Request):
    """Look at a crowd: a page that plays it, or a picture."""

    folder: Annotated[Path, Option("A folder that `freshtake crowd` has filled, in any format.", positional=True)]
    out: Annotated[Path | None, Option("The page to write (.html).", names=OutNames)] = None
    png: Annotated[Path | None, Option("A picture (.png) from above and at eye level.")] = None


@dataclass(frozen=True, kw_only=True)
class CrowdTextures(Request):
    """Write bone matrices as textures, for engines and web pages that draw one mesh many times."""

    folder: Annotated[Path, Option("A folder that `freshtake crowd` has filled (npz).", positional=True)]
    out: Annotated[Path, Option("Folder for the textures.", names=OutNames)]
    format: Annotated[Literal["exr", "png"], Option("32-bit floats, or 16 bits in two halves.")] = "exr"
