"""Reports of long work: progress to a `report` callable, and sentences for the user to a `warn` callable."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple, TypeVar


class Progress(NamedTuple):
    """A fraction between 0 and 1 and a few words; `report=print` shows it as one line."""

    share: float
    what: str

    def __str__(self) -> str:
        return f"{100.0 * self.share:3.0f} % {self.what}"


Report = Callable[[Progress], None]
Item = TypeVar("Item")


def silent(progress: Progress) -> None:
    """Report nothing."""


def each(items: Collection[Item], report: Report, name: Callable[[Item], str]) -> Iterator[Item]:
    """Yield items one by one, reporting before each how many are done, under the item's name."""
    for number, item in enumerate(items):
        report(Progress(number / len(items), name(item)))
        yield item


def part_of(report: Report, start: float, stop: float) -> Report:
    """Return a report for the piece of work between two fractions of the total."""
    return lambda step: report(Progress(start + (stop - start) * step.share, step.what))


Warn = Callable[[str], None]


def unheard(sentence: str) -> None:
    """Ignore a sentence for the user."""
