"""The result of a selection: a verdict per candidate, and what they were measured by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from freshtake.numeric.arrays import Floats

LEAST_TRUSTED = 3


@dataclass(frozen=True, eq=False)
class Verdict:
    """One candidate: its figure (nan where it could not be compared), and why it was rejected.

    The figure is the chance that a clip of the trusted kind is as far off, or the likelihood per frame and node.
    `missed` (20, joints): how far its log densities fall below the trusted clips', by parts of its duration.
    """

    kept: bool
    figure: float
    reason: str = ""
    notes: tuple[str, ...] = ()
    missed: Floats | None = None
    named: tuple[str, ...] = ()  # the joints that the reason names


class Judged(NamedTuple):
    """What candidates were measured by: the threshold, the trusted clips' own figures when left out, and the joints."""

    threshold: float
    trusted: Floats
    joints: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Selection:
    """Verdicts in the order of the candidates, the threshold, and the trusted clips' own figures when left out."""

    verdicts: tuple[Verdict, ...]
    threshold: float
    trusted: Floats
    joints: tuple[str, ...]
    doubtful: tuple[int, ...] = ()  # trusted clips unlike the others, with which too many clips look similar
    measure: str = "difference"  # or likelihood: what the figures are

    @property
    def kept(self) -> list[int]:
        """Numbers of the candidates that are similar enough."""
        return [k for k, verdict in enumerate(self.verdicts) if verdict.kept]
