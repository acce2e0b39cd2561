"""Every format that a clip can be written in: how large, how fast."""

from __future__ import annotations

from pathlib import Path

import freshtake as ft
from benchmarks.timing import cpu_seconds, table


def all_formats(path: Path, scratch: Path) -> str:
    clip = ft.read(path)
    assert isinstance(clip, ft.Clip)
    frames, rows = len(clip), []
    for ending in (".bvh", ".npz", ".glb", ".gltf", ".csv", ".c3d"):
        target = scratch / f"clip{ending}"
        write = cpu_seconds(lambda target=target: ft.write(target, clip, unit_m=0.0564), 5)  # type: ignore[misc]
        read = cpu_seconds(lambda target=target: ft.read(target), 5)  # type: ignore[misc]
        size = target.stat().st_size / 1e3
        rows.append([ending, f"{size:,.0f}", f"{read * 1e3:.1f}", f"{frames / read:,.0f}", f"{write * 1e3:.1f}"])
    head = ("format", "kB", "read, CPU ms", "read, frames/s", "write, CPU ms")
    return table(f"All formats: {frames} frames", head, rows)
