"""StyleModel: what was learned of a style, frozen. Use `translate` and `advance`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.body.roles import leg_length
from freshtake.motion.clip import Clip
from freshtake.motion.features import Features, Recipe, decode, encode
from freshtake.motion.gait import Gait
from freshtake.motion.planting import Planter
from freshtake.motion.planting.contacts import contact_mask
from freshtake.motion.validation import Changeable, between
from freshtake.motion.verdict import require_unflung
from freshtake.numeric.arrays import Bools, Floats, Ints
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.style.body_coding import Coding, coded, coding_of, uncoded
from freshtake.style.columns import (
    Normal,
    Strength,
    parts_of,
    pose_weights,
    reach_of,
    root_columns,
    strengths_of,
)
from freshtake.style.footplants import Annotation
from freshtake.style.synthesize import (
    Body,
    Pace,
    Translated,
    Translator,
    latest,
    planted,
    resting,
    stands_of,
    stream_planter,
    streamed,
    translator,
    with_tempo,
)
from freshtake.style.systems.banks import Bank, HeldOut, past_of
from freshtake.style.translation_kernels import SWAY, TranslationState

SPEEDS = ("proportion", "source", "style")
FASTEST = 2.0  # largest factor by which playback is sped up or slowed down to reach a speed
LEAST_STYLE = 0.01  # leg lengths by which a style must move a part of the body to count there


@dataclass(frozen=True, kw_only=True)
class Settings(Changeable):
    """How to learn a translation and how to use it. Times are in seconds, whatever the frame rate."""

    order: int | None = None  # states per joint; 0 is a static map
    most_states: int = 10  # per joint, where the order is chosen
    horizon: float = 0.4  # past and future that the subspace method sees; less where clips are short
    radius: float = 0.9  # largest spectral radius at 30 frames per second; other rates: the equivalent
    ridge: float | None = None  # of the regressions, as a share of the frames
    # pull of the gain for constant input to zero, likewise; None: 0 or 0.2 joint by joint, 1 for one take of each style
    steadiness: float | None = None
    # seconds over which the source is smoothed before it drives anything; recorded walks jerk 1.7 times as much as real
    # takes of the style without, 1.1 times with it, 1.4 with 0.015
    calming: float = 0.03
    warp_smoothing: float = 0.08  # of the time warp, before its logarithm is taken
    slope: int = 3  # steepest time warp of an alignment, and its inverse the flattest
    floor: float = 0.1  # least deviation of a DOF, as a share of the usual one among DOFs with the same unit
    generalize: bool = True  # blend the input in where it is unlike the examples (eq. 7-8)
    confidence: float | None = None  # k_c of eq. 8; None: by part, so that takes left out are not unexpected
    preference: float = 30.0  # k_p of eq. 8
    reach: float = 0.012  # leg lengths by which one deviation moves the body, at least: thumbs do not count in eq. 7

    def __post_init__(self) -> None:
        between(self, "order", 0, 40)
        between(self, "most_states", 1, 40)
        between(self, "horizon", 0.02, 5.0)
        between(self, "radius", 0.05, 0.999)
        between(self, "ridge", 1e-12, 1e6)
        between(self, "steadiness", 0.0, 1e6)
        between(self, "calming", 0.0, 1.0)
        between(self, "warp_smoothing", 0.0, 5.0)
        between(self, "slope", 2, 8)
        between(self, "floor", 1e-6, 1.0)
        between(self, "confidence", 0.01, 1e6)
        between(self, "preference", 0.01, 1e6)
        between(self, "reach", 0.0, 1e6)


class StyleTranslation(NamedTuple):
    """A clip in the target style, its rows, and where its feet stand (frames, feet)."""

    clip: Clip
    made: Translated
    stands: Bools
    arrived: dict[str, float]  # share of the style that arrived, by part of the body


def _going(rates: Floats) -> float:
    """Return the mean speed of the frames (frames, 2) that travel at more than half the usual speed."""
    speeds = np.linalg.norm(rates, axis=1)
    return float(np.linalg.norm(rates[speeds >= 0.5 * np.percentile(speeds, 75.0)].mean(axis=0)))


@dataclass(frozen=True, eq=False, repr=False)
class StyleModel:
    """A translation from a source style into a target style (Hsu 2005)."""

    recipe: Recipe
    settings: Settings
    source: Normal
    target: Normal
    bank: Bank
    annotations: tuple[Annotation, ...]  # footplants, one per foot, and any other labels
    feet: tuple[str, ...]  # names of the annotations that are footplants
    floor: Floats  # (foot joints,): the height at which each one stands in the target style
    effects: Floats  # (DOFs,): leg lengths by which one unit of a DOF moves the body
    later: float  # added to log w, so that durations are right on average
    widest: float  # bound of the sway of the heading
    slowest: float  # speed of the source below which the style's travel and timing fade: the least in the examples
    speeds: Floats  # (2, 3): least and greatest forward and sideways speed and turn rate of the source in the examples
    held_out: HeldOut
    pairs: tuple[tuple[str, str], ...]  # names of the clips that it was learned from
    confidence: Floats  # (DOFs,): k_c of eq. 8
    poses: Floats  # (poses, DOFs): some of the target style, from which a planter learns the legs' limits
    teacher: tuple[Gait, Gait] | None = None  # mean gaits of both styles in the examples; None in old files

    def __repr__(self) -> str:
        return f"StyleModel({self.states} states, {len(self.dofs)} DOFs, {len(self.pairs)} pairs)"

    @property
    def dofs(self) -> tuple[str, ...]:
        """The names of the DOFs."""
        return self.recipe.names

    @property
    def frame_time(self) -> float:
        """Seconds from frame to frame."""
        return self.recipe.frame_time

    @property
    def states(self) -> int:
        """How many numbers are remembered from frame to frame."""
        return self.bank.size

    @property
    def memory(self) -> float:
        """Seconds after which less than a hundredth of a deviation remains."""
        return self.bank.memory() * self.frame_time

    @cached_property
    def _parts(self) -> tuple[tuple[str, ...], Ints]:
        return parts_of(self.recipe)

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of the body that take the style, or keep the input, independently; the first has the root."""
        return self._parts[0]

    @cached_property
    def coding(self) -> Coding:
        """How trunk and legs are coded for the systems."""
        return coding_of(self.recipe, self.poses)

    @cached_property
    def rests(self) -> float:
        """How slow a foot must be to count as standing against the classifier (share of the usual limits)."""
        return resting(self.recipe, self.target)

    @cached_property
    def planter(self) -> Planter:
        """The planter for streams; its `latency` is by how many frames it delays them."""
        return stream_planter(self.recipe, self.poses, self.floor, self.rests)

    @cached_property
    def _translators(self) -> dict[tuple[bool, bool], Translator]:
        return {}

    def translator(
        self, *, time_warp: bool = True, generalize: bool | None = None, strength: Strength = 1.0
    ) -> Translator:
        """Return the streaming translator that `advance` uses; it is built once for each combination of arguments.

        Args:
            time_warp: Whether the timing changes too.
            generalize: Whether what is unlike the examples is kept (eq. 7-8); None: as the settings say.
            strength: How much of the style is taken: one number, or one by part of the body (see `translate`).

        Returns:
            The translator, which takes and yields rows (frames, DOFs).
        """
        key = (time_warp, self.settings.generalize if generalize is None else generalize)
        if key not in self._translators:
            forward, sideways, turn = root_columns(self.recipe)
            s = self.settings
            reach = reach_of(self.recipe, self.effects, self.source, s.reach) / self.confidence
            body = Body(
                (forward, sideways, turn), self.dofs, reach=reach, part=self._parts[1], speeds=self.speeds,
                coding=self.coding,
            )  # fmt: skip
            pace = Pace(
                self.frame_time, s.preference, time_warp=key[0], generalize=key[1], later=self.later,
                widest=self.widest, calming=s.calming, slowest=self.slowest,
            )  # fmt: skip
            by_name = {annotation.name: annotation for annotation in self.annotations}
            stands = stands_of([by_name[name] for name in self.feet])
            self._translators[key] = translator(self.bank, self.source, self.target, body, pace, stands)
        tool = self._translators[key]
        return tool if strength == 1.0 else tool.with_strength(strengths_of(self.parts, strength))

    def encode(self, clip: Clip, *, calibrate: bool | None = None) -> Features:
        """Encode a clip as rows of this model's DOFs, with lengths scaled to the build of the examples.

        Args:
            clip: A motion in the source style, on the skeleton and at the rate of the examples.
            calibrate: Whether the clip's mean pose is moved to that of the examples, because another person stands in
                another way; None: only for another build.

        Returns:
            Rows (frames, DOFs) in radians, lengths of the examples and their rates per second, and the clip's place.
        """
        features = encode(self.recipe, clip, strict=False)
        rows = features.values / self.lengths(clip)
        if (features.skeleton is not None) if calibrate is None else calibrate:
            pose = np.isin(self.recipe.units, ("angle", "length"))
            # The model's means and deviations are of coded rows, so the clip is coded before it is compared with them.
            rows = coded(rows, self.coding)
            rows = rows + np.where(pose, self.source.mean - rows.mean(axis=0), 0.0)
            rows = uncoded(rows, self.coding)
        return Features(self.recipe, rows, features.start, features.name, False, features.skeleton)

    def decode(self, rows: Floats, features: Features) -> Clip:
        """Decode rows to a clip with the build and at the place of the features' clip.

        Args:
            rows: Rows (frames, DOFs) as `encode` gives them.
            features: The encoded clip whose build, place and name the result gets.

        Returns:
            The clip, at the model's rate.
        """
        scaled = rows * self.lengths(features)
        clip = decode(self.recipe, scaled, start=features.start, skeleton=features.skeleton, name=features.name)
        assert isinstance(clip, Clip)
        return require_unflung(clip).changed(provenance="made by freshtake: style")

    def lengths(self, clip: Clip | Features) -> Floats:
        """Return what each DOF is divided by to bring a clip to the build of the examples.

        Args:
            clip: A clip, or its features.

        Returns:
            Factors (DOFs,): `build` for lengths and speeds, 1 for angles and turn rates.
        """
        return np.where(np.isin(self.recipe.units, ("length", "speed")), self.build(clip), 1.0)

    def build(self, clip: Clip | Features) -> float:
        """Measure the length of a clip's legs against those of the examples.

        Args:
            clip: A clip, or its features.

        Returns:
            The ratio of the leg lengths, 1 for the build of the examples.
        """
        ours = self.recipe.skeleton
        assert ours is not None
        return leg_length(clip.skeleton or ours) / leg_length(ours)

    @property
    def past_frames(self) -> int:
        """How many frames before a first one systems and smoothing remember."""
        # At most four seconds of past are simulated.
        frames = min(self.bank.memory(1e-3), round(4.0 / self.frame_time))
        # The low-pass before the systems has settled after ten times the calming.
        return max(frames, 1 + round(10.0 * self.settings.calming / self.frame_time))

    def past(self, rows: Floats, frames: int | None = None) -> Floats:
        """Extrapolate rows that lead up to the first row (Hsu 2005, §4.4).

        Args:
            rows: Rows (frames, DOFs) of the source.
            frames: How many; None: as many as the systems remember.

        Returns:
            Rows (past frames, DOFs), to be run before the first one.
        """
        count = self.past_frames if frames is None else frames
        return past_of(rows, count, 1.0 / self.frame_time, pose_weights(self.recipe, self.effects))

    @one_blas_thread()
    def translate_rows(self, rows: Floats, tool: Translator | None = None) -> tuple[Translated, float]:
        """Translate the rows of a complete motion, with a past for the first ones.

        Args:
            rows: Rows (frames, DOFs) of the source, as `encode` gives them.
            tool: The translator; None: that of the defaults.

        Returns:
            The rows of the target style, with the source frame of each and where feet stand (source rows, feet); and
            the sway of the heading in the first row, in radians.
        """
        # The first row is translated by itself because its sway gives the turn of the complete clip when it is placed.
        tool = tool or self.translator()
        rows = tool.checked(rows)
        state, first = tool.advance(tool.start(self.past(rows)), rows[:1])
        sway = float(state.walk[SWAY])
        _, rest = tool.advance(state, rows[1:])
        rest = rest._replace(origins=rest.origins + 1.0)
        return Translated(*(np.concatenate(both) for both in zip(first, rest, strict=True))), sway

    @one_blas_thread()
    def translate(
        self,
        clip: Clip,
        *,
        time_warp: bool = True,
        generalize: bool | None = None,
        plant: bool | str = True,
        calibrate: bool | None = None,
        strength: Strength = 1.0,
        speed: str = "proportion",
    ) -> Clip:
        """Translate a clip into the target style.

        Args:
            clip: A motion in the source style, on the skeleton and at the rate of the examples.
            time_warp: Whether the timing changes too.
            generalize: Whether what is unlike the examples is kept (eq. 7-8); None: as the settings say.
            plant: Whether sliding feet are cleaned up by the classifier's footplants; "hard" holds them still.
            calibrate: Whether the clip's mean pose is moved to that of the examples; None: only for another build.
            strength: 0 is the clip itself, 1 the style, more exaggerates; {"arms": 1.0} styles the arms alone,
                {"all": 1.0, "head": 0.0} all but the head (see `parts`).
            speed: "proportion" (as the styles' speeds are in the examples), or that of the "source" or of the "style":
                then the translation is played faster or slower, with steps as long as they are.

        Returns:
            The translation, with the clip's build and from its place on.
        """
        return self.translation(
            clip, time_warp=time_warp, generalize=generalize, plant=plant, calibrate=calibrate, strength=strength,
            speed=speed,
        ).clip  # fmt: skip

    @one_blas_thread()
    def translation(
        self, clip: Clip, *, time_warp: bool = True, generalize: bool | None = None, plant: bool | str = True,
        calibrate: bool | None = None, strength: Strength = 1.0, speed: str = "proportion",
    ) -> StyleTranslation:  # fmt: skip
        """Translate a clip as `translate` does, and return its rows and footplants too.

        Args:
            clip: A motion in the source style, on the skeleton and at the rate of the examples.
            time_warp: As for `translate`.
            generalize: As for `translate`.
            plant: As for `translate`.
            calibrate: As for `translate`.
            strength: As for `translate`.
            speed: As for `translate`.

        Returns:
            The clip, the rows (frames, DOFs) behind it, where feet stand (frames, feet), and the share of the style
            that arrived by part of the body.
        """
        features = self.encode(clip, calibrate=calibrate)
        tool = self.translator(time_warp=time_warp, generalize=generalize, strength=strength)
        made, sway = self.translate_rows(features.values, tool)
        made = with_tempo(made, self._tempo(features.values, made.rows, speed), root_columns(self.recipe))
        # Feet are classified on the source's clock; each frame out takes the label of the source frame it came from.
        origins = np.clip(np.round(made.origins).astype(np.intp), 0, len(features.values) - 1)
        stands = made.stands[origins] if self.feet else np.zeros((len(origins), 0), dtype=np.bool_)
        # At strength 0 the clip itself is returned: encoding and decoding would change it by rounding and calibration.
        if not strengths_of(self.parts, strength).any():
            return StyleTranslation(clip, made, contact_mask(clip), self.arrived(features.values, features.values))
        start = features.start._replace(heading=features.start.heading + sway)
        placed = Features(self.recipe, made.rows, start, features.name, False, features.skeleton)
        out = self.decode(made.rows, placed)
        if plant and self.feet:
            out = planted(out, stands, self.floor * self.build(clip), self.rests, plant)
        return StyleTranslation(out, made, stands, self.arrived(features.values, made.rows))

    def _tempo(self, rows: Floats, made: Floats, speed: str) -> float:
        """Return the factor by which a translation is to be played faster."""
        if speed not in SPEEDS:
            raise UsageError(f"the speed is one of {', '.join(SPEEDS)}, not {speed!r}")
        columns = list(root_columns(self.recipe)[:2])
        now = _going(made[:, columns])
        speeds = {"source": _going(rows[:, columns]), "style": float(np.linalg.norm(self.target.mean[columns]))}
        if speed == "proportion" or now <= 0.0:
            return 1.0
        return float(np.clip(speeds[speed] / now, 1.0 / FASTEST, FASTEST))

    def arrived(self, rows: Floats, made: Floats) -> dict[str, float]:
        """Return the share of the style that arrived by part of the body; parts that the style leaves alone are absent.

        The style is the difference between source and target in the examples, in mean pose and in how far joints
        swing, weighed by how far it moves the body; the share is that of the same difference between `rows` and `made`.

        Args:
            rows: Rows (frames, DOFs) of the source.
            made: Rows (frames out, DOFs) of its translation.

        Returns:
            Shares by name of the part: 0 is the source, 1 the full style.
        """
        weights = pose_weights(self.recipe, self.effects)
        ours, theirs = (coded(np.ascontiguousarray(each), self.coding) for each in (rows, made))
        styled = self.target.mean[:-1] - self.source.mean, self.target.deviation[:-1] - self.source.deviation
        changed = theirs.mean(axis=0) - ours.mean(axis=0), theirs.std(axis=0) - ours.std(axis=0)
        # The last DOF of the target, log w, has no counterpart in the source and is left out above; pose means and
        # deviations are concatenated, so that one inner product measures both.
        style, change = (np.concatenate([weights * each for each in both]) for both in (styled, changed))
        shares = {}
        for number, name in enumerate(self.parts):
            mine = np.tile(self._parts[1] == number, 2)
            size = float(style[mine] @ style[mine])
            # A part that the style hardly moves, or that carries less than a twentieth of it, gives noise over noise.
            if size > max(LEAST_STYLE**2, 0.05 * float(style @ style)):
                shares[name] = float(change[mine] @ style[mine]) / size
        return shares

    @one_blas_thread()
    def labels(self, rows: Floats) -> dict[str, Bools]:
        """Predict every annotation for every row of the source, from the states alone.

        Args:
            rows: Rows (frames, DOFs) of the source.

        Returns:
            By name of the annotation, whether it holds (frames,).
        """
        tool = self.translator()
        state = tool.start(self.past(rows))
        states = self.bank.features(state.systems, tool.inputs(state, rows))
        return {annotation.name: annotation.label(states) for annotation in self.annotations}

    def start(self, past: Floats | None = None) -> TranslationState:
        """Return the state before the first frame of a stream.

        Args:
            past: Rows (frames, DOFs) that lead up to it; None: the first pose is assumed to have been held before.

        Returns:
            The state, for `advance`.
        """
        return self.translator().start(past)

    def advance(
        self,
        state: TranslationState,
        rows: Floats,
        *,
        time_warp: bool = True,
        generalize: bool | None = None,
        strength: Strength = 1.0,
    ) -> tuple[TranslationState, Floats]:
        """Translate the next row of a stream, or several.

        Args:
            state: What is remembered of the rows before; it is not changed.
            rows: One row (DOFs,) or several (rows, DOFs) of the source.
            time_warp: Whether the timing changes too.
            generalize: Whether what is unlike the examples is kept (eq. 7-8); None: as the settings say.
            strength: As for `translate`; one that differs from the one before is reached in about a third of a second.

        Returns:
            The next state, and the rows (frames out, DOFs) of the target style: 0, 1 or more for each row in.
        """
        tool = self.translator(time_warp=time_warp, generalize=generalize, strength=strength)
        after, made = tool.advance(state, rows)
        return after, made.rows

    def stream(
        self,
        rows: Iterable[Floats],
        *,
        time_warp: bool = True,
        generalize: bool | None = None,
        decode: bool = False,
        plant: bool = False,
        strength: Strength | Callable[[], Strength] = 1.0,
    ) -> Iterator[Any]:
        """Translate a stream without end and without lag.

        Args:
            rows: Rows (DOFs,) of the source or blocks (rows, DOFs), which give the same and are several times faster.
            time_warp: Whether the timing changes; without it the stream keeps in step with a live source.
            generalize: As for `translate`.
            decode: Whether to yield one-frame clips, placed one after the other, instead of rows.
            plant: Whether standing feet are held; clips are then `planter.latency` frames late.
            strength: As for `translate`, or a function that is called for every item, such as a slider.

        Returns:
            An iterator over rows (frames, DOFs) or clips.
        """
        if plant and not decode:
            raise UsageError("planting needs poses: stream with decode=True as well, or without plant")
        live = latest(strength, lambda now: self.translator(time_warp=time_warp, generalize=generalize, strength=now))
        planter = (lambda: self.planter) if plant and self.feet else None
        return streamed(self.recipe, live, rows, decode=decode, planter=planter)
