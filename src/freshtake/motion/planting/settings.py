"""How feet are planted; all of it has defaults that come from measurements on walks, throws, jumps and cheers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from freshtake.errors import UsageError


@dataclass(frozen=True)
class PlantSettings:
    """Times in seconds, lengths in leg lengths.

    `weights` are w1 and w2 of Lau 2009, eq. (7). A contact takes hold and lets go over `ramp`. Before a contact the
    foot's offset is brought to where it is needed over `approach`, after it the offset is given back over `release`;
    heights change over `settle`.
    `lookahead` is how far into the future a decision may look; None: to the end of the clip. Feet that stand lie
    between the floor and `band` above it; contacts more than `step` above the floor stand on something else and keep
    their height. A planted foot is never held farther than about `leash` from where the clip has it. Legs stretch
    beyond `reach` of their length only as far as the clip itself does, and only softly; where a planted foot needs
    more, the root comes along, smoothed over `carry`. What all standing feet slide together the root takes back,
    smoothed over `follow` (0: it does not), and returns to its path over `forget`.
    """

    weights: tuple[float, float] = (1.0, 5.0)
    ramp: float = 0.07
    approach: float = 0.18
    release: float = 0.2
    settle: float = 0.27
    lookahead: float | None = None
    band: float = 0.02
    step: float = 0.10
    leash: float = 0.15
    reach: float = 0.985
    carry: float = 0.14
    follow: float = 0.24
    forget: float = 2.0

    def __post_init__(self) -> None:
        w1, w2 = self.weights
        if not (w1 > 0 and w2 >= 0):
            raise UsageError(f"the weights must be above 0 and not below 0, not {w1} and {w2}")
        if min(self.ramp, self.approach, self.release, self.settle, self.carry, self.forget) <= 0 or self.follow < 0:
            raise UsageError("ramp, approach, release, settle, carry and forget are times above 0, follow 0 or more")
        least = max(self.approach, 0.5 * self.settle)
        if self.lookahead is not None and self.lookahead < least:
            raise UsageError(
                f"lookahead must be at least approach and half of settle ({least:g} s), not {self.lookahead} s"
            )
        if not (0 < self.band < self.step and self.leash > 0 and 0.5 < self.reach < 1.0):
            raise UsageError("planting needs 0 < band < step, a leash above 0 and a reach between 0.5 and 1")


STREAMING = 0.18  # seconds of lookahead where frames come one by one


class Pace(NamedTuple):
    """The settings' times in frames: half of ramp, settle, carry and follow; the whole of the others.

    A lookahead of -1 has no end.
    """

    ramp: int
    approach: int
    release: int
    lookahead: int
    settle: int
    carry: int
    follow: int
    forget: float

    @property
    def latency(self) -> int:
        """Frames between what goes into a planter and what comes out."""
        return self.ramp + self.follow + self.lookahead + self.carry

    @property
    def past(self) -> int:
        """How many frames before the one that comes out are still looked at."""
        return 1 + max(self.ramp, self.follow, self.settle, self.carry)


def pace(settings: PlantSettings, frame_time: float) -> Pace:
    """The times in whole frames."""

    def frames(seconds: float, least: int) -> int:
        return max(least, round(seconds / frame_time))

    settle = frames(settings.settle / 2.0, 1)
    ahead = -1 if settings.lookahead is None else max(settle, frames(settings.lookahead, 3))
    follow = frames(settings.follow / 2.0, 1) if settings.follow > 0 else 0
    return Pace(
        frames(settings.ramp / 2.0, 1), frames(settings.approach, 3), frames(settings.release, 3), ahead,
        settle, frames(settings.carry / 2.0, 1), follow, settings.forget / frame_time,
    )  # fmt: skip
