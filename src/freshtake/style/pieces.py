"""One pair of long takes as several pairs: both are cut into stretches of a few cycles, which pair by content."""

from __future__ import annotations

from typing import NamedTuple

from freshtake.errors import UsageError
from freshtake.motion.clip import Clip
from freshtake.motion.cycles import find_cycles
from freshtake.motion.edit import take_frames
from freshtake.numeric.arrays import Floats
from freshtake.style.correspondence import LIMIT, Content, content, content_distances

CYCLES = 2  # of a stretch: one alone has no beginning that recurs, which tells what led up to it
MOST = 8  # stretches of a take
LOOSE = 2.0 * LIMIT  # two takes hold what they hold: stretches farther apart than clips of two folders may be partners


class Pieces(NamedTuple):
    """Pairs of stretches, the contents of each, how far those are apart, and a sentence on what was done."""

    pairs: tuple[tuple[Clip, Clip], ...]
    contents: tuple[tuple[Content, Content], ...]
    apart: tuple[float, ...]
    what: str


def cut_and_paired(source: Clip, target: Clip) -> Pieces:
    """Stretches of both takes that go as fast, in their own style, and turn as much; takes without cycles stay whole."""
    ours = stretches(source)
    cuts = [ours, stretches(target, "auto" if ours[0] is source else ours[0])]
    contents = [[content(clip) for clip in clips] for clips in cuts]
    apart = content_distances(contents[0], contents[1])
    chosen = _nearest(apart)
    pairs = tuple((cuts[0][i], cuts[1][j]) for i, j in chosen)
    both = tuple((contents[0][i], contents[1][j]) for i, j in chosen)
    what = (
        f"one pair of takes: {source.name or 'the source'} was cut into {len(cuts[0])} and {target.name or 'the target'} "
        f"into {len(cuts[1])} stretches of up to {CYCLES} cycles, {len(pairs)} pairs of which go and turn alike"
        if len(cuts[0]) > 1 or len(cuts[1]) > 1
        else "one pair of takes in which nothing recurs: learned as it is, and tried on nothing else"
    )
    return Pieces(pairs, both, tuple(float(apart[i, j]) for i, j in chosen), what)


def stretches(clip: Clip, phase: str | Clip = "auto") -> list[Clip]:
    """Consecutive stretches of a few cycles; the take itself where it has no cycles, or too few."""
    try:
        spans = find_cycles(clip, phase).spans
    except UsageError:
        return [clip]
    if len(spans) < 2 * CYCLES:
        size = 1
    else:
        size = max(CYCLES, -(-len(spans) // MOST))
    found = [
        (spans[k][0], spans[k + size - 1][1] + 1)
        for k in range(0, len(spans) - size + 1, size)
        if spans[k + size - 1][1] - spans[k][0] >= 8
    ]
    if len(found) < 2:
        return [clip]
    name = clip.name or "take"
    return [take_frames(clip, a, b).changed(name=f"{name} {a}:{b}") for a, b in found]


def _nearest(apart: Floats) -> list[tuple[int, int]]:
    """Every row with its nearest column and every column with its nearest row, within limits; at least one pair."""
    chosen = {(i, int(row.argmin())) for i, row in enumerate(apart) if row.min() <= LOOSE}
    chosen |= {(int(column.argmin()), j) for j, column in enumerate(apart.T) if column.min() <= LOOSE}
    i, j = divmod(int(apart.argmin()), apart.shape[1])
    return sorted(chosen | {(i, j)})
