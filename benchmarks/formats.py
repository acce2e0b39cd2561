"""Reading and writing: BVH compared with bvhio and upc-pymotion, and every format for clips."""

from __future__ import annotations

from pathlib import Path

import bvhio
from pymotion.io.bvh import BVH as PymotionBvh

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


HEAD = ("program", "CPU ms", "frames/s", "CPU time, first row = 1")


def reading(path: Path) -> str:
    clip = ft.read(path)
    frames = len(clip)  # type: ignore[arg-type]
    ours = cpu_seconds(lambda: ft.read(path), 15)
    rows = [["freshtake (rotations as quaternions)", f"{ours * 1e3:.1f}", f"{frames / ours:,.0f}", "1"]]
    for name, act, runs in (
        ("upc-pymotion, Euler angles", lambda: PymotionBvh().load(str(path)), 7),
        ("upc-pymotion, quaternions", lambda: pymotion_quaternions(path), 7),
        ("bvhio, file structure", lambda: bvhio.readAsBvh(str(path)), 7),
        ("bvhio, joints", lambda: bvhio.readAsHierarchy(str(path)), 5),
    ):
        rows.append(peer(name, cpu_seconds(act, runs), frames, ours))
    return table(f"Reading BVH: {frames} frames, 31 joints, {path.stat().st_size / 1e3:.0f} kB", HEAD, rows)


def peer(name: str, seconds: float, work: int, ours: float) -> list[str]:
    return [name, f"{seconds * 1e3:.1f}", f"{work / seconds:,.0f}", f"{seconds / ours:.1f}"]


def pymotion_quaternions(path: Path) -> object:
    file = PymotionBvh()
    file.load(str(path))
    return file.get_data()


def writing(path: Path, scratch: Path) -> str:
    clip = ft.read(path)
    assert isinstance(clip, ft.Clip)
    new = clip.changed(channels=None)
    target, frames = scratch / "out.bvh", len(clip)
    ours = cpu_seconds(lambda: ft.write(target, clip), 15)
    theirs = PymotionBvh()
    theirs.load(str(path))
    container, joints = bvhio.readAsBvh(str(path)), bvhio.readAsHierarchy(str(path))
    rows = [
        ["freshtake, the file's own numbers", f"{ours * 1e3:.1f}", f"{frames / ours:,.0f}", "1"],
        peer("freshtake, angles computed from quaternions", cpu_seconds(lambda: ft.write(target, new)), frames, ours),
        peer("upc-pymotion, Euler angles", cpu_seconds(lambda: theirs.save(str(target))), frames, ours),
        peer("bvhio, file structure", cpu_seconds(lambda: bvhio.writeBvh(str(target), container), 5), frames, ours),
        peer("bvhio, joints", cpu_seconds(lambda: bvhio.writeHierarchy(str(target), joints, 1 / 60), 5), frames, ours),
    ]
    return table(f"Writing BVH: {frames} frames", HEAD, rows)
