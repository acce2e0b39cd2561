"""The takes to measure: recorded takes if FRESHTAKE_DATA names their folder, else samples."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import freshtake as ft
from freshtake.motion import Skeleton
from freshtake.motion.channels import clip_from_channels

DATA = Path(os.environ.get("FRESHTAKE_DATA") or "no-recorded-takes")  # a folder that does not exist: samples
KINDS = ("walk", "swim", "cheering", "throw", "jump")


def sets_here(names: Sequence[str]) -> list[str]:
    """Return the named sets whose folder exists; if there is none, end the program with one sentence."""
    here = [name for name in names if any((DATA / folder / name).is_dir() for folder in (".", "validation"))]
    if not here:
        raise SystemExit(f"there are no takes of {', '.join(names)}: set FRESHTAKE_DATA to their folder")
    return here


def long_takes(scratch: Path) -> list[Path]:
    """Return BVH files of 10 to 22 s at 60 fps, 31 joints, 96 channels."""
    real = sorted((DATA / "cyclic").glob("*.bvh"))
    if real:
        return real
    path = scratch / "made_up.bvh"
    ft.write(path, made_up())
    return [path]


def made_up(joints: int = 31, frames: int = 900) -> ft.Clip:
    """Return smooth random motion on a random tree, with four decimals as in captured takes."""
    rng = np.random.default_rng(1)
    parents = np.array([-1, *[int(rng.integers(max(0, j - 4), j)) for j in range(1, joints)]])
    skeleton = Skeleton(tuple(f"Joint{j}" for j in range(joints)), parents, rng.normal(0, 5, (joints, 3)).round(4))
    width = skeleton.channel_count
    time = np.arange(frames)[:, None] / 60
    values = rng.uniform(5, 40, width) * np.sin(rng.uniform(1, 8, width) * time + rng.uniform(0, 6, width))
    return clip_from_channels(skeleton, values.round(4), 1 / 60, name="made_up")


def clip_of(name: str) -> ft.Clip:
    """Read a take by its path below the folder of takes, without its ending."""
    return ft.read_clip(DATA / f"{name}.bvh")


def present(names: Sequence[str]) -> list[str]:
    """Return the named takes that exist."""
    return [name for name in names if (DATA / f"{name}.bvh").is_file()]


def styles() -> list[str]:
    """Return the styles with two takes, except the normal style."""
    stems = {path.stem.rpartition("_")[0] for path in (DATA / "style").glob("*_2.bvh")}
    return sorted(stems - {"normal"})
