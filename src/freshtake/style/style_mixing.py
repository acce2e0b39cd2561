"""Mix several styles by weights, in a complete clip or live (Hsu 2005, §6)."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import UsageError
from freshtake.motion.body.roles import leg_length
from freshtake.motion.clip import Clip
from freshtake.motion.features import Features, Recipe
from freshtake.motion.features.clip_features import ClipLayout
from freshtake.motion.features.pose_stream import PoseCoding
from freshtake.motion.planting import Planter
from freshtake.motion.skeleton import require_compatible
from freshtake.motion.validation import same_rate
from freshtake.numeric.arrays import Floats
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.numeric.compiled import compiled
from freshtake.numeric.limb_kernels import exponential_into, logarithm_into, turn_back_into, turn_into
from freshtake.style.body_coding import coded, uncoded
from freshtake.style.columns import STRONGEST, TURN
from freshtake.style.model import StyleModel, relative_build
from freshtake.style.synthesize import (
    NOTHING,
    Translated,
    Translator,
    latest,
    planted,
    stream_planter,
    streamed,
)
from freshtake.style.translation_kernels import STEEPEST, SWAY, WALK, TranslationState, Written, retimed


class Recoding:
    """The conversion of rows from one recipe to another."""

    def __init__(self, before: Recipe, after: Recipe) -> None:
        self.before, self.after, self.is_identity = before, after, before is after
        legs, self._codings = [], []
        for layout in (before.layout, after.layout):
            assert isinstance(layout, ClipLayout)
            legs.append(leg_length(layout.skeleton))
            self._codings.append(PoseCoding(layout.reference, layout.upright, layout.up_index, layout.frame_time))
        # Lengths and speeds scale with the leg length.
        self._ratios = np.where(np.isin(after.units, ("length", "speed")), legs[1] / legs[0], 1.0)

    def recoded(self, rows: Floats, turned: Floats, started: bool) -> Floats:
        """Recode rows (frames, DOFs); `turned` (1,), the previous difference of headings, changes in place."""
        if self.is_identity:
            return rows
        columns = self.before.fill(rows)
        recode(columns, self._codings[0], self._codings[1], turned, started)
        return np.asarray(columns[:, self.after.kept] * self._ratios)


@compiled
def recode(columns: Floats, before: PoseCoding, after: PoseCoding, turned: Floats, started: bool) -> None:
    """Recode all columns (frames, columns) in place; where the heading changes, the travel is rotated with it."""
    up, sign = before.up, 1.0 if before.up == 1 else -1.0
    turn, spin, vector = np.empty(4), np.zeros(4), np.zeros(3)
    for t in range(len(columns)):
        row = columns[t]
        vector[0], vector[up], vector[3 - up] = row[4], 0.0, row[5] * sign
        exponential_into(vector, turn)
        turn_into(turn, before.upright, turn)
        _turn_off(turn, after.upright)
        # The remaining rotation about the vertical is the difference between the recipes' headings in this row.
        heading = 2.0 * math.atan2(turn[1 + up], turn[0])
        usual = turned[0] if started or t > 0 else 0.0
        # The difference is unwrapped from row to row: a jump by a full turn would become a spin in the turn rate.
        heading -= 2.0 * math.pi * round((heading - usual) / (2.0 * math.pi))
        last = turned[0] if started or t > 0 else heading
        spin[0], spin[1 + up] = math.cos(0.5 * heading), math.sin(0.5 * heading)
        turn_back_into(spin, turn, turn)
        logarithm_into(turn, vector)
        row[4], row[5] = vector[0], vector[3 - up] * sign
        # A row's travel is given in the frame of the row before it, hence the previous difference.
        cosine, sine = math.cos(last), math.sin(last)
        row[0], row[1] = row[0] * cosine + row[1] * sine, row[1] * cosine - row[0] * sine
        row[2] += (heading - last) / before.frame_time
        turned[0] = heading
        for joint in range(1, len(before.reference)):
            rotation = row[3 + 3 * joint : 6 + 3 * joint]
            exponential_into(rotation, turn)
            turn_into(before.reference[joint], turn, turn)
            turn_back_into(after.reference[joint], turn, turn)
            logarithm_into(turn, rotation)


@compiled
def _turn_off(turn: Floats, reference: Floats) -> None:
    """Set turn = turn reference⁻¹, in place."""
    back = np.empty(4)
    back[0] = reference[0]
    for axis in range(1, 4):
        back[axis] = -reference[axis]
    turn_into(turn, back, turn)


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
    """Translate a clip into a mixture of styles.

    A weight is the strength of a style: weights that sum to less than 1 leave some of the clip's style, a larger sum
    exaggerates.

    Args:
        models: Styles learned on the same skeleton at the same rate.
        clip: A motion in the source style, on that skeleton and at that rate.
        weights: Numbers (models,), or (frames, models) to change over the clip, each between -2 and 2.
        time_warp: Whether to change the timing too.
        generalize: Whether to keep input that is unlike the examples (eq. 7-8); None: as in each model's settings.
        plant: Whether to clean up sliding feet.

    Returns:
        The clip in the mixed style, with its build and starting position.
    """
    shares = _checked(models, clip, weights)
    # The only effect of a style without weight would be to limit knees to the straightest of its examples.
    used = np.flatnonzero(shares.any(axis=0)).tolist()
    models, shares = [models[k] for k in used], shares[:, used]
    first = models[0]
    features = first.encode(clip)
    rows, at_weights = features.values, _mixtures(models, time_warp=time_warp, generalize=generalize)
    planting = plant and bool(first.feet) and all(model.feet == first.feet for model in models)
    past = first.past(rows, max(model.past_frames for model in models))
    state, sway, parts = at_weights(shares[0]).start(past), 0.0, []
    # Frames of equal weights are translated at once; the first frame separately, because its sway gives the rotation of
    # the complete clip when it is placed.
    changes = np.flatnonzero((shares[1:] != shares[:-1]).any(axis=1)) + 1
    for begin, stop in pairwise(sorted({0, 1, *changes.tolist(), len(rows)})):
        state, translated = at_weights(shares[begin]).advance(state, rows[begin:stop])
        parts.append((translated.rows, translated.origins + begin, translated.contacts))
        sway = float(state.walk[SWAY]) if begin == 0 else sway
    rows_out, origins, contacts = (np.concatenate(column) for column in zip(*parts, strict=True))
    start = features.start._replace(heading=features.start.heading + sway)
    out = first.decode(rows_out, Features(first.recipe, rows_out, start, clip.name, False, features.skeleton))
    if not planting:
        return out
    # Floor heights are averages, whatever the sum of the weights.
    votes = (np.abs(shares) / np.abs(shares).sum(axis=1)[:, None]).mean(axis=0)
    floor, rests = _floor_and_rests(models, votes)
    labels = contacts[np.clip(np.round(origins).astype(np.intp), 0, len(rows) - 1)]
    return planted(out, labels, floor * relative_build(first.recipe, clip), rests)


def _checked(models: Sequence[StyleModel], clip: Clip, weights: npt.ArrayLike) -> Floats:
    """Return weights (frames, models); raise a UsageError if they do not fit."""
    check_models(models)
    shares = np.asarray(weights, dtype=np.float64)
    if shares.shape not in ((len(models),), (len(clip), len(models))) or not np.isfinite(shares).all():
        raise UsageError(f"weights must be {len(models)} numbers, or {len(models)} for every frame of the clip")
    if np.abs(shares).sum(axis=-1).min() < 1e-9 or np.abs(shares).max() > STRONGEST:
        raise UsageError(f"weights must lie between {-STRONGEST:g} and {STRONGEST:g}, and not all of them may be 0")
    return np.broadcast_to(shares, (len(clip), len(models)))


def check_models(models: Sequence[StyleModel]) -> None:
    """Raise a UsageError if models cannot be mixed."""
    if not models:
        raise UsageError("a blend needs at least one model")
    for model in models[1:]:
        ours, theirs = models[0].recipe.skeleton, model.recipe.skeleton
        assert ours is not None and theirs is not None
        require_compatible(ours, theirs, "the first model", "another")
        if not same_rate(model.frame_time, models[0].frame_time):
            raise UsageError("the models to be blended have different frame rates: learn them at the same rate")


Weights = npt.ArrayLike | Callable[[], npt.ArrayLike]


def blend_stream(
    models: Sequence[StyleModel],
    rows: Iterable[Floats],
    weights: Weights,
    *,
    time_warp: bool = True,
    generalize: bool | None = None,
    decode: bool = False,
    plant: bool = False,
) -> Iterator[Any]:
    """Translate a stream into a mixture of styles, like `StyleModel.stream` for one style.

    Args:
        models: Styles learned on the same skeleton at the same rate.
        rows: Rows (DOFs,) or blocks (rows, DOFs) of the first model's DOFs (see its `encode`).
        weights: Strengths (models,) between -2 and 2, or a function called for every item of `rows`; a change takes
            about a third of a second.
        time_warp: Whether to change the timing; without it the stream keeps in step with a live source.
        generalize: Whether to keep input that is unlike the examples (eq. 7-8); None: as in each model's settings.
        decode: Whether to yield one-frame clips, each placed after the previous one, instead of rows.
        plant: Whether to keep planted feet in place, at heights mixed with the initial weights.

    Returns:
        An iterator over rows (frames, DOFs) or clips.
    """
    check_models(models)
    if plant and not decode:
        raise UsageError("planting needs poses: stream with decode=True as well, or without plant")
    at_weights = _mixtures(models, time_warp=time_warp, generalize=generalize)
    live, first = latest(weights, at_weights), models[0]
    planted_feet = plant and first.feet and all(model.feet == first.feet for model in models)
    planter = (lambda: _planter(models, live().weights)) if planted_feet else None
    return streamed(first.recipe, live, rows, decode=decode, planter=planter)


class MixtureState(NamedTuple):
    """Each style's state, the rotation of its heading against the first style's on input and output, and the clock."""

    styles: tuple[TranslationState, ...]
    turned: Floats  # (models, 2), see Recoding
    walk: Floats
    pose: Floats
    started: bool


@dataclass(frozen=True, eq=False)
class Mixture:
    """The source of a stream: styles weighted by their strengths."""

    styles: tuple[Translator, ...]
    recodings: tuple[tuple[Recoding, Recoding], ...]  # from the first model's DOFs to the style's, and back
    weights: Floats

    def start(self, past: Floats | None = None) -> MixtureState:
        """Return the state before the first row, after `past` (frames, DOFs); without it, repeat the first pose."""
        turned, states = np.zeros((len(self.styles), 2)), []
        for k, (style, (there, _)) in enumerate(zip(self.styles, self.recodings, strict=True)):
            states.append(style.start(None if past is None else there.recoded(past, turned[k, :1], False)))
        # The conversion back rotates in the opposite direction.
        turned[:, 1] = -turned[:, 0]
        started = past is not None and len(past) > 0
        return MixtureState(tuple(states), turned, np.zeros(WALK), np.zeros(self.styles[0].width), started)

    def advance(self, state: MixtureState, rows: Floats) -> tuple[MixtureState, Translated]:
        """Translate with each style in the source's timing, add up the changes, then retime the sum.

        A foot is planted if styles with more than half of the weight vote for it.
        """
        tool = self.styles[0]
        rows = tool.checked(rows)
        source, sway, log_w = coded(rows, tool.coding), np.zeros(len(rows)), np.zeros(len(rows))
        mixed = source.copy()
        turned, states = state.turned.copy(), []
        votes, shares = np.zeros((len(rows), len(tool.classifiers.boundaries))), np.abs(self.weights)
        shares = shares / shares.sum() if shares.any() else np.full(len(shares), 1.0 / len(shares))
        for k, (style, (there, back)) in enumerate(zip(self.styles, self.recodings, strict=True)):
            recoded = there.recoded(rows, turned[k, :1], state.started)
            after, out, labels = style.coded_outputs(state.styles[k], recoded)
            votes += shares[k] * labels
            sway += out[:, TURN]
            log_w += out[:, -1]
            styled = out[:, :-1].copy()
            # The column contains the sway, which is summed separately; recoding needs a turn rate there.
            styled[:, TURN] = recoded[:, TURN]
            if not there.is_identity:
                styled = uncoded(styled, style.coding)
                styled = coded(back.recoded(styled, turned[k, 1:], state.started), tool.coding)
            mixed += styled - source
            states.append(after)
        outputs = np.column_stack([mixed, log_w])
        outputs[:, TURN] = sway
        most = 1 + int(STEEPEST + 1.0) * len(rows)
        written = Written(np.empty((most, tool.width)), np.empty(most))
        # One clock for the mixture: separate clocks would let the styles drift apart.
        walk, pose = state.walk.copy(), state.pose.copy()
        count = retimed(mixed, outputs, walk, pose, tool.frames, written)
        rows_out = uncoded(written.rows[:count], tool.coding)
        translated = Translated(rows_out, written.origins[:count], np.zeros((len(rows), 1)), np.asarray(votes > 0.5))
        return MixtureState(tuple(states), turned, walk, pose, True), translated


def _mixtures(models: Sequence[StyleModel], **how: Any) -> Callable[[npt.ArrayLike], Mixture]:
    """Return a function from weights (models,) to their mixture."""
    recodings = tuple((Recoding(models[0].recipe, m.recipe), Recoding(m.recipe, models[0].recipe)) for m in models)
    styles = [model.translator(**how) for model in models]
    if any(model.feet != models[0].feet for model in models):  # votes on different feet cannot be counted
        styles = [replace(style, classifiers=NOTHING) for style in styles]

    def at_weights(given: npt.ArrayLike) -> Mixture:
        strengths, count = np.asarray(given, dtype=np.float64), len(models)
        if strengths.shape != (count,) or not np.isfinite(strengths).all() or np.abs(strengths).max() > STRONGEST:
            raise UsageError(f"weights of a stream must be {count} numbers between {-STRONGEST:g} and {STRONGEST:g}")
        weighted = tuple(style.with_strength(value) for style, value in zip(styles, strengths, strict=True))
        return Mixture(weighted, recodings, strengths)

    return at_weights


def _planter(models: Sequence[StyleModel], weights: Floats) -> Planter:
    """Return a planter built from the poses of all styles."""
    first = models[0]
    poses = [Recoding(m.recipe, first.recipe).recoded(m.poses, np.zeros(1), False) for m in models if len(m.poses)]
    # A minimum share keeps the average defined if a slider starts with all weights at 0.
    floor, rests = _floor_and_rests(models, np.abs(weights) + 1e-9)
    return stream_planter(first.recipe, np.concatenate(poses), floor, rests)


def _floor_and_rests(models: Sequence[StyleModel], shares: Floats) -> tuple[Floats, float]:
    """Return the weighted means of the models' floors (foot joints,) and of the speed limits of planted feet."""
    floors = np.stack([model.floor for model in models])
    rests = np.array([model.rests for model in models])
    return shares @ floors / shares.sum(), float(shares @ rests / shares.sum())
