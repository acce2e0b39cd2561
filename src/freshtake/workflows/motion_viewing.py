"""Motion to be looked at: a page that plays it, strips of poses, moving pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import FormatError, UsageError
from freshtake.formats.files import check_free, replacing, write_bytes
from freshtake.formats.ftm import is_model, read_stored
from freshtake.formats.ftm.methods import method_of
from freshtake.formats.read_options import Motion, ReadOptions
from freshtake.formats.registry import take_in_all
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion import Clip, Stroke
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.reports.viewport.scene import Scene
from freshtake.reports.viewport.staging import scene_of
from freshtake.reports.viewport.viewport_page import viewport_page

PAGES, STILLS, MOVING = (".html", ".htm"), (".png",), (".gif",)
LAYOUTS = ("row", "grid", "overlaid")
SECONDS = 6.0  # shown of models whose motion is endless


class ViewResult(NamedTuple):
    """What is shown, and the files that were written."""

    scene: Scene
    written: list[Path]


class ViewOptions(NamedTuple):
    """What stands beside the files, and how."""

    variants: Sequence[Path] = ()
    each: int = 4
    layout: str = ""
    title: str = ""
    seed: int = 0


VIEW_OPTIONS = ViewOptions()


@one_blas_thread()
def motion_view(
    sources: Sequence[Path],
    target: Path | None = None,
    *,
    options: ViewOptions = VIEW_OPTIONS,
    png: Path | None = None,
    gif: Path | None = None,
    reading: dict[str, Any] | None = None,
    report: Report = silent,
) -> ViewResult:
    """Show files side by side: motions in blue, `variants` and `each` new ones of every model in green.

    `target` is a page, `png` a strip of poses, `gif` a moving picture; each is written where it is named.
    """
    _check_targets((target, PAGES), (png, STILLS), (gif, MOVING))
    if options.layout and options.layout not in LAYOUTS:
        raise UsageError(f"a layout is one of {', '.join(LAYOUTS)}, not {options.layout!r}")
    if options.each < 1:
        raise UsageError(f"the number of variants of a model must be 1 or more, not {options.each}")
    read_options = ReadOptions(**(reading or {}))
    paths = [*sources, *options.variants]
    sets: list[tuple[str, list[Motion]]] = []
    report(Progress(0.0, "reading"))
    read = iter(take_in_all([path for path in paths if not is_model(path)], read_options))
    for number, path in enumerate(paths):
        report(Progress(0.6 * number / len(paths), path.name))
        if is_model(path):
            sets.append(("variant", list(_new_motions(path, options.each, options.seed))))
        else:
            sets.append(("input" if number < len(sources) else "variant", [_named(next(read).motion, path)]))
    scene = scene_of(sets, title=options.title or _title(paths), layout=options.layout)
    return ViewResult(scene, list(_written(scene, target, png, gif, report)))


def _check_targets(*targets: tuple[Path | None, tuple[str, ...]]) -> None:
    for path, endings in targets:
        if path is not None and path.suffix.lower() not in endings:
            raise FormatError(path, f"the name must end in {' or '.join(endings)}")
        if path is not None:
            check_free(path)


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
    """New motions of a model, named after its file."""
    from freshtake.workflows.seeds import generator
    from freshtake.workflows.variation_varying import variants

    model: Any = read_stored(path).model
    method = method_of(model)
    name = "" if method is None else method.name
    if name == "variation":
        for number, motion in enumerate(variants(model, count, plant=True, seed=seed), start=1):
            yield _named(motion, Path(f"{path.stem}_{number}"))
    elif name in ("density", "texture"):
        frames = max(2, round(SECONDS / model.frame_time))
        for number in range(1, count + 1):
            sampled = model.sample(generator(seed, number), frames=frames, plant=True, name=f"{path.stem}_{number}")
            yield _motion(sampled, model.frame_time, f"{path.stem}_{number}")
    else:
        uses = "" if method is None else f": make one with freshtake {method.uses}, and view the result"
        raise UsageError(f"{path} holds a model that needs a motion or a style to work on{uses}")


def _motion(sampled: Any, frame_time: float, name: str) -> Motion:
    """A motion as it is; plain rows, which models of strokes make, as a stroke."""
    if isinstance(sampled, np.ndarray):
        return Stroke(sampled, frame_time * np.arange(len(sampled), dtype=np.float64), name=name)
    motion: Motion = sampled
    return motion
