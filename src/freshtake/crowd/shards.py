"""Shards: which characters are made together. A shard is one task, one file and one line of the manifest."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.crowd.plan import Plan, counts, library_counts
from freshtake.errors import UsageError

FRAMES = 20_000  # in a shard: 0.4 s of work and ten megabytes
MOST = 1000


class Shard(NamedTuple):
    """Motions `first` to `last` (from 1, both included) of one group: characters, or variants of a library."""

    number: int
    group: int
    first: int
    last: int

    @property
    def name(self) -> str:
        """What its files are called."""
        return f"shard_{self.number:06d}"

    @property
    def size(self) -> int:
        """How many motions it holds."""
        return self.last - self.first + 1


def shards_of(plan: Plan, fps: float) -> list[Shard]:
    """All shards of a crowd; none holds two groups."""
    if plan.mode == "library":
        sizes = library_counts(plan)
    else:
        sizes = counts(plan.number, tuple(group.share for group in plan.groups))
    each = plan.shard_size or int(np.clip(round(FRAMES / max(1.0, plan.seconds * fps)), 1, MOST))
    out: list[Shard] = []
    begin = 1
    for group, size in enumerate(sizes):
        for first in range(begin, begin + size, each):
            out.append(Shard(len(out) + 1, group, first, min(first + each, begin + size) - 1))
        begin += size
    return out


def part_asked(text: str | None) -> tuple[int, int]:
    """`K/N`: the K-th of N parts of the shards; all of them where nothing is asked."""
    if text is None:
        return 1, 1
    first, _, second = text.partition("/")
    if not (first.isdecimal() and second.isdecimal() and 1 <= int(first) <= int(second)):
        raise UsageError(f"--shard is K/N with K from 1 to N, such as 3/16, not {text!r}")
    return int(first), int(second)


def part_of(shards: list[Shard], part: tuple[int, int]) -> list[Shard]:
    """Every N-th shard, so that groups are spread over the parts."""
    return shards[part[0] - 1 :: part[1]]
