"""Motion control: the best path from the frame shown into another cell, within a look-ahead (Sattler 2004, §2.5).

Walks can be cut into cells by their turning: forward, left and right.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.edit import heading, take_frames
from freshtake.numeric.arrays import Floats, Ints
from freshtake.texture.frame_distance import Segments
from freshtake.texture.jump_map import Jumps, Reach
from freshtake.texture.play_kernels import GOAL, LENGTH, SINCE, Numbers, arrival_costs
from freshtake.texture.synthesize import PlayState

if TYPE_CHECKING:
    from freshtake.texture.model import TextureModel

ENTRIES = 4  # jumps kept per frame into each other cell
FARTHEST = 100_000  # frames after which a path search ends
CELLS = ("forward", "left", "right")
TURNING = np.radians(25.0)  # per second: a walk that turns faster belongs to left or right
WINDOW = 0.25  # seconds to either side over which turning is measured


def steered(model: TextureModel, state: PlayState, cell: str) -> PlayState:
    """Steer to a cell by the best path within the look-ahead; playback continues in it (Sattler 2004, §2.5)."""
    goal = model.cell(cell)
    if not model.entries:
        return state.heading_for(())
    _, jumps = model.live
    # A best path never shows a frame twice, so it cannot be longer than the number of frames.
    ahead = min(max(1, int(model.settings.lookahead / model.frame_time + 1e-6)), model.segments.frames)
    frame = state.frame if state.numbers[LENGTH] == 0 else state.numbers[GOAL]  # a blend in progress ends first
    # A second jump during the fade of the first would be visible, so playback settles before it is steered.
    settled = _until_settled(model, state)
    frame = settled[-1] if settled else frame
    path = path_into(goal, frame, jumps, model.entries[goal], model.segments, model.reach, ahead)
    return state.heading_for((*settled, *path))


def _until_settled(model: TextureModel, state: PlayState) -> range:
    """Return the frames until the last jump has died away, within the take."""
    since, frame = state.numbers[SINCE], state.frame
    if state.numbers[LENGTH] > 0 or not 0 <= since < model.rules.hold:
        return range(0)
    end = model.segments.bounds[int(model.segments.takes()[frame]) + 1]
    return range(frame + 1, min(frame + 1 + model.rules.hold - since, end))


def path_into(
    cell: int, frame: int, jumps: Jumps, entries: Jumps, segments: Segments, reach: Reach, ahead: int
) -> tuple[int, ...]:
    """Find the frames to show next, up to the first in the cell; none if `frame` is already in it.

    The path is the cheapest that arrives within `ahead` frames or, if none does, the cheapest of the shortest.
    `entries` are jumps into this cell.
    """
    alive = (segments.cells() == cell) & reach.alive
    if alive[frame]:
        return ()
    goal = alive.astype(np.intp)
    natural = segments.successors()  # also for frames that lead to a dead end: the path leaves them earlier
    # Try a single jump first, because another jump during its fade would be visible.
    targets, costs = np.ascontiguousarray(entries.targets), np.ascontiguousarray(entries.costs)
    least = _arrivals(goal, natural, targets, costs, ahead)
    if np.isfinite(least[ahead, frame]):
        return _followed(least, ahead, frame, goal, natural, targets, costs)
    targets = np.ascontiguousarray(np.concatenate([jumps.targets, entries.targets], axis=1))
    costs = np.ascontiguousarray(np.concatenate([jumps.costs, entries.costs], axis=1))
    horizon = ahead
    while not np.isfinite((least := _arrivals(goal, natural, targets, costs, horizon))[horizon, frame]):
        if horizon > min(2 * segments.frames, FARTHEST):
            names = segments.names
            raise UsageError(f"the cell {names[cell]!r} cannot be reached from {names[segments.cells()[frame]]!r}")
        # Doubling finds a long path at the cost of at most a few times its horizon.
        horizon *= 2
    remaining = horizon if horizon == ahead else int(np.isfinite(least[:, frame]).argmax())
    return _followed(least, remaining, frame, goal, natural, targets, costs)


def _arrivals(goal: Ints, successor: Ints, targets: Numbers, costs: Floats, horizon: int) -> Floats:
    least = np.empty((horizon + 1, len(goal)))
    arrival_costs(goal, successor, targets, costs, horizon, least)
    return least


def _followed(
    least: Floats, remaining: int, frame: int, goal: Ints, successor: Ints, targets: Numbers, costs: Floats
) -> tuple[int, ...]:
    """Return the cheapest path; of equally cheap paths, the shortest."""
    path: list[int] = []
    while not goal[frame]:
        while remaining > 1 and least[remaining - 1, frame] <= least[remaining, frame]:
            remaining -= 1
        onward = least[remaining - 1, successor[frame]] if successor[frame] >= 0 else np.inf
        listed = np.maximum(targets[frame], 0)
        jumping = np.where(targets[frame] >= 0, costs[frame] + least[remaining - 1, listed], np.inf)
        slot = int(jumping.argmin())
        frame = int(successor[frame]) if onward <= jumping[slot] else int(targets[frame, slot])
        remaining -= 1
        path.append(frame)
    return tuple(path)


def unreachable(entries: Jumps, segments: Segments, cell: int) -> tuple[str, ...]:
    """Name the cells from which no jump leads into this one."""
    cells = segments.cells()
    leads = np.asarray((entries.targets >= 0).any(axis=1))
    return tuple(name for other, name in enumerate(segments.names) if other != cell and not leads[cells == other].any())


def turn_cells(clip: Clip) -> dict[str, list[Clip]]:
    """Cut a clip into pieces by cell, for motion control (Sattler 2004, §2.5); cells without pieces are left out."""
    angles = np.unwrap(heading(clip))
    reach = max(1, round(WINDOW / clip.frame_time))
    if len(angles) <= 2 * reach:
        raise UsageError(f"{clip.name or 'the clip'} is too short to be cut by its turns")
    # Turning is averaged over half a second, so that the sway of single steps does not split the clip.
    inner = (angles[2 * reach :] - angles[: -2 * reach]) / (2 * reach * clip.frame_time)
    rate = np.concatenate([np.full(reach, inner[0]), inner, np.full(reach, inner[-1])])
    label = np.where(rate > TURNING, 1, np.where(rate < -TURNING, 2, 0))
    bounds = [0, *(np.flatnonzero(np.diff(label)) + 1).tolist(), len(label)]
    out: dict[str, list[Clip]] = {name: [] for name in CELLS}
    for first, stop in pairwise(bounds):
        # Pieces shorter than 0.4 s are left out.
        if (stop - first) * clip.frame_time >= 0.4:
            out[CELLS[int(label[first])]].append(take_frames(clip, first, stop))
    return {name: clips for name, clips in out.items() if clips}
