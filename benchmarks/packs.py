"""Packs: how smoothly clips of a group follow each other, compared with the takes, and the time to write a pack.

python -m benchmarks.packs
"""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path

import numpy as np

import freshtake as ft
from benchmarks.loops import _sets
from benchmarks.takes import DATA
from benchmarks.timing import table
from freshtake import samples
from freshtake.motion import Clip
from freshtake.requests import Pack
from freshtake.samples.rigs import rig
from freshtake.workflows.packing import Packed, pack

COUNT = 50
SPEED = 100
VERTICES = 10_000
HEAD = [
    "takes", "clips", "pairs", "step", "foot speed", "acceleration", "in clips: step", "foot speed", "acceleration",
    "slide", "takes'", "copied", "strain",
]  # fmt: skip


def packs(scratch: Path, count: int = COUNT) -> str:
    """Return both tables."""
    return joins(scratch, count) + "\n" + speed(scratch)


def joins(scratch: Path, count: int = COUNT) -> str:
    """Measure the worst of all changes from clip to clip relative to the takes, and the medians within clips."""
    rows = []
    for name, takes in [*_sets(), *_acyclic()]:
        model = scratch / "takes.ftm"
        ft.save(model, ft.variation.learn(takes, rng=np.random.default_rng(0)))
        request = Pack(models=[str(model)], out=_new(scratch), count=count, format=["npz"], preview=False)
        rows.append(_row(name, pack(request), takes))
    return table(f"{count} clips of each model", HEAD, rows)


def _acyclic() -> list[tuple[str, list[Clip]]]:
    found = [(name, sorted((DATA / name).glob(f"{name}_?.bvh"))) for name in ("jump", "throw", "cheering")]
    takes: list[tuple[str, list[Clip]]] = [(name, [ft.read_clip(p) for p in paths]) for name, paths in found if paths]
    return [*takes, ("sample jump", [samples.jump(np.random.default_rng([7, k])) for k in range(4)])]


def _new(scratch: Path) -> Path:
    return scratch / f"pack_{sum(1 for _ in scratch.iterdir())}"


def _row(name: str, made: Packed, takes: list[Clip]) -> list[str]:
    changes, clips = made.facts["groups"][0]["changes"], [clip["quality"] for clip in made.facts["clips"]]
    worst = [f"{changes[key]:.2f}" for key in ("step", "foot_speed", "acceleration")]
    usual = [f"{np.median([clip[key] for clip in clips]):.2f}" for key in ("seam_step", "foot_speed", "acceleration")]
    slide = [clip["foot_slide"] for clip in clips if clip["foot_slide"] is not None]
    own = [value for take in takes if (value := _slide(take)) is not None]
    slides = [f"{np.mean(some):.3f}" if some else "" for some in (slide, own)]
    copied, strain = sum(clip["copied"] > 0 for clip in clips), max(clip["strain"] for clip in clips)
    return [name, str(len(clips)), str(changes["pairs"]), *worst, *usual, *slides, str(copied), f"{strain:.1f}"]


def _slide(take: Clip) -> float | None:
    from freshtake.motion.cycles.looping import closed
    from freshtake.workflows.packing import foot_slide

    return foot_slide(closed(take, 0, len(take) - 1))


def speed(scratch: Path) -> str:
    """Time a hundred clips of a walk on a skinned character, as FBX."""
    takes = [samples.walk(np.random.default_rng([7, k]), cycles=1) for k in range(4)]
    model, hero = scratch / "walk.ftm", scratch / "hero.glb"
    ft.save(model, ft.variation.learn(takes, rng=np.random.default_rng(0)))
    many_vertices(hero, VERTICES)
    rows = []
    for preview in (False, True):
        began, wall = time.process_time(), time.perf_counter()
        made = pack(
            Pack(
                models=[str(model)], out=_new(scratch), count=SPEED, format=["fbx"], character=hero, preview=preview
            )
        )  # fmt: skip
        used = time.process_time() - began, time.perf_counter() - wall
        size = sum(path.stat().st_size for path in made.paths if path.suffix == ".fbx") / 1e6
        what = "with sheet and page" if preview else "files and list"
        rows.append(
            [what, str(len(made.facts["clips"])), str(VERTICES), f"{size:.1f}", *(f"{one:.1f}" for one in used)]
        )
    return table("a walk as FBX", ["written", "clips", "vertices", "MB", "CPU s", "s"], rows)


def many_vertices(path: Path, count: int) -> None:
    """Make a character with at least this many vertices: the figure of a sample rig, its surface repeated."""
    ft.write(path, rig("vrm"))
    data = path.read_bytes()
    length = int.from_bytes(data[12:16], "little")
    told = json.loads(data[20 : 20 + length])
    pieces = told["meshes"][0]["primitives"]
    own = sum(told["accessors"][piece["attributes"]["POSITION"]]["count"] for piece in pieces)
    told["meshes"][0]["primitives"] = pieces * -(-count // own)
    text = json.dumps(told).encode()
    text += b" " * (-len(text) % 4)
    rest = data[20 + length :]
    size = (20 + len(text) + len(rest)).to_bytes(4, "little")
    path.write_bytes(data[:8] + size + len(text).to_bytes(4, "little") + data[16:20] + text + rest)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        print(packs(Path(folder)))
