"""What long work reports: its progress to a `report` callable, and sentences for the user to a `warn` callable."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Progress(NamedTuple):
    """A share between 0 and 1 and a few words; `report=print` shows it as one line."""

    share: float
    what: str

    def __str__(self) -> str:
        return f"{100.0 * self.share:3.0f} % {self.what}"


Report = Callable[[Progress], None]


def silent(progress: Progress) -> None:
    """Report nothing."""


def part_of(report: Report, start: float, stop: float) -> Report:
    """Return a report for the piece of work between two shares of the total."""
    return lambda step: report(Progress(start + (stop - start) * step.share, step.what))


Warn = Callable[[str], None]


def unheard(sentence: str) -> None:
    """Ignore a sentence for the user."""
