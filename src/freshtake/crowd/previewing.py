"""A crowd to be looked at: a page that plays it, a picture from above and at eye level."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake.crowd.folder import CHARACTERS, ROUTES, read_manifest
from freshtake.crowd.shard_files import Motions, read_shard
from freshtake.errors import FormatError
from freshtake.formats.files import check_free, read_text, replacing, write_bytes
from freshtake.motion import Clip
from freshtake.motion.body.roles import pelvis
from freshtake.motion.edit import resample
from freshtake.reports.viewport.crowd_picture import crowd_picture
from freshtake.reports.viewport.scene import Figure, Placed, Scene
from freshtake.reports.viewport.staging import front, shape_of
from freshtake.reports.viewport.viewport_page import viewport_page

FRAMES = 15_000  # that a page holds: some four megabytes
FIGURES = 2000
FPS, LEAST_FPS = 30.0, 10.0
ROLES = ("variant", "input", "extra")  # of groups, by their colors


class Previewed(NamedTuple):
    """What was written, and how many characters and motions of how many are shown."""

    written: list[Path]
    characters: int
    motions: int
    of: int


def crowd_preview(folder: Path, page: Path | None, picture: Path | None) -> Previewed:
    """Show a crowd of npz shards: up to 2,000 characters, who share motions where there are too many for a page."""
    for path, ending in ((page, ".html"), (picture, ".png")):
        if path is not None and path.suffix.lower() != ending:
            raise FormatError(path, f"the name must end in {ending}")
        if path is not None:
            check_free(path)
    scene, every = crowd_scene(folder)
    written = []
    if page is not None:
        write_bytes(page, viewport_page(scene).encode())
        written.append(page)
    if picture is not None:
        with replacing(picture) as temporary:
            steered = (folder / ROUTES).is_file()
            crowd_picture(scene, (0.0, 0.5 * _shortest(scene)), steered).save(temporary, format="PNG", optimize=True)
        written.append(picture)
    return Previewed(written, len(scene.placements), len(scene.shapes), every)


def crowd_scene(folder: Path) -> tuple[Scene, int]:
    """A crowd on the page's floor, in metres, and how many motions it has in all."""
    manifest = read_manifest(folder)
    if manifest["file_format"] != "npz":
        raise FormatError(folder, "a preview shows crowds of npz shards: make one with --format npz")
    every = sum(record["last"] - record["first"] + 1 for record in manifest["shards"])
    library, steered = manifest["mode"] == "library", (folder / ROUTES).is_file()
    seconds = float(manifest["seconds"])
    fps = min(FPS, manifest["fps"])
    if steered:  # everybody has a route that nobody else can show: rather fewer frames
        fps = min(fps, max(LEAST_FPS, FRAMES / (every * seconds)))
    length = max(1.0, fps * (2.0 if library else 1.0) * seconds)
    groups = list(dict.fromkeys(record["group"] for record in manifest["shards"]))
    roles = {group: ROLES[k % len(ROLES)] for k, group in enumerate(groups)}
    shown = _shown(folder, manifest["shards"], min(every, max(1, int(FRAMES / length))), (seconds, fps), roles)
    if steered:
        placements = tuple(one.place._replace(shape=k) for k, one in enumerate(shown))
    else:
        placements = tuple(_placements(folder, shown, library, seconds))
    some = "" if every <= len(shown) or steered else f", {len(shown)} of their {every} motions"
    title = f"{len(placements)} of {manifest['number']} characters{some}"
    legend = {roles[group]: group for group in groups} if len(groups) <= len(ROLES) else {}
    return Scene(tuple(one.figure for one in shown), title, legend=legend, placements=placements), every


class _Shown(NamedTuple):
    """A motion of the crowd that is shown, and where it is in its shard."""

    number: int
    group: str
    figure: Figure
    place: Placed


def _shown(
    folder: Path, records: list[dict[str, Any]], count: int, played: tuple[float, float], roles: dict[str, str]
) -> list[_Shown]:
    """Motions spread over all shards; `played` are seconds, and frames per second at most."""
    seconds, fps = played
    every = records[-1]["last"]
    wanted = set(np.unique(np.linspace(1, every, count).round().astype(int)).tolist())
    out: list[_Shown] = []
    for record in records:
        if not any(record["first"] <= number <= record["last"] for number in wanted):
            continue
        shard = read_shard(folder / record["file"])
        for k, number in enumerate(shard.numbers.tolist()):
            if number in wanted:
                clip = _played(shard, k, seconds)
                clip = resample(clip, fps) if clip.fps > fps + 1e-6 else clip
                figure = shape_of(clip, roles[record["group"]], 1.0)
                assert isinstance(figure, Figure)
                x, _, z = clip.positions()[0, pelvis(clip.skeleton)].tolist()
                place = Placed(0, x, z, front(clip))
                out.append(_Shown(number, record["group"], _same_body(figure, out), place))
    return out


def _played(shard: Motions, k: int, seconds: float) -> Clip:
    """One motion as a clip; a loop goes on until it is over once for the longest that it is looked at."""
    root, rotations, travel = shard.roots[k].astype(np.float64), shard.rotations[k], shard.travel[k]
    if np.any(travel != 0.0):
        rounds = 2 + int(seconds * shard.fps / len(root))
        root = np.concatenate([root + turn * travel for turn in range(rounds)])
        rotations = np.concatenate([rotations] * rounds)
    return Clip(shard.skeleton, 1.0 / shard.fps, root, rotations, name=str(shard.numbers[k]), unit_m=1.0)


def _same_body(figure: Figure, others: list[_Shown]) -> Figure:
    """Figures of one skeleton share their body, so that a page holds it once."""
    for other in others:
        body = other.figure.body
        if np.array_equal(body.bones, figure.body.bones) and np.array_equal(body.radii, figure.body.radii):
            return replace(figure, body=body)
    return figure


def _placements(folder: Path, shown: list[_Shown], library: bool, seconds: float) -> Iterator[Placed]:
    """Characters with their own motion or, where it is not shown, another one of their group."""
    shape_of_motion = {one.number: k for k, one in enumerate(shown)}
    groups: dict[str, list[int]] = {}
    for k, one in enumerate(shown):
        groups.setdefault(one.group, []).append(k)
    rows = list(csv.DictReader(io.StringIO(read_text(folder / CHARACTERS))))
    for row in rows[:: max(1, -(-len(rows) // FIGURES))]:
        number = int(row["variant"])
        others = groups.get(row["group"], list(range(len(shown))))
        k = shape_of_motion.get(number, others[number % len(others)])
        figure = shown[k].figure
        if not library and number in shape_of_motion:
            yield shown[k].place._replace(shape=k)
            continue
        spare = (len(figure) - 1) * figure.frame_time - seconds
        start = float(row["phase"]) * max(spare, 0.0) if library else 0.0
        yield Placed(k, float(row["x"]), float(row["z"]), float(np.radians(float(row["heading_deg"]))), start)


def _shortest(scene: Scene) -> float:
    return min((len(shape) - 1) * shape.frame_time for shape in scene.shapes)
