"""How long compiling will still take: what a command needs, less what is done, at the pace of this machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

LEAST_ANNOUNCED = 3.0  # seconds


class Step(NamedTuple):
    """A step of `warm_up`: the commands whose kernels it compiles, and the steps whose kernels it needs too."""

    commands: tuple[str, ...]
    after: tuple[str, ...] = ()


STEPS = {
    "learning": Step(("learn",)),
    "planting": Step(("plant",)),
    "variants": Step(("vary",), ("learning", "planting")),
    "styles": Step(("style learn", "style apply"), ("planting",)),
    "blends": Step(("blend sample",), ("planting",)),
    "textures": Step(("texture learn", "texture sample"), ("planting",)),
    "clips on other skeletons": Step((), ("planting",)),
}


def expected_times(*commands: str) -> dict[str, float]:
    """Seconds that each kernel of these commands took to compile where `python -m benchmarks.compiling` was run."""
    from importlib import resources

    text = resources.files("freshtake.workflows").joinpath("compile_times.csv").read_text(encoding="utf-8")
    rows = [line.split(",") for line in text.splitlines()[1:]]
    return {kernel: float(seconds) for kernel, seconds, used_by in rows if {*commands} & {*used_by.split(";")}}


def expected_of_steps() -> dict[str, dict[str, float]]:
    """The same for each step of `warm_up`, less what the steps before it compile."""
    out: dict[str, dict[str, float]] = {}
    for name, step in STEPS.items():
        known = {kernel for earlier in out.values() for kernel in earlier}
        out[name] = {k: seconds for k, seconds in expected_times(*step.commands).items() if k not in known}
    return out


class Countdown:
    """Tracks which functions compile and estimates how long the rest will take."""

    def __init__(self, times: Callable[[], dict[str, float]], say: Callable[[str], None], clock: Callable[[], float]):
        self._times, self._say, self._clock = times, say, clock
        self._left: dict[str, float] | None = None  # read when something compiles, which is seldom
        self._running: list[tuple[str, float]] = []
        self._expected = self._took = 0.0

    def heard(self, kernel: str, begins: bool) -> None:
        """A kernel begins to compile, or is done; one may begin inside another."""
        if self._left is None:
            self._left = self._times()
            self._announce()
        if begins:
            self._running.append((kernel, self._clock()))
            return
        name, began = self._running.pop()
        self._expected += self._left.pop(name, 0.0)
        if not self._running:  # those inside it are part of its time
            self._took += self._clock() - began

    @property
    def seconds_left(self) -> float:
        """An estimate; 0 while nothing compiles."""
        if not self._running or self._left is None:
            return 0.0
        since = self._clock() - self._running[0][1]
        pace = self.seconds_spent / self._expected if self._expected > 1.0 else 1.0
        return max(pace * sum(self._left.values()) - (since if not self._expected else 0.0), 1.0)

    @property
    def seconds_spent(self) -> float:
        """In compiling, so far."""
        return self._took + (self._clock() - self._running[0][1] if self._running else 0.0)

    def __str__(self) -> str:
        left = self.seconds_left
        return f"compiling once, about {left:.0f} s left" if left else ""

    def _announce(self) -> None:
        total = sum((self._left or {}).values())
        if total > LEAST_ANNOUNCED:
            self._say(f"compiling once, up to about {total:.0f} s (freshtake warm-up does it in advance)")
