"""Learn a StyleModel from pairs of clips, offline (Hsu 2005, §4.1-4.3).

Clips are represented by rotation vectors about each joint's mean and by a differential root (§4.1).
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from freshtake.errors import UsageError
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion.body.limbs import limb_joints
from freshtake.motion.body.roles import feet, leg_length
from freshtake.motion.clip import Clip
from freshtake.motion.features import Recipe, recipe
from freshtake.motion.features.clip_features import ClipLayout
from freshtake.motion.gait import Gait, gait_of, mean_gait
from freshtake.motion.planting.contacts import contact_mask, floor_heights
from freshtake.motion.skeleton import require_compatible
from freshtake.motion.validation import same_rate
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.style.body_coding import Coding, coded, coding_of
from freshtake.style.columns import (
    FORWARD,
    RATES,
    TURN,
    Normal,
    blocks_of,
    confidences,
    distinct,
    leg_blocks,
    normal_of,
    pose_weights,
)
from freshtake.style.footplants import Annotation, learn_annotation
from freshtake.style.model import Settings, StyleModel
from freshtake.style.pairs import Pair, cut_and_paired, fit_to_learn, pair_rows, sampled_mask
from freshtake.style.systems.banks import Bank, HeldOut, past_of
from freshtake.style.systems.system_choice import (
    Mapper,
    Prior,
    Trial,
    fit_systems,
    fold_numbers,
    past_frames,
)
from freshtake.style.translation_kernels import calmed
from freshtake.style.warping.alignment import Alignment, align
from freshtake.style.warping.motion_warping import WarpSettings

Labels = Mapping[str, Sequence[Bools]]  # for each annotation, one array (frames,) per target clip
ONE_TAKE = 1.0  # steadiness if all stretches are from one take per style: then a mean pose is a single sample
ALIKE = 1.05  # slack for stretches of one take, which are so similar that extra states seem to help; jerk falls by 3 %
OTHER_TAKES = 1.5  # factor on k_c estimated from stretches of one take: other people's walks differ 2.3 times as much
WIDER = 1.25  # largest sway of the heading, relative to that in the examples


def style_recipe(clips: Sequence[Clip]) -> Recipe:
    """Make the recipe for clips of both styles; joints that never move have no DOFs, root and legs always have all."""
    moving = recipe(clips, angles="expmap", root="heading", scale="none")
    layout = moving.layout
    assert isinstance(layout, ClipLayout)
    chains = [joints[:3] for _, joints, is_leg in limb_joints(layout.skeleton) if is_leg]
    legs = {layout.skeleton.names[joint] for chain in chains for joint in chain}
    leg_columns = [k for k, name in enumerate(layout.names()) if name.rsplit(".", 1)[0] in legs]
    columns = np.array(sorted({*range(layout.root_width), *leg_columns, *moving.kept.tolist()}), dtype=np.intp)
    return Recipe(layout, "none", columns, moving.fixed, np.ones(len(columns)), np.zeros(len(columns)))


@one_blas_thread()
def learn(
    pairs: Sequence[tuple[Clip, Clip]],
    settings: Settings | None = None,
    *,
    labels: Labels | None = None,
    alignments: Sequence[Alignment] | None = None,
    one_take: bool = False,
    report: Report | None = None,
    map: Mapper | None = None,
) -> StyleModel:
    """Learn a translation from pairs (source style, target style) of clips with the same content.

    A single pair of long takes is cut into stretches, which are paired by content; standing is trimmed and single
    cycles are repeated (see `pairs`), unless labels or alignments are given, since these refer to frames of the clips.

    Args:
        pairs: Clips of both styles on the same skeleton, at the same rate, with at least eight frames.
        settings: The settings of learning; values of None are replaced by estimates from the data.
        labels: For each annotation, one boolean array (frames of the target,) per pair. Footplants are detected unless
            feet are named ("LeftFoot"); any other name becomes an annotation that `StyleModel.labels` predicts.
        alignments: The alignments of the pairs; default: computed.
        one_take: Whether all pairs are stretches of one take per style.
        report: Receives `Progress`.
        map: Runs independent tasks; the default uses all cores, and the result does not depend on it.

    Returns:
        The model, which translates other clips and streams.
    """
    settings, tell = settings or Settings(), report or silent
    check_pairs(pairs)
    if len(pairs) == 1 and labels is None and alignments is None:
        pieces = cut_and_paired(*pairs[0])
        pairs, one_take = pieces.pairs, one_take or pieces.are_cut
    if labels is None and alignments is None and not one_take:
        pairs = fit_to_learn(pairs)
    if one_take and settings.steadiness is None:
        settings = settings.changed(steadiness=ONE_TAKE)
    with ThreadPoolExecutor() as pool:
        mapper: Mapper = map or pool.map
        tell(Progress(0.02, "aligning the pairs"))
        warps = alignments or list(mapper(lambda pair: _tried(pair, settings), pairs))
        # If all stretches are from one take, pairs that cannot be aligned are left out.
        failures = [warp for warp in warps if isinstance(warp, UsageError)]
        if failures and (not one_take or len(failures) == len(warps)):
            raise failures[0]
        aligned_pairs = [(pair, w) for pair, w in zip(pairs, warps, strict=True) if isinstance(w, Alignment)]
        pairs = [pair for pair, _ in aligned_pairs]
        tell(Progress(0.3, "representing the pairs"))
        recipe = style_recipe([clip for pair in pairs for clip in pair])
        rows = [pair_rows(recipe, *pair, alignment) for pair, alignment in aligned_pairs]
        return learn_rows(recipe, pairs, rows, settings, labels or {}, one_take, tell, mapper)


def aligned(source: Clip, target: Clip, settings: Settings) -> Alignment:
    """Align two clips by iterative motion warping with the style's settings."""
    return align(source, target, WarpSettings(slope=settings.slope, smoothing=settings.warp_smoothing))


def _tried(pair: tuple[Clip, Clip], settings: Settings) -> Alignment | UsageError:
    try:
        return aligned(*pair, settings)
    except UsageError as error:
        return error


def learn_rows(
    recipe: Recipe, pairs: Sequence[tuple[Clip, Clip]], rows: Sequence[Pair], settings: Settings, labels: Labels,
    one_take: bool, tell: Report, mapper: Mapper,
) -> StyleModel:  # fmt: skip
    """Learn a model from aligned rows."""
    fps = 1.0 / recipe.frame_time
    effects, poses = _effects(recipe, rows), _poses(rows)
    coding = coding_of(recipe, poses)
    rows = [_coded(pair, coding) for pair in rows]
    source = normal_of([pair.source for pair in rows], recipe.units, settings.floor)
    target = normal_of([pair.target for pair in rows], _target_units(recipe), settings.floor)
    names = tuple((a.name or f"source {k}", b.name or f"target {k}") for k, (a, b) in enumerate(pairs, start=1))
    weights, past = pose_weights(recipe, effects), past_frames(fps)
    prior = _prior(recipe, source, target)._replace(slack=ALIKE if one_take else 1.0)
    tell(Progress(0.35, "learning how joints respond"))
    trials = []
    for pair, fold in zip(rows, fold_numbers(_identities(pairs)), strict=True):
        # A past leads up to the first row.
        inputs = np.concatenate([past_of(pair.source, past, fps, weights), pair.source])
        smooth = calmed(inputs, np.stack([inputs[0], inputs[0]]), settings.calming, recipe.frame_time)
        trials.append(Trial(source.down(smooth), target.down(pair.target), past, fold))
    bank, errors = fit_systems(blocks_of(recipe, source.deviation), trials, prior, settings, fps, mapper)
    held_out = HeldOut(_degrees(recipe, target, errors), _degrees(recipe, target, _copied(rows, target)))
    tell(Progress(0.85, "learning footplants"))
    annotations, planted = _annotations(bank, recipe, trials, pairs, rows, labels)
    confidence = _confidence(recipe, pairs, rows, effects, settings, OTHER_TAKES if one_take else 1.0)
    sway = max(float(np.abs(pair.target[:, TURN]).max()) for pair in rows)
    tell(Progress(1.0, "done"))
    return StyleModel(
        recipe, settings, source, target, bank, annotations, planted,
        np.mean([floor_heights([b]) for _, b in pairs], axis=0), effects, _later(bank, trials, target, rows),
        WIDER * sway, *_speeds(trials, source), held_out, names,
        confidence, poses, _taught(pairs),
    )  # fmt: skip


def _taught(pairs: Sequence[tuple[Clip, Clip]]) -> tuple[Gait, Gait] | None:
    """Measure the mean gait of each style in the takes."""
    sides = [mean_gait([gait_of(clip) for clip in side]) for side in zip(*pairs, strict=True)]
    return None if sides[0] is None or sides[1] is None else (sides[0], sides[1])


def _coded(pair: Pair, coding: Coding) -> Pair:
    """Return the pair with coded trunk and legs, the form that the systems use."""
    target = np.column_stack([coded(np.ascontiguousarray(pair.target[:, :-1]), coding), pair.target[:, -1]])
    return pair._replace(source=coded(pair.source, coding), target=target)


def _poses(rows: Sequence[Pair]) -> Floats:
    """Return at most 128 evenly spaced poses of the target style, rounded to single precision."""
    every = np.concatenate([pair.target[:, :-1] for pair in rows])
    some = np.unique(np.linspace(0, len(every) - 1, 128).round().astype(np.intp))
    return np.asarray(every[some].astype(np.float32), dtype=np.float64)


def _confidence(
    recipe: Recipe, pairs: Sequence[tuple[Clip, Clip]], rows: Sequence[Pair], effects: Floats, settings: Settings,
    wider: float,
) -> Floats:  # fmt: skip
    """Return k_c of every DOF: as in the settings, or `wider` times the estimate from the source's takes."""
    if settings.confidence is not None:
        return np.full(len(recipe.names), settings.confidence)
    takes = distinct([pair.source for pair in rows], [source for source, _ in _identities(pairs)])
    return wider * confidences(
        recipe, takes, effects, floor=settings.floor, least=settings.reach, preference=settings.preference
    )


def _effects(recipe: Recipe, rows: Sequence[Pair]) -> Floats:
    """Measure the effect of one unit of each DOF on the body, in leg lengths."""
    columns = [recipe.fill(pair.source) for pair in rows]
    assert recipe.skeleton is not None
    # The effect of a speed is its travel in 0.3 s.
    return np.asarray(recipe.layout.effects(columns, 0.3)[recipe.kept] / leg_length(recipe.skeleton))


def check_pairs(pairs: Sequence[tuple[Clip, Clip]]) -> None:
    """Raise a UsageError if a style cannot be learned from these pairs."""
    if not pairs:
        raise UsageError("a style is learned from pairs of clips: give at least one")
    first, first_name = pairs[0][0], pairs[0][0].name or "source 1"
    for k, (a, b) in enumerate(pairs, start=1):
        for clip, kind in ((a, "source"), (b, "target")):
            name = clip.name or f"{kind} {k}"
            require_compatible(first.skeleton, clip.skeleton, first_name, name)
            if not same_rate(clip.frame_time, first.frame_time):
                raise UsageError(
                    f"{name} has {clip.fps:g} fps and {first_name} {first.fps:g}: resample it first (--fps does)"
                )
            if len(clip) < 8:
                raise UsageError(f"{name} has {len(clip)} frames: at least 8 are needed")
        # Clips that differ only by rounding are the same.
        if len(a) == len(b) and float(np.abs(a.rotations - b.rotations).mean()) < 1e-6:
            raise UsageError(f"source and target of pair {k} are the same motion: there is no style to learn from it")


def _identities(pairs: Sequence[tuple[Clip, Clip]]) -> list[tuple[str, str]]:
    """Identify clips by content instead of name."""
    return [(str(id(a)), str(id(b))) for a, b in pairs]


def _target_units(recipe: Recipe) -> list[str]:
    return ["sway" if k == TURN else unit for k, unit in enumerate(recipe.units)] + ["log"]


def _prior(recipe: Recipe, source: Normal, target: Normal) -> Prior:
    """Return the prior, in which the style's speed is proportional to the source's.

    Errors of joints are weighted in radians, errors of the root, whose units differ, in deviations.
    """
    count = len(recipe.names)
    gains, importance = np.zeros((count, count + 1)), target.deviation**2
    root = recipe.names[0].rsplit(".", 1)[0]
    importance[[k for k, name in enumerate(recipe.names) if name.rsplit(".", 1)[0] == root]] = 1.0
    usual, styled = (side.mean[FORWARD] / side.deviation[FORWARD] for side in (source, target))
    # A source whose mean speed is less than its deviation does not travel.
    gains[FORWARD, FORWARD] = styled / usual if abs(usual) > 1.0 else 0.0
    return Prior(gains, importance)


def _copied(rows: Sequence[Pair], target: Normal) -> Floats:
    """Return squared errors per normalized output of copying the source, except for timing."""
    errors = [np.column_stack([pair.source, pair.target[:, -1]]) - pair.target for pair in rows]
    return np.asarray(np.square(np.concatenate(errors) / target.deviation).mean(axis=0))


def _degrees(recipe: Recipe, target: Normal, errors: Floats) -> float:
    """Convert squared errors per normalized output to degrees RMS per joint."""
    angles = np.flatnonzero(np.array(_target_units(recipe)) == "angle")
    joints = len({recipe.names[k].rsplit(".", 1)[0] for k in angles}) or 1
    squares = errors[angles] * target.deviation[angles] ** 2
    return float(np.degrees(np.sqrt(squares.sum() / joints)))


def _later(bank: Bank, trials: Sequence[Trial], target: Normal, rows: Sequence[Pair]) -> float:
    """Find the offset of log w that reproduces the examples' durations: a mean of logarithms is biased."""
    out_sum = target_sum = 0.0
    for trial, pair in zip(trials, rows, strict=True):
        out = bank.run(bank.start(), trial.inputs)[1][trial.past :, -1]
        out_sum += float(np.exp(out * target.deviation[-1] + target.mean[-1]).sum())
        target_sum += float(np.exp(pair.target[:, -1]).sum())
    return float(np.log(target_sum / out_sum))


def _speeds(trials: Sequence[Trial], source: Normal) -> tuple[float, Floats]:
    """Return the lowest ground speed in the examples, and the range (2, 3) of the root's rates as inputs."""
    rows = source.up(np.concatenate([trial.inputs[trial.past :] for trial in trials]))
    rates = rows[:, :RATES]
    return float(np.linalg.norm(rates[:, :2], axis=1).min()), np.stack([rates.min(axis=0), rates.max(axis=0)])


def _annotations(
    bank: Bank,
    recipe: Recipe,
    trials: Sequence[Trial],
    pairs: Sequence[tuple[Clip, Clip]],
    rows: Sequence[Pair],
    labels: Labels,
) -> tuple[tuple[Annotation, ...], tuple[str, ...]]:
    """Learn classifiers for footplants and all other labels from the states of the examples."""
    contacts = [contact_mask(b) for _, b in pairs]
    footplants = {foot.name: [mask[:, k] for mask in contacts] for k, foot in enumerate(feet(pairs[0][1].skeleton))}
    given: dict[str, Any] = {**footplants, **labels}
    states = []
    for trial in trials:
        start, _ = bank.run(bank.start(), trial.inputs[: trial.past])
        states.append(bank.features(start, trial.inputs[trial.past :]))
    legs = bank.features_of(leg_blocks(recipe))
    out = []
    for name, masks in given.items():
        if len(masks) != len(pairs) or any(len(m) != len(b) for m, (_, b) in zip(masks, pairs, strict=True)):
            raise UsageError(f"the labels {name!r} need one array per pair, with one value per frame of its target")
        aligned = [
            sampled_mask(np.asarray(mask, dtype=bool)[slice(*pair.alignment.second)], pair.alignment.path)
            for mask, pair in zip(masks, rows, strict=True)
        ]
        out.append(learn_annotation(name, states, aligned, legs if name in footplants else None))
    return tuple(out), tuple(footplants)
