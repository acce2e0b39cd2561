"""Training instances of both networks (Lau 2009, §5): frame pairs for the prior, frame triples for the transitions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.numeric.arrays import Floats, Ints

MOST_SEARCHED = 12  # examples that structures are searched on


class PriorInstances(NamedTuple):
    """Values (instances, 2 DOFs): frame 0 and then frame 1, or what was added to frame 0; and each one's clip."""

    values: Floats
    clips: Ints


class TransitionInstances(NamedTuple):
    """All examples stacked: rows (frames of all, DOFs), and the instances as rows of their newest known frame."""

    rows: Floats
    firsts: Ints  # first row of each example
    lengths: Ints
    queries: Ints  # (instances,): row of the newest known frame; the next row is what is predicted
    clips: Ints  # (instances,): which example
    fresh: Ints  # (instances,): 1 where an example begins
    order: int


def representative(examples: Sequence[Floats], most: int = MOST_SEARCHED) -> list[int]:
    """Numbers of the examples that stand for all in what would cost the square of their number: all, if they are few.

    Of many, so many that lie evenly among them when sorted by length: short, usual and long ones from first to last,
    the same ones for the same examples.
    """
    if len(examples) <= most:
        return list(range(len(examples)))
    by_length = np.argsort([len(x) for x in examples], kind="stable")
    return sorted(by_length[np.linspace(0, len(examples) - 1, most).round().astype(np.intp)].tolist())


def prior_instances(examples: Sequence[Floats], pairs: int, *, delta: bool) -> PriorInstances:
    """The first `pairs` frame pairs of every example; with `delta` frame 1 is coded as its change from frame 0."""
    values, clips = [], []
    for number, x in enumerate(examples):
        count = min(pairs, len(x) - 1)
        second = x[1 : count + 1] - x[:count] if delta else x[1 : count + 1]
        values.append(np.concatenate([x[:count], second], axis=1))
        clips += [number] * count
    return PriorInstances(np.concatenate(values), np.array(clips, dtype=np.intp))


def transition_instances(examples: Sequence[Floats], order: int) -> TransitionInstances:
    """Every frame that has `order` frames before it, n_trans = sum_l (n_l - order) of them."""
    lengths = np.array([len(x) for x in examples], dtype=np.intp)
    if (lengths <= order).any():
        short = int(np.flatnonzero(lengths <= order)[0])
        raise UsageError(f"example {short + 1} has {lengths[short]} frames: order {order} needs at least {order + 1}")
    firsts = np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.intp)
    spans = [np.arange(first + order - 1, first + length - 1) for first, length in zip(firsts, lengths, strict=True)]
    fresh = [np.arange(len(span)) == 0 for span in spans]
    clips = np.repeat(np.arange(len(examples)), [len(span) for span in spans])
    rows = np.ascontiguousarray(np.concatenate(examples))
    return TransitionInstances(
        rows,
        firsts,
        lengths,
        np.concatenate(spans),
        clips.astype(np.intp),
        np.concatenate(fresh).astype(np.intp),
        order,
    )


def pools(instances: TransitionInstances) -> Ints:
    """For every example all instances of the other examples (Lau 2009, §5.1), padded with -1."""
    queries, clips = instances.queries, instances.clips
    most = len(queries) - int(np.bincount(clips).min())
    out = np.full((len(instances.lengths), most), -1, dtype=np.intp)
    for clip in range(len(out)):
        others = queries[clips != clip]
        out[clip, : len(others)] = others
    return out
