"""Files in, and which of them are similar enough to trusted ones (Lau 2009, §9)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from freshtake.errors import FormatError, UsageError
from freshtake.formats.report_files import KINDS, write_figure
from freshtake.methods.progress import Report, silent
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.reports.selection_figure import selection_figure
from freshtake.variation.selection.selecting import PERCENTILE
from freshtake.variation.selection.selecting import select as select_from
from freshtake.variation.selection.verdicts import Selection
from freshtake.workflows.seeds import generator
from freshtake.workflows.takes_reading import read_sets


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


class SelectOptions(NamedTuple):
    """By what clips are compared, and how strictly."""

    measure: str = "difference"
    groups: str = "trusted"
    percentile: float = PERCENTILE
    seed: int = 0


SELECT_OPTIONS = SelectOptions()


@one_blas_thread()
def variation_select(
    sources: Sequence[Path],
    trusted: Sequence[Path],
    *,
    options: SelectOptions = SELECT_OPTIONS,
    picture: Path | None = None,
    reading: dict[str, Any] | None = None,
    report: Report = silent,
    warn: Callable[[str], None] | None = None,
) -> Selected:
    """Which clips are similar to the trusted ones; `picture` draws why the others are not."""
    if not sources:
        raise UsageError("there is nothing to select from: name the clips first, then --trusted and those to trust")
    if not trusted:
        raise UsageError("name clips that are known to be good: --trusted CLIP...")
    if picture is not None:
        _check_picture(picture)
    rng = generator(options.seed)
    known, motions = read_sets([trusted, sources], reading)
    selection = select_from(
        motions,
        known,
        rng=rng,
        measure=options.measure,
        groups=options.groups,
        percentile=options.percentile,
        report=report,
    )
    done = Selected(tuple(sources), selection)
    for path, verdict in zip(sources, selection.verdicts, strict=True):
        for note in verdict.notes if warn is not None else ():
            assert warn is not None
            warn(f"{path.name} was {note}")
    for number in selection.doubtful if warn is not None else ():
        assert warn is not None
        warn(f"{trusted[number].name} is unlike the other trusted clips, so too many clips look similar: leave it out")
    if picture is not None:
        write_figure(picture, selection_figure(selection, [path.stem for path in sources]))
    return done


def _check_picture(path: Path) -> None:
    """Refuse a target that cannot be written, before the work is done."""
    if path.suffix.lower().lstrip(".") not in KINDS:
        raise FormatError(path, f"a picture's name ends in one of {', '.join('.' + kind for kind in KINDS)}")
