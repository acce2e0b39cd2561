"""Files in, and which of them are similar enough to trusted ones (Lau 2009, §9)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from freshtake.errors import FormatError, UsageError
from freshtake.formats.report_files import KINDS, require_plots, write_figure
from freshtake.formats.take_files import take_files
from freshtake.methods.progress import Report, silent
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.reports.selection_figure import selection_figure
from freshtake.requests.variation import Select
from freshtake.variation.selection.candidates import Selection
from freshtake.variation.selection.selecting import select as select_from
from freshtake.workflows.inputs import generator, read_sets


class Selected(NamedTuple):
    """The candidates' files in order, and the selection."""

    sources: tuple[Path, ...]
    selection: Selection

    @property
    def kept(self) -> list[Path]:
        """Files of clips that are similar enough."""
        return [self.sources[k] for k in self.selection.kept]

    def as_dict(self, called: Sequence[str] = ()) -> dict[str, Any]:
        """For JSON: paths as they were given (`called`: their very words)."""
        names = called or [str(path) for path in self.sources]
        pairs = list(zip(names, self.selection.verdicts, strict=True))
        rejected = [{"clip": name, "reason": verdict.reason} for name, verdict in pairs if not verdict.kept]
        return {"kept": [name for name, verdict in pairs if verdict.kept], "rejected": rejected}


@one_blas_thread()
def select(request: Select, report: Report = silent, warn: Callable[[str], None] | None = None) -> Selected:
    """Find the clips that are similar to the trusted ones.

    Args:
        request: The clips, the trusted ones, and by what they are compared.
        report: Called with the progress.
        warn: Called with sentences for the user.

    Returns:
        The verdict on each clip; `request.picture` shows why clips are rejected.
    """
    sources, trusted = take_files(request.clips), take_files(request.trusted or [])
    if not sources:
        raise UsageError("there is nothing to select from: name the clips first, then --trusted and those to trust")
    if not trusted:
        raise UsageError("name clips that are known to be good: --trusted CLIP...")
    if request.picture is not None:
        _check_picture(request.picture)
    known, motions = read_sets([trusted, sources], request.reading(warn))
    selection = select_from(
        motions, known, rng=generator(request.seed), percentile=request.percentile, report=report,
        measure="likelihood" if request.likelihood or request.among else "difference",
        groups="candidates" if request.among else "trusted",
    )  # fmt: skip
    notes = [
        f"{path.name} was {note}"
        for path, verdict in zip(sources, selection.verdicts, strict=True)
        for note in verdict.notes
    ]
    notes += [
        f"{trusted[number].name} is unlike the other trusted clips, so too many clips look similar: leave it out"
        for number in selection.doubtful
    ]
    for note in notes if warn is not None else ():
        assert warn is not None
        warn(note)
    if request.picture is not None:
        write_figure(request.picture, selection_figure(selection, [path.stem for path in sources]))
    return Selected(tuple(sources), selection)


def _check_picture(path: Path) -> None:
    """Refuse a target that cannot be written, before the work is done."""
    require_plots()
    if path.suffix.lower().lstrip(".") not in KINDS:
        raise FormatError(path, f"a picture's name ends in one of {', '.join('.' + kind for kind in KINDS)}")
