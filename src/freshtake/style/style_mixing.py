"""Several styles mixed by weights: a complete clip, or live (Hsu 2005, §6)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import UsageError
from freshtake.motion.body.roles import leg_length
from freshtake.motion.clip import Clip
from freshtake.motion.features import Features, Recipe, encode
from freshtake.motion.features.clip_features import ClipLayout
from freshtake.motion.features.pose_stream import PoseCoding
from freshtake.motion.planting import Planter
from freshtake.motion.skeleton import require_compatible
from freshtake.motion.validation import same_rate
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.numeric.compiled import compiled
from freshtake.numeric.limb_kernels import exponential_into, logarithm_into, turn_back_into, turn_into
from freshtake.style.body_coding import coded, uncoded
from freshtake.style.columns import STRONGEST, root_columns
from freshtake.style.live import (
    LiveStyle,
    decoded_stream,
    latest,
    planted,
    planted_stream,
    stream_planter,
    translated_rows,
)
from freshtake.style.model import StyleModel
from freshtake.style.synthesize import NOTHING, STEEPEST, Translated
from freshtake.style.translation_kernels import WALK, TranslationState, Written, retimed


class Recoding:
    """Converts rows from one recipe to another."""

    def __init__(self, before: Recipe, after: Recipe) -> None:
        self.before, self.after = before, after

    @cached_property
    def _codings(self) -> tuple[PoseCoding, PoseCoding]:
        codings = []
        for layout in (self.before.layout, self.after.layout):
            assert isinstance(layout, ClipLayout)
            codings.append(PoseCoding(layout.reference, layout.upright, layout.up_index, layout.frame_time))
        return codings[0], codings[1]

    @cached_property
    def _ratios(self) -> Floats:
        """Return the factors for lengths of each DOF."""
        ours, theirs = self.before.skeleton, self.after.skeleton
        assert ours is not None and theirs is not None
        lengths = np.isin(self.after.units, ("length", "speed"))
        return np.where(lengths, leg_length(theirs) / leg_length(ours), 1.0)

    @property
    def is_identity(self) -> bool:
        """Whether rows stay unchanged."""
        return self.before is self.after

    def recoded(self, rows: Floats, turned: Floats, started: bool) -> Floats:
        """Recode rows (frames, DOFs); `turned` (1,), how far headings differed in the row before, changes in place."""
        if self.is_identity:
            return rows
        columns = self.before.fill(rows)
        recode(columns, *self._codings, turned, started)
        return np.asarray(columns[:, self.after.kept] * self._ratios)


@compiled
def recode(columns: Floats, before: PoseCoding, after: PoseCoding, turned: Floats, started: bool) -> None:
    """Recode all columns (frames, columns) in place; a heading measured from another rotation turns the travel."""
    up, sign = before.up, 1.0 if before.up == 1 else -1.0
    turn, spin, vector = np.empty(4), np.zeros(4), np.zeros(3)
    for t in range(len(columns)):
        row = columns[t]
        vector[0], vector[up], vector[3 - up] = row[4], 0.0, row[5] * sign
        exponential_into(vector, turn)
        turn_into(turn, before.upright, turn)
        _turn_off(turn, after.upright)
        # The remaining rotation about the vertical is the heading by which the two recipes differ in this row.
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
            own = row[3 + 3 * joint : 6 + 3 * joint]
            exponential_into(own, turn)
            turn_into(before.reference[joint], turn, turn)
            turn_back_into(after.reference[joint], turn, turn)
            logarithm_into(turn, own)


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

    A weight is the strength of a style: weights that sum to less than 1 leave some of the clip's style, those that
    sum to more exaggerate.

    Args:
        models: Styles learned on one skeleton at one rate.
        clip: A motion in the source style, on that skeleton and at that rate.
        weights: Numbers (models,), or (frames, models) to change over the clip, each between -2 and 2.
        time_warp: Whether the timing changes too.
        generalize: Whether what is unlike the examples is kept (eq. 7-8); None: as each model's settings say.
        plant: Whether sliding feet are cleaned up.

    Returns:
        The clip in the mixed style, with its build and from its place on.
    """
    shares = _checked(models, clip, weights)
    first = models[0]
    features = first.encode(clip)
    source = coded(features.values, first.coding)
    rows = source.copy()
    log_w, sway = np.zeros(len(rows)), 0.0
    floor, rests = np.zeros_like(first.floor), 0.0
    marks = np.zeros((len(rows), len(first.feet)))
    # Weights may be negative or sum to anything, but heights of the floor and votes on footplants are averages.
    total = np.abs(shares).sum(axis=1)
    for model, share, part in zip(models, shares.T, (np.abs(shares) / total[:, None]).T, strict=True):
        styled, timing, swayed = _in_place(model, first, clip, generalize)
        sway += share[0] * swayed
        # The changes of each style are added, not the styled poses, so any sum of weights, also 0, is well defined.
        rows += share[:, None] * (coded(styled, first.coding) - source)
        floor += part.mean() * model.floor
        rests += part.mean() * model.rests
        # Paces multiply, so their logarithms add.
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
    """Return weights (frames, models); raise where they do not fit."""
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
    """Return one model's translation in the source's timing as rows of the first model's DOFs, log w, first sway."""
    features = model.encode(clip)
    tool = model.translator(generalize=generalize)
    out = tool.outputs(tool.start(model.past(features.values)), features.values)[1]
    turn = root_columns(model.recipe)[2]
    rows, sway = out[:, :-1].copy(), out[:, turn]
    # A sway is an angle and the column holds a rate: its difference is what decoding integrates back.
    rows[:, turn] = features.values[:, turn] + np.diff(sway, prepend=sway[:1]) / model.frame_time
    placed = Features(model.recipe, rows, features.start, clip.name, False, features.skeleton)
    again = encode(first.recipe, model.decode(rows, placed), strict=False)
    return again.values / first.lengths(clip), out[:, -1], float(sway[0])


def _retimed(model: StyleModel, rows: Floats, log_w: Floats) -> tuple[Floats, Floats]:
    """Return rows in the target's timing, and the source frame of each."""
    forward, sideways, turn = root_columns(model.recipe)
    outputs = np.column_stack([rows, log_w])
    # The sway is already part of the mixed turn rates; a second one would turn the body twice.
    outputs[:, turn] = 0.0
    frames = model.translator().frames
    most = 1 + int(STEEPEST + 1.0) * len(rows)
    out = Written(np.empty((most, rows.shape[1])), np.empty(most))
    count = retimed(
        np.ascontiguousarray(rows), outputs, np.zeros(WALK), np.zeros(rows.shape[1]), frames, out,
    )  # fmt: skip
    return out.rows[:count], out.origins[:count]


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
    """Translate a stream into a mixture of styles, as `StyleModel.stream` does into one.

    Args:
        models: Styles learned on one skeleton at one rate.
        rows: Rows (DOFs,) or blocks (rows, DOFs) of the first model's DOFs (see its `encode`).
        weights: Strengths (models,) between -2 and 2, or a function that is called again for every item of `rows`; a
            change is reached in about a third of a second.
        time_warp: Whether the timing changes; without it the stream keeps in step with a live source.
        generalize: Whether what is unlike the examples is kept (eq. 7-8); None: as each model's settings say.
        decode: Whether to yield one-frame clips, placed one after the other, instead of rows.
        plant: Whether standing feet are held, at heights mixed by the weights at the start.

    Returns:
        An iterator over rows (frames, DOFs) or clips.
    """
    check_models(models)
    if plant and not decode:
        raise UsageError("planting needs poses: stream with decode=True as well, or without plant")
    live = _live(models, weights, time_warp=time_warp, generalize=generalize)
    first = models[0]
    if decode and plant and all(model.feet == first.feet for model in models) and first.feet:
        return planted_stream(first.recipe, live, rows, _planter(models, live().weights))
    return decoded_stream(first.recipe, live, rows) if decode else translated_rows(live, rows)


class MixtureState(NamedTuple):
    """What each style remembers, the turn of its reference against the first one's on the way in and out, the clock."""

    styles: tuple[TranslationState, ...]
    turned: Floats  # (models, 2), see Recoding
    walk: Floats
    pose: Floats
    started: bool


@dataclass(frozen=True, eq=False)
class Mixture:
    """The source of a stream: styles by weights, which are their strengths."""

    styles: tuple[LiveStyle, ...]
    turns: tuple[int, ...]  # each style's column of the turn rate
    ways: tuple[tuple[Recoding, Recoding], ...]  # from the first model's DOFs to the style's, and back
    weights: Floats

    def start(self) -> MixtureState:
        """Return the state before the first row."""
        turned = np.zeros((len(self.styles), 2))
        states = tuple(style.start() for style in self.styles)
        return MixtureState(states, turned, np.zeros(WALK), np.zeros(self.styles[0].tool.width), False)

    def advance(self, state: MixtureState, rows: Floats) -> tuple[MixtureState, Translated]:
        """Translate by every style in the source's timing, add up the changes, then retime the sum."""
        after, made, _ = self._advanced(state, rows, False)
        return after, made

    def advance_seen(self, state: MixtureState, rows: Floats) -> tuple[MixtureState, Translated, Bools]:
        """Advance, and also return where feet stand (rows, feet): where more than half of the weight votes for it."""
        after, made, votes = self._advanced(state, rows, True)
        return after, made, np.asarray(votes > 0.5)

    def _advanced(self, state: MixtureState, rows: Floats, seen: bool) -> tuple[MixtureState, Translated, Any]:
        tool, turn = self.styles[0].tool, self.turns[0]
        rows = tool.checked(rows)
        source, sway, log_w = coded(rows, tool.coding), np.zeros(len(rows)), np.zeros(len(rows))
        mixed = source.copy()
        turned, states = state.turned.copy(), []
        shares, votes = self._shares, 0.0
        for k, (style, (there, back), column) in enumerate(zip(self.styles, self.ways, self.turns, strict=True)):
            own = there.recoded(rows, turned[k, :1], state.started)
            after, out, labels = style.tool.coded_outputs(state.styles[k], own, style.stands if seen else NOTHING)
            if seen:
                votes = votes + shares[k] * labels
            sway += out[:, column]
            log_w += out[:, -1]
            styled = out[:, :-1].copy()
            # The column holds the sway, which is summed apart; recoding needs a turn rate there.
            styled[:, column] = own[:, column]
            if not there.is_identity:
                styled = uncoded(styled, style.tool.coding)
                styled = coded(back.recoded(styled, turned[k, 1:], state.started), tool.coding)
            mixed += styled - source
            states.append(after)
        mixed = uncoded(mixed, tool.coding)
        outputs = np.column_stack([mixed, log_w])
        outputs[:, turn] = sway
        most = 1 + int(STEEPEST + 1.0) * len(rows)
        written = Written(np.empty((most, tool.width)), np.empty(most))
        # One clock for the mixture: separate clocks would let the styles drift apart.
        walk, pose = state.walk.copy(), state.pose.copy()
        count = retimed(mixed, outputs, walk, pose, tool.frames, written)
        made = Translated(written.rows[:count], written.origins[:count], np.zeros((len(rows), 1)))
        return MixtureState(tuple(states), turned, walk, pose, True), made, votes

    @cached_property
    def _shares(self) -> Floats:
        """Return the shares (models,) by which styles vote."""
        shares = np.abs(self.weights)
        return shares / shares.sum() if shares.any() else np.full(len(shares), 1.0 / len(shares))


def _live(models: Sequence[StyleModel], weights: Weights, **how: Any) -> Callable[[], Mixture]:
    """Return a function that returns the mixture at its current weights."""
    ways = tuple((Recoding(models[0].recipe, m.recipe), Recoding(m.recipe, models[0].recipe)) for m in models)
    styles = tuple(model.live(**how) for model in models)
    turns = tuple(root_columns(model.recipe)[2] for model in models)

    def at_weights(given: npt.ArrayLike) -> Mixture:
        strengths = _stream_weights(given, len(models))
        own = [style.with_strength(value) for style, value in zip(styles, strengths, strict=True)]
        return Mixture(tuple(own), turns, ways, strengths)

    if callable(weights):
        return latest(weights, at_weights)
    fixed = at_weights(weights)
    return lambda: fixed


def _stream_weights(given: npt.ArrayLike, count: int) -> Floats:
    """Return weights (models,) of a stream; raise where their number or range is wrong."""
    weights = np.asarray(given, dtype=np.float64)
    if weights.shape != (count,) or not np.isfinite(weights).all() or np.abs(weights).max() > STRONGEST:
        raise UsageError(f"weights of a stream must be {count} numbers between {-STRONGEST:g} and {STRONGEST:g}")
    return weights


def _planter(models: Sequence[StyleModel], weights: Floats) -> Planter:
    """Return a planter built from the poses of all styles."""
    # The least share keeps the average defined where a slider starts with every weight at 0.
    first, shares = models[0], np.abs(weights) + 1e-9
    poses = [Recoding(m.recipe, first.recipe).recoded(m.poses, np.zeros(1), False) for m in models if len(m.poses)]
    floors = np.stack([model.floor for model in models])
    floor, rests = (shares @ each / shares.sum() for each in (floors, np.array([model.rests for model in models])))
    return stream_planter(first.recipe, np.concatenate(poses), floor, float(rests))
