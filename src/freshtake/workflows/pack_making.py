"""Clips of a group: drawn by their seeds, put onto the character, brought to one entry and exit pose, delivered."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.evaluation.joins import Pace, copied_share, pace_of
from freshtake.motion import Clip
from freshtake.motion.cycles.looping import with_closing_frame
from freshtake.motion.cycles.root_motion import BodyCourse, course_of, in_place, on_joint
from freshtake.motion.cycles.shared_seams import SeamPose, seam_pose, with_seam
from freshtake.motion.verdict import Standard, Verdict, judge, standard_of
from freshtake.variation.amount import Amount, amount_of
from freshtake.variation.goals.goals import GoalReport
from freshtake.variation.goals.guarding import GuardReport, guarded
from freshtake.variation.goals.guidance import Guided
from freshtake.variation.goals.joinable import joinable
from freshtake.workflows.motion_retargeting import Onto
from freshtake.workflows.pack_contents import Group, PackSettings, Slot
from freshtake.workflows.seeds import generator

MOST_INPUTS = 24  # takes that clips are compared with
DRAWS = 3  # of a clip that holds a frame of a take


class PackClip(NamedTuple):
    """A clip as a loop with its travel on the hips, and how it came about."""

    slot: Slot
    loop: Clip
    goals: GoalReport
    guard: GuardReport
    copied: float
    verdict: Verdict


class GroupMaker:
    """Makes the clips of one group."""

    def __init__(self, group: Group, settings: PackSettings, onto: Onto | None) -> None:
        self.group, self.settings, self.onto = group, settings, onto

    @cached_property
    def takes(self) -> list[Clip]:
        """The model's examples."""
        model = self.group.model
        return [model.decode(rows) for rows in model.material.values[:MOST_INPUTS]]

    @cached_property
    def placed_takes(self) -> list[Clip]:
        """The takes on the character."""
        return [self._put(take) for take in self.takes]

    @cached_property
    def inputs(self) -> Pace:
        """How fast the takes are, on the character."""
        return pace_of(self.placed_takes)

    @cached_property
    def standard(self) -> Standard:
        """What the takes do, by which clips are judged: on the character, as the clips are."""
        return standard_of(self.placed_takes)

    @cached_property
    def seam(self) -> SeamPose:
        """The pose and speed that all clips begin and end with: those of the mean motion."""
        return seam_pose(self.mean)

    @cached_property
    def mean(self) -> Clip:
        """The mean motion as a loop, on the character."""
        mean_variant = joinable(self.group.model, generator(0), amount=0.0, plant=self.settings.plant)
        return self._put(mean_variant.motion)

    def _put(self, clip: Clip) -> Clip:
        return clip if self.onto is None else self.onto.put(clip)

    def clip(self, slot: Slot) -> PackClip:
        """A clip, which depends on its seed alone."""
        limits = self.group.model.body_limits if self.settings.guard else None
        for again in range(DRAWS):

            def draw(attempt: int, amount: float | Amount, again: int = again) -> Guided:
                seed = [slot.seed, 1, attempt + 100 * again] if attempt + again else [slot.seed, 1]
                return self._drawn(seed, amount, slot.name)

            variant, checks = guarded(draw, limits, self.settings.amount)
            copied = copied_share(variant.motion, self.takes)
            if copied == 0.0:
                break
        loop = with_seam(self._put(variant.motion), self.seam)
        amount = amount_of(self.settings.amount).largest
        verdict = judge(loop, self.standard, amount=amount, rate=variant.report.rate, name=slot.name)
        loop = loop.changed(name=slot.name, playback=loop.playback)
        return PackClip(slot, loop, variant.report, checks, copied, verdict)

    def _drawn(self, seed: Sequence[int], amount: float | Amount, name: str) -> Guided:
        settings, model = self.settings, self.group.model
        cycles = settings.cycles if model.cyclic else None

        def of(duration: float | None, cycles: int | None) -> Guided:
            rng = generator(*seed)
            return joinable(
                model, rng, amount=amount, cycles=cycles, duration=duration, plant=settings.plant, name=name
            )

        free = of(None, cycles)
        if settings.beat is None:
            return free
        seconds: float = free.motion.playback.seconds
        beats = max(1, round(seconds / settings.beat))
        variant = of(beats * settings.beat, cycles)
        off = variant.motion.playback.seconds - beats * settings.beat
        if abs(off) > 0.75 * model.frame_time:
            raise UsageError(
                f"{self.group.name}: a clip of about {seconds:.2f} s cannot be brought to {beats * settings.beat:g} s, "
                "since its pace has natural limits: choose a shorter --beat, or other --cycles"
            )
        return variant


def delivered_loop(loop: Clip, where: str, closing: bool, mean: Clip) -> Clip:
    """A loop with its travel on the hips, on a joint above them or nowhere.

    The joint stands to the body at the seam as it does in the mean motion, so that it does not jump there either.
    """
    whole = with_closing_frame(loop) if closing else loop
    info = whole.playback
    assert info is not None
    if where == "hips":
        return whole
    course, usual = course_of(whole), course_of(mean)
    if where == "none":
        moved = in_place(whole, course)
    else:
        offset = (whole.root[0] - course.places[0]) - (mean.root[0] - usual.places[0])
        offset[whole.up_index] = 0.0
        heading = np.full(len(whole), usual.heading[0])
        moved = on_joint(whole, BodyCourse(course.places + offset, heading))
    return moved.changed(playback=info.changed(root_motion=where))
