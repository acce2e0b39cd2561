"""What a file does not say about itself: options of every command that reads motion, in one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from cyclopts import Parameter

from freshtake.cli.console import warn
from freshtake.cli.options import Animation, Mesh, SkeletonFile, SourceFps, Unit, Up


@Parameter(name="*")  # the fields are options of the command itself
@dataclass(frozen=True)
class Reading:
    """How clips are read."""

    skeleton: SkeletonFile = None
    fps: SourceFps = None
    unit: Unit = None
    up: Up = None

    def options(self) -> dict[str, Any]:
        """As arguments of `freshtake.read`."""
        return {"skeleton": self.skeleton, "fps": self.fps, "unit_m": self.unit, "up": self.up, "warn": warn}


@Parameter(name="*")
@dataclass(frozen=True)
class SourceReading(Reading):
    """How clips are read where --fps would be mistaken for the rate of the result."""

    fps: Annotated[SourceFps, Parameter(name="--source-fps")] = None


@Parameter(name="*")
@dataclass(frozen=True)
class MeshReading(Reading):
    """How clips and mesh sequences are read."""

    animation: Animation = None
    mesh: Mesh = False

    def options(self) -> dict[str, Any]:
        """As arguments of `freshtake.read`."""
        return {**super().options(), "animation": self.animation, "mesh": self.mesh}


READING, SOURCE_READING, MESH_READING = Reading(), SourceReading(), MeshReading()
