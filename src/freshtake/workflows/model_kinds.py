"""Models by method: a command that gets a model of another method says which commands take it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from freshtake.errors import FormatError
from freshtake.formats.ftm import Stored, is_model, read_stored
from freshtake.formats.ftm.methods import METHODS


def model_of(source: Path, method: str) -> Any:
    """The model in a file, if that method learned it; else one sentence that says which command to use."""
    if source.exists() and not is_model(source):
        raise FormatError(source, f"this is not a freshtake model: write one with freshtake {METHODS[method].learns}")
    return checked(read_stored(source), source, method).model


def checked(stored: Stored, source: Path, method: str) -> Stored:
    """A model that was read, if that method learned it; else one sentence that says which command to use."""
    if stored.method != method:
        given, wanted = METHODS[stored.method], METHODS[method]
        raise FormatError(
            source,
            f"this is a model of the method {given.name}, which freshtake {given.uses} takes; one of the method "
            f"{wanted.name}, which freshtake {wanted.learns} writes, is needed here",
        )
    return stored
