"""Show motions side by side on one timeline, or while they are made."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.formats.files import replacing, write_bytes
from freshtake.formats.ftm import Stored, is_model, read_stored
from freshtake.formats.ftm.io import method_of
from freshtake.formats.gltf import has_skin
from freshtake.formats.read_options import Motion, ReadOptions
from freshtake.formats.registry import take_files, take_in_all
from freshtake.methods.progress import Progress, Report, Warn, silent, unheard
from freshtake.motion import Clip
from freshtake.motion.edit import take_frames, with_up
from freshtake.numeric.arrays import Floats
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.numeric.rotations import slerp
from freshtake.reports.viewport.neutral_body import fit_of, turns_of
from freshtake.reports.viewport.packing import packed
from freshtake.reports.viewport.scene import Scene
from freshtake.reports.viewport.staging import body_stage, scene_of, shape_of
from freshtake.reports.viewport.viewport_page import viewport_page
from freshtake.requests.clips import View
from freshtake.workflows.inputs import generator
from freshtake.workflows.live import STREAMS, Playback, Steers, joined, styled
from freshtake.workflows.outputs import as_motion, check_targets

PAGES, STILLS, MOVING = (".html", ".htm"), (".png",), (".gif",)
CHARACTERS = (".glb", ".gltf", ".vrm")


class ViewResult(NamedTuple):
    """What is shown, and the written files."""

    scene: Scene
    written: list[Path]


@one_blas_thread()
def view(request: View, report: Report = silent, warn: Warn = unheard) -> ViewResult:
    """Show files side by side: motions in blue, `request.variants` and new variants of every model in green."""
    check_targets((request.out, PAGES), (request.png, STILLS), (request.gif, MOVING))
    sources = take_files(request.paths, models=True)
    paths = [*sources, *take_files(request.variants or [], models=True)]
    sets: list[tuple[str, list[Motion]]] = []
    report(Progress(0.0, "reading"))
    read = iter(take_in_all([path for path in paths if not is_model(path)], ReadOptions(**request.reading(warn))))
    for number, path in enumerate(paths):
        report(Progress(0.6 * number / len(paths), path.name))
        if is_model(path):
            sets.append(("variant", list(_new_motions(path, request.count, request.seed))))
        else:
            sets.append(("input" if number < len(sources) else "variant", [_named(next(read).motion, path)]))
    skins = [path if path.suffix.lower() in CHARACTERS and has_skin(path) else None for path in paths]
    flat = [skin for skin, (_, some) in zip(skins, sets, strict=True) for _ in some]
    scene = scene_of(sets, title=request.title or _title(paths), layout=request.layout or "", skins=flat)
    return ViewResult(scene, list(_written(scene, request.out, request.png, request.gif, report)))


def _written(scene: Scene, page: Path | None, png: Path | None, gif: Path | None, report: Report) -> Iterator[Path]:
    if page is not None:
        report(Progress(0.65, "writing the page"))
        write_bytes(page, viewport_page(scene).encode())
        yield page
    if png is not None:
        from freshtake.reports.viewport.painting import strip_picture

        report(Progress(0.7, "painting"))
        with replacing(png) as temporary:
            strip_picture(scene).save(temporary, format="PNG", optimize=True)
        yield png
    if gif is not None:
        from freshtake.reports.viewport.moving_picture import save_gif

        with replacing(gif) as temporary:
            save_gif(scene, temporary, lambda share: report(Progress(0.75 + 0.25 * share, "painting frames")))
        yield gif


def _title(paths: Sequence[Path]) -> str:
    names = [path.name for path in paths]
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def _named(motion: Motion, path: Path) -> Motion:
    return motion.changed(name=path.stem) if isinstance(motion, Clip) else replace(motion, name=path.stem)


def _new_motions(path: Path, count: int, seed: int) -> Iterator[Motion]:
    from freshtake.requests.variation import Variants
    from freshtake.workflows.varying import variants

    model: Any = read_stored(path).model
    method = method_of(model)
    kind = "" if method is None else method.name
    if kind == "variation":
        for number, motion in enumerate(variants(model, Variants(count=count, seed=seed)), start=1):
            yield _named(motion, Path(f"{path.stem}_{number}"))
    elif kind in ("density", "texture"):
        # Six seconds of an endless motion show several cycles.
        frames = max(2, round(6.0 / model.frame_time))
        for number in range(1, count + 1):
            name = f"{path.stem}_{number}"
            sampled = model.sample(generator(seed, number), frames=frames, plant=True, name=name)
            yield as_motion(sampled, model.frame_time, name=name)
    else:
        uses = "" if method is None else f": make one with freshtake {method.uses}, and view the result"
        raise UsageError(f"{path} is a model that needs a motion or a style to work on{uses}")


NO_TURNS = np.zeros((0, 4))
STAGED_FROM = 45  # frames from which a body's size, floor and direction are measured


class ShownFrame(NamedTuple):
    """A pose as shown on the page: points (points, 3), position x, z on the floor, and the one-frame clip.

    `frame` is the frame of a texture's takes, `turns` (bones, 4) are of the neutral body (none for other bodies).
    """

    points: Floats
    ground: Floats
    frame: int | None
    turns: Floats
    clip: Clip


class Showing(Playback[ShownFrame]):
    """Frames of a model's stream, as shown on the page."""

    def __init__(
        self,
        stored: Stored,
        steers: Steers,
        *,
        plant: bool | str,
        seed: int,
        style: Stored | None = None,
        received: Callable[[], Iterator[Clip]] | None = None,
    ) -> None:
        """Show a model's motion, optionally in a style; a style model translates the frames that are `received`."""

        def frames(steered: Steers, planted: bool | str) -> Iterator[Clip]:
            if received is not None:
                return styled(received(), stored.model, lambda: steered.strength)
            return _shown_frames(stored, steered, planted, seed, style)

        trial = joined(list(islice(frames(replace(steers), False), STAGED_FROM)))
        self._stage, _ = body_stage(trial)
        self._fit = fit_of(with_up(trial, "y"))
        self._steers = steers
        self.first = packed(Scene((shape_of(take_frames(trial, 0, 1), "variant"),)))
        super().__init__(map(self._shown, frames(steers, plant)), stored.model.frame_time)

    def now(self) -> ShownFrame:
        """Return the pose between the current two frames."""
        first, second = self.pair
        points = (1.0 - self.at) * first.points + self.at * second.points
        turns = slerp(first.turns, second.turns, self.at) if len(first.turns) else first.turns
        return ShownFrame(points, points[self._stage.pelvis][[0, 2]], first.frame, turns, first.clip)

    def _shown(self, clip: Clip) -> ShownFrame:
        points = self._stage.points(clip)[0]
        turns = NO_TURNS if self._fit is None else turns_of(with_up(clip, "y"), self._fit, self._stage.turn)[0]
        return ShownFrame(points, points[self._stage.pelvis][[0, 2]], self._steers.shown, turns, clip)


def _shown_frames(stored: Stored, steers: Steers, plant: bool | str, seed: int, style: Stored | None) -> Iterator[Clip]:
    if stored.method not in STREAMS:
        raise UsageError(f"a {stored.method} model has no endless motion: choose another model")
    frames = _clips(STREAMS[stored.method](stored.model, steers, plant, np.random.default_rng(seed)))
    return frames if style is None else styled(frames, style.model, lambda: steers.strength)


def _clips(frames: Iterator[Any]) -> Iterator[Clip]:
    for clip in frames:
        if not isinstance(clip, Clip):
            raise UsageError("only motion of a body with a skeleton can be shown live")
        yield clip
