"""Write an endless motion of a given length, also along a path in a style.

With a style, the source is steered so that its translation follows the path.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from freshtake.errors import UsageError
from freshtake.formats.read_options import Motion
from freshtake.formats.registry import for_writing
from freshtake.methods.progress import Progress, Report, Warn, silent, unheard
from freshtake.motion import Clip
from freshtake.motion.edit import take_frames
from freshtake.motion.features.angles import ground_of
from freshtake.motion.verdict import Remark, require_possible
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.requests.fields import Feet
from freshtake.requests.style import Styling
from freshtake.requests.variation import Stream
from freshtake.style.model import StyleModel
from freshtake.variation.live import planted_at
from freshtake.variation.model import VariationModel
from freshtake.workflows.inputs import generator, model_of, requested_frames
from freshtake.workflows.outputs import WrittenMotion, as_motion, finish_of, followed_by
from freshtake.workflows.style_translating import translated
from freshtake.workflows.varying import amount_of_request, assess_motion, from_its_start, steering_of, warn_of_amount


@one_blas_thread()
def stream(request: Stream, report: Report = silent, warn: Warn = unheard) -> WrittenMotion:
    """Write the requested length of a cyclic model's endless motion, with planted feet."""
    if request.live is not None:
        raise UsageError("freshtake stream --live sends live motion: leave live out, and name out")
    if request.out is None:
        raise UsageError("name the file to write the motion to")
    target, finish = request.out, finish_of(request, warn)
    steer, amount = steering_of(request), amount_of_request(request)
    for_writing(target)
    model: VariationModel = model_of(request.model, "variation")
    frames = requested_frames(request, model.frame_time)
    warn_of_amount(amount, warn)
    if not model.cyclic:
        raise UsageError(f"{request.model} is a model of a motion that does not repeat: use freshtake vary")

    def make(count: int, path_scale: float = 1.0) -> Motion:
        """Return `count` frames along the path, scaled by `path_scale` about its first point."""
        scaled = steer
        if path_scale != 1.0 and steer is not None and steer.path is not None:
            path = np.asarray(steer.path)
            scaled = replace(steer, path=path[0] + path_scale * (path - path[0]))
        body_steer, start = (None, None) if scaled is None else from_its_start(model, scaled)
        block = model.draw(generator(request.seed), amount=amount, frames=count, steer=body_steer)
        decoded = model.decode(block.rows, start=start or block.start, name=target.stem)
        motion = as_motion(decoded, model.frame_time, model.dofs, target.stem)
        if not (finish.plant and isinstance(motion, Clip) and model.planting_model is not None):
            return motion
        report(Progress(0.3, "planting feet"))
        return planted_at(model, motion, block.phases, finish.plant).clip

    report(Progress(0.0, f"making {frames} frames"))
    motion = make(frames)
    style_remarks: list[Remark] | None = None
    if request.style is not None:
        motion, style_remarks = in_style(model_of(request.style, "style"), motion, make, request, warn)
    followed = None if steer is None else followed_by(steer.path, motion)
    verdicts = assess_motion(
        motion, model.standard, target.name, amount=amount, followed=followed, restyled=style_remarks
    )
    require_possible(verdicts, finish.keep_going, warn)
    report(Progress(0.8, f"writing {target.name}"))
    motion = finish.ready(motion)
    finish.write(target, motion)
    return WrittenMotion(target, motion, followed, verdicts)


SPARE = 0.1  # fraction of frames made beyond those needed, because the timing varies


def in_style(
    style: StyleModel, motion: Motion, make: Callable[[int, float], Motion], feet: Feet, warn: Warn = unheard
) -> tuple[Clip, list[Remark]]:
    """Put an endless motion into a style, with the same length and path.

    A style changes the distance and the duration of a motion. Both changes are measured on a first translation; then
    the source is made again, with more or fewer frames, along a path scaled to match. `make` makes a number of frames
    along the path, scaled by a factor. Return as many frames as the motion has, and remarks on them.
    """
    if not isinstance(motion, Clip):
        raise UsageError("a style needs a body with a skeleton: leave --style out")
    styling = Styling(plant=feet.plant, lock=feet.lock)
    first = translated([(style, 1.0)], motion, styling, warn).clip
    frames = round((1.0 + SPARE) * len(motion) * len(motion) / len(first))
    farther = _travel(first) / max(_travel(motion), 1e-9)
    # Translate more of the source each time until there are enough frames.
    for _ in range(4):
        source = make(frames, 1.0 / max(farther, 1e-3))
        assert isinstance(source, Clip)
        done = translated([(style, 1.0)], source, styling)
        if len(done.clip) >= len(motion):
            return take_frames(done.clip, 0, len(motion)).changed(name=motion.name), list(done.remarks)
        # The first translation had other frames, in which the style may have been slower.
        frames = round((1.0 + SPARE) * frames * len(motion) / max(len(done.clip), 1))
    raise UsageError(f"the style makes this motion too short for {len(motion)} frames: request fewer, or omit --style")


def _travel(clip: Clip) -> float:
    """Return the distance that a body travels over the ground."""
    return float(np.abs(np.diff(ground_of(clip.root, clip.up)[::6])).sum())
