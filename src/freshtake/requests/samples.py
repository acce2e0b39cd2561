"""Sample takes to start with."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from freshtake.requests.fields import Option, Out, OutNames, Request, Seed


@dataclass(frozen=True, kw_only=True)
class SamplesWrite(Request):
    """Write sample takes that freshtake makes itself."""

    names: Annotated[list[str] | None, Option("Which sets; default: all.", positional=True)] = None
    out: Out
    takes: Annotated[int, Option("How many takes of each.", least=1, most=10_000, names=("--takes", "-n"))] = 4
    seed: Seed = 7


@dataclass(frozen=True, kw_only=True)
class SamplesDownload(Request):
    """Download public takes, checked by their SHA-256."""

    names: Annotated[list[str] | None, Option("Takes such as 35_01; default: all.", positional=True)] = None
    out: Out


@dataclass(frozen=True, kw_only=True)
class Demo(Request):
    """Run the main job on sample takes."""

    out: Annotated[Path, Option("Folder for the results.", names=OutNames)] = Path("freshtake-demo")
    seed: Seed = 7
