"""Feet of variants: which of them stand at which phase, by the example with the nearest feet; feet of streams."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from freshtake.motion import Clip
from freshtake.motion.planting import Planter, PlantingModel, PlantSettings, StreamFrame, settings_for
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import compiled

BETTER = 0.7  # another example takes over a foot where its distance is below this share of the current one's


def variant_settings(plant: bool | str) -> PlantSettings:
    """Return the planting settings of variants: hips stay at the drawn height.

    Sinking hips bring standing feet 2 % nearer to rest and shake where legs are straight.
    """
    return replace(settings_for(plant), sink=0.0)


class StandingTable(NamedTuple):
    """For every example and phase: where each foot is, and how far its ankle and toe stand, 0 to 1.

    `feet` (examples, phases, feet, 6) are ankle and toe in the body's frame in leg lengths, `stands`
    (examples, phases, foot joints); `joints` (feet, 2) are their columns.
    """

    feet: Floats
    stands: Floats
    joints: Ints
    keep: float  # share of the mean distance kept from frame to frame


class Following(NamedTuple):
    """Which example each foot follows (feet,), and the mean squared distances to all (feet, examples)."""

    example: Ints
    distances: Floats


def standing_table(
    examples: Sequence[Clip], stands: Sequence[Floats], places: Floats, planting_model: PlantingModel
) -> StandingTable:
    """Return the table of examples with contacts `stands` (frames, foot joints) at `places`.

    Args:
        examples: The takes.
        stands: Where their joints stand, 0 or 1.
        places: (phases, examples): the frame of each example at each phase.
        planting_model: The model of the feet.

    Returns:
        The table.
    """
    feet = [planting_model.feet_in_body(clip) for clip in examples]
    ends = np.cumsum([len(foot.joints) for foot in planting_model.feet])
    starts = ends - [len(foot.joints) for foot in planting_model.feet]
    return StandingTable(
        np.stack([read_linear(rows.reshape(len(rows), -1), places[:, k]) for k, rows in enumerate(feet)]).reshape(
            len(examples), len(places), -1, 6
        ),
        np.stack([read_linear(rows, places[:, k]) for k, rows in enumerate(stands)]),
        np.stack([starts, ends - 1], axis=1),
        # average distances over 0.1 s
        float(np.exp(-planting_model.frame_time / 0.1)),
    )


def nobody_followed(table: StandingTable) -> Following:
    """Return the state before the first frame."""
    examples, _, feet, _ = table.feet.shape
    return Following(np.full(feet, -1, dtype=np.intp), np.zeros((feet, examples)))


def standing_at(
    table: StandingTable, state: Following, clip: Clip, phases: Floats, cyclic: bool, planting_model: PlantingModel
) -> tuple[Following, Floats]:
    """Return contacts (frames, foot joints), 0 to 1, of a clip at these phases (frames,), and the state after it.

    Every foot does what one example does there: the one whose foot is nearest, until another is much nearer.
    """
    last = table.feet.shape[1] - 1.0
    places = np.mod(phases, last) if cyclic else np.clip(phases, 0.0, last)
    clip_feet = planting_model.feet_in_body(clip)
    after = Following(state.example.copy(), state.distances.copy())
    out = np.empty((len(clip), table.stands.shape[2]))
    _follow(table, clip_feet, places, after, out)
    return after, out


@compiled
def _follow(table: StandingTable, clip_feet: Floats, places: Floats, state: Following, out: Floats) -> None:
    """Write contacts into `out` frame by frame, updating the state."""
    feet, stands, joints, keep = table
    example, distances = state
    for frame in range(len(clip_feet)):
        low = min(int(places[frame]), feet.shape[1] - 2)
        t = places[frame] - low
        for foot in range(clip_feet.shape[1]):
            fresh, best = example[foot] < 0, 0
            for k in range(feet.shape[0]):
                square = 0.0
                for c in range(clip_feet.shape[2]):
                    there = (1.0 - t) * feet[k, low, foot, c] + t * feet[k, low + 1, foot, c]
                    square += (clip_feet[frame, foot, c] - there) ** 2
                distances[foot, k] = square if fresh else keep * distances[foot, k] + (1.0 - keep) * square
                if distances[foot, k] < distances[foot, best]:
                    best = k
            if fresh or distances[foot, best] < BETTER * BETTER * distances[foot, example[foot]]:
                example[foot] = best
            for side in range(2):
                column, k = joints[foot, side], example[foot]
                out[frame, column] = (1.0 - t) * stands[k, low, column] + t * stands[k, low + 1, column]


def read_linear(rows: Floats, places: Floats) -> Floats:
    """Return rows between frames by linear interpolation."""
    low = np.minimum(places.astype(np.intp), max(len(rows) - 2, 0))
    t = (places - low)[:, None]
    return np.asarray((1.0 - t) * rows[low] + t * rows[np.minimum(low + 1, len(rows) - 1)])


class Posed(NamedTuple):
    """A block of frames and their phases (frames,)."""

    clip: Clip
    phases: Floats


def planted_stream(
    blocks: Iterator[Posed], table: StandingTable, cyclic: bool, planting_model: PlantingModel, settings: PlantSettings
) -> Iterator[Clip]:
    """Yield single frames with planted feet, a constant number of frames late."""
    planter = Planter.learn(planting_model, settings)
    state, followed = planter.start(), nobody_followed(table)
    clip = None
    for clip, phases in blocks:
        followed, stands = standing_at(table, followed, clip, phases, cyclic, planting_model)
        state, ready = planter.feed(state, clip.root, clip.rotations, stands)
        yield from _frames(clip, ready)
    if clip is not None:
        yield from _frames(clip, planter.finish(state))


def _frames(like: Clip, ready: StreamFrame) -> Iterator[Clip]:
    for root, rotations in zip(ready.root, ready.rotations, strict=True):
        yield like.changed(root=root[None], rotations=rotations[None])
