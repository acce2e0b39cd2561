"""Plans of crowds: the characters, their number, how long they move and where they are placed."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.numeric.arrays import Floats
from freshtake.requests.crowd import MOST_CHARACTERS, MOST_SECONDS

MODES = ("unique", "library")
FORMATS = ("npz", "usd", "bvh", "zarr", "glb", "fbx")
SPACING = 1.5  # metres

Range = tuple[float, float]
Polyline = tuple[tuple[float, float], ...]  # x, z in metres
FRAMES = 20_000  # frames of a shard: about 0.4 s of work and ten megabytes


@dataclass(frozen=True)
class Placement:
    """Positions of characters, in metres on the ground (x, z).

    `spacing` is the distance between neighbors on a grid and along paths, and the minimum distance in a disc. A disc
    without `radius` is as large as necessary. `center` is the middle of a grid or a disc.
    """

    kind: str = "grid"
    spacing: float = SPACING
    radius: float | None = None
    center: tuple[float, float] = (0.0, 0.0)
    paths: tuple[Polyline, ...] = ()
    file: Path | None = None


@dataclass(frozen=True)
class Group:
    """Characters that share a model: their share of the crowd, and ranges from which their properties are drawn.

    `phase` is where in the cycle they start (0 to 1), `heading` is in degrees about the vertical, 0 along z; on paths
    it is added to the direction of the path. The characters keep their heading, walk to a `target` (x, z), or follow
    the nearest of `paths`. With a separate `placement`, they are not mixed with the others. Their motions are
    retargeted to a `character`, a file with a skin, if one is named.
    """

    model: Path
    name: str = ""
    share: float = 1.0
    amount: Range = (1.0, 1.0)
    size: Range = (1.0, 1.0)
    phase: Range = (0.0, 1.0)
    heading: Range = (0.0, 0.0)
    paths: tuple[Polyline, ...] = ()
    target: tuple[float, float] | None = None
    placement: Placement | None = None
    character: Path | None = None


@dataclass(frozen=True)
class Avoidance:
    """Walkers that avoid each other: `radius` of a body of size 1 in metres, looking `horizon` seconds ahead."""

    radius: float = 0.3
    horizon: float = 3.0


@dataclass(frozen=True)
class GroundMap:
    """Heights from a picture over a rectangle of this `size` (x, z) around `center`; `height` is the height of white.

    Lengths are in metres.
    """

    file: Path
    size: tuple[float, float]
    center: tuple[float, float] = (0.0, 0.0)
    height: float = 1.0


@dataclass(frozen=True)
class Repetition:
    """How often a view of this many `visible` characters may show the same motion twice, less than `within` s apart."""

    visible: int
    probability: float = 0.05
    within: float = 0.2


@dataclass(frozen=True)
class Plan:
    """A complete crowd. `fps` of None keeps the rate of the models; `variants` counts a library's motions."""

    groups: tuple[Group, ...]
    number: int = 200
    seconds: float = 2.0
    fps: float | None = None
    seed: int = 0
    mode: str = "unique"
    variants: int = 32
    plant: bool = True
    guard: bool = True
    shard_size: int | None = None
    placement: Placement = field(default_factory=Placement)
    avoidance: Avoidance | None = None
    ground: GroundMap | None = None
    repetition: Repetition | None = None

    @property
    def steered(self) -> bool:
        """Whether characters follow routes planned before their motions are made."""
        return self.avoidance is not None or any(group.paths or group.target for group in self.groups)

    def __post_init__(self) -> None:
        if not 1 <= self.number <= MOST_CHARACTERS:
            raise UsageError(f"number: 1 to {MOST_CHARACTERS} characters can be made, not {self.number}")
        if not (math.isfinite(self.seconds) and 0.0 < self.seconds <= MOST_SECONDS):
            raise UsageError(f"seconds: above 0 and up to {MOST_SECONDS:g} was expected, not {self.seconds:g}")
        if self.fps is not None and not (math.isfinite(self.fps) and 1.0 <= self.fps <= 1000.0):
            raise UsageError(f"fps: 1 to 1000 frames per second were expected, not {self.fps:g}")
        if self.seed < 0:
            raise UsageError(f"seed: 0 or more was expected, not {self.seed}")
        if self.mode not in MODES:
            raise UsageError(f"mode: one of {', '.join(MODES)} was expected, not {self.mode!r}")
        if self.variants < len(self.groups):
            raise UsageError(
                f"variants: each of the {len(self.groups)} groups needs one, but there are {self.variants}"
            )
        if self.shard_size is not None and self.shard_size < 1:
            raise UsageError(f"shard_size: 1 or more characters were expected, not {self.shard_size}")
        if self.steered and self.mode == "library":
            what = "avoidance" if self.avoidance is not None else "paths and targets of groups"
            raise UsageError(
                "mode: characters of a library share loops and cannot be steered individually: use the mode unique, "
                f"or leave out {what}"
            )
        if self.repetition is not None and self.mode != "library":
            raise UsageError('repetition: only motions of a library repeat: add mode = "library"')
        total = sum(group.share for group in self.groups)
        if not self.groups or abs(total - 1.0) > 1e-6:
            raise UsageError(f"groups: the shares must sum to 1, but sum to {total:g}")


def counts(total: int, shares: tuple[float, ...]) -> list[int]:
    """Find integers that sum to `total`, as near to the shares as possible (largest remainders)."""
    exact = [total * share / sum(shares) for share in shares]
    out = [math.floor(value) for value in exact]
    by_rest = sorted(range(len(shares)), key=lambda k: (out[k] - exact[k], k))
    for k in by_rest[: total - sum(out)]:
        out[k] += 1
    return out


def library_counts(plan: Plan) -> list[int]:
    """Count the library variants that each group gets: by its share, and at least one."""
    spare = plan.variants - len(plan.groups)
    return [1 + extra for extra in counts(spare, tuple(group.share for group in plan.groups))]


class Shard(NamedTuple):
    """Motions `first` to `last` (from 1, both included) of one group: characters, or variants of a library."""

    number: int
    group: int
    first: int
    last: int

    @property
    def name(self) -> str:
        """The name of its files."""
        return f"shard_{self.number:06d}"


def shards_of(plan: Plan, fps: float) -> list[Shard]:
    """List all shards of a crowd; none contains two groups."""
    if plan.mode == "library":
        sizes = library_counts(plan)
    else:
        sizes = counts(plan.number, tuple(group.share for group in plan.groups))
    # Shards of short motions contain at most a thousand files or tracks.
    each = plan.shard_size or int(np.clip(round(FRAMES / max(1.0, plan.seconds * fps)), 1, 1000))
    out: list[Shard] = []
    begin = 1
    for group, size in enumerate(sizes):
        for first in range(begin, begin + size, each):
            out.append(Shard(len(out) + 1, group, first, min(first + each, begin + size) - 1))
        begin += size
    return out


def part_asked(text: str | None) -> tuple[int, int]:
    """Parse `K/N`, the K-th of N parts of the shards; no text means all of them."""
    if text is None:
        return 1, 1
    first, _, second = text.partition("/")
    if not (first.isdecimal() and second.isdecimal() and 1 <= int(first) <= int(second)):
        raise UsageError(f"--shard is K/N with K from 1 to N, such as 3/16, not {text!r}")
    return int(first), int(second)


def part_of(shards: list[Shard], part: tuple[int, int]) -> list[Shard]:
    """Return every N-th shard, which spreads groups over the parts."""
    return shards[part[0] - 1 :: part[1]]


# How many motions a library needs so that a view hardly ever repeats one: the birthday problem, in time.
# Each of v visible characters plays one of m loops of T seconds from a random moment. Two are copies of each other
# if they play the same loop less than w seconds apart. Of k characters on one loop, no two are copies with
# probability (1 - k w / T)^(k - 1), the law of gaps between random points on a circle; characters fall onto loops at
# random, so probabilities of sets of loops are combined with binomial weights. With w = T / 2 it is the plain
# birthday problem.
MOST_VARIANTS = 1_000_000


class LoopSet(NamedTuple):
    """Loops that share characters: the fraction of the crowd that plays them, their number, and w / T."""

    share: float
    loops: int
    near: float


def repetition_probability(visible: int, sets: Sequence[LoopSet]) -> float:
    """Compute the probability that at least two of the visible characters are copies of each other."""
    none, share = _apart(visible, sets[0].loops, sets[0].near), sets[0].share
    for one in sets[1:]:
        none = _together(none, _apart(visible, one.loops, one.near), share / (share + one.share))
        share += one.share
    return float(np.clip(1.0 - none[visible], 0.0, 1.0))


def loops_needed(visible: int, probability: float, shares: Sequence[float], near: float) -> int:
    """Find the smallest number of loops, divided by shares, with which copies are no likelier than `probability`."""

    def risk(loops: int) -> float:
        parts = [1 + extra for extra in counts(loops - len(shares), tuple(shares))]
        return repetition_probability(visible, [LoopSet(s, m, near) for s, m in zip(shares, parts, strict=True)])

    low, high = len(shares) - 1, max(len(shares), 1)
    while risk(high) > probability:
        low, high = high, 2 * high
        if high > MOST_VARIANTS:
            raise UsageError(
                f"repetition.probability: {probability:g} for {visible} visible characters needs more than "
                f"{MOST_VARIANTS} variants: allow more, or use the mode unique"
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if risk(middle) <= probability else (middle, high)
    return high


def _one_loop(visible: int, near: float) -> Floats:
    """Compute the probability (visible + 1,) that no two of that many characters on one loop are copies."""
    count = np.arange(visible + 1.0)
    gap = np.maximum(1.0 - count * near, 0.0)
    return np.where(count < 2.0, 1.0, gap ** np.maximum(count - 1.0, 0.0))


@lru_cache(maxsize=64)
def _apart(visible: int, loops: int, near: float) -> Floats:
    """Compute the probability of `_one_loop` for characters on several loops, by halving their number."""
    if loops == 1:
        return _one_loop(visible, near)
    half = loops // 2
    return _together(_apart(visible, half, near), _apart(visible, loops - half, near), half / loops)


def _together(first: Floats, second: Floats, share: float) -> Floats:
    """Join two sets of loops, the first of which gets this share of the characters."""
    count = np.arange(len(first))
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1.0, len(first))))])  # logarithms of factorials
    out = np.empty(len(first))
    for n in count:
        k = count[: n + 1]
        # Use logarithms, because factorials of a few hundred characters overflow.
        weight = np.exp(logs[n] - logs[k] - logs[n - k] + k * np.log(share) + (n - k) * np.log1p(-share))
        out[n] = (weight * first[k] * second[n - k]).sum()
    return out
