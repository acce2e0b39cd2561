"""Takes repaired, and cut into clips."""

from __future__ import annotations

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.check import check
from freshtake.motion.cycles.common_cycles import require_cycles
from freshtake.motion.cycles.occurrences import find_occurrences
from freshtake.motion.edit import take_frames
from freshtake.motion.repair import repair as repaired
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.serve.items import Finding
from freshtake.serve.tasks.context import Context


def repair(context: Context, *, items: list[str], repairs: list[str] | None = None) -> None:
    """Takes without what was found in them; it can be undone."""
    for number, id in enumerate(items):
        item = context.item(id)
        context.report(f"repairing {item.name}", number, len(items))
        names = repairs or list(dict.fromkeys(one.remedy for one in item.findings if one.remedy))
        if not names:
            raise UsageError(f"nothing in {item.name} can be repaired")
        motion = repaired(context.motion(id), names)
        findings = [Finding(words=f.sentence, remedy=f.repair).model_dump() for f in check(motion)]
        context.replace(id, f"repair {item.name}", motion, findings=findings)


@one_blas_thread()
def cut(
    context: Context,
    *,
    items: list[str],
    how: str,
    first: int | None = None,
    last: int | None = None,
    like: str | None = None,
) -> None:
    """Pieces of takes as takes, in a group of the take's name."""
    cycles = require_cycles([_clip(context, id) for id in items]) if how == "cycles" else []
    for number, id in enumerate(items):
        item = context.item(id)
        context.report(f"looking through {item.name}", number, len(items))
        take = _clip(context, id)
        if how == "cycles":
            spans = [(int(begin), int(end) + 1) for begin, end in cycles[number].spans]
        elif how == "frames":
            spans = [_range(take, first, last)]
        else:
            example = _clip(context, like) if like is not None else take_frames(take, *_range(take, first, last))
            spans = [(one.start, one.stop) for one in find_occurrences(take, example)]
        if not spans:
            raise UsageError(f"nothing like that was found in {item.name}: choose another example")
        for piece, (begin, end) in enumerate(spans, start=1):
            clip = take_frames(take, begin, end)
            facts = {**_lasting(item.facts), "from": [begin, end - 1]}
            context.add_motion("take", f"{item.name}_{piece:02d}", clip, group=item.name, parent=id, facts=facts)


def _lasting(facts: dict[str, object]) -> dict[str, object]:
    """Facts that hold of a piece as they do of the whole."""
    return {key: value for key, value in facts.items() if key not in ("frames", "seconds", "travel", "character")}


def _clip(context: Context, id: str) -> Clip:
    motion = context.motion(id)
    if not isinstance(motion, Clip):
        raise UsageError(f"{context.item(id).name} has no skeleton: only clips can be cut")
    return motion


def _range(take: Clip, first: int | None, last: int | None) -> tuple[int, int]:
    if first is None or last is None or not first < last < len(take):
        raise UsageError(f"say the first and the last frame; {take.name} has {len(take)}")
    return first, last + 1
