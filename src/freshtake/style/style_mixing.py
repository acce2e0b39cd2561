"""A live stream of several styles at once, whose weights may change while it runs (Hsu 2005, §6)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import UsageError
from freshtake.motion.planting import Planter
from freshtake.numeric.arrays import Bools, Floats
from freshtake.style.body_coding import coded, uncoded
from freshtake.style.columns import root_columns
from freshtake.style.live import LiveStyle, decoded_stream, latest, planted_stream, stream_planter, translated_rows
from freshtake.style.model import StyleModel
from freshtake.style.parts import STRONGEST
from freshtake.style.recoding import Recoding
from freshtake.style.style_blending import check_models
from freshtake.style.synthesize import NOTHING, STEEPEST, Translated
from freshtake.style.translation_kernels import WALK, TranslationState, Written, retimed

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
    """Rows of the first model in (see its `encode`), the mixture of styles out: as `StyleModel.stream`.

    `weights` (models,) are strengths, or a function that is asked anew for every row or block of rows; a change is
    reached smoothly, in about a third of a second. Feet stand at heights mixed by the weights at the start.
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
        """The state before the first row."""
        turned = np.zeros((len(self.styles), 2))
        states = tuple(style.start() for style in self.styles)
        return MixtureState(states, turned, np.zeros(WALK), np.zeros(self.styles[0].tool.width), False)

    def advance(self, state: MixtureState, rows: Floats) -> tuple[MixtureState, Translated]:
        """Every style by itself in the source's time; what each of them changes is added up, then retimed."""
        after, made, _ = self._advanced(state, rows, False)
        return after, made

    def advance_seen(self, state: MixtureState, rows: Floats) -> tuple[MixtureState, Translated, Bools]:
        """The same, and where feet stand (rows, feet): where styles that have more than half of the weight say so."""
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
        walk, pose = state.walk.copy(), state.pose.copy()
        count = retimed(mixed, outputs, walk, pose, tool.frames, written)
        made = Translated(written.rows[:count], written.origins[:count], np.zeros((len(rows), 1)))
        return MixtureState(tuple(states), turned, walk, pose, True), made, votes

    @cached_property
    def _shares(self) -> Floats:
        """By which styles vote."""
        shares = np.abs(self.weights)
        return shares / shares.sum() if shares.any() else np.full(len(shares), 1.0 / len(shares))


def _live(models: Sequence[StyleModel], weights: Weights, **how: Any) -> Callable[[], Mixture]:
    """The mixture of the moment."""
    ways = tuple((Recoding(models[0].recipe, m.recipe), Recoding(m.recipe, models[0].recipe)) for m in models)
    styles = tuple(model.live(**how) for model in models)
    turns = tuple(root_columns(model.recipe)[2] for model in models)

    def at_weights(given: npt.ArrayLike) -> Mixture:
        strengths = _checked(given, len(models))
        own = [style.with_strength(value) for style, value in zip(styles, strengths, strict=True)]
        return Mixture(tuple(own), turns, ways, strengths)

    if callable(weights):
        return latest(weights, at_weights)
    fixed = at_weights(weights)
    return lambda: fixed


def _checked(given: npt.ArrayLike, count: int) -> Floats:
    weights = np.asarray(given, dtype=np.float64)
    if weights.shape != (count,) or not np.isfinite(weights).all() or np.abs(weights).max() > STRONGEST:
        raise UsageError(f"weights of a stream must be {count} numbers between {-STRONGEST:g} and {STRONGEST:g}")
    return weights


def _planter(models: Sequence[StyleModel], weights: Floats) -> Planter:
    """A planter that knows the poses of all styles."""
    first, shares = models[0], np.abs(weights) + 1e-9
    poses = [Recoding(m.recipe, first.recipe).recoded(m.poses, np.zeros(1), False) for m in models if len(m.poses)]
    floors = np.stack([model.floor for model in models])
    floor, rests = (shares @ each / shares.sum() for each in (floors, np.array([model.rests for model in models])))
    return stream_planter(first.recipe, np.concatenate(poses), floor, float(rests))
