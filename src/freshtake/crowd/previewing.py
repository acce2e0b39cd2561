"""Previews of a crowd: a page that plays it, a picture from above and at eye level."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake.crowd.folder import ROUTES, read_characters, read_manifest
from freshtake.crowd.shards import shard_clips
from freshtake.errors import UsageError
from freshtake.formats.files import replacing, write_bytes
from freshtake.methods.progress import Report, silent
from freshtake.motion import Clip
from freshtake.motion.body.roles import pelvis
from freshtake.motion.edit import resample
from freshtake.numeric.arrays import Floats
from freshtake.reports.viewport.crowd_picture import crowd_picture
from freshtake.reports.viewport.scene import Figure, Placed, Scene
from freshtake.reports.viewport.staging import front, shape_of
from freshtake.reports.viewport.viewport_page import viewport_page
from freshtake.requests.crowd import CrowdPreview
from freshtake.workflows.outputs import check_targets

FRAMES = 15_000  # frames on a page: about four megabytes
FPS, LEAST_FPS = 30.0, 10.0
ROLES = ("variant", "input", "extra")  # roles that give groups their colors


class Previewed(NamedTuple):
    """Written files, and how many characters and motions of the crowd they show."""

    written: list[Path]
    characters: int
    motions: int
    of: int


def crowd_preview(
    request: CrowdPreview, report: Report = silent, warn: Callable[[str], None] | None = None
) -> Previewed:
    """Show a crowd of any format: up to 2,000 characters, which share motions if there are too many for a page."""
    folder, page, picture = request.folder, request.out, request.png
    if page is None and picture is None:
        raise UsageError("name the files to write: -o PAGE.html, --png PICTURE.png, or both")
    check_targets((page, (".html",)), (picture, (".png",)))
    scene, every = crowd_scene(folder)
    written = []
    if page is not None:
        write_bytes(page, viewport_page(scene).encode())
        written.append(page)
    if picture is not None:
        with replacing(picture) as temporary:
            steered = (folder / ROUTES).is_file()
            shortest = min((len(shape) - 1) * shape.frame_time for shape in scene.shapes)
            crowd_picture(scene, (0.0, 0.5 * shortest), steered).save(temporary, format="PNG", optimize=True)
        written.append(picture)
    return Previewed(written, len(scene.placements), len(scene.shapes), every)


def crowd_scene(folder: Path) -> tuple[Scene, int]:
    """Lay out a crowd on the page's floor, in metres, and count all its motions."""
    manifest = read_manifest(folder)
    every = sum(record["last"] - record["first"] + 1 for record in manifest["shards"])
    library, steered = manifest["mode"] == "library", (folder / ROUTES).is_file()
    seconds = float(manifest["seconds"])
    fps = min(FPS, manifest["fps"])
    if steered:  # every character has its route and motion, so fewer frames of each are shown
        fps = min(fps, max(LEAST_FPS, FRAMES / (every * seconds)))
    length = max(1.0, fps * (2.0 if library else 1.0) * seconds)
    groups = list(dict.fromkeys(record["group"] for record in manifest["shards"]))
    roles = {group: ROLES[k % len(ROLES)] for k, group in enumerate(groups)}
    count = min(every, max(1, int(FRAMES / length)))
    shown = _choose_motions(folder, manifest["shards"], count, (seconds, fps), roles, library)
    if steered:
        placements = tuple(one.place._replace(shape=k) for k, one in enumerate(shown))
    else:
        placements = tuple(_placements(folder, shown, library, seconds))
    some = "" if every <= len(shown) or steered else f", {len(shown)} of their {every} motions"
    title = f"{len(placements)} of {manifest['number']} characters{some}"
    legend = {roles[group]: group for group in groups} if len(groups) <= len(ROLES) else {}
    return Scene(tuple(one.figure for one in shown), title, legend=legend, placements=placements), every


class _Shown(NamedTuple):
    """A shown motion of the crowd, and its position in its shard."""

    number: int
    group: str
    figure: Figure
    place: Placed


def _choose_motions(
    folder: Path,
    records: list[dict[str, Any]],
    count: int,
    played: tuple[float, float],
    roles: dict[str, str],
    library: bool,
) -> list[_Shown]:
    """Choose motions spread over all shards; `played` holds the seconds shown and the maximum frames per second."""
    seconds, fps = played
    every = records[-1]["last"]
    chosen = set(np.unique(np.linspace(1, every, count).round().astype(int)).tolist())
    out: list[_Shown] = []
    for record in records:
        numbers = sorted(number for number in chosen if record["first"] <= number <= record["last"])
        if not numbers:
            continue
        for number, read, travel in shard_clips(folder / record["file"], numbers, loops=library):
            clip = _repeat_loop(read, travel, seconds)
            clip = resample(clip, fps) if clip.fps > fps + 1e-6 else clip
            figure = shape_of(clip, roles[record["group"]], 1.0)
            assert isinstance(figure, Figure)
            x, _, z = clip.positions()[0, pelvis(clip.skeleton)].tolist()
            place = Placed(0, x, z, front(clip))
            out.append(_Shown(number, record["group"], _same_body(figure, out), place))
    return out


def _repeat_loop(clip: Clip, travel: Floats, seconds: float) -> Clip:
    """Return a motion as shown: a loop is repeated until it covers the time shown."""
    if not np.any(travel != 0.0):
        return clip
    rounds = 2 + int(seconds / (len(clip) * clip.frame_time))
    root = np.concatenate([clip.root + turn * travel for turn in range(rounds)])
    return clip.changed(root=root, rotations=np.concatenate([clip.rotations] * rounds))


def _same_body(figure: Figure, others: list[_Shown]) -> Figure:
    """Let figures of one skeleton share their body, so a page contains it once."""
    for other in others:
        body = other.figure.body
        if np.array_equal(body.bones, figure.body.bones) and np.array_equal(body.radii, figure.body.radii):
            return replace(figure, body=body)
    return figure


def _placements(folder: Path, shown: list[_Shown], library: bool, seconds: float) -> Iterator[Placed]:
    """Place characters with their motion or, if that is not shown, another motion of their group."""
    shape_of_motion = {one.number: k for k, one in enumerate(shown)}
    groups: dict[str, list[int]] = {}
    for k, one in enumerate(shown):
        groups.setdefault(one.group, []).append(k)
    rows = read_characters(folder)
    # A browser draws about 2,000 figures smoothly; in larger crowds, only every second or third character is shown.
    for row in rows[:: max(1, -(-len(rows) // 2000))]:
        number = int(row["variant"])
        others = groups.get(row["group"], list(range(len(shown))))
        k = shape_of_motion.get(number, others[number % len(others)])
        figure = shown[k].figure
        if not library and number in shape_of_motion:
            yield shown[k].place._replace(shape=k)
            continue
        spare = (len(figure) - 1) * figure.frame_time - seconds
        start = row["phase"] * max(spare, 0.0) if library else 0.0
        yield Placed(k, row["x"], row["z"], float(np.radians(row["heading_deg"])), start)
