"""Write clips that differ from a take in a stretch or a part of the body, or continue where it ends."""

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.formats import bvh
from freshtake.formats.files import replacing_folder, write_bytes
from freshtake.formats.ftm import read_stored
from freshtake.formats.registry import detect, write
from freshtake.methods.gathering import fitted
from freshtake.methods.progress import Progress, Report, Warn, silent, unheard
from freshtake.motion import Clip
from freshtake.motion.body.rooting import as_filed
from freshtake.motion.channels import channels_with, root_in_file
from freshtake.motion.cycles.seams import steps_of
from freshtake.motion.edit import take_frames, with_up
from freshtake.motion.validation import same_rate
from freshtake.motion.verdict import Verdict, assess, require_possible
from freshtake.numeric.arrays import Bools
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.requests.variation import Redraw, Redrawing
from freshtake.variation.amount import Amount, GuardReport, guard_notes, guarded
from freshtake.variation.goals.goals import GoalReport
from freshtake.variation.goals.guidance import Guided
from freshtake.variation.model import VariationModel
from freshtake.variation.redrawing import chosen_joints, extend
from freshtake.variation.redrawing import redraw as redraw_stretch
from freshtake.variation.stretches import phases_of, strain_of
from freshtake.workflows.inputs import checked, frame_at, frame_count, generator, read_clips
from freshtake.workflows.outputs import is_one_file, suffix_of
from freshtake.workflows.varying import STRAINED, warn_of_amount

FOREIGN = 8.0  # standard deviations beyond which a clip shows another movement; unseen takes reach 1 to 4


class Join(NamedTuple):
    """The largest step and bend where kept and new frames meet, relative to the 99th percentile of the takes."""

    step: float
    bend: float


class Redrawn(NamedTuple):
    """Written files, the range of new frames, and the joins, checks and verdicts of each file."""

    paths: list[Path]
    frames: tuple[int, int]
    joins: list[Join]
    guards: list[GuardReport]
    verdicts: list[Verdict]

    def as_dict(self) -> dict[str, Any]:
        """Return the result as values for JSON."""
        frames = {"start": self.frames[0], "stop": self.frames[1]}
        more = {"joins": self.joins, "guards": self.guards, "verdicts": self.verdicts}
        return {"written": self.paths, "frames": frames, **more}


@one_blas_thread()
def redraw(request: Redraw, report: Report = silent, warn: Warn = unheard) -> Redrawn:
    """Write clips that differ from a take in a stretch or a part of the body, or continue after its end.

    They go into a folder, which appears atomically, or into one file. From BVH to BVH, kept frames and columns keep
    every byte.
    """
    target, take = request.out, request.take
    single = is_one_file(target, request.count, request.format, "clips")
    suffix = suffix_of(target.suffix if single else request.format or take.suffix)
    model: VariationModel = checked(read_stored(request.model), request.model, "variation").model
    warn_of_amount(request.amount, warn)
    reading = request.reading(warn)
    ((clip,),) = read_clips([[take]], reading, "only clips of a body can be partly redrawn")
    first, stop = frames_of(request, clip)
    out = Redrawn([], (first, stop), [], [], [])
    with nullcontext(target.parent) if single else replacing_folder(target) as place:
        drawn = redrawn_clips(model, clip, request, keep_going=request.keep_going, warn=warn)
        for number, (new, checks) in enumerate(drawn, start=1):
            name = target.name if single else f"{take.stem}_{number:03d}{suffix}"
            report(Progress((number - 1) / request.count, name))
            out.verdicts.extend(assess_stretch(model, new, name, request, (first, stop)))
            if single:
                require_possible(out.verdicts, request.keep_going, unheard)
            _write(place / name, take, clip, new, (first, stop), chosen_joints(model, request.part))
            out.joins.append(join_of(model, new, first, stop))
            out.guards.append(checks)
            out.paths.append(target if single else target / name)
        require_possible(out.verdicts, request.keep_going, warn)
    for sentence in guard_notes(out.guards, left=False):
        warn(sentence)
    return out


def frames_of(request: Redrawing, clip: Clip) -> tuple[int, int]:
    """Return the first frame of a clip to redraw, and the frame after the last."""
    if request.extend is not None:
        if request.start is not None or request.stop is not None or request.part:
            raise UsageError("only a whole clip can be continued: leave --from, --to and --part out, or --extend")
        return len(clip), len(clip) + frame_count(request.extend, None, clip.frame_time)
    return frame_at(request.start, clip.frame_time, 0), frame_at(request.stop, clip.frame_time, len(clip))


def redrawn_clips(
    model: VariationModel,
    clip: Clip,
    request: Redrawing,
    *,
    first_number: int = 1,
    keep_going: bool = False,
    warn: Warn = unheard,
) -> Iterator[tuple[Clip, GuardReport]]:
    """Yield partly redrawn clips, numbered from `first_number`; each clip depends only on its seed and number.

    A clip of another movement is refused unless `keep_going`; a clip that is far from the takes gives a warning.
    """
    if not same_rate(clip.frame_time, model.frame_time):
        raise UsageError(
            f"{clip.name or 'the clip'} has {clip.fps:g} frames a second and the model {1.0 / model.frame_time:g}: "
            f"convert it first (freshtake convert --fps {1.0 / model.frame_time:g})"
        )
    like = fitted(clip, model.material.recipe)
    assert isinstance(like, Clip)
    phases = phases_of(model, like)
    _check_movement(strain_of(model, like, phases), clip, keep_going, warn)
    first, stop = frames_of(request, clip)
    limits = model.body_limits if request.guard else None
    if limits is not None and not limits.check(like, amount=request.amount).passed:
        limits = None  # the clip itself exceeds the limits, so no draw can meet them
    for number in range(first_number, first_number + request.count):

        def draw(attempt: int, much: float | Amount, number: int = number) -> Guided:
            rng = generator(request.seed, number, attempt=attempt)
            if request.extend is not None:
                new = extend(model, like, stop - first, rng, amount=much, plant=request.plant, phases=phases)
            else:
                stretch = (first, stop)
                new = redraw_stretch(
                    model, like, stretch, rng, amount=much, parts=request.part, plant=request.plant, phases=phases
                )
            return Guided(new, GoalReport(1.0, (len(new) - 1) * new.frame_time, None, 0.0, 0.0, ()))

        drawn, checks = guarded(draw, limits, request.amount)
        yield drawn.motion, checks


def _check_movement(strain: float, clip: Clip, keep_going: bool, warn: Warn) -> None:
    far = f"{clip.name or 'the clip'} is {strain:.1f} standard deviations from what the model's takes do"
    if strain > FOREIGN and not keep_going:
        raise UsageError(f"{far}: it shows another movement; use a model of this one, or --keep-going")
    if strain > STRAINED:
        warn(f"{far}: the stretch will look like the takes, not like the rest of the clip")


def join_of(model: VariationModel, clip: Clip, first: int, stop: int) -> Join:
    """Return the largest step and bend at the ends of a stretch, relative to the takes."""
    takes = [steps_of(one) for one in model.clips]
    steps = steps_of(clip)
    ends = [frame for frame in (first, stop) if 0 < frame < len(clip)]
    at_step = [frame - 1 for frame in ends]
    at_bend = [frame for end in ends for frame in (end - 2, end - 1) if 0 <= frame < len(steps.bend)]
    usual = [np.percentile(np.concatenate(part), 99) for part in zip(*takes, strict=True)]
    largest = (steps.step[at_step].max(initial=0.0), steps.bend[at_bend].max(initial=0.0))
    return Join(*(float(one / max(most, 1e-12)) for one, most in zip(largest, usual, strict=True)))


def assess_stretch(
    model: VariationModel, clip: Clip, name: str, request: Redrawing, frames: tuple[int, int]
) -> list[Verdict]:
    """Return the verdict on the new frames, without the kept ones."""
    if model.standard is None:
        return []
    # A verdict names only the worst frame of each check. Only the two kept frames next to
    # the stretch are checked with it, since a worse kept frame would hide a bad new frame.
    first, stop = max(frames[0] - 1, 0), min(frames[1] + 1, len(clip))
    verdict = assess(take_frames(clip, first, stop), model.standard, amount=request.amount, name=name)
    remarks = (one if one.frame is None else one._replace(frame=one.frame + first) for one in verdict.remarks)
    return [verdict._replace(remarks=tuple(remarks))]


def _write(path: Path, take: Path, clip: Clip, new: Clip, frames: tuple[int, int], joints: Bools) -> None:
    """Write a clip in the form of its file; from BVH to BVH, unchanged numbers keep their bytes."""
    filed = _as_filed_like(clip, with_up(new, clip.up)).changed(name=path.stem)
    base = clip.skeleton.base
    if base is not None and joints[0]:
        joints = joints.copy()
        joints[[*base.chain, *base.carried, *(joint for joint, _ in base.led)]] = True
    channels = None if clip.channels is None else channels_with(_with_channels(clip), filed, slice(*frames), joints)
    if channels is not None and path.suffix.lower() == ".bvh" and detect(take).name == "bvh":
        assert clip.channels is not None
        data = bvh.splice(take, clip.channels, channels)
        if data is not None:
            write_bytes(path, data)
            return
    write(path, filed if channels is None else filed.changed(channels=channels))


def _as_filed_like(clip: Clip, new: Clip) -> Clip:
    """Return a changed clip in the form of its file; joint 0 keeps its path if it travels with the body."""
    filed, base, path = as_filed(new), clip.skeleton.base, root_in_file(clip)
    if base is None or not base.follows or path is None:
        return filed
    # Joint 0 keeps its path, because another path in the new stretch would make it jump at both ends. In added frames
    # joint 0 follows the body.
    carrier = filed.root + (path[-1] - filed.root[len(path) - 1])
    carrier[: len(path)] = path
    return as_filed(new, carrier)


def _with_channels(clip: Clip) -> Clip:
    """Return a clip in the form of its file, with the channels that it still has."""
    filed = _as_filed_like(clip, clip)
    return filed if filed is clip else filed.changed(channels=clip.channels)
