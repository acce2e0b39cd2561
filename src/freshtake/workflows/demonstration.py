"""The main job on the samples that come with freshtake."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from freshtake.evaluation.overlay import dof_plot, overlay
from freshtake.formats.pictures import write_figure
from freshtake.formats.registry import read, write
from freshtake.motion import Clip
from freshtake.motion.check import check, check_set
from freshtake.motion.cycles import cut_cycles
from freshtake.motion.progress import Progress, Report, silent
from freshtake.workflows.sampling import write_samples


class Made(NamedTuple):
    """Something the demo left behind."""

    what: str
    path: Path


def demo(folder: Path, *, seed: int = 7, report: Report = silent) -> list[Made]:
    """Make takes, read them back, check and cut them, draw them, and convert them."""
    takes_folder, clips_folder = folder / "takes", folder / "clips"
    for place in (takes_folder, clips_folder):
        place.mkdir(parents=True, exist_ok=True)
    report(Progress(0.0, "making takes"))
    paths = write_samples(["walk_long", "walk", "jump", "cheer"], takes_folder, takes=4, seed=seed)
    report(Progress(0.4, "reading and checking"))
    takes = {path.stem: clip for path in paths if isinstance(clip := read(path, unit_m=0.01), Clip)}
    findings = [finding.sentence for clip in takes.values() for finding in check(clip) if finding.repair]
    findings += [finding.sentence for finding in check_set([takes[f"walk_{k}"] for k in range(1, 5)])]
    report(Progress(0.6, "cutting cycles"))
    cycles = cut_cycles(takes["walk_long_1"])
    for clip in cycles:
        write(clips_folder / f"{clip.name}.bvh", clip)
    made = [
        Made(f"{len(paths)} takes made by freshtake (BVH); {_count(findings, 'problem')} found in them", takes_folder),
        Made(f"{len(cycles)} walk cycles cut from one long take", clips_folder),
    ]
    report(Progress(0.8, "drawing"))
    for kind in ("walk", "jump", "cheer"):
        four = [takes[f"{kind}_{k}"] for k in range(1, 5)]
        write_figure(folder / f"{kind}_overlay.png", overlay(four, title=f"four takes: {kind}"))
        made.append(Made(f"overlay of four takes: {kind}", folder / f"{kind}_overlay.png"))
    write_figure(folder / "walk_angles.png", dof_plot(cycles, ["LeftUpLeg", "LeftLeg", "LeftArm"]))
    made.append(Made("joint angles of the walk cycles over normal time", folder / "walk_angles.png"))
    report(Progress(0.95, "converting"))
    write(folder / "walks.glb", [takes[f"walk_{k}"] for k in range(1, 5)])
    made.append(Made("the four walks as animations of one glTF file, for any 3-D viewer", folder / "walks.glb"))
    write(folder / "walk_1.npz", takes["walk_1"])
    made.append(Made("one walk as NumPy arrays", folder / "walk_1.npz"))
    return made


def _count(things: list[str], noun: str) -> str:
    return f"{len(things) or 'no'} {noun}{'' if len(things) == 1 else 's'}"
