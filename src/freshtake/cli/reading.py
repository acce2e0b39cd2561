"""What a file does not say about itself: options of every command that reads motion, in one place."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from freshtake.cli.console import warn
from freshtake.cli.options import Animation, Mesh, SkeletonFile, SourceFps, Unit, Up, option_group


@option_group
class Reading:
    """How takes are read."""

    skeleton: SkeletonFile = None
    fps: SourceFps = None
    unit: Unit = None
    up: Up = None
    animation: Animation = None

    def options(self) -> dict[str, Any]:
        """As arguments of `freshtake.read`."""
        return {
            "skeleton": self.skeleton, "fps": self.fps, "rate": self.fps, "unit_m": self.unit, "up": self.up,
            "animation": self.animation, "warn": warn,
        }  # fmt: skip


@option_group
class MeshReading(Reading):
    """How clips and mesh sequences are read."""

    mesh: Mesh = False

    def options(self) -> dict[str, Any]:
        """As arguments of `freshtake.read`."""
        return {**super().options(), "mesh": self.mesh}


READING, MESH_READING = Reading(), MeshReading()


def files(paths: Iterable[Path] | None) -> list[Path]:
    """The files that are meant: a folder stands for the takes in it, a pattern for what it matches."""
    from freshtake.formats.take_files import take_files

    return take_files(paths or ())


def files_or_models(paths: Iterable[Path]) -> list[Path]:
    """The same, with the models in a folder."""
    from freshtake.formats.take_files import MODELS, TAKES, take_files

    return take_files(paths, TAKES | MODELS)
