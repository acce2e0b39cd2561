"""Reports of long work: progress to a `report` callable, and sentences for the user to a `warn` callable."""

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
    """Yield items one by one, reporting the number of finished items before each, under its name."""
    for number, item in enumerate(items):
        report(Progress(number / len(items), name(item)))
        yield item


def part_of(report: Report, start: float, stop: float) -> Report:
    """Return a report for the piece of work between two fractions of the total."""
    return lambda step: report(Progress(start + (stop - start) * step.share, step.what))


Warn = Callable[[str], None]


def unheard(sentence: str) -> None:
    """Ignore a sentence for the user."""


LEAST_ANNOUNCED = 3.0  # seconds


class Countdown:
    """Tracks which functions compile, and estimates how long the remaining functions will take."""

    def __init__(self, times: Callable[[], dict[str, float]], say: Warn, clock: Callable[[], float]):
        self._times, self._say, self._clock = times, say, clock
        self._left: dict[str, float] | None = None  # read only when something compiles
        self._running: list[tuple[str, float]] = []
        self._expected = self._took = 0.0

    def heard(self, kernel: str, begins: bool) -> None:
        """Note that a function begins or ends compiling; one may begin inside another."""
        if self._left is None:
            self._left = self._times()
            if (total := sum(self._left.values())) > LEAST_ANNOUNCED:
                self._say(f"compiling once, up to about {total:.0f} s (freshtake warm-up does it in advance)")
        if begins:
            self._running.append((kernel, self._clock()))
            return
        name, began = self._running.pop()
        self._expected += self._left.pop(name, 0.0)
        if not self._running:  # an outer function's time includes the time of inner functions
            self._took += self._clock() - began

    @property
    def seconds_left(self) -> float:
        """Estimated seconds until compiling is done; 0 while nothing compiles."""
        if not self._running or self._left is None:
            return 0.0
        since = self._clock() - self._running[0][1]
        pace = self.seconds_spent / self._expected if self._expected > 1.0 else 1.0
        return max(pace * sum(self._left.values()) - (since if not self._expected else 0.0), 1.0)

    @property
    def seconds_spent(self) -> float:
        """Seconds spent compiling so far."""
        return self._took + (self._clock() - self._running[0][1] if self._running else 0.0)

    def __str__(self) -> str:
        seconds = self.seconds_left
        return f"compiling once, about {seconds:.0f} s left" if seconds else ""
