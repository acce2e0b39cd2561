"""Several translations at once, by weights: any linear combination of source and target styles (Hsu 2005, §6)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from freshtake.errors import UsageError
from freshtake.motion.clip import Clip
from freshtake.motion.features import Features, encode
from freshtake.motion.skeleton import require_compatible
from freshtake.motion.validation import same_rate
from freshtake.numeric.arrays import Floats
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.style.body_coding import coded, uncoded
from freshtake.style.columns import root_columns
from freshtake.style.live import planted
from freshtake.style.model import StyleModel
from freshtake.style.parts import STRONGEST
from freshtake.style.synthesize import STEEPEST
from freshtake.style.translation_kernels import WALK, Written, retimed


@one_blas_thread()
def blend(
    models: Sequence[StyleModel],
    clip: Clip,
    weights: npt.ArrayLike,
    *,
    time_warp: bool = True,
    generalize: bool | None = None,
    plant: bool = True,
) -> Clip:
    """The clip in a mixture of styles; `weights` (models,), or (frames, models) to change over the clip.

    A weight is the strength of a style: weights that sum to less than 1 leave some of the clip's own style, those that
    sum to more exaggerate.
    """
    shares = _checked(models, clip, weights)
    first = models[0]
    features = first.encode(clip)
    source = coded(features.values, first.coding)
    rows = source.copy()
    log_w, sway = np.zeros(len(rows)), 0.0
    floor, rests = np.zeros_like(first.floor), 0.0
    marks = np.zeros((len(rows), len(first.feet)))
    total = np.abs(shares).sum(axis=1)
    for model, share, part in zip(models, shares.T, (np.abs(shares) / total[:, None]).T, strict=True):
        styled, timing, swayed = _in_place(model, first, clip, generalize)
        sway += share[0] * swayed
        rows += share[:, None] * (coded(styled, first.coding) - source)
        floor += part.mean() * model.floor
        rests += part.mean() * model.rests
        log_w += share * timing
        if model.feet == first.feet:
            labels = model.labels(model.encode(clip).values)
            marks += part[:, None] * np.stack([labels[name] for name in first.feet], axis=1)
    rows = uncoded(rows, first.coding)
    made, origins = _retimed(first, rows, log_w if time_warp else np.zeros(len(rows)))
    start = features.start._replace(heading=features.start.heading + sway)
    out = first.decode(made, Features(first.recipe, made, start, clip.name, False, features.skeleton))
    if not plant or not first.feet:
        return out
    standing = marks[np.clip(np.round(origins).astype(np.intp), 0, len(marks) - 1)] > 0.5
    return planted(out, standing, floor * first.build(clip), rests)


def _checked(models: Sequence[StyleModel], clip: Clip, weights: npt.ArrayLike) -> Floats:
    """Weights (frames, models)."""
    check_models(models)
    shares = np.asarray(weights, dtype=np.float64)
    if shares.shape not in ((len(models),), (len(clip), len(models))) or not np.isfinite(shares).all():
        raise UsageError(f"weights must be {len(models)} numbers, or {len(models)} for every frame of the clip")
    if np.abs(shares).sum(axis=-1).min() < 1e-9 or np.abs(shares).max() > STRONGEST:
        raise UsageError(f"weights must lie between {-STRONGEST:g} and {STRONGEST:g}, and not all of them may be 0")
    return np.broadcast_to(shares, (len(clip), len(models)))


def check_models(models: Sequence[StyleModel]) -> None:
    """Raise where models cannot be mixed."""
    if not models:
        raise UsageError("a blend needs at least one model")
    for model in models[1:]:
        ours, theirs = models[0].recipe.skeleton, model.recipe.skeleton
        assert ours is not None and theirs is not None
        require_compatible(ours, theirs, "the first model", "another")
        if not same_rate(model.frame_time, models[0].frame_time):
            raise UsageError("the models to be blended have different frame rates: learn them at one rate")


def _in_place(
    model: StyleModel, first: StyleModel, clip: Clip, generalize: bool | None
) -> tuple[Floats, Floats, float]:
    """One model's translation in the source's time, as rows of the first model's DOFs, its log w and first sway."""
    features = model.encode(clip)
    tool = model.translator(generalize=generalize)
    out = tool.outputs(tool.start(model.past(features.values)), features.values)[1]
    turn = root_columns(model.recipe)[2]
    rows, sway = out[:, :-1].copy(), out[:, turn]
    rows[:, turn] = features.values[:, turn] + np.diff(sway, prepend=sway[:1]) / model.frame_time
    placed = Features(model.recipe, rows, features.start, clip.name, False, features.skeleton)
    again = encode(first.recipe, model.decode(rows, placed), strict=False)
    return again.values / first.lengths(clip), out[:, -1], float(sway[0])


def _retimed(model: StyleModel, rows: Floats, log_w: Floats) -> tuple[Floats, Floats]:
    """Rows in the target's time, and the source frame of each."""
    forward, sideways, turn = root_columns(model.recipe)
    outputs = np.column_stack([rows, log_w])
    outputs[:, turn] = 0.0
    frames = model.translator().frames
    most = 1 + int(STEEPEST + 1.0) * len(rows)
    out = Written(np.empty((most, rows.shape[1])), np.empty(most))
    count = retimed(
        np.ascontiguousarray(rows), outputs, np.zeros(WALK), np.zeros(rows.shape[1]), frames, out,
    )  # fmt: skip
    return out.rows[:count], out.origins[:count]
