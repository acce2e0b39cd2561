"""Programs that run until they are stopped: the studio, its server for tools, and the server for agents."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from freshtake.requests.fields import Option, Request


@dataclass(frozen=True, kw_only=True)
class Serve(Request):
    """Serve a project to tools."""

    project: Annotated[
        Path | None, Option("The folder for all work; default: freshtake-studio in your home folder.")
    ] = None
    port: Annotated[int | None, Option("The port; default: 8790, or the next that is free.")] = None
    host: Annotated[str, Option("The address to listen on; by default, only this machine can reach it.")] = "127.0.0.1"
    token: Annotated[
        str | None, Option("Secret that clients must know, part of the printed address; default: random.")
    ] = None
    no_token: Annotated[bool, Option("Let in every user and program on this machine without a token.")] = False


@dataclass(frozen=True, kw_only=True)
class Studio(Serve):
    """Open the studio: everything on one page in your browser."""

    files: Annotated[
        list[Path] | None, Option("Motion files, models, or folders of them, to add to the project.", positional=True)
    ] = None
    open: Annotated[bool, Option("Open the page in your browser.")] = True


@dataclass(frozen=True, kw_only=True)
class Mcp(Request):
    """Offer freshtake to agents as tools."""

    allow: Annotated[
        list[Path] | None, Option("Folders whose files an agent may read and write; default: the current one.")
    ] = None
