"""Open the studio: its server, its page, and files to add to the project at the start."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from freshtake.errors import FormatError
from freshtake.serve.running import Serving, serve


def open_studio(
    folder: Path, sources: Sequence[Path] = (), *, started: Callable[[Serving], None], **listening: Any
) -> None:
    """Serve a project's page until Ctrl-C; `sources` are read as if dropped onto it."""
    files = _check_sources(sources)
    apps: list[Any] = []

    def add(app: Any) -> None:
        from freshtake.studio.pages import add_pages

        add_pages(app)
        apps.append(app)

    def ready(serving: Serving) -> None:
        for source in files:
            _send(apps[0].state.studio, source)
        started(serving)

    serve(folder, add=add, started=ready, **listening)


def _check_sources(sources: Sequence[Path]) -> list[Path]:
    """Check that the files exist, and return them; each AMC follows its skeleton."""
    from freshtake.formats.acclaim import skeleton_file
    from freshtake.formats.files import is_folder, read_head
    from freshtake.formats.read_options import ReadOptions

    files: list[Path] = []
    for source in sources:
        if is_folder(source):
            raise FormatError(source, "a folder of meshes is not a file: convert it to .npz first")
        read_head(source)
        if source.suffix.lower() == ".amc":
            files.append(skeleton_file(source, ReadOptions()))
        files.append(source)
    return list(dict.fromkeys(files))


def _send(state: Any, source: Path) -> None:
    from freshtake.serve.items import new_id

    upload = f"{new_id()}{source.suffix.lower()}"
    shutil.copyfile(source, state.project.work / upload)
    state.workers.submit("read", upload=upload, name=source.name)
