"""A planter: frames in, frames with planted feet out, after a constant delay and with constant memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import UsageError
from freshtake.motion.clip import Clip
from freshtake.motion.limbs import Limb
from freshtake.motion.planting.book import Book, Rig, empty_book, grown, make_rig
from freshtake.motion.planting.channel import SIZE
from freshtake.motion.planting.flags import checked_flags
from freshtake.motion.planting.groundwork import Groundwork, lay_groundwork
from freshtake.motion.planting.settings import STREAMING, PlantSettings
from freshtake.motion.planting.stages import NO_LEGS, Plan, make_plan
from freshtake.motion.planting.stream_kernels import plan_ahead, take_in
from freshtake.motion.planting.turn_kernels import shift_root, turn_leg
from freshtake.motion.planting.turning import link_offsets, point_numbers
from freshtake.motion.skeleton import Skeleton
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.limb_solver import Chain, fresh_memory


class StreamFrame(NamedTuple):
    """Frames of a stream: root (frames, 3) and local rotations (frames, joints, 4)."""

    root: Floats
    rotations: Floats


class PlanterState(NamedTuple):
    """All that a planter remembers: the frames from `first` on, the feet's offsets and the limbs' corrections.

    Of all frames, `gripped` have grips, `drifted` know where the root drifts, `planned` have goals and `given` were
    handed out.
    """

    first: int
    book: Book
    gripped: int
    drifted: int
    planned: int
    given: int
    channels: Floats  # (legs, 2, numbers)
    corrections: tuple[Floats, ...]

    @property
    def fed(self) -> int:
        """How many frames have come in."""
        return self.first + len(self.book.root)


class Leg(NamedTuple):
    """What the kernel that turns a leg wants to know of it."""

    chain: Chain
    follower: Chain
    starts: Ints
    turning: Ints
    offsets: Floats
    at: Ints


@dataclass(frozen=True)
class Planter:
    """Plants feet in a stream, as `plant` does with the same contacts, limbs, floor and lookahead.

    state = planter.start(); state, out = planter.feed(state, root, rotations, contacts) for one frame or a block of
    them, as often as there are any; out = planter.finish(state) gives the last `latency` frames.
    """

    plan: Plan

    @classmethod
    def learn(
        cls, examples: Groundwork | Sequence[Clip], settings: PlantSettings | None = None, *, fps: float | None = None
    ) -> Planter:
        """A planter for streams like the examples; `fps` where their frame rate is another."""
        base = examples if isinstance(examples, Groundwork) else lay_groundwork(examples)
        settings = settings or PlantSettings(lookahead=STREAMING)
        if settings.lookahead is None:
            settings = replace(settings, lookahead=STREAMING)
        if not base.feet:
            raise UsageError(NO_LEGS)
        ready = make_plan(base, base.frame_time if fps is None else 1.0 / fps, settings)
        return cls(ready._replace(limbs=ready.legs))

    @property
    def latency(self) -> int:
        """How many frames go in before the first comes out."""
        return self.plan.pace.latency

    @cached_property
    def rig(self) -> Rig:
        """The body as plain arrays."""
        return make_rig(self.plan)

    @cached_property
    def legs(self) -> tuple[Leg, ...]:
        """The legs as plain arrays."""
        return tuple(_leg(limb, self.plan.skeleton) for limb in self.plan.legs)

    def start(self) -> PlanterState:
        """Before the first frame."""
        book = empty_book(len(self.plan.skeleton), len(self.legs))
        memories = tuple(fresh_memory(len(leg.chain.reference)).corrections for leg in self.legs)
        return PlanterState(0, book, 0, 0, 0, 0, np.zeros((len(self.legs), 2, SIZE)), memories)

    def feed(
        self, state: PlanterState, root: npt.ArrayLike, rotations: npt.ArrayLike, contacts: npt.ArrayLike
    ) -> tuple[PlanterState, StreamFrame]:
        """One frame (3,), (joints, 4), (feet,) or a block of frames; returns those that are ready, perhaps none."""
        places = np.atleast_2d(np.asarray(root, dtype=np.float64))
        turns = np.asarray(rotations, dtype=np.float64).reshape(len(places), len(self.plan.skeleton), 4)
        flags = checked_flags(np.atleast_2d(np.asarray(contacts, dtype=np.float64)), len(places), self.plan.feet)
        drop = max(state.given - self.plan.pace.past - state.first, 0)
        book = grown(state.book, drop, len(places))
        new = len(book.root) - len(places)
        book.root[new:], book.rotations[new:] = places, turns
        state = state._replace(first=state.first + drop, book=book)
        return self._advanced(state, new, flags, False)

    def finish(self, state: PlanterState) -> StreamFrame:
        """The frames that are still to come, when no more go in."""
        if state.fed == 0:
            return StreamFrame(np.zeros((0, 3)), np.zeros((0, len(self.plan.skeleton), 4)))
        state = state._replace(book=grown(state.book, 0, 0))
        return self._advanced(state, len(state.book.root), np.zeros((0, len(self.legs))), True)[1]

    def _advanced(self, state: PlanterState, new: int, flags: Floats, ended: bool) -> tuple[PlanterState, StreamFrame]:
        """All stages, as far as each of them knows enough of the future; the state's own book is filled in."""
        pace, book, first = self.plan.pace, state.book, state.first
        columns = self._by_foot if flags.shape[1] == len(self.legs) else self._by_joint
        fed = len(book.root)
        gripped = _reached(state.gripped - first, fed, pace.ramp, ended)
        take_in(self.rig, book, new, flags, columns, state.gripped - first, gripped)
        drifted = _reached(state.drifted - first, gripped, pace.follow, ended)
        planned = _reached(state.planned - first, drifted, pace.lookahead, ended)
        channels = state.channels.copy()
        plan_ahead(
            self.rig, book, channels, state.drifted - first, drifted, gripped, state.planned - first, planned,
            pace.lookahead, pace.approach, pace.release, self.plan.leash, self.plan.settings.reach,
        )  # fmt: skip
        begin, until = state.given - first, _reached(state.given - first, planned, pace.carry, ended)
        out, corrections = self._turned(state, begin, until, planned)
        counts = (gripped + first, drifted + first, planned + first, until + first)
        return PlanterState(first, book, *counts, channels, corrections), out

    def _turned(
        self, state: PlanterState, begin: int, until: int, planned: int
    ) -> tuple[StreamFrame, tuple[Floats, ...]]:
        """Frames whose root is known, with their legs turned, and the memory after them."""
        shifts, root = np.empty((until - begin, 3)), np.empty((until - begin, 3))
        rotations = state.book.rotations[begin:until].copy()
        if until == begin:
            return StreamFrame(root, rotations), state.corrections
        corrections = tuple(memory.copy() for memory in state.corrections)
        (w1, w2), reach = self.plan.settings.weights, self.plan.settings.reach
        shift_root(self.rig, state.book, begin, planned, shifts, root)
        for number, leg in enumerate(self.legs):
            turn_leg(
                self.rig, state.book, number, begin, shifts, *leg, float(w1), float(w2), reach,
                corrections[number], rotations,
            )  # fmt: skip
        return StreamFrame(root, rotations), corrections

    @cached_property
    def _by_foot(self) -> Ints:
        """Columns of contacts that are given for feet."""
        return np.array([(k, k + 1) for k in range(len(self.legs))], dtype=np.intp)

    @cached_property
    def _by_joint(self) -> Ints:
        """Columns of contacts that are given for ankles and toes."""
        ends = np.cumsum([0, *self.rig.counts])
        return np.stack([ends[:-1], ends[1:]], axis=1).astype(np.intp)


def _reached(before: int, known: int, ahead: int, ended: bool) -> int:
    """How many frames a stage has done when it has looked `ahead` frames into what is known."""
    return max(before, known if ended else known - ahead)


def _leg(limb: Limb, skeleton: Skeleton) -> Leg:
    assert limb.links.follower is not None
    owners = limb.links.owners
    starts = np.searchsorted(owners, np.arange(len(limb.turning) + 1)).astype(np.intp)
    offsets = link_offsets(limb, skeleton.offsets[None])[0]
    turning = np.array(limb.turning, dtype=np.intp)
    return Leg(limb.chain, limb.links.follower, starts, turning, offsets, point_numbers(limb))
